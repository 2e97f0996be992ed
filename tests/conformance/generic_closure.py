"""The corpus's weak systems that hold, proved again by cubes that are closed under the generic pre-image.

    python tests/conformance/generic_closure.py [NAME…] [--seconds 60]

Reads ../shared/corpus/cub. The engine's own proofs are closed under the pre-image of section 4, which rests
on a theorem (docs/decisions/0030). Here `--algorithm generic` makes a proof without it: z3 checks that its
cubes cover the unsafe states, exclude the initial ones, and are closed under the pre-image of section 3, with
every order in which writes may reach memory. A search that does not end in a quarter of the time is begun
again with guesses (`--brab 3`). Exit code 1 if an answer differs from the known one; a system that does not
end in time is `open`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

import membar
from membar.evidence.certificates.generic import Future
from membar.questions.outcome import Holds, Outcome, Unknown
from membar.questions.task import Limits, Options

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "cub"


def fate_of(name: str, *, seconds: float) -> tuple[str, str]:
    """`closed`, `open` or `wrong`, and what is to be said of it."""
    outcome = _answer(name, seconds=seconds / 4, guesses=None)
    if isinstance(outcome, Unknown):
        outcome = _answer(name, seconds=seconds, guesses=3)
    if isinstance(outcome, Holds):
        is_generic = bool(outcome.proof) and all(isinstance(cube, Future) for cube in outcome.proof)
        return ("closed" if is_generic else "wrong"), "; ".join(outcome.run.notes)
    if isinstance(outcome, Unknown):
        is_late = "limit" in outcome.reason or "time" in outcome.reason
        return ("open" if is_late else "wrong"), outcome.reason
    return "wrong", "violated"


def _answer(name: str, *, seconds: float, guesses: int | None) -> Outcome:
    options = Options(algorithm="generic", brab=guesses)
    return membar.prove(CORPUS / name, limits=Limits(seconds=seconds), options=options).outcome


def main() -> int:
    """Goes through the systems and prints a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only models whose name has this in it")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit per model (default: 60)")
    chosen = parser.parse_args()
    if not CORPUS.exists():
        sys.stdout.write("no ../shared/corpus/cub beside the project: nothing to run\n")
        return 1
    known = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
    total: Counter[str] = Counter()
    for name in sorted(known):
        wanted = not chosen.names or any(part in name for part in chosen.names)
        if not name.startswith("weak/") or known[name]["verdict"] != "safe" or not wanted:
            continue
        before = time.process_time()
        fate, note = fate_of(name, seconds=chosen.seconds)
        total[fate] += 1
        sys.stdout.write(f"{name:<32} {fate:<7} {time.process_time() - before:7.2f} s CPU  {note}\n")
        sys.stdout.flush()
    shown = ", ".join(f"{total[fate]} {fate}" for fate in ("closed", "open", "wrong"))
    sys.stdout.write(f"together: {shown}\n")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
