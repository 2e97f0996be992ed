"""What files say of themselves: `Expected: MODEL VERDICT, … .` in a comment of any language."""

from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from membar.questions.expectations import Claimed, expected_in
from membar.source import SourceFile

TWO = (Claimed("sc", "holds"), Claimed("x86-tso", "holds-within"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/* Expected: sc HOLDS, x86-tso HOLDS WITHIN. */", TWO),
        ("X86 sb\n(* Words. Expected: sc HOLDS,\n   x86-tso HOLDS\n   WITHIN. More. *)\n{}", TWO),
        ("// Words\n//   Expected: sc HOLDS, x86-tso\n//   HOLDS WITHIN.\nbyte x;", TWO),
        ('program "p"\n\n# Expected: sc HOLDS, x86-tso HOLDS WITHIN.\n', TWO),
        ("/* A license. */\n#include <x.h>\n/* Expected: sc UNKNOWN. */", (Claimed("sc", "unknown"),)),
        (
            "/* Expected with --threads any: sc VIOLATED. */",
            (Claimed("sc", "violated", any_threads=True),),
        ),
        ("/* Expected: sc HOLDS, x86-tso HOLDS WITHIN */", TWO),
        ("// expected: sc HOLDS,\n//  x86-tso HOLDS WITHIN\nint x;", TWO),
        ("/* As expected: nobody knows. */", ()),
        ('int main() { puts("Expected: sc HOLDS."); }', ()),
        ("/* Expected by nobody */ /* Unexpected: sc HOLDS. */", ()),
        ("", ()),
    ],
)
def test_what_comments_say(text: str, found: tuple[Claimed, ...]) -> None:
    assert expected_in(SourceFile("x.c", text)) == found


@pytest.mark.parametrize("said", ["sc", "sc FINE", "sc HOLDS, pso", "the usual", "sc HOLDS VIOLATED"])
def test_a_comment_without_a_verdict_is_an_error_at_its_place(said: str) -> None:
    with pytest.raises(InputError) as caught:
        expected_in(SourceFile("x.c", f"/* Expected: {said}. */"))
    (item,) = caught.value.diagnostics
    assert item.code == "W1445"
    assert item.primary is not None
    assert item.primary.span.text.strip() in said


def test_names_of_claims_are_names_of_tests() -> None:
    assert str(Claimed("sc", "holds")) == "sc"
    assert str(Claimed("sc", "holds", any_threads=True)) == "sc-any"
