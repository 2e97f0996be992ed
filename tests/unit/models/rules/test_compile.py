"""What rules mean: compiled, they say what iterating says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiers
from membar.diagnostics import InputError
from membar.models.evaluate import failures, relation
from membar.models.plan import CheckKind, Op, Plan
from membar.models.rules.compile import compile_rules
from membar.models.rules.parser import parse
from membar.program.execution import Execution
from membar.source import SourceFile
from unit.models.compiled import VOCABULARY
from unit.models.executions import execution
from unit.models.naive import identity
from unit.models.randomly import executions
from unit.models.rules.literally import Scope, allows, predefined, value
from unit.models.rules.texts import graphs, plan, sets

MESSAGE_PASSING = execution(2, [["W0", "W1"], ["R1", "R0"]], rf=((3, 4), (0, 5)), co=((0, 2), (1, 3)))


def compiled_or_refused(text: str) -> Plan | None:
    try:
        return compile_rules(SourceFile("test.rules", text), vocabulary=VOCABULARY).plan
    except InputError as problem:
        if {found.code for found in problem.diagnostics} != {"W0656"}:
            raise
        return None


def compare(text: str, execution: Execution) -> bool:
    """Whether `text` could be compiled; asserts that it then means what iterating gives."""
    whole = f"porf = po union rf\nit = {text}\nit empty"
    found = compiled_or_refused(whole)
    if found is None:
        return False
    names = predefined(execution)
    for definition in parse(SourceFile("test.rules", whole)).definitions:
        names[definition.name] = value(definition.body, Scope(execution, names))
    expected = names["it"]
    assert relation(found, execution, "it") == expected.pairs | identity(expected.nodes)
    return True


@settings(max_examples=tiers.size(120), deadline=None)
@given(text=graphs(), execution=executions())
def test_compiled_graphs_are_those_of_iterating(text: str, execution: Execution) -> None:
    compare(text, execution)


@settings(max_examples=tiers.size(60), deadline=None)
@given(text=sets(), execution=executions())
def test_compiled_sets_are_those_of_iterating(text: str, execution: Execution) -> None:
    compare(text, execution)


@settings(max_examples=tiers.size(60), deadline=None)
@given(text=graphs(around=("node",)), over=sets(depth=1), execution=executions())
def test_one_iteration_can_always_be_compiled(text: str, over: str, execution: Execution) -> None:
    single = text if "for_each" not in text else "po(R[node0] --> W)"
    assert compare(f"for_each_node {over} begin {single} end", execution)


@settings(max_examples=tiers.size(60), deadline=None)
@given(
    first=graphs(depth=2),
    second=sets(depth=2),
    kinds=st.tuples(st.sampled_from(["acyclic", "irreflexive", "empty"]), st.just("empty")),
    shape=st.sampled_from(["{} & {}", "{} | {}", "({} | {}) & rf irreflexive", "(({} & {}) | third empty)"]),
    execution=executions(),
)
def test_constraints_are_combined_as_written(
    first: str, second: str, kinds: tuple[str, str], shape: str, execution: Execution
) -> None:
    constraint = shape.format(f"one {kinds[0]}", f"two {kinds[1]}")
    text = f"porf = po union rf\none = {first}\ntwo = {second}\nthird = F[MFENCE]\n{constraint}"
    found = compiled_or_refused(text)
    if found is not None:
        assert (failures(found, execution) == ()) == allows(text, execution)


def test_a_graph_of_neighbours_is_not_its_closure() -> None:
    """Erratum: NEXT is the relation itself and SUCC its transitive closure, not r? and r*."""
    run = execution(1, [["W0", "W0", "W0"]], co=((0, 1, 2, 3),))
    found = plan("next = po(W -> W) succ = po(W --> W) mnext = mo(W -> W) msucc = mo(W --> W) next empty")
    assert relation(found, run, "next") == {(0, 1), (1, 2), (2, 3)}
    assert relation(found, run, "succ") == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert relation(found, run, "mnext") == {(0, 1), (1, 2), (2, 3)}
    assert relation(found, run, "msucc") == relation(found, run, "succ")
    assert not any(a == b for a, b in relation(found, run, "succ"))


def test_closure_is_not_closure_without_neighbours() -> None:
    """Erratum: the appendix gives r+ as SUCC \\ NEXT, which loses every single step."""
    found = plan("lost = po(A --> A) \\ po(A -> A) kept = po(A --> A) lost empty")
    run = execution(1, [["W0", "R0"]], rf=((1, 2),), co=((0, 1),))
    assert relation(found, run, "lost") == {(0, 2)}
    assert relation(found, run, "kept") == {(0, 1), (1, 2), (0, 2)}


def test_initial_writes_come_before_everything() -> None:
    found = plan("before = po(I --> A) before empty")
    assert relation(found, MESSAGE_PASSING, "before") == {(a, b) for a in (0, 1) for b in (2, 3, 4, 5)}


def test_a_disjunction_needs_one_side_only() -> None:
    both = "a = po(W --> W) intersect rf b = mo b2 = po(W --> W)"
    assert failures(plan(f"{both} a empty | b empty"), MESSAGE_PASSING) == ()
    (failed,) = failures(plan(f"{both} b empty | b2 empty"), MESSAGE_PASSING)
    assert failed.check.name == "b or b2"


def test_a_conjunction_is_several_checks_with_their_names() -> None:
    found = plan("a = po union rf b = mo (a acyclic & b irreflexive) & b acyclic")
    assert [(check.name, check.kind) for check in found.checks] == [
        ("a", CheckKind.ACYCLIC),
        ("b", CheckKind.IRREFLEXIVE),
        ("b", CheckKind.ACYCLIC),
    ]


def test_iterations_leave_nothing_behind_in_the_plan() -> None:
    found = plan(
        "fr = for_each_node W begin target(rf(W[node] -> R)) * target(mo(W[node] --> W)) end fr empty"
    )
    assert not found.fixpoints
    assert Op.VARIABLE not in {item.op for item in found.instructions}
    assert relation(found, MESSAGE_PASSING, "fr") == {(5, 2)}


@pytest.mark.parametrize("kind", ["var", "thrd"])
def test_variables_and_threads_are_classes_of_nodes(kind: str) -> None:
    found = plan(f"same = for_each_{kind} begin A[{kind}] * A[{kind}] end same empty")
    expected = {"var": [{0, 2, 5}, {1, 3, 4}], "thrd": [{2, 3}, {4, 5}]}[kind]
    pairs = {(a, b) for members in expected for a in members for b in members}
    assert relation(found, MESSAGE_PASSING, "same") == pairs
