"""What the names of a DVE text stand for, and where the values of variables live."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.languages.dve import syntax as x
from membar.languages.dve.arithmetic import constant_value
from membar.records import record
from membar.source import Span


@record(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable or constant.

    Attributes:
        name: as written.
        type: its type.
        count: number of elements; None for a scalar.
        initial: a value for each element.
        constant: whether it never changes.
        object: the memory object that holds it; None if registers do.
        register: the register that holds it, or the beginning of its elements' names.
        span: where it is declared.
    """

    name: str
    type: x.Type
    count: int | None
    initial: tuple[int, ...]
    constant: bool
    object: str | None
    register: str
    span: Span

    def element(self, index: int) -> str:
        """The register of an element, or of the scalar itself."""
        return self.register if self.count is None else f"{self.register}[{index}]"


@record(frozen=True, slots=True, kw_only=True)
class Process:
    """A process with its names resolved; `states` maps names to control points."""

    tree: x.Process
    variables: Mapping[str, Variable]
    states: Mapping[str, int]

    @property
    def name(self) -> str:
        """As written."""
        return self.tree.name

    @property
    def entry(self) -> int:
        """The control point it starts at."""
        return self.states[self.tree.initial.text]

    @property
    def committed_points(self) -> frozenset[int]:
        """Its control points that must be left first."""
        return frozenset(self.states[word.text] for word in self.tree.committed)

    @property
    def state_object(self) -> str:
        """The memory object that tells others where it is, in programs in which they look."""
        return f"{self.name}.state"


class Scope:
    """The names of a whole text.

    `in_memory` puts the variables of processes into memory too (legacy run-time errors reset them all).
    """

    def __init__(self, module: x.Module, *, in_memory: bool) -> None:
        self.module = module
        self._found: list[Diagnostic] = []
        self.globals = self._variables(module.variables, {}, None)
        self.channels = {channel.name: channel for channel in module.channels}
        named = [(item.name, item.span) for item in module.variables]
        self._refuse_duplicates([*named, *((item.name, item.span) for item in module.channels)])
        self._refuse_duplicates((item.name, item.span) for item in module.processes)
        self.processes: list[Process] = []
        for tree in module.processes:
            self.processes.append(self._process(tree, in_memory=in_memory))
        if self._found:
            raise InputError(*self._found)

    def process(self, name: str, span: Span) -> Process:
        """The process called `name`."""
        for process in self.processes:
            if process.name == name:
                return process
        raise unknown("process", name, [process.name for process in self.processes], span)

    def variable(self, name: str, process: Process | None, span: Span) -> Variable:
        """The variable `name` as `process` (None: nobody) sees it."""
        own: Mapping[str, Variable] = {} if process is None else process.variables
        found = own.get(name) or self.globals.get(name)
        if found is None:
            raise unknown("variable", name, [*own, *self.globals], span)
        return found

    def channel(self, name: str, span: Span) -> x.Channel:
        """The channel called `name`."""
        if name not in self.channels:
            raise unknown("channel", name, self.channels, span)
        return self.channels[name]

    def _process(self, tree: x.Process, *, in_memory: bool) -> Process:
        states = {word.text: number for number, word in enumerate(tree.states)}
        self._refuse_duplicates([(word.text, word.span) for word in tree.states])
        self._refuse_duplicates([(item.name, item.span) for item in tree.variables])
        for word in _states_named(tree):
            if word.text not in states:
                problem = unknown(f"state of `{tree.name}`", word.text, states, word.span)
                self._found.extend(problem.diagnostics)
        local = self._variables(tree.variables, self.globals, tree.name, in_memory=in_memory)
        return Process(tree=tree, variables=local, states=states)

    def _variables(
        self,
        declared: Sequence[x.Declaration],
        outer: Mapping[str, Variable],
        owner: str | None,
        *,
        in_memory: bool = True,
    ) -> Mapping[str, Variable]:
        found: dict[str, Variable] = {}
        for item in declared:
            constants = {
                name: variable.initial[0]
                for name, variable in {**outer, **found}.items()
                if variable.constant and variable.count is None
            }
            place = item.name if owner is None else f"{owner}.{item.name}"
            try:
                initial = self._initial(item, constants)
            except InputError as problem:
                self._found.extend(problem.diagnostics)
                initial = (0,)  # the text is refused, however many there are
            found[item.name] = Variable(
                name=item.name,
                type=item.type,
                count=item.count,
                initial=initial,
                constant=item.constant,
                object=place if in_memory and not item.constant else None,
                register=place if self.module.synchronous else item.name,
                span=item.span,
            )
        return found

    def _initial(self, item: x.Declaration, constants: Mapping[str, int]) -> tuple[int, ...]:
        """A value for each element; a list that is too long is cut, as the legacy tool does."""
        if item.count == 0:
            raise error("W1006", f"`{item.name}` has no elements", item.span, "expected at least 1")
        if item.count is not None and item.count > 65536:
            raise error("W1003", f"`{item.name}` is too large", item.span, "at most 65536 elements")
        if item.initial and item.is_list is (item.count is None):
            wanted = "a list in braces" if item.count is not None else "one value"
            span = item.initial[0].span
            raise error(
                "W1006", f"the initial value of `{item.name}` does not fit", span, f"expected {wanted}"
            )
        values = []
        low, high = item.type.range
        for tree in item.initial:
            value = constant_value(tree, constants)
            if not low <= value <= high:
                kind = item.type.value
                raise error(
                    "W1006", f"{value} does not fit into a {kind}", tree.span, f"expected {low} to {high}"
                )
            values.append(value)
        count = item.count or 1
        return tuple(values[:count]) + (0,) * (count - len(values))

    def _refuse_duplicates(self, named: Iterable[tuple[str, Span]]) -> None:
        seen: dict[str, Span] = {}
        for name, span in named:
            if name in seen:
                self._found.append(
                    Diagnostic(
                        code="W1007",
                        message=f"`{name}` is declared twice",
                        primary=Label(span, "again here"),
                        others=(Label(seen[name], "first here"),),
                    )
                )
            seen.setdefault(name, span)


def unknown(what: str, name: str, known: Iterable[str], span: Span) -> InputError:
    """That a name is not declared, with the one that was meant, if that can be guessed."""
    names = sorted(known)
    close = close_matches(name, names, n=1)
    text = f"did you mean `{close[0]}`?" if close else f"declared: {', '.join(names)}" if names else None
    return error("W1008", f"unknown {what} `{name}`", span, "not declared", help=text)


def _states_named(tree: x.Process) -> Iterator[x.Word]:
    yield tree.initial
    yield from tree.committed
    for words in tree.acceptance.sets if tree.acceptance is not None else ():
        yield from words
    for word, _ in tree.asserts:
        yield word
    for transition in tree.transitions:
        yield x.Word(transition.source, transition.places[0])
        yield x.Word(transition.target, transition.places[1])
