# ruff: noqa: E501 - C programs, one per line
"""Programs that free all their memory, or leave some of it, for the tests of `leaks`."""

from __future__ import annotations

from strategies.c_heap_cases import HEADERS, NODE

MAIN = "int main(void) {{\n  {}\n}}\n"
NEW = "struct node *n = malloc(sizeof *n); n->value = 1;"
OTHER = HEADERS + NODE + "_Bool __VERIFIER_nondet_bool(void);\n"
OTHER += "void *other(void *unused) { struct node *n = malloc(sizeof *n); n->value = 2; return NULL; }\n"
OTHER += "atomic_int turns;\nvoid *maybe(void *leaks) { if (__VERIFIER_nondet_bool()) { char *s = calloc(2, 1); if (!leaks) free(s); } return NULL; }\n"
OTHER += "void *often(void *leaks) { atomic_store(&turns, 2); while (atomic_fetch_sub(&turns, 1) > 0) { char *s = calloc(3, 1); if (!leaks || turns) free(s); } return NULL; }\n"
# What `main` does, and whether memory leaks.
CASES = [
    (f"{NEW} struct node *m = malloc(sizeof *m); free(m);", True),
    (f"{NEW} free(n);", False),
    (f"{NEW}", True),
    (f"{NEW} n = malloc(sizeof *n); n->value = 2; free(n);", True),
    (f"{NEW} free(n); n = malloc(sizeof *n); n->value = 2; free(n);", False),
    (f"{NEW} free(n); n = malloc(sizeof *n); n->value = 2;", True),
    ("int x; if (__VERIFIER_nondet_bool()) { " + NEW + " if (__VERIFIER_nondet_bool()) free(n); }", True),
    ("int x; if (__VERIFIER_nondet_bool()) { " + NEW + " free(n); }", False),
    (f"pthread_t t; {NEW} pthread_create(&t, NULL, other, NULL); pthread_join(t, NULL); free(n);", True),
    # Memory that was never set, that begins with zeros, or that is too small to say anything.
    ("struct node *n = malloc(sizeof *n); (void)n;", True),
    ("struct node *n = calloc(1, sizeof *n); n->value = 1;", True),
    ("struct node *n = calloc(1, sizeof *n); free(n);", False),
    ("char *s = malloc(3); s[0] = 1;", True),
    ("char *s = malloc(3); s[0] = 1; free(s);", False),
    ("int x; if (__VERIFIER_nondet_bool()) { char *s = calloc(3, 1); s[0] = 1; }", True),
    ("int x; if (__VERIFIER_nondet_bool()) { char *s = calloc(3, 1); free(s); }", False),
    ("for (int i = 0; i < 2; i++) { char *s = calloc(3, 1); if (i) free(s); }", True),
    (
        "atomic_store(&turns, 2); while (atomic_fetch_sub(&turns, 1) > 0) { char *s = calloc(3, 1); free(s); }",
        False,
    ),
    (
        "atomic_store(&turns, 2); while (atomic_fetch_sub(&turns, 1) > 0) { char *s = calloc(3, 1); if (turns) free(s); }",
        True,
    ),
    ("pthread_t t; pthread_create(&t, NULL, maybe, (void *)1); pthread_join(t, NULL);", True),
    ("pthread_t t; pthread_create(&t, NULL, maybe, (void *)0); pthread_join(t, NULL);", False),
    ("pthread_t t; pthread_create(&t, NULL, often, (void *)1); pthread_join(t, NULL);", True),
    ("pthread_t t; pthread_create(&t, NULL, often, (void *)0); pthread_join(t, NULL);", False),
    # Whether a thread that still runs will free it is not asked.
    (f"pthread_t t; {NEW} pthread_create(&t, NULL, other, NULL); free(n);", False),
]
