"""Plans over executions: the answer, the stages, the explanation."""

from __future__ import annotations

from membar.models.evaluate import Evaluator, failures, flags, relation, undefined_checks
from membar.models.plan import Check, CheckKind, CheckMode, Instruction, Op, Plan, Sort, Stage
from unit.models.executions import STORE_BUFFERING, execution

REL = Sort.RELATION


def sc_plan() -> Plan:
    instructions = (
        Instruction(op=Op.PRIMITIVE, sort=REL, name="po"),
        Instruction(op=Op.PRIMITIVE, sort=REL, name="rf", stage=Stage.READS),
        Instruction(op=Op.PRIMITIVE, sort=REL, name="co", stage=Stage.COHERENCE),
        Instruction(op=Op.INVERSE, sort=REL, args=(1,), stage=Stage.READS),
        Instruction(op=Op.SEQUENCE, sort=REL, args=(3, 2), stage=Stage.COHERENCE),
        Instruction(op=Op.UNION, sort=REL, args=(0, 1), stage=Stage.READS),
        Instruction(op=Op.UNION, sort=REL, args=(2, 4), stage=Stage.COHERENCE),
        Instruction(op=Op.UNION, sort=REL, args=(5, 6), stage=Stage.COHERENCE),
    )
    return Plan(
        instructions=instructions,
        fixpoints=(),
        checks=(
            Check(kind=CheckKind.ACYCLIC, slot=5, name="causality", stage=Stage.READS),
            Check(kind=CheckKind.ACYCLIC, slot=7, name="sc"),
            Check(kind=CheckKind.EMPTY, slot=4, name="overwritten", negated=True, mode=CheckMode.FLAG),
            Check(kind=CheckKind.EMPTY, slot=1, name="reads", mode=CheckMode.UNDEFINED_UNLESS),
        ),
        names=(("fr", 4), ("com", 6)),
    )


def test_store_buffering_breaks_sc_with_a_named_cycle() -> None:
    (failure,) = failures(sc_plan(), STORE_BUFFERING)
    assert failure.check.name == "sc"
    assert failure.is_cycle
    assert [(e.source, e.target, e.label) for e in failure.edges] == [
        (2, 3, "po"),
        (3, 4, "fr"),
        (4, 5, "po"),
        (5, 2, "fr"),
    ]


def test_a_flag_is_raised_when_its_test_succeeds() -> None:
    assert flags(sc_plan(), STORE_BUFFERING) == {"overwritten"}


def test_undefined_unless_is_reported_when_its_test_fails() -> None:
    assert undefined_checks(sc_plan(), STORE_BUFFERING) == {"reads"}


def test_relations_are_found_by_name() -> None:
    assert relation(sc_plan(), STORE_BUFFERING, "fr") == {(3, 4), (5, 2)}
    assert relation(sc_plan(), STORE_BUFFERING, "co") == {(0, 2), (1, 4)}


def test_stages_refute_as_early_as_they_can() -> None:
    skeleton = execution(2, [["R0", "W1"], ["R1", "W0"]])
    static = Evaluator(sc_plan()).begin(skeleton)
    assert static.failed is None
    reads = static.with_reads(((5, 2), (3, 4)))
    assert reads.failed is not None
    assert reads.failed.name == "causality"
    harmless = static.with_reads(((0, 2), (1, 4)))
    assert harmless.failed is None
    assert harmless.with_coherence(((0, 5), (1, 3))).failed is None
