"""The languages that a compiler reads, told by the ending of a file, and how each is to be compiled."""

from __future__ import annotations

from collections.abc import Mapping

from membar.records import record
from membar.text.file_paths import suffix


@record(frozen=True, slots=True, kw_only=True)
class SourceLanguage:
    """A language.

    Attributes:
        name: as in `Program.language`.
        clang: what clang calls its text, for `-x`.
        preprocessed: what clang calls its text after preprocessing.
        zig: the command of zig that compiles it with the headers of its library.
        standard: the version of the language that is meant if none is named; None: the compiler's.
        flags: further options of the compiler.
        has_exceptions: whether there are exceptions: they are switched off where the program does not say
            that it uses them.
    """

    name: str
    clang: str
    preprocessed: str
    zig: str
    standard: str | None = None
    flags: tuple[str, ...] = ()
    has_exceptions: bool = False


# New compilers calculate these themselves, even where the program has a function of that name.
_OF_PROGRAM = ("-fno-builtin-abs", "-fno-builtin-labs", "-fno-builtin-llabs")
# An output of inline assembly may be a cast to the type that it has anyway, as gcc allows.
_AS_GCC = ("-fheinous-gnu-extensions",)
C = SourceLanguage(name="C", clang="c", preprocessed="cpp-output", zig="cc", flags=(*_OF_PROGRAM, *_AS_GCC))
CPP = SourceLanguage(
    name="C++",
    clang="c++",
    preprocessed="c++-cpp-output",
    zig="c++",
    standard="c++20",
    flags=(*_OF_PROGRAM, "-fsized-deallocation"),
    has_exceptions=True,
)
_CPP_ENDINGS = (".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx", ".ii")
_OF_ENDING: Mapping[str, SourceLanguage] = dict.fromkeys(_CPP_ENDINGS, CPP)


def source_language(path: str) -> SourceLanguage:
    """The language of a file."""
    return _OF_ENDING.get(suffix(path), C)
