"""A small check pays for what it uses: the modules it loads and the methods it compiles are counted.

`benchmarks/startup.py` measures what that takes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# The example, and how many modules of membar a check of it may load: a few more than it does.
MOST_MODULES = {
    "store-buffering.litmus": 156,
    "message-passing.litmus": 150,
    "peterson.dve": 147,
    "peterson-once.pml": 160,
    "spinlock.cub": 89,
    "peterson.xcfa": 126,
}
# What takes long to load, and is not needed.
IDLE = {
    "argparse", "csv", "dataclasses", "datetime", "inspect", "json", "locale", "msgspec", "multiprocessing",
    "pathlib", "random", "tempfile", "threading", "urllib",
}  # fmt: skip
PROBE = """
import sys

compiled = []
sys.addaudithook(lambda event, about: event == "compile" and compiled.append(str(about[1])))
from membar.cli import command

code = command.main(["check", sys.argv[1]])
print("modules", *sys.modules)
print("compiled", *(name.replace(" ", "_") for name in compiled if name.startswith("<__")))
"""


def probe(name: str) -> tuple[set[str], list[str]]:
    """The modules that a check loads, and the methods of records that it compiles."""
    (example,) = (Path(__file__).parents[2] / "examples").rglob(name)
    command = [sys.executable, "-c", PROBE, str(example)]
    subprocess.run(command, capture_output=True, check=False)  # compiles and keeps the model
    *_, modules, compiled = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return set(modules.split()[1:]), compiled.split()[1:]


@pytest.mark.parametrize("name", MOST_MODULES)
def test_a_small_check_loads_little_and_compiles_no_method(name: str) -> None:
    modules, compiled = probe(name)
    assert modules & IDLE == set()
    assert sum(module.startswith("membar") for module in modules) <= MOST_MODULES[name]
    assert compiled == []
