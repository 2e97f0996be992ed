"""The checker of bounded clients gives the right answer to questions whose answers are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import MappingProxyType

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.objects import client
from membar.objects.annotations import read
from membar.objects.history import Call, History, program_order
from membar.objects.linearize import linearizations, verdict
from membar.objects.orders import Ordering, least_excluding
from membar.objects.spec import SHIPPED, Specification
from membar.questions.outcome import HoldsWithin
from membar.source import SourceFile
from unit.objects.test_clients import ATOMIC
from unit.objects.test_linearize import brute_force, random_history, random_order

EXAMPLES = Path(__file__).parents[2] / "examples"
STALE = ATOMIC.replace("atomic_load_explicit(&x", "atomic_load_explicit(&y").replace("int x;", "int x, y;")
BEGUN = ATOMIC.replace("// membar: object", "// membar: begin setup()\n// membar: object")
BEGUN += "static void setup(void) { atomic_store(&x, 7); }\n"
# Whoever increments second waits forever, and only then a read is wrong.
WAITING = """\
#include <stdatomic.h>
static atomic_int x, w;
// membar: object Counter
// membar: operation increment()
static int increment(void) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&x, &none, 1)) {
    atomic_store(&w, 1);
    while (atomic_load(&x))
      ;
  }
  return 0;
}
// membar: operation read()
static int read(void) { return atomic_load(&w) ? 5 : atomic_load(&x); }
"""
QUEUE = """\
// membar: object Queue2
// membar: operation enqueue(fresh) by 0
static int enqueue(int v) { return v > 0; }
// membar: operation dequeue() by 1
static int dequeue(void) { return -1; }
"""

LARGE = "shared x = 9223372036854775807;"
BEYOND = "operation f() { return 9223372036854775808; }"
NUMBERS = (
    (f"{LARGE} operation f() {{ local t; 1: t = x + 1; return t; }}", BEYOND, "sc", "unknown"),
    (f"{LARGE} operation f() {{ local t; 1: fetch_add(x, 1); t = x; return t; }}", BEYOND, "sc", "unknown"),
    (f"{LARGE} operation f() {{ local t; 1: t = x; return t + 1; }}", BEYOND, "sc", "unknown"),
    (
        "shared x = 4611686018427387905;"
        "operation f() { local t; 1: t = x; if (t * 4 > 0) return 1; return 0; }",
        "operation f() { return 1; }",
        "sc",
        "unknown",
    ),
    (
        "shared b[2] = 5; operation f() { local t, i; i = 2305843009213693952; 1: t = b[i]; return t; }",
        "operation f() { return 5; }",
        "sc",
        "unknown",
    ),
    (
        f"shared x = 1; operation f() {{ local t; 1: t = x; {'t = t + t;' * 64} return t; }}",
        "operation f() { return 18446744073709551616; }",
        "sc",
        "unknown",
    ),
    ("private p = 9223372036854775808; operation f() { return p; }", BEYOND, "sc", "unknown"),
    (
        "shared x; operation f() { local t; 1: t = x; 2: x = t + t + 1; return t; }",
        "state y; operation f() { y = y + y + 1; return y / 2; }",
        "sc",
        "violated",
    ),
)
FOR_EVER = """object o; shared x; operation f() { local i; 1: x = 1; while (1) { 2: i = i + 1; } }
operation g() { local t; 3: t = x; return t; }
specification { state y; operation f() { y = y; } operation g() { return y; } }"""
_WRITES = "    def write(self, v): self.v[0] = v\n    def read(self): return self.v[0]\n"
SPECIFICATIONS = (
    (f"class S:\n    v = [0]\n{_WRITES}", True),
    ("class S:\n    def write(self, v): S.read.v = v\n"
     "    def read(self): return getattr(S.read, 'v', 0)\n", True),
    ("v = [0]\nclass S:\n    def write(self, n): v[0] = n\n    def read(self): return v[0]\n", True),
    (f"class S:\n    def __init__(self): self.v = self.w = [0]\n{_WRITES}", False),
    ("class S(list):\n    def write(self, v): self.append(v)\n"
     "    def read(self): return self[-1] if self else 0\n", False),
)  # fmt: skip


def _verdict(source: SourceFile | Path, calls: int, model: str, order: str = "causal", *defines: str) -> str:
    size = client.Size(2, calls)
    return membar.check(source, client=size, model=model, order=Ordering(order), defines=defines).verdict


_READ = "operation read() { local t; 3: t = x; 4: return t; } "
_MEANT = "specification { state y = 0; operation f(v) { y = v; } operation read() { return y; } }"
CALLED = [
    (f"object o; shared x = 0; operation f(v) {{ 1: x = v; }} {_READ}{_MEANT}", "calls f(fresh)"),
    (f"object o; shared x = 0; operation f(v) {{ if (v != 77) {{ 1: x = v; }} }} {_READ}{_MEANT}", "Viol"),
    (
        "object o; shared x = 0; private q = 0; operation f(v) requires q == 1 { 1: x = v; }"
        f" {_READ}{_MEANT}",
        "f never",
    ),
    (
        "object o; shared x = 1; operation f(v) { local t; 1: t = cas(x, v, v); 2: return t; }"
        "specification { operation f(v) { return 0; } }",
        "Viol",
    ),
    (
        "object o; shared x = 0; operation f(v) { 1: x = v; }"
        "operation g(w) { local t; 3: t = x; if (t == w) { return 0; } return 1; }"
        "specification { state y = 0; operation f(v) { y = v; }"
        " operation g(w) { return w != 0 || y != 0; } }",
        "Viol",
    ),
    (
        "object o; shared x[2] = 5; operation f(v) requires 0 <= v && v < 9 { local t; 1: t = x[v % 2];"
        " return t; } specification { operation f(v) { return v == 1 ? 6 : 5; } }",
        "Viol",
    ),
]  # objects, and what stands in the bound, or is the answer


def _text(text: str) -> SourceFile:
    return SourceFile("o.c", text)


def _searched() -> bool:
    """The search for linearizations is right about random histories."""
    waiting = Call(thread=1, operation="acquire", pending=True)
    history = History((Call(thread=0, operation="acquire"), waiting), frozenset())
    if not verdict(history, Specification(SHIPPED["Lock"])).linearizable:
        return False
    random = Random(3)
    for name in ("Queue", "Lock", "Register"):
        specification = Specification(SHIPPED[name])
        for _ in range(60):
            history = random_history(random, name)
            if verdict(history, specification).linearizable != brute_force(history, name):
                return False
    return True


def _excluded() -> bool:
    """The least excluding orders are right about random histories."""
    random = Random(4)
    specification = Specification(SHIPPED["Queue"])
    for _ in range(40):
        history = random_history(random, "Queue")
        ordered = program_order(call.thread for call in history.calls)
        least = least_excluding(linearizations(History(history.calls, ordered), specification), ordered)
        order = random_order(random, list(history.calls))
        expected = brute_force(History(history.calls, order), "Queue")
        if expected != (not any(item <= order for item in least)):
            return False
    return True


def _ordered() -> bool:
    """Messages tell the orders apart."""
    return (
        _verdict(_text(STALE), 1, "sc") == "violated"
        and _verdict(_text(ATOMIC), 1, "x86-tso", "real-time") == "violated"
        and _verdict(_text(ATOMIC), 2, "x86-tso", "flush") == "holds-within"
        and _verdict(_text(ATOMIC), 2, "sc", "real-time") == "holds-within"
    )


def _made() -> bool:
    """Clients are those that the notes allow, and all of them."""
    both = client.Size(2, 1)
    free = [item.text for item in client.clients(read(_text(ATOMIC)), both)]
    bound = [item.text for item in client.clients(read(_text(QUEUE)), both)]
    return free == ["write(1) || write(2)", "write(1) || read()", "read() || read()"] and bound == [
        "enqueue(1) || dequeue()"
    ]


def _begun() -> bool:
    """What comes first comes first."""
    return _verdict(_text(BEGUN), 1, "sc") == "violated"


def _waited() -> bool:
    """Calls that wait forever are seen."""
    return _verdict(_text(WAITING), 2, "sc") == "violated"


def _objects() -> bool:
    """Objects in their own language do what they say."""
    return (
        _verdict(EXAMPLES / "objects/counter.obj", 2, "x86-tso") == "holds-within"
        and _verdict(EXAMPLES / "objects/seqlock.obj", 2, "sc") == "holds-within"
        and _verdict(EXAMPLES / "objects/seqlock.obj", 1, "x86-tso", "real-time") == "violated"
        and _verdict(EXAMPLES / "objects/seqlock-armv8.obj", 1, "armv8") == "holds-within"
    )


def _bounded() -> bool:
    """The verdict says what was left out."""
    outcome = membar.check(EXAMPLES / "c/objects/treiber.c", client=client.Size(2, 1), model="armv8").outcome
    return isinstance(outcome, HoldsWithin) and "without load buffering" in outcome.bound


def _fitted() -> bool:
    """What 64 bits cannot hold has no verdict; what they hold has the right one."""
    return all(
        _verdict(SourceFile("o.obj", f"object o; {text} specification {{ {meant} }}"), 1, model) == expected
        for text, meant, model, expected in NUMBERS
    )


def _ended() -> bool:
    """Calls that run forever are seen, and that they do not end is told."""
    found = membar.check(SourceFile("o.obj", FOR_EVER), client=client.Size(2, 1), model="sc")
    return found.verdict == "violated"


def _called() -> bool:
    """Arguments are those that matter, and the bound says what was never called."""
    for text, expected in CALLED:
        outcome = membar.check(SourceFile("o.obj", text), client=client.Size(2, 1), model="sc").outcome
        told = outcome.bound if isinstance(outcome, HoldsWithin) else type(outcome).__name__
        if expected not in told:
            return False
    return True


def _kept_inside() -> bool:
    """State outside of the instance is refused; state of any kind inside is followed."""
    with TemporaryDirectory() as folder:
        for text, is_refused in SPECIFICATIONS:
            file = Path(folder) / "s.py"
            file.write_text(text)
            try:
                size, named = client.Size(2, 2), f"{file}:S"
                found = membar.check(_text(ATOMIC), client=size, model="sc", spec=named)
            except InputError:
                if not is_refused:
                    return False
            else:
                if is_refused or found.verdict != "holds-within":
                    return False
    return True


QUESTIONS: Mapping[str, Callable[[], bool]] = MappingProxyType(
    {
        "searched": _searched,
        "excluded": _excluded,
        "ordered": _ordered,
        "made": _made,
        "begun": _begun,
        "waited": _waited,
        "objects": _objects,
        "bounded": _bounded,
        "fitted": _fitted,
        "ended": _ended,
        "called": _called,
        "kept inside": _kept_inside,
    }
)


@pytest.mark.parametrize("question", tiers.every(3, QUESTIONS))
def test_the_answer_is_right(question: str) -> None:
    assert QUESTIONS[question]()
