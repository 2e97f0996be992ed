"""Programs over `store(x,v)`, `load(x,v)` and `sync`, in the style of Linden and Wolper, as membar programs.

A load waits until it sees its value. Each program has error states: the places where threads must not be
together. Mutual exclusion algorithms come with and without a fence between announcing and looking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Register, equals
from membar.program.operations import Assume, Fence, Load, Operation, Rmw, Set, Store
from membar.program.program import Edge, MemoryObject, Program, Thread

OWN = "MFENCE"
ALL = "FLUSH-ALL"
_WORD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program with its error states."""

    name: str
    program: Program
    places: tuple[tuple[tuple[int, int], ...], ...]


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
        self.step(source, target, Store(address=Address(place), value=word, size=_WORD))

    def load(self, source: str, target: str, place: str, *values: int) -> None:
        """Goes on when the location holds one of the values."""
        for value in values:
            load = Load(register="t", address=Address(place), size=_WORD)
            self.step(source, target, load, Assume(equals(Register("t"), Constant(value)), waits=True))

    def fence(self, source: str, target: str, tag: str | None) -> None:
        """A fence, or nothing."""
        self.step(source, target, *(() if tag is None else (Fence(frozenset({tag})),)))

    def thread(self, name: str) -> Thread:
        """The finished thread."""
        return Thread(name=name, entry=0, edges=tuple(self.edges))


def program(name: str, memory: dict[str, int], codes: list[Code]) -> Program:
    """The threads `p0`, `p1`, … over this memory."""
    objects = tuple(MemoryObject(name=item, initial=(value,)) for item, value in memory.items())
    threads = tuple(code.thread(f"p{number}") for number, code in enumerate(codes))
    return Program(name=name, language="Program", objects=objects, threads=threads)


def exclusive(name: str, memory: dict[str, int], codes: list[Code]) -> Case:
    """No two threads are at `critical` together."""
    pairs = [(a, b) for a in range(len(codes)) for b in range(a)]
    places = tuple(((a, codes[a].at("critical")), (b, codes[b].at("critical"))) for a, b in pairs)
    return Case(name=name, program=program(name, memory, codes), places=places)


def dekker(*, repeated: bool, fence: str | None) -> Case:
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


def peterson(*, repeated: bool, fence: str | None) -> Case:
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


def table_two() -> Iterator[Case]:
    """The rows of table 2."""
    for algorithm in (dekker, peterson):
        for repeated in (False, True):
            for fence in (None, ALL):
                yield algorithm(repeated=repeated, fence=fence)


def table_one() -> Case:
    """Intra-processor forwarding: both threads end under TSO, never under SC."""
    codes = []
    for mine, other in (("x", "y"), ("y", "x")):
        code = Code()
        code.store("start", "stored", mine, 1)
        code.load("stored", "forwarded", mine, 1)
        code.load("forwarded", "end", other, 0)
        codes.append(code)
    both = ((0, codes[0].at("end")), (1, codes[1].at("end")))
    return Case(name="table 1", program=program("forwarding", {"x": 0, "y": 0}, codes), places=(both,))


def figure_two() -> Case:
    """Two threads that store for ever and never look."""
    codes = []
    for place in ("x", "y"):
        code = Code()
        code.store("start", "on", place, 1)
        code.store("on", "start", place, 0)
        codes.append(code)
    return Case(name="figure 2", program=program("figure 2", {"x": 0, "y": 0}, codes), places=())


def figure_four() -> Case:
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
    memory = {"x": 1, "y": 1}
    return Case(name="figure 4", program=program("figure 4", memory, [first, second]), places=())


def naive_mutex(count: int, *, fence: str | None) -> Case:
    """Announce, then look at everybody."""
    codes = []
    for me in range(count):
        code = Code()
        code.store("start", "announced", f"x{me}", 1)
        code.fence("announced", "look 0", fence)
        _look_at_all(code, me, count, "x")
        code.store("critical", "start", f"x{me}", 0)
        codes.append(code)
    return exclusive(f"naive mutex{' + fence' if fence else ''}", {f"x{n}": 0 for n in range(count)}, codes)


