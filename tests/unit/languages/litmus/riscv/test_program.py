"""ArrayColumn RISC-V tests: memory, registers, question."""

from __future__ import annotations

from membar.languages.litmus import FRONTEND
from membar.program.condition import FinalCell, FinalRegister, Quantifier
from membar.program.expr import Address
from membar.program.program import MemoryObject
from unit.languages.litmus.assembly.single import program_of

MP = """RISCV MP
"documentation"
{ 0:x6=x; 0:x8=y; int64_t 1:a0=y; 1:s0=x; }
 P0          | P1          ;
 ori x5,x0,1 | lw a1,0(a0) ;
 sw x5,0(x6) | lw a2,0(s0) ;
 sw x5,0(x8) |             ;
exists (1:a1=1 /\\ 1:a2=0)
"""


def test_message_passing() -> None:
    program = program_of(MP)
    assert (program.name, program.language) == ("MP", "RISCV")
    assert program.objects == (MemoryObject(name="x"), MemoryObject(name="y"))
    assert [thread.name for thread in program.threads] == ["P0", "P1"]
    assert program.threads[1].registers == (("x10", Address("y")), ("x8", Address("x")))
    assert program.condition is not None
    assert program.condition.quantifier is Quantifier.EXISTS
    assert [item.label for item in program.condition.observed] == ["1:x11", "1:x12"]


def test_sizes_come_from_the_accesses() -> None:
    body = "P0 ;\n sd x5,0(x6) ;\n lh x5,0(x7) ;\n ld x8,0(x9) ;\n sw x5,0(x8) ;\nforall (true)"
    program = program_of(f"RISCV t\n{{ 0:x6=x; 0:x7=y; p=z; 0:x9=p; int u; }}\n{body}")
    assert {item.name: item.size for item in program.objects} == {"p": 8, "u": 4, "x": 8, "y": 2, "z": 4}


def test_registers_and_locations_have_their_types() -> None:
    state = "uint64_t 0:x5; int8_t b; uint64_t y; uint64_t *p=&y;"
    text = f"RISCV t\n{{ {state} }}\nP0 ;\nnop ;\nforall (0:x5=0 /\\ 0:t1=0 /\\ b=0 /\\ p=y)"
    condition = program_of(text).condition
    assert condition is not None
    assert {item.label: item.term for item in condition.observed} == {
        "0:x5": FinalRegister(0, "x5", 64, signed=False),
        "0:x6": FinalRegister(0, "x6", 32, signed=True),
        "b": FinalCell("b", 0, 8, signed=True),
        "p": FinalCell("p", 0, 64, signed=False),
    }


def test_symbolic_registers_belong_to_each_thread() -> None:
    program = program_of(
        "RISCV t\n{ uint64_t %p=x; }\nP0 | P1 ;\nsw x5,0(%p) | lw x5,0(%p) ;\nexists (1:x5=0)"
    )
    assert [thread.registers for thread in program.threads] == [(("%p", Address("x")),)] * 2


def test_frontend_record() -> None:
    assert FRONTEND.default_models["RISCV"] == "riscv"
    assert {"Acq", "Rel", "AcqRel", "EX", "X", "Fence.tso", "Fence.r.rw"} <= FRONTEND.dialects["RISCV"].keys()
