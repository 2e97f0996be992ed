"""Random integer expressions: our arithmetic against that of the machine's C compiler."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from unit.languages.litmus.c.single import run

CASES = 300
NAMES = "abcd"
TYPES = (
    "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
    "unsigned long", "_Bool", "int8_t", "uint16_t", "int32_t", "uint64_t",
)  # fmt: skip
LITERALS = (
    "0", "1", "7", "255", "-1", "127", "128", "32767", "65535", "2147483647", "2147483648", "4294967295",
    "4294967295u", "0xffffffff", "0x80000000", "1L", "0x7fffffffffffffff", "'z'", "010", "1ul",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||")
# Shift counts and divisors are constants: anything else could be undefined.
RIGHT_HAND = ("<< 3", "<< 31", ">> 1", ">> 31", "/ 3", "/ -5", "% 7u", "% 100L")


def expression(choice: random.Random, depth: int) -> str:
    if depth == 0:
        leaves: list[str] = [*NAMES, choice.choice(LITERALS)]
        return choice.choice(leaves)
    a, b, c = (expression(choice, depth - choice.choice([1, 1, depth])) for _ in range(3))
    return choice.choice(
        [
            f"({a} {choice.choice(OPERATORS)} {b})",
            f"({a} {choice.choice(OPERATORS)} {b})",
            f"({a} {choice.choice(RIGHT_HAND)})",
            f"{choice.choice('-~!+')}({a})",
            f"({choice.choice(TYPES)})({a})",
            f"({a} ? {b} : {c})",
        ]
    )


def code(choice: random.Random) -> str:
    variables = [f"{choice.choice(TYPES)} {name} = {choice.choice(LITERALS)};" for name in NAMES]
    return " ".join([*variables, f"{choice.choice(TYPES)} r = {expression(choice, 4)};"])


def test_our_arithmetic_is_the_compilers(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler here: arithmetic is not compared with one")
    choice = random.Random(2017)
    cases = [code(choice) for _ in range(CASES)]
    functions = [f"static long f{i}(void) {{ {case} return (long)r; }}" for i, case in enumerate(cases)]
    calls = "".join(f'printf("%ld\\n", f{i}());' for i in range(CASES))
    text = "\n".join(
        ["#include <stdint.h>", "#include <stdio.h>", *functions, f"int main(void) {{ {calls} }}\n"]
    )
    (tmp_path / "cases.c").write_text(text)
    command = [compiler, "-O0", "-w", "-fwrapv", "-fsigned-char", "cases.c", "-o", "cases"]
    subprocess.run(command, cwd=tmp_path, check=True)
    printed = subprocess.run([str(tmp_path / "cases")], check=True, capture_output=True, text=True).stdout
    for case, value in zip(cases, map(int, printed.split()), strict=True):
        assert run(case).registers["r"] == value, case
