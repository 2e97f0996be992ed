"""Cat text to plans, and what is wrong with it, in one line each."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from membar.diagnostics import Diagnostic, InputError
from membar.models.cat.elaborate import compile_model
from membar.models.cat.parser import parse
from membar.models.cat.syntax import Binding, Define, Expr
from membar.models.plan import Plan
from membar.source import SourceFile

VOCABULARY = ("MFENCE", "SFENCE", "LFENCE", "X", "A", "L", "Rcu-lock")


def source(text: str) -> SourceFile:
    return SourceFile("test.cat", text)


def plan(text: str, vocabulary: Collection[str] = VOCABULARY) -> Plan:
    return compile_model(source(text), vocabulary=vocabulary).plan


def expr(text: str) -> Expr:
    """The syntax of an expression."""
    (statement,) = parse(source(f"let it = {text}")).statements
    match statement:
        case Define((Binding(body=body),)):
            return body
        case _:
            raise AssertionError(statement)


def problems(text: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a wrong model."""
    with pytest.raises(InputError) as caught:
        plan(text)
    return caught.value.diagnostics
