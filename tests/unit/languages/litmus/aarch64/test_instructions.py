"""What each instruction computes: registers, flags, memory."""

from __future__ import annotations

import pytest

from membar.languages.litmus.dialects.aarch64.flags import CONDITIONS
from unit.languages.litmus.aarch64.machine import run

ALL = (1 << 64) - 1
LOW = (1 << 32) - 1

# instruction, initial state, register, expected 64-bit value
COMPUTATIONS = [
    ("MOV W0,#1", "", "X0", 1),
    ("MOV W0,#-1", "", "X0", LOW),
    ("MOV X0,#-2", "", "X0", ALL - 1),
    ("MOV X0,0x10", "", "X0", 16),
    ("MOV W0,W1", "0:X1=-1", "X0", LOW),
    ("MOV X0,XZR", "0:X0=5", "X0", 0),
    ("mov x0, sp", "uint64_t 0:SP=7", "X0", 7),
    ("MOVZ X0,#42,LSL #48", "", "X0", 42 << 48),
    ("MOVN W0,#0", "", "X0", LOW),
    ("MOVN X0,#1,LSL #16", "", "X0", ALL ^ 0x10000),
    ("MOVK X0,#1,LSL #16", "uint64_t 0:X0=0x200000002", "X0", 0x200010002),
    ("MOVK W0,#1", "0:X0=65536", "X0", 65537),
    ("MVN W0,W1", "0:X1=1", "X0", LOW - 1),
    ("ADD W0,W1,W2", "0:X1=-1; 0:X2=2", "X0", 1),
    ("ADD X0,X1,#1,LSL #12", "0:X1=42", "X0", 4138),
    ("ADD X0,X1,W2,SXTB 2", "0:X1=2; 0:X2=255", "X0", ALL - 1),
    ("ADD X0,X1,W2,UXTW", "0:X1=1; 0:X2=-1", "X0", 1 << 32),
    ("ADD X0,X1,X2,lsr #1", "0:X1=1; 0:X2=6", "X0", 4),
    ("ADD W0,W1,W2,ASR #1", "0:X1=0; 0:X2=-2", "X0", LOW),
    ("ADD W0,W1,W2,LSR #1", "0:X1=0; 0:X2=-2", "X0", LOW >> 1),
    ("SUB W0,WZR,W1", "0:X1=1", "X0", LOW),
    ("SUB X0,X1,X2", "0:X1=1; 0:X2=3", "X0", ALL - 1),
    ("NEG W0,W1,LSL 2", "0:X1=6", "X0", LOW - 23),
    ("AND W0,W1,#2", "0:X1=7", "X0", 2),
    ("ORR X0,X1,X2", "0:X1=5; 0:X2=2", "X0", 7),
    ("ORN X0,X1,X2", "0:X1=0; 0:X2=1", "X0", ALL - 1),
    ("EOR W0,W1,W1", "0:X1=9", "X0", 0),
    ("EON X0,X1,X2", "0:X1=1; 0:X2=1", "X0", ALL),
    ("BIC W0,W1,W2", "0:X1=7; 0:X2=2", "X0", 5),
    ("ORR W0,WZR,W1,ROR #4", "0:X1=0x12345678", "X0", 0x81234567),
    ("LSL W0,W1,#31", "0:X1=3", "X0", 1 << 31),
    ("LSL X0,X1,X2", "0:X1=1; 0:X2=65", "X0", 2),
    ("LSR W0,W1,#4", "0:X1=-1", "X0", LOW >> 4),
    ("ASR X0,X1,#2", "int64_t 0:X1=-256", "X0", ALL - 63),
    ("ASR W0,W1,W2", "0:X1=-8; 0:X2=33", "X0", LOW - 3),
    ("ROR X0,X1,#4", "0:X1=0x1f", "X0", 0xF << 60 | 1),
    ("ROR W0,W1,W2", "0:X1=0x1f; 0:X2=0", "X0", 0x1F),
    ("MUL W0,W1,W2", "0:X1=65536; 0:X2=65536", "X0", 0),
    ("MNEG W0,W1,W2", "0:X1=-3; 0:X2=2", "X0", 6),
    ("MADD X0,X1,X2,X3", "0:X1=2; 0:X2=3; 0:X3=5", "X0", 11),
    ("MSUB X0,X1,X2,X3", "0:X1=2; 0:X2=3; 0:X3=5", "X0", ALL),
    ("SMULL X0,W1,W2", "0:X1=-1; 0:X2=5", "X0", ALL - 4),
    ("UMULL X0,W1,W2", "0:X1=-1; 0:X2=-1", "X0", LOW * LOW),
    ("SMADDL X0,W1,W2,X3", "0:X1=-1; 0:X2=15; 0:X3=3840", "X0", 3825),
    ("SMSUBL X0,W1,W2,X3", "0:X1=-1; 0:X2=15; 0:X3=3840", "X0", 3855),
    ("SMNEGL X0,W1,W2", "0:X1=-1; 0:X2=-1", "X0", ALL),
    ("UMSUBL X0,W1,W2,X3", "0:X1=-2; 0:X2=-2; 0:X3=1", "X0", 17179869181),
    ("UDIV W0,W1,W2", "0:X1=-1; 0:X2=2", "X0", LOW >> 1),
    ("SDIV W0,W1,W2", "0:X1=-7; 0:X2=2", "X0", LOW - 2),
    ("SDIV W0,W1,W2", "0:X1=7; 0:X2=0", "X0", 0),
    ("SXTW X0,W1", "0:X1=0x80000000", "X0", ALL - LOW + 0x80000000),
    ("UXTB W0,W1", "0:X1=0x1ff", "X0", 255),
    ("SXTH W0,W1", "0:X1=0x8000", "X0", 0xFFFF8000),
    ("UBFM W0,W1,#4,#31", "0:X1=0x55667788", "X0", 0x5566778),
    ("UBFM W0,W1,#24,#7", "0:X1=0x55667788", "X0", 0x8800),
    ("SBFM W0,W1,#4,#2", "0:X1=0xFE", "X0", 0xE0000000),
    ("SBFM X0,X1,#4,#2", "0:X1=0xFE", "X0", 0xE000000000000000),
    ("BFM W0,W1,#0,#3", "0:X0=0xf0; 0:X1=0x75", "X0", 0xF5),
    ("UBFX W0,W1,#4,#8", "0:X1=0x12345", "X0", 0x34),
    ("SBFX W0,W1,#0,#4", "0:X1=0xf", "X0", LOW),
    ("UBFIZ W0,W1,#4,#4", "0:X1=0xff", "X0", 0xF0),
    ("BFI W0,W1,#4,#4", "0:X0=0xf0f; 0:X1=0xa", "X0", 0xFAF),
    ("BFXIL W0,W1,#4,#4", "0:X0=0xff; 0:X1=0xa0", "X0", 0xFA),
    ("EXTR W0,W1,W2,#8", "0:X1=0x12; 0:X2=0x3456", "X0", 0x12000034),
    ("EXTR X0,X1,X2,#0", "0:X1=1; 0:X2=2", "X0", 2),
    ("CNT X0,X1", "0:X1=-1", "X0", 64),
    ("CLZ W0,W1", "0:X1=1", "X0", 31),
    ("CLZ X0,X1", "0:X1=0", "X0", 64),
    ("CTZ W0,W1", "0:X1=8", "X0", 3),
    ("CTZ W0,W1", "0:X1=0", "X0", 32),
    ("ABS W0,W1", "0:X1=0x80000000", "X0", 0x80000000),
    ("ABS X0,X1", "0:X1=-5", "X0", 5),
    ("RBIT W0,W1", "0:X1=0x87654321", "X0", 0x84C2A6E1),
    ("RBIT X0,X1", "uint64_t 0:X1=0xfedcba87654321", "X0", 0x84C2A6E15D3B7F00),
    ("REV W0,W1", "0:X1=0x12345678", "X0", 0x78563412),
    ("REV X0,X1", "0:X1=1", "X0", 1 << 56),
    ("REV16 X0,X1", "uint64_t 0:X1=0xfedcba87654321", "X0", 0xFE00BADC65872143),
    ("REV32 X0,X1", "uint64_t 0:X1=0xfedcba87654321", "X0", 0xBADCFE0021436587),
    ("SMAX W0,W1,W2", "0:X1=-1; 0:X2=1", "X0", 1),
    ("UMAX W0,W1,W2", "0:X1=-1; 0:X2=1", "X0", LOW),
    ("SMIN X0,X1,#-3", "0:X1=2", "X0", ALL - 2),
    ("UMIN W0,W1,W2", "0:X1=-1; 0:X2=1", "X0", 1),
    ("ADD X0,X1,XZR", "0:X0=9; 0:X1=4", "X0", 4),
    ("ADD W0,W%a,#1", "0:%a=4", "X0", 5),
]


