"""Random Programs in which some threads are interchangeable, with other threads beside them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from membar.program.operations import Join, Spawn
from membar.program.program import Edge, Program, Thread
from strategies.programs import Features, Size, observed_terms, program_of_seed
from strategies.wider import wide_program_of_seed

# Copies of one thread grow fast: few accesses each.
_SIZE = Size(threads=(2, 3), accesses=(5, 6))


def twin_program_of_seed(seed: int, features: Features, *, size: Size = _SIZE) -> Program:
    """The random program number `seed`: one or two of its threads are there several times."""
    random = Random(f"twins {seed}")
    kind = wide_program_of_seed if random.randrange(2) else program_of_seed
    program = kind(seed, features, size=size)
    plain = [thread for thread in program.threads if thread.started and not _mentions_threads(thread)]
    if not plain:
        return program
    originals = random.sample(plain, min(len(plain), 1 + random.randrange(4) // 3))
    copies = random.choice((2, 2, 2, 3, 3, 4)) if len(originals) == 1 else 2
    others = [thread for thread in program.threads if thread not in originals]
    if copies > 2 and not any(map(_mentions_threads, others)):
        others = others[: random.randrange(2)]
    threads = [*others]
    for original in originals:
        for copy in range(copies):
            threads.insert(
                random.randrange(len(threads) + 1), replace(original, name=f"{original.name}t{copy}")
            )
    if random.randrange(5) == 0:
        threads = _started_by_one(threads, random, frozenset(thread.name for thread in originals))
    program = replace(program, threads=tuple(threads))
    condition = program.condition
    assert condition is not None
    return replace(program, condition=replace(condition, observed=observed_terms(program)))


def twin_sample(count: int, features: Features, *, first: int = 0) -> tuple[Program, ...]:
    """`count` random programs, always the same ones."""
    return tuple(twin_program_of_seed(seed, features) for seed in range(first, first + count))


def _mentions_threads(thread: Thread) -> bool:
    return any(isinstance(op, Spawn | Join) for edge in thread.edges for op in edge.operations)


def _started_by_one(threads: list[Thread], random: Random, names: frozenset[str]) -> list[Thread]:
    """All copies are started, and perhaps joined, by a thread of their own."""
    copies = [thread.name for thread in threads if thread.name.rpartition("t")[0] in names]
    orders = [Spawn(name) for name in copies]
    waits = [Join(name) for name in copies] if random.randrange(2) else []
    operations: list[Spawn | Join] = [*orders, *waits]
    edges = tuple(
        Edge(source=point, target=point + 1, operations=(operation,))
        for point, operation in enumerate(operations)
    )
    starter = Thread(name="starter", entry=0, edges=edges)
    return [
        *(replace(thread, started=False) if thread.name in copies else thread for thread in threads),
        starter,
    ]
