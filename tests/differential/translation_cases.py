"""Small texts in which every part of a translation matters, each with models under which it does."""

from __future__ import annotations

import membar
from membar.program.program import Program
from membar.source import SourceFile

ALL = (("x86-tso", 2), ("pso", 2), ("cam", 1), ("cam", 2))
TEXTS = {
    "own.dve": """byte x, y;
process P { byte l; state a, b, c, d, e; init a;

trans a -> b { effect x = 1; }, b -> c { effect x = 2; }, c -> d { effect y = 1; },
  d -> e { effect l = x; }; }
process Q { byte l; state a, b, c; init a;
trans a -> b { effect y = 2; }, b -> c { guard x != 1; effect l = x; }; }
system async;
error P.e and Q.c and P->l == 2 and Q->l == 0 and y == 2;
""",
    "step.dve": """byte x, y;
process P { byte l, m; state a, b, c; init a;
trans a -> b { effect x = 1, x = x + 1, l = x, m = l + x; }, b -> c { effect y = x, l = l + m, m = l - m; }; }
process Q { byte l; state a, b; init a; trans a -> b { effect l = x; }; }
system async;
error P.b and P->l != 2;
""",
    "atomic.dve": """byte x, y;
process P { byte l; state a, b, c; init a; trans a -> b { effect x = 1; }, b -> c { effect y = 1, l = x; }; }
process Q { byte l; state a, b, c; init a; trans a -> b { effect y = 2; }, b -> c { effect x = 2, l = y; }; }
system async;
atomic y, P.2;
error P.c and Q.c and P->l == 1 and Q->l == 2;
""",
    "all.dve": """byte x, y;
process P { byte l; state a, b, c; init a; trans a -> b { effect x = 1; }, b -> c { effect y = 1, l = x; }; }
process Q { byte l; state a, b, c; init a; trans a -> b { effect y = 2; }, b -> c { effect x = 2, l = y; }; }
system async;
atomic y, P.2;
atomic rule all;
error P.c and Q.c and P->l == 1 and Q->l == 2;
""",
    "wrong.dve": """byte x, v[2];
process P { byte l; state a, b, c; init a;
trans a -> b { effect x = 1 - x; }, b -> c { effect l = 4 / (1 - x); }; }
process Q { int l; state a, b, c; init a;
trans a -> b { effect l = x - 1; }, b -> c { effect v[l + x] = 1; }; }
system async;
""",
    "by-zero.dve": """byte x, y;
process P { byte l; state a, b; init a; trans a -> b { effect y = 1; }; }
process Q { byte l; state a, b; init a;
trans a -> b { guard (x == 0 or 4 / x > 1) and y == 1; effect x = 1; }; }
system async;
error 4 % x == 4 and y == 1;
""",
    "commit.dve": """byte x;
process P { state a, b, c; init a; commit b; trans a -> b { effect x = 1; }, b -> c { guard x == 1; }; }
process Q { byte l; state a, b; init a; trans a -> b { effect l = x; }; }
system async;
""",
    "runs.dve": """byte x, y;
process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> b { effect y = 1 - y; }; }
process Q { state a, b; init a;
trans a -> a { }, a -> b { effect y = 2; }, b -> b { guard x == 1; effect y = y & 1; }; }
system async;
ltl F(x == 1) or G P.a;
""",
    "until.dve": """byte x, y;
process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> a { effect x = 0; }; }
system async;
ltl (x == 0) U (x == 1);
""",
    "full.dve": """byte x, y;
process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> a { effect x = 2; }; }
process Q { byte l; state a, b; init a; trans a -> b { effect l = x; }, b -> a { effect y = l; }; }
system async;
ltl G F(x == 0) or G F(Q.a);
""",
    "fence.pml": """byte x, y;
active proctype p0() { x = 1; fence; (y == 0); inside: skip }
active proctype p1() { y = 1; fence; (x == 0); inside: skip }
ltl never_both { [] !(p0@inside && p1@inside) }
""",
    "block.pml": """byte x, y, z;
active proctype p0() { y = 1; atomic { x = 1; z = x }; end: (y == 2) -> skip }
active proctype p1() { byte k; k = z; k = y; atomic { y == 1 -> y = 2 } }
""",
}  # fmt: skip


def cases() -> list[tuple[Program, str, int]]:
    """Every text, with every model and bound."""
    found = []
    for name, text in TEXTS.items():
        program = membar.parse(SourceFile(name, text))
        found += [(program, model, bound) for model, bound in ALL]
    return found
