"""Columns of instructions that recur must mean, and point to, what they would without a memory."""

from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from membar.languages.litmus import parse
from membar.languages.litmus.dialects.x86 import column_cache
from membar.program.program import Program
from membar.source import SourceFile, Span

FIRST = """X86 first
{ x=0; }
 P0         | P1         ;
 MOV [x],$1 | MOV [y],$1 ;
 L: MFENCE  | MFENCE     ;
 MOV EAX,[y]| MOV EAX,[x];
 CMP EAX,$1 |            ;
 JNE L      |            ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
OTHERS = (
    FIRST.replace("X86 first\n", 'X86 second\n"a title"\n'),
    FIRST.replace(" | MOV [y],$1", "      |   MOV [y],$1 "),
    FIRST.replace("L: MFENCE ", "\n L:  MFENCE"),
    FIRST.replace("{ x=0; }", "{ y=1; x=2; 0:EAX=7; }"),
    FIRST.replace("{ x=0; }", "{ 0:EAX=x; int64_t z; }"),
    FIRST.replace("P0         | P1         ;", "P0         | P1         (* *);"),
    FIRST.replace("$1 | MOV", "$2 | MOV"),
    FIRST.replace("{ x=0; }", "{ }"),
    FIRST.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "exists (x=1)"),
)


def read(text: str) -> Program:
    return parse(SourceFile("test.litmus", text))


def fresh(text: str) -> Program:
    column_cache.forget()
    return read(text)


def spans(program: Program) -> list[tuple[str, str, int]]:
    found = [thread.span for thread in program.threads]
    found += [edge.span for thread in program.threads for edge in thread.edges]
    found += [item.span for item in program.objects]
    return [(span.path, span.text, span.start) for span in found if span is not None]


@pytest.mark.parametrize("other", OTHERS)
def test_what_was_met_before_is_read_as_if_new(other: str) -> None:
    expected = fresh(other)
    fresh(FIRST)
    again = read(other)
    assert again == expected
    assert spans(again) == spans(expected)
    assert all(other[start : start + len(text)] == text for _, text, start in spans(again))


def test_columns_are_met_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh(FIRST)
    monkeypatch.setattr(column_cache, "keep", None)
    assert read(OTHERS[0]).threads[0].labels == ((1, "L"),)
    with pytest.raises(TypeError):
        read(OTHERS[6])


def test_the_same_column_in_other_widths_of_registers_is_another() -> None:
    column = "\n{ }\n P0 ;\n mfence ;\nexists (x=0)\n"
    fresh("X86 t" + column.replace("x=0", "0:EAX=0"))
    assert read("X86_64 t" + column.replace("x=0", "0:rax=0")).language == "X86_64"


@pytest.mark.parametrize(
    "wrong",
    [
        FIRST.replace("{ x=0; }", "{ int64_t x; }"),  # of another size than what accesses it
        FIRST.replace("{ x=0; }", "{ 0:EAX=8; 3:EAX=1; }"),
        FIRST.replace("0:EAX=0", "0:ZZZ=0"),
        FIRST.replace("MOV EAX,[x]", "MOV EAX,[[x]"),
        FIRST.replace("JNE L", "JNE M"),
    ],
)
def test_what_is_wrong_is_told_as_if_new(wrong: str) -> None:
    with pytest.raises(InputError) as expected:
        fresh(wrong)
    fresh(FIRST)
    for _ in range(2):
        with pytest.raises(InputError) as again:
            read(wrong)
        told = [
            [(item.code, item.message, item.primary and _offsets(item.primary.span)) for item in found]
            for found in (again.value.diagnostics, expected.value.diagnostics)
        ]
        assert told[0] == told[1]


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    column_cache.forget()
    monkeypatch.setattr(column_cache, "_KEPT", 3)
    for number in range(8):
        read(FIRST.replace("$1", f"${number}"))
        assert len(column_cache._known) <= 3


def _offsets(span: Span) -> tuple[int, int]:
    return span.start, span.end
