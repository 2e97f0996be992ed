"""All steps of the system: the paths of the replicated thread between control points, one access each.

Only some control points are kept; between two of them a thread makes at most one access, with local steps
before and after it. No other thread observes local steps, so their timing does not matter. Which control
points are kept, and the values that variables may have there, is found by following all paths until a
fixpoint is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from membar.program import operations as ops
from membar.program.expr import Address, Constant, Expr, registers_of, signed
from membar.program.program import Program
from membar.program.template import NUMBER
from membar.records import field, record, replace
from membar.systems.lifting.arithmetic import Arithmetic
from membar.systems.lifting.counters import tallies
from membar.systems.lifting.domains import Domain, Memory, Storage
from membar.systems.lifting.path import ACTING, Path, SplitError, is_static, parameter_for
from membar.systems.lifting.steps import ACCESSES, SmallStep, Steps, is_next
from membar.systems.lifting.values import (
    AtHead,
    CannotLiftError,
    Identity,
    Number,
    Pointer,
    StateVariable,
    Sum,
    Tally,
    Value,
    refusal,
)
from membar.systems.terms import ProcessVariable

_MOST_ANCHORS: Final = 200
_MOST_PATHS: Final = 5_000
_MOST_CHOICES: Final = 16
_MOST_PARAMETERS: Final = 3
_LOCKED: Final = "X"

# Values of registers that belong to the control point, by name.
Static: TypeAlias = tuple[tuple[str, Value], ...]


@record(frozen=True, slots=True)
class ControlPoint:
    """A control point at which the thread may stop between steps of the system."""

    point: int
    static: Static = ()


@record(frozen=True, slots=True)
class AnchorPath:
    """A path from one anchor to another; `target` None: an assertion fails."""

    source: ControlPoint
    target: ControlPoint | None
    path: Path
    updates: tuple[tuple[str, Value], ...] = ()

    @property
    def does_nothing(self) -> bool:
        """Whether the state is the same afterwards."""
        path = self.path
        return self.source == self.target and not (
            self.updates or path.written or path.cleared or path.reset or path.met
        )


@record()
class Explorer:
    """Follows the replicated thread.

    Attributes:
        program: for its objects.
        per_thread: names of objects with an element per thread.
        steps: the thread.
        drains: whether a fence empties the buffer.
        properties: the properties whose assertions count.
        memory: what is known of variables; grows.
    """

    program: Program
    per_thread: frozenset[str]
    steps: Steps
    drains: Callable[[ops.Fence], bool]
    properties: frozenset[str]
    memory: Memory = field(default_factory=Memory)

    def __post_init__(self) -> None:
        self._arithmetic = Arithmetic(self.memory, ACTING)
        self._tallies = tallies(self.program, self.per_thread, self.steps)

    # The search

    def ways(self) -> tuple[tuple[ControlPoint, ...], tuple[AnchorPath, ...]]:
        """All anchors, the first one first, and all ways between them."""
        while True:
            before = dict(self.memory.domains)
            anchors, ways = self._pass()
            if before == self.memory.domains:
                return anchors, ways

    def _pass(self) -> tuple[tuple[ControlPoint, ...], tuple[AnchorPath, ...]]:
        entry = ControlPoint(self.steps.entry)
        anchors: dict[ControlPoint, None] = {entry: None}
        todo, ways = [entry], list[AnchorPath]()
        while todo:
            anchor = todo.pop(0)
            for way in self._leaving(anchor):
                if way.does_nothing:
                    continue
                ways.append(way)
                if way.target is not None and way.target not in anchors:
                    anchors[way.target] = None
                    todo.append(way.target)
            if len(anchors) > _MOST_ANCHORS or len(ways) > _MOST_PATHS:
                raise refusal("too many control points and values", self.steps.span, code="W1203")
        return tuple(anchors), tuple(ways)

    def _leaving(self, anchor: ControlPoint) -> Iterator[AnchorPath]:
        registers: dict[str, Value] = dict(anchor.static)
        for name in sorted(self.steps.live[anchor.point] - registers.keys()):
            registers[name] = self._register(name)
        start = Path(point=anchor.point, registers=registers)
        for path in self._follow(start):
            yield from self._ways_to(anchor, path)

    def _register(self, name: str) -> StateVariable:
        is_used_first = name in self.steps.live[self.steps.entry]
        initial = Constant(self.steps.initial.get(name, 0)).value if is_used_first else None
        storage = Storage(name=self.memory.name("r", name), weak=False, dimensions=1, initial=initial)
        return StateVariable(self.memory.declare(storage).name, (ACTING,))

    # One path

    def _follow(self, path: Path) -> Iterator[Path]:
        leaving = self.steps.leaving[path.point]
        is_start = not path.trail and path.accessed is None
        if not is_start and (not leaving or self._may_stop_here(path, leaving) or path.point in path.trail):
            yield path
            return
        passed = replace(path, trail=path.trail | {path.point})
        for step in leaving:
            for after in self._after_step(passed, step):
                if after.failed is not None:
                    yield after
                else:
                    yield from self._follow(after)

    def _may_stop_here(self, path: Path, leaving: tuple[SmallStep, ...]) -> bool:
        """Whether the thread may stop here: before its next access, or before a scan continues."""
        if path.accessed is not None and any(self._is_visible(step) for step in leaving):
            return True
        return any(self._is_scanned(step.guard, path) for step in leaving)

    def _is_visible(self, step: SmallStep) -> bool:
        if isinstance(step.operation, ops.Fence):
            return self.drains(step.operation)
        return isinstance(step.operation, ACCESSES)

    @staticmethod
    def _is_scanned(guard: Expr, path: Path) -> bool:
        names = set(registers_of(guard))
        return NUMBER in names and any(isinstance(path.registers.get(name), AtHead) for name in names)

    def _after_step(self, path: Path, step: SmallStep) -> list[Path]:
        """The paths after a step."""
        try:
            return list(self._split(path, lambda each: self._take_step(each, step)))
        except CannotLiftError as problem:
            raise refusal(problem.what, step.span) from None

    def _split(self, path: Path, action: Callable[[Path], Iterator[Path]]) -> Iterator[Path]:
        if len(path.others) >= _MOST_PARAMETERS:
            raise CannotLiftError("a step that involves too many threads")
        try:
            found = list(action(path))
        except SplitError as split:
            for each in split.paths:
                yield from self._split(self._path_with_case(path, each), action)
            return
        yield from found

    def _path_with_case(self, path: Path, case: Path) -> Path:
        """The original path with what one case knows about the start; scans may have advanced."""
        scanning = {name: case.registers[name] for name in self.steps.scanning if name in case.registers}
        return replace(
            path,
            known=case.known,
            who=case.who,
            literals=case.literals,
            others=case.others,
            everyone=case.everyone,
            registers={**path.registers, **scanning},
        )

    def _take_step(self, path: Path, step: SmallStep) -> Iterator[Path]:
        if not self._arithmetic.truth(step.guard, path):
            return
        moved = replace(path, point=step.target, span=path.span or step.span)
        if step.operation is None:
            yield moved
        elif self._is_visible(step):
            yield from self._access(path, moved, step)
        else:
            yield from self._local(moved, step.operation)

    def _local(self, path: Path, operation: ops.Operation) -> Iterator[Path]:
        arithmetic = self._arithmetic
        match operation:
            case ops.Set():
                yield self._set(path, operation)
            case ops.Assume(condition=condition):
                if arithmetic.truth(condition, path):
                    yield path
            case ops.Assert(condition=condition, message=message, property=kind):
                if kind not in self.properties or self._is_met(condition, kind, path):
                    yield path
                else:
                    yield replace(path, failed=message or "an assertion fails")
            case ops.Choose(register=register, low=low, high=high):
                first, last = (arithmetic.split_values(arithmetic.value(x, path), path) for x in (low, high))
                if not isinstance(first, Number) or not isinstance(last, Number):
                    raise CannotLiftError("a choice with unknown bounds")
                numbers = range(signed(first.word), signed(last.word) + 1)
                if len(numbers) > _MOST_CHOICES:
                    raise CannotLiftError(f"a choice among {len(numbers)} values")
                for number in numbers:
                    yield path.setting(register, Number(Constant(number).value))
            case ops.Fence():
                yield path
            case _:
                raise CannotLiftError(f"`{type(operation).__name__.lower()}`")

    def _is_met(self, condition: Expr, kind: str, path: Path) -> bool:
        try:
            return self._arithmetic.truth(condition, path)
        except CannotLiftError as problem:
            if kind != "memory":
                raise
            raise CannotLiftError(
                f"{problem.what} (needed to check whether an access is in bounds)"
            ) from None

    def _set(self, path: Path, operation: ops.Set) -> Path:
        register = operation.register
        if register not in self.steps.scanning:
            return path.setting(register, self._arithmetic.value(operation.value, path))
        if not is_next(operation):
            kept = tuple(pair for pair in path.met if pair[0] != register)
            fresh = replace(path, reset=path.reset | {register}, met=kept)
            return fresh.setting(register, AtHead(register))
        at = self._arithmetic.split_values(path.registers[register], path)
        if not isinstance(at, Identity):
            raise CannotLiftError("a loop over all threads that continues before its counter was compared")
        met = (*path.met, (register, parameter_for(path, at.who)))
        return replace(path, met=met).setting(register, AtHead(register))

    # Memory

    def _access(self, path: Path, moved: Path, step: SmallStep) -> Iterator[Path]:
        operation = step.operation
        if isinstance(operation, ops.Fence):
            yield replace(moved, fenced=True)
            return
        done = replace(moved, accessed=path.point, before=path.registers, trail=frozenset(), span=step.span)
        match operation:
            case ops.Load() | ops.Store() | ops.Rmw() if (
                tally := self._tally(operation.address)
            ) is not None:
                yield self._count_thread(done, operation, tally)
            case ops.Load(register=register, address=address, size=size, signed=is_signed):
                held = self._cell(address, size, path)
                value = self._arithmetic.extend(held, 8 * size, is_signed, path)
                yield replace(done, is_read=True).setting(register, value)
            case ops.Store(address=address, value=value, size=size):
                yield self._write(done, address, size, self._arithmetic.value(value, path))
            case ops.Unlock(address=address, size=size):
                yield self._write(done, address, size, Number(0))
            case ops.Lock(address=address, size=size):
                held = self._cell(address, size, path)
                if self._arithmetic.split_values(held, path) == Number(0):
                    yield replace(self._write(done, address, size, Number(1)), atomic=True)
            case ops.Rmw():
                yield self._read_modify_write(done, operation)
            case _:
                raise CannotLiftError(f"`{type(operation).__name__.lower()}`")

    def _tally(self, address: Expr) -> StateVariable | None:
        """The array that records which threads have added one to a variable, if it is a counter."""
        if not isinstance(address, Address) or address.name not in self._tallies:
            return None
        name = self.memory.name("x", address.name)
        storage = self.memory.declare(Storage(name=name, weak=True, dimensions=1, initial=0))
        self.memory.domains[name] = self.memory.domains[name].with_word(1)
        return StateVariable(storage.name, (ACTING,), ACTING)

    def _count_thread(
        self, path: Path, operation: ops.Load | ops.Store | ops.Rmw, own: StateVariable
    ) -> Path:
        """Records that a thread has added one: at most once each, or the path fails."""
        if isinstance(operation, ops.Store):
            return replace(path, cleared=(own.storage,))
        if isinstance(operation, ops.Load):
            return replace(path, is_read=True).setting(operation.register, Tally(own.storage, ACTING))
        if self._arithmetic.split_values(own, path) != Number(0):
            return replace(path, fenced=True, failed=f"a thread adds to `{own.storage}` twice")
        counted = path.setting(operation.register, Tally(own.storage, ACTING, has_own=False))
        return replace(counted, written=((own.storage, (ACTING,), Number(1)),), atomic=True)

    def _read_modify_write(self, path: Path, rmw: ops.Rmw) -> Path:
        held = self._cell(rmw.address, rmw.size, path)
        value = self._arithmetic.extend(held, 8 * rmw.size, rmw.signed, path)
        done = path.setting(rmw.register, value)
        if self._arithmetic.truth(rmw.condition, done):
            new = self._arithmetic.value(rmw.value, done)
            return replace(self._write(done, rmw.address, rmw.size, new), atomic=True)
        failed = rmw.read_tags if rmw.failed_tags is None else rmw.failed_tags
        return replace(done, is_read=True, fenced=path.fenced or _LOCKED in failed)

    def _write(self, path: Path, address: Expr, size: int, value: Value) -> Path:
        cell = self._cell(address, size, path)
        storage = self.memory.storages[cell.storage]
        kept = self._arithmetic.extend(value, storage.width, storage.signed, path)
        kept = self._fitting(kept, storage.name, path)
        return replace(path, written=((storage.name, cell.indices, kept),))

    def _cell(self, address: Expr, size: int, path: Path) -> StateVariable:
        """The variable at an address."""
        pointer = self._arithmetic.split_values(self._arithmetic.value(address, path), path)
        if not isinstance(pointer, Pointer):
            raise CannotLiftError("an access through an unknown pointer")
        item = self.program.object(pointer.name)
        index: tuple[ProcessVariable, ...]
        if size != item.size:
            raise CannotLiftError(f"an access to part of `{item.name}`")
        if item.name in self.per_thread:
            if pointer.index is None or pointer.factor != size or pointer.offset != 0:
                raise CannotLiftError(f"an element of `{item.name}` whose index is not a thread number")
            index = (parameter_for(path, pointer.index),)
            name, initial = item.name, item.initial[0] if item.initial else 0
        else:
            at, rest = divmod(pointer.offset, size)
            if pointer.index is not None or rest or not 0 <= at < item.count:
                raise CannotLiftError(f"an element of `{item.name}` with an unknown index")
            index = ()
            name = item.name if item.count == 1 else f"{item.name}_{at}"
            initial = item.initial[at] if at < len(item.initial) else 0
        if not isinstance(initial, int):
            raise CannotLiftError(f"the address stored in `{item.name}`")
        word = Constant(initial).value & ((1 << (8 * size)) - 1)
        storage = self.memory.declare(
            Storage(
                name=self.memory.name("x", name),
                weak=True,
                dimensions=len(index),
                width=8 * size,
                signed=item.signed,
                initial=signed(word, 8 * size) & ((1 << 64) - 1) if item.signed else word,
            )
        )
        return StateVariable(storage.name, index, ACTING)

    # Ends

    def _ways_to(self, anchor: ControlPoint, path: Path) -> list[AnchorPath]:
        if path.failed is not None:
            return [AnchorPath(anchor, None, path)]
        live = self.steps.live[path.point]
        if path.point == path.accessed and _changed_nothing(path, live):
            return []  # it looks again: the same as not having looked
        try:
            settled = self._split(path, lambda one: iter([self._settle_registers(one, live)]))
            return [self._way(anchor, each, live) for each in settled]
        except CannotLiftError as problem:
            raise refusal(problem.what, path.span) from None

    def _settle_registers(self, path: Path, live: frozenset[str]) -> Path:
        """The path with values in its live registers that their variables can hold."""
        kept: dict[str, Value] = {}
        for name in sorted(live & path.registers.keys()):
            value = path.registers[name]
            if not is_static(value):
                own = self._register(name)
                value = value if value == own else self._fitting(value, own.storage, path)
            kept[name] = value
        return replace(path, registers=kept)

    def _way(self, anchor: ControlPoint, path: Path, live: frozenset[str]) -> AnchorPath:
        values = [(name, path.registers[name]) for name in sorted(live & path.registers.keys())]
        static = tuple((name, value) for name, value in values if is_static(value))
        updates = tuple(
            (self._register(name).storage, value)
            for name, value in values
            if not is_static(value) and value != self._register(name)
        )
        return AnchorPath(anchor, ControlPoint(path.point, static), path, updates)

    def _fitting(self, value: Value, name: str, path: Path) -> Value:
        """A value as a variable can hold it; the variable's domain is extended if necessary."""
        memory = self.memory
        value = path.known.get(value, value) if isinstance(value, StateVariable) else value
        match value:
            case Number(word=word):
                memory.domains[name] = memory.domains[name].with_word(word)
            case Identity(offset=offset):
                memory.domains[name] = memory.domains[name].with_threads(offset)
            case Sum(low=low, high=high):
                memory.domains[name] = memory.domains[name].with_integers(low, high)
            case StateVariable():
                joined = _join(memory.domains[name], memory.domains[value.storage])
                memory.domains[name] = joined
                if joined != memory.domains[value.storage]:
                    return self._fitting(self._arithmetic.split_values(value, path), name, path)
            case _:
                raise CannotLiftError("such a value in a variable")
        return value


def _join(one: Domain, other: Domain) -> Domain:
    if other.range is not None:
        return one.with_integers(*other.range)
    for word in sorted(other.words):
        one = one.with_word(word)
    return one if other.offset is None else one.with_threads(other.offset)


def _changed_nothing(path: Path, live: frozenset[str]) -> bool:
    """Whether a path that is back at its access has changed nothing."""
    before: Mapping[str, Value] = path.before or {}
    if not path.is_read or path.met or path.reset or path.cleared:
        return False
    return all(path.registers.get(name) == before.get(name) for name in live)
