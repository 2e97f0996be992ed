# ruff: noqa: E501 - C programs, one per line
"""C programs about how long local variables live, and what membar must say about them."""

from __future__ import annotations

from strategies.c_heap_cases import HeapCase, main_only

ENDED = "memory: use after the end of lifetime: "
_KEEP = "int *kept;\n"
_ATOMIC = "_Atomic(int *) box;\natomic_int go;\nint ok;\n"

_SEQUENTIAL = (
    main_only("a pointer to a local is returned", "int *p = f();\nreturn *p;", f"{ENDED}`x`, which ended at line 7, is accessed (line 10)", "int *f(void) { int x = 3; int *p = &x; return p; }\n"),
    main_only("a pointer to a local is kept", "f();\nreturn *kept;", f"{ENDED}`x`, which ended at line 8, is accessed (line 11)", f"{_KEEP}void f(void) {{ int x = 3; kept = &x; }}\n"),
    main_only("a kept local is written", "f();\n*kept = 4;", f"{ENDED}`x`, which ended at line 8, is accessed (line 11)", f"{_KEEP}void f(void) {{ int x = 3; kept = &x; }}\n"),
    main_only("a parameter is kept", "f(3);\nreturn *kept;", f"{ENDED}`x`, which ended at line 8, is accessed (line 11)", f"{_KEEP}void f(int x) {{ kept = &x; }}\n"),
    main_only("a kept local is not used later", "f(); kept = &ok; return *kept;", "holds", f"{_KEEP}int ok;\nvoid f(void) {{ int x = 3; kept = &x; }}\n"),
    main_only("a kept local is used while it lives", "f(); return ok != 3;", "holds", f"{_KEEP}int ok;\nvoid f(void) {{ int x = 3; kept = &x; ok = *kept; assert(ok == 3); }}\n"),
    main_only("one of two returns comes early", "int v = f(__VERIFIER_nondet_bool());\nif (v) return *kept;", f"{ENDED}`x`, which ended at line 11, is accessed", f"{_KEEP}int f(int c) {{\nint x = 1; kept = &x;\nif (c) return 1;\nkept = NULL; return 0; }}\n"),
    main_only("an early return that tells", "int v = f(__VERIFIER_nondet_bool());\nif (!v) return *kept;", "holds", f"{_KEEP}int ok;\nint f(int c) {{ int x = 1; kept = &x; if (c) return 1; kept = &ok; return 0; }}\n"),
    main_only("after its block", "int *p; { int x = 3;\np = &x; }\nreturn *p;", f"{ENDED}`x`, which ended at line 10, is accessed (line 11)"),
    main_only("after its block, through memory", "{ int x = 3;\nkept = &x; }\nreturn *kept;", f"{ENDED}`x`, which ended at line 10, is accessed (line 11)", _KEEP),
    main_only("after a block that was taken or not", "int y = 1; int *p = &y; if (__VERIFIER_nondet_bool()) { int x = 3;\np = &x; }\nreturn *p;", f"{ENDED}`x`, which ended at line 10, is accessed (line 11)"),
    main_only("in its block", "int y = 1; int *p = &y; int x = 3; if (__VERIFIER_nondet_bool()) { p = &x; } return *p;", "holds"),
    main_only("after a break", "int *p; while (1) { int x = 3; p = &x;\nbreak; }\nreturn *p;", f"{ENDED}`x`, which ended at line 10, is accessed (line 11)"),
    main_only("after a break, through memory", "while (1) { int x = 3; kept = &x;\nif (__VERIFIER_nondet_bool()) break;\nkept = 0; }\nreturn *kept;", f"{ENDED}`x`, which ended at line 11, is accessed (line 12)", _KEEP),
    main_only("after a goto", "int *p; { int x = 3; p = &x;\ngoto out; }\nout: return *p;", f"{ENDED}`x`, which ended at line 10, is accessed (line 11)"),
    main_only("after a goto, through memory", "{ { int x = 3; kept = &x;\nif (__VERIFIER_nondet_bool()) goto out; kept = &ok; }\nkept = &ok; }\nout: return *kept;", f"{ENDED}`x`, which ended at line 11, is accessed (line 13)", f"{_KEEP}int ok;\n"),
    main_only("a goto inside the block", "int x = 3; kept = &x; if (__VERIFIER_nondet_bool()) goto out; x = 4; out: return *kept;", "holds", _KEEP),
    main_only("a goto back keeps what is in the block", "int i = 0; int x = 0; kept = &x; again: *kept += 1; i++; if (i < 3) goto again; assert(x == 3);", "holds", _KEEP),
    main_only("after a continue", "int *p = 0; for (int i = 0; i < 2; i++) { if (i) return *p;\nint x = 3; p = &x;\ncontinue; }", f"{ENDED}`x`, which ended at line 11, is accessed (line 9)"),
    main_only("the variable of a loop", "for (int i = 0; i < 2; i++) { kept = &i; }\nreturn *kept;", f"{ENDED}`i`, which ended at line 9, is accessed (line 10)", _KEEP),
    main_only("continue keeps the variable of the loop", "for (int i = 0; i < 2; i++) { kept = &i; if (__VERIFIER_nondet_bool()) continue; assert(*kept == i); }", "holds", _KEEP),
    main_only("break keeps the variable around the loop", "{ int x = 1; kept = &x; while (1) { if (__VERIFIER_nondet_bool()) break; } assert(x == *kept); }", "holds-within", _KEEP),
    main_only("the last turn's variable", "int *p = 0;\nfor (int i = 0; i < 2; i++) { int x = i; if (i) return *p;\np = &x;\n}", f"{ENDED}`x`, which ended at line 12, is accessed (line 10)"),
    main_only("the last turn's variable, before it begins again", "int *p = &ok;\nwhile (__VERIFIER_nondet_bool()) { ok = *p; int x = 1;\np = &x;\n}", f"{ENDED}`x`, which ended at line 12, is accessed (line 10)", "int ok;\n"),
    main_only("a variable that begins again", "while (__VERIFIER_nondet_bool()) { int x = 1; kept = &x; ok = *kept; *kept = 2; assert(x == 2); }", "holds-within", f"{_KEEP}int ok;\n"),
    main_only("a variable that begins again without a value", "while (__VERIFIER_nondet_bool()) { int x; kept = &x; *kept = 2; assert(x == 2); }", "holds-within", f"{_KEEP}int ok;\n"),
    main_only("a variable that begins again, never set", "while (__VERIFIER_nondet_bool()) { int x; kept = &x; if (__VERIFIER_nondet_bool()) *kept = 2; ok = *kept; }", "read before it was set", f"{_KEEP}int ok;\n"),
    main_only("a variable that begins again, elsewhere", "kept = &ok; while (__VERIFIER_nondet_bool()) { int x = 1; kept = &x; set(); assert(x == 2); kept = &ok; } set();", "holds-within", f"{_KEEP}int ok;\nvoid set(void) {{ *kept = 2; }}\n"),
    main_only("the first of three turns", "for (int i = 0; i < 3; i++) { int a[2] = {i, i}; if (i == 0) kept = &a[1]; if (i == 2) return *kept;\n}", f"{ENDED}`a`, which ended at line 10, is accessed (line 9)", _KEEP),
    main_only("each turn uses its own", "for (int i = 0; i < 3; i++) { int a[2] = {i, i}; kept = &a[i / 2]; assert(*kept == i); }", "holds", _KEEP),
    main_only("a turn of an inner loop", "for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { int x = j; if (i + j == 2) return *kept; if (i == 0) kept = &x;\n}", f"{ENDED}`x`, which ended at line 10, is accessed (line 9)", _KEEP),
    main_only("a turn of a loop that jumps back", "int n = 0; int *p = 0; again: { int x = n; if (p) return *p; p = &x;\n}\nif (n++ < 1) goto again;", f"{ENDED}`x`, which ended at line 10, is accessed (line 9)"),
    main_only("the last turn's variable, beside a loop that waits", "int *p = 0; for (int i = 0; i < 2; i++) { while (atomic_load(&n) != i) ; int x = i; if (p) return *p; p = &x;\nn = 1; }", f"{ENDED}`x`, which ended at line 10, is accessed (line 9)", "atomic_int n;\n"),
    main_only("a call for each turn", "int z = 1; int *p = &z; for (int i = 2; i >= 0; i--) p = keep(p, i);", f"{ENDED}`x`, which ended at line 8, is accessed (line 8 in keep ← main case.c:10)", "\nint *keep(int *p, int c) { int x = c; int *mine = &x; if (c) return mine; return *p ? p : mine; }\n"),
    main_only("a turn that no bound is known of", "int *p = 0; while (__VERIFIER_nondet_bool()) { int x = 1; if (p) return *p; p = &x; }", "holds-within"),
    main_only("two calls at the end of a recursion", "g(1);", f"{ENDED}`y`, which ended at line 8, is accessed (line 8 in h ← g case.c:9", f"{_KEEP}void h(void) {{ int y = 1; if (!kept) kept = &y; else y = *kept; }}\nvoid g(int n) {{ if (n) g(n - 1); else {{ h(); h(); }} }}\n"),
    main_only("a jump passes a variable of a switch", "for (int i = 0; i < 2; i++) switch (i) { int v; case 0: v = 4; ok = v; break; case 1: ok = v; }", "holds-within", "int ok;\n"),
    main_only("a jump passes a variable that is always set", "for (int i = 0; i < 3; i++) switch (i) { int v; case 0: v = 4; ok += v; break; case 1: v = 1; ok -= v; break; default: ok = 0; }", "holds", "int ok;\n"),
    main_only("a jump passes a variable whose address is kept", "for (int i = 0; i < 2; i++) { if (i) goto next; int q = 5; kept = &q; next: if (i) ok = *kept; }", "holds-within", f"{_KEEP}int ok;\n"),
    main_only("a jump passes what an iteration declares", "int s = 0; for (int i = 0; i < 3; i++) { if (i == 1) goto next; int q = 5, w[2] = {1, 2}; for (int j = 0; j < 2; j++) s += q + w[i / 2]; next: s++; } assert(s == 29);", "holds"),
    main_only("a jump passes a variable of the function", "ok = f(0) + f(1);", "holds", "int ok;\nint f(int c) { if (c) goto out; int v = 3, *p = &v; ok = *p; out: return ok; }\n"),
    main_only("used two calls later", "f(); g(); g();\nreturn *kept;", f"{ENDED}`x`, which ended at line 9, is accessed", f"{_KEEP}atomic_int n;\nvoid f(void) {{ int x = 1; kept = &x; }}\nvoid g(void) {{ atomic_fetch_add(&n, 1); }}\n"),
    main_only("a second call", "f(1);\nf(0);", f"{ENDED}`x`, which ended at line 9, is accessed (line 9 in f ← main case.c:12)", f"{_KEEP}int ok;\nvoid f(int c) {{ int x = 2; if (c) kept = &x; ok = *kept; }}\n"),
    main_only("each call has its own", "f(1); f(0);", "holds", f"{_KEEP}int ok;\nvoid f(int c) {{ int x = 2; kept = &x; ok = *kept; assert(ok == 2); if (c) f(c - 1); assert(x == 2); }}\n"),
    main_only("a pointer up the stack", "int x = 1; kept = &x; f(); assert(x == 2);", "holds", f"{_KEEP}void f(void) {{ *kept = 2; }}\n"),
    main_only("an array", "f(); return kept[1];", f"{ENDED}`a`, which ended at line 8, is accessed", f"{_KEEP}void f(void) {{ int a[3] = {{1, 2, 3}}; kept = a; }}\n"),
    main_only("a large array", "f(); return kept[31];", f"{ENDED}`a`, which ended at line 8, is accessed", f"{_KEEP}void f(void) {{ int a[40] = {{1}}; kept = a; }}\n"),
    main_only("a large array while it lives", "f(); return 0;", "holds", f"{_KEEP}void f(void) {{ int a[40] = {{1}}; kept = a; g(); }}\n".replace("void f", "void g(void) { kept[7] = 5; }\nvoid f")),
    main_only("a byte", "f(); return *kept;", f"{ENDED}`c`, which ended at line 8, is accessed", "char *kept;\nvoid f(void) { char c = 1; kept = &c; }\n"),
    main_only("a structure", "f(); return kept->next->value;", f"{ENDED}`b`, which ended at line 9, is accessed", "struct node { int value; struct node *next; } *kept;\n\nvoid f(void) { struct node a = {1, 0}, b = {2, &a}; kept = &b; }\n"),
    main_only("a compound literal", "{ kept = (int[]){1, 2};\n}\nreturn kept[1];", "holds-within", _KEEP),
    main_only("a compound literal in its block", "kept = (int[]){1, 2}; return kept[1] != 2;", "holds-within", _KEEP),
    main_only("a static variable stays", "f(); return *kept != 3;", "holds", f"{_KEEP}void f(void) {{ static int x = 3; kept = &x; }}\n"),
    main_only("a local is freed", "int x = 1; kept = &x; free(kept);", "free of a pointer that is not the beginning", f"{_KEEP}"),
    main_only("a kept local is freed", "f(); return *kept;", "free of a pointer that is not the beginning", f"{_KEEP}void f(void) {{ int x = 1; kept = &x; free(kept); }}\n"),
    main_only("a local beside allocated memory", "int *p = malloc(sizeof *p); *p = 1; f(p); free(p);\nreturn kept ? *kept : 0;", f"{ENDED}`x`, which ended at line 8, is accessed", f"{_KEEP}void f(int *p) {{ int x = 1; kept = __VERIFIER_nondet_bool() ? &x : 0; *p = 2; }}\n"),
    main_only("a list on the stack", "push(2); assert(sum == 3);", "holds", "struct item { int v; struct item *next; } *top; int sum;\nvoid push(int n) { struct item me = {n, top}; top = &me; if (n > 1) push(n - 1); else for (struct item *i = top; i; i = i->next) sum += i->v; top = me.next; }\n"),
    main_only("a list on the stack that stays", "push(2); return top->v;", ENDED, "struct item { int v; struct item *next; } *top;\nvoid push(int n) { struct item me = {n, top}; top = &me; if (n > 1) push(n - 1); }\n"),
)  # fmt: skip


