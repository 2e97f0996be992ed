"""The searches that a model's claims permit, each compared with the general one, which needs no claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.engines import graphs
from membar.models import load_buffering_signs
from membar.models.load_buffering import keeps_loads_before_stores
from membar.models.model import DEPENDENCY_AWARE, EXACTLY_ONCE, HIDDEN, Claims, Model
from membar.models.monotone import watches_under
from membar.program.atomicity import require_single_accesses
from membar.program.dependency_order import obstacle
from membar.program.encoding import encode_program
from membar.program.expand import expand
from membar.program.program import Program
from membar.properties.final_state import Observer
from membar.records import replace

if TYPE_CHECKING:
    from membar import _core

BOUND = 2


class TooSlowError(Exception):
    """A program took longer than the remaining time."""


class LawDoesNotApplyError(Exception):
    """A law does not apply to this program."""


def without_claims(model: Model) -> Model:
    """The model without the claims that engines rely on, except that values are not self-justifying."""
    kept = model.claims
    claims = Claims(kind=kept.kind, tags=kept.tags, mapping=kept.mapping, may_guess=kept.may_guess)
    return replace(model, claims=claims)


def difference_of_search(program: Program, model: Model, seconds: float) -> str:
    """How the search that the model claims differs from the general one."""
    if model.claims.search == EXACTLY_ONCE:
        return _difference(program, model, seconds, order=None)
    if model.claims.search == DEPENDENCY_AWARE and obstacle(expand(program)) is None:
        return _difference(program, model, seconds, order=model.thread_order)
    raise LawDoesNotApplyError


def difference_without_buffering(program: Program, model: Model, seconds: float) -> str:
    """What the exactly-once search misses in a program that is claimed not to buffer loads."""
    if not keeps_loads_before_stores(expand(program), model, bound=BOUND):
        raise LawDoesNotApplyError
    return _difference(program, model, seconds, order=None)


def difference_without_signs(program: Program, model: Model, seconds: float) -> str:
    """What the exactly-once search misses without showing a sign of it."""
    expanded = expand(program)
    if model.claims.buffered_loads == HIDDEN or not load_buffering_signs.shows_overtaking(expanded, model):
        raise LawDoesNotApplyError
    signs = load_buffering_signs.signs_under(model)
    plan, compiled = graphs.compile_for_core(signs.plan)
    terms = Observer(program).terms
    watched = watches_under(model, expanded, terms, bound=BOUND)
    form = encode_program(load_buffering_signs.mark_reads(expanded, watched), plan.tags, terms, watched).form
    found = compiled.search_exactly_once(form, bound=BOUND, relation_ends=signs.slots, seconds=seconds)
    if found.stopped is not None:
        raise TooSlowError
    if found.failures or found.faults or load_buffering_signs.is_doubtful(found.relation_ends):
        raise LawDoesNotApplyError
    return _count_difference(found, _general_search(program, model, seconds))


def _difference(program: Program, model: Model, seconds: float, *, order: int | None) -> str:
    compiled, form = _lower(program, model)
    found = compiled.search_exactly_once(form, bound=BOUND, order=order, seconds=seconds, verify=True)
    if found.stopped is not None:
        raise TooSlowError
    if found.duplicates:
        return f"{found.duplicates} executions are found twice"
    if found.surprises:
        return f"{found.surprises} times the model forbids reading the last write"
    if found.contradictions:
        return f"{found.contradictions} times two evaluations of the model differ"
    return _count_difference(found, _general_search(program, model, seconds))


def _general_search(program: Program, model: Model, seconds: float) -> _core.Findings:
    compiled, form = _lower(program, model)
    return compiled.search(form, bound=BOUND, seconds=seconds)


def _count_difference(found: _core.Findings, expected: _core.Findings) -> str:
    """As neither search visits an execution twice, equal numbers for all states mean equal sets."""
    if expected.stopped is not None:
        raise TooSlowError
    if found.executions != expected.executions:
        return (
            f"the claimed search finds {found.executions} executions, the general one {expected.executions}"
        )
    if found.states != expected.states:
        return "the claimed search finds other final states than the general one"
    ours = found.blocked, found.stuck, found.flags, found.failures, found.faults
    theirs = expected.blocked, expected.stuck, expected.flags, expected.failures, expected.faults
    return "" if ours == theirs else "the claimed search reports other counts or flags than the general one"


def _lower(program: Program, model: Model) -> tuple[_core.Plan, bytes]:
    if model.plan is None:
        raise ValueError(f"{model.name} has no axioms")
    plan, compiled = graphs.compile_for_core(model.plan)
    expanded = expand(program)
    require_single_accesses(expanded)
    terms = Observer(program).terms
    watched = watches_under(model, expanded, terms, bound=BOUND)
    return compiled, encode_program(expanded, plan.tags, terms, watched).form
