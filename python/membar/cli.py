"""The command line: arguments → api → report → exit code. No logic of its own."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from argparse import Namespace

    from membar.outcome import Outcome

HOLDS, VIOLATED, BAD_INPUT, UNKNOWN, BOUNDED, INTERRUPTED = 0, 1, 2, 3, 4, 130

# For several files: the gravest code wins.
_GRAVITY = (HOLDS, BOUNDED, UNKNOWN, VIOLATED, BAD_INPUT)

# How many objects are made before garbage is looked for: programs and proofs are trees, and make hardly any.
_OBJECTS = 100_000


def command() -> NoReturn:
    """The program `membar`: as `main`, and gone at once, without taking every module apart."""
    gc.set_threshold(_OBJECTS)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:  # the reader went away: not an error
            continue
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:  # answered before anything heavy is imported
        from membar import __version__  # noqa: PLC0415

        sys.stdout.write(f"membar {__version__}\n")
        return HOLDS
    try:
        return _dispatch(words)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): not an error. Nothing must be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return HOLDS


def _dispatch(words: list[str]) -> int:
    from membar import arguments, diagnostics  # noqa: PLC0415 - after the quick exit for --version

    parser = arguments.parser(words)
    try:
        given = arguments.joined(words)
        chosen = parser.parse_args(given[1:] if parser.get_default("command") else given)
    except SystemExit as stop:
        return int(stop.code or 0)
    if chosen.version:
        return main(["--version"])
    if chosen.command is None:
        parser.print_help()
        return BAD_INPUT
    try:
        return _run(chosen)
    except diagnostics.InputError as problem:
        from membar.commands import window  # noqa: PLC0415 - only when something is wrong
        from membar.reports import diagnostic  # noqa: PLC0415

        sys.stderr.write(diagnostic.render_error(problem, color=window.color(sys.stderr)))
    except OSError as problem:
        if isinstance(problem, BrokenPipeError):
            raise
        sys.stderr.write(f"error[W0404]: {problem.filename or 'input'}: {problem.strerror}\n")
    return BAD_INPUT


def _run(chosen: Namespace) -> int:
    """Runs the chosen command; a text that nobody can follow down is bad input."""
    from membar.diagnostics import TOO_DEEP, InputError  # noqa: PLC0415 - after the quick exit for --version

    try:
        return int(import_module(f"membar.commands.{chosen.command}").run(chosen))
    except RecursionError:
        raise InputError(TOO_DEEP) from None


def exit_code(outcome: Outcome, *, accept_bounded: bool = False) -> int:
    """DESIGN §6: what a verdict means to a script."""
    from membar.outcome import Explored, Holds, HoldsWithin, Unknown, Violated  # noqa: PLC0415

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


def gravest(codes: Sequence[int]) -> int:
    """The exit code of several answers."""
    return max(codes, key=_GRAVITY.index, default=HOLDS)
