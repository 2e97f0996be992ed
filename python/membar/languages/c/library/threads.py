"""Threads and mutexes: <pthread.h> and <threads.h>."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, contents, liveness
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library import endings, mutexes
from membar.languages.c.library.atomics import target
from membar.languages.c.library.endings import LOCKS
from membar.languages.c.machine import Machine
from membar.languages.c.values import NOTHING, B, Slot, Value, binary, constant, converted, is_constant, known
from membar.languages.c.world import Defined, Object, Place, ThreadPlan
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, Register
from membar.program.operations import Join, Load, Rmw, Spawn, Store, Tags
from membar.program.template import ME

Meaning = Callable[[Expressions, ast.FuncCall, Arguments], Value]
_BUSY: Final = 16
_DETACHING: Final = "pthread_attr_setdetachstate"
_JOINABLE, _DETACHED = 0, 1
_NEVER_CREATED: Final = "a thread that was never created is joined"
_THRD_BUSY: Final = 1
_MTX_TIMED: Final = 1
_MTX_RECURSIVE: Final = 2
_ACQUIRED: Final = frozenset({"ACQ", "RMW"})
_TAKEN: Final = frozenset({"RLX", "LF"})
_LOOKED: Final = frozenset({"RLX"})
_RELEASED: Final = frozenset({"REL"})


def result_label(number: int) -> str:
    """The object that holds what thread `number` returned."""
    return f"result@{number}"


def _create(e: Expressions, node: ast.FuncCall, arguments: Arguments, *, is_c11: bool) -> Value:
    m = e.m
    handle = target(e, arguments[0])
    is_detached = not is_c11 and _is_detached(e, arguments[1])
    function = m.world.function_at(e.scalar(arguments[1 if is_c11 else 2]).expr)
    if function is None:
        m.refuse(
            arguments[1 if is_c11 else 2], "a thread whose function is not known before the program runs"
        )
    argument = m.kept(converted(e.scalar(arguments[2 if is_c11 else 3]), t.VOID_POINTER), node)
    if m.flow.is_dead:
        return constant(0)
    if m.loops:
        contents.needed_to_go_on(m)
        m.count_loops()
        m.refuse(
            node,
            "a thread created in a loop whose number of turns is not known",
            codes.THREADS,
            "create threads in a loop with a constant bound, or one by one",
        )
    plan = _planned(m, function, argument, node, is_c11=is_c11)
    m.flow.emit(Spawn(plan.name), m.span(node))
    endings.begin(m, plan.number)
    if is_detached:
        endings.end_once(m, plan.number, node, "detached")
    m.write(handle, Value(Constant(plan.number), t.ULONG), node)
    return constant(0)


def _is_detached(e: Expressions, node: ast.Node) -> bool:
    """Whether a thread is created detached; files that never ask for that are spared the look."""
    if _DETACHING not in e.m.world.tree.text.text:
        e.value(node)
        return False
    return mutexes.kind_of_attributes(e, node, "a thread") != _JOINABLE


def _set_detached(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    state = e.scalar(arguments[1])
    if known(state.expr) not in (_JOINABLE, _DETACHED):
        e.m.refuse(
            arguments[1], "`PTHREAD_CREATE_JOINABLE` or `PTHREAD_CREATE_DETACHED` is needed here", codes.CALL
        )
    e.m.write(mutexes.attributes(e, arguments[0]), state, node)
    return constant(0)


def _planned(m: Machine, function: Defined, argument: Value, node: ast.Node, *, is_c11: bool) -> ThreadPlan:
    world = m.world
    number = len(world.plans) + 2
    same = sum(plan.function is function for plan in world.plans)
    name = function.name if not same else f"{function.name}#{same + 1}"
    inbox = ""
    m.flow.disown([argument.expr])
    if not is_constant(argument.expr):
        inbox = world.new_object(
            Object(
                label=f"argument@{number}",
                name=f"{name}.argument",
                type=t.ULONG,
                declared=("argument", number),
                in_memory=True,
                span=m.span(node),
            )
        ).label
        m.flow.emit(Store(address=Address(inbox), value=argument.expr, size=8, tags=plain(m)), m.span(node))
    plan = ThreadPlan(
        name=name,
        number=number,
        function=function,
        argument=None if inbox else argument.expr,
        inbox=inbox,
        is_c11=is_c11,
        span=m.span(node),
    )
    world.plans.append(plan)
    return plan


def plain(m: Machine) -> Tags:
    """The words of a plain access."""
    return frozenset() if m.world.is_kernel else frozenset({"NA"})


def _join(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    handle = e.scalar(arguments[0])
    into = e.scalar(arguments[1])
    number = known(handle.expr)
    wants_result = known(into.expr) != 0
    if wants_result:
        m.world.after.needs_results = True
    flow = m.flow
    if m.world.before.counted and not flow.is_dead:
        m.count_loops()  # as those that create threads
    if number == 0:
        m.check(FALSE, _NEVER_CREATED, node)
        return constant(0)
    if number is not None:
        _joined(e, node, number, into if wants_result else None)
        return constant(0)
    handle = Value(flow.named(handle.expr, m.span(node)), handle.type)
    end = flow.exit()
    for candidate in range(2, m.world.before.threads + 1):
        yes, no = flow.branch(binary(B.EQ, handle.expr, Constant(candidate)), m.span(node))
        flow.state = yes
        if candidate == m.number:
            m.check(FALSE, "a thread joins itself", node, kind=LOCKS)
        else:
            _joined(e, node, candidate, into if wants_result else None)
        flow.jump(end)
        flow.state = no
    m.check(FALSE, _NEVER_CREATED, node)
    flow.arrive(end)
    return constant(0)


def _joined(e: Expressions, node: ast.FuncCall, number: int, into: Value | None) -> None:
    m = e.m
    endings.end_once(m, number, node, "joined")
    m.flow.emit(Join(f"@{number}"), m.span(node))
    m.flow.put(("joined", number), Slot(TRUE))
    if into is None or not isinstance(into.type, t.Pointer):
        return
    register = m.flow.register()
    m.flow.emit(
        Load(register=register, address=Address(result_label(number)), size=8, tags=plain(m)), m.span(node)
    )
    kind = into.type.target
    value = Value(Register(register), t.VOID_POINTER)
    m.write(Place(into.expr, kind), m.converted(value, kind, node), node)


def _self(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node, arguments
    return Value(number_of(e.m), t.ULONG)


def number_of(m: Machine) -> Expr:
    """What identifies a thread: its number, for copies counted from that of the first."""
    if m.world.copied is not None and m.world.copied.number == m.number:
        return binary(B.ADD, Register(ME), Constant(m.number))
    return Constant(m.number)


def _exit(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    value = e.scalar(arguments[0])
    frame = m.frames[0]
    if not isinstance(frame.result, t.Void):
        m.flow.put((*frame.key, 0, ""), Slot(m.converted(value, frame.result, node).expr))
    m.leave_calls(m.span(node))
    if m.number == 1:
        # Only the thread ends here, not the process.
        m.flow.cut()
        m.flow.leave()
        return NOTHING
    m.flow.jump(frame.returns)
    return NOTHING


def _equal(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node
    left, right = (e.scalar(item) for item in arguments)
    return Value(binary(B.EQ, left.expr, right.expr), t.INT)


# Mutexes: 0 is free. A thread knows by itself what it holds; unlocking anything else is wrong.


def _held(place: Place) -> tuple[object, ...] | None:
    address = place.address
    return ("held", address.name, address.offset, "held") if isinstance(address, Address) else None


def _owner(m: Machine) -> Expr:
    """What a locked mutex holds: its owner, if owners are looked up in memory."""
    return number_of(m) if m.world.before.owners_in_memory else Constant(1)


def _mutex(e: Expressions, node: ast.Node) -> Place:
    place = target(e, node)
    kind = place.type
    if not isinstance(kind, t.Opaque):
        e.m.refuse(node, f"a mutex is needed here, not `{t.spelled(kind)}`", codes.CALL)
    if not is_constant(place.address):
        e.m.world.after.owners_in_memory = True
    return place


def _attempt(e: Expressions, node: ast.FuncCall, place: Place, *, blocks: bool = False) -> Expr:
    """Takes the mutex if it is free; whether it was. Or `blocks` until it is."""
    m = e.m
    if blocks:
        m.flow.cut()
    register = Register(m.flow.register())
    is_free = binary(B.EQ, register, FALSE)
    m.flow.emit(
        Rmw(
            register=register.name,
            address=place.address,
            value=_owner(m),
            size=t.size_of(place.type) or 4,
            condition=is_free,
            read_tags=_tags(m, _ACQUIRED, "LKR"),
            write_tags=_tags(m, _ACQUIRED, "LKW"),
            failed_tags=_tags(m, _TAKEN, "LF"),
        ),
        m.span(node),
    )
    if blocks:
        liveness.block_until(m, is_free, place, register, node)
    liveness.check_found(m, place.address, register, place.type, node)
    return is_free


def _tags(m: Machine, words: Tags, kernel: str) -> Tags:
    return frozenset({kernel}) if m.world.is_kernel else words


def lock(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """Takes the mutex, in a step that blocks until it is free."""
    m = e.m
    place = _mutex(e, arguments[0])
    if m.flow.is_dead or m.is_bad(place, node):
        return constant(0)
    if m.world.before.mutex_kinds and not m.world.is_kernel:
        return mutexes.lock(m, place, number_of(m), node)
    _attempt(e, node, place, blocks=True)
    _set_held(m, place, TRUE)
    return NOTHING if m.world.is_kernel else constant(0)


def _set_held(m: Machine, place: Place, value: Expr) -> None:
    key = _held(place)
    if key is not None:
        m.flow.put(key, Slot(value))


def trylock(busy: int) -> Meaning:
    """Takes a mutex that is free and gives 0; else gives `busy`."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        m = e.m
        place = _mutex(e, arguments[0])
        if m.flow.is_dead or m.is_bad(place, node):
            return constant(0)
        if m.world.before.mutex_kinds:
            is_open, _ = mutexes.attempt(m, place, number_of(m), node)
            return e.select_value(is_open, constant(0), constant(busy))
        is_free = _attempt(e, node, place)
        key = _held(place)
        if key is not None:
            before = m.flow.get(key) or Slot(FALSE)
            m.flow.put(key, Slot(e.select_value(is_free, Value(TRUE, t.INT), Value(before.expr, t.INT)).expr))
        return e.select_value(is_free, constant(0), constant(busy))

    return meaning


