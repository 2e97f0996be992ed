r"""What the command writes and reads: standard streams, prepared once, and files.

Results go to standard output, everything else to standard error. A result that cannot be written raises
`LostOutputError`, which the command line turns into one line and an exit code other than 0. Characters that
a stream or a file cannot encode are written as `\uXXXX`, so that a line of JSON stays JSON.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ESCAPE = "membar.escape"
_STANDARD_STREAMS = (0, 1, 2)


class LostOutputError(Exception):
    """A result that could not be written to standard output."""

    def __init__(self, reason: str, *, is_reader_gone: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_reader_gone = is_reader_gone


def prepare() -> None:
    """Prepares the standard streams of this process; the command calls it once, before anything else."""
    _reserve_closed_descriptors()
    # Python has no stream where the descriptor was closed.
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, closefd=False, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPE)


def _reserve_closed_descriptors() -> None:
    """Keeps the numbers of closed standard streams from the next file that is opened.

    They are opened the wrong way round, so that using them still fails.
    """
    for number in _STANDARD_STREAMS:
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_WRONLY if number == 0 else os.O_RDONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)


def write(text: str) -> None:
    """Writes a result to standard output.

    Raises:
        LostOutputError: it cannot be written.
    """
    try:
        sys.stdout.write(text)
    except (OSError, UnicodeError) as problem:
        raise _lost_output(problem) from None


def flush() -> None:
    """Hands over what was written so far.

    Raises:
        LostOutputError: some of it cannot be written.
    """
    try:
        sys.stdout.flush()
    except OSError as problem:
        raise _lost_output(problem) from None


def _lost_output(problem: OSError | UnicodeError) -> LostOutputError:
    reason = problem.strerror if isinstance(problem, OSError) else None
    return LostOutputError(reason or str(problem), is_reader_gone=isinstance(problem, BrokenPipeError))


def write_message(text: str) -> None:
    """Writes an error or a note to standard error; where that is impossible, nobody could be told."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, UnicodeError):
        return


def read_input() -> str:
    """All of standard input, decoded as files are (`SourceFile.read`).

    Raises:
        OSError: it is closed or cannot be read.
    """
    stream = sys.stdin
    try:
        if not isinstance(stream, io.TextIOWrapper):
            return stream.read()
        return str(stream.buffer.read(), "utf-8", "replace")
    except (OSError, ValueError) as problem:
        code = problem.errno if isinstance(problem, OSError) else None
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise OSError(code, reason, "standard input") from None


def write_file(path: Path, text: str) -> None:
    """Writes a text file as UTF-8.

    Raises:
        OSError: it cannot be written; carries the name of the file also where the disk is full.
    """
    try:
        path.write_bytes(text.encode("utf-8", errors=_ESCAPE))
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def _escape(problem: UnicodeError) -> tuple[str, int]:
    """Replaces characters as JSON does: astral ones by a pair of surrogates."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    text = problem.object[problem.start : problem.end]
    units = text.encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)), problem.end


codecs.register_error(_ESCAPE, _escape)
