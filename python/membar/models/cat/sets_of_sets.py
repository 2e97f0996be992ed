"""Sets of tags, sets of sets and sets of relations, as far as their members are known at compile time."""

from __future__ import annotations

from collections.abc import Callable

from membar.diagnostics import InputError, error
from membar.models.cat import syntax as cat
from membar.models.cat.graph import Graph, Node
from membar.models.cat.values import (
    ChoiceRelations,
    EachEvent,
    EachPair,
    Group,
    Listed,
    SinglePair,
    SomeEvent,
    SomePair,
    TagValue,
    Value,
    describe,
    is_empty,
    is_unknown,
)
from membar.models.plan import Op, Sort
from membar.source import Span


def set_of(items: list[Value], graph: Graph) -> Value:
    """The set of these members, each once."""
    kept: list[Value] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return Listed(tuple(kept)) if kept else graph.empty(None)


def members(value: Value) -> tuple[Value, ...] | None:
    """The members of a set, if they are known."""
    if isinstance(value, Listed):
        return value.items
    return () if is_empty(value) else None


def insert(element: Value, rest: Value, span: Span, graph: Graph) -> Value:
    """`element ++ rest`."""
    if is_unknown(element) or is_unknown(rest):
        return graph.variable("unknown", None)
    known = members(rest)
    match element:
        case SomePair() if known == ():
            return SinglePair(element)
        case SomeEvent(singleton) if isinstance(rest, Node):
            return graph.apply(Op.UNION, Sort.SET, (singleton, rest), span)
        case TagValue() | Node() | Group() | Listed() if known is not None:
            return set_of([element, *known], graph)
        case _:
            raise error(
                "W0205",
                f"`++` of {describe(element)} and {describe(rest)} is not supported yet",
                span,
                "only members can be added, and only to explicit sets",
            )


def combine(op: Op, left: Value, right: Value, span: Span, graph: Graph) -> Value:
    """Union, intersection or difference of two sets of which one at least is listed."""
    first, second = members(left), members(right)
    if first is None or second is None:
        raise error(
            "W0207",
            f"`{op.value}` of {describe(left)} and {describe(right)}",
            span,
            "different kinds of sets",
        )
    if op is Op.UNION:
        return set_of([*first, *second], graph)
    # Two relations that are written differently may still be equal, so only tags can be compared.
    if op in (Op.INTERSECTION, Op.DIFFERENCE) and all(
        isinstance(item, TagValue) for item in (*first, *second)
    ):
        wanted = op is Op.INTERSECTION
        return set_of([item for item in first if (item in second) is wanted], graph)
    raise error("W0205", f"`{op.value}` of {describe(left)} is not supported yet", span, "used here")


def clause_for(subject: Value, expr: cat.Match, graph: Graph) -> tuple[cat.Expr, dict[str, Value]] | None:
    """The clause of a `match` that fits its subject, and what its pattern binds; None if that is unknown.

    Raises:
        InputError: none fits, or the subject is only known in an execution.
    """
    if is_unknown(subject):
        return None
    if members(subject) is None and not isinstance(subject, TagValue):
        raise error(
            "W0205",
            f"`match` on {describe(subject)} that depends on the execution is not supported",
            expr.subject.span,
            "matched here",
            help="`match` works on tags and on explicit sets, such as `{r, s}`",
        )
    for clause in expr.clauses:
        bound = _fits(clause, subject, graph)
        if bound is not None:
            return clause.body, bound
    raise error(
        "W0209", "no clause of this `match` applies", expr.span, f"the subject is {describe(subject)}"
    )


def _fits(clause: cat.Clause, subject: Value, graph: Graph) -> dict[str, Value] | None:
    known = members(subject)
    match clause.pattern:
        case cat.Everything():
            return {}
        case cat.SetOf(()):
            return {} if known == () else None
        case cat.Tag(name):
            return {} if subject == TagValue(name) else None
        case cat.Add(cat.Name(first), cat.Name(rest)):
            return {first: known[0], rest: set_of(list(known[1:]), graph)} if known else None
        case _:
            raise error(
                "W0204", "not a pattern", clause.pattern.span, "expected `{}`, `x ++ rest`, a tag or `_`"
            )


def map_set(function: Callable[[Value], Value], subject: Value, span: Span, graph: Graph) -> Value:
    """`map f S`."""
    known = members(subject)
    if known is not None:
        return set_of([function(item) for item in known], graph)
    if is_unknown(subject):
        return graph.variable("unknown", None)
    if isinstance(subject, Node) and subject.sort is Sort.SET:
        singleton = graph.variable("event", Sort.SET)
        return EachEvent(subject, singleton, function(SomeEvent(singleton)))
    if isinstance(subject, Node):
        pair = SomePair(subject)
        if function(pair) == SinglePair(pair):
            return EachPair(subject)
    raise error(
        "W0205",
        f"`map` over {describe(subject)} is not supported here",
        span,
        "only over sets of events, and over the pairs of a relation to make a relation of each",
    )


def cross(subject: Value, span: Span, graph: Graph) -> Value:
    """`cross S`: all unions of one member from each member of S."""
    known = members(subject)
    if known == ():
        return Listed((graph.empty(Sort.RELATION),))
    if is_unknown(subject):
        return graph.variable("unknown", None)
    if known is not None:
        return _product(known, span, graph)
    if isinstance(subject, EachEvent) and isinstance(subject.member, EachPair):
        pairs = subject.member.relation
        if _ends_in(pairs, subject.singleton, graph):
            return ChoiceRelations(subject.events, graph.substitute(pairs, subject.singleton, subject.events))
    raise _no_cross(subject, span)


def _product(known: tuple[Value, ...], span: Span, graph: Graph) -> Value:
    unions = [graph.empty(Sort.RELATION)]
    for item in known:
        inner = members(item)
        if inner is None or not all(isinstance(one, Node) for one in inner):
            raise _no_cross(item, span)
        nodes = [one for one in inner if isinstance(one, Node)]
        unions = [graph.apply(Op.UNION, Sort.RELATION, (one, node)) for one in unions for node in nodes]
    return set_of(list(unions), graph)


def _ends_in(pairs: Node, singleton: Node, graph: Graph) -> bool:
    """Whether `pairs` is the part that ends in the event of what it is for the set of all such events."""
    if not graph.mentions(pairs, singleton):
        return False
    match pairs.op:
        case Op.PRODUCT:
            return pairs.args[1] is singleton and not graph.mentions(pairs.args[0], singleton)
        case Op.UNION:
            return all(_ends_in(arg, singleton, graph) for arg in pairs.args)
        case Op.INTERSECTION:
            with_it = [arg for arg in pairs.args if graph.mentions(arg, singleton)]
            return len(with_it) == 1 and _ends_in(with_it[0], singleton, graph)
        case Op.DIFFERENCE:
            return _ends_in(pairs.args[0], singleton, graph) and not graph.mentions(pairs.args[1], singleton)
        case _:
            return False


def _no_cross(subject: Value, span: Span) -> InputError:
    return error(
        "W0205",
        f"`cross` of {describe(subject)} of this form is not supported",
        span,
        "only of explicit sets, and of `map`s that select one pair `(w, e)` for each event `e`",
    )
