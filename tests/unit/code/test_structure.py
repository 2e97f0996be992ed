"""What instructions use, and whether a value decides anything."""

from __future__ import annotations

import pytest

from membar.code import ir
from membar.code.structure import matters
from strategies.compiled_code import code_of_llvm


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("ret i64 0", False),
        ("%a = add nsw i64 %n, 1\n %b = mul i64 %a, 2\n ret i64 0", False),
        ("%a = add i64 %n, 1\n store i64 %a, ptr @x\n ret i64 0", True),
        ("%a = udiv i64 1, %n\n ret i64 0", True),
        ("%a = icmp eq i64 %n, 0\n br i1 %a, label %t, label %e\nt:\n ret i64 1\ne:\n ret i64 0", True),
        ("ret i64 %n", True),
    ],
)
def test_a_value_matters_if_something_else_than_arithmetic_uses_it(body: str, expected: bool) -> None:  # noqa: FBT001
    text = f"@x = global i64 0\ndeclare i64 @in()\ndefine i64 @main() {{\n %n = call i64 @in()\n {body}\n}}\n"
    function = code_of_llvm(text).functions["main"]
    assert matters(function, ir.Value("n", ir.Int(64))) == expected
