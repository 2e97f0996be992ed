"""A range of inputs that the program gave was no bound, and one without values made every assertion hold."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

PROGRAM = """#include <assert.h>
#define MEMBAR_NONDET_MIN ({})
#define MEMBAR_NONDET_MAX ({})
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {{ {} return 0; }}
"""


@needs_clang
@pytest.mark.parametrize(("low", "high", "verdict"), [(0, 9, "holds-within"), (-5, -1, "unknown")])
def test_a_range_of_inputs_is_a_bound(low: int, high: int, verdict: str) -> None:
    text = PROGRAM.format(low, high, "unsigned k = __VERIFIER_nondet_uint(); assert(k < 100);")
    assert membar.check(SourceFile("a.c", text), model="sc").verdict == verdict
    text = PROGRAM.format(low, high, "int k = __VERIFIER_nondet_int(); assert(k < 5 && k != -2);")
    assert membar.check(SourceFile("a.c", text), model="sc").verdict == "violated"
