"""Expressions → values: names resolved, sorts checked, functions inlined, recursions closed."""

from __future__ import annotations

from collections.abc import Collection

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.models.cat import sets_of_sets
from membar.models.cat import syntax as cat
from membar.models.cat.events import Events
from membar.models.cat.foreign import ABSENT
from membar.models.cat.graph import Graph, Node
from membar.models.cat.recursion import solution
from membar.models.cat.values import (
    Builtin,
    Function,
    Group,
    Listed,
    MapOf,
    Missing,
    Orders,
    Scope,
    SomeEvent,
    TagFunction,
    TagValue,
    ToolFunction,
    Value,
    describe,
    is_unknown,
)
from membar.models.plan import Op, Sort
from membar.models.primitives import PRIMITIVES
from membar.records import replace
from membar.source import Span

# Applications inside applications; more than this can only be a function that never stops.
MAX_DEPTH = 60

BUILTINS: dict[str, Value] = {
    "domain": Builtin("domain", Op.DOMAIN),
    "range": Builtin("range", Op.RANGE),
    "tag2events": TagFunction("tag2events"),
    **{name: ToolFunction(name) for name in ("map", "cross", "generate_orders", "generate_cos")},
    **{
        name: Missing(f"`{name}`, a function on sets of sets or of relations,")
        for name in ("linearisations", "classes-loc", "partition", "classes", "fold")
    },
    **{
        name: Missing(f"`{name}`, which needs events inside one instruction,")
        for name in ("iico_data", "iico_ctrl", "iico_order", "same-instance", "rf-reg", "Rreg", "Wreg", "BCC")
    },
    **{
        name: Missing(f"`{name}`, a primitive of other tools,")
        for name in ("tag2scope", "tag2level", "tag2fenced", "loc2events", "lift", "delift", "deliftinter",
                     "bisimulation", "different-values", "same-oa", "at-least-one-writable", "fail",
                     "as_transitive", "fromto", "depend", "control")
    },
}  # fmt: skip

_SETS_ONLY = {Op.PRODUCT, Op.IDENTITY}
_RELATIONS_ONLY = {Op.SEQUENCE, Op.INVERSE, Op.PLUS, Op.STAR, Op.OPTIONAL, Op.DOMAIN, Op.RANGE}
_SYMBOLS = {Op.PRODUCT: "*", Op.IDENTITY: "[…]"}


class UnknownNameError(InputError):
    """An unbound name: what `try` recovers from."""


