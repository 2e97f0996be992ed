"""Data independence: does an object only copy its arguments, or does it examine them?

Variables between which values flow, or that are compared, belong to one class. An object that only copies
the values of a class cannot distinguish them: clients whose arguments all differ represent all clients then.
If values are compared or used in arithmetic, the numbers that meet them in the text matter as well, and so
does whether two arguments are equal.
"""

from __future__ import annotations

from typing import Final

from membar.objects import syntax
from membar.objects import terms as t
from membar.objects.syntax import ConcurrentObject, Location, RmwKind
from membar.records import field, record

_ORDERS: Final = (t.BinaryOp.LT, t.BinaryOp.LE, t.BinaryOp.GT, t.BinaryOp.GE)
_CALCULATIONS: Final = (t.BinaryOp.ADD, t.BinaryOp.SUB, t.BinaryOp.MUL, t.BinaryOp.DIV, t.BinaryOp.REM)
_TRUTHS: Final = (t.BinaryOp.AND, t.BinaryOp.OR, t.BinaryOp.IMPLIES)
_MOST_ELEMENTS: Final = 4


@record(frozen=True, slots=True)
class ParameterUse:
    """How the object uses the values of an argument.

    Attributes:
        constants: numbers that such values meet: initial ones, and those they are compared with; where it is
            asked which is larger, their neighbours too.
        is_examined: they are compared or calculated with, not only copied.
        has_partners: they are compared with other values, so that it matters which are equal.
    """

    constants: frozenset[int]
    is_examined: bool
    has_partners: bool


@record(slots=True, eq=False)
class _Kind:
    """Values that are compared or assigned to each other; `into`: the larger kind that contains it."""

    constants: set[int] = field(default_factory=set)
    is_examined: bool = False
    has_partners: bool = False
    is_ordered: bool = False
    into: _Kind | None = None

    @property
    def whole(self) -> _Kind:
        """The largest kind that contains this one."""
        found = self
        while found.into is not None:
            found = found.into
        return found


def parameter_uses(item: ConcurrentObject) -> dict[str, tuple[ParameterUse, ...]]:
    """How each argument of each operation is used."""
    reader = _Reader(item)
    return {
        operation.name: tuple(reader.use_of(operation.name, name) for name in operation.parameters)
        for operation in item.operations
    }


