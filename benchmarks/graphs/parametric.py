"""The parametric programs that model checkers are compared on, each by its size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from body import SIZE, Body, Words, at, expr, program

from membar.program.expr import Binary, BinaryOp, Constant, Expr, Register, equals, negation
from membar.program.operations import Lock, Unlock
from membar.program.program import Program

TABLE = 128


def readers(n: int, words: Words) -> Program:
    """One writer, `n` readers."""
    writer = Body(words)
    writer.write(at("x"), 42, "rel")
    bodies = [writer]
    for _ in range(n):
        reader = Body(words)
        reader.read(at("x"), "acq")
        bodies.append(reader)
    return program("readers", {"x": 0}, bodies)


def ainc(n: int, words: Words) -> Program:
    """`n` atomic increments."""
    bodies = [Body(words) for _ in range(n)]
    for body in bodies:
        body.fetch_add(at("x"), 1)
    return program("ainc", {"x": 0}, bodies)


def nwriters(n: int, words: Words) -> Program:
    """`n` writers of one location."""
    bodies = [Body(words) for _ in range(n)]
    for number, body in enumerate(bodies):
        body.write(at("x"), number + 1)
    return program("nwriters", {"x": 0}, bodies)


def casrot(n: int, words: Words) -> Program:
    """Thread `i` moves x from `i - 1` to `i`."""
    bodies = [Body(words) for _ in range(n)]
    for number, body in enumerate(bodies):
        body.compare_exchange(at("x"), number, number + 1)
    return program("casrot", {"x": 0}, bodies)


def indexer(n: int, words: Words) -> Program:
    """`n` threads put four numbers each into a hash table."""
    bodies = [Body(words) for _ in range(n)]
    for thread, body in enumerate(bodies):
        for turn in range(1, 5):
            number = 11 * turn + thread
            place = body.register()
            body.set(place, 7 * number % TABLE)
            with body.forever() as loop:
                old = body.compare_exchange(at("t", place), 0, number)
                loop.stop(equals(old, Constant(0)))
                body.set(place, Binary(BinaryOp.REM, _plus(place, 1), Constant(TABLE)))
    return program("indexer", {"t": (0,) * TABLE}, bodies)


def lastzero(n: int, words: Words) -> Program:
    """One thread looks for the last zero of an array that `n` threads fill."""
    scan = Body(words)
    index = scan.register()
    scan.set(index, n)
    with scan.forever() as loop:
        value = scan.read(at("a", index), "acq")
        loop.stop(equals(value, Constant(0)))
        scan.set(index, Binary(BinaryOp.SUB, index, Constant(1)))
    bodies = [scan]
    for number in range(1, n + 1):
        body = Body(words)
        before = body.read(at("a", number - 1), "acq")
        body.write(at("a", number), _plus(before, 1), "rel")
        bodies.append(body)
    return program("lastzero", {"a": (0,) * (n + 1)}, bodies)


def sbring(n: int, words: Words) -> Program:
    """Store buffering in a ring."""
    bodies = [Body(words) for _ in range(n)]
    for number, body in enumerate(bodies):
        body.write(at("v", number), 1)
        body.read(at("v", (number + 1) % n))
    return program("sbring", {"v": (0,) * n}, bodies)


def storeload(n: int, words: Words) -> Program:
    """`n` threads write one location and read it."""
    bodies = [Body(words) for _ in range(n)]
    for number, body in enumerate(bodies):
        body.write(at("x"), number + 1)
        body.read(at("x"))
    return program("storeload", {"x": 0}, bodies)


def coher(k: int, words: Words) -> Program:
    """`k` writes by one thread, `k` reads by another."""
    writer, reader = Body(words), Body(words)
    for value in range(1, k + 1):
        writer.write(at("x"), value)
        reader.read(at("x"))
    return program("coher", {"x": 0}, [writer, reader])


def fib(n: int, words: Words) -> Program:
    """Two threads add up Fibonacci numbers, a third looks."""
    bodies = [Body(words) for _ in range(3)]
    for body, target in zip(bodies, ("x", "y"), strict=False):
        for _ in range(n):
            total = Binary(BinaryOp.ADD, body.read(at("x"), "acq"), body.read(at("y"), "acq"))
            body.write(at(target), total, "rel")
    values = [bodies[2].read(at(name), "acq") for name in ("x", "y")]
    for value in values:
        bodies[2].check(Binary(BinaryOp.LE, value, Constant(100_000)))
    return program("fib", {"x": 1, "y": 1}, bodies)


def mpchain(n: int, words: Words) -> Program:
    """A message handed on by `n` threads."""
    first = Body(words)
    first.write(at("data"), 1)
    first.write(at("flag", 0), 1, "rel")
    bodies = [first]
    for number in range(1, n + 1):
        body = Body(words)
        with body.when(body.read(at("flag", number - 1), "acq")):
            body.check(equals(body.read(at("data")), Constant(1)))
            body.write(at("flag", number), 1, "rel")
        bodies.append(body)
    return program("mpchain", {"data": 0, "flag": (0,) * (n + 1)}, bodies)


def big0(n: int, words: Words) -> Program:
    """Two readers of four locations, two writers of two each."""
    bodies = [Body(words) for _ in range(4)]
    for name in "xyzwxyz":
        bodies[0].read(at(name), "acq")
    for name in "xyz":
        bodies[1].read(at(name), "acq")
    for body, names in zip(bodies[2:], ("xy", "zw"), strict=True):
        for turn in range(1, n + 1):
            for name in names:
                body.write(at(name), turn, "rel")
    return program("big0", dict.fromkeys("xyzw", 0), bodies)


def peterson(n: int, words: Words) -> Program:
    """Peterson's lock, `n` rounds."""
    bodies = [Body(words) for _ in range(2)]
    for me, body in enumerate(bodies):
        for _ in range(n):
            body.write(at("flag", me), 1)
            body.fence()
            body.write(at("turn"), 1 - me)
            body.fence()
            busy = body.read(at("flag", 1 - me))
            turn = body.read(at("turn"))
            body.assume(Binary(BinaryOp.OR, _not(busy), equals(turn, Constant(me))))
            body.fence()
            _critical(body, me)
            body.fence()
            body.write(at("flag", me), 0)
    return program("peterson", {"flag": (0, 0), "turn": 0, "cs": 0}, bodies)


