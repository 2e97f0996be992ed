"""`Template`: a program with one thread that is replicated any number of times."""

from __future__ import annotations

from typing import Final

from membar.program.program import Program
from membar.records import record

ME: Final = "me@"
"""The register of a copied thread that holds its number: 0, 1, … up to how many there are."""
NUMBER: Final = "N@"
"""The register of every thread that holds how many copies there are; at least one."""


@record(frozen=True, slots=True, kw_only=True)
class Template:
    """A program for any number of threads.

    Attributes:
        program: all threads; the copied one stands there once. Registers `ME` and `NUMBER` are never set.
        copied: the name of the thread that stands for all copies.
        per_thread: names of the objects with one element per copy; `program` shows one of them.
    """

    program: Program
    copied: str
    per_thread: frozenset[str]