def _look_at_all(code: Code, me: int, count: int, place: str) -> None:
    for other in range(count):
        target = f"look {other + 1}" if other + 1 < count else "critical"
        if other == me:
            code.step(f"look {other}", target)
        else:
            code.load(f"look {other}", target, f"{place}{other}", 0)


def lamport(count: int, *, fence: str | None) -> Case:
    """Lamport's fast mutex."""
    codes = []
    for me in range(count):
        code, mine = Code(), me + 1
        code.store("start", "b", f"b{me}", 1)
        code.store("b", "x", "x", mine)
        code.fence("x", "look y", fence)
        code.load("look y", "retreat", "y", *range(1, count + 1))
        code.load("look y", "claim", "y", 0)
        code.store("retreat", "wait y", f"b{me}", 0)
        code.load("wait y", "start", "y", 0)
        code.store("claim", "claimed", "y", mine)
        code.fence("claimed", "look x", fence)
        code.load("look x", "critical", "x", mine)
        code.load("look x", "slow", "x", *(other for other in range(count + 1) if other != mine))
        code.store("slow", "slow fence", f"b{me}", 0)
        code.fence("slow fence", "await 0", fence)
        for other in range(count):
            code.load(f"await {other}", f"await {other + 1}", f"b{other}", 0)
        code.load(f"await {count}", "critical", "y", mine)
        code.load(f"await {count}", "wait y", "y", *(o for o in range(count + 1) if o != mine))
        code.store("critical", "leave", "y", 0)
        code.store("leave", "start", f"b{me}", 0)
        codes.append(code)
    memory = {"x": 0, "y": 0} | {f"b{n}": 0 for n in range(count)}
    return exclusive(f"lamport{' + fence' if fence else ''}", memory, codes)


def burns(count: int, *, fence: str | None) -> Case:
    """Burns' algorithm."""
    codes = []
    for me in range(count):
        code = Code()
        code.store("start", "lower fence", f"f{me}", 0)
        code.fence("lower fence", "lower 0", fence)
        for other in range(me):
            code.load(f"lower {other}", f"lower {other + 1}", f"f{other}", 0)
            code.load(f"lower {other}", "start", f"f{other}", 1)
        code.store(f"lower {me}", "raised", f"f{me}", 1)
        code.fence("raised", "again 0", fence)
        for other in range(me):
            code.load(f"again {other}", f"again {other + 1}", f"f{other}", 0)
            code.load(f"again {other}", "start", f"f{other}", 1)
        code.step(f"again {me}", f"higher {me + 1}")
        for other in range(me + 1, count):
            code.load(f"higher {other}", f"higher {other + 1}", f"f{other}", 0)
        code.step(f"higher {count}", "critical")
        code.store("critical", "start", f"f{me}", 0)
        codes.append(code)
    return exclusive(f"burns{' + fence' if fence else ''}", {f"f{n}": 0 for n in range(count)}, codes)


def szymanski(count: int, *, fence: str | None) -> Case:
    """Szymanski's algorithm."""
    codes = []
    for me in range(count):
        code = Code()
        others = [other for other in range(count) if other != me]
        code.store("start", "raised", f"f{me}", 1)
        code.fence("raised", "door 0", fence)
        for index, other in enumerate(others):
            code.load(f"door {index}", f"door {index + 1}", f"f{other}", 0, 1, 2)
        code.store(f"door {len(others)}", "inside", f"f{me}", 3)
        code.fence("inside", "who 0", fence)
        for index, other in enumerate(others):
            code.load(f"who {index}", f"who {index + 1}", f"f{other}", 0, 2, 3, 4)
            code.load(f"who {index}", "let in", f"f{other}", 1)
        code.step(f"who {len(others)}", "close")
        code.store("let in", "let in fence", f"f{me}", 2)
        code.fence("let in fence", "wait", fence)
        for other in others:
            code.load("wait", "close", f"f{other}", 4)
        code.store("close", "closed", f"f{me}", 4)
        code.fence("closed", "lower 0", fence)
        for other in range(me):
            code.load(f"lower {other}", f"lower {other + 1}", f"f{other}", 0, 1)
        code.step(f"lower {me}", "critical")
        code.step("critical", f"out {me + 1}")
        for other in range(me + 1, count):
            code.load(f"out {other}", f"out {other + 1}", f"f{other}", 0, 1, 4)
        code.store(f"out {count}", "start", f"f{me}", 0)
        codes.append(code)
    return exclusive(f"szymanski{' + fence' if fence else ''}", {f"f{n}": 0 for n in range(count)}, codes)


