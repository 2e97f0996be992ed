"""What threads wait for besides mutexes: <semaphore.h>, and the rest of <pthread.h> and <threads.h>.

Each object is one number in memory:

    rwlock     how many read; the highest bit and the number of the thread while somebody writes
    semaphore  its value
    barrier    how many it is for, its round, and how many have arrived (`_COUNT`, `_ROUND`)
    once       0, 1 while the function runs, 2

Waiting is one step that blocks, as for mutexes. Where a function may give up after a time, it may do so at
any time: it either succeeds, or a choice says that its time is over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, contents, liveness
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.flow import Key
from membar.languages.c.library import endings, threads
from membar.languages.c.library.atomics import target
from membar.languages.c.library.endings import LOCKS
from membar.languages.c.machine import Machine
from membar.languages.c.values import B, Slot, Value, binary, constant, converted, known, select
from membar.languages.c.world import Object, Place
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, Register
from membar.program.operations import Assume, Choose, Load, Rmw, Store, Tags

Meaning = Callable[[Expressions, ast.FuncCall, Arguments], Value]
ETIMEDOUT: Final = 110
_EBUSY: Final = 16
_EAGAIN: Final = 11
_ERRNO: Final = "__membar_errno"
THRD_TIMEDOUT: Final = 4
_WRITER: Final = 0x8000_0000
_LOCKS: Final = (t.Opaque("pthread_rwlock_t", 4), t.Opaque("pthread_spinlock_t", 4))
_COUNT: Final = 32
_ROUND: Final = 16
_LOW: Final = 0xFFFF
_SERIAL: Final = -1
_DONE: Final = 2
LOOKS: Final = frozenset({"RLX"})
_TAKEN: Final = frozenset({"RLX", "LF"})
_ACQUIRES: Final = frozenset({"ACQ", "RMW"})
_RELEASES: Final = frozenset({"REL", "RMW"})
_BOTH: Final = frozenset({"ACQ_REL", "RMW"})


def object_of(e: Expressions, node: ast.Node, *kinds: str) -> Place:
    """The object that an argument points to, of one of these types."""
    place = target(e, node)
    if not isinstance(place.type, t.Opaque) or place.type.name not in kinds:
        e.m.refuse(node, f"a `{kinds[0]}` is needed here, not `{t.spelled(place.type)}`", codes.CALL)
    if e.m.world.is_kernel:
        e.m.refuse(node, f"a `{kinds[0]}` in a program of the kernel")
    return place


def is_gone(m: Machine, place: Place, node: ast.Node) -> bool:
    """Whether nothing comes of a call, because nothing arrives here or the object is none."""
    return m.flow.is_dead or m.is_bad(place, node)


def changed(
    m: Machine,
    place: Place,
    node: ast.Node,
    value: Callable[[Expr], Expr],
    *,
    tags: Tags,
    condition: Callable[[Expr], Expr] = lambda _: TRUE,
    failed: Tags = _TAKEN,
    blocks: bool = False,
) -> Expr:
    """One atomic change, if a condition on the old value holds; the old value. Or `blocks` until it holds."""
    if blocks:
        m.flow.cut()
    old = Register(m.flow.register())
    m.flow.emit(
        Rmw(
            register=old.name,
            address=place.address,
            value=value(old),
            size=t.size_of(place.type) or 4,
            condition=condition(old),
            read_tags=tags,
            write_tags=tags,
            failed_tags=failed,
        ),
        m.span(node),
    )
    if blocks:
        liveness.block_until(m, condition(old), place, old, node)
    liveness.check_found(m, place.address, old, place.type, node)
    return old


def look(
    m: Machine,
    place: Place,
    node: ast.Node,
    tags: Tags,
    *,
    until: Callable[[Expr], Expr] | None = None,
) -> Expr:
    """What an object holds; blocks `until` a condition on it holds."""
    if until is not None:
        m.flow.cut()
    register = Register(m.flow.register())
    size = t.size_of(place.type) or 4
    m.flow.emit(Load(register=register.name, address=place.address, size=size, tags=tags), m.span(node))
    if until is not None:
        liveness.block_until(m, until(register), place, register, node)
    liveness.check_found(m, place.address, register, place.type, node)
    return register


def _or_late(m: Machine, node: ast.Node, attempt: Callable[[], Expr], late: int) -> Value:
    """0 if the attempt succeeds, or `late` if time is over, which it may be at any time."""
    flow, span, key = m.flow, m.span(node), ("timed", id(node), "")
    choice = Register(flow.register())
    flow.emit(Choose(choice.name, FALSE, TRUE, retries=True), span)
    gone, other = flow.branch(choice, span)
    flow.state = gone
    flow.put(key, Slot(constant(late).expr))
    gone = flow.leave()
    flow.state = other
    flow.emit(Assume(attempt()), span)
    flow.put(key, Slot(FALSE))
    flow.resume(flow.leave(), gone)
    found = (flow.get(key) or Slot(FALSE)).expr
    flow.forget([key])
    return Value(found, t.INT)


def started(*kinds: str, value: Callable[[Expressions, Arguments], Expr] = lambda _e, _a: FALSE) -> Meaning:
    """A function that gives an object its first value."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = object_of(e, arguments[0], *kinds)
        first = value(e, arguments)
        kind = t.ULONG if t.size_of(place.type) == 8 else t.UINT
        e.m.write(Place(place.address, kind), Value(first, kind), node)
        return constant(0)

    return meaning


