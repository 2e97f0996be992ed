# ruff: noqa: E501 - programs, one per line
"""Floating-point numbers in programs: what is calculated, and what decides no answer."""

from __future__ import annotations

import shutil

import pytest

import membar
import tiers
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEADERS = "#include <assert.h>\n#include <math.h>\n#include <stdatomic.h>\n#include <pthread.h>\n#include <string.h>\n"
# What is in front of `main`, what it does, the verdict, a part of what the answer says.
PROGRAMS = {
    "sums and products": ("double d = 0.1;", "d = d + 0.2; assert(d == 0.30000000000000004 && d != 0.3); d = d / 3 - 0.1; assert(d != 0);", "holds", ""),
    "numbers of 32 bits": ("float f = 0.1f; double d = 0.1;", "assert(f != d && (float)d == f && f * f == 0.010000001f);", "holds", ""),
    "a wrong sum": ("double d = 0.1;", "d = d + 0.2; assert(d == 0.3);", "violated", "assertion"),
    "integers": ("unsigned long u = ~0ul; float f = -1.5f;", "assert((double)u == 18446744073709551616.0 && (int)f == -1 && (long)(f * 1e18f) < 0);", "holds", ""),
    "an integer that is too large": ("double d = 1e20; int n;", "n = d;", "violated", "integer type cannot hold"),
    "a negative number without a sign": ("double d = -1; unsigned n;", "n = d;", "violated", "integer type cannot hold"),
    "functions": ("double d = -2.5; float f = 6.25f;", "assert(fabs(d) == 2.5 && floor(d) == -3 && ceil(d) == -2 && round(d) == -3 && rint(d) == -2 && trunc(d) == -2 && sqrtf(f) == 2.5f && fmod(d, 2) == -0.5 && fmin(d, f) == d && fmaxf(f, 7) == 7);", "holds", ""),
    "what is not a number": ("double z;", "double n = z / z; assert(n != n && !(n < 1) && !(n >= 1) && isnan(n) && isnan(n + 1));", "holds", ""),
    "infinities and zeros": ("double z;", "assert(1 / z > 1e308 && 1 / -z < -1e308 && -z == z);", "holds", ""),
    "the sign of what is not a number": ("double z;", "z = z / z; assert(__builtin_signbit(z));", "unknown", "its bits"),
    "the bits of what is not a number": ("double z;", "z = z / z; long n; memcpy(&n, &z, 8); assert(n > 0);", "unknown", "its bits"),
    "the bits of a number": ("double d = 3; float f = 0.5f;", "d = d / 2; f = -f; long n; int m; memcpy(&n, &d, 8); memcpy(&m, &f, 4); assert(n == 0x3ff8000000000000 && m == (int)0xbf000000);", "holds", ""),
    "bits that the program chose": ("long n = 0x7ff800000000beef; double d;", "memcpy(&d, &n, 8); double e = d; memcpy(&n, &e, 8); assert(n == 0x7ff800000000beef);", "holds", ""),
    "a sum with an exact product": ("double a = 3, b = 0.5, c = 0.1; float f = 2;", "assert(a * b + c == 1.6 && f * f + f == 6);", "holds", ""),
    "a sum with a rounded product": ("double a = 0.1, b = 0.1, c = -0.01;", "a = a * b + c; assert(a != 0);", "unknown", "rounded before"),
    "the root of a negative number": ("#include <errno.h>\nvolatile double d = -1;", "d = sqrt(d); assert(errno == 0);", "violated", "assertion"),
    "the root of a positive number": ("#include <errno.h>\nvolatile double d = 4;", "d = sqrt(d); assert(errno == 0 && d == 2);", "holds", ""),
    "other functions": ("double d = 1;", "d = sin(d); assert(d < 1);", "unknown", "floating-point"),
    "a sum that is only printed": ("#include <stdio.h>\ndouble a = 0.1, b = 0.1;", 'printf("%f", a * b + 1);', "holds", ""),
}  # fmt: skip
SUMS = """_Atomic double sum; double shared; pthread_mutex_t m;
void *add(void *p) { sum += 0.5; pthread_mutex_lock(&m); shared = shared * 2 + 0.25; pthread_mutex_unlock(&m); return 0; }
"""
TWO_THREADS = """pthread_t a, b; pthread_create(&a, 0, add, 0); pthread_create(&b, 0, add, 0); pthread_join(a, 0); pthread_join(b, 0);
assert(sum == 1 && shared == 0.75);"""


