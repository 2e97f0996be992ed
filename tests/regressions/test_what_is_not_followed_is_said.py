"""Executions that the translation of C leaves out: every engine names them, as a bound that membar chose."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.questions.outcome import HoldsWithin
from membar.source import SourceFile

_INPUT = """int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int x;
int main(void) { int n = __VERIFIER_nondet_int(); x = 1; if (n == 3) { x = 2; reach_error(); } return 0; }
"""
_SIZE = """int __VERIFIER_nondet_int(void);
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int k = 7;
int main(void) {
  if (__VERIFIER_nondet_int() == 1) return 0;
  k *= 3; char *b = malloc(k); assert(k < 15); free(b); return 0;
}
"""


def _check(text: str, **options: object) -> membar.Answer:
    return membar.check(SourceFile("text.c", text), model="sc", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        (_INPUT, "without inputs other than -1 to 2"),
        (_SIZE, "without memory of more than 8 elements where their number is not known"),
    ],
)
@pytest.mark.parametrize("unroll", tiers.first(1, [None, 2]))
@pytest.mark.parametrize("engine", ["graphs", "reference", "states", "buffers"])
def test_every_engine_names_the_bound_as_one_of_membar(
    text: str, bound: str, unroll: int | None, engine: str
) -> None:
    given = {} if unroll is None or engine == "buffers" else {"unroll": unroll}
    outcome = _check(text, engine=engine, properties=["assertions"], **given).outcome
    assert isinstance(outcome, HoldsWithin)
    assert outcome.bound.endswith(bound)  # the reference also unrolls the loop of a read-modify-write
    assert not outcome.chosen_by_user


@pytest.mark.parametrize("formula", ["<> (x == 1)", "[] (x != 2)"])
def test_a_run_that_is_not_followed_violates_no_claim(formula: str) -> None:
    answer = _check(_INPUT, ltl=formula, properties=["claims"], fair=["processes"])
    assert answer.verdict == "holds-within"
