"""Loads from one of several variables, as `std::max` makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.code import ir
from membar.code.passes import run_passes
from strategies.code_runner import Runner
from strategies.compiled_code import code_of_c, compilers, needs_clang


@needs_clang
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int a = start, b = 2; return *(a < b ? &b : &a);", 2),
        ("int a = start, b = 2, c = 4; return *(a == 1 ? &a : b == 2 ? &b : &c);", 1),
        ("int a = start, b = 2; int *p = a < b ? &b : &a; b = 7; return *p;", 7),
        ("int a = start, b = 2; int *p = a < b ? &b : &a; a = *p; return a + *p;", 4),
    ],
)
def test_the_variable_is_the_one_that_was_chosen(text: str, expected: int) -> None:
    for compiler in compilers():
        module = run_passes(code_of_c(f"volatile int start = 1; int main(void) {{ {text} }}", compiler))
        assert Runner(module).run("main") == (expected,)


@needs_clang
def test_the_variables_become_values() -> None:
    text = "volatile int start = 1; int main(void) { int a = start, b = 2; return *(a < b ? &b : &a); }"
    for compiler in compilers():
        main = run_passes(code_of_c(text, compiler)).functions["main"]
        items = [item for block in main.blocks for item in block.instructions]
        assert not any(isinstance(item, ir.Slot | ir.Store) for item in items)


@needs_clang
@pytest.mark.parametrize(
    ("size", "verdict"),
    [("end - begin > 2 ? end - begin : 2", "holds"), ("(long)begin % 64 + 3", "holds-within")],
)
def test_distances_do_not_depend_on_where_objects_lie(size: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "main.c"
    file.write_text(
        f"""
        #include <assert.h>
        #include <stdatomic.h>
        int items[4]; atomic_int three = 3;
        int main(void) {{
          int *begin = items, *end = items + three;
          long count = ({size}) * 2;
          assert(count > 3);
        }}
        """
    )
    assert membar.check(file, model="sc").verdict == verdict
