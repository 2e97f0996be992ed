"""The shape of the program: tags, dependencies, edges, sizes, names in the question."""

from __future__ import annotations

import pytest

from membar.languages.litmus.dialects.aarch64 import DIALECT
from membar.languages.litmus.dialects.aarch64.machine import MACHINE
from membar.languages.litmus.dialects.aarch64.tags import TAGS
from membar.program.atomicity import require_single_accesses
from membar.program.condition import FinalCell, FinalRegister, Quantifier
from membar.program.dependencies import DependencyKind, may_depend
from membar.program.expr import Address
from membar.program.operations import Fence, Load, Rmw, Store, StoreConditional
from membar.program.program import Program
from unit.languages.litmus.aarch64.machine import code, program_of

STATE = "0:X1=x; 0:X2=y"
WIDE = "int64_t x[2]; 0:X1=x"


def tags_of(instruction: str, state: str = STATE) -> list[set[str]]:
    """The tags of each event of one instruction."""
    found: list[set[str]] = []
    for edge in code(instruction, state=state).threads[0].edges:
        for operation in edge.operations:
            match operation:
                case Load(tags=tags) | Store(tags=tags) | StoreConditional(tags=tags) | Fence(tags=tags):
                    found.append(set(tags))
                case Rmw(read_tags=read, write_tags=write, failed_tags=failed):
                    found += [set(read), set(write)]
                    found += [] if failed is None else [set(failed)]
                case _:
                    pass
    return found


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("LDR W0,[X1]", [set()]),
        ("STR W0,[X1]", [set()]),
        ("LDAR W0,[X1]", [{"A"}]),
        ("LDAPR W0,[X1]", [{"Q"}]),
        ("STLR W0,[X1]", [{"L"}]),
        ("LDXR W0,[X1]", [{"EX"}]),
        ("LDAXR W0,[X1]", [{"EX", "A"}]),
        ("STXR W3,W0,[X1]", [{"EX"}]),
        ("STLXR W3,W0,[X1]", [{"EX", "L"}]),
        ("SWP W0,W3,[X1]", [{"X"}, {"X"}]),
        ("SWPA W0,W3,[X1]", [{"X", "A"}, {"X"}]),
        ("SWPA W0,WZR,[X1]", [{"X", "NoRet"}, {"X"}]),
        ("LDADDAL W0,W3,[X1]", [{"X", "A"}, {"X", "L", "FetchOp"}]),
        ("LDADDAL W0,WZR,[X1]", [{"X", "NoRet"}, {"X", "L", "FetchOp"}]),
        ("STADDL W0,[X1]", [{"X", "NoRet"}, {"X", "L", "FetchOp"}]),
        ("CASAL W0,W3,[X1]", [{"X", "A"}, {"X", "L", "Compared"}, {"A"}]),
        ("CASL W0,W3,[X1]", [{"X"}, {"X", "L", "Compared"}, set()]),
        ("DMB SY", [{"DMB.SY"}]),
        ("DMB ISHLD", [{"DMB.ISHLD"}]),
        ("DSB ST", [{"DSB.ST"}]),
        ("ISB", [{"ISB"}]),
    ],
)
def test_tags(instruction: str, expected: list[set[str]]) -> None:
    assert tags_of(instruction) == expected


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("LDP X3,X4,[X1]", [set(), set()]),
        ("LDAP X3,X4,[X1]", [{"A"}, {"A"}]),
        ("LDIAPP X3,X4,[X1]", [{"Q"}, {"Q"}]),
        ("STLP X3,X4,[X1]", [{"L"}, {"L"}]),
        ("LDAXP X3,X4,[X1]", [{"EX", "A"}, {"EX", "A"}]),
        ("CASPA X4,X5,X6,X7,[X1]", [{"X", "A"}, {"X", "Compared"}, {"X", "A"}] * 2),
    ],
)
def test_tags_of_pairs(instruction: str, expected: list[set[str]]) -> None:
    assert tags_of(instruction, WIDE) == expected


def test_every_tag_in_use_has_a_meaning() -> None:
    assert all(TAGS[tag].endswith(".") for tag in TAGS)
    used = {
        tag for mnemonic in ("LDAR", "LDAPR", "STLR", "LDXR") for tag in tags_of(f"{mnemonic} W0,[X1]")[0]
    }
    assert used <= set(TAGS)
    assert DIALECT.tags is TAGS


@pytest.mark.parametrize("mnemonic", ["LDP", "LDNP", "LDAP", "LDAPP", "LDXP", "STP", "STNP", "STLP"])
def test_a_pair_is_one_step_without_order(mnemonic: str) -> None:
    (edge,) = code(f"{mnemonic} X3,X4,[X1]", state=WIDE).threads[0].edges
    assert edge.unordered


@pytest.mark.parametrize("mnemonic", ["LDIAPP", "STILP"])
def test_an_ordered_pair_is_two_steps(mnemonic: str) -> None:
    thread = code(f"{mnemonic} X3,X4,[X1]", "NOP", f"{mnemonic} X3,X4,[X1]", state=WIDE).threads[0]
    assert [(edge.source, edge.target) for edge in thread.edges] == [(0, 4), (4, 1), (1, 2), (2, 5), (5, 3)]
    assert not any(edge.unordered for edge in thread.edges)
    require_single_accesses(code(f"{mnemonic} X3,X4,[X1]", state=WIDE))