def threads(name: str, before: str, main: str, says: str, model: str = "sc") -> HeapCase:
    """A program with threads: what stands before `main`, and what that does."""
    return HeapCase(name, f"{before}int main(void) {{\npthread_t t;\n{main}\nreturn 0;\n}}\n", says, model)  # fmt: skip


_SET = "void *w(void *a) {\n  *(int *)a = 5; return 0; }\n"
_START = "pthread_t other;\nvoid start(void) {\nint x = 0; pthread_create(&other, NULL, w, &x);\n}\n"
_WAITS = "pthread_t other;\nvoid start(void) { int x = 0; pthread_create(&other, NULL, w, &x); pthread_join(other, NULL); assert(x == 5); }\n"
_GIVES = "int *g;\nvoid *w(void *a) {\nint x = 1; g = &x; return 0;\n}\n"
# A request on the stack of who asks; the other thread answers, and then may not touch it any more.
_REQUEST = "struct request { int value; atomic_int done; };\n_Atomic(struct request *) box;\nint ok;\n"
_ANSWER = "void *server(void *a) { struct request *r; while (!(r = atomic_load(&box))) ; r->value = 7;\nSTORE;\nreturn 0; }\n"
_ASK = "int ask(void) { struct request r = {0, 0}; atomic_store(&box, &r); WAIT; return r.value;\n}\n"


