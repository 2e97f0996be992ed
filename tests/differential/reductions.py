"""Reduction and symmetry: the same answers with them and without, and with two threads.

`python tests/differential/reductions.py --count 5000` runs the whole campaign and prints what it covered. The
core answers all claims of a program in all ways, and what it finds in states is compared too. The answers to
some are compared with the reference's look at the whole product where that is small, and the lassos of the
first are replayed by the reference.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from differential.lassos import Report, TooLargeError, is_broken
from differential.states import model
from membar import _core
from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.witness_replay import replay
from membar.engines.states import FAILED, claim_form, explore
from membar.engines.states.encoding import Kept, encode_states
from membar.program.program import Program
from membar.program.temporal import predicates_of
from membar.questions.task import Limits, Options, Task
from strategies.directed import directed_case
from strategies.dve import dve_program
from strategies.loose import KINDS, loose_program
from strategies.numbered import numbered_program, profile

# Each model with its bounds; under sc, reduction does most.
MODELS: Sequence[tuple[str, int]] = [
    ("sc", 1), ("x86-tso", 1), ("sc", 1), ("pso", 1), ("sc", 1), ("x86-tso", 2), ("cam", 1), ("pso", 2),
    ("sc", 1), ("cam", 2),
]  # fmt: skip
# Fairness to processes leaves nothing to reduce, fairness to queues tells threads apart.
FAIR: Sequence[frozenset[str]] = (
    frozenset[str](), frozenset[str](), frozenset({"buffers"}), frozenset({"buffers"}),
    frozenset({"processes", "buffers"}),
)  # fmt: skip
STATES = 20_000


def compare(
    program: Program, name: str, bound: int, fair: frozenset[str], report: Report, *, most: int
) -> None:
    """Asks about each claim of a program in all ways, and the reference, which is slow, about some."""
    who = f"{program.name} {name}({bound}) fair {sorted(fair)}"
    discipline = model(name).operational
    assert discipline is not None
    lowered = encode_states(program, discipline, (), predicates_of(program.claims))
    space = _core.StateSpace(
        lowered.form, discipline=discipline.value, bound=bound, registers=Kept.LIVE.value
    )
    if not _compare_states(program, space, name, bound, who, report):
        return
    for claim in program.claims:
        find = partial(
            space.find_run,
            claim_form(claim, lowered.predicates),
            fair_buffers="buffers" in fair,
            fair_processes="processes" in fair,
            states=STATES,
        )
        is_violated = _compare_searches(find, f"{who} {claim.name}", report)
        if is_violated is None or claim.name not in {"c1", "c2", "c3"}:
            continue
        with suppress(TooLargeError):
            alone = replace(program, claims=(claim,))
            if is_broken(alone, discipline, bound, fair, most) is not is_violated:
                report.wrong.append(f"{who} {claim.name}: the reference disagrees")
            report.counts["reference"] += 1
    _compare_with_reference(replace(program, claims=program.claims[:1]), name, bound, fair, report, most, who)


def _compare_states(  # noqa: PLR0917 - a question in all its parts
    program: Program, space: _core.StateSpace, name: str, bound: int, who: str, report: Report
) -> bool:
    """Compares what states show in all ways, and replays the runs; whether there are few enough."""
    ways = [(False, False, 1), (True, False, 1), (False, True, 1), (True, True, 1), (True, True, 2)]
    found = [
        space.explore(reduced=reduced, symmetric=symmetric, jobs=jobs, round_size=5, states=STATES)
        for reduced, symmetric, jobs in ways
    ]
    if found[0].stopped is not None:
        report.counts["too large"] += 1
        return False
    if "turn" in {item.name for item in program.objects}:
        _compare_profiles(program, name, bound, who, report)
    sizes = [answer.states for answer in found]
    report.counts["states smaller by symmetry"] += sizes[2] < sizes[0]
    report.counts["states smaller by both"] += sizes[3] < min(sizes[1:3])
    if sizes[3] != sizes[4]:
        report.wrong.append(f"{who}: two threads visit {sizes[4]} states, not {sizes[3]}")
    expected = _summary(found[0])
    for answer, how in zip(found, ways, strict=True):
        if answer.stopped is not None or (answer.fault is None and _summary(answer) != expected):
            report.wrong.append(f"{who}: states show something else with {how}")
    report.counts["bad states"] += any(expected[:2])
    options = Options(buffers=bound, buffers_chosen_by_user=True, jobs=2)
    task = Task(
        program=replace(program, claims=()),
        model=model(name),
        properties=("assertions", "deadlock"),
        options=options,
    )
    for reduced, symmetric, _ in ways[1:4]:
        tally = explore(task, reduced=reduced, symmetric=symmetric, round_size=5)  # follows the runs
        for witness in (tally.failed_assertion, tally.error, tally.deadlock):
            problem = None if witness is None else replay(task.program, task.model, witness)
            if problem is not None:
                report.wrong.append(f"{who}: {problem}")
    return True


def _compare_profiles(program: Program, name: str, bound: int, who: str, report: Report) -> None:
    """Compares many facts about states, none of which tells threads apart."""
    discipline = model(name).operational
    assert discipline is not None
    lowered = encode_states(replace(program, errors=profile(program)), discipline, ())
    space = _core.StateSpace(
        lowered.form, discipline=discipline.value, bound=bound, registers=Kept.LIVE.value
    )
    whole, merged = (space.explore(symmetric=symmetric, states=STATES // 4) for symmetric in (False, True))
    report.counts["profiles"] += bool(merged.symmetric)
    if whole.stopped is None and _summary(whole) != _summary(merged):
        report.wrong.append(f"{who}: with symmetry, other facts are reached")


def _summary(found: _core.VisitedStates) -> tuple[object, ...]:
    """What there is among states, whatever they are called."""
    errors = tuple(state is not None for state in found.errors)
    return found.failure is not None, found.deadlock is not None, errors, found.held, found.blocked > 0


def _compare_searches(find: Callable[..., _core.RunAnswer], who: str, report: Report) -> bool | None:
    """Whether a claim is violated; None if there are too many states, or if that is left open."""
    whole = find()
    if whole.stopped is not None:
        report.counts["too large"] += 1
        return None
    reduced, symmetric = find(reduced=True), find(symmetric=True)
    both = [find(reduced=True, symmetric=True, jobs=jobs, round_size=5) for jobs in (1, 2)]
    expected = whole.lasso is not None
    report.counts["violated" if expected else "true"] += 1
    report.counts["failed"] += whole.failed
    report.counts["smaller by reduction"] += reduced.states < whole.states
    report.counts["smaller by symmetry"] += symmetric.states < whole.states
    report.counts["smaller by both"] += both[0].states < min(reduced.states, symmetric.states)
    if both[0].states != both[1].states or _steps(both[0]) != _steps(both[1]):
        report.wrong.append(f"{who}: two threads do not find what one finds")
    for found, how in ((reduced, "reduction"), (symmetric, "symmetry"), (both[0], "both")):
        if expected and found.lasso is None and found.stopped is not None:
            report.counts["found later, too large"] += 1  # in another order, a run may be far away
        elif (found.lasso is not None) is not expected or found.stopped is not None:
            report.wrong.append(f"{who}: with {how}, {'no ' if expected else 'a '}run was found")
        elif not expected and (found.held, found.failed, found.unseen) != (
            whole.held,
            whole.failed,
            whole.unseen,
        ):
            report.wrong.append(f"{who}: with {how}, bound, failures or atomic blocks matter otherwise")
    if whole.unseen and not expected:  # what claims say about runs that nobody sees is left open
        report.counts["inside forever"] += 1
        return None
    return expected


def _steps(answer: _core.RunAnswer) -> tuple[list[object], ...] | None:
    """The lasso in a form that can be compared."""
    run = answer.lasso
    if run is None:
        return None
    return tuple(
        [step and (step.thread, step.edge, step.partner, step.values) for step in part]
        for part in (run.prefix, run.cycle)
    )


def _compare_with_reference(  # noqa: PLR0917 - a question in all its parts
    program: Program, name: str, bound: int, fair: frozenset[str], report: Report, most: int, who: str
) -> None:
    """Compares the verdict with the reference's look at the whole product, and replays every lasso."""
    options = Options(buffers=bound, buffers_chosen_by_user=True, fair=fair)
    task = Task(
        program=program,
        model=model(name),
        properties=("claims",),
        limits=Limits(states=STATES),
        options=options,
    )
    found = [explore(task), explore(task, reduced=False), explore(task, reduced=False, symmetric=True)]
    if any(tally.limit not in (None, FAILED) for tally in found):
        return
    discipline = model(name).operational
    assert discipline is not None
    try:
        expected = is_broken(program, discipline, bound, fair, most)
    except TooLargeError:
        expected = found[1].lasso is not None
    else:
        report.counts["reference"] += 1
    for tally in found:
        if (tally.lasso is not None) is not expected:
            report.wrong.append(f"{who}: the reference disagrees")
        problem = None if tally.lasso is None else replay(program, model(name), tally.lasso)
        if problem is not None:
            report.wrong.append(f"{who}: {problem}")


