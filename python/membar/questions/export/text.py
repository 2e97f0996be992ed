"""What the printers of all languages share: names, the parts of a step, and claims."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from membar.program.temporal import TRUE, Claim, ForbiddenRuns, Formula, has_next, has_past, implies
from membar.questions.export.model import (
    ENDLESS,
    GuardedStep,
    Interval,
    Kind,
    Model,
    Variable,
    untranslatable,
)
from membar.questions.export.names import Names, variable_names
from membar.questions.export.questions import fairness
from membar.questions.export.ranges import Ranges, fits
from membar.questions.export.spelling import Speller, sequence_writes

_WIDTHS = ((0, 255), (-(1 << 15), (1 << 15) - 1), (-(1 << 31), (1 << 31) - 1))


class Text:
    """A model as text of a language.

    Args:
        model: what is written.
        language: its name.
        reserved: its own words.
        fair: formulas are about runs that are fair to every queue of stores.
        types: its types of 8 bits without sign and, if it has them, of 16 and 32 bits with a sign.
        local: registers are local variables.
    """

    def __init__(
        self,
        model: Model,
        language: str,
        *,
        reserved: Collection[str],
        fair: bool,
        types: tuple[str, ...],
        local: bool,
    ) -> None:
        self.model = model
        self.program = model.program
        self.fair = fair
        self.names = Names(reserved)
        self.threads = [self.names.fresh(thread.name) for thread in self.program.threads]
        self.scratches: dict[str, str] = {}
        self._language = language
        self._types = types
        self._local = local

    def variable_names(self) -> dict[str, str]:
        """The names of the variables."""
        return variable_names(self.model, self.names, self.threads, local=self._local, lists=self._local)

    def type_of(self, found: Interval) -> str:
        """The narrowest type with these values.

        Raises:
            InputError: there is none.
        """
        for kind, limits in zip(self._types, _WIDTHS, strict=False):
            if fits(found, limits):
                return kind
        bits = 8 << (len(self._types) - 1)
        raise untranslatable(f"a variable whose values have no bounds, or need more than {bits} bits")

    def variables(
        self, keys: Collection[str], called: dict[str, str]
    ) -> Iterator[tuple[str, str, list[int]]]:
        """Each variable or array: its type, its name, an array's with `[`, and the initial values."""
        arrays: dict[str, list[str]] = {}
        for key in keys:
            name, bracket, _ = called[key].partition("[")
            arrays.setdefault(name + bracket, []).append(key)
        for name, elements in arrays.items():
            low = min(self.model.ranges[key][0] for key in elements)
            high = max(self.model.ranges[key][1] for key in elements)
            values = [self.model.variables[key].initial for key in elements]
            yield self.type_of((low, high)), name, values

    def guards(self, step: GuardedStep, speller: Speller) -> Iterator[str]:
        """The conditions of a step."""
        for number, guard in enumerate(step.guards):
            yield speller.truth(guard, Ranges(self.model.ranges, step.guards[:number]))

    def assignments(self, step: GuardedStep, called: dict[str, str], speller: Speller) -> list[str]:
        """The assignments of a step, and what it puts into its queue, in sequence."""
        ranges = Ranges(self.model.ranges, step.guards)

        def scratch(key: str) -> str:
            kept = f"scratch:{key}"
            if kept not in self.scratches:
                called[kept] = self.scratches[kept] = self.names.fresh("kept")
            return kept

        done = [
            f"{called[key]} = {speller.value(value, ranges)}"
            for key, value in sequence_writes(step.writes, scratch)
        ]
        for pushed in step.pushes:
            length = called[Variable(kind=Kind.LENGTH, thread=step.thread).key]
            queue = called[Variable(kind=Kind.QUEUE, thread=step.thread, slot=0).key].partition("[")[0]
            done += [f"{queue}[{length}] = {pushed}", f"{length} = {length} + 1"]
        return done

    def claim_about_fair_runs(self, claim: Claim, formula: Formula) -> Formula:
        """A claim, restricted to runs that are fair to the queues of stores.

        Raises:
            InputError: the language has no words for it.
        """
        if claim.is_endless:
            raise untranslatable(ENDLESS, claim.span)
        if has_past(formula):
            raise untranslatable(f"operators of the past, which {self._language} does not have,", claim.span)
        assumed = fairness(self.model) if self.fair else TRUE
        whole = formula if assumed == TRUE else implies(assumed, formula)
        if has_next(whole) and not all(thread.started for thread in self.program.threads):
            why = f"`X` in a program that starts threads, which takes an additional step in {self._language},"
            raise untranslatable(why, claim.span)
        return whole

    def refuse_automaton(self, claim: Claim, body: ForbiddenRuns, help_: str) -> None:
        """Refuses automata that assume fairness, or that accept by ending.

        Raises:
            InputError: it is one of them.
        """
        what = "an automaton of forbidden runs"
        if self.fair and self.model.flushes:
            raise untranslatable(f"{what}, with fairness to store buffers", claim.span, help=help_)
        if body.ends_are_errors and len({edge.source for edge in body.edges}) < len(body.states):
            raise untranslatable(f"{what} with an end", claim.span)
