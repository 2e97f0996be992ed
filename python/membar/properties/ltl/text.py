"""Prints LTL formulas."""

from __future__ import annotations

from membar.program.temporal import And, Atom, Formula, Next, Not, Or, Release, Truth, Until


def shown(formula: Formula) -> str:
    """A formula as text: `G`, `F`, `X`, `U`, `R`, `!`, `&&`, `||`; fully parenthesised where needed."""
    match formula:
        case Truth(value):
            return "true" if value else "false"
        case Atom(predicate):
            text = predicate.text or "?"
            return text if text.replace("_", "").isalnum() else f"({text})"
        case Not(operand):
            return f"!{shown(operand)}"
        case Next(operand):
            return f"X {shown(operand)}"
        case Until(Truth(value=True), right):
            return f"F {shown(right)}"
        case Release(Truth(value=False), right):
            return f"G {shown(right)}"
        case And(left, right):
            return f"({shown(left)} && {shown(right)})"
        case Or(left, right):
            return f"({shown(left)} || {shown(right)})"
        case Until(left, right):
            return f"({shown(left)} U {shown(right)})"
        case Release(left, right):
            return f"({shown(left)} R {shown(right)})"
