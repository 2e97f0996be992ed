"""What must be true of a text, how it is asked, and what an answer says about right and wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from membar.objects.client import Size
from membar.objects.orders import Ordering
from membar.program.condition import Quantifier
from membar.questions import api, lift, linearizability, proving
from membar.questions.asked_objects import client_sources
from membar.questions.follow_ups import RACES_GIVEN_UP
from membar.questions.outcome import Explored, Holds, HoldsWithin, Unknown, Violated
from membar.questions.task import Limits, Options
from membar.source import SourceFile

Answer: TypeAlias = api.Result | proving.SystemResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What must be true: the arguments of `api.check`, but for the text; a system asks its own question.

    `threads` is what a C program calls the number of its threads, where it must be right for any number.
    `client` is the size of clients for which an object must be linearizable, in the order `order`, with the
    specification that the text names or another.
    """

    model: str | None = None
    engine: str | None = None
    properties: Collection[str] | None = None
    property_file: Path | None = None
    error: str | None = None
    ltl: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    options: Options = field(default_factory=Options)
    include_dirs: Sequence[Path] = ()
    mapping: str | None = None
    threads: str | None = None
    client: Size | None = None
    order: Ordering = Ordering.CAUSAL
    specification: str | None = None

    def concrete(self, source: SourceFile) -> tuple[SourceFile, ...]:
        """The text as programs: one for any number of threads with two, an object with its clients."""
        if self.threads is not None:
            return (lift.concrete(source, self.threads, 2),)
        if self.client is not None:
            return client_sources(source, self.client, self.specification)
        return (source,)

    def ask(self, source: SourceFile, *, model: str | None = None, seconds: float | None = None) -> Answer:
        """The answer about a text, under another model if one is named, within some time if it is short."""
        limits = self.limits if seconds is None else replace(self.limits, seconds=seconds)
        if proving.is_system(source):
            return proving.prove(
                source, model=model or self.model, engine=self.engine, limits=limits, options=self.options
            )
        if self.threads is not None:
            return lift.check_any(
                source,
                name=self.threads,
                model=model or self.model,
                properties=self.properties,
                limits=limits,
                options=self.options,
                mapping=self.mapping,
            )
        if self.client is not None:
            return self._about_clients(self.client, source, model or self.model, limits)
        return api.check(
            source,
            model=model or self.model,
            engine=self.engine,
            properties=self.properties,
            property_file=self.property_file,
            error=self.error,
            ltl=self.ltl,
            words=self.words,
            limits=limits,
            options=self.options,
            include_dirs=self.include_dirs,
            mapping=self.mapping,
        )

    def _about_clients(self, size: Size, source: SourceFile, model: str | None, limits: Limits) -> api.Result:
        """The answer about an object, as one about the client that refutes it."""
        found = linearizability.check_object(
            source,
            size=size,
            model=model,
            ordering=self.order,
            specification=self.specification,
            limits=limits,
            options=self.options,
            include_dirs=self.include_dirs,
            mapping=self.mapping,
        )
        program = found.program or api.parse(self.concrete(source)[0])
        # What a client may return is asked of the engine as a condition; it is none of the text's.
        return api.Result(
            source, replace(program, condition=None), found.judging, found.outcome, self.mapping
        )


class UndecidedError(Exception):
    """A question that the answer depends on has none; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def is_wish(answer: Answer) -> bool:
    """Whether the text asks what can happen (`exists`), which for a repair is what must not."""
    condition = answer.program.condition if isinstance(answer, api.Result) else None
    return condition is not None and condition.quantifier is Quantifier.EXISTS


def is_right(answer: Answer) -> bool:
    """Whether a program does what it should. What `exists` asks for should not happen.

    Raises:
        UndecidedError: nobody knows, or nothing was asked.
    """
    match answer.outcome:
        case Holds() | HoldsWithin() if is_wish(answer):
            return False
        case Violated(property="condition") if is_wish(answer):
            return True
        case Holds() | HoldsWithin():
            return True
        case Violated():
            return False
        case Unknown(reason=reason):
            raise UndecidedError(reason)
        case Explored():
            raise UndecidedError("the program asks nothing")


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What an answer that all is right establishes: within which bound, and what it warns of all the same.

    `has_all_flags`: there was time for the follow-up question that may add one.
    """

    bound: str | None
    flags: frozenset[str]
    has_all_flags: bool = True

    def is_kept_by(self, other: Guarantee) -> bool | None:
        """Whether another text is right in the same sense; None if that is not known beyond its bound."""
        if not other.flags <= self.flags:
            return False
        return True if other.bound in (None, self.bound) and other.has_all_flags else None


def guarantee_of(answer: Answer) -> Guarantee:
    """What an answer establishes that says that a text is right."""
    outcome = answer.outcome
    bound = outcome.bound if isinstance(outcome, HoldsWithin) else None
    return Guarantee(bound, frozenset(outcome.run.flags), RACES_GIVEN_UP not in outcome.run.notes)
