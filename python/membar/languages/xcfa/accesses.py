"""Accesses of variables, and what declarations and ranges must satisfy."""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import Diagnostic, Label, error
from membar.languages.xcfa import syntax as x
from membar.program.expr import Address, Constant, Expr
from membar.program.operations import Load, Store
from membar.source import Span

SIZES = {x.Type.INT: 8, x.Type.BOOL: 1, x.Type.MUTEX: 4}
_WIDEST = 1 << 16


def data_type(kind: x.Type, use: x.Use) -> x.Type:
    """The type of a variable that has a value."""
    if kind not in (x.Type.INT, x.Type.BOOL):
        raise error("W0605", f"`{use.name}` is a {kind.value}", use.span, "it has no value")
    return kind


def load(register: str, variable: x.Variable) -> Load:
    """Reads a global variable."""
    is_int = variable.type is x.Type.INT
    return Load(register=register, address=Address(variable.name), size=SIZES[variable.type], signed=is_int)


def store(variable: x.Variable, value: Expr) -> Store:
    """Writes a global variable."""
    return Store(address=Address(variable.name), value=value, size=SIZES[variable.type])


def check_range(low: Expr, high: Expr, span: Span) -> None:
    """Refuses ranges that are empty or too wide, where that can be seen."""
    match low, high:
        case Constant(), Constant():
            first, last = (value - (1 << 64) if value >> 63 else value for value in (low.value, high.value))
            if first > last:
                raise error("W0608", "an empty range", span, f"{first} is greater than {last}")
            if last - first >= _WIDEST:
                raise error(
                    "W0608", f"a range of {last - first + 1} values", span, f"at most {_WIDEST} are supported"
                )
        case _:
            pass


def refuse_repetitions(names: Sequence[tuple[str, Span, str]], found: list[Diagnostic]) -> None:
    """Notes every name that is declared again."""
    seen: dict[str, Span] = {}
    for name, span, what in names:
        if name in seen:
            found.append(
                Diagnostic(
                    code="W0603",
                    message=f"{what} `{name}` is declared twice",
                    primary=Label(span, "again here"),
                    others=(Label(seen[name], "first here"),),
                )
            )
        seen.setdefault(name, span)
