"""Paths as text: `pathlib` takes longer to load than a small check should take."""

# ruff: noqa: PTH109, PTH117, PTH118, PTH119, PTH120, PTH122, PTH206

from __future__ import annotations

import os


def folder_of(path: str) -> str:
    """The folder of a file; `.` if the path names none."""
    return os.path.dirname(path) or "."


def name_of(path: str) -> str:
    """The name of a file, without its folder."""
    return os.path.basename(path)


def stem(path: str) -> str:
    """The name of a file without folders and ending."""
    return os.path.splitext(os.path.basename(path))[0]


def suffix(path: str) -> str:
    """The ending of a file's name, with its dot."""
    return os.path.splitext(os.path.basename(path))[1]


def plain(path: str) -> str:
    """The path without `.` and double slashes; `..` stays, as it may follow a link."""
    parts = os.sep.join(part for part in path.split(os.sep) if part not in ("", os.curdir))
    return os.sep + parts if os.path.isabs(path) else parts or os.curdir


def absolute(path: str) -> str:
    """The path from the root, as `plain` writes it."""
    return plain(os.path.join(os.getcwd(), path))


def resolve(path: str) -> str:
    """The path from the root, links followed."""
    return os.path.realpath(path)


def is_below(path: str, folder: str) -> bool:
    """Whether a path names a folder or something in it; both from the root, or both from here."""
    folder = folder.rstrip(os.sep)
    return path == folder or path.startswith(folder + os.sep)


def files_in(folder: str, ending: str) -> list[str]:
    """The files in a folder, and in those in it, whose names end so, in order."""
    found = [
        plain(os.path.join(inside, name))
        for inside, _, names in os.walk(folder)
        for name in names
        if name.endswith(ending)
    ]
    return sorted(found, key=lambda path: path.split(os.sep))
