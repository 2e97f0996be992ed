"""Prints LTL formulas."""

from __future__ import annotations

from membar.program.temporal import And, Atom, Formula, Next, Not, Or, Release, Truth, Until


def formula_text(formula: Formula) -> str:
    """A formula as text: `G`, `F`, `X`, `U`, `R`, `!`, `&&`, `||`; fully parenthesised where needed."""
    match formula:
        case Truth(value):
            return "true" if value else "false"
        case Atom(predicate):
            text = predicate.text or "?"
            return text if text.replace("_", "").isalnum() else f"({text})"
        case Not(operand):
            return f"!{formula_text(operand)}"
        case Next(operand):
            return f"X {formula_text(operand)}"
        case Until(Truth(value=True), right):
            return f"F {formula_text(right)}"
        case Release(Truth(value=False), right):
            return f"G {formula_text(right)}"
        case And(left, right):
            return f"({formula_text(left)} && {formula_text(right)})"
        case Or(left, right):
            return f"({formula_text(left)} || {formula_text(right)})"
        case Until(left, right):
            return f"({formula_text(left)} U {formula_text(right)})"
        case Release(left, right):
            return f"({formula_text(left)} R {formula_text(right)})"
