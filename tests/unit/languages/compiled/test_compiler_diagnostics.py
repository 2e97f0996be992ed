"""What compilers say, told at the program's own lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.languages.compiled.compiler_diagnostics import diagnose, read_messages
from membar.languages.compiled.driver import ReadableFiles
from membar.source import SourceFile

PROGRAM = SourceFile("a.cpp", "#include <thread>\nint main() { std::thread t(5); }\n")
HEADER = "/usr/lib/zig/libcxx/include/__thread/thread.h"
SAID = f"""\
{HEADER}:212:5: error: static assertion failed due to requirement '__is_invocable_v<int>': \n\
/usr/lib/zig/libcxx/include/__thread/other.h:9:1: note: in instantiation of function template requested here
a.cpp:2:26: note: in instantiation of function template specialization requested here
a.cpp:2:1: note: candidate function not viable
"""


read = ReadableFiles("a.cpp", (), None, [("a.cpp", PROGRAM.text)])


def test_a_mistake_in_a_header_of_the_compiler_is_told_where_the_program_uses_it() -> None:
    (message,) = read_messages(SAID)
    found = diagnose(message, "W1512", read)
    assert found.message == "static assertion failed due to requirement '__is_invocable_v<int>'"
    assert found.primary is not None
    assert (found.primary.span.line, found.primary.span.column) == (2, 26)


@pytest.mark.parametrize(("file", "is_told"), [(HEADER, True), ("/etc/passwd", False)])
def test_only_headers_of_compilers_are_quoted_by_what_is_said_of_them(file: str, *, is_told: bool) -> None:
    (message,) = read_messages(f"{file}:1:1: error: unknown type name 'root'\n")
    assert ("root" in diagnose(message, "W1512", read).message) == is_told


@pytest.mark.parametrize(
    "directive", ['#line 100 "gram.y"', "#line 100", '# 100 "gram.y" 1 3', '%:line 100 "gram.y"']
)
def test_a_line_directive_does_not_make_the_program_a_foreign_file(directive: str) -> None:
    own = ReadableFiles(
        "a.c", (), None, [("a.c", f"int x;\n{directive}\nint y;\nint main(void) {{ return z; }}\n")]
    )
    name = "gram.y" if "gram" in directive else "a.c"
    (message,) = read_messages(f"{name}:101:25: error: use of undeclared identifier 'z'\n")
    found = diagnose(message, "W1512", own)
    assert found.primary is not None
    assert (found.primary.span.path, found.primary.span.line, found.primary.span.text) == ("a.c", 4, "z")


def test_a_line_directive_does_not_show_what_is_said_of_another_file(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("hunter2\n", encoding="utf-8")
    own = ReadableFiles("a.c", (), None, [("a.c", f'#line 1 "{key}"\nint x;\n#include "{key}"\n')])
    (message,) = read_messages(f"{key}:1:1: error: unknown type name 'hunter2'\n")
    assert "hunter2" not in diagnose(message, "W1512", own).message
