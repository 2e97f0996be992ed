"""Compares the search for reads-from classes with the exactly-once search, class by class.

    python tests/differential/classes.py [PROGRAMS]

runs a campaign over all models that claim it, about PROGRAMS random programs each (default: 1,500).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from differential.comparisons import Disagreements, shipped
from differential.searches import BOUND, SECONDS, claiming, encoded, features_of
from membar.models.model import Model
from membar.program.printer import print_program
from membar.program.program import Program
from strategies.programs import Features, Size, sample
from strategies.wider import wide_sample

if TYPE_CHECKING:
    from membar import _core

LARGER = Size(threads=(2, 4), accesses=(7, 8))
# Choices of each thread (values read among them), and who reads from whom.
Class: TypeAlias = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]]


def mixed(count: int, features: Features) -> Iterator[Program]:
    """Programs of every kind."""
    yield from sample(count, features)
    yield from sample(count, replace(features, exclusives=True))
    yield from wide_sample(count, features, first=count)
    yield from wide_sample(count, replace(features, exclusives=True), first=2 * count)
    yield from wide_sample(count // 2, features, size=LARGER, first=3 * count)


def classes(program: Program, model: Model, *, observed: bool = True) -> _core.Findings:
    """The search for classes, counting what comes twice."""
    compiled, form = encoded(program, model, observed=observed)
    return compiled.search_classes(form, bound=BOUND, seconds=SECONDS, keep_all=True, verify=True)


def executions(program: Program, model: Model, *, observed: bool = True) -> _core.Findings:
    """The exactly-once search."""
    compiled, form = encoded(program, model, observed=observed)
    return compiled.search_exactly_once(form, bound=BOUND, keep_all=True, verify=True)


def disagreements(programs: Iterable[Program], model: Model) -> Disagreements:
    """Where the classes are not those of the executions."""
    found: Disagreements = []
    for program in programs:
        for observed in (True, False):
            try:
                expected = executions(program, model, observed=observed)
            except OverflowError:  # a thread that is started twice
                continue
            problem = difference(program, model, expected, observed=observed)
            if problem:
                found.append(f"{model.name}: {problem}\n{print_program(program)}")
    return found


def difference(program: Program, model: Model, expected: _core.Findings, *, observed: bool) -> str:
    """What is wrong with the classes; nothing if they are right."""
    try:
        found = classes(program, model, observed=observed)
    except (OverflowError, RuntimeError) as problem:
        return f"no answer: {problem}"
    if found.stopped is not None:
        return "did not end"
    if found.duplicates:
        return f"{found.duplicates} classes came twice"
    if found.classes != expected.classes:
        return f"{found.classes} classes of all kinds, not {expected.classes}"
    if kept(found) != kept(expected):
        return f"other classes: {kept(found) ^ kept(expected)}"
    parts = [
        ("final states", _states(found), _states(expected)),
        ("blocked", found.blocked > 0, expected.blocked > 0),
        ("flags", found.flags, expected.flags),
        ("failures", found.failures, expected.failures),
        ("faults", found.faults, expected.faults),
        ("cut", found.cut, expected.cut),
    ]
    return "; ".join(f"{what}: {ours}, not {theirs}" for what, ours, theirs in parts if ours != theirs)


def kept(found: _core.Findings) -> set[Class]:
    """The classes of the complete executions that were kept."""
    result = set()
    for index in range(found.kept):
        execution = found.kept_witness(index)
        choices = tuple(tuple(thread.choices) for thread in execution.threads)
        result.add((choices, tuple(sorted(execution.rf))))
    return result


def _states(found: _core.Findings) -> set[tuple[int, ...]]:
    return {state for state, _ in found.states}


def campaign(count: int) -> int:
    """Prints every disagreement; 1 if there is one."""
    wrong = 0
    for name in claiming():
        programs = list(mixed(max(2, 2 * count // 9), features_of(name)))
        found = disagreements(programs, shipped(name))
        collapsed = sum(_collapses(program, shipped(name)) for program in programs)
        sys.stdout.write(
            f"{name}: {len(programs)} programs, fewer classes than executions in {collapsed}, "
            f"{len(found)} disagreements\n"
        )
        sys.stdout.writelines(text + "\n" for text in found[:3])
        sys.stdout.flush()
        wrong += len(found)
    return int(wrong > 0)


def _collapses(program: Program, model: Model) -> bool:
    try:
        found = executions(program, model, observed=False)
    except OverflowError:
        return False
    return len(kept(found)) < found.executions


if __name__ == "__main__":
    sys.exit(campaign(int(sys.argv[1]) if len(sys.argv) > 1 else 1500))
