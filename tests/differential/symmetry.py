"""Compares the exactly-once search up to symmetry with the same search without.

    python tests/differential/symmetry.py [--count N] [--first N] [MODEL …]

runs N random programs with interchangeable threads under each model and says where the two differ: in the
number of executions or of blocked ones, in the final states with their counts, in what the model remarks.
Exits with 1 if they do.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.comparisons import shipped
from differential.searches import SECONDS, claiming, features_of
from membar.engines import graphs
from membar.engines.graphs.symmetry_classes import Exchange, SymmetryClasses, exchange_threads
from membar.models.model import Model
from membar.models.monotone import watches_under
from membar.program.atomicity import require_single_accesses
from membar.program.encoding import EncodedProgram, encode_program
from membar.program.expand import expand
from membar.program.printer import print_program
from membar.program.program import Program
from membar.program.symmetry import groups
from membar.properties.final_state import Observer
from strategies.twins import twin_program_of_seed

if TYPE_CHECKING:
    from membar import _core

# An execution without what depends on the order in which things are listed.
Key: TypeAlias = tuple[object, ...]

BOUND = 1
MOST_EXECUTIONS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """A program ready to be searched with and without symmetry."""

    program: Program
    model: Model
    orbits: SymmetryClasses
    encoded: EncodedProgram
    compiled: _core.Plan

    def plain(self, *, keep_all: bool = False) -> _core.Findings | None:
        """The search without symmetry; None if that is too much for a comparison."""
        try:
            found = self.compiled.search_exactly_once(
                self.encoded.form, bound=BOUND, executions=MOST_EXECUTIONS, seconds=SECONDS, keep_all=keep_all
            )
        except OverflowError:  # a thread that is started twice
            return None
        return found if found.stopped is None else None

    def reduced(self, *, keep_all: bool = False) -> _core.Findings:
        """The search up to symmetry, which looks for executions that come twice."""
        return self.compiled.search_exactly_once(
            self.encoded.form,
            bound=BOUND,
            keep_all=keep_all,
            symmetric=([list(group.threads) for group in self.orbits.groups], self.model.claims.global_order),
            verify=True,
            seconds=6 * SECONDS,
        )


@dataclass(slots=True)
class Campaign:
    """What a comparison of many programs has seen."""

    programs: int = 0
    given_up: int = 0
    executions: int = 0
    explored: int = 0
    disagreements: list[str] = field(default_factory=list)


def both(program: Program, model: Model) -> Both | None:
    """The program, if some of its threads are interchangeable."""
    assert model.plan is not None
    expanded = expand(program)
    require_single_accesses(expanded)
    found = groups(expanded)
    if not found:
        return None
    plan, compiled = graphs.compile_for_core(model.plan)
    orbits = SymmetryClasses(found, Observer(program).terms, threads=len(program.threads))
    watched = watches_under(model, expanded, orbits.terms, bound=BOUND)
    encoded = encode_program(expanded, plan.tags, orbits.terms, watched)
    return Both(program=program, model=model, orbits=orbits, encoded=encoded, compiled=compiled)


def random_program(seed: int, name: str) -> Program:
    """Number `seed` of the programs for a model."""
    return twin_program_of_seed(seed, replace(features_of(name), exclusives=bool(seed % 2)))


def compare(item: Both, expected: _core.Findings, found: _core.Findings) -> str:
    """What is wrong with the search up to symmetry; nothing if it is right."""
    if found.stopped is not None:
        return "did not end"
    if found.duplicates or found.surprises or found.contradictions:
        return f"{found.duplicates} came twice, {found.surprises} and {found.contradictions} surprises"
    pairs: list[tuple[object, object]] = [
        (found.executions, expected.executions),
        (found.blocked, expected.blocked),
        (found.flags, expected.flags),
        (found.cut, expected.cut),
        (bool(found.stuck), bool(expected.stuck)),
        (bool(found.failures), bool(expected.failures)),
        (bool(found.faults), bool(expected.faults)),
        (states(item, found), states(item, expected)),
    ]
    return "".join(f"{ours} is not {theirs}\n" for ours, theirs in pairs if ours != theirs)


def states(item: Both, found: _core.Findings) -> Counter[tuple[int, ...]]:
    """All final states, with their numbers of executions."""
    counts: Counter[tuple[int, ...]] = Counter()
    if found.symmetric:
        for state in item.orbits.unfold(found.states):
            counts[state.state] += state.executions
    else:
        for words, count in found.states:
            counts[words[: item.orbits.asked]] += count
    return counts


def run(name: str, seeds: Sequence[int]) -> Campaign:
    """Compares on the programs with these numbers."""
    model, campaign = shipped(name), Campaign()
    for seed in seeds:
        item = both(random_program(seed, name), model)
        expected = item.plain() if item is not None else None
        if item is None or expected is None:
            continue
        campaign.programs += 1
        try:
            found = item.reduced()
            problem = compare(item, expected, found)
        except (OverflowError, RuntimeError) as error:
            campaign.disagreements.append(f"{name} {seed}: no answer: {error}")
            continue
        campaign.given_up += not found.symmetric
        campaign.executions += expected.executions
        campaign.explored += found.explored
        if problem:
            campaign.disagreements.append(f"{name} {seed}: {problem}\n{print_program(item.program)}")
    return campaign


def exchanges(item: Both, used: list[list[int]]) -> Iterator[Exchange]:
    """All ways to rename interchangeable threads."""
    for chosen in product(*(permutations(group) for group in used)):
        exchange = list(range(len(item.program.threads)))
        for group, order in zip(used, chosen, strict=True):
            for thread, other in zip(group, order, strict=True):
                exchange[thread] = other
        yield tuple(exchange)


def closure(item: Both, found: _core.Findings) -> tuple[int, set[Key]]:
    """How many complete executions are none of the others renamed, and all that renaming makes of the kept.

    Those that fail or that the loop bound truncated are kept, too.
    """
    seen: set[Key] = set()
    orbits = 0
    for index in range(found.kept):
        execution = found.kept_witness(index)
        statuses = {thread.status for thread in execution.threads}
        is_complete = statuses.isdisjoint({"failed", "fault", "cut"})
        orbits += is_complete and key(execution) not in seen
        for exchange in exchanges(item, found.symmetric):
            renamed = exchange_threads(execution, exchange, item.orbits.groups, item.encoded.registers)
            seen.add(key(renamed))
    return orbits, seen


def key(execution: _core.Execution) -> Key:
    """What tells an execution from others."""
    choices = tuple(tuple(thread.choices) for thread in execution.threads)
    registers = tuple(tuple(sorted(thread.registers)) for thread in execution.threads)
    coherence = tuple(sorted(map(tuple, execution.co)))
    return tuple(execution.events), choices, registers, tuple(sorted(execution.rf)), coherence


def main() -> int:
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", default=claiming(), metavar="MODEL")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    wrong = 0
    for name in chosen.models:
        found = run(name, range(chosen.first, chosen.first + chosen.count))
        wrong += len(found.disagreements)
        sys.stdout.write(
            f"{name}: {found.programs} programs, {found.given_up} without symmetry, {found.executions} "
            f"executions, {found.explored} explored, {len(found.disagreements)} disagreements\n"
        )
        sys.stdout.write("\n".join(found.disagreements[:5]))
        sys.stdout.flush()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
