"""What one transition does, as the operations of one edge.

Global variables are shared memory: each read of one is a load (one for all reads between two writes), each
write a store. Values that are only needed inside the edge are kept in registers `$0`, `$1`, …, which are 0
again at its end, so that they make no states different.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.arithmetic import (
    Arithmetic,
    Failure,
    Value,
    is_inside,
    literal,
    out_of_bounds,
    select_element,
)
from membar.languages.dve.scope import Process, Scope, Variable, unknown
from membar.program import expr as e
from membar.program import operations as ops

_NOTED = {
    ops.MEMORY: "an index out of bounds or a division by zero in this transition",
    ops.ASSERTIONS: "a value out of the range of its variable in this transition",
}


class Checks(enum.Enum):
    """What becomes of a run-time error."""

    FAIL = "the program is wrong"
    WAIT = "the edge cannot be taken"
    NOTE = "it is noted, to be looked at when the whole edge is done"


class Code(Arithmetic):
    """The operations of an edge, growing."""

    def __init__(self, scope: Scope, *, checks: Checks = Checks.FAIL, tags: ops.Tags = ops.NO_TAGS) -> None:
        self.scope = scope
        self.operations: list[ops.Operation] = []
        self.guards: list[e.Expr] = []  # what can be tested before anything is done
        self.checks = checks
        self.tags = tags
        self.process: Process | None = None
        self.state = ""
        self.looks: dict[str, str] = {}  # where other processes are, if that is known
        self._noted: dict[str, str] = {}  # the registers that tell of run-time errors, by property
        self._temporaries = 0
        self._known: dict[tuple[str, e.Expr], Value] = {}  # what loads have brought
        self._locations: set[str] = set()  # objects that tell where processes are
        self._has_checked = False

    def enter(self, process: Process, state: str) -> None:
        """What follows is in the words of `process`, which is in `state`."""
        self.process = process
        self.state = state
        self.looks[process.name] = state

    def temporary(self) -> str:
        """A register for use inside the edge."""
        self._temporaries += 1
        return f"${self._temporaries - 1}"

    def finish(self) -> tuple[ops.Operation, ...]:
        """All operations, with those at the end that clear what was for use inside."""
        clear = [ops.Set(f"${number}", e.FALSE) for number in range(self._temporaries)]
        return (*self.operations, *clear)

    def forget(self) -> None:
        """What was loaded may have changed, but for where processes are: they move when all is done."""
        self._known = {key: value for key, value in self._known.items() if key[0] in self._locations}

    def read(self, tree: x.Variable) -> Value:
        """The value of a variable, loaded if it is in memory."""
        variable = self.scope.variable(tree.name, self.process, tree.span)
        index = self._index(variable, tree)
        count = variable.count or 1
        if variable.constant:
            values = [e.Constant(value) for value in variable.initial]
            known = literal(variable.initial[index.constant or 0]) if _is_one_of(index, count) else None
            found = known or Value(
                select_element(index.expr, values), (min(variable.initial), max(variable.initial))
            )
        elif variable.object is None:
            elements = [e.Register(variable.element(number)) for number in range(count)]
            at = index.constant if _is_one_of(index, count) else None
            expr: e.Expr = select_element(index.expr, elements) if at is None else elements[at]
            found = Value(expr, variable.type.range)
        else:
            found = self._load_variable(variable, variable.object, index)
        return Value(found.expr, found.range, (*index.failures, *found.failures))

    def in_state(self, tree: x.InState) -> Value:
        """1 or 0; where another process is, memory tells."""
        process = self.scope.process(tree.process, tree.span)
        if tree.state not in process.states:
            raise unknown(f"state of `{process.name}`", tree.state, process.states, tree.span)
        if process.name in self.looks:
            return literal(int(self.looks[process.name] == tree.state))
        found = self.location(process)
        return Value(e.equals(found, e.Constant(process.states[tree.state])), (0, 1))

    def location(self, process: Process) -> e.Expr:
        """The control point of a process, from memory."""
        key = (process.state_object, e.FALSE)
        if key not in self._known:
            self._known[key] = self._load(e.Address(process.state_object), 2, signed=True)
            self._locations.add(process.state_object)
        return self._known[key].expr

    def foreign(self, tree: x.ProcessVariableReference) -> Value:
        """Only properties look into other processes."""
        raise error("W1009", f"`{tree.span.flat_text}` outside a property", tree.span, "not allowed here")

    def guard(self, tree: x.Expr | None) -> None:
        """The edge can be taken only where this is not 0."""
        for part in _conjuncts(tree):
            before = len(self.operations)
            value = self.value(part)
            self.check(value.failures)
            if value.constant:
                continue
            if self.checks is Checks.NOTE and (bad := self.noted_error) is not None:
                # What went wrong has no truth value.
                value = Value(e.Binary(e.BinaryOp.OR, value.truth, bad), (0, 1))
            is_plain = len(self.operations) == before and not _has_temporaries(value.expr)
            if is_plain and not self._has_checked:
                self.guards.append(value.truth)
            else:
                self.operations.append(ops.Assume(value.truth, waits=True))

    def check(self, failures: Iterable[Failure]) -> None:
        """Run-time errors that can happen here."""
        for failure in failures:
            self._has_checked = True
            if self.checks is Checks.FAIL:
                is_fine = e.negation(failure.condition)
                self.operations.append(ops.Assert(is_fine, failure.message, property=failure.property))
            elif self.checks is Checks.WAIT:
                self.operations.append(ops.Assume(e.negation(failure.condition), waits=True))
            else:
                if failure.property not in self._noted:
                    self._noted[failure.property] = self.temporary()
                register = self._noted[failure.property]
                bad = e.Binary(e.BinaryOp.OR, e.Register(register), failure.condition)
                self.operations.append(ops.Set(register, bad))

    @property
    def noted_error(self) -> e.Expr | None:
        """Whether a run-time error was noted; None if there can be none."""
        found: e.Expr | None = None
        for name in self._noted.values():
            found = e.Register(name) if found is None else e.Binary(e.BinaryOp.OR, found, e.Register(name))
        return found

    def conclude(self) -> None:
        """Run-time errors that were noted are looked at now."""
        for kind, register in self._noted.items():
            message = _NOTED[kind]
            self.operations.append(ops.Assert(e.negation(e.Register(register)), message, property=kind))

    def assign(self, target: x.Variable, value: Value, *, tags: ops.Tags = ops.NO_TAGS) -> None:
        """`target = value`, checked."""
        variable = self.scope.variable(target.name, self.process, target.span)
        if variable.constant:
            raise error("W1009", f"`{variable.name}` is a constant", target.span, "cannot be assigned")
        index = self._index(variable, target)
        self.check(value.failures)
        self.check(index.failures)
        low, high = variable.type.range
        if not value.fits(low, high):
            value = Value(self._keep(value.expr), value.range)
            message = (
                f"out of range: `{target.span.flat_text}` is a {variable.type.value}, from {low} to {high}"
            )
            self.check((Failure(_outside(value.expr, low, high), message, ops.ASSERTIONS),))
            if self.checks is Checks.NOTE:  # what follows relies on the range
                value = Value(e.Extend(value.expr, 8 * variable.type.size, variable.type.signed))
        if variable.object is not None:
            self._store(variable, variable.object, index, value, self.tags | tags)
        elif _is_one_of(index, variable.count or 1):
            self.operations.append(ops.Set(variable.element(index.constant or 0), value.expr))
            self._drop(None)
        else:
            self._set_element(variable, index, value)

    def message(self, value: Value, kind: x.Type | None) -> e.Expr:
        """A value as a channel carries it."""
        if kind is None or value.fits(*kind.range):
            return value.expr
        return e.Extend(value.expr, 8 * kind.size, kind.signed)

    def store_location(self, process: Process, state: str) -> None:
        """Tells others where the process is."""
        place = e.Address(process.state_object)
        point = e.Constant(process.states[state])
        self.operations.append(ops.Store(address=place, value=point, size=2, tags=self.tags))

    def _index(self, variable: Variable, tree: x.Variable) -> Value:
        if (tree.index is None) is not (variable.count is None):
            is_array = variable.count is not None
            what = "an array" if is_array else "not an array"
            wanted = "expected an index" if is_array else "expected no index"
            raise error("W1009", f"`{variable.name}` is {what}", tree.span, wanted)
        if tree.index is None:
            return literal(0)
        index = self.value(tree.index)
        failures = out_of_bounds(index, variable, tree.span.flat_text)
        return Value(index.expr, index.range, (*index.failures, *failures))

    def _load_variable(self, variable: Variable, place: str, index: Value) -> Value:
        key = (place, index.expr)
        if key not in self._known:
            kind = variable.type
            loaded = self._load(_element(variable, place, index), kind.size, signed=kind.signed)
            self._known[key] = Value(loaded.expr, kind.range)
        return self._known[key]

    def _load(self, address: e.Expr, size: int, *, signed: bool) -> Value:
        name = self.temporary()
        self.operations.append(ops.Load(register=name, address=address, size=size, signed=signed))
        return Value(e.Register(name))

    def _store(self, variable: Variable, place: str, index: Value, value: Value, tags: ops.Tags) -> None:
        address = _element(variable, place, index)
        self.operations.append(
            ops.Store(address=address, value=value.expr, size=variable.type.size, tags=tags)
        )
        self._drop(place)

    def _set_element(self, variable: Variable, index: Value, value: Value) -> None:
        at, new = e.Register(self._keep(index.expr).name), self._keep(value.expr)
        for number in range(variable.count or 1):
            name = variable.element(number)
            self.operations.append(
                ops.Set(name, e.Select(e.equals(at, e.Constant(number)), new, e.Register(name)))
            )
        self._drop(None)

    def _keep(self, expr: e.Expr) -> e.Register:
        """The value in a register that nothing changes before the end of the edge."""
        if isinstance(expr, e.Register) and expr.name.startswith("$"):
            return expr
        name = self.temporary()
        self.operations.append(ops.Set(name, expr))
        return e.Register(name)

    def _drop(self, place: str | None) -> None:
        """Forgets loads that a write may have changed: of the object written, or with an index that may."""
        self._known = {
            key: value
            for key, value in self._known.items()
            if key[0] != place and (isinstance(key[1], e.Constant) or _is_fixed(key[1]))
        }


def _is_fixed(expr: e.Expr) -> bool:
    return isinstance(expr, e.Register) and expr.name.startswith("$")


def _is_one_of(index: Value, count: int) -> bool:
    return index.constant is not None and 0 <= index.constant < count


def _element(variable: Variable, place: str, index: Value) -> e.Expr:
    """The address of an element; where the index may be out of bounds, that of one that exists."""
    size, count = variable.type.size, variable.count or 1
    if index.constant is not None:
        return e.Address(place, size * index.constant if 0 <= index.constant < count else 0)
    at = index.expr
    if not index.fits(0, count - 1):
        at = e.Select(is_inside(at, count), at, e.FALSE)
    offset = at if size == 1 else e.Binary(e.BinaryOp.MUL, at, e.Constant(size))
    return e.Binary(e.BinaryOp.ADD, e.Address(place), offset)


def _outside(expr: e.Expr, low: int, high: int) -> e.Expr:
    """Whether a value is not from `low` to `high`."""
    distance = expr if low == 0 else e.Binary(e.BinaryOp.SUB, expr, e.Constant(low))
    return e.Binary(e.BinaryOp.LT, e.Constant(high - low), distance)


def _conjuncts(tree: x.Expr | None) -> list[x.Expr]:
    """The parts of a conjunction, left to right."""
    found: list[x.Expr] = []
    while isinstance(tree, x.Binary) and tree.op == "and":
        found.append(tree.right)
        tree = tree.left
    return [*([] if tree is None else [tree]), *reversed(found)]


def _has_temporaries(expr: e.Expr) -> bool:
    return any(name.startswith("$") for name in e.registers_of(expr))


def conjunction(parts: Sequence[e.Expr]) -> e.Expr:
    """All of these, each 0 or 1."""
    result: e.Expr = e.TRUE
    for number, part in enumerate(parts):
        result = part if number == 0 else e.Binary(e.BinaryOp.AND, result, part)
    return result
