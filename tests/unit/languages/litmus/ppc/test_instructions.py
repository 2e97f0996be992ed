"""What each Power instruction computes."""

from __future__ import annotations

import pytest

from membar.program.expr import MASK
from membar.program.operations import Fence, Load, Store, StoreConditional
from unit.languages.litmus.assembly.single import operations, run

ONES = MASK

# instructions, state, register or location, value
RESULTS = [
    ("li r3,7", "", "r3", 7),
    ("li r3,-1", "", "r3", ONES),
    ("lis r3,1", "", "r3", 0x10000),
    ("lis r3,-1", "", "r3", MASK - 0xFFFF),
    ("lis r3,0x8000", "", "r3", MASK - 0x7FFFFFFF),
    ("li 3,7", "", "r3", 7),
    ("mr r3,r4", "0:r4=5", "r3", 5),
    ("addi r3,r4,-2", "0:r4=1", "r3", ONES),
    ("addi r3,r0,4", "0:r0=9", "r3", 4),
    ("addis r3,r4,1", "0:r4=1", "r3", 0x10001),
    ("subi r3,r4,2", "0:r4=1", "r3", ONES),
    ("add r3,r4,r5", "0:r4=1; 0:r5=2", "r3", 3),
    ("add r3,r4,r0", "0:r4=1; 0:r0=2", "r3", 3),
    ("sub r3,r4,r5", "0:r4=1; 0:r5=2", "r3", ONES),
    ("subf r3,r4,r5", "0:r4=1; 0:r5=2", "r3", 1),
    ("neg r3,r4", "0:r4=1", "r3", ONES),
    ("and r3,r4,r5", "0:r4=6; 0:r5=3", "r3", 2),
    ("or r3,r4,r5", "0:r4=6; 0:r5=3", "r3", 7),
    ("xor r3,r4,r5", "0:r4=6; 0:r5=3", "r3", 5),
    ("nand r3,r4,r5", "0:r4=6; 0:r5=3", "r3", MASK - 2),
    ("nor r3,r4,r5", "0:r4=6; 0:r5=3", "r3", MASK - 7),
    ("not r3,r4", "0:r4=6", "r3", MASK - 6),
    ("eqv r3,r4,r5", "0:r4=6; 0:r5=3", "r3", MASK - 5),
    ("andc r3,r4,r5", "0:r4=6; 0:r5=3", "r3", 4),
    ("orc r3,r4,r5", "0:r4=6; 0:r5=-2", "r3", 7),
    ("ori r3,r4,0xffff", "", "r3", 0xFFFF),
    ("oris r3,r4,0xffff", "", "r3", 0xFFFF0000),
    ("xori r3,r4,1", "0:r4=3", "r3", 2),
    ("andi. r3,r4,1", "0:r4=3", "r3", 1),
    ("andis. r3,r4,1", "0:r4=0x30000", "r3", 0x10000),
    ("mullw r3,r4,r5", "0:r4=-3; 0:r5=2", "r3", MASK - 5),
    ("mulld r3,r4,r5", "0:r4=3; 0:r5=2", "r3", 6),
    ("mulli r3,r4,-2", "0:r4=3", "r3", MASK - 5),
    ("divw r3,r4,r5", "0:r4=-7; 0:r5=2", "r3", MASK - 2),
    ("divwu r3,r4,r5", "0:r4=7; 0:r5=2", "r3", 3),
    ("divd r3,r4,r5", "0:r4=-7; 0:r5=2", "r3", MASK - 2),
    ("slw r3,r4,r5", "0:r4=3; 0:r5=31", "r3", 0x80000000),
    ("slw r3,r4,r5", "0:r4=3; 0:r5=32", "r3", 0),
    ("srw r3,r4,r5", "0:r4=-1; 0:r5=31", "r3", 1),
    ("srw r3,r4,r5", "0:r4=-1; 0:r5=33", "r3", 0),
    ("sraw r3,r4,r5", "0:r4=-4; 0:r5=1", "r3", MASK - 1),
    ("sraw r3,r4,r5", "0:r4=-4; 0:r5=40", "r3", ONES),
    ("srawi r3,r4,1", "0:r4=0xfffffffc", "r3", MASK - 1),
    ("sld r3,r4,r5", "0:r4=3; 0:r5=63", "r3", 1 << 63),
    ("sld r3,r4,r5", "0:r4=3; 0:r5=64", "r3", 0),
    ("srd r3,r4,r5", "0:r4=-1; 0:r5=63", "r3", 1),
    ("sradi r3,r4,1", "0:r4=-4", "r3", MASK - 1),
    ("extsb r3,r4", "0:r4=255", "r3", ONES),
    ("extsh r3,r4", "0:r4=65535", "r3", ONES),
    ("extsw r3,r4", "0:r4=0xffffffff", "r3", ONES),
    # Rotates
    ("rlwinm r3,r4,4,30,31", "0:r4=-1", "r3", 3),
    ("rlwinm r3,r4,16,0,15", "0:r4=-1", "r3", 0xFFFF0000),
    ("rlwinm r3,r4,8,0,31", "0:r4=0x12345678", "r3", 0x34567812),
    ("rlwinm r3,r4,0,31,0", "0:r4=0x80000001", "r3", 0x80000001_80000001),
    ("rlwimi r3,r4,16,0,15", "0:r3=0xaaaaaaaaaaaaaaaa; 0:r4=-1", "r3", 0xAAAAAAAA_FFFFAAAA),
    ("rotlwi r3,r4,8", "0:r4=0x12345678", "r3", 0x34567812),
    ("slwi r3,r4,4", "0:r4=0xf0000001", "r3", 0x10),
    ("srwi r3,r4,4", "0:r4=0x30", "r3", 3),
    ("srwi r3,r4,0", "0:r4=0x30", "r3", 0x30),
    ("clrlwi r3,r4,24", "0:r4=-1", "r3", 255),
    ("clrrwi r3,r4,4", "0:r4=0xff", "r3", 0xF0),
    ("rldicl r3,r4,8,56", "0:r4=0x1200000000000000", "r3", 0x12),
    ("rldicr r3,r4,4,59", "0:r4=1", "r3", 16),
    ("rldic r3,r4,4,56", "0:r4=0xff", "r3", 0xF0),
    ("rldimi r3,r4,4,56", "0:r3=0xf0f; 0:r4=0xa", "r3", 0xFAF),
    ("sldi r3,r4,4", "0:r4=1", "r3", 16),
    ("srdi r3,r4,4", "0:r4=0x30", "r3", 3),
    ("clrldi r3,r4,32", "0:r4=-1", "r3", 0xFFFFFFFF),
    # Memory
    ("lwz r3,0(r4)", "x=-1; 0:r4=x", "r3", 0xFFFFFFFF),
    ("lwa r3,0(r4)", "x=-1; 0:r4=x", "r3", ONES),
    ("lwzx r3,r0,r4", "x=7; 0:r0=8; 0:r4=x", "r3", 7),
    ("lwax r3,r4,r5", "int v[2]={1,-1}; 0:r4=v; 0:r5=4", "r3", ONES),
    ("ld r3,8(r4)", "int64_t v[2]={1,2}; 0:r4=v", "r3", 2),
    ("lbz r3,0(r4)", "int8_t x=-1; 0:r4=x", "r3", 255),
    ("lhz r3,0(r4)", "int16_t x=-1; 0:r4=x", "r3", 65535),
    ("lha r3,0(r4)", "int16_t x=-1; 0:r4=x", "r3", ONES),
    ("lwzu r3,4(r4); lwz r5,0(r4)", "int v[2]={1,2}; 0:r4=v", "r5", 2),
    ("stw r3,0(r4)", "0:r3=-1; 0:r4=x", "x", 0xFFFFFFFF),
    ("std r3,0(r4)", "0:r3=-1; 0:r4=x", "x", ONES),
    ("stb r3,0(r4)", "0:r3=-1; 0:r4=x", "x", 255),
    ("sthx r3,r4,r5", "0:r3=-1; 0:r4=x", "x", 65535),
    ("stwu r3,4(r4); stw r5,0(r4)", "int v[2]; 0:r4=v; 0:r3=1; 0:r5=2", "v[1]", 2),
    ("lwarx r3,r0,r4; addi r3,r3,1; stwcx. r3,r0,r4", "x=4; 0:r4=x", "x", 5),
    ("lwarx r3,0,r4,1; stwcx. r3,0,r4; bne- E; li r5,1; E: nop", "x=4; 0:r4=x", "r5", 1),
    ("stwcx. r3,r0,r4; bne E; li r5,1; E: nop", "x=4; 0:r4=x", "r5", 0),
    ("ldarx r3,r0,r4; stdcx. r4,r0,r4; beq+ E; li r5,1; E: nop", "0:r4=x", "r5", 0),
    # Comparisons and branches
    ("cmpw r3,r4; beq E; li r5,1; E: nop", "", "r5", 0),
    ("cmpw r3,r4; bne E; li r5,1; E: nop", "", "r5", 1),
    ("cmpw r3,r4; blt E; li r5,1; E: nop", "0:r3=-1", "r5", 0),
    ("cmplw r3,r4; blt E; li r5,1; E: nop", "0:r3=-1", "r5", 1),
    ("cmpw r3,r4; bge E; li r5,1; E: nop", "0:r3=-1", "r5", 1),
    ("cmpw r3,r4; bgt E; li r5,1; E: nop", "0:r3=1", "r5", 0),
    ("cmpw r3,r4; ble E; li r5,1; E: nop", "0:r3=1", "r5", 1),
    ("cmpw r3,r4; bnl E; li r5,1; E: nop", "0:r3=-1", "r5", 1),
    ("cmpw r3,r4; bng E; li r5,1; E: nop", "0:r3=1", "r5", 1),
    ("cmpwi r3,-1; beq E; li r5,1; E: nop", "0:r3=0xffffffff", "r5", 0),
    ("cmplwi r3,2; beq E; li r5,1; E: nop", "0:r3=2", "r5", 0),
    ("cmpd r3,r4; beq E; li r5,1; E: nop", "0:r3=0x100000000", "r5", 1),
    ("cmpldi r3,1; bgt E; li r5,1; E: nop", "0:r3=-1", "r5", 0),
    ("cmpwi cr7,r3,1; cmpwi r3,0; beq cr7,E; li r5,1; E: nop", "0:r3=1", "r5", 0),
    ("add. r3,r3,r4; blt E; li r5,1; E: nop", "0:r3=-2; 0:r4=1", "r5", 0),
    ("andi. r3,r3,1; beq E; li r5,1; E: nop", "0:r3=3", "r5", 1),
    ("b E; li r5,1; E: nop", "0:r5=2", "r5", 2),
    ("bl F; li r5,1; b E; F: li r6,1; blr; E: nop", "", "r5", 1),
    ("li r5,1; blr; li r5,2", "", "r5", 1),
    ("mflr r3; mtlr r4; mtctr r4; mfctr r5", "0:lr=3; 0:r4=8", "r5", 8),
    ("dcbf r0,r3; dcbt 0,r3; nop; li r5,1", "", "r5", 1),
]


@pytest.mark.parametrize(("instructions", "state", "place", "value"), RESULTS)
def test_result(instructions: str, state: str, place: str, value: int) -> None:
    assert run("PPC", *instructions.split("; "), state=state).get(place, 0) == value


@pytest.mark.parametrize(
    ("instruction", "tags"),
    [
        ("lwz r3,0(r4)", set()),
        ("stw r3,0(r4)", set()),
        ("lwarx r3,r0,r4", {"EX"}),
        ("sync", {"SYNC"}),
        ("sync 0", {"SYNC"}),
        ("sync 1", {"LWSYNC"}),
        ("hwsync", {"SYNC"}),
        ("lwsync", {"LWSYNC"}),
        ("eieio", {"EIEIO"}),
        ("isync", {"ISYNC"}),
    ],
)
def test_ordering_words(instruction: str, tags: set[str]) -> None:
    (found,) = operations("PPC", instruction, state="0:r4=x")
    assert isinstance(found, Load | Store | StoreConditional | Fence)
    assert found.tags == tags
