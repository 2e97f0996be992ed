"""Translated texts: the paper's figure, the padded example, what is refused, and the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.models.model import Operational
from membar.questions.export import write_buffers
from membar.questions.task import Options
from membar.source import SourceFile

# A program as in Barnat's figure 1: `A` stores twice, `B` waits for the first store.
FIGURE = """
byte x, y;
process A {
state q0, q1, q2; init q0;
trans q0 -> q1 { effect x = 1; }, q1 -> q2 { effect y = 1; };
}
process B {
state q0, q1; init q0;
trans q0 -> q1 { guard x == 1; effect y = (y * 2) & 7; };
}
system async;
"""

# NOTES: store buffering behind two more stores: seen with tso(3) and cam(2), not with tso(2) or cam(1).
PADDED = """
byte x, y, z, w;
process P {
byte r;
state a, b, c, d, e; init a;
trans a -> b { effect x = 1; }, b -> c { effect y = 0; }, c -> d { effect y = 0; }, d -> e { effect r = z; };
}
process Q {
byte s;
state a, b, c, d, e; init a;
trans a -> b { effect z = 1; }, b -> c { effect w = 0; }, c -> d { effect w = 0; }, d -> e { effect s = x; };
}
system async;
error P.e and Q.e and P->r == 0 and Q->s == 0;
"""


def text_of(text: str, discipline: str, bound: int, to: str, *, fair: bool = True) -> str:
    program = membar.parse(SourceFile("test.dve", text))
    return write_buffers(program, Operational(discipline), bound, to=to, fair=fair)


def verdict(text: str, to: str, *, fair: str = "buffers") -> str:
    ending = {"dve": "dve", "promela": "pml"}[to]
    options = Options(fair=frozenset({fair}) if fair else frozenset())
    return membar.check(SourceFile(f"again.{ending}", text), model="sc", options=options).verdict


def test_the_instrumented_model_of_the_paper() -> None:
    text = text_of(FIGURE, "cam", 1, "dve")
    process_b = text[text.index("process B") : text.index("process MM")]
    assert "byte sb_x_A = 0;" in text
    assert "byte i_x_A = 0;" in text
    assert "byte queue_A[2];" in text
    assert "q0 -> q1 { guard (i_x_A == 0); effect sb_x_A = 1, i_x_A = 1, queue_A[len_A] = 1" in text
    # `B` never stores x, so it reads memory; where its own y is buffered, storing it again must wait.
    assert process_b.count("q0 -> q1") == 1
    assert "guard (x == 1) and (i_y_B == 0);" in process_b
    assert text[text.index("process MM") :].count("flush -> flush") == 3
    assert verdict(text, "dve") == "holds"


def test_copies_read_from_the_buffer_or_from_memory() -> None:
    text = """byte x, y;
process A { byte r; state q0, q1, q2; init q0;
trans q0 -> q1 { effect x = 1; }, q1 -> q2 { effect r = x; }; }
system async;
"""
    found = text_of(text, "cam", 1, "dve")
    assert "q1 -> q2 { guard (i_x_A == 0); effect r = x; }" in found
    assert "q1 -> q2 { guard (i_x_A == 1); effect r = sb_x_A; }" in found


@pytest.mark.parametrize("to", ["dve", "promela"])
@pytest.mark.parametrize(
    ("discipline", "bound", "expected"),
    [
        ("tso", 2, "holds"),
        ("tso", 3, "violated"),
        ("cam", 1, "holds"),
        ("cam", 2, "violated"),
        ("pso", 1, "violated"),
    ],
)
def test_the_padded_example(discipline: str, bound: int, expected: str, to: str) -> None:
    assert verdict(text_of(PADDED, discipline, bound, to), to) == expected


@pytest.mark.parametrize("to", ["dve", "promela"])
@pytest.mark.parametrize(("rule", "expected"), [("own", "violated"), ("all", "holds")])
def test_the_two_rules_of_atomic_writes(rule: str, expected: str, to: str) -> None:
    """One write to x is atomic: enough only if it waits for all buffers (NOTES, figure 6)."""
    text = f"""byte x, y;
process A {{ state a1, a2, a3; init a1; trans a1 -> a2 {{ effect x = 1; }}, a2 -> a3 {{ effect y = 1; }}; }}
process B {{ state b1, b2, b3; init b1; trans b1 -> b2 {{ guard y == 1; effect x = 2; }}, b2 -> b3 {{ }}; }}
system async;
atomic x, B.1;
atomic rule {rule};
error B.b3 and x == 1;
"""
    expected_now = membar.check(SourceFile("t.dve", text), model="pso", options=Options(buffers=1)).verdict
    assert expected_now.removesuffix("-within") == expected
    assert verdict(text_of(text, "pso", 1, to), to) == expected


@pytest.mark.parametrize("to", ["dve", "promela"])
def test_formulas_assume_fairness_to_buffers(to: str) -> None:
    text = """byte x, y;
process A { state a, b; init a;
trans a -> b { effect x = 1; }, b -> b { effect y = 1 - y; }; }
process B { state c, d; init c; trans c -> c { }, c -> d { guard x == 1; }; }
system async;
ltl F x == 1 or G A.a;
"""
    assert verdict(text_of(text, "tso", 2, to, fair=True), to, fair="") == "holds"
    assert verdict(text_of(text, "tso", 2, to, fair=False), to, fair="") == "violated"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "channel c;\nprocess P { state s; init s; trans s -> s { sync c!; }; }\nsystem async;\n",
            "channels",
        ),
        (
            "byte x;\nprocess P { state s; init s; trans s -> s { effect x = 1, x = 0; }; }\nsystem async;\n",
            "stores more than 1 times",
        ),
        (
            "byte x;\nprocess P { state s; init s; trans s -> s { effect x = 1; }; }\n"
            "process N { state q; init q; accept q; trans q -> q { guard x == 0; }; }\n"
            "system async property N;\n",
            "fairness to store buffers",
        ),
    ],
)
def test_what_cannot_be_said_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        text_of(text, "cam", 1, "dve")
    assert what in caught.value.diagnostics[0].message
    assert caught.value.diagnostics[0].code == "W1101"


def test_a_property_process_is_kept_where_nothing_is_assumed() -> None:
    text = (
        "byte x;\nprocess P { state s, t; init s; trans s -> t { effect x = 1; }, t -> t { }; }\n"
        "process N { state q; init q; accept q; trans q -> q { guard x == 0; }; }\n"
        "system async property N;\n"
    )
    found = text_of(text, "cam", 1, "dve", fair=False)
    assert "system async property N;" in found
    assert verdict(found, "dve", fair="") == "violated"
    assert "never N {" in text_of(text, "cam", 1, "promela", fair=False)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, writes = tmp_path / "figure.dve", tmp_path / "atomic.txt"
    file.write_text(FIGURE, encoding="utf-8")
    writes.write_text("x, A.1  # the first store\n*, B\n", encoding="utf-8")
    command = ["translate", str(file), "--to", "dve", "--model", "cam", "--atomic", str(writes)]
    assert cli.main([*command, "--error", "x == 1 and y == 0"]) == 0
    text = capsys.readouterr().out
    assert "sb_x_A" not in text
    assert "sb_y_A" in text
    assert "error ((x == 1) and (y == 0));" in text
    assert cli.main([*command[:4], "--model", "armv8"]) == 2
    assert "W1101" in capsys.readouterr().err
    assert cli.main([*command, "--fair", "processes"]) == 2
    assert cli.main(["translate", str(file), "--to", "promela", "--model", "pso", "--buffers", "2"]) == 0
    assert "active proctype flush_y_A()" in capsys.readouterr().out
