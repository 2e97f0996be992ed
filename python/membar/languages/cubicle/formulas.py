"""Reads terms and formulas. Operators, loose to tight: `=>` and `<=>`, `||`, `&&`, `if`, `not`."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.cubicle import syntax as x
from membar.languages.cubicle.tokens import Cursor

_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_QUANTIFIERS = ("forall", "exists", "forall_other", "exists_other")
_A_TERM = "a term: a variable, a process, a constructor or a number"
MAX_DEPTH = 200
"""How deep a formula may be; a pair of parentheses counts twice."""


def formula(cursor: Cursor, depth: int = 0) -> x.FormulaSyntax:
    """A formula, as far as it goes."""
    left = _disjunction(cursor, _checked_depth(cursor, depth))
    if cursor.sees("=>", "<=>"):
        operator = cursor.take().text
        right = formula(cursor, _checked_depth(cursor, depth))
        return x.Binary(operator, left, right, left.span.to(right.span))
    return left


def _checked_depth(cursor: Cursor, depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise error(
            "W0435",
            "the formula is nested too deeply",
            cursor.next.span,
            f"{MAX_DEPTH // 2} levels are the maximum",
            help="name a part of it with `predicate`, or remove parentheses",
        )
    return depth + 1


def _disjunction(cursor: Cursor, depth: int) -> x.FormulaSyntax:
    return _chain(cursor, "||", depth)


def _chain(cursor: Cursor, operator: str, depth: int) -> x.FormulaSyntax:
    """Operands joined by `||` (of conjunctions) or `&&` (of units)."""
    parts = [_chain(cursor, "&&", depth) if operator == "||" else _unit(cursor, depth)]
    while cursor.accept(operator):
        parts.append(_chain(cursor, "&&", depth) if operator == "||" else _unit(cursor, depth))
    joined = parts[-1]
    for part in reversed(parts[:-1]):
        joined = x.Binary(operator, part, joined, part.span.to(joined.span))
    return joined


def _unit(cursor: Cursor, depth: int) -> x.FormulaSyntax:
    start = cursor.next.span
    if cursor.accept("("):
        inner = formula(cursor, _checked_depth(cursor, depth))
        cursor.expect(")", "after the formula")
        return inner
    if cursor.accept("not"):
        operand = _unit(cursor, _checked_depth(cursor, depth))
        return x.Not(operand, start.to(operand.span))
    if cursor.sees("true", "false"):
        return x.Truth(cursor.take().text == "true", start)
    if cursor.accept("fence"):
        cursor.expect("(", "after `fence`")
        return x.FenceSyntax(start.to(cursor.expect(")", "after `fence(`").span))
    if cursor.accept("if"):
        return _if(cursor, depth)
    if cursor.sees(*_QUANTIFIERS):
        return _quantified_formula(cursor, depth)
    if cursor.is_at("lower") and cursor.ahead().text == "(":
        return _call(cursor)
    left = term(cursor)
    if not cursor.sees(*_COMPARISONS):
        raise cursor.syntax_error("a comparison: `=`, `<>`, `<`, `<=`, `>` or `>=`")
    operator = cursor.take()
    right = term(cursor)
    return x.Compare(left, x.Name(operator.text, operator.span), right, left.span.to(right.span))


def _if(cursor: Cursor, depth: int) -> x.FormulaSyntax:
    start = cursor.previous.span
    condition = formula(cursor, _checked_depth(cursor, depth))
    cursor.expect("then", "after the condition")
    yes = formula(cursor, _checked_depth(cursor, depth))
    cursor.expect("else", "after the formula")
    no = _unit(cursor, _checked_depth(cursor, depth))
    return x.If(condition, yes, no, start.to(no.span))


def _quantified_formula(cursor: Cursor, depth: int) -> x.FormulaSyntax:
    word = cursor.take()
    others = word.text.endswith("_other")
    variable = lower_name(cursor, "a process variable")
    besides: list[x.Name] = []
    while not others and cursor.accept("<>"):
        besides.append(process(cursor))
    cursor.expect(".", "after the quantified variable")
    body = formula(cursor, _checked_depth(cursor, depth))
    is_forall = word.text.startswith("forall")
    return x.Quantified(is_forall, others, variable, tuple(besides), body, word.span.to(body.span))


def _call(cursor: Cursor) -> x.FormulaSyntax:
    name = lower_name(cursor, "a predicate")
    cursor.expect("(", "after the predicate's name")
    arguments: list[x.TermSyntax] = []
    if not cursor.sees(")"):
        arguments.append(term(cursor))
        while cursor.accept(","):
            arguments.append(term(cursor))
    end = cursor.expect(")", "after the arguments")
    return x.Call(name, tuple(arguments), name.span.to(end.span))


def term(cursor: Cursor) -> x.TermSyntax:
    """A sum of products; most often one operand."""
    products = [_product(cursor, -1 if cursor.accept("-") else 1)]
    while cursor.sees("+", "-"):
        products.append(_product(cursor, 1 if cursor.take().text == "+" else -1))
    return x.Sum(tuple(products), products[0].span.to(products[-1].span))


def _product(cursor: Cursor, sign: int) -> x.Product:
    start = cursor.next.span
    factors: list[x.NumberSyntax | x.AccessSyntax | x.Name] = [_factor(cursor)]
    while cursor.accept("*"):
        factors.append(_factor(cursor))
    numbers = [factor for factor in factors if isinstance(factor, x.NumberSyntax)]
    others = [factor for factor in factors if not isinstance(factor, x.NumberSyntax)]
    span = start.to(cursor.previous.span)
    if len(others) > 1 or len(factors) > 2:
        raise cursor.syntax_error("linear arithmetic: a number times a variable")
    if len(numbers) == 2:
        value = numbers[0].value * numbers[1].value
        numbers = [x.NumberSyntax(value, numbers[0].is_real or numbers[1].is_real, span)]
    return x.Product(sign, numbers[0] if numbers else None, others[0] if others else None, span)


def _factor(cursor: Cursor) -> x.NumberSyntax | x.AccessSyntax | x.Name:
    token = cursor.next
    if cursor.is_at("number", "real"):
        cursor.take()
        text = token.text + "0" if token.text.endswith(".") else token.text
        from fractions import Fraction  # noqa: PLC0415 - most systems have no numbers

        return x.NumberSyntax(Fraction(text), token.group == "real", token.span)
    if cursor.is_at("upper"):
        return _access(cursor, None)
    if cursor.is_at("lower", "constant"):
        name = process(cursor)
        return _access(cursor, name) if cursor.accept("@") else name
    raise cursor.syntax_error(_A_TERM)


def _access(cursor: Cursor, reader: x.Name | None) -> x.AccessSyntax:
    symbol = upper_name(cursor, "a variable or an array")
    indices: tuple[x.Name, ...] = ()
    if cursor.accept("["):
        indices = processes(cursor)
        cursor.expect("]", "after the indices")
    start = symbol.span if reader is None else reader.span
    return x.AccessSyntax(symbol, indices, reader, start.to(cursor.previous.span))


def processes(cursor: Cursor) -> tuple[x.Name, ...]:
    """Processes separated by commas."""
    found = [process(cursor)]
    while cursor.accept(","):
        found.append(process(cursor))
    return tuple(found)


def process(cursor: Cursor) -> x.Name:
    """`i` or `#1`."""
    if not cursor.is_at("lower", "constant"):
        raise cursor.syntax_error("a process: a parameter, or `#1` where `number_procs` is given")
    token = cursor.take()
    return x.Name(token.text, token.span)


def lower_name(cursor: Cursor, what: str) -> x.Name:
    """A name that starts with a small letter."""
    token = cursor.expect_name("lower", what)
    return x.Name(token.text, token.span)


def upper_name(cursor: Cursor, what: str) -> x.Name:
    """A name that starts with a capital letter."""
    token = cursor.expect_name("upper", what)
    return x.Name(token.text, token.span)
