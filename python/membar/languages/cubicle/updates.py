"""Actions of a transition: assignments of single cells, and of whole arrays by cases."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.cubicle.logic import alternatives, resolve
from membar.languages.cubicle.scope import Scope
from membar.languages.cubicle.syntax import ActionSyntax, CaseSyntax, Name, TermSyntax
from membar.languages.cubicle.terms import check_dimensions, symbol_of, term_of_type
from membar.records import replace
from membar.systems.system import AnyValue, Assign, AssignAll, Case, Symbol, SymbolKind, Update, Value
from membar.systems.terms import Process, ProcessConstant, ProcessVariable


def updates(scope: Scope, actions: tuple[ActionSyntax, ...]) -> tuple[Update, ...]:
    """What the actions assign; no cell twice."""
    found: list[tuple[Update, ActionSyntax]] = []
    for action in actions:
        update = _update(scope, action)
        for other, earlier in found:
            if _may_meet(update, other):
                raise error(
                    "W0814",
                    f"`{action.symbol.text}` is assigned twice",
                    action.symbol.span,
                    "expected one assignment of a cell",
                    help=f"it is also assigned at line {earlier.span.line}",
                )
        found.append((update, action))
    return tuple(update for update, _ in found)


def _update(scope: Scope, action: ActionSyntax) -> Update:
    symbol = symbol_of(scope, action.symbol)
    if symbol.kind is SymbolKind.CONSTANT:
        raise error("W0814", f"`{symbol.name}` is a constant", action.symbol.span, "expected a variable")
    check_dimensions(symbol, action.symbol, action.indices)
    if action.cases is not None:
        return _all(scope, symbol, action, action.cases)
    indices = tuple(scope.process(index) for index in action.indices)
    _check_own(scope, symbol, action, indices)
    return Assign(symbol.name, indices, _value(scope, symbol, action.value))


def _all(scope: Scope, symbol: Symbol, action: ActionSyntax, cases: tuple[CaseSyntax, ...]) -> AssignAll:
    if symbol.dimensions and scope.declarations.is_weak and not symbol.weak:
        raise error(
            "W0811",
            f"an assignment to the registers of all processes: `{symbol.name}`",
            action.symbol.span,
            "expected an assignment of the acting process's own cell",
        )
    binders, inside = _binders(scope, action.indices)
    found: list[Case] = []
    has_default = False
    for case in cases:
        if has_default:
            raise error("W0810", "a case after `_`", case.span, "it is unreachable")
        has_default = case.condition is None
        found += _case(inside, symbol, case)
    if not has_default and not symbol.weak:
        raise error(
            "W0810",
            f"`{symbol.name}` has no default case",
            cases[-1].span,
            "expected `| _ : …` after this",
            help=f"`| _ : {_cell(action)}` leaves the rest unchanged",
        )
    return AssignAll(symbol.name, binders, tuple(found))


def _cell(action: ActionSyntax) -> str:
    if not action.indices:
        return action.symbol.text
    return f"{action.symbol.text}[{','.join(index.text for index in action.indices)}]"


def _binders(scope: Scope, names: tuple[Name, ...]) -> tuple[tuple[ProcessVariable, ...], Scope]:
    found: list[ProcessVariable] = []
    seen: set[str] = set()
    for name in names:
        if name.text.startswith("#"):
            raise error("W0807", "a process where a new name is needed", name.span, "expected a new name")
        if name.text in seen:
            raise error("W0804", f"`{name.text}` is bound twice", name.span, "expected a new name")
        seen.add(name.text)
        variable, scope = scope.binding(name)
        found.append(variable)
    return tuple(found), scope


def _case(scope: Scope, symbol: Symbol, case: CaseSyntax) -> list[Case]:
    value = _value(scope, symbol, case.value)
    if case.condition is None:
        return [Case((), value)]
    found = []
    for one in alternatives(resolve(scope, case.condition), case.span):
        if one.universal or one.existential:
            raise error(
                "W0809",
                "the condition of a case cannot have a quantifier",
                case.span,
                "expected a condition without one",
            )
        if one.fence:
            raise error("W0813", "a case cannot have `fence()`", case.span, "only guards may have it")
        found.append(Case(one.literals, value))
    return found


def _value(scope: Scope, symbol: Symbol, value: TermSyntax | None) -> Value:
    return AnyValue() if value is None else term_of_type(scope, value, symbol.type)


def _check_own(scope: Scope, symbol: Symbol, action: ActionSyntax, indices: tuple[Process, ...]) -> None:
    if symbol.weak or not scope.declarations.is_weak or indices[0] == scope.acting:
        return
    acting = scope.acting.name if scope.acting else "…"
    raise error(
        "W0811",
        f"a register of another process: `{symbol.name}`",
        action.symbol.span.to(action.indices[-1].span),
        f"expected `{symbol.name}[{acting}]`",
        help=f"`weak array {symbol.name}` is shared memory",
    )


def _may_meet(one: Update, other: Update) -> bool:
    """Whether two assignments may be of one cell."""
    if one.symbol != other.symbol:
        return False
    if isinstance(one, AssignAll) or isinstance(other, AssignAll):
        return True
    return not any(_are_distinct_processes(a, b) for a, b in zip(one.indices, other.indices, strict=True))


def _are_distinct_processes(one: Process, other: Process) -> bool:
    """Whether two processes certainly differ: two parameters, or two constants."""
    return one != other and isinstance(one, ProcessConstant) == isinstance(other, ProcessConstant)


def with_lets(scope: Scope, lets: tuple[tuple[Name, TermSyntax], ...]) -> Scope:
    """The scope after the `let`s, each of which knows those before it."""
    for name, value in lets:
        scope = replace(scope, lets={**scope.lets, name.text: (value, scope)})
    return scope
