"""The transition systems of objects against the memory models: the same final states, object by object.

    python tests/differential/object_systems.py [--count N] [--first SEED] [--model sc|x86-tso|xc|armv8]

Random objects, one operation per thread. The systems are run step by step; `graphs` answers about the same as
a program under the model of that name. Final states (results and memory) must be equal under sc and x86-tso.

Under xc and armv8 the systems are the paper's, and a difference must have one of these reasons:

    renaming    the system is stronger: it keeps reads and writes of one local variable in order, processors
                rename registers. The system says so itself (`beyond`, which makes a proof HOLDS WITHIN);
                and written with a fresh variable for every write, the object has the same final states by the
                system and by the model.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.random_objects import (
    ARM,
    LOCALS,
    X86,
    XC,
    program_text,
    random_object,
    with_fresh_locals,
)
from membar import api
from membar.frontends.object.parser import parse_text
from membar.object_proofs import system_of
from membar.objects.syntax import ConcurrentObject
from membar.objects.systems.explore import Call, Explorer
from membar.objects.terms import Space, Variable
from membar.source import SourceFile

Final = frozenset[tuple[int, ...]]
RELAXED = ("xc", "armv8")


@dataclass(frozen=True, slots=True)
class Compared:
    """What one object showed: its final states by the system and by the model."""

    seed: int
    text: str
    system: Final
    model: Final
    is_weak: bool
    beyond: str

    @property
    def is_equal(self) -> bool:
        """Whether the two agree."""
        return self.system == self.model


def by_system(about: ConcurrentObject, model: str) -> tuple[Final, str]:
    """Final states by running the transition system, and what it says the model could do beyond it."""
    client = tuple((Call(operation.name),) for operation in about.operations)
    explorer = Explorer(system_of(about, api.load_model(model)), client)
    found = set()
    beyond = ""
    for state in explorer.reachable():
        for thread in state.threads if not beyond else ():
            said = explorer.system.beyond(thread.control)
            if not said.startswith("calls wait"):  # here nobody calls twice
                beyond = beyond or said
        if explorer.is_final(state):
            memory = dict(state.memory)
            results = [value for thread in state.threads for value in thread.returned[0]]
            results += [memory[Variable(Space.SHARED, each.name)] for each in about.shared]
            found.add(tuple(results))
    return frozenset(found), beyond


def by_graphs(about: ConcurrentObject, model: str) -> Final:
    """Final states by execution graphs."""
    words = {"armv8": ARM, "xc": XC}.get(model, X86)
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
    states, beyond = by_system(about, model)
    return Compared(seed, text, states, found, found != by_graphs(about, "sc"), beyond)


def reason(each: Compared, model: str) -> str:
    """Why an object has other final states by the system than by the model; "" if nobody knows."""
    if not each.system < each.model or not each.beyond.startswith("registers are not renamed"):
        return ""
    about = parse_text(SourceFile(f"random{each.seed}.obj", each.text))
    states, beyond = by_system(with_fresh_locals(about), model)
    if states == each.model and not beyond:
        return "renaming"
    return ""


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
    reasons: Counter[str] = Counter()
    weak = total = beyond = 0
    for each in campaign(chosen.first, chosen.count, chosen.model):
        total += 1
        weak += each.is_weak
        beyond += bool(each.beyond)
        if each.is_equal:
            continue
        why = reason(each, chosen.model) if chosen.model in RELAXED else ""
        reasons[why or "unknown"] += 1
        if not why:
            sys.stdout.write(f"seed {each.seed} differs\n{each.text}")
            sys.stdout.write(f"only the system: {sorted(each.system - each.model)}\n")
            sys.stdout.write(f"only the model: {sorted(each.model - each.system)}\n")
    told = ", ".join(f"{count} differ ({why})" for why, count in sorted(reasons.items())) or "0 differ"
    sys.stdout.write(
        f"{total} objects under {chosen.model}: {told}; {weak} weak, {beyond} beyond the system\n"
    )
    return int(reasons["unknown"] > 0)


if __name__ == "__main__":
    sys.exit(main())
