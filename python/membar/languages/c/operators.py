"""Operators: arithmetic with its checks, and atomic read-modify-writes."""

from __future__ import annotations

from pycparser import c_ast as ast

from membar.languages.c import codes, floats, liveness, marks
from membar.languages.c import types as t
from membar.languages.c.exactness import divides, fits, negates, shifts_within
from membar.languages.c.machine import Machine
from membar.languages.c.values import OperandError, Value, infix, integer, prefix, select, truth
from membar.languages.c.world import Place
from membar.program.expr import FALSE, Expr, Register
from membar.program.operations import OVERFLOW, Rmw, Tags
from membar.program.warnings import SIGNED_OVERFLOW


class Operators:
    """The operators of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.m = machine

    def infixed(self, op: str, left: Value, right: Value, node: ast.Node) -> Value:
        """`left op right`."""
        try:
            if floats.is_float(left.type, right.type):
                return self.m.kept(floats.infix(op, left, right), node)
            if op in {"/", "%"}:
                self.check_divisor(left, right, node)
            if op in {"<<", ">>"}:
                self._require(shifts_within(left, right), "shift by a negative or too large number", node)
            return self.m.kept(infix(op, left, right), node)
        except OperandError:
            words = f"`{t.spelled(left.type)}` {op} `{t.spelled(right.type)}`"
            self.m.refuse(node, f"{words} makes no sense", codes.TYPE)
        except floats.NotKnownError:
            words = f"`{t.spelled(left.type)}` {op} `{t.spelled(right.type)}`"
            self.m.refuse(node, f"{words}, where they are not known before the program runs")

    def calculated(self, op: str, left: Value, right: Value, node: ast.Node) -> Value:
        """`left op right`, with a warning where a signed type is too small; atomic operations just wrap."""
        self._warn(fits(op, left, right), op, node)
        if op in {"/", "%"}:
            self._require(divides(left, right), f"the result of `{op}` does not fit its type", node)
        return self.infixed(op, left, right, node)

    def _warn(self, condition: Expr | None, op: str, node: ast.Node) -> None:
        if condition is not None and not self.m.is_constant_only and self.m.block is None:
            self.m.check(condition, f"{SIGNED_OVERFLOW} in `{op}`", node, kind=OVERFLOW)

    def _require(self, condition: Expr | None, message: str, node: ast.Node) -> None:
        """A violation where `condition` is 0; in a constant expression that is an error."""
        if condition is None:
            return
        if not self.m.is_constant_only:
            self.m.check(condition, message, node)
        elif condition == FALSE:
            self.m.refuse(node, message, codes.CONSTANT)

    def check_divisor(self, left: Value, right: Value, node: ast.Node) -> None:
        """A violation if a divisor is 0."""
        if integer(left.type) is None or integer(right.type) is None:
            return
        self._require(truth(right), "division by zero", node)

    def prefixed(self, op: str, value: Value, node: ast.Node) -> Value:
        """`op value`."""
        try:
            if op == "-":
                self._warn(negates(value), op, node)
            is_float = floats.is_float(value.type)
            return self.m.kept(floats.prefix(op, value) if is_float else prefix(op, value), node)
        except OperandError:
            self.m.refuse(node, f"{op} `{t.spelled(value.type)}` makes no sense", codes.TYPE)

    def modify(
        self, place: Place, op: str, operand: Value, node: ast.Node, order: str = "SC"
    ) -> tuple[Value, Value]:
        """An atomic read-modify-write; an empty operator exchanges. The old value and the new one."""
        tags = frozenset({order, "RMW"})
        return self.modify_with(place, op, operand, node, read=tags, write=tags)

    def modify_with(
        self, place: Place, op: str, operand: Value, node: ast.Node, *, read: Tags, write: Tags
    ) -> tuple[Value, Value]:
        """The same, with the ordering words of its read and its write."""
        m = self.m
        kind = t.unqualified(place.type)
        if not t.is_scalar(kind):
            m.refuse(node, f"an atomic operation on `{t.spelled(kind)}`", codes.TYPE)
        operand = m.kept(operand, node)
        if m.is_private(place.address):
            before = m.read(Place(place.address, kind), node)
            assert isinstance(before, Value)
            after = m.converted(self.combined(op, before, operand, node), kind, node)
            m.write(Place(place.address, kind), after, node)
            return before, after
        old, size = self.fresh(kind), t.size_of(kind)
        new = m.converted(self.combined(op, old, operand, node), kind, node)
        if m.is_bad(place, node):
            return Value(FALSE, kind), Value(FALSE, kind)
        assert size is not None
        if not op:
            marks.set_mark(m, place, new.expr, node)
        m.flow.emit(
            Rmw(
                register=self.register_of(old),
                address=place.address,
                value=new.expr,
                size=size,
                signed=isinstance(kind, t.Integer) and kind.signed,
                read_tags=read,
                write_tags=write,
            ),
            m.span(node),
        )
        liveness.check_found(m, place.address, old.expr, kind, node)
        if op:
            marks.changed(m, place, old.expr, node)
        return old, m.kept(new, node)

    def combined(self, op: str, old: Value, operand: Value, node: ast.Node) -> Value:
        """The new value of an atomic operation."""
        if not op:
            return operand
        if op == "nand":
            both = self.infixed("&", old, operand, node)
            return prefix("~", both)
        if op in {"max", "min"}:
            less = self.infixed("<", old, self.m.converted(operand, old.type, node), node).expr
            other = self.m.converted(operand, old.type, node).expr
            return Value(
                select(less, other if op == "max" else old.expr, old.expr if op == "max" else other), old.type
            )
        return self.infixed(op, old, operand, node)

    @staticmethod
    def select_value(condition: Expr, then: Value, otherwise: Value) -> Value:
        """One of two values of one type."""
        return Value(select(condition, then.expr, otherwise.expr), then.type)

    def fresh(self, kind: t.CType) -> Value:
        """A value in a register that nobody uses yet."""
        return Value(Register(self.m.flow.register()), kind)

    @staticmethod
    def register_of(value: Value) -> str:
        """The register of a fresh value."""
        name = getattr(value.expr, "name", "")
        assert isinstance(name, str)
        return name
