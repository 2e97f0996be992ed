"""What x86 instructions compute, and which events they are."""

from __future__ import annotations

import pytest

from membar.program.expr import Address, Constant, Register
from membar.program.operations import Fence, Load, Operation, Rmw, Set, Store
from unit.languages.litmus.x86.machine import code, operations, program_of, run

X = Address("x")
LOCK = frozenset({"X"})


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("X86", "MOV [x],$1", [Store(address=X, value=Constant(1), size=4)]),
        ("X86", "mov [x], 1", [Store(address=X, value=Constant(1), size=4)]),
        ("X86", "MOV DWORD PTR [x],$0x10", [Store(address=X, value=Constant(16), size=4)]),
        ("X86", "MOVL [x],EBX", [Store(address=X, value=Register("EBX"), size=4)]),
        ("X86", "MOV EAX,[x]", [Load(register="EAX", address=X, size=4)]),
        ("X86", "MOV EAX,[EBX]", [Load(register="EAX", address=Register("EBX"), size=4)]),
        ("X86", "MOV EAX,$2", [Set("EAX", Constant(2))]),
        ("X86", "MFENCE", [Fence(frozenset({"MFENCE"}))]),
        ("X86", "lfence", [Fence(frozenset({"LFENCE"}))]),
        ("X86", "SFENCE", [Fence(frozenset({"SFENCE"}))]),
        ("X86", "NOP", []),
        ("X86", "PAUSE", []),
        ("X86_64", "movl $1,(x)", [Store(address=X, value=Constant(1), size=4)]),
        ("X86_64", "mov $-1,(x)", [Store(address=X, value=Constant(0xFFFFFFFF), size=4)]),
        ("X86_64", "movl $1,x(%rip)", [Store(address=X, value=Constant(1), size=4)]),
        ("X86_64", "movl (x),%eax", [Load(register="rax", address=X, size=4)]),
        ("X86_64", "MOVL (x),%R9D", [Load(register="r9", address=X, size=4)]),
        ("X86_64", "movl %cs:(%rdi),%esi", [Load(register="rsi", address=Register("rdi"), size=4)]),
        ("X86_64", "endbr64", []),
        ("X86_64", "NOPL %cs:0(%rax,%eax,0)", []),
        ("X86_64", "movq $x,%rax", [Set("rax", X)]),
    ],
)
def test_operations(dialect: str, text: str, expected: list[Operation]) -> None:
    (thread,) = code(dialect, [text]).threads
    assert operations(thread) == expected
    assert [edge.span.text for edge in thread.edges if edge.span] == [text]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("X86", "XCHG [x],EAX"),
        ("X86", "xchg EAX, [x]"),
        ("X86", "LOCK XCHG [x],EAX"),
        ("X86", "LOCK INC [x]"),
        ("X86", "lock add [x], $1"),
        ("X86", "LOCK XADD [x],EAX"),
        ("X86", "LOCK CMPXCHG [x],EBX"),
        ("X86_64", "xchgl %eax,(x)"),
        ("X86_64", "lock decl (x)"),
        ("X86_64", "lock orl $0,(x)"),
    ],
)
def test_locked_instructions_are_one_event_pair_in_one_step(dialect: str, text: str) -> None:
    (thread,) = code(dialect, [text]).threads
    (edge,) = thread.edges
    changes = [op for op in edge.operations if isinstance(op, Rmw | Load | Store)]
    (change,) = changes
    assert isinstance(change, Rmw)
    assert (change.address, change.size, change.read_tags, change.write_tags) == (X, 4, LOCK, LOCK)


@pytest.mark.parametrize("text", ["INC [x]", "ADD [x],$1", "XADD [x],EAX", "CMPXCHG [x],EBX", "NEG [x]"])
def test_without_lock_load_and_store_are_two_steps(text: str) -> None:
    (thread,) = code("X86", [text]).threads
    load, store = thread.edges
    assert isinstance(load.operations[0], Load)
    assert len(load.operations) == 1
    assert any(isinstance(op, Store) for op in store.operations)
    assert load.span == store.span


