"""The cheapest change that makes a program correct under its model: `membar repair`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from membar.diagnostics import InputError, refusal
from membar.languages.registry import load_model
from membar.limits.budget import LimitError, limit_resources
from membar.models import load as models
from membar.questions import programs, system
from membar.questions.answer import Answer
from membar.questions.ask import ask
from membar.questions.engine_answer import default_model
from membar.questions.outcome import Witness
from membar.questions.question import Question
from membar.questions.repair.clock import Clock
from membar.questions.repair.configurations import Configurations
from membar.questions.repair.correctness import Guarantee, UndecidedError, guarantee_of, is_right
from membar.questions.repair.costs import Costs, costs_for
from membar.questions.repair.greedy import first_repair
from membar.questions.repair.monotone import is_monotone
from membar.questions.repair.search import Found, Search
from membar.questions.repair.verdicts import (
    Change,
    NothingToRepair,
    NotRepairable,
    Repair,
    Undecided,
    Verdict,
)
from membar.questions.safety import Safety
from membar.records import replace
from membar.source import SourceFile
from membar.text.edits import Choice, EditSite, apply_choice, restrict

if TYPE_CHECKING:
    from membar.program.operations import Operation
    from membar.program.program import Program


def find_repair(
    question: Question,
    *,
    weaken: bool = False,
    greedy: bool = False,
    all_cheapest: bool = False,
    costs: Path | None = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verdict:
    """The cheapest correct program, between the given text and everything that could be added to it.

    Args:
        question: the text, and what must be true of it.
        weaken: let everything go that is not needed, instead of adding what is.
        greedy: take what Barnat's procedure ends with, cheapest or not.
        all_cheapest: find all of the least cost.
        costs: the user's table of costs.
        seconds: afterwards the best repair so far is given, with a lower bound.
        progress: called now and then with a short text.

    Raises:
        InputError: the text, an argument or the table is wrong, or the language cannot be repaired.
    """
    clock = Clock(seconds)
    try:
        with limit_resources(seconds=clock.latest, memory=None, given=seconds):
            repairing = _Repairing(question, weaken=weaken, costs=costs, clock=clock, progress=progress)
            return repairing.greedy() if greedy else repairing.verdict(all_cheapest=all_cheapest)
    except (UndecidedError, LimitError) as undecided:
        return Undecided(undecided.reason)


class _Repairing:
    """One repair in progress."""

    def __init__(
        self,
        question: Question,
        *,
        weaken: bool,
        costs: Path | None,
        clock: Clock,
        progress: Callable[[str], None] | None,
    ) -> None:
        source = question.source
        self.source, self.question, self.weaken, self.progress = source, question, weaken, progress
        self.clock = clock
        self.program: Program | None = None
        places: dict[tuple[str, int, int, str], EditSite] = {}
        for concrete in question.programs_of(source):
            self.program = None if system.is_system(source) else programs.parse(concrete)
            for place in _places(concrete, self.program):
                span = place.span
                # What membar appends to a text (clients of an object) cannot be changed.
                if span.path != source.path or span.end <= len(source.text):
                    places.setdefault((span.path, span.start, span.end, place.title), place)
        self.places = self._readable(tuple(places.values()))
        if weaken:
            self.places = tuple(
                restrict(place, place.alternatives[place.current].includes)
                for place in self.places
                if place.current
            )
        self.costs = self._costs(costs)
        self.demanded: Guarantee | None = None
        self.configurations = Configurations(source, self._ask, weaken, getattr(question, "threads", None))

    def verdict(self, *, all_cheapest: bool) -> Verdict:
        """The cheapest repair."""
        early = self._without_search()
        if early is not None:
            return early
        base = tuple(0 if self.weaken else place.current for place in self.places)
        costs = self.costs.all_of(self.places, base)
        while True:
            search = self._search(costs, base)
            found = search.run(all_cheapest=all_cheapest)
            if found is None or found.is_interrupted:
                break
            if not self.configurations.require_those_broken_by([*map(self._text, found.choices)]):
                break
        if found is not None:
            return self._repair(found, costs, base)
        if search.is_interrupted or search.is_undecided:
            return Undecided(_nothing_found(search), is_interrupted=search.is_interrupted)
        if required := self.configurations.required:
            names = ", ".join(each.name for each in required)
            return NotRepairable(f"every change that repairs it breaks another configuration: {names}")
        return NotRepairable(
            "it is wrong even with every change that membar can make in its text",
            self._answer_about(self._strongest),
            is_edited=True,
        )

    def _search(self, costs: Sequence[Sequence[int]], base: Choice) -> Search:
        return Search(
            self.places,
            costs,
            base,
            self._passes,
            is_monotone=self._is_monotone(),
            deadline=self.clock.deadline,
            progress=self.progress,
        )

    def greedy(self) -> Verdict:
        """The repair that Barnat's procedure finds."""
        program = self.program
        if program is None or not self.places or any(place.location is None for place in self.places):
            raise refusal(
                "W0422",
                "`--greedy` works for DVE only: this language has no atomic writes",
                help="without it, membar searches for the cheapest repair",
            )
        early = self._without_search()
        if early is not None:
            return early
        base = tuple(place.current for place in self.places)
        tested = 0

        def counterexample(choice: Choice) -> Witness | None:
            nonlocal tested
            tested += 1
            result = self._ask(self._text(choice))
            return None if is_right(result) else result.witness

        choice = first_repair(self.places, base, program, counterexample)
        if choice is None:
            return NotRepairable("it is wrong even if every write is atomic")
        costs = self.costs.all_of(self.places, base)
        total = sum(costs[number][level] for number, level in enumerate(choice))
        found = Found(choices=(choice,), cost=total, lower_bound=0, tested=tested)
        return self._repair(found, costs, base)

    def _costs(self, table: Path | None) -> Costs:
        """The costs of changes under the model of the question."""
        program, question = self.program, self.question
        default = system.default_model(self.source) if program is None else default_model(program)
        named = question.model or question.default_model or default
        model = load_model(named, include_dirs=question.include_dirs)
        if table is None:
            return costs_for(model.name)
        names = {each.name for place in self.places for each in place.alternatives}
        return costs_for(model.name, table, models=models.names(), names=names)

    def _without_search(self) -> Verdict | None:
        """The verdict, if it is known before any candidate is tried."""
        now = self._ask(self.source)
        if is_right(now):
            if not self.weaken:
                return NothingToRepair(now)
            self.demanded = guarantee_of(now)
            return None
        if self.weaken:
            return NotRepairable("it is not correct as it is, so nothing can be weakened", now)
        orderly = self._ask(self.source, model="sc")
        if not is_right(orderly):
            return NotRepairable("it is wrong under sc too: no fence or order can repair that", orderly)
        return None

    def _readable(self, places: tuple[EditSite, ...]) -> tuple[EditSite, ...]:
        """The places that can be changed: where directives divide statements, the result may not be C."""
        if self._can_read(places):
            return places
        return tuple(place for place in places if self._can_read((place,)))

    def _can_read(self, places: tuple[EditSite, ...]) -> bool:
        """Whether the program can be parsed with the strongest alternative at each of the places."""
        if self.program is None:
            return True
        try:
            text = apply_choice(self.source, places, tuple(place.strongest for place in places))
            programs.parse(self.question.programs_of(text)[0])
        except InputError:
            return False
        return True

    def _ask(self, text: SourceFile, *, model: str | None = None) -> Answer:
        """The answer about a program, in the remaining time."""
        with self.clock.watching():
            return self._answer(text, self.clock.remaining_seconds, model=model)

    def _answer(self, text: SourceFile, seconds: float | None, *, model: str | None = None) -> Answer:
        """The answer about a program, under another model if one is named, within a time limit."""
        question = replace(self.question, source=text, model=model or self.question.model)
        if seconds is not None:
            question = replace(question, limits=replace(question.limits, seconds=seconds))
        return ask(question)

    def _is_monotone(self) -> bool:
        """Whether stronger programs are correct where weaker ones are, as seen from the strongest one."""
        strongest, question = self._text(self._strongest), self.question
        if not isinstance(question, Safety):
            return True
        _, program = programs.parse_with_options(
            strongest,
            error=question.error,
            ltl=programs.text_of_claims(question.ltl, question.ltl_file),
            words=question.words,
            labels=programs.asked_labels(question.properties),
        )
        return is_monotone(program, self.places, question.options.fair)

    @property
    def _strongest(self) -> Choice:
        return tuple(place.strongest for place in self.places)

    def _passes(self, choice: Choice) -> bool | None:
        """Whether the chosen program is correct; None if that cannot be decided in the remaining time.

        When weakening, what was right without a bound must be so without one.
        """
        try:
            text = self._text(choice)
            answer = self._ask(text)
            passes = is_right(answer) and self._keeps_guarantee(answer)
            return self.configurations.pass_with(text) if passes else passes
        except UndecidedError:
            return None
        except InputError:
            return None  # with such fences and orders it cannot be read, or not for any number of threads

    def _keeps_guarantee(self, answer: Answer) -> bool | None:
        return True if self.demanded is None else self.demanded.is_kept_by(guarantee_of(answer))

    def _answer_about(self, choice: Choice) -> Answer:
        """The answer about a chosen program, in terms of the user's own lines."""
        text = self._text(choice)
        flat = apply_choice(self.source, self.places, choice, is_flat=True)
        return self._ask(flat if self._is_same(text, flat) else text)

    def _is_same(self, text: SourceFile, other: SourceFile) -> bool:
        """Whether two programs perform the same operations in the same order, whatever their line breaks."""
        try:
            mine, others = self.question.programs_of(text), self.question.programs_of(other)
            return list(map(_shape, mine)) == list(map(_shape, others))
        except InputError:
            return False

    def _text(self, choice: Choice) -> SourceFile:
        return apply_choice(self.source, self.places, choice)

    def _repair(self, found: Found, costs: Sequence[Sequence[int]], base: Choice) -> Verdict:
        choice, *others = found.choices
        changes = tuple(
            self._change(number, choice, costs[number][choice[number]], is_shown=not found.is_interrupted)
            for number, place in enumerate(self.places)
            if choice[number] != place.current
        )
        repaired = self._text(choice)
        is_rechecked = bool(changes) and not found.is_interrupted
        return Repair(
            source=self.source,
            repaired=repaired,
            changes=changes,
            cost=found.cost,
            before=self._present(costs, base) if self.weaken else None,
            lower_bound=found.lower_bound,
            others=tuple(self._text(other) for other in others),
            result=self._checked_again(
                choice, self.clock.brief_limit if found.is_interrupted else self.clock.last_check_limit
            ),
            tested=found.tested,
            undecided=found.undecided,
            places=len(self.places),
            configurations=self.configurations.rechecks(repaired) if is_rechecked else (),
            is_interrupted=found.is_interrupted,
        )

    def _checked_again(self, choice: Choice, seconds: float | None) -> Answer:
        """The answer about the repaired program, from scratch, within some time."""
        result = self._answer(self._text(choice), seconds)
        try:
            is_kept = is_right(result) and self._keeps_guarantee(result)
        except UndecidedError as undecided:
            reason = f"the repair that was found could not be checked again: {undecided.reason}"
            raise UndecidedError(reason) from None
        if is_kept is None:
            raise UndecidedError("the repaired program holds only within a bound, unlike the original one")
        if not is_kept:
            raise UndecidedError("internal error, please report: the repaired program is not correct")
        return result

    def _present(self, costs: Sequence[Sequence[int]], base: Choice) -> int:
        return sum(costs[n][place.current] for n, place in enumerate(self.places) if place.current != base[n])

    def _change(self, number: int, choice: Choice, cost: int, *, is_shown: bool) -> Change:
        """The change at a place and, if requested and there is time, what happens without it."""
        place = self.places[number]
        prevents = None
        if is_shown and not self.weaken and not self.clock.is_over:
            without = (*choice[:number], place.current, *choice[number + 1 :])
            prevents = self._answer_about(without)
        return Change(place=place, alternative=choice[number], cost=cost, prevents=prevents)


def _shape(source: SourceFile) -> object:
    """The operations of a program, without their locations."""
    if system.is_system(source):
        return None  # changes of systems never have lines of their own
    return [
        (thread.name, [(edge.source, edge.target, [_kind(each) for each in edge.operations])])
        for thread in programs.parse(source).threads
        for edge in thread.edges
    ]


def _kind(operation: Operation) -> tuple[type, object]:
    """The kind of an operation, without the text by which some name their line."""
    return type(operation), getattr(operation, "tags", None)


def _nothing_found(search: Search) -> str:
    """Why there is neither a repair nor a proof that there is none."""
    why = "interrupted" if search.is_interrupted else "not every candidate could be decided"
    bound = f"; every repair costs at least {search.lower_bound}" if search.lower_bound else ""
    return f"no repair was found: {why}{bound}"


def _places(source: SourceFile, program: Program | None) -> tuple[EditSite, ...]:
    return system.edit_sites(source) if program is None else programs.edit_sites(source, program)


__all__ = [
    "Change",
    "NotRepairable",
    "NothingToRepair",
    "Repair",
    "Undecided",
    "Verdict",
    "find_repair",
]
