"""The Promela front end against SPIN, and against a direct interpreter, on random programs.

python tests/differential/promela_campaign.py [--programs 200] [--spin 100] [--seed 0] [--scopes] [--whole]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential import spin
from differential.promela import GiveUpError, explore
from membar.questions.task import Limits
from membar.source import SourceFile
from strategies.promela import promela

_LIMITS = Limits(states=8000)
_FAILURES = ("assertions", "memory")


def broken(text: str, *names: str, model: str = "sc") -> bool | None:
    """Whether membar finds that one of these properties is violated; None if it cannot say."""
    result = membar.check(SourceFile("random.pml", text), model=model, properties=names, limits=_LIMITS)
    return {"holds": False, "violated": True}.get(result.verdict)


def disagreement(seed: int, *, scopes: bool = False) -> str | None:
    """Where membar and the interpreter differ; "skipped" if there are too many states."""
    text = promela(seed, scopes=scopes)
    try:
        found = explore(text)
    except GiveUpError:
        return "skipped"
    ours = broken(text, *_FAILURES), broken(text, "deadlock")
    if ours[0] is None or ours == (False, None):
        return "skipped"
    # Behind an index out of bounds nothing is defined, deadlocks neither.
    theirs = found.fails, None if ours == (True, None) else found.deadlocks
    return None if ours == theirs else f"seed {seed}: membar says {ours}, the interpreter {theirs}\n{text}"


def disagreement_with_spin(text: str, folder: Path) -> str | None:
    """Where membar and SPIN differ; "skipped" if SPIN refuses the text.

    membar ends a run where an assertion fails, SPIN goes on when it looks for deadlocks: these are compared
    only where no assertion fails.
    """
    theirs = spin.verdict(text, folder)
    if theirs is None or None in (theirs.fails, theirs.deadlocks):
        return "skipped"
    fails = broken(text, *_FAILURES)
    if fails is None:
        return "skipped"
    if fails is not theirs.fails:
        return f"assertions fail: membar {fails}, SPIN {theirs.fails}\n{text}"
    if not fails and broken(text, "deadlock") is not theirs.deadlocks:
        return f"deadlock: SPIN {theirs.deadlocks}\n{text}"
    return None


def main() -> int:
    """Runs the campaign."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--programs", type=int, default=200)
    arguments.add_argument("--spin", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--scopes", action="store_true", help="with variables of inner scopes")
    arguments.add_argument("--whole", action="store_true", help="with what only SPIN understands, too")
    chosen = arguments.parse_args()
    wrong: list[str] = []
    count: Counter[str] = Counter()
    for seed in range(chosen.seed, chosen.seed + (0 if chosen.whole else chosen.programs)):
        _count(disagreement(seed, scopes=chosen.scopes), "interpreter", count, wrong)
    if spin.IS_INSTALLED:
        for seed in range(chosen.seed, chosen.seed + chosen.spin):
            with tempfile.TemporaryDirectory() as folder:
                _count(
                    disagreement_with_spin(
                        promela(seed, scopes=chosen.scopes, whole=chosen.whole), Path(folder)
                    ),
                    "SPIN",
                    count,
                    wrong,
                )
    else:
        sys.stdout.write(f"SPIN not compared: {spin.MISSING}\n")
    for what, number in sorted(count.items()):
        sys.stdout.write(f"{what}: {number}\n")
    sys.stdout.write("\n".join(wrong[:5]) + f"\n{len(wrong)} disagreements\n")
    return 1 if wrong else 0


def _count(found: str | None, oracle: str, count: Counter[str], wrong: list[str]) -> None:
    word = "agrees" if found is None else "skipped" if found == "skipped" else "DISAGREES"
    count[f"{oracle} {word}"] += 1
    if word == "DISAGREES" and found is not None:
        wrong.append(found)


if __name__ == "__main__":
    sys.exit(main())
