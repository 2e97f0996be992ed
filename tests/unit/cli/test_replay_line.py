"""The `replay:` line of a report: run as printed, it saves the same witness and runs it again."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.cli import command as cli

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

STORES = """program stores
memory x : i32  memory y : i32
thread P0 {
  label 2 = critical
  0 -> 1: store [&x] := 1
  1 -> 2: r := load [&y]; wait r == 0 }
thread P1 {
  label 2 = critical
  0 -> 1: store [&y] := 1
  1 -> 2: r := load [&x]; wait r == 0 }
"""
# Without the macro the assertion is another one, which holds.
DEFINED = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include "order.h"
#ifndef LEAST
#define LEAST 0
#endif
atomic_int x, y, a, b;
void *p(void *unused) { atomic_store_explicit(&x, 1, ORDER); if (!atomic_load(&y)) a = 1; return 0; }
void *q(void *unused) { atomic_store_explicit(&y, 1, ORDER); if (!atomic_load(&x)) b = 1; return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, p, 0);
  pthread_create(&u, 0, q, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a + b < 2 || !LEAST);
  return 0;
}
"""
PROMELA = """bit x, y;
active proctype p() { do :: x = 1; x = 0 od }
active proctype q() { y = 1; seen: skip }
"""
DVE = """byte x = 0; byte y = 0;
process P { int r; state a, b, c; init a; trans a -> b { effect x = 1; }, b -> c { guard y == 0; }; }
process Q { int r; state a, b, c; init a; trans a -> b { effect y = 1; }, b -> c { guard x == 0; }; }
system async;
"""

XCFA = """var x : int
process p {
  main procedure run() {
    var l : int
    init loc a
    loc b
    final loc c
    a -> b { l <- x }
    b -> c { l := l }
  }
}
process q {
  main procedure run() {
    init loc a
    final loc b
    a -> b { 1 -> x }
  }
}
"""


def replay_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    cli.main(["check", *arguments])
    lines = capsys.readouterr().out.splitlines()
    return next(line for line in lines if line.startswith("replay: ")).removeprefix("replay: ")


def run(line: str) -> tuple[int, str]:
    """What a shell does with it: the first command writes into a file, the second is the answer."""
    first, second = line.split("; ")
    check, file = first.split(" > ")
    saved = io.StringIO()
    with contextlib.redirect_stdout(saved):
        cli.main(shlex.split(check)[1:])
    Path(shlex.split(file)[0]).write_text(saved.getvalue(), encoding="utf-8")
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        code = cli.main(shlex.split(second)[1:])
    return code, shown.getvalue()


UNBOUNDED = "--buffers unbounded"
CASES = [
    (
        "a b.mbp",
        f"--model x86-tso {UNBOUNDED} --error 'P0.critical & P1.critical' --property errors",
        "VIOLATED (errors)",
    ),
    (
        "stores.mbp",
        "--model pso --buffers 3 --engine states --ltl 'G !(P0.critical && F P1.critical)'",
        "VIOLATED (claims)",
    ),
    (
        "defined.c",
        f"--model x86-tso {UNBOUNDED} -D LEAST=1 -I headers --limit time=60s",
        "VIOLATED (assertions)",
    ),
    ("loop.pml", "--ltl 'F G (x == 0)' --fair buffers,processes --model sc", "VIOLATED (claims)"),
    ("loop.pml", f"--error q@seen {UNBOUNDED} --property errors", "VIOLATED (errors)"),
    (
        "flags.dve",
        f"--error 'P.c && Q.c' --property errors --atomic writes.txt --atomic-rule all {UNBOUNDED}",
        "VIOLATED (errors)",
    ),
    ("flags.dve", "--ltl 'G !(P.c && F Q.c)' --buffers 1 --no-por", "VIOLATED (claims)"),
    ("steps.xcfa", f"--model x86-tso {UNBOUNDED} --error 'p.l = 1' --algorithm forward", "VIOLATED"),
    ("store-buffering.litmus", "--engine reference --no-await", "VIOLATED (condition)"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The programs, and the files that they need, in the current folder."""
    texts = {
        "a b.mbp": STORES,
        "stores.mbp": STORES,
        "defined.c": DEFINED,
        "loop.pml": PROMELA,
        "flags.dve": DVE,
        "steps.xcfa": XCFA,
        "store-buffering.litmus": (EXAMPLES / "litmus/store-buffering.litmus").read_text(encoding="utf-8"),
        "writes.txt": "x, P.2\n",
        "headers/order.h": "#define ORDER memory_order_relaxed\n",
    }
    (tmp_path / "headers").mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("name", "options", "shown"), CASES)
def test_it_replays_as_printed(
    capsys: pytest.CaptureFixture[str], name: str, options: str, shown: str
) -> None:
    words = shlex.split(options)
    line = replay_line(capsys, name, *words)
    assert set(words) <= set(shlex.split(line))
    code, out = run(line)
    assert code == cli.HOLDS, out
    assert shown in out
