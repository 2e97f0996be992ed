"""Rules → plan: names resolved, graphs and node sets distinguished, iterations and disjunctions eliminated.

A disjunction of constraints fails if all of them fail. What is wrong about each is a relation that should be
empty (the edges themselves, the loops, the nodes on cycles), and X ; all ; Y is empty if X or Y is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence

from membar.diagnostics import Diagnostic, InputError, close_matches, error
from membar.models.cat.elaborate import Compiled
from membar.models.cat.graph import Graph, Node
from membar.models.cat.lower import Requirement, lower
from membar.models.plan import Check, CheckKind, Op, Sort
from membar.models.rules import syntax
from membar.models.rules.formula import (
    Algebra,
    Atom,
    Both,
    Either,
    Equal,
    Exists,
    Formula,
    Negation,
    NotCompilableError,
    Variable,
)
from membar.models.rules.parser import parse
from membar.models.rules.primitives import PREDEFINED, Base
from membar.models.rules.syntax import Operator, Range
from membar.records import record
from membar.source import SourceFile, Span

_MOST_CLAUSES = 64
_NAMES = {"node": Range.NODE, "var": Range.VARIABLE, "thrd": Range.THREAD, "thread": Range.THREAD}


@record(frozen=True, slots=True)
class _Meaning:
    """The formula of an expression: about one node (a set) or two (a graph).

    `parameters` are the current nodes of surrounding iterations that it depends on. `sort` is None for `{}`.
    """

    sort: Sort | None
    parameters: frozenset[Variable]
    at: Callable[[tuple[Variable, ...]], Formula]


@record(frozen=True, slots=True)
class _Iteration:
    """An iteration around an expression, with the variable for its current node."""

    range: Range
    current: Variable


def compile_rules(source: SourceFile, *, vocabulary: Collection[str]) -> Compiled:
    """The plan of a file of rules, and the words of programs that it gives a meaning to.

    Args:
        source: the file.
        vocabulary: the tags of all languages; a bare tag must be one of them, a quoted one can be any.

    Raises:
        InputError: with every diagnostic of the file.
    """
    specification = parse(source)
    return _Compiler(vocabulary).run(specification)


class _Compiler:
    """Definitions so far, and the diagnostics."""

    def __init__(self, vocabulary: Collection[str]) -> None:
        self._graph = Graph()
        self._base = Base(self._graph)
        self._algebra = Algebra(self._graph, self._base.facts)
        self._vocabulary = frozenset(vocabulary)
        self._defined: dict[str, Node | None] = {}  # None: its definition is wrong
        self._tags: set[str] = set()
        self._diagnostics: list[Diagnostic] = []
        self._variables = itertools.count()

    def run(self, specification: syntax.Specification) -> Compiled:
        for definition in specification.definitions:
            try:
                self._define(definition)
            except InputError as problem:
                self._diagnostics.extend(problem.diagnostics)
                self._defined.setdefault(definition.name, None)
        requirements: list[Requirement] = []
        for constraint in specification.constraints:
            try:
                requirements += self._requirements(constraint)
            except InputError as problem:
                self._diagnostics.extend(problem.diagnostics)
        if self._diagnostics:
            raise InputError(*self._diagnostics)
        names = [(name, node) for name, node in self._defined.items() if node is not None]
        return Compiled(lower(self._graph, requirements, names=names), frozenset(self._tags))

    def _define(self, definition: syntax.Definition) -> None:
        if definition.name in self._defined or definition.name in PREDEFINED:
            raise error(
                "W0654", f"`{definition.name}` is defined twice", definition.span, "choose another name"
            )
        meaning = self._meaning(definition.body, ())
        self._defined[definition.name] = self._closed_node(meaning, definition.body.span)

    # Expressions

    def _meaning(self, expr: syntax.Expr, around: Sequence[_Iteration]) -> _Meaning:
        meaning = self._open_meaning(expr, around)
        is_small = len(meaning.parameters) + (1 if meaning.sort is Sort.SET else 2) <= 2
        is_filter = isinstance(expr, syntax.Name) and meaning.parameters
        if meaning.sort is None or not is_small or is_filter:
            return meaning
        # What fits in one relation is compiled at once: shared, and out of the way of the rest.
        parameters = tuple(sorted(meaning.parameters))
        own = tuple(next(self._variables) for _ in range(1 if meaning.sort is Sort.SET else 2))
        node = self._compile_formula(meaning.at(own), parameters + own, expr.span)
        return _Meaning(meaning.sort, meaning.parameters, lambda at: Atom(node, parameters + at))

    def _open_meaning(self, expr: syntax.Expr, around: Sequence[_Iteration]) -> _Meaning:
        match expr:
            case syntax.EmptyGraph():
                return _Meaning(None, frozenset(), lambda _: Either(()))
            case syntax.Name():
                return self._name(expr, around)
            case syntax.Edges():
                return self._edges(expr, around)
            case syntax.ForEach():
                return self._iteration(expr, around)
            case syntax.Combination():
                return self._combination(expr, around)
            case syntax.End(is_source, operand):
                inner = self._of_sort(operand, around, Sort.RELATION)
                other = next(self._variables)
                return _Meaning(
                    Sort.SET,
                    inner.parameters,
                    lambda at: Exists(other, inner.at((at[0], other) if is_source else (other, at[0]))),
                )

    def _name(self, expr: syntax.Name, around: Sequence[_Iteration]) -> _Meaning:
        node = self._node(expr.name, expr.span)
        if node.sort is None:
            return _Meaning(None, frozenset(), lambda _: Either(()))
        filters = [self._filter(tag, around) for tag in expr.tags]
        parameters = frozenset[Variable]().union(*(used for used, _ in filters))
        return _Meaning(
            node.sort,
            parameters,
            lambda at: Both((Atom(node, at), *(test(node_at) for _, test in filters for node_at in at))),
        )

    def _filter(
        self, tag: syntax.Tag, around: Sequence[_Iteration]
    ) -> tuple[frozenset[Variable], Callable[[Variable], Formula]]:
        iteration = None if tag.is_string else _current(tag, around)
        if iteration is None:
            if not tag.is_string and tag.text not in self._vocabulary:
                raise error(
                    "W0655",
                    f"unknown tag `{tag.text}`",
                    tag.span,
                    "neither a node, variable or thread of an iteration, nor an ordering annotation",
                    help=f'quote a tag of your own programs: `["{tag.text}"]`',
                )
            self._tags.add(tag.text)
            carriers = self._graph.primitive(tag.text, Sort.SET)
            return frozenset(), lambda at: Atom(carriers, (at,))
        current = iteration.current
        match iteration.range:
            case Range.NODE:
                return frozenset({current}), lambda at: Equal(current, at)
            case Range.VARIABLE:
                same = self._graph.primitive("loc", Sort.RELATION)
            case Range.THREAD:
                same = self._graph.primitive("int", Sort.RELATION)
        return frozenset({current}), lambda at: Atom(same, (at, current))

    def _edges(self, expr: syntax.Edges, around: Sequence[_Iteration]) -> _Meaning:
        graph = self._name(expr.graph, around)
        if graph.sort is Sort.SET:
            raise _sort_error(f"`{expr.graph.name}`", expr.graph.span, Sort.RELATION)
        if expr.is_path:
            if graph.parameters:
                raise error(
                    "W0656",
                    "paths in a graph that depends on an iteration",
                    expr.graph.span,
                    "not supported: filter the ends of the paths instead",
                )
            closure = self._base.paths(self._closed_node(graph, expr.graph.span))
            graph = _Meaning(Sort.RELATION, frozenset(), lambda at: Atom(closure, at))
        source = self._of_sort(expr.source, around, Sort.SET)
        target = self._of_sort(expr.target, around, Sort.SET)
        return _Meaning(
            Sort.RELATION,
            graph.parameters | source.parameters | target.parameters,
            lambda at: Both((graph.at(at), source.at(at[:1]), target.at(at[1:]))),
        )

    def _iteration(self, expr: syntax.ForEach, around: Sequence[_Iteration]) -> _Meaning:
        current = next(self._variables)
        if expr.over is not None:
            over = self._of_sort(expr.over, around, Sort.SET)
        else:
            # A variable or thread is represented by any of its events.
            members = self._base.accesses if expr.range is Range.VARIABLE else self._base.of_threads
            over = _Meaning(Sort.SET, frozenset(), lambda at: Atom(members, at))
        body = self._meaning(expr.body, [*around, _Iteration(expr.range, current)])
        return _Meaning(
            body.sort,
            (body.parameters - {current}) | over.parameters,
            lambda at: Exists(current, Both((over.at((current,)), body.at(at)))),
        )

    def _combination(self, expr: syntax.Combination, around: Sequence[_Iteration]) -> _Meaning:
        if expr.operator is Operator.MULTIPLY:
            first = self._of_sort(expr.left, around, Sort.SET)
            second = self._of_sort(expr.right, around, Sort.SET)
            return _Meaning(
                Sort.RELATION,
                first.parameters | second.parameters,
                lambda at: Both((first.at(at[:1]), second.at(at[1:]))),
            )
        left = self._meaning(expr.left, around)
        right = self._meaning(expr.right, around)
        if left.sort is not None and right.sort is not None and left.sort is not right.sort:
            raise _sort_error(f"the right side of `{expr.operator.value}`", expr.right.span, left.sort)
        return _Meaning(
            left.sort or right.sort,
            left.parameters | right.parameters,
            lambda at: _combine(expr.operator, left.at(at), right.at(at)),
        )

    def _of_sort(self, expr: syntax.Expr, around: Sequence[_Iteration], sort: Sort) -> _Meaning:
        meaning = self._meaning(expr, around)
        if meaning.sort is not None and meaning.sort is not sort:
            raise _sort_error("this", expr.span, sort)
        return meaning

    def _closed_node(self, meaning: _Meaning, span: Span) -> Node:
        """The set or relation of an expression that depends on no iteration."""
        if meaning.sort is None:
            return self._graph.empty(None)
        size = 1 if meaning.sort is Sort.SET else 2
        variables = tuple(next(self._variables) for _ in range(size))
        return self._compile_formula(meaning.at(variables), variables, span)

    def _compile_formula(self, formula: Formula, variables: tuple[Variable, ...], span: Span) -> Node:
        try:
            return self._algebra.node(formula, variables)
        except NotCompilableError:
            raise error(
                "W0656",
                "membar cannot compile this nesting of iterations",
                span,
                "more than two current nodes meet here in one that cannot be eliminated",
                help="name the inner part, or state it without the outer iteration",
            ) from None

    def _node(self, name: str, span: Span) -> Node:
        if name in PREDEFINED:
            return self._base.node(name)
        node = self._defined.get(name)
        if node is not None:
            return node
        if name in self._defined:
            raise InputError  # said already, where it is defined
        known = [*PREDEFINED, *self._defined]
        close = close_matches(name, known, n=1)
        text = f"did you mean `{close[0]}`?" if close else f"defined here: {', '.join(known)}"
        raise error("W0653", f"unknown name `{name}`", span, "not defined above", help=text)

    # Constraints

    def _requirements(self, constraint: syntax.Constraint) -> list[Requirement]:
        clauses = list(_clauses(constraint))
        if len(clauses) > _MOST_CLAUSES:
            span = next(_simple_constraints(constraint)).span
            raise error("W0652", "a constraint with too many combinations", span, "split it")
        return [self._requirement(clause) for clause in clauses]

    def _requirement(self, clause: Sequence[syntax.Simple]) -> Requirement:
        if len(clause) == 1:
            (only,) = clause
            node = self._constrained_node(only)
            if only.kind is CheckKind.ACYCLIC:
                node = self._base.with_paths(node)
            return Requirement(node, Check(kind=only.kind, slot=-1, name=only.name, span=only.span))
        wrong = [self._wrong(part) for part in clause]
        everything = self._graph.universe(Sort.RELATION)
        node = wrong[0]
        for other in wrong[1:]:
            node = self._graph.apply(Op.SEQUENCE, Sort.RELATION, (node, everything))
            node = self._graph.apply(Op.SEQUENCE, Sort.RELATION, (node, other))
        name = " or ".join(dict.fromkeys(part.name for part in clause))
        span = clause[0].span.to(clause[-1].span)
        return Requirement(node, Check(kind=CheckKind.EMPTY, slot=-1, name=name, span=span))

    def _constrained_node(self, constraint: syntax.Simple) -> Node:
        node = self._node(constraint.name, constraint.span)
        if constraint.kind is not CheckKind.EMPTY and node.sort is Sort.SET:
            raise _sort_error(f"`{constraint.name}`", constraint.span, Sort.RELATION)
        return node if node.sort is not None else self._graph.empty(Sort.RELATION)

    def _wrong(self, constraint: syntax.Simple) -> Node:
        """A relation that is empty if and only if the constraint holds."""
        node = self._constrained_node(constraint)
        if node.sort is Sort.SET:
            return self._graph.apply(Op.IDENTITY, Sort.RELATION, (node,))
        if constraint.kind is CheckKind.EMPTY:
            return node
        loops = self._base.paths(node) if constraint.kind is CheckKind.ACYCLIC else node
        return self._graph.apply(Op.INTERSECTION, Sort.RELATION, (loops, self._graph.identity))


def _combine(operator: Operator, left: Formula, right: Formula) -> Formula:
    match operator:
        case Operator.UNION:
            return Either((left, right))
        case Operator.INTERSECT:
            return Both((left, right))
        case Operator.DIFFERENCE:
            return Both((left, Negation(right)))
        case Operator.MULTIPLY:
            raise AssertionError("has two operands")


def _current(tag: syntax.Tag, around: Sequence[_Iteration]) -> _Iteration | None:
    """The iteration whose current node the tag names: `node` for the only one, `node0` for the outermost."""
    word = tag.text.rstrip("0123456789")
    if word not in _NAMES:
        return None
    candidates = [item for item in around if item.range is _NAMES[word]]
    number = tag.text.removeprefix(word)
    if not number and len(candidates) == 1:
        return candidates[0]
    if number and int(number) < len(candidates):
        return candidates[int(number)]
    if not candidates:
        kind = "thrd" if word == "thread" else word
        expected = f"`{tag.text}` is allowed only inside `for_each_{kind}`"
    else:
        names = ", ".join(f"`{word}{index}`" for index in range(len(candidates)))
        expected = f"expected one of {names}, counted from the outside"
    raise error("W0655", f"no current node is called `{tag.text}` here", tag.span, expected)


def _sort_error(what: str, span: Span, wanted: Sort) -> InputError:
    is_set = wanted is Sort.SET
    return error(
        "W0657",
        f"{what} is {'a graph' if is_set else 'a set of nodes'}",
        span,
        f"expected {'a set of nodes' if is_set else 'a graph'}",
        help="`source(…)` and `target(…)` give the nodes of a graph" if is_set else None,
    )


def _simple_constraints(constraint: syntax.Constraint) -> Iterator[syntax.Simple]:
    match constraint:
        case syntax.Simple():
            yield constraint
        case syntax.All(parts) | syntax.Any(parts):
            for part in parts:
                yield from _simple_constraints(part)


def _clauses(constraint: syntax.Constraint) -> Iterator[tuple[syntax.Simple, ...]]:
    """The constraint as a conjunction of disjunctions."""
    match constraint:
        case syntax.Simple():
            yield (constraint,)
        case syntax.All(parts):
            for part in parts:
                yield from _clauses(part)
        case syntax.Any(parts):
            for choice in itertools.islice(
                itertools.product(*(tuple(_clauses(part)) for part in parts)), _MOST_CLAUSES + 1
            ):
                yield tuple(simple for clause in choice for simple in clause)
