"""DVE text → syntax tree, by the rules of DiVinE's legacy grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.dve import syntax as x
from membar.languages.dve.expressions import expression, variable
from membar.languages.dve.formulas import FormulaReader
from membar.languages.dve.tokens import Cursor, tokenize
from membar.source import SourceFile, Span

_TYPES = ("int", "byte", "bool")
_ACCEPTANCES = ("buchi", "genbuchi", "muller", "rabin", "streett")
_T = TypeVar("_T")


def parse_module(source: SourceFile) -> x.Module:
    """The tree of a text.

    Raises:
        InputError: with every syntax error; reading goes on at the next declaration, process or transition.
    """
    return _Parser(source).module()


class _Parser:
    def __init__(self, source: SourceFile) -> None:
        self.cursor = Cursor(tokenize(source))
        self.found: list[Diagnostic] = []
        self.variables: list[x.Declaration] = []
        self.channels: list[x.Channel] = []
        self.processes: list[x.Process] = []

    def module(self) -> x.Module:
        cursor = self.cursor
        while not cursor.sees("process", "system") and not cursor.at_end:
            self._recovering(self._declaration, ("process", "system", "channel", "const", *_TYPES))
        while cursor.sees("process") and not cursor.at_end:
            self._recovering(self._process, ("process", "system"))
        start = cursor.next.span
        try:
            if not self.processes and not self.found:
                raise cursor.wrong("expected a declaration or `process`")
            synchronous, prop = self._system()
            span = start.to(cursor.previous.span)
            asked = _Asked(cursor, [process.name for process in self.processes])
            asked.read()
        except InputError as problem:
            raise InputError(*self.found, *problem.diagnostics) from None
        if self.found:
            raise InputError(*self.found)
        return x.Module(
            variables=tuple(self.variables),
            channels=tuple(self.channels),
            processes=tuple(self.processes),
            synchronous=synchronous,
            property=prop,
            span=span,
            errors=tuple(asked.errors),
            claims=tuple(asked.claims),
            legacy=asked.legacy,
            atomics=tuple(asked.atomics),
            atomic_rule=asked.rule,
            ghosts=tuple(asked.ghosts),
            ends=tuple(asked.ends),
        )

    def _recovering(self, read: Callable[[], None], starts: tuple[str, ...]) -> None:
        """Reads one thing; after a mistake, goes on where the next may start."""
        cursor = self.cursor
        before = cursor.next
        try:
            read()
        except InputError as problem:
            self.found.extend(problem.diagnostics)
            if cursor.next is before:
                cursor.take()
            while not cursor.at_end and not cursor.sees(*starts):
                cursor.take()

    def _declaration(self) -> None:
        if self.cursor.sees("channel"):
            self.channels.extend(_channels(self.cursor))
        elif self.cursor.sees("const", *_TYPES):
            self.variables.extend(_variables(self.cursor))
        else:
            raise self.cursor.wrong("expected a type, `const`, `channel`, `process` or `system`")

    def _process(self) -> None:
        cursor = self.cursor
        start = cursor.take().span
        name = cursor.name("the name of the process")
        span = start.to(name.span)
        cursor.expect("{", "before the process")
        local: list[x.Declaration] = []
        while cursor.sees("const", *_TYPES):
            local.extend(_variables(cursor))
        cursor.expect("state", "before the states")
        states = _words(cursor, "a state")
        cursor.expect(";", "after the states")
        head = _head(cursor)
        if head.initial is None:
            raise cursor.wrong("expected `init`")
        asserts: tuple[tuple[x.Word, x.Expr], ...] = ()
        if cursor.accept("assert"):
            asserts = _comma_list(cursor, lambda: _state_and_expression(cursor))
            cursor.expect(";", "after the assertions")
        transitions: tuple[x.Transition, ...] = ()
        if cursor.accept("trans"):
            transitions = _Transitions(cursor).all()
        if head.committed is None and head.acceptance is None and cursor.sees("commit", "accept"):
            raise cursor.wrong("expected `}`: `commit` and `accept` come after `init`")
        cursor.expect("}", "after the process")
        self.processes.append(
            x.Process(
                name=name.text,
                variables=tuple(local),
                states=states,
                initial=head.initial,
                committed=head.committed or (),
                acceptance=head.acceptance,
                asserts=asserts,
                transitions=transitions,
                span=span,
            )
        )

    def _system(self) -> tuple[bool, x.Word | None]:
        cursor = self.cursor
        cursor.expect("system", "after the processes")
        kind = cursor.accept("async", "sync")
        if kind is None:
            raise cursor.wrong("expected `async` or `sync`")
        prop = _word(cursor, "the property's process") if cursor.accept("property") else None
        cursor.expect(";", "after the system")
        return kind.text == "sync", prop


class _Asked:
    """membar's own words after `system …;`: what options of the command line add to a text."""

    def __init__(self, cursor: Cursor, processes: list[str]) -> None:
        self.cursor = cursor
        self.processes = processes
        self.errors: list[x.Expr] = []
        self.claims: list[x.Claim] = []
        self.atomics: list[x.Atomic] = []
        self.legacy = False
        self.rule = "own"
        self.ghosts: list[x.Word] = []
        self.ends: list[tuple[x.Word, x.Word]] = []

    def read(self) -> None:
        """All of them, up to the end of the text."""
        cursor = self.cursor
        while not cursor.at_end:
            if cursor.sees_word("error"):
                cursor.take()
                self.errors.append(expression(cursor))
            elif cursor.sees_word("ltl"):
                cursor.take()
                self.claims.append(FormulaReader(cursor, self.processes).claim())
            elif cursor.sees_word("errors"):
                cursor.take()
                self.legacy = self._one_of("terminal", "legacy") == "legacy"
            elif cursor.sees_word("atomic"):
                self._atomic()
            elif cursor.sees_word("ghost"):
                cursor.take()
                self.ghosts.append(_word(cursor, "a variable"))
                while cursor.accept(","):
                    self.ghosts.append(_word(cursor, "a variable"))
            elif cursor.sees_word("ends"):
                cursor.take()
                process = _word(cursor, "a process")
                cursor.expect(".", "between process and state")
                self.ends.append((process, _word(cursor, "a state")))
            else:
                raise cursor.wrong("expected the end of the file")
            cursor.expect(";", "after this")

    def _atomic(self) -> None:
        cursor = self.cursor
        start = cursor.take().span
        if cursor.sees_word("rule"):
            cursor.take()
            self.rule = self._one_of("own", "all")
            return
        variable_ = None if cursor.accept("*") else _word(cursor, "a variable or `*`")
        cursor.expect(",", "before the transition")
        process, number = None, None
        if not cursor.accept("*"):
            process = _word(cursor, "a transition such as `P.3`, a process or `*`")
            if cursor.accept("."):
                number = cursor.natural("the number of a transition")
        span = start.to(cursor.previous.span)
        self.atomics.append(x.Atomic(variable=variable_, process=process, transition=number, span=span))

    def _one_of(self, *words: str) -> str:
        for word in words:
            if self.cursor.sees_word(word):
                return self.cursor.take().text
        raise self.cursor.wrong(f"expected {' or '.join(f'`{word}`' for word in words)}")


