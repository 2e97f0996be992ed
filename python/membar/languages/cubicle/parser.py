"""Reads a `.cub` file: size, types, symbols, then init, unsafe, invariant, predicate and transition."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.cubicle import syntax as x
from membar.languages.cubicle.formulas import formula, lower_name, processes, term, upper_name
from membar.languages.cubicle.tokens import Cursor, tokenize
from membar.source import SourceFile
from membar.text.tokens import Token

_SYMBOLS = ("const", "var", "array", "weak")
_BLOCKS = ("init", "unsafe", "invariant", "predicate", "transition")
_PLACES = ("number_procs", "type", *_SYMBOLS, *_BLOCKS)


def parse_text(source: SourceFile) -> x.SystemSyntax:
    """The syntax tree of a file.

    Raises:
        InputError: with the first problem of every declaration.
    """
    cursor = Cursor(tokenize(source))
    system = x.SystemSyntax()
    problems: list[Diagnostic] = []
    while not cursor.at_end:
        start = cursor.next
        try:
            _declaration(cursor, system)
        except InputError as found:
            problems.extend(found.diagnostics)
            _skip(cursor, start)
    if problems:
        raise InputError(*problems)
    return system


def _skip(cursor: Cursor, start: Token) -> None:
    """Moves to where the next declaration may begin, past `start` in any case."""
    if cursor.next is start:
        cursor.take()
    while not cursor.at_end and not cursor.sees(*_PLACES):
        cursor.take()


def _declaration(cursor: Cursor, system: x.SystemSyntax) -> None:
    word = cursor.next
    if not cursor.sees(*_PLACES):
        raise cursor.syntax_error(f"a declaration: {', '.join(f'`{place}`' for place in _PLACES)}")
    cursor.take()
    _in_order(word, system)
    match word.text:
        case "number_procs":
            if not cursor.is_at("number"):
                raise cursor.syntax_error("the number of processes")
            number = cursor.take()
            if int(number.text) < 1:
                raise _misplaced_error(number, "not a valid number of processes", "expected 1 or more")
            system.size = (int(number.text), number.span)
        case "type":
            system.types.append(_type(cursor))
        case "const" | "var" | "array" | "weak":
            system.symbols.append(_symbol(cursor, word))
        case "predicate":
            system.predicates.append(_predicate(cursor))
        case "transition":
            system.transitions.append(_transition(cursor, word))
        case _:
            system.states.append(_states(cursor, word))


def _in_order(word: Token, system: x.SystemSyntax) -> None:
    """Size, types, symbols and the rest follow one another in this order."""
    blocks = bool(system.states or system.predicates or system.transitions)
    late = {
        "number_procs": bool(system.size or system.types or system.symbols or blocks),
        "type": bool(system.symbols or blocks),
        "symbol": blocks,
    }
    kind = "symbol" if word.text in _SYMBOLS else word.text
    if late.get(kind):
        raise _misplaced_error(
            word,
            f"`{word.text}` comes too late" if word.text != "number_procs" else "`number_procs` comes first",
            "the order is: number_procs, types, symbols, the rest",
        )


def _misplaced_error(token: Token, message: str, label: str) -> InputError:
    return error("W0808", message, token.span, label)


def _type(cursor: Cursor) -> x.TypeSyntax:
    name = lower_name(cursor, "the type's name")
    constructors: list[x.Name] = []
    if cursor.accept("="):
        cursor.accept("|")
        constructors.append(upper_name(cursor, "a constructor"))
        while cursor.accept("|"):
            constructors.append(upper_name(cursor, "a constructor"))
    return x.TypeSyntax(name, tuple(constructors))


def _symbol(cursor: Cursor, word: Token) -> x.SymbolSyntax:
    weak = word.text == "weak"
    if weak:
        if not cursor.sees("var", "array"):
            raise cursor.syntax_error("`var` or `array` after `weak`")
        word = cursor.take()
    name = upper_name(cursor, "the name of the symbol")
    dimensions = 0
    if word.text == "array" and not cursor.sees("["):
        raise cursor.syntax_error("`[proc]` after the array's name")
    if word.text != "var" and cursor.accept("["):
        dimensions = 1
        _proc(cursor)
        while cursor.accept(","):
            dimensions += 1
            _proc(cursor)
        cursor.expect("]", "after the dimensions")
    cursor.expect(":", "before the type")
    return x.SymbolSyntax(word.text, name, dimensions, lower_name(cursor, "a type"), weak)


def _proc(cursor: Cursor) -> None:
    if cursor.next.text != "proc":
        raise cursor.syntax_error("`proc`: arrays are indexed by processes")
    cursor.take()


def _parameters(cursor: Cursor) -> tuple[x.Name, ...]:
    found: list[x.Name] = []
    while cursor.is_at("lower"):
        found.append(lower_name(cursor, "a parameter"))
    return tuple(found)


def _states(cursor: Cursor, word: Token) -> x.StatesSyntax:
    name = None
    if word.text != "init" and cursor.is_at("lower", "upper"):
        token = cursor.take()
        name = x.Name(token.text, token.span)
    parameters: tuple[x.Name, ...] = ()
    if cursor.accept("("):
        parameters = _parameters(cursor)
        cursor.expect(")", "after the parameters")
    cursor.expect("{", f"of `{word.text}`")
    body = formula(cursor)
    end = cursor.expect("}", "after the formula")
    return x.StatesSyntax(x.BlockKind(word.text), name, parameters, body, word.span.to(end.span))


def _predicate(cursor: Cursor) -> x.PredicateSyntax:
    name = lower_name(cursor, "the predicate's name")
    cursor.expect("(", "after the predicate's name")
    parameters: list[x.Name] = []
    if cursor.is_at("lower"):
        parameters.append(lower_name(cursor, "a parameter"))
        while cursor.accept(","):
            parameters.append(lower_name(cursor, "a parameter"))
    cursor.expect(")", "after the parameters")
    cursor.expect("{", "of the predicate")
    body = formula(cursor)
    cursor.expect("}", "after the formula")
    return x.PredicateSyntax(name, tuple(parameters), body)


def _transition(cursor: Cursor, word: Token) -> x.TransitionSyntax:
    if not cursor.is_at("lower", "upper"):
        raise cursor.syntax_error("the transition's name")
    token = cursor.take()
    cursor.expect("(", "after the transition's name")
    parameters, acting = _acting_parameters(cursor)
    cursor.expect(")", "after the parameters")
    guard = None
    if cursor.accept("requires"):
        cursor.expect("{", "after `requires`")
        guard = formula(cursor)
        cursor.expect("}", "after the guard")
    cursor.expect("{", "before the actions")
    lets = []
    while cursor.accept("let"):
        name = lower_name(cursor, "a name")
        cursor.expect("=", "after the name")
        lets.append((name, term(cursor)))
        cursor.expect("in", "after the term")
    actions: list[x.ActionSyntax] = []
    while not cursor.sees("}"):
        actions.append(_action(cursor))
        if not cursor.accept(";"):
            break
    end = cursor.expect("}", "or `;` after the action")
    return x.TransitionSyntax(
        name=x.Name(token.text, token.span),
        parameters=parameters,
        acting=acting,
        guard=guard,
        lets=tuple(lets),
        actions=tuple(actions),
        span=word.span.to(end.span),
    )


def _acting_parameters(cursor: Cursor) -> tuple[tuple[x.Name, ...], tuple[x.Name, ...]]:
    """All parameters, and those in brackets."""
    found: list[x.Name] = []
    acting: list[x.Name] = []
    while cursor.is_at("lower") or cursor.sees("["):
        if cursor.accept("["):
            acting.append(lower_name(cursor, "the acting process"))
            cursor.expect("]", "after the acting process")
            found.append(acting[-1])
        else:
            found.append(lower_name(cursor, "a parameter"))
    return tuple(found), tuple(acting)


def _action(cursor: Cursor) -> x.ActionSyntax:
    symbol = upper_name(cursor, "an action such as `X := 1`")
    indices: tuple[x.Name, ...] = ()
    if cursor.accept("["):
        indices = processes(cursor)
        cursor.expect("]", "after the indices")
    cursor.expect(":=", "after what is assigned")
    cases, value = None, None
    if cursor.accept("case"):
        cases = _cases(cursor)
    elif not (cursor.accept("?") or cursor.accept(".")):
        value = term(cursor)
    return x.ActionSyntax(symbol, indices, value, cases, symbol.span.to(cursor.previous.span))


def _cases(cursor: Cursor) -> tuple[x.CaseSyntax, ...]:
    found: list[x.CaseSyntax] = []
    while bar := cursor.accept("|"):
        condition = None if cursor.accept("_") else formula(cursor)
        cursor.expect(":", "after the condition")
        value = None if cursor.accept("?") or cursor.accept(".") else term(cursor)
        found.append(x.CaseSyntax(condition, value, bar.span.to(cursor.previous.span)))
    if not found:
        raise cursor.syntax_error("`|` and a case")
    return tuple(found)
