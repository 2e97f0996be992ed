"""Reports about systems for any number of processes: for people, and as one line of JSON."""

from __future__ import annotations

from pathlib import PurePath

from membar.questions.outcome import HoldsWithin, Outcome, Unknown, Violated
from membar.reports import SystemAnswer
from membar.reports._parts.answer import Object, common
from membar.reports._parts.findings import details, fact_lines, finding_facts
from membar.reports._parts.statistics import statistics_text
from membar.reports._parts.style import Line, join, line, wrapped
from membar.reports._parts.verdict import role, spoken
from membar.systems.run import ProcessRun, ProcessStep, Shown
from membar.systems.system import Cube, ParameterizedSystem


def render(answer: SystemAnswer, *, columns: int = 80, color: bool = False, replays: bool = True) -> str:
    """The report for people: verdict first, then what it rests on, and the run that breaks it.

    `replays`: with the command that runs it again, which needs a file that has this text.
    """
    outcome = answer.outcome
    lines = [_first_line(answer.source.path, outcome), *_facts(answer, columns)]
    if run := execution(answer, columns=columns):
        lines += [Line(), *run]
    if run and replays:
        lines += [Line(), line(("replay: ", "dim"), _replay_command(answer.source.path, outcome.run.model))]
    return join(lines, color=color)


def execution(answer: SystemAnswer, *, columns: int = 80) -> list[Line]:
    """The run that shows a violation; nothing if there is none."""
    outcome = answer.outcome
    if not isinstance(outcome, Violated) or outcome.processes is None:
        return []
    return _run(answer.system, outcome.processes, columns)


def render_json(answer: SystemAnswer) -> str:
    """The answer as one line of JSON."""
    import json  # noqa: PLC0415 - one form of two

    return json.dumps(value(answer), ensure_ascii=False, separators=(", ", ": ")) + "\n"


def value(answer: SystemAnswer) -> Object:
    """The answer as a JSON object."""
    outcome = answer.outcome
    result = common(answer.source, outcome)
    if isinstance(outcome, Violated) and outcome.processes is not None:
        from membar.reports._parts.saved_run import run_value  # noqa: PLC0415 - most answers have no run

        result["witness"] = run_value(answer.source, answer.model.name, outcome.processes)
    return result


def _first_line(path: str, outcome: Outcome) -> Line:
    run = outcome.run
    verdict = (spoken(outcome), role(outcome))
    return line((path, "bold"), ": ", verdict, f" under {run.model} ({details(run)})")


def _facts(answer: SystemAnswer, columns: int) -> list[Line]:
    outcome, run = answer.outcome, answer.outcome.run
    facts = finding_facts(outcome)
    match outcome:
        case Unknown(reason=reason):
            facts.append(("reason", reason, "warn"))
        case HoldsWithin(bound=bound):
            facts.append(("bound", bound, "warn"))
        case _:
            pass
    facts.append(("guarantee", run.guarantee, ""))
    facts += [("note", note, "") for note in run.notes]
    facts.append(("statistics", statistics_text(run.statistics), "dim"))
    return fact_lines(facts, columns)


def _run(system: ParameterizedSystem, run: ProcessRun, columns: int) -> list[Line]:
    """The run, one step per line: who, what was read, what changed, what the buffers hold."""
    word = "process" if run.processes == 1 else "processes"
    lines = [line((f"A run of {run.processes} {word} into an unsafe state", "bold")), Line()]
    lines += wrapped(line(("   0  start", "dim"), "  ", _pairs(run.initial)), columns, indent=6)
    before = run.initial
    heads = [_head(step) for step in run.steps]
    width = max((len(head) for head in heads), default=0)
    for number, (head, step) in enumerate(zip(heads, run.steps, strict=True), 1):
        text = "; ".join(_done(step, before))
        lines += wrapped(line((f"{number:>4}  ", "dim"), f"{head:<{width}}  ", text), columns, indent=6)
        before = step.memory
    cube = system.unsafe[run.unsafe]
    return [
        *lines,
        Line(),
        *wrapped(line("  ", ("unsafe: ", "bold"), _reached(cube, run)), columns, indent=4),
    ]


def _head(step: ProcessStep) -> str:
    who = ", ".join(f"#{number}" for number in step.processes)
    return f"flush {who}" if step.transition is None else f"{step.name}({who})"


def _done(step: ProcessStep, before: tuple[Shown, ...]) -> list[str]:
    """What a step read, chose and changed, and the buffers after it."""
    old = dict(before)
    parts = []
    if step.reads:
        parts.append(f"reads {_pairs(step.reads)}")
    if step.chosen:
        parts.append(f"chooses {_pairs(step.chosen)}")
    changed = tuple(pair for pair in step.memory if old.get(pair[0]) != pair[1])
    if changed:
        parts.append(_pairs(changed))
    pending = [
        f"#{number} [{' | '.join(_pairs(entry) for entry in entries)}]"
        for number, entries in enumerate(step.buffers, 1)
        if entries
    ]
    if pending:
        parts.append(f"buffers {' '.join(pending)}")
    return parts


def _pairs(shown: tuple[Shown, ...]) -> str:
    return " ".join(f"{cell}={value}" for cell, value in shown)


def _reached(cube: Cube, run: ProcessRun) -> str:
    named = [
        f"{parameter.name} = #{number}"
        for parameter, number in zip(cube.parameters, run.culprits, strict=True)
    ]
    parts = [f"line {cube.span.line}" if cube.span else "", ", ".join(named)]
    if run.views:
        parts.append(f"who see {_pairs(run.views)}")
    return ", ".join(filter(None, parts))


def _replay_command(path: str, model: str) -> str:
    import shlex  # noqa: PLC0415 - most answers have no run

    saved = f"{PurePath(path).stem}.json"
    check = shlex.join(["membar", "check", path, "--model", model, "--json"])
    return f"{check} > {shlex.quote(saved)}; {shlex.join(['membar', 'replay', saved])}"
