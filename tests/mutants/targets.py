"""Which tests should notice a mistake in which part of the program, and the command behind `make mutants`.

    python -m mutants.targets [NAME…] [--sample N] [--seed N] [--list]

NAME is a target below or a part of one.
Other targets of the core need `cargo-mutants`, which lists the mutants; see `mutants.core`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants import core

TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Target:
    """A module or package of membar, and the tests that should notice what changes in it."""

    module: str
    tests: tuple[str, ...]


TARGETS = (
    Target(
        "membar.code",
        (
            "unit/code",
            "unit/languages/compiled/test_calls.py",
            "unit/languages/compiled/test_constructs.py",
            "unit/languages/compiled/test_wide_integers.py",
            "differential/test_c_passes.py",
            "differential/test_c_threads.py",
        ),
    ),
    Target("membar.evidence.certificates", ("unit/certificates", "differential/test_known_systems.py")),
    Target("membar.engines.instances", ("differential/test_known_systems.py",)),
    Target("membar.engines.reference", ("unit/engines", "differential/test_reference_checks.py")),
    Target("membar.languages.cubicle", ("unit/languages/cubicle", "differential/test_known_systems.py")),
    Target("membar.languages.dve", ("unit/languages/dve", "differential/test_dve.py")),
    Target("membar.languages.litmus", ("unit/languages/litmus", "differential/test_reference_checks.py")),
    Target("membar.languages.objects", ("unit/objects", "differential/test_object_known_answers.py")),
    Target("membar.languages.promela", ("unit/languages/promela", "differential/test_promela.py")),
    Target("membar.languages.xcfa", ("unit/languages/xcfa",)),
    Target("membar.systems.lifting", ("unit/lifting", "differential/test_any_threads.py")),
    Target("membar.models.cat", ("unit/models", "differential/test_reference_checks.py")),
    Target("membar.models.evaluate", ("unit/models", "differential/test_reference_checks.py")),
    Target("membar.objects", ("unit/objects", "differential/test_client_answers.py")),
    Target("membar.program", ("unit/program", "differential/test_reference_checks.py")),
    Target("membar.properties", ("unit/properties", "differential/test_ltl.py")),
    Target("membar.questions.repair", ("unit/repair",)),
    Target("membar.questions.export", ("unit/translation", "differential/test_translations.py")),
)


def run(target: Target, *, sample: int, seed: int) -> int:
    """Runs mutants of a target in a process of its own; its exit code."""
    words = [
        sys.executable,
        "-m",
        "mutants.session",
        target.module,
        "--sample",
        str(sample),
        "--seed",
        str(seed),
    ]
    tests = [str(TESTS / path) for path in target.tests]
    return subprocess.run(
        [*words, "--tests", *tests], cwd=TESTS, env={**os.environ, "PYTHONPATH": str(TESTS)}, check=False
    ).returncode


def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="mutation testing: changes that no test notices")
    parser.add_argument("names", nargs="*", help="targets, or parts of their names; all if none")
    parser.add_argument("--sample", type=int, default=30, help="mutants of each target; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--list", action="store_true", help="only list the targets")
    chosen = parser.parse_args(words)
    targets: list[Target | core.Target] = [*TARGETS, *core.TARGETS]
    wanted = [
        target
        for target in targets
        if not chosen.names or any(name in target.module for name in chosen.names)
    ]
    if not wanted:
        print(f"no target is called {' or '.join(chosen.names)}; --list shows them")  # noqa: T201 - a command
        return 2
    worst = 0
    for target in wanted:
        print(f"== {target.module}: {' '.join(target.tests)}", flush=True)  # noqa: T201 - a command
        if chosen.list:
            continue
        if isinstance(target, Target):
            worst = max(worst, run(target, sample=chosen.sample, seed=chosen.seed))
        else:
            worst = max(worst, core.run(target, sample=chosen.sample, seed=chosen.seed))
    return worst


if __name__ == "__main__":
    sys.exit(main())
