"""Options that would change nothing about a Promela, DVE or XCFA file are refused, with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.cli.command import main

TEXTS = {
    "test.pml": "byte x, y;\nactive proctype A() { x = 1; y = 1 }\nactive proctype B() { y = 2 }\n",
    "test.dve": """byte x = 0, y = 0;
process A { state a, b; init a; trans a -> b { effect x = 1; }; }
system async;
""",
}
REFUSED = {
    "--fair none": "--fair does not apply to test: it makes no claim about runs",
    "--fair processes": "--fair does not apply to test: it makes no claim about runs",
    "--model sc --buffers 3": "--buffers does not apply to sc: it has no store buffers",
    "--model sc --buffers unbounded": "--buffers does not apply to sc: it has no store buffers",
    "--limit executions=5": "--limit executions does not apply to the engine states",
    "--buffers unbounded --limit executions=5": "--limit executions does not apply to the engine buffers",
    "--model sc --engine graphs --limit states=5": "--limit states does not apply to the engine graphs",
}
ACCEPTED = (
    "--fair none --ltl F(x==1)",
    "--fair processes --ltl G(x<2)",
    "--model x86-tso --buffers 3",
    "--limit states=500",
    "--model sc --engine graphs --limit executions=500",
)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("options", REFUSED)
def test_an_option_without_effect_is_refused(
    name: str, options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name], encoding="utf-8")
    assert main(["check", str(path), *options.split()]) == 2
    assert f"error[W0442]: {REFUSED[options]}" in capsys.readouterr().err


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("options", ACCEPTED)
def test_an_option_with_an_effect_is_accepted(name: str, options: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name], encoding="utf-8")
    assert main(["check", str(path), *options.split()]) in (0, 1, 4)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--unroll 2", "the loop bound has no effect"),
        ("--max-unroll 2", "the loop bound has no effect"),
        ("--unroll 2 --ltl G(x<2)", "the loop bound has no effect"),
        ("--engine reference --unroll 2", "the loop bound has no effect"),
        ("--engine reference --no-await", "--no-await has no effect"),
    ],
)
def test_an_option_without_effect_on_states_is_a_note(
    name: str, options: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name], encoding="utf-8")
    main(["check", str(path), "--model", "sc", *options.split()])
    assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("option", ["--atomic-rule=all", "--atomic={list}"])
def test_atomic_writes_are_refused_under_sc(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, listed = tmp_path / "test.dve", tmp_path / "list"
    path.write_text(TEXTS["test.dve"], encoding="utf-8")
    listed.write_text("x, *\n", encoding="utf-8")
    arguments = ["check", str(path), option.format(list=listed)]
    assert main([*arguments, "--model", "x86-tso"]) == 0
    assert main([*arguments, "--model", "sc"]) == 2
    assert "does not apply to sc: it has no store buffers" in capsys.readouterr().err


def test_folders_for_includes_apply_to_promela(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x.h").write_text("int x;\n", encoding="utf-8")
    path = tmp_path / "a.pml"
    path.write_text('#include "x.h"\nactive proctype P() { x = 1; assert(x == 1) }\n', encoding="utf-8")
    assert main(["check", str(path), "-I", str(tmp_path / "folder"), "--model", "sc"]) == 0
