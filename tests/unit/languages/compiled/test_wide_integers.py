"""Integers of 128 bits, and atomic accesses of 16 bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.program.program import FIRST_ALIGNED
from membar.program.wide_cells import UNSET, numbers_of, word_of
from strategies.compiled_code import needs_clang
from tiers import first

pytestmark = needs_clang
MASK = (1 << 128) - 1
HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
typedef __int128 i128;
typedef unsigned __int128 u128;
"""


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(text: str, model: str = "rc11", **options: object) -> membar.Answer:
    Path("a.c").write_text(HEAD + text, encoding="utf-8")
    return membar.check("a.c", model=model, **options)  # type: ignore[arg-type]


def signed(number: int) -> int:
    return number - (1 << 128) if number >> 127 else number


UNSIGNED: Mapping[str, Callable[[int, int], int]] = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "(a & b) ^ (a | b)": lambda a, b: (a & b) ^ (a | b),
    "a << (b & 127)": lambda a, b: a << (b & 127),
    "a >> (b & 127)": lambda a, b: a >> (b & 127),
    "(u128)((i128)a >> (b & 127))": lambda a, b: signed(a) >> (b & 127),
    "a << 64 | a >> 64": lambda a, _: a << 64 | a >> 64,
    "(a >> 3) + (b << 77)": lambda a, b: (a >> 3) + (b << 77),
    "a < b": lambda a, b: int(a < b),
    "a >= b": lambda a, b: int(a >= b),
    "(i128)a < (i128)b": lambda a, b: int(signed(a) < signed(b)),
    "(i128)a <= (i128)b": lambda a, b: int(signed(a) <= signed(b)),
    "a == b || a != ~b": lambda a, b: int(a == b or a != ~b & MASK),
    "(u128)(int64_t)a - (uint32_t)b": lambda a, b: (
        ((a & (1 << 64) - 1) ^ 1 << 63) - (1 << 63) - (b & (1 << 32) - 1)
    ),
    "a ? b : 1": lambda a, b: b if a else 1,
    "twice(a) + -b": lambda a, b: 2 * a - b,
}
OVERFLOWS = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}


def test_only_the_top_bit_of_a_signed_number_is_its_sign() -> None:
    kinds = {"int64_t": (1 << 62, (1 << 63) - 1, -1), "int32_t": (1 << 30, -1 << 31), "uint32_t": (1 << 31,)}
    cases = [(kind, number) for kind, numbers in kinds.items() for number in numbers]
    variables = "".join(f"_Atomic {kind} v{i} = {number};\n" for i, (kind, number) in enumerate(cases))
    checks = "".join(
        f"  assert((i128)v{i} >> 64 == {-1 if number < 0 else 0} && (i128)v{i} == {number});\n"
        for i, (_, number) in enumerate(cases)
    )
    assert check(f"{variables}int main(void) {{\n{checks}  return 0;\n}}\n", "sc").verdict == "holds"


def test_overflow_is_that_of_integers() -> None:
    choose = random.Random(5)
    special = [0, 1, MASK, 1 << 127, (1 << 127) - 1, (1 << 64) - 1, 1 << 64, (1 << 64) + 1]
    lines: list[str] = []
    cases: list[int] = []
    for name, compute in OVERFLOWS.items():
        for type_, low, high in (("u128", 0, MASK), ("i128", -1 << 127, (1 << 127) - 1)):
            for _ in range(tiers.size(160)):
                size = choose.choice((1, 63, 64, 65, 128))
                one, other = (choose.choice([*special, choose.getrandbits(size)]) for _ in range(2))
                left, right = (signed(each) if low else each for each in (one, other))
                fits = low <= compute(left, right) <= high
                at = len(cases)
                cases += [one, other]
                lines.append(
                    f"  {{ {type_} r, a = number({at}), b = number({at + 1});"
                    f" assert(__builtin_{name}_overflow(a, b, &r) == {int(not fits)}); }}"
                )
    words = ", ".join(f"{{{each & (1 << 64) - 1}u, {each >> 64}u}}" for each in cases)
    text = (
        f"_Atomic uint64_t words[][2] = {{{words}}};\n"
        "static u128 number(int i) { return (u128)words[i][1] << 64 | words[i][0]; }\n"
        "int main(void) {\n" + "\n".join(lines) + "\n  return 0;\n}\n"
    )
    assert check(text, "sc").verdict == "holds"


