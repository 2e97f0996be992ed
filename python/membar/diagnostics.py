"""Diagnostics about the user's input: values, printed by `reports/`.

Codes are public and grouped by stage: W01xx litmus, W02xx cat, W03xx program, W04xx command line and
files. docs/reference/errors.md has a line for each.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from membar.records import record
from membar.source import SourceFile, Span

if TYPE_CHECKING:
    from pathlib import Path


@record(frozen=True, slots=True)
class Label:
    """A place with a few words about it."""

    span: Span
    text: str


@record(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding about the input.

    Attributes:
        code: public error code such as `W0104`.
        message: the one line that must be enough on its own.
        primary: where it is, with what was expected; None only for problems without a place (a missing file).
        others: further places that matter.
        help: the fix, where one can be guessed.
    """

    code: str
    message: str
    primary: Label | None = None
    others: tuple[Label, ...] = ()
    help: str | None = None


TOO_DEEP = Diagnostic(
    code="W0435",
    message="the program or option value is nested too deeply",
    help="split long expressions, formulas and chains of operators",
)


class InputError(Exception):
    """The user's text is wrong; carries every diagnostic found before stopping."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = tuple(map(_without_foreign_text, diagnostics))
        super().__init__("; ".join(d.message for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[InputError], tuple[Diagnostic, ...]]:
        """It goes from process to process as what it was made of."""
        return type(self), self.diagnostics


def _without_foreign_text(item: Diagnostic) -> Diagnostic:
    """The diagnostic, or one that only names the place if that is in a file whose text must not be shown.

    Whoever wrote the file that is checked may include any file of the user's: what is in it stays there.
    """
    labels = (*((item.primary,) if item.primary else ()), *item.others)
    foreign = [label.span for label in labels if not label.span.source.is_shown]
    if not foreign:
        return item
    place = f"{foreign[0].path}:{foreign[0].line}"
    folder = os.path.dirname(os.path.realpath(foreign[0].path))  # noqa: PTH120
    own = tuple(Label(label.span, "") for label in labels if label.span.source.is_shown)
    return Diagnostic(
        code=item.code,
        message=f"error at {place}; the file is outside the project, so its text is not shown",
        primary=own[0] if own else None,
        others=own[1:],
        help=f"if the file belongs to the project, add its folder: -I {folder}",
    )


def reason_of(problem: Exception) -> str:
    """Why something cannot be read or written: what the system says, without its number and the file."""
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)


# What Python itself raises on bad input, wherever that is read.
UNFIT = (RecursionError, OSError, ValueError)


def unfit_input(problem: Exception, path: str | Path | None = None) -> InputError:
    """What Python raised, as an error about the input: too deep, too long a number, a file without access.

    Raises:
        Exception: `problem` itself, if it is something else, hence a mistake of membar's.
    """
    if isinstance(problem, RecursionError):
        return InputError(TOO_DEEP)
    if isinstance(problem, OSError):
        name = problem.filename or "input"
        shown = os.fsdecode(name)
        if isinstance(problem, IsADirectoryError):
            # Without a path it may be a file to be written.
            help_ = None if path is None else "`membar litmus DIR` checks all tests in a directory"
            return InputError(Diagnostic(code="W0404", message=f"{shown} is a directory", help=help_))
        return InputError(Diagnostic(code="W0404", message=f"{shown}: {reason_of(problem)}"))
    if "integer string conversion" not in str(problem):
        raise problem
    message = f"a number with more than {sys.get_int_max_str_digits():,} digits"
    return InputError(Diagnostic(code="W0443", message=message, primary=_long_number(path)))


def _long_number(path: str | Path | None) -> Label | None:
    """Where in a file a number is too long for Python."""
    try:
        source = None if path is None else SourceFile.read(path)
    except OSError:
        return None
    most = sys.get_int_max_str_digits()
    found = None if source is None else re.search(rf"\d{{{most + 1}}}", source.text)
    return None if source is None or found is None else Label(source.span(*found.span()), "here")


class EngineLimitError(Exception):
    """A valid program that is too large for this engine; the answer is UNKNOWN with this reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def error(
    code: str,
    message: str,
    span: Span,
    expected: str = "",
    *,
    help: str | None = None,  # noqa: A002 - the word users see
) -> InputError:
    """An `InputError` with one diagnostic at `span`."""
    return InputError(Diagnostic(code=code, message=message, primary=Label(span, expected), help=help))


def refusal(code: str, message: str, *, help: str | None = None) -> InputError:  # noqa: A002 - as above
    """An `InputError` with one diagnostic that has no place in a text."""
    return InputError(Diagnostic(code=code, message=message, help=help))


def close_matches(name: str, known: Iterable[str], n: int = 3, cutoff: float = 0.6) -> list[str]:
    """The known names most similar to a misspelt one; `difflib` is imported only when there is one."""
    import difflib  # noqa: PLC0415 - slow to import

    return difflib.get_close_matches(name, list(known), n, cutoff)
