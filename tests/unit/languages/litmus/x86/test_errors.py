"""Every kind of mistake in an x86 test is an error at its place."""

from __future__ import annotations

import pytest

from unit.languages.litmus.texts import found_in, message_of
from unit.languages.litmus.x86.machine import code, program_of


@pytest.mark.parametrize(
    ("dialect", "instruction", "found"),
    [
        ("X86", "MOVE [x],$1", ("W0105", 4, 2)),
        ("X86", "LOCK FOO [x]", ("W0105", 4, 7)),
        ("X86", "LOCK MOV [x],$1", ("W0105", 4, 7)),
        ("X86", "LOCK INC EAX", ("W0105", 4, 2)),
        ("X86", "LOCK", ("W0105", 4, 2)),
        ("X86", "$1", ("W0105", 4, 2)),
        ("X86", "MOV [x]", ("W0106", 4, 2)),
        ("X86", "MOV [x],$1,$2", ("W0106", 4, 2)),
        ("X86", "MOV [x],", ("W0106", 4, 9)),
        ("X86", "MFENCE EAX", ("W0106", 4, 2)),
        ("X86", "MOV [x],[y]", ("W0106", 4, 10)),
        ("X86", "ADD [x],[y]", ("W0106", 4, 10)),
        ("X86", "MOV $1,EAX", ("W0106", 4, 6)),
        ("X86", "MOV EAX,x", ("W0106", 4, 10)),
        ("X86", "MOV EAX,%ebx", ("W0106", 4, 10)),
        ("X86", "MOV EAX,[x", ("W0106", 4, 10)),
        ("X86", "MOV EAX,[]", ("W0106", 4, 10)),
        ("X86", "MOV EAX,[x+y]", ("W0106", 4, 10)),
        ("X86", "MOV EAX,[x-EBX]", ("W0106", 4, 10)),
        ("X86", "MOV EAX,[EBX+ECX+EDX]", ("W0106", 4, 10)),
        ("X86", "MOV EAX,HUGE PTR [x]", ("W0106", 4, 10)),
        ("X86", "MOV EAX,BX", ("W0106", 4, 10)),
        ("X86", "MOV EAX,$0x100000000", ("W0106", 4, 10)),
        ("X86", "MOV QWORD PTR [x],$1", ("W0106", 4, 2)),
        ("X86", "XADD [x],$1", ("W0106", 4, 11)),
        ("X86", "XCHG EAX,$1", ("W0106", 4, 11)),
        ("X86", "SHL EAX,EBX", ("W0106", 4, 10)),
        ("X86", "CMP $1,EAX", ("W0106", 4, 6)),
        ("X86", "SETE EAX", ("W0106", 4, 7)),
        ("X86", "MOVZX EAX,[x]", ("W0106", 4, 12)),
        ("X86", "LEA EAX,EBX", ("W0106", 4, 10)),
        ("X86", "JMP [x]", ("W0106", 4, 6)),
        ("X86", "JMP nowhere", ("W0107", 4, 6)),
        ("X86", "JNE nowhere", ("W0107", 4, 6)),
        ("X86", "MOV AL,[x]", ("W0109", 4, 2)),
        ("X86", "MOV EAX,[x+2]", ("W0109", 4, 2)),
        ("X86_64", "movq $1,(x)", ("W0109", 4, 2)),
        ("X86_64", "movl $1,(eax)", ("W0106", 4, 10)),
        ("X86_64", "movl (x),eax", ("W0106", 4, 11)),
        ("X86_64", "movl (x),%exx", ("W0111", 4, 11)),
        ("X86_64", "movl (%exx),%eax", ("W0111", 4, 7)),
        ("X86_64", "movl (%rax,%rbx,3),%eax", ("W0106", 4, 7)),
        ("X86_64", "movl (%rip),%eax", ("W0106", 4, 7)),
        ("X86_64", "movl (),%eax", ("W0106", 4, 7)),
        ("X86_64", "movl %fs:(x),%eax", ("W0110", 4, 7)),
        ("X86_64", "movq (x),%eax", ("W0106", 4, 11)),
        ("X86", "MOV EAX,$" + "9" * 5000, ("W0106", 4, 10)),
        ("X86_64", "clflush (x)", ("W0105", 4, 2)),
    ],
)
def test_broken_instructions(dialect: str, instruction: str, found: tuple[str, int, int]) -> None:
    assert found_in(lambda: code(dialect, [instruction])) == [found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ARM9 t\n{}\nP0 ;\nNOP ;\n", ("W0101", 1, 1)),
        ("X86 t\n{}\nP0 ;\nL: NOP ;\nL: NOP ;\n", ("W0107", 5, 1)),
        ("X86 t\n{}\nP0 | P1 ;\nL: NOP | JMP L ;\n", ("W0107", 4, 14)),
        ("X86 t\n{}\nP0 ;\nMOV EAX,[x] ;\nexists (x[1]=1)", ("W0104", 5, 9)),
        ("X86 t\n{ int v[2]; }\nP0 ;\nMOV EAX,[v] ;\nexists (v[2]=1)", ("W0104", 5, 9)),
        ("X86 t\n{}\nP0 ;\nNOP ;\nexists (0:RAX=1)", ("W0111", 5, 9)),
        ("X86 t\n{}\nP0 ;\nNOP ;\nexists (1:EAX=1)", ("W0111", 5, 9)),
        ("X86 t\n{ 0:RAX=1; }\nP0 ;\nNOP ;\n", ("W0111", 2, 3)),
        ("X86 t\n{ 2:EAX=1; }\nP0 ;\nNOP ;\n", ("W0111", 2, 3)),
        ("X86 t\n{ %p=x; }\nP0 ;\nNOP ;\n", ("W0110", 2, 3)),
        ("X86 t\n{ x=0x100000000; }\nP0 ;\nNOP ;\n", ("W0112", 2, 3)),
        ("X86 t\n{ colour x; }\nP0 ;\nNOP ;\n", ("W0112", 2, 3)),
        ("X86 t\n{ 0:EAX=x[1]; x=0; }\nP0 ;\nNOP ;\n", ("W0104", 2, 9)),
        ("X86_64 t\n{ int64_t x; 0:rax=x; }\nP0 ;\nmovl (%rax),%ebx ;\n", ("W0109", 4, 1)),
        ("X86_64 t\n{ colour 0:rax; }\nP0 ;\nNOP ;\nexists (0:rax=1)", ("W0112", 2, 3)),
    ],
)
def test_broken_tests(text: str, found: tuple[str, int, int]) -> None:
    assert found_in(lambda: program_of(text)) == [found]


def test_all_mistakes_are_reported_at_once() -> None:
    text = "X86 t\n{}\nP0 | P1 ;\n MOVE [x],$1 | MOV EAX,%x ;\n JMP L | NOP 1 ;\nexists (v[1]=1 /\\ 3:EAX=0)"
    assert found_in(lambda: program_of(text)) == [
        ("W0105", 4, 2),
        ("W0106", 4, 24),
        ("W0107", 5, 6),
        ("W0104", 6, 9),
        ("W0111", 6, 19),
    ]


def test_messages_name_the_problem_and_the_fix() -> None:
    assert message_of(lambda: code("X86", ["MOVE [x],$1"])) == "unknown instruction `MOVE`"
    mixed = message_of(lambda: code("X86_64", ["movq $1,(x)"]))
    assert mixed == "mixed-size access: 8 bytes of `x`, which has 4"
    assert message_of(lambda: program_of("ARM9 t\n{}\n")) == "unknown litmus dialect `ARM9`"
