"""Bad AArch64 tests get located errors that say what was expected."""

from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from unit.languages.litmus.aarch64.machine import code, program_of

# instruction, state, code, underlined text, words of the message
BAD_INSTRUCTIONS = [
    ("FOO W0,W1", "", "W0105", "FOO", "unknown AArch64 instruction"),
    ("LDXRR W0,[X1]", "", "W0105", "LDXRR", "unknown AArch64 instruction"),
    ("[X1]", "", "W0105", "[X1]", "not an instruction"),
    ("MOV W0", "", "W0106", "MOV W0", "needs a W register"),
    ("MOV Y0,#1", "", "W0106", "Y0", "not a register"),
    ("MOV W0,#1,#2", "", "W0106", "#2", "too many operands"),
    ("MOV W0,X1", "", "W0106", "X1", "not a W register"),
    ("ADD X0,X1,W2", "", "W0106", "W2", "wrong width"),
    ("ADD W0,W1,W2,LSL #32", "", "W0106", "LSL #32", "bad shift"),
    ("ADD W0,W1,W2,FOO #1", "", "W0106", "FOO #1", "not a shift or extension"),
    ("ADD W0,W1,#1,LSR #2", "", "W0106", "LSR #2", "cannot be modified"),
    ("MOVZ W0,#1,LSL #32", "", "W0106", "LSL #32", "bad position"),
    ("MOV W0,#0x1ffffffff", "", "W0106", "#0x1ffffffff", "does not fit into 32 bits"),
    ("MOV W0,#-2147483649", "", "W0106", "#-2147483649", "does not fit into 32 bits"),
    ("MOV X0,#0x10000000000000000", "", "W0106", "#0x10000000000000000", "does not fit into 64 bits"),
    ("ADD W0,W1,#0x100000000", "", "W0106", "#0x100000000", "does not fit into 32 bits"),
    ("ADD W0,W1,#0x100000,LSL #12", "", "W0106", "#0x100000", "does not fit into 32 bits"),
    ("LDR W0,[X1],#0x10000000000000000", "", "W0106", "#0x10000000000000000", "does not fit into 64"),
    ("MOVZ W0,#65536", "", "W0106", "#65536", "out of range"),
    ("UBFM W0,W1,#32,#0", "", "W0106", "#32", "out of range"),
    ("UBFX W0,W1,#8,#25", "", "W0106", "#25", "field of 25 bits"),
    ("CSET W0,XX", "", "W0106", "XX", "not a condition"),
    ("LDR W0,X1", "", "W0106", "X1", "not a memory operand"),
    ("LDR W0,[W1]", "", "W0106", "W1", "not an X register"),
    ("LDR W0,[X1", "", "W0106", " W0,[X1", "brackets do not match"),
    ("LDR W0,[XZR]", "", "W0106", "[XZR]", "zero register cannot be a base"),
    ("LDR W0,[X1,W2]", "", "W0106", "[X1,W2]", "must be extended"),
    ("LDR W0,[X1,#4]!,#4", "", "W0106", "#4", "two offsets"),
    ("LDR X1,[X1],#8", "", "W0106", "LDR X1,[X1],#8", "both loaded and updated"),
    ("LDP X0,X0,[X1]", "", "W0106", "LDP X0,X0,[X1]", "same register"),
    ("LDRB X0,[X1]", "", "W0106", "X0", "not a W register"),
    ("STXR X3,X0,[X1]", "", "W0106", "X3", "not a W register"),
    ("TBZ W0,#32,L", "", "W0106", "#32", "out of range"),
    ("DMB FOO", "", "W0106", "FOO", "not a barrier option"),
    ("B nowhere", "", "W0107", "nowhere", "not defined"),
    ("B .+6", "", "W0107", ".+6", "not an instruction of this thread"),
    ("B .+12", "", "W0107", ".+12", "not an instruction of this thread"),
    ("LDR X0,[X1]", "int x; 0:X1=x", "W0109", "LDR X0,[X1]", "mixed-size"),
    ("STRB W0,[X1]", "int x; 0:X1=x", "W0109", "STRB W0,[X1]", "mixed-size"),
    ("NOP", "0:EAX=1", "W0111", "0:EAX", "not a register of AArch64"),
    ("NOP", "0:W0=0x1ffffffff", "W0112", "0:W0", "does not fit into the 32 bits"),
    ("STRB W0,[X1]", "x=256; 0:X1=x", "W0112", "x=256", "does not fit into the 8 bits"),
    ("NOP", "x=0x1ffffffff", "W0112", "x=0x1ffffffff", "does not fit into the 32 bits"),
    ("NOP", "3:X0=1", "W0111", "3:X0", "no thread 3"),
    ("NOP", "foo 0:X0=1", "W0112", "foo 0:X0", "unknown type"),
    ("NOP", "int v[2]; 0:X0=v[2]", "W0102", "v[2]", "no element 2"),
    ("NOP", "v[2]={1,2}; 0:X0=v[1]", "W0112", "v[1]", "element size"),
]


@pytest.mark.parametrize(("instruction", "state", "number", "place", "words"), BAD_INSTRUCTIONS)
def test_bad_instruction_is_located(
    instruction: str, state: str, number: str, place: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        code(instruction, state=state)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == number
    assert words in diagnostic.message
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.text.startswith(place)


def test_two_sizes_of_an_untyped_location_are_refused_at_the_second() -> None:
    with pytest.raises(InputError, match="mixed-size") as caught:
        code("LDR W0,[X1]", "LDR X2,[X1]", state="0:X1=x")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.text == "LDR X2,[X1]"
    assert [label.span.text for label in diagnostic.others] == ["LDR W0,[X1]"]


def test_every_problem_is_reported() -> None:
    with pytest.raises(InputError) as caught:
        code("FOO", "MOV W0,#1", "BAR W1")
    assert [d.primary.span.text for d in caught.value.diagnostics if d.primary] == ["FOO", "BAR"]


def test_unknown_instruction_gets_a_suggestion() -> None:
    with pytest.raises(InputError) as caught:
        code("LDAPPR W0,[X1]")
    assert caught.value.diagnostics[0].help == "did you mean `LDAPR`?"


def test_label_defined_twice() -> None:
    with pytest.raises(InputError, match="defined twice") as caught:
        code("L: NOP", "L: NOP")
    assert caught.value.diagnostics[0].others[0].span.line == 4


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("exists (0:EAX=1)", "W0111"),
        ("exists (7:X0=1)", "W0111"),
        ("exists (v[4]=1)", "W0104"),
    ],
)
def test_unknown_name_in_the_question(question: str, number: str) -> None:
    with pytest.raises(InputError) as caught:
        program_of(f"AArch64 q\n{{ int v[2]; }}\n P0 ;\n NOP ;\n{question}\n")
    assert caught.value.diagnostics[0].code == number
