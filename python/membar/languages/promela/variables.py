"""The variables of one running process: what its names stand for, and the values that they have first."""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.automaton import Automaton
from membar.languages.promela.channels import Messages
from membar.languages.promela.declarations import Declarations
from membar.languages.promela.initial_values import AtCreation
from membar.languages.promela.remote import RemoteReferences
from membar.languages.promela.scheduling import priority_of
from membar.languages.promela.scope import Channel, Meaning, Record, Scope, Storage, Symbol, storages
from membar.languages.promela.values import CellReference, Reads, Values, assignment
from membar.program.expr import FALSE, TRUE, Constant, Expr, Register
from membar.program.operations import Operation, Set
from membar.program.program import Value
from membar.records import field, record
from membar.source import Span

# First values that are none of one variable.
_NO_VALUE = (p.ChannelShape, p.Listed)


@record(frozen=True, slots=True, kw_only=True)
class Instance:
    """A process that runs: its number, if that is known, its arguments; some run from the beginning.

    Where processes are a stack, its arguments come with the message that starts it.
    """

    name: str
    pid: int | None
    is_started: bool = True
    values: tuple[int, ...] = ()
    channels: tuple[Channel | None, ...] = ()


@record(slots=True)
class Built:
    """The automaton of a process, and what belongs to it."""

    automaton: Automaton
    entry: int
    end: int
    span: Span
    registers: dict[str, Value] = field(default_factory=dict)
    variables: dict[str, Storage] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counters: set[str] = field(default_factory=set)  # registers that other steps set, too
    parameters: list[Storage] = field(default_factory=list)
    creation: list[Operation] = field(default_factory=list)  # gives variables their first values
    asks_number: bool = False  # whether it depends on `_pid`


