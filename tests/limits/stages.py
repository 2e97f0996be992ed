"""Every stage ends in time: slow inputs, with `--limit time=3s` and with SIGINT after 3 s.

    python tests/limits/stages.py [PART OF A NAME…]

The run must end within 5 s and exit with 3, and with 130 after SIGINT. The machine must be idle.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from limits.slow_inputs import STAGES

SECONDS = 3.0
LATEST = 5.0
INTERRUPTED = 130
_HANGS = 60.0
_LOOK = 0.02


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended."""

    code: int
    seconds: float
    output: str


def start(command: str, folder: Path) -> subprocess.Popen[str]:
    """Starts a command of membar."""
    return subprocess.Popen(
        [str(Path(sys.executable).with_name("membar")), *shlex.split(command)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # A job in the background of a script ignores SIGINT, and all that it starts does.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )


def run(
    command: str, folder: Path, *, interrupt: float | None = None, interrupt_after_work: float | None = None
) -> Ending:
    """Runs a command of membar.

    `interrupt` seconds later, or once it has used the processor for so many seconds, SIGINT comes to the
    process that was started. On a busy machine only the latter says how far a command has come.
    """
    started = time.monotonic()
    process = start(command, folder)
    try:
        if interrupt_after_work is not None:
            while process.poll() is None and processor_seconds(process.pid) < interrupt_after_work:
                time.sleep(_LOOK)
            interrupt = 0.0
        if interrupt is not None:
            try:
                process.wait(timeout=interrupt)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=_HANGS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return Ending(process.returncode, time.monotonic() - started, output)


def processor_seconds(process: int) -> float:
    """How long a process and those that it has started have used the processor; 0 if it has ended."""
    try:
        numbers = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
    except OSError:
        return 0.0
    ticks = int(numbers[11]) + int(numbers[12])  # of the program, and of the system for it
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor_seconds(int(child)) for child in children)


def main(parts: list[str]) -> int:
    """Prints a table; 0 if every stage ends in time."""
    wrong = 0
    for stage in STAGES:
        if parts and not any(part in stage.name for part in parts):
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in stage.files().items():
                (folder / file).write_text(text, encoding="utf-8")
            endings = [(INTERRUPTED, run(stage.command, folder, interrupt=SECONDS))]
            if not stage.command.startswith("models show"):  # which takes no limit
                endings.insert(0, (stage.code, run(f"{stage.command} --limit time={SECONDS:g}s", folder)))
        for expected, ending in endings:
            is_right = ending.code == expected and ending.seconds < LATEST
            wrong += not is_right
            lines = ending.output.splitlines()
            said = next((line.strip() for line in lines if "was reached" in line), "")
            mark = "ok   " if is_right else "WRONG"
            head = f"{mark} {ending.seconds:5.1f} s  exit {ending.code:3}"
            sys.stdout.write(f"{head}  {stage.name}: {said[:90]}\n")
            if not is_right:
                sys.stdout.write("".join(f"      {line}\n" for line in lines[-6:]))
            sys.stdout.flush()
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
