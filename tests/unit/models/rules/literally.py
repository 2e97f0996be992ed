"""The rule language on sets of nodes and pairs, iterating where the text says so: a second opinion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from membar.models.plan import CheckKind
from membar.models.rules import syntax
from membar.models.rules.parser import parse
from membar.models.rules.syntax import Operator, Range
from membar.program.execution import Event, Execution, Kind
from membar.source import SourceFile
from unit.models import naive
from unit.models.naive import Pairs

Nodes: TypeAlias = frozenset[int]


@dataclass(frozen=True)
class Value:
    """A set of nodes or a graph; `{}` is both."""

    nodes: Nodes = frozenset()
    pairs: Pairs = frozenset()


@dataclass(frozen=True)
class Scope:
    execution: Execution
    names: Mapping[str, Value]
    # One entry per iteration around, from the outside: what it runs over, and the nodes that are current.
    current: Sequence[tuple[Range, Nodes]] = field(default=())


def allows(text: str, execution: Execution) -> bool:
    """Whether an execution satisfies all constraints."""
    specification = parse(SourceFile("test.rules", text))
    names = predefined(execution)
    for definition in specification.definitions:
        names[definition.name] = value(definition.body, Scope(execution, names))
    return all(holds(constraint, names) for constraint in specification.constraints)


def predefined(execution: Execution) -> dict[str, Value]:
    def kind(*kinds: Kind) -> Value:
        return Value(nodes=frozenset(e.id for e in execution.events if e.kind in kinds))

    po = set(neighbours(frozenset(execution.po)))
    later = naive.range_(frozenset(execution.po))
    po |= {
        (a.id, b.id)
        for a in execution.events
        for b in execution.events
        if a.is_initial and not b.is_initial and b.id not in later
    }
    co = frozenset((a, b) for order in execution.co for a, b in pairwise(order))
    return {
        "W": kind(Kind.WRITE),
        "R": kind(Kind.READ),
        "F": kind(Kind.FENCE),
        "A": kind(*Kind),
        "I": Value(nodes=frozenset(e.id for e in execution.events if e.is_initial)),
        "po": Value(pairs=frozenset(po)),
        "rf": Value(pairs=frozenset(execution.rf)),
        "mo": Value(pairs=co),
        "rmw": Value(pairs=frozenset(execution.amo | execution.lxsx)),
        "start": Value(pairs=frozenset(execution.spawn_join)),
    }


def neighbours(order: Pairs) -> Pairs:
    return order - naive.sequence(order, order)


def holds(constraint: syntax.Constraint, names: Mapping[str, Value]) -> bool:
    match constraint:
        case syntax.All(parts):
            return all(holds(part, names) for part in parts)
        case syntax.Any(parts):
            return any(holds(part, names) for part in parts)
        case syntax.Simple(name, kind):
            match kind:
                case CheckKind.EMPTY:
                    return names[name] == Value()
                case CheckKind.ACYCLIC:
                    return naive.is_acyclic(names[name].pairs)
                case CheckKind.IRREFLEXIVE:
                    return all(a != b for a, b in names[name].pairs)


def value(expr: syntax.Expr, scope: Scope) -> Value:
    match expr:
        case syntax.EmptyGraph():
            return Value()
        case syntax.Name(name, tags):
            found = scope.names[name]
            for tag in tags:
                passing = filtered(tag, scope)
                found = Value(found.nodes & passing, between(found.pairs, passing, passing))
            return found
        case syntax.Edges(graph, source, target, is_path):
            pairs = value(graph, scope).pairs
            pairs = naive.plus(pairs) if is_path else pairs
            return Value(pairs=between(pairs, value(source, scope).nodes, value(target, scope).nodes))
        case syntax.ForEach(kind, over, body):
            rounds = [
                value(body, Scope(scope.execution, scope.names, (*scope.current, (kind, nodes))))
                for nodes in classes(kind, over, scope)
            ]
            return Value(
                frozenset().union(*(item.nodes for item in rounds)),
                frozenset().union(*(item.pairs for item in rounds)),
            )
        case syntax.Combination(operator, left, right):
            return combined(operator, value(left, scope), value(right, scope))
        case syntax.End(is_source, operand):
            pairs = value(operand, scope).pairs
            return Value(nodes=naive.domain(pairs) if is_source else naive.range_(pairs))


def between(pairs: Pairs, sources: Nodes, targets: Nodes) -> Pairs:
    return frozenset((a, b) for a, b in pairs if a in sources and b in targets)


def combined(operator: Operator, left: Value, right: Value) -> Value:
    match operator:
        case Operator.UNION:
            return Value(left.nodes | right.nodes, left.pairs | right.pairs)
        case Operator.INTERSECT:
            return Value(left.nodes & right.nodes, left.pairs & right.pairs)
        case Operator.DIFFERENCE:
            return Value(left.nodes - right.nodes, left.pairs - right.pairs)
        case Operator.MULTIPLY:
            return Value(pairs=naive.product(left.nodes, right.nodes))


def classes(kind: Range, over: syntax.Expr | None, scope: Scope) -> list[Nodes]:
    """What each round of an iteration lets pass."""
    if over is not None:
        return [frozenset({node}) for node in value(over, scope).nodes]

    def key(event: Event) -> int | None:
        if kind is Range.VARIABLE:
            return event.cell
        return None if event.is_initial else event.thread

    keys = {key(event) for event in scope.execution.events} - {None}
    return [frozenset(event.id for event in scope.execution.events if key(event) == it) for it in keys]


def filtered(tag: syntax.Tag, scope: Scope) -> Nodes:
    word = tag.text.rstrip("0123456789")
    if tag.is_string or word not in {item.value for item in Range}:
        return frozenset(event.id for event in scope.execution.events if tag.text in event.tags)
    rounds = [nodes for kind, nodes in scope.current if kind.value == word]
    return rounds[int(tag.text.removeprefix(word) or 0)]
