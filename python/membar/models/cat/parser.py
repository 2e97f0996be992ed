"""Cat text → syntax."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedToken, v_args
from lark.exceptions import VisitError
from lark.lexer import Lexer
from lark.tree import Meta

from membar.diagnostics import InputError, close_matches, error
from membar.models.cat import syntax as cat
from membar.models.cat.lexer import KEYWORDS, OPERANDS, SYMBOLS, Word, words
from membar.models.plan import CheckKind, CheckMode, Op
from membar.source import SourceFile, Span

_BINARY = {
    "BAR": Op.UNION,
    "SEMI": Op.SEQUENCE,
    "DIFF": Op.DIFFERENCE,
    "AMP": Op.INTERSECTION,
    "CROSS": Op.PRODUCT,
}
_POSTFIX = {"PLUS": Op.PLUS, "STAR": Op.STAR, "QUESTION": Op.OPTIONAL, "INVERSE": Op.INVERSE}
POSTFIX = frozenset(_POSTFIX)
_STATEMENTS = (
    "acyclic",
    "irreflexive",
    "empty",
    "let",
    "include",
    "flag",
    "undefined_unless",
    "procedure",
    "call",
)
_GRAMMAR = Path(__file__).with_name("grammar.lark")
_SPELLING = {terminal: f"`{word}`" for word, terminal in (KEYWORDS | SYMBOLS).items()} | {
    "NAME": "a name",
    "STRING": "a string",
    "TAG": "a tag",
    "STAR": "`*`",
    "CROSS": "`*`",
    "INVERSE": "`^-1`",
}
# Words that are expected together are named together.
_GROUPS = (
    (
        "an operator",
        {"BAR", "AMP", "DIFF", "SEMI", "_PLUSPLUS", "CROSS"} | POSTFIX | OPERANDS,
        {"BAR", "SEMI"},
    ),
    ("a set or relation", OPERANDS | {"_LET", "_FUN", "_TRY", "_IF", "_MATCH"}, OPERANDS - {"TILDE"}),
    (
        "a statement",
        {*KEYWORDS.values(), "TILDE"} - {"_IN", "_END", "_ELSE", "_AND", "_THEN", "_AS", "_REC"},
        {"_LET", "ACYCLIC", "_INCLUDE"},
    ),
)


def parse(source: SourceFile) -> cat.CatFile:
    """The syntax of a cat file.

    Raises:
        InputError: the text is not cat, or uses a reserved construct that membar does not have.
    """
    found = words(source)
    _check_title(found)
    try:
        tree = _parser().parse([_token(word) for word in found])
        return _Builder(source).transform(tree)
    except UnexpectedToken as problem:
        raise _syntax_error(source, found, problem) from None
    except VisitError as problem:
        if isinstance(problem.orig_exc, InputError):
            raise problem.orig_exc from None
        if isinstance(problem.orig_exc, RecursionError):
            raise too_deep(source) from None
        raise
    except RecursionError:
        raise too_deep(source) from None


def too_deep(source: SourceFile) -> InputError:
    """The error for nesting that is too deep."""
    return error("W0215", "nested too deeply", source.span(0, len(source.text)), "this model")


class _Words(Lexer):
    """Hands the words that `lexer.py` has found to the parser."""

    def __init__(self, _conf: object) -> None:
        pass

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]  # noqa: ANN401 - what `parse` was given
        yield from data


def _check_title(found: list[Word]) -> None:
    """A file may begin with the name of its model, in words on one line, not with a misspelt statement."""
    title = list(takewhile(lambda word: word.kind == "NAME", found))
    for word in title:
        for meant in close_matches(word.text, _STATEMENTS, 1, 0.8):
            message = f"unexpected `{word.text}`"
            raise error("W0204", message, word.span, "expected a statement", help=f"did you mean `{meant}`?")
    if title and "\n" in title[0].span.source.text[title[0].span.start : title[-1].span.end]:
        raise error("W0204", f"unexpected `{title[-1].text}`", title[-1].span, "expected a statement")


@lru_cache(maxsize=1)
def _parser() -> Lark:
    return Lark(_GRAMMAR.read_text("utf-8"), parser="lalr", lexer=_Words, propagate_positions=True)


def _token(word: Word) -> Token:
    # Lark wants some line and column; spans are made of offsets.
    return Token(word.kind, word.text, start_pos=word.span.start, end_pos=word.span.end, line=1, column=1)


def _syntax_error(source: SourceFile, found: list[Word], problem: UnexpectedToken) -> InputError:
    expected = _describe_expected(problem.accepts or problem.expected)
    if problem.token.type == "$END" or problem.token.start_pos is None:
        span = found[-1].span if found else source.span(0, 0)
        return error("W0204", "the file ends too early", span, f"expected {expected} after this")
    span = source.span(problem.token.start_pos, problem.token.end_pos or problem.token.start_pos)
    return error(
        "W0204", f"unexpected `{span.text}`", span, f"expected {expected}", help=_hint(found, span.start)
    )


def _describe_expected(terminals: set[str]) -> str:
    """The expected tokens, in English."""
    rest = set(terminals) - {"$END"}
    parts: list[str] = []
    for title, group, sign in _GROUPS:
        if sign <= rest:
            parts.append(title)
            rest -= group
    parts.extend(sorted(_SPELLING[terminal] for terminal in rest))
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _hint(found: list[Word], position: int) -> str | None:
    """The likely mistake when the word at `position` is unexpected."""
    before = [word for word in found if word.span.end <= position]
    here = next(word for word in found if word.span.start == position)
    complemented = len(before) > 1 and before[-2].kind == "TILDE"
    if here.kind in POSTFIX | {"CROSS"} and complemented:
        name = before[-1].text
        return (
            f"write `~({name}{here.text})` or `(~{name}){here.text}`: cat does not define which binds tighter"
        )
    if here.kind == "_EQUAL":
        return "a definition is written `let name = …`"
    return None


class _Builder(Transformer[Token, cat.CatFile]):
    """Builds syntax bottom-up; each method has the name of a rule and gets the results of its parts."""

    def __init__(self, source: SourceFile) -> None:
        super().__init__()
        self._source = source

    def _span(self, meta: Meta) -> Span:
        return self._source.span(meta.start_pos, meta.end_pos)

    def start(self, children: list[Any]) -> cat.CatFile:
        header, *statements = children
        return cat.CatFile(header, tuple(statements))

    def header(self, children: list[Token]) -> tuple[str, ...]:
        return tuple(map(str, children))

    # Statements

    @v_args(meta=True)
    def define(self, meta: Meta, children: list[Any]) -> cat.Define:
        return cat.Define(children[0], False, self._span(meta))

    @v_args(meta=True)
    def define_rec(self, meta: Meta, children: list[Any]) -> cat.Define:
        return cat.Define(children[0], True, self._span(meta))

    def bindings(self, children: list[cat.Binding]) -> tuple[cat.Binding, ...]:
        return tuple(children)

    @v_args(meta=True)
    def bind(self, meta: Meta, children: list[Any]) -> cat.Binding:
        target, body = children
        return cat.Binding(target, (), body, self._span(meta))

    @v_args(meta=True)
    def bind_function(self, meta: Meta, children: list[Any]) -> cat.Binding:
        name, parameters, body = children
        target = cat.Pattern((str(name),), False, self._source.span(name.start_pos, name.end_pos))
        return cat.Binding(target, parameters, body, self._span(meta))

    def parameters(self, children: list[cat.Pattern]) -> tuple[cat.Pattern, ...]:
        return tuple(children)

    @v_args(meta=True)
    def pattern_name(self, meta: Meta, children: list[Token]) -> cat.Pattern:
        return cat.Pattern((str(children[0]),), False, self._span(meta))

    @v_args(meta=True)
    def pattern_tuple(self, meta: Meta, children: list[Token]) -> cat.Pattern:
        return cat.Pattern(tuple(map(str, children)), len(children) != 1, self._span(meta))

    @v_args(meta=True)
    def axiom(self, meta: Meta, children: list[Any]) -> cat.Axiom:
        mode, (kind, is_negated), body, *name = children
        return cat.Axiom(
            kind=kind,
            body=body,
            name=name[0] if name else None,
            is_negated=is_negated,
            mode=mode or CheckMode.FLAG,
            is_assertion=mode is None,
            span=self._span(meta),
        )

    def require(self, _children: list[Any]) -> CheckMode:
        return CheckMode.REQUIRE

    def flag(self, _children: list[Any]) -> CheckMode:
        return CheckMode.FLAG

    def undefined_unless(self, _children: list[Any]) -> CheckMode:
        return CheckMode.UNDEFINED_UNLESS

    def assertion(self, _children: list[Any]) -> None:
        return None

    def check(self, children: list[Token]) -> tuple[CheckKind, bool]:
        return CheckKind(str(children[-1])), len(children) == 2

    def as_name(self, children: list[Token]) -> str:
        return str(children[0])

    @v_args(meta=True)
    def show(self, meta: Meta, children: list[Any]) -> cat.Show:
        return cat.Show(tuple(children), self._span(meta))

    def show_item(self, children: list[Any]) -> tuple[cat.Expr, str | None]:
        return children[0], children[1] if len(children) == 2 else None

    @v_args(meta=True)
    def unshow(self, meta: Meta, children: list[Token]) -> cat.Unshow:
        return cat.Unshow(tuple(map(str, children)), self._span(meta))

    @v_args(meta=True)
    def include(self, meta: Meta, children: list[Token]) -> cat.Include:
        return cat.Include(str(children[0]), self._span(meta))

    @v_args(meta=True)
    def when(self, meta: Meta, children: list[Any]) -> cat.When:
        condition, yes, *no = children
        return cat.When(condition, yes, no[0] if no else (), self._span(meta))

    def block(self, children: list[cat.Statement]) -> tuple[cat.Statement, ...]:
        return tuple(children)

    @v_args(meta=True)
    def procedure(self, meta: Meta, children: list[Any]) -> cat.Procedure:
        name, parameter, body = children
        return cat.Procedure(str(name), parameter, body, self._span(meta))

    @v_args(meta=True)
    def call(self, meta: Meta, children: list[Any]) -> cat.Call:
        name, argument, *label = children
        return cat.Call(str(name), argument, label[0] if label else None, self._span(meta))

    @v_args(meta=True)
    def choice(self, meta: Meta, children: list[Any]) -> cat.From:
        return cat.From(str(children[0]), children[1], self._span(meta))

    @v_args(meta=True)
    def enum(self, meta: Meta, children: list[Any]) -> cat.Enum:
        name, *tags = children
        spans = [self._source.span(tag.start_pos, tag.end_pos) for tag in tags]
        named = tuple(cat.Tag(str(tag), span) for tag, span in zip(tags, spans, strict=True))
        return cat.Enum(str(name), named, self._span(meta))

    @v_args(meta=True)
    def instructions(self, meta: Meta, children: list[Any]) -> cat.Instructions:
        return cat.Instructions(str(children[0]), children[1], False, self._span(meta))

    @v_args(meta=True)
    def default(self, meta: Meta, children: list[Any]) -> cat.Instructions:
        return cat.Instructions(str(children[0]), children[1], True, self._span(meta))

    @v_args(meta=True)
    def annotations(self, meta: Meta, children: list[Any]) -> cat.Expr:
        return children[0] if len(children) == 1 else cat.Tuple(tuple(children), self._span(meta))

    # Conditions

    @v_args(meta=True)
    def variant(self, meta: Meta, children: list[Token]) -> cat.Variant:
        return cat.Variant(str(children[0]), self._span(meta))

    @v_args(meta=True)
    def negated(self, meta: Meta, children: list[Any]) -> cat.Not:
        return cat.Not(children[0], self._span(meta))

    @v_args(meta=True)
    def both(self, meta: Meta, children: list[Any]) -> cat.Both:
        return cat.Both(children[0], children[1], self._span(meta))

    @v_args(meta=True)
    def either(self, meta: Meta, children: list[Any]) -> cat.Either:
        return cat.Either(children[0], children[1], self._span(meta))

    def grouped(self, children: list[Any]) -> Any:  # noqa: ANN401 - a condition or an expression
        return children[0]

    # Expressions

    @v_args(meta=True)
    def let(self, meta: Meta, children: list[Any]) -> cat.Let:
        return cat.Let(children[0], False, children[1], self._span(meta))

    @v_args(meta=True)
    def let_rec(self, meta: Meta, children: list[Any]) -> cat.Let:
        return cat.Let(children[0], True, children[1], self._span(meta))

    @v_args(meta=True)
    def fun(self, meta: Meta, children: list[Any]) -> cat.Fun:
        return cat.Fun(children[0], children[1], self._span(meta))

    @v_args(meta=True)
    def try_with(self, meta: Meta, children: list[Any]) -> cat.Try:
        return cat.Try(children[0], children[1], self._span(meta))

    @v_args(meta=True)
    def if_then(self, meta: Meta, children: list[Any]) -> cat.If:
        return cat.If(children[0], children[1], children[2], self._span(meta))

    @v_args(meta=True)
    def match(self, meta: Meta, children: list[Any]) -> cat.Match:
        return cat.Match(children[0], tuple(children[1:]), self._span(meta))

    @v_args(meta=True)
    def clause(self, meta: Meta, children: list[Any]) -> cat.Clause:
        return cat.Clause(children[0], children[1], self._span(meta))

    @v_args(meta=True)
    def binary(self, meta: Meta, children: list[Any]) -> cat.Binary:
        left, operator, right = children
        return cat.Binary(_BINARY[operator.type], left, right, self._span(meta))

    @v_args(meta=True)
    def add(self, meta: Meta, children: list[Any]) -> cat.Add:
        return cat.Add(children[0], children[1], self._span(meta))

    @v_args(meta=True)
    def complement(self, meta: Meta, children: list[Any]) -> cat.Unary:
        return cat.Unary(Op.COMPLEMENT, children[1], self._span(meta))

    @v_args(meta=True)
    def postfix(self, meta: Meta, children: list[Any]) -> cat.Unary:
        operand, operator = children
        return cat.Unary(_POSTFIX[operator.type], operand, self._span(meta))

    @v_args(meta=True)
    def apply(self, meta: Meta, children: list[Any]) -> cat.Apply:
        return cat.Apply(children[0], children[1], self._span(meta))

    @v_args(meta=True)
    def name(self, meta: Meta, children: list[Token]) -> cat.Name:
        return cat.Name(str(children[0]), self._span(meta))

    @v_args(meta=True)
    def tag(self, meta: Meta, children: list[Token]) -> cat.Tag:
        return cat.Tag(str(children[0]), self._span(meta))

    @v_args(meta=True)
    def everything(self, meta: Meta, _children: list[Any]) -> cat.Everything:
        return cat.Everything(self._span(meta))

    @v_args(meta=True)
    def zero(self, meta: Meta, _children: list[Any]) -> cat.EmptyRelation:
        return cat.EmptyRelation(self._span(meta))

    @v_args(meta=True)
    def set_of(self, meta: Meta, children: list[Any]) -> cat.SetOf:
        return cat.SetOf(tuple(children), self._span(meta))

    @v_args(meta=True)
    def identity(self, meta: Meta, children: list[Any]) -> cat.Unary:
        return cat.Unary(Op.IDENTITY, children[0], self._span(meta))

    @v_args(meta=True)
    def tuple(self, meta: Meta, children: list[Any]) -> cat.Expr:
        return children[0] if len(children) == 1 else cat.Tuple(tuple(children), self._span(meta))
