"""Text → preprocessed text, with the user's own place of every character of it.

pcpp does the work. Nothing is taken from the machine: `#include <…>` finds our own headers (`include/`),
then the folders given by `-I`.
"""

from __future__ import annotations

import bisect
import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pcpp import preprocessor as pcpp

from membar.diagnostics import Diagnostic, InputError, Label
from membar.languages.c import codes
from membar.limits import budget
from membar.source import SourceFile, Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEADERS: Final = Path(__file__).parent / "include"
_KERNEL: Final = re.compile(r"^\s*#\s*include\s*[<\"](?:linux|asm)/", re.MULTILINE)
_MACRO: Final = re.compile(r"[^\W\d]\w*(\([\w\s,.]*\))?\Z")
# What `str.splitlines` takes for the end of a line, and C does not.
_OTHER_BREAKS: Final = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]|\r(?!\n)")
_LITERALS_AND_COMMENTS: Final = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?\*/|/\*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
_ABOUT_MACROS: Final = frozenset({"ifdef", "ifndef", "define", "undef"})
_MOST_FILES: Final = 200
_MOST_TOKENS: Final = 500_000
# Spellings of compilers that mean nothing here, or the same as a standard word.
_DEFINITIONS: Final = (
    "__STDC__ 1",
    "__STDC_VERSION__ 201112L",
    "__STDC_HOSTED__ 1",
    "__LP64__ 1",
    "__MEMBAR__ 1",
    "__CHAR_BIT__ 8",
    "__ATOMIC_RELAXED 0",
    "__ATOMIC_CONSUME 1",
    "__ATOMIC_ACQUIRE 2",
    "__ATOMIC_RELEASE 3",
    "__ATOMIC_ACQ_REL 4",
    "__ATOMIC_SEQ_CST 5",
    "__extension__",
    "__inline inline",
    "__inline__ inline",
    "__restrict restrict",
    "__restrict__ restrict",
    "__volatile__ volatile",
    "__volatile volatile",
    "__const const",
    "__const__ const",
    "__alignof__ _Alignof",
    "__typeof__ typeof",
    "__typeof typeof",
    "__thread _Thread_local",
    "__builtin_expect(x, y) (x)",
    "__builtin_offsetof(t, m) offsetof(t, m)",
)


@dataclass(frozen=True, slots=True)
class _Origin:
    """From `at` on the text comes from `offset` of `source`; one by one, or all from one macro use."""

    at: int
    source: SourceFile
    offset: int
    is_exact: bool


class Text:
    """Preprocessed text: `span` says where a stretch comes from, `macros` are those without parameters.

    `files` are those that it was made of. `is_kernel` says that it includes headers of the Linux kernel,
    whose functions it may call.
    """

    def __init__(
        self,
        text: str,
        origins: Sequence[_Origin],
        source: SourceFile,
        macros: Mapping[str, str],
        *,
        files: Sequence[SourceFile] = (),
        is_kernel: bool = False,
    ) -> None:
        self.text = text
        self.files = files
        self.is_kernel = is_kernel
        self.macros = macros
        self.source = source
        self._origins = origins
        self._starts = [origin.at for origin in origins]

    def span(self, start: int, end: int) -> Span:
        """The user's text behind `start` to `end`: that of the macro uses it is made of, if any."""
        first = self._place(start)
        last = self._place(max(start, end - 1))
        if first.source is not last.source:
            return Span(first.source, first.start, first.end)
        return Span(first.source, first.start, max(first.end, last.end))

    def _place(self, at: int) -> Span:
        index = bisect.bisect_right(self._starts, at) - 1
        if index < 0:
            return Span(self.source, 0, min(1, len(self.source.text)))
        origin = self._origins[index]
        if origin.is_exact:
            offset = origin.offset + at - origin.at
            return Span(origin.source, offset, min(offset + 1, len(origin.source.text)))
        return Span(origin.source, origin.offset, _end_of_word(origin.source.text, origin.offset))


