"""C code to syntax trees: functions and statements. After an error it goes on with the next statement."""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c import syntax as x
from membar.languages.litmus.dialects.c.expressions import ExpressionParser
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.tokens import tokens_of
from membar.languages.litmus.dialects.c.types import INT, PointerType
from membar.source import Span, pattern

_FUNCTION = pattern(r"P([0-9]+)")
_UNSUPPORTED = frozenset({"goto", "switch", "case", "default", "asm", "__asm__", "typedef", "extern"})
_EMPTY = x.Block(())


def parse(body: Span, language: Language) -> tuple[tuple[x.Function, ...], tuple[Diagnostic, ...]]:
    """The functions of a code section, sorted by number, and every syntax error found on the way."""
    functions, diagnostics = in_order(body, language)
    functions.sort(key=lambda function: function.number)
    return tuple(functions), (*diagnostics, *_numbering_errors(functions))


def in_order(body: Span, language: Language) -> tuple[list[x.Function], Sequence[Diagnostic]]:
    """As `parse`, for functions with any numbers."""
    try:
        parser = _Parser(tokens_of(body), language)
    except InputError as failure:
        return [], failure.diagnostics
    return parser.functions(), parser.diagnostics


def _numbering_errors(functions: list[x.Function]) -> list[Diagnostic]:
    """The threads must be P0, P1, … without a gap."""
    found: list[Diagnostic] = []
    seen: dict[int, x.Function] = {}
    for function in functions:
        expected = len(seen)
        if function.number in seen:
            first = Label(seen[function.number].span, "first here")
            message = f"thread `P{function.number}` is defined twice"
            found.append(
                Diagnostic(code=codes.COLUMNS, message=message, primary=Label(function.span, "again here"),
                           others=(first,), help=f"call it `P{len(functions) - 1}`")
            )  # fmt: skip
        elif function.number != expected:
            message = f"thread `P{expected}` is missing"
            help_ = f"number the threads `P0`, `P1`, …; this one would be `P{expected}`"
            label = Label(function.span, f"expected `P{expected}` before this")
            found.append(Diagnostic(code=codes.COLUMNS, message=message, primary=label, help=help_))
            return found
        seen.setdefault(function.number, function)
    return found


