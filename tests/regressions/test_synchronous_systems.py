"""`system sync` of DVE: its processes would share one store buffer, so it has a meaning under sc only."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.questions.task import Options
from membar.source import SourceFile

STORE_BUFFERING = """byte x = 0, y = 0;
process A { byte l = 9; state a, b, c; init a; trans a -> b { effect x = 1; }, b -> c { effect l = y; }; }
process B { byte l = 9; state a, b, c; init a; trans a -> b { effect y = 1; }, b -> c { effect l = x; }; }
"""
ERROR = "B.c and A.c and B->l == 0 and A->l == 0"
SYNC = SourceFile("test.dve", STORE_BUFFERING + "system sync;\n")


@pytest.mark.parametrize("model", ["x86-tso", "pso", "cam", "armv8", "rc11"])
@pytest.mark.parametrize("engine", [None, "states", "reference", "buffers"])
def test_processes_that_step_together_do_not_share_a_store_buffer(model: str, engine: str | None) -> None:
    options = Options(unbounded_buffers=engine == "buffers")
    with pytest.raises(InputError) as caught:
        membar.check(SYNC, model=model, engine=engine, error=ERROR, options=options)
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.message) == ("W1011", f"`system sync` is not defined under {model}")
    assert problem.primary is not None
    assert problem.primary.span.text == "system sync;"


@pytest.mark.parametrize("engine", [None, "states", "reference"])
def test_a_synchronous_system_is_checked_under_sc_by_default(engine: str | None) -> None:
    result = membar.check(SYNC, engine=engine, error=ERROR)
    assert (result.verdict, result.model.name) == ("holds", "sc")


def test_one_process_alone_has_its_own_store_buffer() -> None:
    text = "byte x = 0;\nprocess A { state a, b; init a; trans a -> b { effect x = 1; }; }\nsystem sync;\n"
    assert membar.check(SourceFile("test.dve", text)).model.name == "x86-tso"


RENDEZVOUS = """byte x = 0, y = 0;
channel c;
process A { byte l = 9; state a, b, c; init a;
trans a -> b { sync c!1; effect x = 1; }, b -> c { effect l = y; }; }
process B { byte l = 9, k; state a, b, c; init a;
trans a -> b { sync c?k; effect y = 1; }, b -> c { effect l = x; }; }
system async;
"""


@pytest.mark.parametrize("engine", ["states", "reference", "buffers"])
def test_the_two_processes_of_a_rendezvous_have_a_store_buffer_each(engine: str) -> None:
    options = Options(unbounded_buffers=engine == "buffers")
    result = membar.check(
        SourceFile("test.dve", RENDEZVOUS), model="x86-tso", engine=engine, error=ERROR, options=options
    )
    assert (result.verdict, getattr(result.outcome, "property", "")) == ("violated", "errors")


DEADLOCK = "byte x = 0;\nprocess A { state a, b; init a; trans a -> b { guard x == 1; }; }\nsystem async;\n"


@pytest.mark.parametrize(
    ("formula", "name", "verdict"),
    [
        ("G(x == 0)", "claims", "holds"),
        ("G(x == 1)", "claims", "violated"),
        ("F(x == 0)", "claims", "holds"),
        ("F(x == 1)", "claims", "violated"),  # a run that has ended stays where it is forever
        ("G F A.a", "claims", "holds"),
    ],
)
def test_a_claim_is_answered_beside_a_deadlock(formula: str, name: str, verdict: str) -> None:
    outcome = membar.check(SourceFile("test.dve", DEADLOCK), ltl=formula).outcome
    found = {item.property: item.verdict.value for item in outcome.run.findings}
    assert found[name] == verdict
    assert found["deadlock"] == "violated"
