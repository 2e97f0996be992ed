"""The cheapest change that makes a program right under its model: `membar repair`."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from membar import api, proving
from membar.changes import Choice, Place, edited
from membar.diagnostics import Diagnostic, InputError
from membar.outcome import Explored, Holds, HoldsWithin, Unknown, Violated, Witness
from membar.program.condition import Quantifier
from membar.repair.costs import Costs, costs_for
from membar.repair.greedy import first_repair
from membar.repair.monotone import is_monotone
from membar.repair.search import Found, Search
from membar.source import SourceFile
from membar.task import Limits, Options

if TYPE_CHECKING:
    from membar.program.program import Program


Answer: TypeAlias = api.Result | proving.SystemResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What must be true: the arguments of `api.check`, but for the text; a system asks its own question."""

    model: str | None = None
    engine: str | None = None
    properties: Collection[str] | None = None
    error: str | None = None
    ltl: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    options: Options = field(default_factory=Options)
    include_dirs: Sequence[Path] = ()
    mapping: str | None = None

    def ask(self, source: SourceFile, *, model: str | None = None, seconds: float | None = None) -> Answer:
        """The answer about a text, under another model if one is named, within some time if it is short."""
        limits = self.limits if seconds is None else replace(self.limits, seconds=seconds)
        if proving.is_system(source):
            return proving.prove(
                source, model=model or self.model, engine=self.engine, limits=limits, options=self.options
            )
        return api.check(
            source,
            model=model or self.model,
            engine=self.engine,
            properties=self.properties,
            error=self.error,
            ltl=self.ltl,
            words=self.words,
            limits=limits,
            options=self.options,
            include_dirs=self.include_dirs,
            mapping=self.mapping,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of a repair.

    Attributes:
        place: where.
        alternative: the number of what stands there then.
        cost: what it adds.
        prevents: the answer about the program with all other changes: what this one prevents; None where
            that could not be decided.
    """

    place: Place
    alternative: int
    cost: int
    prevents: Answer | None

    @property
    def name(self) -> str:
        """What stands there then; empty if it is nothing."""
        return self.place.alternatives[self.alternative].name

    @property
    def was(self) -> str:
        """What stands there now; empty if it is nothing."""
        return self.place.alternatives[self.place.current].name


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A way to make a program right.

    Attributes:
        source: the text as it is.
        repaired: the text as it should be.
        changes: the differences, in the order of the text.
        cost: of all changes; when weakening, of all that is left.
        before: the same of the text as it is, when weakening.
        lower_bound: no repair by such changes costs less.
        others: further repairs of the same cost, if all were asked for.
        result: the answer about the repaired text.
        tested: how many texts were checked.
    """

    source: SourceFile
    repaired: SourceFile
    changes: tuple[Change, ...]
    cost: int
    before: int | None
    lower_bound: int
    others: tuple[SourceFile, ...]
    result: Answer
    tested: int

    @property
    def is_minimal(self) -> bool:
        """Whether it is proved that nothing cheaper does."""
        return self.lower_bound >= self.cost


@dataclass(frozen=True, slots=True)
class NothingToRepair:
    """The program is right as it is."""

    result: Answer


@dataclass(frozen=True, slots=True)
class NotRepairable:
    """No change that is known here makes it right, and why; with the answer that shows it."""

    reason: str
    result: Answer | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    """Some question on the way had no answer."""

    reason: str


Verdict = Repair | NothingToRepair | NotRepairable | Undecided


def repair(
    source: SourceFile,
    question: Question,
    *,
    weaken: bool = False,
    first: bool = False,
    all_cheapest: bool = False,
    costs: Path | None = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verdict:
    """The cheapest text that is right, between the text and all that could be added to it.

    Args:
        source: the text.
        question: what must be true of it.
        weaken: let everything go that is not needed, instead of adding what is.
        first: take what Barnat's procedure ends with, cheapest or not.
        all_cheapest: find all of the least cost.
        costs: the user's table of costs.
        seconds: afterwards the best repair so far is given, with a lower bound.
        progress: called now and then with a short text.

    Raises:
        InputError: the text, an argument or the table is wrong, or the language cannot be repaired.
    """
    try:
        repairing = _Repairing(source, question, weaken, costs, progress)
        return repairing.greedy(seconds) if first else repairing.verdict(seconds, all_cheapest)
    except _UndecidedError as undecided:
        return Undecided(undecided.reason)


class _Repairing:
    """One repair on its way."""

    def __init__(
        self,
        source: SourceFile,
        question: Question,
        weaken: bool,  # noqa: FBT001 - of this file only
        costs: Path | None,
        progress: Callable[[str], None] | None,
    ) -> None:
        self.source, self.question, self.weaken, self.progress = source, question, weaken, progress
        self.program = None if proving.is_system(source) else api.parse(source)
        self.places = _places(source, self.program)
        if weaken:
            self.places = tuple(_no_stronger(place) for place in self.places if place.current)
        self.costs = _costs(source, self.program, question, costs)

    def verdict(self, seconds: float | None, all_cheapest: bool) -> Verdict:  # noqa: FBT001
        """The cheapest repair."""
        early = self._without_search()
        if early is not None:
            return early
        deadline = None if seconds is None else time.monotonic() + seconds
        base = tuple(0 if self.weaken else place.current for place in self.places)
        costs = self.costs.all_of(self.places, base)
        search = Search(
            self.places,
            costs,
            base,
            lambda choice: self._passes(choice, deadline),
            is_monotone=self._is_monotone(),
            deadline=deadline,
            progress=self.progress,
        )
        found = search.run(all_cheapest=all_cheapest)
        if found is None and search.is_undecided:
            return Undecided("no repair was found, and not every candidate could be decided")
        if found is None:
            return NotRepairable(
                "even with every change that is known here it is wrong",
                self.question.ask(self._text(self._strongest)),
            )
        return self._repair(found, costs, base, seconds)

    def greedy(self, seconds: float | None) -> Verdict:
        """The repair that Barnat's procedure ends with."""
        program = self.program
        if program is None or not self.places or any(place.location is None for place in self.places):
            raise InputError(
                Diagnostic(
                    code="W0422",
                    message="`--first` makes writes atomic, which the language of this file has no words for",
                    help="without it the cheapest repair is looked for; DVE files can be asked with it",
                )
            )
        early = self._without_search()
        if early is not None:
            return early
        deadline = None if seconds is None else time.monotonic() + seconds
        base = tuple(place.current for place in self.places)
        tested = 0

        def counterexample(choice: Choice) -> Witness | None:
            nonlocal tested
            tested += 1
            left = None if deadline is None else max(0.1, deadline - time.monotonic())
            result = self.question.ask(self._text(choice), seconds=left)
            return None if _is_right(result) or isinstance(result, proving.SystemResult) else result.witness

        choice = first_repair(self.places, base, program, counterexample)
        if choice is None:
            return NotRepairable("even with every write atomic it is wrong")
        costs = self.costs.all_of(self.places, base)
        total = sum(costs[number][level] for number, level in enumerate(choice))
        found = Found(choices=(choice,), cost=total, lower_bound=0, tested=tested, failing=tested - 1)
        return self._repair(found, costs, base, seconds)

    def _without_search(self) -> Verdict | None:
        """The verdict, where it is known before any candidate is tried."""
        now = self.question.ask(self.source)
        if _is_right(now):
            return None if self.weaken else NothingToRepair(now)
        if self.weaken:
            return NotRepairable("it is not right as it is, so that nothing can be weakened", now)
        orderly = self.question.ask(self.source, model="sc")
        if not _is_right(orderly):
            return NotRepairable("it is wrong under sc too: no fence or order can mend that", orderly)
        return None

    def _is_monotone(self) -> bool:
        """Whether stronger texts are right where weaker ones are, seen from the strongest one."""
        strongest, question = self._text(self._strongest), self.question
        if proving.is_system(strongest):
            return True
        _, program = api.asked(strongest, error=question.error, ltl=question.ltl, words=question.words)
        return is_monotone(program, self.places, question.options.fair)

    @property
    def _strongest(self) -> Choice:
        return tuple(place.strongest for place in self.places)

    def _passes(self, choice: Choice, deadline: float | None) -> bool | None:
        """Whether the text as chosen is right; None if that cannot be told in the time that is left."""
        left = None if deadline is None else max(0.1, deadline - time.monotonic())
        try:
            return _is_right(self.question.ask(self._text(choice), seconds=left))
        except _UndecidedError:
            return None

    def _text(self, choice: Choice) -> SourceFile:
        return edited(self.source, self.places, choice)

    def _repair(
        self, found: Found, costs: Sequence[Sequence[int]], base: Choice, seconds: float | None
    ) -> Verdict:
        choice, *others = found.choices
        result = self.question.ask(self._text(choice))
        if not _is_right(result):
            raise _UndecidedError("internal error, please report: the repaired program is not right")
        changes = tuple(
            self._change(number, choice, costs[number][choice[number]], seconds)
            for number, place in enumerate(self.places)
            if choice[number] != place.current
        )
        return Repair(
            source=self.source,
            repaired=self._text(choice),
            changes=changes,
            cost=found.cost,
            before=self._present(costs, base) if self.weaken else None,
            lower_bound=found.lower_bound,
            others=tuple(self._text(other) for other in others),
            result=result,
            tested=found.tested,
        )

    def _present(self, costs: Sequence[Sequence[int]], base: Choice) -> int:
        return sum(costs[n][place.current] for n, place in enumerate(self.places) if place.current != base[n])

    def _change(self, number: int, choice: Choice, cost: int, seconds: float | None) -> Change:
        """The change at a place, with what happens without it."""
        without = (*choice[:number], self.places[number].current, *choice[number + 1 :])
        prevents = None if self.weaken else self.question.ask(self._text(without), seconds=seconds)
        return Change(place=self.places[number], alternative=choice[number], cost=cost, prevents=prevents)


def _places(source: SourceFile, program: Program | None) -> tuple[Place, ...]:
    return proving.places(source) if program is None else api.places(source, program)


def _costs(source: SourceFile, program: Program | None, question: Question, table: Path | None) -> Costs:
    default = proving.default_model(source) if program is None else api.default_model(program)
    model = api.load_model(question.model or default, include_dirs=question.include_dirs)
    return costs_for(model.name, table)


class _UndecidedError(Exception):
    """A question that the answer depends on has none; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _no_stronger(place: Place) -> Place:
    """A place without the alternatives that what stands there does not include."""
    kept = sorted(place.alternatives[place.current].includes)
    return replace(
        place,
        alternatives=tuple(
            replace(
                place.alternatives[old],
                includes=frozenset(kept.index(below) for below in place.alternatives[old].includes),
            )
            for old in kept
        ),
        current=len(kept) - 1,
    )


def _is_right(result: Answer) -> bool:
    """Whether a program does what it should. What `exists` asks for should not happen.

    Raises:
        _UndecidedError: nobody knows, or nothing was asked.
    """
    condition = result.program.condition if isinstance(result, api.Result) else None
    is_wish = condition is not None and condition.quantifier is Quantifier.EXISTS
    match result.outcome:
        case Holds() | HoldsWithin() if is_wish:
            return False
        case Violated(property="condition") if is_wish:
            return True
        case Holds() | HoldsWithin():
            return True
        case Violated():
            return False
        case Unknown(reason=reason):
            raise _UndecidedError(reason)
        case Explored():
            raise _UndecidedError("the program asks nothing")


__all__ = [
    "Answer",
    "Change",
    "NotRepairable",
    "NothingToRepair",
    "Question",
    "Repair",
    "Undecided",
    "Verdict",
    "repair",
]
