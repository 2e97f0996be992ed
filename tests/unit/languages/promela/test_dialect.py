"""Linden and Wolper's words, and what Promela means on store buffers."""

from __future__ import annotations

import pytest

import membar
from membar.program.operations import Fence
from unit.languages.promela.texts import broken, check, program, source

# Both processes store, then look at the other's variable: can both see the old values?
STORES = """
byte x, y;
active proctype p0() {{ store(x, 1); {between} load(y, 0); in: skip }}
active proctype p1() {{ store(y, 1); {between} load(x, 0); in: skip }}
ltl never_both {{ [] !(p0@in && p1@in) }}
"""


@pytest.mark.parametrize(
    ("between", "model", "expected"),
    [
        ("", "sc", None),
        ("", "x86-tso", "claims"),
        ("", "pso", "claims"),
        ("sync;", "x86-tso", None),
        ("fence;", "x86-tso", None),
        ("fence;", "pso", None),
        ("atomic { skip; x = x };", "x86-tso", None),
        ("d_step { skip; skip };", "x86-tso", "claims"),
    ],
)
def test_store_buffering(between: str, model: str, expected: str | None) -> None:
    text = STORES.format(between=between)
    result = check(text, model=model)
    found = getattr(result.outcome, "property", None)
    # With both fenced, one of them waits forever: SPIN's invalid end state.
    assert found == (expected or "deadlock")
    assert (check(text, model=model, unbounded=True).verdict == "violated") is (result.verdict == "violated")


@pytest.mark.parametrize(
    ("word", "tag", "expected"), [("sync", "FLUSH-ALL", "deadlock"), ("fence", "MFENCE", "claims")]
)
def test_sync_waits_for_all_buffers_and_fence_for_the_own_one(word: str, tag: str, expected: str) -> None:
    """With `sync` in one of the two processes it is enough."""
    text = STORES.format(between=f"{word};").replace(f"store(y, 1); {word};", "store(y, 1);")
    assert program(text).threads[0].edges[1].operations == (Fence(frozenset({tag})),)
    assert broken(text, model="x86-tso") == expected


def test_load_waits_for_its_value() -> None:
    assert broken("byte x; active proctype P() { load(x, 1) }") == "deadlock"
    assert broken("byte x = 1; active proctype P() { load(x, 1) }") is None


def test_words_of_the_dialect_are_free_for_names() -> None:
    assert (
        broken("byte sync, store, load, fence; active proctype P() { sync = 1; store = sync; fence = 2 }")
        is None
    )


def test_an_assignment_to_a_global_variable_is_a_store() -> None:
    text = STORES.format(between="").replace("store(x, 1)", "x = 1").replace("load(y, 0)", "y == 0")
    assert broken(text, model="x86-tso") == "claims"


def test_an_atomic_write_is_in_memory_at_once() -> None:
    text = STORES.format(between="").replace("store(x, 1)", "atomic { x = 1 }")
    assert broken(text.replace("store(y, 1)", "atomic { y = 1 }"), model="x86-tso") == "deadlock"


def test_messages_wait_for_the_own_stores() -> None:
    text = """
    byte x; chan c = [1] of {{ byte }};
    active proctype p0() {{ x = 1; {send} }}
    active proctype p1() {{ {receive} assert(x == 1) }}
    """
    assert broken(text.format(send="c!1", receive="byte k; c?k;"), model="x86-tso") is None
    relayed = text.replace("byte x;", "byte x, y, f;").format(send="f = 1", receive="f == 1;")
    assert broken(relayed, model="x86-tso") is None
    assert broken(relayed, model="pso") == "assertions"


def test_many_stores_of_one_block_pass_a_small_buffer() -> None:
    block = "atomic { a[0] = 1; a[1] = 1; a[2] = 1; a[3] = 1 }"
    text = f"byte a[4]; active proctype P() {{ {block} assert(a[3] == 1) }}"
    result = check(text, model="x86-tso", buffers=1)
    assert result.verdict == "holds"


def test_the_model_of_the_language_is_x86_tso_with_its_own_bound() -> None:
    text = "byte x; active proctype P() { x = 1; x = 2; x = 3; assert(x == 3) }"
    result = membar.check(source(text))
    assert (result.verdict, result.model.name) == ("holds-within", "x86-tso")


@pytest.mark.parametrize(("model", "verdict"), [("sc", "holds"), ("x86-tso", "holds"), ("pso", "violated")])
def test_programs_of_single_accesses_run_through_execution_graphs(model: str, verdict: str) -> None:
    text = """
    byte x, y;
    active proctype p0() { x = 1; y = 1 }
    active proctype p1() { byte a, b; a = y; b = x; assert(!(a == 1 && b == 0)) }
    """
    assert membar.check(source(text), model=model, engine="graphs").verdict == verdict


def test_execution_graphs_refuse_steps_of_several_accesses_and_states() -> None:
    several = membar.check(source("byte x; active proctype P() { x = x + 1; assert(x) }"), engine="graphs")
    assert several.verdict == "unknown"
    states = membar.check(source(STORES.format(between="")), engine="graphs", properties=("claims",))
    assert states.verdict == "unknown"