@pytest.mark.parametrize(("instruction", "state", "register", "expected"), COMPUTATIONS)
def test_instruction_computes(instruction: str, state: str, register: str, expected: int) -> None:
    assert run(instruction, state=state)[register] == expected


# instruction, initial state, flags N Z C V
FLAGS = [
    ("ADDS W0,W1,W2", "0:X1=2; 0:X2=2147483647", "1001"),
    ("ADDS W0,W1,W2", "0:X1=2; 0:X2=-2", "0110"),
    ("ADDS X0,X1,X2", "0:X1=-1; 0:X2=0", "1000"),
    ("ADDS X0,X1,X2", "int64_t 0:X1=-9223372036854775808; int64_t 0:X2=-3", "0011"),
    ("ADDS W1,W1,W2", "0:X1=-1; 0:X2=1", "0110"),
    ("SUBS W0,W1,W2", "0:X1=2; 0:X2=3", "1000"),
    ("SUBS W0,W1,W2", "0:X1=-1; 0:X2=0", "1010"),
    ("SUBS W0,W1,W2", "0:X1=2147483647; 0:X2=-2", "1001"),
    ("SUBS W1,W1,W2", "0:X1=2; 0:X2=2", "0110"),
    ("CMP XZR,X1,ASR #1", "0:X1=1", "0110"),
    ("CMN W1,#1", "0:X1=-1", "0110"),
    ("ANDS W0,W1,W2", "0:X1=-3; 0:X2=0xFFFFFFFF", "1000"),
    ("TST X1,#1", "0:X1=2", "0100"),
    ("BICS W0,W1,W2", "0:X1=-3; 0:X2=10", "1000"),
    ("NEGS W0,W1", "0:X1=0", "0110"),
]