class _Reader:
    """Reads a text once, and puts variables into kinds."""

    def __init__(self, item: ConcurrentObject) -> None:
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self._known: dict[int, tuple[t.Term, _Kind]] = {}
        self._renamed: dict[str, str] = {}
        self._loaded = _Kind()
        for shared in item.shared:
            self._of("", shared.name).constants.add(shared.initial)
        for name, initial in item.private:
            self._of("private", name).constants.add(initial)
        self._sizes = {shared.name: shared.size for shared in item.shared}
        for operation in item.operations:
            self._test(operation.requires)
            for line in operation.lines:
                self._action(line.action, operation.name)
        if item.specification is not None:
            self._specification(item.specification, item)

    def use_of(self, operation: str, name: str) -> ParameterUse:
        """How an argument is used."""
        kind = self._of(operation, name)
        steps = (-1, 0, 1) if kind.is_ordered else (0,)
        constants = frozenset(value + step for value in kind.constants for step in steps)
        return ParameterUse(constants, kind.is_examined, kind.has_partners)

    def _of(self, owner: str, name: str) -> _Kind:
        return self._kinds.setdefault((owner, name), _Kind()).whole

    def _one(self, *kinds: _Kind) -> _Kind:
        """Merges kinds whose values meet."""
        found = kinds[0].whole
        for kind in kinds[1:]:
            other = kind.whole
            if other is not found:
                found.constants |= other.constants
                found.is_examined |= other.is_examined
                found.has_partners |= other.has_partners
                found.is_ordered |= other.is_ordered
                other.into = found
        return found

    def _specification(self, meant: syntax.Specification, item: ConcurrentObject) -> None:
        for name, initial in meant.state:
            self._of("abstract", name).constants.add(initial)
        for abstract in meant.operations:
            code = item.operation(abstract.name)
            self._renamed = dict(zip(abstract.parameters, code.parameters, strict=True))
            self._known.clear()
            self._test(abstract.guard)
            for name, term in abstract.updates:
                self._one(self._of("abstract", name), self._value(term))
            for number, term in enumerate(abstract.results):
                self._one(self._of(code.name, f"@{number}"), self._value(term))

    def _action(self, action: syntax.Action, operation: str) -> None:
        self._known.clear()
        match action:
            case syntax.Load(target=target, location=location, value=value):
                self._loaded = self._location(location)
                self._one(self._of(operation, target), self._value(value))
            case syntax.Store(location=location, value=value):
                self._one(self._location(location), self._value(value))
            case syntax.Assign(target=target, value=value, private=private):
                self._one(self._of("private" if private else operation, target), self._value(value))
            case syntax.Branch(condition=condition):
                self._test(condition)
            case syntax.Rmw():
                self._rmw(action, operation)
            case syntax.Return(results=results):
                for number, term in enumerate(results):
                    self._one(self._of(operation, f"@{number}"), self._value(term))
            case syntax.Fence():
                pass

    def _rmw(self, action: syntax.Rmw, operation: str) -> None:
        kind = self._one(self._location(action.location), *(self._value(term) for term in action.operands))
        if action.kind is not RmwKind.SWAP:
            kind.is_examined = kind.has_partners = True
        if action.target is not None and action.kind is not RmwKind.CAS:
            self._one(kind, self._of(operation, action.target))

    def _location(self, location: Location) -> _Kind:
        if location.index is not None:
            kind = self._value(location.index)
            kind.is_examined = True
            kind.constants |= set(range(min(self._sizes[location.name] or 1, _MOST_ELEMENTS)))
        return self._of("", location.name)

    def _value(self, term: t.Term) -> _Kind:
        """The kind of a term's value; shared subterms are visited once."""
        found = self._known.get(id(term))
        if found is None or found[0] is not term:
            found = self._known[id(term)] = (term, self._looked_at(term))
        return found[1].whole

    def _looked_at(self, term: t.Term) -> _Kind:
        match term:
            case t.Number(value=value):
                return _Kind({value})
            case t.Variable():
                return self._variable(term)
            case t.Loaded():
                return self._loaded.whole
            case t.Choice(condition=condition, then=then, otherwise=otherwise):
                self._test(condition)
                return self._one(self._value(then), self._value(otherwise))
            case t.Unary(op=t.UnaryOp.NOT, operand=operand):
                self._test(operand)
                return _Kind({0, 1})
            case t.Unary(operand=operand):
                return self._mark_examined(self._value(operand))
            case t.Binary(op=op, left=left, right=right) if op in _TRUTHS:
                self._test(left)
                self._test(right)
                return _Kind({0, 1})
            case t.Binary(op=op, left=left, right=right):
                kind = self._combine(left, right)
                kind.is_ordered |= op in _ORDERS
                return kind if op in _CALCULATIONS else _Kind({0, 1})
            case _:
                return _Kind()

    def _test(self, term: t.Term) -> None:
        """A term whose value is true or false, and nothing more."""
        if term in (t.TRUE, t.FALSE):
            return
        kind = self._value(term)
        if isinstance(term, t.Variable | t.Loaded):
            self._mark_examined(kind).constants.add(0)

    def _mark_examined(self, kind: _Kind) -> _Kind:
        kind.is_examined = True
        return kind

    def _combine(self, left: t.Term, right: t.Term) -> _Kind:
        """Two values that are compared, or combined by arithmetic."""
        kind = self._mark_examined(self._one(self._value(left), self._value(right)))
        kind.has_partners |= not isinstance(left, t.Number) and not isinstance(right, t.Number)
        return kind

    def _variable(self, variable: t.Variable) -> _Kind:
        match variable.space:
            case t.Space.PRIVATE:
                return self._of("private", variable.name)
            case t.Space.ABSTRACT:
                return self._of("abstract", variable.name)
            case t.Space.SHARED:
                return self._of("", variable.name)
            case t.Space.LOCAL:
                return self._of(variable.operation, self._renamed.get(variable.name, variable.name))
