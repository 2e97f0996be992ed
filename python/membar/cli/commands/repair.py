"""`membar repair FILE`: the cheapest change that makes a program correct."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from membar.cli import arguments
from membar.cli.command import HOLDS, UNKNOWN, VIOLATED, exit_code
from membar.cli.commands import apply_repair, output_files
from membar.cli.terminal import color, columns, progress_line
from membar.diagnostics import InputError, refusal
from membar.languages.registry import frontend_for, language_of
from membar.questions import refusals, repair
from membar.questions.answer import Answer
from membar.questions.given_options import compiler_options
from membar.questions.outcome import HoldsWithin
from membar.questions.question import Question
from membar.questions.system import is_system
from membar.questions.task import Limits
from membar.records import replace
from membar.reports import repair as report
from membar.reports import streams, terminal
from membar.reports._parts.style import unpainted
from membar.source import SourceFile


def run(chosen: arguments.Chosen) -> int:
    """Finds a repair, writes it if requested, and shows it."""
    source = _source(chosen)
    _refuse(chosen, source)
    with progress_line() as progress:
        found = repair.find_repair(
            _question(source, chosen),
            weaken=chosen.weaken,
            greedy=chosen.greedy,
            all_cheapest=chosen.all,
            costs=chosen.costs,
            seconds=chosen.limit.seconds,
            progress=progress,
        )
    match found:
        case repair.Repair():
            return _finish(found, chosen)
        case repair.NothingToRepair(result=result):
            _show(
                report.nothing(source, result, columns=columns()),
                partial(report.nothing_as_data, source, result),
                chosen,
            )
            return _code(result, chosen)
        case repair.NotRepairable(reason=reason, result=result):
            _show(
                _failure_text(source, found, chosen),
                partial(report.failed_as_data, source, reason, result),
                chosen,
            )
            return VIOLATED
        case repair.Undecided(reason=reason):
            _show(report.unknown(source, reason), partial(report.unknown_as_data, source, reason), chosen)
            return _exit_status(found.is_interrupted) or UNKNOWN


def give_up(chosen: arguments.Chosen, reason: str) -> None:
    """Reports that nothing was found, and why."""
    source = SourceFile(chosen.file, "")
    _show(report.unknown(source, reason), partial(report.unknown_as_data, source, reason), chosen)


def _refuse(chosen: arguments.Chosen, source: SourceFile) -> None:
    """Refuses, before the search, requests that could not be fulfilled after it."""
    if chosen.explain and chosen.json:
        refusals.refuse_explanation_as_data()
    if chosen.define:
        refusals.refuse_for_language(language_of(source).name, ["-D"])
    _question(source, chosen)
    if chosen.weaken and is_system(source):
        raise refusal("W0408", "--weaken does not apply to systems for any number of processes")
    if chosen.greedy and (chosen.threads is not None or chosen.client is not None):
        code, what = (
            ("W0434", "any number of threads") if chosen.threads else ("W1353", "clients of an object")
        )
        raise refusal(code, f"--greedy does not apply to {what}")
    if chosen.atomic_out is not None and (chosen.weaken or not _has_atomic_writes(source)):
        raise refusal(
            "W0425",
            "`--atomic-out` lists writes to make atomic; this repair has none",
            help="it is for DVE files, without `--weaken`",
        )
    if chosen.apply:
        apply_repair.check_writable(Path(chosen.file))


def _has_atomic_writes(source: SourceFile) -> bool:
    """Whether the language has writes that bypass store buffers."""
    return not is_system(source) and "atomic" in frontend_for(source).with_option


def _source(chosen: arguments.Chosen) -> SourceFile:
    read = SourceFile.read(chosen.file)
    folders = tuple(str(folder) for folder in chosen.include)
    return replace(
        read,
        defines=tuple(chosen.define),
        include_dirs=folders,
        compiler=compiler_options(vars(chosen)),
    )


def _question(source: SourceFile, chosen: arguments.Chosen) -> Question:
    """The property that must hold; the time limit covers all checks together."""
    plain = arguments.Chosen(**vars(chosen) | {"define": ()})  # the text has them
    return replace(arguments.question(source, plain), limits=replace(chosen.limit, seconds=None))


def _finish(found: repair.Repair, chosen: arguments.Chosen) -> int:
    """Writes and shows a repair. It is shown even if it cannot be written."""
    problem: Exception | None = None
    try:
        if not found.is_interrupted:
            _write(found, chosen)
    except (OSError, InputError) as failed:
        problem = failed
    text = report.render(
        found,
        columns=columns(),
        color=color(sys.stdout),
        command=_check_command(chosen),
        explain=chosen.explain,
    )
    _show(text, partial(report.as_data, found), chosen, repaired=found.repaired.text)
    if problem is not None:
        raise problem
    return _exit_status(found.is_interrupted) or _code(found.result, chosen)


def _write(found: repair.Repair, chosen: arguments.Chosen) -> None:
    """Writes what was requested: the list of atomic writes, or the repaired files."""
    if chosen.atomic_out is not None:
        given = arguments.words(chosen).get("atomic", "").splitlines()
        lines = dict.fromkeys([*given, *found.atomic_writes])
        streams.write_file(chosen.atomic_out, "".join(f"{each}\n" for each in lines))
        streams.write_message(f"wrote {chosen.atomic_out}\n")
    if not chosen.apply:
        return
    before = {found.source.path: found.source.text, **dict(found.source.replaced)}
    texts = {found.source.path: found.repaired.text, **dict(found.repaired.replaced)}
    rewrites = [
        apply_repair.Rewrite(Path(path), before[path] if path in before else SourceFile.read(path).text, text)
        for path, text in texts.items()
    ]
    for sentence in apply_repair.rewrite(rewrites):
        streams.write_message(f"{sentence}\n")


def _check_command(chosen: arguments.Chosen) -> tuple[str, str]:
    """When the repair can be checked, and the command that does."""
    has_list = chosen.atomic_out is not None and not chosen.apply
    words = _asked_with(chosen, atomic=chosen.atomic_out if has_list else chosen.atomic)
    when = f"with {chosen.atomic_out}" if has_list else "applied" if chosen.apply else "once it is applied"
    return when, shlex.join(["membar", "check", chosen.file, *words])


def _asked_with(chosen: arguments.Chosen, atomic: Path | None) -> list[str]:
    """The words with which `membar check` asks the same question about the file."""
    named = ["--model", chosen.model] if chosen.model else []
    named += ["--threads", f"any:{chosen.threads}"] if chosen.threads else []
    return [
        *named,
        *arguments.words_to_repeat(
            arguments.Chosen(**vars(chosen) | {"all": False, "limit": Limits(), "atomic": atomic})
        ),
    ]


def _failure_text(source: SourceFile, found: repair.NotRepairable, chosen: arguments.Chosen) -> str:
    """Reports that no change helps, with the answer that shows it and the command to replay it."""
    text, result = report.render_failure(source, found.reason), found.result
    if result is None:
        return text
    width, paint = columns(), color(sys.stdout)
    replays = not found.is_edited and chosen.threads is None and chosen.client is None
    words = arguments.Chosen(**vars(chosen) | {"all": False})
    shown = terminal.render(
        result,
        columns=width,
        color=paint,
        model_argument=(chosen.model or "") if result.model.name != "sc" else "",
        options=arguments.words_to_repeat(words),
        replays=replays,
    )
    return f"{text}\n{shown}"


def _exit_status(is_interrupted: bool) -> int:  # noqa: FBT001 - one flag
    """Re-raises the interruption, now that everything was shown."""
    if is_interrupted:
        raise KeyboardInterrupt
    return HOLDS


def _code(result: Answer, chosen: arguments.Chosen) -> int:
    """The exit code for a correct program: 0, or that of `check` for a bound."""
    outcome = result.outcome
    is_bounded = isinstance(outcome, HoldsWithin)
    return exit_code(outcome, accept_bounded=chosen.accept_bounded) if is_bounded else HOLDS


def _show(
    text: str, data: Callable[[], dict[str, Any]], chosen: arguments.Chosen, *, repaired: str | None = None
) -> None:
    """Prints the result, as text or JSON, and writes the page, if requested."""
    if chosen.json:
        from membar.reports import json  # noqa: PLC0415 - one report of two

        streams.write(json.text(data()))
    else:
        streams.write(text)
    if chosen.html is not None:
        from membar.reports import html  # noqa: PLC0415 - only where asked for

        source = SourceFile.read(chosen.file)
        output_files.write_page(chosen.html, [html.repair_sheet(source, unpainted(text), data(), repaired)])
