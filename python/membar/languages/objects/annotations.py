"""Annotations: abstraction, linearization points, invariants about one thread and about two."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.objects.expressions import expression, several
from membar.languages.objects.scope import Scope, unknown
from membar.languages.objects.tokens import Words
from membar.objects import terms as t
from membar.objects.algebra import term_text
from membar.objects.syntax import Claim, Line, LinearizationPoint, Load, Operation, Rmw, Store
from membar.records import record, replace
from membar.source import Span
from membar.text.tokens import Token

_OF_CONTROL = (
    t.At, t.Pending, t.PendingValue, t.PendingCount, t.StoredBefore, t.ForEach, t.Sees, t.Linearized,
    t.Promised, t.Deferred, t.DeferredResult
)  # fmt: skip


@record(frozen=True, slots=True)
class AnnotationReader:
    """Reads formulas.

    Attributes:
        operation: whose locals go without its name.
        abstract, two: what may occur.
        store: what `forall` calls a pending store, and whose store it is.
    """

    scope: Scope
    words: Words
    operation: str = ""
    abstract: bool = False
    two: bool = False
    store: tuple[str, Operation] | None = None

    def claims(self, *, by_line: bool) -> tuple[Claim, ...]:
        """`FORMULA;` or `{ FORMULA; … }`, where `by_line` each with `at LINES:` before it, if wanted."""
        if not self.words.accept("{"):
            return (self._claim(by_line=by_line),)
        found: list[Claim] = []
        while not self.words.sees("}"):
            found.append(self._claim(by_line=by_line))
        self.words.take()
        return tuple(found)

    def _claim(self, *, by_line: bool) -> Claim:
        start = self.words.next.span
        lines = None
        if by_line and self.words.sees("at") and self.words.ahead().text != "(":
            self.words.take()
            lines = self.lines(":")
            self.words.expect(":", "after the lines")
        formula = self.formula()
        self._fitting(formula, start.to(self.words.previous.span))
        return Claim(formula, start.to(self.words.expect(";", "after the formula").span), lines)

    def _fitting(self, formula: t.Term, span: Span) -> None:
        """Abs speaks of memory and the specification, Inv of memory and a thread, D of two threads alone."""
        for part in t.subterms(formula):
            if self.abstract and (_is_thread(part) or isinstance(part, t.Sees)):
                raise error("W1307", "`abstraction` cannot mention threads", span)
            if self.two and _is_memory(part):
                raise error("W1307", "`between` cannot mention memory", span, "other threads can change it")
            if not self.abstract and isinstance(part, t.Variable) and part.space is t.Space.ABSTRACT:
                raise error("W1307", f"`{part.name}` belongs to the specification", span)

    def formula(self) -> t.Term:
        return expression(self.words, self._leaf)

    def lines(self, until: str) -> frozenset[str]:
        """Lines up to a sign, such as `1, 3..5, idle, write`: an operation stands for all of its lines."""
        order = self.scope.order_of_lines()
        found: set[str] = set()
        while not self.words.sees(until):
            first = self._line()
            if first.text in self.scope.operations and first.text not in self.scope.labels:
                found |= {line for line, owner in self.scope.labels.items() if owner == first.text}
            elif self.words.accept(".."):
                last = self._line()
                low, high = order.index(first.text), order.index(last.text)
                if low > high:
                    raise error("W1305", "a range of lines in reverse order", first.span.to(last.span))
                found |= set(order[low : high + 1])
            else:
                found.add(first.text)
            if not self.words.accept(","):
                break
        return frozenset(found)

    def _line(self) -> Token:
        words = self.words
        if words.sees(t.IDLE):
            return words.take()
        if words.next.group not in ("number", "label", "name"):
            raise words.wrong("expected the label of a line, or the name of an operation")
        token = words.take()
        if token.text not in self.scope.labels and token.text not in self.scope.operations:
            raise unknown("line", token, self.scope.labels, code="W1305")
        if words.sees("..") and token.text not in self.scope.labels:
            raise unknown("line", token, self.scope.labels, code="W1305")
        return token

    def _leaf(self, words: Words) -> t.Term:
        if words.sees_word("forall") and words.ahead().group == "name":
            return self._forall()
        return t.of_other(self._own(words)) if self._of_other() else self._own(words)

    def _of_other(self) -> bool:
        """Whether `other.` comes, which is taken."""
        words = self.words
        if not words.accept("other"):
            return False
        if not self.two:
            raise error(
                "W1307",
                "`other` outside `between`",
                words.previous.span,
                "only `between` is about two threads",
            )
        words.expect(".", "after `other`")
        return True

    def _own(self, words: Words) -> t.Term:
        if words.accept("at", "in"):
            words.expect("(", "before the lines")
            lines = self.lines(")")
            words.expect(")", "after the lines")
            return t.At(lines)
        if words.accept("pending"):
            return self._pending()
        if words.accept("deferred"):
            return self._deferred_term()
        if words.sees_word("newest") and words.ahead().text == "(":
            words.take()
            line, operation = self._storing()
            words.expect(".", "after the line")
            return t.PendingValue(line, self._field(operation), which=t.PendingStore.NEWEST)
        if words.sees_word("ahead") and words.ahead().text == "(":
            return self._ahead()
        if words.accept("linearized"):
            return t.Promised(self._result()) if words.accept(".") else t.Linearized()
        if words.accept("sees"):
            words.expect("(", "after `sees`")
            token = words.name("a shared variable")
            if token.text not in self.scope.shared:
                raise unknown("shared variable", token, self.scope.shared)
            if self.scope.shared[token.text].size is not None:
                raise error(
                    "W1307", "`sees` of an array", token.span, "expected a variable that is not an array"
                )
            words.expect(")", "after the variable")
            return t.Sees(token.text)
        return self._name(words.name("a variable, a line or a number"))

    def _storing(self) -> tuple[str, Operation]:
        """A line that stores, between brackets, and its operation."""
        self.words.expect("(", f"after `{self.words.previous.text}`")
        line = self._line()
        self.words.expect(")", "after the line")
        return line.text, self._operation_of(line)

    def _operation_of(self, line: Token) -> Operation:
        """The operation that a line belongs to, which could be pending."""
        operation = self.scope.operations.get(self.scope.labels.get(line.text, ""))
        if operation is None:
            raise error("W1307", f"`{line.text}` is not a line that can be pending", line.span)
        return operation

    def _field(self, operation: Operation) -> str | None:
        """What is kept for a pending store: its value (None), a parameter or a result of its operation."""
        name = self.words.name("`value`, or a parameter of the operation")
        if name.text == "value":
            return None
        if name.text in operation.parameters:
            return name.text
        results = [f"result{number + 1}" for number in range(operation.results)]
        if name.text not in results:
            raise unknown("parameter", name, ["value", *operation.parameters, *results])
        return name.text.replace("result", "@")

    def _pending(self) -> t.Term:
        line, operation = self._storing()
        if not self.words.accept("."):
            return t.Pending(line)
        if self.words.sees_word("count"):
            self.words.take()
            return t.PendingCount(line)
        return t.PendingValue(line, self._field(operation))

    def _ahead(self) -> t.Term:
        """`ahead(LINE, LINE)`."""
        self.words.take()
        self.words.expect("(", "after `ahead`")
        first = self._line()
        self.words.expect(",", "between the lines")
        second = self._line()
        self.words.expect(")", "after the lines")
        for line in (first, second):
            self._operation_of(line)
        return t.StoredBefore(first.text, second.text)

    def _forall(self) -> t.Term:
        """`forall STORE in pending(LINE): FORMULA`."""
        words = self.words
        start = words.take().span
        if self.store is not None:
            raise error("W1307", "`forall` inside `forall`", start, "each quantifies over one store")
        name = words.name("a name for the store")
        if name.text in {*self.scope.operations, *self.scope.defines}:
            raise error("W1303", f"`{name.text}` is already declared", name.span, "choose another name")
        words.expect("in", "after the name")
        is_other = self._of_other()
        words.expect("pending", "before the line")
        line, operation = self._storing()
        words.expect(":", "before the formula")
        body = replace(self, store=(name.text, operation)).formula()
        return t.ForEach(line, name.text, body, t.VariableOwner.OTHER if is_other else t.VariableOwner.SELF)

    def _deferred_term(self) -> t.Term:
        line, operation = self._storing()
        if not self.words.accept("."):
            return t.Deferred(line)
        if not self.words.next.text.startswith("result"):
            return t.PendingValue(line, self._field(operation), which=t.PendingStore.AWAITED)
        return t.DeferredResult(line, self._result())

    def _result(self) -> int:
        """`result1`, `result2`, …."""
        name = self.words.name("`result1`, `result2`, …")
        number = name.text.removeprefix("result")
        if not number.isdecimal() or number == name.text:
            raise error("W1302", f"unexpected {name}", name.span, "expected `result1`, `result2`, …")
        most = max((operation.results for operation in self.scope.operations.values()), default=0)
        if len(number) > len(str(most)) or not 1 <= int(number) <= most:
            raise error(
                "W1308",
                f"no operation returns a `{name.text}`",
                name.span,
                f"operations return at most {most} results",
            )
        return int(number)

    def _name(self, token: Token) -> t.Term:
        scope, words = self.scope, self.words
        if self.store is not None and token.text == self.store[0]:
            words.expect(".", f"after `{token.text}`")
            return t.Bound(token.text, self._field(self.store[1]))
        if token.text in scope.operations and words.accept("."):
            operation = scope.operations[token.text]
            name = words.name("a variable of the operation")
            if name.text not in (*operation.parameters, *operation.locals):
                raise unknown("variable", name, [*operation.parameters, *operation.locals])
            return t.Variable(t.Space.LOCAL, name.text, token.text)
        if token.text in scope.defines:
            return scope.defines[token.text]
        if token.text in scope.shared:
            return self._shared_term(token)
        if token.text in scope.private:
            return t.Variable(t.Space.PRIVATE, token.text)
        if token.text in scope.state:
            if not self.abstract:
                raise error(
                    "W1307",
                    f"`{token.text}` belongs to the specification",
                    token.span,
                    "only in `abstraction`",
                )
            return t.Variable(t.Space.ABSTRACT, token.text)
        return self._local(token)

    def _shared_term(self, token: Token) -> t.Term:
        if self.scope.shared[token.text].size is None:
            return t.Variable(t.Space.SHARED, token.text)
        self.words.expect("[", f"after the array `{token.text}`")
        index = expression(self.words, self._leaf)
        self.words.expect("]", "after the index")
        return t.Element(token.text, index)

    def _local(self, token: Token) -> t.Term:
        owners = [
            operation.name
            for operation in self.scope.operations.values()
            if token.text in (*operation.parameters, *operation.locals)
        ]
        if self.operation in owners:
            owners = [self.operation]
        if len(owners) == 1:
            return t.Variable(t.Space.LOCAL, token.text, owners[0])
        if not owners:
            known = [*self.scope.shared, *self.scope.private, *self.scope.state, *self.scope.defines]
            raise unknown("variable", token, known)
        raise error(
            "W1304",
            f"`{token.text}` is a variable of several operations",
            token.span,
            f"write {' or '.join(f'{owner}.{token.text}' for owner in owners)}",
        )


def _is_thread(part: t.Term) -> bool:
    if isinstance(part, t.Variable):
        return part.space in (t.Space.LOCAL, t.Space.PRIVATE)
    return isinstance(part, _OF_CONTROL) and not isinstance(part, t.Sees)


def _is_memory(part: t.Term) -> bool:
    return isinstance(part, t.Sees | t.Element) or (
        isinstance(part, t.Variable) and part.space is t.Space.SHARED
    )


def point(words: Words, scope: Scope) -> LinearizationPoint:
    """`OPERATION at LINE [when FORMULA] [returning (VALUES)];`."""
    name = words.name("the operation's name")
    if name.text not in scope.operations:
        raise unknown("operation", name, scope.operations)
    operation = scope.operations[name.text]
    words.expect("at", "after the operation")
    line = words.take()
    found = next((each for each in operation.lines if each.label == line.text), None)
    if found is None:
        raise unknown(f"line of `{name.text}`", line, [each.label for each in operation.lines], code="W1305")
    reader = AnnotationReader(scope, words, operation=name.text)
    when: t.Term = t.TRUE
    if words.accept("when"):
        start = words.next.span
        when = _with_loaded(reader.formula(), found)
        _of_one_step(when, "when", name.text, start.to(words.previous.span))
    if isinstance(found.action, Store) and any(_is_memory(part) for part in t.subterms(when)):
        message = "`when` of a line that stores cannot mention memory"
        raise error("W1307", message, line.span, "the store reaches memory later")
    results = None
    if words.accept("returning"):
        start = words.next.span
        results = several(words, reader._leaf)  # noqa: SLF001 - the same reader, several times
        span = start.to(words.previous.span)
        for result in results:
            _of_one_step(result, "returning", name.text, span)
        if len(results) != operation.results:
            message = f"`{name.text}` returns {operation.results} values, not {len(results)}"
            raise error("W1308", message, span)
    end = words.expect(";", "after the linearization point").span
    return LinearizationPoint(
        operation=name.text, line=line.text, when=when, results=results, span=name.span.to(end)
    )


def _with_loaded(formula: t.Term, line: Line) -> t.Term:
    """The formula in which the name of what the line loads is the loaded value."""
    if not isinstance(line.action, Load | Rmw):
        return formula
    location = line.action.location
    name: t.Term = t.Variable(t.Space.SHARED, location.name)
    if location.index is not None:
        name = t.Element(location.name, location.index)
    return t.replace_subterms(formula, lambda part: t.Loaded() if part == name else None)


def _of_one_step(formula: t.Term, word: str, operation: str, span: Span) -> None:
    """`when` and `returning` speak of the step: of the operation's own variables, private ones and memory.

    Raises:
        InputError: of something else.
    """
    for part in t.subterms(formula):
        match part:
            case t.Element(name=name):
                label = "load it into a local variable first"
                raise error("W1307", f"`{word}` cannot mention an element of `{name}`", span, label)
            case t.Variable(space=t.Space.ABSTRACT, name=name):
                raise error("W1307", f"`{name}` belongs to the specification", span, "only in `abstraction`")
            case t.Variable(space=t.Space.LOCAL, operation=owner, name=name) if owner != operation:
                raise error("W1307", f"`{owner}.{name}` is not a variable of `{operation}`", span)
            case _ if isinstance(part, _OF_CONTROL):
                label = "only variables in this step are allowed"
                raise error("W1307", f"`{word}` cannot mention `{term_text(part)}`", span, label)
            case _:
                pass