def answer(text: str, name: str = "floats.c", model: str = "sc") -> membar.Answer:
    return membar.check(SourceFile(name, text), model=model)


@needs_clang
@pytest.mark.parametrize("name", tiers.every(2, PROGRAMS))
def test_programs_with_floats(name: str) -> None:
    before, body, verdict, says = PROGRAMS[name]
    found = answer(f"{HEADERS}{before}\nint main(void) {{ {body} }}\n")
    assert found.verdict == verdict
    assert says in found.render("terminal")


@needs_clang
@pytest.mark.parametrize("model", tiers.first(2, ["rc11", "x86-tso", "armv8", "power"]))
def test_atomic_sums_of_threads(model: str) -> None:
    found = answer(f"{HEADERS}{SUMS}int main(void) {{ {TWO_THREADS} }}\n", model=model)
    assert found.verdict == "holds"


@needs_clang
@pytest.mark.parametrize(
    ("look", "verdict"),
    [
        ("long n; memcpy(&n, &s->v, 8); assert(n > 0);", "unknown"),
        ("char *c = (char *)&s->v; assert(!(c[7] & 0x80));", "unknown"),
        ("assert(copysign(1, s->v) > 0);", "unknown"),
        ("assert(s->v != s->v && s->n == 1);", "holds"),
    ],
)
def test_bits_may_be_looked_at_by_another_thread(look: str, verdict: str) -> None:
    text = f"""{HEADERS}#include <stdlib.h>
struct s {{ int n; double v; }};
double z;
void *write(void *p) {{ struct s *s = p; s->n = 1; s->v = z / z; return 0; }}
void *look(void *p) {{ struct s *s = p; {look} return 0; }}
int main(void) {{
  pthread_t t; struct s *s = malloc(sizeof *s);
  pthread_create(&t, 0, write, s); pthread_join(t, 0); pthread_create(&t, 0, look, s); pthread_join(t, 0); free(s);
}}
"""
    assert answer(text).verdict == verdict


@needs_clang
def test_a_sum_that_is_no_atomic_step_loses_updates() -> None:
    lost = SUMS.replace("sum += 0.5", "sum = sum + 0.5")
    found = answer(f"{HEADERS}{lost}int main(void) {{ {TWO_THREADS} }}\n")
    assert found.verdict == "violated"


@needs_clang
def test_atomic_sums_of_cpp() -> None:
    text = """#include <atomic>
#include <cassert>
#include <thread>
std::atomic<double> sum{0.5}; std::atomic<float> single;
int main() {
  std::thread other([] { sum.fetch_add(1.25); single = 0.5f; });
  sum += 2; sum -= 0.75; other.join();
  assert(sum == 3 && single.load() * 2 == 1);
}
"""
    assert membar.check(SourceFile("sums.cpp", text)).verdict == "holds"


@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no rustc")
def test_conversions_of_rust_saturate() -> None:
    text = """use std::sync::Mutex;
static M: Mutex<f64> = Mutex::new(-2.5);
fn main() {
    let v = *M.lock().unwrap();
    assert!(v as i32 == -2 && v as u8 == 0 && (v * 1e30) as i64 == i64::MIN);
    assert!(v.max(1.0) == 1.0 && v.floor() == -3.0 && v.abs().to_bits() == 0x4004_0000_0000_0000);
}
"""
    assert membar.check(SourceFile("saturate.rs", text)).verdict == "holds"


def test_arithmetic_that_compilers_may_change_is_not_followed() -> None:
    text = """@d = global double 5.0e-1
define i32 @main() {
  %x = load double, ptr @d
  %y = fadd FLAGS double %x, 1.0
  %c = fcmp oeq double %y, 1.5
  br i1 %c, label %good, label %bad
good:
  ret i32 0
bad:
  unreachable
}
"""
    assert answer(text.replace("FLAGS ", ""), "exact.ll").verdict == "holds-within"
    for flags in ("fast", "reassoc nsz"):
        found = answer(text.replace("FLAGS", flags), "fast.ll")
        assert (found.verdict, "floating-point" in found.render("terminal")) == ("unknown", True)
