"""`pytest --membar`, run by pytest: what is collected, what passes, and what failures say."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from membar.cli import pytest_plugin
from membar.languages import ENDINGS

pytest_plugins = ["pytester"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our plug-in by its module, without what else is installed: that is quicker."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    # Not in this process: pytester forgets what is imported in between, and classes would be there twice.
    return pytester.runpytest_subprocess("-p", "membar.cli.pytest_plugin", "-p", "no:cacheprovider", *words)


def copy(pytester: pytest.Pytester, *names: str) -> None:
    for name in names:
        (pytester.path / Path(name).name).write_text((EXAMPLES / name).read_text("utf-8"), "utf-8")


def test_the_entry_point_is_installed() -> None:
    found = {point.name: point.value for point in entry_points(group="pytest11")}
    assert found.get("membar") == "membar.cli.pytest_plugin", "run `make setup`: pyproject.toml is newer"


def test_every_language_of_programs_and_systems_is_collected() -> None:
    known = ENDINGS.keys() - {".i", ".ii", ".ll", ".bc", ".toml"}  # no comment there states a verdict
    headers = {".hpp", ".hh", ".hxx"}
    assert set(pytest_plugin.SUFFIXES) == known - {".obj"} - headers


def test_each_file_and_model_is_a_test(pytester: pytest.Pytester) -> None:
    copy(
        pytester,
        "litmus/store-buffering.litmus",
        "dve/peterson.dve",
        "cubicle/flags.cub",
        "c/tas-relaxed.c",
        "c/tas.c",
    )
    copy(
        pytester,
        "c/any-threads/naive-mutex-relaxed.c",
        "c/any-threads/naive-mutex.c",
        "program/wait-forever.mbp",
    )
    wanted = [
        "store-buffering.litmus::sc",
        "store-buffering.litmus::x86-tso",
        "flags.cub::x86-tso",
        "peterson.dve::x86-tso",
        "tas-relaxed.c::rc11",
        "naive-mutex-relaxed.c::x86-tso-any",
        "wait-forever.mbp::sc",
    ]
    result = run(pytester, "--membar", "-v", *wanted)
    assert [line.split()[:2] for line in result.outlines if "::" in line] == [
        [name, "PASSED"] for name in wanted
    ]
    assert result.ret == 0
    everything = run(pytester, "--membar", "-q", "--collect-only")
    assert set(wanted) <= set(everything.outlines)


def test_another_verdict_fails_with_the_report(pytester: pytest.Pytester) -> None:
    text = (EXAMPLES / "litmus/store-buffering.litmus").read_text("utf-8")
    (pytester.path / "sb.litmus").write_text(text.replace("x86-tso VIOLATED", "x86-tso HOLDS"), "utf-8")
    system = (EXAMPLES / "cubicle/flags.cub").read_text("utf-8").replace("x86-tso VIOLATED", "x86-tso HOLDS")
    (pytester.path / "flags.cub").write_text(system, "utf-8")
    result = run(pytester, "--membar")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*flags.cub under x86-tso*",
            "expected HOLDS, but the answer is VIOLATED:",
            "*A run of 2 processes into an unsafe state",
            "*sb.litmus under x86-tso*",
            "expected HOLDS, but the answer is VIOLATED:",
            "*sb.litmus: VIOLATED under x86-tso*",
            "*P1's read of x at line 8 does not see P0's write of x at line 7.",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_failure_has_a_page_if_that_is_asked_for(pytester: pytest.Pytester) -> None:
    text = (EXAMPLES / "litmus/store-buffering.litmus").read_text("utf-8")
    pytester.makefile(".litmus", sb=text.replace("x86-tso VIOLATED", "x86-tso HOLDS"))
    result = run(pytester, "--membar", "--membar-html", "pages", "--junit-xml", "out.xml")
    (page,) = (pytester.path / "pages").iterdir()
    assert page.name == "sb.litmus_x86-tso.html"
    result.stdout.fnmatch_lines(
        [f"*expected HOLDS, but the answer is VIOLATED (pages/{page.name} shows it)*"]
    )
    assert "membar-sheets" in page.read_text("utf-8")
    assert f'name="membar-html" value="pages/{page.name}"' in (pytester.path / "out.xml").read_text("utf-8")


def test_a_limit_is_a_failure_unless_unknown_was_expected(pytester: pytest.Pytester) -> None:
    text = (EXAMPLES / "litmus/store-buffering.litmus").read_text("utf-8")
    (pytester.path / "sb.litmus").write_text(text, "utf-8")
    (pytester.path / "u.litmus").write_text(text.replace("sc HOLDS", "sc UNKNOWN"), "utf-8")
    pytester.makeini("[pytest]\nmembar_limit = executions=1\n")
    result = run(pytester, "--membar", "-k", "sc")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["expected HOLDS, but the answer is UNKNOWN:"])
    run(pytester, "--membar", "-k", "sc", "--membar-limit", "time=20s").assert_outcomes(passed=1, failed=1)


def test_a_litmus_test_without_a_comment_must_hold(pytester: pytest.Pytester) -> None:
    text = (EXAMPLES / "litmus/store-buffering.litmus").read_text("utf-8").replace("Expected:", "They say:")
    (pytester.path / "sb.litmus").write_text(text, "utf-8")
    result = run(pytester, "--membar", "-v")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*sb.litmus::default FAILED*"])
    pytester.makeini("[pytest]\nmembar_models = sc x86-tso\n")
    result = run(pytester, "--membar", "-v")
    result.stdout.fnmatch_lines(["*sb.litmus::sc PASSED*", "*sb.litmus::x86-tso FAILED*"])


def test_a_bound_is_not_enough_unless_accepted(pytester: pytest.Pytester) -> None:
    (pytester.path / "loop.c").write_text(
        "/* Expected: sc HOLDS. */\n#include <stdatomic.h>\n#include <pthread.h>\natomic_int x;\n"
        "static void *add(void *p) { for (;;) atomic_fetch_add(&x, 1); return p; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); return 0; }\n",
        "utf-8",
    )
    result = run(pytester, "--membar")
    result.stdout.fnmatch_lines(["expected HOLDS, but the answer is HOLDS WITHIN:"])
    pytester.makeini("[pytest]\nmembar_accept_bounded = true\n")
    run(pytester, "--membar").assert_outcomes(passed=1)


def test_bad_input_fails_and_says_where(pytester: pytest.Pytester) -> None:
    (pytester.path / "bad.litmus").write_text(
        "X86 bad\n(* Expected: sc HOLDS. *)\n{}\n P0 ;\n MOW ;\n", "utf-8"
    )
    (pytester.path / "worse.c").write_text("/* Expected: sc SOMETIMES. */\nint main(void) {}\n", "utf-8")
    (pytester.path / "model.c").write_text("/* Expected: pdp11 HOLDS. */\nint main(void) {}\n", "utf-8")
    result = run(pytester, "--membar")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["error?*", "*bad.litmus:5:*", "error?W1445?*", "*worse.c:1:13"])
    assert "Traceback" not in result.stdout.str()


def test_a_wrong_limit_is_wrong_usage(pytester: pytest.Pytester) -> None:
    copy(pytester, "litmus/coherence.litmus")
    result = run(pytester, "--membar", "--membar-limit", "soon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*membar_limit: `soon` is not a limit such as time=10s or memory=2G*"])


def test_other_files_and_runs_without_the_switch_are_left_alone(pytester: pytest.Pytester) -> None:
    copy(pytester, "litmus/coherence.litmus")
    (pytester.path / "other.c").write_text("int main(void) { return 0; }\n", "utf-8")
    assert run(pytester).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result = run(pytester, "--membar", "--collect-only", "-q")
    assert not [line for line in result.outlines if "other.c" in line]
    result = run(pytester, "--membar", "coherence.litmus::x86-tso")
    result.assert_outcomes(passed=1)


def test_the_plug_in_imports_nothing_heavy() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import membar.cli.pytest_plugin; "
        "print(sorted(name for name in set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "['membar', 'membar.cli', 'membar.cli.pytest_plugin']"


RIGHT = {
    "t.litmus": "X86 t\n(* Expected: sc HOLDS. *)\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nforall (x=1)\n",
    "t.c": "/* Expected: sc HOLDS. */\nint main(void) { return 0; }\n",
    "t.dve": "// Expected: sc HOLDS.\nint x = 0;\nprocess P { state a; init a; }\nsystem async;\n",
    "t.cub": "(* Expected: sc HOLDS. *)\nvar X : bool\ninit (z) { X = False }\nunsafe (z) { X = True }\n"
    "transition t (p)\nrequires { X = False }\n{ X := False; }\n",
}


def test_right_files_of_each_kind_pass_and_wrong_ones_fail(pytester: pytest.Pytester) -> None:
    for name, text in RIGHT.items():
        (pytester.path / name).write_text(text, "utf-8")
        (pytester.path / f"wrong{name}").write_text(text.replace("sc HOLDS", "sc VIOLATED"), "utf-8")
    result = run(pytester, "--membar", "-v")
    result.assert_outcomes(passed=4, failed=4)
    told = [line for line in result.outlines if line.startswith("expected VIOLATED, but the answer is")]
    assert told == ["expected VIOLATED, but the answer is HOLDS:"] * 4
    for name in RIGHT:
        result.stdout.fnmatch_lines([f"{name}::sc PASSED*"])
        result.stdout.fnmatch_lines([f"wrong{name}::sc FAILED*"])


def test_empty_and_binary_files_of_each_kind_are_no_tracebacks(pytester: pytest.Pytester) -> None:
    for name, text in RIGHT.items():
        first = text.split("\n")[text.startswith("X86")]
        (pytester.path / f"empty{name}").write_bytes(b"")
        (pytester.path / f"binary{name}").write_bytes(bytes(range(128, 256)))
        (pytester.path / f"half{name}").write_bytes(first.encode() + b"\n\xff\xfe\x00\n")
        (pytester.path / f"only{name}").write_text(first, "utf-8")
    result = run(pytester, "--membar", "-q")
    # Without a comment only a litmus test is one.
    result.assert_outcomes(failed=4 * 2 + 2)
    shown = result.stdout.str()
    assert "Traceback" not in shown
    assert "INTERNALERROR" not in shown
    assert shown.count("error[W") >= 10


TYPOS = [
    ("Expceted: sc HOLDS.", "1:4", "`Expceted:` before a verdict: did you mean `Expected:`?"),
    ("Expect: rc11 VIOLATED.", "1:4", "`Expect:` before a verdict: did you mean `Expected:`?"),
    ("Expected: sc HOLD.", "1:13", "states no verdict"),
    ("Expected: HOLDS.", "1:13", "states no verdict"),
    ("Expected: .", "1:13", "states no verdict"),
    ("Expected: sc HOLDS, rc11.", "1:23", "states no verdict"),
    ("Expected: sc HOLDS, sc VIOLATED.", "1:23", "the expected verdict under sc is stated twice"),
    ("Expected: sc HOLDS. Expected: sc HOLDS.", "1:33", "the expected verdict under sc is stated twice"),
]


def test_typos_in_the_comment_are_errors(pytester: pytest.Pytester) -> None:
    for number, (comment, _, _) in enumerate(TYPOS):
        (pytester.path / f"t{number}.c").write_text(f"/* {comment} */\nint main(void) {{}}\n", "utf-8")
    result = run(pytester, "--membar")
    result.assert_outcomes(failed=len(TYPOS))
    for number, (_, place, words) in enumerate(TYPOS):
        result.stdout.fnmatch_lines([f"error?W1445?:*{words}", f"*t{number}.c:{place}"])


def test_every_claim_of_a_file_is_a_test(pytester: pytest.Pytester) -> None:
    text = RIGHT["t.c"].replace(
        "HOLDS. */", "HOLDS. */\n/* Expected: rc11 HOLDS. Expected with --threads any: sc HOLDS. */"
    )
    (pytester.path / "t.c").write_text(text, "utf-8")
    result = run(pytester, "--membar", "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == ["t.c::sc", "t.c::rc11", "t.c::sc-any"]


@pytest.mark.full
def test_two_workers_do_the_same_and_ids_can_be_chosen(pytester: pytest.Pytester) -> None:
    copy(pytester, "litmus/store-buffering.litmus", "c/tas.c")
    (pytester.path / "t.c").write_text(RIGHT["t.c"].replace("sc HOLDS", "sc VIOLATED"), "utf-8")
    result = run(pytester, "--membar", "-p", "xdist", "-n", "2", "-k", "sc or x86", "-v")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    lines = " ".join(result.outlines)
    assert "store-buffering.litmus::x86-tso" in lines
    assert "expected VIOLATED, but the answer is HOLDS:" in result.outlines
    one = run(pytester, "--membar", "-k", "sc or x86")
    assert result.parseoutcomes().items() <= one.parseoutcomes().items()


def test_a_failure_shows_the_execution(pytester: pytest.Pytester) -> None:
    (pytester.path / "race.c").write_text(
        "/* Expected: rc11 HOLDS. */\n#include <pthread.h>\nint x;\n"
        "static void *w(void *p) { x = 1; return p; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0);\n  return x; }\n",
        "utf-8",
    )
    result = run(pytester, "--membar", "--junitxml", "log.xml")
    result.stdout.fnmatch_lines(
        ["*race.c under rc11*", "expected HOLDS, but the answer is VIOLATED:", "*main*|*w*", "*x <- 1*"]
    )
    assert "x &lt;- 1" in (pytester.path / "log.xml").read_text("utf-8")
