"""Small texts with what is wrong in each: a failed assertion, an error state, a deadlock, or nothing."""

from __future__ import annotations

from unit.languages.promela.case import Case
from unit.languages.promela.process_cases import PROCESS_CASES
from unit.languages.promela.rendezvous_cases import RENDEZVOUS_CASES

CASES = (
    Case(
        "a select of an inline counts, and others see it",
        "assertions",
        "byte x = 1;\ninline choose() { select (x : 1 .. 3) }\n"
        "active proctype A() { choose() }\n"
        "active proctype B() { byte k; end: x == 2 -> k = x; end1: x == 3; assert(k == 9) }",
    ),
    Case(
        "a select outside all inlines does not",
        None,
        "byte x = 1;\nactive proctype A() { select (x : 1 .. 3) }\n"
        "active proctype B() { byte k; end: x == 2 -> k = x; end1: x == 3; assert(k == 9) }",
    ),
    Case(
        "rows of hundreds of operands",
        None,
        f"int x; active proctype A() {{ x = 7{' - 1 + 2' * 300}; assert(x == 307); x = x{' - x' * 300} }}",
    ),
    Case(
        "the length of a channel as a first value",
        None,
        "chan c = [1] of { byte };\n"
        "proctype P() { byte k = len(c); assert(k == 1) }\n"
        "active proctype A() { byte k = len(c); assert(k == 0); c!1; run P() }",
    ),
    Case(
        "else beside a choice that unless leaves by a rendezvous",
        "assertions",
        "chan c = [0] of { byte };\nbyte x;\n"
        "active proctype A() {\n"
        "  { if :: x == 1 -> skip :: if :: x == 2 :: else fi -> assert(false) fi } unless { c!1 }\n"
        "}\n"
        "active proctype B() { x == 3; c?1 }",
    ),
    Case("a constant index out of bounds", "memory", "active proctype A() { byte a[2]; a[2] = 1 }"),
    Case("out of bounds where nobody comes", None, "active proctype A() { byte a[2]; goto L; a[2] = 1; L: }"),
    Case("division by a constant 0", "memory", "byte x; active proctype A() { x = 1 / 0 }"),
    Case("asking what holds no channel", "memory", "chan d; active proctype A() { len(d) == 0 }"),
    Case(
        "unless comes before a d_step that begins with a choice",
        None,
        "active proctype A() {\n"
        "  byte k;\n"
        "  { d_step { if :: k == 0 -> k = 1 :: else fi; assert(false) }; k = 3 } unless { k = 2 }\n"
        "}",
    ),
    Case(
        "unless leaves no d_step in the middle",
        "assertions",
        "active proctype A() {\n"
        "  byte k;\n"
        "  { d_step { do :: k < 2 -> k++ :: else -> break od; assert(false) } } unless { k == 1 -> k = 2 }\n"
        "}",
    ),
    Case(
        "asking a rendezvous for a message",
        "memory",
        "chan c = [0] of { byte };\nactive proctype A() { if :: c?[1] :: timeout fi }",
    ),
    Case(
        "not asking a rendezvous for a message",
        None,
        "chan c = [0] of { byte };\nbyte x;\nactive proctype A() { (x == 0 || c?[1]); !(x == 1 && c?[1]) }",
    ),
    Case(
        "a first value that is a channel",
        None,
        "chan d = [1] of { byte };\nchan q = d;\n"
        "active proctype A() { chan r = q; r!3; assert(len(d) == 1 && r?[3]) }",
    ),
    Case(
        "first values are there at once",
        None,
        "byte x = 1;\n"
        "active proctype A() { x = 2 }\n"
        "active proctype B() { byte v = x + 1, w = v + _pid; assert(v == 2 && w == 3) }",
    ),
    Case(
        "first values inside a body are assigned there",
        "assertions",
        "byte x = 1;\n"
        "active proctype A() { x = 2 }\n"
        "active proctype B() { skip; byte v = x; assert(v == 1) }",
    ),
    Case(
        "goto atomic to atomic start",
        "assertions",
        "byte x, y;\n"
        "active proctype A() { atomic { x = 1; goto L }; skip; L: atomic { x = 2; skip } }\n"
        "active proctype B() { assert(x != 1) }",
    ),
    Case(
        "goto atomic to atomic middle",
        None,
        "byte x, y;\n"
        "active proctype A() { atomic { x = 1; goto L }; atomic { y = 1; L: x = 2; skip } }\n"
        "active proctype B() { assert(x != 1) }",
    ),
    Case(
        "goto out of atomic",
        "assertions",
        "byte x, y;\n"
        "active proctype A() { atomic { x = 1; goto L; skip }; L: x = 2 }\n"
        "active proctype B() { assert(x != 1) }",
    ),
    Case(
        "adjacent atomics",
        "assertions",
        "byte x, y;\n"
        "active proctype A() { atomic { x = 1; skip }; atomic { x = 2; skip } }\n"
        "active proctype B() { assert(x != 1) }",
    ),
    Case(
        "loop to atomic start",
        "assertions",
        "byte x, y;\n"
        "active proctype A() { L: atomic { x = 1 - x; if :: x == 1 -> goto L :: else fi } }\n"
        "active proctype B() { assert(x != 1) }",
    ),
    Case(
        "do in atomic",
        None,
        "byte x, y;\n"
        "active proctype A() { byte i; atomic { do :: i < 3 -> x = 1; i++ :: else -> break od; x = "
        "0 } }\n"
        "active proctype B() { assert(x != 1) }",
    ),
    Case(
        "atomic blocks",
        "assertions",
        "byte x, y;\n"
        "active proctype A() { atomic { x = 1; y == 1; x = 2; skip } }\n"
        "active proctype B() { x == 1; y = 1; assert(x == 2 || x == 1); assert(x != 1 ) }",
    ),
    Case(
        "dstep first nondet",
        None,
        "byte x, y;\nactive proctype A() { d_step { if :: x = 1 :: x = 2 fi; skip }; assert(x == 1) }",
    ),
    Case(
        "dstep first nondet b",
        "assertions",
        "byte x, y;\nactive proctype A() { d_step { if :: x = 1 :: x = 2 fi; skip }; assert(x == 2) }",
    ),
    Case(
        "dstep inner nondet",
        None,
        "byte x, y;\nactive proctype A() { d_step { skip; if :: x = 1 :: x = 2 fi; skip }; assert(x == 1) }",
    ),
    Case(
        "dstep blocks",
        "assertions",
        "byte x, y;\nactive proctype A() { d_step { x = 1; x == 2; skip } }",
    ),
    Case(
        "break head",
        "assertions",
        "byte x, y;\n"
        "active proctype A() { do :: x == 1 -> x = 2 :: break od; assert(x == 0) }\n"
        "active proctype B() { x = 1 }",
    ),
    Case(
        "goto head commits",
        "deadlock",
        "byte x, y;\n"
        "active proctype A() { if :: goto L :: x == 5 -> y = 1 fi; L: y == 1 }\n"
        "active proctype B() { x = 5 }",
    ),
    Case(
        "else nested",
        "assertions",
        "byte x, y;\n"
        "active proctype A() { if :: if :: x == 1 -> skip :: else -> y = 1 fi :: x == 2 -> y = 2 "
        "fi; assert(y != 1) }",
    ),
    Case(
        "nested do head",
        None,
        "byte x, y;\n"
        "active proctype A() { if :: do :: x < 2 -> x++ :: x == 2 -> break od :: x == 1 -> "
        "assert(false) fi }",
    ),
    Case(
        "short wrap",
        None,
        "short s; int i; byte b; unsigned u : 3; bit t; bool l;\n"
        "active proctype A() { s = 32767; s++; assert(s == -32768); b = 0; b--; assert(b == 255); "
        "u = 9; assert(u == 1); i = 2147483647; i = i + 1; assert(i < 0); t = 3; assert(t == 1); t "
        "= 2; assert(t==0); assert(-7 / 2 == -3); assert(-7 % 2 == -1); assert((1 << 3) == 8); "
        "assert((-8 >> 1) == -4); assert(~0 == -1); assert((5 & 3 | 8 ^ 1) == 9) }",
    ),
    Case(
        "precedence",
        "assertions",
        "byte x = 2;\n"
        "active proctype A() { assert(x & 1 == 0); assert(!x == 0); assert(x + 1 * 3 == 5); "
        "assert(1 || 0 && 0); assert(1 == 1 == 1) }",
    ),
    Case(
        "array bounds",
        "memory",
        "byte a[2]; byte i;\nactive proctype A() { i = 2; a[i] = 1 }",
    ),
    Case(
        "array bounds guarded",
        None,
        "byte a[2]; byte i = 2;\nactive proctype A() { assert(!(i < 2 && a[i] == 0)) }",
    ),
    Case(
        "cond expr",
        None,
        "byte x = 3;\nactive proctype A() { byte k; k = (x > 2 -> 7 : 9); assert(k == 7) }",
    ),
    Case(
        "for",
        None,
        "byte s; byte i;\n"
        "active proctype A() { for (i : 1 .. 3) { s = s + i } assert(s == 6); assert(i == 4) }",
    ),
    Case(
        "timeout-free deadlock end",
        None,
        "byte s;\nactive proctype A() { end: s == 1; s = 2 }",
    ),
    Case(
        "end label at do",
        None,
        "byte s;\nactive proctype A() { end: do :: s == 1 -> s = 2 od }",
    ),
    Case(
        "end mid",
        "deadlock",
        "byte s;\nactive proctype A() { s = 3; end1: s == 1; s = 2 }\nactive proctype B() { s == 9 }",
    ),
    Case(
        "local decl reset",
        None,
        "byte s; active proctype A() { byte i; do :: i < 2 -> byte k = 1; s = s + k; k = 5; i++ :: "
        "else -> break od; assert(s == 2) }",
    ),
    Case(
        "block scope",
        None,
        "byte s; active proctype A() { byte k = 1; { byte k = 2; s = k; } assert(s == 2); assert(k == 1) }",
    ),
    Case(
        "macro",
        None,
        "#define A1 (x+1)\n"
        "#define F(a,b) ((a)*(b))\n"
        "#ifdef NOPE\n"
        "byte z\n"
        "#else\n"
        "byte x = 2;\n"
        "#endif\n"
        "active proctype A() { assert(F(A1, 2) == 6) }",
    ),
    Case(
        "inline",
        None,
        "byte x; inline f(v, w) { byte t; t = w; v = t + 1 }\n"
        "active proctype A() { byte k; f(x, 3); f(k, x); assert(x == 4 && k == 5) }",
    ),
    Case(
        "active 2",
        None,
        "byte x; active [2] proctype A() { x++; } active proctype M() { x == 2; assert(_pid == 2) }",
    ),
    Case(
        "typedef",
        None,
        "typedef R { byte f; bit g[2] }; typedef Q { R r[2]; byte h }; Q q; Q w[2];\n"
        "active proctype A() { byte i = 1; q.r[i].g[1] = 1; q.r[0].f = 3; w[1].r[i].f = 9; "
        "assert(q.r[1].g[1] == 1 && q.r[1].g[0] == 0 && q.r[0].f == 3 && w[1].r[1].f == 9 && "
        "w[0].r[1].f == 0) }",
    ),
    Case(
        "else send full",
        None,
        "byte x; active proctype A() { if :: x == 1 -> assert(false) :: x == 2 :: else -> x = 4 "
        "fi; assert(x == 4) }",
    ),
    Case(
        "skip label end",
        None,
        "byte x; active proctype A() { x = 1; done: skip } active proctype B() { x == 1 } ltl l { "
        "[] !(A@done && x == 0) }",
    ),
    Case(
        "div zero guard",
        None,
        "byte x; active proctype A() { assert(x == 0 || 4 / x > 0) }",
    ),
    Case(
        "ltl inv",
        "claims",
        "byte x; active proctype A() { x = 1; x = 2 } ltl l { [] (x < 2) }",
    ),
    Case(
        "ltl inv2",
        "claims",
        "byte x; active [2] proctype A() { do :: x < 2 -> x++; cs: x-- :: break od } ltl l { [] "
        "!(A[0]@cs && A[1]@cs) }",
    ),
    Case(
        "local remote",
        "claims",
        "byte x; active [2] proctype A() { byte k; k = 1 } ltl l { [] !(A[0]:k == 1 && A[1]:k == 1) }",
    ),
    Case(
        "priority of !",
        None,
        "byte x; active proctype A() { assert(! x == 1) }",
    ),
    Case("never executable", "deadlock", "active proctype A() { byte n; n < 0; assert(false) }"),
    Case(
        "symbolic names are numbered backwards",
        None,
        "mtype = { a, b, c }; mtype = { d };\nactive proctype A() { assert(a == 3 && c == 1 && d == 4) }",
    ),
    Case(
        "a block sees its own stores",
        None,
        "byte x;\n"
        "active proctype A() { atomic { x == 0; x = 1; assert(x == 1); x = x + 1; assert(x == 2) } }",
    ),
    Case(
        "a choice may take either option",
        "assertions",
        "byte x;\nactive proctype A() { if :: x = 1 :: x = 2 fi; assert(x == 1) }",
    ),
    Case(
        "`else` only where nothing else can be done",
        None,
        "byte x = 1;\nactive proctype A() { if :: x == 1 -> skip :: else -> assert(false) fi }",
    ),
    Case(
        "arithmetic wraps",
        None,
        "int i = 2147483647;\nactive proctype A() { assert(i + 1 < 0) }",
    ),
    Case(
        "select takes every value",
        "assertions",
        "byte x;\nactive proctype A() { select (x : 1 .. 3); assert(x < 3) }",
    ),
    Case(
        "lists of first values",
        None,
        "byte a[4] = { 1, 2 };\n"
        "active proctype A() { short b[3] = { 7, 8, 9 }; assert(a[0] == 1 && a[3] == 2 && b[1] == 8) }",
    ),
    Case(
        "a first value that is an element of a list",
        None,
        "byte a[2] = { 1, 2 }; byte c = a[1];\n"
        "active proctype A() { byte b = a[1]; assert(b == 2 && c == 2) }",
    ),
    Case(
        "a first value that is a channel of an array of records",
        None,
        "typedef R { chan c = [1] of { byte } }; R r[2]; byte x;\n"
        "active proctype A() { chan d = r[1].c; d!5; assert(len(r[1].c) == 1); r[1].c?x; assert(x == 5) }",
    ),
    Case(
        "a channel of a record that nothing assigns to",
        "deadlock",
        "typedef R { chan c[2] = [1] of { byte } }; R r[2]; chan other = [1] of { byte }; byte x, y;\n"
        "active proctype A() { x = 1; r[x].c[1]!5; r[1].c[x]?y; assert(y == 5 && empty(r[1].c[1]));\n"
        "r[0].c[0]!1; r[0].c[1]?x }",
    ),
    Case(
        "a label of `for` comes after its first assignment",
        "assertions",
        "byte x, n; byte a[3];\n"
        "active proctype A() { x = 9; L: for (x in a) { skip }; n++;\n"
        "if :: n < 2 -> x = 7; goto L :: else fi; assert(x != 7) }",
    ),
    Case(
        "a label of `select` from a range that is not constant comes after its first assignment",
        "assertions",
        "byte n;\n"
        "active proctype A() { byte x; L: select (x : 0 .. n); n++;\n"
        "if :: n < 2 -> x = 7; goto L :: else fi; assert(x != 7) }",
    ),
    Case(
        "a label of `select` between numbers is before its assignments",
        None,
        "byte x, n;\n"
        "active proctype A() { L: select (x : 0 .. 2); n++;\n"
        "if :: n < 2 -> x = 7; goto L :: else fi; assert(x != 7) }",
    ),
    Case(
        "a label of `for` over the messages of a channel comes after its first assignment",
        None,
        "chan q = [2] of { byte }; byte x, n, turns;\n"
        "active proctype A() { q!1; q!2; L: for (x in q) { turns++ }; n++;\n"
        "if :: n < 2 -> goto L :: else fi; assert(turns == 2) }",
    ),
    Case(
        "a list in a record, repeated in an array of them",
        None,
        "typedef R { byte v[2] = { 3, 4 } }\n"
        "R r[2];\n"
        "active proctype A() { assert(r[0].v[0] == 3 && r[1].v[0] == 3 && r[1].v[1] == 4) }",
    ),
    Case(
        "first values of a list are there",
        "assertions",
        "byte a[2] = { 1, 2 };\nactive proctype A() { assert(a[1] == 1) }",
    ),
    Case(
        "provided keeps a process from moving",
        None,
        "byte x, turn;\n"
        "active proctype A() provided (turn == 0) { x = 1; turn = 1; }\n"
        "active proctype B() provided (turn == 1) { assert(x == 1) }",
    ),
    Case(
        "provided never",
        "deadlock",
        "byte turn;\nactive proctype A() provided (turn == 1) { skip }",
    ),
    Case(
        "provided between two statements",
        "deadlock",
        "byte x;\nactive proctype A() provided (x == 0) { x = 1; skip }",
    ),
    Case(
        "provided at the end of a process",
        None,
        "byte x;\nactive proctype A() provided (x == 0) { skip; x = 1 }",
    ),
    Case(
        "provided inside of an atomic block",
        "assertions",
        "byte x, y;\n"
        "active proctype A() provided (x == 0) { atomic { x = 1; y = 1; x = 2 } }\n"
        "active proctype B() { x == 1; assert(y == 1) }",
    ),
    Case(
        "provided and else",
        "deadlock",
        "byte x;\nactive proctype A() provided (x == 0) { x = 1; if :: x == 5 -> skip :: else -> skip fi }",
    ),
    Case(
        "provided with the number of the process",
        None,
        "byte turn, x;\n"
        "active [2] proctype A() provided (turn == _pid) { x++; turn++; }\n"
        "active proctype C() { x == 2; assert(turn >= 1) }",
    ),
    Case(
        "provided before an index is computed",
        None,
        "byte i = 5; byte a[2];\n"
        "active proctype A() provided (i < 2) { a[i] = 1 }\n"
        "active proctype B() { i = 1 }",
    ),
    Case(
        "provided and a loop",
        "assertions",
        "byte x, n;\n"
        "active proctype A() provided (x < 3) { do :: n++; x++ od }\n"
        "active proctype B() { end: x == 3; assert(n != 3) }",
    ),
    Case(
        "lines end statements",
        "assertions",
        "byte x\nbyte y\nmtype = { red green }\n"
        "active proctype A() {\n  x = 1\n  if\n  :: x == 1 -> y = red\n  :: else y = 0\n  fi\n"
        "  assert(y == 0)\n}",
    ),
    Case(
        "kinds of symbols have numbers of their own, and a label may stand alone",
        None,
        "mtype:fruit = { apple, pear }; mtype:sign = { red, green };\n"
        "active proctype A() { mtype:sign s = green; goto L; assert(false); L: }\n"
        "active proctype B() { assert(pear == green && apple == 2) }",
    ),
    Case(
        "conditions of the preprocessor, in an inline too",
        "assertions",
        "#define N 3\n#if N * 2 > 5 && defined(N)\nbyte x = 1;\n#else\nbyte x = 2;\n#endif\n"
        "inline f() {\n#ifdef N\n  assert(x == 2)\n#endif\n}\nactive proctype A() { f() }",
    ),
    Case(
        "timeout does not come while others can move",
        "assertions",
        "byte x;\nactive proctype A() { if :: x == 5 -> assert(false) :: timeout -> skip fi }\n"
        "active proctype B() { do :: x < 5 -> x++ :: else -> break od }",
    ),
    Case(
        "unless: the escape comes before every step",
        None,
        "byte x, y;\n"
        "active proctype A() { { x = 1; x = 2; assert(y == 0 || x == 2); y != 0; assert(false) }"
        " unless { y == 1 -> skip } }\nactive proctype B() { x == 2 -> y = 1 }",
    ),
    Case(
        "unless: without the escape the rest is done",
        "assertions",
        "byte x;\nactive proctype A() { { x = 1; assert(x == 0) } unless { x == 3 } }",
    ),
    Case(
        "unless: the outer escape comes first",
        None,
        "byte x;\nactive proctype A() { { { x = 1; false } unless { x == 1 -> assert(false) } }"
        " unless { x == 1 -> skip } }",
    ),
    Case(
        "a loop in an atomic block that shared variables end",
        None,
        "byte x = 9, n;\n"
        "active proctype A() { atomic { do :: x > 3 -> x--; n++ :: else -> break od } ; assert(n == 6) }\n"
        "active proctype B() { assert(x == 9 || x == 3) }",
    ),
    Case(
        "first values of shared variables depend on others, and a name that forgets",
        None,
        "byte x = 3; byte y = x + 1;\nactive proctype A() { _ = x; assert(y == 4) }",
    ),
    Case(
        "only the first statement of a d_step needs what its process is provided",
        "deadlock",
        "byte x;\nactive proctype P() provided (x < 2) { d_step { x = 2; x = 3; assert(x == 3) }; x = 0 }",
    ),
    Case(
        "the size of an array is the first value of a variable",
        None,
        "byte n = 2; byte a[n];\nactive proctype P() { n = 9; a[1] = 3; assert(a[n - 8] == 3) }",
    ),
    Case(
        "an element of an array of bits is a byte",
        None,
        "typedef R { bit g[2] };\nbit a[2] = 3; bool c[1]; R r; bit b = 3;\n"
        "active proctype P() { bit l[2]; l[1] = 4; r.g[1] = 300; c[0]--;\n"
        "assert(a[1] == 3 && c[0] == 255 && r.g[1] == 44 && l[1] == 4 && b == 1) }",
    ),
    Case(
        "a bit that is a whole message is a byte",
        None,
        "chan c = [1] of { bit }; chan d = [1] of { bit, bit }; byte x, y;\n"
        "active proctype P() { c!2; c?x; d!2,3; d?y,_; assert(x == 2 && y == 0) }",
    ),
    Case(
        "text that is left out may be anything, and an end of no comment means nothing",
        None,
        "#ifdef NOTES\nit's 1.49278e+06 $ @ \"never closed\n#endif\n"
        "/* a /* b */ */ byte x = 6 */* c */ 2;\nactive proctype P() { assert(x == 12) }",
    ),
    Case(
        "blocks beside each other have labels of their own",
        "assertions",
        "byte x; active proctype P() {\n"
        "{ skip; L: x++; if :: x < 2 -> goto L :: else fi };\n"
        "{ skip; L: x++; { skip; if :: x < 7 -> goto L :: x >= 7 fi } };\n"
        "if :: x < 11 -> goto L :: else fi; assert(x != 11) }",
    ),
    Case(
        "`goto` into one of several blocks means the last",
        None,
        "byte x; active proctype P() {\n"
        "if :: x == 1 -> { skip; L: x = 5 } :: x == 2 -> { skip; L: x = 6 } :: else -> goto L fi;\n"
        "assert(x == 6) }",
    ),
    Case(
        "a label of several blocks is the first where formulas name it",
        "claims",
        "byte x; active proctype P() { { x = 1; L: x = 2 }; { x = 3; L: x = 4 } }\n"
        "ltl p { [] (P@L -> x == 1) } ltl q { [] !P@L }",
    ),
    Case(
        "every block's label `end` is one",
        None,
        "byte x; active proctype P() { if :: { skip; end: x == 1 } :: { x = 2; end: x == 3 } fi }",
    ),
    Case(
        "a process that does not exist is at no label",
        None,
        "active proctype P() { L: skip } ltl p { [] !P[7]@L }",
    ),
    Case(
        "the initial value of a record is ignored",
        None,
        "typedef R { byte f; short g[2] }; R r = 5;\n"
        "active proctype P() { R s[2] = 7; assert(r.f == 0 && s[1].g[1] == 0 && s[0].f == 0) }",
    ),
    Case(
        "variables hold channels from the beginning",
        None,
        "chan K[2] = [1] of { byte }; chan F = K[1]; chan G = F; chan H[2] = K[1]; byte x;\n"
        "active proctype P() { G!5; F?x; assert(x == 5); K[1]!6; H[1]?x; assert(x == 6);\n"
        "H[0]!7; assert(len(K[1]) == 1 && len(K[0]) == 0) }",
    ),
    *PROCESS_CASES,
    *RENDEZVOUS_CASES,
)
