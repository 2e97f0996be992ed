"""The constraints of expressions (C 6.5)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.constraints import constant, generics
from membar.languages.c.constraints.declarators import Declarators
from membar.languages.c.constraints.kinds import (
    CHAR,
    INT,
    LONG,
    NOTHING,
    ULONG,
    UNKNOWN,
    Array,
    Function,
    Kind,
    Nothing,
    Number,
    Opaque,
    Pointer,
    Real,
    Record,
    are_same,
    arithmetic,
    decayed,
    has_const,
    is_bit_field,
    is_complete,
    is_scalar,
    is_unknown,
    member_of,
    number_of,
    qualified,
    real_of,
    spelled,
)
from membar.languages.c.constraints.names import Names
from membar.languages.c.constraints.prototypes import prototype
from membar.languages.c.declarations import ANY
from membar.languages.c.literals import literal, string_bytes

if TYPE_CHECKING:
    from membar.languages.c.calls import Library

NO_OBJECT: Final = "this is no object, so it has no address and cannot be set"
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_ON_INTEGERS: Final = frozenset({"%", "&", "|", "^", "<<", ">>"})
_NAMES_OF_FUNCTIONS: Final = frozenset({"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"})


@dataclass(frozen=True, slots=True)
class Operand:
    """What an expression is: its type with qualifiers, and whether it names an object."""

    kind: Kind
    is_object: bool = False
    has_no_address: bool = False


class Expressions(Declarators):
    """The expressions of one file. `library` are the functions that membar knows."""

    def __init__(self, names: Names, library: Mapping[str, Library]) -> None:
        super().__init__(names)
        self.library = library

    # What others ask

    def number(self, node: ast.Node) -> int | None:
        """The value of an integer constant expression, if it is one that is known here."""
        return constant.value(self.names, node)

    def constant(self, node: ast.Node, what: str) -> int | None:
        """The value of what must be an integer constant expression."""
        kind = self.scalar(node)
        bad = constant.disturbing(self.names, node)
        if bad is not None or (not isinstance(kind.shape, Number) and not is_unknown(kind)):
            self.names.report(node, f"{what} is not known before the program runs", codes.CONSTANT)
            return None
        return self.number(node)

    def kind_of(self, node: ast.Node) -> Kind:
        """The type of an expression, with its qualifiers."""
        return self.operand(node).kind

    def value(self, node: ast.Node) -> Kind:
        """The type of the value of an expression, `void` included."""
        return decayed(self.operand(node).kind)

    def used(self, node: ast.Node) -> Kind:
        """The type of a value that must be one."""
        kind = self.value(node)
        if isinstance(kind.shape, Nothing) or (isinstance(kind.shape, Record) and kind.shape.members is None):
            return self._wrong(node, f"a value is needed here, not `{spelled(kind)}`", expected="a value")
        return kind

    def scalar(self, node: ast.Node) -> Kind:
        """The type of a value that must be a number or a pointer."""
        kind = self.used(node)
        if not is_scalar(kind):
            words = f"a value is needed here, not `{spelled(kind)}`"
            return self._wrong(node, words, expected="a number or a pointer")
        return kind

    def _wrong(self, node: ast.Node, message: str, code: str = codes.TYPE, expected: str = "") -> Kind:
        self.names.report(node, message, code, expected)
        return UNKNOWN

    # Expressions

    def operand(self, node: ast.Node) -> Operand:
        """What an expression is; its constraints are looked at once."""
        match node:
            case ast.Constant():
                return self._literal(node)
            case ast.ID():
                return self._name(node)
            case ast.FuncCall():
                return Operand(self._call(node))
            case ast.Assignment():
                return Operand(self._assignment(node))
            case ast.BinaryOp():
                left, right = self.used(node.left), self.used(node.right)
                return Operand(self.calculated(node.op, left, right, node))
            case ast.UnaryOp():
                return self._unary(node)
            case ast.TernaryOp():
                return Operand(self._ternary(node))
            case ast.Cast():
                return Operand(self._cast(node))
            case ast.ArrayRef():
                return Operand(self._element(node), is_object=True)
            case ast.StructRef():
                return self._member(node)
            case ast.ExprList(exprs=[*others, last]):
                for item in others:
                    self.value(item)
                return Operand(self.value(last))
            case ast.CompoundLiteral():
                return Operand(self.literal_object(node), is_object=True)
            case ast.GenericSelection():
                return self._chosen(node)
            case ast.Compound():
                return Operand(self.block_value(node))
            case _:
                return Operand(UNKNOWN)

    @abstractmethod
    def literal_object(self, node: ast.CompoundLiteral) -> Kind:
        """The type of the object that a compound literal is."""

    @abstractmethod
    def block_value(self, node: ast.Compound) -> Kind:
        """The type of a statement expression."""

    def _literal(self, node: ast.Constant) -> Operand:
        if node.type == "string":
            if not node.value.startswith('"'):
                return Operand(UNKNOWN, is_object=True)
            return Operand(Kind(Array(CHAR, len(string_bytes(node.value)) + 1)), is_object=True)
        if "float" in node.type or "double" in node.type:
            kinds = {"f": Kind(Real(t.FLOAT)), "l": UNKNOWN}
            return Operand(kinds.get(node.value[-1].lower(), Kind(Real(t.DOUBLE))))
        number = literal(node)
        suffix = node.value.lower()
        if number is None or node.type.endswith("char") or node.type == "bool":
            return Operand(INT)
        is_long, is_unsigned = suffix.endswith(("l", "lu")), "u" in suffix[-3:] and not suffix.startswith("'")
        for kind in (t.INT, t.UINT, t.LONG, t.ULONG):
            if (is_long and kind.size < 8) or (is_unsigned and kind.signed):
                continue
            if not kind.signed and suffix[:1] != "0" and not is_unsigned:
                continue
            if number < 1 << (kind.width - kind.signed):
                return Operand(Kind(Number(kind)))
        return Operand(ULONG)

    def _name(self, node: ast.ID) -> Operand:
        meaning = self.names.find(node.name)
        if meaning is None:
            if node.name in _NAMES_OF_FUNCTIONS and not self.names.is_outside:
                return Operand(Kind(Array(Kind(CHAR.shape, is_const=True))), is_object=True)
            if node.name == ANY:
                return Operand(INT)
            if node.name in self.library:
                return Operand(self._of_library(node.name))
            help_ = self.names.close_to(node.name)
            self.names.report(node, f"unknown name `{node.name}`", codes.NAME, help=help_)
            return Operand(UNKNOWN, is_object=True)
        if meaning.what == "type":
            return Operand(self._wrong(node, f"`{node.name}` is no variable", codes.NAME, "a value, no type"))
        is_object = meaning.what == "variable"
        return Operand(meaning.kind, is_object, has_no_address="register" in meaning.storage)

    def _of_library(self, name: str) -> Kind:
        """The type of a library function that the file does not declare."""
        declared = prototype(name)
        return UNKNOWN if declared is None else self.type_of(declared)

    # Calls

    def _call(self, node: ast.FuncCall) -> Kind:
        arguments = list(node.args.exprs) if node.args is not None else []
        callee = node.name
        name = callee.name if isinstance(callee, ast.ID) else ""
        if isinstance(callee, ast.ID) and self.names.find(name) is None:
            if name == "offsetof" and len(arguments) == 2:
                return ULONG
            if name not in self.library:
                help_ = self.names.close_to(name, tuple(self.library)) or "give the function a body"
                self.names.report(node, f"unknown function `{name}`", codes.CALL, help=help_)
                for item in arguments:
                    self.value(item)
                return UNKNOWN
            special = generics.MEANINGS.get(name)
            if special is not None:
                self._count_arguments(node, name, len(arguments))
                return special(self, node, arguments)
            if prototype(name) is None:
                return generics.unknown(self, node, arguments)
        kind = self.value(callee)
        if is_unknown(kind):
            return generics.unknown(self, node, arguments)
        target = kind.shape.target.shape if isinstance(kind.shape, Pointer) else None
        if not isinstance(target, Function):
            return self._wrong(node, f"a `{spelled(kind)}` cannot be called", codes.CALL, "a function")
        self._arguments(node, target, arguments, name)
        if not is_complete(target.result) and not isinstance(target.result.shape, Nothing):
            return self._wrong(node, f"a call that returns `{spelled(target.result)}`")
        return Kind(target.result.shape)

    def _count_arguments(self, node: ast.FuncCall, name: str, count: int) -> None:
        found = self.library[name]
        most = found.least if found.most is None else found.most
        if not found.least <= count <= most:
            wanted = f"{found.least}" if most == found.least else f"{found.least} to {most}"
            self.names.report(node, f"`{name}` takes {wanted} arguments, not {count}", codes.CALL)

    def _arguments(
        self, node: ast.FuncCall, function: Function, arguments: Sequence[ast.Node], name: str
    ) -> None:
        kinds = function.parameters
        given = [self.used(item) for item in arguments]
        if kinds is None:
            return
        count = len(kinds)
        if len(given) < count or (len(given) > count and not function.is_variadic):
            wanted = f"{count} argument{'' if count == 1 else 's'}"
            what = f"`{name}`" if name else "the function"
            self.names.report(node, f"{what} takes {wanted}, not {len(given)}", codes.CALL)
            return
        for item, kind, value in zip(arguments, kinds, given, strict=False):
            self.assigned(kind, value, item, code=codes.CALL)

    # Assignments

    def modifiable(self, node: ast.Node) -> Kind:
        """The type of an object that is about to change."""
        found = self.operand(node)
        kind = found.kind
        if is_unknown(kind) and found.is_object:
            return UNKNOWN
        if not found.is_object:
            return self._wrong(node, NO_OBJECT, expected="a variable, an element or a member")
        if isinstance(kind.shape, Array | Function) or not is_complete(kind):
            return self._wrong(node, f"a `{spelled(kind)}` cannot be set", expected="one object")
        if has_const(kind):
            self.names.report(node, "this is constant, so it cannot be set", codes.TYPE, f"`{spelled(kind)}`")
        return kind

    def assigned(self, target: Kind, value: Kind, node: ast.Node, *, code: str = codes.TYPE) -> None:
        """Looks at whether a value may be put where a type is wanted (C 6.5.16.1)."""
        if is_unknown(target, value) or self._fits(Kind(target.shape), value, node):
            return
        words = f"a value of type `{spelled(value)}` is no `{spelled(Kind(target.shape))}`"
        self.names.report(node, words, code, f"expected `{spelled(Kind(target.shape))}`")

    def _fits(self, target: Kind, value: Kind, node: ast.Node) -> bool:
        match target.shape, value.shape:
            case ((Number() | Real()), (Number() | Real())):
                return True
            case Number(integer=integer), Pointer():
                return integer.is_bool
            case Pointer(target=a), Pointer(target=b):
                return _is_void(a) or _is_void(b) or are_same(a, b, is_loose=True)
            case Pointer(), Number():
                return self.is_null(node)
            case Record() as a, Record() as b:
                return a is b
            case Opaque(name=a), Opaque(name=b):
                return a == b
            case _:
                return False

    def is_null(self, node: ast.Node) -> bool:
        """Whether an expression of a number is a null pointer constant."""
        return self.number(node) == 0

    def _assignment(self, node: ast.Assignment) -> Kind:
        target = self.modifiable(node.lvalue)
        value = self.used(node.rvalue)
        if node.op != "=":
            value = self.calculated(node.op[:-1], decayed(target), value, node)
        self.assigned(target, value, node.rvalue if node.op == "=" else node)
        return Kind(target.shape)

    # Operators

    def calculated(self, op: str, left: Kind, right: Kind, node: ast.Node) -> Kind:
        """The type of `left op right`."""
        if op in {"&&", "||"}:
            if is_scalar(left) and is_scalar(right):
                return INT
        elif is_unknown(left, right):
            return INT if op in _COMPARISONS else UNKNOWN
        elif op in _COMPARISONS:
            shapes = {type(left.shape), type(right.shape)}
            if is_scalar(left) and is_scalar(right) and shapes != {Real, Pointer}:
                return INT
        else:
            found = self._arithmetic(op, left, right)
            if found is not None:
                return found
        words = f"`{spelled(left)}` {op} `{spelled(right)}` makes no sense"
        return self._wrong(node, words, expected="operands of other types")

    def _arithmetic(self, op: str, left: Kind, right: Kind) -> Kind | None:
        a, b = number_of(left), number_of(right)
        if a is not None and b is not None:
            if op in {"<<", ">>"}:
                return Kind(Number(arithmetic(a, a)))
            return Kind(Number(arithmetic(a, b)))
        real = real_of(left, right)
        if real is not None:
            return None if op in _ON_INTEGERS else real
        if op in _ON_INTEGERS or op not in {"+", "-"}:
            return None
        if isinstance(left.shape, Pointer) and isinstance(right.shape, Pointer):
            is_same = are_same(left.shape.target, right.shape.target, is_loose=True)
            return LONG if op == "-" and is_same and _is_counted(left) else None
        if isinstance(left.shape, Pointer) and b is not None:
            return left if _is_counted(left) else None
        if isinstance(right.shape, Pointer) and a is not None and op == "+":
            return right if _is_counted(right) else None
        return None

    def _unary(self, node: ast.UnaryOp) -> Operand:
        match node.op:
            case "sizeof" | "_Alignof":
                self._size(node.expr)
                return Operand(ULONG)
            case "&":
                return Operand(self._address(node))
            case "*":
                return Operand(self._pointed(self.used(node.expr), node), is_object=True)
            case "++" | "--" | "p++" | "p--":
                return Operand(self._step(node))
            case "!":
                self.scalar(node.expr)
                return Operand(INT)
            case op:
                return Operand(self._signed(op, self.used(node.expr), node))

    def _signed(self, op: str, kind: Kind, node: ast.Node) -> Kind:
        number = number_of(kind)
        if number is not None:
            return Kind(Number(number if number.rank >= t.INT.rank else t.INT))
        if isinstance(kind.shape, Real) and op != "~":
            return kind
        return kind if is_unknown(kind) else self._wrong(node, f"{op} `{spelled(kind)}` makes no sense")

    def _size(self, node: ast.Node) -> None:
        kind = self.type_of(node) if isinstance(node, ast.Typename) else self.kind_of(node)
        if isinstance(node, ast.StructRef) and self.operand(node).has_no_address:
            self._wrong(node, "the size of a bit field", expected="no bit field")
        if isinstance(kind.shape, Nothing | Function):
            return  # 1, as GNU C has it
        if not is_complete(kind):
            self._wrong(node, f"the size of the incomplete type `{spelled(kind)}`")

    def _address(self, node: ast.UnaryOp) -> Kind:
        found = self.operand(node.expr)
        if is_unknown(found.kind):
            return UNKNOWN
        if not found.is_object and not isinstance(found.kind.shape, Function):
            return self._wrong(node.expr, NO_OBJECT, expected="a variable, an element or a member")
        if found.has_no_address:
            return self._wrong(node.expr, "this has no address", expected="no register, no bit field")
        return Kind(Pointer(found.kind))

    def _pointed(self, pointer: Kind, node: ast.Node) -> Kind:
        if is_unknown(pointer):
            return UNKNOWN
        if not isinstance(pointer.shape, Pointer):
            return self._wrong(node, f"a `{spelled(pointer)}` is no pointer", expected="a pointer")
        if _is_void(pointer.shape.target) and not pointer.shape.target.is_const:
            return NOTHING
        return pointer.shape.target

    def _step(self, node: ast.UnaryOp) -> Kind:
        kind = self.modifiable(node.expr)
        if not is_scalar(kind) or (isinstance(kind.shape, Pointer) and not _is_counted(kind)):
            return self._wrong(
                node, f"a `{spelled(kind)}` has no next value", expected="a number or a pointer"
            )
        return Kind(kind.shape)

    def _ternary(self, node: ast.TernaryOp) -> Kind:
        self.scalar(node.cond)
        left, right = self.value(node.iftrue), self.value(node.iffalse)
        if is_unknown(left, right):
            return UNKNOWN
        if isinstance(left.shape, Nothing) or isinstance(right.shape, Nothing):
            return NOTHING
        real = real_of(left, right)
        if real is not None:
            return real
        match left.shape, right.shape:
            case Number(integer=a), Number(integer=b):
                return Kind(Number(arithmetic(a, b)))
            case Pointer(), Number() if self.is_null(node.iffalse):
                return left
            case Number(), Pointer() if self.is_null(node.iftrue):
                return right
            case Pointer(target=a), Pointer(target=b):
                if _is_void(a) or _is_void(b):
                    void = left if _is_void(a) else right
                    other, part = (right, node.iftrue) if void is left else (left, node.iffalse)
                    return other if _is_null_pointer(part) else void
                if are_same(a, b, is_loose=True):
                    return left
            case a, b if a is b or (isinstance(a, Opaque) and a == b):
                return left
            case _:
                pass
        words = f"either a `{spelled(left)}` or a `{spelled(right)}`"
        return self._wrong(node, words, expected="values of one type")

    def _cast(self, node: ast.Cast) -> Kind:
        kind = self.type_of(node.to_type)
        value = self.value(node.expr)
        if isinstance(kind.shape, Nothing):
            return NOTHING
        if isinstance(value.shape, Nothing):
            return self._wrong(node.expr, "a value is needed here, not `void`", expected="a value")
        is_same = value.shape is kind.shape or is_unknown(kind, value)
        shapes = {type(kind.shape), type(value.shape)}
        if not is_same and (shapes == {Real, Pointer} or not (is_scalar(kind) and is_scalar(value))):
            if isinstance(kind.shape, Record) and kind.shape.is_union:
                return UNKNOWN
            return self._wrong(
                node,
                f"a value of type `{spelled(value)}` is no `{spelled(kind)}`",
                expected="a number or a pointer",
            )
        return Kind(kind.shape)

    def _element(self, node: ast.ArrayRef) -> Kind:
        base, index = self.used(node.name), self.used(node.subscript)
        if isinstance(index.shape, Pointer):
            base, index = index, base
        if not isinstance(index.shape, Number) and not is_unknown(index):
            return self._wrong(node.subscript, f"an index is a number, not a `{spelled(index)}`")
        is_code = isinstance(base.shape, Pointer) and isinstance(base.shape.target.shape, Function)
        if is_code or (isinstance(base.shape, Pointer) and not _is_counted(base)):
            return self._wrong(node, f"a `{spelled(base)}` points to no elements")
        return self._pointed(base, node)

    def _member(self, node: ast.StructRef) -> Operand:
        is_object = True
        if node.type == "->":
            outer = self._pointed(self.used(node.name), node.name)
        else:
            found = self.operand(node.name)
            outer, is_object = found.kind, found.is_object
        if is_unknown(outer):
            return Operand(UNKNOWN, is_object=True)
        if not isinstance(outer.shape, Record):
            return Operand(self._wrong(node, f"a `{spelled(outer)}` has no members"))
        name = node.field.name
        kind = member_of(outer.shape, name)
        if kind is None:
            words = f"`{spelled(Kind(outer.shape))}` has no member `{name}`"
            if outer.shape.members is None:
                words = f"`{spelled(Kind(outer.shape))}` is not declared in full: its members are not known"
            return Operand(self._wrong(node, words, codes.NAME), is_object=True)
        kind = qualified(kind, is_const=outer.is_const, is_atomic=False)
        return Operand(kind, is_object, has_no_address=is_bit_field(outer.shape, name))

    def _chosen(self, node: ast.GenericSelection) -> Operand:
        kind = self.value(node.expr)
        default: ast.Node | None = None
        for item in node.associations:
            if item.type is None:
                default = item.expr
            elif is_unknown(kind) or are_same(Kind(self.type_of(item.type).shape), kind):
                return Operand(UNKNOWN, is_object=True) if is_unknown(kind) else self.operand(item.expr)
        if default is None:
            return Operand(self._wrong(node, f"no association for `{spelled(kind)}`"))
        return self.operand(default)


def _is_void(kind: Kind) -> bool:
    return isinstance(kind.shape, Nothing)


def _is_counted(pointer: Kind) -> bool:
    """Whether one can go on from what a pointer points to: its size is known, or 1 in GNU C."""
    if not isinstance(pointer.shape, Pointer):
        return False
    target = pointer.shape.target
    return is_complete(target) or isinstance(target.shape, Nothing | Function)


def _is_null_pointer(node: ast.Node) -> bool:
    """Whether an expression is `(void *)0`."""
    return isinstance(node, ast.Cast) and isinstance(node.expr, ast.Constant) and node.expr.value == "0"
