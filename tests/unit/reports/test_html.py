"""Pages of answers: what is in the file. `tests/unit/server/test_html_pages.py` opens them in a browser."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import membar
from membar.cli.command import main
from membar.questions.answer import Answer
from membar.reports import html
from membar.source import SourceFile

EXAMPLES = Path(__file__).parents[3] / "examples"
SB = (EXAMPLES / "litmus/store-buffering.litmus").read_text(encoding="utf-8")
HOSTILE = "</script><script>alert(1)</script><!--<script>\u202e\u2028\u2029\x1b[31m\"'&amp;"


class Page(HTMLParser):
    """The scripts of a page, and its policy."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.policy = ""
        self.addresses: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.addresses += [found[name] for name in ("src", "href") if name in found]
        if tag == "script":
            self.scripts.append((found, ""))
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)


def sheets(text: str) -> Any:
    (data,) = [words for found, words in Page(text).scripts if found.get("id") == "membar-sheets"]
    return json.loads(data)


def sb() -> Answer:
    return membar.check(SourceFile("sb.litmus", SB), model="x86-tso")


def test_a_page_has_program_answer_drawing_and_text() -> None:
    (sheet,) = sheets(sb().render("html"))
    assert sheet["source"] == SB
    assert sheet["answer"]["verdict"] == "violated"
    assert len(sheet["answer"]["drawing"]["steps"]) == 6
    assert "VIOLATED under x86-tso" in sheet["text"]


def test_a_page_loads_nothing_and_runs_only_its_own_script() -> None:
    page = Page(sb().render("html"))
    assert page.addresses == ["data:,"]
    assert page.policy.startswith("default-src 'none'; script-src 'sha256-")
    assert len(page.scripts) == 2


@pytest.mark.parametrize("place", ["comment", "path"])
def test_hostile_text_stays_text(place: str) -> None:
    text = SB.replace("(* Expected:", f"(* {HOSTILE} Expected:") if place == "comment" else SB
    name = f"{HOSTILE}.litmus" if place == "path" else "sb.litmus"
    page = membar.check(SourceFile(name, text), model="x86-tso").render("html")
    assert len(Page(page).scripts) == 2
    assert "alert(1)</script>" not in page
    (sheet,) = sheets(page)
    assert (sheet["file"], sheet["source"]) == (name, text)


def test_names_that_are_not_unicode_can_be_written() -> None:
    html.render(membar.check(SourceFile("\udcff.litmus", SB), model="sc")).encode()


def test_files_outside_the_program_are_not_shown(tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("static int SECRET_WORD(void) { return x; }\n", encoding="utf-8")
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "own.h").write_text("static int own_word(void) { return y; }\n", encoding="utf-8")
    program = inside / "a.c"
    program.write_text(
        '#include <assert.h>\nint x, y = 1;\n#include "../secret.h"\n#include "own.h"\n'
        "int main(void) { assert(SECRET_WORD() == own_word()); }\n".replace(
            "SECRET_WORD()", "look()"
        ).replace("int main", "#define look SECRET_WORD\nint main"),
        encoding="utf-8",
    )
    answer = membar.check(program, model="sc")
    assert answer.verdict == "violated"
    page = answer.render("html")
    (sheet,) = sheets(page)
    assert "return x" not in page
    assert [file["name"] for file in sheet["files"]] == ["own.h"]


def test_proofs_runs_and_histories_have_what_shows_them() -> None:
    (run,) = sheets(membar.check(EXAMPLES / "cubicle/flags.cub").render("html"))
    assert run["unsafe"] == "p = #1, q = #2"
    assert run["unsafe_line"] == 11
    assert run["lines"] == [13, 17, 13, 17]
    (proof,) = sheets(membar.check(EXAMPLES / "cubicle/spinlock.cub").render("html"))
    assert proof["cubes"][0] == "PC[p1] = Inside and PC[p2] = Inside"
    (object_,) = sheets(membar.check(EXAMPLES / "objects/counter.obj").render("html"))
    assert object_["answer"]["obligation"]["number"] == 2
    assert {item["number"] for item in object_["answer"]["discharged"]} == {1, 2, 4}


def test_a_comparison_is_one_sheet_with_a_column_for_each_model() -> None:
    found = membar.compare(SourceFile("sb.litmus", SB), models=["sc", "x86-tso"])
    (sheet,) = sheets(found.render("html"))
    assert [column["model"] for column in sheet["columns"]] == ["sc", "x86-tso"]
    assert "drawing" in sheet["columns"][1]


