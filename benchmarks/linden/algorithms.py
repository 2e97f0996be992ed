"""Mutual exclusion algorithms, locks, barriers and protocols, for any number of threads.

Those of Cubicle-W's table (Conchon, Declerck, Zaïdi) are written as programs here: the naive mutex, Lamport's
short mutex, the counting spinlock, the barrier with flags, both arbiters and two-phase commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from linden.programs import OWN, WORD, Code, exclusive, program

from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Register, equals
from membar.program.operations import Assume, Fence, Load, Operation, Rmw, Set, Store
from membar.program.program import Program


def naive_mutex(count: int, *, fence: str | None) -> Program:
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


def lamport(count: int, *, fence: str | None) -> Program:
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


def burns(count: int, *, fence: str | None) -> Program:
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


def szymanski(count: int, *, fence: str | None) -> Program:
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


def spinlock(count: int, *, fence: str | None) -> Program:
    """Test and set; the lock is given back by a plain store."""
    del fence  # the exchange is one
    codes = []
    for _ in range(count):
        code = Code()
        code.step("start", "critical", _exchange("lock", Constant(1)), _was(0))
        code.store("critical", "start", "lock", 0)
        codes.append(code)
    return exclusive("spinlock", {"lock": 0}, codes)


def ticket_lock(count: int, *, fence: str | None) -> Program:
    """Tickets count modulo the number of threads plus one."""
    del fence
    codes = []
    for _ in range(count):
        code, turns = Code(), Constant(count + 1)
        after = Binary(BinaryOp.REM, Binary(BinaryOp.ADD, Register("t"), Constant(1)), turns)
        code.step("start", "wait", _exchange("next", after), Set("mine", Register("t")))
        load = Load(register="t", address=Address("serving"), size=WORD)
        code.step("wait", "critical", load, Assume(equals(Register("t"), Register("mine")), waits=True))
        following = Binary(BinaryOp.REM, Binary(BinaryOp.ADD, Register("mine"), Constant(1)), turns)
        code.store("critical", "start", "serving", following)
        codes.append(code)
    return exclusive("ticket lock", {"next": 0, "serving": 0}, codes)


def counting_barrier(count: int, *, fence: str | None) -> Program:
    """Sense-reversing, with a counter: nobody is a phase ahead of somebody still in the one before."""
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
    ahead = [
        ((a, codes[a].at("open 1")), (b, codes[b].at("wait 0")))
        for a in range(count) for b in range(count) if a != b
    ]  # fmt: skip
    return program("sense-reversing barrier (counter)", {"left": count, "sense": 0}, codes, ahead)


def flag_barrier(count: int, *, fence: str | None) -> Program:
    """Sense-reversing, with a flag per thread: each waits until all others have turned theirs."""
    del fence
    codes = []
    for me in range(count):
        code = Code()
        for phase, (here, there) in enumerate((("start", "second"), ("second", "start"))):
            code.store(here, f"turned {phase} 0", f"f{me}", 1 - phase)
            others = [other for other in range(count) if other != me]
            for index, other in enumerate(others):
                target = f"turned {phase} {index + 1}" if index + 1 < len(others) else there
                code.load(f"turned {phase} {index}", target, f"f{other}", 1 - phase)
        codes.append(code)
    apart = [
        ((a, codes[a].at("start")), (b, codes[b].at("second")))
        for a in range(count) for b in range(count) if a != b
    ]  # fmt: skip
    return program("sense-reversing barrier (flags)", {f"f{n}": 0 for n in range(count)}, codes, apart)


def short_lamport(count: int, *, fence: str | None) -> Program:
    """Lamport's fast mutex without the flags: a thread that does not get in begins again."""
    codes = []
    for me in range(count):
        code, mine = Code(), me + 1
        others = [other for other in range(count + 1) if other != mine]
        code.store("start", "x", "x", mine)
        code.fence("x", "look y", fence)
        code.load("look y", "start", "y", *range(1, count + 1))
        code.load("look y", "claim", "y", 0)
        code.store("claim", "claimed", "y", mine)
        code.fence("claimed", "look x", fence)
        code.load("look x", "critical", "x", mine)
        code.load("look x", "slow", "x", *others)
        code.load("slow", "start", "y", *others)
        code.store("critical", "start", "y", 0)
        codes.append(code)
    return exclusive(f"lamport, short{' + fence' if fence else ''}", {"x": 0, "y": 0}, codes)


def kernel_spinlock(count: int, *, fence: str | None) -> Program:
    """A locked decrement takes it; with None for the fence, the decrement is a load and a store."""
    codes = []
    for _ in range(count):
        code = Code()
        less = Binary(BinaryOp.SUB, Register("t"), Constant(1))
        if fence is None:
            load = Load(register="t", address=Address("lock"), size=WORD)
            store = Store(address=Address("lock"), value=less, size=WORD)
            code.step("start", "taken", load)
            code.step("taken", "critical", _was(1), store)
            code.step("taken", "spin", Assume(_differs(1), waits=True), store)
        else:
            code.step("start", "critical", _exchange("lock", less), _was(1))
            code.step("start", "spin", _exchange("lock", less), Assume(_differs(1), waits=True))
        code.load("spin", "start", "lock", 1)
        code.store("critical", "start", "lock", 1)
        codes.append(code)
    return exclusive(f"spinlock, counting{' + lock' if fence else ''}", {"lock": 1}, codes)


