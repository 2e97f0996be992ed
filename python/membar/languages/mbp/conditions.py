"""The question at the end of the program text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from membar.diagnostics import error
from membar.languages.mbp.expressions import address, cast_type, starts_cast
from membar.languages.mbp.tokens import Cursor
from membar.program import condition as c
from membar.program.expr import Address
from membar.program.printer import default_label


class ConditionParser:
    """Reads the question of a program whose threads and objects are known."""

    def __init__(self, cursor: Cursor, *, threads: int, counts: Mapping[str, int]) -> None:
        """The question at `cursor`; `counts` has the number of elements of each object."""
        self._cursor = cursor
        self._threads = threads
        self._counts = counts

    def condition(self) -> c.FinalCondition:
        """`exists …`, `~exists …`, `forall …` or `error final …`, with `observe` and `filter`."""
        cursor = self._cursor
        words = cursor.take().text
        quantifier = c.Quantifier(f"{words} {cursor.take().text}" if words == "error" else words)
        formula = self.formula()
        observed: tuple[c.Observed, ...] | None = None
        restriction: c.Formula | None = None
        while cursor.sees("observe", "filter"):
            if cursor.sees("observe") and observed is None:
                cursor.take()
                observed = self._observed_values()
            elif cursor.sees("filter") and restriction is None:
                cursor.take()
                restriction = self.formula()
            else:
                raise cursor.wrong(f"expected no second `{cursor.next.text}`")
        if observed is None:
            observed = tuple(c.Observed(t, default_label(t)) for t in dict.fromkeys(c.terms_of(formula)))
        return c.FinalCondition(quantifier=quantifier, formula=formula, observed=observed, filter=restriction)

    def _observed_values(self) -> tuple[c.Observed, ...]:
        if self._cursor.accept("none"):
            return ()
        found = [self._one_observed()]
        while self._cursor.accept(","):
            found.append(self._one_observed())
        return tuple(found)

    def _one_observed(self) -> c.Observed:
        cursor = self._cursor
        term = self._term()
        label, array = default_label(term), None
        if cursor.sees_word("as"):
            cursor.take()
            label = cursor.take_name("the label of the value")
        if cursor.sees_word("in"):
            cursor.take()
            array = cursor.take_name("the array that contains it")
        return c.Observed(term, label, array)

    def formula(self) -> c.Formula:
        r"""A formula; `=>` is the loosest and associates to the right, then `\/`, then `/\`."""
        left = self._disjunction()
        return c.Implies(left, self.formula()) if self._cursor.accept("=>") else left

    def _disjunction(self) -> c.Formula:
        return self._chain("\\/", c.Or, self._conjunction)

    def _conjunction(self) -> c.Formula:
        return self._chain("/\\", c.And, self._literal)

    def _chain(
        self, sign: str, build: Callable[[tuple[c.Formula, ...]], c.Formula], part: Callable[[], c.Formula]
    ) -> c.Formula:
        is_led = self._cursor.accept(sign) is not None
        parts = [part()]
        while self._cursor.accept(sign):
            parts.append(part())
        return build(tuple(parts)) if is_led or len(parts) > 1 else parts[0]

    def _literal(self) -> c.Formula:
        cursor = self._cursor
        if cursor.accept("not"):
            return c.Not(self._literal())
        if cursor.accept("true"):
            return c.TRUTH
        if cursor.accept("false"):
            return c.Or(())
        if cursor.accept("("):
            inner = self.formula()
            cursor.expect(")", "to close the parenthesis")
            return inner
        return self._comparison()

    def _comparison(self) -> c.Compare:
        term = self._term()
        signs = [comparison.value for comparison in c.Comparison]
        if not self._cursor.sees(*signs):
            raise self._cursor.wrong("expected a comparison: " + " ".join(f"`{sign}`" for sign in signs))
        op = c.Comparison(self._cursor.take().text)
        return c.Compare(term, op, self._value())

    def _value(self) -> int | Address | c.Term:
        cursor = self._cursor
        if cursor.sees("&"):
            start = cursor.next.span
            found = address(cursor)
            self._require_known(found.name, self._counts, "memory object", start.start)
            return found
        follows = cursor.ahead()
        is_thread = follows.group == "sign" and follows.text == ":"
        if cursor.sees("-") or (cursor.next.group == "number" and not is_thread):
            return cursor.integer("a number")
        return self._term()

    def _term(self) -> c.Term:
        cursor = self._cursor
        if not starts_cast(cursor):
            return self._plain_term(32, is_signed=True)
        width, is_signed = cast_type(cursor)
        cursor.expect("(", "after the type")
        term = self._plain_term(width, is_signed=is_signed)
        cursor.expect(")", "to close the type's parenthesis")
        return term

    def _plain_term(self, width: int, *, is_signed: bool) -> c.Term:
        cursor = self._cursor
        start = cursor.next.span.start
        if cursor.next.group == "number":
            thread = cursor.natural("a thread's number")
            cursor.expect(":", "between the thread's number and its register")
            register = cursor.take_name("a register")
            self._require_known(thread, range(self._threads), "thread", start)
            return c.FinalRegister(thread, register, width, is_signed)
        name = cursor.take_name("a term: `0:r0` (a register) or `x` (memory)")
        self._require_known(name, self._counts, "memory object", start)
        if not cursor.accept("["):
            return c.FinalCell(name, 0, width, is_signed)
        index = cursor.natural("an index")
        cursor.expect("]", "after the index")
        self._require_known(index, range(self._counts[name]), f"element of `{name}`", start)
        return c.FinalCell(name, index, width, is_signed)

    def _require_known(
        self, name: str | int, known: Collection[str] | Collection[int], what: str, start: int
    ) -> None:
        if name in known:
            return
        last = self._cursor.previous.span
        span = last.source.span(start, last.end)
        have = f"declared: {', '.join(map(str, known))}" if known else "none is declared"
        raise error("W0505", f"unknown {what} `{name}` in the condition", span, "not declared", help=have)
