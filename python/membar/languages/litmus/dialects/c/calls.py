"""The meaning of the functions of <stdatomic.h>."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c import values
from membar.languages.litmus.dialects.c.evaluation import Evaluator
from membar.languages.litmus.dialects.c.functions import FUNCTIONS, Action, function_called, orders_of
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.scope import Local
from membar.languages.litmus.dialects.c.syntax import Call, Expression, Name, Prefix
from membar.languages.litmus.dialects.c.tags import NON_ATOMIC, RMW
from membar.languages.litmus.dialects.c.translate import translate
from membar.languages.litmus.dialects.c.types import C_TYPES, INT, CType, PointerType
from membar.languages.litmus.dialects.c.values import ONE, ZERO, Value
from membar.languages.litmus.test import LitmusTest
from membar.program.expr import Constant, Expr, Register, Select, equals, registers_of
from membar.program.operations import Assume, Fence, Load, Rmw, Set, Tags
from membar.program.program import Program
from membar.records import record
from membar.source import Span


@record(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """A compare-exchange whose arguments are known. `expected` is a local variable or an address."""

    address: Value
    type: CType
    expected: Local | Value
    desired: Value
    success: str
    failure: str
    span: Span


class CallEvaluator(Evaluator):
    """An evaluator that knows the atomic functions."""

    def loads(self, node: Call) -> bool:
        """Whether it is an `atomic_load(…)`."""
        function = FUNCTIONS.get(node.function)
        return function is not None and function.action is Action.LOAD

    def load_parts(self, node: Expression) -> tuple[Value, Tags]:
        """Address and tags of `*p`, `p[i]` or `atomic_load(…)`."""
        if isinstance(node, Call):
            function = function_called(node)
            return self.pointer(node.arguments[0]), frozenset(orders_of(node, function)[:1])
        return self.address(node), self.plain

    def call(self, node: Call, into: Local | None) -> Value:
        """The value of an atomic operation; 0 if it has none."""
        function = function_called(node)
        orders = orders_of(node, function)
        operands = node.arguments[: function.operands]
        if function.action is Action.STRONG or function.action is Action.WEAK:
            return self._compare_exchange(node, orders, into, is_weak=function.action is Action.WEAK)
        self.record_unsequenced(*operands, span=node.span)
        address = self.pointer(operands[0]) if operands else ZERO
        argument = self.value(operands[1]) if len(operands) > 1 else ONE
        match function.action:
            case Action.LOAD:
                return self.load(address, frozenset(orders), node.span, into)
            case Action.STORE:
                self.store(address, argument, frozenset(orders), node.span)
            case Action.CLEAR:
                self.store(address, ZERO, frozenset(orders), node.span)
            case Action.INIT:
                self.store(address, argument, self.plain, node.span)
            case Action.EXCHANGE | Action.TEST_AND_SET:
                return self._modify("", address, argument, orders[0], span=node.span, into=into)
            case Action.FETCH:
                return self._modify(function.op, address, argument, orders[0], span=node.span, into=into)
            case Action.FENCE:
                self.flow.emit(Fence(frozenset(orders)), span=node.span)
            case _:
                pass
        return ZERO

    def _modify(
        self, op: str, address: Value, argument: Value, order: str, *, span: Span, into: Local | None
    ) -> Value:
        """Exchange, or fetch-`op`; gives the old value."""
        kind = self.place(address, span)
        used = {*registers_of(address.expr), *registers_of(argument.expr)}
        is_free = into is not None and values.fits(kind, into.type) and into.name not in used
        register = into.name if into is not None and is_free else self.temporary()
        old = Value(Register(register), kind)
        new = values.infix(op, old, argument, span) if op else argument
        tags = frozenset({order, RMW})
        self.flow.emit(
            Rmw(
                register=register,
                address=address.expr,
                value=values.convert(new, kind).expr,
                size=kind.size,
                signed=kind.signed,
                read_tags=tags,
                write_tags=tags,
            ),
            span=span,
        )
        return old

    def _compare_exchange(
        self, node: Call, orders: tuple[str, ...], into: Local | None, *, is_weak: bool
    ) -> Value:
        """1 if the expected value was found and replaced; else 0, and `*expected` is what was found."""
        target, expected, desired = node.arguments[:3]
        local = self._local_expected(expected)
        self.record_unsequenced(
            *((target, desired) if local else (target, expected, desired)), span=node.span
        )
        address = self.pointer(target)
        exchange = _Exchange(
            address=address,
            type=self.place(address, node.span),
            expected=local or self._shared_expected(expected, address),
            desired=self.value(desired),
            success=orders[0],
            failure=orders[1],
            span=node.span,
        )
        is_free = into is not None and into.type == INT and into != local
        done = into.name if into is not None and is_free and not _uses(exchange, into) else self.temporary()
        self._attempt(exchange, done, is_weak=is_weak)
        return Value(Register(done), INT)

    def _local_expected(self, node: Expression) -> Local | None:
        """The variable `v` of an argument `&v`."""
        if isinstance(node, Prefix) and node.op == "&" and isinstance(node.operand, Name):
            return self.names.local(node.operand.name, node.operand.span)
        return None

    def _shared_expected(self, node: Expression, address: Value) -> Value:
        found = self.pointer(node)
        assert isinstance(address.type, PointerType)
        assert isinstance(found.type, PointerType)
        size, other = address.type.target.size, found.type.target.size
        if size != other:
            raise error(
                codes.MIXED_SIZE,
                f"the expected value has {other} bytes, the object {size}",
                node.span,
                "expected a location of the same size",
            )
        return found

    def _attempt(self, exchange: _Exchange, done: str, *, is_weak: bool) -> None:
        """The steps of a compare-exchange; afterwards the register `done` is 1 or 0."""
        if isinstance(exchange.expected, Local):
            expected = Value(Register(exchange.expected.name), exchange.expected.type)
        else:
            # A plain read, since `expected` is an ordinary object for C.
            expected = self.load(exchange.expected, self.plain, exchange.span)
        wanted = values.convert(expected, exchange.type).expr
        start, failed, end = self.flow.here, self.flow.fresh(), self.flow.fresh()
        self._strong(exchange, wanted, done)
        if isinstance(exchange.expected, Local):
            self.flow.join(end)
        else:
            yes, no = self.flow.branch(Value(Register(done), INT), exchange.span)
            for point, target in ((yes, end), (no, failed)):
                self.flow.here = point
                self.flow.join(target)
        if is_weak:
            self.flow.here = start
            self._spurious_failure(exchange, wanted, done)
            self.flow.join(end if isinstance(exchange.expected, Local) else failed)
        if isinstance(exchange.expected, Value):
            self.flow.here = failed
            found = Value(Register(self._register_found(done)), exchange.type)
            self.store(exchange.expected, found, self.plain, exchange.span)
            self.flow.join(end)
        self.flow.here = end

    @staticmethod
    def _register_found(done: str) -> str:
        """The register for the value found by the attempt whose success is in `done`."""
        return f"{done}.found"

    def _strong(self, exchange: _Exchange, wanted: Expr, done: str) -> None:
        """The atomic step that fails only if the value is not the expected one."""
        found = Register(self._register_found(done))
        tags = frozenset({exchange.success, RMW})
        attempt = Rmw(
            register=found.name,
            address=exchange.address.expr,
            value=values.convert(exchange.desired, exchange.type).expr,
            size=exchange.type.size,
            condition=equals(found, wanted),
            signed=exchange.type.signed,
            read_tags=tags,
            write_tags=tags,
            failed_tags=frozenset({exchange.failure}),
        )
        self.flow.emit(
            attempt, Set(done, equals(found, wanted)), *self._updates(exchange, done), span=exchange.span
        )

    def _spurious_failure(self, exchange: _Exchange, wanted: Expr, done: str) -> None:
        """A weak compare-exchange may fail although it finds the expected value."""
        found = Register(self._register_found(done))
        attempt = Load(
            register=found.name,
            address=exchange.address.expr,
            size=exchange.type.size,
            signed=exchange.type.signed,
            tags=frozenset({exchange.failure}),
        )
        self.flow.emit(
            attempt,
            Assume(equals(found, wanted)),
            Set(done, Constant(0)),
            *self._updates(exchange, done),
            span=exchange.span,
        )

    def _updates(self, exchange: _Exchange, done: str) -> tuple[Set, ...]:
        """What failure does to a local `expected`."""
        if not isinstance(exchange.expected, Local):
            return ()
        local = exchange.expected
        found = values.convert(Value(Register(self._register_found(done)), exchange.type), local.type)
        return (Set(local.name, Select(Register(done), Register(local.name), found.expr)),)


def _uses(exchange: _Exchange, into: Local) -> bool:
    """Whether the operands of `exchange` are computed from `into`."""
    exprs = [exchange.address.expr, exchange.desired.expr]
    if isinstance(exchange.expected, Value):
        exprs.append(exchange.expected.expr)
    return any(into.name in registers_of(expr) for expr in exprs)


C11 = Language(name="C", types=C_TYPES, evaluator=CallEvaluator, plain=frozenset({NON_ATOMIC}))
"""C with <stdatomic.h>."""


def translate_test(test: LitmusTest) -> Program:
    """The program and the question of a test in this kind of C."""
    return translate(test, C11)