def dekker(n: int, words: Words) -> Program:
    """Dekker's lock as a try-lock, `n` rounds."""
    bodies = [Body(words) for _ in range(2)]
    for me, body in enumerate(bodies):
        for _ in range(n):
            body.write(at("flag", me), 1)
            body.fence()
            with body.when(_not(body.read(at("flag", 1 - me)))):
                body.fence()
                _critical(body, me)
            body.fence()
            body.write(at("flag", me), 0)
    return program("dekker", {"flag": (0, 0), "cs": 0}, bodies)


def lamport(n: int, words: Words) -> Program:
    """One pass of Lamport's fast mutual exclusion; who fails gives up."""
    bodies = [Body(words) for _ in range(n)]
    for me, body in enumerate(bodies):
        own = at("b", me)
        body.write(own, 1)
        body.fence()
        body.write(at("x"), me + 1)
        body.fence()
        taken = body.read(at("y"))
        with body.when(taken):
            body.write(own, 0)
        body.give_up(taken)
        body.write(at("y"), me + 1)
        body.fence()
        seen = body.read(at("x"))
        with body.when(negation(equals(seen, Constant(me + 1)))):
            body.write(own, 0)
            body.fence()
            for other in range(n):
                body.assume(_not(body.read(at("b", other))))
            body.give_up(negation(equals(body.read(at("y")), Constant(me + 1))))
        _critical(body, me)
        body.write(at("y"), 0)
        body.write(own, 0)
    return program("lamport", {"b": (0,) * n, "x": 0, "y": 0, "cs": 0}, bodies)


def ttas(n: int, words: Words) -> Program:
    """A test-and-test-and-set lock."""
    bodies = [Body(words) for _ in range(n)]
    for me, body in enumerate(bodies):
        old = body.register()
        with body.forever() as loop:
            with body.forever() as inner:
                inner.stop(_not(body.read(at("l"), "acq")))
            body.exchange(at("l"), 1, "acq", old=old)
            loop.stop(_not(old))
        _critical(body, me)
        body.write(at("l"), 0, "rel")
    return program("ttas", {"l": 0, "cs": 0}, bodies)


def ticket(n: int, words: Words) -> Program:
    """A ticket lock."""
    bodies = [Body(words) for _ in range(n)]
    for me, body in enumerate(bodies):
        mine = body.fetch_add(at("next"), 1)
        with body.forever() as loop:
            loop.stop(equals(body.read(at("owner"), "acq"), mine))
        _critical(body, me)
        body.write(at("owner"), _plus(mine, 1), "rel")
    return program("ticket", {"next": 0, "owner": 0, "cs": 0}, bodies)


def szymanski(n: int, words: Words) -> Program:
    """Szymanski's lock, `n` rounds: who comes in waits for a lower number, who leaves for a higher one."""
    bodies = [Body(words) for _ in range(2)]
    for me, body in enumerate(bodies):
        other = at("flag", 1 - me)
        for _ in range(n):
            _raise_flag(body, me, 1)
            body.assume(_below(body.read(other), 3))
            _raise_flag(body, me, 3)
            with body.when(equals(body.read(other), Constant(1))):
                _raise_flag(body, me, 2)
                body.assume(equals(body.read(other), Constant(4)))
            _raise_flag(body, me, 4)
            if me == 1:
                body.assume(_below(body.read(other), 2))
            body.fence()
            _critical(body, me)
            body.fence()
            if me == 0:
                seen = body.read(other)
                body.assume(Binary(BinaryOp.OR, _below(seen, 2), equals(seen, Constant(4))))
            _raise_flag(body, me, 0)
    return program("szymanski", {"flag": (0, 0), "cs": 0}, bodies)


def mutex(n: int, words: Words) -> Program:
    """A lock of the library."""
    bodies = [Body(words) for _ in range(n)]
    for me, body in enumerate(bodies):
        body.step(Lock(address=at("l"), size=SIZE, tags=words.acquire))
        _critical(body, me)
        body.step(Unlock(address=at("l"), size=SIZE, tags=words.release))
    return program("mutex", {"l": 0, "cs": 0}, bodies)


