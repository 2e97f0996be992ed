"""A naive interpreter of DVE trees: states as plain tuples, every rule of the language written down once.

It shares the parser with the front end and nothing else, knows sc only, and is slow on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from membar.languages.dve import syntax as x
from membar.languages.dve.parser import parse_module
from membar.source import SourceFile

# States of the processes; values of globals and locals (lists as tuples); contents of channels.
State: TypeAlias = tuple[
    tuple[int, ...], tuple[tuple[int, ...], ...], tuple[tuple[tuple[int, ...], ...], ...]
]
_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "-": lambda a, b: a - b,
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
}


class RunTimeError(Exception):
    """An index out of bounds, a value out of range, a division by zero."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What there is: states, edges between them (failing ones included), and failing ones."""

    states: int
    edges: int
    failures: int
    errors: int  # states in which an assertion of the text, or what `error` says, is so


class Interpreter:
    """One text, run."""

    def __init__(self, text: str) -> None:
        self.module = module = parse_module(SourceFile("test.dve", text))
        named = None if module.property is None else module.property.text
        self.processes = [process for process in module.processes if process.name != named]
        self.constants: dict[tuple[int | None, str], tuple[int, ...]] = {}
        self.slots: dict[tuple[int | None, str], int] = {}
        self.kinds: list[x.Declaration] = []
        self.initial_values: list[tuple[int, ...]] = []
        owners: list[tuple[int | None, tuple[x.Declaration, ...]]] = [(None, module.variables)]
        owners += [(number, process.variables) for number, process in enumerate(self.processes)]
        for owner, declared in owners:
            for item in declared:
                self._declare(owner, item)
        self.channels = {channel.name: channel for channel in module.channels}
        self.channel_numbers = {channel.name: n for n, channel in enumerate(module.channels)}

    def _declare(self, owner: int | None, item: x.Declaration) -> None:
        count = item.count or 1
        values = [_World(self, owner, self._first()).value(tree) for tree in item.initial][:count]
        whole = tuple(values) + (0,) * (count - len(values))
        if item.constant:
            self.constants[owner, item.name] = whole
        else:
            self.slots[owner, item.name] = len(self.kinds)
            self.kinds.append(item)
            self.initial_values.append(whole)

    def _first(self) -> State:
        return (), tuple(self.initial_values), ()

    def initial(self) -> State:
        points = tuple(_number(process, process.initial.text) for process in self.processes)
        return points, tuple(self.initial_values), tuple(() for _ in self.module.channels)

    def error_state(self) -> State:
        """Where the legacy engine goes: everything 0, the first process beyond its states."""
        points = (len(self.processes[0].states), *(0 for _ in self.processes[1:]))
        return points, tuple((0,) * len(values) for values in self.initial_values), ()

    def count(self, *, legacy: bool = False, limit: int = 20_000) -> Counted | None:
        """All states, by depth-first search; None if there are too many."""
        start = self.initial()
        seen, todo = {start}, [start]
        edges = failures = errors = 0
        while todo:
            state = todo.pop()
            errors += self.is_error(state)
            for after in self.successors(state):
                edges += 1
                target = after
                if target is None:
                    failures += 1
                    if not legacy:
                        continue
                    target = self.error_state()
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
            if len(seen) > limit:
                return None
        return Counted(len(seen), edges, failures, errors)

    def is_error(self, state: State) -> bool:
        for number, process in enumerate(self.processes):
            for word, tree in process.asserts:
                is_there = state[0][number] == _number(process, word.text)
                if is_there and not _World(self, number, state, lenient=True).value(tree):
                    return True
        return any(_World(self, None, state, lenient=True).value(tree) for tree in self.module.errors)

    def successors(self, state: State) -> Iterator[State | None]:
        """What can come next; None is a run-time error."""
        if self.module.synchronous:
            yield from self._all_at_once(state)
            return
        for number in self._movers(state):
            for transition in self._leaving(state, number):
                sync = transition.sync
                channel = None if sync is None else self.channels[sync.channel]
                if sync is not None and channel is not None and channel.capacity == 0:
                    if sync.sends:
                        yield from self._meetings(state, number, transition, channel)
                    continue
                try:
                    world = _World(self, number, state)
                    if not world.passes(transition):
                        continue
                    if sync is not None and channel is not None:
                        content = state[2][self.channel_numbers[channel.name]]
                        if sync.sends and len(content) == channel.capacity:
                            continue
                        if not sync.sends and not content:
                            continue
                    world.do_effects(transition)
                    if sync is not None and channel is not None:
                        world.use(sync, channel)
                    yield world.state({number: _number(self.processes[number], transition.target)})
                except RunTimeError:
                    yield None

    def _movers(self, state: State) -> list[int]:
        committed = [
            number
            for number, process in enumerate(self.processes)
            if any(_number(process, word.text) == state[0][number] for word in process.committed)
        ]
        return committed or list(range(len(self.processes)))

    def _leaving(self, state: State, number: int) -> list[x.Transition]:
        process = self.processes[number]
        return [t for t in process.transitions if _number(process, t.source) == state[0][number]]

    def _meetings(
        self, state: State, sender: int, sending: x.Transition, channel: x.Channel
    ) -> Iterator[State | None]:
        for receiver in self._movers(state):
            if receiver == sender:
                continue
            for receiving in self._leaving(state, receiver):
                sync = receiving.sync
                if sync is None or sync.sends or sync.channel != channel.name or sending.sync is None:
                    continue
                try:
                    world = _World(self, sender, state)
                    if not world.passes(sending):
                        continue
                    if not _World(self, receiver, state).passes(receiving):
                        continue
                    values = [world.value(tree) for tree in sending.sync.values]
                    world.owner = receiver
                    for place, target in enumerate(sync.targets):
                        world.assign(target, _cast(channel, place, values[place]))
                    world.do_effects(receiving)
                    world.owner = sender
                    world.do_effects(sending)
                    yield world.state({
                        sender: _number(self.processes[sender], sending.target),
                        receiver: _number(self.processes[receiver], receiving.target),
                    })  # fmt: skip
                except RunTimeError:
                    yield None

    def _all_at_once(self, state: State) -> Iterator[State | None]:
        for chosen in product(*(self._leaving(state, number) for number in range(len(self.processes)))):
            try:
                world = _World(self, None, state)
                if not all(_World(self, n, state).passes(t) for n, t in enumerate(chosen)):
                    continue
                for number, transition in enumerate(chosen):
                    world.owner = number
                    world.do_effects(transition)
                yield world.state({n: _number(self.processes[n], t.target) for n, t in enumerate(chosen)})
            except RunTimeError:
                yield None


