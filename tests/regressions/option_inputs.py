"""Small texts in each language, and a value for each option."""

from __future__ import annotations

X86 = """\
X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
AARCH64 = """\
AArch64 SB
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 MOV W0,#1   | MOV W0,#1   ;
 STR W0,[X1] | STR W0,[X1] ;
 LDR W2,[X3] | LDR W2,[X3] ;
exists (0:X2=0 /\\ 1:X2=0)
"""
PPC = """\
PPC SB
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | li r1,1      ;
 stw r1,0(r2) | stw r1,0(r2) ;
 lwz r3,0(r4) | lwz r3,0(r4) ;
exists (0:r3=0 /\\ 1:r3=0)
"""
RISCV = """\
RISCV SB
{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 P0          | P1          ;
 li x5,1     | li x5,1     ;
 sw x5,0(x6) | sw x5,0(x6) ;
 lw x7,0(x8) | lw x7,0(x8) ;
exists (0:x7=0 /\\ 1:x7=0)
"""
C_LITMUS = """\
C SB
{ }
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\\ 1:r0=0)
"""
LKMM = """\
C SB
{ }
P0(int *x, int *y) {
  int r0;
  WRITE_ONCE(*x, 1);
  r0 = READ_ONCE(*y);
}
P1(int *x, int *y) {
  int r0;
  WRITE_ONCE(*y, 1);
  r0 = READ_ONCE(*x);
}
exists (0:r0=0 /\\ 1:r0=0)
"""
# Two threads that do the same, a loop that waits, one that does not, a macro: something for each option.
C = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef ADDED
#define ADDED 2
#endif
atomic_int x, y;
static void *add(void *p) {
  for (int old = 0; !atomic_compare_exchange_weak(&x, &old, old + 1);)
    ;
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return p;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, add, 0);
  pthread_create(&two, 0, add, 0);
  while (atomic_load(&x) < 2)
    ;
  assert(ADDED == 2);
  return 0;
}
"""
MBP = """\
program SB
memory x : i32
memory y : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: r0 := load [&y] }
thread P1 {
  0 -> 1: store [&y] := 1
  1 -> 2: r0 := load [&x] }
~exists 0:r0 = 1 /\\ 1:r0 = 1
"""
TEXTS = {
    "x86.litmus": X86,
    "aarch64.litmus": AARCH64,
    "ppc.litmus": PPC,
    "riscv.litmus": RISCV,
    "c.litmus": C_LITMUS,
    "lkmm.litmus": LKMM,
    "program.c": C,
    "text.mbp": MBP,
}
# An example of each kind of question that is not about a program.
EXAMPLES = {
    "flags.cub": "examples/cubicle/flags-fenced.cub",
    "counter.obj": "examples/objects/counter.obj",
    "register.obj": "examples/objects/register.obj",
}
SYSTEMS = {
    "system.dve": """int x = 0; int y = 0; int z = 0;
process A { int r; state a, b, c; init a;
trans a -> b { effect x = 1; }, b -> c { guard z < 2; effect r = y; };
}
process B { int r; state a, b, c; init a;
trans a -> b { effect y = 1; }, b -> c { effect r = x; };
}
system async;
""",
    "system.xcfa": """var x : int
var y : int
process p {
  main procedure run() {
    var i : int (1)
    init loc a
    loc b
    loc c
    final loc d
    a -> b { i -> x }
    b -> c { i <- y }
    c -> b { assume i = 1 }
    c -> d { assume i = 0 }
  }
}
process q {
  main procedure run() {
    var i : int (1)
    init loc a
    loc b
    final loc d
    a -> b { i -> y }
    b -> d { i <- x }
  }
}
""",
}
VALUES: dict[str, tuple[str, ...]] = {
    "--engine": ("--engine", "states"),
    "--property": ("--property", "deadlock"),
    "--property-file": ("--property-file", "asked.prp"),
    "--error": ("--error", "x == 1"),
    "--ltl": ("--ltl", "G x == 0"),
    "--ltl-file": ("--ltl-file", "claims.ltl"),
    "--ghost": ("--ghost", "x"),
    "--show-automaton": ("--show-automaton",),
    "--bitstate": ("--bitstate",),
    "--dve-errors": ("--dve-errors", "legacy"),
    "--atomic": ("--atomic", "none.txt"),
    "--atomic-rule": ("--atomic-rule", "all"),
    "--buffers": ("--buffers", "1"),
    "--algorithm": ("--algorithm", "generic"),
    "--strict-dependencies": ("--strict-dependencies",),
    "--unroll": ("--unroll", "1"),
    "--max-unroll": ("--max-unroll", "1"),
    "--coherence": ("--coherence", "all"),
    "--no-prune": ("--no-prune",),
    "--no-symmetry": ("--no-symmetry",),
    "--no-latest": ("--no-latest",),
    "--no-await": ("--no-await",),
    "--no-sleep": ("--no-sleep",),
    "--no-acceleration": ("--no-acceleration",),
    "--no-por": ("--no-por",),
    "--shortest": ("--shortest",),
    "--symmetric": ("--symmetric", "P"),
    "--jobs": ("--jobs", "2"),
    "--all": ("--all",),
    "--herd": ("--herd",),
    "--explain": ("--explain",),
    "--outcome": ("--outcome", "x=0"),
    "--png": ("--png", "png-pictures"),
    "--theme": ("--svg", "dark-pictures", "--theme", "dark"),
    "--full": ("--svg", "full-pictures", "--full"),
    "--dot": ("--dot", "pictures"),
    "--svg": ("--svg", "pictures"),
    "--mapping": ("--mapping", "x86"),
    "-I": ("-I", "."),
    "-D": ("-D", "ADDED=3"),
    "-U": ("-U", "ADDED"),
    "-include": ("-include", "added.h"),
    "--std": ("--std", "gnu11"),
    "--with": ("--with", "added.c"),
    "--clang": ("--clang", "no-such-compiler"),
    "--target": ("--target", "no-such-processor"),
    "--data-model": ("--data-model", "ILP32"),
    "--compile-commands": ("--compile-commands", "."),
    "--compiler-option": ("--compiler-option=-no-such-option",),
    "--no-cache": ("--no-cache",),
    "-v": ("-v",),
    "--args": ("--args", "word"),
    "--rustc": ("--rustc", "no-such-compiler"),
    "--edition": ("--edition", "2021"),
    "--features": ("--features", "added"),
    "--cfg": ("--cfg", "added"),
    "--test": ("--test", "added"),
    "--bin": ("--bin", "added"),
    "--allow-build": ("--allow-build",),
    "--brab": ("--brab", "2"),
    "--instances": ("--instances", "2"),
    "--certificate": ("--certificate", "proof.smt2"),
    "--threads": ("--threads", "any"),
    "--client": ("--client", "2,1"),
    "--order": ("--order", "real-time"),
    "--spec": ("--spec", "Stack"),
    "--allow-python-spec": ("--allow-python-spec",),
    "--infer": ("--infer",),
    "--confirm": ("--confirm", "witness.yml"),
    "--witness": ("--witness", "written.yml"),
}
