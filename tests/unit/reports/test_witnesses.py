"""Witnesses for SV-COMP: well formed, with what the formats demand, and through the right lines."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
import yaml

from membar.cli import command as cli
from membar.evidence.svcomp.automaton import NAMESPACE

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
GRAPHML = f"{{{NAMESPACE}}}"

TWO = """\
extern void reach_error(void);
#include <pthread.h>
int shared, flag;
static void *writer(void *unused) {
  flag = 1;
  shared = -1;
  return 0;
}
static void *idle(void *unused) { return unused; }
int main(void) {
  pthread_t one, two;
  shared = 0;
  pthread_create(&two, 0, idle, 0);
  pthread_create(&one, 0, writer, 0);
  flag = 2;
  int seen = shared;
  if (!(seen == 0)) reach_error();
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
  return seen - seen;
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
TWICE = FREED.replace("return *cell;", "free(cell);\n  return 0;")
UNSET = "int main(void) { int x; return x; }\n"
STUCK = """\
#include <pthread.h>
pthread_mutex_t one;
int main(void) {
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&one);
  return 0;
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, text: str, name: str, *words: str) -> str:
    (folder / "p.c").write_text(text, encoding="utf-8")
    assert cli.main(["check", "p.c", "--witness", name, *words]) == 1
    return (folder / name).read_text(encoding="utf-8")


def data_of(element: ET.Element) -> dict[str, str]:
    return {item.attrib["key"]: item.text or "" for item in element.findall(f"{GRAPHML}data")}


def automaton(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The data of the graph and of its edges; checks what holds of every witness."""
    root = ET.fromstring(text)
    keys = {(key.attrib["id"], key.attrib["for"]) for key in root.findall(f"{GRAPHML}key")}
    (graph,) = root.findall(f"{GRAPHML}graph")
    assert graph.attrib["edgedefault"] == "directed"
    nodes = {node.attrib["id"]: data_of(node) for node in graph.findall(f"{GRAPHML}node")}
    edges = graph.findall(f"{GRAPHML}edge")
    assert [name for name, data in nodes.items() if "entry" in data] == [edges[0].attrib["source"]]
    assert [name for name, data in nodes.items() if "violation" in data] == [edges[-1].attrib["target"]]
    for before, after in pairwise(edges):
        assert before.attrib["target"] == after.attrib["source"]
    used = {(key, "graph") for key in data_of(graph)}
    used |= {(key, "node") for data in nodes.values() for key in data}
    used |= {(key, "edge") for edge in edges for key in data_of(edge)}
    assert used <= keys
    created: set[str] = set()
    for data in map(data_of, edges):
        created |= {data["createThread"]} & set(data.values()) if "createThread" in data else set()
        assert data["threadId"] in created
    return data_of(graph), [data_of(edge) for edge in edges]


def sequence(text: str) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """The metadata and the segments; checks what holds of every witness."""
    (entry,) = yaml.safe_load(text)
    assert set(entry) == {"entry_type", "metadata", "content"}
    assert entry["entry_type"] == "violation_sequence"
    metadata = entry["metadata"]
    assert set(metadata) == {"format_version", "uuid", "creation_time", "producer", "task"}
    assert metadata["format_version"] == "2.2"
    UUID(metadata["uuid"])
    datetime.fromisoformat(metadata["creation_time"])
    assert set(metadata["producer"]) >= {"name", "version"}
    segments = [[item["waypoint"] for item in part["segment"]] for part in entry["content"]]
    threads = 1
    for segment in segments:
        for point in segment:
            assert point["action"] == "follow"
            assert 0 <= point["thread_id"] < threads
            assert point["location"]["file_name"] == "p.c"
            assert ("constraint" in point) == (point["type"] == "assumption")
        threads += sum(point["type"] == "function_enter" for point in segment)
        is_last = segment is segments[-1]
        assert all((point["type"] == "target") == is_last for point in segment)
    return metadata, segments


def places(points: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(point["thread_id"], point["location"]["line"]) for point in points]


def test_a_graph_says_what_it_belongs_to(folder: Path) -> None:
    data, _ = automaton(written(folder, TWO, "w.graphml", "--model", "sc"))
    time = datetime.fromisoformat(data.pop("creationtime"))
    assert time.tzinfo is not None
    assert data == {
        "witness-type": "violation_witness",
        "sourcecodelang": "C",
        "producer": "membar 0.2.0",
        "specification": "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "programfile": "p.c",
        "programhash": hashlib.sha256(TWO.encode()).hexdigest(),
        "architecture": "64bit",
        "membar.model": "sc",
    }


def test_a_graph_goes_through_the_lines_of_the_threads(folder: Path) -> None:
    _, edges = automaton(written(folder, TWO, "w.graphml", "--model", "sc"))
    told = [
        (e["threadId"], int(e.get("startline", 0)), e.get("createThread"), e.get("assumption")) for e in edges
    ]
    assert told[:2] == [("0", 0, "0", None), ("0", 12, None, "shared == 0;")]
    # The thread that does nothing is not created in the witness; the other one, before main goes on.
    create = told.index(("0", 14, "2", None))
    assert told[create + 1] == ("2", 0, None, None)
    assert edges[create + 1]["enterFunction"] == "writer"
    assert create < told.index(("0", 15, None, "flag == 2;"))
    assert told.index(("2", 6, None, "shared == (-1);")) < told.index(("0", 16, None, None))
    assert told[-1] == ("0", 17, None, None)
    last = edges[-1]
    assert TWO[int(last["startoffset"]) :].startswith("reach_error")


def test_waypoints_are_creations_values_from_others_and_the_target(folder: Path) -> None:
    metadata, segments = sequence(written(folder, TWO, "w.yml", "--model", "sc"))
    assert metadata["task"] == {
        "input_files": ["p.c"],
        "input_file_hashes": {"p.c": hashlib.sha256(TWO.encode()).hexdigest()},
        "specification": "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "data_model": "LP64",
        "language": "C",
    }
    assert [[point["type"] for point in segment] for segment in segments] == [
        ["function_enter"],
        ["assumption"],
        ["target"],
    ]
    assert [places(segment) for segment in segments] == [[(0, 14)], [(0, 16)], [(0, 17)]]
    assert segments[1][0]["constraint"] == {"value": "(shared == -1)", "format": "c_expression"}


def test_a_race_has_two_targets(folder: Path) -> None:
    metadata, segments = sequence(written(folder, RACE, "w.yaml"))
    assert metadata["task"]["specification"] == "CHECK( init(main()), LTL(G ! data-race) )"
    assert sorted(places(segments[-1])) == [(0, 11), (1, 5)]
    data, edges = automaton(written(folder, RACE, "w.graphml"))
    assert data["specification"] == metadata["task"]["specification"]
    lines = [int(edge["startline"]) for edge in edges if "startline" in edge]
    assert lines == [10, 4, 11, 5]


@pytest.mark.parametrize(("text", "word", "line"), [(FREED, "valid-deref", 6), (TWICE, "valid-free", 6)])
def test_memory_errors_are_those_of_sv_comp(folder: Path, text: str, word: str, line: int) -> None:
    metadata, segments = sequence(written(folder, text, "w.yml"))
    assert metadata["task"]["specification"] == f"CHECK( init(main()), LTL(G {word}) )"
    assert places(segments[-1]) == [(0, line)]


def test_values_that_only_weak_memory_explains_are_not_assumed(folder: Path) -> None:
    text = (EXAMPLES / "c/publication.c").read_text(encoding="utf-8")
    text = text.replace("#include <assert.h>", "void reach_error(void);")
    text = text.replace("assert(found->", "if (!(found->")
    text = text.replace("body == 42);", "body == 42)) reach_error();")
    assert (folder / "p.c").write_text(text, encoding="utf-8")
    assert cli.main(["check", "p.c", "-D", "PUBLISH=memory_order_relaxed", "--witness", "w.graphml"]) == 1
    _, edges = automaton((folder / "w.graphml").read_text(encoding="utf-8"))
    assert not any("assumption" in edge for edge in edges)
    assert cli.main(["check", "p.c", "-D", "PUBLISH=memory_order_relaxed", "--witness", "w.yml"]) == 1
    _, segments = sequence((folder / "w.yml").read_text(encoding="utf-8"))
    assert "reach_error(" in text.splitlines()[segments[-1][0]["location"]["line"] - 1]
    assert segments[-1][0]["thread_id"] == 2


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["p.c", "p.c", "--witness", "w.yml"], "W1441", "about one run of one program, not 2 files"),
        (["p.c", "--threads", "any", "--witness", "w.yml"], "W1441", "not any number of threads"),
        (["p.c", "--client", "2,1", "--witness", "w.yml"], "W1441", "not clients of an object"),
        (["p.c", "--witness", "w.json"], "W1442", "does not name a witness format"),
        ([str(EXAMPLES / "cubicle/flags.cub"), "--witness", "w.yml"], "W1443", "for C programs"),
        (
            [str(EXAMPLES / "litmus/store-buffering.litmus"), "--witness", "w.yml"],
            "W1443",
            "for C programs",
        ),
        (["p.c", "--witness", "none/w.yml"], "W0404", "No such file or directory"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_search(
    folder: Path, words: list[str], code: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.c").write_text(RACE, encoding="utf-8")
    assert cli.main(["check", *words]) == 2
    captured = capsys.readouterr()
    assert f"error[{code}]: " in captured.err
    assert message in captured.err
    assert captured.out == ""
    assert [path.name for path in folder.iterdir()] == ["p.c"]


@pytest.mark.parametrize("text", [UNSET, STUCK])
def test_a_violation_without_words_is_refused_after_it_was_shown(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.c").write_text(text, encoding="utf-8")
    assert cli.main(["check", "p.c", "--witness", "w.yml"]) == 2
    captured = capsys.readouterr()
    assert "p.c: VIOLATED" in captured.out
    assert "error[W1444]: no witness for SV-COMP: it has no property for this violation" in captured.err
    assert not (folder / "w.yml").exists()


def test_a_violation_in_another_file_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "r.h").write_text(RACE, encoding="utf-8")
    (folder / "p.c").write_text('#include "r.h"\n', encoding="utf-8")
    assert cli.main(["check", "p.c", "--witness", "w.graphml"]) == 2
    assert re.search(r"W1444.*the violation is in `.*r\.h`", capsys.readouterr().err)


def test_what_holds_has_no_witness(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    assert cli.main(["check", "p.c", "--witness", "w.yml"]) == 0
    assert "no witness written" in capsys.readouterr().err
    assert not (folder / "w.yml").exists()


def test_strings_survive_yaml() -> None:
    from membar.reports.svcomp_yaml import _yaml

    value = {"a b": ['x: "y" # ä\\\n', 1, True, {"k": "- no"}], "e": {"f": "null"}}
    assert yaml.safe_load("\n".join(_yaml([value], 0))) == [value]
