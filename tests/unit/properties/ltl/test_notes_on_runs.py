"""What answers say of claims besides the verdict: fairness, vacuity, stuttering, ghost variables."""

from __future__ import annotations

import pytest

import membar
from membar.questions.ltl_notes import may_count_steps
from membar.source import SourceFile

PETERSON = """byte flag[2]; byte inside;
active [2] proctype P() { byte me = _pid;
  do :: flag[me] = 1; flag[1 - me] == 0; inside++; inside--; flag[me] = 0 od }
"""


def notes(text: str, *, model: str = "sc", name: str = "test.pml", **options: str) -> str:
    found = membar.check(SourceFile(name, text), model=model, properties=("claims",), **options)  # type: ignore[arg-type]
    return "\n".join(found.notes)


LOOP = "byte x; active proctype P() { do :: x = 1; x = 0 od }\n"


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("[] (x == 2 -> <> (x == 1))", "it would hold even if `x == 1` were always false"),
        ("[] (x == 1 -> <> (x == 0))", ""),
        ("[] (x == 2 -> x == 1)", "`x == 2` is never true"),
        ("[] (x == 1 -> x > 0)", ""),
        ("(x == 0) U (x == 1)", ""),
        ("[] <> (x == 1)", ""),
    ],
)
def test_claims_that_hold_vacuously_are_noted(claim: str, said: str) -> None:
    found = notes(f"{LOOP}ltl c {{ {claim} }}")
    assert ("c holds vacuously" in found) is bool(said)
    assert said in found


def test_assumptions_of_dve_claims_that_never_hold_are_noted() -> None:
    text = "byte x;\nprocess P { state a, b; init a; trans a -> b { effect x = 1; }; }\nsystem async;"
    assert "holds vacuously: `x == 2` is never true" in notes(
        text, name="test.dve", ltl="G (x == 2 imply x == 0)"
    )
    assert "vacuously" not in notes(text, name="test.dve", ltl="G (x == 1 imply x > 0)")


def test_the_runs_that_count_are_explained() -> None:
    text = f"{LOOP}ltl c {{ [] <> (x == 1) }}"
    assert "claims are about all runs" in notes(text)
    assert "every store leaves its buffer eventually (--fair buffers)" in notes(text, model="x86-tso")


def test_claims_that_count_steps_are_noted_where_flushes_are_steps() -> None:
    text = f"{LOOP}ltl c {{ [] ((x == 0) -> X (x == 1)) }}"
    assert "c may depend on how often a state is repeated" in notes(text, model="x86-tso")
    assert "repeated" not in notes(text)
    assert "repeated" not in notes(f"{LOOP}ltl c {{ [] <> (x == 1) }}", model="x86-tso")


@pytest.mark.parametrize(
    ("never", "counts"),
    [
        ("do :: skip :: x == 1 -> break od; accept: do :: x == 1 od", False),
        ("x == 0; x == 1; accept: do :: skip od", True),
    ],
)
def test_never_claims_that_can_repeat_each_step_do_not_count(never: str, *, counts: bool) -> None:
    program = membar.parse(SourceFile("test.pml", f"{LOOP}never {{ {never} }}"))
    assert may_count_steps(program.claims[0]) is counts


def test_ghost_variables_are_suggested_and_bypass_store_buffers() -> None:
    text = f"{PETERSON}ltl c {{ [] (inside < 2) }}"
    assert "--ghost inside" in notes(text, model="x86-tso")
    assert "--ghost" not in notes(text, model="x86-tso", ghost="inside")
    assert "--ghost" not in notes(text)


STORES = (
    "byte x, y, g;\nactive proctype P() { x = 1; g = 1; y == 2 }\nactive proctype Q() { g == 1; y = 2 }\n"
)


@pytest.mark.parametrize(("ghost", "verdict"), [(None, "holds"), ("g", "violated"), ("g,x", "holds")])
@pytest.mark.parametrize("engine", ["states", "reference"])
def test_a_ghost_store_overtakes_those_in_the_buffer(ghost: str | None, verdict: str, engine: str) -> None:
    source = SourceFile("test.pml", f"{STORES}ltl c {{ [] (g == 1 -> x == 1) }}")
    given = {} if ghost is None else {"ghost": ghost}
    found = membar.check(source, model="x86-tso", engine=engine, properties=("claims",), **given)  # type: ignore[arg-type]
    assert found.verdict == verdict


def test_blocks_that_store_only_to_ghosts_do_not_empty_the_buffer() -> None:
    text = "byte x, y, g;\n" + "".join(
        f"active proctype P{n}() {{ byte r; {a} = 1; atomic {{ g++; g-- }}; r = {b}; done: {b} = 0 }}\n"
        for n, a, b in ((0, "x", "y"), (1, "y", "x"))
    )
    claim = "ltl c { [] !(P0@done && P1@done && P0:r == 0 && P1:r == 0) }"
    plain = membar.check(SourceFile("test.pml", text + claim), model="x86-tso", properties=("claims",))
    ghost = membar.check(
        SourceFile("test.pml", text + claim), model="x86-tso", properties=("claims",), ghost="g"
    )
    assert (plain.verdict, ghost.verdict) == ("holds", "violated")
