"""Witnesses that somebody else has written: confirmed if an execution follows them, and never otherwise."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

import membar
import tiers
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.evidence.svcomp.automaton import NAMESPACE
from membar.questions.outcome import Unknown, Violated

# Needs main's read between the two writes of the writer.
BETWEEN = """\
extern void reach_error(void);
#include <pthread.h>
int shared, other;
static void *writer(void *unused) {
  shared = 1;
  shared = 2;
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  other = 7;
  int first = shared;
  int second = shared;
  if (!(first + second != 3)) reach_error();
  if (!(other == 7)) reach_error();
  return 0;
}
"""
RACE = """\
#include <pthread.h>
int shared, ready;
static void *worker(void *unused) {
  ready = 1;
  shared = 1;
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  int seen = shared;
  (void)(seen + ready);
  return 0;
}
"""
FREED = """\
#include <stdlib.h>
int main(void) {
  int *cell = malloc(sizeof *cell);
  *cell = 1;
  free(cell);
  return *cell;
}
"""
# Only weak memory: both read 0.
BUFFERED = """\
extern void reach_error(void);
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, r0, r1;
static void *other(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  r1 = atomic_load_explicit(&x, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  r0 = atomic_load_explicit(&y, memory_order_relaxed);
  pthread_join(thread, 0);
  if (!(r0 + r1 != 0)) reach_error();
  return 0;
}
"""
FORMATS = ["w.yml", "w.graphml"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


_WRITTEN: dict[tuple[str, str, str], bytes] = {}


def written(folder: Path, text: str, name: str, model: str) -> Path:
    """The witness that membar writes about a text, which it is asked for once."""
    (folder / "p.c").write_text(text, encoding="utf-8")
    witness = folder / name
    if (text, name, model) not in _WRITTEN:
        assert cli.main(["check", "p.c", "--model", model, "--witness", name]) == 1
        _WRITTEN[text, name, model] = witness.read_bytes()
    witness.write_bytes(_WRITTEN[text, name, model])
    return witness


def asked(folder: Path, witness: Path, model: str) -> Violated | Unknown:
    outcome = membar.check(folder / "p.c", confirm=witness, model=model).outcome
    assert isinstance(outcome, Violated | Unknown)
    return outcome


@pytest.mark.parametrize("name", tiers.every(3, FORMATS))
@pytest.mark.parametrize(
    ("text", "model", "property_"),
    [
        (BETWEEN, "sc", "assertions"),
        (BETWEEN, "x86-tso", "assertions"),
        (RACE, "rc11", "races"),
        (FREED, "rc11", "memory"),
        (BUFFERED, "rc11", "assertions"),
        (BUFFERED, "x86-tso", "assertions"),
        (BUFFERED, "armv8", "assertions"),
    ],
)
def test_our_own_witnesses_are_confirmed(
    folder: Path, text: str, model: str, property_: str, name: str
) -> None:
    outcome = asked(folder, written(folder, text, name, model), model)
    assert isinstance(outcome, Violated)
    assert outcome.property == property_
    assert outcome.witness is not None


def test_the_command_says_so_and_its_execution_replays(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, BETWEEN, "w.yml", "sc")
    capsys.readouterr()
    assert cli.main(["check", "p.c", "--model", "sc", "--confirm", "w.yml", "--json"]) == 1
    line = capsys.readouterr().out
    answer = json.loads(line)
    assert answer["verdict"] == "violated"
    assert answer["guarantee"] == "one execution, which follows the witness"
    (folder / "saved.json").write_text(line, encoding="utf-8")
    assert cli.main(["replay", "saved.json"]) == 0
    assert "VIOLATED (assertions)" in capsys.readouterr().out
    assert cli.main(["check", "p.c", "--model", "sc", "--confirm", "w.yml"]) == 1
    shown = capsys.readouterr().out
    assert "the witness w.yml is confirmed" in shown
    assert "replay: membar check p.c --model sc --confirm w.yml --json" in shown


def test_weak_memory_is_said_to_have_no_order(folder: Path) -> None:
    outcome = asked(folder, written(folder, BUFFERED, "w.yml", "rc11"), "rc11")
    assert "the order of different threads was not compared" in " ".join(outcome.run.notes)
    # Store buffers have an order of steps: there it counts.
    outcome = asked(folder, written(folder, BUFFERED, "w.yml", "x86-tso"), "x86-tso")
    assert "passes all of its waypoints in their order" in " ".join(outcome.run.notes)


def test_what_only_weak_memory_does_is_no_interleaving(folder: Path) -> None:
    witness = written(folder, BUFFERED, "w.yml", "rc11")
    assert isinstance(asked(folder, witness, "sc"), Unknown)
    entry = yaml.safe_load(witness.read_text(encoding="utf-8"))
    entry[0]["metadata"]["producer"].pop("description")
    witness.write_text(yaml.safe_dump(entry), encoding="utf-8")
    outcome = asked(folder, witness, "rc11")
    assert isinstance(outcome, Unknown)
    assert "executions that only weak memory explains were not searched" in outcome.reason


def points(entry: Any) -> list[dict[str, Any]]:
    return [item["waypoint"] for part in entry[0]["content"] for item in part["segment"]]


def set_line(number: int, line: int) -> Callable[[Any], None]:
    return lambda entry: points(entry)[number]["location"].update(line=line)


def swap(one: int, other: int) -> Callable[[Any], None]:
    def swapped(entry: Any) -> None:
        content = entry[0]["content"]
        content[one], content[other] = content[other], content[one]

    return swapped


def task(key: str, value: object) -> Callable[[Any], None]:
    return lambda entry: entry[0]["metadata"]["task"].update({key: value})


def assume(number: int, text: str) -> Callable[[Any], None]:
    return lambda entry: points(entry)[number]["constraint"].update(value=text)


def thread(number: int, name: int) -> Callable[[Any], None]:
    return lambda entry: points(entry)[number].update(thread_id=name)


# The witness of BETWEEN: created at 11; `shared` is 1 before 13, 2 before 14; the target is line 15.
@pytest.mark.parametrize(
    ("spoil", "reason"),
    tiers.rows(
        2,
        [
            (set_line(-1, 16), "main has no step at line 16"),
            (set_line(-1, 99), "main has no step at line 99"),
            (set_line(-1, 5), "main has no step at line 5"),
            (set_line(0, 12), "thread 1 was not created"),
            (set_line(1, 15), "no execution follows it"),
            (set_line(2, 5), "main has no step at line 5"),
            (thread(-1, 1), "writer has no step at line 15"),
            (thread(-1, 2), "thread 2 was not created"),
            (swap(1, 2), "no execution follows it"),
            (assume(1, "(shared == 2)"), "no execution follows it"),
            (assume(1, "(shared == -1)"), "no execution follows it"),
            (assume(1, "(other == 0)"), "no execution follows it"),
            (assume(1, "(nobody == 0)"), "`nobody` is not a scalar global variable"),
            (assume(1, "(shared == 1) && (other == 8)"), "no execution follows it"),
            (task("input_file_hashes", {"p.c": "0" * 64}), "another SHA-256"),
            (task("specification", "CHECK( init(main()), LTL(G valid-deref) )"), "no execution follows it"),
        ],
    ),
)
def test_a_spoilt_sequence_is_not_confirmed(folder: Path, spoil: Callable[[Any], None], reason: str) -> None:
    witness = written(folder, BETWEEN, "w.yml", "sc")
    entry = yaml.safe_load(witness.read_text(encoding="utf-8"))
    for point in points(entry):  # so that thread 1 is there to be named
        point.setdefault("thread_id", 0)
    if reason.startswith("thread 1 was"):
        points(entry)[1]["thread_id"] = 1
    spoil(entry)
    witness.write_text(yaml.safe_dump(entry), encoding="utf-8")
    outcome = asked(folder, witness, "sc")
    assert isinstance(outcome, Unknown)
    assert "is not confirmed" in outcome.reason
    assert reason in outcome.reason


def test_a_weaker_sequence_is_confirmed(folder: Path) -> None:
    witness = written(folder, BETWEEN, "w.yml", "sc")
    entry = yaml.safe_load(witness.read_text(encoding="utf-8"))
    del entry[0]["content"][:-1]  # only the target
    witness.write_text(yaml.safe_dump(entry), encoding="utf-8")
    assert isinstance(asked(folder, witness, "sc"), Violated)
    assume_more = entry[0]["content"]
    assume_more.insert(0, segment("assumption", 14, value="other == 7 && (shared == (2))"))
    witness.write_text(yaml.safe_dump(entry), encoding="utf-8")
    assert isinstance(asked(folder, witness, "sc"), Violated)


def segment(kind: str, line: int, *, value: str = "", action: str = "follow") -> Any:
    point: dict[str, Any] = {"type": kind, "action": action, "location": {"file_name": "p.c", "line": line}}
    if value:
        point["constraint"] = {"value": value, "format": "c_expression"}
    return {"segment": [{"waypoint": point}]}


def edges(root: ET.Element) -> list[dict[str, ET.Element]]:
    found = root.iter(f"{{{NAMESPACE}}}edge")
    return [{data.attrib["key"]: data for data in edge} for edge in found]


def put(number: int, key: str, value: str) -> Callable[[ET.Element], None]:
    def done(root: ET.Element) -> None:
        edges(root)[number][key].text = value

    return done


def exchange(one: str, other: str, key: str) -> Callable[[ET.Element], None]:
    """Two steps change places in the order: those of these lines of different threads."""

    def done(root: ET.Element) -> None:
        found = list(root.iter(f"{{{NAMESPACE}}}edge"))
        first, second = (
            next(e for e in found if any(d.attrib["key"] == key and d.text == line for d in e))
            for line in (one, other)
        )
        first[:], second[:] = list(second), list(first)

    return done


def graph_data(key: str, value: str) -> Callable[[ET.Element], None]:
    def done(root: ET.Element) -> None:
        next(d for d in root.iter(f"{{{NAMESPACE}}}data") if d.attrib["key"] == key).text = value

    return done


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (put(-1, "startline", "16"), "main has no step at line 16"),  # its offsets are elsewhere
        (put(-1, "threadId", "1"), "writer has no step at line 15"),
        (exchange("5", "6", "startline"), "no execution follows it"),
        (exchange("6", "13", "startline"), "no execution follows it"),
        (exchange("12", "13", "startline"), "no execution follows it"),
        (put(2, "enterFunction", "nobody"), "thread 1 begins with writer, not nobody"),
        (graph_data("programhash", "f" * 64), "another SHA-256"),
        (graph_data("specification", "CHECK( init(main()), LTL(G valid-free) )"), "no execution follows it"),
    ],
)
def test_a_spoilt_automaton_is_not_confirmed(
    folder: Path, spoil: Callable[[ET.Element], None], reason: str
) -> None:
    witness = written(folder, BETWEEN, "w.graphml", "sc")
    root = ET.fromstring(witness.read_text(encoding="utf-8"))
    spoil(root)
    witness.write_text(ET.tostring(root, encoding="unicode"), encoding="utf-8")
    outcome = asked(folder, witness, "sc")
    assert isinstance(outcome, Unknown)
    assert reason in outcome.reason


def test_a_race_is_between_the_two_targets(folder: Path) -> None:
    witness = written(folder, RACE, "w.yml", "rc11")
    text = witness.read_text(encoding="utf-8")
    assert isinstance(asked(folder, witness, "rc11"), Violated)
    witness.write_text(text.replace("line: 11", "line: 12"), encoding="utf-8")
    assert isinstance(asked(folder, witness, "rc11"), Unknown)
    # The other race of the program.
    witness.write_text(text.replace("line: 11", "line: 12").replace("line: 5", "line: 4"), encoding="utf-8")
    assert isinstance(asked(folder, witness, "rc11"), Violated)


def test_what_holds_is_never_confirmed(folder: Path) -> None:
    witness = written(folder, BETWEEN, "w.yml", "sc")
    right = BETWEEN.replace("first + second != 3", "first + second != 9")
    (folder / "p.c").write_text(right, encoding="utf-8")
    old = hashlib.sha256(BETWEEN.encode()).hexdigest()
    new = hashlib.sha256(right.encode()).hexdigest()
    witness.write_text(witness.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    outcome = asked(folder, witness, "sc")
    assert isinstance(outcome, Unknown)
    assert "no execution follows it to its target" in outcome.reason


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (lambda e: e.clear(), "W1447", "has 0 entries"),
        (lambda e: e.append(e[0]), "W1447", "has 2 entries"),
        (lambda e: e[0].pop("metadata"), "W1446", "`metadata` is missing"),
        (lambda e: e[0].pop("content"), "W1446", "`content` is missing"),
        (lambda e: e[0]["metadata"].update(format_version="3.0"), "W1447", "format 3.0"),
        (lambda e: e[0]["metadata"].update(uuid="me"), "W1446", "`uuid` is invalid"),
        (lambda e: e[0]["metadata"].pop("creation_time"), "W1446", "`creation_time`"),
        (lambda e: e[0]["metadata"]["producer"].pop("version"), "W1446", "`version`"),
        (lambda e: e[0]["metadata"]["task"].pop("input_files"), "W1446", "`input_files`"),
        (task("input_file_hashes", {"q.c": "0" * 64}), "W1446", "SHA-256 of some"),
        (task("input_file_hashes", {"p.c": "12"}), "W1446", "SHA-256 of some"),
        (task("data_model", "LLP64"), "W1446", "`data_model` is not ILP32 or LP64"),
        (task("language", "Java"), "W1446", "`language` is not C"),
        (task("specification", "CHECK( init(main()), LTL(F end) )"), "W1447", "are not supported"),
        (lambda e: e[0]["content"].pop(), "W1446", "the last segment has targets only"),
        (lambda e: e[0]["content"].insert(0, e[0]["content"][-1]), "W1446", "and no target"),
        (lambda e: e[0]["content"].insert(0, {"segment": []}), "W1446", "each with waypoints"),
        (lambda e: e[0]["content"].insert(0, segment("walk", 3)), "W1446", "no waypoint has the type `walk`"),
        (
            lambda e: e[0]["content"].insert(0, segment("target", 3, value="x")),
            "W1446",
            "`constraint` belongs",
        ),
        (lambda e: e[0]["content"].insert(0, segment("branching", 3, value="true")), "W1447", "`branching`"),
        (
            lambda e: e[0]["content"].insert(0, segment("function_enter", 3, action="avoid")),
            "W1447",
            "`avoid` and `function_enter` is not supported",
        ),
        (assume(1, "shared > 0"), "W1447", "the assumption `shared > 0` is not supported"),
        (assume(1, "shared == 1 || other == 2"), "W1447", "is not supported"),
        (set_line(0, 0), "W1446", "`line`"),
        (
            lambda e: points(e)[0]["location"].update(file_name="q.c"),
            "W1447",
            "steps in another file (`q.c`)",
        ),
        (thread(0, -1), "W1446", "`thread_id` is not a number"),
    ],
)
def test_a_sequence_that_is_none_is_refused(
    folder: Path, change: Callable[[Any], object], code: str, message: str
) -> None:
    witness = written(folder, BETWEEN, "w.yml", "sc")
    entry = yaml.safe_load(witness.read_text(encoding="utf-8"))
    change(entry)
    witness.write_text(yaml.safe_dump(entry), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        membar.check(folder / "p.c", confirm=witness, model="sc")
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in found.message


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("<graph ", "<grap ", "W1446", "mismatched tag"),
        ("<?xml", "<!DOCTYPE x [<!ENTITY a 'a'>]><?xml", "W1446", "document type"),
        ('"directed"', '"undirected"', "W1446", "not `directed`"),
        ('<data key="producer">', '<data key="sourcecodelang">', "W1446", "`sourcecodelang` occurs twice"),
        ('<data key="producer">', '<data key="nothing">', "W1446", "has no `producer`"),
        ("violation_witness", "correctness_witness", "W1447", "is a correctness_witness"),
        ('<data key="entry">true', '<data key="entry">false', "W1446", "0 entry nodes"),
        ('<data key="violation">true', '<data key="violation">false', "W1446", "no path leads"),
        ('target="N2"', 'target="N99"', "W1446", "node `N99` that does not exist"),
        ('source="N1"', 'source="N0"', "W1447", "branching or cyclic paths"),
        ('<data key="startline">12', '<data key="startline">zwölf', "W1446", "not a number"),
        ("other == 7;", "other &lt; 7;", "W1447", "`other < 7` is not supported"),
        ('<data key="endline">12', '<data key="originfile">q.c', "W1447", "steps in another file (`q.c`)"),
        ('<data key="endline">12', '<data key="assumption.scope">main', "W1447", "`assumption.scope` is not"),
        ('<data key="enterFunction">writer', '<data key="returnFromFunction">writer', "W1447", "returnFrom"),
    ],
)
def test_an_automaton_that_is_none_is_refused(
    folder: Path, old: str, new: str, code: str, message: str
) -> None:
    witness = written(folder, BETWEEN, "w.graphml", "sc")
    text = witness.read_text(encoding="utf-8")
    assert old in text
    witness.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        membar.check(folder / "p.c", confirm=witness, model="sc")
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in found.message


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"", "w.yml", "W1446"),
        (b"", "w.graphml", "W1446"),
        (b"\x00\xff\xfe", "w.yml", "W1446"),
        (b"just text", "w.yml", "W1446"),
        (b"- [", "w.yml", "W1446"),
        (b"- 2001-99-99\n", "w.yml", "W1446"),
        (b"- {a: &a [*a]}", "w.yml", "W1447"),
        (b"[" * 2000, "w.yml", None),
        (b"<a>" * 5000, "w.graphml", "W1446"),
        (b"<graphml/>", "w.graphml", "W1446"),
        (b"{}", "w.json", "W1442"),
    ],
)
def test_what_is_no_witness_gets_an_error(
    folder: Path, content: bytes, name: str, code: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.c").write_text(BETWEEN, encoding="utf-8")
    (folder / name).write_bytes(content)
    assert cli.main(["check", "p.c", "--confirm", name]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"error[{code or 'W'}" in captured.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["p.c", "p.c", "--confirm", "w.yml"], "W1448"),
        (["p.c", "--confirm", "w.yml", "--property", "races"], "W1448"),
        (["p.c", "--confirm", "w.yml", "--threads", "any"], "W1448"),
        (["p.c", "--confirm", "w.yml", "--engine", "states"], "W1448"),
        (["p.c", "--confirm", "none.yml"], "W0404"),
        (["t.litmus", "--confirm", "w.yml"], "W1443"),
    ],
)
def test_another_question_is_refused(
    folder: Path, words: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written(folder, FREED, "w.yml", "rc11")
    (folder / "t.litmus").write_text(
        "X86 t\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n", encoding="utf-8"
    )
    capsys.readouterr()
    assert cli.main(["check", *words]) == 2
    captured = capsys.readouterr()
    assert f"error[{code}]" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("name", FORMATS)
def test_mutated_witnesses_get_an_answer_or_an_error(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    witness = written(folder, FREED, name, "rc11")
    text = witness.read_text(encoding="utf-8")
    dice = random.Random(9)
    codes = []
    for _ in range(120):
        start = dice.randrange(len(text))
        piece = dice.choice(["", text[start : start + 9], "<", ": ", "- ", "0", "\x01", "&a", "ä"])
        witness.write_text(text[:start] + piece + text[start + dice.randrange(9) :], encoding="utf-8")
        codes.append(cli.main(["check", "p.c", "--confirm", name]))
        err = capsys.readouterr().err
        assert (codes[-1] == 2) == err.startswith("error[W")
    assert set(codes) <= {1, 2, 3}
    assert codes.count(2) > 20
