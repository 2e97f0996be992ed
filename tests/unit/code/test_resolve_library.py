"""Calls of library functions are made to fit their bodies."""

from __future__ import annotations

from membar.code import ir
from membar.code.passes.resolve_library import resolve_library
from membar.diagnostics import Diagnostic, InputError
from membar.records import replace
from strategies.code_runner import Runner
from strategies.compiled_code import code_of_llvm

CALLS = """
define i64 @main(i64 %a, i64 %b) {
  %wide = zext i64 %a to i128
  %high = shl i128 %wide, 64
  %low = zext i64 %b to i128
  %both = or i128 %high, %low
  %found = call i128 @twice(i128 %both)
  %upper = lshr i128 %found, 64
  %sum = add i128 %upper, %found
  %result = trunc i128 %sum to i64
  ret i64 %result
}
declare i128 @twice(i128)
"""
BODY = """
define { i64, i64 } @twice(i64 %low, i64 %high) {
  %more = mul i64 %high, 1000
  %first = insertvalue { i64, i64 } undef, i64 %low, 0
  %second = insertvalue { i64, i64 } %first, i64 %more, 1
  ret { i64, i64 } %second
}
"""


def test_integers_of_128_bits_are_passed_in_halves_to_a_body_that_takes_them_so() -> None:
    """Clang 16 and older compile such a body for x86-64."""
    program = code_of_llvm(CALLS)
    body = code_of_llvm(BODY, "twice").functions["twice"]
    linked = replace(program, functions={**program.functions, "twice": body})
    done = resolve_library(linked, {"twice"}, _refuse, str)
    assert Runner(done).run("main", 3, 5) == (3005,)


def _refuse(message: str, _: ir.Place | None) -> InputError:
    return InputError(Diagnostic(code="W0000", message=message))
