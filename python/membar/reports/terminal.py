"""The report of one answer for people: the verdict, its guarantee, the evidence, how to replay it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.questions.answer import (
    Answer,
    ClientRun,
    Comparison,
    Invariant,
    Obligations,
    RaceRun,
    TestAnswers,
)
from membar.questions.outcome import (
    Explored,
    Holds,
    HoldsWithin,
    Outcome,
    Statistics,
    Unknown,
    Violated,
    Witness,
)
from membar.reports import Report
from membar.reports._parts.report_facts import details, fact_lines, finding_facts, warnings_of
from membar.reports._parts.style import ASCII, UNICODE, Line, Signs, join, line
from membar.reports._parts.verdict import role, verdict_text
from membar.text.file_paths import stem

if TYPE_CHECKING:
    from membar.questions.svcomp_tasks import TaskProperty


def render(
    answer: Answer,
    *,
    columns: int = 80,
    terminal: bool = False,
    color: bool | None = None,
    model_argument: str = "",
    options: Sequence[str] = (),
    replays: bool = True,
) -> str:
    """The report as text.

    Args:
        answer: the question and its outcome.
        columns: width to keep within; source texts and states wrap.
        terminal: box drawing and arrows; otherwise the same content in plain characters.
        color: paint it; by default if `terminal`.
        model_argument: what `--model` was given, for the replay command; by default the model's name.
        options: what else the question was asked with, for the same.
        replays: whether to give that command: not where no file has the text that was asked about.
    """
    color = terminal if color is None else color
    match answer.evidence:
        case Comparison() as found:
            from membar.reports import comparison  # noqa: PLC0415 - one kind of evidence

            return comparison.render(found, color=color)
        case TestAnswers(tests=tests):
            from membar.reports import litmus_table  # noqa: PLC0415 - one kind of evidence

            return "".join(litmus_table.one_line(one, differs=None, color=color) for one in tests)
        case _:
            pass
    signs = UNICODE if terminal else ASCII
    outcome = answer.outcome
    lines = [_first_line(answer), *_facts(answer, columns)]
    if shown := _evidence(answer, columns, signs):
        lines += [Line(), *shown]
    if outcome.run.outcomes or outcome.run.executions:
        from membar.reports._parts import final_states  # noqa: PLC0415 - of programs only

        if any(outcome.run.outcomes):
            lines += [Line(), *final_states.final_states(answer.program, outcome.run, columns=columns)]
        lines += final_states.incomplete_executions(answer.program, outcome.run, columns)
    if replays and (answer.witness is not None or answer.processes is not None):
        unbounded = ("--buffers", "unbounded") if answer.question.options.unbounded_buffers else ()
        words = tuple(options) or unbounded
        command = replay_command(answer.source.path, model_argument or outcome.run.model, *words)
        lines += [Line(), line(("replay: ", "dim"), command)]
    return join(lines, color=color)


def _evidence(answer: Answer, columns: int, signs: Signs) -> list[Line]:
    """What shows the verdict."""
    match answer.evidence:
        case None | Invariant() | Comparison() | TestAnswers():
            return []
        case (Witness() as witness) | RaceRun(witness=witness):
            from membar.reports.executions import witness_lines  # noqa: PLC0415 - one kind of evidence

            return witness_lines(answer, witness, columns, signs)
        case ClientRun() as run:
            from membar.reports.executions import client_lines  # noqa: PLC0415 - one kind of evidence

            return client_lines(answer, run, columns, signs)
        case Obligations() as obligations:
            from membar.reports.obligations import obligation_lines  # noqa: PLC0415 - one kind of evidence

            return obligation_lines(obligations, columns)[1:]
        case run:
            from membar.reports.processes import run_lines  # noqa: PLC0415 - one kind of evidence

            return run_lines(answer.system, run, columns)


def one_line(answer: Answer) -> str:
    """The first line of the report alone, as plain text."""
    return _first_line(answer).render(color=False)


def _first_line(answer: Answer) -> Line:
    """File, verdict, model, engine, what was checked and what was not."""
    outcome = answer.outcome
    verdict = (verdict_text(outcome), role(outcome))
    order = "" if answer.order is None else f"; {answer.order.value} order"
    said = f" under {outcome.run.model} ({details(outcome.run)}{order})"
    return line((answer.source.path, "bold"), ": ", verdict, said)


def _facts(answer: Answer, columns: int) -> list[Line]:
    """What was asked and what the verdict rests on, one named fact per line."""
    outcome, run = answer.outcome, answer.outcome.run
    facts = finding_facts(outcome)
    if answer.question.task is not None:
        facts.append(_task_fact(answer.question.task, outcome))
    match outcome:
        case Unknown(reason=reason):
            facts.append(("reason", reason, "warn"))
        case HoldsWithin(bound=bound, chosen_by_user=chosen):
            facts.append(("bound", bound + ("" if chosen else " (chosen by membar)"), "warn"))
        case Explored(complete=False):
            facts.append(("explored", "not all of it", "warn"))
        case Holds() | Violated() | Explored():
            pass
    if getattr(answer.subject, "condition", None) is not None:
        from membar.reports._parts.final_states import condition_facts  # noqa: PLC0415 - of programs only

        facts += condition_facts(answer)
    if answer.order is None:  # of clients, the bound says it all
        name = "explored" if isinstance(outcome, Violated) else "guarantee"  # a violation guarantees nothing
        facts.append((name, run.guarantee, ""))
    if run.flags:
        facts.append(("flags", ", ".join(run.flags), "warn"))
    shown = {item.reason for item in warnings_of(run)}  # these have a line of their own
    facts += [("note", note, "warn") for note in run.notes if note not in shown]
    facts.append(("statistics", statistics_text(run.statistics), "dim"))
    return fact_lines(facts, columns)


def _task_fact(task: TaskProperty, outcome: Outcome) -> tuple[str, str, str]:
    """The task that is asked about, and whether the answer is the expected one."""
    said = f"{task.description}, {task.property_file}"
    if not task.expected:
        return ("task", f"{said}: no verdict is expected", "")
    part = f" ({task.subproperty})" if task.subproperty else ""
    ends = {True: ", which this answer contradicts", False: ", as found", None: ""}
    contradicts = task.contradicts(outcome)
    text = f"{said}: expected {task.expected.upper()}{part}{ends[contradicts]}"
    return ("task", text, "bad" if contradicts else "")


def replay_command(path: str, model: str, *options: str) -> str:
    """The commands that save the witness and run it again; `options` are those that found it."""
    saved = f"{stem(path)}.json"
    check = " ".join(map(_quote, ["membar", "check", path, "--model", model, *options, "--json"]))
    return f"{check} > {_quote(saved)}; membar replay {_quote(saved)}"


def _quote(word: str) -> str:
    """A word as a shell takes it."""
    if word.isascii() and word.replace("/", "").replace("-", "").replace(".", "").replace("_", "").isalnum():
        return word
    import shlex  # noqa: PLC0415 - few words need it

    return shlex.quote(word)


REPORT = Report(name="terminal", title="the report for people", suffix=".txt", render=render)


# The counters of a run in words.


def statistics_text(item: Statistics) -> str:
    """`4 executions, 12 candidates, 0.01 s`."""
    counts = [
        (item.executions, "execution"),
        (item.classes, "reads-from class"),
        (item.failed, "failed"),
        (item.truncated, "truncated"),
        (item.blocked, "blocked"),
        (item.candidates, "candidate"),
        (item.duplicates, "duplicate"),
        (item.states, "state"),
        (item.transitions, "transition"),
        (item.nodes, "node"),
    ]
    parts = [f"{count} {word}{_plural(count, word)}" for count, word in counts if count is not None]
    if item.symmetric is not None:
        groups = "; ".join(", ".join(group) for group in item.symmetric)
        parts[0] += f" ({item.explored} up to symmetry of {groups})"
    parts.append(f"{item.seconds:.2f} s")
    if item.peak_bytes is not None:
        parts.append(f"{item.peak_bytes / 2**20:.1f} MiB")
    return ", ".join(parts)


def _plural(count: int, word: str) -> str:
    if count == 1 or word in ("failed", "truncated", "blocked"):
        return ""
    return "es" if word.endswith("s") else "s"
