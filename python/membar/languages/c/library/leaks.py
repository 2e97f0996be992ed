"""Memory that is never freed: a warning at the end of `main`, where all other threads have ended.

Which slots were used is known to the flow of each thread: a word per call that allocates, with a bit for each
of its slots. What another thread knows only while it runs it leaves in a cell at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pycparser import c_ast as ast

from membar.languages.c import heap, lifetimes, liveness
from membar.languages.c import types as t
from membar.languages.c.flow import MADE, Key
from membar.languages.c.machine import Machine
from membar.languages.c.values import B, Slot, binary, known
from membar.languages.c.world import Object
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, Register
from membar.program.operations import LEAKS, Assert, Load, Store, Tags
from membar.program.warnings import LEAK, LOOK


@dataclass(frozen=True, slots=True)
class _Call:
    """The slots of a call, and the variable of the flow that says which of them were used."""

    key: Key
    labels: tuple[str, ...]


def pool_key(call: int) -> Key:
    """The variable of the flow that counts what a call in a loop allocated."""
    return ("pool", call, "pool")


def _key(labels: tuple[str, ...]) -> Key:
    return (MADE, labels[0], "made")


def begin(m: Machine) -> None:
    """A thread begins, and has allocated nothing."""
    pools = [call for number, call in m.world.before.pools if number == m.number]
    m.flow.put_all({pool_key(call): Slot(FALSE) for call in pools})
    if m.world.before.tells_leaks:
        own = [label for label in m.world.before.slots if label.startswith(f"{m.name}/")]
        m.flow.put_all({_key((label,)): Slot(FALSE) for label in own})


def made(m: Machine, node: ast.FuncCall, labels: tuple[str, ...]) -> None:
    """The slot that a call chose is used from here on: its only one, or the last that it counted."""
    if not m.world.before.tells_leaks:
        return
    word = (m.flow.get(_key(labels)) or Slot(FALSE)).expr
    count = (m.flow.get(pool_key(id(node))) or Slot(FALSE)).expr if m.loops else TRUE
    bit = binary(B.SHL, TRUE, binary(B.SUB, count, TRUE))
    m.flow.put(_key(labels), Slot(m.flow.named(binary(B.OR, word, bit), m.span(node)) if m.loops else bit))


def leave(m: Machine, node: ast.Node) -> None:
    """Another thread than `main` ends: it leaves what it knows."""
    if not m.world.before.tells_leaks or m.flow.is_dead:
        return
    for call in _calls(m):
        value = (m.flow.get(call.key) or Slot(FALSE)).expr
        number, cell = known(value), f"{LOOK}{call.labels[0]}"
        m.world.after.made.update({label: (cell, index, number) for index, label in enumerate(call.labels)})
        if number is None:
            item = Object(label=cell, name=cell, type=t.ULONG, declared=("made", cell), in_memory=True)
            m.world.new_object(item)
            m.flow.emit(Store(address=Address(cell), value=value, size=8, tags=_plain(m)), m.span(node))


def check(m: Machine, node: ast.Node) -> None:
    """Warns at the end of `main` of memory that is never freed, if all threads have ended."""
    world = m.world
    others = range(2, world.before.threads + 1)
    joined = lifetimes.joined_in(m.flow.state)
    if m.flow.is_dead:
        return
    if any(number not in joined for number in others):
        world.ends_beside_threads = True
        return
    world.after.tells_leaks = True
    if not world.before.tells_leaks:
        return
    own = {label: call for call in _calls(m) for label in call.labels}
    for label, slot in world.before.slots.items():
        if slot.thread:
            continue
        if label in own:
            value = (m.flow.get(own[label].key) or Slot(FALSE)).expr
            index = own[label].labels.index(label)
        else:
            value, index = _left(m, label, node)
        is_made = binary(B.AND, binary(B.SHR, value, Constant(index)), TRUE)
        if known(is_made) == 0:
            continue
        freed_at = _looked(m, liveness.state_of(world, Address(label)), heap.STATE_SIZE, node)
        is_fine = binary(B.OR, binary(B.NE, freed_at, FALSE), binary(B.EQ, is_made, FALSE))
        message = f"{LEAK}memory allocated at line {slot.line} is never freed"
        m.flow.emit(Assert(is_fine, message, property=LEAKS), m.span(node))


def _left(m: Machine, label: str, node: ast.Node) -> tuple[Expr, int]:
    """Which slots of a call another thread used, and the number of one of them."""
    cell, index, number = m.world.before.made.get(label, ("", 0, 0))
    return (_looked(m, Address(cell), 8, node) if number is None else Constant(number)), index


def _calls(m: Machine) -> Iterator[_Call]:
    """The calls of a thread that allocate."""
    pools = {call: labels for (number, call), labels in m.world.pools.items() if number == m.number}
    yield from (_Call(_key(labels), labels) for labels in pools.values())
    pooled = {label for labels in pools.values() for label in labels}
    for label, slot in m.world.allocated().items():
        if not slot.thread and label not in pooled and label.startswith(f"{m.name}/"):
            yield _Call(_key((label,)), (label,))


def _looked(m: Machine, address: Expr, size: int, node: ast.Node) -> Register:
    register = Register(m.flow.register(LOOK.removesuffix("$")))
    m.flow.emit(Load(register=register.name, address=address, size=size, tags=_plain(m)), m.span(node))
    return register


def _plain(m: Machine) -> Tags:
    return frozenset() if m.world.is_kernel else frozenset({"NA"})
