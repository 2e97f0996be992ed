"""Builds the parameterized system of a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from membar.program.expr import signed
from membar.program.operations import Fence, Load, Store
from membar.program.program import Program, Thread
from membar.program.template import Template
from membar.records import replace
from membar.systems import terms as t
from membar.systems.lifting.arithmetic import Arithmetic
from membar.systems.lifting.domains import Memory, constructor, integer, thread_constructor
from membar.systems.lifting.main_thread import initial_words
from membar.systems.lifting.path import ACTING, EACH, FIRST, LAST, Path, scanned_literal, seen_name
from membar.systems.lifting.paths import AnchorPath, ControlPoint, Explorer
from membar.systems.lifting.steps import steps_of
from membar.systems.lifting.values import (
    CannotLiftError,
    Identity,
    Number,
    StateVariable,
    Sum,
    Value,
    refusal,
)
from membar.systems.mapping import literals_renamed, places, places_of
from membar.systems.system import (
    Assign,
    AssignAll,
    Case,
    Cube,
    ForallOther,
    Init,
    ParameterizedSystem,
    Symbol,
    SymbolKind,
    Transition,
    Update,
)

_PC: Final = "pc"
_WRONG: Final = "wrong"
_ROW, _COLUMN = t.ProcessVariable("k"), t.ProcessVariable("l")


def build_system(
    template: Template, *, drains: Callable[[Fence], bool], properties: Iterable[str]
) -> ParameterizedSystem:
    """The system of which every run of the program, with any number of threads, is a run.

    Args:
        template: the program.
        drains: whether a fence waits until the buffer is empty.
        properties: those whose assertions must not fail.

    Raises:
        InputError: the program has something that no such system has.
    """
    thread = next(one for one in template.program.threads if one.name == template.copied)
    _check_form(template.program, thread)
    explorer = Explorer(
        program=initial_words(template),
        per_thread=template.per_thread,
        steps=steps_of(thread),
        drains=drains,
        properties=frozenset(properties),
    )
    anchors, ways = explorer.ways()
    try:
        return _Builder(template, explorer.memory, anchors, ways).system()
    except CannotLiftError as problem:
        raise refusal(problem.what, thread.span) from None


def _check_form(program: Program, thread: Thread) -> None:
    """Refuses what is said about the program as a whole, and steps whose accesses have no order."""
    asks = program.errors or program.claims or program.condition
    if program.channels or asks or thread.committed or thread.atomic:
        raise refusal("an error state, a channel or a committed point", thread.span)
    if any(not isinstance(value, int) for _, value in thread.registers):
        raise refusal("a register whose initial value is an address", thread.span)
    for edge in thread.edges:
        exclusive = any(isinstance(item, Load | Store) and item.exclusive for item in edge.operations)
        if edge.unordered or exclusive:
            raise refusal("unordered accesses", edge.span)


class _Builder:
    """The parts of the system."""

    def __init__(
        self,
        template: Template,
        memory: Memory,
        anchors: tuple[ControlPoint, ...],
        ways: tuple[AnchorPath, ...],
    ) -> None:
        self._template = template
        self._memory = memory
        self._arithmetic = Arithmetic(memory, ACTING)
        self._ways = _without_own_turns(ways)
        self._names = _point_names(anchors, ways)
        self._points = t.Enumeration("point", (*self._names.values(), _WRONG))

    def system(self) -> ParameterizedSystem:
        transitions = tuple(self._transition(way) for way in self._ways)
        program = self._template.program
        used = {place.symbol for one in transitions for place in _accesses(one)}
        symbols = [Symbol(name=_PC, type=self._points, dimensions=1), *self._memory.symbols()]
        symbols += [
            Symbol(name=name, type=t.BOOL, dimensions=2)
            for name in sorted(_scans(used | _updated_symbols(transitions)))
        ]
        symbols += [
            Symbol(name=one.symbol, type=t.Basic.PROC, kind=SymbolKind.CONSTANT)
            for one in (FIRST, LAST)
            if one.symbol in used
        ]
        return ParameterizedSystem(
            name=program.name,
            language=program.language,
            types=(self._points, *self._memory.types()),
            symbols=tuple(symbols),
            init=Init(
                parameters=(ACTING, EACH),
                alternatives=((*self._initial(symbols),),),
                span=program.span,
            ),
            unsafe=(
                Cube(parameters=(ACTING,), literals=(_at(self._points, _WRONG),), name="a failed assertion"),
            ),
            transitions=transitions,
            span=program.span,
        )

    # The beginning

    def _initial(self, symbols: Iterable[Symbol]) -> Iterator[t.Literal]:
        yield _at(self._points, next(iter(self._names.values())))
        names = {symbol.name for symbol in symbols}
        for name in sorted(names):
            if name.startswith(seen_name("")):
                yield t.Literal(
                    t.Access(name, (ACTING, EACH)), t.Comparison.EQUAL, t.Constructor(t.BOOL, "False")
                )
        for name, storage in self._memory.storages.items():
            domain = self._memory.domains[name]
            word = storage.initial
            if word is None:  # it is not read before it is set: any value will do
                word = next(iter(domain.listed_words), 0 if domain.is_integer else None)
            if word is not None:
                held = StateVariable(name, (ACTING,) if storage.dimensions else ())
                yield from self._equations(held, word, has_first=FIRST.symbol in names)

    def _equations(self, held: StateVariable, word: int, *, has_first: bool) -> Iterator[t.Literal]:
        domain = self._memory.domains[held.storage]
        if domain.is_integer:
            yield t.Literal(self._memory.number_place(held), t.Comparison.EQUAL, integer(signed(word)))
            return
        is_thread = word not in domain.listed_words
        place = self._memory.word_place(held)
        if place is not None:
            value = thread_constructor(place[1]) if is_thread else constructor(place[1], word)
            yield t.Literal(place[0], t.Comparison.EQUAL, value)
        if is_thread and domain.first_thread and has_first:
            yield t.Literal(self._memory.thread_place(held), t.Comparison.EQUAL, FIRST)

    # Steps

    def _transition(self, way: AnchorPath) -> Transition:
        path = way.path
        target = _WRONG if way.target is None else self._names[way.target]
        updates: list[Update] = [Assign(_PC, (ACTING,), t.Constructor(self._points, target))]
        if way.target is not None:
            updates += self._scan_updates(path)
            for name, value in way.updates:
                updates += self._assign(StateVariable(name, (ACTING,)), value)
        for name in path.cleared:
            place, kind = self._memory.word_place(StateVariable(name, (_ROW,))) or (None, None)
            if place is not None and kind is not None:
                updates.append(AssignAll(place.symbol, (_ROW,), (Case((), constructor(kind, 0)),)))
        for name, indices, value in path.written:
            updates += self._assign(StateVariable(name, indices), value)
        return Transition(
            name=self._names[way.source],
            parameters=(ACTING, *path.others),
            declared=1 + len(path.others),
            acting=ACTING,
            guard=(_at(self._points, self._names[way.source]), *path.literals, *_of_parameters(path)),
            universal=tuple(ForallOther(EACH, ((literal,),)) for literal in path.everyone),
            updates=tuple(updates),
            fence=path.fenced,
            atomic=path.atomic,
            span=path.span,
        )

    @staticmethod
    def _scan_updates(path: Path) -> Iterator[Update]:
        for register in sorted(path.reset):
            own = t.Literal(_ROW, t.Comparison.EQUAL, ACTING)
            yield AssignAll(
                seen_name(register), (_ROW, _COLUMN), (Case((own,), t.Constructor(t.BOOL, "False")),)
            )
        for register, other in path.met:
            yield Assign(seen_name(register), (ACTING, other), t.Constructor(t.BOOL, "True"))

    def _assign(self, target: StateVariable, value: Value) -> Iterator[Update]:
        memory, domain = self._memory, self._memory.domains[target.storage]
        place = memory.word_place(target)
        match value:
            case Number(word=word) if domain.is_integer:
                yield _assignment(memory.number_place(target), integer(signed(word)))
            case Number(word=word) if word in domain.listed_words:
                assert place is not None
                yield _assignment(place[0], constructor(place[1], word))
            case Number() | Identity():
                if isinstance(value, Number) and not domain.first_thread:
                    raise CannotLiftError("such a number in a variable that holds thread numbers")
                if place is not None:
                    yield _assignment(place[0], thread_constructor(place[1]))
                yield _assignment(
                    memory.thread_place(target), value.who if isinstance(value, Identity) else FIRST
                )
            case Sum():
                yield _assignment(memory.number_place(target), self._arithmetic.term(value))
            case StateVariable():
                yield from self._copy(target, value)
            case _:
                raise CannotLiftError("such a value in a variable")

    def _copy(self, target: StateVariable, source: StateVariable) -> Iterator[Update]:
        memory, domain = self._memory, self._memory.domains[target.storage]
        place, origin = memory.word_place(target), memory.word_place(source)
        if domain.is_integer:
            yield _assignment(memory.number_place(target), memory.number_place(source))
        if place is not None and origin is not None:
            yield _assignment(place[0], origin[0])
        if domain.offset is not None:
            yield _assignment(memory.thread_place(target), memory.thread_place(source))


def _assignment(place: t.Access, value: object) -> Assign:
    return Assign(place.symbol, place.indices, value)  # type: ignore[arg-type] # a term of the place's type


def _of_parameters(path: Path) -> tuple[t.Literal, ...]:
    """What is assumed of everyone, of the parameters beside the acting process."""
    wanted = (literal for other in path.others for literal in literals_renamed(path.everyone, {EACH: other}))
    return tuple(literal for literal in wanted if literal not in path.literals)


def _at(points: t.Enumeration, name: str) -> t.Literal:
    return t.Literal(t.Access(_PC, (ACTING,)), t.Comparison.EQUAL, t.Constructor(points, name))


def _point_names(anchors: tuple[ControlPoint, ...], ways: tuple[AnchorPath, ...]) -> dict[ControlPoint, str]:
    """A name for each anchor: the line of what is done there."""
    names: dict[ControlPoint, str] = {}
    for anchor in anchors:
        spans = (way.path.span for way in ways if way.source == anchor)
        line = next((span.line for span in spans if span is not None), None)
        base = "end" if not any(way.source == anchor for way in ways) else f"line{line or ''}"
        name, count = base, 1
        while name in names.values():
            count += 1
            name = f"{base}_{count}"
        names[anchor] = name
    return names


def _without_own_turns(ways: tuple[AnchorPath, ...]) -> tuple[AnchorPath, ...]:
    """Scans that pass over the thread itself need not do that as a step."""
    dropped: set[int] = set()
    skipping: set[tuple[ControlPoint, str]] = set()
    own: dict[tuple[ControlPoint, str], list[AnchorPath]] = {}
    for way in ways:
        for register in _scans_itself(way):
            own.setdefault((way.source, register), []).append(way)
    for (anchor, register), found in own.items():
        if len(found) == 1 and _only_passes(found[0], register):
            dropped.add(id(found[0]))
            skipping.add((anchor, register))
    kept: list[AnchorPath] = []
    for way in ways:
        if id(way) in dropped:
            continue
        gone = [
            scanned_literal(register, ACTING, value=True)
            for anchor, register in skipping
            if anchor == way.source
        ]
        literals = tuple(one for one in way.path.literals if one not in gone)
        kept.append(replace(way, path=replace(way.path, literals=literals)))
    return tuple(kept)


def _scans_itself(way: AnchorPath) -> list[str]:
    return [
        register
        for register, _ in {(name, None) for name, _ in way.path.met}
        if scanned_literal(register, ACTING, value=False) in way.path.literals
    ]


def _only_passes(way: AnchorPath, register: str) -> bool:
    path = way.path
    return (
        way.source == way.target
        and path.accessed is None
        and not path.fenced
        and not way.updates
        and not path.reset
        and path.met == ((register, ACTING),)
        and path.literals == (scanned_literal(register, ACTING, value=False),)
    )


def _accesses(transition: Transition) -> list[t.Access]:
    found = [*places(transition.guard)]
    for one in transition.universal:
        for body in one.alternatives:
            found += places(body)
    for update in transition.updates:
        if isinstance(update, Assign):
            found += places_of(update.value)
    return [place for place in found if isinstance(place, t.Access)]


def _updated_symbols(transitions: Iterable[Transition]) -> set[str]:
    return {update.symbol for one in transitions for update in one.updates}


def _scans(names: set[str]) -> set[str]:
    return {name for name in names if name.startswith(seen_name(""))}
