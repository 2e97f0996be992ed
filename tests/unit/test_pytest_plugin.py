"""`pytest --membar`, run by pytest: what is collected, what passes, and what failures say."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from membar import api, pytest_plugin

pytest_plugins = ["pytester"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our plug-in by its module, without what else is installed: that is quicker."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    # Not in this process: pytester forgets what is imported in between, and classes would be there twice.
    return pytester.runpytest_subprocess("-p", "membar.pytest_plugin", "-p", "no:cacheprovider", *words)


def copy(pytester: pytest.Pytester, *names: str) -> None:
    for name in names:
        (pytester.path / Path(name).name).write_text((EXAMPLES / name).read_text("utf-8"), "utf-8")


def test_the_entry_point_is_installed() -> None:
    found = {point.name: point.value for point in entry_points(group="pytest11")}
    assert found.get("membar") == "membar.pytest_plugin", "run `make setup`: pyproject.toml is newer"


def test_every_language_of_programs_and_systems_is_collected() -> None:
    known = {suffix for frontend in api.frontends() for suffix in frontend.suffixes}
    assert set(pytest_plugin.SUFFIXES) == known | {".cub"}


def test_each_file_and_model_is_a_test(pytester: pytest.Pytester) -> None:
    copy(pytester, "store-buffering.litmus", "peterson.dve", "flags.cub", "tas-relaxed.c", "tas.c")
    copy(pytester, "any-n/naive-mutex-relaxed.c", "any-n/naive-mutex.c", "wait-for-ever.mbp")
    wanted = [
        "store-buffering.litmus::sc",
        "store-buffering.litmus::x86-tso",
        "flags.cub::x86-tso",
        "peterson.dve::x86-tso",
        "tas-relaxed.c::rc11",
        "naive-mutex-relaxed.c::x86-tso-any",
        "wait-for-ever.mbp::sc",
    ]
    result = run(pytester, "--membar", "-v", *wanted)
    assert [line.split()[:2] for line in result.outlines if "::" in line] == [
        [name, "PASSED"] for name in wanted
    ]
    assert result.ret == 0
    everything = run(pytester, "--membar", "-q", "--collect-only")
    assert set(wanted) <= set(everything.outlines)


def test_another_verdict_fails_with_the_report(pytester: pytest.Pytester) -> None:
    text = (EXAMPLES / "store-buffering.litmus").read_text("utf-8")
    (pytester.path / "sb.litmus").write_text(text.replace("x86-tso VIOLATED", "x86-tso HOLDS"), "utf-8")
    system = (EXAMPLES / "flags.cub").read_text("utf-8").replace("x86-tso VIOLATED", "x86-tso HOLDS")
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


def test_a_limit_is_a_failure_unless_unknown_was_expected(pytester: pytest.Pytester) -> None:
    text = (EXAMPLES / "store-buffering.litmus").read_text("utf-8")
    (pytester.path / "sb.litmus").write_text(text, "utf-8")
    (pytester.path / "u.litmus").write_text(text.replace("sc HOLDS", "sc UNKNOWN"), "utf-8")
    pytester.makeini("[pytest]\nmembar_limit = executions=1\n")
    result = run(pytester, "--membar", "-k", "sc")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["expected HOLDS, but the answer is UNKNOWN:"])
    run(pytester, "--membar", "-k", "sc", "--membar-limit", "time=20s").assert_outcomes(passed=1, failed=1)


def test_a_litmus_test_without_a_comment_must_hold(pytester: pytest.Pytester) -> None:
    text = (EXAMPLES / "store-buffering.litmus").read_text("utf-8").replace("Expected:", "They say:")
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
    copy(pytester, "coherence.litmus")
    result = run(pytester, "--membar", "--membar-limit", "soon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*membar_limit: `soon` is not a limit such as time=10s or memory=2G*"])


def test_other_files_and_runs_without_the_switch_are_left_alone(pytester: pytest.Pytester) -> None:
    copy(pytester, "coherence.litmus")
    (pytester.path / "other.c").write_text("int main(void) { return 0; }\n", "utf-8")
    assert run(pytester).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result = run(pytester, "--membar", "--collect-only", "-q")
    assert not [line for line in result.outlines if "other.c" in line]
    result = run(pytester, "--membar", "coherence.litmus::x86-tso")
    result.assert_outcomes(passed=1)


def test_the_plug_in_imports_nothing_heavy() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import membar.pytest_plugin; "
        "print(sorted(name for name in set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "['membar', 'membar.pytest_plugin']"
