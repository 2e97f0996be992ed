"""First values of local variables: they are computed when a process is created, and take no step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.languages.promela.scope import Channel, Scope, Storage
from membar.languages.promela.values import BeforeRuns, CellReference, Reads, Values
from membar.program.expr import FALSE, MASK, TRUE, Constant, Expr, signed
from membar.program.folding import fold
from membar.program.program import Value


class AtCreation(BeforeRuns):
    """Computes expressions where nothing has happened yet, or where a process is started by `run`.

    Attributes:
        registers: first values of the process's own variables, as far as they are declared.
        is_started: the process runs from the beginning, so global variables have their first values.
        has_channels: channels exist already, as they do not for global variables.
    """

    def __init__(
        self,
        scope: Scope,
        registers: Mapping[str, Value],
        *,
        is_started: bool,
        special: Callable[[p.Special], Expr],
        channels: Sequence[Channel] | None = None,
        has_channels: bool = True,
    ) -> None:
        ask = _channel_at_creation if has_channels else _refuse_channel_question
        super().__init__(scope, Reads(), special=special, ask=ask, channels=channels)
        self.registers = registers
        self.is_started = is_started

    def value(self, expr: p.Expr) -> int:
        """The value of an expression.

        Raises:
            InputError: it is not known.
        """
        found = fold(self.of(expr))
        if not isinstance(found, Constant):
            raise error(
                "W0708", f"`{expr.span.flat_text}` is not constant here", expr.span, "expected a constant"
            )
        return signed(found.value)

    def of(self, expr: p.Expr, needed: Expr = TRUE) -> Expr:
        """The value of an expression that is computed where `needed` holds."""
        if isinstance(expr, p.Use) and not self.is_started:
            meaning = self.scope.find(expr.name, expr.span)
            if isinstance(meaning, Storage) and meaning.is_shared:
                raise error("W0708", f"`{expr.name}` is not constant here", expr.span, "a global variable")
        return super().of(expr, needed)

    def load(self, place: CellReference) -> Expr:
        """The first value of a cell."""
        storage, cell = place.storage, place.known_cell
        if cell is None:
            return super().load(place)
        if storage.is_shared:
            return Constant(storage.first(cell) & MASK)
        known = self.registers.get(storage.register(cell))
        return Constant(known & MASK) if isinstance(known, int) else super().load(place)


def _channel_at_creation(values: Values, question: p.Ask | p.Peek, needed: Expr) -> Expr:
    """What is true of a channel before anything happens: it is empty."""
    if not values.is_channel(question.channel):
        return _refuse_channel_question(values, question, needed)
    if isinstance(values, AtCreation) and values.is_started:
        return TRUE if isinstance(question, p.Ask) and question.word in ("empty", "nfull") else FALSE
    raise error("W0708", f"`{question.span.flat_text}` is not constant here", question.span, "a channel")


def _refuse_channel_question(_: Values, question: p.Ask | p.Peek, __: Expr) -> Expr:
    raise error(
        "W0711",
        f"`{question.span.flat_text}` in an initial value",
        question.span,
        "expected an expression without channels",
    )
