"""Large programs: limits count while they are translated, and what cannot be followed is refused or cut."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import membar
from membar.questions.outcome import Unknown
from membar.questions.task import Limits
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

# Many loops that are written out, 4,000 iterations each.
LONG = (
    "int r[4];\nint main(void) {\n"
    + "  for (int i = 0; i < 4000; i++) { r[0] = r[1] + i; r[1] = r[2] + i; }\n" * 20
    + "}\n"
)
TREE = """#include <stdlib.h>
typedef struct tree { int key; struct tree *left, *right; } tree;
void destroy(tree *t) { if (t) { destroy(t->left); destroy(t->right); free(t); } }
int main(void) { tree *t = malloc(sizeof *t); t->left = t->right = NULL; destroy(t); return 0; }
"""


def begin(tmp_path: Path, *words: str) -> subprocess.Popen[str]:
    """`membar check` of a long translation, in a process of its own: what it holds is not ours."""
    file = tmp_path / "long.c"
    file.write_text(LONG, "utf-8")
    command = [str(Path(sys.executable).with_name("membar")), "check", str(file), *words]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("time=0.05s", "the time limit of 0.05 s was reached"),
        ("memory=1M", "the memory limit of 1 MiB was reached"),
    ],
)
def test_limits_count_during_translation(limit: str, reason: str, tmp_path: Path) -> None:
    with begin(tmp_path, "--limit", limit) as process:
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "UNKNOWN under rc11" in told
    assert reason in " ".join(told.split())


# A line of 2^22 words.
MACROS = (
    "int x;\n#define A0 x++;\n"
    + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 23))
    + "int main(void) { A22 }\n"
)


@pytest.mark.parametrize("seconds", [0.05, 0.3])
def test_limits_count_in_the_preprocessor(seconds: float) -> None:
    start = time.process_time()
    found = membar.check(SourceFile("macros.c", MACROS), limits=Limits(seconds=seconds))
    assert time.process_time() - start < 10 * seconds + 1
    assert isinstance(found.outcome, Unknown)
    assert found.outcome.reason == f"the time limit of {seconds} s was reached while compiling the program"
    assert found.outcome.run.statistics.seconds >= seconds


def test_limits_count_while_c_is_asked_about_races() -> None:
    """More executions than can be looked at, whose races are sought in the time that is left."""
    adds = "for (int i = 0; i < 3; i++) { atomic_fetch_add(&n, 1); }"
    names = [f"t{i}" for i in range(8)]
    text = (
        "#include <pthread.h>\n#include <stdatomic.h>\natomic_int n; int last;\n"
        + f"void *f(void *a) {{ {adds} return 0; }}\nint main(void) {{\n"
        + "".join(f"pthread_t {name}; pthread_create(&{name}, 0, f, 0);\n" for name in names)
        + "".join(f"pthread_join({name}, 0);\n" for name in names)
        + "last = n;\n}\n"
    )
    start = time.process_time()
    membar.check(SourceFile("racy.c", text), model="sc", limits=Limits(seconds=0.5))
    assert time.process_time() - start < 5


def test_ctrl_c_ends_a_translation(tmp_path: Path) -> None:
    with begin(tmp_path) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in told


def test_a_large_allocation_costs_what_is_used_of_it() -> None:
    text = "#include <stdlib.h>\nint main(void) {\n  int *p = calloc(20000, 4);\n  p[5] = 1;\n  free(p);\n}\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    assert membar.check(SourceFile("large.c", text)).verdict == "holds"
    assert time.process_time() - start < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


def test_a_function_that_calls_itself_twice_does_not_explode() -> None:
    start = time.process_time()
    assert membar.check(SourceFile("tree.c", TREE)).verdict == "holds"
    assert time.process_time() - start < 20


def test_deeper_calls_than_can_be_followed_are_cut() -> None:
    text = (
        "int x, n = 14;\nint f(void) { if (n-- > 0) { f(); return 0; } x = 1; return 0; }\n"
        "int g(int d) { if (x > d) { g(d + 1); g(d + 2); } return 0; }\nint main(void) { f(); g(0); }\n"
    )
    found = membar.check(SourceFile("cut.c", text), model="sc")
    assert (found.verdict, "deeper recursion" in found.reason) == ("unknown", True)


def test_a_limit_names_the_pass_that_it_ends() -> None:
    text = (
        "int a[64][64];\nint main(void) { for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++)"
        " for (int k = 0; k < 4; k++) a[i][j] += a[j][(i + k) % 64]; return 0; }"
    )
    membar.check(SourceFile("small.c", "int main(void) { return 0; }"))  # the compiler has been found
    found = membar.check(SourceFile("loops.c", text), limits=Limits(seconds=0.4))
    assert isinstance(found.outcome, Unknown)
    reason = found.outcome.reason or ""
    assert reason.startswith("the time limit of 0.4 s was reached while ")
    assert "while reading the program" not in reason
    assert "shorter loops" in reason or "compiling" in reason or "linking" in reason