def request(name: str, store: str, wait: str, says: str, model: str = "sc") -> HeapCase:
    """A request on the stack: how the answer is told, and how it is waited for."""
    before = _REQUEST + _ANSWER.replace("STORE", store) + _ASK.replace("WAIT", wait)
    return threads(name, before, "pthread_create(&t, NULL, server, NULL); ask(); pthread_join(t, NULL);", says, model)  # fmt: skip


_DONE = "atomic_store_explicit(&r->done, 1, memory_order_release)"
_UNTIL = "while (!atomic_load_explicit(&r.done, memory_order_acquire)) ;"
_COMPLETION = "struct completion { pthread_mutex_t m; pthread_cond_t c; int done; };\n"
_COMPLETE = "void *worker(void *a) { struct completion *c = a; pthread_mutex_lock(&c->m); c->done = 1; BODY return 0; }\n"
_AWAIT = "void await(void) {\npthread_t t; struct completion c = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};\npthread_create(&t, NULL, worker, &c); pthread_detach(t);\npthread_mutex_lock(&c.m); while (!c.done) pthread_cond_wait(&c.c, &c.m); pthread_mutex_unlock(&c.m);\n}\n"


def completion(name: str, body: str, says: str, model: str = "sc") -> HeapCase:
    """A mutex and a condition variable on the stack of who waits for a thread that nobody joins."""
    return threads(name, _COMPLETION + _COMPLETE.replace("BODY", body) + _AWAIT, "await();", says, model)


