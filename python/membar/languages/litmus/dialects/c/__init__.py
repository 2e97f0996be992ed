"""C with the atomic operations of C11, as litmus tests use it.

Each thread is a function `P0 (atomic_int* x, int* y) { … }` whose parameters point to the shared locations
of the same names. An access is atomic if an `atomic_…` function makes it; `*x` and `x[i]` are plain accesses
(tag `NA`), also where `x` points to an atomic type: this is how litmus tests are read everywhere, whereas a
C compiler would make it sequentially consistent. A local variable that is read before it is set is 0.
"""

from __future__ import annotations

from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.c.tags import TAGS
from membar.plugins import lazy

DIALECT = Dialect(
    tags=TAGS,
    translate=lazy(f"{__name__}.calls:translate_test"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
    header_word=lazy(f"{__name__}.kernel:header_word"),
)
