"""The keys of an answer that tools rely on, whatever was asked about."""

from __future__ import annotations

from typing import Any

from membar.questions.outcome import HoldsWithin, Outcome, Run, Statistics, Unknown, Verdict, Violated
from membar.records import field_names
from membar.reports._parts.findings import finding_values
from membar.reports._parts.verdict import word
from membar.source import SourceFile

# What JSON is made of; the standard library has no closed type for it.
Object = dict[str, Any]


def common(source: SourceFile, outcome: Outcome) -> Object:
    """File, verdict, what it rests on, and the counters; absent where they make no sense."""
    run = outcome.run
    result: Object = {"file": source.path}
    if word(outcome) != "explored":
        result["verdict"] = word(outcome)
    result |= {
        "guarantee": run.guarantee,
        "model": run.model,
        "engine": run.engine,
        "algorithm": run.algorithm,
        "property": outcome.property if isinstance(outcome, Violated) else ",".join(_answered(run)),
        "findings": finding_values(run),
        "unchecked": list(run.unchecked),
        "flags": list(run.flags),
        "notes": list(run.notes),
    }
    match outcome:
        case Unknown(reason=reason):
            result["reason"] = reason
        case HoldsWithin(bound=bound, chosen_by_user=chosen):
            result |= {"bound": bound, "chosen_by_user": chosen}
        case _:
            pass
    result["statistics"] = statistics(run.statistics)
    return result


def _answered(run: Run) -> tuple[str, ...]:
    """The properties that were checked; if there is no answer at all, those that were asked."""
    return run.checked or tuple(item.property for item in run.findings if item.verdict is Verdict.UNKNOWN)


def statistics(item: Statistics) -> Object:
    """The counters that make sense for the engine."""
    pairs = ((name, getattr(item, name)) for name in field_names(item))
    return {name: count for name, count in pairs if count is not None}