class ProcessVariables:
    """Declares the variables of a process, and computes expressions over them.

    Attributes:
        scope: its parameters.
        timeout: what `timeout` is while a statement is read.
        asks_timeout: whether the statement asked for it.
    """

    def __init__(
        self,
        instance: Instance,
        outer: Scope,
        declarations: Declarations,
        built: Built,
        remotes: RemoteReferences | None,
    ) -> None:
        self._instance = instance
        self._declarations = declarations
        self._built = built
        self._remotes = remotes
        self.scope = Scope(outer)
        self.timeout = False
        self.asks_timeout = False

    @property
    def most_processes(self) -> int:
        """How many processes there can be, where they are a stack."""
        return 0 if self._remotes is None else len(self._remotes.processes)

    def declare_parameters(self, parameters: Sequence[p.Variable]) -> None:
        """Declares the parameters, with the arguments of the process, and its priority."""
        if self._declarations.has_priorities:
            self._built.asks_number = True
            priority = priority_of(self._instance.pid or 0, self._built.span)
            self.scope.declare("_priority", priority, self._built.span)
        given = zip(self._instance.values, self._instance.channels, strict=True)
        for item in parameters:
            value, channel = next(given, (0, None))
            if channel is not None:
                self.scope.declare(item.name, channel, item.span)
                continue
            meaning = self._declarations.variable(item, self.scope, shared=False)
            self.scope.declare(item.name, meaning, item.span)
            for place, storage in enumerate(storages(meaning)):
                if storage.dimensions:
                    raise error(
                        "W0711", "an array as a parameter", item.span, "expected a number or a record"
                    )
                if place:  # a further field of a record
                    value, _ = next(given, (0, None))
                self._built.variables[storage.name] = storage
                self._built.parameters.append(storage)
                self._built.registers[storage.name] = storage.scalar.fits(value)

    def declare(self, declare: p.Declare, scope: Scope, *, is_first: bool) -> list[p.Statement]:
        """Declares the variables; returns the statements that give them their first values.

        Those before all statements have them when the process is created, without any step (`is_first`).
        All others are set by a step each time control gets there, as in SPIN: see `_initialise`.
        """
        assigns: list[p.Statement] = []
        for item in declare.variables:
            register = item.name
            taken = {name.split("[")[0] for name in self._built.registers}
            while register in taken or register in self._built.variables:
                register += "'"
            if isinstance(item.initial, p.ChannelShape):
                register = f"{self._instance.name}.{register}"
            meaning = self._declarations.variable(item, scope, shared=False, rename=register, initial=False)
            first = self._first_value(item, scope, meaning) if is_first else 0
            scope.declare(item.name, meaning, item.span)
            if isinstance(meaning, Channel):
                self._built.channels.append(meaning)
                continue
            for storage in storages(meaning):
                self._built.variables.setdefault(storage.name, storage)
                is_computed = storage is meaning and not storage.listed and not storage.initial
                for cell in range(storage.count):
                    value = storage.scalar.fits(first) if is_computed else storage.first(cell)
                    self._built.registers[storage.register(cell)] = value
            if isinstance(item.initial, p.Listed) and not is_first:
                message = "a list of initial values after a statement"
                raise error("W0711", message, item.initial.span, "not supported: declare it before")
            if not is_first:
                assigns.append(self._initialise(item, meaning))
        return assigns

    def _first_value(self, item: p.Variable, scope: Scope, meaning: Meaning) -> int:
        """What a variable holds when its process is created."""
        if item.initial is None or isinstance(item.initial, _NO_VALUE):
            return 0
        if self._declarations.is_dynamic and not self._instance.is_started:
            self._create(item.initial, scope, meaning)
            return 0
        is_started = self._instance.is_started
        values = AtCreation(
            scope,
            self._built.registers,
            is_started=is_started,
            special=self._special,
            channels=self._channels,
        )
        try:
            return values.value(item.initial)
        except InputError:
            # What is not known before anything runs is computed by the step that starts the process.
            self._declarations.needs_dynamic = self._declarations.needs_dynamic or not is_started
            raise

    def _create(self, initial: p.Expr, scope: Scope, meaning: Meaning) -> None:
        """Gives a variable its first value in the step that starts the process."""
        values = self.values(scope)
        value = values.of(initial)
        self._built.creation += values.reads.operations
        for storage in storages(meaning):
            for cell in range(storage.count):
                index = Constant(cell) if storage.dimensions else None
                self._built.creation += assignment(CellReference(storage, index), value)
        self._built.creation += [Set(f"${number}", FALSE) for number in range(1, values.reads.count + 1)]

    def values(self, scope: Scope, reads: Reads | None = None) -> Values:
        """Computes expressions in a scope."""
        return Values(
            scope,
            reads or Reads(),
            special=self._special,
            ask=_question_value,
            channels=self._channels,
            remote=self._refer,
        )

    @property
    def _channels(self) -> Sequence[Channel] | None:
        """All channels, where channels are values."""
        known = self._declarations
        return (known.channels or known.found) if known.is_dynamic else None

    def _refer(self, remote: p.Remote | p.ProcessQuestion, values: Values) -> Expr:
        if self._remotes is None:
            self._declarations.needs_dynamic = True
            return Register("#remote")
        if isinstance(remote, p.ProcessQuestion):
            self._built.asks_number = True
            return self._remotes.answer(remote, values, self._instance.pid or 0)
        return self._remotes.value(remote, values)

    def _initialise(self, item: p.Variable, meaning: Storage | Record | Symbol) -> p.Statement:
        """The step that a declaration between statements is: it sets the variable, with 0 by default.

        SPIN sets element 0 of an array and nothing in a record; a note says so.
        """
        if isinstance(meaning, Storage) and meaning.own is None:
            index = None
        else:
            what, rest = "a record", "its fields keep their values"
            if isinstance(meaning, Storage):
                what, rest = "an array", "the declaration sets element 0, the others keep their values"
            where = f"line {item.span.line}: `{item.name}` is {what} declared after a statement"
            self._built.notes.append(f"{where}: {rest}, as in SPIN")
            if not isinstance(meaning, Storage):
                if item.initial is not None:
                    message = f"an initial value for the record `{item.name}` after a statement"
                    raise error("W0705", message, item.span, "set its fields instead")
                return p.Skip(item.span)
            index = p.Number(0, item.span)
        value: p.Expr = p.Number(0, item.span)
        if item.initial is not None and not isinstance(item.initial, p.ChannelShape | p.Listed):
            value = item.initial
        return p.Assign(p.Use(item.name, item.span, index), value, item.span)

    def _special(self, special: p.Special) -> Expr:
        if special.word == "_pid" and self._instance.pid is not None:
            self._built.asks_number = True
            return Constant(self._instance.pid)
        if special.word == "timeout":
            self.asks_timeout = True
            return TRUE if self.timeout else FALSE
        self._declarations.needs_dynamic = True
        if special.word == "_pid":
            raise error(
                "W0709",
                "the number of this process is not constant",
                special.span,
                "it depends on the order in which processes are started",
            )
        raise error("W0711", f"`{special.word}` is not supported", special.span, "expected an expression")


def _question_value(values: Values, question: p.Ask | p.Peek, needed: Expr) -> Expr:
    return Messages(values).question_value(question, needed)
