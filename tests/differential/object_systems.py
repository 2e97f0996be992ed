"""The transition systems of objects against the memory models: the same final states, object by object.

    python tests/differential/object_systems.py [--count N] [--first SEED] [--model sc|x86-tso|xc|armv8]
                                                [--arrays]

Random objects, one operation per thread. The systems are run step by step; `graphs` answers about the same as
a program under the model of that name. Final states (results and memory) must be equal under sc and x86-tso.

Under xc and armv8 the systems are the paper's, and a difference must have one of these reasons:

    renaming    the system is stronger: it keeps reads and writes of one local variable in order, processors
                rename registers. The system says so itself (`beyond`, which makes a proof HOLDS WITHIN);
                and written with a fresh variable for every write, the object has the same final states by the
                system and by the model.
    arrays      the system is stronger: an array is one address, whose accesses stay in program order, no
                element is forwarded, and stores wait for all accesses to elements before them. The system
                says so itself; and with a fresh variable for every write, it has the final states of the
                model in which all of these are kept in order too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import membar
from differential.random_objects import (
    ARM,
    ELEMENT,
    LOCALS,
    X86,
    XC,
    cell_names,
    program_text,
    random_object,
    with_fresh_locals,
)
from membar.languages.objects.parser import parse_text
from membar.models.model import Model
from membar.objects.syntax import ConcurrentObject
from membar.objects.systems.explore import Call, Explorer
from membar.objects.terms import Space, Variable
from membar.questions.proof import system_of
from membar.source import SourceFile

Final = frozenset[tuple[int, ...]]
RELAXED = ("xc", "armv8")
MODELS = Path(membar.__file__).parent / "models"
ARRAYS = "elements of one array are accessed in program order"


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
    explorer = Explorer(system_of(about, membar.load_model(model)), client)
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
            results += [memory[Variable(Space.SHARED, name)] for name in cell_names(about)]
            found.add(tuple(results))
    return frozenset(found), beyond


def by_graphs(about: ConcurrentObject, model: str, *, is_array_one_address: bool = False) -> Final:
    """Final states by execution graphs; `is_array_one_address`: elements are accessed in program order."""
    words = {"armv8": ARM, "xc": XC}.get(model, X86)
    judging: str | Model = model
    if is_array_one_address:
        words, judging = replace(words, element=ELEMENT), in_order(model)
    source = SourceFile(f"{about.name}.mbp", program_text(about, words))
    result = membar.check(source, model=judging, engine="graphs")
    if result.verdict != "holds":
        raise AssertionError(f"{about.name}: {result.outcome}")
    order = [f"{number}:{name}" for number, _ in enumerate(about.operations) for name in LOCALS]
    order += [name.removesuffix("[0]") for name in cell_names(about)]
    return frozenset(tuple(int(dict(final)[key]) for key in order) for final in result.outcome.run.outcomes)


@cache
def in_order(model: str) -> Model:
    """The model that also keeps accesses to elements of arrays in program order."""
    text = (MODELS / f"{model}.cat").read_text()
    stronger = text.replace("let lob = (", f"let lob = ([{ELEMENT}] ; po ; [{ELEMENT} | W] | ")
    assert stronger != text
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{model}-in-order.cat"
        file.write_text(stronger)
        return membar.load_model(str(file))


def compared(seed: int, model: str, *, arrays: bool = False) -> Compared:
    """One random object."""
    text = random_object(seed, arrays=arrays)
    about = parse_text(SourceFile(f"random{seed}.obj", text))
    found = by_graphs(about, model)
    states, beyond = by_system(about, model)
    return Compared(seed, text, states, found, found != by_graphs(about, "sc"), beyond)


def reason(each: Compared, model: str) -> str:
    """Why an object has other final states by the system than by the model; "" if nobody knows."""
    if not each.system < each.model:
        return ""
    about = parse_text(SourceFile(f"random{each.seed}.obj", each.text))
    states, beyond = by_system(with_fresh_locals(about), model)
    if each.beyond.startswith("registers are not renamed") and states == each.model and not beyond:
        return "renaming"
    if beyond == ARRAYS and is_in_order(each, model):
        return "arrays"
    return ""


def is_in_order(each: Compared, model: str) -> bool:
    """Whether the system is the model in which accesses to elements of arrays are kept in order."""
    about = parse_text(SourceFile(f"random{each.seed}.obj", each.text))
    states, _ = by_system(with_fresh_locals(about), model)
    return states == by_graphs(about, model, is_array_one_address=True)


def campaign(first: int, count: int, model: str, *, arrays: bool = False) -> Iterator[Compared]:
    """Many of them."""
    for seed in range(first, first + count):
        yield compared(seed, model, arrays=arrays)


def main() -> int:
    """Runs the campaign; 0 if nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--model", default="x86-tso")
    parser.add_argument(
        "--arrays", action="store_true", help="with elements of an array at shifted addresses"
    )
    chosen = parser.parse_args()
    reasons: Counter[str] = Counter()
    weak = total = beyond = 0
    for each in campaign(chosen.first, chosen.count, chosen.model, arrays=chosen.arrays):
        total += 1
        weak += each.is_weak
        beyond += bool(each.beyond)
        if chosen.arrays and chosen.model in RELAXED and not is_in_order(each, chosen.model):
            reasons["unknown"] += 1
            sys.stdout.write(f"seed {each.seed} is not the model in order\n{each.text}")
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
