"""Random programs of one thread over a union, against an interpreter of its bytes and against gcc.

    python tests/differential/c_unions.py [--programs N] [--seed N] [--gcc]

The union has members of every size, alone, in structures and in arrays. A step sets one of them or adds it to
a sum; the interpreter keeps eight bytes and which of them were set. The union is a local or global variable,
or allocated, with a pointer that the translation knows or that went through memory.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.source import SourceFile

STORAGES = ("local", "global", "inside", "allocated", "hidden")
_HEAD = """#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
union u { unsigned char b[8]; struct { unsigned idx; int tag; }; short h[4]; int i; unsigned long w;
          struct { char c; short d; struct { short e, f; } g; } s; };
union u x;
struct { int before; union u v; } outer;
_Atomic(union u *) box;
"""


@dataclass(frozen=True, slots=True)
class Member:
    """A scalar member: how C names it, where it lies, its bytes, and whether it has a sign."""

    text: str
    offset: int
    size: int
    signed: bool


MEMBERS = (
    *(Member(f"b[{index}]", index, 1, signed=False) for index in range(8)),
    *(Member(f"h[{index}]", 2 * index, 2, signed=True) for index in range(4)),
    Member("idx", 0, 4, signed=False),
    Member("tag", 4, 4, signed=True),
    Member("i", 0, 4, signed=True),
    Member("w", 0, 8, signed=False),
    Member("s.c", 0, 1, signed=True),
    Member("s.d", 2, 2, signed=True),
    Member("s.g.e", 4, 2, signed=True),
    Member("s.g.f", 6, 2, signed=True),
)


@dataclass(frozen=True, slots=True)
class Program:
    """A text, and what it does: the sum at its end, or None if it reads what was never set."""

    text: str
    storage: str
    result: int | None


def program(random: Random) -> Program:
    """A random program with its meaning."""
    storage = random.choice(STORAGES)
    name, first, last = {
        "local": ("y", "union u y;", ""),
        "global": ("x", "", ""),
        "inside": ("outer.v", "", ""),
        "allocated": ("(*p)", "union u *p = calloc(1, sizeof *p);", "free(p);"),
        "hidden": (
            "(*p)",
            "atomic_store(&box, calloc(1, sizeof(union u))); union u *p = atomic_load(&box);",
            "free(p);",
        ),
    }[storage]
    content, are_set = bytearray(8), bytearray(8 if storage == "local" else 0) or bytearray(b"\1" * 8)
    lines, total, is_wrong = [first], 0, False
    for _ in range(random.randint(3, 10)):
        member = random.choice(MEMBERS)
        here = slice(member.offset, member.offset + member.size)
        is_readable = all(are_set[here])
        if random.random() < 0.5 or (not is_readable and random.random() < 0.8):
            number = random.choice((0, 1, 2, 0x7F, 0x80, 0xFF, 0xFEDCBA9876543210, random.getrandbits(64)))
            content[here] = (number & ((1 << (8 * member.size)) - 1)).to_bytes(member.size, "little")
            are_set[here] = b"\1" * member.size
            lines.append(f"{name}.{member.text} = {number:#x}ul;")
        else:
            is_wrong = is_wrong or not is_readable
            number = int.from_bytes(content[here], "little", signed=member.signed)
            total = (total * 31 + number) & ((1 << 64) - 1)
            lines.append(f"r = r * 31 + (unsigned long){name}.{member.text};")
    body = "\n  ".join(["unsigned long r = 0;", *lines, f"assert(r == {total:#x}ul);", last])
    text = f"{_HEAD}int main(void) {{\n  {body}\n  return 0;\n}}\n"
    return Program(text, storage, None if is_wrong else total)


def wrong_about(item: Program) -> str:
    """What membar says that the interpreter does not; empty if they agree."""
    found = membar.check(SourceFile("u.c", item.text), model="sc")
    if item.result is None:
        message = found.witness.message if found.witness is not None else ""
        return "" if "before it was set" in message else f"unset: {found.verdict}"
    if found.verdict != "holds":
        return f"sum {item.result:#x}: {found.verdict}"
    other = item.text.replace(f"assert(r == {item.result:#x}ul)", f"assert(r != {item.result:#x}ul)")
    found = membar.check(SourceFile("u.c", other), model="sc")
    return "" if found.verdict == "violated" else f"other sum: {found.verdict}"


def fails_with_gcc(item: Program) -> bool:
    """Whether gcc's program says another sum than the interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "u.c"), Path(folder, "u")
        source.write_text(item.text)
        subprocess.run(["gcc", "-std=c11", "-O1", "-o", target, source], check=True, capture_output=True)
        return subprocess.run([target], check=False, capture_output=True).returncode != 0


def campaign(programs: int, seed: int, *, with_gcc: bool = False) -> tuple[Counter[str], list[str]]:
    """How many programs of each kind there were, and the texts of those that are judged wrong."""
    random = Random(seed)
    found: Counter[str] = Counter()
    wrong = []
    for _ in range(programs):
        item = program(random)
        found["unset" if item.result is None else item.storage] += 1
        problem = wrong_about(item)
        if not problem and with_gcc and item.result is not None and fails_with_gcc(item):
            problem = "gcc"
        if problem:
            wrong.append(f"/* {problem} */\n{item.text}")
    return found, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gcc", action="store_true", help="compare with gcc, too")
    options = parser.parse_args()
    if options.gcc and shutil.which("gcc") is None:
        parser.error("there is no gcc")
    counted, failures = campaign(options.programs, options.seed, with_gcc=options.gcc)
    sys.stdout.write("\n".join([*failures[:3], f"{dict(counted)}, {len(failures)} wrong", ""]))
    sys.exit(bool(failures))
