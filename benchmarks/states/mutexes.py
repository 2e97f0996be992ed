"""Mutual exclusion algorithms under tso(1) to tso(4), with and without atomic writes: a table in markdown.

`python benchmarks/states/mutexes.py` prints the table of docs/explanation/mutex-table.md. Models are from
the corpus (`../shared/corpus/dve` beside the repository) and from `examples/`; a family whose file is missing
is named and left out. `--family NAME` asks about one, `--repair NAME` looks for a small set of atomic writes:
it starts with all and takes away what is not needed for mutual exclusion under tso(2).

Each run or lasso that shows a violation is replayed by the reference machine; one that does not replay is an
error here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from membar import api
from membar.engines.reference.replay import replay
from membar.frontends.dve.parser import parse_module
from membar.outcome import Unknown, Violated
from membar.source import SourceFile
from membar.task import Limits, Options

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "dve"
BOUNDS = (1, 2, 3, 4)
FAIR = frozenset({"buffers", "processes"})


@dataclass(frozen=True, slots=True)
class Family:
    """An algorithm.

    Attributes:
        name: as people call it.
        path: its model.
        waiting: states of `P_0` in which it waits for its critical section `CS`.
        repair: atomic writes, a variable and the number of a transition of every process, that repair it.
    """

    name: str
    path: Path
    waiting: tuple[str, ...]
    repair: tuple[tuple[str, int], ...]


_MODELS = {name: CORPUS / name / f"{name}.{number}.dve" for name, number in (
    ("peterson", 1), ("lamport", 1), ("anderson", 2), ("szymanski", 1), ("bakery", 1), ("mcs", 1),
)}  # fmt: skip
_DEKKER = ROOT / "examples" / "dekker.dve"
FAMILIES = (
    Family("Peterson", _MODELS["peterson"], ("wait", "q2", "q3"), (("step", 3),)),
    Family("Lamport", _MODELS["lamport"], ("q1",), (("x", 2), ("y", 6))),
    Family("Anderson", _MODELS["anderson"], ("p1", "p2", "p3"), (("next", 1), ("next", 2))),
    Family("Szymanski", _MODELS["szymanski"], ("p2",), (("a", 1), ("s", 10))),
    Family("Bakery", _MODELS["bakery"], ("choose", "for_loop", "wait"), (("choosing", 1), ("number", 4))),
    # The second write is the compare-and-swap with which a process leaves; mutual exclusion does not need it.
    Family("MCS", _MODELS["mcs"], ("p2", "p3", "p4", "p5", "p6"), (("tail", 2), ("tail", 10))),
    Family("Dekker", _DEKKER, ("look", "yield", "again"), (("want", 1), ("want", 5))),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a model: an error state, or a formula."""

    name: str
    error: str | None = None
    ltl: str | None = None


def read(family: Family) -> SourceFile:
    """The model, without assertions of its own: the questions are ours."""
    found = SourceFile.read(family.path)
    lines = [line for line in found.text.splitlines() if not line.startswith("assert ")]
    return SourceFile(found.path, "\n".join(lines) + "\n")


def questions(family: Family, source: SourceFile) -> tuple[Question, ...]:
    """Mutual exclusion; that somebody gets in again and again; that who waits gets in."""
    inside = [f"{process.name}.CS" for process in parse_module(source).processes]
    waiting = " or ".join(f"P_0.{state}" for state in family.waiting)
    return (
        Question("mutual exclusion", error=f"{' + '.join(inside)} > 1"),
        Question("progress", ltl=f"G F ({' or '.join(inside)})"),
        Question("no starvation", ltl=f"G(({waiting}) -> F P_0.CS)"),
    )


def with_atomics(source: SourceFile, writes: Sequence[tuple[str, int]]) -> SourceFile:
    """The text, with writes that go around the store buffers, by every process."""
    names = [process.name for process in parse_module(source).processes]
    lines = [f"atomic {variable}, {name}.{number};\n" for variable, number in writes for name in names]
    return SourceFile(source.path, source.text + "\n" + "".join(lines))