def unlock(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """Frees a mutex that this thread holds."""
    m = e.m
    place = _mutex(e, arguments[0])
    if m.flow.is_dead or m.is_bad(place, node):
        return constant(0)
    if m.world.before.mutex_kinds and not m.world.is_kernel:
        return mutexes.unlock(m, place, number_of(m), node)
    key = _held(place)
    size = t.size_of(place.type) or 4
    message = "a mutex is unlocked by a thread that does not hold it"
    if m.world.before.owners_in_memory or key is None:
        register = m.flow.register()
        m.flow.emit(
            Load(register=register, address=place.address, size=size, tags=_tags(m, _LOOKED, "RL")),
            m.span(node),
        )
        m.check(binary(B.EQ, Register(register), _owner(m)), message, node, kind=LOCKS)
    else:
        m.check((m.flow.get(key) or Slot(FALSE)).expr, message, node, kind=LOCKS)
    liveness.check_lives(m, place.address, node)
    m.flow.emit(
        Store(address=place.address, value=FALSE, size=size, tags=_tags(m, _RELEASED, "UL")), m.span(node)
    )
    _set_held(m, place, FALSE)
    return constant(0)


def _mutex_init(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = _mutex(e, arguments[0])
    kind = mutexes.kind_of_attributes(e, arguments[1], "a mutex")
    e.m.write(Place(place.address, t.INT), Value(mutexes.first_word(e.m, kind), t.INT), node)
    return constant(0)


def _mtx_init(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = _mutex(e, arguments[0])
    kind = known(e.scalar(arguments[1]).expr)
    if kind is None or kind > _MTX_TIMED | _MTX_RECURSIVE:
        e.m.refuse(arguments[1], "a mutex whose type is not known")
    word = mutexes.first_word(e.m, mutexes.RECURSIVE if kind & _MTX_RECURSIVE else mutexes.NORMAL)
    e.m.write(Place(place.address, t.INT), Value(word, t.INT), node)
    return constant(0)


def _nothing(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node
    for item in arguments:
        e.value(item)
    return constant(0)


def _mutex_destroy(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    endings.destroyed(e.m, _mutex(e, arguments[0]), node, holders=mutexes.OWNER)
    return constant(0)


def _detach(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m, handle = e.m, e.scalar(arguments[0])
    number = known(handle.expr)
    if number is not None:
        if number:
            endings.end_once(m, number, node, "detached")
        return constant(0)
    chosen, end = m.flow.named(handle.expr, m.span(node)), m.flow.exit()
    for candidate in range(2, m.world.before.threads + 1):
        yes, no = m.flow.branch(binary(B.EQ, chosen, Constant(candidate)), m.span(node))
        m.flow.state = yes
        endings.end_once(m, candidate, node, "detached")
        m.flow.jump(end)
        m.flow.state = no
    m.flow.arrive(end)
    return constant(0)


def _pthread_create(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    return _create(e, node, arguments, is_c11=False)


def _thrd_create(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    return _create(e, node, arguments, is_c11=True)


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "pthread_create": Library(_pthread_create, 4),
        "pthread_join": Library(_join, 2),
        "pthread_self": Library(_self, 0),
        "pthread_exit": Library(_exit, 1),
        "pthread_equal": Library(_equal, 2),
        "pthread_detach": Library(_detach, 1),
        "pthread_yield": Library(_nothing, 0),
        "pthread_attr_init": Library(mutexes.begin_attributes, 1),
        "pthread_attr_destroy": Library(_nothing, 1),
        _DETACHING: Library(_set_detached, 2),
        "pthread_attr_setstacksize": Library(_nothing, 2),
        "pthread_attr_setguardsize": Library(_nothing, 2),
        "pthread_attr_setschedpolicy": Library(_nothing, 2),
        "pthread_attr_setschedparam": Library(_nothing, 2),
        "pthread_attr_setinheritsched": Library(_nothing, 2),
        "pthread_attr_setscope": Library(_nothing, 2),
        "pthread_setname_np": Library(_nothing, 2),
        "pthread_setaffinity_np": Library(_nothing, 3),
        "sched_setaffinity": Library(_nothing, 3),
        "__builtin_ia32_pause": Library(_nothing, 0),
        "_mm_pause": Library(_nothing, 0),
        "pthread_mutex_init": Library(_mutex_init, 2),
        "pthread_mutex_destroy": Library(_mutex_destroy, 1),
        "pthread_mutex_lock": Library(lock, 1),
        "pthread_mutex_trylock": Library(trylock(_BUSY), 1),
        "pthread_mutex_unlock": Library(unlock, 1),
        "thrd_create": Library(_thrd_create, 3),
        "thrd_join": Library(_join, 2),
        "thrd_current": Library(_self, 0),
        "thrd_exit": Library(_exit, 1),
        "thrd_equal": Library(_equal, 2),
        "thrd_detach": Library(_detach, 1),
        "thrd_yield": Library(_nothing, 0),
        "mtx_init": Library(_mtx_init, 2),
        "mtx_destroy": Library(_mutex_destroy, 1),
        "mtx_lock": Library(lock, 1),
        "mtx_trylock": Library(trylock(_THRD_BUSY), 1),
        "mtx_unlock": Library(unlock, 1),
        "sched_yield": Library(_nothing, 0),
        "usleep": Library(_nothing, 1),
        "sleep": Library(_nothing, 1),
    }
)
"""What each of them does."""
