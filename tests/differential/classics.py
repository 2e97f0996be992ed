"""Small tests whose final states are known by hand: one per construct that a front end can get wrong.

`states` lists the values of the question's terms, in the order in which final states show them.
"""

from __future__ import annotations

from differential.comparisons import TextCase


def _states(labels: str, *rows: str) -> tuple[str, ...]:
    """`_states("0:EAX x", "0 1", "1 1")`."""
    names = labels.split()
    return tuple(
        " ".join(f"{name}={value}" for name, value in zip(names, row.split(), strict=True)) for row in rows
    )


_PAIRS = ("0 0", "0 1", "1 0", "1 1")

_X86_SB = r"""X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
"""

_AARCH64_MP = """AArch64 MP
{
int x=0; int y=0;
0:X1=x; 0:X3=y; 0:X0=1;
1:X1=y; 1:X3=x;
}
 P0            | P1            ;
 STR W0,[X1]   | %s W0,[X1]    ;
 %s W0,[X3]    | LDR W2,[X3]   ;
exists (1:X0=1 /\\ 1:X2=0)
"""

_AARCH64_LB = """AArch64 LB
{
int x=0; int y=0;
0:X1=x; 0:X3=y; 0:X4=1;
1:X1=y; 1:X3=x; 1:X4=1;
}
 P0            | P1            ;
 LDR W0,[X1]   | LDR W0,[X1]   ;
%s STR W4,[X3]   | STR W4,[X3]   ;
exists (0:X0=1 /\\ 1:X0=1)
"""

_C_MP = r"""C MP
{ [x] = 0; [y] = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_%s);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_%s);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\ 1:r1=0)
"""

_C_SB = r"""C SB
{ [x] = 0; [y] = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store(x, 1);
  int r0 = atomic_load(y);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store(y, 1);
  int r0 = atomic_load(x);
}
exists (0:r0=0 /\ 1:r0=0)
"""

