"""What the world outside gives: the time, random numbers, text made by `snprintf`.

As long as nothing depends on such a number it is just one. Where something does (a branch, an assertion, what
is stored in memory), the program is translated again, and the number is one of a few; the rest is cut, and
the verdict says so. Text has no few cases: who looks at it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.machine import Machine
from membar.languages.c.values import B, Value, binary, constant, extended, known
from membar.languages.c.world import Place
from membar.program.dependencies import expressions_of
from membar.program.expr import FALSE, Constant, Register, registers_of
from membar.program.operations import WARNINGS, Assert, Choose, Set

Meaning = Callable[[Expressions, ast.FuncCall, Arguments], Value]
NUMBERS: Final = "outside"
TEXT: Final = "printed"
"""How registers are called that hold such numbers, or characters of such text."""
_LAST_NANOSECOND: Final = 999_999_999
_LAST_MICROSECOND: Final = 999_999
_MOST_TEXT: Final = 4096


def _unknown(e: Expressions, node: ast.Node, kind: t.Integer, hint: str) -> Value:
    """A number that does not matter."""
    register = Register(e.m.flow.register(hint))
    e.m.flow.emit(Set(register.name, FALSE), e.m.span(node))
    return Value(register, kind)


def _number(e: Expressions, node: ast.Node, kind: t.Integer, *, step: int = 1) -> Value:
    """A number that nobody knows: 0 or `step`, and others that are cut; one that does not matter is 0."""
    if NUMBERS not in e.m.world.before.outside:
        return _unknown(e, node, kind, NUMBERS)
    flow, span = e.m.flow, e.m.span(node)
    register = Register(flow.register())
    flow.emit(Choose(register.name, FALSE, Constant(2)), span)
    other, few = flow.branch(binary(B.EQ, register, Constant(2)), span)
    flow.state = other
    flow.endless(span)
    flow.state = few
    return Value(extended(binary(B.MUL, register, Constant(step)), kind), kind)


def matters(machine: Machine, hint: str) -> bool:
    """Whether anything that a thread does depends on numbers in registers that are called so."""
    edges = machine.flow.edges
    given = {
        operation.register
        for edge in edges
        for operation in edge.operations
        if isinstance(operation, Set) and operation.register.startswith(f"{hint}$")
    }
    before = 0
    while given and len(given) > before:
        before = len(given)
        for edge in edges:
            for operation in edge.operations:
                if isinstance(operation, Set) and given.intersection(registers_of(operation.value)):
                    given.add(operation.register)
    if not given:
        return False
    used = (
        expr
        for edge in edges
        for operation in edge.operations
        if not isinstance(operation, Set)
        and not (isinstance(operation, Assert) and operation.property in WARNINGS)
        for expr in expressions_of(operation)
    )
    guards = (edge.guard for edge in edges)
    return any(given.intersection(registers_of(expr)) for expr in (*used, *guards))


# Time


def _times(second: str, part: str, step: int, at: int) -> Meaning:
    """A function that writes the time into the structure that its argument number `at` points to."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        for item in (item for index, item in enumerate(arguments) if index != at):
            e.value(item)
        into = e.scalar(arguments[at])
        kind = t.unqualified(into.type.target) if isinstance(into.type, t.Pointer) else t.VOID
        if not isinstance(kind, t.Structure):
            e.m.refuse(arguments[at], "a pointer to a structure for the time is needed here", codes.CALL)
        for name, most in ((second, 1), (part, step)):
            member = t.member_of(kind, name)
            if member is None:
                e.m.refuse(arguments[at], f"`{t.spelled(kind)}` has no member `{name}`", codes.NAME)
            place = Place(e.m.moved(into.expr, member.offset), member.type)
            e.m.write(place, _number(e, node, t.LONG, step=most), node)
        return constant(0)

    return meaning


def _time(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    into = e.scalar(arguments[0]) if arguments else constant(0)
    now = _number(e, node, t.LONG)
    if known(into.expr) != 0:
        if not isinstance(into.type, t.Pointer):
            e.m.refuse(arguments[0], "a pointer is needed here", codes.CALL)
        e.m.write(Place(into.expr, into.type.target), now, node)
    return now


def _any(kind: t.Integer) -> Meaning:
    """A function that gives any number from 0 on."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        for item in arguments:
            e.value(item)
        return _number(e, node, kind)

    return meaning


def _setting(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """`getenv`: nothing is set; what would be if something were is cut."""
    del arguments
    found = _number(e, node, t.ULONG)
    if NUMBERS not in e.m.world.before.outside:
        return Value(found.expr, t.Pointer(t.CHAR))
    is_set, is_unset = e.m.flow.branch(found.expr, e.m.span(node))
    e.m.flow.state = is_set
    e.m.flow.endless(e.m.span(node))
    e.m.flow.state = is_unset
    return Value(FALSE, t.Pointer(t.CHAR))


def _nothing(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node
    for item in arguments:
        e.value(item)
    return constant(0)


# Text


def _prints_into(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """`snprintf`: the characters are nobody's business, but there must be room for them."""
    m = e.m
    into, size = e.scalar(arguments[0]), known(e.scalar(arguments[1]).expr)
    for item in arguments[2:]:
        if not isinstance(item, ast.Constant):
            e.value(item)
    if TEXT in m.world.before.outside:
        m.refuse(node, "text that is looked at after it was printed into memory")
    if size is None or size > _MOST_TEXT:
        m.refuse(node, "text of a length that is not known", codes.LAYOUT)
    for index in range(size):
        m.write(Place(m.moved(into.expr, index), t.CHAR), _unknown(e, node, t.CHAR, TEXT), node)
        if m.flow.is_dead:
            break
    return _unknown(e, node, t.INT, TEXT)


def _functions(names: Iterable[str], library: Library) -> dict[str, Library]:
    return dict.fromkeys(names, library)


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "clock_gettime": Library(_times("tv_sec", "tv_nsec", _LAST_NANOSECOND, 1), 2),
        "timespec_get": Library(_times("tv_sec", "tv_nsec", _LAST_NANOSECOND, 0), 2),
        "gettimeofday": Library(_times("tv_sec", "tv_usec", _LAST_MICROSECOND, 0), 2),
        "time": Library(_time, 1),
        "snprintf": Library(_prints_into, 3, 100),
        "vsnprintf": Library(_prints_into, 4),
        "rand_r": Library(_any(t.INT), 1),
        "getenv": Library(_setting, 1),
        "sysconf": Library(_any(t.LONG), 1),
        "write": Library(_any(t.LONG), 3),
    }
    | _functions(("clock", "random", "lrand48"), Library(_any(t.LONG), 0))
    | _functions(("rand",), Library(_any(t.INT), 0))
    | _functions(("nanosleep", "thrd_sleep"), Library(_nothing, 2))
    | _functions(("clock_nanosleep",), Library(_nothing, 4))
    | _functions(("srandom",), Library(_nothing, 1))
)
"""What each of them does."""
