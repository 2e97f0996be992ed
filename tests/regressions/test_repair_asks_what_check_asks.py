"""`repair` asks what `check` asks: it never says that a text is right where `check` does not say HOLDS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from membar.cli.command import main

_COUNTING = """\
#include <stdatomic.h>
#include <assert.h>
#include <pthread.h>
atomic_int x;
static void *run(void *p) {
  for (int old = 0; !atomic_compare_exchange_weak(&x, &old, old + 1);)
    ;
  return p;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, run, 0);
  pthread_create(&two, 0, run, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(atomic_load(&x) == 2);
  return 0;
}
"""
_ABORTING = """\
#include <stdlib.h>
#include <stdatomic.h>
atomic_int x;
int main(void) {
  if (atomic_load(&x) == 0)
    abort();
  return 0;
}
"""
_RIGHT = "#include <stdatomic.h>\natomic_int x;\nint main(void) { return atomic_load(&x); }\n"
_SAYS = {
    "holds": ("nothing-to-repair", "it is correct under"),
    "holds-within": ("nothing-to-repair", "HOLDS WITHIN under"),
    "unknown": ("unknown", "UNKNOWN"),
    "violated": ("not-repaired", "NOT REPAIRED"),
}


@pytest.mark.parametrize(
    ("text", "words", "verdict"),
    [
        (_RIGHT, [], "holds"),
        (_COUNTING, ["--model", "armv8"], "holds-within"),
        (_COUNTING, ["--limit", "executions=1"], "unknown"),
        (_ABORTING, ["--model", "armv8"], None),
    ],
    ids=["right", "bounded", "limited", "aborting"],
)
def test_repair_says_what_check_says(
    text: str, words: list[str], verdict: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "program.c"
    file.write_text(text, encoding="utf-8")
    checked = main(["check", str(file), *words, "--json"])
    answer = json.loads(capsys.readouterr().out)["verdict"]
    assert verdict in (None, answer)
    result, said = _SAYS[answer]
    assert main(["repair", str(file), *words, "--json"]) == checked
    assert json.loads(capsys.readouterr().out)["result"] == result
    main(["repair", str(file), *words])
    told = capsys.readouterr().out
    assert said in told.replace("\n  ", " ")
    assert ("it is correct" in told.replace("\n  ", " ")) == (answer == "holds")