def _comma_list(cursor: Cursor, read: Callable[[], _T]) -> tuple[_T, ...]:
    found = [read()]
    while cursor.accept(","):
        found.append(read())
    return tuple(found)


def _word(cursor: Cursor, what: str) -> x.Word:
    token = cursor.name(what)
    return x.Word(token.text, token.span)


def _words(cursor: Cursor, what: str) -> tuple[x.Word, ...]:
    return _comma_list(cursor, lambda: _word(cursor, what))


def _state_and_expression(cursor: Cursor) -> tuple[x.Word, x.Expr]:
    state = _word(cursor, "a state")
    cursor.expect(":", "after the state")
    return state, expression(cursor)


def _type(cursor: Cursor) -> x.Type:
    word = cursor.accept(*_TYPES)
    if word is None:
        raise cursor.wrong("expected a type: `int` or `byte`")
    return x.Type.INT if word.text == "int" else x.Type.BYTE


def _variables(cursor: Cursor) -> list[x.Declaration]:
    is_constant = cursor.accept("const") is not None
    kind = _type(cursor)
    found = list(_comma_list(cursor, lambda: _declarator(cursor, kind, is_constant=is_constant)))
    cursor.expect(";", "after the declaration")
    return found


def _declarator(cursor: Cursor, kind: x.Type, *, is_constant: bool) -> x.Declaration:
    name = cursor.name("the name of a variable")
    count: int | None = None
    if cursor.accept("["):
        count = cursor.natural("the number of elements")
        cursor.expect("]", "after the number of elements")
        if cursor.sees("["):
            raise cursor.wrong("expected no second index: arrays have one dimension")
    initial: tuple[x.Expr, ...] = ()
    is_list = False
    if cursor.accept("="):
        is_list = cursor.accept("{") is not None
        initial = _comma_list(cursor, lambda: expression(cursor)) if is_list else (expression(cursor),)
        if is_list:
            cursor.expect("}", "after the initial values")
    return x.Declaration(
        name=name.text,
        type=kind,
        constant=is_constant,
        count=count,
        initial=initial,
        is_list=is_list,
        span=name.span,
    )


def _channels(cursor: Cursor) -> list[x.Channel]:
    cursor.take()
    types: tuple[x.Type, ...] | None = None
    if cursor.accept("{"):
        types = _comma_list(cursor, lambda: _type(cursor))
        cursor.expect("}", "after the types of a message")
    found = list(_comma_list(cursor, lambda: _channel(cursor, types)))
    cursor.expect(";", "after the channels")
    return found


