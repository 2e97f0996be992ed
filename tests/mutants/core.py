"""Mutants of the Rust core: `cargo-mutants` lists them, the Python tests judge the core built from each.

The changes are made in a copy of the crates under `target/mutants`, built without much optimisation; pytest
loads that core in the place of the real one (`mutants.other_core`).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
COPY = ROOT / "target" / "mutants"
KILLED, SURVIVED, UNBUILDABLE = "killed", "survived", "not buildable"
SECONDS = 300


@dataclass(frozen=True, slots=True)
class Target:
    """A folder of the core's sources, and the tests that should notice what changes in it."""

    name: str
    folder: str
    tests: tuple[str, ...]

    @property
    def module(self) -> str:
        """The name of the target."""
        return f"core:{self.name}"


TARGETS = (
    Target(
        "buffers", "membar-buffers/src", ("unit/engines/test_buffers.py", "differential/test_unbounded.py")
    ),
    Target(
        "cubes", "membar-cubes/src", ("unit/engines/test_instances.py", "differential/test_parameterized.py")
    ),
    Target("states", "membar-states/src", ("unit/engines/test_states.py", "differential/test_states.py")),
    Target("stateless", "membar-graphs/src/stateless", ("unit/core", "differential/test_stateless.py")),
    Target(
        "thread", "membar-graphs/src/thread", ("unit/core", "differential/test_graphs_against_reference.py")
    ),
)


def run(target: Target, *, sample: int, seed: int) -> int:
    """Builds and judges a sample of the mutants of a target, and prints who survives."""
    if shutil.which("cargo-mutants") is None:
        _say("skipped: cargo-mutants is not installed (cargo install cargo-mutants --locked)")
        return 0
    found = mutants(target)
    chosen = found if not sample or len(found) <= sample else random.Random(seed).sample(found, sample)
    _copy()
    if not _build() or not _passes(target.tests):
        _say("no mutants were run: the tests fail without any change")
        return 2
    fates: Counter[str] = Counter()
    for mutant in chosen:
        fate = _fate(mutant, target.tests)
        fates[fate] += 1
        if fate == SURVIVED:
            _say(f"survived: {mutant['name']}")
    _say(", ".join(f"{fates[fate]} {fate}" for fate in (KILLED, SURVIVED, UNBUILDABLE)))
    return 0


def mutants(target: Target) -> list[dict[str, Any]]:
    """What `cargo-mutants` would change in a target."""
    glob = f"core/{target.folder}/**"
    words = ["cargo", "mutants", "--list", "--json", "--file", glob, "--dir", str(ROOT)]
    found: list[dict[str, Any]] = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return found


def _fate(mutant: dict[str, Any], tests: Sequence[str]) -> str:
    path = COPY / mutant["file"]
    text = path.read_text(encoding="utf-8")
    path.write_text(changed(text, mutant["span"], mutant["replacement"]), encoding="utf-8")
    try:
        if not _build():
            return UNBUILDABLE
        return SURVIVED if _passes(tests) else KILLED
    finally:
        path.write_text(text, encoding="utf-8")


def changed(text: str, span: dict[str, dict[str, int]], replacement: str) -> str:
    """The text with what stands in a span (lines and columns from 1) replaced."""
    lines = text.splitlines(keepends=True)

    def offset(place: dict[str, int]) -> int:
        return sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1

    return f"{text[: offset(span['start'])]}{replacement}{text[offset(span['end']) :]}"


def _copy() -> None:
    """Brings the copy up to date; unchanged files keep their times, so that little is built again."""
    for name in ("Cargo.toml", "Cargo.lock", "core"):
        source = ROOT / name
        for path in [source] if source.is_file() else sorted(source.rglob("*")):
            target = COPY / path.relative_to(ROOT)
            if path.is_file() and not (target.is_file() and target.read_bytes() == path.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())


def _build(*, features: str = "pyo3/extension-module") -> bool:
    words = ["cargo", "build", "--quiet", "--profile", "mutants", "-p", "membar-py", "--features", features]
    return subprocess.run(words, cwd=COPY, capture_output=True, check=False).returncode == 0


def _passes(tests: Sequence[str]) -> bool:
    """Whether the tests pass with the core of the copy."""
    try:
        return _pytest(["-x", *tests], capture_output=True).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def _pytest(words: Sequence[str], *, capture_output: bool) -> subprocess.CompletedProcess[bytes]:
    library = COPY / "target" / "mutants" / ("lib_core.dylib" if sys.platform == "darwin" else "lib_core.so")
    environment = {**os.environ, "MEMBAR_TEST_CORE": str(library), "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "mutants.other_core", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *words],
        cwd=TESTS,
        env=environment,
        capture_output=capture_output,
        timeout=SECONDS if capture_output else None,
        check=False,
    )


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command
