"""Small litmus tests that are right under sc and wrong under their own model, by number."""

from __future__ import annotations

from random import Random

import membar
from membar.questions.task import Options
from membar.source import SourceFile

MODELS = {"X86": "x86-tso", "AArch64": "armv8", "C": "rc11"}
_LOCATIONS = ("x", "y")
_REGISTERS = {"X86": ("EAX", "EBX", "ECX"), "AArch64": ("W0", "W1", "W2"), "C": ("r0", "r1", "r2")}
_POINTERS = {"x": "X10", "y": "X11"}
_LOADS = ("relaxed", "relaxed", "acquire", "seq_cst")
_STORES = ("relaxed", "relaxed", "release", "seq_cst")


def repairable(seed: int) -> SourceFile | None:
    """A test whose question excludes an outcome that its model adds to those of sc; None if it adds none."""
    random = Random(seed)
    dialect = random.choice(tuple(MODELS))
    body, registers = _body(random, dialect)
    asked = " /\\ ".join(f"{name}=0" for name in registers) or "x=0"
    open_question = _file(seed, f"{body}exists ({asked})\n")
    weak, strong = (_outcomes(open_question, model) for model in (MODELS[dialect], "sc"))
    added = sorted(weak - strong, key=str)
    if not added:
        return None
    excluded = " /\\ ".join(f"{name}={value}" for name, value in random.choice(added))
    return _file(seed, f"{body}~exists ({excluded})\n")


def _file(seed: int, text: str) -> SourceFile:
    return SourceFile(f"repairable-{seed}.litmus", text)


def _outcomes(source: SourceFile, model: str) -> set[tuple[tuple[str, int | str], ...]]:
    return set(membar.check(source, model=model, options=Options(stops_early=False)).outcome.run.outcomes)


def _body(random: Random, dialect: str) -> tuple[str, list[str]]:
    """The text up to the question, and the registers that are read into."""
    threads: list[list[str]] = []
    registers: list[str] = []
    value = 0
    for thread in range(2):
        lines: list[str] = []
        free = list(_REGISTERS[dialect])
        for _ in range(random.randint(2, 3)):
            location = random.choice(_LOCATIONS)
            if random.random() < 0.5:
                value += 1
                lines += _store(random, dialect, location, value)
            else:
                register = free.pop(0)
                lines += _load(random, dialect, location, register)
                registers.append(f"{thread}:{register.replace('W', 'X')}")
        threads.append(lines)
    return _table(dialect, threads), registers


def _store(random: Random, dialect: str, location: str, value: int) -> list[str]:
    if dialect == "X86":
        return [f"MOV [{location}],${value}"]
    if dialect == "AArch64":
        return [f"MOV W9,#{value}", f"STR W9,[{_POINTERS[location]}]"]
    return [f"atomic_store_explicit({location}, {value}, memory_order_{random.choice(_STORES)});"]


def _load(random: Random, dialect: str, location: str, register: str) -> list[str]:
    if dialect == "X86":
        return [f"MOV {register},[{location}]"]
    if dialect == "AArch64":
        return [f"LDR {register},[{_POINTERS[location]}]"]
    return [f"int {register} = atomic_load_explicit({location}, memory_order_{random.choice(_LOADS)});"]


def _table(dialect: str, threads: list[list[str]]) -> str:
    if dialect == "C":
        bodies = ["".join(f"  {line}\n" for line in lines) for lines in threads]
        code = "".join(f"P{n} (atomic_int* x, atomic_int* y) {{\n{body}}}\n" for n, body in enumerate(bodies))
        return f"C random\n{{ [x] = 0; [y] = 0; }}\n{code}"
    pointers = "".join(f"{n}:X10=x; {n}:X11=y; " for n in range(len(threads)))
    height = max(map(len, threads))
    rows = [[*lines, *[""] * (height - len(lines))] for lines in threads]
    code = "".join(" " + " | ".join(cells) + " ;\n" for cells in zip(*rows, strict=True))
    initial = pointers if dialect == "AArch64" else "x=0; y=0;"
    return f"{dialect} random\n{{ {initial} }}\n P0 | P1 ;\n{code}"
