"""Writes `server/static/examples.json`: the gallery of the web page, made of the examples.

A test compares the file with this text; `pytest tests/unit/server --update-golden` writes it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"

# Group, file and title, in the order of the page.
GALLERY = (
    ("Litmus tests", "litmus/store-buffering.litmus", "SB: both raise a flag. Can both miss it?"),
    ("Litmus tests", "litmus/store-buffering-fenced.litmus", "SB with fences"),
    ("Litmus tests", "litmus/message-passing.litmus", "MP: plain data behind a released flag"),
    ("Litmus tests", "litmus/message-passing-relaxed.litmus", "MP with an order that is too weak"),
    ("Litmus tests", "litmus/load-buffering.litmus", "LB: each reads what the other writes later"),
    ("Litmus tests", "litmus/independent-readers-lwsync.litmus", "IRIW: readers that disagree on Power"),
    ("Litmus tests", "litmus/independent-readers-sync.litmus", "IRIW with full barriers"),
    ("Litmus tests", "litmus/coherence.litmus", "CoRR: reads of one location in order"),
    ("Litmus tests", "litmus/spinlock-amo-relaxed.litmus", "RISC-V spinlock, release left out"),
    ("Litmus tests", "litmus/lkmm-grace-period.litmus", "RCU: waiting for a grace period"),
    ("Locks in C", "c/peterson.c", "Peterson's lock with seq_cst atomics"),
    ("Locks in C", "c/peterson-release.c", "Peterson's lock; its stores only release"),
    ("Locks in C", "c/dekker.c", "Dekker's lock"),
    ("Locks in C", "c/szymanski.c", "Szymanski's lock: a waiting room"),
    ("Locks in C", "c/ticket.c", "Ticket lock: take a number, wait for it"),
    ("Locks in C", "c/mcs-relaxed.c", "MCS lock, relaxed handover"),
    ("Lock-free structures in C", "c/treiber-relaxed.c", "Treiber's stack, relaxed push"),
    ("Lock-free structures in C", "c/msqueue.c", "The queue of Michael and Scott"),
    ("Lock-free structures in C", "c/seqlock.c", "Seqlock"),
    ("Lock-free structures in C", "c/seqlock-relaxed.c", "Seqlock, second look not fenced"),
    ("Lock-free structures in C", "c/publication-relaxed.c", "A pointer published too early"),
    ("C++ and Rust", "cpp/spin.cpp", "C++: a spin lock for std::lock_guard"),
    ("C++ and Rust", "cpp/spsc-relaxed.cpp", "C++: a queue whose index is published too early"),
    ("C++ and Rust", "rust/spin.rs", "Rust: a spin lock for scoped threads"),
    ("C++ and Rust", "rust/spin-relaxed.rs", "Rust: a spin lock, acquire left out"),
    ("C++ and Rust", "rust/arc-relaxed.rs", "Rust: a reference count, relaxed decrement"),
    ("Other languages", "promela/peterson-repeated.pml", "Promela: Peterson's lock, forever"),
    ("Other languages", "dve/peterson.dve", "DVE: Peterson's lock"),
    ("Other languages", "cubicle/spinlock.cub", "Cubicle: a spinlock for any number of processes"),
    ("Other languages", "objects/seqlock.obj", "An object: Linux's seqlock"),
)
_INCLUDE = re.compile(r'^#include "([\w.-]+)"\n', re.MULTILINE)
_EXPECTED = re.compile(r"Expected: ([^.]*)\.")


def gallery_text() -> str:
    """The file, as it must be."""
    return json.dumps([_entry(*row) for row in GALLERY], indent=1, ensure_ascii=False) + "\n"


def _entry(group: str, file: str, title: str) -> dict[str, object]:
    path = EXAMPLES / file
    text = path.read_text(encoding="utf-8")
    found = _EXPECTED.search(text)
    expected = dict(part.split(" ", 1) for part in found[1].split(", ")) if found else {}
    # The page has one text: what an example includes stands in it.
    whole = _INCLUDE.sub(lambda match: _body(path.with_name(match[1])), text)
    return {"group": group, "name": path.name, "title": title, "expected": expected, "text": whole}


def _body(path: Path) -> str:
    """An included example, without the comment about what is expected of it."""
    return re.sub(r"\A/\* Expected:.*?\*/\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