@pytest.mark.parametrize(
    ("instructions", "state", "expected"),
    [
        (["MOV EAX,$5", "MOV [x],EAX", "MOV EBX,[x]"], "", {"EAX": 5, "EBX": 5, "x": 5}),
        (["MOV EAX,$-1", "INC EAX"], "", {"EAX": 0}),
        (["ADD EAX,EBX", "SUB EBX,$3"], "0:EAX=1; 0:EBX=2;", {"EAX": 3, "EBX": 0xFFFFFFFF}),
        (["AND EAX,$6", "OR EAX,$1", "XOR EAX,$15"], "0:EAX=12;", {"EAX": 10}),
        (["NOT EAX", "NEG EBX"], "0:EAX=0; 0:EBX=1;", {"EAX": 0xFFFFFFFF, "EBX": 0xFFFFFFFF}),
        (["MOV AL,$255", "MOV AH,$1"], "0:EAX=0x12345678;", {"EAX": 0x123401FF}),
        (["MOV BX,AX", "MOV CL,AH"], "0:EAX=0x12345678;", {"EBX": 0x5678, "ECX": 0x56}),
        (["SHL EAX,$4", "SHR EBX,$1", "SAR ECX,1"], "0:EAX=1;0:EBX=-2;0:ECX=-2;",
         {"EAX": 16, "EBX": 0x7FFFFFFF, "ECX": 0xFFFFFFFF}),
        (["SHL EAX,CL"], "0:EAX=3; 0:ECX=33;", {"EAX": 6}),
        (["XCHG EAX,EBX"], "0:EAX=1; 0:EBX=2;", {"EAX": 2, "EBX": 1}),
        (["XCHG [x],EAX"], "x=7; 0:EAX=1;", {"EAX": 7, "x": 1}),
        (["XADD [x],EAX"], "x=7; 0:EAX=1;", {"EAX": 7, "x": 8}),
        (["LOCK XADD [x],EAX"], "x=7; 0:EAX=1;", {"EAX": 7, "x": 8}),
        (["XADD EAX,EBX"], "0:EAX=1; 0:EBX=2;", {"EAX": 3, "EBX": 1}),
        (["XADD EAX,EAX"], "0:EAX=3;", {"EAX": 6}),
        (["LOCK CMPXCHG [x],EBX"], "x=7; 0:EAX=7; 0:EBX=9;", {"EAX": 7, "x": 9}),
        (["LOCK CMPXCHG [x],EBX"], "x=7; 0:EAX=6; 0:EBX=9;", {"EAX": 7, "x": 7}),
        (["CMPXCHG [x],EBX"], "x=7; 0:EAX=6; 0:EBX=9;", {"EAX": 7, "x": 7}),
        (["CMPXCHG ECX,EBX"], "0:ECX=6; 0:EAX=6; 0:EBX=9;", {"EAX": 6, "ECX": 9}),
        (["CMPXCHG EAX,EBX"], "0:EAX=6; 0:EBX=9;", {"EAX": 9}),
        (["LOCK INC [x]", "DEC [x]", "LOCK SUB [x],$2", "ADD EAX,[x]"], "x=5;", {"x": 3, "EAX": 3}),
        (["LEA EAX,[v+EBX*4]", "MOV ECX,[EAX]"], "int v[2]={1,2}; 0:EBX=1;", {"ECX": 2}),
        (["MOV EAX,[v+4]", "MOV EBX,[v+ECX*4]"], "int v[2]={1,2};", {"EAX": 2, "EBX": 1}),
        (["MOVZX EAX,BYTE PTR [b]", "MOVSX EBX,BYTE PTR [b]"], "uint8_t b=0xff;",
         {"EAX": 0xFF, "EBX": 0xFFFFFFFF}),
        (["MOV EBX,[p]", "MOV EAX,[EBX]"], "p=x; x=3;", {"EAX": 3}),
    ],
)  # fmt: skip
def test_results_32(instructions: list[str], state: str, expected: dict[str, int]) -> None:
    final = run(code("X86", instructions, state))
    assert {name: final[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("instructions", "state", "expected"),
    [
        (["movl $-1,%eax"], "0:rax=-1;", {"rax": 0xFFFFFFFF}),
        (["movq $-1,%rax"], "", {"rax": (1 << 64) - 1}),
        (["movw $1,%ax"], "0:rax=-1;", {"rax": 0xFFFF_FFFF_FFFF_0001}),
        (["movb $2,%bl"], "0:rbx=-1;", {"rbx": 0xFFFF_FFFF_FFFF_FF02}),
        (["shl 2,%eax"], "0:RAX=1;", {"rax": 4}),
        (["subl %ebx,%eax"], "0:rax=5; 0:rbx=3;", {"rax": 2}),
        (["movq 0(%rax,%rbx,8),%rcx"], "int64_t t[2]={1,-1}; 0:rax=t; 0:rbx=1;", {"rcx": (1 << 64) - 1}),
        (["movq 8(%rax),%rcx", "leaq 8(%rax),%rdx", "movq (%rdx),%r8"], "int64_t t[2]={1,2}; 0:rax=t;",
         {"rcx": 2, "r8": 2}),
        (["MOVQ %RBX,(x)"], "uint64_t x; 0:RBX=0x202020202020202;", {"x": 0x202020202020202}),
        (["lock cmpxchgl %ecx,(x)"], "x=0; 0:rax=0x100000000; 0:rcx=4;", {"rax": 0x100000000, "x": 4}),
        (["movslq (x),%rax", "movzbl %bl,%ecx"], "x=-1; 0:rbx=0x1ff;", {"rax": (1 << 64) - 1, "rcx": 0xFF}),
        (["xchg %rax,%rbx"], "0:rax=1; 0:rbx=2;", {"rax": 2, "rbx": 1}),
    ],
)  # fmt: skip
def test_results_64(instructions: list[str], state: str, expected: dict[str, int]) -> None:
    final = run(code("X86_64", instructions, state))
    assert {name: final[name] for name in expected} == expected


JUMPS = {
    "E": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "Z": lambda a, b: a == b,
    "L": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "G": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "B": lambda a, b: a % 2**32 < b % 2**32,
    "BE": lambda a, b: a % 2**32 <= b % 2**32,
    "A": lambda a, b: a % 2**32 > b % 2**32,
    "AE": lambda a, b: a % 2**32 >= b % 2**32,
    "NAE": lambda a, b: a % 2**32 < b % 2**32,
}
NUMBERS = (0, 1, 2, -1, -2, 2**31 - 1, -(2**31))


@pytest.mark.parametrize("code_name", JUMPS)
def test_conditions_after_compare(code_name: str) -> None:
    for a in NUMBERS:
        for b in NUMBERS:
            jump, move = f"J{code_name} yes", f"CMOV{code_name} EDX,ECX"
            rows = ["CMP EAX,EBX", jump, "JMP end", "yes: MOV ECX,$1", move, "end:"]
            final = run(code("X86", rows, f"0:EAX={a}; 0:EBX={b};"))
            taken = int(JUMPS[code_name](a, b))
            assert (final.get("ECX", 0), final.get("EDX", 0)) == (taken, taken), (a, b)


@pytest.mark.parametrize(
    ("instruction", "state", "flags"),
    [
        ("ADD EAX,EBX", "0:EAX=-1; 0:EBX=1;", "CZ"),
        ("ADD EAX,EBX", "0:EAX=0x7fffffff; 0:EBX=1;", "SO"),
        ("SUB EAX,EBX", "0:EAX=0; 0:EBX=1;", "CS"),
        ("INC EAX", "0:EAX=-1;", "Z"),
        ("DEC EAX", "0:EAX=0;", "S"),
        ("NEG EAX", "0:EAX=1;", "CS"),
        ("AND EAX,EBX", "0:EAX=1; 0:EBX=2;", "Z"),
        ("TEST EAX,EAX", "0:EAX=-1;", "S"),
        ("SHL EAX,$1", "0:EAX=-1;", "CS"),
        ("SHR EAX,$1", "0:EAX=1;", "CZ"),
        ("SAR EAX,$1", "0:EAX=-2;", "S"),
        ("SHL EAX,$0", "0:EAX=-1;", ""),
        ("SHL EAX,CL", "0:EAX=-1; 0:ECX=0;", ""),
        ("CMP EAX,[x]", "x=1; 0:EAX=1;", "Z"),
        ("CMP [x],$2", "x=1;", "CS"),
        ("LOCK DEC [x]", "x=1;", "Z"),
        ("SUB [x],$1", "x=1;", "Z"),
        ("LOCK CMPXCHG [x],EBX", "x=1; 0:EAX=1;", "Z"),
        ("LOCK CMPXCHG [x],EBX", "x=2; 0:EAX=1;", "CS"),
        ("LOCK XADD [x],EBX", "x=1; 0:EBX=-1;", "CZ"),
        ("XADD EAX,EBX", "0:EAX=1; 0:EBX=-1;", "CZ"),
    ],
)
def test_flags(instruction: str, state: str, flags: str) -> None:
    readers = ["SETC DL", "SETZ DH", "SETS BL", "SETO BH"]
    final = run(code("X86", [instruction, *readers], state))
    edx, ebx = final["EDX"], final["EBX"]
    shown = {"C": edx & 1, "Z": edx >> 8 & 1, "S": ebx & 1, "O": ebx >> 8 & 1}
    assert {name for name, bit in shown.items() if bit} == set(flags)


def test_flags_that_nobody_reads_are_not_computed() -> None:
    (thread,) = code("X86", ["INC EAX", "CMP EAX,$1"]).threads
    assert [op.register for op in operations(thread) if isinstance(op, Set)] == ["EAX"]


def test_control_points_branches_and_return() -> None:
    (_, thread) = program_of(
        "X86_64 t\n{ [r]=0; }\n P0 | P1 ;\n ret | mov (y),%eax ;\n | cmp $1,%eax ;\n | je L1 ;\n | L0: ;\n"
        " | mov %eax,(r) ;\n | ret ;\n | L1: ;\n | jmp L0 ;\nexists (r=0)"
    ).threads
    assert [(edge.source, edge.target) for edge in thread.edges] == [
        (0, 1), (1, 2), (2, 5), (2, 3), (3, 4), (4, 6), (5, 3),
    ]  # fmt: skip
    assert thread.labels == ((3, "L0"), (5, "L1"))
    assert thread.entry == 0


def test_a_loop_has_a_back_edge() -> None:
    (thread,) = code("X86", ["L: MOV EAX,[x]", "TEST EAX,EAX", "JZ L"]).threads
    assert len(thread.back_edges) == 1
