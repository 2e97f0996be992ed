"""The transition systems of objects against the memory models: the same final states, object by object.

    python tests/differential/object_systems.py [--count N] [--first SEED] [--model x86-tso|sc]

Random objects, one operation per thread. The systems are run step by step; `graphs` answers about the same as
a program under the model of that name. Final states (results and memory) must be equal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.random_objects import ARM, LOCALS, X86, program_text, random_object
from membar import api
from membar.frontends.object.parser import parse_text
from membar.object_proofs import system_of
from membar.objects.syntax import ConcurrentObject
from membar.objects.systems.explore import Call, Explorer
from membar.objects.terms import Space, Variable
from membar.source import SourceFile

Final = frozenset[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Compared:
    """What one object showed: its final states by the system and by the model."""

    seed: int
    text: str
    system: Final
    model: Final
    is_weak: bool

    @property
    def is_equal(self) -> bool:
        """Whether the two agree."""
        return self.system == self.model


def by_system(about: ConcurrentObject, model: str) -> Final:
    """Final states by running the transition system."""
    client = tuple((Call(operation.name),) for operation in about.operations)
    explorer = Explorer(system_of(about, api.load_model(model)), client)
    found = set()
    for state in explorer.reachable():
        if explorer.is_final(state):
            memory = dict(state.memory)
            results = [value for thread in state.threads for value in thread.returned[0]]
            results += [memory[Variable(Space.SHARED, each.name)] for each in about.shared]
            found.add(tuple(results))
    return frozenset(found)


def by_graphs(about: ConcurrentObject, model: str) -> Final:
    """Final states by execution graphs."""
    words = ARM if model in ("armv8", "xc") else X86
    source = SourceFile(f"{about.name}.mbp", program_text(about, words))
    result = api.check(source, model=model, engine="graphs")
    if result.verdict != "holds":
        raise AssertionError(f"{about.name}: {result.outcome}")
    order = [f"{number}:{name}" for number, _ in enumerate(about.operations) for name in LOCALS]
    order += [each.name for each in about.shared]
    return frozenset(tuple(int(dict(final)[key]) for key in order) for final in result.outcome.run.outcomes)


def compared(seed: int, model: str) -> Compared:
    """One random object."""
    text = random_object(seed)
    about = parse_text(SourceFile(f"random{seed}.obj", text))
    found = by_graphs(about, model)
    return Compared(seed, text, by_system(about, model), found, found != by_graphs(about, "sc"))


def campaign(first: int, count: int, model: str) -> Iterator[Compared]:
    """Many of them."""
    for seed in range(first, first + count):
        yield compared(seed, model)


def main() -> int:
    """Runs the campaign; 0 if nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--model", default="x86-tso")
    chosen = parser.parse_args()
    different = weak = total = 0
    for each in campaign(chosen.first, chosen.count, chosen.model):
        total += 1
        weak += each.is_weak
        if not each.is_equal:
            different += 1
            sys.stdout.write(f"seed {each.seed} differs\n{each.text}")
            sys.stdout.write(f"only the system: {sorted(each.system - each.model)}\n")
            sys.stdout.write(f"only the model: {sorted(each.model - each.system)}\n")
    sys.stdout.write(f"{total} objects under {chosen.model}: {different} differ, {weak} weak\n")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
