"""The litmus tests of the thesis's section 6.1.3 and some more, as XCFA texts, and what models allow."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import membar
from membar.source import SourceFile

Outcome = tuple[int, ...]


def text(*threads: str) -> str:
    """Threads of words: `Wx1` writes, `Rx` reads into the next register, `F` is a fence."""
    variables = sorted({word[1] for thread in threads for word in thread.split() if word != "F"})
    parts = [f"var {name} : int" for name in variables]
    number = 0
    for index, thread in enumerate(threads):
        statements, registers = [], []
        for word in thread.split():
            if word == "F":
                statements.append("fence")
            elif word[0] == "W":
                statements.append(f"{word[2:]} -> {word[1]}")
            else:
                registers.append(f"var r{number} : int")
                statements.append(f"r{number} <- {word[1]}")
                number += 1
        parts.append(
            f"process P{index} {{ main procedure run() {{ {' '.join(registers)} init loc a final loc b"
            f" a -> b {{ {' '.join(statements)} }} }} }}"
        )
    return "\n".join(parts)


TESTS: Mapping[str, str] = MappingProxyType(
    {
        "2w2r": text("Wx1 Wy1", "Ry Rx"),
        "mp": text("Wx1 F Wy1", "Ry F Rx"),
        "cow2r": text("Wx1", "Rx Rx"),
        "cow2r+fence": text("Wx1", "Rx F Rx"),
        "coww2r2r": text("Wx1", "Wx2", "Rx Rx", "Rx Rx"),
        "sb": text("Wx1 Ry", "Wy1 Rx"),
        "sb+fences": text("Wx1 F Ry", "Wy1 F Rx"),
        "own write": text("Wx1 Rx"),
        "unrelated": text("Wx1", "Rx Ry"),
        "lb": text("Rx Wy1", "Ry Wx1"),
    }
)


def outcomes(program: str, model: str, engine: str = "graphs") -> set[Outcome]:
    """What the registers can hold in the end, in the order of their numbers."""
    source = SourceFile("test.xcfa", program)
    result = membar.check(source, model=model, engine=engine, properties=())
    found = set()
    for state in result.outcome.run.outcomes:
        registers = sorted((label.split(":")[1], value) for label, value in state if ":" in label)
        found.add(tuple(value for _, value in registers if isinstance(value, int)))
    return found
