"""Expressions → values: names resolved, sorts checked, functions inlined, recursions closed."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import replace

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.models.cat import syntax as cat
from membar.models.cat.graph import Graph, Node
from membar.models.cat.values import (
    Builtin,
    Function,
    Group,
    Missing,
    Scope,
    TagFunction,
    TagValue,
    Value,
    describe,
)
from membar.models.plan import Op, Sort
from membar.models.primitives import PRIMITIVES
from membar.source import Span

# Applications inside applications; more than this can only be a function that never stops.
MAX_DEPTH = 60

BUILTINS: dict[str, Value] = {
    "domain": Builtin("domain", Op.DOMAIN),
    "range": Builtin("range", Op.RANGE),
    "tag2events": TagFunction("tag2events"),
    **{
        name: Missing(f"`{name}`, a function on sets of sets or of relations,")
        for name in ("linearisations", "classes-loc", "partition", "classes", "cross", "map", "fold",
                     "generate_cos")
    },
    **{
        name: Missing(f"`{name}`, which needs events inside one instruction,")
        for name in ("iico_data", "iico_ctrl", "iico_order", "same-instance", "rf-reg", "Rreg", "Wreg", "BCC")
    },
    **{
        name: Missing(f"`{name}`, a primitive of other tools,")
        for name in ("tag2scope", "tag2level", "tag2fenced", "loc2events", "lift", "delift", "deliftinter",
                     "bisimulation", "different-values", "same-oa", "at-least-one-writable", "fail",
                     "as_transitive", "fromto", "inv-domain", "same-low-order-bits", "depend", "control")
    },
}  # fmt: skip

_SETS_ONLY = {Op.PRODUCT, Op.IDENTITY}
_RELATIONS_ONLY = {Op.SEQUENCE, Op.INVERSE, Op.PLUS, Op.STAR, Op.OPTIONAL, Op.DOMAIN, Op.RANGE}
_SYMBOLS = {Op.PRODUCT: "*", Op.IDENTITY: "[…]"}


class UnknownNameError(InputError):
    """A name that nobody binds: what `try` recovers from."""


class Expressions:
    """Gives expressions their value.

    Attributes:
        graph: where sets and relations are built.
        tags: the words of the vocabulary that were used.
    """

    def __init__(self, graph: Graph, vocabulary: Collection[str]) -> None:
        self.graph = graph
        self.tags: set[str] = set()
        self._vocabulary = frozenset(vocabulary)
        self._depth = 0

    # Names

    def resolve(self, name: str, span: Span, scope: Scope) -> Value:
        """What a name stands for: a definition, a primitive, a built-in function or a tag."""
        if name in scope:
            return scope[name]
        if name == "id":
            return self.graph.identity
        if name in PRIMITIVES:
            return self.graph.primitive(name, PRIMITIVES[name].sort)
        if name in BUILTINS:
            return BUILTINS[name]
        if name in self._vocabulary:
            self.tags.add(name)
            return self.graph.primitive(name, Sort.SET)
        raise self._unknown(name, span, scope)

    def _unknown(self, name: str, span: Span, scope: Scope) -> UnknownNameError:
        known = sorted({*scope, *PRIMITIVES, *BUILTINS, *self._vocabulary})
        similar = [word for word in known if word.lower() == name.lower()]
        similar += difflib.get_close_matches(name, known, n=1)
        return UnknownNameError(
            Diagnostic(
                code="W0206",
                message=f"unknown name `{name}`",
                primary=Label(span, "not defined"),
                help=f"did you mean `{similar[0]}`?" if similar else "define it with `let` before its use",
            )
        )

    # Values

    def value(self, expr: cat.Expr, scope: Scope) -> Value:
        """The value of an expression."""
        match expr:
            case cat.Name(name, span):
                return self.resolve(name, span, scope)
            case cat.Tag(name):
                return TagValue(name)
            case cat.EmptyRelation():
                return self.graph.empty(Sort.RELATION)
            case cat.Everything():
                return self.graph.universe(Sort.SET)
            case cat.SetOf(()):
                return self.graph.empty(None)
            case cat.SetOf() | cat.Add():
                return Missing("a set of tags or of relations")
            case cat.Match():
                return Missing("`match`")
            case cat.Unary(op, operand):
                return self._operation(op, (operand,), expr.span, scope)
            case cat.Binary(op, left, right):
                return self._operation(op, (left, right), expr.span, scope)
            case cat.Tuple(items):
                return Group(tuple(self.value(item, scope) for item in items))
            case cat.Apply():
                return self._application(expr, scope)
            case cat.Fun(parameter, body):
                return self.checked(Function("", parameter, body, dict(scope)), expr.span)
            case cat.Let(bindings, is_recursive, body):
                return self.value(body, {**scope, **self.bind(bindings, scope, is_recursive=is_recursive)})
            case cat.Try(body, fallback):
                try:
                    return self.value(body, scope)
                except UnknownNameError:
                    return self.value(fallback, scope)
            case cat.If(condition, yes, no):
                return self.value(yes if holds(condition) else no, scope)

    def node(self, expr: cat.Expr, scope: Scope, *, wanted: str, sort: Sort | None = None) -> Node:
        """The value of an expression that must be a set or relation (of the sort given)."""
        value = self.value(expr, scope)
        node = _as_node(value, expr.span, wanted)
        if sort is not None and node.sort not in (sort, None):
            raise _wrong_sort(wanted, node, expr.span, sort)
        if node.op is Op.EMPTY and node.sort is None and sort is not None:
            return self.graph.empty(sort)
        return node

    def _operation(self, op: Op, operands: tuple[cat.Expr, ...], span: Span, scope: Scope) -> Node:
        symbol = f"`{_SYMBOLS.get(op, op.value)}`"
        if op in _SETS_ONLY:
            nodes = [self.node(item, scope, wanted=f"{symbol} of", sort=Sort.SET) for item in operands]
            return self.graph.apply(op, Sort.RELATION, nodes, span)
        if op in _RELATIONS_ONLY:
            nodes = [self.node(item, scope, wanted=f"{symbol} of", sort=Sort.RELATION) for item in operands]
            return self.graph.apply(op, Sort.RELATION, nodes, span)
        nodes = [self.node(item, scope, wanted=f"{symbol} of") for item in operands]
        sorts = {node.sort for node in nodes} - {None}
        if len(sorts) > 1:
            raise _mixed(symbol, operands, nodes)
        return self.graph.apply(op, next(iter(sorts), None), nodes, span)

    # Functions

    def checked(self, function: Function, span: Span) -> Function:
        """The function, once its body makes sense for *some* argument."""
        parameter = function.parameter
        unknowns = tuple(self.graph.variable(name, None) for name in parameter.names)
        argument: Value = Group(unknowns) if parameter.is_tuple else unknowns[0]
        try:
            self._call(function, argument, span)
        except InputError as problem:
            # What is missing matters only to those who use it.
            if any(diagnostic.code != "W0205" for diagnostic in problem.diagnostics):
                raise
        return function

    def _application(self, expr: cat.Apply, scope: Scope) -> Value:
        function = self.value(expr.function, scope)
        span = expr.span
        match function:
            case Builtin(name, op):
                relation = self.node(expr.argument, scope, wanted=f"`{name}` of", sort=Sort.RELATION)
                return self.graph.apply(op, Sort.SET, (relation,), span)
            case TagFunction(name):
                return self._tagged(name, self.value(expr.argument, scope), expr.argument.span, scope)
            case Function():
                argument = self.value(expr.argument, scope)
                try:
                    return self._call(function, argument, expr.argument.span)
                except InputError as problem:
                    raise _applied_at(problem, span) from None
            case Node(op=Op.VARIABLE, sort=None):
                self.value(expr.argument, scope)
                return self.graph.variable("unknown", None)
            case Missing(what):
                raise error("W0205", f"{what} is not supported yet", expr.function.span, "applied here")
            case _:
                text = expr.function.span.text
                raise error(
                    "W0208",
                    f"`{text}` is {describe(function)}, not a function",
                    expr.function.span,
                    "applied to an argument",
                    help=f"to follow one relation by another, write `{text} ; …`",
                )

    def _tagged(self, name: str, argument: Value, span: Span, scope: Scope) -> Value:
        match argument:
            case TagValue(tag):
                return self.resolve(tag[:1].upper() + tag[1:], span, scope)
            case Node(op=Op.VARIABLE, sort=None):
                return self.graph.variable("unknown", Sort.SET)
            case _:
                raise error(
                    "W0208", f"`{name}` of {describe(argument)}", span, "expected a tag such as `'once`"
                )

    def _call(self, function: Function, argument: Value, span: Span) -> Value:
        if self._depth >= MAX_DEPTH:
            raise error("W0215", "functions are applied inside one another without end", span, "applied here")
        self._depth += 1
        try:
            inner = {**function.scope, **self.matched(function.parameter, argument, span)}
            return self.value(function.body, inner)
        finally:
            self._depth -= 1

    def matched(self, pattern: cat.Pattern, value: Value, span: Span) -> dict[str, Value]:
        """What the names of a pattern are bound to."""
        if not pattern.is_tuple:
            return {pattern.names[0]: value}
        if isinstance(value, Node) and value.op is Op.VARIABLE and value.sort is None:
            return {name: self.graph.variable(name, None) for name in pattern.names}
        if not isinstance(value, Group) or len(value.items) != len(pattern.names):
            count = len(value.items) if isinstance(value, Group) else 1
            raise InputError(
                Diagnostic(
                    code="W0209",
                    message=f"expected {len(pattern.names)} values, got {count}",
                    primary=Label(span, f"{count} here"),
                    others=(Label(pattern.span, f"{len(pattern.names)} names here"),),
                )
            )
        return dict(zip(pattern.names, value.items, strict=True))

    # Definitions

    def bind(
        self, bindings: tuple[cat.Binding, ...], scope: Scope, *, is_recursive: bool
    ) -> dict[str, Value]:
        """What `let` (or `let rec`) binds."""
        _no_repetition(bindings)
        if not is_recursive:
            bound: dict[str, Value] = {}
            for binding in bindings:
                bound.update(self.matched(binding.target, self._defined(binding, scope), binding.body.span))
            return bound
        if any(binding.parameters or isinstance(binding.body, cat.Fun) for binding in bindings):
            names = [name for binding in bindings for name in binding.target.names]
            return {name: Missing(f"the recursive function `{name}`") for name in names}
        return self._recursion(bindings, scope)

    def _defined(self, binding: cat.Binding, scope: Scope) -> Value:
        if not binding.parameters:
            return self.value(binding.body, scope)
        body = binding.body
        for parameter in reversed(binding.parameters[1:]):
            body = cat.Fun(parameter, body, parameter.span.to(binding.span))
        name = binding.target.names[0]
        return self.checked(Function(name, binding.parameters[0], body, dict(scope)), binding.span)

    def _recursion(self, bindings: tuple[cat.Binding, ...], scope: Scope) -> dict[str, Value]:
        """The least fixpoint of the equations. Sorts are found by trying until they no longer change."""
        for binding in bindings:
            if binding.target.is_tuple:
                raise error(
                    "W0205", "`let rec` of a group is not supported yet", binding.target.span, "a group"
                )
        names = [binding.target.names[0] for binding in bindings]
        sorts: list[Sort | None] = [None] * len(names)
        for _ in range(len(names) + 1):
            _, results = self._equations(bindings, names, sorts, scope)
            sorts = [result.sort for result in results]
        # `let rec r = r` says nothing of its sort.
        sorts = [sort or Sort.RELATION for sort in sorts]
        variables, results = self._equations(bindings, names, sorts, scope)
        recursion = self.graph.close(variables, results)
        self._must_grow(bindings, recursion.body)
        return dict(zip(names, results, strict=True))

    def _equations(
        self, bindings: tuple[cat.Binding, ...], names: list[str], sorts: list[Sort | None], scope: Scope
    ) -> tuple[list[Node], list[Node]]:
        variables = [self.graph.variable(name, sort) for name, sort in zip(names, sorts, strict=True)]
        inner = {**scope, **dict(zip(names, variables, strict=True))}
        results = [
            self.node(binding.body, inner, wanted=f"`{name}` is", sort=sort)
            for binding, name, sort in zip(bindings, names, sorts, strict=True)
        ]
        return variables, results

    def _must_grow(self, bindings: tuple[cat.Binding, ...], body: frozenset[Node]) -> None:
        """Refuses recursion through `~` or the right of a difference: it may have no least fixpoint."""
        for node in sorted(body, key=lambda node: node.id):
            if node.op is Op.COMPLEMENT or (node.op is Op.DIFFERENCE and node.args[1] in body):
                span = self.graph.spans.get(node, bindings[0].span)
                raise error(
                    "W0212",
                    "recursion through a complement has no meaning as a least fixpoint",
                    span,
                    "a name of this `let rec` is taken away here",
                    help="a `let rec` may only add pairs: keep its names out of `~` and the right of `\\`",
                )


def holds(condition: cat.Condition) -> bool:
    """Whether a condition on the tool's variants holds: membar has none."""
    match condition:
        case cat.Variant():
            return False
        case cat.Not(inner):
            return not holds(inner)
        case cat.Both(left, right):
            return holds(left) and holds(right)
        case cat.Either(left, right):
            return holds(left) or holds(right)


