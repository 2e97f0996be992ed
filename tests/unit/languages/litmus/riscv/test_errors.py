"""Bad RISC-V tests get located errors that say what was expected."""

from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from unit.languages.litmus.assembly.single import code

# instruction, state, code, underlined text, words of the message
BAD_INSTRUCTIONS = [
    ("foo x5,x6", "", "W0105", "foo", "unknown RISC-V instruction"),
    ("amoadd.q x5,x6,(x7)", "", "W0105", "amoadd.q", "unknown RISC-V instruction"),
    ("lr.b x5,(x7)", "", "W0105", "lr.b", "unknown RISC-V instruction"),
    ("fence.rw", "", "W0105", "fence.rw", "unknown RISC-V instruction"),
    ("(x5)", "", "W0105", "(x5)", "not an instruction"),
    ("li x5", "", "W0106", "li x5", "needs a number"),
    ("li x32,1", "", "W0106", "x32", "not a register of RISC-V"),
    ("li r5,1", "", "W0106", "r5", "not a register of RISC-V"),
    ("li x5,1,2", "", "W0106", "2", "too many operands"),
    ("li x5,q", "", "W0106", "q", "not a number"),
    ("li x5,0x10000000000000000", "", "W0106", "0x10000000000000000", "out of range"),
    ("addi x5,x6,2048", "", "W0106", "2048", "out of range"),
    ("slli x5,x6,64", "", "W0106", "64", "out of range"),
    ("slliw x5,x6,32", "", "W0106", "32", "out of range"),
    ("lw x5,x6", "", "W0106", "x6", "not an address"),
    ("lw x5,0[x6]", "", "W0106", "0[x6]", "not an address"),
    ("lw x5,0(y6)", "", "W0106", "0(y6)", "not a register of RISC-V"),
    ("lw x5,40000(x6)", "", "W0106", "40000(x6)", "out of range"),
    ("lr.w x5,4(x6)", "", "W0106", "4(x6)", "takes no offset"),
    ("amoadd.w x5,x7,4(x6)", "", "W0106", "4(x6)", "takes no offset"),
    ("fence rw", "", "W0106", "fence rw", "needs the accesses after"),
    ("fence rw,x", "", "W0106", "x", "not a set of accesses"),
    ("fence wr,rw", "", "W0106", "wr", "not a set of accesses"),
    ("bne x5,x6,nowhere", "", "W0107", "nowhere", "not defined"),
    ("ld x5,0(x6)", "int x; 0:x6=x", "W0109", "ld x5,0(x6)", "mixed-size"),
    ("lb x5,0(x6)", "int x; 0:x6=x", "W0109", "lb x5,0(x6)", "mixed-size"),
    ("nop", "0:EAX=1", "W0111", "0:EAX", "not a register of RISC-V"),
    ("j .+12", "", "W0107", ".+12", "not an instruction of this thread"),
    ("nop", "3:x5=1", "W0111", "3:x5", "no thread 3"),
    ("nop", "foo 0:x5=1", "W0112", "foo 0:x5", "unknown type"),
    ("nop", "int v[2]; 0:x5=v[2]", "W0102", "v[2]", "no element 2"),
    ("nop", "v[2]={1,2}; 0:x5=v[1]", "W0112", "v[1]", "element size"),
]


@pytest.mark.parametrize(("instruction", "state", "number", "place", "words"), BAD_INSTRUCTIONS)
def test_bad_instruction_is_located(
    instruction: str, state: str, number: str, place: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        code("RISCV", instruction, state=state)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == number
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.text == place
    assert words in diagnostic.message


def test_all_bad_lines_are_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        code("RISCV", "foo", "lw x5,x6", "L: nop", "L: nop")
    assert [item.code for item in caught.value.diagnostics] == ["W0105", "W0106", "W0107"]


def test_a_close_name_is_suggested() -> None:
    with pytest.raises(InputError) as caught:
        code("RISCV", "amoswp.w x5,x6,(x7)")
    assert caught.value.diagnostics[0].help == "did you mean `amoswap.w`?"