def _end_of_word(text: str, start: int) -> int:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return max(end, start + 1)


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - as pcpp does; links stay


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc] # pcpp has no types
    """pcpp with our headers, our errors and no output of its own."""

    def __init__(self, source: SourceFile) -> None:
        super().__init__()
        self.line_directive = None
        self.main = source
        self.files: dict[str, SourceFile] = {_absolute(source.path): source}
        self.replaced = {_absolute(path): text for path, text in source.replaced}
        self.found: list[Diagnostic] = []
        self.lastdirective: Any = None
        self.opened = 0
        self.budget = budget.current()

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        self.budget.spend()
        expanded: list[Any] = super().expand_macros(tokens, list(expanding_from))
        return expanded

    def on_error(self, file: str, line: int, msg: str) -> None:
        self.report(file, line, str(msg))

    def report(self, file: str, line: int, message: str) -> None:
        source = self.files.get(_absolute(file or self.main.path), self.main)
        number = min(max(line, 1), len(source.line_starts))
        start = source.line_starts[number - 1]
        text = source.line(number)
        indent = len(text) - len(text.lstrip())
        span = source.span(start + indent, start + max(len(text.rstrip()), indent + 1))
        words = message[:1].lower() + message[1:]
        self.found.append(
            Diagnostic(code=codes.PREPROCESSOR, message=words, primary=Label(span, "the preprocessor stops"))
        )

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:  # noqa: ARG002, FBT001
        path = Path(includepath)
        if not path.is_file():
            raise OSError(includepath)
        self.opened += 1
        if self.opened > _MOST_FILES:
            raise _TooDeepError
        replaced = self.replaced.get(_absolute(includepath))
        file = self.main.including(includepath, replaced)
        _check_comments(self, file)
        self.files[_absolute(includepath)] = file
        return io.StringIO(_plain_lines(file.text))

    def on_include_not_found(
        self,
        is_malformed: bool,  # noqa: FBT001
        is_system_include: bool,  # noqa: ARG002, FBT001
        curdir: str,  # noqa: ARG002
        includepath: str,
    ) -> None:
        is_kernel = includepath.startswith(("linux/", "asm/", "uapi/"))
        if not is_kernel:
            what = "malformed #include" if is_malformed else f"`{includepath}` is not found"
            self.report(self.lastdirective.source, self.lastdirective.lineno, what)
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_directive_handle(
        self,
        directive: Any,  # noqa: ANN401 - pcpp's
        toks: Any,  # noqa: ANN401
        ifpassthru: bool,  # noqa: FBT001
        precedingtoks: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        name = toks[0].value if toks else ""
        if directive.value in _ABOUT_MACROS and not _MACRO.match(name):
            words = f"`#{directive.value} {name}`: the name of a macro is missing"
            self.report(directive.source, directive.lineno, words)
        return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)

    def on_directive_unknown(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> bool:  # noqa: ANN401, ARG002, FBT001 - pcpp's
        if directive.value == "error":
            words = "".join(token.value for token in toks).strip()
            self.report(directive.source, directive.lineno, f"#error {words}".strip())
        elif directive.value not in {"pragma", "warning", "line", "ident"}:
            self.report(directive.source, directive.lineno, f"unknown directive `#{directive.value}`")
        return True


def _check_comments(engine: _Preprocessor, file: SourceFile) -> None:
    """Finds a comment that does not end, also behind a directive, where pcpp lets it pass."""
    for match in _LITERALS_AND_COMMENTS.finditer(file.text):
        if match[0] == "/*":
            span = file.span(match.start(), match.end())
            label = Label(span, "not expected here")
            engine.found.append(
                Diagnostic(code=codes.SYNTAX, message="this comment does not end", primary=label)
            )


def _check_number(engine: _Preprocessor, file: SourceFile, start: int, end: int) -> None:
    """Finds a number that goes on as a macro: `0N` is one token, but pcpp puts in what `N` is."""
    stop = _end_of_word(file.text, end)
    if file.text[end:stop] in engine.macros:
        span = file.span(start, stop)
        label = Label(span, "expected a number")
        message = f"`{span.text}` is neither a number nor a name"
        engine.found.append(Diagnostic(code=codes.SYNTAX, message=message, primary=label))


class _TooDeepError(Exception):
    """Files that include one another without end."""


def preprocess(source: SourceFile) -> Text:
    """The text that is left when all directives are done and all macros expanded.

    Raises:
        InputError: with everything that is wrong with the directives.
    """
    engine = _Preprocessor(source)
    for folder in (HEADERS, *source.include_dirs):
        engine.add_path(str(folder))
    engine.rewrite_paths = []
    for definition in _DEFINITIONS:
        engine.define(definition)
    for given in source.defines:
        name, _, value = given.partition("=")
        if not _MACRO.match(name):
            message = f"`-D {given}`: `{name}` is no name of a macro"
            raise InputError(Diagnostic(code=codes.PREPROCESSOR, message=message))
        engine.define(f"{name} {value if '=' in given else '1'}")
    is_kernel = _KERNEL.search(source.text) is not None
    try:
        if is_kernel:
            header = SourceFile.read(HEADERS / "linux_kernel.h")
            engine.files[_absolute(header.path)] = header
            engine.parse(_plain_lines(header.text), header.path)
            before = list(_tokens(engine))
        else:
            before = []
        _check_comments(engine, source)
        engine.parse(_plain_lines(source.text), source.path)
        text = _collected(engine, before, is_kernel=is_kernel)
    except _TooDeepError:
        engine.found.append(
            Diagnostic(code=codes.PREPROCESSOR, message=f"more than {_MOST_FILES} files are included")
        )
        text = Text("", (), source, {})
    except RecursionError:
        engine.found.append(
            Diagnostic(code=codes.PREPROCESSOR, message="macros or includes nested too deeply")
        )
        text = Text("", (), source, {})
    except Exception as problem:  # pcpp's own troubles with broken directives
        place = engine.lastdirective
        line = getattr(place, "lineno", 1)
        engine.report(getattr(place, "source", source.path), line, f"the directive is broken ({problem})")
        text = Text("", (), source, {})
    if engine.found:
        raise InputError(*engine.found)
    return text


def _collected(engine: _Preprocessor, before: list[Any], *, is_kernel: bool) -> Text:
    parts: list[str] = []
    origins: list[_Origin] = []
    at = 0
    starts: dict[str, tuple[SourceFile, list[int]]] = {}
    last: tuple[SourceFile, int] = (engine.main, 0)
    for count, token in enumerate(chain(before, _tokens(engine))):
        if count > _MOST_TOKENS:
            engine.found.append(
                Diagnostic(code=codes.PREPROCESSOR, message="the preprocessed text is too long")
            )
            break
        file, offset = _place(engine, token, starts, last)
        if offset is not None:
            origins.append(_Origin(at, file, offset, is_exact=True))
            last = (file, offset + len(token.value))
            if token.value[0].isdigit():
                _check_number(engine, file, offset, last[1])
        elif not token.value.isspace():
            origins.append(_Origin(at, *_use(file, token, last), is_exact=False))
        parts.append(token.value)
        at += len(token.value)
    macros = {
        name: "".join(token.value for token in macro.value).strip()
        for name, macro in engine.macros.items()
        if macro.arglist is None
    }
    files = tuple(engine.files.values())
    return Text("".join(parts), origins, engine.main, macros, files=files, is_kernel=is_kernel)


def _plain_lines(text: str) -> str:
    """A text as long in which only a newline ends a line: pcpp takes form feeds and more for ends."""
    return _OTHER_BREAKS.sub(" ", text)


def _tokens(engine: _Preprocessor) -> Iterator[Any]:
    while (token := engine.token()) is not None:
        yield token


def _place(
    engine: _Preprocessor,
    token: Any,  # noqa: ANN401 - pcpp's
    starts: dict[str, tuple[SourceFile, list[int]]],
    last: tuple[SourceFile, int],
) -> tuple[SourceFile, int | None]:
    """The file of a token and its offset there; None if a macro made it."""
    name = _absolute(token.source) if token.source else ""
    if name not in starts:
        file = engine.files.get(name, last[0])
        lines = [line.rstrip() for line in _plain_lines(file.text).splitlines()]
        begins, position = [], 0
        for line in lines:
            begins.append(position)
            position += len(line) + 1
        starts[name] = (file, begins)
    file, begins = starts[name]
    if getattr(token, "expanded_from", None):
        return file, None
    number = token.lineno
    if not 1 <= number <= min(len(begins), len(file.line_starts)):
        return file, None
    offset = file.line_starts[number - 1] + token.lexpos - begins[number - 1]
    is_there = offset >= 0 and file.text.startswith(token.value, offset)
    return file, offset if is_there else None


def _use(file: SourceFile, token: Any, last: tuple[SourceFile, int]) -> tuple[SourceFile, int]:  # noqa: ANN401 - pcpp's
    """Where the macro was used that made a token: behind what came before, on its line."""
    number = min(max(token.lineno, 1), len(file.line_starts))
    start = file.line_starts[number - 1]
    if last[0] is file and last[1] >= start:
        start = last[1]
    text = file.text
    while start < len(text) and not (text[start].isalpha() or text[start] == "_"):
        if text[start] == "\n":
            break
        start += 1
    return file, start
