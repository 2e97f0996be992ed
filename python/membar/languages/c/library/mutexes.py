"""Mutexes with attributes: recursive ones, and those that say if the thread holds them already.

In programs that have any, the word of a mutex says who holds it (`OWNER`), how often besides (`_MORE`), and
of which kind it is (`_KIND`); 0 is a free mutex without attributes. All others have the simpler words of
`threads.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, contents, liveness
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library.atomics import target
from membar.languages.c.library.endings import LOCKS
from membar.languages.c.machine import Machine
from membar.languages.c.values import B, Value, binary, constant, known, select
from membar.languages.c.world import Place
from membar.program.expr import FALSE, Constant, Expr, Register
from membar.program.operations import Load, Rmw, Store

OWNER: Final = 0xFF
_MORE: Final = 0x100
_COUNT: Final = 0xFFFF00
_KIND: Final = 0x1000000
_KINDS: Final = 0x3000000
NORMAL, RECURSIVE, CHECKED = 0, 1, 2
_EDEADLK: Final = 35
_EPERM: Final = 1
_ACQUIRES: Final = frozenset({"ACQ", "RMW"})
_TAKEN: Final = frozenset({"RLX", "LF"})


def kind_of_attributes(e: Expressions, node: ast.Node, whose: str) -> int:
    """The kind that attributes ask for, which must be known; a null pointer asks for nothing."""
    pointer = e.scalar(node)
    if known(pointer.expr) == 0:
        return NORMAL
    if not isinstance(pointer.type, t.Pointer) or t.unqualified(pointer.type.target) != t.INT:
        e.m.refuse(node, f"attributes of {whose} are needed here", codes.CALL)
    found = e.m.read(Place(pointer.expr, t.INT), node)
    kind = known(found.expr) if isinstance(found, Value) else None
    if kind is None:
        if not e.m.flow.is_dead:
            contents.needed_to_go_on(e.m)
        e.m.refuse(node, f"{whose} with attributes that are not known before the program runs")
    return kind


def first_word(m: Machine, kind: int) -> Expr:
    """What a free mutex of a kind holds."""
    if kind != NORMAL:
        m.world.after.mutex_kinds = True
    return Constant(kind * _KIND)


def _is(word: Expr, kind: int) -> Expr:
    return binary(B.EQ, binary(B.AND, word, Constant(_KINDS)), Constant(kind * _KIND))


def _is_free(word: Expr) -> Expr:
    return binary(B.EQ, binary(B.AND, word, Constant(OWNER)), FALSE)


def _is_mine(word: Expr, me: Expr) -> Expr:
    return binary(B.EQ, binary(B.AND, word, Constant(OWNER)), me)


def attempt(m: Machine, place: Place, me: Expr, node: ast.Node, *, blocks: bool = False) -> tuple[Expr, Expr]:
    """Takes a mutex if that is possible: whether it was, and the word that was found.

    Or `blocks` until it is; one that checks says at once if this thread holds it.
    """
    if blocks:
        m.flow.cut()
    word = Register(m.flow.register())
    again = binary(B.AND, _is(word, RECURSIVE), _is_mine(word, me))
    is_open = binary(B.OR, _is_free(word), again)
    taken = select(_is_free(word), binary(B.OR, word, me), binary(B.ADD, word, Constant(_MORE)))
    m.flow.emit(
        Rmw(
            register=word.name,
            address=place.address,
            value=taken,
            size=t.size_of(place.type) or 4,
            condition=is_open,
            read_tags=_ACQUIRES,
            write_tags=_ACQUIRES,
            failed_tags=_TAKEN,
        ),
        m.span(node),
    )
    if blocks:
        liveness.block_until(m, binary(B.OR, is_open, _is_refused(word, me)), place, word, node)
    liveness.check_found(m, place.address, word, place.type, node)
    return is_open, word


def _is_refused(word: Expr, me: Expr) -> Expr:
    """Whether a mutex that checks is held by this thread already."""
    return binary(B.AND, _is(word, CHECKED), _is_mine(word, me))


def lock(m: Machine, place: Place, me: Expr, node: ast.Node) -> Value:
    """Waits until the mutex can be taken; one that checks says at once if this thread holds it."""
    _, word = attempt(m, place, me, node, blocks=True)
    return Value(select(_is_refused(word, me), constant(_EDEADLK).expr, FALSE), t.INT)


def unlock(m: Machine, place: Place, me: Expr, node: ast.Node) -> Value:
    """Gives a mutex back once; one that checks says if this thread does not hold it."""
    word = Register(m.flow.register())
    size = t.size_of(place.type) or 4
    looks = frozenset({"RLX"})
    m.flow.emit(Load(register=word.name, address=place.address, size=size, tags=looks), m.span(node))
    liveness.check_found(m, place.address, word, place.type, node)
    mine = _is_mine(word, me)
    message = "a mutex is unlocked by a thread that does not hold it"
    m.check(binary(B.OR, mine, _is(word, CHECKED)), message, node, kind=LOCKS)
    held, not_held = m.flow.branch(mine, m.span(node))
    m.flow.state = held
    is_last = binary(B.EQ, binary(B.AND, word, Constant(_COUNT)), FALSE)
    less = select(is_last, binary(B.AND, word, Constant(_KINDS)), binary(B.SUB, word, Constant(_MORE)))
    releases = frozenset({"REL"})
    m.flow.emit(Store(address=place.address, value=less, size=size, tags=releases), m.span(node))
    m.flow.resume(m.flow.leave(), not_held)
    return Value(select(mine, FALSE, constant(_EPERM).expr), t.INT)


# Attributes


def attributes(e: Expressions, node: ast.Node) -> Place:
    """The variable that attributes are."""
    place = target(e, node)
    if t.unqualified(place.type) != t.INT:
        e.m.refuse(node, "attributes are needed here", codes.CALL)
    return place


def begin_attributes(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """Attributes that ask for nothing."""
    e.m.write(attributes(e, arguments[0]), constant(NORMAL), node)
    return constant(0)


def _set_kind(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = attributes(e, arguments[0])
    kind = e.scalar(arguments[1])
    if known(kind.expr) not in (NORMAL, RECURSIVE, CHECKED):
        e.m.refuse(arguments[1], "a kind of mutex that is not known")
    e.m.write(place, kind, node)
    return constant(0)


def _set_robust(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node
    attributes(e, arguments[0])
    if known(e.scalar(arguments[1]).expr) != 0:
        e.m.refuse(arguments[1], "a robust mutex")
    return constant(0)


def _ignored(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """What changes nothing here: priorities, and mutexes that several processes share."""
    del node
    for item in arguments:
        e.value(item)
    return constant(0)


_PREFIX: Final = "pthread_mutexattr_"
FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        f"{_PREFIX}init": Library(begin_attributes, 1),
        f"{_PREFIX}destroy": Library(_ignored, 1),
        f"{_PREFIX}settype": Library(_set_kind, 2),
        f"{_PREFIX}setrobust": Library(_set_robust, 2),
        f"{_PREFIX}setpshared": Library(_ignored, 2),
        f"{_PREFIX}setprotocol": Library(_ignored, 2),
    }
)
"""What each of them does."""
