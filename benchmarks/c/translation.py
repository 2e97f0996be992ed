"""How long it takes to translate C programs that allocate nothing: CPU seconds, and steps that come out.

    python benchmarks/c/translation.py [--turns N] [--against FOLDER]

Translates every example in C and every program of this folder, with three threads. With `--against`, the
folder of another version of the package (its `python/`), both are measured, each in a process of its own, and
must give the same steps.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_CODE = """
import json, sys, time
import membar
from pathlib import Path
from membar.source import SourceFile
paths = [Path(item) for item in json.loads(sys.argv[1])]
sources = [SourceFile(str(path), path.read_text(), ("N=3",)) for path in paths]
steps = {}
for source in sources:
    program = membar.parse(source)
    steps[source.path] = [sum(map(lambda thread: len(thread.edges), program.threads)), len(program.objects)]
best = {source.path: 1e9 for source in sources}
for _ in range(int(sys.argv[2])):
    for source in sources:
        start = time.process_time()
        membar.parse(source)
        best[source.path] = min(best[source.path], time.process_time() - start)
print(json.dumps([sum(best.values()), steps]))
"""


def measured(paths: list[Path], turns: int, package: Path) -> tuple[float, dict[str, list[int]]]:
    """CPU seconds for all programs, the best of some turns each, and what came out."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE, json.dumps([str(path) for path in paths]), str(turns)],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, steps = json.loads(done.stdout)
    return seconds, steps


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--against", type=Path)
    chosen = parser.parse_args()
    paths = sorted((ROOT / "examples" / "c").glob("*.c")) + sorted((ROOT / "benchmarks" / "c").glob("*.c"))
    ours, steps = measured(paths, chosen.turns, ROOT / "python")
    print(f"{len(paths)} programs: {ours:.3f} s of CPU")
    if chosen.against is None:
        return 0
    theirs, old_steps = measured(paths, chosen.turns, chosen.against)
    again, _ = measured(paths, chosen.turns, ROOT / "python")
    ours = min(ours, again)
    different = [path for path, count in steps.items() if old_steps[path] != count]
    print(f"the other version: {theirs:.3f} s, ratio {ours / theirs:.2f}; other steps in {len(different)}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
