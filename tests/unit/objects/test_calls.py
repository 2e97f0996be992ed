"""What clients call `.obj` objects with, what the bound says about it, and what is never called."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.objects.annotations import describe_calls
from membar.objects.calls import has_only_copies, notes_of
from membar.objects.client import Size, clients
from membar.questions.outcome import HoldsWithin, Unknown
from membar.questions.proof import parse_object
from membar.source import SourceFile

REGISTER = """\
object r; shared x = 0;
operation write(v) { 1: x = v; 2: fence; }
operation read() { local t; 3: t = x; 4: return t; }
specification { state y = 0; operation write(v) { y = v; } operation read() { return y; } }
"""
NEVER = """\
object n; shared x = 0;
operation f(p) requires CONDITION { 1: x = 7; }
operation read() { local t; 3: t = x; 4: return t; }
specification { state y = 0; operation f(p) { y = 8; } operation read() { return y; } }
"""
USUAL = Size(2, 2)
SWAPPED = """\
object s; shared x[2] = 0;
operation write(i, v) requires i >= 0 && i < 2 { 1: x[INDEX] = v; 2: fence; }
operation read(j) requires j >= 0 && j < 2 { local r; 4: r = x[j]; 5: return r; }
specification {
  state y0 = 0, y1 = 0;
  operation write(a, v) { if (a == 0) y0 = v; else y1 = v; }
  operation read(j) { return j == 0 ? y0 : y1; }
}
"""


def called(text: str, size: Size) -> str:
    return describe_calls(notes_of(parse_object(SourceFile("o.obj", text)), size))


def ask(text: str, *, size: Size = USUAL, name: str = "o.obj") -> membar.Answer:
    return membar.check(SourceFile(name, text), client=size, model="sc")


def bound(text: str) -> str:
    outcome = ask(text).outcome
    assert isinstance(outcome, HoldsWithin)
    return outcome.bound


def test_what_is_only_copied_is_fresh_and_stands_for_all() -> None:
    found = ask(REGISTER).outcome
    assert isinstance(found, HoldsWithin)
    assert found.bound == "clients of 2 threads with at most 2 operations each, calls write(fresh)"
    assert found.chosen_by_user
    assert any("only copied" in note for note in found.run.notes)


@pytest.mark.parametrize(
    "code",
    [
        "if (v == 3) { 1: x = v; }",
        "1: x = v + 0;",
        "1: x = v == v;",
        "local t; 1: t = cas(x, v, v);",
        "local t; 1: t = fetch_add(x, v);",
        "local t; t = v; if (t) { 1: x = t; }",
        "1: x = v ? v : 0;",
        "1: x = -v;",
    ],
)
def test_what_is_looked_at_is_not_only_copied(code: str) -> None:
    text = REGISTER.replace("1: x = v;", code)
    assert not has_only_copies(parse_object(SourceFile("o.obj", text)))
    assert has_only_copies(parse_object(SourceFile("o.obj", REGISTER)))


def test_looking_goes_through_memory_and_the_specification() -> None:
    through = REGISTER.replace("3: t = x;", "3: t = x; if (t == 9) { skip; }")
    assert "9" in called(through, Size(2, 1))
    meant = REGISTER.replace("operation write(v) { y = v; }", "operation write(w) { y = w > 9 ? 0 : w; }")
    assert "write(fresh|-1..1|8..10)" in called(meant, Size(2, 1))


def test_fresh_numbers_are_no_initial_ones() -> None:
    text = REGISTER.replace("x = 0;", "x = 2;", 1).replace("y = 0;", "y = 2;", 1)
    notes = notes_of(parse_object(SourceFile("o.obj", text)), Size(2, 1))
    given = {value for item in clients(notes, Size(2, 1)) for call in item.calls for value in call.arguments}
    assert given == {3, 4}


def test_numbers_of_the_text_are_arguments() -> None:
    assert ask(NEVER.replace("CONDITION", "p == 0 || p == 100")).verdict == "violated"
    assert ask(NEVER.replace("CONDITION", "p < -40")).verdict == "violated"
    assert "f(0|100)" in called(NEVER.replace("CONDITION", "p == 0 || p == 100"), Size(2, 2))


def test_every_element_is_tried() -> None:
    assert ask(SWAPPED.replace("INDEX", "1 - i")).verdict == "violated"
    assert ask(SWAPPED.replace("INDEX", "i")).verdict == "holds-within"


def test_equal_arguments_are_tried() -> None:
    text = """\