class _Parser(ExpressionParser):
    """Recursive descent over functions, statements and declarations."""

    def functions(self) -> list[x.Function]:
        """Everything up to the end of the code section."""
        found: list[x.Function] = []
        while self.token.kind != "end":
            try:
                found.append(self._function())
            except InputError as failure:
                self.diagnostics.extend(failure.diagnostics)
                self._skip_to_function()
        return found

    def _skip_to_function(self) -> None:
        """Moves to the next `P1 (` that stands outside all braces."""
        depth = 0
        while self.token.kind != "end":
            taken = self.take().text
            depth = max(0, depth + {"{": 1, "}": -1}.get(taken, 0))
            if depth == 0 and self.at_function():
                return

    def _function(self) -> x.Function:
        start = self.token
        for word in ("static", "void"):
            self.accept(word)
        name = self.token
        match = _FUNCTION.fullmatch(name.text)
        if match is None:
            raise self.syntax_error("a thread such as `P0 (atomic_int* x) { … }`")
        self.take()
        parameters = self._parameters()
        self.expect("{", "`{` and the code of the thread")
        errors = len(self.diagnostics)
        body = self._block(start.span.to(name.span))
        return x.Function(
            int(match[1]), parameters, body, start.span.to(name.span), len(self.diagnostics) == errors
        )

    def _parameters(self) -> tuple[x.Parameter, ...]:
        self.expect("(", "`(` and the parameters")
        found: list[x.Parameter] = []
        if self.token.text == "void" and self.peek().text == ")":
            self.take()
        while self.token.text != ")":
            found.append(self._parameter())
            if self.accept(",") is None and self.token.text != ")":
                raise self.syntax_error("`,` or `)` after a parameter")
        self.take()
        return tuple(found)

    def _parameter(self) -> x.Parameter:
        start = self.token.span
        kind = self.stars(self.type_name())
        name = self.expect_name("the name of a shared location")
        span = start.to(name.span)
        if self.accept("["):
            if self.token.kind == "number":
                self.take()
            span = start.to(self.expect("]").span)
            kind = PointerType(kind)
        if not isinstance(kind, PointerType):
            raise error(
                codes.TYPE,
                f"parameter `{name.text}` is not a pointer",
                span,
                "parameters are pointers to shared locations",
                help=f"write `{span.text[: -len(name.text)].rstrip()}* {name.text}`",
            )
        return x.Parameter(name.text, kind.target, span)

    def _block(self, opening: Span) -> x.Block:
        """The statements up to the `}`, which is taken; `opening` is blamed if it is missing."""
        found: list[x.Statement] = []
        while self.accept("}") is None:
            if self.token.kind == "end" or self.at_function():
                raise error(codes.INSTRUCTION, "this block never ends", opening, "no matching `}` follows")
            found.append(self._recovering_statement())
        return x.Block(tuple(found))

    def _recovering_statement(self) -> x.Statement:
        """A statement; after a syntax error, which is kept, the empty one."""
        try:
            return self._statement()
        except InputError as failure:
            self.diagnostics.extend(failure.diagnostics)
            self._skip_statement()
            return _EMPTY

    def _skip_statement(self) -> None:
        """Moves behind the next `;`, or to the `}` that closes the block around."""
        depth = 0
        while self.token.kind != "end" and not self.at_function():
            if self.token.text == "}" and depth == 0:
                return
            taken = self.take().text
            depth += {"{": 1, "}": -1}.get(taken, 0)
            if depth == 0 and taken in {";", "}"}:
                return

    def _statement(self) -> x.Statement:
        token = self.token
        match token.text:
            case "{":
                self.take()
                return self._block(token.span)
            case ";":
                self.take()
                return _EMPTY
            case "if":
                return self._if()
            case "while":
                self.take()
                return x.While(self._expression_in_parentheses(), self._statement(), body_first=False)
            case "do":
                return self._do()
            case "for":
                return self._for()
            case "break" | "continue" | "return" if not self._is_variable():
                self.take()
                self._end_of_statement()
                return x.Jump(token.text, token.span)
            case word if word in _UNSUPPORTED:
                raise error(
                    codes.UNSUPPORTED, f"`{word}` is not supported", token.span, "expected a statement",
                    help="use if, while, do or for",
                )  # fmt: skip
            case _:
                return self._simple_statement()

    def _is_variable(self) -> bool:
        """Whether a word of C is a variable here: `continue = 1`."""
        return self.token.text in self.language.variable_words and self.peek().text != ";"

    def _simple_statement(self) -> x.Statement:
        """A declaration or an expression."""
        token = self.token
        if self.at_type():
            return self._declaration()
        if token.kind == "name" and self.peek().kind == "name":
            raise error(
                codes.TYPE, f"unknown type `{token.text}`", token.span, "expected a type such as `int`"
            )
        expression = self.expression()
        self._end_of_statement()
        return x.Evaluate(expression)

    def _end_of_statement(self) -> None:
        if self.accept(";") is None:
            last = self.previous.span
            found = f"`{self.token.text}`" if self.token.kind != "end" else "the end"
            raise error(
                codes.INSTRUCTION, f"expected `;`, found {found}", last, "expected `;` after this",
                help=f"write `{last.text};`",
            )  # fmt: skip

    def _expression_in_parentheses(self) -> x.Expression:
        self.expect("(")
        found = self.expression()
        self.expect(")")
        return found

    def _if(self) -> x.If:
        self.take()
        condition = self._expression_in_parentheses()
        then = self._statement()
        return x.If(condition, then, self._statement() if self.accept("else") else None)

    def _do(self) -> x.While:
        self.take()
        body = self._statement()
        self.expect("while", "`while` after the body of `do`")
        condition = self._expression_in_parentheses()
        self._end_of_statement()
        return x.While(condition, body, body_first=True)

    def _for(self) -> x.For:
        word = self.take()
        self.expect("(")
        first: x.Statement | None = None
        if self.at_type():
            first = self._declaration()
        elif self.accept(";") is None:
            first = x.Evaluate(self.expression())
            self._end_of_statement()
        is_endless = self.token.text == ";"
        condition = x.Number(1, INT, word.span) if is_endless else self.expression()
        self._end_of_statement()
        step = None if self.token.text == ")" else self.expression()
        self.expect(")")
        return x.For(first, condition, step, self._statement())

    def _declaration(self) -> x.Declare:
        base = self.type_name()
        found: list[x.Variable] = []
        while True:
            kind = self.stars(base)
            name = self.expect_name("the name of a local variable")
            if self.token.text == "[":
                raise error(
                    codes.UNSUPPORTED, "local arrays are not supported", name.span.to(self.token.span),
                    "only scalars are local", help="make it a shared array in the initial state",
                )  # fmt: skip
            initial = self.assignment() if self.accept("=") else None
            found.append(x.Variable(name.text, kind, initial, name.span))
            if self.accept(",") is None:
                break
        self._end_of_statement()
        return x.Declare(tuple(found))
