"""What `membar repair` prints and writes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import membar
from membar.cli import command as cli
from membar.questions import programs, repair
from membar.questions import system as systems
from membar.questions.repair import Repair
from membar.source import SourceFile
from membar.text.edits import apply_choice

EXAMPLES = Path(__file__).parents[3] / "examples"
FORBIDDEN = """X86 sb
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
"""
WISH = f"{FORBIDDEN}exists (0:EAX=0 /\\ 1:EAX=0)\n"
BUFFERING = f"{FORBIDDEN}~exists (0:EAX=0 /\\ 1:EAX=0)\n"
WRONG = f"{FORBIDDEN}~exists (0:EAX=1)\n"


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = cli.main(["repair", *map(str, words)])
    told = capsys.readouterr()
    return code, told.out, told.err


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def data(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    return dict(json.loads(run(capsys, *words, "--json")[1]))


# What is told


def test_an_outcome_that_is_asked_for_can_happen_or_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told, _ = run(capsys, written(tmp_path, "wish.litmus", WISH))
    assert code == cli.HOLDS
    assert "without it: the outcome asked for can happen: 0:EAX=0; 1:EAX=0;" in told
    assert "checked again: the outcome asked for cannot happen under x86-tso" in told
    assert "HOLDS" not in told
    assert "VIOLATED" not in told


def test_what_could_not_be_decided_is_told_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, told, _ = run(capsys, written(tmp_path, "sb.litmus", BUFFERING), "--limit", "time=0s")
    assert "can happen" not in told


@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("sb.litmus", BUFFERING, "repaired"),
        ("right.litmus", BUFFERING.replace("1:EAX=0", "1:EAX=7"), "nothing-to-repair"),
        ("wrong.litmus", WRONG, "not-repaired"),
    ],
)
def test_every_answer_has_an_object(
    name: str, text: str, result: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert data(capsys, written(tmp_path, name, text))["result"] == result


def test_no_answer_has_an_object_too(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, EXAMPLES / "litmus/store-buffering.litmus", "--limit", "executions=1")
    assert found["result"] == "unknown"
    assert "limit" in found["reason"]


def test_nothing_to_weaken_has_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, EXAMPLES / "litmus/store-buffering-fenced.litmus", "--weaken")
    assert found["result"] == "nothing-to-weaken"
    assert found["places"] == 2


def test_a_data_race_that_was_not_asked_about_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """C race
{ [x]=0; }
P0 (int* x) { *x = 1; }
P1 (int* x) { int r0 = *x; }
~exists (1:r0=2)
"""
    _, told, _ = run(capsys, written(tmp_path, "race.litmus", text))
    assert "NOTHING TO REPAIR" in told
    assert "data race" in told


# Counterexamples


def test_each_change_comes_with_an_execution_that_it_prevents(capsys: pytest.CaptureFixture[str]) -> None:
    _, told, _ = run(capsys, EXAMPLES / "litmus/publication.litmus", "--explain")
    assert told.count("and with all other changes:") == 2
    assert "without STLR, the STR in line 14" in told
    assert "14: STR W2,[X3]" in told
    assert "11: LDAPR W0,[X1]" in told  # the other change is in place
    assert "replay:" not in told


# Each fence gets a line of its own; what fails is in line 15.
LINES = """#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x, y;
int seen_x = 9, seen_y = 9;
void *one(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed); return 0;
}
int main() { pthread_t thread;
  pthread_create(&thread, 0, one, 0);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_join(thread, 0);
  assert(seen_x == 1 || seen_y == 1);
}
"""


@pytest.mark.full
def test_lines_of_executions_are_those_of_the_users_text(tmp_path: Path) -> None:
    costs = written(tmp_path, "costs.toml", '[x86-tso]\n"fence seq_cst" = 1\n')
    found = membar.repair(SourceFile("lines.c", LINES), model="x86-tso", costs=costs)
    assert isinstance(found, Repair)
    assert len(found.repaired.text.splitlines()) == len(LINES.splitlines()) + 2
    for change in found.changes:
        answer = change.prevents
        assert isinstance(answer, membar.Answer)
        assert answer.witness is not None
        assert answer.witness.message.endswith("(line 15)")
        lines = {event.span.line for event in answer.witness.execution.events if event.span is not None}
        assert {7, 8, 12, 13, 15} <= lines
        assert max(lines) == 15


def test_what_is_wrong_under_sc_replays_and_the_strongest_text_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "wrong.litmus", WRONG)
    code, told, _ = run(capsys, file)
    assert code == cli.VIOLATED
    assert f"replay: membar check {file} --model sc" in told
    monkeypatch.setattr("membar.questions.repair._places", lambda *_: ())
    code, told, _ = run(capsys, written(tmp_path, "sb.litmus", BUFFERING))
    assert code == cli.VIOLATED
    assert "even with every change" in told
    assert "final state: 0:EAX=0; 1:EAX=0;" in told
    assert "replay:" not in told


def test_rows_that_are_added_do_not_move_others(tmp_path: Path) -> None:
    text = """X86 three
{ x=0; y=0; }
 P0          | P1                ;
 MOV [x],$1  | MOV [y],$1        ;
 MOV EAX,[y] | L: MOV EAX,[x]    ;
