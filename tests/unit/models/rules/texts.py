"""Texts of rules to plans, and random texts."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from membar.diagnostics import Diagnostic, InputError
from membar.models.plan import Plan
from membar.models.rules.compile import compile_rules
from membar.source import SourceFile
from unit.models.compiled import VOCABULARY


def plan(text: str) -> Plan:
    return compile_rules(SourceFile("test.rules", text), vocabulary=VOCABULARY).plan


def problems(text: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a wrong file."""
    with pytest.raises(InputError) as caught:
        plan(text)
    return caught.value.diagnostics


@st.composite
def sets(draw: st.DrawFn, around: tuple[str, ...] = (), depth: int = 3) -> str:
    """A set of nodes; `around` are the iterations around it."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(["W", "R", "F", "A"]))
        tags = [f"{kind}{around[:i].count(kind)}" for i, kind in enumerate(around)]
        tag = draw(st.sampled_from([*tags, *tags, *tags, "MFENCE", ""]))
        return f"{name}[{tag}]" if tag else name
    if draw(st.booleans()):
        end = draw(st.sampled_from(["source", "target"]))
        return f"{end}({draw(graphs(around, depth - 1))})"
    operator = draw(st.sampled_from(["union", "intersect", "\\"]))
    return f"({draw(sets(around, depth - 1))} {operator} {draw(sets(around, depth - 1))})"


@st.composite
def graphs(draw: st.DrawFn, around: tuple[str, ...] = (), depth: int = 3) -> str:
    """A graph."""
    if depth == 0:
        return draw(st.sampled_from(["po", "rf", "mo", "{}"]))
    shape = draw(st.sampled_from(["edges", "edges", "product", "operator", "iteration"]))
    if shape == "edges":
        arrow = draw(st.sampled_from(["->", "-->"]))
        name = draw(st.sampled_from(["po", "rf", "mo", "porf"]))
        return f"{name}({draw(sets(around, depth - 1))} {arrow} {draw(sets(around, depth - 1))})"
    if shape == "product":
        return f"({draw(sets(around, depth - 1))} * {draw(sets(around, depth - 1))})"
    if shape == "operator" or len(around) == 2:
        operator = draw(st.sampled_from(["union", "intersect", "\\"]))
        return f"({draw(graphs(around, depth - 1))} {operator} {draw(graphs(around, depth - 1))})"
    kind = draw(st.sampled_from(["node", "node", "var", "thrd"]))
    over = f" {draw(sets(around, depth - 1))}" if kind == "node" else ""
    return f"for_each_{kind}{over} begin {draw(graphs((*around, kind), depth - 1))} end"
