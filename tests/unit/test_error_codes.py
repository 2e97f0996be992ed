"""Codes are public: each one in the sources has a line in docs/reference/errors.md, and vice versa."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_code_is_documented_and_every_documented_code_exists() -> None:
    used = {
        code
        for path in (ROOT / "python").rglob("*.py")
        for code in re.findall(
            r"\bW[01]\d{3}\b", re.sub(r'"""[\s\S]*?"""', "", path.read_text(encoding="utf-8"))
        )
    }
    documented = set(
        re.findall(r"\| (W[01]\d{3}) \|", (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8"))
    )
    assert used == documented
