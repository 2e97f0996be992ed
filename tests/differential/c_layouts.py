"""Random programs of one thread over bit fields, atomic structures and arenas, against gcc.

    python tests/differential/c_layouts.py [--programs N] [--seed N]

A program has a structure of bit fields and other members, alone, in a union with its bytes, or atomic; or an
array of bytes that numbers are put into, by pointers and by `memcpy`. Steps set members, calculate with them
and add them to a sum; gcc's program prints the sum, and membar must find that it is that one and no other.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.diagnostics import InputError
from membar.source import SourceFile

STORAGES = ("local", "global", "allocated", "hidden", "bytes", "atomic", "arena")
_HEAD = "".join(f"#include <{name}.h>\n" for name in ("assert", "stdatomic", "stdlib", "stdio", "string"))
_TYPES = {
    "int": 32,
    "unsigned": 32,
    "signed char": 8,
    "unsigned short": 16,
    "long": 64,
    "unsigned long": 64,
    "_Bool": 1,
}
# Members of atomic structures, without padding and with some.
_ATOMIC = (
    (
        "unsigned m0; int m1;",
        "unsigned m0 : 12; int m1 : 20;",
        "long m0; unsigned long m1;",
        "short m0; unsigned short m1; int m2;",
        "void * m0; unsigned long m1;",
        "short m0; unsigned short m1; int m2; unsigned m3; int m4;",
        "unsigned long m0 : 48; unsigned long m1 : 16;",
    ),
    (
        "void * m0; unsigned m1;",
        "short m0; int m1; unsigned m2; _Bool m3;",
        "int m0 : 3; unsigned m1 : 9; int m2;",
        "unsigned m0 : 1; int m1 : 30;",
        "signed char m0; short m1;",
    ),
)
_REFUSED = ("an integer of ",)
# Executions with other values of 16 bytes are truncated, and the answer says so.
_BOUND = "without 16-byte values other than "


@dataclass(frozen=True, slots=True)
class Program:
    """The declarations, the statements that calculate `r`, and how the structure is stored."""

    before: str
    body: str
    storage: str

    def text(self, check: str) -> str:
        """The whole text, with something to do at the end."""
        main = f"unsigned long r = 0;\n{self.body}{check}\nreturn 0;"
        return f"{_HEAD}{self.before}int main(void) {{\n{main}\n}}\n"


def program(random: Random) -> Program:
    """A random program."""
    storage = random.choice(STORAGES)
    if storage == "atomic":
        return _atomic(random)
    if storage == "arena":
        return _arena(random)
    members, names = _members(random)
    before = f"struct s {{ {members} }};\n"
    zero = "{0}"
    if storage == "bytes":
        before += "union u { struct s s; unsigned char b[sizeof(struct s)]; } x;\n"
    elif storage == "global":
        values = ", ".join(f".{name} = {random.randint(0, 1)}" for name in names[::2])
        before += f"struct s x = {{{values}}}, y = {zero};\n"
    before += "_Atomic(struct s *) box;\n"
    name, first = {
        "local": ("x", f"struct s x = {zero}, y;"),
        "global": ("x", ""),
        "bytes": ("x.s", ""),
        "allocated": ("(*p)", "struct s *p = calloc(1, sizeof *p), y;"),
        "hidden": ("(*p)", "atomic_store(&box, calloc(1, sizeof(struct s))); struct s *p = box, y;"),
    }[storage]
    lines = [first, "r += sizeof(struct s);", *_steps(random, name, names)]
    if storage == "bytes":
        lines.append("for (int i = 0; i < (int)sizeof(struct s); i++) r = r * 31 + x.b[i];")
    else:
        lines.append(f"y = {name};")
        lines += [f"r = r * 31 + (unsigned long)y.{item};" for item in names]
    lines += ["free(p);"] if "*p" in name else []
    return Program(before, "\n".join(lines) + "\n", storage)


def _members(random: Random) -> tuple[str, list[str]]:
    parts: list[str] = []
    names: list[str] = []
    for number in range(random.randint(2, 6)):
        kind = random.choice(list(_TYPES))
        draw = random.random()
        if draw < 0.1:
            parts.append(f"{random.choice(('int', 'unsigned long'))} : {random.choice((0, 0, 3))};")
        names.append(f"m{number}")
        width = min(_TYPES[kind], random.choice((1, 2, 3, 5, 7, 8, 11, 17, 31, 32, 40)))
        parts.append(f"{kind} m{number}{f' : {width}' if draw < 0.8 else ''};")
    return " ".join(parts), names


def _steps(random: Random, where: str, names: list[str]) -> list[str]:
    found = []
    for _ in range(random.randint(3, 9)):
        name = f"{where}.{random.choice(names)}"
        number = random.choice((0, 1, 2, 3, 7, 12, 100, -1, -5, 0x1234, 0x7FFF))
        found.append(
            random.choice(
                (
                    f"{name} = {number};",
                    f"r = r * 31 + (unsigned long)({name} = {number});",
                    f"{name} ^= {number};",
                    f"{name}{random.choice(('++', '--'))};",
                    f"r = r * 31 + ({name} - 3 < 0);",
                    f"r = r * 31 + (unsigned long){name};",
                    f"if ({name} > {where}.{random.choice(names)}) r++; else {name} |= 1;",
                )
            )
        )
    return found


def _atomic(random: Random) -> Program:
    dense, loose = _ATOMIC
    is_dense = random.random() < 0.5
    members = random.choice(dense if is_dense else loose)
    names = [word.rstrip(";") for word in members.split() if word.startswith("m")]
    before = f"struct s {{ {members} }};\n_Atomic struct s x;\nstruct {{ char c; _Atomic struct s in; }} z;\n"
    lines = ["struct s a = {0}, b = {0};", "r += sizeof z + _Alignof(_Atomic struct s);"]
    for _ in range(random.randint(3, 8)):
        target = random.choice(("x", "z.in"))
        name = random.choice(names)
        value = f"{random.choice((0, 1, 2, 77, -1))}"
        value = f"(void *)(long){value}" if f"* {name};" in members else value
        steps = [
            f"a.{name} = {value};",
            f"atomic_store(&{target}, a);",
            f"{target} = a;",
            f"b = atomic_load(&{target});",
            f"b = atomic_exchange(&{target}, a);",
            f"a = {target};",
            f"r = r * 31 + (unsigned long)atomic_load(&{target}).{name};",
            f"r = r * 31 + atomic_compare_exchange_strong(&{target}, &b, a);",
        ]
        lines.append(random.choice(steps if is_dense else steps[:-1]))
    lines += [f"r = r * 31 + (unsigned long)b.{name};" for name in names]
    lines.append("a = x;")
    lines += [f"r = r * 31 + (unsigned long)a.{name};" for name in names]
    return Program(before, "\n".join(lines) + "\n", "atomic")


def _arena(random: Random) -> Program:
    place = random.choice(("global", "inside", "local", "allocated"))
    before = "_Alignas(16) char p[32], q[32]; struct { long n; char b[32]; } in;\natomic_int n = 8;\n"
    first = {
        "global": "",
        "inside": "char *p = in.b;",
        "local": "_Alignas(16) char p[32] = {0};",
        "allocated": "char *p = calloc(1, 32);",
    }[place]
    lines = [first, "int i = -3; long l = 1l << 40; short s = 7; unsigned char c = 200;"]
    sizes = {"int": 4, "long": 8, "short": 2, "unsigned char": 1}
    for _ in range(random.randint(4, 10)):
        kind, size = random.choice(list(sizes.items()))
        at = random.randrange(0, 32, size)
        name = kind.split()[-1][0]
        where = f"{random.choice('ppq')} + {at}"
        steps = (
            f"*({kind} *)({where}) = {random.choice((0, 1, -1, 300, 0x12345678))};",
            f"r = r * 31 + (unsigned long)*({kind} *)({where});",
            f"r = r * 31 + ({where})[0];",
            f"memcpy({where}, &{name}, sizeof {name});",
            f"memcpy(&{name}, {where}, sizeof {name}); r = r * 31 + (unsigned long){name};",
            f"memcpy(p + {at}, q + {random.randrange(0, 32, size)}, {size});",
            f"{{ {kind} *v = ({kind} *)(p + 16); v[{16 // size - 1}] += 2; }}",
        )
        lines.append(random.choice(steps))
    lines.append("for (int k = 0; k < 32; k++) r = r * 31 + (unsigned char)p[k];")
    lines += ["free(p);"] if place == "allocated" else []
    return Program(before, "\n".join(lines) + "\n", "arena")


def results(programs: list[Program]) -> list[int]:
    """What gcc's programs calculate."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, item in enumerate(programs):
            source, target = Path(folder, f"p{number}.c"), Path(folder, f"p{number}")
            source.write_text(item.text('printf("%lu\\n", r);'))
            command = [
                "gcc",
                "-std=gnu11",
                "-w",
                "-O0",
                "-fno-strict-aliasing",
                "-mcx16",
                "-o",
                str(target),
                str(source),
                "-latomic",
            ]
            subprocess.run(command, check=True, capture_output=True)
            found.append(int(subprocess.run([target], check=True, capture_output=True, text=True).stdout))
    return found


