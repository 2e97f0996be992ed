"""`membar check FILE…`: one question per file; its suffix or an option determines the kind."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from membar.cli import arguments
from membar.cli.command import BAD_INPUT, UNKNOWN, combined_exit_code, exit_code
from membar.cli.command import INTERRUPTED as BROKEN_OFF
from membar.cli.commands import output_files, supervision
from membar.cli.terminal import color, columns, progress_line
from membar.diagnostics import UNFIT, EngineLimitError, InputError, unfit_input
from membar.languages import ENDINGS, TASK_ENDINGS
from membar.limits import budget
from membar.limits.budget import Ended
from membar.questions import option as kinds
from membar.questions import refusals
from membar.questions.ask import ask, kind_of, unknown_answer
from membar.questions.outcome import INTERRUPTED, InterruptedAnswerError, Unknown
from membar.records import record, replace
from membar.reports import streams
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.questions import campaign
    from membar.questions.answer import Answer
    from membar.questions.explanation import OutcomeAnswer

# Kinds of questions whose proofs z3 finds, or checks.
_WITH_PROOFS = (kinds.SYSTEM, kinds.PROOF, kinds.LIFTED)


@record(frozen=True, slots=True)
class _Shown:
    """The report about a file, its exit code, and what the files for other tools say about it."""

    text: str
    code: int
    filed: Sequence[campaign.TestAnswer] = ()


@record(frozen=True, slots=True)
class _Asked:
    """A file with its options; or what is wrong with the description of a task, which names neither."""

    file: str
    chosen: arguments.Chosen
    problem: InputError | None = None


def run(chosen: arguments.Chosen) -> int:
    """Answers each file in turn; files for other tools are written even after an interruption."""
    codes: list[int] = []
    if (chosen.explain or chosen.outcome is not None) and chosen.herd:
        refusals.refuse_explanation_as_data()
    _gather_program(chosen)
    asked = [one for file in chosen.files for one in _questions_in(file, chosen)]
    chosen.files = [one.file for one in asked]
    output_files.prepare_witness(chosen)
    output_files.prepare_confirmation(chosen)
    with output_files.collect_answers(chosen) as filed:
        asks_z3 = any(_asks_z3(one.file, chosen) for one in asked)
        found = supervision.each(asked, _ask, limits=chosen.limit, asks_z3=asks_z3)
        for one in asked:
            start = time.perf_counter()
            try:
                shown = next(found)
            except KeyboardInterrupt:
                seconds = time.perf_counter() - start
                shown = _give_up(one.file, one.chosen, INTERRUPTED, seconds, code=BROKEN_OFF)
            if isinstance(shown, Ended):
                shown = _give_up(one.file, one.chosen, shown.reason, shown.seconds)
            filed.answers.extend(shown.filed)
            streams.write(shown.text)
            if shown.code == BROKEN_OFF:
                raise KeyboardInterrupt
            codes.append(shown.code)
        return filed.end(combined_exit_code(codes))


def _questions_in(file: str, chosen: arguments.Chosen) -> Sequence[_Asked]:
    """The file, or for the description of an SV-COMP task a question for each of its properties."""
    if not file.endswith(TASK_ENDINGS):
        return [_Asked(file, chosen)]
    from membar.questions.svcomp_tasks import task_questions  # noqa: PLC0415 - only where asked for

    try:
        found = task_questions(file, arguments.properties(chosen))
        return [
            _Asked(one.file, arguments.Chosen(**vars(chosen) | one.fields(vars(chosen)))) for one in found
        ]
    except InputError as problem:
        return [_Asked(file, chosen, problem)]
    except UNFIT as problem:
        return [_Asked(file, chosen, unfit_input(problem, file))]


def _gather_program(chosen: arguments.Chosen) -> None:
    """Combines several compiled files, only one of which has a `main`, into one program."""
    if len(chosen.files) < 2 or any(
        not ENDINGS.get("." + file.rpartition(".")[2], "").startswith(ENDINGS[".c"]) for file in chosen.files
    ):
        return
    from membar.languages.compiled.program_files import first_and_others  # noqa: PLC0415 - on demand

    found = first_and_others(chosen.files)
    if found is not None:
        first, others = found
        chosen.files, chosen.further_files = [first], (*chosen.further_files, *others)


def _ask(asked: _Asked) -> _Shown:
    """Answers one file, within the limits: reading, search and drawing together."""
    start = time.perf_counter()
    file, chosen = asked.file, asked.chosen
    limit, filed = chosen.limit, output_files.CollectedAnswers(chosen)
    with supervision.capture_output() as printed:
        try:
            with budget.limit_resources(seconds=limit.seconds, memory=limit.memory):
                code = _answer_and_show(asked, filed)
        except (budget.LimitError, EngineLimitError) as reached:
            reason = reached.reason
        except MemoryError:
            reason = "memory ran out"
        except (InputError, OSError) as problem:  # what else was asked for: the answer stands
            refused = problem if isinstance(problem, InputError) else unfit_input(problem)
            filed.add_problem(refused)
            _print_error(refused)
            return _Shown(printed.getvalue(), BAD_INPUT, filed.answers)
        except KeyboardInterrupt as interrupt:
            seconds = time.perf_counter() - start
            if not isinstance(interrupt, InterruptedAnswerError):
                if text := printed.getvalue():  # the answer stands, without what else was asked for
                    return _Shown(text, BROKEN_OFF, filed.answers)
                return _give_up(file, chosen, INTERRUPTED, seconds, code=BROKEN_OFF)
            filed.add(file, interrupt.answer, seconds=seconds)
            # A file that was asked for besides may be missing or too large.
            moment = budget.limit_resources(seconds=budget.AFTER_INTERRUPT, memory=None)
            with suppress(InputError, OSError, budget.LimitError), moment:
                _show(interrupt.answer, chosen)
            if not printed.getvalue():
                return _give_up(file, chosen, INTERRUPTED, seconds, code=BROKEN_OFF)
            return _Shown(printed.getvalue(), BROKEN_OFF, filed.answers)
        else:
            return _Shown(printed.getvalue(), code, filed.answers)
    # The answer stands, if there is one; what else was asked for is not all there.
    text = printed.getvalue()
    given_up = _give_up(file, chosen, reason, time.perf_counter() - start)
    if text:
        streams.write_message(f"error[W0439]: {file}: {reason}\n")
        return replace(given_up, text=text)
    return given_up


def _answer_and_show(asked: _Asked, filed: output_files.CollectedAnswers) -> int:
    """Answers one file, prints the report, and returns the exit code."""
    start = time.perf_counter()
    file, chosen = asked.file, asked.chosen
    with progress_line() as progress:
        answer = asked.problem or _answer(file, chosen, progress)
    if isinstance(answer, InputError):
        filed.add(file, answer, seconds=time.perf_counter() - start)
        _print_error(answer)
        if chosen.json:
            from membar.reports import json  # noqa: PLC0415 - only where asked for

            streams.write(json.text(json.error_line(file, answer)))
        return BAD_INPUT
    try:
        with budget.stage(f"while writing the report (the verdict is {answer.verdict})"):
            filed.add(file, answer, seconds=time.perf_counter() - start)
            explained = _show(answer, chosen)
            if explained is not None and "html" in filed.texts:
                from membar.questions import campaign  # noqa: PLC0415 - only where asked for

                filed.show_instead(campaign.page_data(answer, explained.as_data()))
            output_files.write_witness(chosen, answer)
    except budget.LimitError:
        if isinstance(answer.outcome, Unknown):  # whose reason says more
            raise budget.LimitError(answer.outcome.reason) from None
        raise
    return exit_code(answer.outcome, accept_bounded=chosen.accept_bounded)


def _give_up(
    file: str, chosen: arguments.Chosen, reason: str, seconds: float, *, code: int = UNKNOWN
) -> _Shown:
    """The report about a file if the work was interrupted before there was an answer."""
    # Nothing more is read or written: a pipe may be what kept us waiting.
    nothing = dict.fromkeys(("outcome", "svg", "png", "dot", "certificate", "atomic"))
    plain = arguments.Chosen(**vars(chosen) | nothing | {"explain": False})
    answer = unknown_answer(arguments.question(SourceFile(file, ""), plain), reason, seconds)
    filed = output_files.CollectedAnswers(chosen)
    filed.add(file, answer, seconds=seconds)
    with supervision.capture_output() as printed:
        _show(answer, plain)
    return _Shown(printed.getvalue(), code, filed.answers)


def _print_error(problem: InputError) -> None:
    from membar.reports import diagnostic  # noqa: PLC0415 - only when something is wrong

    streams.write_message(diagnostic.render_error(problem, color=color(sys.stderr), columns=columns()))


def _answer(
    file: str, chosen: arguments.Chosen, progress: Callable[[str], None] | None
) -> Answer | InputError:
    try:
        return ask(arguments.question(SourceFile.read(file), chosen, progress=progress))
    except InputError as problem:
        return problem
    except UNFIT as problem:
        return unfit_input(problem, file)


def _asks_z3(file: str, chosen: arguments.Chosen) -> bool:
    try:
        return kind_of(SourceFile(file, ""), vars(chosen)) in _WITH_PROOFS
    except InputError:  # reported when the file is checked
        return False


def _show(answer: Answer, chosen: arguments.Chosen) -> OutcomeAnswer | None:
    """Prints an answer and writes other requested output; returns why its outcome is forbidden."""
    explained = None
    if not chosen.json:
        streams.write(_report(answer, chosen))
    if chosen.explain or chosen.outcome is not None:
        from membar.questions import explanation  # noqa: PLC0415 - only where asked for

        explained = explanation.explain(answer, chosen.outcome)
    if chosen.json:
        streams.write(_json_line(answer, explained))
    elif explained is not None:
        streams.write(explained.render(columns=columns(), color=color(sys.stdout)))
    if getattr(chosen, "show_automaton", False):
        _show_automata(answer, chosen)
    if folders := arguments.folders(chosen):
        from membar.reports import pictures  # noqa: PLC0415 - only where asked for

        style = pictures.Style(theme=chosen.theme or "light", is_full=chosen.full)
        forbidden = None if explained is None else explained.as_picture()
        for kind, folder in folders:
            pictures.save(kind, folder, answer, style=style, forbidden=forbidden)
    if chosen.certificate:
        from membar.questions.system import certificate_text  # noqa: PLC0415 - only where asked for

        streams.write_file(chosen.certificate, certificate_text(answer))
    return explained


def _json_line(answer: Answer, explained: OutcomeAnswer | None) -> str:
    from membar.reports import json  # noqa: PLC0415 - one report of three

    if explained is None:
        return json.render(answer)
    found = json.drawn_line(answer)
    found.explanation = explained.as_data()
    return json.text(found)


def _show_automata(answer: Answer, chosen: arguments.Chosen) -> None:
    """Prints the automata of the claims, and draws them if pictures were requested."""
    from membar.questions.programs import claimed_program  # noqa: PLC0415 - only where asked for
    from membar.reports import automata  # noqa: PLC0415 - only where asked for

    program = claimed_program(answer.source, answer.reading.ltl, answer.reading.labels)
    if not chosen.json:
        streams.write(automata.render(program))
    if chosen.svg is not None:
        automata.save_pictures(program, chosen.svg)


def _report(answer: Answer, chosen: arguments.Chosen) -> str:
    if chosen.herd:
        from membar.reports import herd  # noqa: PLC0415 - one report of three

        return herd.render(answer)
    from membar.reports import terminal  # noqa: PLC0415 - one report of three

    return terminal.render(
        answer,
        columns=columns(),
        terminal=sys.stdout.isatty(),
        color=color(sys.stdout),
        model_argument=chosen.model or "",
        options=arguments.words_to_repeat(chosen),
    )
