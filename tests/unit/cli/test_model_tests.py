"""`membar models test`: options, limits and reports."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.languages import registry
from membar.models.load import load
from membar.program.validate import validate
from membar.questions.model_tests import try_claims
from membar.questions.model_tests.laws import unused_tags
from membar.questions.model_tests.programs import C11, X86, Features
from membar.questions.model_tests.sample import features_for, program_for, smaller
from membar.source import SourceFile

SC = """empty rmw & (fre ; coe) as atomicity
acyclic po | rf | co | fr | spawn-join as order
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["test"], "needs a name"),
        (["test", "no-such-model"], "unknown model"),
        (["test", "./nowhere.cat"], "nowhere.cat"),
        (["test", "sc", "--limit", "memory=1G"], "in time only"),
        (["--count", "3"], "is for `membar models test`"),
        (["show", "sc", "--seed", "3"], "is for `membar models test`"),
    ],
)
def test_wrong_usage_is_bad_input(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["models", *words]) == 2
    assert message in capsys.readouterr().err


def test_the_time_limit_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    assert cli.main(["models", "test", "lkmm", "--count", "1000000", "--limit", "time=3s"]) == 3
    assert time.monotonic() - started < 20
    assert "stopped by the time limit of 3 s" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_programs() -> None:
    assert program_for(7, X86) == program_for(7, X86)
    assert program_for(7, X86) != program_for(8, X86)


@pytest.mark.parametrize("features", [X86, C11], ids=["x86", "c11"])
def test_all_programs_and_smaller_ones_are_valid(features: Features) -> None:
    for seed in range(60):
        program = program_for(seed, features)
        validate(program)
        for other in smaller(program):
            validate(other)


def test_progress_is_reported() -> None:
    lines: list[str] = []
    try_claims(membar.load_model("sc"), count=3, progress=lines.append)
    assert [line.partition(" programs")[0] for line in lines] == ["1 of 3", "2 of 3", "3 of 3"]


def test_an_interrupt_ends_it_with_what_is_known() -> None:
    def stop(text: str) -> None:
        if text.startswith("2 of"):
            raise KeyboardInterrupt

    report = try_claims(membar.load_model("sc"), count=5, progress=stop)
    assert report.is_interrupted
    assert report.programs == 2
    assert report.limit == "an interrupt"


def test_a_users_model_is_tested_in_the_words_that_it_knows(tmp_path: Path) -> None:
    file = tmp_path / "mine.cat"
    file.write_text(f"{SC}acyclic po ; [DMB.SY] ; po as fenced\n", encoding="utf-8")
    features = features_for(load(file, vocabulary=registry.vocabulary()))
    assert features.fences == (frozenset({"DMB.SY"}),)
    assert features.loads == (frozenset(),) * len(features.loads)


def test_a_tag_that_nothing_depends_on_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "mine.cat"
    file.write_text(f"let no-effect = LFENCE\nlet fences = MFENCE | SFENCE\n{SC}", encoding="utf-8")
    assert unused_tags(load(file, vocabulary=registry.vocabulary())) == ("MFENCE", "SFENCE")


def test_the_program_that_refutes_a_claim_can_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.cat"
    file.write_text("acyclic po | rf as causality\n", encoding="utf-8")
    assert cli.main(["models", "test", str(file), "--count", "50"]) == 1
    out = capsys.readouterr().out
    shown = re.search(r"  program .*?\n  observe [^\n]*\n", out, re.DOTALL)
    assert shown is not None
    program = membar.parse(SourceFile("shown.mbp", shown.group()))
    assert membar.check(SourceFile("shown.mbp", shown.group()), model=str(file)).verdict in (
        "holds",
        "violated",
    )
    assert len(program.threads) <= 2
    assert "mine.claims" in out
