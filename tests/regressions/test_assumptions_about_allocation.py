"""That `malloc` never fails and that `realloc` always moves memory are assumptions that the answer names."""

from __future__ import annotations

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEAD = "#include <assert.h>\n#include <stdlib.h>\n"
MOVES = "`realloc` always moves memory"
NEVER_FAILS = "memory can always be allocated: `malloc` never fails"


@needs_clang
def test_that_malloc_never_fails_is_said() -> None:
    text = "int main(void) { int *p = malloc(4); assert(p); free(p); return 0; }"
    found = membar.check(SourceFile("a.c", HEAD + text), model="rc11")
    assert found.verdict == "holds"
    assert NEVER_FAILS in found.notes
    own = "void *malloc(size_t n) { return 0; } int main(void) { return malloc(4) != 0; }"
    assert NEVER_FAILS not in membar.check(SourceFile("a.c", HEAD + own), model="rc11").notes


@needs_clang
def test_that_realloc_moves_memory_is_said() -> None:
    text = "int main(void) { int *p = malloc(8), *q = realloc(p, 8); assert(q); free(q); return 0; }"
    found = membar.check(SourceFile("a.c", HEAD + text), model="rc11")
    assert found.verdict == "holds"
    assert MOVES in found.notes
    own = "void *realloc(void *p, size_t n) { return p; } int main(void) { return realloc(0, 4) != 0; }"
    assert MOVES not in membar.check(SourceFile("a.c", HEAD + own), model="rc11").notes
