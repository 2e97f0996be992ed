"""The page docs/reference/c-library.md, from what the bodies of library functions say.

A test compares; `pytest tests/unit/languages/compiled/test_library.py --update-golden` writes it.
"""

from __future__ import annotations

from pathlib import Path

from membar.languages.compiled.library_bodies import FOLDER, library_functions

_HEAD = """# The C library

What membar assumes about library functions in [C programs](c.md).

Each function has a body in C, over primitives of membar; a function that the program defines itself is used
instead, except `reach_error`. Give any other one a body in a further file, `membar check main.c stubs.c`.
Without one, exploration stops at a call: if an execution reaches it, the answer is UNKNOWN and names the
function.

No function guarantees more ordering than C or POSIX requires: locking is an acquire, unlocking a release, and
nothing more.
"""
_CPP_HEAD = """# The C++ library

What membar assumes about the functions that libc++ and libstdc++ export, in [C++ programs](cpp.md). What
their headers define is compiled with the program and checked as it is: `std::atomic`, `std::lock_guard`,
`std::shared_ptr` and its reference counts, containers.

Each of these functions has a body in C, over primitives of membar and [the C library](c-library.md). A
function that is not listed is an error that names it: give it a body in a further file,
`membar check main.cpp stubs.cpp`.

No function guarantees more ordering than C++ requires: locking is an acquire, unlocking a release, and
nothing more.
"""


def library_table() -> str:
    """The reference of the library, as it stands in docs/reference/c-library.md."""
    return _page(_HEAD, is_cpp=False)


def cpp_library_table() -> str:
    """The reference of the C++ library, as it stands in docs/reference/cpp-library.md."""
    return _page(_CPP_HEAD, is_cpp=True)


def _page(head: str, *, is_cpp: bool) -> str:
    """One page; mangled names of C++ functions are left out, as the sentences name the functions."""
    lines = [head]
    of_file: dict[str, dict[str, list[str]]] = {}
    for entry in library_functions().values():
        if not entry.name.startswith("__mb_") and is_cpp == entry.file.startswith("cpp_"):
            of_file.setdefault(entry.file, {}).setdefault(entry.assumes, []).append(f"`{entry.name}`")
    for file, sentences in of_file.items():
        title = Path(FOLDER, file).read_text(encoding="utf-8").partition("*/")[0].removeprefix("/*")
        lines += [f"## {file}", "", " ".join(title.split()), ""]
        if is_cpp:
            lines += [f"- {text}" for text in sentences]
        else:
            lines += ["| functions | |", "| --- | --- |"]
            lines += [f"| {', '.join(names)} | {text} |" for text, names in sentences.items()]
        lines.append("")
    return "\n".join(lines)
