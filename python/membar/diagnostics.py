"""What we tell a user about their input: values here, printed by `reports/`.

Codes are public and grouped by stage: W01xx litmus, W02xx cat, W03xx program, W04xx command line and
files. docs/reference/errors.md has a line for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.records import record

if TYPE_CHECKING:
    from membar.source import Span


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
    message="the text, or what an option asks, is nested too deeply",
    help="split long expressions, formulas and chains of operators",
)


class InputError(Exception):
    """The user's text is wrong; carries every diagnostic found before stopping."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics


class EngineLimitError(Exception):
    """A fine program that this engine cannot hold; `api` turns it into UNKNOWN with this reason."""

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
