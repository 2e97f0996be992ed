"""Why a model forbids an outcome: the nearest candidate execution that shows it, and the axioms it breaks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from membar.diagnostics import EngineLimitError
from membar.engines.reference.budget import Budget, LimitHitError
from membar.engines.reference.candidates import combinations, consistent, skeleton
from membar.engines.reference.trace import Status
from membar.engines.reference.values import all_traces
from membar.models import evaluate
from membar.models.evaluate import Evaluator
from membar.models.explain import Failure
from membar.models.plan import Plan
from membar.program.condition import FinalCondition, Not, Quantifier
from membar.program.execution import Execution
from membar.program.expand import expand
from membar.program.program import Program
from membar.properties.final_state import Observer
from membar.questions.answer import Answer
from membar.questions.task import Limits
from membar.records import record, replace
from membar.reports import explain as report

MOST_CANDIDATES = 50_000
SECONDS = 20.0
LOOPS = 2
_ANYTHING_GOES = Plan(instructions=(), fixpoints=(), checks=())


@record(frozen=True, slots=True)
class Explanation:
    """A forbidden execution that would show the outcome, with the axioms it breaks."""

    execution: Execution
    failures: tuple[Failure, ...]


def render(result: Answer, *, columns: int = 80, color: bool = False) -> str:
    """The explanation as text, for the outcome that the program's condition asks about."""
    program, plan = result.subject, result.model.plan
    if not isinstance(program, Program) or program.condition is None or plan is None:
        return "explain: there is no final condition, or the model has no axioms\n"
    try:
        allowed, found = nearest_forbidden(program, program.condition, plan)
    except (EngineLimitError, LimitHitError) as limit:
        return f"explain: not explained, because {limit}\n"
    if allowed:
        shown = "; the witness shows it" if result.judging is result.model else ""
        return f"explain: {result.model.name} allows the outcome{shown}\n"
    if found is None:
        return "explain: no execution has this outcome under any model: the values alone exclude it\n"
    text = report.render(program, found.execution, found.failures, columns=columns, color=color)
    return f"\nwhy {result.model.name} forbids it (of all candidate executions, the closest one):\n{text}"


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


def _candidates(program: Program, condition: FinalCondition) -> Iterator[Execution]:
    """Every execution, allowed or not, that ends as the condition asks."""
    formula = condition.formula
    wanted = Not(formula) if condition.quantifier is Quantifier.FORALL else formula
    plain = replace(expand(program), condition=replace(condition, formula=wanted))
    observer, evaluator = Observer(plain), Evaluator(_ANYTHING_GOES)
    budget = Budget(Limits(seconds=SECONDS))
    threads = all_traces(plain, bound=LOOPS, budget=budget)
    for chosen in combinations(plain, threads, budget):
        if any(trace.status not in (Status.COMPLETE, Status.UNBORN) for trace in chosen):
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
