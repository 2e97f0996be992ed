"""Which engine answers when the user names none: the table of defaults, and the choice for programs.

No other module outside an engine's own folder names an engine; all others use its declared capabilities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from membar import plugins

if TYPE_CHECKING:
    from membar.models.model import Model
    from membar.program.program import Program
    from membar.questions.task import Options

# Programs: under axioms, on store buffers of a bounded length, on store buffers of any length.
FOR_AXIOMS: Final = ("graphs", "reference")
FOR_BUFFERS: Final = ("states", "reference")
FOR_UNBOUNDED_BUFFERS: Final = ("buffers",)
# Systems: for any number of processes, for a few.
FOR_SYSTEMS: Final = ("cubes", "instances")
FOR_INSTANCES: Final = ("instances",)
# Executions that follow a witness.
FOR_WITNESSES: Final = ("reference",)
# Proofs and clients of objects, which the questions about objects answer themselves.
FOR_OBJECTS: Final = ("objects",)


def default_engine(program: Program, model: Model, options: Options) -> str:
    """The engine that answers when the user names none.

    A machine with store buffers, if these were asked for, the model has no axioms, the question is about
    states on the way, or a step has several accesses, which axioms cannot express; otherwise axioms.
    """
    from membar.program.atomicity import has_wide_steps  # noqa: PLC0415 - systems need the table only

    if options.unbounded_buffers:
        return FOR_UNBOUNDED_BUFFERS[0]
    is_about_states = program.asks_about_states or has_wide_steps(program)
    asks_about_states = model.operational is not None and is_about_states
    wants_buffers = model.plan is None or options.buffers is not None or asks_about_states
    preferred = FOR_BUFFERS if wants_buffers else FOR_AXIOMS
    return next(engine for engine in preferred if engine in plugins.names("membar.engines"))
