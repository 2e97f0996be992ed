"""One module writes to standard streams and to files."""

from __future__ import annotations

from pathlib import Path

import membar

_WRITING = ("stdout.write", "stderr.write", ".write_text(")
_PACKAGE = Path(membar.__file__).parent


def test_nothing_else_writes() -> None:
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name != "streams.py":
            assert not [word for word in ("stdout.write", "stderr.write", ".write_text(") if word in text], (
                path
            )
