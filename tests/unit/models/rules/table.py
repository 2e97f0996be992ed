"""The table of docs/reference/rules.md, made by running: `python -m unit.models.rules.table` prints it."""

from __future__ import annotations

import sys

from unit.models.rules.litmus import TESTS, outcomes

MODELS = ("sc", "tso", "weak", "weak-a9", "nofence")
START, END = (
    "<!-- table: python -m unit.models.rules.table (with tests/ on the path) -->\n",
    "<!-- end of table -->",
)
# Too many outcomes to list: whether this one, which no coherent memory shows, is among them.
_ONE_OF_MANY = {"coww2r2r": (1, 2, 2, 1)}


def cell(test: str, model: str) -> str:
    """What a literal model allows; bold where the mended one says something else."""
    literal, mended = (outcomes(TESTS[test], f"bajczi-{prefix}{model}") for prefix in ("", "fixed-"))
    if test in _ONE_OF_MANY:
        outcome = _ONE_OF_MANY[test]
        text = f"{len(literal)} outcomes, {'with' if outcome in literal else 'without'} {_shown(outcome)}"
    else:
        text = " ".join(_shown(outcome) for outcome in sorted(literal))
    return text if literal == mended else f"**{text}**"


def _shown(outcome: tuple[int, ...]) -> str:
    return f"({','.join(map(str, outcome))})"


def table() -> str:
    """Markdown."""
    lines = [f"| test | {' | '.join(MODELS)} |", f"|{' --- |' * (len(MODELS) + 1)}"]
    lines += [f"| {test} | {' | '.join(cell(test, model) for model in MODELS)} |" for test in TESTS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
