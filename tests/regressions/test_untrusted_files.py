"""Tries to break each promise of SECURITY.md."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.cli.command import UNKNOWN
from membar.diagnostics import InputError
from membar.models import plan_cache

_LITMUS = """\
X86 sb
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
~exists (0:EAX=0 /\\ 1:EAX=0)
"""
_OBJECT = """\
// membar: object evil.py:Register
// membar: operation get()
int get(void) { return 0; }
int main(void) { return 0; }
"""
_EVIL = """\
import pathlib
pathlib.Path(__file__).with_name("ran").touch()
class Register:
    def __init__(self):
        self.value = 0
    def get(self):
        return self.value
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a stranger's files, beside one that is no business of theirs."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key").write_text("hunter2 = { swordfish }\n")
    return folder


# Code


def test_python_that_a_c_file_names_is_not_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "evil.py").write_text(_EVIL)
    (project / "evil.c").write_text(_OBJECT)
    for words in (["check"], ["repair"], ["check", "--engine", "objects"]):
        assert cli.main([words[0], str(project / "evil.c"), *words[1:], "--client", "2,1"]) == 2
        assert "error[W1358]" in capsys.readouterr().err
    with pytest.raises(InputError, match="Python code"):
        membar.check(project / "evil.c", client=(1, 1))
    assert not (project / "ran").exists()


@pytest.mark.parametrize("options", [["--allow-python-spec"], ["--spec", "PROJECT/evil.py:Register"]])
def test_python_that_the_user_allows_is_run_and_found_beside_the_file(
    project: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "evil.py").write_text(_EVIL)
    (project / "evil.c").write_text(_OBJECT)
    monkeypatch.chdir("/")
    words = [option.replace("PROJECT", str(project)) for option in options]
    assert cli.main(["check", str(project / "evil.c"), "--client", "1,1", *words]) in (0, 4)
    assert (project / "ran").exists()


def test_a_shipped_specification_needs_no_agreement(project: Path) -> None:
    (project / "right.c").write_text(
        _OBJECT.replace("evil.py:Register", "Counter").replace("get()", "read()").replace("get(", "read(")
    )
    assert cli.main(["check", str(project / "right.c"), "--client", "1,1"]) in (0, 4)


