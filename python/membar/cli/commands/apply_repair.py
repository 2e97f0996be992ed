"""Replaces the user's files, keeping the originals."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from membar.diagnostics import refusal
from membar.records import record


@record(frozen=True, slots=True)
class Rewrite:
    """A file, its text as read, and its new text."""

    path: Path
    before: str
    after: str


def check_writable(path: Path) -> None:
    """Makes sure that a file is UTF-8, so that writing its text back loses nothing.

    Raises:
        InputError: it is not UTF-8.
        OSError: it cannot be read.
    """
    try:
        path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as problem:
        raise refusal(
            "W0423",
            f"`{path}` is not UTF-8 (byte {problem.start + 1}): it cannot be written back",
            help="make it UTF-8 first (`iconv -f latin1 -t utf-8`), or leave `--apply` out",
        ) from None


def rewrite(files: Sequence[Rewrite]) -> list[str]:
    """Replaces each file by its new text, keeping the original; returns a sentence for each.

    Nothing is written if one of the files cannot be.

    Raises:
        InputError: a file is not UTF-8, or is no longer what was read.
        OSError: a file cannot be written.
    """
    changed = [file for file in files if file.before != file.after]
    for file in changed:
        check_writable(file.path)
        if file.path.read_bytes().decode("utf-8") != file.before:
            raise refusal(
                "W0424", f"`{file.path}` changed during the search for a repair: nothing was written"
            )
    return [_replace_file(file) for file in changed]


def _replace_file(file: Rewrite) -> str:
    """Writes one file; a symbolic link is followed."""
    target = file.path.resolve()
    backup = _backup(target)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(file.after)
            stream.flush()
            os.fsync(stream.fileno())
        shutil.copymode(target, name)
        Path(name).replace(target)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return f"wrote {file.path}; the original is in {backup.name}"


def _backup(path: Path) -> Path:
    """A copy of a file beside it, `FILE.orig`; `FILE.orig.1` and so on if there is one already."""
    number = 0
    while True:
        backup = path.with_name(f"{path.name}.orig{f'.{number}' if number else ''}")
        try:
            with backup.open("xb") as stream:
                stream.write(path.read_bytes())
        except FileExistsError:
            number += 1
            continue
        shutil.copystat(path, backup)
        return backup
