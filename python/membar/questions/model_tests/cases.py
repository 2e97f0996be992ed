"""One program under a model, with what several laws ask about it."""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Final

from membar.engines import graphs
from membar.engines.reference import axiomatic
from membar.engines.reference.simulator import simulate
from membar.models.model import Model
from membar.program.program import Program
from membar.properties.tally import Tally
from membar.questions.model_tests import searches
from membar.questions.model_tests.programs import Features
from membar.questions.outcome import FinalState
from membar.questions.task import Limits, Options, Task, Unrolling
from membar.records import replace

# More than any test program has stores, so that nothing is held back.
_LARGE_BUFFERS: Final = 16


class Case:
    """One program under a model, with results that several laws need."""

    def __init__(self, model: Model, program: Program, *, features: Features, seed: int) -> None:
        self.model = model
        self.program = program
        self.features = features
        self.seed = seed
        self.seconds = 0.0  # for one question about it

    @property
    def random(self) -> Random:
        """A deterministic source of random choices."""
        return Random(f"law {self.seed}")

    @cached_property
    def tally(self) -> Tally:
        """All executions, by the general search."""
        return self.explore(searches.without_claims(self.model), listing=True)

    @cached_property
    def states(self) -> frozenset[FinalState]:
        """The final states, by the general search; of a model without axioms by its machine."""
        if self.model.plan is None:
            return self.machine(self.model, buffers=self.model.default_buffers)
        return frozenset(self.tally.outcomes)

    def explore(self, model: Model, program: Program | None = None, *, listing: bool = False) -> Tally:
        """What `graphs` finds."""
        return _require_finished(graphs.explore(self._task(model, program, Options(all_executions=listing))))

    def reference(self) -> Tally:
        """What the Python reference finds."""
        model = searches.without_claims(self.model)
        return _require_finished(axiomatic.explore(self._task(model, None, Options(all_executions=True))))

    def machine(self, model: Model, *, buffers: int = _LARGE_BUFFERS) -> frozenset[FinalState]:
        """The final states of a machine with store buffers."""
        return frozenset(
            _require_finished(simulate(self._task(model, None, Options(buffers=buffers)))).outcomes
        )

    def states_of(self, model: Model, program: Program | None = None) -> frozenset[FinalState]:
        """The final states under a model, of this program or another."""
        return frozenset(self.explore(searches.without_claims(model), program).outcomes)

    def _task(self, model: Model, program: Program | None, options: Options) -> Task:
        return Task(
            program=self.program if program is None else program,
            model=model,
            properties=("condition",),
            limits=Limits(seconds=self.seconds),
            options=replace(options, unrolling=Unrolling(exact=searches.BOUND)),
        )


def _require_finished(tally: Tally) -> Tally:
    if tally.limit is not None:
        raise searches.TooSlowError
    return tally