~exists (0:EAX=0 /\\ 1:EAX=0)
"""
    file = written(tmp_path, "three.litmus", text)
    source = SourceFile.read(file)
    places = programs.edit_sites(source, membar.parse(source))
    strongest = apply_choice(source, places, tuple(place.strongest for place in places))
    flat = apply_choice(source, places, tuple(place.strongest for place in places), is_flat=True)
    assert len(flat.text.splitlines()) == len(text.splitlines()) < len(strongest.text.splitlines())
    assert membar.check(flat).verdict == membar.check(strongest).verdict == "holds"


def test_the_witness_of_what_a_change_prevents_replays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, model in (("litmus/store-buffering.litmus", "x86-tso"), ("c/ttas-relaxed.c", "rc11")):
        found = data(capsys, EXAMPLES / name, "--model", model)
        for change in found["changes"]:
            saved = written(tmp_path, "saved.json", json.dumps(change["prevents"]))
            assert cli.main(["replay", str(saved)]) == cli.HOLDS
            capsys.readouterr()


@pytest.mark.full
def test_a_witness_of_changed_includes_has_their_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    include = LINES.replace("int main()", "static void work()")
    written(tmp_path, "work.h", include)
    file = written(tmp_path, "main.c", '#include "work.h"\nint main() { work(); }\n')
    found = data(capsys, file, "--model", "x86-tso")
    assert len(found["changes"]) == 2
    for change in found["changes"]:
        witness = change["prevents"]["witness"]
        assert list(witness["replaced"]) == [str(tmp_path / "work.h")]
        saved = written(tmp_path, "saved.json", json.dumps(change["prevents"]))
        assert cli.main(["replay", str(saved)]) == cli.HOLDS
        capsys.readouterr()


# Files


def test_a_second_repair_keeps_what_the_first_one_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "sb.litmus", BUFFERING)
    run(capsys, file, "--apply")
    second = BUFFERING.replace("X86 sb", "X86 again")
    file.write_text(second, encoding="utf-8")
    _, _, told = run(capsys, file, "--apply")
    assert "sb.litmus.orig.1" in told
    assert (tmp_path / "sb.litmus.orig").read_text(encoding="utf-8") == BUFFERING
    assert (tmp_path / "sb.litmus.orig.1").read_text(encoding="utf-8") == second


def test_a_link_stays_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "there").mkdir()
    target = written(tmp_path / "there", "sb.litmus", BUFFERING)
    link = tmp_path / "link.litmus"
    link.symlink_to(target)
    run(capsys, link, "--apply")
    assert link.is_symlink()
    assert "MFENCE" in target.read_text(encoding="utf-8")
    assert (tmp_path / "there" / "sb.litmus.orig").read_text(encoding="utf-8") == BUFFERING


def test_bytes_that_are_no_text_are_not_written_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "latin.litmus"
    before = BUFFERING.encode().replace(b"{", b"(* caf\xe9 *)\n{", 1)
    file.write_bytes(before)
    code, _, told = run(capsys, file, "--apply")
    assert code == cli.BAD_INPUT
    assert "W0423" in told
    assert file.read_bytes() == before
    assert run(capsys, file)[0] == cli.HOLDS


def test_a_file_that_was_changed_meanwhile_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "sb.litmus", BUFFERING)

    def ask(question: membar.Question) -> membar.Answer:
        file.write_text("something else", encoding="utf-8")
        return membar.ask(question)

    monkeypatch.setattr(repair, "ask", ask)
    code, told, problem = run(capsys, file, "--apply")
    assert code == cli.BAD_INPUT
    assert "REPAIRED" in told  # the work is not lost
    assert "W0424" in problem
    assert file.read_text(encoding="utf-8") == "something else"


def test_what_cannot_be_written_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise PermissionError(13, "Permission denied", "sb.litmus")

    file = written(tmp_path, "sb.litmus", BUFFERING)
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    code, told, problem = run(capsys, file, "--apply")
    assert code == cli.BAD_INPUT
    assert "REPAIRED" in told
    assert "W0404" in problem
    assert file.read_text(encoding="utf-8") == BUFFERING


def test_the_repair_is_written_even_if_nobody_reads_the_report(tmp_path: Path) -> None:
    file = written(tmp_path, "sb.litmus", BUFFERING)
    reading, writing = os.pipe()
    os.close(reading)
    code = "import sys; from membar.cli.command import main; sys.exit(main())"
    words = [sys.executable, "-c", code, "repair", str(file), "--apply"]
    subprocess.run(words, stdout=writing, stderr=subprocess.DEVNULL, check=False, timeout=120)
    os.close(writing)
    assert "MFENCE" in file.read_text(encoding="utf-8")


# DVE

GATES = """byte x = 0; byte y = 0;
process A { state a1, a2, a3; init a1; trans a1 -> a2 { effect x = 1; }, a2 -> a3 { guard y == 0; }; }
process B { state b1, b2, b3; init b1; trans b1 -> b2 { effect y = 1; }, b2 -> b3 { guard x == 0; }; }
system async;
ends A.a2; ends A.a3; ends B.b2; ends B.b3;
"""
NOT_BOTH = ("--model", "x86-tso", "--error", "A.a3 and B.b3")


def test_the_list_of_atomic_writes_is_what_check_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, listed = written(tmp_path, "gates.dve", GATES), tmp_path / "atomic.txt"
    code, told, _ = run(capsys, file, *NOT_BOTH, "--atomic-out", listed)
    assert code == cli.HOLDS
    assert listed.read_text(encoding="utf-8") == "x, A.1\ny, B.1\n"
    assert file.read_text(encoding="utf-8") == GATES
    [command] = [line for line in told.splitlines() if "membar check" in line]
    words = command.split("membar check ")[1].replace("'A.a3 and B.b3'", "A.a3_and_B.b3").split()
    words = [word.replace("_and_", " and ") for word in words]
    assert "--atomic" in words
    assert cli.main(["check", *words]) == cli.HOLDS


def test_writes_that_were_listed_before_stay_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, listed = written(tmp_path, "gates.dve", GATES), written(tmp_path, "atomic.txt", "x, A.1\n")
    run(capsys, file, *NOT_BOTH, "--atomic", listed, "--atomic-out", listed)
    assert listed.read_text(encoding="utf-8") == "x, A.1\ny, B.1\n"


@pytest.mark.parametrize("words", [("sb.litmus", ()), ("gates.dve", ("--weaken",))])
def test_where_nothing_becomes_atomic_there_is_no_list(
    words: tuple[str, tuple[str, ...]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, words[0], GATES if words[0].endswith("dve") else BUFFERING)
    code, _, told = run(capsys, file, *words[1], "--atomic-out", tmp_path / "out.txt")
    assert code == cli.BAD_INPUT
    assert "W0425" in told


def test_the_rule_that_a_repair_needs_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "gates.dve", GATES)
    _, told, _ = run(capsys, file, *NOT_BOTH, "--atomic-rule", "all", "--apply")
    assert f"applied: membar check {file} --model x86-tso" in told
    assert "--atomic-rule all" in told


# Costs and languages


MISSPELT = [
    ('[any]\n"mfence" = 3\n', "no change `mfence`; did you mean"),
    ('[any]\n"DMB ISHLDD" = 3\n', "did you mean `DMB ISHLD`?"),
    ('[x86_tso]\n"MFENCE" = 3\n', "no model `x86_tso`; did you mean `x86-tso`?"),
]


@pytest.mark.parametrize(
    ("text", "hint"),
    MISSPELT,
)
def test_a_misspelt_cost_is_refused(
    text: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = written(tmp_path, "costs.toml", text)
    code, _, told = run(capsys, EXAMPLES / "litmus/store-buffering.litmus", "--costs", table)
    assert code == cli.BAD_INPUT
    assert "W0420" in told
    assert hint in " ".join(told.split())


def test_our_own_table_is_a_table_that_users_can_give(capsys: pytest.CaptureFixture[str]) -> None:
    ours = Path(str(repair.__file__)).parent / "costs.toml"
    code, told, _ = run(capsys, EXAMPLES / "litmus/store-buffering.litmus", "--costs", ours)
    assert code == cli.HOLDS
    assert "cost 40" in told


def test_all_languages_that_can_be_repaired_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Cubicle" in run(capsys, EXAMPLES / "xcfa/message-passing.xcfa")[2]


GUARDS = [
    "requires (* guard { of enter *) {",
    "requires (* (* fence() *) } *) { (* fence() || *)",
    "requires\n {",
]


@pytest.mark.parametrize(
    "requires",
    GUARDS,
)
def test_comments_of_cubicle_hide_no_place(requires: str) -> None:
    text = (EXAMPLES / "cubicle/flags.cub").read_text(encoding="utf-8")
    before, after = text.split("transition enter")
    source = SourceFile("flags.cub", f"{before}transition enter{after.replace('requires {', requires, 1)}")
    places = systems.edit_sites(source)
    assert len(places) == 3
    changed = apply_choice(source, places, tuple(place.strongest for place in places))
    assert "fence() && PC[p] = Waiting && forall_other" in changed.text
    assert systems.parse_system(changed).transitions


# Any number of threads


@pytest.mark.parametrize("option", [("--ltl", "F x"), ("--engine", "states"), ("--greedy",)])
def test_other_questions_are_not_asked_of_any_number(
    option: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    file = EXAMPLES / "c/any-threads" / "naive-mutex-relaxed.c"
    code, _, told = run(capsys, file, "--threads", "any", *option)
    assert code == cli.BAD_INPUT
    assert "W0434" in told


@pytest.mark.full
def test_a_program_for_any_number_of_threads_gets_its_fence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("naive-mutex.c", "naive-mutex-relaxed.c"):
        shutil.copy(EXAMPLES / "c/any-threads" / name, tmp_path / name)
    file = tmp_path / "naive-mutex-relaxed.c"
    code, told, _ = run(capsys, file, "--threads", "any", "--apply")
    assert code == cli.HOLDS
    assert "HOLDS under x86-tso, any number of threads" in told
    assert f"applied: membar check {file} --threads any:N" in told
    assert (tmp_path / "naive-mutex.c.orig").exists()
    assert cli.main(["check", str(file), "--threads", "any"]) == cli.HOLDS