def arbiter_one(count: int, *, fence: str | None) -> Program:
    """An arbiter takes back one request at a time, which lets its process in, and waits until it has left."""
    del fence
    codes = []
    for me in range(count):
        code = Code()
        code.store("start", "asked", f"asks{me}", 1)
        code.load("asked", "critical", f"asks{me}", 0)
        code.store("critical", "start", "leaving", 1)
        codes.append(code)
    arbiter = Code()
    for other in range(count):
        arbiter.load("start", f"chosen {other}", f"asks{other}", 1)
        arbiter.store(f"chosen {other}", "granted", f"asks{other}", 0)
    arbiter.load("granted", "left", "leaving", 1)
    arbiter.store("left", "start", "leaving", 0)
    memory = {"leaving": 0} | {f"asks{n}": 0 for n in range(count)}
    return exclusive("arbiter v1", memory, [*codes, arbiter], among=count)


def arbiter_two(count: int, *, fence: str | None) -> Program:
    """As the first, but the arbiter answers each process at a place of its own."""
    del fence
    codes = []
    for me in range(count):
        code = Code()
        code.load("start", "ready", f"answer{me}", 0)
        code.store("ready", "asked", f"asks{me}", 1)
        code.load("asked", "critical", f"answer{me}", 1)
        code.store("critical", "start", f"asks{me}", 0)
        codes.append(code)
    arbiter = Code()
    for other in range(count):
        arbiter.load("start", f"chosen {other}", f"asks{other}", 1)
        arbiter.store(f"chosen {other}", f"granted {other}", f"answer{other}", 1)
        arbiter.load(f"granted {other}", f"left {other}", f"asks{other}", 0)
        arbiter.store(f"left {other}", "start", f"answer{other}", 0)
    memory = {f"asks{n}": 0 for n in range(count)} | {f"answer{n}": 0 for n in range(count)}
    return exclusive("arbiter v2", memory, [*codes, arbiter], among=count)


_UNKNOWN, _FOR, _AGAINST, _COMMIT, _ABORT = range(5)


def two_phase_commit(count: int, *, fence: str | None) -> Program:
    """Each process votes; whoever sees all votes for, or its own against, decides in one locked step."""
    del fence
    codes = []
    for me in range(count):
        code = Code()
        code.store("start", "voted", f"vote{me}", _FOR)
        code.store("start", "voted", f"vote{me}", _AGAINST)
        everybody = [part for other in range(count) for part in _sees(f"vote{other}", _FOR)]
        for point in ("voted", "committed", "aborted"):
            code.step(point, point, _fence(), *everybody, *_puts("decision", _COMMIT), _fence())
            code.step(
                point, point, _fence(), *_sees(f"vote{me}", _AGAINST), *_puts("decision", _ABORT), _fence()
            )
        for decision, name in ((_COMMIT, "committed"), (_ABORT, "aborted")):
            code.step(
                "voted", name, _fence(), *_sees("decision", decision), *_puts(f"vote{me}", decision), _fence()
            )
        codes.append(code)
    memory = {"decision": _UNKNOWN} | {f"vote{n}": _UNKNOWN for n in range(count)}
    split = [
        ((a, codes[a].at("committed")), (b, codes[b].at("aborted")))
        for a in range(count) for b in range(count) if a != b
    ]  # fmt: skip
    return program("two-phase commit", memory, codes, split)


def _fence() -> Fence:
    return Fence(frozenset({OWN}))


def _sees(place: str, value: int) -> tuple[Operation, ...]:
    return Load(register="t", address=Address(place), size=WORD), _was(value)


def _puts(place: str, value: int) -> tuple[Operation, ...]:
    return (Store(address=Address(place), value=Constant(value), size=WORD),)


def _exchange(place: str, value: Expr) -> Rmw:
    locked = frozenset({"X"})
    return Rmw(
        register="t", address=Address(place), value=value, size=WORD, read_tags=locked, write_tags=locked
    )


def _was(value: int) -> Assume:
    return Assume(equals(Register("t"), Constant(value)), waits=True)


def _differs(value: int) -> Expr:
    return Binary(BinaryOp.NE, Register("t"), Constant(value))


# Each with whether it needs fences: then it is also run without, and wrong.
ALGORITHMS: tuple[tuple[Callable[..., Program], bool], ...] = (
    (naive_mutex, True),
    (lamport, True),
    (short_lamport, True),
    (burns, True),
    (szymanski, True),
    (spinlock, False),
    (kernel_spinlock, True),
    (ticket_lock, False),
    (counting_barrier, False),
    (flag_barrier, False),
    (arbiter_one, False),
    (arbiter_two, False),
    (two_phase_commit, False),
)


def others(count: int) -> Iterator[tuple[Program, bool]]:
    """The algorithms for `count` threads, those that need fences also without; and whether each is right."""
    for algorithm, needs_fence in ALGORITHMS:
        if needs_fence:
            yield algorithm(count, fence=None), False
        yield algorithm(count, fence=OWN), True
