"""Random C expressions, computed by gcc and by membar.

    python tests/differential/c_arithmetic.py [--programs N] [--seed N]

Each program has variables of every integer type, of `float` and of `double`, whose values are only known when
it runs, and some dozens of random expressions, calls of pure library functions and assignments over them. gcc
compiles and runs it (`-fwrapv`: signed numbers wrap); the final values of all variables must be those of the
only final state that membar finds, bit by bit, except for what is not a number.
"""

from __future__ import annotations

import argparse
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import membar
from membar.questions.task import Options, Unrolling
from membar.source import SourceFile

TYPES = (
    "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long",
    "_Bool",
)  # fmt: skip
_OPERATORS = ("+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||")
_NUMBERS = (
    "0", "1", "2", "-1", "127", "128", "255", "-128", "65535", "2147483647", "0x80000000", "4294967295u",
    "-1L",
)  # fmt: skip

_OF_LIBRARIES = (
    "__builtin_popcount({0})", "__builtin_popcountl({0})", "__builtin_ctz(({0}) | 1 << 9)",
    "__builtin_ctzl(({0}) | 1ul << 40)", "__builtin_clz(({0}) | 1)", "__builtin_clzl(({0}) | 1)",
    "__builtin_ffs({0})", "__builtin_bswap32({0})", "__builtin_bswap64({0})",
    "abs(({0}) % 1000)", "labs(({0}) % 1000)",
    "!isalnum(({0}) & 127)", "!ispunct(({0}) & 127)", "toupper(({0}) & 127)", "!isspace(({0}) & 127)",
)  # fmt: skip

_ARRAYS = {"results": "q", "doubles": "d", "floats": "f"}
REAL_TYPES = ("float", "double", "float", "double")
_REAL_NUMBERS = (
    "0.0", "-0.0f", "1.0", "-1.5f", "0.1", "0.1f", "1e300", "-1e-300", "3e38f", "1e-310", "1e-40f",
    "16777217.0", "9007199254740993.0", "1.0 / 3", "4294967296.5", "-9.3e18", "2.5f",
)  # fmt: skip
_OF_REALS = (
    "fabs({0})", "fabsf({0})", "sqrt({0})", "sqrtf({0})", "floor({0})", "ceilf({0})", "trunc({0})",
    "round({0})", "roundf({0})", "rint({0})", "nearbyint({0})", "fmod({0}, {1})", "fmodf({0}, {1})",
    "(-({0}))", "({0} ? {1} : {0})", "({1} > {0} ? {1} : {0})", "((float)({0}))", "((double)({0}))",
)  # fmt: skip
_FROM_REALS = (
    "({0} < {1})", "({0} <= {1})", "({0} > {1})", "({0} >= {1})", "({0} == {1})", "({0} != {1})", "!({0})",
    "__builtin_isnan({0})", "__builtin_isunordered({0}, {1})", "__builtin_islessgreater({0}, {1})",
    "({0} > -129 && {0} < 128 ? (signed char)({0}) : 5)", "({0} > -1 && {0} < 4e9 ? (unsigned)({0}) : 6)",
    "({0} >= -0x1p63 && {0} < 0x1p63 ? (long)({0}) : 7)",
    "({0} > -1 && {0} < 0x1p64 ? (unsigned long)({0}) : 8)",
)  # fmt: skip

_NUMBER_OF = {
    "0": 0, "1": 1, "-1": -1, "-2": -2, "-128": -128, "255": 255, "65535": 65535, "4294967295u": 2**32 - 1,
    "4294967295": 2**32 - 1, "4294967301": 2**32 + 5, "5": 5, "-1L": -1, "0x80000000": 2**31,
    "(-2147483647 - 1)": -(2**31), "18446744073709551615ul": 2**64 - 1, "(signed char)255": -1,
}  # fmt: skip
_LABELS = tuple(_NUMBER_OF)


