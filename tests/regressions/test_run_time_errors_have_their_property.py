"""An index out of bounds or a division by zero of Promela and DVE was no violation of `memory`."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Unknown, Violated
from membar.source import SourceFile

_DVE = """byte a[2], i = 1;
{channel}
process P {{ state s, t, u; init s; trans s -> t {{ effect i = i + 1; }}, t -> u {{ {doing} }}; }}
process Q {{ state s; init s; {receiving} }}
system async;
"""


def _promela(statement: str) -> SourceFile:
    return SourceFile("p.pml", f"byte a[2], i;\nactive proctype P() {{ i = 2; {statement} }}\n")


def _dve(doing: str, channel: str = "", receiving: str = "") -> SourceFile:
    return SourceFile("p.dve", _DVE.format(doing=doing, channel=channel, receiving=receiving))


_RECEIVE = "trans s -> s { sync c?a[0]; };"
WRONG = {
    "index in Promela": (_promela("a[i] = 1"), "memory"),
    "index read in Promela": (_promela("i = a[i]"), "memory"),
    "index of a channel in Promela": (
        SourceFile("p.pml", "chan c[2] = [1] of { byte }; byte i;\nactive proctype P() { i = 2; c[i]!1 }\n"),
        "memory",
    ),
    "index in an atomic block": (_promela("atomic { i = 1; i = 2; a[i] = 1 }"), "memory"),
    "division in Promela": (_promela("i = 3 / (i - 2)"), "memory"),
    "blocking d_step": (_promela("d_step { i = 1; i == 2 }"), "assertions"),
    "index in DVE": (_dve("effect a[i] = 1;"), "memory"),
    "division in DVE": (_dve("effect i = 1 / (i - 2);"), "memory"),
    "range in DVE": (_dve("effect i = i + 254;"), "assertions"),
    "index before a message": (
        _dve("sync c!1; effect a[i] = 1;", "channel {byte} c[1];", _RECEIVE),
        "memory",
    ),
    "range before a message": (
        _dve("sync c!1; effect i = i + 254;", "channel {byte} c[1];", _RECEIVE),
        "assertions",
    ),
}


@pytest.mark.parametrize(("source", "kind"), WRONG.values(), ids=WRONG)
def test_a_run_time_error_violates_its_property(source: SourceFile, kind: str) -> None:
    for names in (None, (kind,)):
        outcome = membar.check(source, model="sc", properties=names).outcome
        assert isinstance(outcome, Violated), names
        assert outcome.property == kind


@pytest.mark.parametrize("name", ["assertions", "deadlock"])
def test_nothing_holds_behind_an_index_out_of_bounds(name: str) -> None:
    for source in (_promela("a[i] = 1"), _dve("effect a[i] = 1;")):
        outcome = membar.check(source, model="sc", properties=(name,)).outcome
        assert isinstance(outcome, Unknown)
        assert "out of bounds" in outcome.reason
