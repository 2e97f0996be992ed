"""One program under several models, or by several engines: `membar compare`."""

from __future__ import annotations

from collections.abc import Sequence

from membar.questions.answer import Answer
from membar.questions.answering import default_model
from membar.questions.ask import ask
from membar.questions.outcome import Unknown
from membar.questions.programs import parse
from membar.questions.refusals import for_engine, refuse_for_engines
from membar.questions.safety import Safety
from membar.records import record, replace


@record(frozen=True, slots=True)
class Column:
    """The answer of one engine under one model."""

    model: str
    engine: str
    result: Answer

    @property
    def is_answered(self) -> bool:
        """Whether everything was explored as far as it goes."""
        return not isinstance(self.result.outcome, Unknown)


@record(frozen=True, slots=True)
class Comparison:
    """The same question asked several times; `differences` are internal errors, in words."""

    columns: tuple[Column, ...]
    differences: tuple[str, ...]


def compare(question: Safety, *, models: Sequence[str] = (), engines: Sequence[str] = ()) -> Comparison:
    """Asks each engine (by default the model's own) under each model (by default sc and the language's own).

    Raises:
        InputError: an argument is wrong, or an option applies to none of the engines.
    """
    # Sets of final states are compared: no search may end when the verdict is known.
    options = replace(question.options, stops_early=False)
    refuse_for_engines(engines, options)
    models = models or ("sc", default_model(parse(question.source_with(defines=question.defines))))
    columns = []
    for model in dict.fromkeys(models):
        for engine in engines or (None,):
            chosen = for_engine(engine, options) if len(set(engines)) > 1 and engine else options
            result = ask(replace(question, model=model, engine=engine, options=chosen))
            columns.append(Column(result.model.name, result.outcome.run.engine, result))
    return Comparison(tuple(columns), tuple(_differences(columns)))


def _differences(columns: Sequence[Column]) -> list[str]:
    """Where two engines that both answered disagree about one model."""
    found = []
    for n, left in enumerate(columns):
        for right in columns[n + 1 :]:
            if left.model != right.model or not (left.is_answered and right.is_answered):
                continue
            one, other = left.result, right.result
            if {one.verdict, other.verdict} == {"holds", "holds-within"}:
                continue  # one of them could tell that the bound cuts nothing, or looked further
            if one.verdict != other.verdict:
                found.append(
                    f"{left.model}: {left.engine} says {one.verdict}, {right.engine} says {other.verdict}"
                )
            elif _are_comparable(left, right) and set(one.outcome.run.outcomes) != set(
                other.outcome.run.outcomes
            ):
                found.append(f"{left.model}: {left.engine} and {right.engine} reach different final states")
    return found


def _are_comparable(left: Column, right: Column) -> bool:
    """Whether both say which final states are reached, and explored as much as the other."""
    one, other = left.result.outcome.run, right.result.outcome.run
    is_bounded = not all(run.guarantee.startswith("all ") for run in (one, other))
    if is_bounded and one.guarantee != other.guarantee:
        return False
    return one.lists_outcomes and other.lists_outcomes
