"""SPIN as an oracle: what it says about assertions and invalid end states of a Promela text."""

from __future__ import annotations

import re
import shutil
import subprocess
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


def verdict(text: str, folder: Path) -> Verdict | None:
    """SPIN's answer, found with every state visited; None if it does not accept the text."""
    model = folder / "model.pml"
    model.write_text(text, encoding="utf-8")
    # Without `-o2`, SPIN 6.5.2 takes element 0 of a local array for dead right after it is set.
    if not _runs(["spin", "-a", "-o2", model.name], folder):
        return None
    options = ["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DVECTORSZ=2048"]
    if not _runs([COMPILER, *options, "-o", "pan", "pan.c"], folder):
        return None
    return Verdict(_errors(folder, "-E"), _errors(folder, "-A"))


def _runs(command: list[str], folder: Path) -> bool:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)
    return done.returncode == 0 and "Error" not in done.stdout


def _errors(folder: Path, ignored: str) -> bool | None:
    done = subprocess.run(
        ["./pan", ignored, "-c1", "-m50000", "-n"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    found = re.search(r"errors: (\d+)", done.stdout)
    if found is None:
        return None
    if found[1] != "0":
        return True
    return None if "max search depth too small" in done.stdout else False
