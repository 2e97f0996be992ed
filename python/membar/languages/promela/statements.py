"""Statements and declarations of Promela."""

from __future__ import annotations

from membar.diagnostics import InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.expressions import C_WORDS, Expressions, embedded_c
from membar.languages.promela.inlines import label_of
from membar.languages.promela.tokens import Cursor
from membar.source import Span

SIMPLE_TYPES = {kind.value: kind for kind in p.Type if kind is not p.Type.RECORD}
_ONE = 1
_DEEPEST = 60


class Statements:
    """Reads statements and declarations; `records` are the names of `typedef`s, as far as they are known."""

    def __init__(self, cursor: Cursor, records: set[str], processes: frozenset[str]) -> None:
        self._cursor = cursor
        self._records = records
        self._processes = processes
        self._values = Expressions(cursor, processes)
        self._depth = 0
        self._result: p.Use | None = None  # what `return` assigns to

    # Declarations

    def starts_declaration(self) -> bool:
        """Whether variables are declared here."""
        cursor = self._cursor
        if cursor.sees("hidden", "local", "show"):
            return True
        if cursor.sees("mtype"):
            after = 3 if cursor.ahead().text == ":" else 1
            return cursor.ahead(after).text not in ("=", "{")
        is_record = cursor.sees_word(*self._records) and cursor.ahead().group == "name"
        return cursor.sees(*SIMPLE_TYPES) or is_record

    def declaration(self) -> tuple[p.Variable, ...]:
        """`byte x = 1, a[3];`, without the semicolon."""
        cursor = self._cursor
        while cursor.accept("hidden", "local", "show"):
            pass
        kind, record = self.type()
        variables = [self._variable(kind, record)]
        while cursor.accept(","):
            variables.append(self._variable(kind, record))
        return tuple(variables)

    def type(self) -> tuple[p.Type, str]:
        """A type, and the name of its record."""
        cursor = self._cursor
        if cursor.sees_word(*self._records):
            return p.Type.RECORD, cursor.take().text
        if not cursor.sees(*SIMPLE_TYPES):
            raise cursor.wrong("expected a type")
        kind = SIMPLE_TYPES[cursor.take().text]
        if kind is p.Type.MTYPE and cursor.accept(":"):
            cursor.name("the name of a kind of mtype")
        return kind, ""

    def _variable(self, kind: p.Type, record: str) -> p.Variable:
        cursor = self._cursor
        token = cursor.name("the name of a variable")
        width = 0
        if kind is p.Type.UNSIGNED:
            cursor.expect(":", "and the number of bits")
            width = cursor.natural("the number of bits")
            if not 1 <= width <= 31:
                raise error(
                    "W0705",
                    f"an unsigned variable cannot have {width} bits",
                    cursor.previous.span,
                    "expected 1 to 31",
                )
        count: p.Expr | None = None
        if cursor.accept("["):
            count = self._values.expression()
            cursor.expect("]", "after the number of elements")
        initial: p.Expr | p.Listed | p.ChannelShape | None = None
        if cursor.accept("="):
            initial = self._shape() if kind is p.Type.CHAN and cursor.sees("[") else self._initial()
        return p.Variable(
            name=token.text,
            type=kind,
            span=token.span,
            width=width,
            record=record,
            count=count,
            initial=initial,
        )

    def _initial(self) -> p.Expr | p.Listed:
        cursor = self._cursor
        start = cursor.accept("{")
        if start is None:
            return self._values.expression()
        values = [self._values.expression()]
        while cursor.accept(","):
            values.append(self._values.expression())
        cursor.accept(";")  # the end of a line
        cursor.expect("}", "after the initial values")
        return p.Listed(tuple(values), cursor.since(start.span))

    def _shape(self) -> p.ChannelShape:
        cursor = self._cursor
        start = cursor.take().span
        capacity = self._values.expression()
        cursor.expect("]", "after the number of messages")
        cursor.expect("of", "before the types of a message")
        cursor.expect("{", "before the types of a message")
        fields: list[tuple[p.Type, int, str]] = []
        while True:
            kind, record = self.type()
            width = 0
            if kind is p.Type.UNSIGNED and cursor.accept(":"):
                width = cursor.natural("the number of bits")
            fields.append((kind, width or (31 if kind is p.Type.UNSIGNED else 0), record))
            if not cursor.accept(","):
                break
        cursor.accept(";")  # the end of a line
        cursor.expect("}", "after the types of a message")
        return p.ChannelShape(capacity, tuple(fields), cursor.since(start))

    # Blocks

    def block(self, word: str = "") -> p.Block:
        """`{ … }`."""
        cursor = self._cursor
        start = cursor.expect("{", "before the statements").span
        statements = self.sequence("}")
        cursor.expect("}", "after the statements")
        return p.Block(statements, word, cursor.since(start))

    def sequence(self, *ends: str) -> tuple[p.Statement, ...]:
        """Statements up to one of the `ends`, separated by `;` or `->`."""
        cursor = self._cursor
        found: list[p.Statement] = []
        self._depth += 1
        if self._depth > _DEEPEST:
            raise error("W0702", "statements are nested too deeply", cursor.next.span, f"at most {_DEEPEST}")
        while True:
            while cursor.accept(";", "->"):
                pass
            if cursor.sees(*ends) or cursor.at_end:
                break
            found.append(self.statement())
            is_closed = cursor.previous.text in ("}", "fi", "od", "else")
            if not (cursor.sees(";", "->", *ends) or is_closed):
                raise cursor.wrong("expected `;` or `->` after the statement")
        self._depth -= 1
        if not found:
            raise cursor.wrong("expected a statement")
        return tuple(found)

    def statement(self) -> p.Statement:
        cursor = self._cursor
        token = cursor.next
        if self.starts_declaration():
            variables = self.declaration()
            return p.Declare(variables, cursor.since(token.span))
        statement = self._simple()
        if not cursor.accept("unless"):
            return statement
        escape = self._simple()
        if isinstance(statement, p.Labelled):  # the label is that of the whole
            label, span = statement.label, statement.span
            inner = p.Unless(statement.statement, escape, cursor.since(token.span))
            return p.Labelled(label, inner, span)
        return p.Unless(statement, escape, cursor.since(token.span))

    def _simple(self) -> p.Statement:
        """A statement up to `unless`."""
        cursor = self._cursor
        token = cursor.next
        is_name = token.group == "name" and token.text not in self._processes
        if is_name and cursor.ahead().text == ":":
            cursor.take()
            cursor.take()
            if cursor.sees("}", "fi", "od", "::", ";", "->") or cursor.at_end:
                return p.Labelled(token.text, p.Skip(token.span), token.span)
            return p.Labelled(token.text, self._simple(), token.span)
        if token.group == "keyword":
            found = self._by_keyword(token.text, token.span)
            if found is not None:
                return found
        if cursor.sees("{"):
            return self.block()
        if is_name:
            found = self._dialect(token.text, token.span) or self._by_use(token.span)
            if found is not None:
                return found
        value = self._values.expression()
        return p.Test(value, value.span)

    def _by_keyword(self, word: str, start: Span) -> p.Statement | None:
        cursor = self._cursor
        match word:
            case "if" | "do":
                return self._choice(word, start)
            case "atomic" | "d_step":
                cursor.take()
                return self.block(word)
            case "else":
                cursor.take()
                return p.Else(start)
            case "break":
                cursor.take()
                return p.Break(start)
            case "goto":
                cursor.take()
                return p.Goto(cursor.name("a label").text, cursor.since(start))
            case "assert":
                cursor.take()
                return p.Check(self._values.expression(), cursor.since(start))
            case "printf" | "printm":
                return self._skip_call(start)
            case "for":
                return self._range(word, start)
            case _ if label_of(word) == "select":
                return self._range(word, start)
            case _ if word in C_WORDS:
                raise embedded_c(cursor.next)
            case "set_priority":
                cursor.take()
                cursor.expect("(", "after `set_priority`")
                process = self._values.expression()
                cursor.expect(",", "before the priority")
                priority = self._values.expression()
                cursor.expect(")", "after the priority")
                return p.SetPriority(process, priority, cursor.since(start))
            case "xr" | "xs":
                cursor.take()
                self._values.use("a channel")
                while cursor.accept(","):
                    self._values.use("a channel")
                return p.Declare((), cursor.since(start))
            case _:
                return None

    def _choice(self, word: str, start: Span) -> p.Choice:
        cursor = self._cursor
        cursor.take()
        end = "fi" if word == "if" else "od"
        options: list[p.Block] = []
        if not cursor.sees("::"):
            raise cursor.wrong("expected `::` and an option")
        while option := cursor.accept("::"):
            statements = self.sequence("::", end)
            options.append(p.Block(statements, "", cursor.since(option.span)))
        cursor.expect(end, f"to close `{word}`")
        return p.Choice(tuple(options), word == "do", cursor.since(start))

    def _skip_call(self, start: Span) -> p.Skip:
        cursor = self._cursor
        word = cursor.take().text
        cursor.expect("(", f"after `{word}`")
        depth = 1
        while depth and not cursor.at_end:
            depth += {"(": 1, ")": -1}.get(cursor.take().text, 0)
        if depth:
            raise cursor.wrong(f"expected `)` to close `{word}`")
        return p.Skip(cursor.since(start))

    def _range(self, word: str, start: Span) -> p.Statement:
        cursor = self._cursor
        cursor.take()
        cursor.expect("(", f"after `{label_of(word)}`")
        target = self._values.use("a variable")
        if word == "for" and cursor.sees_word("in"):
            cursor.take()
            all_of = self._values.use("an array or a channel")
            cursor.expect(")", "after the array")
            span = cursor.since(start)
            return p.ForEach(target, all_of, self._loop_body(), span)
        if not cursor.accept(":"):
            raise cursor.wrong("expected `:` and a range `low .. high`")
        low = self._values.expression()
        cursor.expect("..", "between the ends of the range")
        high = self._values.expression()
        cursor.expect(")", "after the range")
        span = cursor.since(start)
        if word != "for":
            return p.Select(target, low, high, span, is_of_inline=word != label_of(word))
        return p.For(target, low, high, self._loop_body(), span)

    def _loop_body(self) -> p.Block:
        while self._cursor.accept(";"):  # the end of a line
            pass
        return self.block()

    # What begins with a name

    def _dialect(self, word: str, start: Span) -> p.Statement | None:
        """`store(x, v)`, `load(x, v)`, `sync`, `fence`; and `return e` in an inline that has a value."""
        cursor = self._cursor
        following = cursor.ahead().text
        if word == "return" and self._result is not None:
            cursor.take()
            return p.Assign(self._result, self._values.expression(), cursor.since(start))
        if word in ("sync", "fence") and following in (";", "}", "->", "::", "fi", "od", "(", ""):
            cursor.take()
            if cursor.accept("("):
                cursor.expect(")", f"after `{word}(`")
            return p.Fence(word == "sync", cursor.since(start))
        if word not in ("store", "load") or following != "(":
            return None
        cursor.take()
        cursor.take()
        variable = self._values.use("a shared variable")
        cursor.expect(",", "before the value")
        value = self._values.expression()
        cursor.expect(")", f"to close `{word}`")
        span = cursor.since(start)
        return p.Store(variable, value, span) if word == "store" else p.Load(variable, value, span)

    def _by_use(self, start: Span) -> p.Statement | None:
        cursor = self._cursor
        mark = cursor.mark
        try:
            use = self._values.use("a variable")
        except InputError:
            cursor.back_to(mark)
            raise
        if cursor.accept("="):
            if cursor.sees("{"):
                return self._inline_with_result(use)
            value = self._values.expression()
            return p.Assign(use, value, cursor.since(start))
        if cursor.sees("++", "--"):
            sign = cursor.take().text[0]
            span = cursor.since(start)
            return p.Assign(use, p.Infix(sign, use, p.Number(_ONE, span), span), span)
        if cursor.sees("!", "!!"):
            is_sorted = cursor.take().text == "!!"
            values = self._message()
            return p.Send(use, values, is_sorted, cursor.since(start))
        if cursor.sees("?", "??") and cursor.ahead().text != "[":
            anywhere = cursor.take().text == "??"
            keeps = cursor.accept("<") is not None
            patterns = self._values.patterns(">" if keeps else ";")
            if keeps:
                cursor.expect(">", "after the message")
            return p.Receive(use, patterns, anywhere, keeps, cursor.since(start))
        if cursor.sees("("):
            raise error("W0706", f"unknown inline or macro `{use.name}`", use.span, "not declared")
        cursor.back_to(mark)
        return None

    def _inline_with_result(self, target: p.Use) -> p.Block:
        """`x = f(…)`: the statements of an inline, in which `return e` assigns."""
        outer, self._result = self._result, target
        block = self.block()
        self._result = outer
        return block

    def _message(self) -> tuple[p.Expr, ...]:
        cursor = self._cursor
        values = [self._values.expression()]
        if cursor.sees("("):  # `c!m(a, b)` is `c!m,a,b`
            values += self._values.arguments("after the kind of the message")
        while cursor.accept(","):
            values.append(self._values.expression())
        return tuple(values)
