"""ArrayColumn Power tests: memory, registers, question, dependencies."""

from __future__ import annotations

from membar.languages.litmus import FRONTEND
from membar.program.condition import Quantifier
from membar.program.dependencies import DependencyKind, may_depend
from membar.program.expr import Address
from membar.program.program import MemoryObject
from unit.languages.litmus.assembly.single import code, program_of

MP = """PPC MP
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | lwz r1,0(r2) ;
 stw r1,0(r2) | lwz r3,0(r4) ;
 lwsync       |              ;
 stw r1,0(r4) |              ;
~exists (1:r1=1 /\\ 1:r3=0)
"""


def test_message_passing() -> None:
    program = program_of(MP)
    assert (program.name, program.language) == ("MP", "PPC")
    assert program.objects == (MemoryObject(name="x"), MemoryObject(name="y"))
    assert program.threads[1].registers == (("r2", Address("y")), ("r4", Address("x")))
    assert program.condition is not None
    assert program.condition.quantifier is Quantifier.NOT_EXISTS
    assert [item.label for item in program.condition.observed] == ["1:r1", "1:r3"]


def kinds(*instructions: str) -> set[DependencyKind]:
    (thread,) = code("PPC", *instructions, state="0:r2=x; 0:r4=y").threads
    return {dependency.kind for dependency in may_depend(thread)}


def test_comparisons_and_branches_are_control_dependencies() -> None:
    branch = ("cmpw r1,r1", "beq L", "L: stw r5,0(r4)")
    assert kinds("lwz r1,0(r2)", *branch) == {DependencyKind.CONTROL}
    assert kinds("lwz r1,0(r2)", "cmpwi cr5,r1,1", "beq L", "L: stw r5,0(r4)") == set()


def test_a_false_dependency_is_one_all_the_same() -> None:
    assert kinds("lwz r1,0(r2)", "xor r3,r1,r1", "lwzx r5,r3,r4") == {DependencyKind.ADDRESS}
    assert kinds("lwz r1,0(r2)", "xor r3,r1,r1", "stw r3,0(r4)") == {DependencyKind.DATA}


def test_r0_as_the_number_0_carries_no_dependency() -> None:
    assert kinds("lwz r0,0(r2)", "addi r3,r0,1", "stw r3,0(r4)") == set()
    assert kinds("lwz r0,0(r2)", "lwzx r3,r0,r4") == set()


def test_frontend_record() -> None:
    assert FRONTEND.default_models["PPC"] == "power"
    assert {"SYNC", "LWSYNC", "EIEIO", "ISYNC", "EX"} <= FRONTEND.dialects["PPC"].keys()
