"""Rust with threads, read by rustc: the crates that take the place of `std`, the runtime, and names.

docs/reference/rust.md.
"""

from __future__ import annotations

from membar.languages import default_models
from membar.languages.compiled import FRONTEND as C
from membar.records import replace

FRONTEND = replace(
    C, name="Rust", default_models=default_models("Rust"), places=None, configurations=None, template=None
)
