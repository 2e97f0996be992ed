"""Small texts about channels and processes that are started, with what is wrong in each."""

from __future__ import annotations

from unit.languages.promela.case import Case

PROCESS_CASES = (
    Case(
        "first values of arrays and of processes that are run",
        None,
        "byte x = 1;\n"
        "proctype B(byte n) { short v[2] = n - 3; short w = v[1]; assert(v[0] == -2 && w == -2) }\n"
        "init { atomic { x = 2; run B(1) } }",
    ),
    Case(
        "init after",
        None,
        "byte x, y;\nproctype P(byte n) { x = n; assert(_pid == 1) }\ninit { run P(3); assert(_pid == 0) }",
    ),
    Case(
        "run pid",
        "assertions",  # the first process may have ended: its number is used again
        "byte x, y;\n"
        "proctype P(byte n) { x = n }\n"
        "init { pid q; q = run P(3); assert(q == 1); q = run P(4); assert(q == 2) }",
    ),
    Case(
        "run pid in one step",
        None,
        "byte x, y;\n"
        "proctype P(byte n) { x = n; assert(_pid == n) }\n"
        "init { pid q; atomic { q = run P(1); assert(q == 1); q = run P(2); assert(q == 2) } }",
    ),
    Case(
        "run pid of processes that do not end",
        None,
        "byte x, y;\n"
        "proctype P(byte n) { assert(_pid == n); do :: x = n od }\n"
        "init { pid q; q = run P(1); assert(q == 1); q = run P(2); assert(q == 2) }",
    ),
    Case(
        "_pid after the end of another",
        "assertions",
        "byte x, y;\nproctype P(byte n) { x = n; assert(_pid == n) }\ninit { run P(1); run P(2) }",
    ),
    Case(
        "rendezvous in atomic",
        "assertions",
        "chan c = [0] of {byte}; byte x;\n"
        "active proctype A() { atomic { c!1; x = 1 } }\n"
        "active proctype B() { byte k; c?k; assert(x == 0) }",
    ),
    Case(
        "rendezvous atomic receiver",
        None,
        "chan c = [0] of {byte}; byte x, y;\n"
        "active proctype A() { c!1; assert(x != 1) }\n"
        "active proctype B() { byte k; atomic { c?k; x = 1; x = 2 } }",
    ),
    Case(
        "rendezvous match",
        None,
        "chan c = [0] of {byte,byte}; byte x;\n"
        "active proctype A() { if :: c!1,5 -> x = 1 :: c!2,6 -> x = 2 fi }\n"
        "active proctype B() { byte k; c?2,k; assert(k == 6) } ltl q { [] (x != 1) }",
    ),
    Case(
        "sorted",
        None,
        "chan c = [3] of {byte,byte}; byte a,b;\n"
        "active proctype A() { c!!2,1; c!!1,5; c!!2,0; c?a,b; assert(a==1&&b==5); c?a,b; "
        "assert(a==2 && b==0); c?a,b; assert(b==1); assert(len(c)==0) }",
    ),
    Case(
        "random receive",
        None,
        "chan c = [3] of {byte,byte}; byte a,b;\n"
        "active proctype A() { c!2,1; c!1,5; c!3,0; c??1,b; assert(b==5); c?a,b; assert(a==2); "
        "c?<a,b>; assert(a==3 && len(c)==1); assert(c?[3,_]); assert(c??[eval(a),_]) ; "
        "assert(!c?[4,_])}",
    ),
    Case(
        "chan array",
        None,
        "chan c[2] = [1] of { byte }; byte x;\n"
        "active proctype A() { byte i = 1; c[i]!4; c[0]!3; c[i]?x; assert(x == 4); "
        "assert(len(c[0]) == 1) }",
    ),
    Case(
        "chan array rv",
        None,
        "chan c[2] = [0] of { byte }; byte x;\n"
        "active proctype A() { byte i; select(i : 0 .. 1); c[i]!4 + i } active proctype B() { byte "
        "k; if :: c[0]?k -> assert(k == 4) :: c[1]?k -> assert(k == 5) fi }",
    ),
    Case(
        "chan param",
        None,
        "chan c = [1] of { byte }; proctype P(chan q) { q!3 } init { byte k; run P(c); c?k; assert(k == 3) }",
    ),
    Case(
        "mtype chan",
        None,
        "mtype = {a, b}; chan c = [2] of { mtype, byte }; active proctype A() { byte k; c!b(3); "
        "c!a,4; c?b(k); assert(k==3); if :: c?a,k -> assert(k == 4) :: c?b,k -> assert(false) fi; "
        "mtype m = a; assert(m == a) }",
    ),
    Case(
        "full channel waits",
        "deadlock",
        "chan c = [1] of { byte };\nactive proctype A() { c!1; c!2; assert(false) }",
    ),
    Case(
        "empty channel waits",
        "deadlock",
        "chan c = [1] of { byte };\nactive proctype A() { byte k; c!1; c?k; c?k; assert(false) }",
    ),
    Case(
        "parameters are truncated",
        None,
        "proctype P(bit b) { assert(b == 1) }\ninit { run P(3) }",
    ),
    Case(
        "provided and a rendezvous, of who sends",
        "deadlock",
        "byte x = 1; chan c = [0] of { byte };\n"
        "active proctype A() provided (x == 0) { c!1 }\n"
        "active proctype B() { c?1 }",
    ),
    Case(
        "provided and a rendezvous, of who receives",
        "deadlock",
        "byte x = 1; chan c = [0] of { byte };\n"
        "active proctype A() { c!1 }\n"
        "active proctype B() provided (x == 0) { c?1 }",
    ),
    Case(
        "provided and a message that waits",
        "deadlock",
        "byte x = 1; chan c = [1] of { byte };\n"
        "active proctype A() { c!1 }\n"
        "active proctype B() provided (x == 0) { c?1 }",
    ),
    Case(
        "timeout where nothing else can happen",
        None,
        "byte x; chan c = [0] of { byte };\n"
        "active proctype A() { if :: c?x -> assert(false) :: timeout -> x = 7 fi }\n"
        "active proctype B() { x == 7 }",
    ),
    Case(
        "a rendezvous beside else, of who sends",
        None,
        "chan c = [0] of { byte };\nactive proctype A() { if :: c!1 :: else -> assert(false) fi }\n"
        "active proctype B() { c?1 }",
    ),
    Case(
        "a rendezvous beside else, of who receives",
        "assertions",
        "chan c = [0] of { byte };\nactive proctype A() { if :: c?1 :: else -> assert(false) fi }\n"
        "active proctype B() { end: c!1 }",
    ),
    Case(
        "a rendezvous in the middle of an atomic block",
        None,
        "byte x; chan c = [0] of { byte };\nactive proctype A() { atomic { x = 1; c!2; x = 3 } }\n"
        "active proctype B() { byte v; atomic { c?v; assert(x == 1); x = 2; assert(x == 2) } }",
    ),
    Case(
        "a rendezvous gives the block away",
        "assertions",
        "byte x; chan c = [0] of { byte };\n"
        "active proctype A() { atomic { x = 1; c!2; assert(x == 1); x = 3 } }\n"
        "active proctype B() { c?2; x = 5 }",
    ),
    Case(
        "a loop over an array and one over the messages of a channel",
        None,
        "byte a[3]; chan c = [2] of { byte }; byte n;\nactive proctype A() { byte i;\n"
        " for (i in a) { a[i] = i }; c!4; c!5; for (i in c) { n = n + i };"
        " assert(a[2] == 2 && n == 9 && len(c) == 2) }",
    ),
    Case(
        "records in messages",
        None,
        "typedef R { byte f; bit g[2] }; chan c = [1] of { byte, R };\n"
        "active proctype A() { R r, s; byte k; r.f = 3; r.g[1] = 1; c!7,r; c?k,s;"
        " assert(k == 7 && s.f == 3 && s.g[0] == 0 && s.g[1] == 1) }",
    ),
    Case(
        "processes that a loop starts as often as others say",
        None,
        "byte x = 2, n;\nproctype P(byte k) { n = n + k }\n"
        "init { do :: x > 0 -> run P(x); x-- :: else -> break od; (_nr_pr == 1); assert(n <= 3) }",
    ),
    Case(
        "the number of a process that has ended is used again",
        "assertions",
        "byte p, q;\nproctype P() { skip }\ninit { p = run P(); (_nr_pr == 1); q = run P(); assert(p != q) }",
    ),
    Case(
        "a process that ended first is there until younger ones are gone",
        None,
        "byte x;\nproctype P(bit w) { if :: w -> x == 1 :: else fi }\n"
        "init { atomic { run P(0); run P(1) }; _nr_pr == 3; x = 1; _nr_pr == 1 }",
    ),
    Case(
        "channels in messages and in variables",
        None,
        "chan c = [1] of { chan }; chan d = [0] of { byte }; chan e = [1] of { byte };\n"
        "active proctype A() { c!d; c!e }\n"
        "active proctype B() { chan q; byte v; c?q; q?v; assert(v == 5); c?q; q!7; e?v; assert(v == 7) }\n"
        "active proctype C() { d!5 }",
    ),
    Case(
        "a server that makes a channel for each process",
        "assertions",
        "chan c = [0] of { chan };\n"
        "proctype P(byte k) { chan own = [0] of { byte }; byte v; c!own; own?v; assert(v == k) }\n"
        "active proctype S() { chan q; c?q; q!1; c?q; q!2 }\n"
        "init { atomic { run P(1); run P(2) } }",
    ),
    Case(
        "first values of a process that is started depend on shared variables",
        None,
        "byte x;\nproctype P() { byte v = x; assert(v == 3) }\n"
        "init { byte i; do :: x < 3 -> x++ :: else -> break od; if :: run P() fi; _nr_pr == 1 }",
    ),
    Case(
        "channels that change places",
        None,
        "chan c = [1] of { byte }; chan d = [1] of { byte };\n"
        "active proctype A() { chan x; byte v; c!1; d!2; x = c; c = d; d = x; c?v; assert(v == 2) }",
    ),
    Case(
        "a variable that holds no channel",
        "memory",
        "active proctype A() { chan c; c!1 }",
    ),
    Case(
        "messages whose fields are left out",
        "assertions",
        "chan c = [1] of { byte, byte };\nactive proctype A() { byte v; c!5,6; c?v }",
    ),
    Case(
        "remote references to labels and variables",
        None,
        "byte x;\n"
        "active [2] proctype P() { byte k = 2; k++; x = k; M: k = x + _pid; N: skip }\n"
        "active proctype Q() { (P[1]:k > 3); assert(P[0]@N || !P[1]@M || x != 4); x = P:k; assert(x < 5) }",
    ),
    Case(
        "remote references to processes that come and go",
        "assertions",
        "byte x;\n"
        "proctype W(byte n) { byte v = n; v = v + 1; x = v; B: (x > 3) }\n"
        "init { run W(1); run W(2); (W[2]@B && W@B && W:v == 2); x = 4; (_nr_pr == 1); assert(W:v == 0);\n"
        "  run W(3); assert(W[1]:v == 3) }",
    ),
    Case(
        "a local variable starts with the value of a global one",
        "assertions",
        "byte x = 1;\nproctype P() { byte v = x; assert(v == 1) }\ninit { run P(); x = 2; run P() }",
    ),
    Case(
        "a trace that all messages fit",
        None,
        "mtype = { a, b }; trace { end: do :: q!a,1 :: q!b,2 od }\n"
        "chan q = [2] of { mtype, byte };\n"
        "active proctype P() { q!a,1; if :: q!b,2 :: q!a,1 fi }\n"
        "active proctype Q() { byte x; mtype m; q?m,x; q?m,x }",
    ),
    Case(
        "a trace that some message does not fit",
        "assertions",
        "mtype = { a, b }; trace { end: do :: q!a,1; q!a,_ od }\n"
        "chan q = [2] of { mtype, byte };\n"
        "active proctype P() { q!a,1; if :: q!b,2 :: q!a,1 fi }\n"
        "active proctype Q() { byte x; mtype m; q?m,x; q?m,x }",
    ),
    Case(
        "a trace of what is received",
        "assertions",
        "mtype = { a, b }; trace { end: q?a,1; E: end1: do :: q?b,_ od }\n"
        "chan q = [2] of { mtype, byte };\n"
        "active proctype P() { q!a,1; if :: q!b,2 :: q!a,1 fi }\n"
        "active proctype Q() { byte x; mtype m; q?m,x; q?m,x }",
    ),
    Case(
        "messages that a notrace forbids",
        "assertions",
        "mtype = { a, b }; notrace { q!a,1; q!b,2 }\n"
        "chan q = [2] of { mtype, byte };\n"
        "active proctype P() { q!a,1; if :: q!b,2 :: q!a,1 fi }\n"
        "active proctype Q() { byte x; mtype m; q?m,x; q?m,x }",
    ),
    Case(
        "other messages than a notrace forbids",
        None,
        "mtype = { a, b }; notrace { q!b,2 }\n"
        "chan q = [2] of { mtype, byte };\n"
        "active proctype P() { q!a,1; if :: q!b,2 :: q!a,1 fi }\n"
        "active proctype Q() { byte x; mtype m; q?m,x; q?m,x }",
    ),
    Case(
        "records as parameters",
        None,
        "typedef S { byte u; bit v }; typedef R { S s; byte b; chan c }; byte x; R g;\n"
        "chan q = [1] of { byte };\n"
        "proctype P(R r; byte n) { assert(r.s.u == 1 && r.s.v == 1 && r.b == 2 && n == 3);\n"
        "r.b = 4; r.c!r.b }\n"
        "init { g.s.u = 1; g.s.v = 1; g.b = 2; g.c = q; run P(g, 3); q?x; assert(x == 4 && g.b == 2) }",
    ),
    Case(
        "an inline that returns a value",
        None,
        "byte x, y;\ninline larger(a, b) { if :: a > b -> return a :: else -> return b fi }\n"
        "active proctype P() { y = 3; x = larger(2, y); assert(x == 3) }",
    ),
    Case(
        "a rendezvous in a d_step",
        "assertions",
        "chan q = [0] of { byte }; byte x;\n"
        "active proctype A() { d_step { q!1; x = 1 } }\n"
        "active proctype B() { byte k; q?k; x = 2 }",
    ),
    Case(
        "a receiver that would have to wait in a d_step",
        "assertions",
        "chan q = [0] of { byte }; byte x;\n"
        "active proctype A() { byte k; d_step { x = 1; q?k } }\nactive proctype B() { q!1 }",
    ),
    Case(
        "a block with an else is interrupted where its process is not provided",
        "deadlock",
        "byte x, b;\nactive proctype A() provided (x < 3) {\n"
        "do :: atomic { x = 3; if :: b == 1 -> b = 2 :: else -> b = 3 fi } :: break od }",
    ),
    Case(
        "a higher priority comes first",
        None,
        "byte x;\nactive proctype A() priority 5 { x = 1; assert(x == 1); x = 2; assert(x == 2) }\n"
        "active proctype B() { x = 3 }",
    ),
    Case(
        "a higher priority interrupts an atomic block",
        "assertions",
        "byte x, y;\nactive proctype A() { atomic { x = 1; y = 1; x = 2; y = 2 } }\n"
        "active proctype B() priority 4 { y == 1; assert(x == 2) }",
    ),
    Case(
        "but not a d_step",
        None,
        "byte x, y;\nactive proctype A() { d_step { x = 1; y = 1; x = 2; y = 2 } }\n"
        "active proctype B() priority 4 { y > 0; assert(x == 2) }",
    ),
    Case(
        "priorities that processes are started with, and change",
        None,
        "byte x;\nproctype C() priority 7 { x = _priority }\n"
        "init priority 2 { run C() priority 9; assert(x == 9); run C(); assert(x == 9);\n"
        "assert(get_priority(1) == 1); set_priority(1, 4); assert(x == 4); (_nr_pr == 1);\n"
        "_priority = 8; assert(get_priority(0) == 8) }",
    ),
    Case(
        "a priority out of range",
        "assertions",
        "active proctype B() { set_priority(9, 300); assert(get_priority(9) == 0); set_priority(0, 300) }",
    ),
    Case(
        "timeout goes to the highest priority",
        None,
        "byte x;\n"
        "active proctype A() priority 4 { timeout; x = x + 1; timeout; x = x + 1 }\n"
        "active proctype B() priority 2 { timeout; x = x + 4; assert(x == 6) }",
    ),
    Case(
        "whether others can move",
        None,
        "byte x;\n"
        "active proctype A() { byte k = 2; do :: k > 0 && x == 0 -> k-- :: x == 1 -> break od }\n"
        "active proctype B() { !enabled(0); assert(A:k == 0); x = 1; assert(!enabled(2)) }",
    ),
    Case(
        "a control point that changes",
        "assertions",
        "byte x;\nactive proctype A() { x = 1 }\n"
        "active proctype B() { byte k; k = pc_value(0); if :: pc_value(0) != k -> assert(0) :: else fi }",
    ),
    Case(
        "more values are received than the message has",
        "assertions",
        "chan q = [1] of { byte }; byte x, y;\nactive proctype A() { q!1; q?x,y }",
    ),
    Case(
        "more values could be received than the message has",
        None,
        "chan q = [1] of { byte }; byte x, y;\nactive proctype A() { if :: q?x,y :: x = 9 fi }",
    ),
    Case(
        "a guard that is never true may ask what must not be asked",
        "memory",
        "byte x = 1;\nproctype P() { (x == 0); (!enabled(1)); end: (x > 3) }\n"
        "init { run P(); (_nr_pr >= 1); x = 0 }",
    ),
)
