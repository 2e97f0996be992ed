"""Memory that is deleted as a type of another size was freed without a word."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

TYPES = """struct Small { int a; };
struct Base { int a; };
struct Derived : Base { long b; };
"""


@needs_clang
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("auto *p = new Derived; delete (Small *)p;", "violated"),
        ("Base *p = new Derived; delete p;", "violated"),
        ("auto *p = new Derived; delete p;", "holds"),
        ("Base *p = nullptr; delete p;", "holds"),
        ("auto *p = new Derived[2]; delete[] p;", "holds"),
    ],
)
def test_the_size_of_what_is_deleted(body: str, verdict: str) -> None:
    answer = membar.check(SourceFile("sized.cpp", f"{TYPES}int main() {{ {body} }}\n"), properties=["memory"])
    assert answer.verdict == verdict
