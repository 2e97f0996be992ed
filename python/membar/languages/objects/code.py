"""Operations as code: declarations of locals and statements."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.objects.expressions import expression, several
from membar.languages.objects.lines import LineWriter, Mark
from membar.languages.objects.scope import Scope, unknown
from membar.languages.objects.tokens import Words
from membar.objects import syntax as o
from membar.objects import terms as t
from membar.records import field, record
from membar.source import Span
from membar.text.tokens import Token

_RMW = {kind.value: kind for kind in o.RmwKind}
_OPERANDS = {o.RmwKind.CAS: 2, o.RmwKind.SWAP: 1, o.RmwKind.FETCH_ADD: 1}
_STEPS = {"++": t.BinaryOp.ADD, "--": t.BinaryOp.SUB, "+=": t.BinaryOp.ADD, "-=": t.BinaryOp.SUB}


@record(frozen=True, slots=True)
class _Access:
    """The one access to memory of an expression, which stands as `Loaded` in it."""

    location: o.Location
    rmw: tuple[o.RmwKind, tuple[t.Term, ...]] | None
    span: Span


@record(slots=True)
class OperationReader:
    """Reads one operation, from its parameters on."""

    scope: Scope
    words: Words
    name: str
    parameters: list[str] = field(default_factory=list)
    locals: list[str] = field(default_factory=list)
    results: int | None = None
    _access: _Access | None = None
    _writer: LineWriter = field(init=False)

    def __post_init__(self) -> None:
        self._writer = LineWriter(self.name, self.scope.labels)

    def read(self, start: Span) -> o.Operation:
        """The operation; the cursor is behind its name.

        Raises:
            InputError: with the first problem.
        """
        words = self.words
        words.expect("(", "after the operation's name")
        self._names(self.parameters, "a parameter", until=")")
        words.expect(")", "after the parameters")
        requires: t.Term = t.TRUE
        if words.accept("requires"):
            requires = self._without_memory("a precondition")
        words.expect("{", "before the operation's lines")
        while words.accept("local"):
            self._names(self.locals, "a local variable", until=";")
            words.expect(";", "after the local variables")
        while not words.sees("}"):
            self._statement(0)
        end = words.take().span
        return o.Operation(
            name=self.name,
            parameters=tuple(self.parameters),
            locals=tuple(self.locals),
            requires=requires,
            lines=self._writer.finish(end),
            results=self.results or 0,
            span=start.to(end),
        )

    def _names(self, names: list[str], what: str, *, until: str) -> None:
        while not self.words.sees(until):
            token = self.words.name(what)
            names.append(self.scope.fresh(token, self.parameters, self.locals))
            if not self.words.accept(","):
                break

    # Expressions

    def _leaf(self, words: Words) -> t.Term:
        if words.next.text in _RMW and words.next.group == "keyword":
            return self._rmw()
        token = words.name("a variable or number")
        if token.text in self.parameters or token.text in self.locals:
            return t.Variable(t.Space.LOCAL, token.text, self.name)
        if token.text in self.scope.private:
            return t.Variable(t.Space.PRIVATE, token.text)
        if token.text in self.scope.shared:
            return self._record_access(
                _Access(self._location(token), None, token.span.to(words.previous.span))
            )
        known = [*self.parameters, *self.locals, *self.scope.private, *self.scope.shared]
        raise unknown("variable", token, known)

    def _record_access(self, access: _Access) -> t.Term:
        if self._access is not None:
            raise error(
                "W1306",
                "two accesses to shared memory in one step",
                access.span,
                "load one of them into a local variable first",
            )
        self._access = access
        return t.Loaded()

    def _location(self, token: Token) -> o.Location:
        declared = self.scope.shared[token.text]
        if declared.size is None:
            if self.words.sees("["):
                raise error("W1307", f"`{token.text}` is not an array", token.span, "it has no elements")
            return o.Location(token.text)
        self.words.expect("[", f"after the array `{token.text}`")
        index = self._without_memory("the index of an array")
        self.words.expect("]", "after the index")
        return o.Location(token.text, index)

    def _rmw(self) -> t.Term:
        word = self.words.take()
        kind = _RMW[word.text]
        self.words.expect("(", f"after `{word.text}`")
        place = self.words.name("a shared variable")
        if place.text not in self.scope.shared:
            raise unknown("shared variable", place, self.scope.shared)
        location = self._location(place)
        operands: list[t.Term] = []
        while self.words.accept(","):
            operands.append(self._without_memory(f"an operand of `{word.text}`"))
        self.words.expect(")", f"after the operands of `{word.text}`")
        span = word.span.to(self.words.previous.span)
        if len(operands) != _OPERANDS[kind]:
            raise error(
                "W1308",
                f"`{word.text}` takes a shared variable and {_OPERANDS[kind]} values, not {len(operands)}",
                span,
            )
        return self._record_access(_Access(location, (kind, tuple(operands)), span))

    def _without_memory(self, what: str) -> t.Term:
        outside, self._access = self._access, None
        start = self.words.next.span
        term = expression(self.words, self._leaf)
        if self._access is not None:
            raise error("W1306", f"{what} cannot read shared memory", start.to(self.words.previous.span))
        self._access = outside
        return term

    def _expression(self) -> tuple[t.Term, _Access | None]:
        self._access = None
        term = expression(self.words, self._leaf)
        access, self._access = self._access, None
        return term, access

    def _emit_access(
        self, term: t.Term, access: _Access | None, span: Span, into: str | None = None
    ) -> t.Term:
        """The term over locals only, after lines that do its access; `into` is where the value may go."""
        if access is None:
            return term
        if access.rmw is None:
            target = into or self._fresh_local()
            self._writer.emit(o.Load(target, access.location, term), span)
            return t.Variable(t.Space.LOCAL, target, self.name)
        target = into if into is not None and term == t.Loaded() else self._fresh_local()
        kind, operands = access.rmw
        self._writer.emit(o.Rmw(kind, access.location, operands, target), span)
        value = t.Variable(t.Space.LOCAL, target, self.name)
        return t.replace_subterms(term, lambda part: value if part == t.Loaded() else None)

    def _fresh_local(self) -> str:
        number = 1
        while f"t{number}" in (*self.locals, *self.parameters) or f"t{number}" in self.scope.used_names:
            number += 1
        self.locals.append(f"t{number}")
        return f"t{number}"

    # Statements

    def _statement(self, depth: int) -> None:
        words = self.words
        if depth > 40:
            raise error("W1311", "statements are nested too deeply", words.next.span)
        self._labels()
        start = words.next
        match start.text if start.group in ("keyword", "sign") else "":
            case "{":
                words.take()
                while not words.sees("}"):
                    self._statement(depth + 1)
                words.take()
            case "if":
                self._if(depth)
            case "while":
                self._while(depth)
            case "do":
                self._do(depth)
            case "goto":
                words.take()
                self._writer.emit(None, start.span, then=self._writer.label_mark(self._label_word()))
                self._end()
            case "await":
                self._await()
            case "return":
                self._return()
            case "fence" | "cfence":
                self._fence()
            case "skip":
                words.take()
                self._end()
            case "cas" | "swap" | "fetch_add":
                self._call_statement()
            case _:
                self._assignment()

    def _labels(self) -> None:
        words = self.words
        while words.next.group in ("number", "label", "name") and words.ahead().text == ":":
            self._writer.label(words.take())
            words.take()

    def _label_word(self) -> Token:
        if self.words.next.group not in ("number", "label", "name"):
            raise self.words.wrong("expected the label of a line")
        return self.words.take()

    def _end(self) -> Span:
        return self.words.expect(";", "at the end of the statement").span

    def _condition(self) -> tuple[t.Term, _Access | None, Span]:
        start = self.words.expect("(", "before the condition").span
        term, access = self._expression()
        end = self.words.expect(")", "after the condition").span
        return term, access, start.to(end)

    def _branch(
        self,
        condition: tuple[t.Term, _Access | None, Span],
        *,
        then: Mark | None = None,
        otherwise: Mark | None = None,
    ) -> None:
        """Goes to one of two places; None is the next line."""
        term, access, span = condition
        plain = self._emit_access(term, access, span)
        if isinstance(plain, t.Number):
            self._writer.emit(None, span, then=then if plain.value else otherwise)
        else:
            other = otherwise or self._writer.mark()
            place = then or self._writer.mark()
            self._writer.emit(o.Branch(plain), span, then=place, otherwise=other)
            for mark, given in ((place, then), (other, otherwise)):
                if given is None:
                    self._writer.place(mark)

    def _if(self, depth: int) -> None:
        self.words.take()
        behind, end = self._writer.mark(), self._writer.mark()
        self._branch(self._condition(), otherwise=behind)
        self._statement(depth + 1)
        if self.words.sees("else"):
            span = self.words.take().span
            self._writer.emit(None, span, then=end)
            self._writer.place(behind)
            self._statement(depth + 1)
        else:
            self._writer.place(behind)
        self._writer.place(end)

    def _while(self, depth: int) -> None:
        span = self.words.take().span
        head, behind = self._writer.here(), self._writer.mark()
        self._branch(self._condition(), otherwise=behind)
        self._statement(depth + 1)
        self._writer.emit(None, span, then=head)
        self._writer.place(behind)

    def _do(self, depth: int) -> None:
        self.words.take()
        head = self._writer.here()
        self._statement(depth + 1)
        self._labels()
        self.words.expect("while", "after the body of `do`")
        self._branch(self._condition(), then=head)
        self._end()

    def _await(self) -> None:
        self.words.take()
        head = self._writer.here()
        term, access, span = self._condition()
        self._branch((t.negation(term), access, span), then=head)
        self._end()

    def _return(self) -> None:
        start = self.words.take().span
        values: tuple[t.Term, ...] = ()
        access: _Access | None = None
        if self.words.sees("("):
            mark = self.words.mark
            values, access = self._several()
            if not self.words.sees(";"):  # it was one value that begins with a bracket
                self.words.back_to(mark)
                value, access = self._expression()
                values = (value,)
        elif not self.words.sees(";"):
            value, access = self._expression()
            values = (value,)
        span = start.to(self._end())
        if self.results is not None and self.results != len(values):
            message = f"this returns {len(values)} values, another line {self.results}"
            raise error("W1308", message, span)
        self.results = len(values)
        done = tuple(
            self._emit_access(value, access if t.Loaded() in t.subterms(value) else None, span)
            for value in values
        )
        self._writer.emit(o.Return(done), span)

    def _several(self) -> tuple[tuple[t.Term, ...], _Access | None]:
        self._access = None
        found = several(self.words, self._leaf)
        access, self._access = self._access, None
        return found, access

    def _fence(self) -> None:
        word = self.words.take()
        kind = o.FenceKind.CONTROL if word.text == "cfence" else o.FenceKind.FULL
        if kind is o.FenceKind.FULL and self.words.accept("."):
            if not self.words.sees_word("st"):
                raise self.words.wrong("expected `st`: fences are `fence`, `fence.st` and `cfence`")
            self.words.take()
            kind = o.FenceKind.STORE
        self._writer.emit(o.Fence(kind), word.span.to(self._end()))

    def _call_statement(self) -> None:
        start = self.words.next.span
        _, access = self._expression()
        span = start.to(self._end())
        if access is None or access.rmw is None:
            raise error("W1302", "the expression has no effect", span, "expected a statement")
        kind, operands = access.rmw
        self._writer.emit(o.Rmw(kind, access.location, operands), span)

    def _assignment(self) -> None:
        words = self.words
        token = words.name("a statement")
        if token.text in self.scope.shared:
            location = self._location(token)
            value, access = self._assigned_value(t.Loaded(), location, token)
            span = token.span.to(self._end())
            plain = self._emit_access(value, access, span)
            self._writer.emit(o.Store(location, plain), span)
            return
        if token.text in self.parameters:
            message = f"an assignment to the parameter `{token.text}`"
            label = "parameters are constant: copy it into a local variable first"
            raise error("W1320", message, token.span, label)
        own = token.text in self.locals
        if not own and token.text not in self.scope.private:
            known = [*self.parameters, *self.locals, *self.scope.private, *self.scope.shared]
            raise unknown("variable", token, known)
        space = (
            t.Variable(t.Space.LOCAL, token.text, self.name)
            if own
            else t.Variable(t.Space.PRIVATE, token.text)
        )
        value, access = self._assigned_value(space, None, token)
        span = token.span.to(self._end())
        self._assign(token.text, value, access, span, private=not own)

    def _assign(self, name: str, value: t.Term, access: _Access | None, span: Span, *, private: bool) -> None:
        plain = self._emit_access(value, access, span, into=None if private else name)
        if access is not None and plain == t.Variable(t.Space.LOCAL, name, self.name):
            return
        action: o.Action = o.Assign(name, plain, private)
        self._writer.emit(action, span)

    def _assigned_value(
        self, old: t.Term, place: o.Location | None, token: Token
    ) -> tuple[t.Term, _Access | None]:
        """What is assigned, with its access; `old` is the value before, for `++` and the like."""
        words = self.words
        if sign := words.accept("++", "--", "+=", "-="):
            access = None if place is None else _Access(place, None, token.span)
            amount: t.Term = t.Number(1)
            if sign.text in ("+=", "-="):
                amount = self._without_memory(f"the right side of `{sign.text}`")
            return t.Binary(_STEPS[sign.text], old, amount), access
        words.expect("=", f"after `{token.text}`")
        return self._expression()