object c; shared x = 0;
operation put(v) { 1: x = v; 2: fence; }
operation twice(v) { local t; 3: t = x; if (t == v) { return 0; } return 1; }
specification { state y = 0; operation put(v) { y = v; } operation twice(v) { return 1; } }
"""
    assert ask(text, size=Size(2, 1)).verdict == "violated"


def test_many_kinds_of_arguments_give_way_to_larger_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    text = REGISTER.replace("1: x = v;", "local t; 1: t = cas(x, v, v);")
    assert called(text, Size(2, 1)) == "write(fresh|0..2)"
    assert called(text, Size(3, 3)) == "write(fresh)"
    monkeypatch.setattr("membar.objects.calls._FEW_CLIENTS", 20)
    assert bound(REGISTER.replace("1: x = v;", "if (v != v) { 1: x = v; } x = v;")) == (
        "clients of 2 threads with at most 2 operations each, calls write(fresh),"
        " calls write(fresh|0..2) for 2 threads with at most 1 operation each"
    )


def test_what_is_never_called_is_said(tmp_path: Path) -> None:
    text = NEVER.replace("CONDITION", "p != p")
    assert "f never called" in bound(text)
    assert not getattr(ask(text).outcome, "chosen_by_user", True)
    (tmp_path / "n.obj").write_text(text)
    assert cli.main(["check", str(tmp_path / "n.obj"), "--client", "2,2", "--model", "sc"]) == 4


def test_private_conditions_that_never_hold_are_noticed() -> None:
    text = NEVER.replace("shared x = 0;", "shared x = 0; private q = 0;").replace("CONDITION", "q == 1")
    assert "f never called" in bound(text)


def test_no_call_at_all_is_no_answer() -> None:
    text = NEVER.replace("CONDITION", "p != p")
    text = "\n".join(line for line in text.splitlines() if "read()" not in line)
    found = ask(text + "\nspecification { operation f(p) { } }\n").outcome
    assert isinstance(found, Unknown)
    assert found.reason == "no client of 2 threads with at most 2 operations each calls an operation"


def test_c_operations_of_no_thread_are_said() -> None:
    text = """\
#include <stdatomic.h>
static atomic_int x;
// membar: object Register
// membar: operation write(fresh) by 7
static void write(int v) { atomic_store(&x, v + 1); }
// membar: operation read()
static int read(void) { return atomic_load(&x); }
"""
    found = ask(text, name="o.c").outcome
    assert isinstance(found, HoldsWithin)
    assert "calls write(fresh) by 7, write never called" in found.bound
    assert not found.chosen_by_user
    assert isinstance(ask(text.replace("read()\n", "read() by 8\n", 1), name="o.c").outcome, Unknown)


def test_notes_of_obj_files_say_what_is_called() -> None:
    text = REGISTER + "// membar: operation write(0|-1|fresh) by 0\n"
    assert called(text, Size(2, 2)) == "write(fresh|-1..0) by 0"
    assert "calls write(fresh|-1..0) by 0" in bound(text)
    wrong = REGISTER.replace("1: x = v;", "if (v != -1) { 1: x = v; }")
    assert ask(wrong + "// membar: operation write(5..6)\n").verdict == "holds-within"
    assert ask(wrong + "// membar: operation write(-1|3)\n").verdict == "violated"


@pytest.mark.parametrize(
    ("note", "code"),
    [
        ("operation writ(0)", "W1344"),
        ("operation write()", "W1345"),
        ("operation write(thread)", "W1345"),
        ("operation write(0|)", "W1345"),
        ("operation write(0..99)", "W1345"),
        ("operation write(99999999999999999999)", "W1345"),
        ("operation write(0) by x", "W1342"),
        ("object Register", "W1342"),
        ("begin write()", "W1342"),
    ],
)
def test_wrong_notes_of_obj_files_are_refused(note: str, code: str) -> None:
    with pytest.raises(InputError) as problem:
        ask(f"{REGISTER}// membar: {note}\n")
    assert problem.value.diagnostics[0].code == code
    assert problem.value.diagnostics[0].primary is not None


def test_large_arguments_are_not_taken_for_little_ones() -> None:
    text = REGISTER.replace("1: x = v;", "1: x = v * 64;").replace("y = v;", "y = v * 64;")
    text += "// membar: operation write(999999999999999999)\n"
    found = ask(text, size=Size(1, 1)).outcome
    assert isinstance(found, Unknown)
    assert "64 bits" in found.reason
