"""Specifications of SV-COMP, asked or written, are about what its rules say."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.source import SourceFile

_SAFETY = "".join(
    f"CHECK( init(main()), LTL(G {word}) )\n" for word in ("valid-free", "valid-deref", "valid-memtrack")
)
_UNSET = """#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  int seen = *p;
  free(p);
  return seen == 7;
}
"""
_FREED = _UNSET.replace("  int seen = *p;\n  free(p);\n", "  *p = 1;\n  free(p);\n  int seen = *p;\n")
_RIGHT = _UNSET.replace("int seen", "*p = 1;\n  int seen")


@pytest.mark.parametrize(("text", "verdict"), [(_UNSET, "unknown"), (_FREED, "violated"), (_RIGHT, "holds")])
def test_a_value_that_was_never_set_is_no_violation_of_memory_safety(
    text: str, verdict: str, tmp_path: Path
) -> None:
    program, asked = tmp_path / "p.c", tmp_path / "valid-memsafety.prp"
    program.write_text(text, encoding="utf-8")
    asked.write_text(_SAFETY, encoding="utf-8")
    result = membar.check(program, property_file=asked)
    assert result.verdict == verdict
    finding = result.outcome.run.finding("memory")
    assert finding is not None
    assert finding.verdict.value == verdict


def test_a_value_that_was_never_set_violates_memory_asked_by_name(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(_UNSET, encoding="utf-8")
    assert membar.check(program, properties=("memory",)).verdict == "violated"


def test_a_failed_assertion_is_no_call_of_reach_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, witness = tmp_path / "p.c", tmp_path / "w.graphml"
    program.write_text("#include <assert.h>\nint main(void) { assert(0); return 0; }\n", encoding="utf-8")
    assert cli.main(["check", str(program), "--witness", str(witness)]) == cli.BAD_INPUT
    said = capsys.readouterr()
    assert "VIOLATED" in said.out
    assert "W1444" in said.err
    assert not witness.exists()
    program.write_text("void reach_error(void);\nint main(void) { reach_error(); }\n", encoding="utf-8")
    assert cli.main(["check", str(program), "--witness", str(witness)]) == cli.VIOLATED
    assert "G ! call(reach_error())" in witness.read_text(encoding="utf-8")


def test_abort_in_a_verification_task_ends_executions_that_do_not_count(tmp_path: Path) -> None:
    program = tmp_path / "task.c"
    program.write_text(
        "#include <stdlib.h>\n#include <assert.h>\nextern _Bool __VERIFIER_nondet_bool(void);\n"
        "int main(void) { _Bool x = __VERIFIER_nondet_bool(); if (!x) abort(); assert(x); return 0; }\n",
        encoding="utf-8",
    )
    by_default = membar.check(program)
    assert by_default.verdict == "holds"
    finding = by_default.outcome.run.finding("exits")
    assert finding is not None
    assert finding.verdict.value == "not-checked"
    assert membar.check(program, properties="assertions,exits").verdict == "violated"


@pytest.mark.parametrize("name", ["other", "nowhere"])
def test_calls_of_other_functions_than_the_error_function_are_refused(tmp_path: Path, name: str) -> None:
    asked = tmp_path / "asked.prp"
    asked.write_text(f"CHECK( init(main()), LTL(G ! call({name}())) )\n", encoding="utf-8")
    text = "void other(void) {}\nint main(void) { other(); return 0; }\n"
    with pytest.raises(InputError, match="unknown SV-COMP property"):
        membar.check(SourceFile("p.c", text), property_file=asked)


@pytest.mark.parametrize(
    ("formula", "body", "verdict"),
    [
        ("G valid-deref", "*p = 1; free(p); free(p);", "unknown"),
        ("G valid-free", "*p = 1; free(p); free(p);", "violated"),
        ("G valid-free", "free(p); *p = 2;", "unknown"),
        ("G valid-deref", "free(p); *p = 2;", "violated"),
        ("G valid-deref", "*p = 1; free(p);", "holds"),
    ],
)
def test_one_property_of_memory_is_not_the_other(
    tmp_path: Path, formula: str, body: str, verdict: str
) -> None:
    asked = tmp_path / "asked.prp"
    asked.write_text(f"CHECK( init(main()), LTL({formula}) )\n", encoding="utf-8")
    text = f"#include <stdlib.h>\nint main(void) {{ int *p = malloc(4); {body} return 0; }}\n"
    assert membar.check(SourceFile("p.c", text), property_file=asked).verdict == verdict
