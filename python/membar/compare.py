"""One program under several models, or by several engines: `membar compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from membar import api
from membar.outcome import Unknown
from membar.task import Limits, Options


@dataclass(frozen=True, slots=True)
class Column:
    """The answer of one engine under one model."""

    model: str
    engine: str
    result: api.Result

    @property
    def is_answered(self) -> bool:
        """Whether everything was explored as far as it goes."""
        return not isinstance(self.result.outcome, Unknown)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same question asked several times; `differences` are internal errors, in words."""

    columns: tuple[Column, ...]
    differences: tuple[str, ...]


def compare(
    path: Path,
    *,
    models: Sequence[str],
    engines: Sequence[str] = (),
    limits: Limits | None = None,
    options: Options | None = None,
    include_dirs: Sequence[Path] = (),
) -> Comparison:
    """Asks each engine (by default the model's own) about `path` under each model."""
    # Sets of final states are compared: no search may end when the verdict is known.
    options = replace(options or Options(), stops_early=False)
    columns = []
    for model in models:
        for engine in engines or (None,):
            result = api.check(
                path, model=model, engine=engine, limits=limits, options=options, include_dirs=include_dirs
            )
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
            elif set(one.outcome.run.outcomes) != set(other.outcome.run.outcomes):
                found.append(f"{left.model}: {left.engine} and {right.engine} reach different final states")
    return found
