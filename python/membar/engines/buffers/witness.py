"""Runs of the unbounded search, as the reference's store-buffer machine makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from membar import _core
    from membar.engines.buffers.question import Lowered


def shown_moves(question: Lowered, run: Sequence[_core.Step]) -> list[_core.Step]:
    """`run` of an unbounded search, without the values of channels, which that search keeps in memory."""

    def visible_values(thread: int, edge: int, values: list[int]) -> list[int]:
        hidden = question.unchannelled.hidden.get((thread, edge), ())
        flags = (*hidden, *[False] * (len(values) - len(hidden)))
        return [value for value, is_hidden in zip(values, flags, strict=False) if not is_hidden]

    steps: list[_core.Step] = []
    for step in run:
        if step.edge is None:
            steps.append(step)
            continue
        other = step.partner
        theirs = None if other is None else visible_values(other.thread, other.edge, other.values)
        steps.append(step.showing(visible_values(step.thread, step.edge, step.values), theirs))
    return steps
