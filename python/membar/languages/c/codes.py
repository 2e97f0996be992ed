"""The public codes of what can be wrong with a C file; docs/reference/errors.md has a line for each."""

from __future__ import annotations

from typing import Final

PREPROCESSOR: Final = "W0901"
SYNTAX: Final = "W0902"
UNSUPPORTED: Final = "W0903"
NAME: Final = "W0904"
TYPE: Final = "W0905"
CALL: Final = "W0906"
CONSTANT: Final = "W0907"
THREADS: Final = "W0908"
FLOW: Final = "W0909"
TOO_LARGE: Final = "W0910"
ATOMIC_BLOCK: Final = "W0911"
HEAP_SIZE: Final = "W1401"
LAYOUT: Final = "W1402"
