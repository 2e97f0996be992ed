"""Syntax → cat text that parses to the same syntax."""

from __future__ import annotations

from membar.models.cat import syntax as cat
from membar.models.plan import CheckMode, Op

# How tightly the forms bind; see grammar.lark.
_OPEN, _UNION, _ADD, _SEQUENCE, _DIFFERENCE, _INTERSECTION, _PRODUCT, _COMPLEMENT, _POSTFIX, _ATOM = range(10)
# Operator: its own level, then the levels its left and right operands must have.
_BINARY = {
    Op.UNION: ("|", _UNION, _ADD, _UNION),
    Op.SEQUENCE: (";", _SEQUENCE, _DIFFERENCE, _SEQUENCE),
    Op.DIFFERENCE: ("\\", _DIFFERENCE, _DIFFERENCE, _INTERSECTION),
    Op.INTERSECTION: ("&", _INTERSECTION, _PRODUCT, _INTERSECTION),
    Op.PRODUCT: ("*", _PRODUCT, _POSTFIX, _COMPLEMENT),
}
_POSTFIX_SYMBOLS = {Op.PLUS: "+", Op.STAR: "*", Op.OPTIONAL: "?", Op.INVERSE: "^-1"}
_MODES = {CheckMode.REQUIRE: "", CheckMode.FLAG: "flag ", CheckMode.UNDEFINED_UNLESS: "undefined_unless "}


def print_file(file: cat.CatFile) -> str:
    """The text of a file, one statement per line."""
    header = "".join(f'"{word}"\n' for word in file.header)
    return header + "".join(f"{print_statement(statement)}\n" for statement in file.statements)


def print_statement(statement: cat.Statement) -> str:
    """The text of one statement."""
    match statement:
        case cat.Define(bindings, is_recursive):
            return _let(bindings, is_recursive=is_recursive)
        case cat.Axiom():
            mode = "assert " if statement.is_assertion else _MODES[statement.mode]
            negation = "~" if statement.is_negated else ""
            return f"{mode}{negation}{statement.kind.value} {print_expr(statement.body)}{_as(statement.name)}"
        case cat.Show(items):
            return "show " + ", ".join(f"{print_expr(expr)}{_as(name)}" for expr, name in items)
        case cat.Unshow(names):
            return f"unshow {', '.join(names)}"
        case cat.Include(path):
            return f'include "{path}"'
        case cat.When(condition, yes, no):
            otherwise = f" else {_block(no)}" if no else ""
            return f"if {print_condition(condition)} then {_block(yes)}{otherwise} end"
        case cat.Procedure(name, parameter, body):
            return f"procedure {name} {_pattern(parameter)} = {_block(body)} end"
        case cat.Call(name, argument, label):
            return f"call {name} {_at(argument, _ATOM)}{_as(label)}"
        case cat.From(name, choices):
            return f"with {name} from {print_expr(choices)}"
        case cat.Enum(name, tags):
            return f"enum {name} = {' || '.join(map(print_expr, tags))}"
        case cat.Instructions(name, tags, is_default):
            listed = ", ".join(map(print_expr, tags.items if isinstance(tags, cat.Tuple) else (tags,)))
            return f"{'default' if is_default else 'instructions'} {name}[{listed}]"


def print_expr(expr: cat.Expr) -> str:
    """The text of an expression, with the fewest parentheses."""
    return _expr(expr)[0]


def print_condition(condition: cat.Condition) -> str:
    """The text of a condition, fully parenthesised."""
    match condition:
        case cat.Variant(name):
            return f'"{name}"'
        case cat.Not(inner):
            return f"not ({print_condition(inner)})"
        case cat.Both(left, right):
            return f"({print_condition(left)}) && ({print_condition(right)})"
        case cat.Either(left, right):
            return f"({print_condition(left)}) || ({print_condition(right)})"


