"""Lvalues: where the objects lie that expressions name."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Final, NoReturn

from pycparser import c_ast as ast

from membar.languages.c import codes, parts
from membar.languages.c import types as t
from membar.languages.c.constants import Constants
from membar.languages.c.declarations import Declarations
from membar.languages.c.literals import string_bytes
from membar.languages.c.machine import Machine
from membar.languages.c.static_types import StaticTypes, decayed
from membar.languages.c.values import Aggregate, B, Value, binary, converted, integer, known
from membar.languages.c.world import Declared, Defined, Object, Place
from membar.program.expr import Address, Constant, Expr, Register, signed
from membar.program.template import NUMBER

# Expressions that are no place, but may be a structure with members.
_VALUES: Final = (ast.FuncCall, ast.TernaryOp, ast.Assignment, ast.ExprList, ast.Compound)


class Lvalues(Constants):
    """The places of one machine. What stands between their brackets are expressions."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.declarations = Declarations(machine, self.value)
        self.types = StaticTypes(self)
        machine.type_of_expression = self.types.type_of

    @abstractmethod
    def value(self, node: ast.Node) -> Value | Aggregate:
        """The value of an expression, after its effects."""

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
                self.m.point_to(place.address)
                return Value(place.address, t.Pointer(element))
            case t.Function():
                return Value(place.address, t.Pointer(place.type))
            case _:
                return self.m.read(place, node)

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
                pointer = self.string(node)
                return Place(pointer.expr, t.Array(t.CHAR, len(string_bytes(node.value)) + 1))
            case ast.GenericSelection():
                return self.place(self.chosen(node))
            case ast.FuncCall():
                return self.m.place_of_value(self.value(node), node)
            case _:
                self.m.refuse(node, "this is no object, so it has no address and cannot be set", codes.TYPE)

    def _named_place(self, node: ast.ID) -> Place:
        match self.m.scope.find(node.name):
            case Object(is_thread_local=True) as item:
                if self.m.is_constant_only:
                    self.m.refuse(node, f"`{node.name}` is another object in each thread", codes.CONSTANT)
                return Place(Address(self.m.own_copy(item).label), item.type)
            case Object() as item:
                return Place(Address(item.label), item.type)
            case Defined() as function:
                return Place(Constant(function.address), function.type)
            case Declared(type=kind):
                address = self.m.world.address_of(node.name)
                if address is None:
                    what = f"the address of `{node.name}`, a function without a body ({t.spelled(kind)})"
                    self.m.refuse(node, what)
                return Place(Constant(address), kind)
            case None:
                self._unknown(node)
            case _:
                self.m.refuse(node, f"`{node.name}` is no variable", codes.NAME)

    def _unknown(self, node: ast.ID) -> NoReturn:
        from membar.diagnostics import close_matches  # noqa: PLC0415 - only for errors

        close = close_matches(node.name, sorted(set(self.m.scope.names())), n=1)
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
        place = self._pointed(self.infixed("+", pointer, index, node), node)
        number = known(index.expr)
        if isinstance(base, Place) and base.within is not None and number is not None:
            return replace(place, within=parts.inside(base, signed(number) * (t.size_of(place.type) or 0)))
        return place

    def _array_place(self, node: ast.Node) -> Place | None:
        """The place of an expression that is an array, so that its bounds are known."""
        if not isinstance(node, ast.ID | ast.StructRef | ast.ArrayRef):
            return None
        if isinstance(node, ast.ID) and not isinstance(self.m.scope.find(node.name), Object):
            return None
        if not isinstance(self.types.type_of(node), t.Array):
            return None
        return self.place(node)

    def _in_bounds(self, base: Place, array: t.Array, index: Value, node: ast.Node) -> None:
        if array.count is None:
            return
        number = known(index.expr)
        if number is not None and number < array.count and not array.is_per_thread:
            return
        kind = integer(index.type)
        wide = index.expr if kind is None else converted(index, t.ULONG).expr
        item = self.m.object_at(base.address)
        name = f"`{item.name}`" if item is not None else "an array"
        limit = array.count + (1 if self.is_address_only else 0)
        bound: Expr = Constant(limit)
        if array.is_per_thread:
            bound = binary(B.ADD, Register(NUMBER), Constant(limit - 1))
        self.m.check(
            binary(B.LT, wide, bound),
            f"index outside {name}, which has {'N' if array.is_per_thread else array.count} elements",
            node,
        )

    is_address_only = False

    def _member(self, node: ast.StructRef) -> Place:
        if node.type == "->":
            base = self._pointed(self.scalar(node.name), node.name)
        elif isinstance(node.name, _VALUES):
            base = self.m.place_of_value(self.value(node.name), node.name)
        else:
            base = self.place(node.name)
        kind = t.unqualified(base.type)
        if not isinstance(kind, t.Structure):
            self.m.refuse(node, f"a `{t.spelled(kind)}` has no members", codes.TYPE)
        if isinstance(base.type, t.Atomic):
            words = f"a member of the atomic `{t.spelled(kind)}`, which is accessed only as a whole"
            self.m.refuse(node, words, codes.TYPE, "copy it to a variable that is not atomic first")
        found = t.member_of(kind, node.field.name)
        if found is None:
            self.m.refuse(node, f"`{t.spelled(kind)}` has no member `{node.field.name}`", codes.NAME)
        union = parts.within(base, kind, node.field.name)
        return Place(self.m.moved(base.address, found.offset), found.type, union)

    def _literal(self, node: ast.CompoundLiteral) -> Place:
        declaration = self.m.world.tree.literal(node)
        symbols = self.m.scope.symbols
        item = self.declarations.declare(declaration, is_global=not self.m.frames)
        symbols.pop(declaration.name, None)
        assert item is not None
        return Place(Address(item.label), item.type)

    def chosen(self, node: ast.GenericSelection) -> ast.Node:
        """The expression that a generic selection stands for."""
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
