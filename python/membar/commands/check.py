"""`membar check FILE…`: one question per file."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from membar import api, arguments, proving
from membar.cli import BAD_INPUT, exit_code, gravest
from membar.commands.window import color, columns, progress_line
from membar.diagnostics import TOO_DEEP, Diagnostic, InputError
from membar.reports import diagnostic


def run(chosen: argparse.Namespace) -> int:
    """Answers each file in turn."""
    codes: list[int] = []
    answers: list[tuple[Path, api.Result | proving.SystemResult | InputError, float]] = []
    for file in chosen.files:
        start = time.perf_counter()
        try:
            with progress_line(sys.stderr) as progress:
                answer = _answer(file, chosen, progress)
        except api.InterruptedCheckError as interrupt:
            _show(interrupt.result, chosen)
            raise
        answers.append((file, answer, time.perf_counter() - start))
        if isinstance(answer, InputError):
            sys.stderr.write(diagnostic.render_error(answer, color=color(sys.stderr), columns=columns()))
            codes.append(BAD_INPUT)
        else:
            _show(answer, chosen)
            api.keep(answer.model)
            codes.append(exit_code(answer.outcome, accept_bounded=chosen.accept_bounded))
    if chosen.junit:
        _write_junit(chosen.junit, answers)
    return gravest(codes)


def _answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> api.Result | proving.SystemResult | InputError:
    try:
        if chosen.threads is not None:
            return _lifted(file, chosen, progress)
        if proving.is_system(file):
            return _proved(file, chosen, progress)
        return api.check(
            file,
            model=chosen.model,
            engine=chosen.engine,
            properties=arguments.properties(chosen),
            error=chosen.error,
            words=arguments.words(chosen),
            ltl=chosen.ltl,
            limits=chosen.limit,
            options=replace(arguments.options(chosen), progress=progress),
            include_dirs=chosen.include,
            defines=chosen.define,
            mapping=chosen.mapping,
        )
    except InputError as problem:
        return problem
    except RecursionError:
        return InputError(TOO_DEEP)


def _proved(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> proving.SystemResult:
    """The answer about a system for any number of processes, which asks its own question."""
    asked = {"--error": chosen.error, "--property": chosen.property, "--explain": chosen.explain}
    asked |= {"--herd": chosen.herd, "--dot": chosen.dot, "--svg": chosen.svg}
    proving.refuse(file, asked)
    return proving.prove(
        file,
        model=chosen.model,
        engine=chosen.engine,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
    )


def _lifted(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> api.Result | proving.SystemResult:
    """The answer about a program with any number of threads."""
    from membar import lift  # noqa: PLC0415 - only where asked for

    asked = {"--error": chosen.error, "--ltl": chosen.ltl, "--explain": chosen.explain, "--herd": chosen.herd}
    asked |= {"--engine": chosen.engine}
    for option, value in asked.items():
        if value:
            raise InputError(
                Diagnostic(
                    code="W0434",
                    message=f"{option} cannot be given together with --threads any",
                    help="what is asked there: that no assertion of the program fails",
                )
            )
    return lift.check_any(
        file,
        name=chosen.threads,
        model=chosen.model,
        properties=arguments.properties(chosen),
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
    )


def _show_system(result: proving.SystemResult, chosen: argparse.Namespace) -> None:
    from membar.reports import processes  # noqa: PLC0415 - one report of four

    if chosen.json:
        sys.stdout.write(processes.render_json(result))
    else:
        sys.stdout.write(processes.render(result, columns=columns(), color=color(sys.stdout)))
    if chosen.certificate:
        chosen.certificate.write_text(proving.certificate_text(result), encoding="utf-8")


def _show(result: api.Result | proving.SystemResult, chosen: argparse.Namespace) -> None:
    if isinstance(result, proving.SystemResult):
        _show_system(result, chosen)
        return
    sys.stdout.write(_report(result, chosen))
    if chosen.explain:
        from membar import explanation  # noqa: PLC0415 - only where asked for

        sys.stdout.write(explanation.render(result, columns=columns(), color=color(sys.stdout)))
    if folders := arguments.folders(chosen):
        from membar import pictures  # noqa: PLC0415 - only where asked for

        for kind, folder in folders:
            pictures.save(kind, folder, result)


def _report(result: api.Result, chosen: argparse.Namespace) -> str:
    if chosen.json:
        from membar.reports import json  # noqa: PLC0415 - one report of three

        return json.render(result)
    if chosen.herd:
        from membar.reports import herd  # noqa: PLC0415 - one report of three

        return herd.render(result)
    from membar.reports import terminal  # noqa: PLC0415 - one report of three

    return terminal.render(
        result,
        columns=columns(),
        terminal=sys.stdout.isatty(),
        color=color(sys.stdout),
        model_argument=chosen.model or "",
        options=arguments.repeated(chosen),
    )


def _write_junit(
    path: Path, answers: list[tuple[Path, api.Result | proving.SystemResult | InputError, float]]
) -> None:
    from membar import campaign  # noqa: PLC0415 - only where asked for
    from membar.reports import junit  # noqa: PLC0415

    tests = [
        campaign.refusal(file, answer)
        if isinstance(answer, InputError)
        else campaign.proved(answer, seconds=seconds)
        if isinstance(answer, proving.SystemResult)
        else campaign.as_data(answer, seconds=seconds)
        for file, answer, seconds in answers
    ]
    path.write_text(junit.render(tests), encoding="utf-8")
