"""`membar litmus PATH…`: many tests, in one process or several."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from membar.cli import arguments
from membar.cli.command import BAD_INPUT, VIOLATED, exit_code
from membar.cli.commands import output_files, supervision
from membar.cli.terminal import color, columns, progress_line
from membar.diagnostics import refusal
from membar.languages.registry import load_model
from membar.limits import budget
from membar.questions import campaign, refusals
from membar.questions.ask import ask
from membar.questions.engine_answer import load_engine
from membar.records import replace
from membar.reports import litmus_table, streams
from membar.text.file_paths import plain

if TYPE_CHECKING:
    from membar.models.model import Model
    from membar.questions.expectations import Expectation

_TELL_EVERY = 0.1  # seconds between two words of progress
_MOST_IN_A_PAGE = 2_000  # answers; more would be a file of some 20 MB, and slow to open


def run(chosen: arguments.Chosen) -> int:
    """Answers every test, prints a line for each and a summary."""
    limits, named = chosen.limit, tuple(map(plain, chosen.paths))
    with budget.limit_resources(seconds=limits.seconds, memory=limits.memory):
        tests = campaign.tests_in(named)
        known = _expectations(chosen)
        models = _load(chosen)
    if chosen.html is not None and len(tests) * max(len(models), 1) > _MOST_IN_A_PAGE:
        raise refusal(
            "W0400",
            f"--html writes at most {_MOST_IN_A_PAGE:,} answers, not {len(tests) * max(len(models), 1):,}",
            help="membar litmus … --store results.db keeps them all; membar serve results.db shows them",
        )
    plan = campaign.Campaign(
        tests=tests,
        named=named,
        jobs=chosen.jobs,
        is_supervised=supervision.needs_child(limits),
        model=chosen.model,
        models=models,
        engine=chosen.engine,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), jobs=1),  # the jobs are tests
        include_dirs=tuple(chosen.include),
        folders=arguments.folders(chosen),
        mapping=chosen.mapping,
        store=chosen.store,
        command=" ".join(arguments.words_to_repeat(chosen)),
        judge=None if known is None else lambda answer: campaign.compare([answer], known).get(answer.path),
        texts=(
            *(
                name
                for name, is_read in (
                    ("json", chosen.json),
                    ("herd", chosen.herd),
                    ("states", known is not None or chosen.store is not None),
                )
                if is_read
            ),
            *output_files.texts(chosen),
        ),
    )
    start = time.perf_counter()
    # A bar among the results would only be in the way.
    bar = nullcontext() if sys.stdout.isatty() else progress_line()
    with output_files.collect_answers(chosen) as filed, bar as tell:
        differences: dict[str, str] = {}
        filed.differences = differences if known is not None else None
        told = start
        lines = _Lines(chosen, tests, [model.name for model in models], tell)

        def show(answer: campaign.TestAnswer) -> None:
            nonlocal told
            filed.answers.append(answer)
            new = campaign.compare([answer], known) if known is not None else {}
            differences.update(new)
            lines.show(answer, new.get(answer.path))
            if tell is not None and (now := time.perf_counter()) - told >= _TELL_EVERY:
                told = now
                tell(f"{len(filed.answers) // lines.columns:,} of {len(tests):,} tests")

        try:
            found = ask(replace(plan, on_answer=show))
        except KeyboardInterrupt:
            if tell is not None:
                tell("")
            _show_table(
                filed.answers,
                filed.differences,
                expected=None,
                seconds=time.perf_counter() - start,
                models=lines.models,
                chosen=chosen,
            )
            streams.write_message(_resume_hint(len(filed.answers), len(tests) * lines.columns, chosen.store))
            raise
        if tell is not None:
            tell("")
        expected = None if known is None else campaign.expected_tests(filed.answers, known)
        seconds = time.perf_counter() - start
        _show_table(
            filed.answers,
            filed.differences,
            expected=expected,
            seconds=seconds,
            models=lines.models,
            chosen=chosen,
        )
        if expected == 0:
            raise refusal(
                "W0403",
                f"`{chosen.expect}` has no expectation for any of these tests: nothing was compared",
                help="expectations name the file of a test, or the test itself",
            )
        if any(answer.unwritten for answer in filed.answers):
            return filed.end(BAD_INPUT)
        if differences:
            return filed.end(VIOLATED)
        return filed.end(exit_code(found.outcome))


def _resume_hint(done: int, asked: int, store: str | None) -> str:
    """One sentence about what an interrupted campaign leaves behind."""
    said = f"interrupted: {done:,} of {asked:,} answers"
    if store is None:
        return f"{said}; none is stored: with --store FILE, the same command would resume where it stopped\n"
    return f"{said}; they are stored in {store}: the same command computes the others\n"


def _expectations(chosen: arguments.Chosen) -> Mapping[str, Expectation] | None:
    if not chosen.expect:
        return None
    if chosen.models is not None:
        raise refusal(
            "W0400",
            "--expect states one answer for each test, not one for each model",
            help="compare with one model: --model NAME",
        )
    from membar.questions import expectations  # noqa: PLC0415 - only where asked for

    return expectations.read(chosen.expect)


def _load(chosen: arguments.Chosen) -> list[Model]:
    """Loads engine and models, so that a mistake there is one error, not one per test. Returns `--models`."""
    if chosen.engine is not None:
        load_engine(chosen.engine)
    names = [name.strip() for name in (chosen.models or "").split(",") if name.strip()]
    if chosen.models is not None and not names:
        raise refusal("W0400", "--models names no model", help="membar models lists those that membar ships")
    with budget.stage("while loading the model"):
        models = [load_model(name, include_dirs=chosen.include) for name in dict.fromkeys(names)]
        if chosen.model is not None:
            load_model(chosen.model, include_dirs=chosen.include)
    twice = next((name for name, n in Counter(model.name for model in models).items() if n > 1), None)
    if twice is not None:
        raise refusal("W0400", f"two of the models are called `{twice}`", help="rename the file of one")
    if chosen.define:
        refusals.refuse_for_language("litmus", ["-D"])
    if chosen.include:
        refusals.refuse_includes("litmus", chosen.model or chosen.models)
    return models


class _Lines:
    """The lines about answers, in the requested form."""

    def __init__(
        self,
        chosen: arguments.Chosen,
        tests: Sequence[str],
        models: Sequence[str],
        tell: Callable[[str], None] | None,
    ) -> None:
        self.models = models if len(models) > 1 else ()
        self.columns = max(len(models), 1)
        self._chosen, self._tell = chosen, tell
        self._form = chosen.lines or ("tests" if self.models else "answers")
        self._paths = tests
        self._row: list[campaign.TestAnswer] = []
        self._problem = ""
        self._has_head = False

    def show(self, answer: campaign.TestAnswer, differs: str | None) -> None:
        """Shows an answer, or keeps it until the answers under the other models are there."""
        problem = answer.reason if answer.verdict == "error" else answer.unwritten
        if problem and problem != self._problem:  # bad input is so under every model
            if self._tell is not None:
                self._tell("")
            streams.write_message(problem)
        self._problem = problem
        if self._chosen.json or self._chosen.herd:
            streams.write(answer.json if self._chosen.json else answer.herd)
            return
        self._row.append(answer)
        if len(self._row) == self.columns or self._form == "answers":
            self._show_row(differs)
            self._row.clear()

    def _show_row(self, differs: str | None) -> None:
        if self._form == "none":
            return
        if self._form == "differing" and differs is None and not litmus_table.models_differ(self._row):
            return
        if self._form == "answers" or not self.models:
            text = litmus_table.one_line(
                self._row[0], differs=differs, shows_model=bool(self.models), color=color(sys.stdout)
            )
        else:
            head = "" if self._has_head else litmus_table.matrix_head(self._paths, self.models)
            self._has_head = True
            line = litmus_table.matrix_line(self._paths, self.models, self._row, color=color(sys.stdout))
            text = head + line
        streams.write(text)


def _show_table(
    answers: Sequence[campaign.TestAnswer],
    differences: Mapping[str, str] | None,
    *,
    expected: int | None,
    seconds: float,
    models: Sequence[str],
    chosen: arguments.Chosen,
) -> None:
    is_for_tools = chosen.json or chosen.herd
    window = sys.stderr if is_for_tools else sys.stdout
    table = litmus_table.table(
        answers,
        differences,
        expected=expected,
        seconds=seconds,
        models=models,
        columns=columns(),
        color=color(window),
    )
    (streams.write_message if is_for_tools else streams.write)(table)
