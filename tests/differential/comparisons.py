"""The comparisons of the differential suite: each takes programs and says where two answers differ.

The real tests and the seeded bugs call these very functions; an empty answer is agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import membar
from membar.diagnostics import InputError
from membar.engines.reference.axiomatic import explore
from membar.engines.reference.simulator import simulate
from membar.engines.reference.witness_replay import replay
from membar.languages import registry
from membar.languages.mbp import FRONTEND as PROGRAM_TEXT
from membar.models import load
from membar.models.model import Model
from membar.program.condition import (
    And,
    Compare,
    Comparison,
    Formula,
    Implies,
    Not,
    Or,
    Quantifier,
    Term,
)
from membar.program.operations import Tags
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties.judge import Tally, judge
from membar.questions import engine_answer
from membar.questions.outcome import FinalState, Holds, Unknown, Violated, Witness
from membar.questions.task import Options, Task
from membar.source import SourceFile
from strategies.variations import permuted, renamed, with_fence

Disagreements: TypeAlias = list[str]
States: TypeAlias = frozenset[FinalState]

# More entries than any of the programs has stores, so that nothing is ever held back.
LARGE_BUFFERS = 16


@cache
def shipped(name: str) -> Model:
    """A shipped model."""
    return membar.load_model(name)


@cache
def own(name: str) -> Model:
    """A model of the folder `models` beside this file."""
    path = Path(__file__).parent / "models" / f"{name}.cat"
    return load.load(path, vocabulary=registry.vocabulary())


def explored(program: Program, model: Model, *, all_executions: bool = False) -> Tally:
    """Everything the axiomatic reading says of a program."""
    options = Options(all_executions=all_executions)
    tally = explore(Task(program=program, model=model, properties=("condition",), options=options))
    assert tally.limit is None
    assert tally.loops_cut is None
    return tally


def allowed(program: Program, model: Model) -> States:
    """The final states of the axiomatic reading."""
    return frozenset(explored(program, model).outcomes)


def machine_run(program: Program, model: Model, *, all_executions: bool = False) -> Tally:
    """Everything the store-buffer machine says of a program, with buffers that never fill up."""
    options = Options(buffers=LARGE_BUFFERS, all_executions=all_executions)
    tally = simulate(Task(program=program, model=model, properties=("condition",), options=options))
    assert tally.limit is None
    assert tally.buffers_held is None
    return tally


def reached(program: Program, model: Model) -> States:
    """The final states of the operational reading."""
    return frozenset(machine_run(program, model).outcomes)


def readings(programs: Iterable[Program], model: Model) -> Disagreements:
    """Where the axioms and the store buffers of a model give different final states."""
    found: Disagreements = []
    for program in programs:
        axioms, machine = allowed(program, model), reached(program, model)
        found += _difference(program, f"{model.name} axioms", axioms, f"{model.name} machine", machine)
    return found


def inclusion(programs: Iterable[Program], stronger: Model, weaker: Model) -> Disagreements:
    """Final states that the stronger model allows and the weaker one does not."""
    found: Disagreements = []
    for program in programs:
        extra = allowed(program, stronger) - allowed(program, weaker)
        if extra:
            title = f"allowed by {stronger.name} but not by {weaker.name}: {_shown(extra)}"
            found.append(f"{title}\n{print_program(program)}")
    return found


def equality(programs: Iterable[Program], left: Model, right: Model) -> Disagreements:
    """Where two ways to write one model differ."""
    found: Disagreements = []
    for program in programs:
        ours, theirs = allowed(program, left), allowed(program, right)
        found += _difference(program, left.name, ours, right.name, theirs)
    return found


def partition(programs: Iterable[Program], yes: Model, no: Model, all_: Model) -> Disagreements:
    """Where an axiom and its negation do not share out all candidate executions between them."""
    found: Disagreements = []
    for program in programs:
        counts = [explored(program, model).statistics.executions or 0 for model in (yes, no, all_)]
        if counts[0] + counts[1] != counts[2]:
            found.append(
                f"{counts[0]} + {counts[1]} executions, but {counts[2]} in all\n{print_program(program)}"
            )
    return found


def fences(programs: Iterable[Program], model: Model, tags: Tags) -> Disagreements:
    """Final states that an added fence adds."""
    found: Disagreements = []
    for program in programs:
        before = allowed(program, model)
        for index in range(len(program.threads)):
            fenced = with_fence(program, thread=index, at=1, tags=tags)
            extra = allowed(fenced, model) - before
            if extra:
                title = f"{model.name}: a fence adds {_shown(extra)}"
                found.append(f"{title}\n{print_program(fenced)}")
    return found


def permutations(programs: Iterable[Program], model: Model) -> Disagreements:
    """Where the order of the threads makes a difference."""
    found: Disagreements = []
    for program in programs:
        other = permuted(program)
        found += _difference(
            program, "as written", allowed(program, model), "threads turned round", allowed(other, model)
        )
    return found


def renamings(programs: Iterable[Program], model: Model) -> Disagreements:
    """Where the names and the order of the locations make a difference."""
    found: Disagreements = []
    for program in programs:
        other = renamed(program)
        found += _difference(
            program, "as written", allowed(program, model), "with other names", allowed(other, model)
        )
    return found


def printing(programs: Iterable[Program]) -> Disagreements:
    """Programs that are different after printing and reading."""
    found: Disagreements = []
    for program in programs:
        text = print_program(program)
        if PROGRAM_TEXT.parse(SourceFile("printed.mbp", text)) != program:
            found.append(f"read back differently:\n{text}")
    return found


def replays(programs: Iterable[Program], model: Model, *, machine: bool = False) -> Disagreements:
    """Executions that were found but do not replay."""
    run = machine_run if machine else explored
    found: Disagreements = []
    for program in programs:
        for witness in run(program, model, all_executions=True).kept:
            mismatch = replay(program, model, witness)
            if mismatch is not None:
                found.append(f"{model.name}: {mismatch}\n{print_program(program)}")
    return found


def verdicts(programs: Iterable[Program], model: Model) -> Disagreements:
    """Verdicts and witnesses that do not follow from the final states, computed here once more."""
    found: Disagreements = []
    for program in programs:
        task = Task(program=program, model=model, properties=("condition",))
        tally = explored(program, model)
        outcome = judge(task, tally)
        expected, witnessed = _expected_verdict(program, tally.outcomes)
        assert isinstance(outcome, Holds | Violated), outcome
        problem = None
        if isinstance(outcome, Holds) is not expected:
            problem = f"{type(outcome).__name__}, but the final states say {'' if expected else 'not '}so"
        elif (outcome.witness is not None) is not witnessed:
            problem = "a witness too many" if outcome.witness is not None else "no witness"
        elif outcome.witness is not None and not _shows(program, outcome.witness, holds=expected):
            problem = f"the witness ends in {outcome.witness.final}, which shows nothing"
        if problem is not None:
            found.append(f"{model.name}: {problem}\n{print_program(program)}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCase:
    """A program text with what is known about it.

    Attributes:
        name: how people call it.
        text: litmus, or membar's program text.
        model: the memory model's name.
        states: all final states, values in the order of the question.
        holds: the verdict about its condition.
        path: a file name with the ending of its language.
    """

    name: str
    text: str
    model: str
    states: tuple[str, ...]
    holds: bool
    path: str = "case.litmus"


def text_answers(cases: Sequence[TextCase]) -> Disagreements:
    """Texts whose final states or verdict are not the expected ones."""
    found: Disagreements = []
    for case in cases:
        try:
            program = membar.parse(SourceFile(case.path, case.text))
        except InputError as problem:
            found.append(f"{case.name}: refused: {problem}")
            continue
        outcome = engine_answer.answer(
            Task(program=program, model=shipped(case.model), properties=("condition",)),
            engine_answer.load_engine("reference"),
        )
        if isinstance(outcome, Unknown):
            found.append(f"{case.name}: unknown: {outcome.reason}")
            continue
        states = {" ".join(f"{name}={value}" for name, value in state) for state in outcome.run.outcomes}
        if states != set(case.states):
            missing, extra = sorted(set(case.states) - states), sorted(states - set(case.states))
            found.append(f"{case.name} under {case.model}: missing {missing}, unexpected {extra}")
        if isinstance(outcome, Holds) is not case.holds:
            found.append(f"{case.name} under {case.model}: {type(outcome).__name__}")
    return found


def _difference(program: Program, left: str, ours: States, right: str, theirs: States) -> Disagreements:
    if ours == theirs:
        return []
    only = f"only {left}: {_shown(ours - theirs)}; only {right}: {_shown(theirs - ours)}"
    return [f"{only}\n{print_program(program)}"]


def _shown(states: Iterable[FinalState]) -> str:
    texts = sorted("; ".join(f"{name}={value}" for name, value in state) for state in states)
    return ", ".join("{" + text + "}" for text in texts) or "nothing"


def _expected_verdict(program: Program, states: Iterable[FinalState]) -> tuple[bool, bool]:
    """Whether the condition holds, and whether one execution shows it."""
    condition = program.condition
    assert condition is not None
    truths = [_is_true(condition.formula, _values(program, state)) for state in states]
    match condition.quantifier:
        case Quantifier.EXISTS:
            return any(truths), any(truths)
        case Quantifier.NOT_EXISTS | Quantifier.ERROR:
            return not any(truths), any(truths)
        case Quantifier.FORALL:
            return all(truths), not all(truths)


def _shows(program: Program, witness: Witness, *, holds: bool) -> bool:
    """Whether the witness's final state shows that the verdict is as it is."""
    condition = program.condition
    assert condition is not None
    is_true = _is_true(condition.formula, _values(program, witness.final))
    return is_true is (condition.quantifier is not Quantifier.FORALL) and holds is (
        condition.quantifier is Quantifier.EXISTS
    )


def _values(program: Program, state: FinalState) -> dict[Term, int]:
    assert program.condition is not None
    observed = program.condition.observed
    return {item.term: int(value) for item, (_, value) in zip(observed, state, strict=True)}


def _is_true(formula: Formula, values: dict[Term, int]) -> bool:
    """The formula's truth, for the equations that random programs ask about."""
    match formula:
        case Compare(term=term, op=Comparison.EQ, value=int(value)):
            return values[term] == value
        case And(parts=parts):
            return all(_is_true(part, values) for part in parts)
        case Or(parts=parts):
            return any(_is_true(part, values) for part in parts)
        case Not(part=part):
            return not _is_true(part, values)
        case Implies(left=left, right=right):
            return not _is_true(left, values) or _is_true(right, values)
        case Compare():
            raise ValueError(f"not asked by random programs: {formula}")
