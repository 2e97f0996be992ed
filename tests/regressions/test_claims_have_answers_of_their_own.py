"""Of several claims only the first violated one had an answer, and `--property` did not leave them out."""

from __future__ import annotations

import membar
from membar.source import SourceFile

_TEXT = SourceFile(
    "claims.pml",
    """byte x;
active proctype P() { do :: x < 3 -> x++ :: x = 0 od }
ltl low { [] (x < 4) }
ltl wrong { [] (x < 3) }
ltl often { []<> (x == 0) }
ltl seldom { <>[] (x != 3) }
never { do :: x == 2 -> break :: else od }
""",
)


def test_every_claim_has_an_answer_and_a_witness_of_its_own() -> None:
    result = membar.check(_TEXT, model="sc")
    found = {item.claim: item for item in result.outcome.run.findings if item.property == "claims"}
    verdicts = {name: item.verdict.value for name, item in found.items()}
    assert verdicts == {
        "low": "holds",
        "wrong": "violated",
        "often": "holds",
        "seldom": "violated",
        "never_0": "violated",
    }
    shown = [item.witness for item in found.values() if item.verdict.value == "violated"]
    assert len({None if each is None else each.message for each in shown} - {None}) == 3
    others = {item.property: item.verdict.value for item in result.outcome.run.findings}
    assert others.keys() == {"claims", "assertions", "deadlock"}
    assert others["assertions"] == others["deadlock"] == "holds"


def test_properties_by_name_leave_out_the_claims_of_the_text() -> None:
    result = membar.check(_TEXT, model="sc", properties=("assertions",))
    assert result.verdict == "holds"
    assert "claims" not in {item.property for item in result.outcome.run.findings}


def test_a_claim_on_the_command_line_is_answered_beside_them() -> None:
    result = membar.check(_TEXT, model="sc", properties=("deadlock",), ltl="G(x < 4)")
    found = [(item.property, item.claim, item.verdict.value) for item in result.outcome.run.findings]
    assert found == [("claims", "G(x < 4)", "holds"), ("deadlock", "", "holds")]
