# ruff: noqa: E501 - C programs, one per line
"""C programs about addresses, and about how long memory lives and whether it was set."""

from __future__ import annotations

from strategies.c_heap_cases import main_only

_SHORT = "int *q = (int *)(uintptr_t)(unsigned)(uintptr_t)p; assert(*q == 3);"
_ADDRESSES = (
    main_only("allocated memory has no short address", f"int *p = malloc(sizeof *p); *p = 3; {_SHORT}", "memory: "),
    main_only("a static variable has no short address", f"int *p = &number; *p = 3; {_SHORT}", "memory: ", "int number;\n"),
    main_only("a local variable has no short address", f"int n = 3; int *p = &n; {_SHORT}", "memory: "),
    main_only("a function has no short address", "uintptr_t p = (uintptr_t)f; assert((unsigned)p != p);", "holds", "void f(void) {}\n"),
    main_only("an address survives as a long", "int *p = malloc(sizeof *p); *p = 3; long l = (long)p; assert(*(int *)l == 3); free(p);", "holds"),
    main_only("malloc aligns to 16", "char *p = malloc(3); assert(((uintptr_t)p & 15) == 0); free(p);", "holds"),
    main_only("malloc aligns no better", "char *p = malloc(3); assert(((uintptr_t)p & 31) == 0); free(p);", "assertions: "),
    main_only("aligned_alloc aligns", "char *p = aligned_alloc(64, 64); assert(((uintptr_t)p & 63) == 0); free(p);", "holds"),
    main_only("aligned_alloc aligns no better", "char *p = aligned_alloc(64, 64); assert(((uintptr_t)p & 127) == 0); free(p);", "assertions: "),
    main_only("a tag that is too wide", "uintptr_t top = (uintptr_t)malloc(sizeof(long)) | 16; long *p = (long *)(top & ~(uintptr_t)16); *p = 1; free(p);", "memory: "),
    main_only("a byte is aligned to nothing", "assert(((uintptr_t)&byte & 1) == 0);", "assertions: ", "char byte;\n"),
    main_only("a word is aligned to itself", "assert(((uintptr_t)&word & 7) == 0);", "holds", "long word;\n"),
    main_only("a word is aligned no better", "assert(((uintptr_t)&word & 15) == 0);", "assertions: ", "long word;\n"),
    main_only("a variable is aligned as asked", "assert(((uintptr_t)&word & 63) == 0);", "holds", "_Alignas(64) long word;\n"),
)  # fmt: skip

LIFE_CASES = (*_ADDRESSES,)