X86_CASES: tuple[TextCase, ...] = (
    TextCase(
        name="store buffering",
        text=_X86_SB,
        model="x86-tso",
        states=_states("0:EAX 1:EAX", *_PAIRS),
        holds=True,
    ),
    TextCase(
        name="store buffering",
        text=_X86_SB,
        model="sc",
        states=_states("0:EAX 1:EAX", *_PAIRS[1:]),
        holds=False,
    ),
    TextCase(
        name="store buffering with fences",
        text=_X86_SB.replace(" MOV EAX", " MFENCE | MFENCE ;\n MOV EAX", 1),
        model="x86-tso",
        states=_states("0:EAX 1:EAX", *_PAIRS[1:]),
        holds=False,
    ),
    TextCase(
        name="store buffering with exchanges",
        text=r"""X86 SB+xchg
{ x=0; y=0; 0:EBX=1; 1:EBX=1; }
 P0           | P1           ;
 XCHG [x],EBX | XCHG [y],EBX ;
 MOV EAX,[y]  | MOV EAX,[x]  ;
~exists (0:EAX=0 /\ 1:EAX=0)
""",
        model="x86-tso",
        states=_states("0:EAX 1:EAX", *_PAIRS[1:]),
        holds=True,
    ),
    TextCase(
        name="message passing",
        text=r"""X86 MP
{ x=0; y=0; }
 P0         | P1          ;
 MOV [x],$1 | MOV EAX,[y] ;
 MOV [y],$1 | MOV EBX,[x] ;
forall (1:EAX=0 \/ 1:EBX=1)
""",
        model="x86-tso",
        states=_states("1:EAX 1:EBX", "0 0", "0 1", "1 1"),
        holds=True,
    ),
    TextCase(
        name="a thread sees its own store early",
        text=r"""X86 SB+rfi
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EBX,[x] | MOV EBX,[y] ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EBX=1 /\ 0:EAX=0 /\ 1:EBX=1 /\ 1:EAX=0)
""",
        model="x86-tso",
        states=_states("0:EAX 0:EBX 1:EAX 1:EBX", "0 1 0 1", "0 1 1 1", "1 1 0 1", "1 1 1 1"),
        holds=True,
    ),
    TextCase(
        name="hexadecimal and negative constants",
        text=r"""X86 constants
{ x=0x1f; y=-3; z=2; 0:EBX=-1; }
 P0          ;
 MOV EAX,[x] ;
 MOV [x],$-2 ;
 MOV [y],EBX ;
 MOV ECX,$0x10 ;
 ADD ECX,EAX ;
forall (0:EAX=31 /\ x=-2 /\ y=-1 /\ z=2 /\ 0:ECX=0x2f)
""",
        model="x86-tso",
        states=_states("0:EAX 0:ECX x y z", "31 47 -2 -1 2"),
        holds=True,
    ),
    TextCase(
        name="conditional jumps",
        text=r"""X86 jumps
{ x=0; y=0; }
 P0         | P1          ;
 MOV [x],$1 | MOV EAX,[x] ;
            | CMP EAX,$1  ;
            | JNE LC00    ;
            | MOV [y],$1  ;
            | LC00:       ;
exists (1:EAX=1 /\ y=0)
""",
        model="sc",
        states=_states("1:EAX y", "0 0", "1 1"),
        holds=False,
    ),
    TextCase(
        name="locked addition",
        text=r"""X86 counter
{ x=5; 0:EAX=1; 1:EAX=2; }
 P0                | P1                ;
 LOCK XADD [x],EAX | LOCK XADD [x],EAX ;
forall (x=8 /\ (0:EAX=5 /\ 1:EAX=6 \/ 0:EAX=7 /\ 1:EAX=5))
""",
        model="x86-tso",
        states=_states("0:EAX 1:EAX x", "5 6 8", "7 5 8"),
        holds=True,
    ),
    TextCase(
        name="locked compare and exchange",
        text=r"""X86 cas
{ x=0; 0:EBX=1; 1:EBX=2; }
 P0                   | P1                   ;
 MOV EAX,$0           | MOV EAX,$0           ;
 LOCK CMPXCHG [x],EBX | LOCK CMPXCHG [x],EBX ;
forall (0:EAX=0 /\ 1:EAX=1 /\ x=1 \/ 0:EAX=2 /\ 1:EAX=0 /\ x=2)
""",
        model="x86-tso",
        states=_states("0:EAX 1:EAX x", "0 1 1", "2 0 2"),
        holds=True,
    ),
    TextCase(
        name="a question about all executions",
        text=_X86_SB.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "forall (0:EAX=1 \\/ 1:EAX=1)"),
        model="x86-tso",
        states=_states("0:EAX 1:EAX", *_PAIRS),
        holds=False,
    ),
    TextCase(
        name="only states that pass the filter count",
        text=_X86_SB.replace("exists", "filter (0:EAX=1)\nexists"),
        model="x86-tso",
        states=_states("0:EAX 1:EAX", "1 0", "1 1"),
        holds=False,
    ),
)

