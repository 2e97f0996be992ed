"""x86-64 code in place of another processor's: it had signed characters, and a plain HOLDS for armv7."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli.command import HOLDS, main
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

# The header is missing where only the system's compiler is there: then x86-64 stands for the processor.
SIGN = """#include <pthread.h>
#include <assert.h>
int main(void) { char c = -1; assert(c < 0); return 0; }
"""
SIZE = "#include <assert.h>\nint main(void) { assert(sizeof(long) == 8); return 0; }\n"


@pytest.mark.parametrize(("model", "verdict"), [("x86-tso", "holds"), ("armv8", "violated")])
def test_characters_have_the_sign_of_the_processor(model: str, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "sign.c"
    path.write_text(SIGN, encoding="utf-8")
    assert membar.check(path, model=model).verdict == verdict


def test_a_processor_that_nothing_is_compiled_for_gets_no_plain_holds(tmp_path: Path) -> None:
    path = tmp_path / "size.c"
    path.write_text(SIZE, encoding="utf-8")
    assert membar.check(path, model="armv7").verdict == "holds-within"


def test_a_bound_that_the_user_chose_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "input.c"
    text = "int __VERIFIER_nondet_int(void);\nint main(void) { __VERIFIER_nondet_int(); return 0; }\n"
    path.write_text(text, encoding="utf-8")
    words = ["-D", "MEMBAR_NONDET_MIN=0", "-D", "MEMBAR_NONDET_MAX=9"]
    assert main(["check", str(path), *words]) == HOLDS
    said = capsys.readouterr().out
    assert "HOLDS WITHIN" in said
    assert "chosen by membar" not in said
    assert "all executions" not in said
