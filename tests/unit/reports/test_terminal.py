from __future__ import annotations

from dataclasses import replace

import pytest

from membar.questions.outcome import (
    Explored,
    Holds,
    HoldsWithin,
    Outcome,
    Statistics,
    Step,
    Unknown,
    Violated,
    Witness,
)
from membar.reports import executions, terminal
from membar.reports._parts.narrative import narrative
from membar.reports._parts.style import ASCII, join
from membar.reports.terminal import statistics_text
from membar.source import SourceFile
from unit.reports.shapes import (
    LB,
    SB,
    answer_about,
    lb_execution,
    lb_program,
    model,
    run,
    sb_answer,
    sb_execution,
    sb_states,
    sb_witness,
)
from unit.reports.sketch import sketch

PLAIN = r"""SB.litmus: VIOLATED under x86-tso (engine reference; checked condition)
  violated      condition
  condition     ~exists (0:EAX=0 /\ 1:EAX=0)
  observed      1 of 4 executions satisfy the formula
  explored      all executions
  statistics    4 executions, 4 candidates, 0.25 s

both read 0

 P0                               | P1
----------------------------------+----------------------------------
 4: MOV [x],$1   x <- 1           |
 5: MOV EAX,[y]  y -> 0 (initial) |
                                  | 4: MOV [y],$1   y <- 1
                                  | 5: MOV EAX,[x]  x -> 0 (initial)
                                  |   ^ does not see P0:4

  P1's read of x at line 5 does not see P0's write of x at line 4.

  final state: 0:EAX=0; 1:EAX=0;

  4 final states; the one marked * satisfies the formula
    0:EAX  1:EAX
  *     0      0
        0      1
        1      0
        1      1

replay: membar check SB.litmus --model x86-tso --json > SB.json; membar replay SB.json
"""


def test_a_violation_is_told_as_a_thread_table() -> None:
    assert terminal.render(sb_answer()) == PLAIN


def test_a_terminal_shows_the_same_with_other_signs() -> None:
    drawn = terminal.render(sb_answer(), terminal=True, color=False)
    plain = drawn
    for sign, text in (("│", "|"), ("─", "-"), ("┼", "+"), ("→", "->"), ("←", "<-"), ("▲", "^")):
        plain = plain.replace(sign, text)
    assert plain.split() != drawn.split()
    assert [word for word in plain.split() if "-" not in word] == [w for w in PLAIN.split() if "-" not in w]


def test_colour_changes_no_text() -> None:
    import re

    painted = terminal.render(sb_answer(), color=True)
    assert painted != PLAIN
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == PLAIN


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_the_table_keeps_within_the_width(columns: int) -> None:
    text = terminal.render(sb_answer(), columns=columns)
    table = text[text.index("P0") :].splitlines()[:8]
    assert all(len(line) <= columns for line in table)


def test_a_read_from_further_down_is_marked() -> None:
    witness = Witness(execution=lb_execution(), final=(("0:X0", 1), ("1:X0", 1)))
    answer = answer_about(SourceFile("LB.litmus", LB), lb_program(), model("armv8"), Holds(run(), witness))
    text = terminal.render(answer)
    assert "(from P0:6)" in text
    assert "^ sees P0:6, further down" in text
    assert "P1's read of y at line 4 sees P0's write of y at line 6, further down." in text


def test_an_interleaving_says_that_no_weak_memory_is_needed() -> None:
    witness = replace(sb_witness(), execution=sb_execution((0, 1)), final=(("0:EAX", 0), ("1:EAX", 1)))
    assert "weak memory plays no part" in terminal.render(sb_answer(Violated(run(), "condition", witness)))


@pytest.mark.parametrize(
    ("outcome", "first", "fact"),
    [
        (Holds(run()), "HOLDS under", "guarantee     all executions"),
        (HoldsWithin(run(), "loops unrolled 4 times"), "HOLDS WITHIN under", "4 times (chosen by membar)"),
        (
            HoldsWithin(run(), "buffers of 2", chosen_by_user=True),
            "HOLDS WITHIN under",
            "bound         buffers of 2",
        ),
        (Unknown(run(), "time limit"), "UNKNOWN under", "reason        time limit"),
        (Explored(run(), complete=False), "EXPLORED under", "not all of it"),
    ],
)
def test_every_verdict_has_its_word_and_its_reason(outcome: Outcome, first: str, fact: str) -> None:
    text = terminal.render(sb_answer(outcome))
    assert text.startswith(f"SB.litmus: {first}")
    assert fact in text
    assert "replay" not in text


