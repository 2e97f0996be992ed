"""The LTL translation against the direct evaluator and `spin -f`: a slice of `tests/differential/ltl.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential import spin
from differential.ltl import disagreement, disagreement_with_spin
from differential.mutation import Bug, Rewrite, planted

LTL = "membar.properties.ltl"
SLICE = range(10_000, 10_200)
MISTAKES: dict[str, Bug] = {
    "an until is fulfilled by its left side": Rewrite(
        f"{LTL}.translation",
        "case Until(left, right):\n                yield way.with_todo(right)",
        "case Until(left, right):\n                yield way.with_todo(left)",
    ),
    "an until may be put off for ever": Rewrite(
        f"{LTL}.translation", "put_off = way.put_off | {formula}", "put_off = way.put_off"
    ),
    "a release need not go on": Rewrite(
        f"{LTL}.translation",
        "yield replace(way.with_todo(right), following=way.following | {formula})",
        "yield way.with_todo(right)",
    ),
    "a release forgets its right side": Rewrite(
        f"{LTL}.translation",
        "case Release(left, right):\n                yield way.with_todo(left, right)",
        "case Release(left, right):\n                yield way.with_todo(left)",
    ),
    "next is now": Rewrite(
        f"{LTL}.translation",
        "yield replace(way, following=way.following | _parts(operand))",
        "yield way.with_todo(operand)",
    ),
    "one side of an or is forgotten": Rewrite(
        f"{LTL}.translation",
        "                if left not in way.done:\n                    yield way.with_todo(right)\n",
        "",
    ),
    "an until forgets its left side": Rewrite(
        f"{LTL}.translation", "yield replace(way.with_todo(left), following", "yield replace(way, following"
    ),
    "a next of several forgets all but one": Rewrite(
        f"{LTL}.translation",
        "return _parts(formula.left) | _parts(formula.right)",
        "return _parts(formula.left)",
    ),
    "a better way has more obligations": Rewrite(
        f"{LTL}.translation", "and other.following <= way.following", "and other.following >= way.following"
    ),
    "a better way puts more off": Rewrite(
        f"{LTL}.translation", "            and other.put_off <= way.put_off\n", ""
    ),
    "negation of until is until": Rewrite(
        f"{LTL}.normal",
        "is_until = isinstance(formula, Until) is not negated",
        "is_until = isinstance(formula, Until)",
    ),
    "negation of and is and": Rewrite(
        f"{LTL}.normal",
        "is_and = isinstance(formula, And) is not negated",
        "is_and = isinstance(formula, And)",
    ),
    "G F p is F p": Rewrite(
        f"{LTL}.normal",
        "        case Truth(), Release(_, b):  # G (a R b) = G b\n            return _release(FALSE, b)",
        "        case Truth(), Until(Truth(), b):\n            return right",
    ),
    "a U b implies a": Rewrite(
        f"{LTL}.normal",
        "case Until(a, b) if implies_syntactically(a, other) and implies_syntactically(b, other):",
        "case Until(a, b) if implies_syntactically(a, other):",
    ),
    "a R b implies a": Rewrite(
        f"{LTL}.normal",
        "case Release(_, b) if implies_syntactically(b, other):",
        "case Release(b, _) if implies_syntactically(b, other):",
    ),
    "p implies p U q": Rewrite(
        f"{LTL}.normal",
        "case Until(_, b) if implies_syntactically(one, b):",
        "case Until(b, _) if implies_syntactically(one, b):",
    ),
    "F X b is F b": Rewrite(
        f"{LTL}.normal",
        "case Truth(), Next(b):  # F X b = X F b\n            return smaller(Next(_until(TRUE, b)))",
        "case Truth(), Next(b):\n            return _until(TRUE, b)",
    ),
    "F (a U b) is F a": Rewrite(
        f"{LTL}.normal", "case Truth(), Until(_, b):  # F (a U b)", "case Truth(), Until(b, _):  # F (a U b)"
    ),
    "p || !p is false": Rewrite(
        f"{LTL}.normal",
        "        if one == TRUE or is_negation(one, other):\n            return TRUE",
        "        if one == TRUE or is_negation(one, other):\n            return FALSE",
    ),
    "what leads to acceptance is dropped": Rewrite(
        f"{LTL}.reduction", "            break\n        leads |= more", "            break\n        break"
    ),
    "marks of doubles are ignored": Rewrite(
        f"{LTL}.reduction", "                and other.marks >= step.marks\n", ""
    ),
    "states with the same targets are one": Rewrite(
        f"{LTL}.reduction",
        "key = frozenset((step.target, step.label, step.marks) for",
        "key = frozenset((step.target, step.label, frozenset[int]()) for",
    ),
    "labels that say less are included": Rewrite(
        f"{LTL}.automaton",
        "return self.positive <= other.positive and",
        "return self.positive >= other.positive and",
    ),
    "negative literals are not looked at": Rewrite(
        f"{LTL}.automaton",
        "return self.positive <= letter and self.negative.isdisjoint(letter)",
        "return self.positive <= letter",
    ),
}


def test_random_formulas_agree_with_the_evaluator() -> None:
    assert [found for seed in SLICE if (found := disagreement(seed)) is not None] == []


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
def test_random_formulas_agree_with_spin() -> None:
    found = [disagreement_with_spin(seed) for seed in range(20_000, 20_016)]
    assert [item for item in found if item not in (None, "skipped")] == []
    assert found.count(None) >= 8


@pytest.mark.parametrize("name", sorted(MISTAKES))
def test_the_evaluator_catches(name: str, tmp_path: Path) -> None:
    with planted(MISTAKES[name], tmp_path):
        assert any(_is_wrong(seed) for seed in range(250))


def _is_wrong(seed: int) -> bool:
    try:
        return disagreement(seed) is not None
    except (AssertionError, RecursionError):
        return True


def test_there_are_mistakes_enough() -> None:
    assert len(MISTAKES) >= 20
