"""Types from their syntax."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.constraints.kinds import (
    INT,
    LONG,
    NOTHING,
    UNKNOWN,
    Array,
    Function,
    Kind,
    Number,
    Opaque,
    Pointer,
    Real,
    Record,
    decayed,
    is_complete,
    is_unknown,
    number_of,
    qualified,
    spelled,
)
from membar.languages.c.constraints.names import Block, Meaning, Names
from membar.languages.c.declarations import HANDLES, OPAQUE

_OPAQUE: Final = {*OPAQUE, "atomic_flag"} - HANDLES
_SIMPLE: Final = frozenset(
    {"void", "_Bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"}
)
_RECORDS: Final = (ast.Struct, ast.Union)


class Declarators:
    """The types that a text writes down."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._declared: dict[int, Kind] = {}

    @abstractmethod
    def number(self, node: ast.Node) -> int | None:
        """The value of an integer constant expression, if it is one that is known here."""

    @abstractmethod
    def kind_of(self, node: ast.Node) -> Kind:
        """The type of an expression, with its qualifiers."""

    @abstractmethod
    def constant(self, node: ast.Node, what: str) -> int | None:
        """The value of what must be an integer constant expression."""

    def type_of(self, node: ast.Node) -> Kind:
        """The type that a declarator, type name or specifier means."""
        match node:
            case ast.Typename() | ast.Decl() | ast.Typedef() | ast.AttributedType():
                return self.type_of(node.type)
            case ast.TypeDecl():
                return self._qualified(self.type_of(node.type), node)
            case ast.PtrDecl():
                return self._qualified(Kind(Pointer(self.type_of(node.type))), node)
            case ast.ArrayDecl():
                return self._array(node)
            case ast.FuncDecl():
                return self._function(node)
            case ast.IdentifierType():
                return self._named(node)
            case ast.Struct() | ast.Union():
                return self._record(node)
            case ast.Enum():
                return self._enumeration(node)
            case ast.TypeOf():
                inner = node.expr
                return self.type_of(inner) if isinstance(inner, ast.Typename) else self.kind_of(inner)
            case _:
                return UNKNOWN

    def _qualified(self, kind: Kind, node: ast.TypeDecl | ast.PtrDecl) -> Kind:
        words = node.quals or ()
        is_atomic = "_Atomic" in words
        if is_atomic and isinstance(kind.shape, Array | Function):
            self.names.report(node, f"`{spelled(kind)}` cannot be atomic", codes.TYPE)
            return UNKNOWN
        return qualified(kind, is_const="const" in words, is_atomic=is_atomic)

    def _array(self, node: ast.ArrayDecl) -> Kind:
        element = self.type_of(node.type)
        count = None if node.dim is None else self._count(node.dim)
        if not is_complete(element):
            self.names.report(node, f"an array of `{spelled(element)}`", codes.TYPE, "an array of objects")
            return UNKNOWN
        return Kind(Array(element, count, is_open=node.dim is None))

    def _count(self, node: ast.Node) -> int | None:
        kind = decayed(self.kind_of(node))
        if not isinstance(kind.shape, Number) and not is_unknown(kind):
            words = f"the size of an array is a number, not a `{spelled(kind)}`"
            self.names.report(node, words, codes.TYPE)
            return None
        return self.number(node)

    def _function(self, node: ast.FuncDecl) -> Kind:
        result = self.type_of(node.type)
        if isinstance(result.shape, Array | Function):
            self.names.report(node, f"a function that returns `{spelled(result)}`", codes.TYPE)
            result = UNKNOWN
        if node.args is None:
            return Kind(Function(result, None))
        if any(isinstance(item, ast.ID) for item in node.args.params):
            return Kind(Function(result, None))
        parameters: list[Kind] = []
        is_variadic = False
        self.names.blocks.append(Block())  # the length of an array may be another parameter
        for item in node.args.params:
            if isinstance(item, ast.EllipsisParam):
                is_variadic = True
            else:
                parameters.append(self._parameter(item, len(node.args.params)))
                if getattr(item, "name", None):
                    self.names.here.names[item.name] = Meaning("variable", parameters[-1])
        self.names.blocks.pop()
        if parameters == [NOTHING]:
            parameters = []
        return Kind(Function(result, tuple(parameters), is_variadic))

    def _parameter(self, node: ast.Node, count: int) -> Kind:
        kind = self.type_of(node)
        name, storage = getattr(node, "name", None), getattr(node, "storage", None) or []
        if kind == NOTHING and (count > 1 or name):
            self.names.report(node, "a parameter of type `void`", codes.TYPE, "nothing else, and no name")
            return UNKNOWN
        if set(storage) - {"register"}:
            self.names.report(node, f"a parameter is not `{storage[0]}`", codes.TYPE)
        if getattr(node, "init", None) is not None:
            self.names.report(node, f"the parameter `{name}` has a value", codes.TYPE)
        return decayed(kind) if isinstance(kind.shape, Array | Function) else kind

    def _named(self, node: ast.IdentifierType) -> Kind:
        if len(node.names) == 1:
            name = node.names[0]
            if name in HANDLES:
                return Kind(Number(t.ULONG))
            if name in _OPAQUE:
                return Kind(Opaque(name))
            meaning = self.names.find(name)
            if meaning is not None and meaning.what == "type":
                return meaning.kind
            if name == "int" and not self.names.is_written(node, name):
                self.names.report(node, "a type is missing", codes.TYPE, "nothing is an `int` by itself")
        found = t.named(node.names)
        if found is None and _SIMPLE.issuperset(node.names) and sorted(node.names) != ["double", "long"]:
            self.names.report(node, f"`{' '.join(node.names)}` is no type", codes.TYPE)
        if isinstance(found, t.Integer):
            return Kind(Number(found))
        if isinstance(found, t.Floating):
            return Kind(Real(found))
        return NOTHING if isinstance(found, t.Void) else UNKNOWN

    # Structures

    def _record(self, node: ast.Struct | ast.Union) -> Kind:
        if id(node) in self._declared:
            return self._declared[id(node)]
        is_union, tag = isinstance(node, ast.Union), node.name or ""
        here = self.names.here.tags
        found = self.names.find_tag(tag) if node.decls is None else here.get(tag)
        if not tag or found is None:
            found = Kind(Record(tag, is_union))
            if tag:
                here[tag] = found
        record = found.shape
        if not isinstance(record, Record) or record.is_union != is_union:
            self.names.report(node, f"`{tag}` is another kind of tag", codes.TYPE)
            return UNKNOWN
        if node.decls is not None:
            if record.members is not None:
                self.names.report(node, f"`{tag}` is declared twice", codes.NAME)
                return found
            self._declared[id(node)] = found
            self._fill(record, node)
        return found

    def _fill(self, record: Record, node: ast.Struct | ast.Union) -> None:
        members: list[tuple[str, Kind]] = []
        met: set[str] = set()
        for item in node.decls or ():
            if not isinstance(item, ast.Decl):
                continue
            kind = self.type_of(item.type)
            name = item.name or ""
            if not name and isinstance(item.type, _RECORDS) and item.type.decls is None:
                continue  # a tag, and no member
            is_last = item is node.decls[-1] and isinstance(kind.shape, Array) and bool(members)
            if isinstance(kind.shape, Function) or (not is_complete(kind) and not is_last):
                words = f"a member of the incomplete type `{spelled(kind)}`"
                self.names.report(item, words, codes.TYPE, "a type whose size is known")
                kind = UNKNOWN
            if item.bitsize is not None:
                self._bit_field(item, kind)
                record.bit_fields.add(name)
            if not name and item.bitsize is None and not isinstance(item.type, _RECORDS):
                continue  # it declares nothing
            for own in self._named_inside(name, kind):
                if own in met:
                    self.names.report(item, f"a second member `{own}`", codes.NAME)
                met.add(own)
            members.append((name, kind))
        record.members = members

    def _bit_field(self, node: ast.Decl, kind: Kind) -> None:
        width = self.constant(node.bitsize, "the width of a bit field")
        number = number_of(kind)
        if is_unknown(kind):
            return
        if number is None or kind.is_atomic or node.align:
            words = f"a bit field of type `{spelled(kind)}`{' with an alignment' if node.align else ''}"
            self.names.report(node, words, codes.TYPE, "an integer type")
            return
        most = 1 if number.is_bool else number.width
        if width is not None and not (0 if not node.name else 1) <= width <= most:
            words = f"a bit field of {width} bits, where {most} are the most"
            self.names.report(node, words, codes.TYPE, "a width that fits")

    def _named_inside(self, name: str, kind: Kind) -> list[str]:
        """The names that a member brings: its own, or those of an unnamed structure."""
        if name:
            return [name]
        inner = kind.shape.members or () if isinstance(kind.shape, Record) else ()
        return [own for name, kind in inner for own in self._named_inside(name, kind)]

    def _enumeration(self, node: ast.Enum) -> Kind:
        if id(node) in self._declared:
            return self._declared[id(node)]
        here = self.names.here
        if node.values is None:
            found = self.names.find_tag(node.name or "")
            if found is None:
                return UNKNOWN  # the translation tells
            if isinstance(found.shape, Record):
                self.names.report(node, f"`{node.name}` is another kind of tag", codes.TYPE)
            return found
        if node.name and node.name in here.tags:
            self.names.report(node, f"`{node.name}` is declared twice", codes.NAME)
        number: int | None = -1
        lowest = 0
        for item in node.values.enumerators:
            if not isinstance(item, ast.Enumerator):
                continue
            if item.value is not None:
                number = self.constant(item.value, "an enumerator")
            elif number is not None:
                number += 1
            lowest = min(lowest, number or 0)
            if item.name in here.names:
                self.names.report(item, f"`{item.name}` is declared twice", codes.NAME)
            wide = number is not None and not -(1 << 31) <= number < 1 << 31
            here.names[item.name] = Meaning("enumerator", LONG if wide else INT, number=number)
        kind = INT if lowest < 0 else Kind(Number(t.UINT))
        self._declared[id(node)] = kind
        if node.name:
            here.tags[node.name] = kind
        return kind
