"""Witnesses keep how a program was compiled, so that `replay` compiles the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from membar.cli.command import main
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

MAIN = """\
#include <assert.h>
#include <pthread.h>
#include "check.h"
void other(void);
void *f(void *p) { other(); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  x = VALUE;
  pthread_join(t, 0);
  check();
  return 0;
}
"""
OTHER = "int x;\nvoid other(void) { x = 7; }\n"
HEADER = """\
extern int x;
#ifdef UNWANTED
#error UNWANTED is defined
#endif
static inline void check(void) { assert(x == VALUE); }
"""


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A witness of a program that needs all these options."""
    monkeypatch.chdir(tmp_path)
    Path("main.c").write_text(MAIN, encoding="utf-8")
    Path("other.c").write_text(OTHER, encoding="utf-8")
    Path("headers").mkdir()
    Path("headers", "check.h").write_text(HEADER, encoding="utf-8")
    Path("value.h").write_text("#define VALUE 3\n", encoding="utf-8")
    words = ["-I", "headers", "-D", "UNWANTED", "-U", "UNWANTED", "-include", "value.h", "--std", "gnu17"]
    assert main(["check", "main.c", "other.c", *words, "--model", "sc", "--json", "--", "-fwrapv"]) == 1
    path = tmp_path / "witness.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> str:
    answer = json.loads(path.read_text(encoding="utf-8"))
    change(answer["witness"])
    other = path.with_name("changed.json")
    other.write_text(json.dumps(answer), encoding="utf-8")
    return str(other)


def test_options_are_saved_and_used_again(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(saved.read_text(encoding="utf-8"))["witness"]["compiler"]
    assert found == {
        "undefines": ["UNWANTED"],
        "standard": "gnu17",
        "includes": ["value.h"],
        "others": ["-fwrapv"],
        "further_files": ["other.c"],
    }
    assert main(["replay", str(saved)]) == 0
    assert "assert(x == VALUE) fails (check.h:5" in capsys.readouterr().out


def test_without_the_options_it_does_not_replay(saved: Path) -> None:
    assert main(["replay", changed(saved, lambda witness: witness.pop("compiler"))]) == 2


def test_the_text_of_included_files_is_the_same_in_another_folder(saved: Path) -> None:
    """Messages name what is in a header, whether or not errors about it may show its text."""
    folder = saved.parent / "elsewhere"
    folder.mkdir()
    other = saved.rename(folder / saved.name)
    assert main(["replay", str(other)]) == 0


@pytest.mark.parametrize("word", ["-fplugin=evil.so", "-Xclang", "-Wp,-MD,file", "@file", "-o"])
def test_options_that_could_run_something_are_refused(
    saved: Path, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = changed(saved, lambda witness: witness["compiler"].update(others=[word]))
    assert main(["replay", path]) == 2
    assert word in capsys.readouterr().err


def test_a_null_character_is_no_internal_error(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = changed(saved, lambda witness: witness["compiler"].update(standard="gnu\0"))
    assert main(["replay", path]) == 2
    assert "internal error" not in capsys.readouterr().err
