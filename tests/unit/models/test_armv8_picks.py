"""Picks in the armv8 model: what a conditional select holds back, and what it does not.

All tests are derived by hand from the architecture's rules for pick dependencies.
"""

from __future__ import annotations

import pytest

from unit.models.test_armv8 import PUBLISH, SEEN, is_allowed

FLAG = "LDR W0,[X11]; "
COMPARED = f"{FLAG}CMP W0,#1; "

# Between reading the flag and reading the data; and whether the data may be missed.
READERS = [
    # The address is decided by the flag, but not computed from it.
    (f"{COMPARED}CSEL X3,X10,X10,EQ; LDR W2,[X3]", True),
    (f"{COMPARED}CSET W3,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", True),
    (f"{COMPARED}CSETM W3,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", True),
    (f"{COMPARED}CINC W3,W20,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", True),
    (f"{COMPARED}CSINC W3,W20,W21,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", True),
    (f"{COMPARED}CSINV W3,W20,W21,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", True),
    (f"{COMPARED}CSNEG W3,W20,W21,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", True),
    (f"{COMPARED}CCMP W20,#1,#0,EQ; CSET W3,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", True),
    # The source that is taken is computed from the flag; the other one does not count.
    (f"{FLAG}EOR W3,W0,W0; ADD X4,X10,W3,SXTW; CMP W20,#1; CSEL X5,X4,X10,EQ; LDR W2,[X5]", False),
    (f"{FLAG}EOR W3,W0,W0; ADD X4,X10,W3,SXTW; CMP W20,#1; CSEL X5,X4,X10,NE; LDR W2,[X5]", True),
    (f"{COMPARED}CSEL W3,W0,W0,EQ; EOR W3,W3,W3; LDR W2,[X10,W3,SXTW]", False),
    # Reads may guess; what an ISB holds back may not.
    (f"{COMPARED}CSEL W3,W20,W21,EQ; CBNZ W3,L; L: LDR W2,[X10]", True),
    (f"{COMPARED}CSEL W3,W20,W21,EQ; CBNZ W3,L; L: ISB; LDR W2,[X10]", False),
    (f"{COMPARED}CCMP W20,#1,#0,EQ; B.EQ L; L: ISB; LDR W2,[X10]", False),
    (f"{COMPARED}CSEL X3,X12,X12,EQ; LDR W4,[X3]; LDR W2,[X10]", True),
    (f"{COMPARED}CSEL X3,X12,X12,EQ; LDR W4,[X3]; ISB; LDR W2,[X10]", False),
    (f"{COMPARED}CSEL W3,W20,W21,EQ; ISB; LDR W2,[X10]", True),
    # A plain dependency through memory orders reads, a pick does not.
    (f"{FLAG}STR W0,[X12]; LDR W4,[X12]; EOR W5,W4,W4; LDR W2,[X10,W5,SXTW]", False),
    (f"{COMPARED}CSET W3,EQ; STR W3,[X12]; LDR W4,[X12]; EOR W5,W4,W4; LDR W2,[X10,W5,SXTW]", True),
    (f"{COMPARED}CSET W3,EQ; STR W3,[X12]; LDR W4,[X12]; CBNZ W4,L; L: ISB; LDR W2,[X10]", False),
]


@pytest.mark.parametrize(("reader", "allowed"), READERS)
def test_reads_go_ahead_of_picks(reader: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert is_allowed([PUBLISH, reader], SEEN) is allowed


# Between reading y and writing 1 to x, where the other thread passes x on to y; and whether both may read 1.
WRITERS = [
    (f"{COMPARED}CSEL W3,W20,W21,EQ; STR W20,[X10]", True),
    (f"{COMPARED}CSEL W3,W20,W20,EQ; STR W3,[X10]", False),
    (f"{COMPARED}CSET W3,EQ; STR W3,[X10]", False),
    (f"{COMPARED}CSETM W3,EQ; NEG W3,W3; STR W3,[X10]", False),
    (f"{COMPARED}CINC W3,WZR,EQ; STR W3,[X10]", False),
    (f"{COMPARED}CSINC W3,WZR,WZR,NE; STR W3,[X10]", False),
    (f"{COMPARED}CSEL X3,X10,X10,EQ; STR W20,[X3]", False),
    (f"{COMPARED}CSEL W3,W20,W21,EQ; CBNZ W3,L; L: STR W20,[X10]", False),
    (f"{COMPARED}CSEL X3,X12,X12,EQ; LDR W4,[X3]; STR W20,[X10]", False),
    (f"{COMPARED}CSEL X3,X12,X12,EQ; LDR W4,[X12]; STR W20,[X10]", True),
    (f"{COMPARED}CSEL W3,WZR,WZR,EQ; CAS W3,W20,[X10]", False),
    (f"{FLAG}LDSMAX W0,W4,[X10]", False),
    (f"{FLAG}UMAX W3,W0,#1; STR W3,[X10]", False),
    # A conditional comparison picks by the flags before it, and compares only if they say so.
    (f"{COMPARED}CCMP W20,#1,#0,EQ; CSET W3,EQ; STR W3,[X10]", False),
    (f"{FLAG}CMP W20,#2; CCMP W0,#1,#4,EQ; CSET W3,EQ; STR W3,[X10]", True),
    (f"{FLAG}CMP W20,#2; CCMP W0,#1,#4,NE; CSET W3,EQ; STR W3,[X10]", False),
    # Only the source that is taken counts.
    (f"{FLAG}EOR W3,W0,W0; ADD W3,W3,#1; CMP W20,#1; CSEL W4,W20,W3,EQ; STR W4,[X10]", True),
    (f"{FLAG}EOR W3,W0,W0; ADD W3,W3,#1; CMP W20,#1; CSEL W4,W20,W3,NE; STR W4,[X10]", False),
    # Through memory: no write that follows from what was picked leaves before.
    (f"{COMPARED}CSET W3,EQ; STR W3,[X12]; LDR W4,[X12]; STR W20,[X10]", True),
    (f"{COMPARED}CSET W3,EQ; STR W3,[X12]; LDR W4,[X12]; STR W4,[X10]", False),
    (f"{COMPARED}CSET W3,EQ; STR W3,[X12]; LDR W4,[X12]; CMP W4,#1; CSET W5,EQ; STR W5,[X10]", False),
]


@pytest.mark.parametrize(("writer", "allowed"), WRITERS)
def test_writes_wait_for_picks(writer: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    passes_on = "LDR W0,[X10]; STR W0,[X11]"
    assert is_allowed([passes_on, writer], r"0:X0=1 /\ 1:X0=1") is allowed