def no_attributes(e: Expressions, arguments: Arguments) -> Expr:
    """0, and a refusal of attributes."""
    if len(arguments) > 1 and known(e.scalar(arguments[1]).expr) != 0:
        e.m.refuse(arguments[1], "an object of <pthread.h> with attributes")
    return FALSE


def ended(*kinds: str) -> Meaning:
    """A function that ends the life of an object."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = object_of(e, arguments[0], *kinds)
        if place.type in _LOCKS:
            endings.destroyed(e.m, place, node)
        return constant(0)

    return meaning


# Locks for readers and writers

_RWLOCK: Final = "pthread_rwlock_t"


def _enter_lock(*, writes: bool, busy: int | None = None, late: int | None = None) -> Meaning:
    """Takes the lock; gives `busy` if that is not possible now, or `late` if its time is over."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        m = e.m
        place = object_of(e, arguments[0], _RWLOCK)
        for item in arguments[1:]:
            e.value(item)
        if is_gone(m, place, node):
            return constant(0)

        def is_open(old: Expr) -> Expr:
            return binary(B.EQ, old, FALSE) if writes else binary(B.LT, old, Constant(_WRITER))

        def attempt(*, blocks: bool = False) -> Expr:
            def taken(old: Expr) -> Expr:
                return _as_writer(m) if writes else binary(B.ADD, old, Constant(1))

            return is_open(changed(m, place, node, taken, tags=_ACQUIRES, condition=is_open, blocks=blocks))

        def counted() -> Expr:
            is_taken = attempt()
            if not writes:
                _held_to_read(m, place, node, select(is_taken, TRUE, FALSE))
            return is_taken

        if busy is not None:
            return e.select_value(counted(), constant(0), constant(busy))
        if late is not None:
            return _or_late(m, node, counted, late)
        attempt(blocks=True)
        if not writes:
            _held_to_read(m, place, node, TRUE)
        return constant(0)

    return meaning


