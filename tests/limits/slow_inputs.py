"""Slow inputs, one for each stage of each command: most of them would take minutes or forever."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HUGE = 1_000_000
MANY = 100_000


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage, the files that keep it busy, the command that meets them, and the exit code at the limit."""

    name: str
    command: str
    files: Callable[[], dict[str, str]] = dict
    code: int = 3


def _macros() -> str:
    """Doubles 40 times: the preprocessor would write 10^12 words."""
    return (
        "#define A0 x,\n" + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(40)) + "int a[] = {A40};\n"
    )


def _functions() -> str:
    bodies = (f"int f{n}(int a, int b) {{ return a * {n} + b; }}\n" for n in range(200_000))
    return "".join(bodies) + "int main(void) { return 0; }\n"


def _includes() -> dict[str, str]:
    """Each header includes the next one twice: the preprocessor would open 2^30 files."""
    headers = {f"h{n}.h": f'#include "h{n + 1}.h"\n' * 2 for n in range(30)}
    return headers | {"h30.h": "int x;\n", "a.c": '#include "h0.h"\nint main(void) { return 0; }\n'}


def _large_array() -> str:
    """Clang needs long to write all of its elements."""
    return "int a[] = {[0 ... 19999999] = 1};\nint main(void) { return a[0] - 1; }\n"


