"""The rules for witnesses find what is wrong: each of them, in a witness that is otherwise right."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.cli import command as cli
from strategies.witness_rules import graphml_faults, yaml_faults

PROGRAM = """\
#include <pthread.h>
int shared, ready;
static void *worker(void *unused) {
  ready = 1;
  shared = 1;
  return 0;
}
int main(void) {
  pthread_t thread;
  ready = 2;
  pthread_create(&thread, 0, worker, 0);
  int seen = shared;
  return seen - seen;
}
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The program, and its witnesses."""
    folder = tmp_path_factory.mktemp("witness")
    program = folder / "p.c"
    program.write_text(PROGRAM, encoding="utf-8")
    for name in ("w.graphml", "w.yml"):
        assert cli.main(["check", str(program), "--witness", str(folder / name)]) == 1
    return program, (folder / "w.graphml").read_text("utf-8"), (folder / "w.yml").read_text("utf-8")


def test_what_is_written_has_no_faults(written: tuple[Path, str, str]) -> None:
    program, graph, sequence = written
    assert graphml_faults(graph, program) == []
    assert yaml_faults(sequence, program) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("xmlns:xsi", "xmlns:abc", "xsi"),
        ('attr.type="boolean"', 'attr.type="string"', "is not ('node', 'boolean')"),
        ('<key id="sourcecodelang" ', '<key id="producer" ', "twice"),
        (' attr.name="producer"', "", "incomplete"),
        ('"directed"', '"undirected"', "not directed"),
        ('<data key="producer">', '<data key="producers">', "data producers"),
        (">64bit<", "><", "is empty"),
        (">64bit<", ">48bit<", "architecture is 48bit"),
        (">violation_witness<", ">witness<", "witness-type"),
        ('<data key="creationtime">20', '<data key="creationtime">', "creationtime"),
        ("data-race", "race", "specification"),
        ('key="programhash">', 'key="programhash">0', "programhash"),
        ('<data key="entry">true', '<data key="entry">false', "entry"),
        ('<data key="violation">true', '<data key="violation">false', "no violation"),
        ('target="N1"', 'target="N77"', "an edge from N0 to N77"),
        ('target="N2"', 'target="N1"', "an edge from N1 to N1"),
        ('<data key="startline">12', '<data key="startline">99', "nowhere"),
        ('<data key="startoffset">', '<data key="startoffset">9999', "nowhere"),
        ('<data key="startline">12', '<data key="startline">11', "not in the line"),
        ('<data key="threadId">1', '<data key="threadId">7', "thread 7 does not exist"),
        ('<data key="createThread">1', '<data key="createThread">0', "created twice"),
        ('<data key="enterFunction">worker', '<data key="endline">9', "nobody knows the function"),
        ("ready == 2;", "ready = 2;", "assumes ready = 2"),
    ],
)
def test_a_fault_of_an_automaton_is_found(
    written: tuple[Path, str, str], old: str, new: str, fault: str
) -> None:
    program, graph, _ = written
    assert old in graph
    if old.startswith("xmlns"):
        spoilt = graph.replace("xsi:", "abc:").replace(":xsi", ":abc")
    else:
        spoilt = graph.replace(old, new, 1)
    assert fault in " / ".join(graphml_faults(spoilt, program))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('format_version: "2.2"', 'format_version: "1.0"', "1.0"),
        ('    uuid: "', '    id: "', "uuid"),
        ("+00:00", "", "no offset"),
        ('      version: "', '      edition: "', "edition"),
        ('"LP64"', '"LLP64"', "LLP64"),
        ("language:", "languages:", "language"),
        ("data-race", "race", "specification"),
        ('"function_enter"', '"function_enters"', "function_enters"),
        ('"function_enter"', '"assumption"', "constraint"),
        ('"function_enter"', '"target"', "has a target"),
        ('"target"', '"function_enter"', "has a function_enter"),
        ('"follow"', '"avoid"', "follows 0"),
        ("thread_id: 1", "thread_id: 2", "thread 2 does not exist"),
        ("thread_id: 1", "thread_id: 0", "a race of one thread"),
        ("line: 12", "line: 99", "line 99"),
        ('file_name: "p.c"', 'file_name: "q.c"', "another file"),
        ('file_name: "p.c"', 'file: "p.c"', "file_name"),
    ],
)
def test_a_fault_of_a_sequence_is_found(
    written: tuple[Path, str, str], old: str, new: str, fault: str
) -> None:
    program, _, sequence = written
    assert old in sequence
    assert fault in " / ".join(yaml_faults(sequence.replace(old, new, 1), program))


def test_another_program_is_noticed(written: tuple[Path, str, str], tmp_path: Path) -> None:
    _, graph, sequence = written
    other = tmp_path / "p.c"
    other.write_text(PROGRAM + "\n", encoding="utf-8")
    assert any("programhash" in fault for fault in graphml_faults(graph, other))
    assert "the hashes are not those of the files" in yaml_faults(sequence, other)
