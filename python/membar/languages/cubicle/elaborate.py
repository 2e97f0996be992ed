"""Syntax tree → `ParameterizedSystem`: names resolved, types checked, quantifiers and `||` removed."""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.cubicle import syntax as x
from membar.languages.cubicle.logic import (
    TRUE,
    Alternative,
    Formula,
    Junction,
    Others,
    alternatives,
    instance,
    resolve,
)
from membar.languages.cubicle.parser import parse_text
from membar.languages.cubicle.scope import Declarations, Scope, declare, parameters_of
from membar.languages.cubicle.terms import term
from membar.languages.cubicle.updates import updates, with_lets
from membar.records import replace
from membar.source import SourceFile, Span
from membar.systems import terms as t
from membar.systems.mapping import places, places_of
from membar.systems.system import (
    Assign,
    Cube,
    ForallOther,
    Init,
    ParameterizedSystem,
    Transition,
    Update,
)

LANGUAGE = "Cubicle"


def parse(source: SourceFile) -> ParameterizedSystem:
    """The system that a text means; raises `InputError` with every problem found."""
    return elaborate(source, parse_text(source))


def elaborate(source: SourceFile, syntax: x.SystemSyntax) -> ParameterizedSystem:
    """The system that a syntax tree means.

    Raises:
        InputError: with every problem found.
    """
    declarations = declare(syntax)
    if declarations.problems:
        raise InputError(*declarations.problems)
    inits: list[Init] = []
    cubes: dict[x.BlockKind, list[Cube]] = {x.BlockKind.UNSAFE: [], x.BlockKind.INVARIANT: []}
    transitions: list[Transition] = []
    for states in syntax.states:
        with _collecting(declarations):
            if states.kind is x.BlockKind.INIT:
                inits.append(_init(declarations, states))
            else:
                cubes[states.kind] += _cubes(declarations, states)
    for transition in syntax.transitions:
        with _collecting(declarations):
            transitions += _transitions(declarations, transition)
    _check_blocks(source, syntax, declarations)
    if declarations.problems:
        raise InputError(*declarations.problems)
    return ParameterizedSystem(
        name=source.path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".cub"),
        language=LANGUAGE,
        size=declarations.size,
        outsiders=_has_outsiders(declarations, inits[0]),
        types=tuple(
            kind
            for name, kind in declarations.types.items()
            if isinstance(kind, t.Enumeration | t.Abstract) and name != "bool"
        ),
        symbols=tuple(declarations.symbols.values()),
        init=inits[0],
        unsafe=tuple(cubes[x.BlockKind.UNSAFE]),
        invariants=tuple(cubes[x.BlockKind.INVARIANT]),
        transitions=tuple(transitions),
        span=source.span(0, len(source.text)),
    )


