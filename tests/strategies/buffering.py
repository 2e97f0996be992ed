"""Random Programs for load buffering: threads that load, then store, with dependencies and fences between.

Most of them are for the dependency-aware search (`membar.program.dependency_order`). Few of the programs of
`strategies.programs` are, and few of these have cycles of reads-from and program order, so these are made on
purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from membar.program.dependency_order import obstacle
from membar.program.expand import expand
from membar.program.program import Program
from strategies.programs import LOCATIONS, Features, Plan, program_of_plans
from strategies.wider import changed_without_spawns

MOST_ACCESSES = 10


def buffering_program_of_seed(seed: int, features: Features) -> Program:
    """The random program number `seed`."""
    random = Random(f"buffering {seed}")
    count = random.choice((2, 2, 3, 3, 4))
    locations = LOCATIONS[: random.choice((1, 2, 2, 3))]
    most = MOST_ACCESSES // count - 2
    plans = [_plan(random, index, locations, random.randint(0, most)) for index in range(count)]
    program = program_of_plans(random, f"buffering-{seed}", features, locations, plans)
    return changed_without_spawns(program, random) if random.randrange(3) == 0 else program


def buffering_sample(count: int, features: Features, *, first: int = 0) -> Iterator[Program]:
    """`count` random programs that the dependency-aware search is for, from number `first` on."""
    seed = first
    while count:
        program = buffering_program_of_seed(seed, replace(features, exclusives=seed % 3 == 0))
        seed += 1
        if obstacle(expand(program)) is None:
            count -= 1
            yield program


def _plan(random: Random, index: int, locations: tuple[str, ...], more: int) -> Plan:
    """Mostly a load of one location and later a store of the next, as in a ring; `more` around them."""
    here, there = (locations[number % len(locations)] for number in (index, index + 1))
    plan = [("load", here), ("store", there)]
    for _ in range(more):
        kind = random.choice(("load", "load", "store"))
        plan.insert(random.randint(0, len(plan)), (kind, random.choice(locations)))
    if random.randrange(6) == 0:
        random.shuffle(plan)
    # Mostly without what may be forwarded.
    stored: set[str] = set()
    kept: Plan = []
    for kind, location in plan:
        if kind == "load" and location in stored and random.randrange(12):
            continue
        if kind == "store":
            stored.add(location)
        kept.append((kind, location))
    return kept
