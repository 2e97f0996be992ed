from __future__ import annotations

import pytest

from membar.diagnostics import Diagnostic, InputError, Label
from membar.reports import diagnostic
from membar.source import SourceFile


def shown(text: str, start: int, end: int, note: str = "here", **fields: str) -> list[str]:
    source = SourceFile("t.litmus", text)
    item = Diagnostic(code="W0104", message="wrong", primary=Label(source.span(start, end), note), **fields)  # type: ignore[arg-type]
    return diagnostic.render(item).splitlines()


def test_the_offending_text_is_underlined_with_what_was_expected() -> None:
    text = "X86 SB\n{ x=0; }\n MOV EAX,[z] | MOV EAX,[x] ;\n"
    start = text.index("z")
    assert shown(text, start, start + 1, "not declared", help="declare it: `{ z=0; }`") == [
        "error[W0104]: wrong",
        " --> t.litmus:3:11",
        "  |",
        "3 |  MOV EAX,[z] | MOV EAX,[x] ;",
        "  |           ^ not declared",
        "  = help: declare it: `{ z=0; }`",
    ]


def test_tabs_keep_the_underline_in_place() -> None:
    lines = shown("\ta\tbad\n", 3, 6)
    assert lines[3] == "1 |     a   bad"
    assert lines[4] == "  |         ^^^ here"


@pytest.mark.parametrize("text", ["abc", "abc\n", ""])
def test_a_place_at_the_end_of_the_file_gets_one_sign(text: str) -> None:
    lines = shown(text, len(text), len(text), "the file ends here")
    assert lines[-1].endswith("^ the file ends here")


def test_an_empty_line_can_be_pointed_at() -> None:
    assert shown("a\n\nb\n", 2, 2)[1:] == [" --> t.litmus:2:1", "  |", "2 |", "  | ^ here"]


def test_a_long_span_shows_its_first_lines_and_its_last() -> None:
    text = "".join(f"line {i}\n" for i in range(1, 9))
    lines = shown(text, 2, len(text) - 1)
    assert [line[0] for line in lines if line[:1].isdigit()] == ["1", "2", "3", "8"]
    assert "..." in lines
    assert lines[-1] == "  | ^^^^^^ here"


def test_a_very_long_line_is_cut_around_the_place() -> None:
    text = "a" * 500 + "BAD" + "c" * 500 + "\n"
    lines = shown(text, 500, 503)
    assert all(len(line) <= 110 for line in lines)
    column = lines[4].index("^^^")
    assert lines[3][column : column + 3] == "BAD"


def test_other_places_are_underlined_by_dashes_in_their_own_file() -> None:
    one, two = SourceFile("one.cat", "let a = b\n"), SourceFile("two.cat", "let b = 0\n")
    item = Diagnostic(
        code="W0201",
        message="unknown",
        primary=Label(one.span(8, 9), "used"),
        others=(Label(one.span(4, 5), "inside"), Label(two.span(4, 5), "meant?")),
    )
    assert diagnostic.render(item).splitlines()[1:] == [
        " --> one.cat:1:9",
        "  |",
        "1 | let a = b",
        "  |     - inside",
        "  |         ^ used",
        " --> two.cat:1:5",
        "  |",
        "1 | let b = 0",
        "  |     - meant?",
    ]


def test_control_characters_cannot_move_the_cursor() -> None:
    assert "\x1b" not in "\n".join(shown("a \x1b[2J b\n", 2, 3))


def test_colours_come_only_when_asked_for_and_change_no_text() -> None:
    item = Diagnostic(code="W0400", message="no such file")
    assert diagnostic.render(item) == "error[W0400]: no such file\n"
    assert "\x1b[" in diagnostic.render(item, color=True)


def test_wide_characters_count_two_columns() -> None:
    lines = shown("日本 bad\n", 3, 6)
    assert lines[4] == "  |      ^^^ here"


def test_every_diagnostic_of_an_error_is_rendered() -> None:
    items = [Diagnostic(code=f"W010{i}", message=f"m{i}") for i in range(2)]
    assert diagnostic.render_error(InputError(*items)) == "error[W0100]: m0\n\nerror[W0101]: m1\n"
