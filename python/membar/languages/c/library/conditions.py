"""Condition variables: a word in memory with a bit for each thread that waits.

A signal takes the bit of any one of them away, a broadcast all; who waits blocks until its own bit is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library import threads
from membar.languages.c.library.sync import (
    ETIMEDOUT,
    LOOKS,
    THRD_TIMEDOUT,
    Meaning,
    changed,
    ended,
    is_gone,
    look,
    no_attributes,
    object_of,
    started,
)
from membar.languages.c.machine import Machine
from membar.languages.c.values import B, Slot, Value, binary, constant, known, select
from membar.languages.c.waiting import plain_waits
from membar.program.expr import FALSE, TRUE, Constant, Expr, Register
from membar.program.operations import Assume, Choose

_RELAXED: Final = frozenset({"RLX", "RMW"})
_CONDITIONS: Final = ("pthread_cond_t", "cnd_t")


def _bit(m: Machine) -> Expr:
    return Constant(1 << (m.number - 1))


def spurious_key(call: int) -> tuple[str, int, str]:
    """The variable of the flow that says whether a thread woke up for no reason at a call."""
    return ("spurious", call, "spurious")


def _wait(late: int | None = None) -> Meaning:
    """Gives the mutex back, waits, and takes it again. A thread may wake up for no reason.

    In `while (…) wait;` whose condition only looks, it is enough if that happens once: waking up for no
    reason and waiting again is like not waking up.
    """

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        m = e.m
        place = object_of(e, arguments[0], *_CONDITIONS)
        for item in arguments[2:]:
            e.value(item)
        if is_gone(m, place, node):
            return constant(0)
        flow, span, key = m.flow, m.span(node), ("waited", id(node), "")
        m.world.after.waiters.add(m.number)
        own = _bit(m)
        changed(m, place, node, lambda old: binary(B.OR, old, own), tags=_RELAXED)
        threads.unlock(e, node, arguments[1:2])
        if flow.is_dead:
            return constant(0)
        choice = Register(flow.register())
        most: Expr = Constant(1 if late is None else 2)
        is_plain = id(node) in plain_waits(m.world.tree)
        woken = spurious_key(id(node))
        if is_plain:
            m.world.after.spurious.add((m.number, id(node)))
            most = select((flow.get(woken) or Slot(FALSE)).expr, FALSE, most)
        flow.emit(Choose(choice.name, FALSE, most), span)
        by_itself, signalled = flow.branch(choice, span)
        flow.state = by_itself
        changed(m, place, node, lambda old: binary(B.AND, old, Constant(~known_bit(own))), tags=_RELAXED)
        if is_plain:
            flow.put(woken, Slot(TRUE))
        over = (
            FALSE if late is None else select(binary(B.EQ, choice, Constant(2)), constant(late).expr, FALSE)
        )
        flow.put(key, Slot(over))
        by_itself = flow.leave()
        flow.state = signalled

        def is_woken(word: Expr) -> Expr:
            return binary(B.EQ, binary(B.AND, word, own), FALSE)

        if late is None:
            look(m, place, node, LOOKS, until=is_woken)
        else:
            flow.emit(Assume(is_woken(look(m, place, node, LOOKS))), span)
        flow.put(key, Slot(FALSE))
        flow.resume(by_itself, flow.leave())
        found = (flow.get(key) or Slot(FALSE)).expr
        flow.forget([key])
        threads.lock(e, node, arguments[1:2])
        return Value(found, t.INT)

    return meaning


def known_bit(bit: Expr) -> int:
    """The number that the bit of a thread is."""
    number = known(bit)
    assert number is not None
    return number


def _signal(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """Wakes up one of those who wait, any of them."""
    m = e.m
    place = object_of(e, arguments[0], *_CONDITIONS)
    waiters = sorted(m.world.before.waiters)
    if is_gone(m, place, node) or not waiters:
        return constant(0)
    choice = Register(m.flow.register())
    if len(waiters) > 1:
        m.flow.emit(Choose(choice.name, FALSE, Constant(len(waiters) - 1)), m.span(node))
    bit: Expr = Constant(1 << (waiters[-1] - 1))
    for index, number in reversed(list(enumerate(waiters[:-1]))):
        bit = select(binary(B.EQ, choice, Constant(index)), Constant(1 << (number - 1)), bit)

    def is_waiting(old: Expr) -> Expr:
        return binary(B.NE, binary(B.AND, old, bit), FALSE)

    old = changed(
        m,
        place,
        node,
        lambda old: binary(B.XOR, old, bit),
        tags=_RELAXED,
        condition=is_waiting,
        failed=LOOKS,
    )
    if len(waiters) > 1:
        # Where nobody waits, one choice is enough.
        nobody = binary(B.AND, binary(B.EQ, old, FALSE), binary(B.EQ, choice, FALSE))
        m.flow.emit(Assume(binary(B.OR, nobody, is_waiting(old))), m.span(node))
    return constant(0)


def _broadcast(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = object_of(e, arguments[0], *_CONDITIONS)
    if not is_gone(e.m, place, node):
        changed(e.m, place, node, lambda _: FALSE, tags=_RELAXED)
    return constant(0)


def _functions() -> dict[str, Library]:
    found: dict[str, Library] = {}
    for name, late in (("pthread_cond", ETIMEDOUT), ("cnd", THRD_TIMEDOUT)):
        found[f"{name}_init"] = Library(started(*_CONDITIONS, value=no_attributes), 1, 2)
        found[f"{name}_destroy"] = Library(ended(*_CONDITIONS), 1)
        found[f"{name}_wait"] = Library(_wait(), 2)
        found[f"{name}_timedwait"] = Library(_wait(late), 3)
        found[f"{name}_signal"] = Library(_signal, 1)
        found[f"{name}_broadcast"] = Library(_broadcast, 1)
    return found


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(_functions())
"""What each of them does."""
