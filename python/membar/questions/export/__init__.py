"""Programs with explicit store buffers, as texts for other model checkers: DVE and Promela."""

from __future__ import annotations

from membar.diagnostics import EngineLimitError
from membar.models.model import Operational
from membar.program.program import Program
from membar.program.remove_warnings import without_warnings
from membar.questions.export import dve, promela
from membar.questions.export.build import buffered_model
from membar.questions.export.model import untranslatable
from membar.reports._parts.style import printable

FORMATS = {"dve": dve.render, "promela": promela.render}


def write_buffers(program: Program, discipline: Operational, bound: int, *, to: str, fair: bool) -> str:
    """A program with explicit store buffers, whose runs under sc are those of the original.

    Args:
        program: what is translated.
        discipline: what store buffers do.
        bound: how many entries they have: per thread (tso), or per location (pso, cam).
        to: `dve` or `promela`.
        fair: formulas are about runs that are fair to every queue of stores.

    Raises:
        InputError: something cannot be said in that language, or has no meaning with store buffers.
    """
    try:
        model = buffered_model(without_warnings(program), discipline, bound)
    except EngineLimitError as limit:
        raise untranslatable(limit.reason) from None
    with_bound = "" if discipline is Operational.SC else f"({bound})"
    under = f"{printable(program.name)} under {discipline.value}{with_bound}"
    title = f"{under}, translated by membar for sequential consistency"
    return FORMATS[to](model, title=title, fair=fair)
