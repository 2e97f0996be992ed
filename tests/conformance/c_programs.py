"""C litmus tests as full C programs: threads are created and joined, registers end in globals.

    python tests/conformance/c_programs.py [--model NAME] [FOLDER]

Turns every test of the folder (by default ../shared/corpus/litmus/C) into a program, asks for all final
states of both, and counts those that agree. Tests that this simple translation cannot turn (registers of
inner blocks, other forms of the initial state) are counted and left out.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import membar
from membar.diagnostics import InputError
from membar.source import SourceFile

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "litmus" / "C"
States = frozenset[tuple[tuple[str, int | str], ...]]
_HEAD = "#include <stdatomic.h>\n#include <pthread.h>\n#include <stddef.h>\n"
_THREAD = re.compile(r"^P(\d+)\s*\(([^)]*)\)\s*\{", re.MULTILINE)
_INITIAL = re.compile(r"^\s*\{([^}]*)\}", re.MULTILINE)


class UntranslatableError(Exception):
    """A test that is left out."""


def program_of(test: str, registers: dict[int, list[str]]) -> str:
    """The C program of a litmus test; `registers` are those that its condition speaks of, by thread."""
    initial = _INITIAL.search(test)
    if initial is None:
        raise UntranslatableError
    values = _values(initial[1])
    kinds: dict[str, str] = {}
    functions: list[str] = []
    for number, (parameters, body) in enumerate(_threads(test, initial.end())):
        bound = ""
        for parameter in filter(None, (item.strip() for item in parameters.split(","))):
            match = re.fullmatch(r"(?:volatile\s+)?(\w+(?:\s+\w+)?)\s*\*\s*(\w+)", parameter)
            if match is None:
                raise UntranslatableError
            kinds.setdefault(match[2], match[1])
            bound += f"  {match[1]} *{match[2]} = &global_{match[2]};\n"
        outs = "".join(f"  out_{number}_{name} = {name};\n" for name in registers.get(number, []))
        if any(
            not re.search(rf"^\s*\w+\s+{name}\s*(=|;)", body, re.MULTILINE)
            for name in registers.get(number, [])
        ):
            raise UntranslatableError
        functions.append(f"void *P{number}(void *unused) {{\n{bound}{body}\n{outs}  return NULL;\n}}\n")
    names = {*kinds, *values}
    memory = "".join(
        f"{kinds.get(name, 'atomic_int')} global_{name} = {values.get(name, 0)};\n" for name in sorted(names)
    )
    outs = "".join(f"int out_{number}_{name};\n" for number, found in registers.items() for name in found)
    create = "".join(f"  pthread_create(&t[{i}], NULL, P{i}, NULL);\n" for i in range(len(functions)))
    join = "".join(f"  pthread_join(t[{i}], NULL);\n" for i in range(len(functions)))
    main = f"int main(void) {{\n  pthread_t t[{len(functions)}];\n{create}{join}  return 0;\n}}\n"
    return f"{_HEAD}{memory}{outs}{''.join(functions)}{main}"


def _values(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in filter(None, (part.strip() for part in text.split(";"))):
        match = re.fullmatch(r"\[(\w+)\]\s*=\s*(\d+)", item)
        if match is None:
            raise UntranslatableError
        found[match[1]] = int(match[2])
    return found


def _threads(test: str, start: int) -> list[tuple[str, str]]:
    found = []
    for head in _THREAD.finditer(test, start):
        depth, at = 1, head.end()
        while depth and at < len(test):
            depth += {"{": 1, "}": -1}.get(test[at], 0)
            at += 1
        found.append((head[2], test[head.end() : at - 1]))
    if not found:
        raise UntranslatableError
    return found


def states_of(path: Path, model: str) -> tuple[States, States]:
    """The final states of a test, and of the program made of it.

    Raises:
        UntranslatableError: no program is made of it.
    """
    litmus = membar.check(path, model=model, properties=())
    if litmus.verdict != "explored" or litmus.program.condition is None:
        raise UntranslatableError
    labels = [item.label for item in litmus.program.condition.observed]
    registers: dict[int, list[str]] = {}
    for label in labels:
        if ":" in label:
            thread, _, name = label.partition(":")
            registers.setdefault(int(thread), []).append(name)
    text = program_of(path.read_text(encoding="utf-8"), registers)
    program = membar.check(SourceFile(f"{path.stem}.c", text), model=model, properties=())
    names = {label: _global(label) for label in labels}
    ours = frozenset(
        tuple((label, dict(state)[names[label]]) for label in labels)
        for state in program.outcome.run.outcomes
    )
    return frozenset(tuple(state) for state in litmus.outcome.run.outcomes), ours


def _global(label: str) -> str:
    if ":" in label:
        return f"out_{label.replace(':', '_')}"
    return f"global_{label.strip('[]')}"


def compared(paths: list[Path], model: str) -> tuple[list[str], list[str], list[str]]:
    """Names of the tests that agree, that differ, and that are left out."""
    agree: list[str] = []
    differ: list[str] = []
    left_out: list[str] = []
    for path in paths:
        try:
            litmus, program = states_of(path, model)
        except (UntranslatableError, InputError):
            left_out.append(path.stem)
            continue
        (agree if litmus == program else differ).append(path.stem)
    return agree, differ, left_out


def main() -> int:
    """Compares a whole folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--model", default="rc11")
    chosen = parser.parse_args()
    agree, differ, left_out = compared(sorted(chosen.folder.glob("*.litmus")), chosen.model)
    sys.stdout.write(f"{len(agree)} agree, {len(differ)} differ, {len(left_out)} left out\n")
    sys.stdout.write("".join(f"differs: {name}\n" for name in differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
