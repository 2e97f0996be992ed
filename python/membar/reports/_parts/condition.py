"""Final-state conditions and final states as text, in the notation of litmus tests."""

from __future__ import annotations

from collections.abc import Mapping

from membar.outcome import FinalState
from membar.program.condition import (
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    FinalRegister,
    Formula,
    Implies,
    Not,
    Or,
    Term,
    satisfies,
    terms_of,
)
from membar.program.expr import MASK, Address
from membar.program.program import Program

_LOOSE, _OR, _AND, _ATOM = range(4)  # how tightly a formula binds


def condition_text(program: Program, condition: FinalCondition) -> str:
    r"""`exists (0:EAX=0 /\ [x]=1)`."""
    labels = {item.term: item.label for item in condition.observed}
    return f"{condition.quantifier.value} ({formula_text(program, condition.formula, labels)})"


def formula_text(program: Program, formula: Formula, labels: Mapping[Term, str]) -> str:
    """A formula without redundant parentheses; terms by their labels."""
    return _text(program, formula, labels)[0]


def _text(program: Program, formula: Formula, labels: Mapping[Term, str]) -> tuple[str, int]:
    match formula:
        case Compare(op=Comparison.NE, term=term, value=value):
            return f"not ({_compare(program, Compare(term, Comparison.EQ, value), labels)})", _ATOM
        case Compare():
            return _compare(program, formula, labels), _ATOM
        case And(parts=()):
            return "true", _ATOM
        case Or(parts=()):
            return "false", _ATOM
        case And(parts=(part,)) | Or(parts=(part,)):
            return _text(program, part, labels)
        case And(parts=parts):
            return " /\\ ".join(_within(program, part, labels, _AND) for part in parts), _AND
        case Or(parts=parts):
            return " \\/ ".join(_within(program, part, labels, _OR) for part in parts), _OR
        case Not(part=part):
            return f"not ({formula_text(program, part, labels)})", _ATOM
        case Implies(left=left, right=right):
            sides = (_within(program, left, labels, _OR), _within(program, right, labels, _LOOSE))
            return " => ".join(sides), _LOOSE


def _within(program: Program, formula: Formula, labels: Mapping[Term, str], least: int) -> str:
    text, binding = _text(program, formula, labels)
    return text if binding >= least else f"({text})"


def _compare(program: Program, formula: Compare, labels: Mapping[Term, str]) -> str:
    value = formula.value
    if isinstance(value, FinalRegister | FinalCell):
        right = term_text(value, labels)
    elif isinstance(value, Address):
        right = program.name_of_address(program.word(value)) or f"{value.name}+{value.offset}"
    else:
        right = str(value)
    return f"{term_text(formula.term, labels)}{formula.op.value}{right}"


def term_text(term: Term, labels: Mapping[Term, str]) -> str:
    """`0:EAX`, `[x]`, `v[0]`."""
    label = labels.get(term)
    if isinstance(term, FinalRegister):
        return label or f"{term.thread}:{term.register}"
    return bracketed(label or (f"{term.name}[{term.index}]" if term.index else term.name))


def bracketed(label: str) -> str:
    """A label as herd prints it: plain locations in brackets, registers and elements as they are."""
    return label if ":" in label or label.endswith("]") else f"[{label}]"


def grouped(state: FinalState) -> tuple[tuple[str, str], ...]:
    """A final state as pairs of texts; elements under one label (a whole array) become `{1,2}`."""
    values: dict[str, list[str]] = {}
    for label, value in state:
        values.setdefault(label, []).append(str(value))
    return tuple((k, v[0] if len(v) == 1 else "{" + ",".join(v) + "}") for k, v in values.items())


def state_text(state: FinalState) -> str:
    """`0:EAX=0; [x]=1;`, exactly as herd prints a final state."""
    pairs = grouped(state)
    return " ".join(f"{k if v.startswith('{') else bracketed(k)}={v};" for k, v in pairs)


def sorted_states(states: tuple[FinalState, ...]) -> tuple[FinalState, ...]:
    """The states in herd's order: by the values from left to right, numbers before names."""
    return tuple(sorted(states, key=lambda state: [_rank(value) for _, value in state]))


def _rank(value: int | str) -> tuple[int, int, str]:
    return (0, value, "") if isinstance(value, int) else (1, 0, value)


def state_satisfies(program: Program, formula: Formula, state: FinalState) -> bool | None:
    """Whether a shown final state satisfies a formula; None if it does not show enough to tell."""
    if program.condition is None:
        return None
    shown = [(item.term, item.label) for item in program.condition.observed]
    if [label for _, label in shown] != [label for label, _ in state]:
        return None
    values: dict[Term, int] = {}
    for (term, _), (_, value) in zip(shown, state, strict=True):
        word = value & MASK if isinstance(value, int) else _address(program, value)
        if word is None:
            return None
        values[term] = word
    if any(term not in values for term in terms_of(formula)):
        return None
    return satisfies(formula, values, program.bases)


def _address(program: Program, name: str) -> int | None:
    """The word behind the name of an address: `x`, `v[1]`, `x+2`."""
    for cell in program.cells:
        if cell.name == name:
            return cell.address
    base, plus, offset = name.partition("+")
    if plus and offset.isdecimal() and base in program.bases:
        return program.bases[base] + int(offset)
    return program.bases.get(name)