def expression(random: Random, depth: int) -> str:
    """A random expression without undefined behaviour, wrap-around aside."""
    if depth == 0 or random.random() < 0.1:
        return random.choice(_NUMBERS) if random.random() < 0.3 else f"v{random.randrange(len(TYPES))}"
    if random.random() < 0.1:
        return random.choice(_FROM_REALS).format(*(real(random, 1) for _ in range(2)))
    inner = [expression(random, depth - 1) for _ in range(3)]
    match random.randrange(11):
        case 0 | 1 as which:  # neither by 0 nor by -1, which gives too large a result for the smallest number
            return f"({inner[0]} {'/%'[which]} (~({inner[1]} | 1) ? {inner[1]} | 1 : 3))"
        case 2:
            return f"({inner[0]} {random.choice(('<<', '>>'))} ({inner[1]} & 7))"
        case 3:
            return f"({inner[0]} ? {inner[1]} : {inner[2]})"
        case 4:
            return f"(({random.choice(TYPES)}){inner[0]})"
        case 5:
            return f"({random.choice('~-!')} {inner[0]})"
        case 6:
            return f"({inner[0]} ?: {inner[1]})"
        case 7:
            return random.choice(_OF_LIBRARIES).format(inner[0])
        case _:
            return f"({inner[0]} {random.choice(_OPERATORS)} {inner[1]})"


def real(random: Random, depth: int) -> str:
    """A random floating-point expression."""
    if depth == 0 or random.random() < 0.1:
        which = random.random()
        if which < 0.2:
            return f"({random.choice(REAL_TYPES)})v{random.randrange(len(TYPES))}"
        return random.choice(_REAL_NUMBERS) if which < 0.5 else f"r{random.randrange(len(REAL_TYPES))}"
    inner = [real(random, depth - 1) for _ in range(2)]
    if random.random() < 0.4:
        return random.choice(_OF_REALS).format(*inner)
    return f"({inner[0]} {random.choice('+-*/')} {inner[1]})"


def switch(random: Random, result: str) -> str:
    """A `switch` over a random value, with labels that need not be of its type; at most one is taken."""
    kind = random.choice(("int", "unsigned", "long", "unsigned long"))
    width = 64 if "long" in kind else 32
    labels: dict[int, str] = {}
    for label in random.sample(_LABELS, 6):
        labels.setdefault(_NUMBER_OF[label] % 2**width, label)  # two of the same number are an error
    value = expression(random, 1) if random.random() < 0.5 else random.choice(list(labels.values()))
    cases = " ".join(f"case {label}: {result} = {i}; break;" for i, label in enumerate(labels.values()))
    at = random.choice(("default: {} = -1; break; {}", "{1} default: {0} = -1;", "{1}"))
    return f"{result} = -2; switch (({kind})({value})) {{ {at.format(result, cases)} }}"


def program(random: Random, statements: int = 25) -> str:
    """Variables of every type, and assignments to them."""
    lines = [f"long results[{statements}];", f"double doubles[{statements}];", f"float floats[{statements}];"]
    lines += [
        "#pragma STDC FP_CONTRACT OFF",
        *(f"#include <{name}.h>" for name in ("ctype", "math", "stdlib")),
    ]
    values = [random.choice(_NUMBERS) for _ in TYPES]
    lines += [
        f"_Atomic {kind} a{i} = {value};" for i, (kind, value) in enumerate(zip(TYPES, values, strict=True))
    ]
    for i, kind in enumerate(REAL_TYPES):
        lines.append(f"_Atomic {kind} b{i} = {random.choice(_REAL_NUMBERS)};")
    lines.append("int run(void) {")
    lines += [f"  {kind} v{i} = a{i};" for i, kind in enumerate(TYPES)]
    lines += [f"  {kind} r{i} = b{i};" for i, kind in enumerate(REAL_TYPES)]
    for number in range(statements):
        if random.random() < 0.3:
            operator = random.choice(("=", "+=", "-=", "*=", "^=", "|=", "&=", "<<=", ">>="))
            value = expression(random, 2)
            value = f"({value} & 3)" if operator in {"<<=", ">>="} else value
            lines.append(f"  v{random.randrange(len(TYPES))} {operator} {value};")
        if random.random() < 0.2:
            lines.append(f"  {switch(random, f'results[{number}]')}")
        else:
            lines.append(f"  results[{number}] = {expression(random, 3)};")
        if random.random() < 0.4:
            operator = random.choice(("=", "+=", "-=", "*=", "/="))
            lines.append(f"  r{random.randrange(len(REAL_TYPES))} {operator} {real(random, 2)};")
            lines.append(f"  {random.choice(('doubles', 'floats'))}[{number}] = {real(random, 3)};")
    return "\n".join([*lines, "  return 0;", "}", ""])


