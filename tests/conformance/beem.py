"""BEEM's models with their known numbers of states and edges, and their verdicts.

As a command: every instance in the corpus beside the project up to a number of states.

    python tests/conformance/beem.py [--states 2000000] [--above N] [--family NAME] [--claims]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from membar import check
from membar.diagnostics import InputError
from membar.languages.dve.translate import with_legacy_errors
from membar.questions.outcome import Explored, Holds, HoldsWithin, Violated
from membar.questions.task import Limits, Options
from membar.source import SourceFile

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dve"
_LOOP = re.compile(r"myloop\(i,0,decr\((\w+)\), `(\w+)`'i(\.\w+)', `([^']*)'\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An instance of a family: what is known of it.

    Attributes:
        name: `anderson.1`.
        path: its text.
        states: their number.
        edges: their number, where it is recorded.
        goals: expressions, with whether a state that satisfies one is reachable.
        claims: texts with a property process, with whether the formula holds.
    """

    name: str
    path: Path
    states: int
    edges: int | None
    goals: Mapping[str, bool] = field(default_factory=dict)
    claims: Mapping[Path, bool] = field(default_factory=dict)


def instances() -> Iterator[Instance]:
    """All instances of the corpus, the small ones first."""
    known = json.loads((CORPUS / "expected.json").read_text())
    found = [
        _instance(family, facts, number, item)
        for family, facts in known.items()
        for number, item in facts["instances"].items()
        if item.get("states")
    ]
    yield from sorted(found, key=lambda instance: instance.states)


def _instance(family: str, facts: dict[str, dict], number: str, item: dict) -> Instance:  # type: ignore[type-arg]
    path = CORPUS / family / f"{family}.{number}.dve"
    parameters = dict(pair.strip().split("=") for pair in item["parameters"].split(","))
    propositions = {each["name"]: each["expr"] for each in facts["atomic_propositions"]}
    goals, claims = {}, {}
    for key, prop in facts["properties"].items():
        answer = item["verdicts"].get(key, {}).get("answer")
        if answer not in ("yes", "no"):
            continue
        if prop["type"] == "reachability":
            goals[expanded(propositions[prop["formula"]], parameters)] = answer == "yes"
        else:
            claims[path.with_suffix(f".prop{key}.dve")] = answer == "yes"
    return Instance(
        name=f"{family}.{number}",
        path=path,
        states=item["states"],
        edges=item.get("stat_edges"),
        goals=goals,
        claims=claims,
    )


def expanded(proposition: str, parameters: Mapping[str, str]) -> str:
    """An atomic proposition with its loop over the processes written out."""

    def loop(found: re.Match[str]) -> str:
        count, name, state, between = found.groups()
        return between.join(f"{name}{i}{state}" for i in range(int(parameters[count])))

    return _LOOP.sub(loop, proposition)


def count(instance: Instance, engine: str) -> tuple[int | None, int | None]:
    """The number of states and of transitions under sc, with legacy run-time errors."""
    text = instance.path.read_text()
    source = SourceFile(str(instance.path), text)
    off = frozenset({"por"}) if engine == "states" else frozenset()
    options = Options(buffers=1, buffers_chosen_by_user=True, reductions_off=off)
    plain = check(source, model="sc", engine=engine, properties=("assertions", "memory"), options=options)
    if isinstance(plain.outcome, Violated):  # some run-time error: only then does it matter what follows
        source = SourceFile(str(instance.path), with_legacy_errors(text))
    result = check(source, model="sc", engine=engine, properties=(), options=options)
    if not isinstance(result.outcome, Explored) or not result.outcome.complete:
        return None, None
    statistics = result.outcome.run.statistics
    return statistics.states, statistics.transitions


def is_reachable(instance: Instance, goal: str, engine: str, limits: Limits | None = None) -> bool | None:
    """Whether a state that satisfies `goal` is reachable under sc; None: not answered."""
    options = Options(buffers=1, buffers_chosen_by_user=True)
    result = check(
        instance.path,
        model="sc",
        engine=engine,
        error=goal,
        properties=("errors",),
        options=options,
        limits=limits,
    )
    return _answer(result.outcome)


def holds(path: Path, engine: str, limits: Limits | None = None) -> bool | None:
    """Whether the property of a text holds under sc without fairness; None: not answered.

    Where a run-time error can end a run that matters, the question is asked again about runs that go on after
    it as DiVinE's did, which is what BEEM's answers are about.
    """
    text = path.read_text()
    for source in (SourceFile(str(path), text), SourceFile(str(path), with_legacy_errors(text))):
        options = Options(buffers=1, buffers_chosen_by_user=True)
        result = check(
            source, model="sc", engine=engine, properties=("claims",), options=options, limits=limits
        )
        answer = _answer(result.outcome)
        if answer is not None:
            return not answer
    return None


def _answer(outcome: object) -> bool | None:
    if isinstance(outcome, Violated):
        return True
    return False if isinstance(outcome, Holds | HoldsWithin) else None


def main() -> int:
    """Runs everything up to the number of states given; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=2_000_000)
    parser.add_argument("--above", type=int, default=0, help="only instances with more states than this")
    parser.add_argument("--family")
    parser.add_argument("--engine", default="states")
    parser.add_argument("--claims", action="store_true", help="LTL verdicts too")
    chosen = parser.parse_args()
    wrong = 0
    for instance in instances():
        is_wanted = not chosen.family or instance.name.startswith(chosen.family)
        if not is_wanted or not chosen.above < instance.states <= chosen.states:
            continue
        wrong += _report(instance, chosen.engine, claims=chosen.claims)
    print("all agree" if not wrong else f"{wrong} differences")  # noqa: T201 - a command
    return int(wrong > 0)


def _report(instance: Instance, engine: str, *, claims: bool) -> int:
    start = time.process_time()
    wrong = 0
    words = []
    states, edges = count(instance, engine)
    if states != instance.states or (instance.edges is not None and edges != instance.edges):
        wrong += 1
        words.append(f"expected {instance.states} states, {instance.edges} edges")
    for goal, expected in instance.goals.items():
        found = is_reachable(instance, goal, engine)
        if found is not expected:
            wrong += 1
            words.append(f"{goal}: {found}, expected {expected}")
    for path, expected in instance.claims.items() if claims else ():
        found = holds(path, engine)
        if found is not expected:
            wrong += 1
            words.append(f"{path.name}: {found}, expected {expected}")
    seconds = time.process_time() - start
    mark = "; ".join(words) or "ok"
    print(f"{instance.name}: {states} states, {edges} edges, {seconds:.1f} s: {mark}", flush=True)  # noqa: T201
    return wrong


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as problem:
        sys.exit(str(problem))
