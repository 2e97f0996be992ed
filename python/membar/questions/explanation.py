"""Why a model forbids an outcome: the nearest candidate execution that shows it, and the axioms it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError, refusal
from membar.engines.reference.candidates import combinations, consistent, skeleton
from membar.engines.reference.exploration_budget import Budget, LimitHitError
from membar.engines.reference.trace import Status
from membar.engines.reference.values import all_traces
from membar.languages.registry import load_model
from membar.limits.budget import current
from membar.models import evaluate
from membar.models.evaluate import Evaluator
from membar.models.explain import Failure
from membar.models.model import Model
from membar.models.plan import Plan
from membar.program.condition import (
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    Formula,
    Not,
    Quantifier,
    Term,
)
from membar.program.execution import Execution
from membar.program.expand import expand
from membar.program.expr import Address
from membar.program.operations import WARNINGS, Assert, Operation
from membar.program.program import Edge, Program
from membar.properties.assertions import NAME as ASSERTIONS
from membar.properties.final_state import Observer, observed_terms
from membar.questions.answer import Answer
from membar.questions.default_engines import default_engine
from membar.questions.engine_answer import answer, default_model, load_engine
from membar.questions.outcome import Holds, HoldsWithin, Unknown, Violated, Witness
from membar.questions.programs import for_model, options_for, parse
from membar.questions.safety import Safety
from membar.questions.task import Limits, Task
from membar.records import record, replace
from membar.reports import explain as report
from membar.reports._parts.condition import formula_text
from membar.source import SourceFile, pattern

if TYPE_CHECKING:
    from membar.reports.answer_keys import ExplanationPart
    from membar.reports.pictures import Forbidden

MOST_CANDIDATES = 50_000
SECONDS = 20.0
LOOPS = 2
_NUMBER = pattern(r"-?(?:0|[1-9]\d{0,99}|0x[0-9a-fA-F]{1,99})")
_ANYTHING_GOES = Plan(instructions=(), fixpoints=(), checks=())


@record(frozen=True, slots=True)
class Explanation:
    """A forbidden execution that would show the outcome, with the axioms it breaks."""

    execution: Execution
    failures: tuple[Failure, ...]


@record(frozen=True, slots=True, kw_only=True)
class OutcomeAnswer:
    """Whether a model allows an outcome.

    Attributes:
        source: the text, as it was read.
        program: what it means under the model.
        model: the model.
        outcome: the outcome, in words.
        is_allowed: whether some execution has it; None: not known.
        witness: an execution that has it, if one does.
        forbidden: otherwise the candidate that comes nearest, with the axioms it breaks.
        reason: why there is no answer, or nothing to show.
    """

    source: SourceFile
    program: Program
    model: Model
    outcome: str
    is_allowed: bool | None = None
    witness: Witness | None = None
    forbidden: Explanation | None = None
    reason: str = ""

    def render(self, *, columns: int = 80, color: bool = False) -> str:
        """The explanation as text."""
        name = self.model.name
        if self.is_allowed:
            return f"explain: {name} allows {self.outcome}\n"
        if self.forbidden is None:
            known = "not explained" if self.is_allowed is None else f"{name} does not allow {self.outcome}"
            return f"explain: {known}: {self.reason}\n"
        execution, failures = self.forbidden.execution, self.forbidden.failures
        text = report.render(self.program, execution, failures, columns=columns, color=color)
        return f"\nwhy {name} forbids {self.outcome} (of all candidate executions, the closest one):\n{text}"

    def as_picture(self) -> Forbidden | None:
        """The forbidden execution, for drawing."""
        if self.forbidden is None:
            return None
        from membar.reports.pictures import Forbidden  # noqa: PLC0415 - only where asked for

        return Forbidden(self.program, self.forbidden.execution, self.forbidden.failures)

    def as_data(self) -> ExplanationPart:
        """The explanation for JSON."""
        forbidden = None if self.forbidden is None else (self.forbidden.execution, self.forbidden.failures)
        return report.explanation_part(
            self.source,
            self.program,
            self.model,
            self.outcome,
            witness=self.witness,
            forbidden=forbidden,
            is_allowed=self.is_allowed,
            reason=self.reason,
        )


def explain(result: Answer, outcome: Mapping[str, int | str] | None = None) -> OutcomeAnswer | None:
    """Why a model forbids some final values, by default those that the program's condition asks about.

    None if there is no such outcome, or the question is not one about a program.

    Raises:
        InputError: no final state shows such a name.
    """
    program, question = result.subject, result.question
    if outcome is not None:
        return explain_outcome(question, outcome) if isinstance(question, Safety) else None
    if not isinstance(program, Program) or program.condition is None:
        return None
    asked = _outcome_text(program, program.condition)
    told = OutcomeAnswer(source=result.source, program=program, model=result.model, outcome=asked)
    return _with_explanation(told)


def explain_outcome(question: Safety, outcome: Mapping[str, int | str]) -> OutcomeAnswer:
    """Whether the program of a question can end with some values, by the names of final states, and why.

    Without values: whether it can end as its own condition asks, of `forall` whether that can be violated.

    Raises:
        InputError: the text or the model is wrong, or no final state shows such a name.
        OSError: a file cannot be read.
    """
    text, program, model = _read(question)
    condition = _condition_for(program, outcome)
    asked = replace(program, condition=condition)
    shown = _outcome_text(asked, condition)
    options = options_for(replace(question.options, stops_early=True), asked, model, None)
    task = Task(
        program=asked, model=model, properties=("condition",), limits=question.limits, options=options
    )
    found = answer(task, load_engine(default_engine(asked, model, options)))
    told = OutcomeAnswer(source=text, program=asked, model=model, outcome=shown, is_allowed=None)
    match found:
        case Holds(witness=witness) if witness is not None:
            return replace(told, is_allowed=True, witness=witness)
        case Violated():
            return _with_explanation(replace(told, is_allowed=False))
        case HoldsWithin(bound=reason) | Unknown(reason=reason):
            return replace(told, reason=reason)
        case _:
            return replace(told, reason="the search was not complete")


def _read(question: Safety) -> tuple[SourceFile, Program, Model]:
    text = question.source_with(defines=question.defines)
    named = question.model
    if named is None:
        named = default_model(parse(text))
    model = load_model(named, include_dirs=question.include_dirs)
    text = text.compiled_for(question.mapping or model.claims.mapping)
    return text, _without_assertions(for_model(parse(text), model, mapping=question.mapping)), model


def _without_assertions(program: Program) -> Program:
    """The program without the user's assertions: they end executions, including those in question."""

    def edge_of(edge: Edge) -> Edge:
        kept = [item for item in edge.operations if not _is_users_assertion(item)]
        return edge if len(kept) == len(edge.operations) else replace(edge, operations=tuple(kept))

    threads = tuple(replace(thread, edges=tuple(map(edge_of, thread.edges))) for thread in program.threads)
    return program if threads == program.threads else replace(program, threads=threads)


