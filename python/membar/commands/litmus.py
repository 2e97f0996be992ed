"""`membar litmus PATH…`: many tests, in one process or several."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from membar import api, arguments, campaign, expectations
from membar.cli import HOLDS, UNKNOWN, VIOLATED
from membar.commands import files
from membar.commands.window import color, columns
from membar.reports import summary


def run(chosen: argparse.Namespace) -> int:
    """Answers every test, prints a line for each and a summary."""
    tests = campaign.tests_in(chosen.paths)
    known = expectations.read(chosen.expect) if chosen.expect else None
    plan = campaign.Campaign(
        model=chosen.model,
        engine=chosen.engine,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), jobs=1),  # the jobs are tests
        include_dirs=tuple(chosen.include),
        folders=arguments.folders(chosen),
        texts=(
            *(
                name
                for name, is_read in (
                    ("json", chosen.json),
                    ("herd", chosen.herd),
                    ("states", known is not None),
                )
                if is_read
            ),
            *files.texts(chosen),
        ),
    )
    if chosen.engine is not None:  # a wrong engine or model is one error, not one per test
        api.load_engine(chosen.engine)
    if chosen.model is not None:
        api.load_model(chosen.model, include_dirs=chosen.include)
    start = time.perf_counter()
    with files.written(chosen) as filed:
        differences: dict[str, str] = {}
        filed.differences = differences if known is not None else None
        for answer in _with_progress(campaign.run(tests, plan, jobs=chosen.jobs), total=len(tests)):
            filed.answers.append(answer)
            new = campaign.compare([answer], known) if known is not None else {}
            differences |= new
            _show(answer, new.get(answer.path), chosen)
        _show_table(filed.answers, filed.differences, seconds=time.perf_counter() - start, chosen=chosen)
        if differences:
            return filed.end(VIOLATED)
        return filed.end(HOLDS if all(answer.is_answered for answer in filed.answers) else UNKNOWN)


def _show(answer: campaign.Answer, differs: str | None, chosen: argparse.Namespace) -> None:
    if answer.verdict == "error":
        sys.stderr.write(answer.reason)
    if chosen.json or chosen.herd:
        sys.stdout.write(answer.json if chosen.json else answer.herd)
    else:
        sys.stdout.write(summary.one_line(answer, differs=differs, color=color(sys.stdout)))


def _show_table(
    answers: Sequence[campaign.Answer],
    differences: Mapping[str, str] | None,
    *,
    seconds: float,
    chosen: argparse.Namespace,
) -> None:
    for_people = sys.stderr if chosen.json or chosen.herd else sys.stdout
    table = summary.table(answers, differences, seconds=seconds, columns=columns(), color=color(for_people))
    for_people.write(table)


def _with_progress(items: Iterable[campaign.Answer], *, total: int) -> Iterator[campaign.Answer]:
    """The same items, with a bar on standard error where that is a terminal and the results are not."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    from rich.console import Console  # noqa: PLC0415 - only for people who watch
    from rich.progress import track  # noqa: PLC0415

    yield from track(items, total=total, description="litmus", console=Console(stderr=True))
