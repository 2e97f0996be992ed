"""What C demands of a text beside its grammar: the constraints that compilers insist on.

They are looked at before anything is translated, in all of the text: also in what no execution reaches. What
is C but not known to membar is left to the translation, which says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from membar.diagnostics import InputError
from membar.languages.c.constraints.names import Names
from membar.languages.c.constraints.statements import Statements
from membar.languages.c.parse import Tree

if TYPE_CHECKING:
    from membar.languages.c.calls import Library


def check(tree: Tree, library: Mapping[str, Library]) -> None:
    """Looks at a whole file; `library` are the functions that it may call without declaring them.

    Raises:
        InputError: with what breaks a constraint.
    """
    names = Names(tree)
    Statements(names, library).file(tree.root)
    if names.findings:
        raise InputError(*names.findings)