def _is_users_assertion(operation: Operation) -> bool:
    return isinstance(operation, Assert) and (
        operation.property == ASSERTIONS or operation.property in WARNINGS
    )


def _condition_for(program: Program, outcome: Mapping[str, int | str]) -> FinalCondition:
    """The condition that some execution has these final values."""
    observed = observed_terms(program)
    terms = {_bare(item.label): item.term for item in observed}
    parts = []
    for name, value in outcome.items():
        term = terms.get(_bare(name))
        if term is None:
            help_ = f"final states show {', '.join(terms) or 'nothing'}"
            raise refusal("W0447", f"no final state shows `{name}`", help=help_)
        parts.append(Compare(term, Comparison.EQ, _value(program, term, value)))
    if not parts and program.condition is not None:
        formula = program.condition.formula
        is_counterexample = program.condition.quantifier is Quantifier.FORALL
        return replace(
            program.condition,
            quantifier=Quantifier.EXISTS,
            formula=Not(formula) if is_counterexample else formula,
            observed=observed,
        )
    if not parts:
        raise refusal("W0447", "an outcome names at least one value", help="such as `x=0`")
    return FinalCondition(quantifier=Quantifier.EXISTS, formula=And(tuple(parts)), observed=observed)


def _bare(label: str) -> str:
    """`x` for `[x]`; `last[1]` stays as it is."""
    return label[1:-1] if label.startswith("[") and label.endswith("]") else label