def _as_node(value: Value, span: Span, wanted: str) -> Node:
    if isinstance(value, Node):
        return value
    if isinstance(value, Missing):
        raise error("W0205", f"{value.what} is not supported yet", span, "used here")
    raise error("W0207", f"{wanted} {describe(value)}", span, "expected a set or a relation")


def _wrong_sort(wanted: str, node: Node, span: Span, sort: Sort) -> InputError:
    helps = {
        Sort.RELATION: f"`[{span.text}]` relates each event of the set with itself",
        Sort.SET: f"`domain({span.text})` and `range({span.text})` are sets",
    }
    help_ = helps[sort] if len(span.text) <= 40 else None
    return error("W0207", f"{wanted} {describe(node)}", span, f"expected a {sort.value}", help=help_)


def _mixed(symbol: str, operands: tuple[cat.Expr, ...], nodes: list[Node]) -> InputError:
    first, second = operands
    return InputError(
        Diagnostic(
            code="W0207",
            message=f"{symbol} of {describe(nodes[0])} and {describe(nodes[1])}",
            primary=Label(second.span, describe(nodes[1])),
            others=(Label(first.span, describe(nodes[0])),),
            help="`[S]` makes a relation of a set `S`",
        )
    )


def _applied_at(problem: InputError, span: Span) -> InputError:
    """The same error, with the place at which the function was applied."""
    place = Label(span, "in this application")
    diagnostics = [replace(item, others=(*item.others, place)) for item in problem.diagnostics]
    return type(problem)(*diagnostics)


def _no_repetition(bindings: tuple[cat.Binding, ...]) -> None:
    seen: set[str] = set()
    for binding in bindings:
        for pattern in (binding.target, *binding.parameters):
            if len(set(pattern.names)) < len(pattern.names):
                raise error("W0214", "a name is bound twice", pattern.span, "in this group")
        for name in binding.target.names:
            if name in seen:
                raise error(
                    "W0214", f"`{name}` is bound twice in one `let`", binding.target.span, "again here"
                )
            seen.add(name)
