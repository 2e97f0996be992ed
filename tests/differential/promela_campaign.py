"""The Promela front end against SPIN, and against a direct interpreter, on random programs.

python tests/differential/promela_campaign.py [--programs 200] [--spin 100] [--seed 0] [--scopes]
python tests/differential/promela_campaign.py --whole [--spin 100] [--seed 0]

With `--whole` the texts have the whole language, and claims about runs are compared, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential import spin
from differential.promela import GiveUpError, explore
from membar.diagnostics import InputError
from membar.questions.outcome import Finding
from membar.questions.task import Limits
from membar.source import SourceFile
from strategies.promela import promela
from strategies.whole_promela import Whole, whole_promela

_LIMITS = Limits(states=8000)
_LIMITS_OF_WHOLE = Limits(states=200_000)
# Of so many texts one has its claims compared: SPIN's verifier must be compiled again for them.
_CLAIMS_OF_EVERY = 3
_FAILURES = ("assertions", "memory")


def broken(text: str, *names: str, model: str = "sc", limits: Limits = _LIMITS) -> bool | None:
    """Whether membar finds that one of these properties is violated; None if it cannot say."""
    result = membar.check(SourceFile("random.pml", text), model=model, properties=names, limits=limits)
    return {"holds": False, "violated": True}.get(result.verdict)


def disagreement(seed: int, *, scopes: bool = False) -> str | None:
    """Where membar and the interpreter differ; "skipped" if there are too many states.

    The interpreter ends a run where an assertion fails, membar goes on when it looks for deadlocks: these are
    compared only where no assertion fails.
    """
    text = promela(seed, scopes=scopes)
    try:
        found = explore(text)
    except GiveUpError:
        return "skipped"
    ours = broken(text, *_FAILURES), broken(text, "deadlock")
    if ours[0] is None or ours == (False, None):
        return "skipped"
    theirs = found.fails, ours[1] if found.fails else found.deadlocks
    return None if ours == theirs else f"seed {seed}: membar says {ours}, the interpreter {theirs}\n{text}"


def disagreement_with_spin(text: str, folder: Path) -> str | None:
    """Where membar and SPIN differ; "skipped" if SPIN refuses the text.

    Deadlocks are compared only where no assertion fails.
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


def disagreements_on_whole(whole: Whole, folder: Path, *, claims: bool = True) -> dict[str, str | None]:
    """For safety and each claim, where membar and SPIN differ; "skipped" if SPIN gives up.

    Where an assertion fails, deadlocks and claims are not compared.
    """
    theirs = spin.verdict(whole.text, folder)
    if theirs is None or None in (theirs.fails, theirs.deadlocks):
        return {"safety": "skipped"}
    found = {"safety": _difference_in_safety(whole.text, theirs)}
    if theirs.fails or not claims:
        return found
    # For SPIN the claim is a process, and counts.
    verifier = spin.verifier(whole.with_claims.replace("_nr_pr", "(_nr_pr - 1)"), folder)
    if verifier is None:
        return found | dict.fromkeys(whole.claims, "skipped")
    return found | _differences_in_claims(whole, verifier)


def _difference_in_safety(text: str, theirs: spin.Verdict) -> str | None:
    names = (*_FAILURES, "deadlock")
    try:
        result = membar.check(
            SourceFile("random.pml", text), model="sc", properties=names, limits=_LIMITS_OF_WHOLE
        )
    except InputError as problem:
        return f"membar refuses it: {problem}\n{text}"
    ours = {finding.property: str(finding.verdict) for finding in result.findings}
    if _is_limited(result.findings):
        return "skipped"
    fails = "violated" in (ours["assertions"], ours["memory"])
    if fails is theirs.fails and (fails or ours["deadlock"] == ("violated" if theirs.deadlocks else "holds")):
        return None
    return f"membar {ours}, SPIN {theirs}\n{text}"


def _differences_in_claims(whole: Whole, verifier: spin.Verifier) -> dict[str, str | None]:
    try:
        result = membar.check(
            SourceFile("random.pml", whole.with_claims),
            model="sc",
            properties=("claims",),
            limits=_LIMITS_OF_WHOLE,
        )
    except InputError as problem:
        return {"claims": f"membar refuses them: {problem}\n{whole.with_claims}"}
    ours = {finding.claim: str(finding.verdict) for finding in result.findings}
    found: dict[str, str | None] = {}
    for name in whole.claims:
        is_violated = verifier.finds_error("-a", "-E", "-N", name)
        if is_violated is None or _is_limited([each for each in result.findings if each.claim == name]):
            found[name] = "skipped"
        elif ours[name] != ("violated" if is_violated else "holds"):
            found[name] = f"{name}: membar {ours[name]}, SPIN {is_violated}\n{whole.with_claims}"
        else:
            found[name] = None
    return found


def _is_limited(findings: Iterable[Finding]) -> bool:
    """Whether the limit of states left a question open."""
    return any(str(each.verdict) == "unknown" and "limit of" in each.reason for each in findings)


def main() -> int:
    """Runs the campaign."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--programs", type=int, default=200)
    arguments.add_argument("--spin", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--scopes", action="store_true", help="with variables of inner scopes")
    arguments.add_argument("--whole", action="store_true", help="the whole language, against SPIN only")
    chosen = arguments.parse_args()
    wrong: list[str] = []
    count: Counter[str] = Counter()
    for seed in range(chosen.seed, chosen.seed + (0 if chosen.whole else chosen.programs)):
        _count(disagreement(seed, scopes=chosen.scopes), "interpreter", count, wrong)
    if spin.IS_INSTALLED:
        for seed in range(chosen.seed, chosen.seed + chosen.spin):
            with tempfile.TemporaryDirectory() as folder:
                if chosen.whole:
                    claims = seed % _CLAIMS_OF_EVERY == 0
                    found = disagreements_on_whole(whole_promela(seed), Path(folder), claims=claims)
                    for what, difference in found.items():
                        kind = what if what == "safety" else "claim"
                        _count(
                            difference and difference.replace("\n", f" (seed {seed})\n", 1),
                            kind,
                            count,
                            wrong,
                        )
                else:
                    text = promela(seed, scopes=chosen.scopes)
                    _count(disagreement_with_spin(text, Path(folder)), "SPIN", count, wrong)
    else:
        sys.stdout.write(f"SPIN not compared: {spin.MISSING}\n")
    for what, number in sorted(count.items()):
        sys.stdout.write(f"{what}: {number}\n")
    sys.stdout.write(f"{len(wrong)} disagreements\n")
    return 1 if wrong else 0


def _count(found: str | None, oracle: str, count: Counter[str], wrong: list[str]) -> None:
    word = "agrees" if found is None else "skipped" if found == "skipped" else "DISAGREES"
    count[f"{oracle} {word}"] += 1
    if word == "DISAGREES" and found is not None:
        wrong.append(found)
        sys.stdout.write(f"{found}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
