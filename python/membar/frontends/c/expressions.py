"""Expressions: what they do to the flow, and the value they leave."""

from __future__ import annotations

from typing import Final, NoReturn

from pycparser import c_ast as ast

from membar.frontends.c import codes
from membar.frontends.c import types as t
from membar.frontends.c.declarations import Declarations
from membar.frontends.c.flow import State
from membar.frontends.c.literals import string_bytes
from membar.frontends.c.machine import Machine
from membar.frontends.c.operators import Operators
from membar.frontends.c.static_types import StaticTypes, decayed
from membar.frontends.c.values import (
    NOTHING,
    Aggregate,
    B,
    Slot,
    Value,
    binary,
    constant,
    converted,
    integer,
    known,
    truth,
)
from membar.frontends.c.world import Declared, Defined, Enumerator, Object, Place
from membar.program.expr import FALSE, Address, Constant, Expr

_LITERALS: Final = (t.INT, t.UINT, t.LONG, t.ULONG)


class Expressions(Operators):
    """The expressions of one machine."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.declarations = Declarations(machine, self.value)
        self._types = StaticTypes(self)
        machine.type_of_expression = self._types.type_of

    # Values

    def value(self, node: ast.Node) -> Value | Aggregate:
        """The value of an expression, after its effects."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.ID():
                return self._name(node)
            case ast.FuncCall():
                return self.m.call(self.m, node)
            case ast.Assignment():
                return self._assignment(node)
            case ast.BinaryOp():
                return self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.TernaryOp():
                return self._ternary(node)
            case ast.Cast():
                return self._cast(node)
            case ast.ArrayRef() | ast.StructRef():
                return self._member_value(node)
            case ast.ExprList():
                result: Value | Aggregate = NOTHING
                for item in node.exprs:
                    result = self.value(item)
                return result
            case ast.CompoundLiteral():
                return self.loaded(self.place(node), node)
            case ast.GenericSelection():
                return self.value(self._chosen(node))
            case ast.Compound():
                return self.m.block_value(node)
            case _:
                self.m.refuse(node, f"`{type(node).__name__}` as an expression")

    def scalar(self, node: ast.Node) -> Value:
        """The value of an expression that must not be a structure or nothing."""
        value = self.value(node)
        if not isinstance(value, Value) or isinstance(value.type, t.Void):
            self.m.refuse(node, f"a value is needed here, not `{t.spelled(value.type)}`", codes.TYPE)
        return value

    def loaded(self, place: Place, node: ast.Node) -> Value | Aggregate:
        """What lies at a place; arrays and functions become pointers."""
        match place.type:
            case t.Array(element=element):
                return Value(place.address, t.Pointer(element))
            case t.Function():
                return Value(place.address, t.Pointer(place.type))
            case _:
                return self.m.read(place, node)

    def _constant(self, node: ast.Constant) -> Value:
        text = node.value
        if node.type == "string":
            return self._string(node)
        if node.type.endswith("char"):
            if text[0] != "'":
                self.m.refuse(node, "a wide character")
            codes_ = string_bytes(text) or [0]
            return Value(converted(constant(codes_[-1]), t.CHAR).expr, t.INT)
        if node.type == "bool":
            return constant(int(text == "true"))
        if "float" in node.type or "double" in node.type:
            self.m.refuse(node, "a floating-point number")
        return self._integer(text, node)

    def _integer(self, text: str, node: ast.Node) -> Value:
        digits = text.replace("'", "").lower().rstrip("ul")
        suffix = text.lower()[len(text.replace("'", "").lower().rstrip("ul")) :].replace("'", "")
        base = (
            16 if digits.startswith("0x") else 2 if digits.startswith("0b") else 8 if digits[0] == "0" else 10
        )
        try:
            number = int(digits.removeprefix("0x").removeprefix("0b") or "0", base)
        except ValueError:
            self.m.refuse(node, f"the number `{text}`", codes.SYNTAX)
        is_long, is_unsigned = "l" in suffix, "u" in suffix
        for kind in _LITERALS:
            if (is_long and kind.size < 8) or (is_unsigned and kind.signed):
                continue
            if not kind.signed and base == 10 and not is_unsigned and kind.size < 8:
                continue
            if number < 1 << (kind.width - kind.signed):
                return constant(number, kind)
        self.m.refuse(node, f"the number `{text}` does not fit into 64 bits", codes.CONSTANT)

    def _string(self, node: ast.Constant) -> Value:
        content = string_bytes(node.value)
        kind = t.Array(t.CHAR, len(content) + 1)
        found = self.m.world.objects.get(f"string@{id(node)}")
        item = found or self.m.world.new_object(
            Object(
                label=f"string@{id(node)}",
                name=f"string{len(self.m.world.objects)}",
                type=kind,
                declared=id(node),
                in_memory=True,
                span=self.m.span(node),
                initial=dict(enumerate(content)),
            )
        )
        return Value(Address(item.label), t.Pointer(t.CHAR))

    def _name(self, node: ast.ID) -> Value | Aggregate:
        match self.m.scope.find(node.name):
            case Enumerator(number=number):
                return constant(number, t.INT if -(1 << 31) <= number < 1 << 31 else t.LONG)
            case Defined() as function:
                return Value(Constant(function.address), t.Pointer(function.type))
            case _:
                return self.loaded(self.place(node), node)

    # Places

    def place(self, node: ast.Node) -> Place:
        """Where the object lies that an expression names."""
        match node:
            case ast.ID():
                return self._named_place(node)
            case ast.UnaryOp(op="*"):
                return self._pointed(self.scalar(node.expr), node)
            case ast.ArrayRef():
                return self._element(node)
            case ast.StructRef():
                return self._member(node)
            case ast.CompoundLiteral():
                return self._literal(node)
            case ast.Constant(type="string"):
                pointer = self._string(node)
                return Place(pointer.expr, t.Array(t.CHAR, len(string_bytes(node.value)) + 1))
            case ast.GenericSelection():
                return self.place(self._chosen(node))
            case ast.FuncCall():
                return self.m.place_of_value(self.value(node), node)
            case _:
                self.m.refuse(node, "this is no object, so it has no address and cannot be set", codes.TYPE)

    def _named_place(self, node: ast.ID) -> Place:
        match self.m.scope.find(node.name):
            case Object() as item:
                return Place(Address(item.label), item.type)
            case Defined() as function:
                return Place(Constant(function.address), function.type)
            case Declared(type=kind):
                self.m.refuse(
                    node, f"the address of `{node.name}`, a function without a body ({t.spelled(kind)})"
                )
            case None:
                self._unknown(node)
            case _:
                self.m.refuse(node, f"`{node.name}` is no variable", codes.NAME)

    def _unknown(self, node: ast.ID) -> NoReturn:
        from difflib import get_close_matches  # noqa: PLC0415 - only for errors

        close = get_close_matches(node.name, sorted(set(self.m.scope.names())), n=1)
        hint = f"did you mean `{close[0]}`?" if close else ""
        self.m.refuse(node, f"unknown name `{node.name}`", codes.NAME, hint)

    def _pointed(self, pointer: Value, node: ast.Node) -> Place:
        if not isinstance(pointer.type, t.Pointer):
            self.m.refuse(node, f"a `{t.spelled(pointer.type)}` is no pointer", codes.TYPE)
        if isinstance(pointer.type.target, t.Void):
            self.m.refuse(node, "a `void *` points to nothing that can be looked at", codes.TYPE)
        return Place(pointer.expr, pointer.type.target)

    def _element(self, node: ast.ArrayRef) -> Place:
        base: Place | Value
        array = self._array_place(node.name)
        base = array if array is not None else self.scalar(node.name)
        index = self.scalar(node.subscript)
        if isinstance(base, Value) and isinstance(index.type, t.Pointer):
            base, index = index, base
        if isinstance(base, Place):
            assert isinstance(base.type, t.Array)
            self._in_bounds(base, base.type, index, node)
            pointer = Value(base.address, t.Pointer(base.type.element))
        else:
            pointer = base
        return self._pointed(self.infixed("+", pointer, index, node), node)

    def _array_place(self, node: ast.Node) -> Place | None:
        """The place of an expression that is an array, so that its bounds are known."""
        if not isinstance(node, ast.ID | ast.StructRef | ast.ArrayRef):
            return None
        if isinstance(node, ast.ID) and not isinstance(self.m.scope.find(node.name), Object):
            return None
        if not isinstance(self._types.type_of(node), t.Array):
            return None
        return self.place(node)

    def _in_bounds(self, base: Place, array: t.Array, index: Value, node: ast.Node) -> None:
        if array.count is None:
            return
        number = known(index.expr)
        if number is not None and number < array.count:
            return
        kind = integer(index.type)
        wide = index.expr if kind is None else converted(index, t.ULONG).expr
        item = self.m.object_at(base.address)
        name = f"`{item.name}`" if item is not None else "an array"
        limit = array.count + (1 if self._is_address_only else 0)
        self.m.check(
            binary(B.LT, wide, Constant(limit)),
            f"index outside {name}, which has {array.count} elements",
            node,
        )

    _is_address_only = False

    def _member(self, node: ast.StructRef) -> Place:
        if node.type == "->":
            base = self._pointed(self.scalar(node.name), node.name)
        elif isinstance(node.name, ast.FuncCall):
            base = self.m.place_of_value(self.value(node.name), node.name)
        else:
            base = self.place(node.name)
        kind = t.unqualified(base.type)
        if not isinstance(kind, t.Structure):
            self.m.refuse(node, f"a `{t.spelled(kind)}` has no members", codes.TYPE)
        found = t.member_of(kind, node.field.name)
        if found is None:
            self.m.refuse(node, f"`{t.spelled(kind)}` has no member `{node.field.name}`", codes.NAME)
        return Place(self.m.moved(base.address, found.offset), found.type)

    def _member_value(self, node: ast.Node) -> Value | Aggregate:
        return self.loaded(self.place(node), node)

    def _literal(self, node: ast.CompoundLiteral) -> Place:
        declaration = self.m.world.tree.literal(node)
        symbols = self.m.scope.symbols
        item = self.declarations.declare(declaration, is_global=not self.m.frames)
        symbols.pop(declaration.name, None)
        assert item is not None
        return Place(Address(item.label), item.type)

    # Operators

    def _binary(self, node: ast.BinaryOp) -> Value:
        if node.op in {"&&", "||"}:
            return self._logical(node)
        left = self.scalar(node.left)
        right = self.scalar(node.right)
        return self.calculated(node.op, left, right, node)

    def _logical(self, node: ast.BinaryOp) -> Value:
        """`&&` and `||`: by calculation if the right side does nothing, else by branching."""
        is_and = node.op == "&&"
        left = truth(self.scalar(node.left))
        number = known(left)
        if number is not None and bool(number) != is_and:
            return constant(int(not is_and))
        mark = self.m.flow.mark()
        right = truth(self.scalar(node.right))
        if number is not None:
            return Value(right, t.INT)
        if self._did_nothing(mark):
            return Value(binary(B.AND if is_and else B.OR, left, right), t.INT)
        self.m.flow.back_to(mark)
        yes, no = self.m.flow.branch(left, self.m.span(node.left))
        self.m.flow.state = yes if is_and else no
        right = truth(self.scalar(node.right))
        return self._met(right, no if is_and else yes, constant(int(not is_and)).expr)

    def _did_nothing(self, mark: object) -> bool:
        return self.m.flow.mark() == mark

    def _met(self, here: Expr, other: State | None, there: Expr) -> Value:
        """The value `here` if the flow came this way, `there` if it comes from `other`."""
        key = ("value", self.m.flow.point(), "")
        flow = self.m.flow
        flow.put(key, Slot(here))
        state = flow.leave()
        flow.state = other
        flow.put(key, Slot(there))
        flow.resume(state, flow.leave())
        slot = flow.get(key) or Slot(FALSE)
        flow.forget([key])
        return Value(slot.expr, t.INT)

    def branch(self, node: ast.Node) -> tuple[State | None, State | None]:
        """The ways on where a condition holds and where it does not; the flow ends."""
        flow = self.m.flow
        match node:
            case ast.UnaryOp(op="!"):
                yes, no = self.branch(node.expr)
                return no, yes
            case ast.BinaryOp(op="&&" | "||"):
                first_yes, first_no = self.branch(node.left)
                is_and = node.op == "&&"
                flow.state = first_yes if is_and else first_no
                yes, no = self.branch(node.right)
                if is_and:
                    return yes, self._joined(first_no, no)
                return self._joined(first_yes, yes), no
            case _:
                condition = truth(self.scalar(node))
                return flow.branch(condition, self.m.span(node))

    def _joined(self, first: State | None, second: State | None) -> State | None:
        self.m.flow.resume(first, second)
        return self.m.flow.leave()

    def _unary(self, node: ast.UnaryOp) -> Value:
        match node.op:
            case "sizeof":
                return constant(self._size(node.expr), t.ULONG)
            case "_Alignof":
                return constant(t.alignment_of(self._operand_type(node.expr)), t.ULONG)
            case "&":
                return self._address(node)
            case "*":
                found = self.loaded(self.place(node), node)
                if isinstance(found, Aggregate):
                    return found  # type: ignore[return-value] # a structure; users of values check
                return found
            case "++" | "--" | "p++" | "p--":
                return self._step(node)
            case _:
                return self.prefixed(node.op, self.scalar(node.expr), node)

    def _operand_type(self, node: ast.Node) -> t.CType:
        if isinstance(node, ast.Typename):
            return self.declarations.type_of(node)
        return self.declarations.static_type(node)

    def _size(self, node: ast.Node) -> int:
        kind = self._operand_type(node)
        size = 1 if isinstance(kind, t.Void) else t.size_of(kind)
        if size is None:
            self.m.refuse(node, f"the size of the incomplete type `{t.spelled(kind)}`", codes.TYPE)
        return size

    def _address(self, node: ast.UnaryOp) -> Value:
        inner = node.expr
        if isinstance(inner, ast.UnaryOp) and inner.op == "*":
            return self.scalar(inner.expr)
        before, self._is_address_only = self._is_address_only, True
        try:
            place = self.place(inner)
        finally:
            self._is_address_only = before
        return Value(place.address, t.Pointer(place.type))

    def _step(self, node: ast.UnaryOp) -> Value:
        op = node.op[-1]
        place = self.place(node.expr)
        one = constant(1)
        if isinstance(place.type, t.Atomic):
            old, new = self.modify(place, op, one, node)
        else:
            old = self._scalar_at(place, node)
            new = self.m.converted(self.calculated(op, old, one, node), place.type, node)
            self.m.write(place, new, node)
        return old if node.op.startswith("p") else new

    def _scalar_at(self, place: Place, node: ast.Node) -> Value:
        value = self.loaded(place, node)
        if not isinstance(value, Value):
            self.m.refuse(node, f"a number is needed here, not `{t.spelled(value.type)}`", codes.TYPE)
        return value

    def _assignment(self, node: ast.Assignment) -> Value | Aggregate:
        if node.op == "=":
            place = self.place(node.lvalue)
            value = self.value(node.rvalue)
            if isinstance(place.type, t.Array | t.Function):
                self.m.refuse(node, f"a `{t.spelled(place.type)}` cannot be set", codes.TYPE)
            if isinstance(value, Value):
                value = self.m.kept(self.m.converted(value, place.type, node), node)
            self.m.write(place, value, node)
            return value
        op = node.op[:-1]
        place = self.place(node.lvalue)
        if isinstance(place.type, t.Atomic):
            operand = self.scalar(node.rvalue)
            if op in {"/", "%"}:
                self.check_divisor(operand, operand, node)
            return self.modify(place, op, operand, node)[1]
        operand = self.scalar(node.rvalue)
        old = self._scalar_at(place, node)
        new = self.m.converted(self.calculated(op, old, operand, node), place.type, node)
        new = self.m.kept(new, node)
        self.m.write(place, new, node)
        return new

    def _ternary(self, node: ast.TernaryOp) -> Value | Aggregate:
        flow = self.m.flow
        yes, no = self.branch(node.cond)
        if yes is None or no is None:
            flow.state = yes or no
            if flow.is_dead:
                return Value(FALSE, t.INT)
            kind = self._types.type_of(node)
            value = self.value(node.iftrue if no is None else node.iffalse)
            is_plain = isinstance(value, Value) and t.is_scalar(kind)
            return self.m.converted(value, kind, node) if is_plain else value
        kind = self._types.type_of_at(node, yes)
        flow.state = yes
        then = self.value(node.iftrue)
        after_then = self._stored(then, kind, node)
        flow.state = no
        otherwise = self.value(node.iffalse)
        after_otherwise = self._stored(otherwise, kind, node)
        flow.resume(after_then, after_otherwise)
        if isinstance(kind, t.Structure):
            self.m.refuse(node, "a conditional expression between structures")
        slot = flow.get(("ternary", id(node), "")) or Slot(FALSE)
        flow.forget([("ternary", id(node), "")])
        return Value(slot.expr, kind) if t.is_scalar(kind) else NOTHING

    def _stored(self, value: Value | Aggregate, kind: t.CType, node: ast.Node) -> State | None:
        if t.is_scalar(kind):
            slot = Slot(self.m.converted(value, kind, node).expr)
            self.m.flow.put(("ternary", id(node), ""), slot)
        return self.m.flow.leave()

    def _cast(self, node: ast.Cast) -> Value | Aggregate:
        kind = self.declarations.type_of(node.to_type)
        value = self.value(node.expr)
        if isinstance(kind, t.Void):
            return NOTHING
        if isinstance(value, Aggregate) and value.type is kind:
            return value
        return self.m.kept(self.m.converted(value, kind, node), node)

    def _chosen(self, node: ast.GenericSelection) -> ast.Node:
        kind = decayed(t.unqualified(self.declarations.static_type(node.expr)))
        default: ast.Node | None = None
        for item in node.associations:
            if item.type is None:
                default = item.expr
            elif t.unqualified(self.declarations.type_of(item.type)) == kind:
                return item.expr
        if default is None:
            self.m.refuse(node, f"no association for `{t.spelled(kind)}`", codes.TYPE)
        return default