class _Trap:
    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return (open, (str(_Trap.place), "w"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["sc", "../project/sc", "PROJECT/sc", "PROJECT/__pycache__/sc"])
def test_a_pickle_beside_the_users_files_is_not_loaded(
    project: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _Trap.place = project / "ran"  # type: ignore[attr-defined]
    monkeypatch.chdir(project)
    (project / "__pycache__").mkdir()
    for folder in (project, project / "__pycache__"):
        for shipped in Path(plan_cache.FOLDER).glob("__pycache__/*.model"):
            (folder / shipped.name).write_bytes(pickle.dumps(_Trap()))
        (folder / "sc.cat").write_text("acyclic po | rf | co | fr as sc\n")
    (project / "t.litmus").write_text(_LITMUS)
    wanted = name.replace("PROJECT", str(project))
    membar.check(project / "t.litmus", model=f"{wanted}.cat" if "/" in wanted else wanted)
    assert plan_cache.read(wanted, "words") is None
    assert not (project / "ran").exists()


# Text


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.c", '#include "NAME"\nint main(void) { return 0; }\n'),
        ("a.c", 'int x =\n#include "NAME"\n;\nint main(void) { return 0; }\n'),
        ("a.c", '#define f(x) x\n#include "NAME"\nint main(void) { return f(1); }\n'),
        ("a.pml", '#include "NAME"\nactive proctype p() { skip }\n'),
        ("a.cat", 'include "NAME"\nacyclic po\n'),
        ("a.cfg", "model NAME\n"),
        ("a.cfg", "model a.cat\nbell NAME\n"),
    ],
)
@pytest.mark.parametrize("way", ["relative", "absolute", "linked"])
def test_no_message_shows_a_file_outside_the_project(
    project: Path, file: str, text: str, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key = project.parent / "private" / "key"
    if way == "linked":
        (project / "link").symlink_to(key)
    name = {"relative": "../private/key", "absolute": str(key), "linked": "link"}[way]
    (project / "a.cat").write_text("acyclic po\n")
    (project / file).write_text(text.replace("NAME", name))
    (project / "t.litmus").write_text(_LITMUS)
    words = ["check", str(project / file)]
    if file.endswith((".cat", ".cfg")):
        words = ["check", str(project / "t.litmus"), "--model", str(project / file)]
    log = project / "log.sarif"
    assert cli.main([*words, "--sarif", str(log)]) == 2
    captured = capsys.readouterr()
    for shown in (captured.out, captured.err, log.read_text()):
        assert "hunter2" not in shown
        assert "swordfish" not in shown
    assert "key" in captured.err or "link" in captured.err


_INCLUDED = {
    "a.c": (
        "#include <assert.h>\n#include <stdatomic.h>\natomic_int x;\n"
        "int main(void) { atomic_store(&x, 1); assert(4711 * atomic_load(&x) == 0); return 0; }\n"
    ),
    "a.pml": "byte x; active proctype p() { x = 1; assert(4711 * x == 0) }\n"
    "active proctype q() { x = 4711 - 4710 }\n",
}


@pytest.mark.parametrize("file", _INCLUDED)
def test_no_report_shows_a_file_outside_the_project(
    project: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.parent / "private" / file).write_text(_INCLUDED[file])
    (project / file).write_text(f'#include "../private/{file}"\n')
    check = ["check", str(project / file), "--model", "sc", "--property", "assertions"]
    log = project / "log.sarif"
    for more in ([], ["--json"], ["--sarif", str(log)], ["--svg", str(project)]):
        assert cli.main([*check, *more]) == 1, more
        captured = capsys.readouterr()
        assert "4711" not in captured.out + captured.err, more
    drawn = [path for path in project.iterdir() if path.suffix in (".sarif", ".svg")]
    assert len(drawn) > 1
    assert not [path.name for path in drawn if "4711" in path.read_text()]


@pytest.mark.parametrize("file", _INCLUDED)
def test_a_witness_replays_where_the_files_it_includes_are_not_shown(
    project: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "part").mkdir()
    (project / "part" / file).write_text(_INCLUDED[file])
    (project / file).write_text(f'#include "part/{file}"\n')
    check = ["check", str(project / file), "--model", "sc", "--property", "assertions", "--json"]
    assert cli.main(check) == 1
    saved = capsys.readouterr().out
    assert "4711" in saved
    witness = project.parent / "private" / "w.json"
    witness.write_text(saved)
    assert cli.main(["replay", str(witness)]) == 0
    assert "4711" not in capsys.readouterr().out
    forged = json.loads(saved)
    forged["witness"]["message"] = "something else"
    witness.write_text(json.dumps(forged))
    assert cli.main(["replay", str(witness)]) == 1


def test_files_of_the_project_and_of_named_folders_are_shown(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "part").mkdir()
    (project / "part" / "a.h").write_text("wrong one here\n")
    (project / "a.c").write_text('#include "part/a.h"\nint main(void) { return 0; }\n')
    assert cli.main(["check", str(project / "a.c")]) == 2
    assert "1 | wrong one here" in capsys.readouterr().err
    (project / "a.c").write_text('#include "../private/key"\nint main(void) { return 0; }\n')
    assert cli.main(["check", str(project / "a.c"), "-I", str(project.parent / "private")]) == 2
    assert "hunter2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("link", "others"),
    [
        ("m.claims", {"m.cat": "acyclic po as a\n"}),
        ("m.bell", {"m.cat": "acyclic po as a\n"}),
        ("m.def", {"m.cat": "acyclic po as a\n", "m.bell": ""}),
        ("m.claims", {"m.cat": "acyclic po as a\n", "c.cfg": "model m.cat\n"}),
    ],
)
def test_companions_of_a_model_that_lead_out_of_the_project_are_not_shown(
    project: Path, link: str, others: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    secret = project.parent / "private" / "key"
    secret.write_text("hunter2 __load{swordfish}\n")
    for name, text in others.items():
        (project / name).write_text(text)
    (project / link).symlink_to(secret)
    (project / "t.litmus").write_text(_LITMUS)
    model = "c.cfg" if "c.cfg" in others else "m.cat"
    words = ["check", str(project / "t.litmus"), "--model", str(project / model)]
    assert cli.main(words) == 2
    shown = capsys.readouterr().err
    assert "hunter2" not in shown
    assert "swordfish" not in shown
    assert f"{link}:1; the file is outside the project" in shown
    assert cli.main([*words, "-I", str(secret.parent)]) == 2
    assert "hunter2" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_links_found_in_a_folder_are_not_shown_and_named_ones_are(
    project: Path, jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    link = project / "below" / "l.litmus"
    link.parent.mkdir()
    link.symlink_to(project.parent / "private" / "key")
    (project / "t.litmus").write_text(_LITMUS)
    (project / "same.litmus").symlink_to(project / "t.litmus")
    log = project / "log.sarif"
    assert cli.main(["litmus", str(project), "--jobs", jobs, "--sarif", str(log)]) == UNKNOWN
    captured = capsys.readouterr()
    for shown in (captured.out, captured.err, log.read_text()):
        assert "hunter2" not in shown
    assert f"`{link}` cannot be checked; it is a link out of the folder" in captured.err
    assert captured.out.count("VIOLATED  ") >= 2
    for words in (["litmus", str(link)], ["litmus", str(project), str(link)], ["check", str(link)]):
        assert cli.main(words) in (2, UNKNOWN)
        assert "hunter2" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["file", "include_dirs", "model", "model_file", "model without a text"])
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_witness_does_not_choose_its_project(
    project: Path,
    way: str,
    is_stream: bool,  # noqa: FBT001 - a case
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (project / "a.c").write_text("#include <assert.h>\nint main(void) { assert(0); }\n")
    assert cli.main(["check", str(project / "a.c"), "--json"]) == 1
    saved = json.loads(capsys.readouterr().out)
    witness, key = saved["witness"], project.parent / "private" / "key"
    if way == "file":
        witness["source"] = f'#include "{key}"\n' + witness["source"]
        witness["file"] = saved["file"] = str(key.with_name("x.c"))
    elif way == "include_dirs":
        witness["source"] = "#include <key>\n" + witness["source"]
        witness["include_dirs"] = [str(key.parent)]
    elif way == "model without a text":
        witness["model"] = saved["model"] = str(key)
        del witness["model_file"], witness["model_source"]
    else:
        name = str(key) if way == "model" else "key"
        witness["model"] = saved["model"] = "mine"
        witness["model_file"] = str(key.with_name("mine.cat"))
        witness["model_source"] = f'include "{name}"\nacyclic po\n'
    (project / "w.json").write_text(json.dumps(saved))
    monkeypatch.setattr("membar.reports.streams.read_input", lambda: json.dumps(saved))
    assert cli.main(["replay", "-" if is_stream else str(project / "w.json")]) == 2
    captured = capsys.readouterr()
    assert "hunter2" not in captured.out + captured.err
    assert "swordfish" not in captured.out + captured.err
    assert ("a shipped model" if way == "model without a text" else "key") in captured.err


def test_files_beside_a_witness_are_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.c").write_text("#include <assert.h>\nint main(void) { assert(0); }\n")
    assert cli.main(["check", str(project / "a.c"), "--json"]) == 1
    saved = json.loads(capsys.readouterr().out)
    (project / "a.h").write_text("wrong one here\n")
    saved["witness"]["source"] = '#include "a.h"\n' + saved["witness"]["source"]
    (project / "w.json").write_text(json.dumps(saved))
    assert cli.main(["replay", str(project / "w.json")]) == 2
    assert "1 | wrong one here" in capsys.readouterr().err


# Data


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"witness": ' * 50_000,
        '{"version": ' + "9" * 100_000 + "}",
        '{"format": "membar-witness", "version": 1, "file": "\\u0000", "source": ""}',
        "NaN",
        '{"witness": {"format": "membar-run", "version": 1e400}}',
    ],
    ids=["deep", "deep objects", "huge number", "null character", "not a number", "infinite"],
)
@pytest.mark.parametrize("command", ["replay", "litmus"])
def test_json_of_any_shape_is_an_error(
    project: Path, text: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "t.litmus").write_text(_LITMUS)
    (project / "w.json").write_text(text)
    file = str(project / "w.json")
    words = (
        ["replay", file] if command == "replay" else ["litmus", str(project / "t.litmus"), "--expect", file]
    )
    assert cli.main(words) == 2
    assert "error[W04" in capsys.readouterr().err


