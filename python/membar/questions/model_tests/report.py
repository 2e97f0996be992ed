"""The report of `membar models test`."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from membar.program.printer import print_program
from membar.questions.model_tests import Report, Tested

_WIDTH = len("held in 1000 programs")


def text(report: Report) -> str:
    """The report about a model: a summary, a line per law, then the programs that refute some."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    refuted = [one for one in report.tested if one.refutation]
    verdict = f"{len(refuted)} REFUTED" if refuted else "none refuted"
    yield f"{report.model.name}: {len(report.tested)} laws tested on {report.programs} programs, {verdict}"
    width = max((len(one.law.key) for one in report.tested), default=0)
    for one in report.tested:
        programs = "program" if one.programs == 1 else "programs"
        tried = f"held in {one.programs} {programs}" if one.programs else "not tested"
        mark = "REFUTED" if one.refutation else tried
        yield f"  {one.law.key:{width}}  {mark:{_WIDTH}}  {one.law.says}"
    if report.skipped:
        yield f"  skipped {report.skipped} times: a program took too long"
    if report.limit:
        yield f"  stopped by {report.limit}"
    yield from (f"  note: {note}" for note in report.notes)
    for one in refuted:
        yield ""
        yield from _refutation(report, one)


def _refutation(report: Report, one: Tested) -> Iterator[str]:
    claim = f"the model claims that {one.law.says}"
    yield f"{one.law.key} is refuted: {claim}; this program (number {one.seed}) shows otherwise:"
    if one.program is not None:
        yield indent(print_program(one.program).rstrip(), "  ")
    yield f"  {one.refutation}"
    yield f"  {_advice(report, one)}"


def _advice(report: Report, one: Tested) -> str:
    """What to do about a refuted law."""
    expected = {
        "sc-executions": "sc-executions: restricted",
        "coherence": "coherence: broken",
        "atomicity": "atomicity: broken",
    }
    claims = report.model.claims_source
    if one.law.key in expected:
        file = claims.path if claims else f"{report.model.name}.claims"
        return f"if this is intended, write `{expected[one.law.key]}` into {file}"
    if one.law.key in ("engines", "answers"):
        return "unless another claim is refuted too, this is a bug in membar: please report it"
    if one.law.key == "fences":
        return "a fence should only forbid executions: check how the model defines this one"
    return f"remove `{one.law.key}` from {claims.path if claims else 'the claims'}, or correct the model"
