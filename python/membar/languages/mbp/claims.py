"""Error states and claims about runs in the program text."""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import InputError, error
from membar.languages.mbp.expressions import comparison, expression
from membar.languages.mbp.tokens import Cursor
from membar.program import temporal as ltl
from membar.program.expr import Expr, addresses_of, registers_of
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import MemoryObject, Thread
from membar.source import Span

# What goes on with an expression after a closing parenthesis.
_OPERATORS = ("==", "!=", "<u", "<=u", "<s", "<=s", "<<", ">>u", ">>s", "+", "-", "*", "/u", "/s", "%u", "%s")


class ClaimParser:
    """Reads what is said of the states and runs of a program whose threads and objects are known."""

    def __init__(self, cursor: Cursor, threads: Sequence[Thread], objects: Sequence[MemoryObject]) -> None:
        self._cursor = cursor
        self._threads = threads
        self._objects = {item.name: item for item in objects}

    def error(self) -> StatePredicate:
        """`error EXPRESSION where … as "text"`."""
        self._cursor.expect("error", "before an error state")
        return self._predicate()

    def claim(self) -> ltl.Claim:
        """`claim NAME endless : FORMULA as "text"`."""
        cursor = self._cursor
        start = cursor.expect("claim", "before a claim").span
        name = cursor.take_name("the name of the claim")
        is_endless = cursor.sees_word("endless") and bool(cursor.take())
        first = cursor.expect(":", "before the formula").span.end
        formula = self.formula()
        span = start.to(cursor.previous.span)
        text = self._text()
        own = " ".join(span.source.text[first : span.end].split())
        return ltl.Claim(name, formula, own if text is None else text, span, is_endless)

    def never(self) -> ltl.Claim:
        """`never NAME { … }`: an automaton of what must not happen."""
        cursor = self._cursor
        start = cursor.expect("never", "before an automaton").span
        name = cursor.take_name("the name of the claim")
        text = self._text() or ""
        cursor.expect("{", "before the states of the automaton")
        states: list[str] = []
        accepting: list[frozenset[int]] = []
        edges: list[ltl.AutomatonEdge] = []
        initial, ends = 0, False
        while not cursor.accept("}"):
            if cursor.sees_word("state"):
                cursor.take()
                states.append(cursor.take_name("the name of a state"))
            elif cursor.accept("entry"):
                initial = cursor.natural("the number of a state")
            elif cursor.sees_word("accept"):
                cursor.take()
                accepting.append(self._numbers())
            elif cursor.accept("ends"):
                ends = True
            else:
                edges.append(self._edge(len(states)))
        body = ltl.ForbiddenRuns(tuple(states), initial, tuple(edges), tuple(accepting), ends)
        span = start.to(cursor.previous.span)
        used = {initial, *(state for accepted in accepting for state in accepted)}
        self._known_states(used, len(states), span)
        return ltl.Claim(name, body, text, span)

    def _edge(self, states: int) -> ltl.AutomatonEdge:
        cursor = self._cursor
        start = cursor.next.span
        source = cursor.natural("`state`, `entry`, `accept`, `ends`, a step such as `0 -> 1 when {…}` or `}`")
        cursor.expect("->", "between two states")
        target = cursor.natural("the number of a state")
        self._known_states({source, target}, states, start.to(cursor.previous.span))
        cursor.expect("when", "before the guard")
        cursor.expect("{", "before the guard")
        guard = self._predicate()
        cursor.expect("}", "after the guard")
        return ltl.AutomatonEdge(source, target, guard)

    def _known_states(self, used: set[int], states: int, span: Span) -> None:
        for number in sorted(used):
            if number >= states:
                raise error("W0505", f"unknown state {number}", span, f"there are {states} states")

    def formula(self) -> ltl.Formula:
        """A formula of linear temporal logic: `->` is the loosest, then `||`, `&&`, `U`, prefixes."""
        left = self._disjunction()
        cursor = self._cursor
        if cursor.accept("->") or cursor.accept("=>"):
            return ltl.implies(left, self.formula())
        if cursor.sees("<") and cursor.ahead().text == "->":
            cursor.take()
            cursor.take()
            return ltl.equivalent(left, self.formula())
        return left

    def _disjunction(self) -> ltl.Formula:
        left = self._conjunction()
        while self._accepts("\\/", "|"):
            left = ltl.Or(left, self._conjunction())
        return left

    def _conjunction(self) -> ltl.Formula:
        left = self._until()
        while self._accepts("/\\", "&"):
            left = ltl.And(left, self._until())
        return left

    def _accepts(self, sign: str, twice: str) -> bool:
        """Moves over a sign, or over two of the other one, if they come next."""
        cursor = self._cursor
        if cursor.accept(sign):
            return True
        if cursor.sees(twice) and cursor.ahead().text == twice:
            cursor.take()
            cursor.take()
            return True
        return False

    def _until(self) -> ltl.Formula:
        left = self._unary_formula()
        word = self._cursor.next.text
        if word not in ltl.STATE_OPERATORS and self._cursor.sees_word(*ltl.INFIXES):
            self._cursor.take()
            return ltl.INFIXES[word](left, self._until())
        return left

    def _unary_formula(self) -> ltl.Formula:
        cursor = self._cursor
        if cursor.accept("!"):
            return ltl.Not(self._unary_formula())
        for first, second, build in (("[", "]", ltl.globally), ("<", ">", ltl.finally_)):
            if cursor.sees(first) and cursor.ahead().text == second:
                cursor.take()
                cursor.take()
                return build(self._unary_formula())
        word, following, second = (cursor.ahead(number).text for number in range(3))
        is_sign = following + second in ("[]", "<>")
        if cursor.sees_word(*ltl.PREFIXES) and (is_sign or ltl.is_prefix(word, following, second)):
            cursor.take()
            return ltl.PREFIXES[word](self._unary_formula())
        return self._primary()

    def _primary(self) -> ltl.Formula:
        cursor = self._cursor
        if cursor.accept("true"):
            return ltl.TRUE
        if cursor.accept("false"):
            return ltl.FALSE
        if cursor.accept("{"):
            inner = self._predicate()
            cursor.expect("}", "after the predicate")
            return ltl.Atom(inner)
        if cursor.sees("("):
            found = self._parenthesized_formula()
            if found is not None:
                return found
        start = cursor.next.span
        tree = comparison(cursor)
        text = start.to(cursor.previous.span).flat_text
        return ltl.Atom(StatePredicate(tree, self._reads(tree, (), start), text))

    def _parenthesized_formula(self) -> ltl.Formula | None:
        """A formula in parentheses; None, and no move, if it is the beginning of an expression."""
        cursor = self._cursor
        mark = cursor.mark
        try:
            cursor.take()
            inner = self.formula()
            cursor.expect(")", "to close the parenthesis")
        except InputError:
            cursor.back_to(mark)
            cursor_is_expression = _is_expression(cursor)
            cursor.back_to(mark)
            if not cursor_is_expression:
                raise
            return None
        if cursor.sees(*_OPERATORS):
            cursor.back_to(mark)
            return None
        return inner

    def _predicate(self) -> StatePredicate:
        cursor = self._cursor
        start = cursor.next.span
        tree = expression(cursor)
        asked = start.to(cursor.previous.span)
        if any(addresses_of(tree)):
            raise error(
                "W0505",
                "an address in a predicate on states",
                asked,
                "expected values only",
                help="`a & b` is true if both are; `&x` is the address of x",
            )
        own = asked.text
        reads: list[tuple[str, Observable]] = []
        if cursor.sees_word("where"):
            cursor.take()
            reads.append(self._read())
            while cursor.accept(","):
                reads.append(self._read())
        found = self._reads(tree, tuple(reads), start)
        text = self._text()
        return StatePredicate(tree, found, (own if not reads else "") if text is None else text)

    def _text(self) -> str | None:
        if not self._cursor.sees_word("as"):
            return None
        self._cursor.take()
        if self._cursor.next.group != "string":
            raise self._cursor.wrong("expected a string in quotes")
        return self._cursor.take().text

    def _read(self) -> tuple[str, Observable]:
        name = self._cursor.take_name("a name in the expression")
        self._cursor.expect("=", "before the meaning of the name")
        return name, self._observable()

    def _observable(self) -> Observable:
        cursor = self._cursor
        start = cursor.next.span
        if cursor.accept("at"):
            return AtPoint(self._thread(), self._numbers())
        if cursor.next.group == "number":
            thread = self._thread()
            cursor.expect(":", "between the thread's number and its register")
            return RegisterValue(thread, cursor.take_name("a register"))
        name = cursor.take_name("`x` or `v[1]` (memory), `0:r0` (a register) or `at 0 {1}` (a control point)")
        index = 0
        if cursor.accept("["):
            index = cursor.natural("an index")
            cursor.expect("]", "after the index")
        item = self._objects.get(name)
        if item is None or index >= item.count:
            raise error("W0505", f"unknown memory `{name}`", start, "not declared")
        return CellValue(name, index)

    def _thread(self) -> int:
        start = self._cursor.next.span
        number = self._cursor.natural("a thread's number")
        if number >= len(self._threads):
            raise error("W0505", f"unknown thread {number}", start, f"there are {len(self._threads)}")
        return number

    def _numbers(self) -> frozenset[int]:
        cursor = self._cursor
        cursor.expect("{", "before a set of numbers")
        found: set[int] = set()
        while not cursor.accept("}"):
            found.add(cursor.natural("a number"))
            if not cursor.sees("}"):
                cursor.expect(",", "between two numbers")
        return frozenset(found)

    def _reads(
        self, tree: Expr, given: tuple[tuple[str, Observable], ...], span: Span
    ) -> tuple[tuple[str, Observable], ...]:
        """What the names of an expression stand for: as given, else memory, `P0.r0` or `P0.label`."""
        known = {name for name, _ in given}
        free = [name for name in dict.fromkeys(registers_of(tree)) if name not in known]
        return (*given, *((name, self._named_observable(name, span)) for name in free))

    def _named_observable(self, name: str, span: Span) -> Observable:
        if name in self._objects:
            return CellValue(name)
        owner, _, part = name.partition(".")
        for number, thread in enumerate(self._threads):
            if thread.name == owner and part:
                points = frozenset(point for point, label in thread.labels if label == part)
                return AtPoint(number, points) if points else RegisterValue(number, part)
        raise error(
            "W0505",
            f"unknown name `{name}`",
            span,
            "not declared",
            help="memory `x`, a register `P0.r0`, a label `P0.done`; elements of arrays: `where e = v[1]`",
        )


def _is_expression(cursor: Cursor) -> bool:
    """Whether an expression comes next."""
    try:
        comparison(cursor)
    except InputError:
        return False
    return True
