"""Formulas: negations pushed inside, then sums of products whose atoms are literals and quantifiers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from membar.diagnostics import error
from membar.languages.cubicle import syntax as x
from membar.languages.cubicle.scope import Scope, unknown
from membar.languages.cubicle.terms import comparison
from membar.records import field, record, replace
from membar.source import Span
from membar.systems import terms as t
from membar.systems.mapping import literals_renamed

MAX_ALTERNATIVES = 2000


@record(frozen=True, slots=True)
class Atom:
    """A literal."""

    literal: t.Literal


@record(frozen=True, slots=True)
class FenceAtom:
    """`fence()`, which cannot be negated."""

    span: Span


@record(frozen=True, slots=True)
class Junction:
    """All (or one) of the parts."""

    is_and: bool
    parts: tuple[Formula, ...]


@record(frozen=True, slots=True)
class Others:
    """Every (or some) process that is not a parameter satisfies one of the alternatives."""

    is_forall: bool
    variable: t.ProcessVariable
    alternatives: tuple[t.Conjunction, ...]
    span: Span


Formula: TypeAlias = Atom | FenceAtom | Junction | Others

TRUE = Junction(True, ())
FALSE = Junction(False, ())


@record(frozen=True, slots=True)
class Alternative:
    """One conjunction of a formula's disjunctive normal form."""

    literals: t.Conjunction = ()
    fence: bool = False
    universal: tuple[Others, ...] = ()
    existential: tuple[Others, ...] = field(default=())

    def conjunction(self, other: Alternative) -> Alternative:
        """Both."""
        kept = dict.fromkeys((*self.literals, *other.literals))
        return Alternative(
            tuple(kept),
            self.fence or other.fence,
            self.universal + other.universal,
            self.existential + other.existential,
        )


def resolve(scope: Scope, syntax: x.FormulaSyntax, *, positive: bool = True) -> Formula:
    """A formula (or its negation) with names resolved and negations at the literals."""
    match syntax:
        case x.Truth(value=value):
            return TRUE if value == positive else FALSE
        case x.Compare():
            literal = comparison(scope, syntax)
            return Atom(literal if positive else t.negation(literal))
        case x.FenceSyntax():
            return _fence(scope, syntax.span, positive=positive)
        case x.Not():
            return resolve(scope, syntax.operand, positive=not positive)
        case x.Call():
            return _call(scope, syntax, positive=positive)
        case x.Quantified():
            return _resolve_quantifier(scope, syntax, positive=positive)
        case x.If():
            yes = _both(scope, ((syntax.condition, True), (syntax.yes, positive)))
            no = _both(scope, ((syntax.condition, False), (syntax.no, positive)))
            return Junction(False, (yes, no))
        case x.Binary(operator="&&" | "||"):
            parts = tuple(resolve(scope, part, positive=positive) for part in (syntax.left, syntax.right))
            return Junction((syntax.operator == "&&") == positive, parts)
        case x.Binary(operator="=>"):
            parts = (
                resolve(scope, syntax.left, positive=not positive),
                resolve(scope, syntax.right, positive=positive),
            )
            return Junction(not positive, parts)
        case x.Binary():
            same = _both(scope, ((syntax.left, True), (syntax.right, positive)))
            apart = _both(scope, ((syntax.left, False), (syntax.right, not positive)))
            return Junction(False, (same, apart))


def _both(scope: Scope, parts: tuple[tuple[x.FormulaSyntax, bool], ...]) -> Formula:
    return Junction(True, tuple(resolve(scope, part, positive=sign) for part, sign in parts))


def _fence(scope: Scope, span: Span, *, positive: bool) -> Formula:
    if scope.block is not None:
        raise error("W0813", f"`fence()` in `{scope.block.value}`", span, "only guards may have it")
    if not positive:
        raise error("W0813", "`fence()` cannot be negated", span, "a process can only wait for a fence")
    return FenceAtom(span)


def _call(scope: Scope, syntax: x.Call, *, positive: bool) -> Formula:
    name = syntax.predicate
    predicate = scope.declarations.predicates.get(name.text)
    if predicate is None:
        raise unknown("predicate", name, scope.declarations.predicates)
    if name.text in scope.calls:
        raise error("W0806", f"`{name.text}` is defined by itself", name.span, "expected no recursion")
    if len(syntax.arguments) != len(predicate.parameters):
        raise error(
            "W0806",
            f"`{name.text}` is called with {len(syntax.arguments)} arguments",
            syntax.span,
            f"expected {len(predicate.parameters)}",
        )
    processes: dict[str, t.Process] = {}
    lets: dict[str, tuple[x.TermSyntax, Scope]] = {}
    for parameter, argument in zip(predicate.parameters, syntax.arguments, strict=True):
        named = _named_process(scope, argument)
        if named is None:
            lets[parameter.text] = (argument, scope)
        else:
            processes[parameter.text] = named
    inner = replace(scope, lets=lets, processes=processes, calls=(*scope.calls, name.text))
    return resolve(inner, predicate.body, positive=positive)


