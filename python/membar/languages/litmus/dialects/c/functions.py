"""The functions of <stdatomic.h>: how many arguments, which memory orders are allowed where."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from membar.diagnostics import InputError, close_matches, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c.kernel import is_kernel_word
from membar.languages.litmus.dialects.c.syntax import Call, Expression, Name
from membar.languages.litmus.dialects.c.tags import ORDERS
from membar.records import record


class Action(enum.Enum):
    """What a function does."""

    LOAD = "load"
    STORE = "store"
    INIT = "init"
    EXCHANGE = "exchange"
    FETCH = "fetch"
    TEST_AND_SET = "test and set"
    CLEAR = "clear"
    STRONG = "strong compare-exchange"
    WEAK = "weak compare-exchange"
    FENCE = "fence"
    NOTHING = "nothing"


class Role(enum.Enum):
    """Which part of an operation a memory order is for, and the orders that C allows there."""

    LOAD = frozenset({"RLX", "CON", "ACQ", "SC"})
    STORE = frozenset({"RLX", "REL", "SC"})
    RMW = frozenset({"RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"})


@record(frozen=True, slots=True)
class AtomicFunction:
    """`operands` are the arguments before the memory orders, which have `roles`; `op` is for fetch-op."""

    action: Action
    operands: int
    roles: tuple[Role, ...] = ()
    op: str = ""
    is_explicit: bool = True


_WITH_ORDERS = {
    "atomic_load": AtomicFunction(Action.LOAD, 1, (Role.LOAD,)),
    "atomic_store": AtomicFunction(Action.STORE, 2, (Role.STORE,)),
    "atomic_exchange": AtomicFunction(Action.EXCHANGE, 2, (Role.RMW,)),
    "atomic_fetch_add": AtomicFunction(Action.FETCH, 2, (Role.RMW,), "+"),
    "atomic_fetch_sub": AtomicFunction(Action.FETCH, 2, (Role.RMW,), "-"),
    "atomic_fetch_or": AtomicFunction(Action.FETCH, 2, (Role.RMW,), "|"),
    "atomic_fetch_xor": AtomicFunction(Action.FETCH, 2, (Role.RMW,), "^"),
    "atomic_fetch_and": AtomicFunction(Action.FETCH, 2, (Role.RMW,), "&"),
    "atomic_flag_test_and_set": AtomicFunction(Action.TEST_AND_SET, 1, (Role.RMW,)),
    "atomic_flag_clear": AtomicFunction(Action.CLEAR, 1, (Role.STORE,)),
    "atomic_compare_exchange_strong": AtomicFunction(Action.STRONG, 3, (Role.RMW, Role.LOAD)),
    "atomic_compare_exchange_weak": AtomicFunction(Action.WEAK, 3, (Role.RMW, Role.LOAD)),
}
_PLAIN = {
    "atomic_init": AtomicFunction(Action.INIT, 2),
    "atomic_thread_fence": AtomicFunction(Action.FENCE, 0, (Role.RMW,)),
    # A signal fence orders a thread with its own signal handlers only, and litmus tests have none.
    "atomic_signal_fence": AtomicFunction(Action.NOTHING, 0, (Role.RMW,)),
}
FUNCTIONS: Final[Mapping[str, AtomicFunction]] = MappingProxyType(
    _PLAIN
    | {f"{name}_explicit": function for name, function in _WITH_ORDERS.items()}
    | {
        name: AtomicFunction(
            function.action, function.operands, function.roles, function.op, is_explicit=False
        )
        for name, function in _WITH_ORDERS.items()
    }
)
"""Every function that may be called, `kill_dependency` aside."""


def function_called(call: Call) -> AtomicFunction:
    """The function that `call` means, its number of arguments checked."""
    function = FUNCTIONS.get(call.function)
    if function is None:
        raise _unknown(call)
    expected = function.operands + (len(function.roles) if function.is_explicit else 0)
    if len(call.arguments) != expected:
        plural = "" if expected == 1 else "s"
        raise error(
            codes.OPERAND, f"`{call.function}` takes {expected} argument{plural}, not {len(call.arguments)}",
            call.span, f"expected {expected} argument{plural}",
        )  # fmt: skip
    return function


def _unknown(call: Call) -> InputError:
    if is_kernel_word(call.function) or call.function.startswith("__"):
        return error(
            codes.UNSUPPORTED, f"`{call.function}` is a function of the Linux kernel, but this is a C11 test",
            call.function_span, "expected a function of <stdatomic.h>",
        )  # fmt: skip
    close = close_matches(call.function, FUNCTIONS, n=1)
    help_ = f"did you mean `{close[0]}`?" if close else "call only functions of <stdatomic.h>"
    return error(
        codes.INSTRUCTION, f"unknown function `{call.function}`", call.function_span, "not known", help=help_
    )


def orders_of(call: Call, function: AtomicFunction) -> tuple[str, ...]:
    """The tags of the memory orders of a call, one per role."""
    if not function.is_explicit:
        return ("SC",) * len(function.roles)
    given = call.arguments[function.operands :]
    return tuple(_order(call, node, role) for node, role in zip(given, function.roles, strict=True))


def _order(call: Call, node: Expression, role: Role) -> str:
    tag = ORDERS.get(node.name) if isinstance(node, Name) else None
    if tag is not None and tag in role.value:
        return tag
    allowed = [name for name, tag in ORDERS.items() if tag in role.value]
    if tag is None:
        close = close_matches(node.span.text, allowed, n=1, cutoff=0.5)
        raise error(
            codes.OPERAND, f"`{node.span.text}` is not a memory order", node.span, "expected a memory order",
            help=f"did you mean `{close[0]}`?" if close else f"one of {', '.join(allowed)}",
        )  # fmt: skip
    is_failure = role is Role.LOAD and len(FUNCTIONS[call.function].roles) > 1
    part = "a failed compare-exchange" if is_failure else f"a {role.name.lower()}"
    raise error(
        codes.OPERAND, f"{part} cannot have the order `{node.span.text}`", node.span,
        f"expected {', '.join(allowed)}",
    )  # fmt: skip
