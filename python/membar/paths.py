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


def absolute(path: str) -> str:
    """The path from the root, without `.` and double slashes; `..` stays, as it may follow a link."""
    found = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    return os.sep + os.sep.join(part for part in found.split(os.sep) if part not in ("", os.curdir))


def resolve(path: str) -> str:
    """The path from the root, links followed."""
    return os.path.realpath(path)


def is_below(path: str, folder: str) -> bool:
    """Whether a path names a folder or something in it; both from the root, or both from here."""
    folder = folder.rstrip(os.sep)
    return path == folder or path.startswith(folder + os.sep)
