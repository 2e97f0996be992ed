"""Clients of objects: notes, what is made of them, verdicts, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
import tiers
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.objects.annotations import read
from membar.objects.client import Size, clients, number_of_clients
from membar.objects.orders import Ordering
from membar.questions.object_under_test import object_of
from membar.questions.outcome import HoldsWithin, Unknown
from membar.questions.task import Limits
from membar.source import SourceFile

EXAMPLES = Path(__file__).parents[3] / "examples"
ATOMIC = """\
#include <stdatomic.h>
static atomic_int x;
// membar: object Register
// membar: operation write(fresh)
static void write(int v) { atomic_store_explicit(&x, v, memory_order_relaxed); }
// membar: operation read()
static int read(void) { return atomic_load_explicit(&x, memory_order_relaxed); }
"""


def ask(text: str, *, model: str = "sc", calls: int = 1, order: str = "causal") -> membar.Answer:
    return membar.check(SourceFile("o.c", text), client=Size(2, calls), model=model, order=Ordering(order))


def made(text: str, threads: int, calls: int) -> list[str]:
    return [item.text for item in clients(read(SourceFile("o.c", text)), Size(threads, calls))]


def test_clients_are_made_up_to_the_names_of_threads() -> None:
    assert made(ATOMIC, 2, 1) == ["write(1) || write(2)", "write(1) || read()", "read() || read()"]


def test_ranges_give_clients_of_their_own() -> None:
    text = ATOMIC.replace("write(fresh)", "write(1..2)").replace("// membar: operation read()", "")
    assert made(text, 2, 1) == ["write(1) || write(1)", "write(1) || write(2)", "write(2) || write(2)"]


def test_operations_of_some_threads_are_called_by_these_only() -> None:
    text = ATOMIC.replace("write(fresh)", "write(fresh) by 0").replace(
        "operation read()", "operation read() by 1"
    )
    assert made(text, 2, 1) == ["write(1) || read()"]


def test_threads_that_are_told_who_they_are_differ() -> None:
    text = ATOMIC.replace("write(fresh)", "write(thread)").replace("// membar: operation read()", "")
    assert made(text, 3, 1) == ["write() || write() || write()"]
    both = ATOMIC.replace("read()", "read(thread)", 1)
    assert len(made(both, 2, 1)) == 4


@pytest.mark.parametrize("arguments", ["fresh", "1..2", "thread"])
@pytest.mark.parametrize("size", [Size(2, 1), Size(2, 2), Size(3, 1)])
def test_clients_are_counted(arguments: str, size: Size) -> None:
    notes = read(SourceFile("o.c", ATOMIC.replace("write(fresh)", f"write({arguments})")))
    assert number_of_clients(notes, size) == len(list(clients(notes, size)))


def test_too_many_clients_are_refused() -> None:
    with pytest.raises(InputError) as problem:
        membar.check(SourceFile("o.c", ATOMIC), client=Size(9, 9), model="sc")
    assert problem.value.diagnostics[0].code == "W1357"
    with pytest.raises(InputError) as problem:
        membar.check(SourceFile("o.c", ATOMIC), client=Size(100, 100), model="sc")
    assert "there are about 10^2852 clients" in problem.value.diagnostics[0].message


def test_fresh_values_are_all_different() -> None:
    for item in clients(read(SourceFile("o.c", ATOMIC)), Size(3, 2)):
        given = [value for call in item.calls for value in call.arguments]
        assert len(given) == len(set(given))


def test_a_file_with_its_own_main_can_be_asked() -> None:
    assert ask(ATOMIC + "int main(void) { return 0; }\n").verdict == "holds-within"


def test_the_beginning_comes_before_all_calls() -> None:
    text = ATOMIC.replace("// membar: object", "// membar: begin setup()\n// membar: object")
    found = ask(text + "static void setup(void) { atomic_store(&x, 7); }\n")
    assert found.refutation is not None
    assert any(call.result == 7 for call in found.refutation.history.calls)


@pytest.mark.parametrize(
    ("model", "order", "verdict"),
    tiers.rows(
        3,
        [
            ("sc", "causal", "holds-within"),
            ("sc", "flush", "holds-within"),
            ("sc", "real-time", "holds-within"),
            ("x86-tso", "causal", "holds-within"),
            ("x86-tso", "flush", "holds-within"),
            ("x86-tso", "real-time", "violated"),
            ("rc11", "causal", "holds-within"),
            ("armv8", "causal", "holds-within"),
        ],
    ),
)
def test_a_relaxed_register_returns_before_its_store_is_seen(model: str, order: str, verdict: str) -> None:
    assert ask(ATOMIC, model=model, order=order, calls=2).verdict == verdict


def test_a_seq_cst_register_is_linearizable_in_real_time() -> None:
    text = ATOMIC.replace("memory_order_relaxed", "memory_order_seq_cst")
    assert ask(text, model="x86-tso", order="real-time", calls=2).verdict == "holds-within"


def test_two_registers_with_a_relaxed_message_between_are_not() -> None:
    text = """\
