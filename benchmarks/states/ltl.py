"""LTL formulas of BEEM's models: verdicts with one thread and two, and what partial-order reduction saves.

    python benchmarks/states/ltl.py [--states 400000] [--family NAME] [--model sc]

Prints a table in markdown: the states of the product without reduction and with it, how many two threads need
(the same), and CPU seconds of the three searches. Models, formulas and their verdicts under sc are from the
corpus beside the repository. Exits with 1 if a verdict differs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import membar
from membar.engines.states import explore
from membar.languages.dve.translate import with_legacy_errors
from membar.properties.judge import Tally
from membar.questions import programs
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dve"
_LOOP = re.compile(r"myloop\(i,0,decr\((\w+)\), `(\w+)`'i(\.\w+)', `([^']*)'\)")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Question:
    """A formula about an instance, and whether it holds."""

    name: str
    path: Path
    formula: str
    holds: bool


def questions(most: int, family: str | None) -> Iterator[Question]:
    """The formulas of the corpus about instances with at most this many states."""
    known = json.loads((CORPUS / "expected.json").read_text())
    for name, facts in known.items():
        propositions = {each["name"]: each["expr"] for each in facts["atomic_propositions"]}
        for number, item in facts["instances"].items():
            if family not in (None, name) or not 0 < (item.get("states") or 0) <= most:
                continue
            parameters = dict(pair.strip().split("=") for pair in item["parameters"].split(","))
            for key, prop in facts["properties"].items():
                answer = item["verdicts"].get(key, {}).get("answer")
                if prop["type"] == "LTL" and answer in ("yes", "no"):
                    path = CORPUS / name / f"{name}.{number}.dve"
                    formula = expanded(prop["formula"], propositions, parameters)
                    yield Question(f"{name}.{number}, property {key}", path, formula, answer == "yes")


def expanded(formula: str, propositions: Mapping[str, str], parameters: Mapping[str, str]) -> str:
    """A formula with its propositions written out."""

    def loop(found: re.Match[str]) -> str:
        count, name, state, between = found.groups()
        return between.join(f"{name}{i}{state}" for i in range(int(parameters[count])))

    def word(found: re.Match[str]) -> str:
        if found[0] in propositions:
            return f"({_LOOP.sub(loop, propositions[found[0]])})"
        return " ".join(found[0]) if set(found[0]) <= set("GFXUR") else found[0]

    return _WORD.sub(word, formula)


def ask(question: Question, model: str) -> tuple[list[Tally], list[float]]:
    """The answers without reduction, with it, and with two threads; and the CPU seconds of each.

    Where a run-time error ends runs that matter, they go on after it as DiVinE's did.
    """
    text = question.path.read_text()
    for source in (text, with_legacy_errors(text)):
        read = programs.parse_with_options(
            SourceFile(str(question.path), source), error=None, ltl=question.formula, words={}
        )
        program = replace_claims(read[1])
        options = Options(buffers=1, buffers_chosen_by_user=True)
        task = Task(
            program=program,
            model=membar.load_model(model),
            properties=("claims",),
            options=options,
            limits=Limits(states=20_000_000),
        )
        found, seconds = [], []
        for jobs, reduced in ((1, False), (1, True), (2, True)):
            start = time.process_time()
            found.append(explore(replace(task, options=replace(options, jobs=jobs)), reduced=reduced))
            seconds.append(time.process_time() - start)
        if found[0].limit is None:
            break
    return found, seconds


def replace_claims(program: membar.Program) -> membar.Program:
    """The program with the formula that was asked about alone."""
    return replace(program, claims=program.claims[-1:])


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--states", type=int, default=400_000, help="most states of a model under sc")
    parser.add_argument("--family")
    parser.add_argument("--model", default="sc")
    chosen = parser.parse_args()
    wrong = 0
    _say("| instance | verdict | states | reduced | saved | CPU s: whole, reduced, two threads |")
    _say("| --- | --- | --- | --- | --- | --- |")
    for question in questions(chosen.states, chosen.family):
        (whole, reduced, two), seconds = ask(question, chosen.model)
        answers = [found.lasso is None if found.limit is None else None for found in (whole, reduced, two)]
        is_right = len(set(answers)) == 1 and two.lasso == reduced.lasso
        is_right &= two.statistics.nodes == reduced.statistics.nodes
        is_right &= chosen.model != "sc" or answers[0] is question.holds
        wrong += not is_right
        states = [found.statistics.nodes or 0 for found in (whole, reduced)]
        times = ", ".join(f"{item:.2f}" for item in seconds)
        verdict = {True: "holds", False: "violated", None: "unknown"}[answers[0]]
        mark = "" if is_right else f" **wrong: {answers}, expected {question.holds}**"
        _say(
            f"| {question.name} | {verdict}{mark} | {states[0]:,} | {states[1]:,} |"
            f" {100 - 100 * states[1] / max(states[0], 1):.0f} % | {times} |"
        )
    _say(f"{wrong} differences")
    return int(wrong > 0)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
