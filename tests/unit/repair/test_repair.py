"""Repairs of small programs of every language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import membar
import tiers
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.questions import programs
from membar.questions import system as systems
from membar.questions.repair import NothingToRepair, NotRepairable, Repair
from membar.questions.repair.monotone import is_monotone
from membar.questions.task import Coherence, Options
from membar.reports.repair import patch
from membar.source import SourceFile
from membar.text.edits import apply_choice

EXAMPLES = Path(__file__).parents[3] / "examples"
FIGURE_6 = """
byte x = 0;
byte y = 0;
process A { state a1, a2, a3; init a1; trans a1 -> a2 { effect x = x + 1; }, a2 -> a3 { effect y = y + 1; }; }
process B { state b1, b2, b3; init b1; trans b1 -> b2 { effect x = x + 1; }, b2 -> b3 { effect y = y + 1; }; }
system async;
"""
QUICKLY = Options(coherence=Coherence.OBSERVED)


def example(name: str) -> SourceFile:
    return SourceFile.read(EXAMPLES / name)


def repaired(source: SourceFile, **asked: Any) -> Repair:
    found = membar.repair(source, **asked)
    assert isinstance(found, Repair), found
    return found


@pytest.mark.parametrize(
    ("file", "model", "names"),
    tiers.rows(
        2,
        [
            ("litmus/store-buffering.litmus", "x86-tso", ["MFENCE", "MFENCE"]),
            ("litmus/message-passing-relaxed.litmus", "rc11", ["store release"]),
            ("litmus/publication.litmus", "armv8", ["STLR", "LDAPR"]),
            ("dve/peterson.dve", "x86-tso", ["atomic write", "atomic write"]),
            ("promela/peterson-once.pml", "x86-tso", ["fence MFENCE", "fence MFENCE"]),
            ("c/ttas-relaxed.c", "rc11", ["fence acquire"]),
            ("c/peterson-plain.c", "x86-tso", ["fence seq_cst"]),
            ("litmus/spinlock-amo-relaxed.litmus", "riscv", None),
            ("litmus/independent-readers-lwsync.litmus", "power", ["sync", "sync"]),
        ],
    ),
)
def test_examples_get_the_changes_that_they_lack(file: str, model: str, names: list[str] | None) -> None:
    found = repaired(example(file), model=model, options=QUICKLY)
    if names is not None:
        assert sorted(change.name for change in found.changes) == sorted(names)
    assert found.is_minimal
    assert found.result.verdict in ("holds", "holds-within")
    for change in found.changes:
        assert change.prevents is not None
        assert change.prevents.verdict == "violated"


def test_the_patch_is_the_difference_and_nothing_else() -> None:
    source = example("litmus/store-buffering.litmus")
    found = repaired(source)
    added = [line for line in patch(source, found.repaired).splitlines() if line.startswith("+ ")]
    assert added == ["+ MFENCE      |             ;", "+             | MFENCE      ;"]
    assert membar.check(found.repaired).verdict == "holds"


@pytest.mark.full
def test_files_that_are_included_are_changed_too() -> None:
    found = repaired(example("c/peterson-release.c"), model="x86-tso", options=QUICKLY)
    [(path, text)] = found.repaired.replaced
    assert path.endswith("peterson.c")
    assert "atomic_store_explicit(&last[l], me, memory_order_seq_cst)" in text
    assert found.repaired.text == found.source.text


def test_a_kernel_test_gets_acquire_and_release() -> None:
    text = """C mp
{ }
P0(int *x, int *y) { WRITE_ONCE(*x, 1); WRITE_ONCE(*y, 1); }
P1(int *x, int *y) { int r0; int r1; r0 = READ_ONCE(*y); r1 = READ_ONCE(*x); }
exists (1:r0=1 /\\ 1:r1=0)
"""
    found = repaired(SourceFile("mp.litmus", text))
    assert sorted(change.name for change in found.changes) == ["smp_load_acquire", "smp_store_release"]
    assert "smp_store_release(y, 1); }" in found.repaired.text
    assert "smp_load_acquire(y);" in found.repaired.text


@pytest.mark.parametrize(("rule", "count", "ways"), [("own", 2, 1), ("all", 1, 2)])
def test_figure_6_takes_both_writes_of_x_or_one_by_the_rule_of_all_buffers(
    rule: str, count: int, ways: int
) -> None:
    question: dict[str, Any] = {
        "model": "cam",
        "ltl": "F(x == 2 and y > 0)",
        "words": {"atomic-rule": rule},
    }
    found = repaired(SourceFile("figure6.dve", FIGURE_6), **question, all_cheapest=True)
    assert len(found.changes) == count
    assert 1 + len(found.others) == ways
    assert all("the write of x" in change.place.title for change in found.changes)
    assert found.is_minimal


def test_a_system_for_any_number_of_processes_gets_its_fence() -> None:
    found = repaired(example("cubicle/flags.cub"))
    assert [change.name for change in found.changes] == ["fence"]
    assert "fence() && PC[p] = Waiting" in found.repaired.text
    assert found.is_minimal
    assert found.result.outcome.run.guarantee == "any number of processes"


def test_a_guard_with_alternatives_keeps_them_together() -> None:
    text = example("cubicle/flags.cub").text.replace(
        "PC[p] = Waiting &&", "PC[p] = Waiting && Flag[p] = True ||\n PC[p] = Waiting &&"
    )
    [_, place, _] = systems.edit_sites(SourceFile("either.cub", text))
    changed = apply_choice(SourceFile("either.cub", text), (place,), (1,))
    assert "requires { fence() && (PC[p]" in changed.text
    assert systems.parse_system(changed).transitions


def test_a_system_has_its_own_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["repair", str(EXAMPLES / "cubicle/flags.cub"), "--error", "x"]) == cli.BAD_INPUT
    assert "W0408" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ltl", "rule", "fair", "expected"),
    [
        ("F(x == 2)", "own", {"buffers"}, True),
        ("F A.a3", "own", {"buffers"}, True),
        ("F(x == 2 and A.a3)", "own", {"buffers"}, False),
        ("X F(x == 2)", "own", {"buffers"}, False),
        ("F(x == 2)", "all", {"buffers"}, False),
        ("F(x == 2)", "own", set(), False),
        (None, "all", set(), True),
    ],
)
def test_only_what_was_argued_is_taken_for_monotone(
    ltl: str | None, rule: str, fair: set[str], *, expected: bool
) -> None:
    source = SourceFile("figure6.dve", FIGURE_6)
    places = programs.edit_sites(source, membar.parse(source))
    strongest = apply_choice(source, places, tuple(place.strongest for place in places))
    result = membar.check(strongest, model="cam", ltl=ltl, words={"atomic-rule": rule})
    assert is_monotone(result.program, places, frozenset(fair)) is expected


def test_a_step_that_writes_twice_is_not_monotone() -> None:
    text = FIGURE_6.replace("effect x = x + 1;", "effect x = x + 1, y = y + 1;", 1)
    source = SourceFile("twice.dve", text)
    program = membar.parse(source)
    assert not is_monotone(program, programs.edit_sites(source, program), frozenset({"buffers"}))


@pytest.mark.parametrize("rule", ["own", "all"])
def test_barnats_procedure_ends_with_a_repair_that_is_never_cheaper(rule: str) -> None:
    question: dict[str, Any] = {
        "model": "cam",
        "ltl": "F(x == 2 and y > 0)",
        "words": {"atomic-rule": rule},
    }
    source = SourceFile("figure6.dve", FIGURE_6)
    greedy = membar.repair(source, **question, greedy=True)
    assert isinstance(greedy, Repair)
    assert greedy.cost >= repaired(source, **question).cost
    assert not greedy.is_minimal
    assert membar.check(greedy.repaired, **question).verdict == "holds"


def test_barnats_procedure_begins_with_the_write_that_most_accesses_meet() -> None:
    found = membar.repair(example("dve/peterson.dve"), model="x86-tso", greedy=True)
    assert isinstance(found, Repair)
    assert [change.place.location for change in found.changes] == ["turn", "turn"]


def test_barnats_procedure_is_for_atomic_writes() -> None:
    with pytest.raises(InputError, match="no atomic writes"):
        membar.repair(example("litmus/store-buffering.litmus"), greedy=True)


def test_unbounded_store_buffers_are_repaired_for_good() -> None:
    found = repaired(example("promela/dekker-repeated.pml"), options=Options(unbounded_buffers=True))
    assert len(found.changes) == 4
    assert found.result.outcome.run.engine == "buffers"
    assert found.result.verdict == "holds"


def test_weakening_lets_go_what_is_not_needed() -> None:
    text = """C mp
{ [x] = 0; [y] = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store(x, 1);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(y, 1, memory_order_seq_cst);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_seq_cst);
  int r1 = atomic_load(x);
}
~exists (1:r0=1 /\\ 1:r1=0)
"""
    found = repaired(SourceFile("mp.litmus", text), weaken=True)
    assert (found.before, found.cost) == (20 + 16 + 16 + 8 + 8, 8)
    stores = [line for line in found.repaired.text.splitlines() if "store" in line or "fence" in line]
    assert [line.split("memory_order_")[1] for line in stores] == ["relaxed);", "release);"]
    assert found.repaired.text.count("memory_order_acquire") == 1


@pytest.mark.parametrize("name", tiers.first(2, ["ttas", "ticket", "seqlock", "ring"]))
def test_the_orders_of_the_examples_are_all_needed(name: str) -> None:
    found = repaired(example(f"c/{name}.c"), model="rc11", options=QUICKLY, weaken=True)
    assert found.is_minimal
    assert found.cost <= (found.before or 0)


def test_what_is_right_needs_no_repair() -> None:
    assert isinstance(membar.repair(example("litmus/store-buffering-fenced.litmus")), NothingToRepair)


def test_what_is_wrong_under_sc_cannot_be_repaired() -> None:
    text = (
        "X86 wrong\n{ x=0; }\n P0         | P1          ;\n MOV [x],$1 | MOV EAX,[x] ;\n~exists (1:EAX=1)\n"
    )
    found = membar.repair(SourceFile("wrong.litmus", text))
    assert isinstance(found, NotRepairable)
    assert found.result is not None
    assert found.result.model.name == "sc"


def test_a_language_without_places_says_so() -> None:
    with pytest.raises(InputError, match="cannot be repaired"):
        membar.repair(example("xcfa/message-passing.xcfa"))


@pytest.mark.parametrize(
    "text",
    ["fence = 3\n", '[any]\n"MFENCE" = 0\n', '[any]\n"MFENCE" = "dear"\n', "[any\n", "[any]\nx = true\n"],
)
def test_a_malformed_table_of_costs_is_bad_input(text: str, tmp_path: Path) -> None:
    table = tmp_path / "costs.toml"
    table.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not a table of costs"):
        membar.repair(example("litmus/store-buffering.litmus"), costs=table)


def test_costs_decide(tmp_path: Path) -> None:
    table = tmp_path / "costs.toml"
    table.write_text('[any]\n"DMB ISHST" = 1\n"DMB ISHLD" = 1\n', encoding="utf-8")
    found = membar.repair(example("litmus/publication.litmus"), costs=table)
    assert isinstance(found, Repair)
    assert sorted(change.name for change in found.changes) == ["DMB ISHLD", "DMB ISHST"]


def test_apply_writes_the_repair_and_keeps_what_was_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sb.litmus"
    before = example("litmus/store-buffering.litmus").text
    file.write_text(before, encoding="utf-8")
    assert cli.main(["repair", str(file), "--apply", "--json"]) == cli.HOLDS
    told = json.loads(capsys.readouterr().out)
    assert (told["cost"], told["minimal"], len(told["changes"])) == (40, True, 2)
    assert (tmp_path / "sb.litmus.orig").read_text(encoding="utf-8") == before
    assert membar.check(file).verdict == "holds"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sb.litmus", "sb.litmus.orig"]
    assert cli.main(["repair", str(file)]) == cli.HOLDS
    assert "NOTHING TO REPAIR" in capsys.readouterr().out
