"""What is proved holds: in every state of small instances, and for every small client."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import membar
import tiers
from membar.languages.objects.parser import parse_text
from membar.objects.client import Size
from membar.objects.proof.claims import claims
from membar.objects.proof.discharge import prove
from membar.objects.proof.obligations import Prover
from membar.objects.systems.explore import Call, Client, Explorer, holds
from membar.objects.terms import VariableOwner
from membar.questions.outcome import Holds, HoldsWithin, Unknown
from membar.questions.proof import system_of
from membar.source import SourceFile
from strategies.known_objects import AWAITED, COUNTER, LOCK, MISTAKES, PAIR, REQUIRED
from strategies.second_encoding import broken

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SEQLOCK = (EXAMPLES / "objects/seqlock.obj").read_text(encoding="utf-8")
FENCED = (EXAMPLES / "objects/seqlock-armv8.obj").read_text(encoding="utf-8")
WRITE_AND_READ: Client = ((Call("write", (5, 6)), Call("read")), (Call("read"),))
TWO_WRITERS: Client = ((Call("write", (5, 6)),), (Call("write", (7, 8)), Call("read")))
COUNTING: Client = ((Call("increment"), Call("get")), (Call("increment"), Call("get")))
LOCKING: Client = ((Call("acquire"), Call("release"), Call("acquire")), (Call("acquire"), Call("release")))


@pytest.mark.parametrize(
    ("text", "model", "client"),
    tiers.rows(
        3,
        [
            (COUNTER, "x86-tso", COUNTING),
            (LOCK, "x86-tso", LOCKING),
            (SEQLOCK, "sc", TWO_WRITERS),
            (SEQLOCK, "x86-tso", WRITE_AND_READ),
            (FENCED, "armv8", WRITE_AND_READ),
            (FENCED, "xc", TWO_WRITERS),
        ],
    ),
    ids=["counter-tso", "lock-tso", "seqlock-sc", "seqlock-tso", "fenced-armv8", "fenced-xc"],
)
def test_what_is_claimed_holds_in_every_state(text: str, model: str, client: Client) -> None:
    about = parse_text(SourceFile("test.obj", text))
    assert about.specification is not None
    system = system_of(about, membar.load_model(model))
    prover = Prover(system, claims(about), about.specification)
    explorer = Explorer(system, client, about.specification)
    count = 0
    for state in explorer.reachable():
        count += 1
        for number, thread in enumerate(state.threads):
            for term in prover.before(thread.control):
                assert holds(term, state.memory, state.abstract, thread.values), system.described(
                    thread.control
                )
            other = state.threads[1 - number]
            theirs = frozenset((replace(old, who=VariableOwner.OTHER), value) for old, value in other.values)
            for each in prover.between(thread.control, other.control):
                assert holds(each.formula, thread.values, theirs)
    assert explorer.troubles == []
    assert count > 30


@pytest.mark.parametrize(
    ("text", "model"),
    tiers.rows(2, [(COUNTER, "sc"), (LOCK, "x86-tso")]),
    ids=["counter-sc", "lock-tso"],
)
def test_a_second_encoding_finds_nothing_broken(text: str, model: str) -> None:
    about = parse_text(SourceFile("test.obj", text))
    assert about.specification is not None
    system = system_of(about, membar.load_model(model))
    proof = prove(system, claims(about), about.specification)
    assert not proof.failures
    assert list(broken(system, claims(about), proof.controls)) == []


@pytest.mark.parametrize(
    "name", tiers.every(3, ["two owners", "counts by two", "at the return", "taken twice", "never released"])
)
def test_a_second_encoding_finds_what_is_broken(name: str) -> None:
    mistake = next(each for each in MISTAKES if each.name == name)
    about = parse_text(SourceFile("test.obj", mistake.made()))
    assert about.specification is not None
    system = system_of(about, membar.load_model("sc"))
    proof = prove(system, claims(about), about.specification, all_failures=True)
    assert list(broken(system, claims(about), proof.controls))


FENCES = ("23: fence;", "42: fence;", "82: fence;", "102: fence;")


@pytest.mark.parametrize(
    ("text", "model"),
    tiers.rows(
        3,
        [(COUNTER, "x86-tso"), (SEQLOCK, "sc"), (SEQLOCK, "armv8"), (FENCED, "armv8"), (FENCED, "xc")]
        + [(FENCED.replace(fence, ""), "armv8") for fence in FENCES],
    ),
    ids=["counter-tso", "seqlock-sc", "seqlock-armv8", "fenced-armv8", "fenced-xc"]
    + [f"without {fence}" for fence in FENCES],
)
def test_the_proof_and_the_bounded_checker_agree(text: str, model: str) -> None:
    source = SourceFile("test.obj", text)
    proof = membar.prove(source, model=model)
    bounded = membar.check(source, client=Size(2, 1), model=model)
    assert (proof.verdict, bounded.verdict) in (("holds", "holds-within"), ("unknown", "violated"))
    assert isinstance(proof.outcome, Holds) == (bounded.verdict == "holds-within")


OVERLAPPING = {"pair": PAIR, "awaited": AWAITED, "required": REQUIRED}
FENCED_ONCE = {
    "pair": PAIR.replace("5: t = y;", "5: t = y; 51: fence;").replace("3: t = x;", "3: t = x; 31: fence;"),
    "awaited": AWAITED.replace("while (t != 1);", "while (t != 1); 61: fence;"),
    "required": REQUIRED.replace("6: held = t;", "6: held = t; 61: fence;"),
}


@pytest.mark.parametrize("name", tiers.every(2, OVERLAPPING))
def test_what_needs_calls_to_wait_is_proved_only_of_the_papers_system(name: str) -> None:
    source = SourceFile("test.obj", OVERLAPPING[name])
    proof = membar.prove(source, model="armv8")
    assert isinstance(proof.outcome, HoldsWithin)
    assert "calls wait" in proof.outcome.bound
    assert "--client 2,2 --model armv8" in proof.outcome.run.notes[-1]
    assert membar.check(source, client=Size(2, 2), model="armv8").verdict == "violated"


@pytest.mark.parametrize("name", tiers.every(2, FENCED_ONCE))
def test_with_a_fence_calls_need_not_wait(name: str) -> None:
    source = SourceFile("test.obj", FENCED_ONCE[name])
    assert isinstance(membar.prove(source, model="armv8").outcome, Holds)
    assert membar.check(source, client=Size(2, 2), model="armv8").verdict == "holds-within"


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_a_loop_that_no_branch_leaves_is_no_endless_search(model: str) -> None:
    text = PAIR.replace("1: x = 1; 11: fence;", "1: x = 1; goto 1;")
    outcome = membar.prove(SourceFile("test.obj", text), model=model).outcome
    assert isinstance(outcome, Unknown)
    assert "has no exit" in outcome.reason