@pytest.mark.parametrize(("instruction", "state", "expected"), FLAGS)
def test_instruction_sets_flags(instruction: str, state: str, expected: str) -> None:
    result = run(instruction, state=state)
    assert "".join(str(result[flag]) for flag in "NZCV") == expected


@pytest.mark.parametrize(
    ("left", "right", "holding"),
    [
        (1, 1, {"EQ", "CS", "HS", "PL", "VC", "LS", "GE", "LE", "AL"}),
        (1, 2, {"NE", "CC", "LO", "MI", "VC", "LS", "LT", "LE", "AL"}),
        (2, 1, {"NE", "CS", "HS", "PL", "VC", "HI", "GE", "GT", "AL"}),
        (-2147483648, 1, {"NE", "CS", "HS", "PL", "VS", "HI", "LT", "LE", "AL"}),
    ],
)
def test_conditions_follow_the_comparison(left: int, right: int, holding: set[str]) -> None:
    state = f"0:X1={left}; 0:X2={right}"
    for code in CONDITIONS:
        result = run("CMP W1,W2", f"CSET W0,{code}", state=state)
        assert result["X0"] == (code in holding), code


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("CSEL W0,W1,W2,EQ", 1),
        ("CSEL W0,W1,W2,NE", 2),
        ("CSINC W0,W1,W2,NE", 3),
        ("CSINV W0,W1,W2,NE", LOW - 2),
        ("CSNEG X0,X1,X2,NE", ALL - 1),
        ("CSETM W0,EQ", LOW),
        ("CSETM X0,EQ", ALL),
        ("CINC W0,W2,EQ", 3),
        ("CINV W0,W2,EQ", LOW - 2),
        ("CNEG W0,W2,NE", 2),
    ],
)
def test_selection_after_equal_comparison(instruction: str, expected: int) -> None:
    assert run("CMP W3,W3", instruction, state="0:X1=1; 0:X2=2")["X0"] == expected


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [("CCMP W1,#1,#0,EQ", "0110"), ("CCMP W1,#1,#9,NE", "1001"), ("CCMN W1,W2,#15,EQ", "1000")],
)
def test_conditional_compare(instruction: str, expected: str) -> None:
    result = run("CMP W3,W3", instruction, state="0:X1=1; 0:X2=-2")
    assert "".join(str(result[flag]) for flag in "NZCV") == expected


