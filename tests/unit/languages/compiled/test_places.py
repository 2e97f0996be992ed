"""Reports about a compiled program: the user's expressions, their files, and the calls that lead there."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.cli import command
from membar.languages.compiled.source_expressions import span_at
from membar.source import SourceFile
from strategies.compiled_code import needs_clang


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("int t = q->tail;", "tail", "q->tail"),
        ("f(a.b.c, 1);", "c", "a.b.c"),
        ("x = nodes[i].next->value;", "value", "nodes[i].next->value"),
        ("x = get(1) -> value;", "value", "get(1) -> value"),
        ("x = (*p).value;", "value", "(*p).value"),
        ("x = y;", "y", "y"),
        ("x = *p;", "p", "p"),
        ("q->slots[t] = v;", "= v", "q->slots[t] = v"),
        ("n = 0.5 + x;", "x", "x"),
        ("for (i = 0; i < 2; i++) p[i] = 0;", "= 0", "p[i] = 0"),
        ("if (f(a)) while (b) /* c */ d += 1;", "+= 1", "d += 1"),
        ("else n = 2;", "= 2", "n = 2"),
        ("let t = thread::spawn(f);", "thread", "thread::spawn(f)"),
        ("x = c ? a : ::b;", "a ", "a"),
        ("assert_eq!(x.load(R), 1);", "assert_eq", "assert_eq!(x.load(R), 1)"),
        ("if (a != (b)) c = 1;", "a ", "a"),
    ],
)
def test_the_expression_at_a_place_is_whole(line: str, word: str, expected: str) -> None:
    source = SourceFile("a.c", f"{line}\n")
    assert span_at(source, 1, line.rindex(word) + 1).text == expected


def test_columns_are_bytes() -> None:
    line = "/* äöü 🙂 */ int seen = shared;"
    column = len(line[: line.index("shared")].encode()) + 1
    assert span_at(SourceFile("a.c", f"{line}\n"), 1, column).text == "shared"


RING = """\
struct ring { int tail; int slots[4]; };
static void enqueue(struct ring *q, int v) {
  int t = q->tail;
  q->slots[t] = v;
  q->tail = t + 1;
}
"""
MAIN = """\
#include <assert.h>
#include <pthread.h>
#include "ring.h"
struct ring r;
void step(int v) { enqueue(&r, v); }
void *worker(void *a) { step(1); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  step(2);
  pthread_join(t, 0);
  assert(r.tail == 2);
}
"""


@needs_clang
def test_files_and_calls_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.c").write_text(MAIN, encoding="utf-8")
    Path("ring.h").write_text(RING, encoding="utf-8")
    assert command.main(["check", "main.c", "--std", "gnu17", "--property", "assertions"]) == 1
    shown = capsys.readouterr().out
    assert "assert(r.tail == 2) fails (line 12)" in shown
    assert "ring.h:3: q->tail" in shown
    sentence = "which worker wrote at ring.h:5 in enqueue ← step main.c:5 ← worker main.c:6."
    assert sentence in " ".join(shown.split())
