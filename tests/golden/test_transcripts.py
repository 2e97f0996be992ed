"""What the user sees: each transcript is a Markdown file of commands, outputs and exit codes.

`pytest tests/golden --update-golden` writes them anew; read the diff before you commit it.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from membar.cli import command as cli
from membar.languages.compiled.compiler import find_compilers

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TRANSCRIPTS = [*sorted((HERE / "transcripts").glob("*.md")), ROOT / "docs" / "tutorial.md"]
# Places inside the arguments of macros, which clang tells since version 17 only.
WITH_NEW_CLANG = {"clients", "tutorial"}
BLOCK = re.compile(r"```console\n\$ membar ?(?P<words>[^\n]*)\n(?P<output>.*?)```", re.DOTALL)


def transcript(text: str, run: pytest.CaptureFixture[str]) -> str:
    """The transcript with every command run again."""

    def again(block: re.Match[str]) -> str:
        words = block["words"]
        code = cli.main(shlex.split(words))
        captured = run.readouterr()
        output = stable(captured.out + captured.err)
        return f"```console\n$ membar {words}\n{output}[exit code {code}]\n```"

    return BLOCK.sub(again, text)


def stable(output: str) -> str:
    """The output without what differs from run to run (times, sizes, places) or grows with the folders."""
    output = output.replace(f"{ROOT}/", "")
    output = re.sub(r"(\bknown:|known suffixes:) .*", r"\1 …", output)
    output = re.sub(r"\d+\.\d+ (s|MiB)\b", r"… \1", output)
    output = re.sub(r"compiled for \S+ by .*(?:\n {16}\S.*)*", "compiled for … by clang …", output)
    output = re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0.0', output)
    output = re.sub(r'"peak_bytes": \d+', '"peak_bytes": 0', output)
    # Only a busy machine is slow enough for this list.
    output = re.sub(r"\nslowest\n(?: .* s  .*\n)+", "", output)
    return re.sub(r"(?m)^(Time \S+) .*$", r"\1 0.00", output)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_output_is_as_recorded(
    path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if path.stem in WITH_NEW_CLANG and next(find_compilers(None, os.environ)).major < 17:
        pytest.skip("clang 17 or newer shows more exact places")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    recorded = path.read_text(encoding="utf-8")
    produced = transcript(recorded, capsys)
    if request.config.getoption("--update-golden"):
        path.write_text(produced, encoding="utf-8")
    assert produced == recorded or request.config.getoption("--update-golden")


def test_every_transcript_has_a_command() -> None:
    assert TRANSCRIPTS
    assert all(BLOCK.search(path.read_text(encoding="utf-8")) for path in TRANSCRIPTS)
