"""The results of a repair."""

from __future__ import annotations

from typing import Final

from membar.questions.answer import Answer
from membar.questions.repair.configurations import Recheck
from membar.records import record
from membar.source import SourceFile
from membar.text.edits import EditSite

ATOMIC_WRITE: Final = "atomic write"


@record(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of a repair.

    Attributes:
        place: where.
        alternative: the number of what stands there then.
        cost: what it adds.
        prevents: the answer about the program with all other changes: what this one prevents; None where
            that could not be decided.
    """

    place: EditSite
    alternative: int
    cost: int
    prevents: Answer | None

    @property
    def name(self) -> str:
        """The new alternative; empty if it is nothing."""
        return self.place.alternatives[self.alternative].name

    @property
    def was(self) -> str:
        """The old alternative; empty if it is nothing."""
        return self.place.alternatives[self.place.current].name

    @property
    def own_names(self) -> tuple[str, str]:
        """The new and the old alternative, in the syntax of the language."""
        after, before = self.place.alternatives[self.alternative], self.place.alternatives[self.place.current]
        return after.own_name or after.name, before.own_name or before.name


@record(frozen=True, slots=True, kw_only=True)
class Repair:
    """A repair of a program.

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
        undecided: how many of those could not be decided, or only within a bound.
        places: how many places of the text were looked at.
        configurations: what became of the text's other configurations.
        is_interrupted: whether the search was, so that this is only the best that was found.
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
    undecided: int
    places: int
    configurations: tuple[Recheck, ...] = ()
    is_interrupted: bool = False

    @property
    def atomic_writes(self) -> tuple[str, ...]:
        """The writes that are made atomic, as `--atomic` takes them: `variable, process.transition`."""
        return tuple(
            edit.text.strip().removeprefix("atomic ").removesuffix(";")
            for change in self.changes
            if change.name == ATOMIC_WRITE
            for edit in change.place.alternatives[change.alternative].edits
            if edit.text
        )

    @property
    def is_minimal(self) -> bool:
        """Whether it is proved that no cheaper repair exists."""
        return self.lower_bound >= self.cost


@record(frozen=True, slots=True)
class NothingToRepair:
    """The program is already correct."""

    result: Answer


@record(frozen=True, slots=True)
class NotRepairable:
    """No known change makes the program correct, and why; with the answer that shows it.

    `is_edited`: that answer is about the strongest text, not about the text as it is.
    """

    reason: str
    result: Answer | None = None
    is_edited: bool = False


@record(frozen=True, slots=True)
class Undecided:
    """Some check that the result depends on had no answer."""

    reason: str
    is_interrupted: bool = False


Verdict = Repair | NothingToRepair | NotRepairable | Undecided
