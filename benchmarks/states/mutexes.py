"""Mutual exclusion algorithms under tso(1) to tso(4), with and without atomic writes: a table in markdown.

`python benchmarks/states/mutexes.py` prints the table of docs/explanation/mutex-table.md. Models are from
the corpus beside the repository and from `examples/`; a family whose file is missing
is named and left out. `--family NAME` asks about one, `--repair NAME` lets `membar repair` look for the
fewest atomic writes that mutual exclusion under tso(2) needs.

Each run or lasso that shows a violation is replayed by the reference machine; one that does not replay is an
error here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import membar
from membar.engines.reference.witness_replay import replay
from membar.languages.dve.parser import parse_module
from membar.questions import programs, repair
from membar.questions.outcome import Holds, Unknown, Violated, Witness
from membar.questions.task import Limits, Options
from membar.source import SourceFile

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "dve"
BOUNDS = (1, 2, 3, 4)
FAIR = frozenset({"buffers", "processes"})
_TOO_LARGE = "states was reached"


@dataclass(frozen=True, slots=True)
class Family:
    """An algorithm.

    Attributes:
        name: as people call it.
        path: its model.
        waiting: states of `P_0` in which it waits for its critical section `CS`.
        repair: atomic writes, a variable and the number of a transition of every process, that repair it.
        also_wanted: properties that a repair must have besides mutual exclusion.
    """

    name: str
    path: Path
    waiting: tuple[str, ...]
    repair: tuple[tuple[str, int], ...]
    also_wanted: tuple[str, ...] = ()


_MODELS = {name: CORPUS / name / f"{name}.{number}.dve" for name, number in (
    ("peterson", 1), ("lamport", 1), ("anderson", 2), ("szymanski", 1), ("bakery", 1), ("mcs", 1),
)}  # fmt: skip
_DEKKER = ROOT / "examples" / "dve/dekker.dve"
FAMILIES = (
    Family("Peterson", _MODELS["peterson"], ("wait", "q2", "q3"), (("step", 3),)),
    Family("Lamport", _MODELS["lamport"], ("q1",), (("x", 2), ("y", 6))),
    Family("Anderson", _MODELS["anderson"], ("p1", "p2", "p3"), (("next", 1), ("next", 2))),
    Family("Szymanski", _MODELS["szymanski"], ("p2",), (("a", 1), ("s", 10))),
    Family("Bakery", _MODELS["bakery"], ("choose", "for_loop", "wait"), (("choosing", 1), ("number", 4))),
    # The second write is the compare-and-swap with which a process leaves; mutual exclusion does not need it.
    Family("MCS", _MODELS["mcs"], ("p2", "p3", "p4", "p5", "p6"), (("tail", 2), ("tail", 10)), ("deadlock",)),
    Family("Dekker", _DEKKER, ("look", "yield", "again"), (("want", 1), ("want", 5))),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a model: an error state, or a formula."""

    name: str
    error: str | None = None
    ltl: str | None = None

    @property
    def properties(self) -> list[str]:
        """Those of `membar check` that it is about."""
        return ["errors", "assertions"] if self.ltl is None else ["claims"]


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


def result_of(source: SourceFile, question: Question, bound: int, states: int) -> membar.Answer:
    """The answer about a model under tso(bound), or sc if that is 0; a run that shows it is replayed.

    Raises:
        AssertionError: a violation has no run, or one that the reference machine does not follow.
    """
    result = membar.check(
        source,
        model="sc" if bound == 0 else "x86-tso",
        error=question.error,
        ltl=question.ltl,
        properties=question.properties,
        options=options(bound),
        limits=Limits(states=states),
    )
    if isinstance(result.outcome, Violated):
        told = result.witness
        problem = "no witness" if told is None else replay(result.program, result.model, told)
        if problem is not None:
            raise AssertionError(f"{source.path}, {question.name}, tso({bound}): {problem}")
    return result


def breaks(source: SourceFile, question: Question, run: Witness) -> bool:
    """Whether a run that goes on forever, found for another question, is an answer to this one too."""
    if question.ltl is None or run.cycle is None:
        return False
    program = programs.parse_with_options(source, error=None, ltl=question.ltl, words={})[1]
    return replay(program, membar.load_model("x86-tso"), run) is None


