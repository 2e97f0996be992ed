"""Source text and places in it: what every diagnostic, event and repair points at."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, AnyStr, cast

from membar.records import field, record, replace
from membar.text.file_paths import folder_of, is_below, resolve, stem

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

# Where systems tell text files from others, neither is to be changed while it is read.
_BINARY = getattr(os, "O_BINARY", 0)
_PIECE = 1 << 16
# membar's own headers, models and libraries.
_SHIPPED = os.path.dirname(__file__)  # noqa: PTH120 - at every start, without pathlib
# In the place of text of files outside the project.
_NOT_SHOWN = "[not shown]"

COMMAND_NOTE = "the command: "
"""Begins the note that tells how a text was compiled."""
ADDED_THREAD = "membar_thread_"
"""Begins the names of functions that membar adds to a text, one for each thread of a client."""


@record(frozen=True, slots=True, kw_only=True)
class CompilerOptions:
    """How a text is compiled, for languages that a compiler reads. What is not said is chosen.

    Attributes:
        clang: the compiler of C, a path or a name.
        rustc: the compiler of Rust, a path or a name.
        edition: of Rust.
        features: of a crate of Rust that are on.
        configurations: what Rust's `cfg` tests.
        program: the binary of a Cargo package.
        allow_build: a Cargo package may run build scripts and procedural macros.
        test: the test of a Rust program that is its entry.
        target: the processor.
        data_model: `ILP32` or `LP64`.
        undefines: macros that are not defined.
        standard: of the language, such as `gnu17`.
        includes: files that are included before the text.
        others: further options for the compiler, as they are.
        commands: the folder of a `compile_commands.json`.
        further_files: of the program.
        uses_cache: what was compiled before need not be compiled again.
        mapping: the compiler mapping of the memory model that is asked about; "" for models of languages.
        verbose: notes of the answer say how it was compiled.
    """

    clang: str | None = None
    rustc: str | None = None
    edition: str | None = None
    features: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    program: str | None = None
    allow_build: bool = False
    test: str | None = None
    target: str | None = None
    data_model: str | None = None
    undefines: tuple[str, ...] = ()
    standard: str | None = None
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    commands: str | None = None
    further_files: tuple[str, ...] = ()
    uses_cache: bool = True
    mapping: str = ""
    verbose: bool = False

    @property
    def is_given(self) -> bool:
        """Whether something is said that only a compiler understands."""
        return replace(self, mapping="") != CompilerOptions()


@record(frozen=True, eq=False)
class SourceFile:
    """One input text with the name the user knows it by. Two files are equal only if identical.

    Attributes:
        path: the name.
        text: what is in it.
        defines: `NAME` or `NAME=VALUE`, for languages with a preprocessor.
        include_dirs: where such a language looks for other files.
        replaced: path and text of such files that are to be taken instead of what is on the disk.
        project: the folders whose files messages may show; None: that of this file, and `include_dirs`.
        is_shown: messages may show its text; not that of files outside the project.
        is_strangers: it may include only what membar ships: whoever wrote it has no files here.
        arguments: what the program is run with, for languages whose programs look at that; None: not said.
        compiler: how it is compiled, if something is said about that.
    """

    path: str
    text: str
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    project: tuple[str, ...] | None = None
    is_shown: bool = True
    is_strangers: bool = False
    arguments: tuple[str, ...] | None = None
    compiler: CompilerOptions | None = None

    @property
    def data_model(self) -> str:
        """`LP64`, or `ILP32` if it is compiled for a processor with 32 bits."""
        given = self.compiler or CompilerOptions()
        is_narrow = (given.target or "").startswith("i686") or given.data_model == "ILP32"
        return "ILP32" if is_narrow else "LP64"

    def compiled_for(self, mapping: str | None) -> SourceFile:
        """The text, to be compiled for the processor of a memory model, by its compiler mapping."""
        if not mapping:
            return self
        return replace(self, compiler=replace(self.compiler or CompilerOptions(), mapping=mapping))

    def including(self, path: str | Path, text: str | None = None) -> SourceFile:
        """Another file that this one includes; with `text` instead of what is on the disk, if that is given.

        Raises:
            OSError: the file cannot be read.
        """
        project = self.project
        if project is None:
            project = (folder_of(self.path), *self.include_dirs)
        try:
            place = resolve(str(path))
        except ValueError as problem:  # a null character
            raise OSError(None, str(problem), str(path)) from None
        if self.is_strangers and text is None and not is_below(place, resolve(_SHIPPED)):
            raise PermissionError(None, "only files that membar ships may be included here", str(path))
        is_shown = any(is_below(place, resolve(folder)) for folder in (*project, _SHIPPED))
        return SourceFile(
            str(path),
            SourceFile.read(path).text if text is None else text,
            include_dirs=self.include_dirs,
            project=project,
            is_shown=is_shown,
            is_strangers=self.is_strangers,
        )

    @staticmethod
    def read(path: str | Path) -> SourceFile:
        """The file at `path`, decoded as UTF-8 (undecodable bytes become U+FFFD).

        Raises:
            OSError: the file cannot be read.
        """
        # Not `open`, which takes twice as long: there are very many small files.
        try:
            file = os.open(path, os.O_RDONLY | _BINARY)
        except ValueError as problem:  # a name with a null character, or one that the system cannot encode
            raise OSError(None, str(problem), str(path)) from None
        pieces: list[bytes] = []
        try:
            while piece := os.read(file, _PIECE):
                pieces.append(piece)
        except OSError as problem:  # a directory: only `os.open` names the file
            problem.filename = str(path)
            raise
        finally:
            os.close(file)
        return SourceFile(str(path), b"".join(pieces).decode("utf-8", errors="replace"))

    @property
    def stem(self) -> str:
        """Its name without folders and ending."""
        return stem(self.path)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which the lines begin."""
        return (0, *(newline.end() for newline in re.finditer("\n", self.text)))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both counted from 1, of a text offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (counted from 1), without its end-of-line."""
        start = self.line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start:].rstrip("\r") if end < 0 else self.text[start:end].rstrip("\r")

    def span(self, start: int, end: int) -> Span:
        """The place from `start` up to but not including `end`."""
        return Span(self, start, end)


class _Pattern:
    """A regular expression that is compiled when it is first used: most are never used by a small check."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        compiled: re.Pattern[Any] = re.compile(self._text, self._flags)
        for method in ("match", "fullmatch", "search", "finditer", "findall", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, when it is first used."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


_HEADERS_OF_COMPILERS = pattern(r"/lib/clang/|/ziglang/lib/|/lib/zig/|/include/(?:[\w-]+/)?c\+\+/")


def is_header_of_compiler(path: str) -> bool:
    """Whether a file is one of the headers that a compiler brings, wherever it is installed."""
    return _HEADERS_OF_COMPILERS.search(path) is not None


class FileText(str):
    """What an option takes from a file: a text that knows where it is from."""

    __slots__ = ("path",)

    path: str

    @staticmethod
    def read(path: str | Path) -> FileText:
        """What is in a file.

        Raises:
            OSError: it cannot be read.
        """
        return FileText.of(str(path), SourceFile.read(path).text)

    @staticmethod
    def of(path: str, text: str) -> FileText:
        """A text as what is in a file."""
        found = FileText(text)
        found.path = path
        return found


def is_same_message(message: str, other: str) -> bool:
    """Whether another message is this one, apart from what this one does not show."""
    if _NOT_SHOWN not in message:
        return message == other
    parts = map(re.escape, message.split(_NOT_SHOWN))
    return re.fullmatch(".*".join(parts), other, re.DOTALL) is not None


def without_parentheses(text: str) -> str:
    """The text without parentheses around all of it."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for at, character in enumerate(text):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth == 0 and at + 1 < len(text):
                return text
        text = text[1:-1].strip()
    return text


@record(frozen=True, slots=True)
class Span:
    """A stretch of one source file, by offsets.

    Attributes:
        source: the file.
        start: the offset of its first character.
        end: the offset behind its last character.
        file: what reports call the file, where it is not the one that is asked about.
        calls: the function that it is in and the calls that lead there, where it is a called one's.
        library: what happens here is done by a library: "modelled" if by a function with a body of membar's,
            "compiled" if by the library's own code.
    """

    source: SourceFile
    start: int
    end: int
    file: str = field(default="", compare=False)
    calls: str = field(default="", compare=False)
    library: Literal["", "modelled", "compiled"] = field(default="", compare=False)

    @property
    def path(self) -> str:
        """The file's name."""
        return self.source.path

    @property
    def line(self) -> int:
        """Line of the first character, from 1."""
        return self.source.position(self.start)[0]

    @property
    def line_label(self) -> str:
        """Its line, with the file where that is not the one that is asked about."""
        return f"{self.file}:{self.line}" if self.file else str(self.line)

    @property
    def place(self) -> str:
        """Where it is, for sentences: `line 5`, or `ring.h:206 in enqueue ← worker main.c:14`."""
        where = self.line_label if self.file else f"line {self.line}"
        return f"{where} {self.calls}" if self.calls else where

    @property
    def column(self) -> int:
        """Column of the first character, from 1."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The text itself."""
        return self.source.text[self.start : self.end]

    @property
    def flat_text(self) -> str:
        """The text on one line, for messages: white space between words is one blank.

        Of a file that messages may not show it is `[not shown]`.
        """
        return " ".join(self.text.split()) if self.source.is_shown else _NOT_SHOWN

    def to(self, other: Span) -> Span:
        """The span from this one's start to the end of `other`, if that is in the same text."""
        if other.source is not self.source:  # an included file
            return self
        return Span(self.source, self.start, max(self.end, other.end))
