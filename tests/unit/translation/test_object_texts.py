"""Objects for NuSMV and Graphviz: what is in the text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import membar
from membar.cli.command import main
from membar.diagnostics import InputError
from membar.objects.systems.moves import ThreadSystem
from membar.questions.export.object_dot import dot
from membar.questions.export.object_smv import smv
from membar.questions.proof import parse_object, rules_of, system_of
from membar.source import SourceFile
from strategies.known_objects import COUNTER, LOCK

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def system(text: str, model: str) -> ThreadSystem:
    return system_of(parse_object(SourceFile("test.obj", text)), membar.load_model(model))


@pytest.mark.parametrize(
    ("text", "model"),
    [(LOCK, "sc"), (LOCK, "x86-tso"), (COUNTER, "x86-tso"), (COUNTER, "xc"), (COUNTER, "armv8")],
    ids=["lock-sc", "lock-tso", "counter-tso", "counter-xc", "counter-armv8"],
)
def test_every_name_in_the_text_for_nusmv_is_declared(text: str, model: str) -> None:
    found = re.sub(r"--[^\n]*", "", smv(system(text, model)))
    declared = set(re.findall(r"^  (\w+) : ", found, re.MULTILINE))
    controls = set(re.findall(r"\bc\d+\b", found.split(";")[0]))
    used = set(re.findall(r"[A-Za-z_]\w*", found.split("INIT")[1]))
    assert used - declared - controls <= {"next", "control", "TRANS", "mod", "TRUE", "FALSE"}
    assert found.count("(") == found.count(")")


def test_each_move_is_one_alternative_and_says_what_every_variable_becomes() -> None:
    found = system(LOCK, "sc")
    text = re.sub(r"--[^\n]*", "", smv(found))
    alternatives = text.split("TRANS")[1].split("\n  |\n")
    variables = re.findall(r"^  (\w+) : ", text, re.MULTILINE)
    assert all(each.count(f"next({name}) =") == 1 for each in alternatives for name in variables)
    assert any("next(taken) = 1" in each and "(taken = 0)" in each for each in alternatives)
    assert any("next(taken) = 0" in each for each in alternatives)
    assert "control = c0 & taken = 0 & held = 0" in text


def test_of_a_system_that_is_too_large_the_nearest_controls_are_written() -> None:
    text = smv(system(LOCK, "armv8"), most_controls=40)
    assert "only the 40 controls nearest to the beginning" in text
    assert len(re.findall(r"^--   c\d+: ", text, re.MULTILINE)) == 40
    assert "nearest" not in smv(system(LOCK, "x86-tso"))


def test_names_and_values_that_nusmv_does_not_take_are_changed() -> None:
    text = (
        "object o; shared next = 5, c0, X; private mod = -2;"
        " operation f() { 1: X = 12; 2: c0 = 9999; mod = (mod - 5) % 3 + mod / 2; }"
    )
    found = smv(system(text, "sc"))
    assert re.findall(r"^  (\w+) : -2\.\.12;", found, re.MULTILINE) == ["next_", "c0_", "X_", "mod_"]
    assert "next(c0_) = 9999 & 9999 >= -2 & 9999 <= 12" in found
    assert "((((mod_ - 5) mod 3) + 3) mod 3)" in found
    assert "((mod_ - (((mod_ mod 2) + 2) mod 2)) / 2)" in found


def test_nothing_may_happen_so_that_no_state_is_without_a_successor() -> None:
    text = smv(system(LOCK, "sc"))
    assert text.endswith(
        "-- nothing happens\n  (next(control) = control & next(taken) = taken & next(held) = held"
        " & next(acquire_old) = acquire_old)\n"
    )


def test_a_loop_that_no_branch_leaves_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        smv(system("object o; shared x; operation f() { 1: x = 1; goto 1; }", "armv8"))
    assert caught.value.diagnostics[0].code == "W1318"


def test_the_flow_graph_has_two_orders_under_tso() -> None:
    about = parse_object(SourceFile("test.obj", COUNTER))
    text = dot(about, "x86-tso", None)
    assert '"store_4" -> "store_5";' in text
    assert '"1" -> "store_1" [dir=none, style=bold];' in text
    assert '"store_3"' not in text
    assert '"store_' not in dot(about, "sc", None)


def graph(name: str, model: str) -> str:
    return dot(parse_object(SourceFile.read(EXAMPLES / name)), model, rules_of(membar.load_model(model)))


def test_the_flow_graph_shows_what_waits_under_armv8() -> None:
    text = graph("objects/seqlock-armv8.obj", "armv8")
    assert '"23" -> "3";' in text
    assert '"23" -> "4";' in text
    assert '"3" -> "4"' not in text
    assert '"1b" -> "2" [label="got", style=dotted];' in text  # a load may be done before the branch
    assert '"1b" -> "22" [label="got"];' in text  # a store may not
    assert '"1b" -> "2" [label="got"];' in graph("objects/seqlock-armv8.obj", "xc")


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_both_ways_from_a_branch_have_guards(model: str) -> None:
    text = graph("objects/seqlock-armv8.obj", model)
    assert '"1b" -> "1" [label="!got", style=dashed];' in text
    assert '"8" -> "7" [label="c0 % 2 != 0", style=dashed];' in text
    assert '"8" -> "82" [label="c0 % 2 == 0"];' in text
    assert '"11b" -> "12" [label="t1 == 0"];' in text or '"11b" -> "12" [label="!t1"];' in text


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_what_waits_for_nothing_hangs_at_the_idle_state(model: str) -> None:
    about = parse_object(
        SourceFile("test.obj", "object o; shared x, y; operation f() { 1: x = 1; 2: y = 1; 3: x = 2; }")
    )
    text = dot(about, model, rules_of(membar.load_model(model)))
    assert 'idle -> "1";' in text
    assert 'idle -> "2";' in text
    assert 'idle -> "3";' not in text
    free = graph("objects/seqlock.obj", model)
    assert ('idle -> "9";' in free) == ('idle -> "10";' in free) == (model == "armv8")
    for line in free.splitlines():  # nothing begins nowhere
        node = line.strip().partition(" [")[0]
        if line.startswith("    ") and node.startswith('"') and "->" not in line:
            assert f"-> {node}" in free


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_the_halves_of_a_read_modify_write_are_linked(model: str) -> None:
    text = graph("objects/seqlock-armv8.obj", model)
    assert '"store_1" [label="1: store to lock"];' in text
    assert '"1" -> "store_1" [dir=none, style=bold];' in text
    assert '"1" -> "1b";' in text
    locked = "object o; shared x; operation f() { local t; 1: t = swap(x, 1); 2: x = 0; }"
    both = dot(parse_object(SourceFile("test.obj", locked)), model, rules_of(membar.load_model(model)))
    assert '"store_1" -> "2";' in both


@pytest.mark.parametrize(
    ("file", "to"),
    [("objects/lock.obj", "promela"), ("litmus/peterson.litmus", "smv"), ("litmus/peterson.litmus", "dot")],
)
def test_a_form_that_does_not_fit_is_refused(file: str, to: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", str(EXAMPLES / file), "--to", to]) == 2
    assert "W1101" in capsys.readouterr().err
