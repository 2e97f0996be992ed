"""What differs between the C of <stdatomic.h> and the Linux kernel's: data, so that all else is shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from membar.languages.litmus.dialects.c.types import CType, TypeNames
from membar.program.operations import Tags
from membar.records import record

if TYPE_CHECKING:
    from membar.languages.litmus.dialects.c.evaluation import Evaluator
    from membar.languages.litmus.dialects.c.scope import Names


@record(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """One kind of C; two are equal only if identical.

    Attributes:
        name: what `Program.language` says.
        types: the names of types and what they mean.
        evaluator: gives function calls their meaning; made anew for each thread.
        plain: the tags of an access that no function makes, such as `*x = 1`.
        place_calls: functions whose first argument is a place, `READ_ONCE(*x)`, rather than its address.
        implicit: the type of a variable that is assigned without a declaration; None: that is a mistake, and
            so is an initial value that names an undeclared location.
        variable_words: words of C that may nevertheless be names of variables.
        pointee: what an integer points to that is used as a pointer; None: that is a mistake.
        branches_end: the control dependencies of a branch end where its paths meet again.
    """

    name: str
    types: TypeNames
    evaluator: Callable[[Names, Language], Evaluator]
    plain: Tags
    place_calls: frozenset[str] = frozenset()
    implicit: CType | None = None
    variable_words: frozenset[str] = frozenset()
    pointee: CType | None = None
    branches_end: bool = False
