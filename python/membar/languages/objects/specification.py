"""Specifications: a state, and operations that take one step each."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.objects.expressions import expression, number, several
from membar.languages.objects.scope import Scope, unknown
from membar.languages.objects.tokens import Words
from membar.objects.syntax import AbstractOperation
from membar.objects.terms import TRUE, Choice, Space, Term, Variable, conjunction
from membar.records import field, record
from membar.source import Span


def specification(words: Words, scope: Scope) -> None:
    """Reads `{ state …; operation … }` into the scope."""
    words.expect("{", "after `specification`")
    while words.accept("state"):
        while True:
            token = words.name("a variable of the specification")
            scope.state[scope.fresh(token)] = number(words, "its value") if words.accept("=") else 0
            if not words.accept(","):
                break
        words.expect(";", "after the state")
    while words.sees("operation"):
        start = words.take().span
        token = words.name("the operation's name")
        if token.text not in scope.operations:
            raise unknown("operation", token, scope.operations)
        if token.text in scope.abstract:
            raise error("W1303", f"`{token.text}` is specified twice", token.span)
        found = _Reader(scope, words, token.text).read(start)
        concrete = scope.operations[token.text]
        if len(found.parameters) != len(concrete.parameters):
            message = f"`{token.text}` has {len(concrete.parameters)} parameters, not {len(found.parameters)}"
            raise error("W1308", message, token.span)
        if len(found.results) != concrete.results:
            message = f"`{token.text}` returns {concrete.results} values, not {len(found.results)}"
            raise error("W1308", message, token.span)
        scope.abstract[token.text] = found
    words.expect("}", "after the specification")
    scope.has_specification = True


@record(slots=True)
class _Reader:
    """Reads one operation; what its statements make of the state is composed on the way."""

    scope: Scope
    words: Words
    name: str
    parameters: list[str] = field(default_factory=list)
    _now: dict[str, Term] = field(default_factory=dict)
    _guards: list[Term] = field(default_factory=list)

    def read(self, start: Span) -> AbstractOperation:
        words = self.words
        words.expect("(", "after the operation's name")
        while not words.sees(")"):
            self.parameters.append(self.scope.fresh(words.name("a parameter"), self.parameters))
            if not words.accept(","):
                break
        words.expect(")", "after the parameters")
        words.expect("{", "before the operation")
        self._now = {name: Variable(Space.ABSTRACT, name) for name in self.scope.state}
        results: tuple[Term, ...] = ()
        while not words.sees("}"):
            if words.accept("return"):
                results = self._results()
                words.expect(";", "after `return`")
                break
            self._statement(TRUE)
        end = words.expect("}", "after the operation: `return` comes last").span
        return AbstractOperation(
            name=self.name,
            parameters=tuple(self.parameters),
            guard=conjunction(tuple(self._guards)),
            updates=tuple(
                (name, value) for name, value in self._now.items() if value != Variable(Space.ABSTRACT, name)
            ),
            results=results,
            span=start.to(end),
        )

    def _results(self) -> tuple[Term, ...]:
        words = self.words
        if words.sees(";"):
            return ()
        if words.sees("("):
            mark = words.mark
            found = several(words, self._leaf)
            if words.sees(";"):
                return found
            words.back_to(mark)
        return (expression(words, self._leaf),)

    def _statement(self, condition: Term) -> None:
        words = self.words
        if words.accept("await"):
            words.expect("(", "before the condition")
            if condition != TRUE:
                raise error(
                    "W1307", "`await` inside `if`", words.previous.span, "an operation waits at its start"
                )
            self._guards.append(expression(words, self._leaf))
            words.expect(")", "after the condition")
            words.expect(";", "after `await`")
            return
        if words.accept("if"):
            words.expect("(", "before the condition")
            inner = expression(words, self._leaf)
            words.expect(")", "after the condition")
            self._conditional(inner)
            return
        token = words.name("a variable of the specification")
        if token.text not in self.scope.state:
            raise unknown("variable of the specification", token, self.scope.state)
        words.expect("=", f"after `{token.text}`")
        self._now[token.text] = expression(words, self._leaf)
        words.expect(";", "after the assignment")

    def _conditional(self, condition: Term) -> None:
        before = dict(self._now)
        self._block(condition)
        then = self._now
        self._now = dict(before)
        if self.words.accept("else"):
            self._block(condition)
        for name, value in then.items():
            if value != self._now[name]:
                self._now[name] = Choice(condition, value, self._now[name])

    def _block(self, condition: Term) -> None:
        if not self.words.accept("{"):
            self._statement(condition)
            return
        while not self.words.sees("}"):
            self._statement(condition)
        self.words.take()

    def _leaf(self, words: Words) -> Term:
        token = words.name("a variable or number")
        if token.text in self.parameters:
            return Variable(Space.LOCAL, token.text, self.name)
        if token.text in self._now:
            return self._now[token.text]
        raise unknown("variable", token, [*self.parameters, *self._now])
