"""`accept` and `progress` labels of processes: what `pan -a` and `pan -l` say of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

import tiers
from differential import spin
from differential.promela_labels import QUESTIONS, disagreements, ours, theirs
from membar.diagnostics import InputError

ALTERNATES = "byte x;\nactive proctype Q() { do :: x = 1 - x od }\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and whether its `accept` and its `progress` labels are broken; None if there are none."""

    text: str
    acceptance: bool | None
    progress: bool | None


CASES = {
    "who waits at a label stays there": Case(
        "byte x;\nactive proctype P() { accept_a: x == 1 }\n", acceptance=True, progress=None
    ),
    "who ends makes no progress, and need not": Case(
        "active proctype P() { progress_a: skip; skip }\n", acceptance=None, progress=False
    ),
    "others go on while one waits at a label": Case(
        f"{ALTERNATES}active proctype P() {{ skip; accept_a: x == 2 }}\n", acceptance=True, progress=None
    ),
    "who has passed a label is not there": Case(
        "byte x;\nactive proctype P() { accept_a: skip; do :: x = 1 - x od }\n",
        acceptance=False,
        progress=None,
    ),
    "a cycle without progress": Case(
        f"{ALTERNATES}active proctype P() {{ do :: x == 1; progress_a: x = 0 od }}\n",
        acceptance=None,
        progress=True,
    ),
    "who made progress once must make it again": Case(
        "byte x;\nactive proctype P() { progress_a: skip; do :: x = 1 - x od }\n",
        acceptance=None,
        progress=True,
    ),
    "each kind of label is for itself": Case(
        "byte x;\nactive proctype P() { accept_a: skip; progress_b: do :: x = 1 - x od }\n",
        acceptance=False,
        progress=False,
    ),
    "progress in every turn": Case(
        "byte x;\nactive proctype P() { do :: x = 1 - x; progress_a: x = x od }\n",
        acceptance=None,
        progress=False,
    ),
    "a label at a loop": Case(
        "byte x;\nactive proctype P() { accept_a: progress_b: do :: x = 1 - x od }\n",
        acceptance=True,
        progress=False,
    ),
    "progress on the way through an atomic block": Case(
        "byte x;\nactive proctype P() { do :: atomic { x = 1 - x; progress_a: x = x } od }\n",
        acceptance=None,
        progress=True,
    ),
    "labels of a d_step": Case(
        "byte x;\nactive proctype P() { do :: d_step { x = 1 - x; accept_a: progress_b: x = x } od }\n",
        acceptance=False,
        progress=True,
    ),
    "a label before goto": Case(
        "byte x;\nactive proctype P() { again: x = 1 - x; accept_a: goto again }\n",
        acceptance=True,
        progress=None,
    ),
    "labels of several processes": Case(
        "byte x;\nactive proctype P() { do :: x == 0; accept_a: x = 1 od }\n"
        "active proctype Q() { do :: x == 1; accept_a: progress_b: x = 0 od }\n",
        acceptance=True,
        progress=False,
    ),
}


def answers(text: str) -> tuple[bool | None, ...] | str:
    """Membar's answers, or that it refuses one."""
    try:
        return tuple(ours(text, question) for question, _, _ in QUESTIONS)
    except InputError as refusal:
        return str(refusal)


@pytest.mark.parametrize("name", CASES)
def test_labels_say_what_they_say_to_spin(name: str) -> None:
    case = CASES[name]
    assert answers(case.text) == (case.acceptance, case.progress)


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
@pytest.mark.parametrize("name", tiers.first(4, CASES))
def test_spin_says_so(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    for (_, flags, option), expected in zip(QUESTIONS, (case.acceptance, case.progress), strict=True):
        if expected is not None:
            assert theirs(case.text, tmp_path, flags, option) is expected


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
def test_random_texts_agree_with_spin() -> None:
    counts: Counter[str] = Counter()
    assert [wrong for seed in range(1000, 1004) for wrong in disagreements(seed, counts)] == []
    assert min(counts["acceptance: broken"], counts["progress: broken"]) >= 1


def test_an_accept_label_on_the_way_through_an_atomic_block_is_refused(tmp_path: Path) -> None:
    text = "byte x;\nactive proctype P() { do :: atomic { x = 1 - x; accept_a: x = x } od }\n"
    with pytest.raises(InputError, match="inside an atomic block") as refused:
        ours(text, "acceptance")
    assert refused.value.diagnostics[0].code == "W0438"
    if spin.IS_INSTALLED:
        assert theirs(text, tmp_path, (), "-a") is True