_MCS = """struct mcs { _Atomic(struct mcs *) next; atomic_int locked; };
_Atomic(struct mcs *) tail;
int counter;
void section(void) {
  struct mcs me = {NULL, 1};
  struct mcs *before = atomic_exchange(&tail, &me);
  if (before) { atomic_store_explicit(&before->next, &me, memory_order_release); while (atomic_load_explicit(&me.locked, memory_order_acquire)) ; }
  counter++;
  UNLOCK
}
void *w(void *a) { section(); return 0; }
"""
_UNLOCK = "struct mcs *next = atomic_load_explicit(&me.next, memory_order_acquire); if (!next) { struct mcs *mine = &me; if (atomic_compare_exchange_strong(&tail, &mine, 0)) return; while (!(next = atomic_load_explicit(&me.next, memory_order_acquire))) ; } atomic_store_explicit(&next->locked, 0, memory_order_release);"
_EARLY = "struct mcs *next = atomic_load_explicit(&me.next, memory_order_acquire); if (!next) { struct mcs *mine = &me; atomic_compare_exchange_strong(&tail, &mine, 0); return; } atomic_store_explicit(&next->locked, 0, memory_order_release);"
_BOTH = "pthread_create(&t, NULL, w, NULL); section(); pthread_join(t, NULL); assert(counter == 2);"

