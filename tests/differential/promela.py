"""A second reading of Promela: the states of a text by direct interpretation of its statements.

It shares the parser with the front end and nothing else: no automata, no folding, no contraction. A process
is a list of statements that are still to be done. Only what `strategies.promela` writes is understood.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard

from membar.languages.promela import syntax as p
from membar.languages.promela.parser import parse
from membar.source import SourceFile

_BITS = {
    p.Type.BIT: (1, False),
    p.Type.BYTE: (8, False),
    p.Type.SHORT: (16, True),
    p.Type.INT: (32, True),
    p.Type.MTYPE: (8, False),
    p.Type.PID: (8, False),
}
_MOST_STATES = 60_000


class GiveUpError(Exception):
    """Too many states."""


@dataclass(frozen=True, slots=True)
class Todo:
    """A statement still to be done, and the atomic block it is inside of (0: none)."""

    statement: int
    block: int = 0


@dataclass(frozen=True, slots=True)
class Proc:
    """A process: what is to be done, and its variables."""

    kind: int
    todo: tuple[Todo, ...]
    variables: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class State:
    """Global variables, the messages of the channel, processes, and who runs an atomic block."""

    memory: tuple[tuple[str, int], ...]
    messages: tuple[tuple[int, ...], ...]
    procs: tuple[Proc, ...]
    exclusive: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """Whether an assertion can fail, and whether a deadlock is reached."""

    fails: bool
    deadlocks: bool
    states: int


def explore(text: str) -> Found:
    """Every state of a text."""
    return _Interpreter(text).run()


class _FailError(Exception):
    """An assertion failed."""


class _Interpreter:
    def __init__(self, text: str) -> None:
        self.module = parse(SourceFile("random.pml", text))
        self.statements: list[p.Statement] = []
        self.numbers: dict[int, int] = {}
        self.types: dict[str, tuple[int, bool]] = {}
        self.symbols = {
            name: len(group) - at for _, group in self.module.symbols for at, (name, _) in enumerate(group)
        }
        self.fields: tuple[tuple[int, bool], ...] = ()
        self.capacity = 0

    # Set-up

    def run(self) -> Found:
        memory: dict[str, int] = {}
        for item in self.module.variables:
            if isinstance(item.initial, p.ChannelShape):
                self.capacity = _literal(item.initial.capacity)
                self.fields = tuple(_BITS[kind] for kind, _, _ in item.initial.fields)
            else:
                self._declare(item, memory, "")
        procs = [
            self._started(kind, (), memory)
            for kind, process in enumerate(self.module.processes)
            if process.copies is not None
        ]
        first = self._settled(State(_frozen(memory), (), tuple(procs)))
        seen, todo = {first}, [first]
        fails = deadlocks = False
        while todo:
            state = todo.pop()
            moved = False
            for after in self._after(state):
                moved = True
                if after is None:
                    fails = True
                elif after not in seen:
                    seen.add(after)
                    todo.append(after)
                    if len(seen) > _MOST_STATES:
                        raise GiveUpError
            if not moved and not all(self._may_stay(proc) for proc in state.procs):
                deadlocks = True
        return Found(fails, deadlocks, len(seen))

    def _declare(self, item: p.Variable, memory: dict[str, int], prefix: str) -> None:
        name = prefix + item.name
        if item.type is p.Type.RECORD:
            for field in next(fields for record, fields, _ in self.module.records if record == item.record):
                self._declare(field, memory, f"{name}.")
            return
        self.types[name] = _kind(item)
        initial = 0 if item.initial is None else _literal(item.initial)
        cells = [name] if item.count is None else [f"{name}[{n}]" for n in range(_literal(item.count))]
        memory |= {cell: _cut(initial, self.types[name]) for cell in cells}

    def _started(self, kind: int, arguments: tuple[int, ...], memory: dict[str, int]) -> Proc:
        """A new process; what it declares before all statements takes no step."""
        process = self.module.processes[kind]
        variables: dict[str, int] = {}
        for item, value in zip(process.parameters, arguments, strict=False):
            variables[item.name] = _cut(value, _BITS[item.type])
        todo = process.body.statements
        while todo and isinstance(todo[0], p.Declare):
            self._declare_own(todo[0], _View(self, memory, variables, ()))
            todo = todo[1:]
        return Proc(kind, self._todos(todo, 0), _frozen(variables))

    def _todos(self, statements: tuple[p.Statement, ...], block: int) -> tuple[Todo, ...]:
        return tuple(Todo(self._number(statement), block) for statement in statements)

    def _number(self, statement: p.Statement) -> int:
        if id(statement) not in self.numbers:
            self.numbers[id(statement)] = len(self.statements)
            self.statements.append(statement)
        return self.numbers[id(statement)]

    def _may_stay(self, proc: Proc) -> bool:
        if not proc.todo:
            return True
        statement = self.statements[proc.todo[0].statement]
        return isinstance(statement, p.Labelled) and statement.label.startswith("end")

    # Steps of the system

    def _after(self, state: State) -> Iterator[State | None]:
        """Every state after this one; None for a failed assertion."""
        if state.exclusive is not None:
            found = list(self._of(state, state.exclusive))
            if found:
                yield from found
                return
            state = replace(state, exclusive=None)
        for number in range(len(state.procs)):
            yield from self._of(state, number)

    def _of(self, state: State, number: int) -> Iterator[State | None]:
        proc = state.procs[number]
        for statement, block, rest in self._heads(state, proc, proc.todo):
            try:
                for after, variables in self._done(state, proc, statement, number):
                    yield from self._arrived(after, number, rest, variables, block)
            except _FailError:
                yield None

    def _arrived(
        self,
        state: State,
        number: int,
        rest: tuple[Todo, ...],
        variables: tuple[tuple[str, int], ...],
        block: int,
    ) -> Iterator[State | None]:
        """The state after a statement; the rest of a `d_step` is done at once."""
        proc = replace(state.procs[number], todo=rest, variables=variables)
        state = self._settled(_with(state, number, proc))
        rest = state.procs[number].todo
        inside = bool(block) and bool(rest) and rest[0].block != 0
        if inside and block < 0:
            later = next(self._of(replace(state, exclusive=None), number), None)
            yield later
            return
        yield replace(state, exclusive=number if inside else None)

    def _settled(self, state: State) -> State:
        """Jumps that take no step are done."""
        procs = []
        for proc in state.procs:
            todo = proc.todo
            while todo:
                statement = self.statements[todo[0].statement]
                if isinstance(statement, p.Goto):
                    todo = self._label(proc.kind, statement.label)
                elif isinstance(statement, p.Break):
                    todo = self._left(todo)
                else:
                    break
            procs.append(replace(proc, todo=todo))
        return replace(state, procs=tuple(procs))

    def _declare_own(self, declare: p.Declare, view: _View) -> None:
        """Sets declared variables of a process; of an array, only element 0."""
        own = view.own
        for item in declare.variables:
            kind = self.types[item.name] = _kind(item)
            value = 0
            if item.initial is not None and not isinstance(item.initial, p.Listed | p.ChannelShape):
                value = _cut(view.of(item.initial), kind)
            if item.count is None:
                own[item.name] = value
                continue
            for cell in range(_literal(item.count)):
                own.setdefault(f"{item.name}[{cell}]", 0)
            own[f"{item.name}[0]"] = value

    def _left(self, todo: tuple[Todo, ...]) -> tuple[Todo, ...]:
        """What is to be done after the loop."""
        for at, item in enumerate(todo):
            statement = self.statements[item.statement]
            if isinstance(statement, p.Choice) and statement.is_loop and at:
                return todo[at + 1 :]
        raise AssertionError("no loop")

    def _label(self, kind: int, label: str) -> tuple[Todo, ...]:
        found = self._search(self.module.processes[kind].body.statements, label, ())
        if found is None:
            raise AssertionError(label)
        return found

    def _search(
        self, statements: tuple[p.Statement, ...], label: str, rest: tuple[Todo, ...]
    ) -> tuple[Todo, ...] | None:
        for at, statement in enumerate(statements):
            following = (*self._todos(statements[at + 1 :], 0), *rest)
            inner = statement
            if isinstance(inner, p.Labelled):
                if inner.label == label:
                    return (*self._todos((statement,), 0), *following)
                inner = inner.statement
            if isinstance(inner, p.Choice):
                again = (*self._todos((inner,), 0), *following) if inner.is_loop else following
                for option in inner.options:
                    if (found := self._search(option.statements, label, again)) is not None:
                        return found
        return None

    # What a process may do

    def _heads(
        self, state: State, proc: Proc, todo: tuple[Todo, ...]
    ) -> Iterator[tuple[p.Statement, int, tuple[Todo, ...]]]:
        """The statements that may be next, with what is to be done afterwards; `else` is decided here."""
        if not todo:
            return
        first, rest = todo[0], todo[1:]
        statement = self.statements[first.statement]
        if isinstance(statement, p.Labelled):
            yield from self._heads(state, proc, (Todo(self._number(statement.statement), first.block), *rest))
        elif isinstance(statement, p.Block):
            block = first.block or {"atomic": 1, "d_step": -1}.get(statement.word, 0)
            yield from self._heads(state, proc, (*self._todos(statement.statements, block), *rest))
        elif isinstance(statement, p.For):
            yield from self._heads(state, proc, (*self._unrolled(statement, first.block), *rest))
        elif self._counts(statement, proc, first.block):
            yield from self._heads(state, proc, (*self._counted(statement, first.block), *rest))
        elif isinstance(statement, p.Choice):
            yield from self._options(state, proc, statement, todo)
        elif isinstance(statement, p.Goto | p.Break):  # the first of an option: a step of its own
            yield p.Skip(statement.span), first.block, todo
        else:
            yield statement, first.block, rest

    def _options(
        self, state: State, proc: Proc, choice: p.Choice, todo: tuple[Todo, ...]
    ) -> Iterator[tuple[p.Statement, int, tuple[Todo, ...]]]:
        block = todo[0].block
        rest = todo if choice.is_loop else todo[1:]
        can_any = False
        otherwise: p.Block | None = None
        for option in choice.options:
            if isinstance(option.statements[0], p.Else):
                otherwise = option
                continue
            for head in self._heads(state, proc, (*self._todos(option.statements, block), *rest)):
                can = self._can(state, proc, head[0])
                can_any = can_any or can
                if can:
                    yield head
                    if block < 0:  # a `d_step` takes the first
                        return
        if otherwise is not None and not can_any:
            yield p.Skip(otherwise.span), block, (*self._todos(otherwise.statements[1:], block), *rest)

    def _can(self, state: State, proc: Proc, statement: p.Statement) -> bool:
        try:
            number = state.procs.index(proc)
            return any(True for _ in self._done(state, proc, statement, number))
        except _FailError:
            return True

    def _unrolled(self, loop: p.For, block: int) -> tuple[Todo, ...]:
        span = loop.span
        one = p.Infix("+", loop.target, p.Number(1, span), span)
        turn = p.Block(
            (
                p.Test(p.Infix("<=", loop.target, loop.high, span), span),
                *loop.body.statements,
                p.Assign(loop.target, one, span),
            ),
            "",
            span,
        )
        end = p.Block((p.Else(span), p.Break(span)), "", span)
        return self._kept(
            loop, (p.Assign(loop.target, loop.low, span), p.Choice((turn, end), True, span)), block
        )

    def _counts(self, statement: p.Statement, proc: Proc, block: int) -> TypeGuard[p.Select]:
        """Whether others can see how `select` counts from the low end."""
        if not isinstance(statement, p.Select) or block:
            return False
        is_shared = statement.target.name not in dict(proc.variables)
        return is_shared and not (
            isinstance(statement.low, p.Number) and isinstance(statement.high, p.Number)
        )

    def _counted(self, select: p.Select, block: int) -> tuple[Todo, ...]:
        span = select.span
        one = p.Infix("+", select.target, p.Number(1, span), span)
        turn = (
            p.Test(p.Infix("<", select.target, select.high, span), span),
            p.Assign(select.target, one, span),
        )
        options = (p.Block(turn, "", span), p.Block((p.Break(span),), "", span))
        parts = (p.Assign(select.target, select.low, span), p.Choice(options, True, span))
        return self._kept(select, parts, block)

    def _kept(
        self, statement: p.Statement, parts: tuple[p.Statement, p.Statement], block: int
    ) -> tuple[Todo, ...]:
        """The two statements that another one stands for, the same each time."""
        key = -id(statement)
        if key not in self.numbers:
            self.numbers[key] = len(self.statements)
            self.statements += parts
        first = self.numbers[key]
        return Todo(first, block), Todo(first + 1, block)

    # Statements

    def _done(
        self, state: State, proc: Proc, statement: p.Statement, number: int
    ) -> Iterator[tuple[State, tuple[tuple[str, int], ...]]]:
        """The states after a statement with the variables of the process; nothing if it cannot be done."""
        memory, own = dict(state.memory), dict(proc.variables)
        view = _View(self, memory, own, state.messages)
        match statement:
            case p.Test(p.Run(name, arguments)):
                kind = next(n for n, item in enumerate(self.module.processes) if item.name == name)
                new = self._started(kind, tuple(view.of(argument) for argument in arguments), memory)
                yield self._settled(replace(state, procs=(*state.procs, new))), proc.variables
            case p.Test(condition):
                if view.of(condition):
                    yield state, proc.variables
            case p.Skip():
                yield state, proc.variables
            case p.Declare():
                self._declare_own(statement, view)
                yield state, _frozen(own)
            case p.Assign(target, value):
                view.set(target, view.of(value))
                yield replace(state, memory=_frozen(memory)), _frozen(own)
            case p.Check(condition):
                if not view.of(condition):
                    raise _FailError
                yield state, proc.variables
            case p.Select(target, low, high):
                for chosen in range(view.of(low), max(view.of(low), view.of(high)) + 1):
                    view.set(target, chosen)
                    yield replace(state, memory=_frozen(memory)), _frozen(own)
            case p.Send() if self.capacity:
                message = tuple(
                    _cut(view.of(value), kind)
                    for value, kind in zip(statement.values, self.fields, strict=True)
                )
                if len(state.messages) < self.capacity:
                    at = len(state.messages)
                    if statement.is_sorted:
                        at = next((n for n, other in enumerate(state.messages) if other > message), at)
                    messages = (*state.messages[:at], message, *state.messages[at:])
                    yield replace(state, messages=messages), proc.variables
            case p.Send():
                yield from self._met(state, proc, statement, number)
            case p.Receive():
                if self.capacity:
                    yield from self._received(state, statement, view, memory, own)
            case _:
                raise AssertionError(statement)

    def _received(
        self, state: State, receive: p.Receive, view: _View, memory: dict[str, int], own: dict[str, int]
    ) -> Iterator[tuple[State, tuple[tuple[str, int], ...]]]:
        for at, message in enumerate(state.messages if receive.anywhere else state.messages[:1]):
            if view.matches(receive, message):
                view.take(receive, message)
                messages = state.messages if receive.keeps else state.messages[:at] + state.messages[at + 1 :]
                yield replace(state, memory=_frozen(memory), messages=messages), _frozen(own)
                return

    def _met(
        self, state: State, proc: Proc, send: p.Send, number: int
    ) -> Iterator[tuple[State, tuple[tuple[str, int], ...]]]:
        """The sender and every receiver that takes the message; the receiver goes on from there."""
        view = _View(self, dict(state.memory), dict(proc.variables), state.messages)
        message = tuple(_cut(view.of(v), kind) for v, kind in zip(send.values, self.fields, strict=True))
        for other, receiver in enumerate(state.procs):
            if other == number:
                continue
            for statement, _, rest in self._heads(state, receiver, receiver.todo):
                if not isinstance(statement, p.Receive):
                    continue
                memory, own = dict(state.memory), dict(receiver.variables)
                theirs = _View(self, memory, own, ())
                if theirs.matches(statement, message):
                    theirs.take(statement, message)
                    after = _with(state, other, replace(receiver, todo=rest, variables=_frozen(own)))
                    yield self._settled(replace(after, memory=_frozen(memory))), proc.variables


class _View:
    """Variables as one process sees them."""

    def __init__(
        self,
        interpreter: _Interpreter,
        memory: dict[str, int],
        own: dict[str, int],
        messages: tuple[tuple[int, ...], ...],
    ) -> None:
        self.interpreter = interpreter
        self.memory = memory
        self.own = own
        self.messages = messages

    def _cell(self, use: p.Use) -> tuple[str, str]:
        """The name of a variable, for its type, and of its cell."""
        name = cell = use.name
        at: p.Use | None = use
        while at is not None:
            if at.index is not None:
                index = self.of(at.index)
                if f"{cell}[{index}]" not in self.memory and f"{cell}[{index}]" not in self.own:
                    raise _FailError
                cell = f"{cell}[{index}]"
            at = at.field
            if at is not None:
                name, cell = f"{name}.{at.name}", f"{cell}.{at.name}"
        return name, cell

    def set(self, use: p.Use, value: int) -> None:
        name, cell = self._cell(use)
        (self.own if cell in self.own else self.memory)[cell] = _cut(value, self.interpreter.types[name])

    def of(self, expr: p.Expr) -> int:
        match expr:
            case p.Number(value):
                return value
            case p.Use(name=name) if name in self.interpreter.symbols:
                return self.interpreter.symbols[name]
            case p.Use():
                _, cell = self._cell(expr)
                return self.own[cell] if cell in self.own else self.memory[cell]
            case p.Prefix(sign, operand):
                value = self.of(operand)
                return int(not value) if sign == "!" else -value
            case p.Infix("&&", left, right):
                return int(bool(self.of(left)) and bool(self.of(right)))
            case p.Infix("||", left, right):
                return int(bool(self.of(left)) or bool(self.of(right)))
            case p.Infix(sign, left, right):
                return _computed(sign, self.of(left), self.of(right))
            case p.Conditional(condition, then, otherwise):
                return self.of(then if self.of(condition) else otherwise)
            case p.Ask(word):
                length, capacity = len(self.messages), self.interpreter.capacity
                answers = {"len": length, "empty": length == 0, "nempty": length > 0}
                return int((answers | {"full": length == capacity, "nfull": length < capacity})[word])
            case _:
                raise AssertionError(expr)

    def _is_matched(self, pattern: p.Pattern) -> bool:
        use = pattern.value
        return pattern.is_matched or (isinstance(use, p.Use) and use.name in self.interpreter.symbols)

    def matches(self, receive: p.Receive, message: tuple[int, ...]) -> bool:
        return all(
            self.of(pattern.value) == value
            for pattern, value in zip(receive.patterns, message, strict=True)
            if self._is_matched(pattern)
        )

    def take(self, receive: p.Receive, message: tuple[int, ...]) -> None:
        for pattern, value in zip(receive.patterns, message, strict=True):
            use = pattern.value
            if not self._is_matched(pattern) and isinstance(use, p.Use) and use.name != "_":
                self.set(use, value)


def _computed(sign: str, left: int, right: int) -> int:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "%":
            return abs(left) % abs(right) * (-1 if left < 0 else 1)
        case "&":
            return left & right
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case _:
            raise AssertionError(sign)


def _literal(expr: p.Expr | p.Listed | p.ChannelShape) -> int:
    if not isinstance(expr, p.Number):
        raise TypeError("a number was expected")
    return expr.value


def _kind(item: p.Variable) -> tuple[int, bool]:
    """The bits of a variable, and whether it has a sign; an element of an array of bits is a byte."""
    kind = _BITS[item.type]
    return _BITS[p.Type.BYTE] if item.count is not None and kind[0] == 1 else kind


def _cut(value: int, kind: tuple[int, bool]) -> int:
    bits, signed = kind
    low = value & ((1 << bits) - 1)
    return low - (1 << bits) if signed and low >> (bits - 1) else low


def _frozen(table: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(table.items()))


def _with(state: State, number: int, proc: Proc) -> State:
    return replace(state, procs=(*state.procs[:number], proc, *state.procs[number + 1 :]))