def _expr(expr: cat.Expr) -> tuple[str, int]:
    """The text of an expression and how tightly it binds."""
    match expr:
        case cat.Name(name):
            return name, _ATOM
        case cat.Tag(name):
            return f"'{name}", _ATOM
        case cat.EmptyRelation():
            return "0", _ATOM
        case cat.Everything():
            return "_", _ATOM
        case cat.SetOf(items):
            return f"{{{', '.join(map(print_expr, items))}}}", _ATOM
        case cat.Tuple(items):
            return f"({', '.join(map(print_expr, items))})", _ATOM
        case cat.Unary(op, operand):
            return _unary(op, operand)
        case cat.Binary(op, left, right):
            symbol, level, on_left, on_right = _BINARY[op]
            return f"{_at(left, on_left)} {symbol} {_at(right, on_right)}", level
        case cat.Add(element, rest):
            return f"{_at(element, _SEQUENCE)} ++ {_at(rest, _ADD)}", _ADD
        case cat.Apply(function, argument):
            # An application may stand where an atom may, except as an argument.
            text = f"({print_expr(function)})" if not _is_head(function) else print_expr(function)
            return f"{text} {_at(argument, _ATOM)}", _POSTFIX
        case _:
            return _open(expr), _OPEN


def _open(expr: cat.Fun | cat.Let | cat.Try | cat.If | cat.Match) -> str:
    """Forms that reach as far to the right as they can."""
    match expr:
        case cat.Fun(parameter, body):
            return f"fun {_pattern(parameter)} -> {print_expr(body)}"
        case cat.Let(bindings, is_recursive, body):
            return f"{_let(bindings, is_recursive=is_recursive)} in {print_expr(body)}"
        case cat.Try(body, fallback):
            return f"try {print_expr(body)} with {print_expr(fallback)}"
        case cat.If(condition, yes, no):
            return f"if {print_condition(condition)} then {print_expr(yes)} else {print_expr(no)}"
        case cat.Match(subject, clauses):
            parts = [f"|| {_at(clause.pattern, _UNION)} -> {print_expr(clause.body)}" for clause in clauses]
            return f"match {print_expr(subject)} with {' '.join(parts)} end"


def _unary(op: Op, operand: cat.Expr) -> tuple[str, int]:
    match op:
        case Op.IDENTITY:
            return f"[{print_expr(operand)}]", _ATOM
        case Op.COMPLEMENT:
            text = print_expr(operand) if _follows_complement(operand) else f"({print_expr(operand)})"
            return f"~{text}", _COMPLEMENT
        case _:
            # `a++` would be the word `++`.
            repeated = isinstance(operand, cat.Unary) and operand.op is op is Op.PLUS
            return f"{_at(operand, _ATOM if repeated else _POSTFIX)}{_POSTFIX_SYMBOLS[op]}", _POSTFIX


def _follows_complement(expr: cat.Expr) -> bool:
    """Whether `~` may stand before it without parentheses: applications, inverses, other complements."""
    match expr:
        case cat.Unary(Op.INVERSE, operand):
            return _follows_complement(operand) and not _starts_with_complement(operand)
        case cat.Unary(Op.COMPLEMENT, _) | cat.Apply():
            return True
        case _:
            return _expr(expr)[1] == _ATOM


def _starts_with_complement(expr: cat.Expr) -> bool:
    return isinstance(expr, cat.Unary) and expr.op is Op.COMPLEMENT


def _is_head(expr: cat.Expr) -> bool:
    return isinstance(expr, cat.Apply) or _expr(expr)[1] == _ATOM


def _at(expr: cat.Expr, level: int) -> str:
    """The text of an operand that must bind at least as tightly as `level`."""
    text, own = _expr(expr)
    return text if own >= level else f"({text})"


def _let(bindings: tuple[cat.Binding, ...], *, is_recursive: bool) -> str:
    parts = [
        f"{' '.join(map(_pattern, (binding.target, *binding.parameters)))} = {print_expr(binding.body)}"
        for binding in bindings
    ]
    return f"let {'rec ' if is_recursive else ''}{' and '.join(parts)}"


def _pattern(pattern: cat.Pattern) -> str:
    return f"({', '.join(pattern.names)})" if pattern.is_tuple else pattern.names[0]


def _as(name: str | None) -> str:
    return "" if name is None else f' as "{name}"'


def _block(statements: tuple[cat.Statement, ...]) -> str:
    return " ".join(map(print_statement, statements))
