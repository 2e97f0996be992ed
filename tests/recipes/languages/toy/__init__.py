"""A toy language: a thread per line, with stores `x=1`, loads `r<x` and assertions `r!0`."""

from __future__ import annotations

import re

from membar.languages import Frontend
from membar.languages.mbp import FRONTEND as MBP
from membar.program.operations import Assert
from membar.program.program import Edge, Program
from membar.records import replace
from membar.source import SourceFile

_FORMS = {"=": "store [&{0}] := {1}", "<": "{0} := load [&{1}]", "!": 'assert {0} != {1}, "{0} is {1}"'}


def parse(source: SourceFile) -> Program:
    """Written as a program text; its assertions belong to the toy property."""
    words = [re.findall(r"(\w+)([=<!])(\w+)", line) for line in source.text.splitlines()]
    cells = {a if sign == "=" else b for line in words for a, sign, b in line if sign != "!"}
    text = f"program toy {' '.join(f'memory {cell} : i32' for cell in sorted(cells))}\n"
    for number, line in enumerate(words):
        steps = (f"{at} -> {at + 1}: {_FORMS[sign].format(a, b)}" for at, (a, sign, b) in enumerate(line))
        text += f"thread T{number} {{ {' '.join(steps)} }}\n"
    program = MBP.parse(SourceFile("toy.mbp", text))
    assert isinstance(program, Program)
    threads = tuple(replace(thread, edges=tuple(map(_with_toys, thread.edges))) for thread in program.threads)
    return replace(program, language="Toy", threads=threads)


def _with_toys(edge: Edge) -> Edge:
    operations = (replace(op, property="toys") if isinstance(op, Assert) else op for op in edge.operations)
    return replace(edge, operations=tuple(operations))


FRONTEND = Frontend(name="Toy", parse=parse, default_models={"Toy": "x86-tso"}, tags={})