def test_ordered_push_stores_the_second_register_first() -> None:
    edges = code("STILP X3,X4,[X1,#-16]!", state="int64_t x[4]; 0:X1=x[2]; 0:X3=3; 0:X4=4").threads[0].edges
    stores = [operation for edge in edges for operation in edge.operations if isinstance(operation, Store)]
    assert [str(store.value) for store in stores] == ["Register(name='X4')", "Register(name='X3')"]


def dependencies(*instructions: str) -> set[tuple[int, int, str]]:
    """Index of instruction on which, index of the one that depends, and how."""
    program = code(*instructions, state="0:X1=x; 0:X3=y; 0:X5=z")
    thread = program.threads[0]
    return {
        (thread.edges[d.source.edge].source, thread.edges[d.target.edge].source, d.kind.value)
        for d in may_depend(thread)
    }


@pytest.mark.parametrize(
    ("middle", "last", "expected"),
    [
        ("EOR W2,W0,W0", "LDR W4,[X3,W2,SXTW]", DependencyKind.ADDRESS),
        ("EOR W2,W0,W0", "STR W2,[X3]", DependencyKind.DATA),
        ("ADD W2,W0,#1", "SWP W2,W6,[X3]", DependencyKind.DATA),
        ("CBNZ W0,end", "STR W4,[X3]", DependencyKind.CONTROL),
        ("CMP W0,#1", "CAS W0,W4,[X3]", DependencyKind.CONTROL),
    ],
)
def test_dependencies_come_from_registers(middle: str, last: str, expected: DependencyKind) -> None:
    found = dependencies("LDR W0,[X1]", middle, last, "end:")
    assert (0, 2, expected.value) in found


def test_flags_carry_dependencies() -> None:
    found = dependencies("LDR W0,[X1]", "CMP W0,#1", "B.NE end", "STR W4,[X3]", "end:")
    assert (0, 3, "ctrl") in found


def test_result_of_an_atomic_depends_on_its_read_only() -> None:
    found = dependencies("LDR W0,[X1]", "SWP W0,W4,[X3]", "STR W4,[X5]")
    assert (1, 2, "data") in found
    assert (0, 2, "data") not in found


def test_write_back_does_not_depend_on_the_loaded_value() -> None:
    program = code("LDR W0,[X1],#4", "LDR W2,[X1]", state="int x[2]; 0:X1=x")
    assert not may_depend(program.threads[0])


def size_of(program: Program, name: str) -> int:
    return next(item.size for item in program.objects if item.name == name)


@pytest.mark.parametrize(
    ("instructions", "state", "name", "size"),
    [
        (("LDR W0,[X1]",), "0:X1=x", "x", 4),
        (("LDR X0,[X1]",), "0:X1=x", "x", 8),
        (("STRB W0,[X1]",), "0:X1=x", "x", 1),
        (("NOP",), "x=1", "x", 4),
        (("NOP",), "x=y", "x", 8),
        (("LDR X2,[X1]", "STRH W0,[X2]"), "x=y; 0:X1=x", "y", 2),
        (("LDR X2,[X1]", "EOR X3,X2,X2", "STR W0,[X4,X3]"), "int *x=z; int z; 0:X1=x; 0:X4=y", "y", 4),
        (("LDR W0,[X1]",), "0:X1=x; int8_t y", "y", 1),
    ],
)
def test_sizes_come_from_types_or_accesses(
    instructions: tuple[str, ...], state: str, name: str, size: int
) -> None:
    assert size_of(code(*instructions, state=state), name) == size


QUESTION = """AArch64 names
{ int64_t 0:X1=5; uint8_t 0:X2; int16_t v[2]={1,-1}; 0:X3=v; y=v; }
 P0           ;
 LDRH W4,[X3] ;
~exists (0:X0=-1 /\\ 0:x1=5 /\\ 0:X2=3 /\\ v[1]=-1 /\\ 0:X3=v /\\ y=v)
"""


def test_question_uses_declared_types() -> None:
    program = program_of(QUESTION)
    question = program.condition
    assert question is not None
    assert question.quantifier is Quantifier.NOT_EXISTS
    assert [(item.label, item.term) for item in question.observed] == [
        ("0:X0", FinalRegister(0, "X0", 32, signed=True)),
        ("0:X1", FinalRegister(0, "X1", 64, signed=True)),
        ("0:X2", FinalRegister(0, "X2", 8, signed=False)),
        ("0:X3", FinalRegister(0, "X3", 32, signed=True)),
        ("y", FinalCell("y", 0, 64, signed=True)),
        ("v[1]", FinalCell("v", 1, 16, signed=True)),
    ]
    assert program.objects[1].initial == (Address("v"),)


def test_symbolic_registers_belong_to_each_thread() -> None:
    text = "AArch64 s\n{ uint64_t %p = x; uint64_t x }\nP0 | P1 ;\nMOV X0,%p | NOP ;\nexists (0:X0=x)\n"
    program = program_of(text)
    assert [dict(thread.registers) for thread in program.threads] == [{"%p": Address("x")}] * 2


def test_link_register_names_a_label() -> None:
    program = code("BL L0", "L0:")
    assert [item.name for item in program.objects] == ['label:"P0:L0"']


def test_instruction_table_is_complete() -> None:
    needed = (
        "CASALH SWPLB LDSMAXALH STUMINLB LDAPURSW STLURH LDXRB STLXRH CSNEG CCMN SMNEGL UMADDL TBNZ B.LS "
        "LDAPP LDPSW STNP CASPL EON BICS NEGS"
    )
    assert set(needed.split()) <= set(MACHINE.instructions)
