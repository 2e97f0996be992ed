"""Final-state conditions and final states as text, in the notation of litmus tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from membar.program import condition as c
from membar.program.expr import MASK, Address, signed
from membar.program.program import Program
from membar.questions.outcome import FinalState

_LOOSE, _OR, _AND, _ATOM = range(4)  # how tightly a formula binds


def condition_text(program: Program, condition: c.FinalCondition) -> str:
    r"""`exists (0:EAX=0 /\ [x]=1)`."""
    labels = {item.term: item.label for item in condition.observed}
    return f"{condition.quantifier.value} ({formula_text(program, condition.formula, labels)})"


def formula_text(program: Program, formula: c.Formula, labels: Mapping[c.Term, str]) -> str:
    """A formula without redundant parentheses; terms by their labels."""
    return _text(program, formula, labels)[0]


def _text(program: Program, formula: c.Formula, labels: Mapping[c.Term, str]) -> tuple[str, int]:
    match formula:
        case c.Compare(op=c.Comparison.NE, term=term, value=value):
            return f"not ({_compare(program, c.Compare(term, c.Comparison.EQ, value), labels)})", _ATOM
        case c.Compare():
            return _compare(program, formula, labels), _ATOM
        case c.And(parts=()):
            return "true", _ATOM
        case c.Or(parts=()):
            return "false", _ATOM
        case c.And(parts=(part,)) | c.Or(parts=(part,)):
            return _text(program, part, labels)
        case c.And(parts=parts) if (whole := _whole_array(program, parts, labels)) is not None:
            return whole, _ATOM
        case c.And(parts=parts):
            return " /\\ ".join(_within(program, part, labels, _AND) for part in parts), _AND
        case c.Or(parts=parts):
            return " \\/ ".join(_within(program, part, labels, _OR) for part in parts), _OR
        case c.Not(part=part):
            return f"not ({formula_text(program, part, labels)})", _ATOM
        case c.Implies(left=left, right=right):
            sides = (_within(program, side, labels, _ATOM) for side in (left, right))
            return " => ".join(sides), _LOOSE


def _whole_array(program: Program, parts: tuple[c.Formula, ...], labels: Mapping[c.Term, str]) -> str | None:
    """`v={1,2}` if the parts say just that of an array that is shown as a whole."""
    observed = program.condition.observed if program.condition else ()
    arrays = {item.term: item.array for item in observed if item.array is not None}
    terms = [p.term for p in parts if isinstance(p, c.Compare) and p.op is c.Comparison.EQ]
    names = {arrays.get(term) for term in terms}
    name = names.pop() if len(names) == 1 and len(terms) == len(parts) else None
    if name is None or terms != [term for term, array in arrays.items() if array == name]:
        return None
    values = (_compare(program, p, labels).partition("=")[2] for p in parts if isinstance(p, c.Compare))
    return f"{name}={{{','.join(values)}}}"


def _within(program: Program, formula: c.Formula, labels: Mapping[c.Term, str], least: int) -> str:
    text, binding = _text(program, formula, labels)
    return text if binding >= least else f"({text})"


def _compare(program: Program, formula: c.Compare, labels: Mapping[c.Term, str]) -> str:
    value = formula.value
    if isinstance(value, c.FinalRegister | c.FinalCell):
        right = term_text(value, labels)
    elif isinstance(value, Address):
        right = value_text(program.name_of_address(program.word(value)) or f"{value.name}+{value.offset}")
    else:
        right = str(signed(value))
    return f"{term_text(formula.term, labels)}{formula.op.value}{right}"


def term_text(term: c.Term, labels: Mapping[c.Term, str]) -> str:
    """`0:EAX`, `[x]`, `v[0]`."""
    label = labels.get(term)
    if isinstance(term, c.FinalRegister):
        return label or f"{term.thread}:{term.register}"
    return herd_label(label or (f"{term.name}[{term.index}]" if term.index else term.name))


def herd_label(label: str) -> str:
    """A label as herd prints it: plain locations in brackets, registers and elements as they are."""
    return label if ":" in label or label.endswith("]") else f"[{label}]"


def group_arrays(program: Program, state: FinalState) -> tuple[tuple[str, str], ...]:
    """A final state as pairs of texts; the elements of an array shown as a whole become `v`, `{1,2}`."""
    pairs: list[tuple[str, str]] = []
    for array, items in groupby(
        zip(_array_of_each_term(program, state), state, strict=True), key=itemgetter(0)
    ):
        values = [(label, value_text(value)) for _, (label, value) in items]
        pairs += values if array is None else [(array, "{" + ",".join(v for _, v in values) + "}")]
    return tuple(pairs)


def _array_of_each_term(program: Program, state: FinalState) -> list[str | None]:
    """Per shown term, the array it is a part of, where the whole array is shown."""
    observed = program.condition.observed if program.condition else ()
    if [item.label for item in observed] != [label for label, _ in state]:
        return [None] * len(state)
    return [item.array for item in observed]


def value_text(value: int | str) -> str:
    """A number, or the name of an address: an array's first element is at the address of the array."""
    return str(value).removesuffix("[0]")


def state_text(program: Program, state: FinalState) -> str:
    """`0:EAX=0; [x]=1; v={1,2};`, exactly as herd prints a final state."""
    pairs = group_arrays(program, state)
    return " ".join(f"{k if v.startswith('{') else herd_label(k)}={v};" for k, v in pairs)


def state_texts(program: Program, states: Sequence[FinalState]) -> tuple[str, ...]:
    """`state_text` of states of one program, which all show the same terms."""
    observed = program.condition.observed if program.condition else ()
    if not states or any(item.array is not None for item in observed):
        return tuple(state_text(program, state) for state in states)
    heads = [herd_label(label) for label, _ in states[0]]
    return tuple(
        " ".join(
            [
                f"{head}={value if isinstance(value, int) else value_text(value)};"
                for head, (_, value) in zip(heads, state, strict=True)
            ]
        )
        for state in states
    )


def sorted_states(states: tuple[FinalState, ...]) -> tuple[FinalState, ...]:
    """The states in herd's order: by the values from left to right, numbers before names."""
    return tuple(sorted(states, key=lambda state: [_rank(value) for _, value in state]))


def _rank(value: int | str) -> tuple[int, int | str]:
    return (0, value) if isinstance(value, int) else (1, value)


def state_satisfies(program: Program, formula: c.Formula, state: FinalState) -> bool | None:
    """Whether a shown final state satisfies a formula; None if it does not show enough to tell."""
    if program.condition is None:
        return None
    terms = [(item.term, item.label) for item in program.condition.observed]
    if [label for _, label in terms] != [label for label, _ in state]:
        return None
    values: dict[c.Term, int] = {}
    for (term, _), (_, value) in zip(terms, state, strict=True):
        word = value & MASK if isinstance(value, int) else _address(program, value)
        if word is None:
            return None
        values[term] = word
    if any(term not in values for term in c.terms_of(formula)):
        return None
    return c.satisfies(formula, values, program.bases)


def _address(program: Program, name: str) -> int | None:
    """The word behind the name of an address: `x`, `v[1]`, `x+2`."""
    for cell in program.cells:
        if cell.name == name:
            return cell.address
    base, plus, offset = name.partition("+")
    if plus and offset.isdecimal() and base in program.bases:
        return program.bases[base] + int(offset)
    return program.bases.get(name)
