"""Promela text → syntax tree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from membar.diagnostics import Diagnostic, InputError
from membar.languages.promela import syntax as p
from membar.languages.promela.expressions import C_WORDS, Expressions, embedded_c
from membar.languages.promela.inlines import inlines, words_of
from membar.languages.promela.statements import SIMPLE_TYPES, Statements
from membar.languages.promela.tokens import Cursor
from membar.records import replace
from membar.source import SourceFile, Span
from membar.text.tokens import Token

_UNITS = ("proctype", "D_proctype", "active", "init", "never", "ltl", "typedef", "mtype", "trace", "notrace")


def parse(source: SourceFile) -> p.Module:
    """What a text says.

    Raises:
        InputError: with every diagnostic found.
    """
    words = words_of(source)
    module = _Parser(Cursor(words), process_names(words)).module()
    used = {word.text for word in words}
    return replace(
        module,
        asks_last="_last" in used,
        asks_count="_nr_pr" in used,
        asks_enabled="enabled" in used,
        has_priorities=bool(used & {"priority", "_priority", "get_priority", "set_priority"}),
    )


def parse_inlines(source: SourceFile, records: set[str]) -> tuple[p.Block, ...]:
    """The bodies of a text's inlines, as they stand there; `records` are the names of its types.

    Left out are those that say something only where they are used: a parameter may be more than a name.
    """
    found: list[p.Block] = []
    for words in inlines(source):
        cursor = Cursor((*words, Token("", "", words[-1].span)))
        try:
            found.append(Statements(cursor, records, process_names(words)).block())
        except InputError:
            continue
    return tuple(found)


def process_names(words: Sequence[Token]) -> frozenset[str]:
    """The names of the processes that are declared somewhere."""
    pairs = pairwise(words)
    return frozenset(name.text for word, name in pairs if word.text in ("proctype", "D_proctype"))


class _Parser:
    def __init__(self, cursor: Cursor, processes: frozenset[str]) -> None:
        self._cursor = cursor
        self._records: set[str] = set()
        self._names = processes
        self._statements = Statements(cursor, self._records, processes)
        self._diagnostics: list[Diagnostic] = []
        self._variables: list[p.Variable] = []
        self._typedefs: list[tuple[str, tuple[p.Variable, ...], Span]] = []
        self._symbols: list[tuple[str, tuple[tuple[str, Span], ...]]] = []
        self._processes: list[p.Process] = []
        self._claims: list[p.Claim] = []
        self._nevers: list[p.Never] = []
        self._traces: list[p.Trace] = []
        self._ghosts: list[tuple[str, Span]] = []

    def module(self) -> p.Module:
        cursor = self._cursor
        start = cursor.next.span
        while not cursor.at_end:
            if cursor.accept(";"):
                continue
            here = cursor.mark
            try:
                self._unit()
            except InputError as problem:
                self._diagnostics += problem.diagnostics
                self._skip(here)
        if self._diagnostics:
            raise InputError(*dict.fromkeys(self._diagnostics))
        return p.Module(
            variables=tuple(self._variables),
            records=tuple(self._typedefs),
            symbols=tuple(self._symbols),
            processes=tuple(self._processes),
            claims=tuple(self._claims),
            nevers=tuple(self._nevers),
            traces=tuple(self._traces),
            ghosts=tuple(self._ghosts),
            span=cursor.since(start),
        )

    def _skip(self, since: int) -> None:
        """To the next unit: at least one token further, and outside all braces."""
        cursor = self._cursor
        here = cursor.mark
        cursor.back_to(since)
        depth = 0
        while not cursor.at_end:
            if cursor.mark > max(here - 1, since) and depth <= 0 and cursor.sees(*_UNITS, *SIMPLE_TYPES):
                return
            depth += {"{": 1, "}": -1}.get(cursor.take().text, 0)

    def _unit(self) -> None:
        cursor = self._cursor
        if cursor.sees("proctype", "active", "D_proctype"):
            self._processes.append(self._process())
        elif cursor.sees("init"):
            start = cursor.take().span
            priority = self._priority()
            self._processes.append(
                p.Process(
                    name="init",
                    parameters=(),
                    body=self._statements.block(),
                    span=start,
                    copies=p.Number(1, start),
                    priority=priority,
                )
            )
        elif cursor.sees("ltl"):
            self._claims.append(self._claim())
        elif cursor.sees("never"):
            self._nevers.append(self._never())
        elif cursor.sees("typedef"):
            self._typedef()
        elif cursor.sees("mtype") and not self._statements.starts_declaration():
            self._mtype()
        elif cursor.sees("trace", "notrace"):
            word = cursor.take()
            body = self._statements.block()
            self._traces.append(p.Trace(body, word.text == "notrace", word.span))
        elif cursor.sees(*C_WORDS):
            raise embedded_c(cursor.next)
        elif cursor.sees_word("ghost"):  # membar's own word, which `--ghost` writes
            cursor.take()
            while True:
                name = cursor.name("a variable")
                self._ghosts.append((name.text, name.span))
                if not cursor.accept(","):
                    break
        elif self._statements.starts_declaration():
            self._variables += self._statements.declaration()
        else:
            raise cursor.wrong("expected a declaration, `proctype`, `init`, `ltl` or `never`")

    def _process(self) -> p.Process:
        cursor = self._cursor
        copies: p.Expr | None = None
        if start := cursor.accept("active"):
            copies = p.Number(1, start.span)
            if cursor.accept("["):
                copies = Expressions(cursor, self._names).expression()
                cursor.expect("]", "after the number of processes")
        if not cursor.accept("D_proctype"):
            cursor.expect("proctype", "before the name of a process")
        name = cursor.name("the name of a process")
        cursor.expect("(", "after the name of the process")
        parameters: list[p.Variable] = []
        while not cursor.sees(")"):
            parameters += self._statements.declaration()
            if not cursor.accept(";", ","):
                break
        cursor.expect(")", "after the parameters")
        priority = self._priority()
        provided: p.Expr | None = None
        if cursor.accept("provided"):
            cursor.expect("(", "after `provided`")
            provided = Expressions(cursor, self._names).expression()
            cursor.expect(")", "after the condition")
        body = self._statements.block()
        return p.Process(
            name=name.text,
            parameters=tuple(parameters),
            body=body,
            span=name.span,
            copies=copies,
            provided=provided,
            priority=priority,
        )

    def _priority(self) -> p.Expr | None:
        if not self._cursor.accept("priority"):
            return None
        return Expressions(self._cursor, self._names).expression()

    def _claim(self) -> p.Claim:
        cursor = self._cursor
        start = cursor.take().span
        name = cursor.take().text if cursor.next.group == "name" else f"ltl_{len(self._claims)}"
        cursor.expect("{", "before the formula")
        formula = Expressions(cursor, self._names, temporal=True).expression()
        cursor.accept(";")  # which SPIN ignores
        cursor.expect("}", "after the formula")
        return p.Claim(name, formula, cursor.since(start))

    def _never(self) -> p.Never:
        cursor = self._cursor
        start = cursor.take().span
        name = cursor.take().text if cursor.next.group == "name" else f"never_{len(self._nevers)}"
        body = self._statements.block()
        return p.Never(name, body, cursor.since(start))

    def _typedef(self) -> None:
        cursor = self._cursor
        cursor.take()
        name = cursor.name("the name of a type")
        cursor.expect("{", "before the fields")
        fields: list[p.Variable] = []
        while not cursor.sees("}"):
            fields += self._statements.declaration()
            while cursor.accept(";"):
                pass
        cursor.expect("}", "after the fields")
        self._records.add(name.text)
        self._typedefs.append((name.text, tuple(fields), name.span))

    def _mtype(self) -> None:
        cursor = self._cursor
        cursor.take()
        family = cursor.name("the name of a kind of mtype").text if cursor.accept(":") else ""
        cursor.accept("=")
        cursor.expect("{", "before the names")
        names: list[tuple[str, Span]] = []
        while not cursor.sees("}"):
            token = cursor.name("a symbolic name")
            names.append((token.text, token.span))
            cursor.accept(",")
        cursor.expect("}", "after the names")
        self._symbols.append((family, tuple(names)))
