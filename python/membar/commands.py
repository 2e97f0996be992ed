"""The commands: each takes parsed arguments, prints a report and returns an exit code."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from membar import api, arguments, campaign, expectations, explanation, pictures
from membar import compare as comparison
from membar.cli import BAD_INPUT, HOLDS, UNKNOWN, VIOLATED, exit_code, gravest
from membar.diagnostics import InputError
from membar.engines.reference.replay import replay as replay_witness
from membar.models import load as shipped
from membar.models.model import Model
from membar.reports import comparison as comparison_report
from membar.reports import diagnostic, herd, json, junit, summary, terminal
from membar.source import SourceFile


def color(stream: TextIO) -> bool:
    """Whether to paint: on a terminal, unless the user says no (`NO_COLOR`)."""
    return stream.isatty() and "NO_COLOR" not in os.environ


def columns() -> int:
    """How wide the reader's window is."""
    return shutil.get_terminal_size((80, 24)).columns


def check(chosen: argparse.Namespace) -> int:
    """`membar check FILE…`."""
    codes: list[int] = []
    answers: list[campaign.Answer] = []
    for file in chosen.files:
        start = time.perf_counter()
        try:
            result = api.check(
                file,
                model=chosen.model,
                engine=chosen.engine,
                properties=arguments.properties(chosen),
                limits=chosen.limit,
                options=arguments.options(chosen),
                include_dirs=chosen.include,
            )
        except InputError as problem:
            answers.append(campaign.refusal(file, problem))
            sys.stderr.write(diagnostic.render_error(problem, color=color(sys.stderr), columns=columns()))
            codes.append(BAD_INPUT)
            continue
        answers.append(campaign.as_data(result, seconds=time.perf_counter() - start))
        sys.stdout.write(_report(result, chosen))
        if chosen.explain:
            sys.stdout.write(explanation.render(result, columns=columns(), color=color(sys.stdout)))
        for kind, folder in _folders(chosen):
            pictures.save(kind, folder, result)
        codes.append(exit_code(result.outcome, accept_bounded=chosen.accept_bounded))
    if chosen.junit:
        chosen.junit.write_text(junit.render(answers), encoding="utf-8")
    return gravest(codes)


def _report(result: api.Result, chosen: argparse.Namespace) -> str:
    if chosen.json:
        return json.render(result)
    if chosen.herd:
        return herd.render(result)
    return terminal.render(
        result,
        columns=columns(),
        terminal=sys.stdout.isatty(),
        color=color(sys.stdout),
        model_argument=chosen.model or "",
    )


def _folders(chosen: argparse.Namespace) -> tuple[tuple[str, Path], ...]:
    folders = (("dot", chosen.dot), ("svg", chosen.svg))
    return tuple((kind, folder) for kind, folder in folders if folder is not None)


def litmus(chosen: argparse.Namespace) -> int:
    """`membar litmus PATH…`."""
    tests = campaign.tests_in(chosen.paths)
    known = expectations.read(chosen.expect) if chosen.expect else None
    plan = campaign.Campaign(
        model=chosen.model,
        engine=chosen.engine,
        limits=chosen.limit,
        options=arguments.options(chosen),
        include_dirs=tuple(chosen.include),
        folders=_folders(chosen),
        texts=tuple(name for name in ("json", "herd") if getattr(chosen, name)),
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


def compare(chosen: argparse.Namespace) -> int:
    """`membar compare FILE`."""
    program = api.parse(SourceFile.read(chosen.file))
    named = chosen.models or f"sc,{api.default_model(program)}"
    found = comparison.compare(
        chosen.file,
        models=list(dict.fromkeys(filter(None, named.split(",")))),
        engines=list(filter(None, (chosen.engines or "").split(","))),
        limits=chosen.limit,
        options=arguments.options(chosen),
        include_dirs=chosen.include,
    )
    heads = [f"{c.model} ({c.engine})" if chosen.engines else c.model for c in found.columns]
    answers = [column.result for column in found.columns]
    if chosen.json:
        sys.stdout.writelines(json.render(answer) for answer in answers)
    else:
        table = comparison_report.render(
            list(zip(heads, answers, strict=True)), differences=found.differences, color=color(sys.stdout)
        )
        sys.stdout.write(table)
    return HOLDS if all(c.is_answered for c in found.columns) and not found.differences else UNKNOWN


def models(chosen: argparse.Namespace) -> int:
    """`membar models` and `membar models show NAME`."""
    if chosen.action == "show":
        if chosen.name is None:
            sys.stderr.write("error[W0400]: `membar models show` needs a name\n  = help: membar models\n")
            return BAD_INPUT
        sys.stdout.write(_page(api.load_model(chosen.name, include_dirs=chosen.include)))
        return HOLDS
    for name in shipped.names():
        sys.stdout.write(f"{name:12} {api.load_model(name).title}\n")
    return HOLDS


def _page(model: Model) -> str:
    """A model's documentation, then its text."""
    text = f"\n{model.source.text.strip()}\n" if model.source is not None else ""
    return f"{model.name}\n\n{model.documentation.strip()}\n{text}"


def replay(chosen: argparse.Namespace) -> int:
    """`membar replay WITNESS`."""
    text = sys.stdin.read() if chosen.witness == "-" else Path(chosen.witness).read_text(encoding="utf-8")
    saved = json.witness_from_json(text, path=chosen.witness)
    program = api.parse(saved.source)
    json.check_fits(saved, program)
    model = api.load_model(saved.model)
    mismatch = replay_witness(program, model, saved.witness)
    if mismatch is not None:
        sys.stdout.write(f"{saved.source.path}: does not replay under {model.name}: {mismatch}\n")
        return VIOLATED
    sys.stdout.write(f"{saved.source.path}: the witness replays under {model.name}\n")
    return HOLDS
