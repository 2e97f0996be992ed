"""The meaning of the kernel's functions."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from membar.diagnostics import error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c import values
from membar.languages.litmus.dialects.c.evaluation import Evaluator, value_read
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.scope import Local
from membar.languages.litmus.dialects.c.syntax import Call, Expression, Name, Prefix
from membar.languages.litmus.dialects.c.translate import translate
from membar.languages.litmus.dialects.c.types import INT, LONG, NAMED, UNSUPPORTED, CType, TypeNames
from membar.languages.litmus.dialects.c.values import ONE, ZERO, Value
from membar.languages.litmus.dialects.lkmm.functions import (
    FAILED,
    FUNCTIONS,
    PLACES,
    Action,
    KernelFunction,
    Order,
    Result,
    function_called,
)
from membar.languages.litmus.test import LitmusTest
from membar.program.expr import TRUE, Constant, Expr, Register, Select, equals, negation
from membar.program.grace_periods import block_in_own_sections
from membar.program.operations import Assume, Fence, Rmw, Set, Tags
from membar.program.program import Program
from membar.source import Span

_FAILED_LOCK: Tags = frozenset({"LF"})


class KernelEvaluator(Evaluator):
    """An evaluator that knows the functions of the kernel."""

    def loads(self, node: Call) -> bool:
        """Whether it is a `READ_ONCE(…)` or the like."""
        function = FUNCTIONS.get(node.function)
        return function is not None and function.action is Action.LOAD

    def load_parts(self, node: Expression) -> tuple[Value, Tags]:
        """Address and tags of `*p`, `p[i]` or `READ_ONCE(*p)`."""
        if isinstance(node, Call):
            function = function_called(node)
            return self.pointer(node.arguments[0]), function.tags
        return self.address(node), self.plain

    def call(self, node: Call, into: Local | None) -> Value:
        """The value of a call; 0 if it has none."""
        function = function_called(node)
        if node.function in PLACES:
            self._require_place(node)
        if function.action is Action.TRY_COMPARE:
            return self._try_compare(node, function)
        self.record_unsequenced(*node.arguments, span=node.span)
        if function.action is Action.FENCE:
            self.flow.emit(Fence(function.tags), span=node.span)
            return ZERO
        given = [self.value(argument) for argument in node.arguments]
        address = self.as_pointer(given[function.target], node.arguments[function.target])
        value = (
            Value(Constant(function.constant), INT)
            if function.value is None or function.value >= len(given)
            else given[function.value]
        )
        match function.action:
            case Action.LOAD:
                return self.load(address, function.tags, node.span, into)
            case Action.STORE | Action.STORE_MB:
                self.store(address, value, function.tags, node.span)
                if function.action is Action.STORE_MB:
                    self.flow.emit(Fence(frozenset({"Mb"})), span=node.span)
            case Action.SYNC_SRCU:
                self.flow.emit(Fence(function.tags, address.expr), span=node.span)
            case Action.MODIFY:
                return self._modify(function, address, value, node.span)
            case Action.COMPARE:
                return self._compare(function, address, given[1], given[2], node.span)
            case Action.ADD_UNLESS:
                unless = given[2] if len(given) > 2 else ZERO
                return self._add_unless(function, address, value, unless, node.span)
            case Action.LOCK | Action.TRYLOCK:
                return self._lock(function, address, node.span)
            case _:
                raise AssertionError(function.action)
        return ZERO

    def _require_place(self, node: Call) -> None:
        """The parser has put a `&` before the first argument, which must be a place then."""
        match node.arguments[0]:
            case Prefix(operand=Name(name=name)) as argument if name in self.names.parameters:
                raise error(
                    codes.OPERAND, f"`{node.function}` takes an lvalue, but `{name}` is an address",
                    argument.span, "expected an lvalue", help=f"write `*{name}`",
                )  # fmt: skip
            case _:
                pass

    def _modify(self, function: KernelFunction, address: Value, operand: Value, span: Span) -> Value:
        """An exchange or an arithmetic operation, always done."""
        register, kind = self.temporary(), self.place(address, span)
        old = value_read(register, kind)
        new = values.convert(_combine(function.op, old, operand, span), kind)
        self._emit(register, address, new, _order(function), TRUE, span=span)
        match function.result:
            case Result.OLD:
                return old
            case Result.NEW:
                return new
            case Result.IS_ZERO:
                return values.infix("==", new, ZERO, span)
            case Result.IS_NEGATIVE:
                return values.infix("<", new, ZERO, span)
            case Result.NOTHING:
                return ZERO

    def _compare(
        self, function: KernelFunction, address: Value, expected: Value, new: Value, span: Span
    ) -> Value:
        """Writes `new` if it finds `expected`; gives what it found."""
        register, kind = self.temporary(), self.place(address, span)
        found = value_read(register, kind)
        condition = equals(found.expr, values.convert(expected, kind).expr)
        self._emit(register, address, values.convert(new, kind), _order(function), condition, span=span)
        return found

    def _try_compare(self, node: Call, function: KernelFunction) -> Value:
        """As above, but `&expected` is a local variable that gets what was found; gives whether it wrote."""
        target, argument, desired = node.arguments
        if not (isinstance(argument, Prefix) and argument.op == "&" and isinstance(argument.operand, Name)):
            raise error(
                codes.OPERAND, f"`{argument.span.text}` is not the address of a local variable",
                argument.span, "expected `&` and a variable",
            )  # fmt: skip
        local = self.assignable(argument.operand)
        self.record_unsequenced(target, desired, span=node.span)
        address, new = self.pointer(target), self.value(desired)
        expected = Value(Register(local.name), local.type)
        found = self._compare(function, address, expected, new, node.span)
        done = Register(self.temporary())
        wanted = values.convert(expected, found.type).expr
        left = values.convert(found, local.type).expr
        self.flow.emit(
            Set(done.name, equals(found.expr, wanted)),
            Set(local.name, Select(done, Register(local.name), left)),
            span=node.span,
        )
        return Value(done, INT)

    def _add_unless(
        self, function: KernelFunction, address: Value, operand: Value, unless: Value, span: Span
    ) -> Value:
        """Adds, unless it finds the value `unless`; gives whether it added."""
        register, kind = self.temporary(), self.place(address, span)
        old = value_read(register, kind)
        differs = negation(equals(old.expr, values.convert(unless, kind).expr))
        new = values.convert(values.infix("+", old, operand, span), kind)
        self._emit(register, address, new, _order(function), differs, span=span)
        return Value(differs, INT)

    def _lock(self, function: KernelFunction, address: Value, span: Span) -> Value:
        """Makes 0 a 1. `spin_lock` waits until it can; `spin_trylock` gives whether it could."""
        register, kind = self.temporary(), self.place(address, span)
        is_free = equals(Register(register), Constant(0))
        rest = (Assume(is_free, waits=True),) if function.action is Action.LOCK else ()
        one = values.convert(ONE, kind)
        self._emit(register, address, one, _order(function), is_free, *rest, span=span, failed=_FAILED_LOCK)
        return Value(is_free, INT)

    def _emit(
        self,
        register: str,
        address: Value,
        new: Value,
        order: Order,
        condition: Expr,
        *rest: Assume,
        span: Span,
        failed: Tags = FAILED,
    ) -> None:
        rmw = Rmw(
            register=register,
            address=address.expr,
            value=new.expr,
            size=new.type.size,
            condition=condition,
            signed=new.type.signed,
            read_tags=order.read,
            write_tags=order.write,
            failed_tags=failed,
        )
        self.flow.emit(rmw, *rest, span=span)


def _order(function: KernelFunction) -> Order:
    assert function.order is not None
    return function.order


def _combine(op: str, old: Value, operand: Value, span: Span) -> Value:
    """The new value of an atomic operation; an exchange has no operator."""
    if op == "&~":
        return values.infix("&", old, values.prefix("~", operand, span), span)
    return values.infix(op, old, operand, span) if op else operand


_TYPES: Final = {
    name: kind for name, kind in NAMED.items() if not name.startswith("atomic_")
} | {
    "atomic_t": INT,
    "atomic64_t": LONG,
    "atomic_long_t": LONG,
    "spinlock_t": INT,
    "raw_spinlock_t": INT,
}  # fmt: skip

KERNEL: Final = Language(
    name="LKMM",
    types=TypeNames(
        named=MappingProxyType[str, CType](_TYPES),
        structures=MappingProxyType[str, CType]({"srcu_struct": INT, "spinlock": INT}),
        unsupported=UNSUPPORTED - {"spinlock_t", "struct"},
        stored=8,
    ),
    evaluator=KernelEvaluator,
    plain=frozenset(),
    place_calls=PLACES,
    implicit=TypeNames(named={}, stored=8).in_memory(LONG),
    variable_words=frozenset({"continue"}),
    pointee=TypeNames(named={}, stored=8).in_memory(LONG),
    branches_end=True,
)
"""The Linux kernel's C."""


def translate_test(test: LitmusTest) -> Program:
    """The program and the question of a test in this kind of C."""
    return block_in_own_sections(translate(test, KERNEL))
