"""`membar check FILE…`: one question per file.

What kind of question it is, says the file's ending, or an option. Each kind is a lane, a module of
`commands/lanes`, which is loaded when a file takes it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from membar.cli import arguments
from membar.cli.command import BAD_INPUT, UNKNOWN, exit_code, gravest
from membar.cli.command import INTERRUPTED as BROKEN_OFF
from membar.cli.commands import files, supervision
from membar.cli.commands.window import color, columns, progress_line
from membar.diagnostics import UNFIT, EngineLimitError, InputError, unfit_input
from membar.languages import ObjectFrontend, SystemFrontend
from membar.languages import registry as languages
from membar.limits import budget
from membar.limits.budget import Ended
from membar.questions import option_scopes
from membar.questions.outcome import INTERRUPTED, InterruptedAnswerError, Unknown
from membar.records import record, replace
from membar.reports import streams
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.questions import campaign
    from membar.questions.api import Result
    from membar.questions.linearizability import ObjectResult
    from membar.questions.object_proofs import ProofResult
    from membar.questions.proving import SystemResult

Answer: TypeAlias = "Result | SystemResult | ObjectResult | ProofResult"


class Lane(Protocol):
    """One kind of question."""

    def answer(
        self, file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
    ) -> Answer:
        """The answer about a file; raises `InputError`."""

    def show(self, result: Any, chosen: argparse.Namespace) -> None:  # noqa: ANN401 - its own kind of answer
        """Prints an answer."""


# Lanes whose proofs z3 finds, or checks.
_WITH_PROOFS = ("systems", "objects", "lifted")
# The default of `--threads any`, for the report of what was broken off.
_MODEL_OF_ANY_NUMBER = "x86-tso"


@record(frozen=True, slots=True)
class _Shown:
    """The report about a file, the exit code that it means, and what files for other tools say about it."""

    text: str
    code: int
    filed: Sequence[campaign.Answer] = ()


def run(chosen: argparse.Namespace) -> int:
    """Answers each file in turn; files for other tools are written even if that is broken off."""
    codes: list[int] = []
    if chosen.explain and (chosen.json or chosen.herd):
        option_scopes.refuse_explanation_as_data()
    files.prepare_witness(chosen)
    files.prepare_confirmation(chosen)
    with files.written(chosen) as filed:
        asks_z3 = any(_asks_z3(file, chosen) for file in chosen.files)
        work = partial(_ask, chosen=chosen)
        found = supervision.each(chosen.files, work, limits=chosen.limit, asks_z3=asks_z3)
        for file in chosen.files:
            start = time.perf_counter()
            try:
                shown = next(found)
            except KeyboardInterrupt:
                shown = _give_up(file, chosen, INTERRUPTED, time.perf_counter() - start, code=BROKEN_OFF)
            if isinstance(shown, Ended):
                shown = _give_up(file, chosen, shown.reason, shown.seconds)
            filed.answers.extend(shown.filed)
            streams.write(shown.text)
            if shown.code == BROKEN_OFF:
                raise KeyboardInterrupt
            codes.append(shown.code)
        return filed.end(gravest(codes))


def _ask(file: Path, chosen: argparse.Namespace) -> _Shown:
    """Answers one file, within the limits: reading, search and drawing together."""
    start = time.perf_counter()
    limit, filed = chosen.limit, files.Filed(chosen)
    with supervision.captured() as printed:
        try:
            with budget.limited(seconds=limit.seconds, memory=limit.memory):
                code = _answer_and_show(file, chosen, filed)
        except (budget.LimitError, EngineLimitError) as reached:
            reason = reached.reason
        except MemoryError:
            reason = "memory ran out"
        except (InputError, OSError) as problem:  # a file that was asked for: the answer stands
            _refused(problem if isinstance(problem, InputError) else unfit_input(problem))
            return _Shown(printed.getvalue(), BAD_INPUT, filed.answers)
        except KeyboardInterrupt as interrupt:
            seconds = time.perf_counter() - start
            if not isinstance(interrupt, InterruptedAnswerError):
                if text := printed.getvalue():  # the answer stands, without what else was asked for
                    return _Shown(text, BROKEN_OFF, filed.answers)
                return _give_up(file, chosen, INTERRUPTED, seconds, code=BROKEN_OFF)
            filed.add(file, interrupt.answer, seconds=seconds)
            _lane(file, chosen).show(interrupt.answer, chosen)
            return _Shown(printed.getvalue(), BROKEN_OFF, filed.answers)
        else:
            return _Shown(printed.getvalue(), code, filed.answers)
    # The answer stands, if there is one; what else was asked for is not all there.
    text = printed.getvalue()
    given_up = _give_up(file, chosen, reason, time.perf_counter() - start)
    if text:
        streams.write_message(f"error[W0439]: {file}: {reason}\n")
        return replace(given_up, text=text)
    return given_up


def _answer_and_show(file: Path, chosen: argparse.Namespace, filed: files.Filed) -> int:
    """Answers one file, prints the report, and returns the exit code."""
    start = time.perf_counter()
    with progress_line() as progress:
        answer = _answer(file, chosen, progress)
    if isinstance(answer, InputError):
        filed.add(file, answer, seconds=time.perf_counter() - start)
        _refused(answer)
        return BAD_INPUT
    try:
        with budget.stage(f"while the report was written (the verdict is {answer.verdict})"):
            filed.add(file, answer, seconds=time.perf_counter() - start)
            _lane(file, chosen).show(answer, chosen)
            files.write_witness(chosen, answer)
    except budget.LimitError:
        if isinstance(answer.outcome, Unknown):  # whose reason says more
            raise budget.LimitError(answer.outcome.reason) from None
        raise
    return exit_code(answer.outcome, accept_bounded=chosen.accept_bounded)


def _give_up(
    file: Path, chosen: argparse.Namespace, reason: str, seconds: float, *, code: int = UNKNOWN
) -> _Shown:
    """The report about a file where the work was broken off before there was an answer."""
    from membar.cli.commands.lanes import programs  # noqa: PLC0415
    from membar.questions import api  # noqa: PLC0415 - rarely needed here

    model = chosen.model or (None if chosen.threads is None else _MODEL_OF_ANY_NUMBER)
    asked = [name for name in arguments.properties(chosen) or () if name != "none"]
    answer = api.unanswered(file, model, reason, seconds, properties=asked)
    filed = files.Filed(chosen)
    filed.add(file, answer, seconds=seconds)
    plain = argparse.Namespace(**vars(chosen) | {"explain": False, "svg": None, "dot": None})
    with supervision.captured() as printed:
        programs.show(answer, plain)
    return _Shown(printed.getvalue(), code, filed.answers)


def _refused(problem: InputError) -> None:
    from membar.reports import diagnostic  # noqa: PLC0415 - only when something is wrong

    streams.write_message(diagnostic.render_error(problem, color=color(sys.stderr), columns=columns()))


def _answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> Answer | InputError:
    try:
        return _lane(file, chosen).answer(file, chosen, progress)
    except InputError as problem:
        return problem
    except UNFIT as problem:
        return unfit_input(problem, file)


def _lane(file: Path, chosen: argparse.Namespace) -> Lane:
    """The module that answers the question about a file.

    Raises:
        InputError: the file is in no language, or an option does not fit.
    """
    kind = _kind(file, chosen)
    option_scopes.refuse_outside(kind, arguments.given(chosen))
    if chosen.include:
        option_scopes.refuse_includes(languages.language_of(SourceFile(str(file), "")).name, chosen.model)
    return cast("Lane", import_module(f"membar.cli.commands.lanes.{kind}"))


def _asks_z3(file: Path, chosen: argparse.Namespace) -> bool:
    try:
        return _kind(file, chosen) in _WITH_PROOFS
    except InputError:  # which is said when the file is asked about
        return False


def _kind(file: Path, chosen: argparse.Namespace) -> str:
    if chosen.confirm is not None:
        return "confirmed"
    if chosen.threads is not None:
        return "lifted"
    if chosen.client is not None or (chosen.engine == "objects" and file.suffix == ".c"):
        return "clients"
    language = languages.language_of(SourceFile(str(file), ""))
    if isinstance(language, ObjectFrontend):
        return "objects"
    return "systems" if isinstance(language, SystemFrontend) else "programs"
