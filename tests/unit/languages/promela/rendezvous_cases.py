"""Messages that a statement and its escape (`unless`) can both receive at once, and their timeouts."""

from __future__ import annotations

from unit.languages.promela.case import Case

RENDEZVOUS_CASES = (
    Case(
        "a message goes to the escape and not to the statement",
        None,
        "chan c = [0] of { byte };\n"
        "active proctype A() { byte k; { c?k; assert(false) } unless { c?k } }\nactive proctype B() { c!0 }",
    ),
    Case(
        "a message that does not fit the escape goes to the statement",
        "assertions",
        "chan c = [0] of { byte };\n"
        "active proctype A() { byte k; { c?k; assert(false) } unless { c?1 } }\nactive proctype B() { c!0 }",
    ),
    Case(
        "a message that fits one option of the escape",
        None,
        "chan c = [0] of { byte };\nactive proctype A() {\n"
        "  byte k; { c?k; assert(false) } unless { if :: c?1 -> assert(false) :: c?eval(k) fi }\n"
        "}\nactive proctype B() { c!0 }",
    ),
    Case(
        "a message goes to the outermost escape that it fits",
        "assertions",
        "chan c = [0] of { byte };\nbyte x;\nactive proctype A() {\n"
        "  byte k; { { c?k; x = 1 } unless { c?k -> x = 2 } } unless { c?1 -> x = 3 }; assert(x != 2)\n"
        "}\nactive proctype B() { c!0 }",
    ),
    Case(
        "a message goes to no inner escape where the outer one takes it",
        None,
        "chan c = [0] of { byte };\nbyte x;\nactive proctype A() {\n"
        "  byte k; { { c?k; x = 1 } unless { c?k -> x = 2 } } unless { c?0 -> x = 3 }; assert(x == 3)\n"
        "}\nactive proctype B() { c!0 }",
    ),
    Case(
        "a message goes to the escape of an atomic block",
        None,
        "chan c = [0] of { byte };\n"
        "active proctype A() { byte k; { atomic { c?k; assert(false) } } unless { c?k } }\n"
        "active proctype B() { atomic { c!0; skip } }",
    ),
    Case(
        "an escape that receives from elsewhere",
        "assertions",
        "chan c = [0] of { byte };\nchan d = [0] of { byte };\n"
        "active proctype A() { byte k; { c?k; assert(false) } unless { d?k } }\n"
        "active proctype B() { c!0; d!0 }\nactive proctype C() { d!0 }",
    ),
    Case(
        "both sides of a rendezvous have escapes",
        "assertions",
        "chan c = [0] of { byte };\nbyte x;\n"
        "active proctype A() { byte k; { c?k -> x = 1 } unless { c?1 -> x = 2 }; assert(x != 2) }\n"
        "active proctype B() { { c!0 } unless { c!1 } }",
    ),
    Case(
        "an escape with a condition does not keep a message away",
        "assertions",
        "chan c = [0] of { byte };\nbyte x;\n"
        "active proctype A() { byte k; { c?k } unless { x == 0 } }\n"
        "active proctype B() { end: c!0; assert(false) }",
    ),
    Case(
        "the first option of a d_step receives",
        None,
        "chan c = [0] of { byte };\n"
        "active proctype A() { byte k; d_step { if :: c?k :: c?k -> assert(false) fi } }\n"
        "active proctype B() { c!0 }",
    ),
    Case(
        "the second option of a d_step receives what does not fit the first",
        "assertions",
        "chan c = [0] of { byte };\n"
        "active proctype A() { byte k; d_step { if :: c?1 :: c?k -> assert(false) fi } }\n"
        "active proctype B() { c!0 }",
    ),
    Case(
        "an escape has no escape of its own before its first statement",
        "assertions",
        "byte x;\n"
        "active proctype A() { { x = 1; x = 2 } unless { { false } unless { skip } }; assert(x == 0) }",
    ),
    Case(
        "a timeout waits for that of its escape",
        None,
        "byte x;\nactive proctype A() { { timeout; assert(false) } unless { timeout -> x = 1 } }",
    ),
)
