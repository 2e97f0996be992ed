"""What each RISC-V instruction computes."""

from __future__ import annotations

import pytest

from membar.program.expr import MASK
from membar.program.operations import Fence, Load, Rmw, Store, StoreConditional
from unit.languages.litmus.assembly.single import operations, run

ONES = MASK
MINUS_TWO = MASK - 1

# instructions, state, register or location, value
RESULTS = [
    ("li x5,7", "", "x5", 7),
    ("li a0,-1", "", "x10", ONES),
    ("li a0,0x10", "", "x10", 16),
    ("lui x5,1", "", "x5", 0x1000),
    ("lui x5,0x80000", "", "x5", ONES - 0x7FFFFFFF),
    ("mv x5,x6", "0:x6=3", "x5", 3),
    ("not x5,x6", "0:x6=0", "x5", ONES),
    ("neg x5,x6", "0:x6=2", "x5", MINUS_TWO),
    ("negw x5,x6", "0:x6=0x100000002", "x5", MINUS_TWO),
    ("add x5,x6,x7", "0:x6=3; 0:x7=4", "x5", 7),
    ("add x5,x6,4", "0:x6=3", "x5", 7),
    ("sub x5,x6,x7", "0:x6=3; 0:x7=5", "x5", MINUS_TWO),
    ("addi x5,x6,-5", "0:x6=3", "x5", MINUS_TWO),
    ("addw x5,x6,x7", "0:x6=0x7fffffff; 0:x7=1", "x5", MASK - 0x7FFFFFFF),
    ("addiw x5,x6,1", "0:x6=0xfffffffe", "x5", ONES),
    ("subw x5,x0,x6", "0:x6=1", "x5", ONES),
    ("and x5,x6,x7", "0:x6=6; 0:x7=3", "x5", 2),
    ("andi x5,x6,3", "0:x6=6", "x5", 2),
    ("or x5,x6,x7", "0:x6=6; 0:x7=3", "x5", 7),
    ("ori x5,x0,1", "", "x5", 1),
    ("xor x5,x6,x6", "0:x6=9", "x5", 0),
    ("xori x5,x6,-1", "0:x6=0", "x5", ONES),
    ("sll x5,x6,x7", "0:x6=1; 0:x7=65", "x5", 2),
    ("slli x5,x6,32", "0:x6=1", "x5", 1 << 32),
    ("sllw x5,x6,x7", "0:x6=1; 0:x7=31", "x5", MASK - 0x7FFFFFFF),
    ("srl x5,x6,x7", "0:x6=-1; 0:x7=63", "x5", 1),
    ("srli x5,x6,1", "0:x6=4", "x5", 2),
    ("srliw x5,x6,31", "0:x6=-1", "x5", 1),
    ("sra x5,x6,x7", "0:x6=-4; 0:x7=1", "x5", MINUS_TWO),
    ("sraiw x5,x6,1", "0:x6=0xfffffffc", "x5", MINUS_TWO),
    ("slt x5,x6,x7", "0:x6=-1; 0:x7=0", "x5", 1),
    ("sltu x5,x6,x7", "0:x6=-1; 0:x7=0", "x5", 0),
    ("slti x5,x6,0", "0:x6=-1", "x5", 1),
    ("sltiu x5,x6,1", "0:x6=0", "x5", 1),
    ("seqz x5,x6", "", "x5", 1),
    ("snez x5,x6", "0:x6=8", "x5", 1),
    ("sltz x5,x6", "0:x6=-8", "x5", 1),
    ("sgtz x5,x6", "0:x6=-8", "x5", 0),
    ("sext.b x5,x6", "0:x6=255", "x5", ONES),
    ("sext.w x5,x6", "0:x6=0xffffffff", "x5", ONES),
    ("zext.w x5,x6", "0:x6=-1", "x5", 0xFFFFFFFF),
    ("mul x5,x6,x7", "0:x6=6; 0:x7=7", "x5", 42),
    ("mulw x5,x6,x7", "0:x6=0x10000; 0:x7=0x10000", "x5", 0),
    ("div x5,x6,x7", "0:x6=-7; 0:x7=2", "x5", MASK - 2),
    ("div x5,x6,x7", "0:x6=7", "x5", ONES),
    ("divu x5,x6,x7", "0:x6=7; 0:x7=2", "x5", 3),
    ("rem x5,x6,x7", "0:x6=-7; 0:x7=2", "x5", ONES),
    ("rem x5,x6,x7", "0:x6=7", "x5", 7),
    ("remuw x5,x6,x7", "0:x6=0xffffffff; 0:x7=16", "x5", 15),
    ("li x0,7; mv x5,x0", "", "x5", 0),
    ("NOP; pause; li x5,1", "", "x5", 1),
    # Memory
    ("lw x5,0(x6)", "x=-1; 0:x6=x", "x5", ONES),
    ("lwu x5,(x6)", "x=-1; 0:x6=x", "x5", 0xFFFFFFFF),
    ("ld x5,8(x6)", "int64_t v[2]={1,2}; 0:x6=v", "x5", 2),
    ("lb x5,0(x6)", "int8_t x=-1; 0:x6=x", "x5", ONES),
    ("lbu x5,0(x6)", "int8_t x=-1; 0:x6=x", "x5", 255),
    ("lh x5,0(x6)", "int16_t x=-1; 0:x6=x", "x5", ONES),
    ("lhu x5,0(x6)", "int16_t x=-1; 0:x6=x", "x5", 65535),
    ("addi x6,x6,8; lw x5,-8(x6)", "x=3; 0:x6=x", "x5", 3),
    ("sw x5,0(x6)", "0:x5=-1; 0:x6=x", "x", 0xFFFFFFFF),
    ("sd x5,0(x6)", "0:x5=-1; 0:x6=x", "x", ONES),
    ("sb x5,0(x6)", "0:x5=-1; 0:x6=x", "x", 255),
    ("sh x5,0(x6)", "0:x5=-1; 0:x6=x", "x", 65535),
    ("lr.w x5,(x6); addi x5,x5,1; sc.w x7,x5,0(x6)", "x=4; 0:x6=x; 0:x7=9", "x", 5),
    ("lr.w x5,(x6); sc.w x7,x5,(x8)", "0:x6=x; 0:x8=y", "x7", 1),
    ("lr.d.aq x5,(x6); sc.d.rl x7,x6,(x6)", "0:x6=x; 0:x7=9", "x7", 0),
    # Atomics
    ("amoswap.w x5,x7,(x6)", "x=3; 0:x6=x; 0:x7=9", "x", 9),
    ("amoswap.w x5,x7,(x6)", "x=-3; 0:x6=x; 0:x7=9", "x5", MASK - 2),
    ("amoadd.d x5,x7,(x6)", "int64_t x=3; 0:x6=x; 0:x7=9", "x", 12),
    ("amoand.w x5,x7,(x6)", "x=6; 0:x6=x; 0:x7=3", "x", 2),
    ("amoor.w x5,x7,(x6)", "x=6; 0:x6=x; 0:x7=3", "x", 7),
    ("amoxor.w x5,x7,(x6)", "x=6; 0:x6=x; 0:x7=3", "x", 5),
    ("amomax.w x5,x7,(x6)", "x=-6; 0:x6=x; 0:x7=3", "x", 3),
    ("amomaxu.w x5,x7,(x6)", "x=-6; 0:x6=x; 0:x7=3", "x", 0xFFFFFFFA),
    ("amomin.w x5,x7,(x6)", "x=6; 0:x6=x; 0:x7=0xfffffffe", "x", 0xFFFFFFFE),
    ("amominu.w x5,x7,(x6)", "x=6; 0:x6=x; 0:x7=-2", "x", 6),
    ("amoadd.b x5,x7,(x6)", "int8_t x=-1; 0:x6=x; 0:x7=2", "x", 1),
    ("amoswap.w x7,x7,(x6)", "x=3; 0:x6=x; 0:x7=9", "x7", 3),
    ("amocas.w x5,x7,(x6)", "x=-3; 0:x5=-3; 0:x6=x; 0:x7=9", "x", 9),
    ("amocas.w x5,x7,(x6)", "x=4; 0:x5=3; 0:x6=x; 0:x7=9", "x5", 4),
    # Branches
    ("beq x5,x6,L; li x7,1; L: nop", "", "x7", 0),
    ("bne x5,x6,L; li x7,1; L: nop", "", "x7", 1),
    ("blt x5,x6,L; li x7,1; L: nop", "0:x5=-1; 0:x7=2", "x7", 2),
    ("bltu x5,x6,L; li x7,1; L: nop", "0:x5=-1", "x7", 1),
    ("bge x5,x6,L; li x7,1; L: nop", "0:x5=1; 0:x7=2", "x7", 2),
    ("bgeu x5,x6,L; li x7,1; L: nop", "0:x6=-1", "x7", 1),
    ("bgt x5,x6,L; li x7,1; L: nop", "0:x5=1; 0:x7=2", "x7", 2),
    ("ble x5,x6,L; li x7,1; L: nop", "0:x5=1", "x7", 1),
    ("beqz x5,L; li x7,1; L: nop", "0:x7=2", "x7", 2),
    ("bnez x5,L; li x7,1; L: nop", "", "x7", 1),
    ("bltz x5,L; li x7,1; L: nop", "0:x5=-1; 0:x7=2", "x7", 2),
    ("bgez x5,L; li x7,1; L: nop", "0:x7=2", "x7", 2),
    ("bgtz x5,L; li x7,1; L: nop", "", "x7", 1),
    ("blez x5,L; li x7,1; L: nop", "0:x7=2", "x7", 2),
    ("j L; li x7,1; L: nop", "0:x7=2", "x7", 2),
    ("call L; li x7,1; j E; L: li x6,5; ret; E: nop", "", "x7", 1),
    ("jal t0,L; li x7,1; j E; L: li x6,5; jr t0; E: nop", "", "x6", 5),
    ("li x7,1; ret; li x7,2", "", "x7", 1),
    ("loop: addi x5,x5,1; bne x5,x6,loop", "0:x6=5", "x5", 5),
]