def differences(text: str) -> tuple[list[str], bool]:
    """Where gcc and membar come to different results, and whether membar has a wrong one, not only none."""
    program = SourceFile("random.c", f"{text}int main(void) {{ return run(); }}\n")
    found = membar.check(program, model="sc", options=Options(unrolling=Unrolling(exact=16)))
    states = found.outcome.run.outcomes
    if len(states) != 1:
        is_wrong = bool(states) or found.verdict == "violated"
        return [f"membar says {found.verdict} ({found.guarantee}), with {len(states)} results"], is_wrong
    ours = dict(states[0])
    count = int(text.removeprefix("long results[").split("]")[0])
    main = (
        "#include <stdio.h>\n#include <string.h>\nint main(void) { run(); "
        f"for (int i = 0; i < {count}; i++) {{ long d; int f; "
        "memcpy(&d, doubles + i, sizeof d); memcpy(&f, floats + i, sizeof f); "
        'printf("%ld %ld %d\\n", results[i], d, f); } return 0; }\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "random.c", Path(folder) / "random"
        source.write_text(text + main, encoding="utf-8")
        options = ("-O0", "-fwrapv", "-ffp-contract=off", "-w")
        subprocess.run(["gcc", *options, "-o", binary, source, "-lm"], check=True, timeout=60)
        output = subprocess.run([binary], check=True, capture_output=True, text=True, timeout=60).stdout
    wrong = []
    for i, line in enumerate(output.splitlines()):
        for (name, form), theirs in zip(_ARRAYS.items(), map(int, line.split()), strict=True):
            number = int(ours.get(f"{name}[{i}]", 0))
            if not _is_same(form, number, theirs):
                wrong.append(f"{name}[{i}] is {number}, gcc says {theirs}")
    if wrong or found.verdict == "holds":
        return wrong, bool(wrong)
    return [f"membar says {found.verdict} ({found.guarantee})"], found.verdict == "violated"


def _is_same(form: str, one: int, other: int) -> bool:
    """Whether words hold the same number, or both none."""
    words = [struct.pack("<i" if form == "f" else "<q", word) for word in (one, other)]
    left, right = (struct.unpack(f"<{form}", word)[0] for word in words)
    return words[0] == words[1] or (left != left and right != right)  # noqa: PLR0124 - not a number


def why_not() -> str | None:
    """Why gcc cannot be asked; None if it can."""
    return None if shutil.which("gcc") else "there is no gcc"


def campaign(programs: int, seed: int) -> tuple[list[str], list[str]]:
    """Reports of the programs for which membar gives wrong results, and of those for which it gives none."""
    random = Random(seed)
    wrong: list[str] = []
    less_exact: list[str] = []
    for _ in range(programs):
        text = program(random)
        found, is_wrong = differences(text)
        if found:
            (wrong if is_wrong else less_exact).append("\n".join([*found, text]))
    return wrong, less_exact


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    wrong, less_exact = campaign(chosen.programs, chosen.seed)
    counts = f"{chosen.programs} programs: {len(wrong)} wrong, {len(less_exact)} less exact"
    sys.stdout.write("\n".join([*wrong[:3], *less_exact[:3], counts, ""]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
