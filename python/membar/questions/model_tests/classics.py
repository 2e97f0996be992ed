"""The classic programs by which models differ, with read-modify-writes in the place of loads and stores.

Random programs rarely have several read-modify-writes where a cycle needs them, and a model may order these
less than other accesses.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from membar.program.condition import TRUTH, FinalCondition, Quantifier
from membar.program.expr import Address, Constant, Register
from membar.program.operations import Load, Operation, Rmw, Store, Tags
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.questions.model_tests.programs import SIZE, Features, Plan, observed_terms
from membar.records import replace

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
)


@cache
def classic_programs(features: Features) -> tuple[Program, ...]:
    """Each shape with loads and stores, and with read-modify-writes at each set of places.

    Where there are several kinds of read-modify-writes, the first two shapes are tried with each of them.
    """
    found = dict.fromkeys(_with(features.rmws[0] if features.rmws else None, _SHAPES, features))
    for pair in features.rmws[1:]:
        found.update(dict.fromkeys(_with(pair, _SHAPES[:2], features)))
    return tuple(found)


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
    edges = (
        Edge(source=step, target=step + 1, operations=(operation,))
        for step, operation in enumerate(operations)
    )
    return Thread(name=f"P{number}", entry=0, edges=tuple(edges))


def _access(
    kind: str, place: str, register: str, pair: tuple[Tags, Tags] | None, features: Features
) -> Operation:
    """A load, or an atomic operation that writes what it reads; a store, or an exchange."""
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
