"""Parses the values of options: numbers, lists, limits."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from membar.questions.option import LARGEST_NUMBER, LONGEST_BUFFER
from membar.questions.task import FAIRNESS, Limits

_TIME_UNITS = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0}
_SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# No machine needs more.
_LONGEST_TIME = 10**9  # seconds: thirty years
_MOST_COUNTED = 10**18
_LARGEST_CLIENT = 1000


def path(text: str) -> Path:
    """The name of a file or folder."""
    return Path(text)


def folder(text: str) -> Path:
    """The name of a folder for pictures."""
    found = Path(text)
    if found.suffix in (".svg", ".png", ".dot") and not found.is_dir():
        raise ValueError(f"`{short(text)}` is the name of a file; pictures go into a folder")
    return found


def positive(text: str, *, most: int = LARGEST_NUMBER) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or not text.isascii() or not text.strip("0"):
        raise ValueError(f"`{short(text)}` is not a positive whole number")
    if len(text.lstrip("0")) > len(str(most)) or int(text) > most:
        raise ValueError(f"`{short(text)}` is too large: at most {most}")
    return int(text)


def words(text: str) -> list[str]:
    """Words, split as by a shell."""
    try:
        found = shlex.split(text)
    except ValueError as problem:
        raise ValueError(f"`{short(text)}`: {str(problem).lower()}") from None
    if any("\0" in word for word in found):
        raise ValueError("null characters are not allowed in arguments")
    return found


def number(text: str) -> int:
    """A whole number of at least 0."""
    return 0 if text and not text.strip("0") else positive(text)


def short(text: str) -> str:
    """The given text, shortened if it is too long to be shown."""
    return text if len(text) <= 40 else f"{text[:37]}…"


def bound(text: str) -> int:
    """The number of entries of a buffer."""
    return positive(text, most=LONGEST_BUFFER)


def sizes(text: str) -> tuple[int, ...]:
    """Several numbers."""
    return tuple(positive(part.strip()) for part in text.split(","))


def client(text: str) -> tuple[int, int]:
    """The numbers of threads and calls of a client."""
    parts = text.split(",")
    if len(parts) != 2:
        raise ValueError(f"`{short(text)}` is not two positive numbers such as 2,3")
    threads, calls = (positive(part.strip(), most=_LARGEST_CLIENT) for part in parts)
    return threads, calls


def outcome(text: str) -> dict[str, int | str]:
    """Final values by name: `x=0 && y=1`."""
    found: dict[str, int | str] = {}
    for part in re.split(r"&&|/\\|;|,", text):
        pair = re.fullmatch(r"\s*([^=\s]+)\s*==?\s*(\S+)\s*", part)
        if pair is None:
            raise ValueError(f"`{short(text)}` is not a list of values such as x=0 && y=1")
        found[pair[1]] = pair[2]
    return found


def threads(text: str) -> str:
    """The program's name for the number of its threads."""
    found = re.fullmatch(r"any(?::([A-Za-z_]\w*))?", text)
    if found is None:
        raise ValueError(f"`{text}` is not `any` or `any:NAME`")
    return found.group(1) or "N"


def buffers(text: str) -> int:
    """The bound; 0 means none."""
    return 0 if text == "unbounded" else bound(text)


def fair(text: str) -> frozenset[str]:
    """The fairness assumptions."""
    words = frozenset(word.strip() for word in text.split(",") if word.strip())
    if words == {"none"}:
        return frozenset()
    if not words or not words <= FAIRNESS:
        raise ValueError(f"`{text}` is not `none` or a list of `buffers` and `processes`")
    return words


def limits_without_counts(text: str) -> Limits:
    """The value of `--limit` for a command that does not search.

    Raises:
        ValueError: nothing that makes sense there.
    """
    found = limits(text)
    if (found.executions, found.states, found.disk) != (None, None, None):
        raise ValueError("this command does not search: only time and memory can be limited")
    return found


def limits(text: str) -> Limits:
    """The value of `--limit`.

    Raises:
        ValueError: nothing that makes sense.
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        match = re.fullmatch(r"(time|memory|disk|executions|states)=(\d+(?:\.\d+)?)([A-Za-z]*)", part.strip())
        if match is None:
            raise ValueError(f"`{short(part)}` is not a limit such as time=10s or memory=2G")
        kind, number, unit = match.groups()
        if kind in found:
            raise ValueError(f"the limit of {kind} is given twice")
        units = _TIME_UNITS if kind == "time" else _SIZE_UNITS
        factor = units.get(unit if kind == "time" else unit.upper().removesuffix("B"))
        if factor is None:
            raise ValueError(f"`{short(unit)}` is not a unit of {kind}: {', '.join(filter(None, units))}")
        found[kind] = float(number) * factor
        most = _LONGEST_TIME if kind == "time" else _MOST_COUNTED
        if found[kind] > most:
            raise ValueError(f"`{short(part.strip())}` is too large: at most {most}")
    return Limits(
        seconds=found.get("time"),
        memory=int(found["memory"]) if "memory" in found else None,
        executions=int(found["executions"]) if "executions" in found else None,
        states=int(found["states"]) if "states" in found else None,
        disk=int(found["disk"]) if "disk" in found else None,
    )
