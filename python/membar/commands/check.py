"""`membar check FILE…`: one question per file."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from membar import api, arguments, proving
from membar.cli import BAD_INPUT, exit_code, gravest
from membar.commands import files
from membar.commands.window import color, columns, progress_line
from membar.diagnostics import TOO_DEEP, Diagnostic, InputError
from membar.records import replace
from membar.reports import diagnostic

if TYPE_CHECKING:
    from membar import linearizability
    from membar.object_proofs import ProofResult

Answer: TypeAlias = "api.Result | proving.SystemResult | linearizability.ObjectResult | ProofResult"


def run(chosen: argparse.Namespace) -> int:
    """Answers each file in turn; files for other tools are written even if that is broken off."""
    codes: list[int] = []
    files.prepare_witness(chosen)
    with files.written(chosen) as filed:
        for file in chosen.files:
            start = time.perf_counter()
            try:
                with progress_line(sys.stderr) as progress:
                    answer = _answer(file, chosen, progress)
            except api.InterruptedCheckError as interrupt:
                filed.add(file, interrupt.result, seconds=time.perf_counter() - start)
                _show(interrupt.result, chosen)
                raise
            filed.add(file, answer, seconds=time.perf_counter() - start)
            if isinstance(answer, InputError):
                sys.stderr.write(diagnostic.render_error(answer, color=color(sys.stderr), columns=columns()))
                codes.append(BAD_INPUT)
            else:
                _show(answer, chosen)
                api.keep(answer.model)
                if isinstance(answer, api.Result):
                    files.write_witness(chosen, answer)
                codes.append(exit_code(answer.outcome, accept_bounded=chosen.accept_bounded))
        return filed.end(gravest(codes))


def _answer(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> Answer | InputError:
    try:
        if chosen.threads is not None:
            return _lifted(file, chosen, progress)
        if _is_object(file, chosen):
            return _linearizable(file, chosen, progress)
        if api.is_object(file):
            return _proved_object(file, chosen)
        _only_for_proofs(file, chosen)
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
    asked |= {"--herd": chosen.herd, "--dot": chosen.dot, "--svg": chosen.svg, "--ltl": chosen.ltl}
    asked |= {"--mapping": chosen.mapping, "-D": chosen.define}
    proving.refuse(file, asked | arguments.ways_of_programs(chosen))
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
    asked |= arguments.ways_of_programs(chosen)
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


def _is_object(file: Path, chosen: argparse.Namespace) -> bool:
    """Whether the question is about clients of an object, rather than about a program."""
    return chosen.client is not None or (chosen.engine == "objects" and file.suffix == ".c")


def _linearizable(
    file: Path, chosen: argparse.Namespace, progress: Callable[[str], None] | None
) -> linearizability.ObjectResult:
    """The answer about an object and its clients."""
    asked = {"--error": chosen.error, "--ltl": chosen.ltl, "--explain": chosen.explain, "--herd": chosen.herd}
    asked |= {"--property": chosen.property, "--threads": chosen.threads, "--all": chosen.all}
    for option, value in asked.items():
        if value:
            raise InputError(
                Diagnostic(
                    code="W1353",
                    message=f"{option} cannot be given together with --client",
                    help="what is asked there: that the object is linearizable, and its use free of errors",
                )
            )
    if chosen.engine not in (None, "objects"):
        raise InputError(
            Diagnostic(
                code="W1353", message=f"the engine {chosen.engine} knows no clients", help="--engine objects"
            )
        )
    if chosen.client is None:
        raise InputError(
            Diagnostic(
                code="W1354",
                message="how large are the clients?",
                help="--client 2,3 makes all clients of 2 threads with 3 operations each",
            )
        )
    from membar import linearizability  # noqa: PLC0415 - only where asked for
    from membar.objects.client import Size  # noqa: PLC0415
    from membar.objects.orders import Ordering  # noqa: PLC0415

    return linearizability.check_object(
        file,
        size=Size(*chosen.client),
        model=chosen.model,
        ordering=Ordering(chosen.order or "causal"),
        specification=chosen.spec,
        limits=chosen.limit,
        options=replace(arguments.options(chosen), progress=progress),
        include_dirs=chosen.include,
        defines=chosen.define,
        mapping=chosen.mapping,
    )


def _proved_object(file: Path, chosen: argparse.Namespace) -> ProofResult:
    """The answer about an object with annotations, for any number of threads and calls."""
    from membar import object_proofs  # noqa: PLC0415 - only where asked for

    asked = {"--error": chosen.error, "--ltl": chosen.ltl, "--explain": chosen.explain, "--herd": chosen.herd}
    asked |= {"--property": chosen.property, "--all": chosen.all, "--dot": chosen.dot, "--svg": chosen.svg}
    asked |= {"--spec": chosen.spec}
    for option, value in asked.items():
        if value:
            raise InputError(
                Diagnostic(
                    code="W1317",
                    message=f"{option} cannot be asked of `{file}`",
                    help="an object is asked whether it is linearizable, by annotations or with --client",
                )
            )
    if chosen.engine not in (None, object_proofs.ENGINE):
        raise InputError(
            Diagnostic(
                code="W1317", message=f"the engine {chosen.engine} proves no objects", help="--engine objects"
            )
        )
    return object_proofs.prove_object(
        file,
        model=chosen.model,
        order=chosen.order or "causal",
        limits=chosen.limit,
        infer=chosen.infer,
    )


def _only_for_proofs(file: Path, chosen: argparse.Namespace) -> None:
    if chosen.infer:
        raise InputError(
            Diagnostic(
                code="W1317",
                message=f"--infer says nothing about `{file}`",
                help="it looks for the invariants of an object (.obj)",
            )
        )


def _show_proof(result: ProofResult, chosen: argparse.Namespace) -> None:
    from membar.reports import obligations  # noqa: PLC0415 - one report of five

    if chosen.json:
        sys.stdout.write(obligations.render_json(result))
    else:
        sys.stdout.write(obligations.render(result, columns=columns(), color=color(sys.stdout)))


def _show_object(result: linearizability.ObjectResult, chosen: argparse.Namespace) -> None:
    from membar.reports import histories  # noqa: PLC0415 - one report of four

    if chosen.json:
        sys.stdout.write(histories.render_json(result))
    else:
        sys.stdout.write(
            histories.render(
                result,
                columns=columns(),
                terminal=sys.stdout.isatty(),
                color=color(sys.stdout),
                options=arguments.repeated(chosen),
            )
        )
    if folders := arguments.folders(chosen):
        from membar import pictures  # noqa: PLC0415 - only where asked for

        for kind, folder in folders:
            pictures.save_history(kind, folder, result)


def _show_system(result: proving.SystemResult, chosen: argparse.Namespace) -> None:
    from membar.reports import processes  # noqa: PLC0415 - one report of four

    if chosen.json:
        sys.stdout.write(processes.render_json(result))
    else:
        sys.stdout.write(processes.render(result, columns=columns(), color=color(sys.stdout)))
    if chosen.certificate:
        chosen.certificate.write_text(proving.certificate_text(result), encoding="utf-8")


def _show_about_object(
    result: linearizability.ObjectResult | ProofResult, chosen: argparse.Namespace
) -> None:
    from membar.linearizability import ObjectResult  # noqa: PLC0415 - most answers are about programs

    if isinstance(result, ObjectResult):
        _show_object(result, chosen)
    else:
        _show_proof(result, chosen)


def _show(result: Answer, chosen: argparse.Namespace) -> None:
    if isinstance(result, proving.SystemResult):
        _show_system(result, chosen)
        return
    if not isinstance(result, api.Result):
        _show_about_object(result, chosen)
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
