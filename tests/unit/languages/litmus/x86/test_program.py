"""ArrayColumn x86 tests: memory, registers, question."""

from __future__ import annotations

import pytest

from membar.languages.litmus import FRONTEND
from membar.program.condition import FinalCell, FinalRegister, Quantifier
from membar.program.expr import Address
from membar.program.program import MemoryObject
from unit.languages.litmus.x86.machine import program_of

SB = """X86 SB
{ x=0; P1:EAX=3; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""


def test_store_buffering() -> None:
    program = program_of(SB)
    assert (program.name, program.language) == ("SB", "X86")
    assert program.objects == (MemoryObject(name="x", initial=(0,)), MemoryObject(name="y"))
    assert [thread.name for thread in program.threads] == ["P0", "P1"]
    assert program.threads[1].registers == (("EAX", 3),)
    assert program.condition is not None
    assert program.condition.quantifier is Quantifier.EXISTS
    assert [item.label for item in program.condition.observed] == ["0:EAX", "1:EAX"]


def observed(dialect: str, state: str, body: str, question: str) -> dict[str, object]:
    program = program_of(f"{dialect} t\n{{{state}}}\nP0 ;\n{body} ;\n{question}")
    assert program.condition is not None
    return {item.label: item.term for item in program.condition.observed}


def test_registers_are_shown_in_the_order_of_the_processor() -> None:
    names = "locations [0:EBP; 0:EDI; 0:ESI; 0:EDX; 0:eax; x; 0:ECX;]"
    assert list(observed("X86", "", "MOV [x],1", names)) == [
        "0:EAX", "0:ECX", "0:EDX", "0:ESI", "0:EDI", "0:EBP", "x",
    ]  # fmt: skip


def test_registers_without_type_are_ints_and_names_are_canonical() -> None:
    shown = observed("X86_64", "int64_t 0:rcx;", "NOP", "forall (0:RAX=0 /\\ 0:rcx=0 /\\ 0:cs=0 /\\ 0:bl=0)")
    assert shown == {
        "0:rax": FinalRegister(0, "rax", 32, True),
        "0:bl": FinalRegister(0, "rbx", 8, False),
        "0:rcx": FinalRegister(0, "rcx", 64, True),
        "0:cs": FinalRegister(0, "cs", 16, False),
    }


def test_locations_have_their_declared_types() -> None:
    shown = observed("X86_64", "uint64_t x; int8_t b;", "MOVQ %rax,(x)", "forall ([x]=0 /\\ b=0)")
    assert shown == {"b": FinalCell("b", 0, 8, True), "x": FinalCell("x", 0, 64, False)}


@pytest.mark.parametrize(("dialect", "code", "size"), [("X86", "NOP", 4), ("X86_64", "movq (p),%rax", 8)])
def test_a_location_that_starts_with_an_address_has_its_width(dialect: str, code: str, size: int) -> None:
    program = program_of(f"{dialect} t\n{{ p=v[1]; int v[2]; }}\nP0 ;\n{code} ;\nexists (p=v[1])")
    pointer = program.objects[0]
    assert (pointer.name, pointer.size, pointer.initial) == ("p", size, (Address("v", 4),))


def test_a_declared_location_wins_over_a_register() -> None:
    program = program_of("X86 t\n{ di=1; }\nP0 ;\nMOV EAX,[di] ;\nexists (di=1)")
    assert [item.name for item in program.objects] == ["di"]


def test_a_test_without_question_asks_nothing_in_particular() -> None:
    program = program_of("X86 t\n{ }\nP0 ;\nMOV [x],1 ;\n")
    assert program.condition is not None
    assert program.condition.quantifier is Quantifier.FORALL


def test_frontend_record() -> None:
    assert FRONTEND.default_models["X86"] == FRONTEND.default_models["X86_64"] == "x86-tso"
    assert {"X", "MFENCE", "LFENCE", "SFENCE"} <= FRONTEND.dialects["X86"].keys()