def options(bound: int) -> Options:
    """Buffers of so many stores, and runs that are fair to buffers and to processes."""
    return Options(buffers=bound or 1, buffers_chosen_by_user=True, fair=FAIR)


def cell(result: membar.Answer) -> str:
    """The verdict in a word or two."""
    match result.outcome:
        case Violated(property="assertions"):
            return "VIOLATED (run-time error)"
        case Unknown(reason=reason):
            return "UNKNOWN: " + _in_short(reason)
    return result.verdict.upper().replace("-", " ")


def _in_short(reason: str) -> str:
    if _TOO_LARGE in reason:
        return "too large"
    return "one step needs more entries" if "never happens" in reason else reason


@dataclass(slots=True)
class Variant:
    """A model with some of its writes atomic, and the runs found so far, each with its bound."""

    source: SourceFile
    states: int
    runs: list[tuple[int, Witness]] = field(default_factory=list)

    def cells(self, question: Question) -> Iterator[str]:
        """The verdicts under sc and each tso(k). What is known of larger buffers is not asked again.

        A run with buffers of k stores is one with larger ones: the reference replays it with buffers without
        a bound, and calls it fair only if it is so there. And what holds without any store held back by the
        bound (HOLDS, not HOLDS WITHIN) holds with larger buffers. Where a bound has too many states, larger
        ones have more: only a violation can be found there, and is looked for among the first tenth as many.
        """
        yield cell(result_of(self.source, question, 0, self.states))
        known, states = "", self.states
        for bound in BOUNDS:
            if not known and any(breaks(self.source, question, run) for k, run in self.runs if k <= bound):
                known = "VIOLATED"
            if known:
                yield known
                continue
            result = result_of(self.source, question, bound, states)
            if isinstance(result.outcome, Violated | Holds):
                known = cell(result)
            elif isinstance(result.outcome, Unknown) and _TOO_LARGE in result.outcome.reason:
                states = self.states // 10
            if isinstance(result.outcome, Violated) and result.witness is not None:
                self.runs.append((bound, result.witness))
            yield cell(result)


def rows(family: Family, states: int) -> Iterator[str]:
    """The lines of the table about one algorithm."""
    source = read(family)
    for what, text in (("unchanged", source), ("repaired", with_atomics(source, family.repair))):
        variant = Variant(text, states)
        for question in questions(family, source):
            yield f"| {family.name} | {what} | {question.name} | {' | '.join(variant.cells(question))} |"


def cheapest_repair(family: Family, states: int) -> str:
    """What `membar repair` says: the fewest atomic writes that mutual exclusion under tso(2) needs."""
    source = read(family)
    safety = questions(family, source)[0]
    found = membar.repair(
        source,
        model="x86-tso",
        error=safety.error,
        properties=[*safety.properties, *family.also_wanted],
        options=options(2),
        limits=Limits(states=states),
    )
    if not isinstance(found, repair.Repair):
        return f"none found: {found}"
    writes = ", ".join(change.place.title for change in found.changes)
    proved = "no fewer do" if found.is_minimal else f"at least {found.lower_bound} cost"
    return f"{writes} ({proved}; {found.tested} programs checked)"


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
    parser.add_argument("--states", type=int, default=2_000_000, help="UNKNOWN beyond so many states")
    chosen = parser.parse_args(arguments)
    known = [family for family in FAMILIES if family.path.exists()]
    for family in FAMILIES:
        if family not in known:
            sys.stdout.write(f"{family.name}: left out, no {family.path.name}\n")
    if chosen.repair:
        for family in known:
            if family.name == chosen.repair:
                sys.stdout.write(f"{family.name}: {cheapest_repair(family, chosen.states)}\n")
        return 0
    heads = ["algorithm", "writes", "question", "sc", *(f"tso({k})" for k in BOUNDS)]
    sys.stdout.write(f"| {' | '.join(heads)} |\n")
    sys.stdout.write("| --- " * (4 + len(BOUNDS)) + "|\n")
    asked = [family for family in known if not chosen.family or family.name in chosen.family]
    for family in asked:
        for row in rows(family, chosen.states):
            sys.stdout.write(row + "\n")
            sys.stdout.flush()
    sys.stdout.write("\nRepaired by atomic writes of\n\n")
    sys.stdout.write("\n".join(described(family) for family in asked if family.repair) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
