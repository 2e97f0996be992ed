"""C as the Linux kernel writes it: READ_ONCE, smp_mb, spin_lock, rcu_read_lock, atomic_inc and their like.

Its tests have the header word `C`, as C11's have. They are told apart by their words: a test that calls a
function or names a type that only the kernel has, and none that only C11 has, is the kernel's, and its
model is `lkmm`. A test without such a word is C11's; the header word `LKMM` settles it the other way.

Kernel tests are loose with types, as the tool that they are written for has none, and are read so here:

- every location holds a word of 64 bits, whatever its type; what an `int` access writes is extended to it,
  so that a location may be read through a pointer to another type;
- any integer may be used as a pointer, to `long`;
- a variable that is assigned without a declaration is a `long` of the whole thread, 0 at first;
- a location that only an initial value names exists.

What `if`, `while` and `?:` decide ends where their branches meet again: a write behind them does not depend
on them.

Spinlocks are locations that are 0 when free and 1 when taken, and an SRCU structure is a location whose
value is the index that `srcu_read_lock` returns and `srcu_read_unlock` hands back: data flow between the two
makes them a critical section. Their values are the model's own and should not be asked for.
"""

from __future__ import annotations

from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.lkmm.tags import TAGS
from membar.plugins import lazy

DIALECT = Dialect(
    tags=TAGS,
    translate=lazy(f"{__name__}.calls:translate_test"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
)
