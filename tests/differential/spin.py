"""SPIN as an oracle: what it says about assertions and invalid end states of a Promela text."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# tcc takes a twentieth of the time that other compilers need for SPIN's C.
COMPILER = next((tool for tool in ("tcc", "cc") if shutil.which(tool)), "")
IS_INSTALLED = bool(shutil.which("spin") and COMPILER)
MISSING = "spin or a C compiler is not installed"
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether SPIN finds a failed assertion, and an invalid end state; None where it gave up."""

    fails: bool | None
    deadlocks: bool | None


class Verifier:
    """A text that SPIN accepted, compiled: every state is visited."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def finds_error(self, *options: str) -> bool | None:
        """Whether it finds an error; None where it gave up."""
        output = self._search(options)
        found = re.search(r"errors: (\d+)", output)
        if found is None:
            return None
        if found[1] != "0":
            return True
        return None if "max search depth too small" in output else False

    def states(self) -> int | None:
        """How many states it visits, whatever is wrong in them; None where it gave up."""
        found = re.search(r"(\d+) states, stored", self._search(("-A", "-E")))
        return None if found is None else int(found[1])

    def _search(self, options: Iterable[str]) -> str:
        command = ["./pan", *options, "-c1", "-m100000", "-w18", "-n"]
        try:
            return _run(command, self._folder).stdout
        except subprocess.TimeoutExpired:
            return ""


# Without `-o2`, SPIN 6.5.2 takes element 0 of a local array for dead right after it is set; without
# `-o3`, no priority interrupts statements of an atomic block that it merges.
_UNMERGED = ("-o2", "-o3")


def verifier(text: str, folder: Path, *flags: str, options: Iterable[str] = _UNMERGED) -> Verifier | None:
    """SPIN's verifier for a text, compiled with these flags; None if SPIN does not accept the text."""
    model = folder / "model.pml"
    model.write_text(text, encoding="utf-8")
    if not _is_done(["spin", "-a", *options, model.name], folder):
        return None
    compiled = ["-O0", "-w", "-DNOREDUCE", "-DNOFAIR", "-DVECTORSZ=2048", *flags]
    return Verifier(folder) if _is_done([COMPILER, *compiled, "-o", "pan", "pan.c"], folder) else None


def verdict(text: str, folder: Path) -> Verdict | None:
    """SPIN's answer about assertions and deadlocks; None if it does not accept the text."""
    found = verifier(text, folder, "-DSAFETY")
    return None if found is None else Verdict(found.finds_error("-E"), found.finds_error("-A"))


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)


def _is_done(command: list[str], folder: Path) -> bool:
    done = _run(command, folder)
    return done.returncode == 0 and not re.search(r"[Ee]rror:|tl_spin: expected", done.stdout)