_CONCURRENT = (
    threads("a local of a function that returned", _SET + _START, "start(); pthread_join(other, NULL);", f"{ENDED}`x`, which ended at line 12, is accessed (line 8)"),
    threads("a local of a function that returned, rc11", _SET + _START, "start(); pthread_join(other, NULL);", "memory", "rc11"),
    threads("a local of a function that returned, armv8", _SET + _START, "start(); pthread_join(other, NULL);", ENDED, "armv8"),
    threads("a function that waits", _SET + _WAITS, "start();", "holds"),
    threads("a function that waits, rc11", _SET + _WAITS, "start();", "holds", "rc11"),
    threads("a function that waits, armv8", _SET + _WAITS, "start();", "holds", "armv8"),
    threads("a local of main", _SET, "int x = 0; pthread_create(&t, NULL, w, &x); pthread_join(t, NULL); assert(x == 5);", "holds"),
    threads("a local of main, nobody waits", _SET, "int x = 0; pthread_create(&t, NULL, w, &x);", f"{ENDED}`x`, which ended at line 13, is accessed (line 8)"),
    threads("a local of main, which exits", _SET, "int x = 0; pthread_create(&t, NULL, w, &x); exit(0);", "holds"),
    threads("a local of main, which ends alone", _SET, "int x = 0; pthread_create(&t, NULL, w, &x);\npthread_exit(NULL);", f"{ENDED}`x`, which ended at line 12, is accessed (line 8)"),
    threads("an inner local of a thread that ends", "int *g;\nvoid f(void) { int x = 1; g = &x;\npthread_exit(NULL); }\nvoid *w(void *a) { f(); return 0; }\n", "pthread_create(&t, NULL, w, NULL); pthread_join(t, NULL);\nreturn *g;", f"{ENDED}`x`, which ended at line 9, is accessed (line 14)"),
    threads("an outer local of a thread that ends", "int *g;\nvoid f(void) { pthread_exit(NULL); }\nvoid *w(void *a) { int x = 1; g = &x; f(); return 0; }\n", "pthread_create(&t, NULL, w, NULL); pthread_join(t, NULL);\nreturn *g;", f"{ENDED}`x`, which ended at line 8, is accessed (line 13)"),
    threads("a local of a thread that was joined", _GIVES, "pthread_create(&t, NULL, w, NULL); pthread_join(t, NULL);\nreturn *g;", f"{ENDED}`x`, which ended at line 10, is accessed (line 14)"),
    threads("a thread-local variable of a thread that was joined", "_Thread_local int x; int *g;\nvoid *w(void *a) { x = 1; g = &x; return 0;\n}\n", "pthread_create(&t, NULL, w, NULL); pthread_join(t, NULL);\nreturn *g;", f"{ENDED}`x` is accessed (line 13)"),
    threads("a thread-local variable while its thread lives", "_Thread_local int x; int *g;\nvoid *w(void *a) { *g = 2; return 0; }\n", "x = 1; g = &x; pthread_create(&t, NULL, w, NULL); pthread_join(t, NULL); assert(x == 2);", "holds"),
    threads("a turn of another thread", f"{_ATOMIC}void *w(void *a) {{ int *p = box;\nif (p) ok = *p; return 0; }}\n", "pthread_create(&t, NULL, w, NULL); for (int i = 0; i < 2; i++) { int x = i; if (i == 0) box = &x; else pthread_join(t, NULL);\n}", f"{ENDED}`x`, which ended at line 15, is accessed (line 11)"),
    threads("a turn that another thread kept", f"{_ATOMIC}void *w(void *a) {{ for (int i = 0; i < 2; i++) {{ int x[2] = {{i, 1}}; if (i == 0) box = x; else ok = 1;\n}} return 0; }}\n", "pthread_create(&t, NULL, w, NULL); int *p = box;\nif (p) ok = p[1]; pthread_join(t, NULL);", f"{ENDED}`x`, which ended at line 11, is accessed (line 15)"),
    threads("a turn that waits for the other thread", f"{_ATOMIC}void *w(void *a) {{ for (int i = 0; i < 2; i++) {{ int *p; while (!(p = box)) ; ok += *p; box = NULL; }} return 0; }}\n", "pthread_create(&t, NULL, w, NULL); for (int i = 0; i < 2; i++) { int x = i; box = &x; while (box) ; } pthread_join(t, NULL); assert(ok == 1);", "holds"),
    request("an answer that is waited for", _DONE, _UNTIL, "holds"),
    request("an answer that is waited for, rc11", _DONE, _UNTIL, "holds", "rc11"),
    request("an answer that is waited for, armv8", _DONE, _UNTIL, "holds", "armv8"),
    request("an answer that is waited for, pso", _DONE, _UNTIL, "holds", "pso"),
    request("an answer without an order", "atomic_store_explicit(&r->done, 1, memory_order_relaxed)", _UNTIL, "races", "rc11"),
    request("a wait without an order", _DONE, "while (!atomic_load_explicit(&r.done, memory_order_relaxed)) ;", "races", "rc11"),
    request("used after the answer", f"{_DONE};\nok = r->value", _UNTIL, f"{ENDED}`r`, which ended at line 15, is accessed (line 12)"),
    request("used after the answer, rc11", f"{_DONE}; ok = r->value", _UNTIL, ENDED, "rc11"),
    request("the answer is delayed", "atomic_store_explicit(&r->done, 1, memory_order_relaxed)", _UNTIL, "unknown", "pso"),
    request("an answer that nobody waits for", _DONE, "return 7", ENDED),
    completion("a completion on the stack", "pthread_cond_signal(&c->c); pthread_mutex_unlock(&c->m);", "holds"),
    completion("a completion on the stack, rc11", "pthread_cond_signal(&c->c); pthread_mutex_unlock(&c->m);", "holds", "rc11"),
    completion("a signal after the unlock", "pthread_mutex_unlock(&c->m); pthread_cond_signal(&c->c);", ENDED),
    threads("a semaphore on the stack", "#include <semaphore.h>\nvoid *w(void *a) { sem_post((sem_t *)a); return 0; }\nvoid f(void) { pthread_t t; sem_t s; sem_init(&s, 0, 0); pthread_create(&t, NULL, w, &s); pthread_detach(t); sem_wait(&s); }\n", "f();", "holds", "rc11"),
    threads("queue nodes on the stack", _MCS.replace("UNLOCK", _UNLOCK), _BOTH, "holds"),
    threads("queue nodes on the stack, rc11", _MCS.replace("UNLOCK", _UNLOCK), _BOTH, "holds", "rc11"),
    threads("queue nodes whose owner leaves early", _MCS.replace("UNLOCK", _EARLY), _BOTH, ENDED),
    threads("queue nodes whose owner leaves early, rc11", _MCS.replace("UNLOCK", _EARLY), _BOTH, "memory", "rc11"),
)  # fmt: skip

