"""Programs in Rust, each correct and with one thing weakened: what membar says about them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import membar

FOLDER = Path(__file__).parents[3] / "strategies" / "rust"
NAMES = sorted(path.stem for path in FOLDER.glob("*.rs"))
IN_SHORT = {"arc", "mutex_condvar", "spin"}
"""What `make test` checks under the model of the language; the rest is `full`."""
# Verdicts of the weakened programs that are not VIOLATED, and why.
STILL_HOLDS = {
    ("spin", "x86-tso"): "x86 orders what the acquire orders",
    ("ticket", "x86-tso"): "x86 orders what the acquire orders",
    ("mcs", "x86-tso"): "x86 orders what the acquire orders",
    ("spsc", "x86-tso"): "x86 orders what the acquire orders",
    ("treiber", "x86-tso"): "x86 orders what the release orders",
    ("arc", "x86-tso"): "x86 orders what the release orders",
    ("seqlock", "x86-tso"): "x86 keeps stores in order",
}
# What has no answer: how a processor may delay accesses beyond the end of memory is not explored, and the
# channel has too many executions.
UNANSWERED = {("arc", "armv8"), ("mpsc", "armv8")}
needs_rustc = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
pytestmark = needs_rustc


def weakened(name: str, folder: Path) -> Path:
    """A copy of a program with the change that its first line names."""
    text = (FOLDER / f"{name}.rs").read_text()
    head, _, body = text.partition("\n")
    old, _, new = head.removeprefix("//! weaken: ").partition(" => ")
    assert old in body
    path = folder / f"{name}.rs"
    path.write_text(body.replace(old, new))
    return path


def cases(model: str) -> list[object]:
    return [
        name if model == "rc20" and name in IN_SHORT else pytest.param(name, marks=pytest.mark.full)
        for name in NAMES
    ]


@pytest.mark.parametrize("name", cases("rc20"))
def test_a_correct_program_holds(name: str) -> None:
    answer = membar.check(FOLDER / f"{name}.rs")
    # Whether a thread that reads an RwLock again waits for a writer is up to the system.
    assert answer.verdict == ("holds-within" if name == "rwlock" else "holds"), answer


@pytest.mark.parametrize("name", cases("rc20"))
def test_a_weakened_program_is_violated(name: str, tmp_path: Path) -> None:
    answer = membar.check(weakened(name, tmp_path))
    assert answer.verdict == "violated", answer


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "model"),
    [(name, model) for name in NAMES for model in ("x86-tso", "armv8") if (name, model) not in UNANSWERED],
)
def test_processors_agree(name: str, model: str, tmp_path: Path) -> None:
    right = membar.check(FOLDER / f"{name}.rs", model=model)
    assert right.verdict in ("holds", "holds-within"), right
    wrong = membar.check(weakened(name, tmp_path), model=model)
    expected = ("holds", "holds-within") if (name, model) in STILL_HOLDS else ("violated",)
    assert wrong.verdict in expected, wrong
