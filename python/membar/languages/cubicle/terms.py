"""Terms: names resolved, types found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.diagnostics import InputError, error
from membar.languages.cubicle.scope import Scope, unknown
from membar.languages.cubicle.syntax import AccessSyntax, BlockKind, Compare, Name, Product, TermSyntax
from membar.source import Span
from membar.systems import terms as t
from membar.systems.linear import total
from membar.systems.system import Symbol, SymbolKind

if TYPE_CHECKING:
    from fractions import Fraction

_COMPARISONS = {
    "=": (t.Comparison.EQUAL, False),
    "<>": (t.Comparison.DIFFERENT, False),
    "<": (t.Comparison.LESS, False),
    "<=": (t.Comparison.AT_MOST, False),
    ">": (t.Comparison.LESS, True),
    ">=": (t.Comparison.AT_MOST, True),
}


def type_name(kind: t.Type) -> str:
    """What users call a type."""
    return kind.value if isinstance(kind, t.Basic) else kind.name


def term(scope: Scope, syntax: TermSyntax) -> tuple[t.Term, t.Type]:
    """A term with its type."""
    first = syntax.products[0]
    if len(syntax.products) == 1 and first.number is None and first.sign == 1 and first.operand is not None:
        return _operand(scope, first.operand)
    parts = [_product(scope, product) for product in syntax.products]
    kind = parts[0][2]
    for (_, _, other), product in zip(parts, syntax.products, strict=True):
        if other is not kind:
            raise mismatch(kind, other, product.span)
    from fractions import Fraction  # noqa: PLC0415 - most systems have no numbers

    return total(kind, Fraction(0), ((factor, inner) for factor, inner, _ in parts)), kind


def term_of_type(scope: Scope, syntax: TermSyntax, expected: t.Type) -> t.Term:
    """A term that must have the type `expected`."""
    found, kind = term(scope, syntax)
    if kind != expected:
        raise mismatch(expected, kind, syntax.span)
    return found


def mismatch(expected: t.Type, found: t.Type, span: Span) -> InputError:
    """The error for a term of the wrong type."""
    hint = None
    if (expected, found) == (t.Basic.REAL, t.Basic.INT):
        hint = "real numbers have a decimal point: `1.0`"
    return error(
        "W0805",
        f"`{span.flat_text}` has type {type_name(found)}",
        span,
        f"expected {type_name(expected)}",
        help=hint,
    )


def comparison(scope: Scope, syntax: Compare) -> t.Literal:
    """A comparison of two terms of one type; `<` only of numbers and of processes."""
    left, kind = term(scope, syntax.left)
    right = term_of_type(scope, syntax.right, kind)
    operator, flipped = _COMPARISONS[syntax.operator.text]
    if operator in {t.Comparison.LESS, t.Comparison.AT_MOST} and kind not in {*t.NUMBERS, t.Basic.PROC}:
        raise error(
            "W0805",
            f"values of type {type_name(kind)} have no order",
            syntax.operator.span,
            "expected `=` or `<>`",
        )
    return t.Literal(right, operator, left) if flipped else t.Literal(left, operator, right)


def _product(scope: Scope, product: Product) -> tuple[Fraction, t.Term, t.Basic]:
    from fractions import Fraction  # noqa: PLC0415 - most systems have no numbers

    factor = Fraction(product.sign)
    if product.operand is None:
        if product.number is None:
            raise error("W0802", "a product of nothing", product.span, "expected a term")
        kind = t.Basic.REAL if product.number.is_real else t.Basic.INT
        return factor, t.number(product.number.value, kind), kind
    inner, found = _operand(scope, product.operand)
    if found is not t.Basic.INT and found is not t.Basic.REAL:
        raise error(
            "W0805",
            f"`{product.operand.span.flat_text}` has type {type_name(found)}",
            product.operand.span,
            "expected a number",
        )
    if product.number is not None:
        if product.number.is_real and found is t.Basic.INT:
            raise mismatch(t.Basic.INT, t.Basic.REAL, product.number.span)
        factor *= product.number.value
    return factor, inner, found


def _operand(scope: Scope, operand: AccessSyntax | Name) -> tuple[t.Term, t.Type]:
    if isinstance(operand, AccessSyntax):
        return _access(scope, operand)
    if operand.text in scope.lets:
        value, outer = scope.lets[operand.text]
        return term(outer, value)
    return scope.process(operand), t.Basic.PROC


def _access(scope: Scope, syntax: AccessSyntax) -> tuple[t.Term, t.Type]:
    name = syntax.symbol
    constructor = scope.declarations.constructors.get(name.text)
    if constructor is not None and name.text not in scope.declarations.symbols:
        if syntax.indices or syntax.reader:
            raise error("W0806", f"`{name.text}` is a constructor", syntax.span, "expected just its name")
        return constructor, constructor.type
    symbol = symbol_of(scope, name)
    indices = indices_of(scope, symbol, name, syntax.indices)
    reader = None if syntax.reader is None else scope.process(syntax.reader)
    return t.Access(symbol.name, indices, _reader(scope, symbol, syntax, reader, indices)), symbol.type


def symbol_of(scope: Scope, name: Name) -> Symbol:
    """The symbol called `name`."""
    symbols = scope.declarations.symbols
    if name.text not in symbols:
        raise unknown("name", name, {**symbols, **scope.declarations.constructors})
    return symbols[name.text]


def indices_of(scope: Scope, symbol: Symbol, name: Name, indices: tuple[Name, ...]) -> tuple[t.Process, ...]:
    """The processes that index a symbol, as many as it has dimensions."""
    check_dimensions(symbol, name, indices)
    return tuple(scope.process(index) for index in indices)


def check_dimensions(symbol: Symbol, name: Name, indices: tuple[Name, ...]) -> None:
    """Whether a symbol has as many indices as dimensions."""
    if len(indices) != symbol.dimensions:
        span = name.span.to(indices[-1].span) if indices else name.span
        wanted = f"{symbol.dimensions} index" if symbol.dimensions == 1 else f"{symbol.dimensions} indices"
        raise error(
            "W0806",
            f"`{symbol.name}` is used with {len(indices)} indices",
            span,
            f"expected {wanted if symbol.dimensions else 'none: it is not an array'}",
        )


def _reader(
    scope: Scope,
    symbol: Symbol,
    syntax: AccessSyntax,
    reader: t.Process | None,
    indices: tuple[t.Process, ...],
) -> t.Process | None:
    """Whose view of a weak symbol it is; a register must be the acting process's own."""
    if not symbol.weak:
        if scope.declarations.is_weak and scope.block is None:
            _check_register(scope, symbol, syntax.span, indices)
        return None
    if scope.block is BlockKind.INIT:
        if reader is not None:
            raise error(
                "W0811", "`p@` in `init`", syntax.span, f"expected `{symbol.name}` without it",
                help="initially all processes agree",
            )  # fmt: skip
        return None
    if scope.block is not None:
        if reader is None:
            raise error(
                "W0811",
                f"`{symbol.name}` needs `p@`",
                syntax.span,
                f"expected `p@{syntax.span.flat_text}`",
                help="processes may see different values of weak memory",
            )
        return reader
    if reader is not None and reader != scope.acting:
        raise error(
            "W0811",
            "a process cannot read memory as another process",
            syntax.span,
            _expected_actor(scope.acting),
        )
    return scope.acting


def _expected_actor(acting: t.ProcessVariable | None) -> str:
    return "expected no `p@`" if acting is None else f"expected `{acting.name}@…`, or none"


def _check_register(scope: Scope, symbol: Symbol, span: Span, indices: tuple[t.Process, ...]) -> None:
    if symbol.kind is SymbolKind.CONSTANT or not indices or indices[0] == scope.acting:
        return
    raise error(
        "W0811",
        f"a register of another process: `{span.flat_text}`",
        span,
        f"expected `{symbol.name}[{scope.acting.name if scope.acting else '…'}]`",
        help=f"`weak array {symbol.name}` is shared memory",
    )
