"""What has been declared so far."""

from __future__ import annotations

from collections.abc import Collection

from membar.diagnostics import InputError, close_matches, error
from membar.objects.syntax import AbstractOperation, Operation, SharedVariable
from membar.objects.terms import Term
from membar.records import field, record
from membar.text.tokens import Token


@record(slots=True)
class Scope:
    """The names of a text, in the order of their declaration."""

    shared: dict[str, SharedVariable] = field(default_factory=dict)
    private: dict[str, int] = field(default_factory=dict)
    operations: dict[str, Operation] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)  # line → its operation
    state: dict[str, int] = field(default_factory=dict)
    abstract: dict[str, AbstractOperation] = field(default_factory=dict)
    defines: dict[str, Term] = field(default_factory=dict)
    has_specification: bool = False

    @property
    def used_names(self) -> set[str]:
        """Names that cannot be declared again anywhere."""
        return {*self.shared, *self.private, *self.state, *self.defines}

    def fresh(self, token: Token, *others: Collection[str]) -> str:
        """The name of something new.

        Raises:
            InputError: it is taken.
        """
        if token.text in self.used_names or any(token.text in names for names in others):
            raise error("W1303", f"`{token.text}` is declared twice", token.span, "choose another name")
        return token.text

    def order_of_lines(self) -> list[str]:
        """The labels in the order of the text."""
        return list(self.labels)


def unknown(what: str, token: Token, known: Collection[str], *, code: str = "W1304") -> InputError:
    """That a name is none of those known."""
    close = close_matches(token.text, list(known), n=1)
    hint = f"did you mean `{close[0]}`?" if close else None
    if hint is None and known:
        hint = f"known: {', '.join(list(known)[:12])}"
    return error(code, f"unknown {what} `{token.text}`", token.span, "not declared above", help=hint)
