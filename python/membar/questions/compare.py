"""One program under several models or with several engines: `membar compare`."""

from __future__ import annotations

from collections.abc import Sequence

from membar.questions.answer import Answer, Comparison, make_answer
from membar.questions.ask import ask
from membar.questions.engine_answer import default_model
from membar.questions.outcome import Explored, Run, Unknown
from membar.questions.programs import parse
from membar.questions.refusals import for_engine, refuse_for_engines
from membar.questions.safety import Safety
from membar.records import field_names, record, replace


@record(frozen=True, slots=True, kw_only=True)
class Compare(Safety):
    """The results of a program under each of several models, or with each of several engines.

    Attributes:
        models: by default sc and the language's own.
        engines: by default the one that each model's question would choose.
    """

    models: Sequence[str] = ()
    engines: Sequence[str] = ()

    def answer(self) -> Answer:
        """The columns side by side; explored completely if every column is answered and no two disagree."""
        # Sets of final states are compared: no search may end when the verdict is known.
        options = replace(self.options, stops_early=False)
        refuse_for_engines(self.engines, options)
        models = self.models or ("sc", default_model(parse(self.source_with(defines=self.defines))))
        columns = []
        for model in dict.fromkeys(models):
            for engine in self.engines or (None,):
                chosen = for_engine(engine, options) if len(set(self.engines)) > 1 and engine else options
                columns.append(ask(self._column(model=model, engine=engine, options=chosen)))
        found = Comparison(tuple(columns), tuple(_differences(columns)))
        is_complete = all(map(_is_answered, columns)) and not found.differences
        first = columns[0]
        return make_answer(
            self, first.subject, first.model, Explored(_run(columns), is_complete), evidence=found
        )

    def _column(self, **changes: object) -> Safety:
        own = {name: getattr(self, name) for name in field_names(self) if name not in ("models", "engines")}
        return Safety(**(own | changes))


def _run(columns: Sequence[Answer]) -> Run:
    """The combined run of all columns."""
    guarantees = dict.fromkeys(column.guarantee for column in columns)
    return Run(
        model=", ".join(dict.fromkeys(column.model.name for column in columns)),
        engine=", ".join(dict.fromkeys(column.engine for column in columns)),
        algorithm="comparison",
        guarantee="; ".join(guarantees),
    )


def _is_answered(column: Answer) -> bool:
    """Whether a column was explored completely."""
    return not isinstance(column.outcome, Unknown)


def _differences(columns: Sequence[Answer]) -> list[str]:
    """Where two engines that both answered disagree about one model."""
    found = []
    for n, one in enumerate(columns):
        for other in columns[n + 1 :]:
            model = one.model.name
            if model != other.model.name or not (_is_answered(one) and _is_answered(other)):
                continue
            if {one.verdict, other.verdict} == {"holds", "holds-within"}:
                continue  # one of them could tell that the bound cuts nothing, or looked further
            if one.verdict != other.verdict:
                found.append(f"{model}: {one.engine} says {one.verdict}, {other.engine} says {other.verdict}")
            elif _are_comparable(one, other) and set(one.outcome.run.outcomes) != set(
                other.outcome.run.outcomes
            ):
                found.append(f"{model}: {one.engine} and {other.engine} reach different final states")
    return found


def _are_comparable(left: Answer, right: Answer) -> bool:
    """Whether both list their final states, and explored the same part of the program."""
    one, other = left.outcome.run, right.outcome.run
    is_bounded = not all(run.guarantee.startswith("all ") for run in (one, other))
    if is_bounded and one.guarantee != other.guarantee:
        return False
    return one.lists_outcomes and other.lists_outcomes
