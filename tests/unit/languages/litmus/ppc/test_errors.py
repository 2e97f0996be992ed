"""Bad Power tests get located errors that say what was expected."""

from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from unit.languages.litmus.assembly.single import code

# instruction, state, code, underlined text, words of the message
BAD_INSTRUCTIONS = [
    ("foo r3,r4", "", "W0105", "foo", "unknown Power instruction"),
    ("stwcx r3,r0,r4", "", "W0105", "stwcx", "unknown Power instruction"),
    ("lwau r3,4(r4)", "", "W0105", "lwau", "unknown Power instruction"),
    ("li r32,1", "", "W0106", "r32", "not a register of Power"),
    ("li x3,1", "", "W0106", "x3", "not a register of Power"),
    ("li r3,32768", "", "W0106", "32768", "out of range"),
    ("ori r3,r4,-1", "", "W0106", "-1", "out of range"),
    ("cmplwi r3,-1", "", "W0106", "-1", "out of range"),
    ("rlwinm r3,r4,32,0,31", "", "W0106", "32", "out of range"),
    ("rlwinm r3,r4,3", "", "W0106", "rlwinm r3,r4,3", "needs a number"),
    ("lwz r3,r4", "", "W0106", "r4", "not an address"),
    ("lwz r3,0(r0)", "", "W0106", "0(r0)", "means 0"),
    ("stwux r3,r0,r4", "", "W0106", "r0", "cannot be updated"),
    ("lwzu r4,4(r4)", "", "W0106", "lwzu r4,4(r4)", "both loaded and updated"),
    ("lwzx r3,r4", "", "W0106", "lwzx r3,r4", "needs a register"),
    ("sync 2", "", "W0106", "2", "out of range"),
    ("beq cr8,L", "", "W0106", "L", "too many operands"),
    ("beq nowhere", "", "W0107", "nowhere", "not defined"),
    ("ld r3,0(r4)", "int x; 0:r4=x", "W0109", "ld r3,0(r4)", "mixed-size"),
    ("nop", "0:x5=1", "W0111", "0:x5", "not a register of Power"),
    ("nop", "2:r5=1", "W0111", "2:r5", "no thread 2"),
]


@pytest.mark.parametrize(("instruction", "state", "number", "place", "words"), BAD_INSTRUCTIONS)
def test_bad_instruction_is_located(
    instruction: str, state: str, number: str, place: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        code("PPC", instruction, state=state)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == number
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.text == place
    assert words in diagnostic.message
