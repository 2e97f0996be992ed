"""Iterations compiled away: first-order formulas over nodes, turned into set and relation algebra.

`for_each_node S begin E end` is the union of E(n) over the nodes n of S: an edge (a, b) is in it if *there
is* a node n of S with (a, b) in E(n). Read like this, every expression is a formula about two nodes (one, for
a set of nodes), and an iteration is a quantifier. A quantified variable x that shares atoms with at most two
others, u and v, is gone after one relational composition:

    ∃x. r(u, x) ∧ S(x) ∧ s(x, v)   is   (r ; [S] ; s)(u, v)

One iteration can always be compiled so; nested ones unless three or more nodes meet in a node that cannot be
eliminated. So the plan needs no iteration of its own, and what it computes stays a few matrix operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from membar.models.cat.graph import Graph, Node
from membar.models.plan import Op, Sort
from membar.records import record, replace

Variable: TypeAlias = int


@record(frozen=True, slots=True)
class Atom:
    """`node` holds of `variables`: one for a set, two for a relation; none: the relation is not empty."""

    node: Node
    variables: tuple[Variable, ...]


@record(frozen=True, slots=True)
class Equal:
    """Both variables are the same node."""

    left: Variable
    right: Variable


@record(frozen=True, slots=True)
class Both:
    """All parts hold."""

    parts: tuple[Formula, ...]


@record(frozen=True, slots=True)
class Either:
    """Some part holds; none: false."""

    parts: tuple[Formula, ...]


@record(frozen=True, slots=True)
class Negation:
    """The part does not hold."""

    part: Formula


@record(frozen=True, slots=True)
class Exists:
    """There is a node such that the part holds. No two quantifiers share a variable."""

    variable: Variable
    part: Formula


Formula: TypeAlias = Atom | Equal | Both | Either | Negation | Exists


class NotCompilableError(Exception):
    """A formula in which more than two nodes meet in one that cannot be eliminated."""


@record(frozen=True, slots=True)
class _Conjunction:
    """Atoms and equations that all hold, for some value of the bound variables."""

    atoms: tuple[Atom, ...]
    equations: tuple[Equal, ...]
    bound: frozenset[Variable]

    def and_(self, other: _Conjunction) -> _Conjunction:
        return _Conjunction(
            self.atoms + other.atoms, self.equations + other.equations, self.bound | other.bound
        )


def free(formula: Formula) -> frozenset[Variable]:
    """The variables that no quantifier binds."""
    match formula:
        case Atom(_, variables):
            return frozenset(variables)
        case Equal(left, right):
            return frozenset({left, right})
        case Both(parts) | Either(parts):
            return frozenset().union(*(free(part) for part in parts))
        case Negation(part):
            return free(part)
        case Exists(variable, part):
            return free(part) - {variable}


@record(frozen=True, slots=True)
class Facts:
    """Known facts about relations, so that less needs to be computed.

    Attributes:
        classes: equivalences, each with the nodes that are in some class.
        ends: relations, each with a set in which all edges start and one in which they end.
    """

    classes: Mapping[Node, Node]
    ends: Mapping[Node, tuple[Node, Node]]


class Algebra:
    """Formulas → nodes of a graph."""

    def __init__(self, graph: Graph, facts: Facts) -> None:
        self._graph = graph
        self._classes = facts.classes
        self._ends = dict(facts.ends)

    def node(self, formula: Formula, variables: tuple[Variable, ...]) -> Node:
        """The set (one variable) or relation (two) of what satisfies the formula; no other is free in it.

        Raises:
            NotCompilableError: the iterations are entangled too much.
        """
        sort = Sort.SET if len(variables) == 1 else Sort.RELATION
        result = self._graph.empty(sort)
        for conjunction in self._disjuncts(formula):
            result = self._union(result, self._solution(conjunction, variables), sort)
        return result

    # A formula as a disjunction of conjunctions

    def _disjuncts(self, formula: Formula) -> list[_Conjunction]:
        match formula:
            case Atom():
                return [_Conjunction((formula,), (), frozenset())]
            case Equal():
                return [_Conjunction((), (formula,), frozenset())]
            case Either(parts):
                return [conjunction for part in parts for conjunction in self._disjuncts(part)]
            case Both(parts):
                return [
                    _conjunction(choice) for choice in product(*(self._disjuncts(part) for part in parts))
                ]
            case Exists(variable, part):
                return [
                    replace(conjunction, bound=conjunction.bound | {variable})
                    for conjunction in self._disjuncts(part)
                ]
            case Negation(part):
                return self._negate(part)

    def _negate(self, part: Formula) -> list[_Conjunction]:
        variables = tuple(sorted(free(part)))
        if 1 <= len(variables) <= 2:
            node = self.node(part, variables)
            sort = Sort.SET if len(variables) == 1 else Sort.RELATION
            complement = self._graph.apply(Op.COMPLEMENT, sort, (node,))
            return [_Conjunction((Atom(complement, variables),), (), frozenset())]
        match part:
            case Negation(inner):
                return self._disjuncts(inner)
            case Both(parts):
                return self._disjuncts(Either(tuple(Negation(inner) for inner in parts)))
            case Either(parts):
                return self._disjuncts(Both(tuple(Negation(inner) for inner in parts)))
            case _:
                raise NotCompilableError

    # One conjunction as a set or relation

    def _solution(self, conjunction: _Conjunction, variables: tuple[Variable, ...]) -> Node:
        conjunction = _without_equations(conjunction, frozenset(variables))
        while conjunction.bound:
            conjunction = self._eliminate(conjunction)
        atoms = self._without_implied(conjunction.atoms)
        members = {variable: self._graph.universe(Sort.SET) for variable in variables}
        result = self._graph.universe(Sort.SET if len(variables) == 1 else Sort.RELATION)
        for atom in atoms:
            used = atom.variables
            if not used:
                result = self._intersection(result, self._all_pairs_or_none(atom.node, len(variables)))
            elif len(used) == 1:
                members[used[0]] = self._intersection(members[used[0]], atom.node)
            elif used[0] == used[1]:
                members[used[0]] = self._intersection(members[used[0]], self._loops(atom.node))
            else:
                oriented = atom.node if used[0] == variables[0] else self._inverse(atom.node)
                result = self._intersection(result, oriented)
        if len(variables) == 1:
            return self._intersection(result, members[variables[0]])
        left, right = variables
        if conjunction.equations:  # only between the two that stay
            both = self._intersection(members[left], members[right])
            return self._intersection(result, self._graph.apply(Op.IDENTITY, Sort.RELATION, (both,)))
        return self._between(result, members[left], members[right])

    def _eliminate(self, conjunction: _Conjunction) -> _Conjunction:
        for variable in sorted(conjunction.bound):
            near = [atom for atom in conjunction.atoms if variable in atom.variables]
            others = sorted({other for atom in near for other in atom.variables} - {variable})
            if len(others) <= 2:
                rest = tuple(atom for atom in conjunction.atoms if variable not in atom.variables)
                new = self._without(variable, near, others)
                return _Conjunction((*rest, new), conjunction.equations, conjunction.bound - {variable})
        raise NotCompilableError

    def _without(self, variable: Variable, near: Sequence[Atom], others: Sequence[Variable]) -> Atom:
        """∃ variable of the atoms `near`, which have `others` besides."""
        own = self._graph.universe(Sort.SET)
        links = {other: self._graph.universe(Sort.RELATION) for other in others}  # other → variable
        for atom in self._without_implied(near):
            first, last = atom.variables[0], atom.variables[-1]
            if len(atom.variables) == 1:
                own = self._intersection(own, atom.node)
            elif first == last:
                own = self._intersection(own, self._loops(atom.node))
            else:
                other = first if last == variable else last
                towards = atom.node if last == variable else self._inverse(atom.node)
                links[other] = self._intersection(links[other], towards)
        if not others:
            return Atom(self._all_pairs_if_any(own), ())
        if len(set(links.values())) == 1 and self._classes.get(links[others[0]]) is own:
            # Any member of a class represents it. In this form it does not change when events are added.
            if len(others) == 1:
                return Atom(own, (others[0],))
            return Atom(self._between(links[others[0]], own, own), tuple(others))
        everything = self._graph.universe(Sort.SET)
        arrow = self._between(links[others[0]], everything, own)
        if len(others) == 1:
            return Atom(self._graph.apply(Op.DOMAIN, Sort.SET, (arrow,)), (others[0],))
        left, right = others
        back = self._inverse(links[right])
        composed = self._apply(Op.SEQUENCE, arrow, back)
        start, end = self._ends_of(arrow)[0], self._ends_of(back)[1]
        self._note_ends(composed, start, end)
        return Atom(composed, (left, right))

    def _without_implied(self, atoms: Sequence[Atom]) -> list[Atom]:
        """The atoms without sets that already contain the ends of some relation."""
        implied = {
            (variable, end)
            for atom in atoms
            if len(atom.variables) == 2
            for variable, end in zip(atom.variables, self._ends_of(atom.node), strict=True)
        }
        return [a for a in atoms if len(a.variables) != 1 or (a.variables[0], a.node) not in implied]

    def _ends_of(self, relation: Node) -> tuple[Node | None, Node | None]:
        return self._ends.get(relation, (None, None))

    def _note_ends(self, relation: Node, start: Node | None, end: Node | None) -> None:
        everything = self._graph.universe(Sort.SET)
        if start is not None or end is not None:
            self._ends.setdefault(relation, (start or everything, end or everything))

    def _inverse(self, relation: Node) -> Node:
        inverse = self._apply(Op.INVERSE, relation)
        start, end = self._ends_of(relation)
        self._note_ends(inverse, end, start)
        return inverse

    def _between(self, relation: Node, sources: Node, targets: Node) -> Node:
        """The edges from `sources` to `targets`."""
        square = self._graph.apply(Op.PRODUCT, Sort.RELATION, (sources, targets))
        result = self._intersection(relation, square)
        start, end = self._ends_of(relation)
        everything = self._graph.universe(Sort.SET)
        self._note_ends(
            result,
            start if sources is everything else sources,
            end if targets is everything else targets,
        )
        return result

    def _loops(self, relation: Node) -> Node:
        """The nodes that the relation relates to themselves."""
        loops = self._intersection(relation, self._graph.identity)
        return self._graph.apply(Op.DOMAIN, Sort.SET, (loops,))

    def _all_pairs_or_none(self, relation: Node, size: int) -> Node:
        """A relation of all pairs or of none, as what `size` variables satisfy."""
        return relation if size == 2 else self._graph.apply(Op.DOMAIN, Sort.SET, (relation,))

    def _all_pairs_if_any(self, nodes: Node) -> Node:
        """All pairs if there is one of `nodes`, else none."""
        everything = self._graph.universe(Sort.SET)
        into = self._graph.apply(Op.PRODUCT, Sort.RELATION, (everything, nodes))
        return self._apply(Op.SEQUENCE, into, self._graph.universe(Sort.RELATION))

    def _apply(self, op: Op, *args: Node) -> Node:
        return self._graph.apply(op, Sort.RELATION, args)

    def _intersection(self, left: Node, right: Node) -> Node:
        result = self._graph.apply(Op.INTERSECTION, left.sort, (left, right))
        if left.sort is Sort.RELATION:
            for part in (left, right):
                self._note_ends(result, *self._ends_of(part))
        return result

    def _union(self, left: Node, right: Node, sort: Sort) -> Node:
        return self._graph.apply(Op.UNION, sort, (left, right))


def _conjunction(parts: Iterable[_Conjunction]) -> _Conjunction:
    result = _Conjunction((), (), frozenset())
    for part in parts:
        result = result.and_(part)
    return result


def _without_equations(conjunction: _Conjunction, kept: frozenset[Variable]) -> _Conjunction:
    """The same, with one name for equal nodes; only an equation between two kept variables stays."""
    staying: list[Equal] = []
    todo = list(conjunction.equations)
    while todo:
        equation = todo.pop()
        left, right = equation.left, equation.right
        if left == right:
            continue
        if left in kept and right in kept:
            staying.append(equation)
            continue
        old, new = (right, left) if left in kept or right not in kept else (left, right)
        names = {old: new}
        todo = [Equal(names.get(e.left, e.left), names.get(e.right, e.right)) for e in todo]
        staying = [Equal(names.get(e.left, e.left), names.get(e.right, e.right)) for e in staying]
        conjunction = _Conjunction(
            tuple(Atom(a.node, tuple(names.get(v, v) for v in a.variables)) for a in conjunction.atoms),
            (),
            conjunction.bound - {old},
        )
    return replace(conjunction, equations=tuple(staying))