def _leave_lock(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    place = object_of(e, arguments[0], _RWLOCK)
    if is_gone(m, place, node):
        return constant(0)

    def left(old: Expr) -> Expr:
        return select(binary(B.LE, Constant(_WRITER), old), FALSE, binary(B.SUB, old, Constant(1)))

    old = changed(m, place, node, left, tags=_RELEASES)
    m.check(binary(B.NE, old, FALSE), "a lock is unlocked that nobody holds", node, kind=LOCKS)
    is_own = binary(B.OR, binary(B.LT, old, Constant(_WRITER)), binary(B.EQ, old, _as_writer(m)))
    message = "a lock is unlocked that another thread holds to write"
    m.check(is_own, message, node, kind=LOCKS)
    _given_back(m, place, node, old)
    return constant(0)


def _as_writer(m: Machine) -> Expr:
    """What a lock holds while this thread writes."""
    return binary(B.OR, Constant(_WRITER), threads.number_of(m))


def _readings(place: Place) -> Key | None:
    """The variable of the flow that says how often this thread holds a lock to read."""
    address = place.address
    return ("readings", address.name, address.offset, "readings") if isinstance(address, Address) else None


def _held_to_read(m: Machine, place: Place, node: ast.Node, more: Expr) -> None:
    """Counts how often this thread holds a lock to read, if the text says which lock it is."""
    key = _readings(place)
    if key is None:
        m.world.after.owners_in_memory = True
        return
    count = binary(B.ADD, (m.flow.get(key) or Slot(FALSE)).expr, more)
    m.flow.put(key, Slot(m.kept(Value(count, t.LONG), node).expr))


def _given_back(m: Machine, place: Place, node: ast.Node, old: Expr) -> None:
    """A violation if a thread gives back a lock that only others hold to read."""
    key = _readings(place)
    if key is None:
        m.world.after.owners_in_memory = True
        return
    count, reads = (m.flow.get(key) or Slot(FALSE)).expr, binary(B.LT, old, Constant(_WRITER))
    if not m.world.before.owners_in_memory:
        is_mine = binary(B.OR, binary(B.EQ, reads, FALSE), binary(B.NE, count, FALSE))
        m.check(is_mine, "a lock is unlocked that this thread does not hold", node, kind=LOCKS)
    m.flow.put(key, Slot(select(reads, FALSE, count) if known(count) == 1 else _less(m, count, reads, node)))


def _less(m: Machine, count: Expr, reads: Expr, node: ast.Node) -> Expr:
    """One reading less, if it was one."""
    return m.kept(Value(binary(B.SUB, count, select(reads, TRUE, FALSE)), t.LONG), node).expr


# Semaphores

_SEMAPHORE: Final = "sem_t"


def _first_value(e: Expressions, arguments: Arguments) -> Expr:
    e.value(arguments[1])
    return converted(e.scalar(arguments[2]), t.UINT).expr


def _wait_for_one(*, busy: bool = False, late: bool = False) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        m = e.m
        place = object_of(e, arguments[0], _SEMAPHORE)
        for item in arguments[1:]:
            e.value(item)
        if is_gone(m, place, node):
            return constant(0)

        def attempt(*, blocks: bool = False) -> Expr:
            def less(old: Expr) -> Expr:
                return binary(B.SUB, old, Constant(1))

            def is_there(old: Expr) -> Expr:
                return binary(B.NE, old, FALSE)

            old = changed(
                m, place, node, less, tags=_ACQUIRES, condition=is_there, failed=LOOKS, blocks=blocks
            )
            return is_there(old)

        if busy:
            found = e.select_value(attempt(), constant(0), constant(-1))
            return _with_error(e, node, found, _EAGAIN)
        if late:
            return _with_error(e, node, _or_late(m, node, attempt, -1), ETIMEDOUT)
        attempt(blocks=True)
        return constant(0)

    return meaning


def _with_error(e: Expressions, node: ast.FuncCall, result: Value, number: int) -> Value:
    """The result of a function, which says in `errno` what is wrong if it is not 0."""
    m = e.m
    errno = m.world.scope.symbols.get(_ERRNO)
    if isinstance(errno, Object) and not m.flow.is_dead:
        place = Place(Address(m.own_copy(errno).label), t.INT)
        before = m.read(place, node)
        assert isinstance(before, Value)
        is_wrong = binary(B.NE, result.expr, FALSE)
        m.write(place, e.select_value(is_wrong, constant(number), before), node)
    return result


def _post(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = object_of(e, arguments[0], _SEMAPHORE)
    if not is_gone(e.m, place, node):
        changed(e.m, place, node, lambda old: binary(B.ADD, old, Constant(1)), tags=_RELEASES)
    return constant(0)


def _value_of(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = object_of(e, arguments[0], _SEMAPHORE)
    into = e.scalar(arguments[1])
    if not isinstance(into.type, t.Pointer):
        e.m.refuse(arguments[1], "a pointer to an int is needed here", codes.CALL)
    if not is_gone(e.m, place, node):
        found = look(e.m, place, node, LOOKS)
        e.m.write(Place(into.expr, into.type.target), Value(found, t.INT), node)
    return constant(0)


# Barriers

_BARRIER: Final = "pthread_barrier_t"


def _barrier_size(e: Expressions, arguments: Arguments) -> Expr:
    no_attributes(e, arguments)
    count = known(e.scalar(arguments[2]).expr)
    if count is None:
        contents.needed_to_go_on(e.m)
    if count is None or not 0 < count <= _LOW:
        e.m.refuse(arguments[2], "a barrier for a number of threads that is not known", codes.CALL)
    return Constant(count << _COUNT)


def _round(word: Expr) -> Expr:
    return binary(B.AND, binary(B.SHR, word, Constant(_ROUND)), Constant(_LOW))


def _arrive(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    place = object_of(e, arguments[0], _BARRIER)
    if is_gone(m, place, node):
        return constant(0)

    def is_last(old: Expr) -> Expr:
        arrived = binary(B.AND, old, Constant(_LOW))
        return binary(B.EQ, binary(B.ADD, arrived, Constant(1)), binary(B.SHR, old, Constant(_COUNT)))

    def next_round(old: Expr) -> Expr:
        count = binary(B.AND, old, Constant(_LOW << _COUNT))
        number = binary(B.AND, binary(B.ADD, _round(old), Constant(1)), Constant(_LOW))
        return binary(B.OR, count, binary(B.SHL, number, Constant(_ROUND)))

    def arrived(old: Expr) -> Expr:
        return select(is_last(old), next_round(old), binary(B.ADD, old, Constant(1)))

    flow, key = m.flow, ("barrier", id(node), "")
    old = changed(m, place, node, arrived, tags=_BOTH)
    m.check(
        binary(B.NE, binary(B.SHR, old, Constant(_COUNT)), FALSE),
        "a barrier is used before it was initialised",
        node,
        kind=LOCKS,
    )
    last, other = flow.branch(is_last(old), m.span(node))
    flow.state = last
    flow.put(key, Slot(constant(_SERIAL).expr))
    last = flow.leave()
    flow.state = other
    mine = flow.named(_round(old), m.span(node))
    look(m, place, node, frozenset({"ACQ"}), until=lambda word: binary(B.NE, _round(word), mine))
    flow.put(key, Slot(FALSE))
    flow.resume(last, flow.leave())
    found = (flow.get(key) or Slot(FALSE)).expr
    flow.forget([key])
    return Value(found, t.INT)


# Once


def _once(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    place = object_of(e, arguments[0], "pthread_once_t", "once_flag")
    if is_gone(m, place, node):
        return constant(0)

    def is_first(old: Expr) -> Expr:
        return binary(B.EQ, old, FALSE)

    old = changed(
        m, place, node, lambda _: TRUE, tags=_ACQUIRES, condition=is_first, failed=frozenset({"ACQ"})
    )
    first, other = m.flow.branch(is_first(old), m.span(node))
    m.flow.state = first
    m.call(m, ast.FuncCall(arguments[1], None, node.coord))
    tags = frozenset({"REL"})
    m.flow.emit(Store(address=place.address, value=Constant(_DONE), size=4, tags=tags), m.span(node))
    first = m.flow.leave()
    m.flow.state = other
    done, running = m.flow.branch(binary(B.EQ, old, Constant(_DONE)), m.span(node))
    m.flow.state = running
    look(m, place, node, frozenset({"ACQ"}), until=lambda word: binary(B.EQ, word, Constant(_DONE)))
    m.flow.resume(first, done, m.flow.leave())
    return constant(0)


# Mutexes that are not waited for any longer


def _timed_lock(late: int) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        e.value(arguments[1])
        busy = threads.trylock(1)(e, node, arguments[:1])
        # Whoever finds it taken either waits and gets it later, or gives up.
        choice = Register(e.m.flow.register())
        e.m.flow.emit(Choose(choice.name, FALSE, TRUE, retries=True), e.m.span(node))
        e.m.flow.emit(Assume(binary(B.EQ, busy.expr, choice)), e.m.span(node))
        return Value(select(busy.expr, constant(late).expr, FALSE), t.INT)

    return meaning


def _functions() -> dict[str, Library]:
    lock, barrier = "pthread_rwlock", "pthread_barrier"
    return {
        f"{lock}_init": Library(started(_RWLOCK, value=no_attributes), 2),
        f"{lock}_destroy": Library(ended(_RWLOCK), 1),
        f"{lock}_rdlock": Library(_enter_lock(writes=False), 1),
        f"{lock}_wrlock": Library(_enter_lock(writes=True), 1),
        f"{lock}_tryrdlock": Library(_enter_lock(writes=False, busy=_EBUSY), 1),
        f"{lock}_trywrlock": Library(_enter_lock(writes=True, busy=_EBUSY), 1),
        f"{lock}_timedrdlock": Library(_enter_lock(writes=False, late=ETIMEDOUT), 2),
        f"{lock}_timedwrlock": Library(_enter_lock(writes=True, late=ETIMEDOUT), 2),
        f"{lock}_unlock": Library(_leave_lock, 1),
        "pthread_spin_init": Library(started("pthread_spinlock_t"), 2),
        "pthread_spin_destroy": Library(ended("pthread_spinlock_t"), 1),
        "pthread_spin_lock": Library(threads.lock, 1),
        "pthread_spin_trylock": Library(threads.trylock(_EBUSY), 1),
        "pthread_spin_unlock": Library(threads.unlock, 1),
        "pthread_mutex_timedlock": Library(_timed_lock(ETIMEDOUT), 2),
        "mtx_timedlock": Library(_timed_lock(THRD_TIMEDOUT), 2),
        "sem_init": Library(started(_SEMAPHORE, value=_first_value), 3),
        "sem_destroy": Library(ended(_SEMAPHORE), 1),
        "sem_wait": Library(_wait_for_one(), 1),
        "sem_trywait": Library(_wait_for_one(busy=True), 1),
        "sem_timedwait": Library(_wait_for_one(late=True), 2),
        "sem_post": Library(_post, 1),
        "sem_getvalue": Library(_value_of, 2),
        f"{barrier}_init": Library(started(_BARRIER, value=_barrier_size), 3),
        f"{barrier}_destroy": Library(ended(_BARRIER), 1),
        f"{barrier}_wait": Library(_arrive, 1),
        "pthread_once": Library(_once, 2),
        "call_once": Library(_once, 2),
    }


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(_functions())
"""What each of them does."""
