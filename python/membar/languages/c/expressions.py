"""Expressions: what they do to the flow, and the value they leave."""

from __future__ import annotations

from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.declarations import ANY
from membar.languages.c.flow import State
from membar.languages.c.lvalues import Lvalues
from membar.languages.c.values import (
    NOTHING,
    Aggregate,
    B,
    Slot,
    Value,
    binary,
    constant,
    known,
    truth,
)
from membar.languages.c.world import Defined, Enumerator, Place
from membar.program.expr import FALSE, Constant, Expr, Register
from membar.program.template import NUMBER

_LITERALS: Final = (t.INT, t.UINT, t.LONG, t.ULONG)


class Expressions(Lvalues):
    """The expressions of one machine."""

    # Values

    def value(self, node: ast.Node) -> Value | Aggregate:
        """The value of an expression, after its effects."""
        match node:
            case ast.Constant():
                return self.literal_value(node)
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
                return self.loaded(self.place(node), node)
            case ast.ExprList(exprs=[*others, last]):
                for item in others:
                    self.effect(item)
                return self.value(last)
            case ast.CompoundLiteral():
                return self.loaded(self.place(node), node)
            case ast.GenericSelection():
                return self.value(self.chosen(node))
            case ast.Compound():
                return self.m.block_value(node)
            case _:
                self.m.refuse(node, f"`{type(node).__name__}` as an expression")

    def effect(self, node: ast.Node) -> None:
        """Does an expression whose value nobody uses."""
        match node:
            case ast.ExprList(exprs=items):
                for item in items:
                    self.effect(item)
            case ast.Cast() if isinstance(self.declarations.type_of(node.to_type), t.Void):
                self.effect(node.expr)
            case _:
                self.m.discarded = node
                self.value(node)

    def _name(self, node: ast.ID) -> Value | Aggregate:
        if node.name == ANY and self.m.world.is_any:
            if self.m.is_constant_only:
                self.m.refuse(
                    node, "the number of threads is not known before the program runs", codes.CONSTANT
                )
            return Value(Register(NUMBER), t.INT)
        match self.m.scope.find(node.name):
            case Enumerator(number=number):
                return constant(number, t.INT if -(1 << 31) <= number < 1 << 31 else t.LONG)
            case Defined() as function:
                return Value(Constant(function.address), t.Pointer(function.type))
            case _:
                return self.loaded(self.place(node), node)

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
                return constant(t.alignment_of(self.operand_type(node.expr)), t.ULONG)
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

    def operand_type(self, node: ast.Node) -> t.CType:
        """The type that `sizeof` or `_Alignof` asks about."""
        if isinstance(node, ast.Typename):
            return self.declarations.type_of(node)
        return self.declarations.static_type(node)

    def _size(self, node: ast.Node) -> int:
        kind = self.operand_type(node)
        if isinstance(kind, t.Array) and kind.is_per_thread:
            self.m.refuse(node, "the size of an array with an element per thread", codes.CONSTANT)
        size = 1 if isinstance(kind, t.Void) else t.size_of(kind)
        if size is None:
            self.m.refuse(node, f"the size of the incomplete type `{t.spelled(kind)}`", codes.TYPE)
        return size

    def _address(self, node: ast.UnaryOp) -> Value:
        inner = node.expr
        if isinstance(inner, ast.UnaryOp) and inner.op == "*":
            return self.scalar(inner.expr)
        before, self.is_address_only = self.is_address_only, True
        try:
            place = self.place(inner)
        finally:
            self.is_address_only = before
        self.m.point_to(place.address)
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
            kind = self.types.type_of(node)
            value = self.value(node.iftrue if no is None else node.iffalse)
            is_plain = isinstance(value, Value) and t.is_scalar(kind)
            return self.m.converted(value, kind, node) if is_plain else value
        kind = self.types.type_of_at(node, yes)
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
