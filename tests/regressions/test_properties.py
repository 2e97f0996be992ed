"""Each property means one thing, and is answered on its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.program.operations import WARNINGS
from membar.properties import PROPERTIES
from membar.questions.outcome import Unknown, Verdict
from membar.questions.repair import Repair
from membar.source import SourceFile

_INPUTS = Path(__file__).parent / "inputs"


def verdicts(result: membar.Answer) -> dict[str, str]:
    return {item.property: item.verdict.value for item in result.outcome.run.findings}


@pytest.mark.parametrize("properties", [None, ("races",)])
def test_a_race_is_a_violation_under_lkmm(properties: tuple[str, ...] | None) -> None:
    result = membar.check(_INPUTS / "kernel-race.c", model="lkmm", properties=properties)
    assert result.verdict == "violated"
    assert verdicts(result)["races"] == "violated"


@pytest.mark.parametrize("model", ["sc", "x86-tso", "armv8"])
def test_a_race_asked_by_name_is_no_flag_under_a_model_that_defines_none(model: str) -> None:
    text = (
        "#include <pthread.h>\nint x;\nvoid *w(void *a) { x = 1; return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); int r = x; (void)r;"
        " pthread_join(t, 0); return 0; }\n"
    )
    result = membar.check(SourceFile("racy.c", text), model=model, properties=("races",))
    assert (result.verdict, verdicts(result)["races"]) == ("violated", "violated")
    assert f"{model} defines no races" in " ".join(result.outcome.run.notes)
    by_default = membar.check(SourceFile("racy.c", text), model=model)
    assert by_default.verdict == "holds"
    assert by_default.outcome.run.flags == ("data-race",)


def test_misuse_of_a_lock_is_no_failed_assertion() -> None:
    text = _INPUTS / "rwlock-not-held.c"
    outcome = membar.check(text, properties=("assertions",)).outcome
    assert isinstance(outcome, Unknown)  # what follows has no meaning
    assert outcome.reason.startswith("locks was not selected, but is violated: ")
    assert verdicts(membar.check(text))["locks"] == "violated"


def test_a_call_of_abort_is_reported() -> None:
    found = membar.check(_INPUTS / "abort.c")
    assert (found.verdict, verdicts(found)["exits"]) == ("violated", "violated")
    assert found.witness is not None
    assert found.witness.message == "abort is called (line 15)"


@pytest.mark.full
def test_a_program_that_aborts_is_repaired() -> None:
    found = membar.repair(SourceFile.read(_INPUTS / "message-abort.c"), model="armv8")
    assert isinstance(found, Repair)
    assert [change.place.span.line for change in found.changes] == [7]


def test_a_mutex_that_is_locked_after_it_was_destroyed_is_reported() -> None:
    assert verdicts(membar.check(_INPUTS / "mutex-after-destroy.c"))["locks"] == "violated"


def test_a_barrier_that_is_initialised_twice_is_reported() -> None:
    assert verdicts(membar.check(_INPUTS / "barrier-initialised-twice.c"))["locks"] == "violated"


def test_an_engine_that_cannot_check_deadlock_does_not_say_that_all_holds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(_INPUTS / "two-locks-deadlock.c")
    code = cli.main(["check", path, "--engine", "states", "--model", "sc"])
    assert code in (1, 3)  # found, or not known
    assert "deadlock" in capsys.readouterr().out


def test_a_claim_is_answered_beside_a_deadlock() -> None:
    result = membar.check(_INPUTS / "deadlock.dve", ltl="G(x==0)")
    assert result.verdict == "violated"
    found = verdicts(result)
    assert found["deadlock"] == "violated"
    assert "holds" in (found.get("claims"), found.get("errors"))


_EXITS = """#include <stdlib.h>
int main({parameters}) {{ {body} }}
"""


@pytest.mark.parametrize(
    ("parameters", "body", "verdict"),
    [
        ("void", "return 1;", "violated"),
        ("void", "return 0;", "holds"),
        ("void", "exit(3);", "violated"),
        ("void", "exit(0);", "holds"),
        ("void", "_Exit(1);", "violated"),
        ("void", "__builtin_trap();", "violated"),
        ("void", "__builtin_unreachable();", "violated"),
        ("void", "int x = 1; if (x != 1) __builtin_unreachable();", "holds"),
        ("void", "int x = 1; switch (x) { case 1: break; default: __builtin_unreachable(); }", "holds"),
        ("void", "", "holds"),
        ("int argc, char **argv", "if (argc < 2) return 1; return 0;", "holds-within"),
        ("int argc, char **argv", "return argc > 1 ? argv[1][0] : 0;", "holds-within"),
    ],
)
def test_the_process_ends_with_exit_code_0(parameters: str, body: str, verdict: str) -> None:
    text = _EXITS.format(parameters=parameters, body=body)
    assert membar.check(SourceFile("p.c", text), model="sc").verdict == verdict


def test_an_assertion_counts_for_sv_comp_only_if_it_is_reach_error(tmp_path: Path) -> None:
    asked = tmp_path / "unreach-call.prp"
    asked.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n", encoding="utf-8")
    failing = "#include <assert.h>\nint main(void) { assert(0); return 0; }\n"
    reaching = "void reach_error() {}\nint main(void) { reach_error(); return 0; }\n"
    aborting = "#include <stdlib.h>\nint main(void) { abort(); return 0; }\n"
    results = [
        membar.check(SourceFile("p.c", text), property_file=asked) for text in (failing, reaching, aborting)
    ]
    assert [result.verdict for result in results] == ["holds", "violated", "holds"]
    assert all(result.model.name == "sc" for result in results)


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        ("G ! data-race", {"races"}),
        ("G valid-deref", {"memory"}),
        ("G valid-memcleanup", {"leaks"}),
        ("G ! overflow", {"overflow"}),
        ("F end", {"termination", "deadlock"}),
    ],
)
def test_a_property_file_asks_one_property(tmp_path: Path, formula: str, names: set[str]) -> None:
    asked = tmp_path / "asked.prp"
    asked.write_text(f"CHECK( init(main()), LTL({formula}) )\n", encoding="utf-8")
    text = "#include <stdlib.h>\nint main(void) { abort(); return 0; }\n"
    result = membar.check(SourceFile("p.c", text), property_file=asked)
    answered = {item.property for item in result.outcome.run.findings if item.reason != "not asked"}
    assert answered == names
    assert result.verdict == "holds"


def test_a_property_file_that_is_not_known_is_refused_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked, text = tmp_path / "asked.prp", tmp_path / "p.c"
    asked.write_text("CHECK( init(main()), LTL(G something) )\n", encoding="utf-8")
    text.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    assert cli.main(["check", str(text), "--property-file", str(asked)]) == 2
    assert "error[W1449]" in capsys.readouterr().err


# Every property, language and engine

_C = """#include <assert.h>
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *run(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  run(0);
  pthread_join(t, 0);
  assert(x == 2);
  return 0;
}
"""
_KERNEL = """#include <linux/atomic.h>
#include <pthread.h>
int x;
void *run(void *a) { WRITE_ONCE(x, 1); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); return 0; }
"""
_X86 = "X86 p\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n"
_PROMELA = "byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n"
_DVE = "byte x = 0;\nprocess A { state a, b; init a; trans a -> b { effect x = 1; }; }\nsystem async;\n"
_TEXT = "program p memory x : i32 thread T { 0 -> 1: store [&x] := 1 }\nthread U { 0 -> 1: r := load [&x] }\n"
_TEXTS = {"p.c": _C, "k.c": _KERNEL, "p.litmus": _X86, "p.pml": _PROMELA, "p.dve": _DVE, "p.mbp": _TEXT}
_CODES = {"holds": 0, "holds-within": 4, "violated": 1, "unknown": 3}
_ANSWERS = frozenset(Verdict)


_ENGINES = (None, "graphs", "states", "buffers", "reference")
# The engines differ in what they make of programs, not of languages: reading C again and again takes longest.
_ASKED = [
    pytest.param(file, engine, marks=pytest.mark.full if file == "p.c" and engine in _ENGINES[2:] else ())
    for file in sorted(_TEXTS)
    for engine in _ENGINES
]


@pytest.mark.parametrize(("file", "engine"), _ASKED)
def test_every_property_has_an_honest_line_or_is_refused(
    tmp_path: Path, file: str, engine: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / file
    path.write_text(_TEXTS[file], encoding="utf-8")
    model = "lkmm" if file == "k.c" and engine in (None, "graphs", "reference") else "sc"
    chosen = [] if engine is None else ["--engine", engine]
    for name in PROPERTIES:
        words = ["check", str(path), "--model", model, "--property", name, "--json", "--limit", "time=20s"]
        code = cli.main([*words, *chosen])
        captured = capsys.readouterr()
        if code == 2:
            assert "error[W0445]" in captured.err
            assert name in captured.err
            continue
        answer = json.loads(captured.out)
        line = next(item for item in answer["findings"] if item["property"] == name)
        assert line["verdict"] in _ANSWERS
        assert "warning" not in line
        assert line["verdict"] != "not-checked" or line["reason"]
        assert code == _CODES[answer["verdict"]]
        if answer["verdict"] == "holds":
            assert line["verdict"] == "holds"


@pytest.mark.parametrize("name", sorted(WARNINGS))
def test_warnings_do_not_count_unless_they_are_asked_for_by_name(name: str) -> None:
    text = (
        "#include <stdlib.h>\nint main(void) { int x = 2147483647; x = x + 1; int *p = malloc(4); *p = x;"
        " p = 0; return 0; }\n"
    )
    by_default = membar.check(SourceFile("p.c", text))
    assert by_default.verdict == "holds"
    finding = by_default.outcome.run.finding(name)
    assert finding is not None
    assert (finding.verdict, finding.is_warning) == (Verdict.VIOLATED, True)
    assert membar.check(SourceFile("p.c", text), properties=(name,)).verdict == "violated"


def test_several_properties_asked_by_name_are_all_answered() -> None:
    text = (
        "#include <assert.h>\n#include <stdlib.h>\n#include <pthread.h>\nint x;\n"
        "void *w(void *a) { x = 1; return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); if (x) abort(); pthread_join(t, 0);"
        " assert(x == 2); return 0; }\n"
    )
    result = membar.check(SourceFile("p.c", text), properties=("assertions", "exits", "races", "deadlock"))
    assert result.verdict == "violated"
    found = verdicts(result)
    assert (found["assertions"], found["exits"], found["races"]) == ("violated", "violated", "violated")
    assert found["deadlock"] in ("holds", "unknown")


@pytest.mark.parametrize("model", ["sc", "x86-tso", "armv8", "rc11"])
@pytest.mark.parametrize("name", ["assertions", "memory", "deadlock", "exits", "races"])
def test_what_only_warns_leaves_other_properties_known(model: str, name: str) -> None:
    text = """#include <limits.h>
    #include <stdlib.h>
    int main(int argc, char **argv) {
      int *lost = malloc(sizeof *lost);
      *lost = INT_MAX;
      *lost = *lost + 1;
      return 0;
    }
    """
    result = membar.check(SourceFile("p.c", text), model=model, properties=(name,))
    assert (result.verdict, verdicts(result)[name]) == ("holds", "holds")