#include <stdatomic.h>
static atomic_int x, y;
// membar: object SnapshotPair
// membar: operation write(fresh, fresh)
static void write(int a, int b) {
  atomic_store_explicit(&x, a, memory_order_relaxed);
  atomic_store_explicit(&y, b, memory_order_relaxed);
}
// membar: operation read(out, out)
static void read(int *a, int *b) {
  *b = atomic_load_explicit(&y, memory_order_relaxed);
  *a = atomic_load_explicit(&x, memory_order_relaxed);
}
"""
    assert ask(text).verdict == "violated"


def test_what_waits_for_ever_is_pending() -> None:
    text = """\
#include <stdatomic.h>
static atomic_int x;
// membar: object Lock
// membar: operation acquire()
static void acquire(void) {
  int free;
  do
    free = 0;
  while (!atomic_compare_exchange_strong(&x, &free, 1));
}
// membar: operation try_acquire()
static int try_acquire(void) { int old = atomic_load(&x); atomic_store(&x, 1); return !old; }
"""
    found = ask(text, calls=2)
    assert found.verdict == "violated"
    right = text.replace(
        "int old = atomic_load(&x); atomic_store(&x, 1); return !old;", "return !atomic_exchange(&x, 1);"
    )
    held = ask(right, calls=2)
    assert held.verdict == "holds-within"
    assert "waits-forever" in held.outcome.run.flags


def test_a_stray_pointer_is_a_violation_of_memory() -> None:
    text = ATOMIC.replace("return atomic_load_explicit(&x, memory_order_relaxed);", "return *(int *)0;")
    found = ask(text)
    assert found.verdict == "violated"
    assert getattr(found.outcome, "property", "") == "memory"


def test_a_race_is_a_violation_under_a_model_of_the_language() -> None:
    text = "static int x;\n" + "\n".join(ATOMIC.splitlines()[2:])
    text = text.replace("atomic_store_explicit(&x, v, memory_order_relaxed)", "x = v")
    text = text.replace("atomic_load_explicit(&x, memory_order_relaxed)", "x")
    assert getattr(ask(text, model="rc11").outcome, "property", "") == "races"
    assert ask(text, model="sc").verdict == "holds-within"


def test_a_limit_gives_unknown_and_says_where() -> None:
    found = membar.check(
        EXAMPLES / "c/objects/treiber.c", client=Size(2, 2), model="sc", limits=Limits(executions=20)
    ).outcome
    assert isinstance(found, Unknown)
    assert "in the client push(1)" in found.reason


def test_a_bound_that_cut_something_is_named() -> None:
    found = membar.check(EXAMPLES / "c/objects/treiber.c", client=Size(2, 2), model="armv8").outcome
    assert isinstance(found, HoldsWithin)
    assert "without load buffering" in found.bound


FIGURES = [
    ("c/objects/seqlock.c", "x86-tso real-time", (0, 0), ((0, 1),)),
    ("c/objects/seqlock.c", "xc causal", (1, 0), ()),
    ("objects/seqlock.obj", "x86-tso real-time", (0, 0), ((0, 1),)),
    ("objects/seqlock.obj", "xc causal", (1, 0), ()),
]


@pytest.mark.parametrize(("file", "question", "result", "before"), FIGURES)
def test_the_histories_of_figures_4_and_9_are_found(
    file: str, question: str, result: tuple[int, int], before: tuple[tuple[int, int], ...]
) -> None:
    model, order = question.split()
    defines = ("NO_FENCES",) if file.endswith(".c") else ()
    found = membar.check(
        EXAMPLES / file, client=Size(2, 1), model=model, order=Ordering(order), defines=defines
    )
    assert found.refutation is not None
    history = found.refutation.history
    assert [call.result for call in history.calls] == [None, result]
    assert history.across == before
    assert [step.call for step in found.refutation.verdict.steps] == [0]


@pytest.mark.parametrize("order", tiers.every(2, ["causal", "flush"]))
def test_seqlock_is_linearizable_on_tso_without_fences(order: str) -> None:
    found = membar.check(
        EXAMPLES / "c/objects/seqlock.c",
        client=Size(2, 2),
        model="x86-tso",
        order=Ordering(order),
        defines=("NO_FENCES",),
    )
    assert found.verdict == "holds-within"


@pytest.mark.parametrize("fence", tiers.first(1, ["5", "3", "AFTER_5", "9", "AFTER_10"]))
def test_armv8_needs_each_fence_of_seqlock(fence: str) -> None:
    found = membar.check(
        EXAMPLES / "c/objects/seqlock.c", client=Size(2, 2), model="armv8", defines=(f"NO_FENCE_{fence}",)
    )
    assert found.verdict == "violated"


@pytest.mark.parametrize(
    ("model", "verdict"), [("sc", "holds-within"), ("x86-tso", "holds-within"), ("armv8", "violated")]
)
def test_the_seqlock_of_figure_7_lacks_fences_on_armv8(model: str, verdict: str) -> None:
    found = membar.check(EXAMPLES / "objects/seqlock-figure7.obj", client=Size(2, 1), model=model)
    assert found.verdict == verdict


BAD = [
    ("int x;\n", "W1341"),
    ("// membar: operation\n", "W1342"),
    ("// membar: objekt Stack\n// membar: operation f()\nvoid f(void) {}\n", "W1342"),
    ("// membar: begin f(1)\n// membar: operation f()\nvoid f(void) {}\n", "W1342"),
    ("// membar: operation f() by me\nvoid f(void) {}\n", "W1342"),
    ("// membar: operation f()\n// membar: operation f()\nvoid f(void) {}\n", "W1343"),
    ("// membar: operation g()\nvoid f(void) {}\n", "W1344"),
    ("// membar: operation f(int)\nvoid f(int x) {}\n", "W1345"),
    ("// membar: operation f(1..99)\nvoid f(int x) {}\n", "W1345"),
    ("// membar: object Stack\n// membar: operation f()\nvoid f(void) {}\n", "W1346"),
    ("// membar: object Stack\n// membar: operation push()\nvoid push(void) {}\n", "W1346"),
    ("// membar: operation f()\nvoid f(void) {}\n", "W1347"),
    ("// membar: object Heap\n// membar: operation f()\nvoid f(void) {}\n", "W1348"),
    ("// membar: object none.py:Heap\n// membar: operation f()\nvoid f(void) {}\n", "W1358"),
    ("// membar: object Stack\n// membar: operation pop()\nint pop(int a, int b) { return a; }\n", "W1351"),
]


@pytest.mark.parametrize(("text", "code"), BAD)
def test_bad_notes_are_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as problem:
        ask(text)
    assert problem.value.diagnostics[0].code == code


def test_a_specification_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(
        "class Bad:\n    def write(self, v):\n        raise ValueError('no')\n"
        "    def read(self):\n        return 0\n"
    )
    with pytest.raises(InputError) as problem:
        membar.check(SourceFile("o.c", ATOMIC), client=Size(2, 1), model="sc", spec=f"{tmp_path}/s.py:Bad")
    assert problem.value.diagnostics[0].code == "W1350"


OUTSIDE = {
    "a list of the class": "class S:\n    v = [0]\n    def write(self, v): self.v[0] = v\n"
    "    def read(self): return self.v[0]\n",
    "an attribute of the class": "class S:\n    v = 0\n    def write(self, v): S.v = v\n"
    "    def read(self): return self.v\n",
    "a class method": "class S:\n    v = 0\n    @classmethod\n    def _set(cls, v): cls.v = v\n"
    "    def write(self, v): self._set(v)\n    def read(self): return self.v\n",
    "a base class": "class B:\n    v = {}\nclass S(B):\n    def write(self, v): self.v[1] = v\n"
    "    def read(self): return self.v.get(1, 0)\n",
    "a global": "v = 0\nclass S:\n    def write(self, v_):\n        global v\n        v = v_\n"
    "    def read(self): return v\n",
    "a global deque": "import collections\nv = collections.deque([0])\nclass S:\n"
    "    def write(self, v_): v.append(v_)\n    def read(self): return v[-1]\n",
    "an object with slots": "class C:\n    __slots__ = ('v',)\nC0 = C()\nC0.v = 0\nclass S:\n"
    "    def write(self, v): C0.v = v\n    def read(self): return C0.v\n",
    "a default": "class S:\n    def _set(self, v, kept=[0]):\n        kept[0] = v or kept[0]\n"
    "        return kept[0]\n    def write(self, v): self._set(v)\n    def read(self): return self._set(0)\n",
    "an attribute of a method": "class S:\n    def write(self, v): S.write.v = v\n"
    "    def read(self): return getattr(S.write, 'v', 0)\n",
}
INSIDE = {
    "slots": "class S:\n    __slots__ = ('v',)\n    def __init__(self): self.v = 0\n"
    "    def write(self, v): self.v = v\n    def read(self): return self.v\n",
    "a list itself": "class S(list):\n    def write(self, v): self.append(v)\n"
    "    def read(self): return self[-1] if self else 0\n",
    "a deque": "import collections\nclass S:\n    def __init__(self): self.v = collections.deque([0])\n"
    "    def write(self, v): self.v.append(v)\n    def read(self): return self.v[-1]\n",
    "objects": "class N:\n    def __init__(self, v): self.v = v\nclass S:\n"
    "    def __init__(self): self.n = N(0)\n"
    "    def write(self, v): self.n.v = v\n    def read(self): return self.n.v\n",
    "a constant of the class": "class S:\n    first = [0]\n    def __init__(self): self.v = self.first\n"
    "    def write(self, v): self.v = [v]\n    def read(self): return self.v[0]\n",
    "one list with two names": "class S:\n    def __init__(self): self.v = self.w = [0]\n"
    "    def write(self, v): self.w[0] = v\n    def read(self): return self.v[0]\n",
}


def register_of_the_user(folder: Path, text: str) -> membar.Answer:
    (folder / "s.py").write_text(text)
    return membar.check(SourceFile("o.c", ATOMIC), client=Size(2, 2), model="sc", spec=f"{folder}/s.py:S")


@pytest.mark.parametrize("name", OUTSIDE)
def test_state_outside_of_the_instance_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        register_of_the_user(tmp_path, OUTSIDE[name])
    first = problem.value.diagnostics[0]
    assert first.code == "W1350"
    assert "is not part of the instance" in first.message


@pytest.mark.parametrize("name", tiers.every(3, INSIDE))
def test_state_may_be_anything_in_the_instance(name: str, tmp_path: Path) -> None:
    assert register_of_the_user(tmp_path, INSIDE[name]).verdict == "holds-within"


def test_a_specification_of_the_user_counts(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(
        "class Odd:\n    def __init__(self):\n        self.v = 0\n"
        "    def write(self, v):\n        self.v = v\n"
        "    def read(self):\n        return self.v + 1\n"
    )
    found = membar.check(
        SourceFile("o.c", ATOMIC), client=Size(2, 1), model="sc", spec=f"{tmp_path}/s.py:Odd"
    )
    assert found.verdict == "violated"


def test_orders_have_no_meaning_where_there_are_no_store_buffers() -> None:
    with pytest.raises(InputError) as problem:
        ask(ATOMIC, model="armv8", order="flush")
    assert problem.value.diagnostics[0].code == "W1352"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--client", "2,1", "--ltl", "G true"], "W1353"),
        (["--client", "2,1", "--engine", "buffers"], "W1353"),
        (["--engine", "objects"], "W1354"),
        (["--client", "2"], "W0400"),
        (["--client", "0,1"], "W0400"),
        (["--client", "-1,2"], "W0400"),
        (["--client", "2,1", "--infer"], "W1353"),
        (["--client", "2,1", "--shortest"], "W1353"),
        (["--order", "flush"], "W1354"),
        (["--spec", "Stack"], "W1354"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    words: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "o.c"
    file.write_text(ATOMIC)
    assert cli.main(["check", str(file), *words]) == 2
    assert code in capsys.readouterr().err


def test_a_size_that_is_negative_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "o.c", "--client", "-1,2"]) == 2
    assert "`-1` is not a positive whole number" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["-D", "A=1"],
        ["-I", "."],
        ["--unroll", "3"],
        ["--max-unroll", "3"],
        ["--buffers", "2"],
        ["--coherence", "all"],
        ["--no-symmetry"],
        ["--mapping", "x"],
        ["--brab", "2"],
    ],
)
def test_options_that_say_nothing_about_proofs_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", str(EXAMPLES / "objects/lock.obj"), *words]) == 2
    assert f"error[W1317]: {words[0]} does not apply to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("read", "write", "said"),
    [
        ("pass", "pass", "returns None from read, but calls return 1 value"),
        ("return (0, 0)", "pass", "returns (0, 0) from read, but calls return 1 value"),
        ("return 0", "return True", "returns 1 from write, but calls return nothing"),
    ],
)
def test_results_of_another_form_are_mistakes_of_the_specification(
    read: str, write: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "s.py").write_text(f"class S:\n    def read(self): {read}\n    def write(self, v): {write}\n")
    with pytest.raises(InputError) as problem:
        membar.check(SourceFile("o.c", ATOMIC), client=Size(2, 1), model="sc", spec=f"{tmp_path}/s.py:S")
    assert problem.value.diagnostics[0].code == "W1350"
    assert said in problem.value.diagnostics[0].message


def test_only_some_models_have_instructions_for_obj_files() -> None:
    with pytest.raises(InputError) as problem:
        membar.check(EXAMPLES / "objects/seqlock.obj", client=Size(2, 1), model="rc11")
    assert problem.value.diagnostics[0].code == "W1355"


def test_only_objects_have_clients() -> None:
    with pytest.raises(InputError) as problem:
        object_of(SourceFile("x.litmus", "X86 x\n"), None)
    assert problem.value.diagnostics[0].code == "W1356"


_FOR_EVER = [
    "local i; 1: x = 1; while (1) { 2: i = i + 1; }",
    "1: x = 1; 2: fence; goto 2;",
    "1: x = 1; await (0);",
    "local t; 1: x = 1; while (t < 100) { 2: t = x; }",
]


@pytest.mark.parametrize("body", _FOR_EVER)
@pytest.mark.parametrize(("effect", "expected"), [("y = 1", "holds-within"), ("y = y", "violated")])
def test_what_a_call_did_that_never_ends_is_seen(body: str, effect: str, expected: str) -> None:
    """A call that runs forever is pending: has it taken effect?"""
    text = f"""object never; shared x = 0; operation f() {{ {body} }}
        operation g() {{ local t; 3: t = x; 4: return t; }}
        specification {{ state y = 0; operation f() {{ {effect}; }} operation g() {{ return y; }} }}"""
    found = membar.check(SourceFile("never.obj", text), client=Size(2, 1), model="sc")
    assert found.verdict == expected
    if isinstance(found.outcome, HoldsWithin):
        assert "loops unrolled" in found.outcome.bound


def test_a_call_in_c_that_never_ends_is_pending() -> None:
    alone = ATOMIC.replace("write(fresh)", "write(fresh) by 0").replace("read()\n", "read() by 1\n")
    text = alone.replace("&x, v, memory_order_relaxed); }", "&x, 9, memory_order_relaxed); for (;;) v++; }")
    found = ask(text)
    assert found.verdict == "violated"
    assert found.refutation is not None
    assert [call.text for call in found.refutation.history.calls] == ["write(1) ...", "read() = 9"]
