"""Bad C: every message says what is wrong, where, and all of them come at once."""

from __future__ import annotations

import pytest

from membar.diagnostics import Diagnostic, InputError
from unit.languages.litmus.c.single import body_of, program_of


def found_in(code: str, *, parameters: str = "int* x, int* y", initial: str = "") -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        body_of(code, parameters=parameters, initial=initial)
    return caught.value.diagnostics


@pytest.mark.parametrize(
    ("code", "error", "message", "place"),
    [
        ("foo(x);", "W0105", "unknown function `foo`", "foo"),
        ("int r = atomic_laod(x);", "W0105", "unknown function `atomic_laod`", "atomic_laod"),
        ("atomic_init(y, READ_ONCE(*x));", "W0110", "`READ_ONCE` is a function of the Linux", "READ_ONCE"),
        ("int r = __atomic_add_unless{mb}(x, 1, 0);", "W0110", "is not C11", "__atomic_add_unless"),
        ("r0 = 1;", "W0111", "undeclared name `r0`", "r0"),
        ("int r0 = r1;", "W0111", "undeclared name `r1`", "r1"),
        ("if (1) { int r = 1; } r = 2;", "W0111", "undeclared name `r`", "r"),
        ("*z = 1;", "W0111", "undeclared name `z`", "z"),
        ("int r = atomic_load_explicit(x, memory_order_release);", "W0106", "a load cannot have the order",
         "memory_order_release"),
        ("int r = atomic_load_explicit(x, memory_order_acq_rel);", "W0106", "a load cannot have the order",
         "memory_order_acq_rel"),
        ("atomic_store_explicit(x, 1, memory_order_acquire);", "W0106", "a store cannot have the order",
         "memory_order_acquire"),
        ("atomic_compare_exchange_strong_explicit(x, y, 1, memory_order_seq_cst, memory_order_release);",
         "W0106", "a failed compare-exchange cannot have the order", "memory_order_release"),
        ("atomic_thread_fence(memory_order_seqcst);", "W0106", "`memory_order_seqcst` is not a memory order",
         "memory_order_seqcst"),
        ("atomic_thread_fence(3);", "W0106", "`3` is not a memory order", "3"),
        ("atomic_store(x);", "W0106", "`atomic_store` takes 2 arguments, not 1", "atomic_store(x)"),
        ("int r = atomic_load_explicit(x);", "W0106", "takes 2 arguments, not 1", "atomic_load_explicit(x)"),
        ("float r = 1;", "W0112", "type `float` is not supported", "float"),
        ("__int128_t r = *x;", "W0112", "type `__int128_t` is not supported", "__int128_t"),
        ("foo_t r = 1;", "W0112", "unknown type `foo_t`", "foo_t"),
        ("unsigned signed r;", "W0112", "`unsigned signed` is not a type", "unsigned signed"),
        ("int r = 1", "W0105", "expected `;`, found `}`", "1"),
        ("int r = ;", "W0105", "expected an expression, found `;`", ";"),
        ("int r = (1 + 2;", "W0105", "expected `)`, found `;`", ";"),
        ("if x { }", "W0105", "expected `(`, found `x`", "x"),
        ("int r = 1 @ 2;", "W0105", "unexpected character `@`", "@"),
        ("int 3;", "W0105", "expected the name of a local variable, found `3`", "3"),
        ("int r[2];", "W0110", "local arrays are not supported", "r["),
        ("goto end;", "W0110", "`goto` is not supported", "goto"),
        ("break;", "W0105", "`break` outside a loop", "break"),
        ("int r = 1; int r = 2;", "W0106", "`r` is declared twice", "r"),
        ("int r = 1; if (r) { int r = 2; }", "W0106", "`r` is declared twice", "r"),
        ("if (1) { int r; } else { long r; }", "W0106", "`r` is declared with two types", "r"),
        ("int x = 1;", "W0106", "`x` is already a parameter", "x"),
        ("x = y;", "W0106", "parameter `x` cannot be assigned", "x"),
        ("int r = 0; *r = 1;", "W0106", "`r` is not a pointer", "r"),
        ("int r = 0; int s = atomic_load(r);", "W0106", "`r` is not a pointer", "r"),
        ("int r = 0; int* p = &r;", "W0110", "`r` has no address", "&r"),
        ("int** p = &x;", "W0106", "`x` is already an address", "&x"),
        ("1 = 2;", "W0106", "`1` cannot be assigned", "1"),
        ("int r = x->next;", "W0110", "structures are not supported", "->"),
        ("int r = sizeof(int);", "W0110", "`sizeof` is not supported", "sizeof"),
        ("int r = 1 / 0;", "W0106", "division by zero", "1 / 0"),
        ("int r = x * 2;", "W0106", "`*` cannot be applied to a `int*`", "x * 2"),
        ("int r = 12ab;", "W0106", "`12ab` is not an integer", "12ab"),
        ("long r = 99999999999999999999;", "W0106", "does not fit in 64 bits", "99999999999999999999"),
        ("x[1] = 2;", "W0106", "this is outside `x`", "x[1] = 2"),
        ("*(char*)x = 2;", "W0109", "1 bytes of `x`, which has 4", "*(char*)x = 2"),
        ("int r = 1; int s = r + (r = 2);", "W0106", "`r` is modified and used", "r + (r = 2)"),
        ("int r = 1; r = r++;", "W0106", "`r` is modified and used without sequencing", "r = r++"),
        ("int r = *x + (*x ? *y : 1);", "W0110", "C does not specify the order of these accesses",
         "*x + (*x ? *y : 1)"),
        ("/* never", "W0101", "this comment never ends", "/*"),
        ("while (1) { *x = 1;", "W0105", "this block never ends", "P0"),
    ],
)  # fmt: skip
def test_one_error(code: str, error: str, message: str, place: str) -> None:
    first = found_in(code)[0]
    assert first.code == error
    assert message in first.message
    assert first.primary is not None
    assert first.primary.span.text == place


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ("int x", "W0112", "parameter `x` is not a pointer"),
        ("foo* x", "W0112", "unknown type `foo`"),
        ("struct s* x", "W0112", "type `struct` is not supported"),
        ("void* x", "W0112", "type `void` is not supported"),
        ("int* x, int* x", "W0106", "parameter `x` occurs twice"),
        ("int* x int* y", "W0105", "expected `,` or `)` after a parameter"),
        ("int*", "W0105", "expected the name of a shared location"),
    ],
)
def test_bad_parameters(parameters: str, error: str, message: str) -> None:
    first = found_in("", parameters=parameters)[0]
    assert first.code == error
    assert message in first.message


