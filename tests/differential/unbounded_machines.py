"""Store buffers of any length on programs with all that front ends make: channels, committed points, atomic
writes, fences of stores, threads that start and join others, several accesses in a step.

`python tests/differential/unbounded_machines.py` runs the whole campaign and prints what it covered.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from differential.unbounded import Goals, described, goals, listed, model
from membar import _core
from membar.diagnostics import EngineLimitError, InputError
from membar.engines._core_runs import follow_run
from membar.engines.buffers.question import EncodedTask, encode_task
from membar.engines.buffers.search import shown_moves
from membar.engines.reference.simulator import simulate
from membar.program.operations import Fence, Receive, Send, Spawn, Store
from membar.program.program import Program
from membar.properties.judge import Tally
from membar.questions.task import Limits, Options, Task
from strategies.machines import Parts, machine_program

MODELS = ("x86-tso", "pso", "sc")
PARTS = Parts(exclusives=False)
LARGEST_BOUND = 4
_SLOW_STATES = 1_500
_STATES = 20_000


@dataclass(slots=True)
class Report:
    """What a campaign covered, and what went wrong."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def question(program: Program, name: str) -> EncodedTask:
    """The program as the core sees it; failures, errors, deadlocks and final states are looked for."""
    return encode_task(_task(program, name, None))


def _task(program: Program, name: str, bound: int | None) -> Task:
    return Task(
        program=program,
        model=model(name),
        properties=("deadlock",) if bound is None else (),
        limits=Limits(states=_SLOW_STATES),
        options=Options(buffers=bound, buffers_chosen_by_user=bound is not None),
    )


def compare(program: Program, name: str, report: Report) -> None:
    """Compares the searches with the reference's machine and with one another on one program."""
    who = f"{program.name} {name}"
    try:
        asked, tried = question(program, name), question(program, name)
        bounded = tried.core.bounded(bound=2, states=_STATES)
    except (EngineLimitError, OverflowError):
        report.counts["refused"] += 1
        return
    if bounded.stopped is None:
        _compare_with_reference(program, name, bounded, report)
    reached, is_complete = _within_bounds(asked)
    forward = tried.core.forward(states=_STATES, seconds=1.0)
    _compare_reached(f"{who} forward", asked, forward, reached, report, is_complete=is_complete)
    _follow(who, asked, forward, report)
    if name == "x86-tso":
        _compare_backward(who, tried, forward, reached, report)
    _count(program, name, forward, report)


def _compare_with_reference(
    program: Program, name: str, bounded: _core.BufferFindings, report: Report
) -> None:
    """With buffers of two entries the reference finds the same."""
    who = f"{program.name} {name}(2)"
    kinds: set[str] = {goal.kind for goal in bounded.goals}
    try:
        slow = simulate(_task(program, name, 2))
    except InputError:
        if "fault" not in kinds:
            report.wrong.append(f"{who}: a stray access was missed")
        return
    except EngineLimitError:
        report.counts["refused by the reference"] += 1
        return
    if slow.limit is not None:
        report.counts["too large for the reference"] += 1
        return
    report.counts["compared with the reference"] += 1
    for what, expected, found in _verdicts(slow, kinds, held=bounded.held):
        if expected != found:
            report.wrong.append(f"{who}: {what} is {found}, not {expected}")


def _verdicts(slow: Tally, kinds: set[str], *, held: bool) -> list[tuple[str, bool, bool]]:
    return [
        ("failure", slow.failed_assertion is not None, "failure" in kinds),
        ("error", slow.error is not None, "error" in kinds),
        ("deadlock", slow.deadlock is not None, "deadlock" in kinds),
        ("end", bool(slow.outcomes), "ending" in kinds),
        ("held", slow.buffers_held is not None, held),
    ]


def _within_bounds(asked: EncodedTask) -> tuple[Goals, bool]:
    """What is reached with buffers of 1, 2, … entries, and whether all of that was looked at."""
    reached: Goals = frozenset()
    for bound in range(1, LARGEST_BOUND + 1):
        found = asked.core.bounded(bound=bound, states=_STATES)
        reached |= goals(found)
        if found.stopped is not None:
            return reached, False
        if not found.held:
            break
    return reached, True