def test_arithmetic_is_that_of_integers() -> None:
    choose = random.Random(7)
    special = [0, 1, MASK, 1 << 127, (1 << 127) - 1, (1 << 64) - 1, 1 << 64, 64, 63]

    def number() -> int:
        return choose.choice([choose.choice(special), choose.getrandbits(128), choose.getrandbits(64)])

    pairs = [(number(), number()) for _ in UNSIGNED]
    words = ", ".join(f"{{{a & (1 << 64) - 1}u, {a >> 64}u}}" for pair in pairs for a in pair)
    lines = []
    for index, pair in enumerate(pairs):
        text, compute = [*UNSIGNED.items()][index % len(UNSIGNED)]
        found = compute(*pair) & MASK
        a, b = f"of({2 * index})", f"of({2 * index + 1})"
        lines.append(
            f"{{ u128 a = {a}, b = {b}, c = {text}; assert((uint64_t)c == {found & (1 << 64) - 1}u);"
            f" assert((uint64_t)(c >> 64) == {found >> 64}u); }}"
        )
    answer = check(
        f"uint64_t in[][2] = {{{words}}};\n"
        "static u128 of(int i) { return (u128)in[i][1] << 64 | in[i][0]; }\n"
        "static u128 twice(u128 a) { return a + a; }\n"
        "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n",
        properties=("assertions",),
    )
    assert answer.verdict == "holds", answer


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("(i128)a * b", "holds"),
        ("((i128)1 << 120) * b * 64", "holds"),
        ("((i128)1 << 120) * b * 128", "violated"),
        ("-((i128)1 << 120) * b * 128", "holds"),
        ("((i128)1 << 126) + ((i128)b << 126)", "violated"),
        ("((i128)1 << 126) - ((i128)b << 126)", "holds"),
        ("-((i128)1 << 126) - ((i128)b << 126)", "holds"),
        ("-((i128)1 << 126) - ((i128)b << 126) - b", "violated"),
    ],
)
def test_signed_overflow_of_128_bits_is_found(value: str, verdict: str) -> None:
    text = f"long a = -0x7fffffffffffffff, b = 1; int main(void) {{ i128 c = {value}; return c == 1; }}\n"
    assert check(text, properties=("overflow",)).verdict == verdict


DIVISORS = (-3, -(1 << 70) - 5, (1 << 64) - 1, 1 << 64, (1 << 96) + 12345, -1)


@pytest.mark.parametrize("number", first(1, [-(1 << 126) - 77, 0, 12345, (1 << 127) - 1, (5 << 64) + 3]))
def test_quotients_and_remainders_are_those_of_integers(number: int) -> None:
    lines = []
    for by in DIVISORS if tiers.IS_FULL else DIVISORS[1:2]:
        for kind, a, b in (("u128", number & MASK, by & MASK), ("i128", number, by)):
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            expected = f"{_c(quotient)} && a % b == {_c(a - quotient * b)}"
            lines.append(f"{{ {kind} a = {_c(a)} + zero, b = {_c(b)} + zero; assert(a / b == {expected}); }}")
    text = "volatile int zero; int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
    assert check(text, properties=("assertions",)).verdict == "holds"


def _c(number: int) -> str:
    """A number of 128 bits in C, calculated without overflow."""
    if number < 0:
        return f"(-{_c(-number)})"
    cast = "u128" if number >> 127 else "i128"
    return f"((({cast}){number >> 64}u << 64) | {number & (1 << 64) - 1}u)"


@pytest.mark.parametrize("value", first(1, ["-a / (zero - 1)", "a / zero", "a % zero", "-a % (zero - 1)"]))
def test_divisions_without_a_result_are_found(value: str) -> None:
    least = "int main(void) { i128 a = ((i128)1 << 126) - 1 + ((i128)1 << 126);"
    text = f"volatile i128 zero; {least} a = {value.replace('-a', '(-a - 1)')}; return a == 1; }}\n"
    assert check(text, properties=("memory",)).verdict == "violated"


def test_what_is_not_expanded_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="the operation `mul` on i100"):
        check("_BitInt(100) a = 7; int main(void) { return a * 3 == 21; }\n")


