"""`membar models`, `membar models show NAME` and `membar models test NAME|FILE.cat`."""

from __future__ import annotations

from typing import NoReturn

from membar.cli import terminal
from membar.cli.arguments import Chosen
from membar.cli.command import HOLDS, INTERRUPTED, UNKNOWN, VIOLATED
from membar.diagnostics import refusal
from membar.languages import registry as languages
from membar.models import load as shipped
from membar.models.model import Model
from membar.questions.task import Limits
from membar.reports import streams


def run(chosen: Chosen) -> int:
    """Lists the models, shows one or tests one."""
    if chosen.action is not None and chosen.name is None:
        _refuse(f"`membar models {chosen.action}` needs a name or a file", "`membar models` lists the names")
    if chosen.action == "test":
        return _test(chosen)
    for option in ("count", "seed", "limit"):
        if getattr(chosen, option) is not None:
            _refuse(f"`--{option}` is for `membar models test`", f"membar models test NAME --{option} …")
    if chosen.action == "show":
        streams.write(_page(languages.load_model(chosen.name, include_dirs=chosen.include)))
        return HOLDS
    width = max(map(len, shipped.names()))
    for name in shipped.names():
        streams.write(f"{name:{width}}  {languages.load_model(name).title}\n")
    return HOLDS


def _refuse(message: str, advice: str) -> NoReturn:
    raise refusal("W0400", message, help=advice)


def _page(model: Model) -> str:
    """A model's documentation, then its claims and its text."""
    parts = [model.name, model.documentation.strip()]
    if model.claims_source is not None:
        parts.append(f"Claims\n{model.claims_source.text.strip()}")
    if model.source is not None:
        parts.append(model.source.text.strip())
    return "\n\n".join(filter(None, parts)) + "\n"


def _test(chosen: Chosen) -> int:
    """Searches for programs that refute a model's claims."""
    from membar.questions import model_tests  # noqa: PLC0415 - brings all engines along
    from membar.questions.model_tests import report as report_text  # noqa: PLC0415

    limits: Limits = chosen.limit or Limits()
    if limits != Limits(seconds=limits.seconds):
        _refuse("`membar models test` can be limited in time only", "--limit time=60s")
    model = shipped.load(
        chosen.name, vocabulary=languages.vocabulary(), include_dirs=chosen.include, is_trial=True
    )
    with terminal.progress_line() as tell:
        report = model_tests.try_claims(
            model,
            count=chosen.count or model_tests.PROGRAMS,
            seed=chosen.seed or 0,
            seconds=limits.seconds,
            progress=tell,
        )
    streams.write(report_text.text(report))
    if report.is_interrupted:
        return INTERRUPTED
    if report.is_refuted:
        return VIOLATED
    return UNKNOWN if report.limit else HOLDS