def campaign(count: int, *, first: int = 0, most: int = 150, dve: bool = False) -> Report:
    """Compares on many programs, each under one model and one kind of fairness."""
    report = Report()
    for seed in range(first, first + count):
        random, kind = Random(f"question {seed}"), KINDS[seed // 3 % len(KINDS)]
        models, fairness = MODELS, FAIR
        if kind in {"ghost", "flush all"}:  # only there stores wait for others, or do not wait
            models, fairness = [item for item in MODELS if item[0] != "sc"], FAIR[:3]
        if kind == "message" and random.randrange(2):
            models = MODELS[:1]
        alike = not dve and kind != "join" and random.randrange(3) == 0
        try:
            if dve:
                program = dve_program(seed)
            elif seed % 3 == 0:
                program = numbered_program(seed)
            elif seed % 3 == 1:
                case = directed_case(seed // 3)
                program, models, fairness = case.program, case.models, case.fairness
            else:
                program = loose_program(seed, kind, alike=alike)
            (name, bound), fair = random.choice(models), random.choice(fairness)
            if any(thread.edges for thread in program.threads):
                compare(program, name, bound, fair, report, most=most)
        except (EngineLimitError, InputError) as error:
            report.counts[type(error).__name__] += 1
            if "internal" in str(error):
                report.wrong.append(f"{seed}: {error}")
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(
        "--most", type=int, default=150, help="states of a product that the reference looks at"
    )
    parser.add_argument("--dve", action="store_true", help="random DVE texts instead")
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, first=chosen.first, most=chosen.most, dve=chosen.dve)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong[:12]) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
