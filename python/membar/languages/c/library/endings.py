"""The ends of things of <pthread.h>: threads that are joined or detached, locks that are destroyed."""

from __future__ import annotations

from pycparser import c_ast as ast

from membar.languages.c import liveness
from membar.languages.c import types as t
from membar.languages.c.flow import Key
from membar.languages.c.machine import Machine
from membar.languages.c.values import B, Slot, binary, known
from membar.languages.c.world import Object, Place
from membar.program.expr import FALSE, Address, Constant, Register
from membar.program.operations import Load, Rmw

LOCKS = "locks"
"""The property that is violated by a misuse of locks and threads."""


def _over(number: int) -> Key:
    """The variable of the flow that says at which line a thread was joined or detached; 0: it was not."""
    return ("over", number, "over")


def begin(m: Machine, number: int) -> None:
    """A thread is created, and may be joined or detached once."""
    m.flow.put(_over(number), Slot(FALSE))


def end_once(m: Machine, number: int, node: ast.Node, what: str) -> None:
    """A violation if the thread was joined or detached before; `what` it is now."""
    line = (m.flow.get(_over(number)) or Slot(FALSE)).expr
    where = f" at line {known(line)}" if known(line) else " before"
    message = f"a thread is {what} that was joined or detached{where}"
    m.check(binary(B.EQ, line, FALSE), message, node, kind=LOCKS)
    m.flow.put(_over(number), Slot(Constant(m.span(node).line)))
    m.world.after.enders.add((number, m.number))
    if len({ender for ended, ender in m.world.before.enders if ended == number}) > 1:
        _end_once_of_all(m, number, node, what)


def _end_once_of_all(m: Machine, number: int, node: ast.Node, what: str) -> None:
    """A violation if another thread joined or detached the thread before: memory says who did."""
    if m.flow.is_dead:
        return
    label = f"over@{number}"
    if label not in m.world.objects:
        item = Object(label=label, name=label, type=t.UINT, declared=label, in_memory=True, span=m.span(node))
        m.world.new_object(item)
    found, tags = Register(m.flow.register()), frozenset({"RLX", "RMW"})
    m.flow.emit(
        Rmw(
            register=found.name,
            address=Address(label),
            value=Constant(m.span(node).line),
            size=4,
            read_tags=tags,
            write_tags=tags,
        ),
        m.span(node),
    )
    message = f"a thread is {what} that another thread joined or detached"
    m.check(binary(B.EQ, found, FALSE), message, node, kind=LOCKS)


def destroyed(m: Machine, place: Place, node: ast.Node, *, holders: int = 0xFFFF_FFFF) -> None:
    """A violation if a lock is destroyed while somebody holds it, as those of its bits say."""
    if m.world.is_kernel or m.flow.is_dead or m.is_bad(place, node):
        return
    found = Register(m.flow.register())
    tags = frozenset({"RLX"})
    size = t.size_of(place.type) or 4
    m.flow.emit(Load(register=found.name, address=place.address, size=size, tags=tags), m.span(node))
    liveness.check_found(m, place.address, found, place.type, node)
    message = "a lock is destroyed while it is held"
    held = binary(B.AND, found, Constant(holders))
    m.check(binary(B.EQ, held, FALSE), message, node, kind=LOCKS)
