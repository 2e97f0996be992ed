"""The command line: arguments → questions → report → exit code. No logic of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from membar.limits.signals import signal
from membar.reports import streams

if TYPE_CHECKING:
    from membar.cli.arguments import Chosen
    from membar.questions.outcome import Outcome

HOLDS, VIOLATED, BAD_INPUT, UNKNOWN, BOUNDED, INTERRUPTED, READER_GONE = 0, 1, 2, 3, 4, 130, 141

# For several files: the gravest code wins.
_GRAVITY = (HOLDS, BOUNDED, UNKNOWN, VIOLATED, BAD_INPUT)

_HELP = frozenset({"-h", "--help", "--help-all"})


def command() -> NoReturn:
    """The program `membar`: like `main`, but exits at once, without tearing down every module."""
    from membar.limits import process  # noqa: PLC0415 - not for `main`

    streams.prepare()
    process.begin_command()
    os._exit(_interruptible())


def _interruptible() -> int:
    """The exit code of `main`, with Ctrl-C enabled unless the process was started to ignore it."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:  # once more, while the first was dealt with
        return INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    code = HOLDS
    try:
        code = _answer(words)
        streams.flush()
    except streams.LostOutputError as lost:
        if code == INTERRUPTED:  # whoever reads may have been interrupted too
            return code
        if lost.is_reader_gone:  # `| head`: as if ended by the signal, without a word
            return READER_GONE
        streams.write_message(f"error[W0404]: standard output: {lost.reason}: the answer is lost\n")
        return BAD_INPUT
    return code


def _answer(words: list[str]) -> int:
    try:
        if words[:1] == ["--version"]:  # answered before anything heavy is imported
            from membar import __version__  # noqa: PLC0415

            streams.write(f"membar {__version__}\n")
            return HOLDS
        return _dispatch(words)
    except KeyboardInterrupt:
        streams.write_message("interrupted\n")
        return INTERRUPTED
    except (streams.LostOutputError, SystemExit):
        raise
    except BaseException as problem:  # a panic of the core is no `Exception`
        if isinstance(problem.__cause__, KeyboardInterrupt):  # wrapped by Python, while it made a class
            streams.write_message("interrupted\n")
            return INTERRUPTED
        _report_bug(problem)
        return UNKNOWN


def _report_bug(problem: BaseException) -> None:
    """Reports an internal error: an uncaught exception would exit with 1, which means VIOLATED."""
    import traceback  # noqa: PLC0415 - hopefully never

    if "MEMBAR_TRACEBACK" in os.environ:
        streams.write_message(traceback.format_exc())
    what = str(problem)
    if type(problem).__name__ != "WorkerError":  # which says all this of a child process
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        what = f"{type(problem).__name__}: {problem} ({frame.filename}:{frame.lineno})"
    streams.write_message(
        f"error[W0499]: internal error: {what}\n"
        "  = help: this is a bug in membar, not an answer; please report it with the input and the command\n"
        "  = help: MEMBAR_TRACEBACK=1 shows where it happened\n"
    )


def _dispatch(words: list[str]) -> int:
    help_asked = _HELP.intersection(words if "--" not in words else words[: words.index("--")])
    if not words or help_asked:
        from membar.cli.arguments import help as texts  # noqa: PLC0415 - only where asked for

        streams.write(texts.about(words, is_whole="--help-all" in help_asked))
        return HOLDS if words else BAD_INPUT
    from membar import diagnostics  # noqa: PLC0415 - after the quick exit for --version
    from membar.cli import arguments  # noqa: PLC0415 - after the quick exit for --version

    try:
        return _run(arguments.parse(words))
    except diagnostics.InputError as problem:
        from membar.cli import terminal  # noqa: PLC0415 - only when something is wrong
        from membar.reports import diagnostic  # noqa: PLC0415

        streams.write_message(diagnostic.render_error(problem, color=terminal.color(sys.stderr)))
    return BAD_INPUT


def _run(chosen: Chosen) -> int:
    """Runs the chosen command; input that is nested too deeply is bad input."""
    from membar.cli import arguments  # noqa: PLC0415 - after the quick exit for --version
    from membar.diagnostics import UNFIT, unfit_input  # noqa: PLC0415
    from membar.limits.budget import LimitError  # noqa: PLC0415

    try:
        arguments.read_formula(chosen)
        if chosen.command in _WITH_WORKERS:
            return int(import_module(f"membar.cli.commands.{chosen.command}").run(chosen))
        return _run_alone(chosen)
    except LimitError as reached:
        streams.write_message(f"error[W0440]: {reached.reason}\n")
        return UNKNOWN
    except UNFIT as problem:
        raise unfit_input(problem) from None


# Commands that do one piece of work after the other, each within the limits.
_WITH_WORKERS = ("check", "litmus", "serve")


def _run_alone(chosen: Chosen) -> int:
    """Runs a command that is one piece of work, within the limits."""
    from membar.cli.commands import supervision  # noqa: PLC0415 - after the quick exit for --version
    from membar.questions.task import Limits  # noqa: PLC0415

    name = f"membar.cli.commands.{chosen.command}"

    def give_up(reason: str) -> None:
        report = getattr(import_module(name), "give_up", None)
        if report is not None:
            report(chosen, reason)

    limits = getattr(chosen, "limit", None) or Limits()
    return supervision.alone(
        lambda: int(import_module(name).run(chosen)),
        limits=limits,
        asks_z3=chosen.command == "repair",
        give_up=give_up,
    )


def exit_code(outcome: Outcome, *, accept_bounded: bool = False) -> int:
    """The exit code of a verdict: see docs/reference/exit-codes.md."""
    from membar.questions.outcome import Explored, Holds, HoldsWithin, Unknown, Violated  # noqa: PLC0415

    match outcome:
        case Holds():
            return HOLDS
        case HoldsWithin(chosen_by_user=chosen):
            return HOLDS if chosen or accept_bounded else BOUNDED
        case Violated():
            return VIOLATED
        case Unknown():
            return UNKNOWN
        case Explored(complete=complete):
            return HOLDS if complete else UNKNOWN


def combined_exit_code(codes: Sequence[int]) -> int:
    """The exit code of several answers."""
    return max(codes, key=_GRAVITY.index, default=HOLDS)
