"""C++ with threads, read by a compiler as C is. docs/reference/cpp.md."""

from __future__ import annotations

from membar.languages import default_models
from membar.languages.compiled import FRONTEND as C
from membar.records import replace

FRONTEND = replace(
    C, name="C++", default_models=default_models("C++"), places=None, template=None, configurations=None
)