def _compare_reached(
    who: str,
    asked: EncodedTask,
    found: _core.BufferFindings,
    reached: Goals,
    report: Report,
    *,
    is_complete: bool,
) -> None:
    """Whatever a bound reaches is reached, and what is reached has a run."""
    report.counts[f"forward {'ended' if found.stopped is None else 'stopped'}"] += 1
    if found.stopped is None and not reached <= goals(found):
        report.wrong.append(f"{who} missed {[described(goal) for goal in listed(reached - goals(found))]}")
    for goal in listed(goals(found) - reached):
        if is_complete and asked.core.run_to(goal, largest=3 * LARGEST_BOUND, states=4 * _STATES) is None:
            report.wrong.append(f"{who} reached {described(goal)}, to which there is no run")


def _follow(who: str, asked: EncodedTask, found: _core.BufferFindings, report: Report) -> None:
    """The reference's machine makes the run to the first thing of each kind; to what ends well, too."""
    seen: set[str] = set()
    for goal in found.goals:
        kind = goal.kind
        known = found.run_to(goal)
        run = shown_moves(asked, known) if known else asked.core.run_to(goal, states=_STATES)
        if kind in seen or run is None or len(run) > 200:
            continue
        seen.add(kind)
        try:
            follow_run(asked.machine, run)
        except InputError:
            if kind != "fault":
                report.wrong.append(f"{who}: the run to {described(goal)} goes astray")
        except EngineLimitError as error:
            report.wrong.append(f"{who}: the run to {described(goal)}: {error.reason}")
        else:
            report.counts[f"runs to {kind} followed"] += 1
            if kind == "fault":
                report.wrong.append(f"{who}: the run to {described(goal)} does not go astray")


def _compare_backward(
    who: str, tried: EncodedTask, forward: _core.BufferFindings, reached: Goals, report: Report
) -> None:
    """Backwards nothing is missed; what is found is right where the search says that it is exact."""
    if tried.looks_at_data:
        return
    found = tried.core.backward(states=_STATES, seconds=1.0)
    if found.stopped is not None:
        report.counts["backward stopped"] += 1
        return
    report.counts[f"backward ended, {'' if found.is_exact else 'not '}exact"] += 1
    for kind in ("failure", "fault", "error"):
        mine = any(goal.kind == kind for goal in found.goals)
        other = any(goal.kind == kind for goal in goals(forward) | reached)
        if other and not mine:
            report.wrong.append(f"{who} backward missed a {kind}")
        if mine and not other and forward.stopped is None and found.is_exact:
            report.wrong.append(f"{who} backward found a {kind} that is none")


def _count(program: Program, name: str, forward: _core.BufferFindings, report: Report) -> None:
    kinds = program.operation_kinds
    operations = [op for thread in program.threads for edge in thread.edges for op in edge.operations]
    report.counts["programs"] += 1
    report.counts["with channels"] += not kinds.isdisjoint({Send, Receive})
    report.counts["with rendezvous"] += any(channel.capacity == 0 for channel in program.channels)
    report.counts["with committed points"] += any(thread.committed for thread in program.threads)
    report.counts["with atomic writes"] += any(isinstance(op, Store) and op.tags for op in operations)
    is_marked = any(
        isinstance(op, Spawn) or (isinstance(op, Fence) and "SFENCE" in op.tags) for op in operations
    )
    report.counts["pso with marks"] += name == "pso" and is_marked
    report.counts["accelerated"] += bool(forward.cycles)


def campaign(count: int, *, first: int = 0, names: Sequence[str] = MODELS) -> Report:
    """Compares the searches on many programs."""
    report = Report()
    for seed in range(first, first + count):
        program = machine_program(seed, PARTS)
        compare(program, names[seed % len(names)], report)
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--model", choices=MODELS, action="append")
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, first=chosen.first, names=chosen.model or MODELS)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