AARCH64_CASES: tuple[TextCase, ...] = (
    TextCase(
        name="message passing",
        text=_AARCH64_MP % ("LDR", "STR"),
        model="armv8",
        states=_states("1:X0 1:X2", *_PAIRS),
        holds=True,
    ),
    TextCase(
        name="message passing, released and acquired",
        text=_AARCH64_MP % ("LDAR", "STLR"),
        model="armv8",
        states=_states("1:X0 1:X2", "0 0", "0 1", "1 1"),
        holds=False,
    ),
    TextCase(
        name="message passing, released only",
        text=_AARCH64_MP % ("LDR", "STLR"),
        model="armv8",
        states=_states("1:X0 1:X2", *_PAIRS),
        holds=True,
    ),
    TextCase(
        name="message passing, acquired with the weaker order",
        text=_AARCH64_MP % ("LDAPR", "STLR"),
        model="armv8",
        states=_states("1:X0 1:X2", "0 0", "0 1", "1 1"),
        holds=False,
    ),
    TextCase(
        name="message passing with a store barrier and an address dependency",
        text=r"""AArch64 MP+dmb.st+addr
{
int x=0; int y=0;
0:X1=x; 0:X3=y; 0:X0=1;
1:X1=y; 1:X3=x;
}
 P0          | P1                 ;
 STR W0,[X1] | LDR W0,[X1]        ;
 DMB ST      | EOR W5,W0,W0       ;
 STR W0,[X3] | LDR W2,[X3,W5,SXTW] ;
exists (1:X0=1 /\ 1:X2=0)
""",
        model="armv8",
        states=_states("1:X0 1:X2", "0 0", "0 1", "1 1"),
        holds=False,
    ),
    TextCase(
        name="load buffering",
        text=_AARCH64_LB % "",
        model="armv8",
        states=_states("0:X0 1:X0", *_PAIRS),
        holds=True,
    ),
    TextCase(
        name="load buffering with control dependencies",
        text=r"""AArch64 LB+ctrls
{
int x=0; int y=0;
0:X1=x; 0:X3=y; 0:X4=1;
1:X1=y; 1:X3=x; 1:X4=1;
}
 P0          | P1          ;
 LDR W0,[X1] | LDR W0,[X1] ;
 CBNZ W0,LC0 | CBNZ W0,LC1 ;
 LC0:        | LC1:        ;
 STR W4,[X3] | STR W4,[X3] ;
exists (0:X0=1 /\ 1:X0=1)
""",
        model="armv8",
        states=_states("0:X0 1:X0", "0 0", "0 1", "1 0"),
        holds=False,
    ),
    TextCase(
        name="load buffering with data dependencies",
        text=r"""AArch64 LB+datas
{
int x=0; int y=0;
0:X1=x; 0:X3=y;
1:X1=y; 1:X3=x;
}
 P0           | P1           ;
 LDR W0,[X1]  | LDR W0,[X1]  ;
 EOR W4,W0,W0 | EOR W4,W0,W0 ;
 ADD W4,W4,#1 | ADD W4,W4,#1 ;
 STR W4,[X3]  | STR W4,[X3]  ;
exists (0:X0=1 /\ 1:X0=1)
""",
        model="armv8",
        states=_states("0:X0 1:X0", "0 0", "0 1", "1 0"),
        holds=False,
    ),
    TextCase(
        name="exclusives succeed at most once from the same value",
        text=r"""AArch64 exclusives
{
int x=0;
0:X1=x; 0:X2=1;
1:X1=x; 1:X2=2;
}
 P0              | P1              ;
 LDXR W0,[X1]    | LDXR W0,[X1]    ;
 STXR W3,W2,[X1] | STXR W3,W2,[X1] ;
forall (0:X3=1 \/ 1:X3=1 \/ 0:X0=2 \/ 1:X0=1)
""",
        model="armv8",
        states=_states(
            "0:X0 0:X3 1:X0 1:X3",
            "0 0 0 1",
            "0 0 1 0",
            "0 0 1 1",
            "0 1 0 0",
            "0 1 0 1",
            "2 0 0 0",
            "2 1 0 0",
        ),
        holds=True,
    ),
    TextCase(
        name="a store-exclusive without its load fails",
        text=r"""AArch64 reservation
{
int x=0; int y=0;
0:X1=x; 0:X2=1; 0:X4=y;
}
 P0              ;
 LDXR W0,[X4]    ;
 STXR W3,W2,[X1] ;
forall (0:X3=1 /\ x=0)
""",
        model="armv8",
        states=_states("0:X3 x", "1 0"),
        holds=True,
    ),
    TextCase(
        name="atomic addition and swap",
        text=r"""AArch64 atomics
{
int x=1;
0:X1=x; 0:X2=2;
1:X1=x; 1:X2=7;
}
 P0               | P1             ;
 LDADD W2,W0,[X1] | SWP W2,W0,[X1] ;
exists (0:X0=7 /\ 1:X0=1 /\ x=9)
""",
        model="armv8",
        states=_states("0:X0 1:X0 x", "1 3 7", "7 1 9"),
        holds=True,
    ),
    TextCase(
        name="subtraction, comparison and selection",
        text=r"""AArch64 arithmetic
{
int x=5;
0:X1=x;
}
 P0                ;
 LDR W0,[X1]       ;
 SUB W2,W0,#0x7    ;
 CMP W0,#5         ;
 CSEL W3,W0,W2,EQ  ;
 CSEL W4,W0,W2,NE  ;
 STR W2,[X1]       ;
forall (0:X2=-2 /\ 0:X3=5 /\ 0:X4=-2 /\ x=-2)
""",
        model="armv8",
        states=_states("0:X2 0:X3 0:X4 x", "-2 5 -2 -2"),
        holds=True,
    ),
)