def test_the_first_line_names_what_was_not_checked() -> None:
    answer = sb_answer(Holds(run(checked=("assertions", "races"), unchecked=("termination",))))
    assert terminal.one_line(answer) == (
        "SB.litmus: HOLDS under x86-tso "
        "(engine reference; checked assertions, races; not checked: termination)"
    )


def test_flags_and_notes_are_shown() -> None:
    text = terminal.render(sb_answer(Holds(run(flags=("data-race",), notes=("loop at line 3 cut",)))))
    assert "  flags         data-race\n" in text
    assert "  note          loop at line 3 cut\n" in text


def test_more_threads_than_fit_become_a_list() -> None:
    _, program, execution = sketch(*("W x 1; R y 0" if i % 2 else "W y 1; R x 0" for i in range(6)))
    text = join(
        narrative(program, Witness(execution=execution, final=()), columns=80, signs=ASCII), color=False
    )
    assert " P5  6: W x 1  x <- 1" in text
    assert "|" not in text


def test_a_run_shows_the_store_buffers() -> None:
    empty: tuple[tuple[str, int], ...] = ()
    steps = (
        Step(
            thread=0,
            action="buffer x = 1",
            event=2,
            memory=(("x", 0), ("y", 0)),
            buffers=((("x", 1),), empty),
        ),
        Step(thread=0, action="local step", memory=(("x", 0), ("y", 0)), buffers=((("x", 1),), empty)),
        Step(
            thread=0, action="read y = 0", event=3, memory=(("x", 0), ("y", 0)), buffers=((("x", 1),), empty)
        ),
        Step(thread=0, action="flush x = 1", event=2, memory=(("x", 1), ("y", 0)), buffers=(empty, empty)),
    )
    answer = sb_answer(Violated(run(), "condition", replace(sb_witness(), steps=steps)))
    assert join(executions.execution(answer), color=False) == (
        " P0                               | P1\n"
        "----------------------------------+----\n"
        " 4: MOV [x],$1   x <- 1           |\n"
        "   buffer: x=1                    |\n"
        " 5: MOV EAX,[y]  y -> 0 (initial) |\n"
        " flush x = 1                      |\n"
        "   buffer: empty                  |\n"
        "\n"
        "  final state: 0:EAX=0; 1:EAX=0;\n"
    )


def test_many_states_are_cut_and_the_marked_ones_stay() -> None:
    states = tuple((("0:EAX", a), ("1:EAX", b)) for a in range(9, -1, -1) for b in range(9, -1, -1))
    text = terminal.render(sb_answer(Holds(run(outcomes=states))))
    assert "100 final states" in text
    assert "  *     0      0\n" in text
    assert "and 76 more (--json lists all)" in text


def test_states_too_wide_for_a_table_are_listed() -> None:
    text = terminal.render(sb_answer(Holds(run(outcomes=sb_states()))), columns=14)
    assert "  * 0:EAX=0;\n      1:EAX=0;" in text


def test_the_replay_command_quotes_file_names() -> None:
    assert terminal.replay_command("a b.litmus", "x86-tso") == (
        "membar check 'a b.litmus' --model x86-tso --json > 'a b.json'; membar replay 'a b.json'"
    )


def test_statistics_leave_out_what_was_not_counted() -> None:
    assert statistics_text(Statistics(states=1, transitions=7, seconds=1.5, peak_bytes=1 << 20)) == (
        "1 state, 7 transitions, 1.50 s, 1.0 MiB"
    )


def test_source_lines_are_quoted_with_their_numbers() -> None:
    text = terminal.render(sb_answer())
    for number, line in enumerate(SB.splitlines(), start=1):
        for cell in line.strip(" ;").split("|"):
            if "MOV" in cell:
                assert f"{number}: {cell.strip()}" in text
