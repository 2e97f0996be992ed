"""`membar check FILE…`: one question per file.

What kind of question it is, says the file's ending, or an option. Each kind is a lane, a module of
`commands/lanes`, which is loaded when a file takes it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from membar import languages
from membar.cli import BAD_INPUT, exit_code, gravest
from membar.commands import files
from membar.commands.window import color, columns, progress_line
from membar.diagnostics import TOO_DEEP, Diagnostic, InputError
from membar.frontends import ObjectFrontend, SystemFrontend
from membar.outcome import InterruptedAnswerError
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.api import Result
    from membar.linearizability import ObjectResult
    from membar.object_proofs import ProofResult
    from membar.proving import SystemResult

Answer: TypeAlias = "Result | SystemResult | ObjectResult | ProofResult"


class Lane(Protocol):
    """One kind of question."""

    def answer(
        self, file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
    ) -> Answer:
        """The answer about a file; raises `InputError`."""

    def show(self, result: Any, chosen: argparse.Namespace) -> None:  # noqa: ANN401 - its own kind of answer
        """Prints an answer."""


def run(chosen: argparse.Namespace) -> int:
    """Answers each file in turn; files for other tools are written even if that is broken off."""
    codes: list[int] = []
    files.prepare_witness(chosen)
    files.prepare_confirmation(chosen)
    with files.written(chosen) as filed:
        for file in chosen.files:
            start = time.perf_counter()
            try:
                with progress_line(sys.stderr) as progress:
                    answer = _answer(file, chosen, progress)
            except InterruptedAnswerError as interrupt:
                filed.add(file, interrupt.answer, seconds=time.perf_counter() - start)
                _lane(file, chosen).show(interrupt.answer, chosen)
                raise
            filed.add(file, answer, seconds=time.perf_counter() - start)
            if isinstance(answer, InputError):
                _refused(answer)
                codes.append(BAD_INPUT)
            else:
                _lane(file, chosen).show(answer, chosen)
                languages.keep(answer.model)
                files.write_witness(chosen, answer)
                codes.append(exit_code(answer.outcome, accept_bounded=chosen.accept_bounded))
        return filed.end(gravest(codes))


def _refused(problem: InputError) -> None:
    from membar.reports import diagnostic  # noqa: PLC0415 - only when something is wrong

    sys.stderr.write(diagnostic.render_error(problem, color=color(sys.stderr), columns=columns()))


def _answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> Answer | InputError:
    try:
        return _lane(file, chosen).answer(file, chosen, progress)
    except InputError as problem:
        return problem
    except RecursionError:
        return InputError(TOO_DEEP)


def _lane(file: Path, chosen: argparse.Namespace) -> Lane:
    """The module that answers the question about a file.

    Raises:
        InputError: the file is in no language, or an option does not fit.
    """
    return cast("Lane", import_module(f"membar.commands.lanes.{_kind(file, chosen)}"))


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
    if chosen.infer:
        raise InputError(
            Diagnostic(
                code="W1317",
                message=f"--infer says nothing about `{file}`",
                help="it looks for the invariants of an object (.obj)",
            )
        )
    if chosen.order is not None or chosen.spec is not None:
        option = "--order" if chosen.order is not None else "--spec"
        raise InputError(
            Diagnostic(
                code="W1354",
                message=f"{option} speaks of the clients of an object: how large are they?",
                help="--client 2,3 makes all clients of 2 threads with 3 operations each",
            )
        )
    return "systems" if isinstance(language, SystemFrontend) else "programs"
