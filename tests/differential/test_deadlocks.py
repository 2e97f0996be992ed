"""Deadlocks of random programs that block: `graphs`, the reference and the store-buffer machines agree."""

from __future__ import annotations

import random

import pytest

import tiers
from differential.comparisons import shipped
from membar.engines import graphs, states
from membar.engines.reference.axiomatic import explore as reference
from membar.engines.reference.simulator import simulate as simulator
from membar.engines.reference.state import LOCKED
from membar.engines.reference.witness_replay import replay
from membar.program.expr import Address, Binary, BinaryOp, Constant, Register
from membar.program.operations import Assume, Join, Load, Lock, Operation, Rmw, Spawn, Store, Unlock
from membar.program.printer import print_program
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.properties import PROPERTIES
from membar.questions.task import Limits, Options, Task

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

LOCKS = ("m", "n")
SECONDS = 2.0


class _Pick(random.Random):
    """Random numbers, and the words that a model knows for accesses."""

    def __init__(self, seed: int, model: str) -> None:
        super().__init__(seed)
        self.tags = frozenset({"SC"} if model == "rc11" else ())
        self.atomic = frozenset({"SC"} if model == "rc11" else {LOCKED})


def blocking_program(seed: int, model: str) -> Program:
    """Two or three threads that lock, unlock and wait for values; a main thread starts and joins them."""
    pick = _Pick(seed, model)
    names = [f"t{number}" for number in range(pick.choice((2, 2, 3)))]
    workers = [_thread(name, _steps(pick), started=False) for name in names]
    main: list[tuple[Operation, ...]] = [(Spawn(name),) for name in names if pick.random() < 0.95]
    joined = [(Join(name),) for name in names if pick.random() < 0.8]
    pick.shuffle(joined)
    main = [*main, *([pick.choice(_step(pick))] if pick.random() < 0.3 else []), *joined]
    exits = pick.random() < 0.5
    return Program(
        name=f"blocking-{seed}",
        language="Program",
        objects=tuple(MemoryObject(name=name) for name in (*LOCKS, "x", "y")),
        threads=(_thread("main", main, started=True, exits=exits), *workers),
    )


def _thread(name: str, steps: list[tuple[Operation, ...]], *, started: bool, exits: bool = False) -> Thread:
    edges = tuple(
        Edge(source=number, target=number + 1, operations=step) for number, step in enumerate(steps)
    )
    ends = frozenset({len(steps)} if exits else ())
    return Thread(name=name, entry=0, edges=edges, started=started, exits=ends)


def _steps(pick: _Pick) -> list[tuple[Operation, ...]]:
    return [step for _ in range(pick.choice((1, 2, 2, 3))) for step in _step(pick)][:4]


def _step(pick: _Pick) -> list[tuple[Operation, ...]]:
    lock, place, number = pick.choice(LOCKS), pick.choice("xy"), pick.randint(0, 1)
    tags, atomic = pick.tags, pick.atomic
    free = Binary(BinaryOp.EQ, Register("r"), Constant(number))
    match pick.randrange(6):
        case 0 | 1:
            return [(Lock(address=Address(lock), size=4, tags=atomic),)]
        case 2:
            return [(Unlock(address=Address(lock), size=4, tags=tags),)]
        case 3:
            return [(Store(address=Address(place), value=Constant(number), size=4, tags=tags),)]
        case 4:
            load = Load(register="r", address=Address(place), size=4, tags=tags)
            return [(load, Assume(free, waits=True))]
        case _:
            take = Rmw(
                register="r",
                address=Address(lock),
                value=Constant(1),
                size=4,
                condition=Binary(BinaryOp.EQ, Register("r"), Constant(0)),
                read_tags=atomic,
                write_tags=atomic,
            )
            passes = Binary(BinaryOp.EQ, Register("r"), Constant(0))
            return [(take, Assume(passes, waits=True)), (Unlock(address=Address(lock), size=4, tags=tags),)]


def _task(program: Program, model: str) -> Task:
    options = Options(stops_early=False)
    limits = Limits(seconds=SECONDS)
    return Task(
        program=program, model=shipped(model), properties=tuple(PROPERTIES), options=options, limits=limits
    )


@pytest.mark.parametrize("model", ["sc", "x86-tso", "rc11"])
def test_engines_agree_on_deadlocks(model: str) -> None:
    yes = no = 0
    for seed in range(tiers.size(80)):
        program = blocking_program(seed, model)
        task = _task(program, model)
        found = graphs.explore(task)
        expected = reference(task)
        if found.limit or expected.limit:
            continue
        told = print_program(program)
        assert "deadlock" in found.looked_for & expected.looked_for
        assert (found.deadlock is None) is (expected.deadlock is None), told
        for witness in (found.deadlock, expected.deadlock):
            assert witness is None or replay(program, task.model, witness) is None, told
        yes, no = yes + (found.deadlock is not None), no + (found.deadlock is None)
    assert min(yes, no) >= tiers.size(80) // 8


@pytest.mark.parametrize("model", ["sc", "x86-tso"])
def test_store_buffer_machines_find_the_same_deadlocks(model: str) -> None:
    yes = no = 0
    for seed in range(1000, 1000 + tiers.size(80)):
        program = blocking_program(seed, model)
        task = _task(program, model)
        by_axioms, by_states, by_steps = graphs.explore(task), states.explore(task), simulator(task)
        if by_axioms.limit or by_states.limit or by_steps.limit or by_states.buffers_held:
            continue
        told = print_program(program)
        assert (by_axioms.deadlock is None) is (by_states.deadlock is None), told
        assert (by_axioms.deadlock is None) is (by_steps.deadlock is None), told
        yes, no = yes + (by_states.deadlock is not None), no + (by_states.deadlock is None)
    assert min(yes, no) >= tiers.size(80) // 8


@pytest.mark.parametrize("off", ["latest", "symmetry", "await", "prune"])
def test_no_reduction_hides_a_deadlock(off: str) -> None:
    for seed in range(2000, 2000 + tiers.size(30)):
        program = blocking_program(seed, "rc11")
        task = _task(program, "rc11")
        options = Options(stops_early=False, reductions_off=frozenset({off}))
        without = graphs.explore(
            Task(program=program, model=task.model, properties=task.properties, options=options)
        )
        found = graphs.explore(task)
        assert (found.deadlock is None) is (without.deadlock is None), print_program(program)
