"""Whether a program can buffer loads: let a write overtake an earlier read of its thread.

A cycle of program order and reads-from enters a thread at a read and leaves it at a later write. If a model
keeps every such pair of a program in order, and has no cycles of that order and reads-from, there are no such
cycles at all. Whether it does is asked of the model, about every path of every thread (`program/paths.py`).
"""

from __future__ import annotations

from membar.models.evaluate import evaluator_of
from membar.models.model import Model
from membar.program.paths import TooManyPathsError, paths
from membar.program.program import Program

_MOST_PATHS = 400


def keeps_loads_before_stores(program: Program, model: Model, *, bound: int) -> bool:
    """Whether no path of `program` has a read and a later write that may change places under `model`.

    False also if the model does not say, or if there are too many paths to tell.
    """
    if model.plan is None or not model.load_buffering:
        return False
    evaluator = evaluator_of(model.plan)
    try:
        return not any(
            evaluator.whole(path).relation(model.load_buffering)
            for thread in program.threads
            for path in paths(program, thread, bound=bound, most=_MOST_PATHS)
        )
    except TooManyPathsError:
        return False