class _collecting:  # noqa: N801 - reads as a word of the `with` statement
    """Keeps the problems of one declaration, so that the others are looked at too."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> bool:
        if not isinstance(problem, InputError):
            return False
        self._declarations.problems.extend(problem.diagnostics)
        return True


def _check_blocks(source: SourceFile, syntax: x.SystemSyntax, declarations: Declarations) -> None:
    end = source.span(len(source.text.rstrip()), len(source.text.rstrip()))
    inits = [states for states in syntax.states if states.kind is x.BlockKind.INIT]
    for second in inits[1:]:
        declarations.problems.append(_block("a duplicate `init`", second.span, "expected only one"))
    if not inits:
        declarations.problems.append(_block("no `init`", end, "expected `init (z) { … }`"))
    if not any(states.kind is x.BlockKind.UNSAFE for states in syntax.states):
        declarations.problems.append(_block("no `unsafe`", end, "expected `unsafe (z) { … }`"))


def _block(message: str, span: Span, label: str) -> Diagnostic:
    return Diagnostic(code="W0808", message=message, primary=Label(span, label))


def _scope(
    declarations: Declarations, names: tuple[x.Name, ...], *, block: x.BlockKind | None = None
) -> Scope:
    parameters = parameters_of(names)
    return Scope(
        declarations=declarations,
        block=block,
        processes={parameter.name: parameter for parameter in parameters},
        parameters=parameters,
    )


def _init(declarations: Declarations, states: x.StatesSyntax) -> Init:
    scope = _scope(declarations, states.parameters, block=x.BlockKind.INIT)
    found = alternatives(resolve(scope, states.formula), states.span)
    return Init(
        parameters=scope.parameters,
        alternatives=tuple(one.literals for one in found),
        span=states.span,
    )


def _cubes(declarations: Declarations, states: x.StatesSyntax) -> Iterator[Cube]:
    scope = _scope(declarations, states.parameters, block=states.kind)
    for one in alternatives(resolve(scope, states.formula), states.span):
        for extra, full in _with_witnesses(one, scope.parameters, states.span):
            yield Cube(
                parameters=(*scope.parameters, *extra),
                literals=full.literals,
                name=states.name.text if states.name else "",
                span=states.span,
            )


def _transitions(declarations: Declarations, syntax: x.TransitionSyntax) -> Iterator[Transition]:
    if len(syntax.acting) > 1:
        raise error("W0812", "two acting processes", syntax.acting[1].span, "expected only one in brackets")
    if declarations.is_weak and not syntax.acting:
        raise error(
            "W0812",
            f"`{syntax.name.text}` does not mark the acting process",
            syntax.name.span,
            "expected a parameter in brackets, such as `[p]`",
            help="weak memory is read and written by one process",
        )
    scope = _scope(declarations, syntax.parameters)
    if syntax.acting:
        scope = replace(scope, acting=t.ProcessVariable(syntax.acting[0].text))
    guard = TRUE if syntax.guard is None else resolve(scope, syntax.guard)
    inside = with_lets(scope, syntax.lets)
    for value, outer in inside.lets.values():
        term(outer, value)
    changes = updates(inside, syntax.actions)
    found = [
        pair
        for one in alternatives(guard, syntax.span)
        for pair in _with_witnesses(one, scope.parameters, syntax.span)
    ]
    reads = any(_reads(declarations, full) for _, full in found) or _updates_read(declarations, changes)
    writes = any(declarations.symbols[change.symbol].weak for change in changes)
    for extra, full in found:
        yield Transition(
            name=syntax.name.text,
            parameters=(*scope.parameters, *extra),
            declared=len(scope.parameters),
            acting=scope.acting,
            guard=full.literals,
            universal=tuple(ForallOther(one.variable, one.alternatives) for one in full.universal),
            updates=changes,
            fence=full.fence,
            atomic=reads and writes,
            span=syntax.span,
        )


def _with_witnesses(
    one: Alternative, parameters: tuple[t.ProcessVariable, ...], span: Span
) -> Iterator[tuple[tuple[t.ProcessVariable, ...], Alternative]]:
    """The alternative with a further parameter for each `exists`: a new process, or one that is there.

    What holds of all others holds of these parameters too.
    """
    base = replace(one, existential=())
    for extra, parts in _witnesses(one.existential, parameters, ()):
        universal = tuple(
            instance(each.alternatives, each.variable, witness) for each in one.universal for witness in extra
        )
        joined: Formula = Junction(True, (*parts, *universal))
        for rest in alternatives(joined, span):
            yield extra, base.conjunction(rest)


def _witnesses(
    existential: tuple[Others, ...],
    parameters: tuple[t.ProcessVariable, ...],
    extra: tuple[t.ProcessVariable, ...],
) -> Iterator[tuple[tuple[t.ProcessVariable, ...], tuple[Formula, ...]]]:
    if not existential:
        yield extra, ()
        return
    first, rest = existential[0], existential[1:]
    taken = {parameter.name for parameter in (*parameters, *extra)}
    name = first.variable.name
    while name in taken:
        name += "'"
    fresh = t.ProcessVariable(name)
    for witness in (*extra, fresh):
        added = (*extra, fresh) if witness == fresh else extra
        for found, parts in _witnesses(rest, parameters, added):
            yield found, (instance(first.alternatives, first.variable, witness), *parts)


def _reads(declarations: Declarations, full: Alternative) -> bool:
    bodies: list[t.Conjunction] = [full.literals]
    bodies += [body for one in full.universal for body in one.alternatives]
    return any(_is_weak(declarations, place) for body in bodies for place in places(body))


def _updates_read(declarations: Declarations, changes: tuple[Update, ...]) -> bool:
    for change in changes:
        values = [change.value] if isinstance(change, Assign) else [case.value for case in change.cases]
        conditions = () if isinstance(change, Assign) else [case.condition for case in change.cases]
        found = [place for value in values for place in places_of(value)]
        found += [place for condition in conditions for place in places(condition)]
        if any(_is_weak(declarations, place) for place in found):
            return True
    return False


def _is_weak(declarations: Declarations, place: t.Place) -> bool:
    return declarations.symbols[place.symbol].weak


def _has_outsiders(declarations: Declarations, init: Init) -> bool:
    """Whether `init` says of a value of type proc that it is none of the processes."""
    return any(
        literal.comparison is t.Comparison.DIFFERENT
        and {type(literal.left), type(literal.right)} == {t.Access, t.ProcessVariable}
        and any(
            declarations.symbols[place.symbol].type is t.Basic.PROC
            for side in (literal.left, literal.right)
            for place in places_of(side)
        )
        for literals in init.alternatives
        for literal in literals
    )