def test_carry_chain() -> None:
    state = "uint64_t 0:X1=0xffffffffffffffff; 0:X2=1; 0:X3=5; 0:X4=6"
    assert run("ADDS X0,X1,X2", "ADC X5,X3,X4", state=state)["X5"] == 12
    assert run("SUBS X0,X2,X1", "SBC X5,X4,X3", state=state)["X5"] == 0


V4 = "int v[4]={1,2,3,4}; 0:X1=v"

# instructions, state, place, expected
MEMORY = [
    (("LDR W0,[X1]",), V4, "X0", 1),
    (("LDR W0,[X1,#4]",), V4, "X0", 2),
    (("LDR W0,[X1,X2]",), V4 + "; 0:X2=8", "X0", 3),
    (("LDR W0,[X1,X2,LSL #2]",), V4 + "; 0:X2=3", "X0", 4),
    (("LDR W0,[X1,W2,SXTW #2]",), V4 + "; 0:X2=1", "X0", 2),
    (("ADD X1,X1,#8", "LDR W0,[X1,W2,SXTW]"), V4 + "; 0:X2=-4", "X0", 2),
    (("LDR W0,[X1,#4]!", "LDR W2,[X1]"), V4, "X2", 2),
    (("LDR W0,[X1],#8", "LDR W2,[X1]"), V4, "X2", 3),
    (("LDUR W0,[X1,#12]",), V4, "X0", 4),
    (("LDP W0,W2,[X1,#8]",), V4, "X2", 4),
    (("LDP W0,W2,[X1],#8", "LDNP W3,W4,[X1]"), V4, "X3", 3),
    (("LDIAPP W0,W2,[X1]",), V4, "X2", 2),
    (("LDPSW X0,X2,[X1]",), "int v[2]={1,-2}; 0:X1=v", "X2", ALL - 1),
    (("LDP X1,X2,[X1]",), "int64_t v[2]={5,6}; 0:X1=v", "X2", 6),
    (("LDRB W0,[X1]",), "int8_t x=-1; 0:X1=x", "X0", 255),
    (("LDRSB W0,[X1]",), "int8_t x=-1; 0:X1=x", "X0", LOW),
    (("LDRSB X0,[X1]",), "int8_t x=-1; 0:X1=x", "X0", ALL),
    (("LDRSH W0,[X1]",), "int16_t x=-7; 0:X1=x", "X0", LOW - 6),
    (("LDRSW X0,[X1]",), "x=-7; 0:X1=x", "X0", ALL - 6),
    (("LDARH W0,[X1]",), "uint16_t x=9; 0:X1=x", "X0", 9),
    (("LDAPRB W0,[X1]",), "uint8_t x=9; 0:X1=x", "X0", 9),
    (("LDXR X0,[X1]",), "uint64_t x=9; 0:X1=x", "X0", 9),
    (("ldr X0,[SP]",), "0:sp=x; uint64_t x=1", "X0", 1),
    (("STR W0,[X1]",), "0:X0=-1; 0:X1=x", "x", LOW),
    (("STR WZR,[X1]",), "x=3; 0:X1=x", "x", 0),
    (("STRB W0,[X1]",), "0:X0=257; uint8_t x; 0:X1=x", "x", 1),
    (("STLRH W0,[X1]",), "0:X0=65537; uint16_t x; 0:X1=x", "x", 1),
    (("STR W0,[X1],#4", "STR W0,[X1]"), V4 + "; 0:X0=9", "v[1]", 9),
    (("STR W0,[X1,#8]!",), V4 + "; 0:X0=9", "v[2]", 9),
    (("STP W0,W2,[X1,#8]",), V4 + "; 0:X0=8; 0:X2=9", "v[3]", 9),
    (("STILP X0,X2,[X1,#-16]!",), "int64_t v[4]; 0:X1=v[2]; 0:X0=8; 0:X2=9", "v[0]", 8),
    (("STLP X0,X2,[X1]",), "int64_t v[2]; 0:X1=v; 0:X0=8; 0:X2=9", "v[1]", 9),
    (("STR X2,[X1,#8]",), "int64_t v[2]={1,2}; 0:X1=v; 0:X2=42", "v[1]", 42),
    (("SWP W0,W2,[X1]",), "x=3; 0:X0=4; 0:X1=x", "X2", 3),
    (("SWPALB W0,W0,[X1]",), "uint8_t x=3; 0:X0=260; 0:X1=x", "x", 4),
    (("LDADD W0,W2,[X1]",), "x=3; 0:X0=-4; 0:X1=x", "x", LOW),
    (("LDCLRA W0,W2,[X1]",), "x=7; 0:X0=2; 0:X1=x", "x", 5),
    (("LDEORL X0,X2,[X1]",), "int64_t x=7; 0:X0=2; 0:X1=x", "x", 5),
    (("LDSETAL W0,W2,[X1]",), "x=5; 0:X0=2; 0:X1=x", "x", 7),
    (("LDSMAXB W0,W2,[X1]",), "int8_t x=-1; 0:X0=1; 0:X1=x", "x", 1),
    (("LDUMAXB W0,W2,[X1]",), "int8_t x=-1; 0:X0=1; 0:X1=x", "x", 255),
    (("LDSMIN W0,W2,[X1]",), "x=-1; 0:X0=1; 0:X1=x", "x", LOW),
    (("LDUMINH W0,W2,[X1]",), "uint16_t x=5; 0:X0=0x10003; 0:X1=x", "x", 3),
    (("STADD W0,[X1]",), "x=3; 0:X0=4; 0:X1=x", "x", 7),
    (("STSMAXL X0,[X1]",), "int64_t x=3; 0:X0=4; 0:X1=x", "x", 4),
    (("CAS W0,W2,[X1]",), "x=3; 0:X0=3; 0:X2=8; 0:X1=x", "x", 8),
    (("CAS W0,W2,[X1]",), "x=3; 0:X0=4; 0:X2=8; 0:X1=x", "x", 3),
    (("CASAL W0,W2,[X1]",), "x=3; 0:X0=4; 0:X2=8; 0:X1=x", "X0", 3),
    (("CASB W0,W2,[X1]",), "uint8_t x=3; 0:X0=0x103; 0:X2=8; 0:X1=x", "x", 8),
    (("CASP W4,W5,W6,W7,[X1]",), "int v[2]={1,2}; 0:X1=v; 0:X4=1; 0:X5=2; 0:X6=8; 0:X7=9", "v[1]", 9),
    (("CASP W4,W5,W6,W7,[X1]",), "int v[2]={1,2}; 0:X1=v; 0:X4=1; 0:X5=3; 0:X6=8; 0:X7=9", "v[0]", 1),
    (("CASPAL X4,X5,X6,X7,[X1]",), "int64_t v[2]={1,2}; 0:X1=v; 0:X4=0", "X5", 2),
]


