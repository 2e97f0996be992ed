"""membar as a command, with standard streams of every kind."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Far more than any of these commands takes, also on a machine that is busy with something else.
LIMIT = 120
# A closed stream, one that is always full, and one whose reader has gone.
CLOSED, FULL, GONE = "closed", "full", "gone"


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command gave: its exit code and its two outputs, as far as somebody read them."""

    code: int
    output: str
    errors: str


def run_membar(
    *words: str | Path | bytes,
    output: str = "",
    errors: str = "",
    stdin: str | None = "",
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Ended:
    """Runs `membar` with these words; `output` and `errors` may be one of the special kinds, or a file.

    Args:
        words: the arguments.
        output: the kind of standard output; empty for a pipe that is read.
        errors: the same for standard error.
        stdin: what to read from standard input; None to close it.
        environment: variables in addition to those of this process.
        folder: where to run it.
    """
    redirections = [
        f"{number}{_REDIRECTED.get(kind) or f'>{shlex.quote(kind)}'}"
        for number, kind in ((1, output), (2, errors))
        if kind
    ]
    command = _with_shell([os.fsencode(each) for each in (sys.executable, "-m", "membar", *words)])
    if stdin is None:
        redirections.append("<&-")
    command[2] = b" ".join([command[2], *map(str.encode, redirections)])
    read, write = os.pipe()
    os.close(read)
    try:
        ended = subprocess.run(
            command,
            input=(stdin or "").encode(),
            capture_output=True,
            timeout=LIMIT,
            check=False,
            cwd=folder,
            pass_fds=[write],
            env={**os.environ, "GONE": str(write), **(environment or {})},
        )
    finally:
        os.close(write)
    return Ended(
        ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace")
    )


_REDIRECTED = {CLOSED: ">&-", FULL: ">/dev/full", GONE: ">&$GONE"}


def _with_shell(words: Sequence[bytes]) -> list[bytes]:
    return [b"bash", b"-c", b'exec "$@"', b"bash", *words]


def run_on_terminal(*words: str | Path, output: Path) -> tuple[int, str]:
    """Runs `membar` with a terminal as standard error, and a file as output; what the terminal got."""
    ours, theirs = pty.openpty()
    try:
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "membar", *map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=theirs,
            )
        os.close(theirs)
        shown = bytearray()
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the other side is closed
            pass
        return process.wait(LIMIT), shown.decode(errors="replace")
    finally:
        os.close(ours)
