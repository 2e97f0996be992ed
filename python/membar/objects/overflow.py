"""Whether the numbers of an object fit into the 64 bits that its clients use.

The object language has unbounded integers; a machine program does not. Most code only counts: it adds small
numbers, and no execution that can be explored is long enough to approach 2^63. For all other code
`no_overflow_condition` states for each line what its operands must satisfy so that nothing overflows, and
clients record where it was violated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from membar.objects import syntax as o
from membar.objects import terms as t

_LARGEST: Final = 1 << 63
_ROOM: Final = 1 << 62  # the sum of two such numbers fits
_ROOM_FOR_INDEX: Final = 1 << 59  # as an address it fits
# An execution has less than 2^31 steps; each of them adds less than _TERMS little numbers to what there was.
_LITTLE: Final = 1 << 24
_MODEST: Final = 1 << 31
_TERMS: Final = 16
_SUMS: Final = (t.BinaryOp.ADD, t.BinaryOp.SUB)
_QUOTIENTS: Final = (t.BinaryOp.DIV, t.BinaryOp.REM)


def only_counts(item: o.ConcurrentObject) -> bool:
    """Whether no execution is long enough for a number to leave 64 bits."""
    initial = [*(each.initial for each in item.shared), *(value for _, value in item.private)]
    return all(abs(value) <= _MODEST for value in initial) and all(map(_counts, item.operations))


def is_small(value: int) -> bool:
    """Whether an argument of a client is as small as `only_counts` assumes."""
    return abs(value) < _LITTLE


def _counts(operation: o.Operation) -> bool:
    changed = {
        line.action.target for line in operation.lines if isinstance(line.action, o.Load | o.Assign | o.Rmw)
    }
    given = {name for name in operation.parameters if name not in changed}
    if len(operation.parameters) > _TERMS:
        return False
    if not _grows_by_constants_only(operation.requires, given):
        return False
    for line in operation.lines:
        action = line.action
        if not all(_grows_by_constants_only(term, given) for term in o.terms_of(action)):
            return False
        match action:
            case o.Rmw(kind=o.RmwKind.FETCH_ADD, operands=operands) if not _is_small(operands[0], given):
                return False
            case _:
                pass
    return True


def _is_small(term: t.Term, given: set[str]) -> bool:
    """Whether it is always less than `_LITTLE`, whatever variables are; `given` are arguments of clients."""
    match term:
        case t.Number(value=value):
            return abs(value) < _LITTLE
        case t.Variable(space=t.Space.LOCAL, name=name):
            return name in given
        case t.Unary(op=t.UnaryOp.NOT):
            return True
        case t.Unary(operand=operand):
            return _is_small(operand, given)
        case t.Choice(then=then, otherwise=otherwise):
            return _is_small(then, given) and _is_small(otherwise, given)
        case t.Binary(op=t.BinaryOp.REM, right=t.Number(value=value)):
            return value < _LITTLE
        case t.Binary(op=op):
            return op not in (*_SUMS, *_QUOTIENTS, t.BinaryOp.MUL)
        case _:
            return False


def _grows_by_constants_only(term: t.Term, given: set[str]) -> bool:
    """Whether it is at most a few little numbers more than some variable, in all of its parts."""
    sums = 0
    for part in t.subterms(term):
        match part:
            case t.Number(value=value) if abs(value) > _MODEST:
                return False
            case t.Binary(op=t.BinaryOp.MUL, left=left, right=right):
                if not (_is_small(left, given) and _is_small(right, given)):
                    return False
            case t.Binary(op=t.BinaryOp.ADD | t.BinaryOp.SUB, left=left, right=right):
                sums += 1
                if not (_is_small(left, given) or _is_small(right, given)):
                    return False
            case _:
                pass
    return sums < _TERMS


def no_overflow_condition(action: o.Action) -> t.Term:
    """The condition before a line, on variables and its loaded value, under which it does not overflow."""
    needed = [each for term in o.terms_of(action) for each in _range_conditions(term)]
    location = getattr(action, "location", None)
    if isinstance(location, o.Location) and location.index is not None:
        needed.append(_within(location.index, _ROOM_FOR_INDEX))
    if isinstance(action, o.Rmw) and action.kind is o.RmwKind.FETCH_ADD:
        needed += [_within(t.Loaded(), _ROOM), _within(action.operands[0], _ROOM)]
    return t.conjunction(tuple(needed))


def fitting_term(term: t.Term) -> t.Term:
    """The condition on variables under which a term does not overflow."""
    return t.conjunction(tuple(_range_conditions(term)))


def initially_fitting(item: o.ConcurrentObject) -> bool:
    """Whether memory and private variables can have their initial values."""
    initial = [*(each.initial for each in item.shared), *(value for _, value in item.private)]
    return all(-_LARGEST <= value < _LARGEST for value in initial)


def _range_conditions(term: t.Term) -> Iterator[t.Term]:
    for child in t.children(term):
        yield from _range_conditions(child)
    match term:
        case t.Number(value=value) if not -_LARGEST <= value < _LARGEST:
            yield t.FALSE
        case t.Unary(op=t.UnaryOp.NEGATE, operand=operand):
            yield _within(operand, _ROOM)
        case t.Binary(op=t.BinaryOp.MUL, left=left, right=right):
            yield _within(left, _ROOM // _factor(right))
            yield _within(right, _ROOM // _factor(left))
        case t.Binary(op=op, left=left, right=right) if op in (*_SUMS, *_QUOTIENTS):
            yield _within(left, _ROOM)
            yield _within(right, _ROOM)
        case _:
            pass


def _factor(term: t.Term) -> int:
    """By how much a factor may multiply."""
    return max(abs(term.value), 1) if isinstance(term, t.Number) else _MODEST


def _within(term: t.Term, most: int) -> t.Term:
    low = t.Binary(t.BinaryOp.LE, t.Number(-most), term)
    return t.conjunction((low, t.Binary(t.BinaryOp.LE, term, t.Number(most))))