# Programs whose variables are clearly not used after their end.
_NEVER_USED_LATE = (
    threads("a thread that is joined", _SET, "int x = 0; pthread_create(&t, NULL, w, &x); pthread_join(t, NULL); assert(x == 5);", "holds"),
    threads("threads that are joined in a loop", _SET, "pthread_t u[3]; int x[3]; for (int i = 0; i < 3; i++) pthread_create(&u[i], NULL, w, &x[i]); for (int i = 0; i < 3; i++) pthread_join(u[i], NULL); assert(x[2] == 5);", "holds"),
    threads("a function that joins", _SET + _WAITS, "start(); start();", "holds"),
    threads("a pointer that nobody follows", "int *g;\nvoid f(void) { int x = 1; g = &x; }\n", "f();", "holds"),
    threads("an array with an index from memory", "atomic_int i;\nint f(void) { int a[3] = {1, 2, 3}; return a[atomic_load(&i)]; }\n", "assert(f() == 1 && f() == 1);", "holds"),
    threads("only compared", "_Atomic(int *) g; int ok[2];\nvoid f(void) { int x = 1; atomic_store(&g, &x); }\n", "f(); int *p = ok + (atomic_load(&g) == ok); *p = 1;", "holds"),
    threads("one of two, while both live", "int ok;\nvoid f(void) { int x = 1, y = 1; int *p = __VERIFIER_nondet_bool() ? &x : &y; *p = 2; ok = *p; }\n", "f(); f(); assert(ok == 2);", "holds"),
)  # fmt: skip
LIFETIME_CASES = (*_SEQUENTIAL, *_CONCURRENT, *_NEVER_USED_LATE)