def _llvm_text() -> str:
    lines = "".join(f"  %v{n + 1} = add i32 %v{n}, {n}\n" for n in range(HUGE // 2))
    return f"define i32 @main() {{\n  %v0 = add i32 0, 1\n{lines}  ret i32 0\n}}\n"


def _calls() -> str:
    """Each function calls the one before it twice: inlined, there are 2^40 calls."""
    calls = "".join(f"static void f{n + 1}(void) {{ f{n}(); f{n}(); }}\n" for n in range(40))
    return (
        f"#include <stdatomic.h>\natomic_int x;\nstatic void f0(void) {{ x++; }}\n{calls}"
        "int main(void) { f40(); return 0; }\n"
    )


def _c_loop(body: str, *, before: str = "", iterations: int = MANY) -> Callable[[], str]:
    """A program that is one long loop, which membar unrolls."""
    return lambda: (
        f"#include <stdatomic.h>\n#include <stdlib.h>\natomic_int x[64];\n{before}\n"
        f"int main(void) {{\n  for (int i = 0; i < {iterations}; i++) {{ {body} }}\n  return 0;\n}}\n"
    )


def _statements() -> str:
    lines = "".join(f"  x = {n};\n" for n in range(MANY))
    return f"#include <stdatomic.h>\natomic_int x;\nint main(void) {{\n{lines}  return 0;\n}}\n"


def _threads_of_c() -> str:
    """Found soon what the program does; very many executions."""
    return (
        "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n"
        "static void *add(void *unused) { long r = x++; r = 99 * r + x++; return (void *)(99 * r + x++); }\n"
        "int main(void) {\n  pthread_t a[8];\n"
        "  for (int i = 0; i < 8; i++) pthread_create(&a[i], 0, add, 0);\n"
        "  for (int i = 0; i < 8; i++) pthread_join(a[i], 0);\n  return 0;\n}\n"
    )


def _long_test() -> str:
    lines = "".join(f" MOV [x],${n} | MOV EAX,[x] ;\n" for n in range(MANY))
    return f"X86 long\n{{ x=0; }}\n P0 | P1 ;\n{lines}exists (1:EAX=1)\n"


def _many_threads() -> str:
    heads, bodies = (" | ".join(f"P{n}" for n in range(10_000)), " | ".join(["MOV [x],$1"] * 10_000))
    return f"X86 many\n{{ x=0; }}\n {heads} ;\n {bodies} ;\nexists (x=1)\n"


def _kernel_test() -> str:
    lines = "".join(f"  WRITE_ONCE(*x, {n});\n" for n in range(MANY))
    return f"C long\n{{ }}\nP0(int *x)\n{{\n{lines}}}\nexists (x=1)\n"


def _arm_test() -> str:
    lines = "".join(f" MOV W0,#{n % 1000} | LDR W0,[X1] ;\n" for n in range(MANY))
    return f"AArch64 long\n{{ 1:X1=x; }}\n P0 | P1 ;\n{lines}exists (1:X0=1)\n"


def _promela_text() -> str:
    return "byte x;\nactive proctype p() {\n" + "".join(f"  x = {n % 200};\n" for n in range(HUGE)) + "}\n"


def _promela_channels() -> str:
    """Which of many channels a parameter is depends on the run: each send may be on any of them."""
    channels = "".join(f"chan c{n} = [1] of {{ byte, byte, byte, byte }};\n" for n in range(200))
    sends = "".join("  c!1,2,3,4;\n" for _ in range(200))
    runs = "; ".join(f"run p(c{n})" for n in range(200))
    return f"{channels}proctype p(chan c) {{\n{sends}}}\ninit {{ {runs} }}\n"


def _promela_states() -> str:
    bodies = "".join(
        f"active proctype p{n}() {{ byte i; do :: i < 250 -> i++; x[{n}] = i :: i > 0 -> i-- od }}\n"
        for n in range(6)
    )
    return f"byte x[6];\n{bodies}"


def _dve_text() -> str:
    lines = ",\n".join(
        f"  a -> a {{ guard x == {n % 250}; effect x = {n % 200}; }}" for n in range(HUGE // 4)
    )
    return f"byte x;\nprocess P {{\nstate a;\ninit a;\ntrans\n{lines};\n}}\nsystem async;\n"


def _unbounded() -> str:
    """Buffers that grow, of two processes, with values that never end."""
    body = (
        "process P{0} {{\nint i = 0;\nstate a, b;\ninit a;\ntrans\n"
        "  a -> b {{ effect x{0} = i; }},\n  b -> a {{ guard x{1} >= 0; effect i = i + 1; }};\n}}\n"
    )
    return "int x0;\nint x1;\n" + body.format(0, 1) + body.format(1, 0) + "system async;\n"


def _program_text() -> str:
    lines = "".join(f"  {n} -> {n + 1}: store [&x] := {n}\n" for n in range(HUGE))
    return f"program long\nmemory x : i32\nthread P0 {{\n{lines}}}\n"


def contention(threads: int, writes: int, *, condition: str = "") -> str:
    """Threads that write one variable: very many executions."""
    bodies = (
        " ".join(f"{n} -> {n + 1}: store [&x] := {thread * writes + n + 1}" for n in range(writes))
        for thread in range(threads)
    )
    lines = [f"thread P{number} {{ {body} }}" for number, body in enumerate(bodies)]
    return "\n".join(["program contention", "memory x : i32", *lines, condition]) + "\n"


def _racing(threads: int, accesses: int) -> str:
    """Threads that read and write one variable: very many reads-from classes."""

    def steps(thread: int) -> str:
        return " ".join(
            f"{2 * n} -> {2 * n + 1}: r{n} := load [&x]"
            f" {2 * n + 1} -> {2 * n + 2}: store [&x] := {thread * 100 + n}"
            for n in range(accesses)
        )

    lines = [f"thread P{number} {{ {steps(number)} }}" for number in range(threads)]
    return "\n".join(["program racing", "memory x : i32", *lines]) + "\n"


def _writes() -> str:
    return contention(6, 4)


def _few_writes() -> str:
    return contention(4, 2)


def _reads_and_writes() -> str:
    return _racing(4, 6)


def _xcfa_text() -> str:
    lines = "".join(f"    l{n} -> l{n + 1} {{ {n} -> x }}\n" for n in range(MANY))
    places = "".join(f"    loc l{n}\n" for n in range(1, MANY))
    return (
        f"var x : int\nprocess p {{\n  main procedure run() {{\n    init loc l0\n{places}"
        f"    final loc l{MANY}\n{lines}  }}\n}}\n"
    )


def _cubicle_text() -> str:
    lines = "".join(f"transition t{n} (i)\nrequires {{ X[i] = A }}\n{{ X[i] := B; }}\n" for n in range(MANY))
    unsafe = "unsafe (z w) { X[z] = B && X[w] = B }"
    return f"type t = A | B\narray X[proc] : t\ninit (z) {{ X[z] = A }}\n{unsafe}\n{lines}"


def _clocks() -> str:
    """Backwards from the unsafe state there is no end."""
    return (
        "type loc = A | B | C | CS\narray PC[proc] : loc\narray T[proc] : int\nvar Now : int\n"
        "init (p) { PC[p] = A && Now = 0 && T[p] = 0 }\n"
        "unsafe (p q) { PC[p] = CS && PC[q] = CS }\n"
        "transition start (p) requires { PC[p] = A } { PC[p] := B; T[p] := Now + 1 }\n"
        "transition set (p) requires { PC[p] = B && Now <= T[p] } { PC[p] := C }\n"
        "transition enter (p) requires { PC[p] = C && T[p] <= Now } { PC[p] := CS }\n"
        "transition tick () { Now := Now + 1 }\n"
    )


def _safe_clocks() -> str:
    return _clocks().replace("PC[q] = CS }", "PC[q] = CS && Now < 0 }")


def _states_of_processes() -> str:
    return (
        "type t = A | B | C | D\narray X[proc] : t\narray Y[proc] : t\ninit (z) { X[z] = A && Y[z] = A }\n"
        "unsafe (z w) { X[z] = D && X[w] = D && Y[z] = D && Y[w] = D && z = w }\n"
        + "".join(
            f"transition {v}{a}{b} (i)\nrequires {{ {v.upper()}[i] = {a} }}\n{{ {v.upper()}[i] := {b}; }}\n"
            for v in "xy"
            for a, b in ("AB", "BC", "CD", "DA", "AC", "BD")
        )
    )


def _object_text() -> str:
    lines = "".join(f"    {n}: x = {n % 7};\n" for n in range(1, MANY))
    return (
        f"object big;\nshared x = 0;\noperation put() {{\n{lines}}}\n"
        "specification {\n    state a = 0;\n    operation put() { a = 0; }\n}\n"
        "abstraction a == 0;\nlinearize put at 1;\n"
    )


def _register() -> str:
    """Invariants of three interleaved handshakes: many candidates, many questions to z3."""
    writers = "".join(
        f"operation put{n}(v) {{\n    local s, t;\n    do {{ {10 * n + 1}: s = cas(l{n}, 0, 1); }}"
        f" {10 * n + 2}: while (!s);\n"
        f"    {10 * n + 3}: t = x{n};\n    {10 * n + 4}: x{n} = t + 1;\n    {10 * n + 5}: y{n} = t + 2;\n"
        f"    {10 * n + 6}: l{n} = 0;\n    {10 * n + 7}: return t;\n}}\n"
        for n in range(1, 5)
    )
    shared = ", ".join(f"x{n} = 0, y{n} = 1, l{n} = 0" for n in range(1, 5))
    state = ", ".join(f"a{n} = 0" for n in range(1, 5))
    specified = "".join(
        f"    operation put{n}(v) {{ a{n} = a{n} + 1; return a{n} - 1; }}\n" for n in range(1, 5)
    )
    abstraction = " && ".join(f"a{n} == x{n}" for n in range(1, 5))
    points = "".join(f"linearize put{n} at {10 * n + 4};\n" for n in range(1, 5))
    return (
        f"object register;\nshared {shared};\n{writers}specification {{\n    state {state};\n{specified}}}\n"
        f"abstraction {abstraction};\n{points}"
    )


def linear_object(variables: int) -> Callable[[], str]:
    """One step of an object, of which z3 has to solve large inequalities over whole numbers."""

    def text() -> str:
        numbers = random.Random(variables)

        def digits() -> int:
            return numbers.randrange(10**98, 10**99)

        def total(first: int, last: int) -> str:
            if first + 1 == last:
                return f"{digits()} * x{first}"
            middle = (first + last) // 2
            return f"({total(first, middle)} + {total(middle, last)})"

        signs = ("<= ", ">= ", "<= ", ">= -")
        rows = "".join(
            f"    at(idle, 1) && ready == 1 -> {total(0, variables)} {signs[n % 4]}{digits()};\n"
            for n in range(2 * variables)
        )
        shared = ", ".join(f"x{n} = 0" for n in range(variables))
        return (
            f"object linear;\nshared ready = 0, z = 0, {shared};\noperation put() {{\n    1: z = 7;\n}}\n"
            "specification {\n    state a = 0;\n    operation put() { a = 7; }\n}\n"
            f"abstraction a == z;\ninvariant {{\n{rows}    ready == 1 -> 0 <= z && z <= 0;\n}}\n"
            "linearize put at 1;\n"
        )

    return text


def _deep_model() -> str:
    return f"(* Deep. *)\nlet a = {'(' * 5 * MANY}po{')' * 5 * MANY}\nacyclic a as deep\n"


def _wide_model() -> str:
    lines = "".join(f"let a{n} = (po | rf | co | fr) ; (po | a{n - 1})\n" for n in range(1, 50_000))
    return f"(* Wide. *)\nlet a0 = po\n{lines}acyclic a49999 as wide\n"


def _rules() -> str:
    lines = "".join(f"a{n} = po union rf union mo union a{n - 1}\n" for n in range(1, 50_000))
    return f"// Wide.\na0 = po union rf\n{lines}\na49999 acyclic\n"


def _long_witness() -> str:
    """Found at once, but long."""
    lines = "".join(f"  {n} -> {n + 1}: store [&x] := 1\n" for n in range(20_000))
    look = "thread P1 {\n  0 -> 1: r := load [&x]\n  1 -> 2: assert r != 1\n}\n"
    return f"program long\nmemory x : i32\nthread P0 {{\n{lines}}}\n{look}"


def _long_run() -> str:
    """Found soon; the simulator follows it step by step."""
    body = "do :: x < 20000 -> x = x + 1 :: x == 20000 -> assert(false) od"
    return f"int x;\nactive proctype p() {{ {body} }}\n"


def _mutual_exclusion() -> str:
    """Proved soon, by a proof of thousands of cubes, which is to be checked."""
    last = 63
    steps = "".join(
        f"transition t{n} (i)\nrequires {{ X[i] = S{n} }}\n{{ X[i] := S{n + 1}; }}\n" for n in range(1, last)
    )
    return (
        f"type t = {' | '.join(f'S{n}' for n in range(last + 1))}\narray X[proc] : t\nvar Lock : bool\n"
        "init (z) { X[z] = S0 && Lock = False }\n"
        f"unsafe (z w) {{ X[z] = S{last} && X[w] = S{last} }}\n"
        "transition take (i)\nrequires { X[i] = S0 && Lock = False }\n{ X[i] := S1; Lock := True; }\n"
        f"{steps}transition leave (i)\nrequires {{ X[i] = S{last} }}\n{{ X[i] := S0; Lock := False; }}\n"
    )


def _forbidden() -> str:
    """Many candidates for the execution that the fences forbid: all orders of the writes."""
    return (
        "X86 forbidden\n{ x=0; y=0; }\n"
        " P0          | P1          | P2         | P3         | P4         ;\n"
        " MOV [x],$1  | MOV [y],$1  | MOV [x],$2 | MOV [x],$5 | MOV [x],$8 ;\n"
        " MFENCE      | MFENCE      | MOV [y],$3 | MOV [y],$6 | MOV [y],$9 ;\n"
        " MOV EAX,[y] | MOV EAX,[x] | MOV [x],$4 | MOV [x],$7 |            ;\n"
        "~exists (0:EAX=0 /\\ 1:EAX=0)\n"
    )


def _counters_and_witness() -> dict[str, str]:
    """An assertion that always holds, and a witness that says that it fails."""
    program = (
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n"
        "static void *count(void *unused) { for (int i = 0; i < 6; i++) x = x + 1; return 0; }\n"
        "int main(void) {\n  pthread_t a, b, c;\n  pthread_create(&a, 0, count, 0);\n"
        "  pthread_create(&b, 0, count, 0);\n  pthread_create(&c, 0, count, 0);\n"
        "  int y = x;\n  assert(y != 100);\n  return 0;\n}\n"
    )
    witness = f"""\
- entry_type: "violation_sequence"
  metadata:
    format_version: "2.2"
    uuid: "e1d19fbf-d28c-5d9d-a53e-5dd1a9a472bf"
    creation_time: "2026-01-01T00:00:00+00:00"
    producer: {{name: "somebody", version: "1"}}
    task:
      input_files: ["a.c"]
      input_file_hashes: {{"a.c": "{hashlib.sha256(program.encode()).hexdigest()}"}}
      specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
      data_model: "LP64"
      language: "C"
  content:
    - segment:
        - waypoint:
            {{type: "target", action: "follow", thread_id: 0, location: {{file_name: "a.c", line: 12}}}}
"""
    return {"a.c": program, "a.yml": witness}


def _witnesses() -> str:
    """The same witness, very often."""
    membar = Path(sys.executable).with_name("membar")
    answer = subprocess.run([membar, "check", SB, "--json"], capture_output=True, text=True, check=False)
    return answer.stdout * 20_000


def _handovers() -> str:
    hand = "".join
    even = hand(f"HAND({2 * n}, {2 * n + 1}) " for n in range(10))
    odd = hand(f"HAND({2 * n + 1}, {2 * n + 2}) " for n in range(10))
    return f"""#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern void __VERIFIER_assume(int);
_Atomic unsigned char x, d;
unsigned char last;
#define HAND(from, to)                                  \\
    r = atomic_load_explicit(&x, memory_order_relaxed); \\
    __VERIFIER_assume(r == (from));                     \\
    q = atomic_load_explicit(&d, memory_order_relaxed); \\
    atomic_store_explicit(&d, q + 1, memory_order_relaxed); \\
    atomic_store_explicit(&x, (to), memory_order_relaxed);
static void *even(void *unused) {{ unsigned char r, q; {even} return 0; }}
static void *odd(void *unused) {{ unsigned char r, q; {odd} last = q; return 0; }}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, even, 0);
    pthread_create(&b, 0, odd, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(last == 19);
    return 0;
}}
"""


def _file(name: str, text: Callable[[], str]) -> Callable[[], dict[str, str]]:
    return lambda: {name: text()}


SB = str(EXAMPLES / "litmus/store-buffering.litmus")

STAGES = (
    # reading
    Stage("C: preprocessing, macros", "check a.c", _file("a.c", _macros)),
    Stage("C: preprocessing, includes", "check a.c", _includes),
    Stage("C: parsing 10 MB", "check a.c", _file("a.c", _functions)),
    Stage("C: code generation", "check a.c", _file("a.c", _large_array)),
    Stage("LLVM IR: reading", "check a.ll", _file("a.ll", _llvm_text)),
    Stage("C: inlining", "check a.c", _file("a.c", _calls)),
    Stage(
        "C: unrolling and points-to",
        "check a.c",
        _file("a.c", _c_loop(40 * "{ atomic_int *p = &x[i & 63]; *p = i; }", iterations=4_000)),
    ),
    Stage(
        "C: lifetimes",
        "check a.c",
        _file(
            "a.c", _c_loop(40 * "{ int a = i; kept = &a; *kept = i; }", before="int *kept;", iterations=4_000)
        ),
    ),
    Stage("C: heap", "check a.c", _file("a.c", _c_loop("int *p = malloc(4); *p = i; free(p);"))),
    Stage("C: lowering a long program", "check a.c", _file("a.c", _statements)),
    Stage("C: translate", "translate a.c --to program", _file("a.c", _statements)),
    Stage("litmus X86: parsing 100,000 lines", "check a.litmus", _file("a.litmus", _long_test)),
    Stage("litmus X86: 10,000 threads", "check a.litmus", _file("a.litmus", _many_threads)),
    Stage("litmus C: parsing", "check a.litmus", _file("a.litmus", _kernel_test)),
    Stage("litmus AArch64: parsing", "check a.litmus", _file("a.litmus", _arm_test)),
    Stage("Promela: parsing", "check a.pml", _file("a.pml", _promela_text)),
    Stage("Promela: channels as values", "check a.pml", _file("a.pml", _promela_channels)),
    Stage("DVE: parsing", "check a.dve", _file("a.dve", _dve_text)),
    Stage("program text: parsing", "check a.mbp", _file("a.mbp", _program_text)),
    Stage("XCFA: parsing", "check a.xcfa", _file("a.xcfa", _xcfa_text)),
    Stage("Cubicle: parsing", "check a.cub", _file("a.cub", _cubicle_text)),
    Stage("objects: parsing", "check a.obj", _file("a.obj", _object_text)),
    # models
    Stage("cat: 500,000 parentheses", f"check {SB} --model a.cat", _file("a.cat", _deep_model)),
    Stage("cat: 50,000 definitions", f"check {SB} --model a.cat", _file("a.cat", _wide_model)),
    Stage("rules: 50,000 definitions", f"check {SB} --model a.rules", _file("a.rules", _rules)),
    Stage("models show", "models show a.cat", _file("a.cat", _wide_model)),
    # search
    Stage(
        "graphs: exactly once",
        "check a.mbp --coherence all --model sc",
        _file("a.mbp", _writes),
    ),
    Stage("graphs: classes", "check a.mbp --model x86-tso", _file("a.mbp", _reads_and_writes)),
    Stage(
        "graphs: two threads",
        "check a.mbp --coherence all --model sc --jobs 2",
        _file("a.mbp", _writes),
    ),
    Stage(
        "graphs: dependency-aware",
        "check a.mbp --coherence all --model armv8",
        _file("a.mbp", _reads_and_writes),
    ),
    Stage("graphs: general", "check a.mbp --coherence all --model imm", _file("a.mbp", _reads_and_writes)),
    Stage("graphs: C", "check a.c --model rc11", _file("a.c", _threads_of_c)),
    Stage("states: C", "check a.c --model sc --engine states", _file("a.c", _threads_of_c)),
    Stage("states", "check a.pml", _file("a.pml", _promela_states)),
    Stage("states: LTL", "check a.pml --ltl 'G F (x[0] == 0)'", _file("a.pml", _promela_states)),
    Stage(
        "buffers",
        "check a.dve --model x86-tso --error 'x0 == -5' --property errors --buffers unbounded",
        _file("a.dve", _unbounded),
    ),
    Stage("cubes", "check a.cub --model sc", _file("a.cub", _clocks)),
    Stage("cubes: generic", "check a.cub --model sc --algorithm generic", _file("a.cub", _safe_clocks)),
    Stage("instances", "check a.cub --engine instances --instances 9", _file("a.cub", _states_of_processes)),
    Stage(
        "reference: axioms",
        "check a.mbp --engine reference --model sc",
        _file("a.mbp", _writes),
    ),
    Stage("reference: store buffers", "check a.pml --engine reference", _file("a.pml", _promela_states)),
    Stage("objects: clients", f"check {EXAMPLES}/objects/counter.obj --client 3,4"),
    Stage("objects: clients of C", f"check {EXAMPLES}/c/objects/msqueue.c --client 3,4"),
    Stage("objects: inference (z3)", "check a.obj --infer", _file("a.obj", _register)),
    Stage("objects: proof (z3)", "check a.obj --model sc", _file("a.obj", linear_object(30))),
    Stage("any number of threads", f"check {EXAMPLES}/c/any-threads/bakery.c --threads any"),
    # afterwards
    Stage("follow-up question", "check a.c --model sc", _file("a.c", _handovers), code=0),
    Stage("graphs: a long execution", "check a.mbp --model sc", _file("a.mbp", _long_witness)),
    Stage(
        "replay of a witness",
        "check a.pml --model sc --property assertions",
        _file("a.pml", _long_run),
    ),
    Stage("certificate", "check a.cub --model sc", _file("a.cub", _mutual_exclusion)),
    Stage("explanation", "check a.litmus --explain", _file("a.litmus", _forbidden)),
    Stage("confirmation", "check a.c --model sc --confirm a.yml", _counters_and_witness),
    Stage(
        "drawing",
        "check a.mbp --coherence all --all --svg pictures --model sc",
        _file("a.mbp", _few_writes),
    ),
    # other commands
    Stage("replay", "replay a.json", _file("a.json", _witnesses)),
    Stage("repair", f"repair {EXAMPLES}/c/bakery.c -D N=4 --weaken --model armv8"),
    Stage("repair: parsing", "repair a.c", _file("a.c", _functions)),
    Stage(
        "compare",
        "compare a.mbp --models sc,x86-tso --coherence all",
        _file("a.mbp", _writes),
    ),
    Stage("compare: parsing", "compare a.litmus --models sc", _file("a.litmus", _long_test)),
    Stage("translate", "translate a.pml --to dve --model x86-tso", _file("a.pml", _promela_text)),
    Stage("litmus DIR", "litmus .", _file("a.litmus", _long_test)),
    Stage(
        "litmus DIR --jobs 2",
        "litmus . --jobs 2",
        lambda: dict.fromkeys(("a.litmus", "b.litmus"), _many_threads()),
    ),
)

# Inputs that would take more memory than there is.
HUNGRY = (
    Stage("graphs", "check a.mbp --coherence all --all --model sc", _file("a.mbp", _writes)),
    Stage("states", "check a.pml", _file("a.pml", _promela_states)),
    Stage(
        "buffers",
        "check a.dve --model x86-tso --error 'x0 == -5' --property errors --buffers unbounded",
        _file("a.dve", _unbounded),
    ),
    Stage("cubes", "check a.cub --model sc", _file("a.cub", _clocks)),
    Stage("objects: proof (z3)", "check a.obj --model sc", _file("a.obj", linear_object(130))),
)
