"""Text → syntax. Reading goes on after a wrong edge, so that all errors of a file are reported at once."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.expressions import expression
from membar.languages.xcfa.tokens import Cursor, tokenize
from membar.records import record
from membar.source import SourceFile, Span
from membar.text.tokens import Token

_TYPES = {kind.value: kind for kind in x.Type}
_ORDERINGS = {ordering.value: ordering for ordering in x.Ordering}


def parse(source: SourceFile) -> x.Module:
    """The declarations of a text.

    Raises:
        InputError: with every syntax error found.
    """
    return _Parser(Cursor(tokenize(source))).module(source)


@record(frozen=True, slots=True)
class _Body:
    """What stands in a procedure, or in a process without procedures."""

    variables: list[x.Variable]
    locations: list[x.Location]
    transitions: list[x.Transition]


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._diagnostics: list[Diagnostic] = []

    def module(self, source: SourceFile) -> x.Module:
        cursor = self._cursor
        variables: list[x.Variable] = []
        processes: list[x.Process] = []
        predicate: x.Expr | None = None
        states: list[x.Expr] = []
        while cursor.next.group:
            if cursor.sees("var"):
                variables.append(self._variable())
            elif cursor.sees("main", "process"):
                processes.append(self._process())
            elif cursor.sees("error"):
                start = cursor.take()
                if cursor.next.text == "state":
                    cursor.take()
                    states.append(expression(cursor))
                    continue
                cursor.expect("final", "after `error`: `error final CONDITION` or `error state CONDITION`")
                if predicate is not None:
                    raise error("W0603", "a duplicate `error final`", start.span, "combine the two with `or`")
                predicate = expression(cursor)
            elif not cursor.accept(";"):
                self._diagnostics += cursor.wrong("expected `var`, `process` or `error`").diagnostics
                break
        if self._diagnostics:
            raise InputError(*self._diagnostics)
        span = processes[0].span if processes else source.span(0, 0)
        return x.Module(
            variables=tuple(variables),
            processes=tuple(processes),
            error=predicate,
            states=tuple(states),
            span=span,
        )

    def _variable(self) -> x.Variable:
        start = self._cursor.expect("var", "before a variable")
        variable = self._typed_name(start)
        cursor = self._cursor
        if cursor.accept("("):
            initial = self._initial(variable)
            cursor.expect(")", "after the initial value")
        elif cursor.accept(":=", "="):
            initial = self._initial(variable)
        else:
            initial = 0
        return x.Variable(variable.name, variable.type, initial, start.span.to(cursor.previous.span))

    def _typed_name(self, start: Token) -> x.Variable:
        cursor = self._cursor
        name = cursor.name("the name of a variable").text
        cursor.expect(":", "before the type")
        if not cursor.sees(*_TYPES):
            raise cursor.wrong("expected a type: `int`, `bool`, `mutex` or `condition`")
        kind = _TYPES[cursor.take().text]
        return x.Variable(name, kind, 0, start.span.to(cursor.previous.span))

    def _initial(self, variable: x.Variable) -> int:
        cursor = self._cursor
        match variable.type:
            case x.Type.INT:
                return cursor.integer("a number")
            case x.Type.BOOL:
                if not cursor.sees("true", "false"):
                    raise cursor.wrong("expected `true` or `false`")
                return int(cursor.take().text == "true")
            case _:
                raise cursor.wrong(f"a {variable.type.value} has no initial value")

    def _process(self) -> x.Process:
        cursor = self._cursor
        start = cursor.take()
        if start.text == "main":
            cursor.expect("process", "after `main`")
        name = cursor.name("the name of a process")
        cursor.expect("{", "before the procedures of the process")
        body = _Body([], [], [])
        procedures: list[x.Procedure] = []
        while not cursor.sees("}"):
            if cursor.sees("main", "procedure"):
                procedures.append(self._procedure())
            elif not self._takes_part(body) and not cursor.accept(";"):
                wrong = cursor.wrong("expected `var`, `procedure`, a location, an edge, or `}`")
                raise InputError(*self._diagnostics, *wrong.diagnostics)
        cursor.take()
        variables, span = tuple(body.variables), start.span.to(name.span)
        if body.locations or body.transitions:
            if procedures:
                at = body.locations[0].span if body.locations else body.transitions[0].span
                raise error(
                    "W0603", "a process has either procedures or locations", at, "outside a procedure"
                )
            # A process that is one automaton (a CFA): its only procedure is itself.
            procedures, variables = [_main(name.text, variables, body, span)], ()
        return x.Process(name=name.text, variables=variables, procedures=tuple(procedures), span=span)

    def _takes_part(self, body: _Body) -> bool:
        """Takes a variable, a location or an edge, if one follows."""
        cursor = self._cursor
        if cursor.sees("var"):
            body.variables.append(self._variable())
        elif cursor.sees("init", "loc", "error", "final"):
            body.locations.append(self._location())
        elif cursor.next.group == "name":
            try:
                body.transitions.append(self._transition())
            except InputError as problem:
                self._diagnostics += problem.diagnostics
                self._skip_edge()
        else:
            return False
        return True

    def _procedure(self) -> x.Procedure:
        cursor = self._cursor
        start = cursor.take()
        is_main = start.text == "main"
        if is_main:
            cursor.expect("procedure", "after `main`")
        name = cursor.name("the name of a procedure")
        parameters = self._parameters()
        cursor.expect("{", "before the body of the procedure")
        body = _Body([], [], [])
        while not cursor.sees("}"):
            if not self._takes_part(body) and not cursor.accept(";"):
                wrong = cursor.wrong("expected `var`, `loc`, an edge such as `L0 -> L1 { … }`, or `}`")
                raise InputError(*self._diagnostics, *wrong.diagnostics)
        cursor.take()
        return x.Procedure(
            name=name.text,
            is_main=is_main,
            parameters=parameters,
            variables=tuple(body.variables),
            locations=tuple(body.locations),
            transitions=tuple(body.transitions),
            span=start.span.to(name.span),
        )

    def _parameters(self) -> tuple[x.Parameter, ...]:
        cursor = self._cursor
        cursor.expect("(", "before the parameters")
        found: list[x.Parameter] = []
        while not cursor.sees(")"):
            start = cursor.next
            is_out = cursor.accept("out") is not None
            if not is_out:
                cursor.accept("in")
            found.append(x.Parameter(self._typed_name(start), is_out))
            if not cursor.accept(","):
                break
        cursor.expect(")", "after the parameters")
        return tuple(found)

    def _location(self) -> x.Location:
        cursor = self._cursor
        start = cursor.next
        words = []
        while cursor.sees("init", "error", "final"):
            words.append(cursor.take().text)
        cursor.expect("loc", "before the name of a location")
        name = cursor.name("the name of a location")
        span = start.span.to(name.span)
        if "final" in words and "error" in words:
            raise error(
                "W0606",
                f"location `{name.text}` is both final and an error location",
                span,
                "expected one of the two",
            )
        return x.Location(name.text, "init" in words, "error" in words, "final" in words, span)

    def _transition(self) -> x.Transition:
        cursor = self._cursor
        source = cursor.name("a location")
        cursor.expect("->", "between two locations")
        target = cursor.name("a location")
        cursor.expect("{", "before the statements of the edge")
        statements: list[x.Statement] = []
        while not cursor.sees("}"):
            if not cursor.accept(";"):
                statements.append(self._statement())
        cursor.take()
        return x.Transition(
            x.Use(source.text, source.span),
            x.Use(target.text, target.span),
            tuple(statements),
            source.span.to(target.span),
        )

    def _skip_edge(self) -> None:
        cursor = self._cursor
        while cursor.next.group and not cursor.sees("}"):
            cursor.take()
        cursor.take()

    # Statements

    def _statement(self) -> x.Statement:
        cursor = self._cursor
        start = cursor.next
        if start.group in {"name", "number"} or cursor.sees("true", "false", "-"):
            return self._access()
        match start.text if start.group == "keyword" else "":
            case "skip":
                return x.Skip(cursor.take().span)
            case "assume":
                cursor.take()
                condition = expression(cursor)
                return x.Assume(condition, start.span.to(cursor.previous.span))
            case "havoc":
                return self._havoc()
            case "fence":
                return self._fence()
            case "atomic_begin" | "atomic_end":
                cursor.take()
                return x.Atomic(start.text == "atomic_begin", start.span)
            case "lock" | "unlock":
                cursor.take()
                return x.LockOf(self._use("a mutex"), start.text == "lock", self._span_since(start))
            case "wait":
                cursor.take()
                condition_variable = self._use("a condition")
                cursor.expect("with", "before the mutex to release")
                return x.Wait(condition_variable, self._use("a mutex"), self._span_since(start))
            case "notify" | "notify_all":
                cursor.take()
                return x.Notify(self._use("a condition"), start.text == "notify_all", self._span_since(start))
            case "call":
                return self._call()
            case _:
                raise cursor.wrong("expected a statement or `}`")

    def _span_since(self, start: Token) -> Span:
        return start.span.to(self._cursor.previous.span)

    def _use(self, what: str) -> x.Use:
        token = self._cursor.name(what)
        return x.Use(token.text, token.span)

    def _access(self) -> x.Statement:
        """`l <- x`, `l -> x`, `1 -> x` or `v := e`."""
        cursor = self._cursor
        start = cursor.next
        if start.group != "name":
            value: x.Expr = self._literal()
            if not cursor.sees("->"):
                raise cursor.wrong("expected `->` and the variable to store to")
        else:
            value = self._use("a variable")
            if cursor.accept(":="):
                return x.Assign(value, expression(cursor), self._span_since(start))
            if cursor.accept("<-"):
                location = self._use("a global variable")
                return x.LoadFrom(value, location, self._ordering(), self._span_since(start))
        if not cursor.accept("->"):
            raise cursor.wrong("expected `:=`, `<-` (load) or `->` (store)")
        location = self._use("a global variable")
        return x.StoreTo(value, location, self._ordering(), self._span_since(start))

    def _literal(self) -> x.Literal:
        cursor = self._cursor
        start = cursor.next
        if cursor.sees("true", "false"):
            return x.Literal(int(cursor.take().text == "true"), x.Type.BOOL, start.span)
        return x.Literal(cursor.integer("a number"), x.Type.INT, self._span_since(start))

    def _ordering(self) -> x.Ordering:
        if self._cursor.sees(*_ORDERINGS):
            return _ORDERINGS[self._cursor.take().text]
        return x.Ordering.RELAXED

    def _havoc(self) -> x.Havoc:
        cursor = self._cursor
        start = cursor.take()
        target = self._use("a variable")
        low = high = None
        if cursor.accept("in"):
            low = expression(cursor)
            cursor.expect("..", "between the least and the greatest value")
            high = expression(cursor)
        return x.Havoc(target, low, high, self._span_since(start))

    def _fence(self) -> x.FenceOf:
        cursor = self._cursor
        start = cursor.take()
        tags: list[str] = []
        while cursor.accept("["):
            if cursor.next.group == "string":
                tags.append(cursor.take().text[1:-1])
            else:
                tags.append(cursor.name("a tag").text)
            cursor.expect("]", "after the tag")
        return x.FenceOf(tuple(tags), self._span_since(start))

    def _call(self) -> x.Call:
        cursor = self._cursor
        start = cursor.take()
        name = cursor.name("a procedure").text
        cursor.expect("(", "before the arguments")
        arguments: list[x.Expr] = []
        while not cursor.sees(")"):
            arguments.append(expression(cursor))
            if not cursor.accept(","):
                break
        cursor.expect(")", "after the arguments")
        return x.Call(name, tuple(arguments), self._span_since(start))


def _main(name: str, variables: tuple[x.Variable, ...], body: _Body, span: Span) -> x.Procedure:
    return x.Procedure(
        name=name,
        is_main=True,
        parameters=(),
        variables=variables,
        locations=tuple(body.locations),
        transitions=tuple(body.transitions),
        span=span,
    )
