"""Memory limits are kept: hungry inputs for each engine, with `--limit memory=1G`.

    python tests/limits/memory.py [PART OF A NAME…]

Each run must end with UNKNOWN and the reason, exit code 3, and all its processes together must never hold
more than 1.3 GiB.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from limits.slow_inputs import HUNGRY
from limits.stages import start
from membar.limits.workers import process_tree, resident_bytes_of

MOST = 1.3 * 2**30
_HANGS = 300.0
UNKNOWN = 3


def run(command: str, folder: Path) -> tuple[int, int, float, str]:
    """Exit code, the most bytes that were held, seconds, and the output."""
    most = 0
    started = time.monotonic()
    process = start(command, folder)
    ended = threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.wait(0.01):
            most = max(most, sum(map(resident_bytes_of, process_tree(process.pid))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        output, _ = process.communicate(timeout=_HANGS)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    finally:
        ended.set()
        watcher.join()
    return process.returncode, most, time.monotonic() - started, output


def main(parts: list[str]) -> int:
    """Prints a table; 0 if every limit is kept."""
    wrong = 0
    for stage in HUNGRY:
        if parts and not any(part in stage.name for part in parts):
            continue
        with tempfile.TemporaryDirectory() as name:
            for file, text in stage.files().items():
                (Path(name) / file).write_text(text, encoding="utf-8")
            code, most, seconds, output = run(f"{stage.command} --limit memory=1G", Path(name))
        is_right = code == UNKNOWN and "the memory limit of 1 GiB was reached" in output and most < MOST
        wrong += not is_right
        mark = "ok   " if is_right else "WRONG"
        said = next((line.strip() for line in output.splitlines() if "was reached" in line), output[-300:])
        held = f"{most / 2**30:.2f} GiB"
        sys.stdout.write(f"{mark} {held}  {seconds:5.1f} s  exit {code:3}  {stage.name}: {said[:100]}\n")
        sys.stdout.flush()
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