C_CASES: tuple[TextCase, ...] = (
    TextCase(
        name="message passing, relaxed",
        text=_C_MP % ("relaxed", "relaxed"),
        model="rc11",
        states=_states("1:r0 1:r1", *_PAIRS),
        holds=True,
    ),
    TextCase(
        name="message passing, released and acquired",
        text=_C_MP % ("release", "acquire"),
        model="rc11",
        states=_states("1:r0 1:r1", "0 0", "0 1", "1 1"),
        holds=False,
    ),
    TextCase(
        name="message passing, relaxed, where all is release and acquire",
        text=_C_MP % ("relaxed", "relaxed"),
        model="ra",
        states=_states("1:r0 1:r1", "0 0", "0 1", "1 1"),
        holds=False,
    ),
    TextCase(
        name="store buffering, sequentially consistent",
        text=_C_SB,
        model="rc11",
        states=_states("0:r0 1:r0", *_PAIRS[1:]),
        holds=False,
    ),
    TextCase(
        name="store buffering, sequentially consistent, where all is release and acquire",
        text=_C_SB,
        model="ra",
        states=_states("0:r0 1:r0", *_PAIRS),
        holds=True,
    ),
    TextCase(
        name="store buffering with relaxed accesses and fences",
        text=_C_SB.replace("atomic_store(x, 1);", "atomic_store_explicit(x, 1, memory_order_relaxed);")
        .replace("atomic_store(y, 1);", "atomic_store_explicit(y, 1, memory_order_relaxed);")
        .replace("  int", "  atomic_thread_fence(memory_order_seq_cst);\n  int"),
        model="rc11",
        states=_states("0:r0 1:r0", *_PAIRS[1:]),
        holds=False,
    ),
    TextCase(
        name="arithmetic, branches and fetch-and-add",
        text=r"""C arithmetic
{ [x] = 3; [y] = 0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_fetch_add_explicit(x, 2, memory_order_relaxed);
  int r1 = (r0 - 10) * 2;
  if (r1 < 0) {
    atomic_store_explicit(y, r1, memory_order_relaxed);
  } else {
    atomic_store_explicit(y, 7, memory_order_relaxed);
  }
}
forall (0:r0=3 /\ x=5 /\ y=-14)
""",
        model="rc11",
        states=_states("0:r0 x y", "3 5 -14"),
        holds=True,
    ),
    TextCase(
        name="implication, negation and disjunction in the question",
        text=(_C_MP % ("release", "acquire")).replace(
            "exists (1:r0=1 /\\ 1:r1=0)", "forall (1:r0=1 => 1:r1=1) /\\ (not (1:r0=1) \\/ 1:r1=1)"
        ),
        model="rc11",
        states=_states("1:r0 1:r1", "0 0", "0 1", "1 1"),
        holds=True,
    ),
)

CASES = (*X86_CASES, *AARCH64_CASES, *C_CASES)