def test_words_of_pairs_are_different_and_lead_back() -> None:
    top = (1 << 64) - 1
    numbers = [0, 1, 7, top, top - 5, 0x7EFF_FFFF, FIRST_ALIGNED, FIRST_ALIGNED + 0x1230, UNSET]
    words = {word_of(low, high): (low, high) for low in numbers for high in numbers}
    assert len(words) == len(numbers) ** 2
    assert all(word is not None and numbers_of(word) == both for word, both in words.items())
    assert word_of(1 << 40, 0) is word_of(0, top - (1 << 24)) is None
    assert word_of(0, 0) == 0


STACK = """
typedef struct node { struct node *next; int v; } node;
typedef struct { node *p; uint32_t tag; } head_t;  /* with padding */
_Atomic head_t head;
node one;
static void push(node *x, memory_order order) {
  head_t old = atomic_load_explicit(&head, memory_order_relaxed), new;
  new.p = x; new.tag = old.tag + 1; x->next = old.p;
  atomic_compare_exchange_strong_explicit(&head, &old, new, order, memory_order_relaxed);
}
static void *worker(void *order) { one.v = 1; push(&one, (memory_order)(long)order); return 0; }
int main(void) {
  pthread_t id; pthread_create(&id, 0, worker, (void *)ORDER);
  head_t h = atomic_load_explicit(&head, memory_order_acquire);
  if (h.p) assert(h.p->v == 1 && h.tag == 1);
  pthread_join(id, 0);
}
"""


@pytest.mark.parametrize("model", ["rc11", "sc", "x86-tso", "armv8", "power"])
def test_a_pointer_with_a_tag_is_one_event(model: str) -> None:
    assert check(STACK.replace("ORDER", "memory_order_release"), model).verdict == "holds"
    weak = check(STACK.replace("ORDER", "memory_order_relaxed"), model).verdict
    assert weak == ("holds" if model in ("sc", "x86-tso") else "violated")


COUNTER = """
_Atomic u128 c = ((u128)5 << 64) + 5;
static void *worker(void *a) { c += ((u128)1 << 64) + 1; return a; }
int main(void) {
  pthread_t id; pthread_create(&id, 0, worker, 0);
  u128 old = atomic_fetch_sub_explicit(&c, ((u128)1 << 64) + 1, memory_order_relaxed), now = c;
  assert((uint64_t)old == old >> 64 && (uint64_t)now == now >> 64);
  pthread_join(id, 0);
  assert(c == ((u128)5 << 64) + 5);
}
"""
LARGE = "_Atomic u128 c; int main(void) { c = (u128)1 << 50; assert(c == 0); }\n"
UNINITIALISED = """
typedef struct { long a, b; } pair;
int main(void) { _Atomic pair *p = malloc(16); pair q = atomic_load(p); return q.b == 3; }
"""


def test_read_modify_writes_of_16_bytes_are_one_step() -> None:
    for model in ("rc11", "x86-tso"):
        assert check(COUNTER, model).verdict == "holds"


def test_nothing_is_known_of_numbers_that_have_no_word() -> None:
    assert check(LARGE).verdict == "unknown"


def test_halves_that_were_never_set_are_found() -> None:
    found = check(UNINITIALISED)
    assert found.verdict == "violated"
    assert found.outcome.property == "memory"  # type: ignore[union-attr]


LARGE_OBJECT = """
typedef struct { long a, b, c; } three;
_Atomic three x;
static void *worker(void *a) { three v = {1, 1, 1}; atomic_store(&x, v); return a; }
int main(void) {
  pthread_t id; pthread_create(&id, 0, worker, 0);
  three v = atomic_load(&x), expected = {0, 0, 0}, new = {2, 2, 2};
  assert(v.a == v.b && v.b == v.c);
  _Bool done = atomic_compare_exchange_strong(&x, &expected, new);
  assert(done || (expected.a == 1 && expected.c == 1));
  pthread_join(id, 0);
}
"""


def test_larger_objects_have_a_lock() -> None:
    assert check(LARGE_OBJECT).verdict == "holds"


def test_calls_for_16_bytes_are_accesses() -> None:
    assert check(COUNTER, "riscv").verdict == "holds"