@pytest.mark.parametrize(("instructions", "state", "place", "value"), RESULTS)
def test_result(instructions: str, state: str, place: str, value: int) -> None:
    assert run("RISCV", *instructions.split("; "), state=state).get(place, 0) == value


@pytest.mark.parametrize(
    ("name", "number"), [("zero", 0), ("ra", 1), ("sp", 2), ("fp", 8), ("s11", 27), ("T6", 31)]
)
def test_every_register_has_a_second_name(name: str, number: int) -> None:
    (store,) = operations("RISCV", f"sw {name},0(x6)", state="0:x6=x")
    assert store == operations("RISCV", f"sw x{number},0(x6)", state="0:x6=x")[0]


@pytest.mark.parametrize(
    ("instruction", "tags"),
    [
        ("lw x5,0(x6)", set()),
        ("lw.aq x5,0(x6)", {"Acq"}),
        ("ld.aq.rl x5,0(x6)", {"AcqRel"}),
        ("sw.rl x5,0(x6)", {"Rel"}),
        ("sw.aqrl x5,0(x6)", {"AcqRel"}),
        ("lr.w x5,0(x6)", {"EX"}),
        ("lr.d.aqrl x5,0(x6)", {"EX", "AcqRel"}),
        ("sc.w.rl x5,x7,0(x6)", {"EX", "Rel"}),
        ("sc.w.aq x5,x7,0(x6)", {"EX", "Acq"}),
        ("fence", {"Fence.rw.rw"}),
        ("fence rw,rw", {"Fence.rw.rw"}),
        ("fence r,rw", {"Fence.r.rw"}),
        ("fence iorw,ow", {"Fence.rw.w"}),
        ("fence w,r", {"Fence.w.r"}),
        ("fence.tso", {"Fence.tso"}),
        ("fence.i", {"Fence.i"}),
    ],
)
def test_ordering_words(instruction: str, tags: set[str]) -> None:
    (found,) = operations("RISCV", instruction, state="0:x6=x")
    assert isinstance(found, Load | Store | StoreConditional | Fence)
    assert found.tags == tags


@pytest.mark.parametrize(
    ("suffix", "tags"),
    [("", set()), (".aq", {"Acq"}), (".rl", {"Rel"}), (".aq.rl", {"AcqRel"}), (".aqrl", {"AcqRel"})],
)
def test_both_halves_of_an_atomic_say_the_same(suffix: str, tags: set[str]) -> None:
    found = operations("RISCV", f"amoadd.w{suffix} x5,x7,(x6)", state="0:x6=x")[0]
    assert isinstance(found, Rmw)
    assert found.read_tags == found.write_tags == tags | {"X"}


def test_a_fence_of_devices_alone_orders_nothing() -> None:
    assert operations("RISCV", "fence i,o") == []
    assert operations("RISCV", "fence o,w") == []
