"""Explores a system with concrete numbers: every state that a client with some calls can reach."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeAlias

from membar.diagnostics import EngineLimitError
from membar.objects.algebra import evaluate_term
from membar.objects.syntax import Specification
from membar.objects.systems.moves import Kind, Memory, Move, ThreadSystem
from membar.objects.systems.points import ARGUMENTS
from membar.objects.terms import Space, Term, Variable
from membar.records import field, record

Values: TypeAlias = frozenset[tuple[Variable, int]]


@record(frozen=True, slots=True)
class Call:
    """A call of an operation with its arguments."""

    operation: str
    arguments: tuple[int, ...] = ()


Client: TypeAlias = tuple[tuple[Call, ...], ...]


@record(frozen=True, slots=True)
class ThreadState:
    """A thread: its control, its variables, how many calls it has made, and what they returned."""

    control: Hashable
    values: Values
    calls: int = 0
    returned: tuple[tuple[int, ...], ...] = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Remembers the hash: a thread is looked up in every state of the others."""
        object.__setattr__(self, "_hash", hash((self.control, self.values, self.calls, self.returned)))

    def __hash__(self) -> int:
        return self._hash


# A move, and memory and the thread after it.
_Step: TypeAlias = tuple[Move, Values, ThreadState]


@record(frozen=True, slots=True)
class State:
    """All threads, memory, and the state of the specification as effects have made it."""

    memory: Values
    threads: tuple[ThreadState, ...]
    abstract: Values = frozenset()


@record(frozen=True, slots=True)
class ForbiddenStep:
    """A step that the specification or a check does not allow, in a reachable state."""

    state: State
    thread: int
    move: Move
    problem: str