def _named_process(scope: Scope, argument: x.TermSyntax) -> t.Process | None:
    """The process that an argument names; None if it is another term."""
    only = argument.products[0]
    if len(argument.products) > 1 or only.number is not None or only.sign < 0:
        return None
    if not isinstance(only.operand, x.Name) or only.operand.text in scope.lets:
        return None
    return scope.process(only.operand)


def _resolve_quantifier(scope: Scope, syntax: x.Quantified, *, positive: bool) -> Formula:
    is_forall = syntax.is_forall == positive
    if scope.block is x.BlockKind.INIT:
        raise error(
            "W0809", "a quantifier in `init`", syntax.span, "expected a parameter of `init`",
            help="the parameters of `init` range over all processes",
        )  # fmt: skip
    if is_forall and scope.block is not None:
        raise error("W0809", f"`forall` in `{scope.block.value}`", syntax.span, "expected `exists`, or none")
    besides = tuple(_parameter(scope, name) for name in syntax.besides)
    variable, inside = scope.binding(syntax.variable)
    body = resolve(inside, syntax.body, positive=positive)
    found = alternatives(body, syntax.span)
    if any(item.universal or item.existential for item in found):
        raise error("W0809", "a quantifier inside another", syntax.span, "expected only one")
    waits = {item.fence for item in found}
    if len(waits) > 1:
        raise error("W0813", "`fence()` in one alternative only", syntax.span, "expected in all, or outside")
    bodies = tuple(item.literals for item in found)
    here = () if syntax.others else _instances(scope, variable, bodies, besides)
    parts: tuple[Formula, ...] = (*here, Others(is_forall, variable, bodies, syntax.span))
    joined: Formula = parts[0] if len(parts) == 1 else Junction(is_forall, parts)
    return Junction(True, (joined, FenceAtom(syntax.span))) if True in waits else joined


def _parameter(scope: Scope, name: x.Name) -> t.Process:
    found = scope.process(name)
    if found not in scope.parameters:
        raise error(
            "W0809", f"`{name.text}` is not a parameter", name.span, "expected a parameter after `<>`"
        )
    return found


def _instances(
    scope: Scope,
    variable: t.ProcessVariable,
    bodies: tuple[t.Conjunction, ...],
    besides: tuple[t.Process, ...],
) -> tuple[Formula, ...]:
    """The bodies for each parameter that `besides` does not exclude."""
    return tuple(
        instance(bodies, variable, parameter) for parameter in scope.parameters if parameter not in besides
    )


def instance(bodies: tuple[t.Conjunction, ...], variable: t.ProcessVariable, process: t.Process) -> Formula:
    """One of the bodies, for one process."""
    return Junction(
        False,
        tuple(
            Junction(True, tuple(Atom(literal) for literal in literals_renamed(body, {variable: process})))
            for body in bodies
        ),
    )


def alternatives(formula: Formula, span: Span) -> tuple[Alternative, ...]:
    """The disjunctive normal form of a formula.

    Raises:
        InputError: it would have too many parts.
    """
    match formula:
        case Atom(literal=literal):
            return (Alternative((literal,)),)
        case FenceAtom():
            return (Alternative(fence=True),)
        case Others(is_forall=True):
            return (Alternative(universal=(formula,)),)
        case Others():
            return (Alternative(existential=(formula,)),)
        case Junction(is_and=False):
            found = dict.fromkeys(one for part in formula.parts for one in alternatives(part, span))
            return _limit_alternatives(iter(found), span)
        case Junction():
            columns = [alternatives(part, span) for part in formula.parts]
            found = dict.fromkeys(_limit_alternatives(_products(columns), span))
            return tuple(found)


def _products(columns: list[tuple[Alternative, ...]]) -> Iterator[Alternative]:
    for choice in product(*columns):
        joined = Alternative()
        for part in choice:
            joined = joined.conjunction(part)
        yield joined


def _limit_alternatives(found: Iterator[Alternative], span: Span) -> tuple[Alternative, ...]:
    kept: list[Alternative] = []
    for one in found:
        kept.append(one)
        if len(kept) > MAX_ALTERNATIVES:
            raise error(
                "W0815", "a formula with too many alternatives", span, f"expected at most {MAX_ALTERNATIVES}"
            )
    return tuple(kept)
