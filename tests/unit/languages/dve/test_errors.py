"""What is wrong with a text, and where."""

from __future__ import annotations

import pytest

from unit.languages.dve.texts import codes, problems, process, whole

ONE = process()
PROPERTY = "process N {{ {local} state q; init q; {head} trans q -> q {{ {body} }}; }}\n"


def prop(body: str = "", *, local: str = "", head: str = "") -> str:
    """A text with a property."""
    automaton = PROPERTY.format(body=body, local=local, head=head)
    return whole("channel c; byte g;", ONE, automaton, system="system async property N;")


CASES = [
    ("byte x $;", "W1001", "unexpected character `$`"),
    ("/* // */ " + whole(ONE), "W1001", "a comment that never ends"),
    ("byte 3x;" + whole(ONE), "W1001", "`3x` is neither a number nor a name"),
    ("byte x " + whole(ONE), "W1002", "unexpected `process`"),
    ("float x;" + whole(ONE), "W1002", "unexpected `float`"),
    ("byte x[2][2];" + whole(ONE), "W1002", "unexpected `[`"),
    (ONE, "W1002", "unexpected end of input"),
    ("system async;", "W1002", "unexpected `system`"),
    (whole(ONE, system="system;"), "W1002", "unexpected `;`"),
    (whole(ONE) + "byte x;", "W1002", "unexpected `byte`"),
    (whole("process P { state a; trans a -> a {}; }\n"), "W1002", "unexpected `trans`"),
    (whole("process P { init a; }\n"), "W1002", "unexpected `init`"),
    (whole(process("effect g = 1; guard true;")), "W1002", "unexpected `guard`"),
    (whole(process("guard !g;")), "W1002", "unexpected `!`"),
    (whole(process("sync c;")), "W1002", "unexpected `;`"),
    (whole(process("effect g++;")), "W1002", "unexpected `+`"),
    (whole(process("guard (1;")), "W1002", "unexpected `;`"),
    (whole("process process { state a; init a; }\n"), "W1002", "unexpected `process`"),
    ("channel c[1];" + whole(ONE), "W1002", "unexpected `[`"),
    ("channel {byte} c;" + whole(ONE), "W1002", "unexpected `;`"),
    ("byte x = 99999999999;" + whole(ONE), "W1003", "`99999999999` does not fit"),
    (whole(process("guard " + "(" * 400 + "1;")), "W1003", "the expression is nested too deeply"),
    (whole(process("guard 1" + " / 1" * 400 + ";")), "W1003", "the expression is nested too deeply"),
    ("byte v[100000];" + whole(ONE), "W1003", "`v` is too large"),
    (whole(process(head="init b;")), "W1004", "a duplicate `init`"),
    (prop(head="accept rabin (q; q);"), "W1005", "the acceptance condition `rabin`"),
    (prop(head="accept streett (q; q);"), "W1005", "the acceptance condition `streett`"),
    (prop(head="accept muller (q);"), "W1005", "the acceptance condition `muller`"),
    (prop("sync c!;"), "W1005", "a synchronisation in a property"),
    (prop("effect g = 1;"), "W1005", "an effect in a property"),
    (prop(local="byte x;"), "W1005", "a variable in a property"),
    (prop(head="commit q;"), "W1005", "`commit` in a property"),
    (whole("process P { state a; init a; trans a => { a:1 }; }\n"), "W1005", "a probabilistic transition"),
    (whole(process(head="commit b;"), system="system sync;"), "W1005", "`commit` in a synchronous system"),
    (whole(ONE, system="system sync; errors legacy;"), "W1005", "a synchronous system with legacy"),
    ("channel {byte} c[1];" + whole(ONE) + "errors legacy;", "W1005", "buffered channels with legacy"),
    (whole(process(head="commit b;")) + "errors legacy;", "W1005", "`commit` with legacy"),
    ("byte x = 256;" + whole(ONE), "W1006", "256 does not fit into a byte"),
    ("byte x = y;" + whole(ONE), "W1006", "not a constant"),
    ("int x = 1 / 0;" + whole(ONE), "W1006", "a division by zero"),
    ("byte v[2] = 1;" + whole(ONE), "W1006", "the initial value of `v` does not fit"),
    ("byte x = {1};" + whole(ONE), "W1006", "the initial value of `x` does not fit"),
    ("byte v[0];" + whole(ONE), "W1006", "`v` has no elements"),
    ("byte x; int x;" + whole(ONE), "W1007", "`x` is declared twice"),
    (whole(ONE, ONE), "W1007", "`P` is declared twice"),
    (whole("process P { state a, a; init a; }\n"), "W1007", "`a` is declared twice"),
    ("byte c; channel c;" + whole(ONE), "W1007", "`c` is declared twice"),
    (whole(process("guard x;")), "W1008", "unknown variable `x`"),
    (whole(process("sync c!;")), "W1008", "unknown channel `c`"),
    (whole(process("guard Q.a;")), "W1008", "unknown process `Q`"),
    (whole(process("guard P.c;")), "W1008", "unknown state of `P` `c`"),
    (whole(process(head="commit c;")), "W1008", "unknown state of `P` `c`"),
    (whole("process P { state a; init b; }\n"), "W1008", "unknown state of `P` `b`"),
    (whole(ONE, system="system async property N;"), "W1008", "unknown process `N`"),
    (prop("guard P->z;"), "W1008", "unknown variable of `P` `z`"),
    (whole(ONE) + "atomic z, *;", "W1008", "unknown global variable `z`"),
    ("byte z;" + whole(ONE) + "atomic z, P.2;", "W1008", "`P` has no transition 2"),
    (whole(ONE) + "error P.z;", "W1008", "unknown state of `P` `z`"),
    ("const byte K = 1;" + whole(process("effect K = 2;")), "W1009", "`K` is a constant"),
    ("byte v[2];" + whole(process("effect v = 2;")), "W1009", "`v` is an array"),
    ("byte x;" + whole(process("guard x[0];")), "W1009", "`x` is not an array"),
    (whole(process("guard P->x;", local="byte x;")), "W1009", "`P->x` outside a property"),
    ("byte v[2];" + whole(ONE) + "error v[2];", "W1009", "`v[2]` is out of bounds"),
    (prop("guard N.q;"), "W1009", "`N` is the property process itself"),
    ("channel {byte} c[1];" + whole(process("sync c!;")), "W1010", "a message of 0 values on `c`"),
    (
        "channel c;" + whole(process("sync c!1;"), process("sync c!{1, 2};", name="Q")),
        "W1010",
        "a message of 1",
    ),
    (
        "byte x; channel c;" + whole(process("sync c!;"), process("sync c?x;", name="Q")),
        "W1010",
        "a message of 1",
    ),
]


@pytest.mark.parametrize(("text", "code", "message"), CASES)
def test_bad_input_is_named_and_placed(text: str, code: str, message: str) -> None:
    found = problems(text)
    assert codes(found)[0] == code
    assert found[0].message.startswith(message)
    assert found[0].primary is not None
    assert 0 <= found[0].primary.span.start <= len(text)


def test_every_mistake_is_told() -> None:
    text = "byte x y; byte z = 300\n;" + whole(process("guard ();"), process("effect = 1;", name="Q"))
    assert codes(problems(text)) == ["W1002"] * 3


def test_a_close_name_is_suggested() -> None:
    (found,) = problems("byte flag;" + whole(process("guard flap;")))
    assert found.help == "did you mean `flag`?"
