"""Programs over `store(x,v)`, `load(x,v)` and `sync`, in the style of Linden and Wolper, as membar programs.

A load waits until it sees its value. Each program has error states: the places where threads must not be
together. Mutual exclusion algorithms come with and without a fence between announcing and looking.
`algorithms.py` has more of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Register, equals
from membar.program.operations import Assume, Fence, Load, Operation, Store
from membar.program.predicate import AtPoint, StatePredicate
from membar.program.program import Edge, MemoryObject, Program, Thread

OWN = "MFENCE"
ALL = "FLUSH-ALL"
WORD = 4


# Threads by number, each with a control point.
Place: TypeAlias = Sequence[tuple[int, int]]


@dataclass(slots=True)
class Code:
    """A thread in the making: steps between named points."""

    edges: list[Edge] = field(default_factory=list)
    points: dict[str, int] = field(default_factory=lambda: {"start": 0})

    def at(self, name: str) -> int:
        """The number of a point."""
        return self.points.setdefault(name, len(self.points))

    def step(self, source: str, target: str, *operations: Operation) -> None:
        """A step that does these operations."""
        edge = Edge(source=self.at(source), target=self.at(target), operations=operations)
        self.edges.append(edge)

    def store(self, source: str, target: str, place: str, value: int | Expr) -> None:
        """A store of a value."""
        word = Constant(value) if isinstance(value, int) else value
        self.step(source, target, Store(address=Address(place), value=word, size=WORD))

    def load(self, source: str, target: str, place: str, *values: int) -> None:
        """Goes on when the location holds one of the values."""
        for value in values:
            load = Load(register="t", address=Address(place), size=WORD)
            self.step(source, target, load, Assume(equals(Register("t"), Constant(value)), waits=True))

    def fence(self, source: str, target: str, tag: str | None) -> None:
        """A fence, or nothing."""
        self.step(source, target, *(() if tag is None else (Fence(frozenset({tag})),)))

    def name_of(self, point: int) -> str:
        """The name of a point."""
        return next(name for name, number in self.points.items() if number == point)

    def thread(self, name: str) -> Thread:
        """The finished thread."""
        labels = tuple((number, label) for label, number in self.points.items())
        return Thread(name=name, entry=0, edges=tuple(self.edges), labels=labels)


def program(name: str, memory: dict[str, int], codes: list[Code], places: Sequence[Place] = ()) -> Program:
    """The threads `p0`, `p1`, … over this memory, which must not be together at any of the places."""
    return Program(
        name=name,
        language="Program",
        objects=tuple(MemoryObject(name=item, initial=(value,)) for item, value in memory.items()),
        threads=tuple(code.thread(f"p{number}") for number, code in enumerate(codes)),
        errors=tuple(_together(place, codes) for place in places),
    )


def _together(place: Place, codes: list[Code]) -> StatePredicate:
    reads = tuple((f"p{thread}", AtPoint(thread, frozenset({point}))) for thread, point in place)
    condition: Expr = Register(reads[0][0])
    for name, _ in reads[1:]:
        condition = Binary(BinaryOp.AND, condition, Register(name))
    text = " and ".join(f"p{thread}@{codes[thread].name_of(point)}" for thread, point in place)
    return StatePredicate(condition, reads, text)


def exclusive(name: str, memory: dict[str, int], codes: list[Code], *, among: int | None = None) -> Program:
    """No two of the first `among` threads are at `critical` together."""
    count = len(codes) if among is None else among
    pairs = [(a, b) for a in range(count) for b in range(a)]
    places = [((a, codes[a].at("critical")), (b, codes[b].at("critical"))) for a, b in pairs]
    return program(name, memory, codes, places)


def dekker(*, repeated: bool, fence: str | None) -> Program:
    """Dekker's algorithm for two threads."""
    codes = []
    for me in (0, 1):
        other = 1 - me
        code = Code()
        code.store("start", "announced", f"flag{me}", 1)
        code.fence("announced", "look", fence)
        code.load("look", "critical", f"flag{other}", 0)
        code.load("look", "contended", f"flag{other}", 1)
        code.load("contended", "look", "turn", me)
        code.load("contended", "back off", "turn", other)
        code.store("back off", "wait", f"flag{me}", 0)
        code.load("wait", "start", "turn", me)
        code.store("critical", "hand over", "turn", other)
        code.store("hand over", "start" if repeated else "end", f"flag{me}", 0)
        codes.append(code)
    return exclusive(_title("dekker", repeated, fence), {"flag0": 0, "flag1": 0, "turn": 0}, codes)


def peterson(*, repeated: bool, fence: str | None) -> Program:
    """Peterson's algorithm for two threads."""
    codes = []
    for me in (0, 1):
        other = 1 - me
        code = Code()
        code.store("start", "announced", f"flag{me}", 1)
        code.store("announced", "polite", "turn", other)
        code.fence("polite", "look", fence)
        code.load("look", "critical", f"flag{other}", 0)
        code.load("look", "critical", "turn", me)
        code.store("critical", "start" if repeated else "end", f"flag{me}", 0)
        codes.append(code)
    return exclusive(_title("peterson", repeated, fence), {"flag0": 0, "flag1": 0, "turn": 0}, codes)


def _title(name: str, repeated: bool, fence: str | None) -> str:  # noqa: FBT001 - two facts of a row
    return f"{name}, {'repeated' if repeated else 'single'} entry{' + sync' if fence else ''}"


def table_two() -> Iterator[Program]:
    """The rows of table 2."""
    for algorithm in (dekker, peterson):
        for repeated in (False, True):
            for fence in (None, ALL):
                yield algorithm(repeated=repeated, fence=fence)


def table_one() -> Program:
    """Intra-processor forwarding: both threads end under TSO, never under SC."""
    codes = []
    for mine, other in (("x", "y"), ("y", "x")):
        code = Code()
        code.store("start", "stored", mine, 1)
        code.load("stored", "forwarded", mine, 1)
        code.load("forwarded", "end", other, 0)
        codes.append(code)
    both = ((0, codes[0].at("end")), (1, codes[1].at("end")))
    return program("table 1", {"x": 0, "y": 0}, codes, [both])


def figure_two() -> Program:
    """Two threads that store forever and never look."""
    codes = []
    for place in ("x", "y"):
        code = Code()
        code.store("start", "on", place, 1)
        code.store("on", "start", place, 0)
        codes.append(code)
    return program("figure 2", {"x": 0, "y": 0}, codes)


def figure_four() -> Program:
    """A cycle of the first thread unlocks one of the second."""
    first, second = Code(), Code()
    first.store("start", "2", "x", 1)
    first.load("2", "3", "y", 1)
    first.store("3", "4", "x", 0)
    first.load("4", "start", "y", 1)
    second.store("start", "2", "y", 1)
    second.load("2", "3", "x", 0)
    second.store("3", "4", "y", 0)
    second.load("4", "start", "x", 1)
    return program("figure 4", {"x": 1, "y": 1}, [first, second])
