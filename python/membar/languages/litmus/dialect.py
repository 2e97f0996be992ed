"""What a litmus dialect is: one folder under `dialects/`, exporting `DIALECT`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program
from membar.records import record

if TYPE_CHECKING:
    from membar.text.edits import EditSite


@record(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One assembly or source language of litmus tests.

    Attributes:
        tags: ordering words with a sentence each; see `Frontend.tags`.
        translate: gives the code its meaning.
        header_word: the header word that a test should have, by its text; None: the one it has.
        edit_sites: where a test can be made stronger or weaker; see `Frontend.edit_sites`.
    """

    tags: Mapping[str, str]
    translate: Callable[[LitmusTest], Program]
    edit_sites: Callable[[LitmusTest, Program], tuple[EditSite, ...]]
    header_word: Callable[[LitmusTest], str] | None = None
