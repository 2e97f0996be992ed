"""C with the atomic operations of C11, as litmus tests use it.

Each thread is a function `P0 (atomic_int* x, int* y) { … }` whose parameters point to the shared locations
of the same names. An access is atomic if an `atomic_…` function makes it; `*x` and `x[i]` are plain accesses
(tag `NA`), also where `x` points to an atomic type: this is how litmus tests are read everywhere, whereas a
C compiler would make it sequentially consistent. A local variable that is read before it is set is 0.
"""

from __future__ import annotations

from membar.edits import Place
from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.c.tags import DEFAULT_MODELS, TAGS
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program


def _translate(test: LitmusTest) -> Program:
    from membar.languages.litmus.dialects.c.calls import C11  # noqa: PLC0415 - on demand
    from membar.languages.litmus.dialects.c.translate import translate  # noqa: PLC0415 - on demand

    return translate(test, C11)


def _places(test: LitmusTest, program: Program) -> tuple[Place, ...]:
    from membar.languages.litmus.dialects.c.places import places  # noqa: PLC0415 - on demand

    return places(test, program)


DIALECT = Dialect(default_models=DEFAULT_MODELS, tags=TAGS, translate=_translate, places=_places)