def spinlock(count: int, *, fence: str | None) -> Case:
    """Test and set; the lock is given back by a plain store."""
    del fence  # the exchange is one
    codes = []
    for _ in range(count):
        code = Code()
        code.step("start", "critical", _exchange("lock", Constant(1)), _was(0))
        code.store("critical", "start", "lock", 0)
        codes.append(code)
    return exclusive("spinlock", {"lock": 0}, codes)


def ticket_lock(count: int, *, fence: str | None) -> Case:
    """Tickets count modulo the number of threads plus one."""
    del fence
    codes = []
    for _ in range(count):
        code, turns = Code(), Constant(count + 1)
        after = Binary(BinaryOp.REM, Binary(BinaryOp.ADD, Register("t"), Constant(1)), turns)
        code.step("start", "wait", _exchange("next", after), Set("mine", Register("t")))
        load = Load(register="t", address=Address("serving"), size=_WORD)
        code.step("wait", "critical", load, Assume(equals(Register("t"), Register("mine")), waits=True))
        following = Binary(BinaryOp.REM, Binary(BinaryOp.ADD, Register("mine"), Constant(1)), turns)
        code.store("critical", "start", "serving", following)
        codes.append(code)
    return exclusive("ticket lock", {"next": 0, "serving": 0}, codes)


def barrier(count: int, *, fence: str | None) -> Case:
    """Sense-reversing: nobody is a phase ahead of somebody still in the one before."""
    del fence
    codes = []
    for _ in range(count):
        code = Code()
        for phase in (0, 1):
            here, there = ("start", "two") if phase == 0 else ("two", "start")
            wait = f"wait {phase}"
            less = Binary(BinaryOp.SUB, Register("t"), Constant(1))
            left = _exchange("left", less)
            code.step(here, wait, left, Assume(_differs(1), waits=True))
            code.step(here, f"last {phase}", left, _was(1))
            code.store(f"last {phase}", f"open {phase}", "left", count)
            code.store(f"open {phase}", there, "sense", 1 - phase)
            code.load(wait, there, "sense", 1 - phase)
        codes.append(code)
    # Somebody opens the second phase while another still waits for the first.
    ahead = tuple(
        ((a, codes[a].at("open 1")), (b, codes[b].at("wait 0")))
        for a in range(count) for b in range(count) if a != b
    )  # fmt: skip
    return Case(
        name="sense-reversing barrier",
        program=program("barrier", {"left": count, "sense": 0}, codes),
        places=ahead,
    )


def _exchange(place: str, value: Expr) -> Rmw:
    locked = frozenset({"X"})
    return Rmw(
        register="t", address=Address(place), value=value, size=_WORD, read_tags=locked, write_tags=locked
    )


def _was(value: int) -> Assume:
    return Assume(equals(Register("t"), Constant(value)), waits=True)


def _differs(value: int) -> Expr:
    return Binary(BinaryOp.NE, Register("t"), Constant(value))


ALGORITHMS: tuple[tuple[Callable[..., Case], bool], ...] = (
    (naive_mutex, True),
    (lamport, True),
    (burns, True),
    (szymanski, True),
    (spinlock, False),
    (ticket_lock, False),
    (barrier, False),
)


def others(count: int) -> Iterator[Case]:
    """The other algorithms for `count` threads, those that need fences also without."""
    for algorithm, needs_fence in ALGORITHMS:
        if needs_fence:
            yield algorithm(count, fence=None)
        yield algorithm(count, fence=OWN)