class _World:
    """A state being looked at and changed, in the words of one process.

    Where it is only looked at (`lenient`), elements that do not exist are 0, and dividing by 0 gives 0.
    """

    def __init__(
        self, interpreter: Interpreter, owner: int | None, state: State, *, lenient: bool = False
    ) -> None:
        self.lenient = lenient
        self.interpreter = interpreter
        self.owner = owner
        self.points = state[0]
        self.values = [list(item) for item in state[1]]
        self.channels = list(state[2])

    def state(self, moved: Mapping[int, int]) -> State:
        points = tuple(moved.get(number, point) for number, point in enumerate(self.points))
        return points, tuple(tuple(item) for item in self.values), tuple(self.channels)

    def passes(self, transition: x.Transition) -> bool:
        return transition.guard is None or bool(self.value(transition.guard))

    def do_effects(self, transition: x.Transition) -> None:
        for effect in transition.effects:
            self.assign(effect.target, self.value(effect.value))

    def use(self, sync: x.Sync, channel: x.Channel) -> None:
        number = self.interpreter.channel_numbers[channel.name]
        if sync.sends:
            message = tuple(_cast(channel, n, self.value(tree)) for n, tree in enumerate(sync.values))
            self.channels[number] = (*self.channels[number], message)
        else:
            message, *rest = self.channels[number]
            self.channels[number] = tuple(rest)
            for target, value in zip(sync.targets, message, strict=True):
                self.assign(target, value)

    def assign(self, target: x.Variable, value: int) -> None:
        slot = self._slot(target.name)
        index = 0 if target.index is None else self.value(target.index)
        if not 0 <= index < len(self.values[slot]):
            raise RunTimeError
        low, high = self.interpreter.kinds[slot].type.range
        if not low <= value <= high:
            raise RunTimeError
        self.values[slot][index] = value

    def _slot(self, name: str) -> int:
        slots = self.interpreter.slots
        return slots[self.owner, name] if (self.owner, name) in slots else slots[None, name]

    def value(self, tree: x.Expr) -> int:
        match tree:
            case x.Number(value=value):
                return value
            case x.Variable(name=name, index=index):
                at = 0 if index is None else self.value(index)
                constants = self.interpreter.constants
                owner = self.owner
                if (owner, name) not in constants and (owner, name) not in self.interpreter.slots:
                    owner = None
                known = constants.get((owner, name))
                elements = list(known) if known is not None else self.values[self._slot(name)]
                if not 0 <= at < len(elements):
                    if self.lenient:
                        return 0
                    raise RunTimeError
                return elements[at]
            case x.Unary(op=op, operand=operand):
                inner = self.value(operand)
                return -inner if op == "-" else ~inner if op == "~" else int(not inner)
            case x.Binary():
                return self._binary(tree)
            case x.InState(process=name, state=state):
                number = next(n for n, p in enumerate(self.interpreter.processes) if p.name == name)
                return int(self.points[number] == _number(self.interpreter.processes[number], state))
            case x.ProcessVariableReference(process=name, variable=variable):
                number = next(n for n, p in enumerate(self.interpreter.processes) if p.name == name)
                before, self.owner = self.owner, number
                found = self.value(variable)
                self.owner = before
                return found

    def _binary(self, tree: x.Binary) -> int:
        left = self.value(tree.left)
        if tree.op == "and":
            return int(bool(left) and bool(self.value(tree.right)))
        if tree.op == "or":
            return int(bool(left) or bool(self.value(tree.right)))
        if tree.op == "imply":
            return int(not left or bool(self.value(tree.right)))
        right = self.value(tree.right)
        if tree.op in ("/", "%"):
            if right == 0:
                if self.lenient:
                    return 0 if tree.op == "/" else left
                raise RunTimeError
            quotient = int(abs(left) / abs(right)) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if tree.op == "/" else left - quotient * right
        return _BINARY[tree.op](left, right)


def _number(process: x.Process, state: str) -> int:
    return [word.text for word in process.states].index(state)


def _cast(channel: x.Channel, place: int, value: int) -> int:
    """A value as a typed channel carries it."""
    if channel.types is None:
        return value
    if channel.types[place] is x.Type.BYTE:
        return value % 256
    return (value + 32768) % 65536 - 32768