def mcs(n: int, words: Words) -> Program:
    """The queue lock of Mellor-Crummey and Scott; nodes are numbered from 1."""
    bodies = [Body(words) for _ in range(n)]
    for me, body in enumerate(bodies):
        body.write(at("locked", me), 1)
        before = body.exchange(at("tail"), me + 1, "acq_rel")
        with body.when(before):
            body.write(_node("next", before), me + 1, "rel")
            with body.forever() as loop:
                loop.stop(_not(body.read(at("locked", me), "acq")))
        _critical(body, me)
        behind, is_free = body.register(), body.register()
        body.read(at("next", me), "acq", into=behind)
        with body.when(_not(behind)):
            last = body.compare_exchange(at("tail"), me + 1, 0, "acq_rel")
            body.set(is_free, equals(last, Constant(me + 1)))
            with body.when(_not(is_free)), body.forever() as loop:
                body.read(at("next", me), "acq", into=behind)
                loop.stop(behind)
        with body.when(_not(is_free)):
            body.write(_node("locked", behind), 0, "rel")
    return program("mcs", {"tail": 0, "next": (0,) * n, "locked": (0,) * n, "cs": 0}, bodies)


def msqueue(n: int, words: Words) -> Program:
    """Each thread puts its node into the queue of Michael and Scott and takes one; node 1 is the dummy."""
    bodies = [Body(words) for _ in range(n)]
    for me, body in enumerate(bodies):
        node = me + 2
        body.write(at("value", node - 1), node)
        _enqueue(body, node)
        _dequeue(body)
    return program("msqueue", {"head": 1, "tail": 1, "next": (0,) * (n + 1), "value": (0,) * (n + 1)}, bodies)


def _enqueue(body: Body, node: int) -> None:
    tail, behind = body.register(), body.register()
    with body.forever() as loop:
        body.read(at("tail"), "acq", into=tail)
        body.read(_node("next", tail), "acq", into=behind)
        with body.when(_not(behind)):
            body.assume(_not(body.compare_exchange(_node("next", tail), 0, node, "acq_rel")))
        with body.when(behind):
            body.compare_exchange(at("tail"), tail, behind, "acq_rel")
        loop.stop(_not(behind))
    body.compare_exchange(at("tail"), tail, node, "acq_rel")


def _dequeue(body: Body) -> None:
    head, tail, behind = body.register(), body.register(), body.register()
    with body.forever() as loop:
        body.read(at("head"), "acq", into=head)
        body.read(at("tail"), "acq", into=tail)
        body.read(_node("next", head), "acq", into=behind)
        is_last = equals(head, tail)
        with body.when(Binary(BinaryOp.AND, is_last, negation(_not(behind)))):
            body.compare_exchange(at("tail"), tail, behind, "acq_rel")
        with body.when(negation(is_last)):
            body.read(_node("value", behind))
            body.assume(equals(body.compare_exchange(at("head"), head, behind, "acq_rel"), head))
        loop.stop(Binary(BinaryOp.OR, negation(is_last), _not(behind)))


def treiber(n: int, words: Words) -> Program:
    """Each thread pushes its node and pops one; a lost exchange ends the execution."""
    bodies = [Body(words) for _ in range(n)]
    for me, body in enumerate(bodies):
        top = body.read(at("top"), "acq")
        body.write(at("next", me), top)
        body.assume(equals(body.compare_exchange(at("top"), top, me + 1, "acq_rel"), top))
        head = body.read(at("top"), "acq")
        with body.when(head):
            below = body.read(at("next", Binary(BinaryOp.SUB, head, Constant(1))))
            body.assume(equals(body.compare_exchange(at("top"), head, below, "acq_rel"), head))
    return program("treiber", {"top": 0, "next": (0,) * n}, bodies)


def _critical(body: Body, me: int) -> None:
    body.write(at("cs"), me)
    body.check(equals(body.read(at("cs")), Constant(me)))


def _raise_flag(body: Body, me: int, value: int) -> None:
    body.write(at("flag", me), value)
    body.fence()


def _below(value: Register, bound: int) -> Expr:
    return Binary(BinaryOp.LT, value, Constant(bound))


def _node(field: str, number: Register) -> Expr:
    """A field of a node; nodes are numbered from 1."""
    return at(field, Binary(BinaryOp.SUB, number, Constant(1)))


def _plus(value: Register, more: int) -> Expr:
    return Binary(BinaryOp.ADD, value, expr(more))


def _not(value: Register) -> Expr:
    return equals(value, Constant(0))


PROGRAMS: Mapping[str, Callable[[int, Words], Program]] = MappingProxyType(
    {
        maker.__name__: maker
        for maker in (
            readers, ainc, nwriters, casrot, indexer, lastzero, sbring, storeload, coher, fib, mpchain, big0,
            peterson, dekker, szymanski, lamport, ttas, ticket, mutex, mcs, treiber, msqueue,
        )
    }
)  # fmt: skip