class Disagreement(NamedTuple):
    """What membar says that gcc does not, and whether that is wrong, not only less exact."""

    text: str
    is_wrong: bool


def disagreement(item: Program, result: int) -> Disagreement | None:
    """Where membar and gcc come to different results; None if they agree."""
    for sign, expected in (("==", "holds"), ("!=", "violated")):
        try:
            found = membar.check(SourceFile("l.c", item.text(f"assert(r {sign} {result}ul);")), model="sc")
        except InputError as problem:
            message = problem.diagnostics[0].message
            is_expected = message.startswith(_REFUSED)
            return None if is_expected else Disagreement(f"refused: {message}", is_wrong=False)
        is_bounded = found.verdict == "holds-within" and str(found.guarantee).startswith(_BOUND)
        if found.verdict != expected and not (is_bounded and item.storage == "atomic"):
            text = f"r {sign} {result}: {found.verdict} ({found.guarantee})"
            return Disagreement(text, is_wrong=found.verdict in ("holds", "violated"))
    return None


class Results(NamedTuple):
    """How many programs of each kind there were, and the texts of those with wrong and less exact answers."""

    kinds: Counter[str]
    wrong: list[str]
    less_exact: list[str]


def campaign(programs: int, seed: int) -> Results:
    """Compares random programs."""
    random = Random(seed)
    items = [program(random) for _ in range(programs)]
    found = Results(Counter(item.storage for item in items), [], [])
    for item, result in zip(items, results(items), strict=True):
        problem = disagreement(item, result)
        if problem is not None:
            report = f"/* {problem.text} */\n{item.text('')}"
            (found.wrong if problem.is_wrong else found.less_exact).append(report)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compared = campaign(options.programs, options.seed)
    counts = f"{dict(compared.kinds)}: {len(compared.wrong)} wrong, {len(compared.less_exact)} less exact"
    sys.stdout.write("\n".join([*compared.wrong[:3], *compared.less_exact[:3], counts, ""]))
    sys.exit(bool(compared.wrong))
