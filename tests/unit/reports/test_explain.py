from __future__ import annotations

from membar.models.explain import Edge, Failure
from membar.models.plan import Check, CheckKind
from membar.reports import explain
from unit.reports.shapes import sb_execution, sb_program

CYCLE = Failure(
    check=Check(kind=CheckKind.ACYCLIC, slot=0, name="global-order"),
    edges=(Edge(3, 4, "fr"), Edge(4, 5, "po"), Edge(5, 2, "fr"), Edge(2, 3, "po")),
)
PAIR = Failure(check=Check(kind=CheckKind.EMPTY, slot=0, name="atomicity"), edges=(Edge(0, 2, "co"),))


def test_the_long_form_has_one_event_per_line() -> None:
    assert explain.render(sb_program(), sb_execution(), [CYCLE, PAIR]) == (
        "forbidden by global-order (must be acyclic)\n"
        "  P0:5 MOV EAX,[y]  R y=0  -fr->\n"
        "  P1:4 MOV [y],$1   W y=1  -po->\n"
        "  P1:5 MOV EAX,[x]  R x=0  -fr->\n"
        "  P0:4 MOV [x],$1   W x=1  -po->\n"
        "  P0:5 MOV EAX,[y]  R y=0  (where it began)\n"
        "\n"
        "forbidden by atomicity (must be empty)\n"
        "  init x=0 -co-> P0:4 MOV [x],$1\n"
    )


def test_a_failure_with_nothing_to_show_still_names_the_axiom() -> None:
    failure = Failure(check=Check(kind=CheckKind.EMPTY, slot=0, name="used", negated=True), edges=())
    assert (
        explain.render(sb_program(), sb_execution(), [failure]) == "forbidden by used (must not be empty)\n"
    )


def test_many_pairs_are_cut() -> None:
    failure = Failure(check=PAIR.check, edges=PAIR.edges * 10)
    assert "and 2 more pairs" in explain.render(sb_program(), sb_execution(), [failure])


def test_nothing_failed_nothing_said() -> None:
    assert explain.render(sb_program(), sb_execution(), []) == ""
