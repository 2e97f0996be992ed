"""The classic litmus tests that distinguish models, with RMWs instead of loads and stores.

Random programs rarely have several RMWs where a cycle needs them, and a model may order these less than other
accesses. Nor do they create threads, or pass values around in a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from membar.program.condition import TRUTH, FinalCondition, Quantifier
from membar.program.expr import TRUE, Address, Constant, Register, equals, negation
from membar.program.operations import Join, Load, Operation, Rmw, Spawn, Store, Tags
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.questions.model_tests.programs import SIZE, Features, Plan, observed_terms
from membar.records import replace

# A store that happens only if the thread read 1 before.
_GUARDED: Final = "guarded store"
# A name, what the threads do, and a letter for each access: those with one letter are read-modify-writes
# together, or none of them is.
_Shape: TypeAlias = tuple[str, tuple[Plan, ...], tuple[str, ...]]
_SHAPES: Final[tuple[_Shape, ...]] = (
    (
        "load-buffering",
        ([("load", "x"), ("store", "y")], [("load", "y"), ("store", "x")]),
        ("ab", "cd"),
    ),
    (
        "independent-reads",
        ([("store", "x")], [("store", "y")], [("load", "x"), ("load", "y")], [("load", "y"), ("load", "x")]),
        ("a", "a", "bc", "bc"),
    ),
    (
        "write-to-read",
        ([("store", "x")], [("load", "x"), ("store", "y")], [("load", "y"), ("load", "x")]),
        ("a", "ba", "bc"),
    ),
    (
        "message-passing",
        ([("store", "x"), ("store", "y")], [("load", "y"), ("load", "x")]),
        ("ab", "cc"),
    ),
    (
        "store-buffering",
        ([("store", "x"), ("load", "y")], [("store", "y"), ("load", "x")]),
        ("ab", "ab"),
    ),
    (
        "values-in-a-circle",
        ([("load", "x"), (_GUARDED, "y")], [("load", "y"), (_GUARDED, "x")]),
        ("ab", "cb"),
    ),
)


@cache
def classic_programs(features: Features) -> tuple[Program, ...]:
    """Each shape with loads and stores, and with RMWs at each set of positions.

    Where there are several kinds of read-modify-writes, the first two shapes are tried with each of them.
    """
    found = dict.fromkeys((*_creating(features), *_message_passing_with_tags(features)))
    found.update(dict.fromkeys(_with(features.rmws[0] if features.rmws else None, _SHAPES, features)))
    for pair in features.rmws[1:]:
        found.update(dict.fromkeys(_with(pair, _SHAPES[:2], features)))
    return tuple(found)


def _creating(features: Features) -> Iterator[Program]:
    """What a thread stores before it creates another, and what that one has stored when it is joined."""
    store, load = (_access(kind, "x", "r0", None, features) for kind in ("store", "load"))
    for name, creator, created in (
        ("create", (store, Spawn("P1")), (load,)),
        ("join", (Spawn("P1"), Join("P1"), load), (store,)),
    ):
        threads = (_straight_line_thread("P0", creator), _straight_line_thread("P1", created, started=False))
        yield _with_condition(Program(name=name, language="Program", objects=_OBJECTS, threads=threads))


def _message_passing_with_tags(features: Features) -> Iterator[Program]:
    """Message passing in which the accesses of the flag have annotations."""
    for store, load in product(dict.fromkeys(features.stores), dict.fromkeys(features.loads)):
        if (store, load) == (features.stores[0], features.loads[0]):
            continue
        flag = Store(address=Address("y"), value=Constant(1), size=SIZE, tags=store)
        look = Load(register="r0", address=Address("y"), size=SIZE, tags=load)
        threads = (
            _straight_line_thread("P0", (_access("store", "x", "", None, features), flag)),
            _straight_line_thread("P1", (look, _access("load", "x", "r1", None, features))),
        )
        yield _with_condition(
            Program(name="message-passing", language="Program", objects=_OBJECTS, threads=threads)
        )


def _with(
    pair: tuple[Tags, Tags] | None, shapes: tuple[_Shape, ...], features: Features
) -> Iterator[Program]:
    for name, plans, groups in shapes:
        letters = sorted({letter for group in groups for letter in group})
        for choice in product((False, True), repeat=len(letters) if pair else 0):
            atomic = {letter for letter, is_atomic in zip(letters, choice, strict=False) if is_atomic}
            threads = tuple(
                _thread(number, plan, [letter in atomic for letter in group], pair, features)
                for number, (plan, group) in enumerate(zip(plans, groups, strict=True))
            )
            yield _with_condition(Program(name=name, language="Program", objects=_OBJECTS, threads=threads))


_OBJECTS: Final = tuple(MemoryObject(name=name, size=SIZE) for name in ("x", "y"))


def _with_condition(program: Program) -> Program:
    condition = FinalCondition(quantifier=Quantifier.EXISTS, formula=TRUTH, observed=observed_terms(program))
    return replace(program, condition=condition)


def _thread(
    number: int, plan: Plan, atomic: list[bool], pair: tuple[Tags, Tags] | None, features: Features
) -> Thread:
    operations = [
        _access(kind, place, f"r{step}", pair if is_atomic else None, features)
        for step, ((kind, place), is_atomic) in enumerate(zip(plan, atomic, strict=True))
    ]
    guarded = frozenset(step for step, (kind, _) in enumerate(plan) if kind == _GUARDED)
    return _straight_line_thread(f"P{number}", operations, guarded=guarded)


def _straight_line_thread(
    name: str,
    operations: Sequence[Operation],
    *,
    guarded: frozenset[int] = frozenset(),
    started: bool = True,
) -> Thread:
    """A straight-line thread; some steps happen only if it read 1 first."""
    is_one = equals(Register("r0"), Constant(1))
    edges: list[Edge] = []
    for step, operation in enumerate(operations):
        guard = is_one if step in guarded else TRUE
        edges.append(Edge(source=step, target=step + 1, operations=(operation,), guard=guard))
        if step in guarded:
            edges.append(Edge(source=step, target=step + 1, guard=negation(is_one)))
    return Thread(name=name, entry=0, edges=tuple(edges), started=started)


def _access(
    kind: str, place: str, register: str, pair: tuple[Tags, Tags] | None, features: Features
) -> Operation:
    """A load, or an RMW that writes back what it reads; a store, or an exchange."""
    address = Address(place)
    if pair is not None:
        value = Register(register) if kind == "load" else Constant(1)
        read, write = pair
        return Rmw(
            register=register, address=address, value=value, size=SIZE, read_tags=read, write_tags=write
        )
    if kind == "load":
        return Load(register=register, address=address, size=SIZE, tags=features.loads[0])
    return Store(address=address, value=Constant(1), size=SIZE, tags=features.stores[0])
