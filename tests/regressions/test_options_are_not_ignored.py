"""No option is silently ignored: it has an effect that can be seen, or is refused with its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tiers
from membar.cli.command import BAD_INPUT, main
from membar.questions.option import KINDS
from membar.questions.options import TABLE
from regressions.option_inputs import EXAMPLES, SYSTEMS, TEXTS, VALUES

_ROOT = Path(__file__).parents[2]
_NUMBERS_THAT_VARY = re.compile(r'"(?:seconds|peak_bytes)": [\d.e-]+|\d+\.\d+ s')
# What they change is in the text.
_AS_TEXT = ("--herd", "--explain", "--all", "--property", "--show-automaton")
_LOOPS = {"--unroll", "--max-unroll", "--no-await", "--no-latest"}
# Options that apply, where these texts have nothing for them: no loops, no threads that are alike, one order
# of writes per location, a search that prunes nothing or is over before a second worker begins, no execution
# to draw, no file to include.
_NOTHING_TO_DO = {
    ".litmus": _LOOPS | {"--coherence", "--no-symmetry", "--no-prune", "--jobs"},
    ".mbp": _LOOPS | {"--coherence", "--no-symmetry", "--no-prune", "--jobs"},
    ".c": {"--coherence", "--no-prune", "--no-latest", "--jobs", "--svg", "--witness", "-I"}
    | {"--strict-dependencies"},
    ".cub": {"--brab"},
    ".obj": {"--infer"},
    "counter.obj": {"--infer", "--order"},  # which is no counter by any order
}
# Options that say about what the question is, and fail for reasons of their own on these texts.
_OWN_ERRORS = {
    "--engine",
    "--ltl",
    "--ltl-file",
    "--error",
    "--confirm",
    "--witness",
    "--client",
    "--threads",
    "--certificate",
    "--outcome",
}
# How a compiler reads C: whether one is installed, and what it says of the words, is tested elsewhere.
_OF_COMPILERS = {"-U", "-include", "--std", "--with", "--clang", "--target", "--data-model"} | {
    "--compile-commands",
    "--compiler-option",
    "--no-cache",
    "-v",
}


def _outcome(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["check", *words])
    shown = capsys.readouterr()
    return code, _NUMBERS_THAT_VARY.sub("", shown.out), shown.err


@pytest.fixture
def _texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {**TEXTS, **SYSTEMS}.items():
        Path(name).write_text(text, encoding="utf-8")
    for name, example in EXAMPLES.items():
        Path(name).write_bytes((_ROOT / example).read_bytes())
    Path("asked.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )\n", encoding="utf-8")
    Path("process.pml").write_text(
        "byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n", encoding="utf-8"
    )
    Path("claims.ltl").write_text("G (x == 0)\n", encoding="utf-8")
    for name in ("none.txt", "witness.yml"):
        Path(name).write_text("", encoding="utf-8")


def test_each_option_of_the_table_is_tried() -> None:
    limited = {option.name for option in TABLE if option.kinds != KINDS or option.languages}
    assert limited - {"--fair"} <= set(VALUES)


@pytest.mark.usefixtures("_texts")
# Each of the fifty options proves the register anew.
@pytest.mark.parametrize("name", tiers.all_but("register.obj", [*TEXTS, *EXAMPLES]))
def test_no_option_is_silently_ignored(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _silent([name], capsys) <= _NOTHING_TO_DO.get(name, _NOTHING_TO_DO[Path(name).suffix])


_UNBOUNDED = ("--model", "x86-tso", "--buffers", "unbounded", "--property", "errors", "--error")
_PICTURES = {"--dot", "--svg"}  # of what holds there are none


@pytest.mark.usefixtures("_texts")
@pytest.mark.parametrize(
    ("words", "idle"),
    [
        (
            ["system.dve"],
            {"--engine", "--atomic", "--atomic-rule", "--buffers", "--jobs", "--no-symmetry", *_PICTURES},
        ),
        (
            ["system.dve", *_UNBOUNDED, "x == 2"],
            {"--atomic", "--atomic-rule", "--no-sleep", "--no-acceleration", *_PICTURES},
        ),
        (
            ["system.xcfa"],
            {"--unroll", "--max-unroll", "--coherence", "--no-symmetry", "--no-latest", "--jobs"},
        ),
        (["system.xcfa", *_UNBOUNDED, "p.d && q.d"], {"--no-sleep", "--no-acceleration"}),
    ],
    ids=["DVE", "DVE, unbounded buffers", "XCFA", "XCFA, unbounded buffers"],
)
def test_no_option_of_a_system_is_silently_ignored(
    words: list[str], idle: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _silent(words, capsys) <= idle


def _silent(base: list[str], capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The options that change nothing about the answer to a question, and are not refused."""
    silent = set()
    forms: tuple[tuple[str, ...], ...] = ((), ("--json",))
    without = {form: _outcome([*base, *form], capsys)[:2] for form in forms}
    is_compiled = Path(base[0]).suffix == ".c"
    for option, words in VALUES.items():
        if (is_compiled and option in _OF_COMPILERS) or option in base:
            continue
        form: tuple[str, ...] = () if option in _AS_TEXT else ("--json",)
        before = set(Path().rglob("*"))
        code, out, err = _outcome([*base, *words, *form], capsys)
        made = set(Path().rglob("*")) - before
        for file in made:
            if file.is_file():
                file.unlink()
        if code == BAD_INPUT:
            assert words[0] in err or option in err or option in _OWN_ERRORS, err
        elif (code, out) == without[form] and not made:
            silent.add(option)
    return silent