@pytest.mark.parametrize(
    ("initial", "error", "message"),
    [
        ("__int128_t x = 1;", "W0112", "type `__int128_t` of `x` is not supported"),
        ("int64_t x = 1;", "W0109", "`x` has 4 bytes here and 8 elsewhere"),
        ("x=&q;", "W0104", "unknown location `q`"),
        ("0:q=1;", "W0111", "thread 0 has no local variable `q`"),
        ("4:q=1;", "W0111", "there is no thread 4"),
        ("0:r=q;", "W0104", "unknown location `q`"),
        ("%a=1;", "W0110", "C tests have no symbolic registers"),
    ],
)
def test_bad_initial_states(initial: str, error: str, message: str) -> None:
    first = found_in("int r;", initial=initial)[0]
    assert first.code == error
    assert message in first.message


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("C t\n{}\nforall (true)\n", "W0103", "the test has no threads"),
        ("C t\n{}\nP0 () {} P0 () {}\nforall (true)\n", "W0103", "thread `P0` is defined twice"),
        ("C t\n{}\nP0 () {} P2 () {}\nforall (true)\n", "W0103", "thread `P1` is missing"),
        ("C t\n{}\nQ0 () {}\nforall (true)\n", "W0105", "expected a thread such as `P0"),
        ("C t\n{}\nP0 (int* x) {}\nexists (0:r0=1)\n", "W0111", "thread 0 has no local variable `r0`"),
        ("C t\n{}\nP0 (int* x) {}\nexists (1:r0=1)\n", "W0111", "there is no thread 1"),
        ("C t\n{ int v[2]; }\nP0 () {}\nexists (v[2]=1)\n", "W0104", "`v` has no element 2"),
        ("C t\n{}\nP0 (int* x) {} P1 (long* x) {}\nexists (x=1)\n", "W0109", "8 bytes here and 4 elsewhere"),
        ("C t\n{}\nP0 () { *x = 1; } P1 (int* x) {}\nexists (x=1)\n", "W0104", "not a parameter"),
    ],
)  # fmt: skip
def test_bad_tests(text: str, error: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        program_of(text)
    first = caught.value.diagnostics[0]
    assert first.code == error
    assert message in first.message
    assert first.primary is not None


def test_all_errors_are_reported_in_order() -> None:
    text = """C many
{}
P0 (int* x) {
  int r0 = foo(x);
  r1 = 2;
  *x = r0;
  if (r9) { *y = 1; }
}
P1 (int* x) {
  atomic_store_explicit(x, 1, memory_order_acquire);
}
exists (0:r0=1 /\\ 7:r0=1)
"""
    with pytest.raises(InputError) as caught:
        program_of(text)
    lines = [found.primary.span.line for found in caught.value.diagnostics if found.primary]
    assert lines == sorted(lines)
    assert lines[:5] == [4, 5, 7, 7, 10]
    assert len(lines) >= 6


def test_a_syntax_error_does_not_hide_the_next_one() -> None:
    code = "int r0 = ;\n  *x = 1;\n  int r1 = 2 +;"
    text = f"C two\n{{}}\nP0 (int* x) {{\n  {code}\n}}\nP1 (int x) {{ }}\nexists (0:r0=1)\n"
    with pytest.raises(InputError) as caught:
        program_of(text)
    assert [found.primary.span.line for found in caught.value.diagnostics if found.primary] == [4, 6, 8]


def test_deep_nesting_is_refused_politely() -> None:
    (found,) = found_in(f"int r = {'(' * 5000}1{')' * 5000};")
    assert "nested too deeply" in found.message


@pytest.mark.parametrize(
    ("code", "help_"),
    [
        ("int r = atomic_laod(x);", "did you mean `atomic_load`?"),
        ("int reg = 1; int s = rge;", "did you mean `reg`?"),
        ("atomic_thread_fence(memory_order_seqcst);", "did you mean `memory_order_seq_cst`?"),
        ("int r = 1", "write `1;`"),
    ],
)
def test_help_names_the_likely_fix(code: str, help_: str) -> None:
    assert found_in(code)[0].help == help_
