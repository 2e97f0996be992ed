"""A picture that cannot be written is reported with its test; the other tests of a campaign go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.cli import command as cli
from membar.cli.command import BAD_INPUT, HOLDS

_SB = """\
X86 NAME
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("kind", ["svg", "dot"])
def test_the_other_tests_go_on(
    tmp_path: Path, jobs: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.litmus").write_text(_SB.replace("NAME", name))
    pictures = tmp_path / "pictures"
    in_the_way = pictures / f"b.x86-tso.{kind}"
    in_the_way.mkdir(parents=True)
    words = ["litmus", str(tmp_path), f"--{kind}", str(pictures), "--jobs", jobs]
    assert cli.main(words) == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.err.count("error[") == 1
    assert f"{in_the_way} is a directory" in captured.err
    assert "3 tests" in captured.out
    assert (pictures / f"a.x86-tso.{kind}").is_file()
    assert (pictures / f"c.x86-tso.{kind}").is_file()
    in_the_way.rmdir()
    assert cli.main(words) == HOLDS
    assert captured.err != capsys.readouterr().err