def _channel(cursor: Cursor, types: tuple[x.Type, ...] | None) -> x.Channel:
    name = cursor.name("the name of a channel")
    capacity = 0
    if types is not None:
        cursor.expect("[", "before the number of messages")
        capacity = cursor.natural("the number of messages")
        cursor.expect("]", "after the number of messages")
    return x.Channel(name=name.text, types=types, capacity=capacity, span=name.span)


class _ProcessHeader:
    """`init`, `commit` and `accept` of a process."""

    def __init__(self) -> None:
        self.initial: x.Word | None = None
        self.committed: tuple[x.Word, ...] | None = None
        self.acceptance: x.Acceptance | None = None


def _head(cursor: Cursor) -> _ProcessHeader:
    head = _ProcessHeader()
    while cursor.sees("init", "commit", "accept"):
        word = cursor.take()
        known = {"init": head.initial, "commit": head.committed, "accept": head.acceptance}[word.text]
        if known is not None:
            raise error("W1004", f"a duplicate `{word.text}`", word.span, "only one of each is allowed")
        if word.text == "init":
            head.initial = _word(cursor, "a state")
        elif word.text == "commit":
            head.committed = _words(cursor, "a state")
        else:
            head.acceptance = _acceptance(cursor, word.span)
        cursor.expect(";", f"after `{word.text}`")
    return head


def _acceptance(cursor: Cursor, start: Span) -> x.Acceptance:
    kind = cursor.accept(*_ACCEPTANCES)
    if kind is not None and kind.text in ("muller", "rabin", "streett"):
        raise error(
            "W1005",
            f"the acceptance condition `{kind.text}`",
            kind.span,
            "not supported",
            help="write the property as a Büchi automaton: `accept` or `accept genbuchi`",
        )
    if kind is not None and kind.text == "genbuchi":
        sets = _comma_list(cursor, lambda: _set(cursor))
        return x.Acceptance(kind="genbuchi", sets=sets, span=start.to(cursor.previous.span))
    words = _words(cursor, "a state")
    return x.Acceptance(kind="buchi", sets=(words,), span=start.to(cursor.previous.span))


def _set(cursor: Cursor) -> tuple[x.Word, ...]:
    cursor.expect("(", "before a set of states")
    words = () if cursor.sees(")") else _words(cursor, "a state")
    cursor.expect(")", "after a set of states")
    return words


class _Transitions:
    """The transitions of one process; a short one starts where the one before did."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.source: x.Word | None = None
        self.number = 0

    def all(self) -> tuple[x.Transition, ...]:
        """All of them, and the `;`."""
        found = _comma_list(self.cursor, self._one)
        self.cursor.expect(";", "or `,` after a transition")
        return found

    def _one(self) -> x.Transition:
        cursor = self.cursor
        start = cursor.next.span
        if not (cursor.sees("->") and self.source is not None):
            self.source = _word(cursor, "a state")
        if cursor.sees("=>"):
            raise error("W1005", "a probabilistic transition", cursor.next.span, "not supported")
        cursor.expect("->", "between two states")
        target = _word(cursor, "a state")
        cursor.expect("{", "before the body of the transition")
        guard = sync = None
        effects: tuple[x.Assignment, ...] = ()
        if cursor.accept("guard"):
            guard = expression(cursor)
            cursor.expect(";", "after the guard")
        if cursor.accept("sync"):
            sync = _sync(cursor)
            cursor.expect(";", "after the synchronisation")
        if cursor.accept("effect"):
            effects = _comma_list(cursor, lambda: _assignment(cursor))
            cursor.expect(";", "after the effects")
        if not cursor.sees("}"):
            raise cursor.wrong("expected `}`, or `guard`, `sync`, `effect` once each and in this order")
        cursor.take()
        self.number += 1
        return x.Transition(
            number=self.number,
            source=self.source.text,
            target=target.text,
            guard=guard,
            sync=sync,
            effects=effects,
            span=start.to(cursor.previous.span),
            places=(self.source.span, target.span),
        )


def _sync(cursor: Cursor) -> x.Sync:
    name = cursor.name("a channel")
    sign = cursor.accept("!", "?")
    if sign is None:
        raise cursor.wrong("expected `!` or `?` after the channel")
    sends = sign.text == "!"
    values = _message(cursor, lambda: expression(cursor)) if sends else ()
    targets = () if sends else _message(cursor, lambda: variable(cursor, "a variable"))
    span = name.span.to(cursor.previous.span)
    return x.Sync(channel=name.text, sends=sends, values=values, targets=targets, span=span)


def _message(cursor: Cursor, read: Callable[[], _T]) -> tuple[_T, ...]:
    if cursor.accept("{"):
        found = _comma_list(cursor, read)
        cursor.expect("}", "after the values")
        return found
    return () if cursor.sees(";") else (read(),)


def _assignment(cursor: Cursor) -> x.Assignment:
    target = variable(cursor, "a variable")
    cursor.expect("=", "after the variable")
    value = expression(cursor)
    return x.Assignment(target=target, value=value, span=target.span.to(value.span))
