"""The template grammar: the form of invariants about a thread at a control state.

Variables that flow into one another form a *family*; only these are compared. Constants, remainders and the
conditions of waiting loops and linearization points come from the object's own text.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations

from membar.objects import syntax as o
from membar.objects import terms as t
from membar.objects.algebra import simplify
from membar.objects.systems.moves import ThreadSystem

_MOST_ASKED = 4


class Templates:
    """The candidates of an object, by operation and control."""

    def __init__(self, system: ThreadSystem) -> None:
        self._system = system
        self._about = system.about
        self._family = _families(self._about)
        self._constants = sorted(_constants(self._about))
        self._moduli = sorted(_moduli(self._about))
        self.truths = _truths(self._about)

    def at(self, control: Hashable, operation: o.Operation | None) -> tuple[t.Term, ...]:
        """What may be claimed at a control, in the object language; `operation` is the current one."""
        terms = tuple(dict.fromkeys(self._terms(control, operation)))
        found = dict.fromkeys(self._single(terms))
        pairs = [
            pair for pair in combinations(terms, 2) if self._family_of(pair[0]) == self._family_of(pair[1])
        ]
        atoms = [atom for pair in pairs for atom in _relations(*pair)]
        found |= dict.fromkeys(atoms)
        found |= dict.fromkeys(self._different(operation))
        shared = [term for term in terms if isinstance(term, t.Variable) and term.space is t.Space.SHARED]
        for place in shared:
            for value in (0, 1):
                for atom in self._single(each for each in shared if each != place):
                    found[t.Binary(t.BinaryOp.IMPLIES, t.equals(place, t.Number(value)), atom)] = None
        for condition in self._conditions(operation):
            for one, two in pairs:
                found[t.Binary(t.BinaryOp.IMPLIES, condition, t.equals(one, two))] = None
        for one in self._truth_terms(terms):
            for atom in self._single(shared):
                if one not in t.subterms(atom):
                    for value in (0, 1):
                        found[t.Binary(t.BinaryOp.IMPLIES, t.equals(one, t.Number(value)), atom)] = None
        return tuple(found)

    def _terms(self, control: Hashable, operation: o.Operation | None) -> Iterator[t.Term]:
        for shared in self._about.shared:
            if shared.size is None:
                memory = t.Variable(t.Space.SHARED, shared.name)
                yield memory
                if self._system.resolved(t.Sees(shared.name), control, t.VariableOwner.SELF) != memory:
                    yield t.Sees(shared.name)
        for name, _ in self._about.private:
            yield t.Variable(t.Space.PRIVATE, name)
        if operation is not None:
            for name in (*operation.parameters, *operation.locals):
                yield t.Variable(t.Space.LOCAL, name, operation.name)
        for each, line in self._about.lines():
            if isinstance(line.action, o.Store):
                names = [None, *each.parameters, *(f"@{number + 1}" for number in range(each.results))]
                values: list[t.Term] = [t.PendingValue(line.label, name) for name in names]
                values += [t.DeferredResult(line.label, number + 1) for number in range(self._most_results())]
                for value in values:
                    if self._system.resolved(value, control, t.VariableOwner.SELF) != t.FALSE:
                        yield value

    def _most_results(self) -> int:
        return max(operation.results for operation in self._about.operations)

    def _single(self, terms: Iterable[t.Term]) -> Iterator[t.Term]:
        for term in terms:
            for constant in self._constants:
                yield t.equals(term, t.Number(constant))
            yield t.Binary(t.BinaryOp.OR, t.equals(term, t.FALSE), t.equals(term, t.TRUE))
            for modulus in self._moduli:
                for rest in range(modulus):
                    yield t.equals(t.Binary(t.BinaryOp.REM, term, t.Number(modulus)), t.Number(rest))

    def _different(self, operation: o.Operation | None) -> Iterator[t.Term]:
        """That a local of the operation is not a number that the operation or a point of it asks about."""
        if operation is None:
            return
        for name in operation.locals:
            if (operation.name, name) not in self.truths:
                for constant in sorted(_tested_numbers(self._about, operation)):
                    yield t.Binary(
                        t.BinaryOp.NE, t.Variable(t.Space.LOCAL, name, operation.name), t.Number(constant)
                    )

    def _truth_terms(self, terms: Iterable[t.Term]) -> Iterator[t.Term]:
        for term in terms:
            if isinstance(term, t.Variable) and (term.operation, term.name) in self.truths:
                yield term

    def _family_of(self, term: t.Term) -> Hashable:
        """The family of a term."""
        match term:
            case t.Variable(space=space, name=name, operation=operation):
                return self._family.get((space, operation, name), (space, operation, name))
            case t.Sees(name=name):
                return self._family.get((t.Space.SHARED, "", name), name)
            case t.PendingValue(line=label, name=name):
                owner, line = next(each for each in self._about.lines() if each[1].label == label)
                if name is not None and name.startswith("@"):
                    return self._result_family(owner, int(name[1:]))
                if name is not None:
                    return self._family.get((t.Space.LOCAL, owner.name, name), name)
                action = line.action
                place = action.location.name if isinstance(action, o.Store) else ""
                return self._family.get((t.Space.SHARED, "", place), place)
            case t.DeferredResult(number=number):
                for each in self._about.operations:
                    if each.results >= number:
                        return self._result_family(each, number)
            case _:
                pass
        return term

    def _result_family(self, operation: o.Operation, number: int) -> Hashable:
        for line in operation.lines:
            if isinstance(line.action, o.Return):
                result = line.action.results[number - 1]
                if isinstance(result, t.Variable):
                    return self._family_of(result)
        return number

    def _conditions(self, operation: o.Operation | None) -> Iterator[t.Term]:
        """What waiting loops and linearization points of an operation ask, about what it would see now."""
        if operation is None:
            return
        for line in operation.lines:
            asked = [point.when for point in self._about.points if point.line == line.label]
            if isinstance(line.action, o.Load) and isinstance(line.action.value, t.Binary):
                test = line.action.value
                if test.op in (t.BinaryOp.EQ, t.BinaryOp.NE):
                    asked.append(t.Binary(t.BinaryOp.EQ, test.left, test.right))
            location = line.action.location if isinstance(line.action, o.Load | o.Rmw) else None
            for term in asked:
                if term != t.TRUE and (location is None or location.index is None):
                    yield simplify(_replace_loaded(term, location))


def _replace_loaded(term: t.Term, location: o.Location | None) -> t.Term:
    name = "" if location is None else location.name
    return t.replace_subterms(term, lambda part: t.Sees(name) if part == t.Loaded() else None)


def _relations(one: t.Term, two: t.Term) -> Iterator[t.Term]:
    yield t.equals(one, two)
    yield t.equals(one, t.Binary(t.BinaryOp.ADD, two, t.Number(1)))
    yield t.equals(two, t.Binary(t.BinaryOp.ADD, one, t.Number(1)))
    yield t.Binary(t.BinaryOp.LE, one, two)
    yield t.Binary(t.BinaryOp.LE, two, one)


def _is_truth(term: t.Term) -> bool:
    return isinstance(term, t.Binary) and term.op in (
        t.BinaryOp.EQ,
        t.BinaryOp.NE,
        t.BinaryOp.LT,
        t.BinaryOp.LE,
        t.BinaryOp.GT,
        t.BinaryOp.GE,
    )


def _truths(about: o.ConcurrentObject) -> frozenset[tuple[str, str]]:
    """Locals that are only ever 0 or 1, because an access says whether something was so."""
    found = set()
    for operation, line in about.lines():
        match line.action:
            case o.Rmw(kind=o.RmwKind.CAS, target=str(target)):
                found.add((operation.name, target))
            case o.Load(target=target, value=value) if _is_truth(value):
                found.add((operation.name, target))
            case _:
                pass
    return frozenset(found)


def _texts(about: o.ConcurrentObject) -> Iterator[t.Term]:
    for operation, line in about.lines():
        yield operation.requires
        match line.action:
            case o.Load(value=value) | o.Store(value=value) | o.Assign(value=value):
                yield value
            case o.Branch(condition=condition):
                yield condition
            case o.Rmw(operands=operands):
                yield from operands
            case _:
                pass
    yield from (claim.formula for claim in about.abstraction)


def _constants(about: o.ConcurrentObject) -> set[int]:
    found = {0, 1} | {shared.initial for shared in about.shared}
    for term in _texts(about):
        found |= {part.value for part in t.subterms(term) if isinstance(part, t.Number)}
    return {value for value in found if abs(value) <= 2}


def _tested_numbers(about: o.ConcurrentObject, operation: o.Operation) -> set[int]:
    """The numbers in conditions of an operation and of its linearization points, and 0."""
    asked = [line.action.condition for line in operation.lines if isinstance(line.action, o.Branch)]
    for point in about.points:
        if point.operation == operation.name:
            asked += [point.when, *(point.results or ())]
    found = {part.value for term in asked for part in t.subterms(term) if isinstance(part, t.Number)}
    return {0, *sorted(found, key=abs)[:_MOST_ASKED]}


def _moduli(about: o.ConcurrentObject) -> set[int]:
    return {
        part.right.value
        for term in _texts(about)
        for part in t.subterms(term)
        if isinstance(part, t.Binary) and part.op is t.BinaryOp.REM and isinstance(part.right, t.Number)
        if part.right.value <= 4
    }


def _families(about: o.ConcurrentObject) -> dict[Hashable, Hashable]:
    """Variables that are assigned to or compared with one another, each with its family's first member."""
    parent: dict[Hashable, Hashable] = {}

    def root(key: Hashable) -> Hashable:
        while parent.setdefault(key, key) != key:
            key = parent[key]
        return key

    def join(keys: Iterable[Hashable]) -> None:
        found = [root(key) for key in keys]
        for key in found[1:]:
            parent[key] = found[0]

    for operation, line in about.lines():
        match line.action:
            case o.Load(target=target, location=location, value=value):
                inside = [_key(part) for part in t.subterms(value) if isinstance(part, t.Variable)]
                place: Hashable = (t.Space.SHARED, "", location.name)
                own = [] if _is_truth(value) else [(t.Space.LOCAL, operation.name, target)]
                join([place, *own, *inside])
            case o.Store(location=location, value=value):
                inside = [_key(part) for part in t.subterms(value) if isinstance(part, t.Variable)]
                join([(t.Space.SHARED, "", location.name), *inside])
            case o.Rmw(kind=kind, location=location, operands=operands, target=target):
                inside = [
                    _key(part)
                    for each in operands
                    for part in t.subterms(each)
                    if isinstance(part, t.Variable)
                ]
                own = (
                    []
                    if target is None or kind is o.RmwKind.CAS
                    else [(t.Space.LOCAL, operation.name, target)]
                )
                join([(t.Space.SHARED, "", location.name), *own, *inside])
            case o.Assign(target=target, value=value, private=private):
                inside = [_key(part) for part in t.subterms(value) if isinstance(part, t.Variable)]
                space = t.Space.PRIVATE if private else t.Space.LOCAL
                join([(space, "" if private else operation.name, target), *inside])
            case o.Branch(condition=condition):
                join([_key(part) for part in t.subterms(condition) if isinstance(part, t.Variable)])
            case _:
                pass
    return {key: root(key) for key in list(parent)}


def _key(variable: t.Variable) -> Hashable:
    return (variable.space, variable.operation, variable.name)


def exclusions(
    truths: frozenset[tuple[str, str]], one: o.Operation | None, two: o.Operation | None
) -> tuple[t.Term, ...]:
    """What may be claimed of two threads in these operations: never together, or only with some outcomes."""
    found: list[t.Term] = [t.FALSE]
    own = _outcomes(truths, one, t.VariableOwner.SELF)
    other = _outcomes(truths, two, t.VariableOwner.OTHER)
    found += [*own, *other]
    found += [t.Binary(t.BinaryOp.OR, first, second) for first in own for second in other]
    return tuple(found)


def _outcomes(
    truths: frozenset[tuple[str, str]], operation: o.Operation | None, who: t.VariableOwner
) -> list[t.Term]:
    if operation is None:
        return []
    return [
        t.equals(t.Variable(t.Space.LOCAL, name, operation.name, who), t.Number(value))
        for name in operation.locals
        if (operation.name, name) in truths
        for value in (0, 1)
    ]
