"""`membar models test`: what a model claims about itself, against classic and random programs.

A claim that survives is not proved; one that is refuted comes with a small program that shows it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from membar.diagnostics import EngineLimitError, InputError
from membar.limits import budget
from membar.models.model import Model
from membar.program.program import Program
from membar.questions.model_tests.cases import Case
from membar.questions.model_tests.laws import Law, laws_for, unused_tags
from membar.questions.model_tests.programs import C11
from membar.questions.model_tests.sample import features_for, program_for, smaller
from membar.questions.model_tests.searches import LawDoesNotApplyError, TooSlowError
from membar.records import record, replace

PROGRAMS: Final = 300
# The longest that one law may take with one program.
_SECONDS: Final = 5.0


@record(frozen=True, slots=True, kw_only=True)
class Tested:
    """The result for one law.

    Attributes:
        law: which.
        programs: how many programs that it speaks about do not refute it.
        refutation: why it is wrong; nothing if nothing was found.
        program: the program that shows it.
        seed: its number.
    """

    law: Law
    programs: int
    refutation: str = ""
    program: Program | None = None
    seed: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class Report:
    """The result for a model.

    Attributes:
        model: which.
        tested: its laws, in order.
        programs: how many programs were tried.
        skipped: how often a law was given up because a program took too long.
        limit: why fewer programs than wanted were tried; nothing if they were.
        notes: what else was noticed.
        is_interrupted: the user stopped it.
    """

    model: Model
    tested: tuple[Tested, ...]
    programs: int
    skipped: int
    limit: str
    notes: tuple[str, ...]
    is_interrupted: bool = False

    @property
    def is_refuted(self) -> bool:
        """Whether some law was refuted."""
        return any(one.refutation for one in self.tested)


def try_claims(
    model: Model,
    *,
    count: int = PROGRAMS,
    seed: int = 0,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Tests all laws of a model on `count` programs, starting with number `seed`.

    A law that was refuted is not tried again.
    """
    clock = _Clock(seconds)
    features = features_for(model)
    found = {law: Tested(law=law, programs=0) for law in laws_for(model)}
    programs = skipped = 0
    is_interrupted = False
    try:
        while programs < count and not clock.is_over:
            number = seed + programs
            cases = {
                in_c: Case(model, program_for(number, words), features=words, seed=number)
                for in_c, words in ((False, features), (True, C11))
            }
            for law in [law for law, one in found.items() if not one.refutation]:
                case = cases[law.is_about_c]
                try:
                    problem = _refutation(law, case, clock)
                except LawDoesNotApplyError:
                    continue
                if clock.is_over and not problem:
                    break
                if problem is None:
                    skipped += 1
                elif problem:
                    found[law] = _smallest(found[law], case, problem, clock)
                else:
                    found[law] = replace(found[law], programs=found[law].programs + 1)
            programs += not clock.is_over
            if progress is not None:
                progress(f"{programs} of {count} programs, {len(found)} laws")
    except KeyboardInterrupt:  # what is known so far is worth showing
        is_interrupted = True
    except budget.LimitError:
        pass  # the clock says so too
    return Report(
        model=model,
        tested=tuple(found.values()),
        programs=programs,
        skipped=skipped,
        limit=""
        if programs == count
        else "an interrupt"
        if is_interrupted
        else f"the time limit of {seconds:g} s",
        is_interrupted=is_interrupted,
        notes=_notes(model),
    )


class _Clock:
    """The remaining time."""

    def __init__(self, seconds: float | None) -> None:
        left = budget.current().remaining_seconds if seconds is not None else None
        self._end = None if seconds is None else time.monotonic() + min(seconds, left or seconds)

    @property
    def remaining_seconds(self) -> float:
        """The remaining time for one law and one program."""
        return _SECONDS if self._end is None else min(_SECONDS, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        return self.remaining_seconds <= 0


def _refutation(law: Law, case: Case, clock: _Clock) -> str | None:
    """Why a program refutes a law; empty if it does not, None if that took too long."""
    if clock.is_over:
        return None
    case.seconds = clock.remaining_seconds
    try:
        return law.refutation(case)
    except (TooSlowError, EngineLimitError):
        return None


def _smallest(tested: Tested, case: Case, problem: str, clock: _Clock) -> Tested:
    """The refutation by a minimal program."""
    candidates = smaller(case.program)
    while candidates:
        other = Case(case.model, candidates.pop(0), features=case.features, seed=case.seed)
        try:
            found = _refutation(tested.law, other, clock)
        except (InputError, LawDoesNotApplyError):  # it no longer makes sense
            continue
        if found:
            case, problem, candidates = other, found, smaller(other.program)
    return replace(tested, refutation=problem, program=case.program, seed=case.seed)


def _notes(model: Model) -> tuple[str, ...]:
    unused = unused_tags(model)
    if not unused:
        return ()
    return (f"no check depends on {', '.join(unused)}: if this is intended, name them in a set `no-effect`",)
