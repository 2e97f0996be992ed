"""Cat expressions on sets of pairs, straight from the syntax: a second opinion on the compiler.

Sets are identity relations here, so that everything is a set of pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from membar.models.cat import syntax as cat
from membar.models.plan import Op
from membar.program.execution import Execution, Kind
from unit.models import naive
from unit.models.naive import Pairs

Value: TypeAlias = Pairs | Callable[[Pairs], Pairs]
Scope: TypeAlias = dict[str, Value]


def base(execution: Execution) -> Scope:
    """The primitives that the random expressions use."""

    def kind(wanted: Kind) -> Pairs:
        return naive.identity(frozenset(event.id for event in execution.events if event.kind is wanted))

    rf = frozenset(execution.rf)
    co = frozenset((a, b) for order in execution.co for i, a in enumerate(order) for b in order[i + 1 :])
    everything = naive.identity(frozenset(range(len(execution.events))))
    cells = {event.id: event.cell for event in execution.events if event.cell is not None}
    return {
        "_": everything,
        "id": everything,
        "po": frozenset(execution.po),
        "rf": rf,
        "co": co,
        "fr": naive.sequence(naive.inverse(rf), co),
        "loc": frozenset((a, b) for a in cells for b in cells if cells[a] == cells[b]),
        "R": kind(Kind.READ),
        "W": kind(Kind.WRITE),
        "domain": lambda pairs: naive.identity(naive.domain(pairs)),
        "range": lambda pairs: naive.identity(naive.range_(pairs)),
        "noid": lambda pairs: pairs - everything,
    }


def pairs(expr: cat.Expr, scope: Scope) -> Pairs:
    """The value of an expression that is no function."""
    match expr:
        case cat.Name(name):
            value = scope[name]
            assert isinstance(value, frozenset)
            return value
        case cat.EmptyRelation():
            return frozenset()
        case cat.Unary(op, operand):
            return _unary(op, pairs(operand, scope), scope)
        case cat.Binary(op, left, right):
            return _binary(op, pairs(left, scope), pairs(right, scope))
        case cat.Apply(cat.Name(name), argument):
            function = scope[name]
            assert callable(function)
            return function(pairs(argument, scope))
        case cat.Let((binding,), is_recursive, body):
            return pairs(
                body, {**scope, binding.target.names[0]: define(binding, scope, is_recursive=is_recursive)}
            )
        case _:
            raise AssertionError(expr)


def define(binding: cat.Binding, scope: Scope, *, is_recursive: bool) -> Value:
    """What a `let` of one name binds."""
    if binding.parameters:
        ((parameter,),) = (pattern.names for pattern in binding.parameters)
        return lambda argument: pairs(binding.body, {**scope, parameter: argument})
    if not is_recursive:
        return pairs(binding.body, scope)
    return naive.least(lambda value: pairs(binding.body, {**scope, binding.target.names[0]: value}))


def _unary(op: Op, value: Pairs, scope: Scope) -> Pairs:
    everything = scope["_"]
    assert isinstance(everything, frozenset)
    events = naive.domain(everything)
    match op:
        case Op.COMPLEMENT:
            return naive.product(events, events) - value
        case Op.INVERSE:
            return naive.inverse(value)
        case Op.PLUS:
            return naive.plus(value)
        case Op.STAR:
            return naive.plus(value) | everything
        case Op.OPTIONAL:
            return value | everything
        case Op.IDENTITY:
            return value
        case _:
            raise AssertionError(op)


def _binary(op: Op, left: Pairs, right: Pairs) -> Pairs:
    match op:
        case Op.UNION:
            return left | right
        case Op.INTERSECTION:
            return left & right
        case Op.DIFFERENCE:
            return left - right
        case Op.SEQUENCE:
            return naive.sequence(left, right)
        case Op.PRODUCT:
            return naive.product(naive.domain(left), naive.domain(right))
        case _:
            raise AssertionError(op)
