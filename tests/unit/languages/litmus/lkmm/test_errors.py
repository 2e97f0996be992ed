"""Mistakes in kernel tests are located and explained."""

from __future__ import annotations

import pytest

from membar.diagnostics import Diagnostic, InputError
from unit.languages.litmus.lkmm.kernel import body_of


def found_in(code: str, **options: str) -> Diagnostic:
    with pytest.raises(InputError) as caught:
        body_of(code, **options)
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    ("code", "error", "message", "place"),
    [
        ("smp_mb(1);", "W0106", "`smp_mb` takes 0 arguments, not 1", "smp_mb(1)"),
        ("WRITE_ONCE(*x);", "W0106", "`WRITE_ONCE` takes 2 arguments, not 1", "WRITE_ONCE(*x)"),
        ("int r = READ_ONCE(x);", "W0106", "`READ_ONCE` takes an lvalue, but `x` is an address", "x"),
        ("int r; r = READ_ONCE(r);", "W0110", "`r` has no address", "r"),
        ("smp_mbb();", "W0105", "unknown function `smp_mbb`", "smp_mbb"),
        ("call_rcu(x, 1);", "W0105", "unknown function `call_rcu`", "call_rcu"),
        ("atomic_store(x, 1);", "W0110", "`atomic_store` is a C11 function", "atomic_store"),
        ("int r = atomic_try_cmpxchg(a, x, 1);", "W0106", "`x` is not the address of a local variable", "x"),
        ("struct list_head *p;", "W0112", "type `struct` is not supported", "struct"),
        ("int r = s->x;", "W0110", "structures are not supported", "->"),
        ("x = 1;", "W0106", "parameter `x` cannot be assigned", "x"),
        ("int r = r7;", "W0111", "undeclared name `r7`", "r7"),
        ("goto out;", "W0110", "`goto` is not supported", "goto"),
        ("continue;", "W0105", "`continue` outside a loop", "continue"),
    ],
)
def test_one_error(code: str, error: str, message: str, place: str) -> None:
    first = found_in(code)
    assert first.primary is not None
    assert (first.code, first.primary.span.text) == (error, place)
    assert message in first.message


def test_help_says_what_was_meant() -> None:
    assert found_in("int r = READ_ONCE(x);").help == "write `*x`"
    assert found_in("smp_mbb();").help == "did you mean `smp_mb`?"


def test_words_of_both_make_it_c11() -> None:
    first = found_in("atomic_init(x, 1); smp_mb();", word="C", parameters="int *x")
    assert first.message == "`smp_mb` is a function of the Linux kernel, but this is a C11 test"
