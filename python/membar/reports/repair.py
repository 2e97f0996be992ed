"""A repair: what changes, what each change prevents, and the patch."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from membar.properties.judge import RACE_FLAG
from membar.questions.answer import Answer, RaceRun
from membar.questions.outcome import Holds, HoldsWithin, Outcome, Unknown, Violated, Witness
from membar.reports import executions
from membar.reports._parts.condition import state_text
from membar.reports._parts.style import EMPTY, Line, join, line, paint, printable, wrap
from membar.reports._parts.verdict import role, verdict_text, witness_of, word
from membar.reports.processes import run_lines
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.questions.repair.configurations import Recheck
    from membar.questions.repair.verdicts import Change, Repair
    from membar.text.edits import EditSite

# A JSON object; the standard library has no closed type for it.
Object = dict[str, Any]
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


def render(
    found: Repair,
    *,
    columns: int = 80,
    color: bool = False,
    command: tuple[str, str] | None = None,
    explain: bool = False,
) -> str:
    """The repair as text: the changes, the patch, and the answer about the result.

    Args:
        found: the repair.
        columns: width to keep within.
        color: paint it.
        command: when the same question can be asked about the repaired file, and what asks it.
        explain: with the execution that each change prevents.
    """
    parts = [join([*_head(found, columns), *_changes(found, columns, explain=explain)], color=color)]
    if found.changes:
        parts.append(join([EMPTY], color=color))
        parts.append(_paint_patch(patch(found.source, found.repaired), color=color))
    for other in found.others:
        parts.append(join([EMPTY, line(("or, at the same cost:", "bold"))], color=color))
        parts.append(_paint_patch(patch(found.source, other), color=color))
    last = [*_prevented_executions(found, columns)] if explain else []
    last += [EMPTY, *wrap(_checked_again(found.result), columns), *_warnings(found.result, columns)]
    for each in found.configurations:
        last += wrap(_configuration_line(each), columns)
    if command is not None and found.changes:
        last.append(line((f"{command[0]}: ", "dim"), command[1]))
    return "".join((*parts, join(last, color=color)))


def nothing(source: SourceFile, answer: Answer, *, columns: int = 80) -> str:
    """That nothing was found wrong with a text: it is right only if that is known without a bound."""
    outcome = answer.outcome
    name, model = printable(source.path), outcome.run.model
    first = f"NOTHING TO REPAIR {name}: it is correct under {model}"
    if isinstance(outcome, HoldsWithin):
        first = f"NOTHING FOUND TO REPAIR {name}: HOLDS WITHIN under {model}, {outcome.bound}"
    unchecked = line(f"  not checked: {', '.join(outcome.run.unchecked)}") if outcome.run.unchecked else None
    lines = [*wrap(line(first), columns), *([unchecked] if unchecked else []), *_warnings(answer, columns)]
    return join(lines, color=False)


def unknown(source: SourceFile, reason: str) -> str:
    """That nobody knows, and why."""
    return f"UNKNOWN {printable(source.path)}: {reason}\n"


def render_failure(source: SourceFile, reason: str) -> str:
    """That nothing that is known here helps, and why."""
    return f"NOT REPAIRED {printable(source.path)}: {reason}\n"


def _checked_again(answer: Answer) -> Line:
    outcome = answer.outcome
    within = f"within {outcome.bound}" if isinstance(outcome, HoldsWithin) else outcome.run.guarantee
    return line("checked again: ", _verdict_text(outcome), f" under {outcome.run.model}, {within}")


def _configuration_line(found: Recheck) -> Line:
    """The same question in another configuration of the text, after the change and before."""
    after = ("cannot be read", "bad") if found.after is None else _verdict_text(found.after.outcome)
    before = _verdict_text(found.before.outcome)
    return line("  ", found.name, ": ", after, ", as before" if after == before else f"; before: {before[0]}")


def _verdict_text(outcome: Outcome) -> tuple[str, str]:
    """A verdict in words, with its style; what `exists` asks for is what should not happen."""
    match outcome:
        case Violated(property="condition", witness=None, processes=None):
            return "the outcome asked for cannot happen", "good"
        case Holds(witness=witness) if witness is not None:
            return "the outcome asked for can happen", "bad"
        case _:
            return verdict_text(outcome), role(outcome)


def _warnings(answer: Answer, columns: int) -> list[Line]:
    """What is wrong all the same, and was not asked about."""
    run = answer.outcome.run
    if RACE_FLAG not in run.flags:
        return []
    text = "it has a data race in C; `--property races` checks for races"
    return wrap(line(("note: ", "warn"), text), columns)


def _head(found: Repair, columns: int) -> Iterator[Line]:
    count = len(found.changes)
    title = "REPAIRED" if found.before is None else "WEAKENED" if count else "NOTHING TO WEAKEN"
    yield from wrap(
        line(
            (title, "good"),
            f" {printable(found.source.path)} under {found.result.outcome.run.model}: ",
            _summary(found),
        ),
        columns,
    )


def _summary(found: Repair) -> str:
    """How much changes, and what is claimed about it."""
    if found.before is not None and not found.places:
        return (
            "it contains no fence, order or atomic write that could be weaker; ordering that the language"
            " implies was not considered"
        )
    count = len(found.changes)
    changes = f"{count} change{'' if count == 1 else 's'}"
    cost = f"cost {found.cost}" if found.before is None else f"cost {found.before} becomes {found.cost}"
    undecided = f", {found.undecided} not decided" if found.undecided else ""
    return f"{changes}, {cost}, {_minimality(found)} ({found.tested} programs checked{undecided})"


def _minimality(found: Repair) -> str:
    interrupted = "interrupted, the best so far; " if found.is_interrupted else ""
    if found.is_minimal and found.before is not None:
        word = "place" if found.places == 1 else "places"
        return f"no cheaper one exists at the {found.places} {word} that can be weaker"
    if found.is_minimal:
        return f"{interrupted}no cheaper one exists"
    if 0 < found.lower_bound < found.cost:
        return f"{interrupted}not proved minimal: every one costs at least {found.lower_bound}"
    return f"{interrupted}not proved minimal"


def _changes(found: Repair, columns: int, *, explain: bool) -> Iterator[Line]:
    for change in found.changes:
        yield line("  ", (_name(change), "bold"), f"{_instead(found.source, change)} (cost {change.cost})")
        if found.before is None:
            yield from wrap(_consequence_text(change.prevents), columns, indent=6)
    if not explain and any(change.prevents is not None for change in found.changes):
        yield line(("  --explain shows the executions", "dim"))


def _name(change: Change) -> str:
    name, was = change.own_names
    return name or f"no {was}"


def _instead(source: SourceFile, change: Change) -> str:
    name, was = change.own_names
    instead = f" instead of {was}" if was and name else ""
    return f"{instead}, {_place(source, change.place)}"


def _prevented_executions(found: Repair, columns: int) -> Iterator[Line]:
    """The execution that each change prevents."""
    for change in found.changes:
        if change.prevents is not None and (shown := _execution(change.prevents, columns)):
            title = f"without {_name(change)}{_instead(found.source, change)}, and with all other changes:"
            yield from [EMPTY, *wrap(line((title, "bold")), columns), EMPTY, *shown]


def _execution(answer: Answer, columns: int) -> list[Line]:
    if answer.processes is not None:
        return run_lines(answer.system, answer.processes, columns)
    return executions.execution(answer, columns=columns)


def _place(source: SourceFile, place: EditSite) -> str:
    return place.title if place.span.path == source.path else f"{place.title} of {_short(place.span.path)}"


def _consequence_text(answer: Answer | None) -> Line:
    """What happens without a change, in one line."""
    if answer is None:
        return line("    without it: ", ("not examined: no time was left", "dim"))
    separator = ": " if isinstance(answer.outcome, Holds) else " "
    return line("    without it: ", _verdict_text(answer.outcome), separator, _answer_text(answer))


def _answer_text(answer: Answer) -> str:
    """What shows a verdict, in a few words: what is wrong, and what such an execution ends with."""
    outcome = answer.outcome
    if isinstance(outcome, Unknown):
        return outcome.reason
    if answer.processes is not None:
        return f"{answer.processes.processes} processes reach an unsafe state"
    asked = outcome.property if isinstance(outcome, Violated) else ""
    witness = witness_of(outcome)
    if witness is None:
        return asked
    asks = isinstance(answer.evidence, Witness | RaceRun) and answer.program.condition is not None
    final = state_text(answer.program, witness.final) if asks else ""
    return ": ".join(filter(None, [printable(witness.message) or asked, final]))


def _short(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _paint_patch(text: str, *, color: bool) -> str:
    """A patch for a reader: in colours and without control characters on a terminal, else to the letter."""
    if not color:
        return text
    roles = {"+": "good", "-": "bad", "@": "place"}
    lines = (printable(each) for each in text.removesuffix("\n").split("\n"))
    return "".join(paint(each, roles.get(each[:1], ""), color=True) + "\n" for each in lines)


def patch(source: SourceFile, repaired: SourceFile) -> str:
    """The difference between a text and its repair as `patch -p1` and `git apply` take it."""
    before = dict(source.replaced)
    pairs = [(source.path, source.text, repaired.text)]
    for path, text in repaired.replaced:
        original = before[path] if path in before else SourceFile.read(path).text
        pairs.append((path, original, text))
    return "".join(_unified_diff(*pair) for pair in pairs if pair[1] != pair[2])


def _unified_diff(path: str, before: str, after: str) -> str:
    # A name with `..` is refused by patch and git: such files are named from the root (`patch -p1 -d /`).
    name = _short(path)
    name = (os.path.abspath(name) if name.startswith("..") else name).lstrip("/")  # noqa: PTH100 - as written
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(
        text if text.endswith("\n") else f"{text}\n\\ No newline at end of file\n" for text in lines
    )


def _lines(text: str) -> list[str]:
    """The lines with their ends: only a newline ends one, as for `patch`."""
    return _LINE.findall(text)


def as_data(found: Repair) -> Object:
    """The repair as JSON has it."""
    changes: list[dict[str, Any]] = [
        {
            "file": change.place.span.path,
            "line": change.place.span.line,
            "place": change.place.title,
            "was": change.was,
            "becomes": change.name,
            "cost": change.cost,
            "prevents": None if change.prevents is None else _answer_as_data(change.prevents),
        }
        for change in found.changes
    ]
    kind = "repaired" if found.before is None else "weakened" if changes else "nothing-to-weaken"
    return {
        "result": kind,
        "file": found.source.path,
        "model": found.result.outcome.run.model,
        "changes": changes,
        "cost": found.cost,
        "before": found.before,
        "lower_bound": found.lower_bound,
        "minimal": found.is_minimal,
        "interrupted": found.is_interrupted,
        "places": found.places,
        "configurations": [
            {
                "name": each.name,
                "before": word(each.before.outcome),
                "after": None if each.after is None else word(each.after.outcome),
            }
            for each in found.configurations
        ],
        "checked": found.tested,
        "undecided": found.undecided,
        "verdict": word(found.result.outcome),
        "guarantee": found.result.outcome.run.guarantee,
        "flags": list(found.result.outcome.run.flags),
        "atomic": list(found.atomic_writes),
        "patch": patch(found.source, found.repaired),
        "others": [patch(found.source, other) for other in found.others],
    }


def nothing_as_data(source: SourceFile, answer: Answer) -> Object:
    """That a text is right as it is, as JSON has it."""
    return {"result": "nothing-to-repair", "file": source.path, "answer": _answer_as_data(answer)}


def failed_as_data(source: SourceFile, reason: str, answer: Answer | None) -> Object:
    """That nothing helps, as JSON has it."""
    told = None if answer is None else _answer_as_data(answer)
    return {"result": "not-repaired", "file": source.path, "reason": reason, "answer": told}


def unknown_as_data(source: SourceFile, reason: str) -> Object:
    """That nobody knows, as JSON has it."""
    return {"result": "unknown", "file": source.path, "reason": reason}


def _answer_as_data(answer: Answer) -> object:
    """An answer as `check --json` gives it, with its witness."""
    from membar.reports import json  # noqa: PLC0415 - only where asked for

    return json.drawn_line(answer)
