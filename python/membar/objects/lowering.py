"""Lowers clients of an `.obj` object to programs: one step per line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, assert_never

from membar.objects import syntax, terms
from membar.objects.algebra import MOST_BITS, evaluate_term
from membar.objects.client import Body, Client, PlannedCall
from membar.objects.history import Result
from membar.objects.orders import CALL, DONE, LOST, RESULT, CallPosition, Carrier
from membar.objects.overflow import (
    fitting_term,
    initially_fitting,
    is_small,
    no_overflow_condition,
    only_counts,
)
from membar.objects.spec import ImpossibleError, Specification
from membar.objects.syntax import ConcurrentObject, FenceKind, Line, Location, RmwKind
from membar.objects.terms import Space, Term
from membar.program import expr as e
from membar.program.operations import NO_TAGS, Fence, Load, Rmw, Set, Store, Tags
from membar.program.operations import Operation as Step
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.records import record

_SIZE: Final = 8
LANGUAGE: Final = "object"


@record(frozen=True, slots=True)
class Instructions:
    """How a processor implements the lines of an object.

    Attributes:
        fences: the words of each kind of fence; None: it orders nothing there that is not ordered anyway.
        atomic: the words of both halves of an RMW.
        around: the words of a fence before and after it, so that it is one itself; None: it is by itself.
        carrier: the words of messages of the client.
    """

    fences: Mapping[FenceKind, Tags | None]
    atomic: Tags
    around: Tags | None
    carrier: Carrier


def _tags(*words: str) -> Tags:
    return frozenset(words)


_NOWHERE: Final[Mapping[FenceKind, Tags | None]] = MappingProxyType(dict.fromkeys(FenceKind))
_ARM: Final = Instructions(
    fences=MappingProxyType(
        {
            FenceKind.FULL: _tags("DMB.ISH"),
            FenceKind.STORE: _tags("DMB.ISHST"),
            FenceKind.CONTROL: _tags("ISB"),
        }
    ),
    atomic=_tags("X"),
    around=_tags("DMB.ISH"),
    carrier=Carrier(_tags("L"), _tags("A")),
)
_X86: Final = Instructions(
    fences=MappingProxyType({**_NOWHERE, FenceKind.FULL: _tags("MFENCE")}),
    atomic=_tags("X"),
    around=None,
    carrier=Carrier(NO_TAGS, NO_TAGS),
)
MACHINES: Final[Mapping[str, Instructions]] = MappingProxyType(
    {
        "sc": Instructions(_NOWHERE, NO_TAGS, None, Carrier(NO_TAGS, NO_TAGS)),
        "x86-tso": _X86,
        "cam": _X86,
        "armv8": _ARM,
        "xc": _ARM,
    }
)
"""The models under which objects in their own language have clients."""


def specification_of(item: syntax.Specification, name: str) -> Specification:
    """The specification in an `.obj` file as a class like any other."""

    def beginning(self: object) -> None:
        for variable, value in item.state:
            setattr(self, variable, value)

    methods: dict[str, object] = {each.name: _method(each) for each in item.operations}
    return Specification(type(name, (), {**methods, "__init__": beginning}))


def _method(operation: syntax.AbstractOperation) -> Callable[..., Result]:
    def method(self: object, *arguments: int) -> Result:
        known = dict(zip(operation.parameters, arguments, strict=True))

        def value(variable: terms.Variable) -> int:
            if variable.space is Space.ABSTRACT:
                return int(getattr(self, variable.name))
            return known[variable.name]

        if not evaluate_term(operation.guard, value):
            raise ImpossibleError
        results = tuple(evaluate_term(term, value) for term in operation.results)
        after = [(name, evaluate_term(term, value)) for name, term in operation.updates]
        if any(new.bit_length() > MOST_BITS for new in (*results, *(new for _, new in after))):
            raise OverflowError(f"a number of more than {MOST_BITS} bits")
        for name, new in after:
            setattr(self, name, new)
        return None if not results else results[0] if len(results) == 1 else results

    return method


@record(frozen=True, slots=True)
class CompiledObject:
    """All clients of an object on a processor."""

    item: ConcurrentObject
    machine: Instructions

    def of(self, client: Client) -> tuple[Program, tuple[CallPosition, ...]]:
        """The program of one client, and where its calls are."""
        objects = tuple(
            MemoryObject(
                name=shared.name,
                size=_SIZE,
                count=shared.size or 1,
                initial=(shared.initial,) * (shared.size or 1),
                is_array=shared.size is not None,
            )
            for shared in self.item.shared
        )
        given = [value for call in client.calls for value in call.arguments]
        counts = only_counts(self.item) and all(map(is_small, given))
        threads = tuple(
            _Writer(self.item, self.machine, only_counts=counts).thread(number, body)
            for number, body in enumerate(client.bodies)
        )
        places = tuple(
            CallPosition(number, index)
            for number, body in enumerate(client.bodies)
            for index in range(len(body))
        )
        program = Program(name=self.item.name, language=LANGUAGE, objects=objects, threads=threads)
        return program, places


class _Writer:
    """Builds one thread of a client."""

    def __init__(self, item: ConcurrentObject, machine: Instructions, *, only_counts: bool) -> None:
        self.item, self.machine = item, machine
        self.edges: list[Edge] = []
        self.points = 1
        self.only_counts = only_counts

    def thread(self, number: int, body: Body) -> Thread:
        """The thread that makes these calls, one after the other."""
        at = 0
        end = self._point()
        for index, planned in enumerate(body):
            at = self._call(at, end, index, planned)
        registers = [(_private(name), initial) for name, initial in self.item.private]
        if not self.only_counts:
            registers.append((LOST, int(not initially_fitting(self.item))))
        return Thread(name=f"T{number}", entry=0, edges=tuple(self.edges), registers=tuple(registers))

    def _point(self) -> int:
        self.points += 1
        return self.points - 1

    def _call(self, at: int, end: int, index: int, planned: PlannedCall) -> int:
        """One call from a point on, if the operation may be called then; the point after it."""
        operation = self.item.operation(planned.operation.name)
        given = dict(zip(operation.parameters, planned.inputs, strict=True))
        first: list[Step] = [Set(_local(operation.name, name), e.Constant(given.get(name, 0)))
                 for name in (*operation.parameters, *operation.locals)]  # fmt: skip
        first += self._record_loss(fitting_term(operation.requires))
        told, begun, after = self._point(), self._point(), self._point()
        self.edges.append(Edge(source=at, target=told, operations=tuple(first), span=operation.span))
        allowed = _expression(operation.requires)
        self.edges.append(
            Edge(source=told, target=begun, operations=(Set(f"{CALL}{index}", e.TRUE),), guard=allowed)
        )
        if operation.requires != terms.TRUE:
            self.edges.append(Edge(source=told, target=end, guard=e.Unary(e.UnaryOp.NOT, allowed)))
        labels = {line.label: self._point() for line in operation.lines}
        self.edges.append(Edge(source=begun, target=labels[operation.lines[0].label]))
        for line in operation.lines:
            self._line(line, labels, operation.name, index, after)
        return after

    def _line(self, line: Line, labels: Mapping[str, int], operation: str, index: int, after: int) -> None:
        source = labels[line.label]
        target = labels[line.then] if line.then is not None else after
        action = line.action
        lost = self._record_loss(no_overflow_condition(action))
        match action:
            case syntax.Branch(condition=condition):
                if lost:
                    source, before = self._point(), source
                    self._steps(before, source, [lost], line)
                test = _expression(condition)
                other = labels[line.otherwise] if line.otherwise is not None else after
                self.edges.append(Edge(source=source, target=target, guard=_truth(test), span=line.span))
                negated = e.Unary(e.UnaryOp.NOT, test)
                self.edges.append(Edge(source=source, target=other, guard=negated, span=line.span))
            case syntax.Return(results=results):
                marks = [Set(f"{RESULT}{index}.{n}", _expression(term)) for n, term in enumerate(results)]
                self._steps(source, after, [[*lost, *marks, Set(f"{DONE}{index}", e.TRUE)]], line)
            case syntax.Load() | syntax.Store() | syntax.Assign() | syntax.Rmw() | syntax.Fence():
                self._steps(source, target, self._steps_of(action, operation, lost), line)
            case _:
                assert_never(action)

    def _steps(self, source: int, target: int, steps: list[list[Step]], line: Line) -> None:
        points = [source, *(self._point() for _ in steps[1:]), target]
        for before, behind, step in zip(points, points[1:], steps, strict=False):
            self.edges.append(Edge(source=before, target=behind, operations=tuple(step), span=line.span))

    def _record_loss(self, needed: Term) -> list[Step]:
        """Records an overflow unless `needed` is true; no access depends on this."""
        if self.only_counts or needed == terms.TRUE:
            return []
        return [
            Set(LOST, e.Binary(e.BinaryOp.OR, e.Register(LOST), e.Unary(e.UnaryOp.NOT, _expression(needed))))
        ]

    def _steps_of(
        self,
        action: syntax.Load | syntax.Store | syntax.Assign | syntax.Rmw | syntax.Fence,
        operation: str,
        lost: list[Step],
    ) -> list[list[Step]]:
        """The steps of a line; `lost` follows as soon as its loaded value is known."""
        match action:
            case syntax.Load(target=name, location=location, value=value):
                load = Load(register=_LOADED, address=_address(location), size=_SIZE, signed=True)
                return [[load, *lost, Set(_local(operation, name), _expression(value))]]
            case syntax.Store(location=location, value=value):
                return [[*lost, Store(address=_address(location), value=_expression(value), size=_SIZE)]]
            case syntax.Assign(target=name, value=value, private=private):
                register = _private(name) if private else _local(operation, name)
                return [[*lost, Set(register, _expression(value))]]
            case syntax.Fence(kind=kind):
                words = self.machine.fences[kind]
                return [[Fence(words)]] if words is not None else [[]]
            case syntax.Rmw():
                around = self.machine.around
                fence: list[list[Step]] = [[Fence(around)]] if around is not None else []
                return [*fence, self._rmw(action, operation, lost), *fence]

    def _rmw(self, action: syntax.Rmw, operation: str, lost: list[Step]) -> list[Step]:
        operands = [_expression(term) for term in action.operands]
        old: e.Expr = e.Register(_LOADED)
        value: e.Expr = operands[-1]
        condition: e.Expr = e.TRUE
        result: e.Expr = old
        match action.kind:
            case RmwKind.CAS:
                condition = result = e.equals(old, operands[0])
            case RmwKind.FETCH_ADD:
                value = e.Binary(e.BinaryOp.ADD, old, operands[0])
            case RmwKind.SWAP:
                pass
        step = Rmw(
            register=_LOADED,
            address=_address(action.location),
            value=value,
            size=_SIZE,
            condition=condition,
            signed=True,
            read_tags=self.machine.atomic,
            write_tags=self.machine.atomic,
        )
        kept = [] if action.target is None else [Set(_local(operation, action.target), result)]
        return [step, *lost, *kept]


_LOADED: Final = "loaded"


def _local(operation: str, name: str) -> str:
    return f"{operation}.{name}"


def _private(name: str) -> str:
    return f"private.{name}"


def _address(location: Location) -> e.Expr:
    if location.index is None:
        return e.Address(location.name)
    offset = e.Binary(e.BinaryOp.MUL, _expression(location.index), e.Constant(_SIZE))
    return e.Binary(e.BinaryOp.ADD, e.Address(location.name), offset)


_DIRECT: Final = {
    terms.BinaryOp.ADD: e.BinaryOp.ADD,
    terms.BinaryOp.SUB: e.BinaryOp.SUB,
    terms.BinaryOp.MUL: e.BinaryOp.MUL,
    terms.BinaryOp.EQ: e.BinaryOp.EQ,
    terms.BinaryOp.NE: e.BinaryOp.NE,
    terms.BinaryOp.LT: e.BinaryOp.SLT,
    terms.BinaryOp.LE: e.BinaryOp.SLE,
}


def _expression(term: Term) -> e.Expr:
    """A term of code as an expression over registers: numbers of 64 bits (`overflow.py`)."""
    match term:
        case terms.Number(value=value):
            return e.Constant(value)
        case terms.Variable(space=Space.PRIVATE, name=name):
            return e.Register(_private(name))
        case terms.Variable(name=name, operation=operation):
            return e.Register(_local(operation, name))
        case terms.Loaded():
            return e.Register(_LOADED)
        case terms.Unary(op=terms.UnaryOp.NOT, operand=operand):
            return e.Unary(e.UnaryOp.NOT, _expression(operand))
        case terms.Unary(operand=operand):
            return e.Unary(e.UnaryOp.NEGATE, _expression(operand))
        case terms.Choice(condition=condition, then=then, otherwise=otherwise):
            return e.Select(_expression(condition), _expression(then), _expression(otherwise))
        case terms.Binary(op=op, left=left, right=right):
            return _binary(op, _expression(left), _expression(right))
        case _:
            raise TypeError(f"{term} stands only in annotations")


def _binary(op: terms.BinaryOp, left: e.Expr, right: e.Expr) -> e.Expr:
    if op in _DIRECT:
        return e.Binary(_DIRECT[op], left, right)
    match op:
        case terms.BinaryOp.GT:
            return e.Binary(e.BinaryOp.SLT, right, left)
        case terms.BinaryOp.GE:
            return e.Binary(e.BinaryOp.SLE, right, left)
        case terms.BinaryOp.AND:
            return e.Binary(e.BinaryOp.AND, _truth(left), _truth(right))
        case terms.BinaryOp.OR:
            return e.Binary(e.BinaryOp.OR, _truth(left), _truth(right))
        case terms.BinaryOp.IMPLIES:
            return e.Binary(e.BinaryOp.OR, e.Unary(e.UnaryOp.NOT, left), _truth(right))
        case terms.BinaryOp.REM:
            rest = e.Binary(e.BinaryOp.SREM, left, right)
            return e.Binary(e.BinaryOp.SREM, e.Binary(e.BinaryOp.ADD, rest, right), right)
        case _:
            remainder = _binary(terms.BinaryOp.REM, left, right)
            return e.Binary(e.BinaryOp.SDIV, e.Binary(e.BinaryOp.SUB, left, remainder), right)


def _truth(expr: e.Expr) -> e.Expr:
    return e.Binary(e.BinaryOp.NE, expr, e.FALSE)
