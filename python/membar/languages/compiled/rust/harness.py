"""Which tests a crate has, and LLVM IR whose `main` calls one of them.

rustc's `--test` makes a closure for each `#[test]` function, which calls it and looks at its result.
"""

from __future__ import annotations

import re

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.rust.names import demangle
from membar.records import record
from membar.source import pattern

_LOOKS_AT_RESULT = pattern(
    r"^ +(?:call|invoke) [^\n]*"
    r"@(?P<name>\"[^\"\n]*assert_test_result[^\"\n]*\"|[\w$.]*assert_test_result[\w$.]*)\(",
    re.MULTILINE,
)
_HEAD = pattern(r"define [^\n@]*@(?P<name>\"[^\"\n]+\"|[\w$.]+)\((?P<parameters>[^\n]*)")
_RESULT = pattern(r"sret\(\[(?P<size>\d+) x i8\]\)")
_MAIN = pattern(r"^define i32 @main\(", re.MULTILINE)


@record(frozen=True, slots=True)
class Test:
    """A test in LLVM IR: its path in the crate, the closure around it, what looks at its result."""

    crate: str
    path: str
    closure: str
    judge: str

    def is_called(self, name: str) -> bool:
        """Whether a name is the end of its path."""
        return f"::{self.crate}::{self.path}".endswith(f"::{name}")


def tests_in(text: str) -> list[Test]:
    """The tests of a module."""
    found = []
    for match in _LOOKS_AT_RESULT.finditer(text):
        head = _HEAD.match(text, text.rfind("\ndefine ", 0, match.start()) + 1)
        if head is not None:
            crate, _, path = demangle(head["name"].strip('"')).rpartition("::")[0].partition("::")
            found.append(Test(crate, path, head["name"], match["name"]))
    return found


def is_program(text: str) -> bool:
    """Whether a module is that of a program, of which no other is made."""
    return _MAIN.search(text) is not None


def with_entry(text: str, test: Test) -> str:
    """LLVM IR whose `main` calls the test.

    Raises:
        InputError: the test returns a value.
    """
    start, body, end = _function(text, test.judge)
    if text.count("%", start, body) > 1:  # the place for what it gives back is the only parameter
        message = f"the test `{test.path}` returns a value, which membar does not follow"
        raise InputError(
            Diagnostic(code="W1535", message=message, help="let it return nothing, and call `unwrap` instead")
        )
    text = f"{text[:body]}start:\n  ret void\n{text[end:]}"
    start, body, _ = _function(text, test.closure)
    size = _RESULT.search(text, start, body)
    room = f"[{size['size'] if size is not None else 24} x i8]"
    itself = ", ptr null" * (text.count("%", start, body) - 1)  # it captures nothing
    return (
        f"{_MAIN.sub('define internal i32 @membar.main(', text)}\n"
        f"define i32 @main() {{\nstart:\n  %result = alloca {room}, align 8\n"
        f"  call void @{test.closure}(ptr sret({room}) %result{itself})\n  ret i32 0\n}}\n"
    )


def _function(text: str, name: str) -> tuple[int, int, int]:
    """Where the definition of a function, its body and the end of that are."""
    at = text.index(f"@{name}(", text.index("\ndefine "))
    while not text.startswith("define ", start := text.rfind("\n", 0, at) + 1):
        at = text.index(f"@{name}(", at + 1)
    body = text.index("{\n", at) + 2
    return start, body, text.index("\n}\n", body) + 1