@pytest.mark.usefixtures("_texts")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check", "x86.litmus", "-D", "A"], "W0413"),
        (["check", "x86.litmus", "--mapping", "x86"], "W0413"),
        (["check", "x86.litmus", "-I", "."], "W0413"),
        (["check", "x86.litmus", "--engine", "graphs", "--buffers", "1"], "W0442"),
        (["check", "x86.litmus", "--algorithm", "forward"], "W0442"),
        (["check", "x86.litmus", "--brab", "2"], "W0441"),
        (["check", "x86.litmus", "--certificate", "a"], "W0441"),
        (["check", "x86.litmus", "--buffers", "unbounded", "--jobs", "2"], "W0442"),
        (["check", "x86.litmus", "--explain", "--herd"], "W0400"),
        (["check", "x86.litmus", "--limit", "states=1"], "W0442"),
        (["check", "program.c", "--limit", "states=1"], "W0442"),
        (["check", "x86.litmus", "--fair", "none"], "W0442"),
        (["check", "program.c", "--fair", "none"], "W0442"),
        (["check", "x86.litmus", "--engine", "reference", "--jobs", "2"], "W0442"),
        (["check", "program.c", "--model", "sc", "--engine", "states", "--all"], "W0442"),
        (["check", "program.c", "--explain"], "W0442"),
        (["check", "program.c", "--herd"], "W0413"),
        (["check", "process.pml", "--model", "sc", "--all"], "W0442"),
        (["check", "process.pml", "--model", "sc", "--explain"], "W0442"),
        (["check", "process.pml", "--model", "sc", "--herd"], "W0413"),
        (["check", "process.pml", "--dve-errors", "legacy"], "W0413"),
        (["check", "flags.cub", "--limit", "executions=1"], "W0442"),
        (["check", "register.obj", "--client", "2,1", "--limit", "states=1"], "W0442"),
        (["check", "flags.cub", "--jobs", "2"], "W0408"),
        (["check", "flags.cub", "--all"], "W0408"),
        (["check", "flags.cub", "--engine", "instances", "--brab", "2"], "W0442"),
        (["check", "program.c", "--threads", "any", "--client", "2,2"], "W0434"),
        (["check", "program.c", "--confirm", "witness.yml", "--unroll", "2"], "W1448"),
        (["check", "register.obj", "--client", "2,1", "-D", "A"], "W0413"),
        (["check", "register.obj", "--client", "2,1", "--coherence", "all"], "W1353"),
        (["repair", "x86.litmus", "-D", "A"], "W0413"),
        (["repair", "x86.litmus", "--order", "flush"], "W1354"),
        (["repair", "x86.litmus", "--explain", "--json"], "W0400"),
        (["litmus", "x86.litmus", "-D", "A"], "W0413"),
        (["litmus", "x86.litmus", "-I", "."], "W0413"),
        (["compare", "x86.litmus", "-D", "A"], "W0413"),
        (["compare", "x86.litmus", "--engines", "graphs,reference", "--no-por"], "W0442"),
        (["translate", "register.obj", "--to", "dot", "--buffers", "2"], "W1101"),
        (["translate", "program.c", "--to", "mapping", "--ltl", "G x == 0"], "W1101"),
        (["translate", "x86.litmus", "--to", "promela", "-D", "A"], "W0413"),
    ],
)
def test_what_would_be_ignored_is_refused(
    words: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == BAD_INPUT
    err = capsys.readouterr().err
    assert f"error[{code}]" in err
    assert "does not apply to" in err


@pytest.mark.usefixtures("_texts")
def test_compare_defines_macros_and_maps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "program.c", "--models", "sc", "-D", "ADDED=3"]) == 0
    assert "violated" in capsys.readouterr().out.lower()
    main(["litmus", "c.litmus", "--model", "x86-tso", "--mapping", "unknown"])
    assert "error[W0412]" in capsys.readouterr().err


@pytest.mark.usefixtures("_texts")
def test_an_option_for_one_of_several_engines_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "x86.litmus", "--models", "x86-tso", "--engines", "graphs,states", "--no-por"]
    assert main(words) == 0, capsys.readouterr().err