@record(slots=True)
class Explorer:
    """Explores what the threads of a client can do.

    `specification`: effects are carried out and checked too; None: they are ignored.
    """

    system: ThreadSystem
    client: Client
    specification: Specification | None = None
    most_states: int = 200_000
    troubles: list[ForbiddenStep] = field(default_factory=list)
    _moves: dict[Hashable, tuple[Move, ...]] = field(default_factory=dict)
    _known: dict[tuple[Values, ThreadState, int], tuple[_Step, ...]] = field(default_factory=dict)

    def initial(self) -> State:
        """The initial state."""
        own = frozenset((Variable(Space.PRIVATE, name), value) for name, value in self.system.about.private)
        abstract: Values = frozenset()
        if self.specification is not None:
            state = self.specification.state
            abstract = frozenset((Variable(Space.ABSTRACT, name), value) for name, value in state)
        return State(
            frozenset(Memory.of(self.system.about).initial().items()),
            tuple(ThreadState(self.system.start, own) for _ in self.client),
            abstract,
        )

    def reachable(self) -> Iterator[State]:
        """Every state, once.

        Raises:
            EngineLimitError: there are too many.
        """
        start = self.initial()
        seen = {start}
        todo = [start]
        while todo:
            state = todo.pop()
            yield state
            for after in self.successors(state):
                if after not in seen:
                    if len(seen) >= self.most_states:
                        raise EngineLimitError(f"more than {self.most_states} states of a client")
                    seen.add(after)
                    todo.append(after)

    def is_final(self, state: State) -> bool:
        """Whether all calls have been made and nothing is pending."""
        return all(
            thread.calls == len(calls) and self.system.is_done(thread.control)
            for thread, calls in zip(state.threads, self.client, strict=True)
        )

    def successors(self, state: State) -> Iterator[State]:
        """The states one step later."""
        for number, thread in enumerate(state.threads):
            for move, memory, after in self._steps(state.memory, thread, number):
                abstract = state.abstract
                if self.specification is not None:
                    abstract = self._effects(state, number, move, self.specification)
                threads = (*state.threads[:number], after, *state.threads[number + 1 :])
                yield State(memory, threads, abstract)

    def _steps(self, memory: Values, thread: ThreadState, number: int) -> tuple[_Step, ...]:
        """The possible steps of a thread, computed once for all states of the others."""
        key = (memory, thread, number)
        found = self._known.get(key)
        if found is None:
            possible = self._possible(thread.control)
            taken = (self._take(memory, thread, number, move) for move in possible)
            found = self._known[key] = tuple(step for step in taken if step is not None)
        return found

    def _possible(self, control: Hashable) -> tuple[Move, ...]:
        found = self._moves.get(control)
        if found is None:
            found = tuple(each for each in self.system.moves(control) if not self.system.too_long(each.after))
            self._moves[control] = found
        return found

    def _take(self, memory: Values, thread: ThreadState, number: int, move: Move) -> _Step | None:
        """A move of a thread, and what it leaves behind; None if it is not possible."""
        values = self._values(memory, thread, number, move)
        if values is None:
            return None
        lookup = _reader(values)
        if not evaluate_term(move.guard, lookup):
            return None
        own = dict(thread.values)
        stored = memory
        if move.updates:
            changed = dict(memory)
            for variable, term in move.updates:
                (changed if variable.space is Space.SHARED else own)[variable] = evaluate_term(term, lookup)
            stored = frozenset(changed.items())
        kept = frozenset(item for item in own.items() if self.system.keeps(move.after, item[0]))
        returned = thread.returned
        if move.kind is Kind.RETURN:
            returned = (*returned, tuple(evaluate_term(term, lookup) for term in move.results))
        calls = thread.calls + (move.kind is Kind.INVOKE)
        return move, stored, ThreadState(move.after, kept, calls, returned)

    def _values(
        self, memory: Values, thread: ThreadState, number: int, move: Move
    ) -> dict[Variable, int] | None:
        """What a move can read: memory, the thread's variables, arguments; None: not a call of theirs."""
        values = dict(memory) | dict(thread.values)
        if move.kind is not Kind.INVOKE:
            return values
        call = self._next_call(number, thread, move)
        return None if call is None else values | call

    def _next_call(self, number: int, thread: ThreadState, move: Move) -> dict[Variable, int] | None:
        if thread.calls == len(self.client[number]):
            return None
        call = self.client[number][thread.calls]
        operation = self.system.about.operation(call.operation)
        if move.line != operation.lines[0].label:
            return None
        names = zip(operation.parameters, call.arguments, strict=True)
        return {Variable(Space.LOCAL, name, ARGUMENTS): value for name, value in names}

    def _effects(self, state: State, number: int, move: Move, specification: Specification) -> Values:
        """The specification's state after a move that is possible."""
        lookup = _reader(self._values(state.memory, state.threads[number], number, move) or {})
        for check in move.checks:
            if not evaluate_term(check.condition, lookup):
                self.troubles.append(ForbiddenStep(state, number, move, check.problem))
        abstract = dict(state.abstract)
        for effect in move.effects:
            operation = specification.operation(effect.operation)
            given = [evaluate_term(term, lookup) for term in effect.inputs]
            names = (Variable(Space.LOCAL, name, operation.name) for name in operation.parameters)
            inner = _reader(abstract | dict(zip(names, given, strict=True)))
            if not evaluate_term(operation.guard, inner):
                problem = f"{effect.operation} takes effect where its specification does not allow it"
                self.troubles.append(ForbiddenStep(state, number, move, problem))
            results = [evaluate_term(term, inner) for term in operation.results]
            if results != [evaluate_term(term, lookup) for term in effect.results]:
                problem = f"{effect.operation} takes effect with results that differ from its specification's"
                self.troubles.append(ForbiddenStep(state, number, move, problem))
            changes = [(name, evaluate_term(term, inner)) for name, term in operation.updates]
            abstract |= {Variable(Space.ABSTRACT, name): value for name, value in changes}
        return frozenset(abstract.items())


def _reader(values: Mapping[Variable, int]) -> Callable[[Variable], int]:
    return lambda variable: values.get(variable, 0)


def holds(term: Term, *values: Values) -> bool:
    """Whether a formula without anything about control holds of these values."""
    known: dict[Variable, int] = {}
    for each in values:
        known |= dict(each)
    return bool(evaluate_term(term, _reader(known)))
