"""The program text: declarations, threads, question."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.mbp.claims import ClaimParser
from membar.languages.mbp.conditions import ConditionParser
from membar.languages.mbp.expressions import address, expression, memory_type
from membar.languages.mbp.operations import operation
from membar.languages.mbp.tokens import Cursor, tokenize
from membar.program.condition import FinalCondition
from membar.program.expr import TRUE
from membar.program.operations import Operation
from membar.program.predicate import StatePredicate
from membar.program.printer import DEFAULT_LANGUAGE
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread, Value
from membar.program.temporal import Claim
from membar.source import SourceFile
from membar.text.tokens import Token

_IN_THREAD = ("register", "label", "branch", "committed", "atomic", "ends", "exits")
_CLAIMS = ("error", "claim", "never")
_SECTIONS = ("memory", "channel", "thread", *_CLAIMS, "exists", "~exists", "forall")


def parse_program(source: SourceFile) -> Program:
    """The program that the text describes.

    Raises:
        InputError: with every syntax error; reading goes on at the next declaration or step.
    """
    return _Parser(Cursor(tokenize(source))).program()


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._diagnostics: list[Diagnostic] = []
        self._objects: list[MemoryObject] = []
        self._channels: list[Channel] = []
        self._threads: list[Thread] = []
        self._condition: FinalCondition | None = None
        self._errors: list[StatePredicate] = []
        self._claims: list[Claim] = []

    def program(self) -> Program:
        cursor = self._cursor
        start = cursor.expect("program", "at the beginning").span
        name = cursor.take_name("the program's name")
        language = cursor.take_name("a language") if cursor.accept(":") else DEFAULT_LANGUAGE
        span = start.to(cursor.previous.span)
        while not cursor.at_end:
            start_of_section = cursor.next
            try:
                self._section()
            except InputError as problem:
                self._diagnostics.extend(problem.diagnostics)
                if cursor.next is start_of_section:
                    cursor.take()
                self._skip_to_section()
        if self._diagnostics:
            raise InputError(*self._diagnostics)
        return Program(
            name=name,
            language=language,
            objects=tuple(self._objects),
            threads=tuple(self._threads),
            channels=tuple(self._channels),
            condition=self._condition,
            errors=tuple(self._errors),
            claims=tuple(self._claims),
            span=span,
        )

    def _skip_to_section(self) -> None:
        while not self._cursor.at_end and not self._cursor.sees(*_SECTIONS):
            self._cursor.take()

    def _section(self) -> None:
        cursor = self._cursor
        is_final = cursor.sees("error") and cursor.ahead().text == "final"
        if self._condition is not None and (is_final or not cursor.sees(*_CLAIMS)):
            raise cursor.wrong("only claims and error states may follow the condition")
        if cursor.sees("memory"):
            self._objects.append(self._object())
        elif cursor.sees("channel"):
            self._channels.append(self._channel())
        elif cursor.sees("thread"):
            self._threads.append(self._thread())
        elif is_final or cursor.sees("exists", "~exists", "forall"):
            self._question()
        elif cursor.sees(*_CLAIMS):
            self._claim()
        else:
            raise cursor.wrong(
                "expected `memory`, `channel`, `thread`, `error`, `claim`, `never`, "
                "`exists`, `~exists` or `forall`"
            )

    def _claim(self) -> None:
        if self._diagnostics:  # names it uses may have been in the broken part
            self._cursor.take()
            self._skip_to_section()
            return
        reader = ClaimParser(self._cursor, self._threads, self._objects)
        if self._cursor.sees("error"):
            self._errors.append(reader.error())
        else:
            self._claims.append(reader.claim() if self._cursor.sees("claim") else reader.never())

    def _question(self) -> None:
        if self._diagnostics:  # names it uses may have been in the broken part
            self._cursor.take()
            self._skip_to_section()
            return
        counts = {item.name: item.count for item in self._objects}
        reader = ConditionParser(self._cursor, threads=len(self._threads), counts=counts)
        self._condition = reader.condition()

    def _object(self) -> MemoryObject:
        cursor = self._cursor
        start = cursor.take().span
        name = cursor.take_name("the name of a memory object")
        cursor.expect(":", "before the type")
        size, is_signed = memory_type(cursor)
        is_array = cursor.accept("[") is not None
        count = 1
        if is_array:
            count = cursor.natural("the number of elements")
            cursor.expect("]", "after the number of elements")
        elif cursor.accept("*"):
            count = cursor.natural("the number of elements")
        place = address(cursor) if cursor.accept("at") else None
        initial = self._initial() if cursor.accept("=") else ()
        return MemoryObject(
            name=name,
            size=size,
            count=count,
            signed=is_signed,
            initial=initial,
            is_array=is_array,
            place=place,
            span=start.to(cursor.previous.span),
        )

    def _initial(self) -> tuple[Value, ...]:
        if not self._cursor.accept("{"):
            return (self._value(),)
        values: list[Value] = []
        while not self._cursor.sees("}"):
            values.append(self._value())
            if not self._cursor.accept(","):
                break
        self._cursor.expect("}", "after the initial values")
        return tuple(values)

    def _value(self) -> Value:
        if self._cursor.sees("&"):
            return address(self._cursor)
        return self._cursor.integer("a number or an address")

    def _channel(self) -> Channel:
        cursor = self._cursor
        cursor.take()
        name = cursor.take_name("the name of a channel")
        cursor.expect(":", "before the capacity")
        capacity = cursor.natural("the number of messages it holds")
        cursor.expect_word("of", "before the number of values in a message")
        return Channel(name, capacity, cursor.natural("the number of values in a message"))

    def _thread(self) -> Thread:
        cursor = self._cursor
        start = cursor.take().span
        name = cursor.take_name("the name of a thread")
        entry = cursor.natural("a control point") if cursor.accept("entry") else 0
        is_spawned = cursor.accept("spawned") is not None
        span = start.to(cursor.previous.span)
        cursor.expect("{", "before the steps of the thread")
        registers: list[tuple[str, Value]] = []
        labels: list[tuple[int, str]] = []
        joins: list[tuple[int, int]] = []
        committed: list[int] = []
        atomic: list[int] = []
        ends: list[int] = []
        exits: list[int] = []
        edges: list[Edge] = []
        while not cursor.sees("}", *_SECTIONS) and not cursor.at_end:
            try:
                if cursor.accept("register"):
                    registers.append(self._register())
                elif cursor.accept("label"):
                    labels.append(self._label())
                elif cursor.accept("branch"):
                    joins.append(self._join())
                elif cursor.accept("committed"):
                    committed.append(cursor.natural("a control point"))
                elif cursor.accept("atomic"):
                    atomic.append(cursor.natural("a control point"))
                elif cursor.accept("ends"):
                    ends.append(cursor.natural("a control point"))
                elif cursor.accept("exits"):
                    exits.append(cursor.natural("a control point"))
                else:
                    edges.append(self._edge())
            except InputError as problem:
                self._diagnostics.extend(problem.diagnostics)
                self._skip_to_step()
        cursor.expect("}", "after the steps of the thread")
        return Thread(
            name=name,
            entry=entry,
            edges=tuple(edges),
            registers=tuple(registers),
            started=not is_spawned,
            labels=tuple(labels),
            joins=tuple(joins),
            committed=frozenset(committed),
            atomic=frozenset(atomic),
            ends=frozenset(ends),
            exits=frozenset(exits),
            span=span,
        )

    def _skip_to_step(self) -> None:
        cursor = self._cursor
        while not cursor.at_end and not cursor.sees("}", *_IN_THREAD, *_SECTIONS):
            if cursor.next.group == "number" and _is_sign(cursor.ahead(), "->"):
                return
            if cursor.take().text == "{":  # tags, not the end of the thread
                while cursor.take().text not in ("}", ""):
                    pass

    def _register(self) -> tuple[str, Value]:
        name = self._cursor.take_name("a register")
        self._cursor.expect("=", "before the initial value")
        return name, self._value()

    def _label(self) -> tuple[int, str]:
        point = self._cursor.natural("a control point")
        self._cursor.expect("=", "before the label")
        return point, self._cursor.take_name("a label")

    def _join(self) -> tuple[int, int]:
        branch = self._cursor.natural("the control point of a branch")
        self._cursor.expect("to", "before the point where its paths join")
        return branch, self._cursor.natural("the control point where its paths join")

    def _edge(self) -> Edge:
        cursor = self._cursor
        start = cursor.next.span
        source = cursor.natural(
            "a step such as `0 -> 1: …`, `register`, `label`, `branch`, `committed`, `atomic`, `ends`, "
            "`exits` or `}`"
        )
        cursor.expect("->", "between two control points")
        target = cursor.natural("a control point")
        guard = expression(cursor) if cursor.accept("when") else TRUE
        is_unordered = cursor.accept("unordered") is not None
        rank = cursor.natural("a rank") if cursor.accept("rank") else 0
        is_idle = cursor.accept("timeout") is not None
        operations: list[Operation] = []
        if cursor.accept(":"):
            operations.append(operation(cursor))
            while cursor.accept(";"):
                operations.append(operation(cursor))
        if not self._at_end_of_step():
            raise error(
                "W0502",
                f"unexpected {cursor.next}",
                cursor.next.span,
                "expected `;` and another operation, or the next step",
            )
        return Edge(
            source=source,
            target=target,
            operations=tuple(operations),
            guard=guard,
            unordered=is_unordered,
            rank=rank,
            idle=is_idle,
            span=start.to(cursor.previous.span),
        )

    def _at_end_of_step(self) -> bool:
        cursor = self._cursor
        if cursor.next.group == "number":
            return _is_sign(cursor.ahead(), "->")
        return cursor.at_end or cursor.sees("}", *_IN_THREAD, *_SECTIONS)


def _is_sign(token: Token, text: str) -> bool:
    return token.group == "sign" and token.text == text
