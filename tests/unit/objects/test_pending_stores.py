"""What annotations say of pending stores, and proofs about buffers of any length."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from differential.object_summaries import (
    CELLS,
    FALSE_CLAIMS,
    MIXED,
    REGISTER,
    SILENT,
    WRITES,
    is_proved,
    unsummarised,
)
from membar.languages.objects.parser import parse_text
from membar.objects.client import Size
from membar.objects.proof.claims import claims
from membar.objects.proof.discharge import prove
from membar.objects.systems import buffered
from membar.questions.outcome import Holds, HoldsWithin, Unknown
from membar.source import SourceFile
from strategies.second_encoding import broken

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
MAILBOX = (EXAMPLES / "objects/mailbox.obj").read_text(encoding="utf-8")
FLAG = (EXAMPLES / "objects/flag.obj").read_text(encoding="utf-8")


def verdict(text: str, *, order: str = "causal") -> object:
    return membar.prove(SourceFile("test.obj", text), model="x86-tso", order=order).outcome


def test_a_register_is_proved_with_buffers_of_any_length() -> None:
    text = (EXAMPLES / "objects/register.obj").read_text(encoding="utf-8")
    assert isinstance(verdict(text), Holds)
    assert isinstance(verdict(text, order="real-time"), Unknown)


WRONG_REGISTERS = {
    "another value is stored": ("x = v;", "x = v + 1;"),
    "a copy is read": ("t = x;", "t = y;"),
    "a read returns more": ("return t;", "return t + 1;"),
    "a read takes effect too late": ("linearize read at 2", "linearize read at 3"),
    "a write is forgotten": ("{ a = v; }", "{ }"),
    "nothing is said of the value": ("forall s in pending(1): s.value == s.v", "true"),
    "nothing is said of the read": ("deferred(1) -> deferred(1).result1 == deferred(1).value", "true"),
    "only the oldest is spoken of": (
        "forall s in pending(1): s.value == s.v",
        "pending(1).value == pending(1).v",
    ),
}


@pytest.mark.parametrize("name", WRONG_REGISTERS)
def test_wrong_registers_are_not_proved(name: str) -> None:
    old, new = WRONG_REGISTERS[name]
    text = REGISTER.replace("shared x = 0", "shared x = 0, y = 0")
    assert old in text
    assert not isinstance(verdict(text.replace(old, new)), Holds | HoldsWithin)


@pytest.mark.parametrize("name", FALSE_CLAIMS)
def test_false_claims_about_many_stores_are_not_proved(name: str) -> None:
    assert not is_proved(f"{SILENT} invariant {FALSE_CLAIMS[name]};")


def test_a_mailbox_is_proved_and_its_clients_agree() -> None:
    assert isinstance(verdict(MAILBOX), Holds)
    clients = membar.check(SourceFile("mailbox.obj", MAILBOX), client=Size(2, 2), model="x86-tso")
    assert clients.verdict == "holds-within"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("11: letter = v;\n    12: full = 1;", "12: full = 1;\n    11: letter = v;"),
        ("15: got = letter;\n    16: full = 0;", "15: got = 0; 16: full = 0; 16c: got = letter;"),
        ("requires puts == 1", ""),
        ("while (g == 0)", "while (g == 2)"),
    ],
    ids=["the flag first", "the letter last", "everybody puts", "nothing is waited for"],
)
def test_a_wrong_mailbox_is_not_proved(old: str, new: str) -> None:
    assert old in MAILBOX
    assert not isinstance(verdict(MAILBOX.replace(old, new)), Holds)


@pytest.mark.full
def test_a_flag_that_anybody_sets_is_proved_and_its_clients_agree() -> None:
    assert isinstance(verdict(FLAG), Holds)
    clients = membar.check(SourceFile("flag.obj", FLAG), client=Size(2, 2), model="x86-tso")
    assert clients.verdict == "holds-within"


def test_a_flag_with_other_data_is_refuted_by_clients_and_not_proved() -> None:
    wrong = FLAG.replace("1: data = 1;", "1: data = 0;")
    assert isinstance(verdict(wrong), Unknown)
    clients = membar.check(SourceFile("flag.obj", wrong), client=Size(2, 2), model="x86-tso")
    assert clients.verdict == "violated"


def test_a_flag_before_its_data_is_not_proved_by_the_same_annotations() -> None:
    wrong = FLAG.replace("1: data = 1;\n    2: ready = 1;", "2: ready = 1;\n    1: data = 1;")
    assert wrong != FLAG
    assert isinstance(verdict(wrong), Unknown)


@pytest.mark.parametrize(("text", "longest"), [(REGISTER, 7), (MIXED, 5), (CELLS, 4)])
def test_every_buffer_has_its_summary(text: str, longest: int) -> None:
    assert unsummarised(text, longest) == []


def test_a_second_encoding_finds_nothing_broken_in_summaries() -> None:
    about = parse_text(SourceFile("test.obj", WRITES))
    assert about.specification is not None
    system = buffered.summarized_system(about, name="x86-tso")
    proof = prove(system, claims(about), about.specification)
    assert not proof.failures
    assert list(broken(system, claims(about), proof.controls)) == []


def test_a_number_of_stores_that_is_claimed_keeps_the_bound() -> None:
    """Summaries do not count: what holds of every number is then shown up to the bound."""
    found = verdict(f"{REGISTER} invariant pending(1).count >= 0;")
    assert isinstance(found, HoldsWithin)
    assert isinstance(verdict(f"{REGISTER} invariant pending(1).count <= 2;"), Unknown)
