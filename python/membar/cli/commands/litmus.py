"""`membar litmus PATH…`: many tests, in one process or several."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from membar.cli import arguments
from membar.cli.command import BAD_INPUT, VIOLATED, exit_code
from membar.cli.commands import files, supervision
from membar.cli.commands.window import color, columns, progress_line
from membar.diagnostics import refusal
from membar.languages.registry import load_model
from membar.limits import budget
from membar.questions import campaign, refusals
from membar.questions.answering import load_engine
from membar.questions.ask import ask
from membar.records import replace
from membar.reports import streams, summary

if TYPE_CHECKING:
    from membar.questions.expectations import Expectation

_TELL_EVERY = 0.1  # seconds between two words of progress


def run(chosen: arguments.Chosen) -> int:
    """Answers every test, prints a line for each and a summary."""
    limits, named = chosen.limit, tuple(map(Path, chosen.paths))
    with budget.limit_resources(seconds=limits.seconds, memory=limits.memory):
        tests = campaign.tests_in(named)
        known = _known_answers(chosen)
        _load(chosen)
    plan = campaign.Campaign(
        tests=tests,
        named=named,
        jobs=chosen.jobs,
        is_supervised=supervision.needs_child(limits),
        model=chosen.model,
        engine=chosen.engine,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), jobs=1),  # the jobs are tests
        include_dirs=tuple(chosen.include),
        folders=arguments.folders(chosen),
        mapping=chosen.mapping,
        texts=(
            *(
                name
                for name, is_read in (
                    ("json", chosen.json),
                    ("herd", chosen.herd),
                    ("states", known is not None),
                )
                if is_read
            ),
            *files.texts(chosen),
        ),
    )
    start = time.perf_counter()
    # A bar among the results would only be in the way.
    bar = nullcontext() if sys.stdout.isatty() else progress_line()
    with files.collect_answers(chosen) as filed, bar as tell:
        differences: dict[str, str] = {}
        filed.differences = differences if known is not None else None
        told = start

        def show(answer: campaign.TestAnswer) -> None:
            nonlocal told
            filed.answers.append(answer)
            new = campaign.compare([answer], known) if known is not None else {}
            differences.update(new)
            _show(answer, new.get(answer.path), chosen, tell)
            if tell is not None and (now := time.perf_counter()) - told >= _TELL_EVERY:
                told = now
                tell(f"{len(filed.answers):,} of {len(tests):,} tests")

        found = ask(replace(plan, on_answer=show))
        if tell is not None:
            tell("")
        expected = None if known is None else campaign.expected_tests(filed.answers, known)
        seconds = time.perf_counter() - start
        _show_table(filed.answers, filed.differences, expected=expected, seconds=seconds, chosen=chosen)
        if expected == 0:
            raise refusal(
                "W0403",
                f"`{chosen.expect}` expects nothing of these tests: nothing was compared",
                help="expectations name the file of a test, or the test itself",
            )
        if any(answer.unwritten for answer in filed.answers):
            return filed.end(BAD_INPUT)
        if differences:
            return filed.end(VIOLATED)
        return filed.end(exit_code(found.outcome))


def _known_answers(chosen: arguments.Chosen) -> Mapping[str, Expectation] | None:
    if not chosen.expect:
        return None
    from membar.questions import expectations  # noqa: PLC0415 - only where asked for

    return expectations.read(chosen.expect)


def _load(chosen: arguments.Chosen) -> None:
    """Loads engine and model: what is wrong with them is one error, not one per test."""
    if chosen.engine is not None:
        load_engine(chosen.engine)
    if chosen.model is not None:
        with budget.stage("while the model was loaded"):
            load_model(chosen.model, include_dirs=chosen.include)
    if chosen.define:
        refusals.refuse_for_language("litmus", ["-D"])
    if chosen.include:
        refusals.refuse_includes("litmus", chosen.model)


def _show(
    answer: campaign.TestAnswer,
    differs: str | None,
    chosen: arguments.Chosen,
    tell: Callable[[str], None] | None,
) -> None:
    problem = answer.reason if answer.verdict == "error" else answer.unwritten
    if problem:
        if tell is not None:
            tell("")
        streams.write_message(problem)
    if chosen.json or chosen.herd:
        streams.write(answer.json if chosen.json else answer.herd)
    else:
        streams.write(summary.one_line(answer, differs=differs, color=color(sys.stdout)))


def _show_table(
    answers: Sequence[campaign.TestAnswer],
    differences: Mapping[str, str] | None,
    *,
    expected: int | None,
    seconds: float,
    chosen: arguments.Chosen,
) -> None:
    is_for_tools = chosen.json or chosen.herd
    window = sys.stderr if is_for_tools else sys.stdout
    table = summary.table(
        answers, differences, expected=expected, seconds=seconds, columns=columns(), color=color(window)
    )
    (streams.write_message if is_for_tools else streams.write)(table)