def _value(program: Program, term: Term, value: int | str) -> int | Address:
    """A number, the value of a word, or the address of a name."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value, 0)
    if isinstance(value, int):
        if not -(1 << (term.width - 1)) <= value < 1 << term.width:
            raise refusal("W0447", f"the number {value} does not fit into {term.width} bits")
        return value
    meanings = program.object(term.name).meanings if isinstance(term, FinalCell) else ()
    meant = next((first for first, _, word in meanings if word == value), None)
    if meant is not None:
        return meant
    for word, cell in program.cell_at.items():
        if value in (program.name_of_address(word), cell.name):
            return Address(cell.object.name, word - program.bases[cell.object.name])
    raise refusal("W0447", f"`{value}` is neither a number nor the address of a location")


def _with_explanation(told: OutcomeAnswer) -> OutcomeAnswer:
    """The outcome with the cycle that forbids it, if one is found in time.

    Whether it is allowed is known already, or follows.
    """
    if told.model.plan is None or told.program.condition is None:
        return replace(told, reason=f"{told.model.name} has no axioms")
    try:
        allowed, found = nearest_forbidden(told.program, told.program.condition, told.model.plan)
    except (EngineLimitError, LimitHitError) as limit:
        return replace(told, reason=f"the cycle was not found: {limit}; --limit time=5m searches for longer")
    if allowed and told.is_allowed is False:
        return replace(told, reason="the cycle was not found: it takes more iterations of a loop")
    if allowed:
        return replace(told, is_allowed=True)
    if found is None:
        reason = "no execution has this outcome under any model: the program cannot compute these values"
        return replace(told, is_allowed=False, reason=reason)
    return replace(told, is_allowed=False, forbidden=found)


def nearest_forbidden(
    program: Program, condition: FinalCondition, plan: Plan
) -> tuple[bool, Explanation | None]:
    """Whether the model allows the outcome, and otherwise the execution that comes nearest to it.

    Nearest is the one that breaks the fewest axioms, by the shortest cycles. None if no candidate has that
    final state: the values alone exclude it.
    """
    best: Explanation | None = None
    for execution in islice(_candidates(program, condition), MOST_CANDIDATES):
        failures = evaluate.failures(plan, execution)
        if not failures:
            return True, None
        found = Explanation(execution, failures)
        if best is None or _distance(found) < _distance(best):
            best = found
    return False, best


def _distance(item: Explanation) -> tuple[int, int]:
    return len(item.failures), sum(len(failure.edges) for failure in item.failures)


def _wanted(condition: FinalCondition) -> Formula:
    """The required final state."""
    is_universal = condition.quantifier is Quantifier.FORALL
    return Not(condition.formula) if is_universal else condition.formula


def _outcome_text(program: Program, condition: FinalCondition) -> str:
    return formula_text(program, _wanted(condition), {item.term: item.label for item in condition.observed})


def _candidates(program: Program, condition: FinalCondition) -> Iterator[Execution]:
    """Every execution, allowed or not, whose final state satisfies the condition."""
    plain = replace(expand(program), condition=replace(condition, formula=_wanted(condition)))
    observer, evaluator = Observer(plain), Evaluator(_ANYTHING_GOES)
    left = current().remaining_seconds
    # What is known besides must still be reported.
    budget = Budget(Limits(seconds=SECONDS if left is None else 0.8 * left))
    threads = all_traces(plain, bound=LOOPS, budget=budget)
    for chosen in combinations(plain, threads, budget):
        if any(trace.status not in (Status.COMPLETE, Status.NOT_STARTED) for trace in chosen):
            continue
        for candidate in consistent(evaluator, skeleton(plain, chosen), budget):
            budget.step()
            execution = candidate.execution
            memory = {
                cell: execution.events[order[-1]].value
                for order in execution.co
                if (cell := execution.events[order[-1]].cell) is not None
            }
            ending = observer.ending([dict(registers) for registers in execution.registers], memory)
            if ending.satisfies and ending.passes:
                yield execution