_BOMB = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><graphml>&b;</graphml>'
_FILE = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>'
_ALIASES = "- &a [x, x]\n" + "".join(
    f"- &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(24)
)
_ENTRY = "- entry_type: violation_sequence\n  metadata: &a\n    uuid: [*a, *a]\n    format_version: *a\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("w.graphml", _BOMB),
        ("w.graphml", _FILE),
        ("w.graphml", _BOMB.replace("<!DOCTYPE", "<!doctype")),
        ("w.yml", _ALIASES),
        ("w.yml", _ENTRY),
        ("w.yml", "- !!python/object/apply:os.system [touch ran]\n"),
        ("w.yml", "- !!python/name:os.system\n"),
    ],
)
def test_witnesses_of_others_do_not_grow_and_run_nothing(
    project: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    (project / "a.c").write_text("#include <assert.h>\nint main(void) { assert(0); }\n")
    (project / name).write_text(text)
    assert cli.main(["check", "a.c", "--confirm", name]) == 2
    assert "error[W144" in capsys.readouterr().err
    assert not (project / "ran").exists()


def test_control_characters_of_a_file_do_not_reach_the_terminal(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "t.litmus").write_text(_LITMUS.replace("MOV [x]", "M\x1b]0;title\x07 [x]"))
    assert cli.main(["check", str(project / "t.litmus")]) == 2
    assert "\x1b" not in capsys.readouterr().err
    (project / "t.litmus").write_text(_LITMUS.replace("X86 sb", "X86 sb\x1b[2J"))
    cli.main(["check", str(project / "t.litmus"), "--json"])
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    assert not captured.out or json.loads(captured.out)