def answer(source: SourceFile, question: Question, bound: int, limits: Limits) -> str:
    """The verdict in a word or two.

    Raises:
        AssertionError: a run or lasso does not replay.
    """
    result = api.check(
        source,
        model="sc" if bound == 0 else "x86-tso",
        error=question.error,
        ltl=question.ltl,
        properties=["errors", "assertions"] if question.ltl is None else ["claims"],
        options=Options(buffers=bound or 1, buffers_chosen_by_user=True, fair=FAIR),
        limits=limits,
    )
    outcome = result.outcome
    if isinstance(outcome, Unknown):
        return "UNKNOWN: " + ("run-time error" if "assertion" in outcome.reason else "too large")
    if not isinstance(outcome, Violated):
        return result.verdict.upper().replace("-", " ")
    problem = "no witness" if result.witness is None else replay(result.program, result.model, result.witness)
    if problem is not None:
        raise AssertionError(f"{source.path}, {question.name}, tso({bound}): {problem}")
    return "VIOLATED" + (" (run-time error)" if outcome.property == "assertions" else "")


def rows(family: Family, limits: Limits) -> Iterator[str]:
    """The lines of the table about one algorithm."""
    source = read(family)
    variants = [("as it is", source)]
    if family.repair:
        variants.append(("repaired", with_atomics(source, family.repair)))
    for what, text in variants:
        for question in questions(family, source):
            found = [answer(text, question, bound, limits) for bound in (0, *BOUNDS)]
            yield f"| {family.name} | {what} | {question.name} | {' | '.join(found)} |"


def repair_of(family: Family, limits: Limits) -> tuple[tuple[str, int], ...]:
    """A set of atomic writes from which none can be taken away, by mutual exclusion under tso(2)."""
    source = read(family)
    safety = questions(family, source)[0]
    first = parse_module(source).processes[0]
    own = {item.name for item in first.variables}
    chosen = list(
        dict.fromkeys(
            (effect.target.name, transition.number)
            for transition in first.transitions
            for effect in transition.effects
            if effect.target.name not in own
        )
    )
    for write in tuple(reversed(chosen)):
        rest = [other for other in chosen if other != write]
        if answer(with_atomics(source, rest), safety, 2, limits).startswith("HOLDS"):
            chosen = rest
    return tuple(chosen)


def described(family: Family) -> str:
    """The atomic writes of a repair, with the states between which they happen."""
    transitions = {item.number: item for item in parse_module(read(family)).processes[0].transitions}
    writes = [
        f"`{variable}` in `{transitions[number].source} -> {transitions[number].target}`"
        for variable, number in family.repair
    ]
    return f"- {family.name}: {', '.join(writes)}"


def main(arguments: Sequence[str]) -> int:
    """Prints the table, or a repair."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--family", action="append", help="only this algorithm")
    parser.add_argument("--repair", metavar="NAME", help="look for atomic writes that repair it")
    parser.add_argument("--states", type=int, default=1_000_000, help="UNKNOWN beyond so many states")
    parser.add_argument("--seconds", type=float, default=60, help="UNKNOWN beyond so much time")
    chosen = parser.parse_args(arguments)
    limits = Limits(states=chosen.states, seconds=chosen.seconds)
    known = [family for family in FAMILIES if family.path.exists()]
    for family in FAMILIES:
        if family not in known:
            sys.stdout.write(f"{family.name}: left out, no {family.path.name}\n")
    if chosen.repair:
        for family in known:
            if family.name == chosen.repair:
                sys.stdout.write(f"{family.name}: {repair_of(family, limits)}\n")
        return 0
    heads = ["algorithm", "writes", "question", "sc", *(f"tso({k})" for k in BOUNDS)]
    sys.stdout.write(f"| {' | '.join(heads)} |\n")
    sys.stdout.write("| --- " * (4 + len(BOUNDS)) + "|\n")
    asked = [family for family in known if not chosen.family or family.name in chosen.family]
    for family in asked:
        for row in rows(family, limits):
            sys.stdout.write(row + "\n")
            sys.stdout.flush()
    sys.stdout.write("\nRepaired by atomic writes of\n\n")
    sys.stdout.write("\n".join(described(family) for family in asked if family.repair) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