def test_check_writes_a_sheet_for_each_file_and_sarif_names_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sb.litmus").write_text(SB, encoding="utf-8")
    (tmp_path / "bad.litmus").write_text("X86 bad\n{", encoding="utf-8")
    assert main(["check", "sb.litmus", "bad.litmus", "--html", "out.html", "--sarif", "out.sarif"]) == 2
    first, second = sheets((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert first["file"] == "sb.litmus"
    assert "answer" not in second
    assert "error[" in second["text"]
    log = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))["runs"][0]
    assert log["results"][0]["attachments"][0]["artifactLocation"]["uri"] == "out.html"
    roles = {item["location"]["uri"]: item["roles"] for item in log["artifacts"]}
    assert roles["out.html"] == ["attachment"]


def test_explanations_repairs_and_replays_are_pages_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sb.litmus").write_text(SB, encoding="utf-8")
    main(["check", "sb.litmus", "-m", "sc", "--explain", "--html", "why.html"])
    (why,) = sheets(Path("why.html").read_text(encoding="utf-8"))
    assert why["answer"]["explanation"]["broken"][0]["is_cycle"]
    main(["repair", "sb.litmus", "-m", "x86-tso", "--html", "repair.html"])
    (repair,) = sheets(Path("repair.html").read_text(encoding="utf-8"))
    assert "MFENCE" in repair["repaired"]
    assert repair["source"] == SB
    capsys.readouterr()
    main(["check", "sb.litmus", "-m", "x86-tso", "--json"])
    Path("sb.json").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["replay", "sb.json", "--html", "replay.html"]) == 0
    (replayed,) = sheets(Path("replay.html").read_text(encoding="utf-8"))
    assert replayed["replayed"]["confirmed"]
    assert len(replayed["replayed"]["drawing"]["steps"]) == 6
    saved = json.loads(Path("sb.json").read_text(encoding="utf-8"))
    saved["witness"]["events"][-1]["value"] = 1
    Path("sb.json").write_text(json.dumps(saved), encoding="utf-8")
    assert main(["replay", "sb.json", "--html", "replay.html"]) == 1
    (refused,) = sheets(Path("replay.html").read_text(encoding="utf-8"))
    assert not refused["replayed"]["confirmed"]
    assert "drawing" not in refused["replayed"]


def test_an_outcome_can_be_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "sb.c"
    program.write_text(
        "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y; int a, b;\n"
        "static void *f(void *p) { x = 1; a = y; return p; }\n"
        "static void *g(void *p) { y = 1; b = x; return p; }\n"
        "int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);\n"
        "  pthread_join(t, 0); pthread_join(u, 0); }\n",
        encoding="utf-8",
    )
    main(["check", str(program), "-m", "x86-tso", "--outcome", "a=0 && b=0"])
    assert "why x86-tso forbids [a]=0 /\\ [b]=0" in capsys.readouterr().out
    main(["check", str(program), "-m", "x86-tso", "--outcome", "a=1, b=0"])
    assert "x86-tso allows [a]=1 /\\ [b]=0" in capsys.readouterr().out
    assert main(["check", str(program), "--outcome", "a"]) == 2


def test_a_page_shows_that_something_else_that_was_asked_was_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, file = tmp_path / "answer.html", EXAMPLES / "litmus/store-buffering.litmus"
    assert main(["check", str(file), "--outcome", "nobody=0", "--html", str(page)]) == 2
    assert "W0447" in capsys.readouterr().err
    (sheet,) = sheets(page.read_text(encoding="utf-8"))
    assert sheet["answer"]["verdict"] == "violated"
    assert "error[W0447]: no final state shows `nobody`" in sheet["problem"]
    assert "W0447" in sheet["text"]


def test_a_page_says_why_there_is_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, file = tmp_path / "answer.html", EXAMPLES / "objects/counter.obj"
    assert main(["check", str(file), "--svg", str(tmp_path), "--html", str(page)]) == 2
    (sheet,) = sheets(page.read_text(encoding="utf-8"))
    assert sheet["message"] == "--svg does not apply to proofs of objects (.obj)"
    assert sheet["message"] in capsys.readouterr().err