@pytest.mark.parametrize(("instructions", "state", "place", "expected"), MEMORY)
def test_memory_access(instructions: tuple[str, ...], state: str, place: str, expected: int) -> None:
    assert run(*instructions, state=state)[place] == expected


@pytest.mark.parametrize(
    ("branch", "taken"),
    [
        ("B end", True),
        ("B .+8", True),
        ("CBZ W1,end", False),
        ("CBNZ W1,end", True),
        ("CBNZ X2,end", True),
        ("CBNZ W2,end", False),
        ("TBZ X1,#0,end", False),
        ("TBNZ X1,#2,end", True),
        ("TBNZ W1,#1,end", False),
        ("B.EQ end", False),
        ("B.AL end", True),
        ("RET", True),
    ],
)
def test_branch(branch: str, taken: bool) -> None:  # noqa: FBT001 - a table column
    state = "0:X1=5; uint64_t 0:X2=0x100000000"
    assert run(branch, "MOV W0,#1", "end:", state=state).get("X0", 0) == (0 if taken else 1)


def test_backward_branch_makes_a_loop() -> None:
    loop = ("ADD W1,W1,#2", "SUBS W0,W0,#1", "B.GT .-8")
    assert run(*loop, state="0:X0=3")["X1"] == 6


def test_call_returns_behind_itself() -> None:
    result = run("BL f", "ADD W0,W0,#1", "B end", "f: ADD W0,W0,#10", "RET", "end:")
    assert result["X0"] == 11


def test_nop_does_nothing() -> None:
    assert run("NOP", "MOV W0,#1")["X0"] == 1
