"""What a litmus dialect is: one folder under `dialects/`, exporting `DIALECT`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from membar.edits import Place
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One assembly or source language of litmus tests.

    Attributes:
        default_models: header word (`X86`, `X86_64`) → default memory model.
        tags: ordering words with a sentence each; see `Frontend.tags`.
        translate: gives the code its meaning.
        claims: whether a test with the header word of another dialect is this one's, by its text.
        places: where a test can be made stronger or weaker; see `Frontend.places`.
    """

    default_models: Mapping[str, str]
    tags: Mapping[str, str]
    translate: Callable[[LitmusTest], Program]
    places: Callable[[LitmusTest, Program], tuple[Place, ...]]
    claims: Callable[[LitmusTest], bool] | None = None
