"""What a compiler says on its error stream, as diagnostics with places.

Lines of the user's own files are shown; of other files only the name and the line number are. What is wrong
in a header of the compiler is told where the program uses it.
"""

from __future__ import annotations

import re
from typing import Protocol

from membar.diagnostics import Diagnostic, Label
from membar.records import record, replace
from membar.source import SourceFile, is_header_of_compiler, pattern
from membar.text.file_paths import folder_of

_LINE = pattern(
    r"(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>fatal error|error|warning|note): (?P<text>.*)"
)
# Where the compiler places mistakes in -D, -U and -include: these quote the command line, not a file.
_OPTIONS_OF_THE_COMPILER = ("<built-in>", "<command line>")
_FLAG = pattern(r" \[(?P<flags>-W[^\]]*)\]$")


class Files(Protocol):
    """The files whose text may be shown."""

    def __call__(self, file: str) -> SourceFile | None:
        """The file with this name; None if its text may not be shown, or cannot be read."""

    def own_line(self, file: str, line: int) -> tuple[str, int] | None:
        """The program's own file and the line of it that `#line` gives this name."""


@record(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the compiler.

    `flag` is the warning option that it belongs to, without `-W`; `users` are the places, as notes say, that
    what it is about was needed for, the nearest first.
    """

    kind: str
    file: str
    line: int
    column: int
    text: str
    flag: str = ""
    users: tuple[tuple[str, int, int], ...] = ()


def read_messages(text: str) -> tuple[Message, ...]:
    """The errors and warnings in the compiler's output; of notes only which code needed what is wrong."""
    found: list[Message] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        if match["kind"] == "note":
            if found and match["text"].startswith("in instantiation of"):
                user = match["file"], int(match["line"]), int(match["column"])
                found[-1] = replace(found[-1], users=(*found[-1].users, user))
            continue
        body, flag = match["text"].rstrip(": "), ""
        named = _FLAG.search(body)
        if named is not None:
            body = body[: named.start()]
            flag = named["flags"].split(",")[-1].removeprefix("-W").removeprefix("error=")
        kind = "error" if "error" in match["kind"] else "warning"
        found.append(
            Message(
                kind=kind,
                file=match["file"],
                line=int(match["line"]),
                column=int(match["column"]),
                text=body,
                flag=flag,
            )
        )
    return tuple(found)


def diagnose(message: Message, code: str, read: Files) -> Diagnostic:
    """A message as a diagnostic."""
    if message.file in _OPTIONS_OF_THE_COMPILER:
        return Diagnostic(
            code=code,
            message=f"an option for the compiler is wrong: {message.text}",
            help="see -D, -U, -include, and what comes after `--`",
        )
    if is_header_of_compiler(message.file):
        message = _at_user(message, read)
    if (own := read.own_line(message.file, message.line)) is not None:
        message = replace(message, file=own[0], line=own[1])
    source = read(message.file)
    if is_header_of_compiler(message.file):
        return Diagnostic(code=code, message=f"{message.text} ({message.file}:{message.line})")
    if source is None or message.line > len(source.line_starts):
        # What the compiler says may quote the file.
        where = f"{message.file}:{message.line}"
        text = f"error at {where}; the file is outside the project, so its text is not shown"
        folder = folder_of(message.file)
        return Diagnostic(
            code=code, message=text, help=f"if it belongs to the project, add its folder: -I {folder}"
        )
    start = source.line_starts[message.line - 1]
    line = source.line(message.line)
    # The compiler counts columns in bytes.
    before = line.encode()[: message.column - 1].decode(errors="replace")
    at = start + min(len(before), len(line))
    word = re.match(r"\w+|.", source.text[at : start + len(line)])
    end = at + (len(word.group()) if word else 1)
    return Diagnostic(code=code, message=message.text, primary=Label(source.span(at, end), ""))


def _at_user(message: Message, read: Files) -> Message:
    """The message at the nearest place of the program that what it is about was needed for."""
    for file, line, column in message.users:
        source = read(file)
        if source is not None and line <= len(source.line_starts):
            return replace(message, file=file, line=line, column=column)
    return message
