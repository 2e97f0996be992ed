"""`membar litmus PATH…`: many tests, in one process or several."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from membar import api, arguments, campaign, expectations
from membar.cli import HOLDS, UNKNOWN, VIOLATED
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
        texts=tuple(
            name
            for name, is_read in (("json", chosen.json), ("herd", chosen.herd), ("states", known is not None))
            if is_read
        ),
    )
    if chosen.engine is not None:  # a wrong engine or model is one error, not one per test
        api.load_engine(chosen.engine)
    if chosen.model is not None:
        api.load_model(chosen.model, include_dirs=chosen.include)
    start = time.perf_counter()
    answers: list[campaign.Answer] = []
    differences: dict[str, str] = {}
    for answer in _with_progress(campaign.run(tests, plan, jobs=chosen.jobs), total=len(tests)):
        answers.append(answer)
        new = campaign.compare([answer], known) if known is not None else {}
        differences |= new
        if answer.verdict == "error":
            sys.stderr.write(answer.reason)
        if chosen.json or chosen.herd:
            sys.stdout.write(answer.json if chosen.json else answer.herd)
        else:
            line = summary.one_line(answer, differs=new.get(answer.path), color=color(sys.stdout))
            sys.stdout.write(line)
    for_people = sys.stderr if chosen.json or chosen.herd else sys.stdout
    for_people.write(
        summary.table(
            answers,
            differences if known is not None else None,
            seconds=time.perf_counter() - start,
            columns=columns(),
            color=color(for_people),
        )
    )
    if chosen.junit:
        from membar.reports import junit  # noqa: PLC0415 - only where asked for

        known_differences = differences if known is not None else None
        chosen.junit.write_text(junit.render(answers, known_differences), encoding="utf-8")
    if differences:
        return VIOLATED
    return HOLDS if all(answer.is_answered for answer in answers) else UNKNOWN


def _with_progress(items: Iterable[campaign.Answer], *, total: int) -> Iterator[campaign.Answer]:
    """The same items, with a bar on standard error where that is a terminal and the results are not."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    from rich.console import Console  # noqa: PLC0415 - only for people who watch
    from rich.progress import track  # noqa: PLC0415

    yield from track(items, total=total, description="litmus", console=Console(stderr=True))