class Expressions:
    """Evaluates expressions.

    Attributes:
        graph: where sets and relations are built.
        events: what primitive names stand for.
        tags: the words of the vocabulary that were used.
    """

    def __init__(self, graph: Graph, events: Events, vocabulary: Collection[str]) -> None:
        self.graph = graph
        self.events = events
        self.tags: set[str] = set()
        self._vocabulary = frozenset(vocabulary)
        self._depth = 0

    # Names

    def resolve(self, name: str, span: Span, scope: Scope) -> Value:
        """The value of a name: a definition, a primitive, a built-in function or a tag."""
        if name in scope:
            return scope[name]
        if name == "id":
            return self.events.identity
        if name in PRIMITIVES:
            return self.events.primitive(name)
        if name in BUILTINS:
            return BUILTINS[name]
        if name in self._vocabulary:
            self.tags.add(name)
            return self.events.tag(name)
        if name in ABSENT:
            return self.graph.empty(ABSENT[name])
        raise self._unknown(name, span, scope)

    def _unknown(self, name: str, span: Span, scope: Scope) -> UnknownNameError:
        known = sorted({*scope, *PRIMITIVES, *BUILTINS, *self._vocabulary})
        similar = [word for word in known if word.lower() == name.lower()]
        similar += close_matches(name, known, n=1)
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
        match expr:
            case cat.Name(name, span):
                return self.resolve(name, span, scope)
            case cat.Tag(name):
                return TagValue(name)
            case cat.EmptyRelation():
                return self.graph.empty(Sort.RELATION)
            case cat.Everything():
                return self.graph.universe(Sort.SET)
            case cat.SetOf(items):
                return self._written_out(items, scope)
            case cat.Add(element, rest):
                return sets_of_sets.insert(
                    self.value(element, scope), self.value(rest, scope), expr.span, self.graph
                )
            case cat.Match(subject):
                clause = sets_of_sets.clause_for(self.value(subject, scope), expr, self.graph)
                if clause is None:
                    return self.graph.variable("unknown", None)
                return self.value(clause[0], {**scope, **clause[1]})
            case cat.Unary(op, operand):
                return self._operation(op, (operand,), expr.span, scope)
            case cat.Binary(op, left, right):
                return self._operation(op, (left, right), expr.span, scope)
            case cat.Tuple(items):
                return Group(tuple(self.value(item, scope) for item in items))
            case cat.Apply():
                return self._application(expr, scope)
            case cat.Fun(parameter, body):
                return self.check_function(Function("", parameter, body, dict(scope)), expr.span)
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
        return self._node_of(self.value(expr, scope), expr.span, wanted, sort)

    def _node_of(self, value: Value, span: Span, wanted: str, sort: Sort | None) -> Node:
        node = _as_node(value, span, wanted)
        if sort is not None and node.sort not in (sort, None):
            raise _wrong_sort(wanted, node, span, sort)
        if node.op is Op.EMPTY and node.sort is None and sort is not None:
            return self.graph.empty(sort)
        return node

    def _operation(self, op: Op, operands: tuple[cat.Expr, ...], span: Span, scope: Scope) -> Value:
        symbol = f"`{_SYMBOLS.get(op, op.value)}`"
        values = [self.value(item, scope) for item in operands]
        if len(values) == 2 and any(isinstance(value, Listed) for value in values):
            return sets_of_sets.combine(op, values[0], values[1], span, self.graph)
        sort = Sort.SET if op in _SETS_ONLY else Sort.RELATION if op in _RELATIONS_ONLY else None
        nodes = [
            self._node_of(value, item.span, f"{symbol} of", sort)
            for value, item in zip(values, operands, strict=True)
        ]
        if sort is not None:
            return self.events.apply(op, Sort.RELATION, nodes, span)
        sorts = {node.sort for node in nodes} - {None}
        if len(sorts) > 1:
            raise _mixed_sorts_error(symbol, operands, nodes)
        return self.events.apply(op, next(iter(sorts), None), nodes, span)

    def _written_out(self, items: tuple[cat.Expr, ...], scope: Scope) -> Value:
        """`{a, b}`."""
        values = [self.value(item, scope) for item in items]
        if len(values) == 1 and isinstance(values[0], SomeEvent):
            return values[0].singleton
        if any(is_unknown(value) for value in values):
            return self.graph.variable("unknown", None)
        for value, item in zip(values, items, strict=True):
            if not isinstance(value, Node | TagValue | Group | Listed):
                raise error(
                    "W0205", f"a set of {describe(value)} is not supported yet", item.span, "used here"
                )
        return sets_of_sets.set_of(values, self.graph)

    # Functions

    def check_function(self, function: Function, span: Span) -> Function:
        """The function, if its body is valid for *some* argument."""
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
                return self._events_with_tag(
                    name, self.value(expr.argument, scope), expr.argument.span, scope
                )
            case ToolFunction(name):
                return self._by_tool(name, expr, scope)
            case MapOf(inner):
                subject = self.value(expr.argument, scope)
                return sets_of_sets.map_set(
                    lambda item: self._apply_function(inner, item, expr), subject, span, self.graph
                )
            case Function():
                return self._apply_function(function, self.value(expr.argument, scope), expr)
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
                    help=f"to compose relations, write `{text} ; …`",
                )

    def _apply_function(self, function: Value, argument: Value, expr: cat.Apply) -> Value:
        if not isinstance(function, Function):
            raise error("W0208", f"`map` of {describe(function)}", expr.function.span, "expected a function")
        try:
            return self._call(function, argument, expr.argument.span)
        except InputError as problem:
            raise _applied_at(problem, expr.span) from None

    def _by_tool(self, name: str, expr: cat.Apply, scope: Scope) -> Value:
        """The value of `map f`, `cross S`, `generate_orders(S, r)` or `generate_cos(r)`."""
        argument = self.value(expr.argument, scope)
        span = expr.argument.span
        if is_unknown(argument):
            return self.graph.variable("unknown", None)
        match name, argument:
            case "map", Function():
                return MapOf(argument)
            case "map", _:
                raise error("W0208", f"`map` of {describe(argument)}", span, "expected a function")
            case "cross", _:
                return sets_of_sets.cross(argument, span, self.graph)
            case "generate_cos", _:
                argument = Group((self.events.primitive("W"), argument))
            case _:
                pass
        if not isinstance(argument, Group) or len(argument.items) != 2:
            raise error("W0209", f"`{name}` takes a set and a relation", span, f"got {describe(argument)}")
        events = self._node_of(argument.items[0], span, "orders of", Sort.SET)
        return Orders(events, self._node_of(argument.items[1], span, "orders contain", Sort.RELATION))

    def _events_with_tag(self, name: str, argument: Value, span: Span, scope: Scope) -> Value:
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
            raise error("W0215", "function application does not terminate", span, "applied here")
        self._depth += 1
        function = function.taking(len(argument.items) if isinstance(argument, Group) else 1)
        try:
            inner = {**function.scope, **self.match_pattern(function.parameter, argument, span)}
            return self.value(function.body, inner)
        finally:
            self._depth -= 1

    def match_pattern(self, pattern: cat.Pattern, value: Value, span: Span) -> dict[str, Value]:
        """The bindings of the names of a pattern."""
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
        """The bindings of `let` (or `let rec`)."""
        _no_repetition(bindings)
        if not is_recursive:
            bound: dict[str, Value] = {}
            for binding in bindings:
                bound.update(
                    self.match_pattern(binding.target, self._define(binding, scope), binding.body.span)
                )
            return bound
        if any(binding.parameters or isinstance(binding.body, cat.Fun) for binding in bindings):
            return self._recursive_functions(bindings, scope)
        return solution(bindings, scope, self.graph, self._right_hand_side)

    def _right_hand_side(self, binding: cat.Binding, scope: Scope, sort: Sort | None) -> Node:
        return self.node(binding.body, scope, wanted=f"`{binding.target.names[0]}` is", sort=sort)

    def _recursive_functions(self, bindings: tuple[cat.Binding, ...], scope: Scope) -> dict[str, Value]:
        """Functions that see one another. Their bodies are elaborated only when they are applied."""
        shared: dict[str, Value] = dict(scope)
        bound: dict[str, Value] = {}
        for binding in bindings:
            body = binding.body
            if not binding.parameters and not isinstance(body, cat.Fun):
                raise error(
                    "W0205",
                    "`let rec` of functions together with sets or relations is not supported",
                    binding.span,
                    "not a function",
                )
            function = _curry(binding, shared)
            bound[function.name] = function
        shared.update(bound)
        return bound

    def _define(self, binding: cat.Binding, scope: Scope) -> Value:
        if not binding.parameters:
            return self.value(binding.body, scope)
        return self.check_function(_curry(binding, dict(scope)), binding.span)


def _curry(binding: cat.Binding, scope: Scope) -> Function:
    """The function that a binding with parameters (or with a `fun` to its right) defines."""
    name = binding.target.names[0]
    if not binding.parameters and isinstance(binding.body, cat.Fun):
        return Function(name, binding.body.parameter, binding.body.body, scope)
    body = binding.body
    for parameter in reversed(binding.parameters[1:]):
        body = cat.Fun(parameter, body, parameter.span.to(binding.span))
    return Function(name, binding.parameters[0], body, scope)


def holds(condition: cat.Condition) -> bool:
    """Whether a condition on the tool's variants holds: membar has no variants."""
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
        Sort.RELATION: f"`[{span.text}]` relates each event of the set to itself",
        Sort.SET: f"`domain({span.text})` and `range({span.text})` are sets",
    }
    help_ = helps[sort] if len(span.text) <= 40 else None
    return error("W0207", f"{wanted} {describe(node)}", span, f"expected a {sort.value}", help=help_)


def _mixed_sorts_error(symbol: str, operands: tuple[cat.Expr, ...], nodes: list[Node]) -> InputError:
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
    """The same error, with the location of the function application."""
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
