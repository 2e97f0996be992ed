"""Repairs in five tables: Barnat's Table I; C with no order at all, an object, one too weak, all seq_cst.

    python benchmarks/repair/run.py [table1] [bare] [seqlock] [wrong] [weaken] [--seconds S]

`table1`: Anderson and Lamport with three processes (from the corpus) and Peterson with two, under
`cam`, by both rules of atomic writes: the least number of atomic writes, or the best and a lower bound after
S seconds; what Barnat's procedure (`--greedy`) ends with; the paper's number.
`bare`: mutual exclusion with every order relaxed, no fences: the cheapest that makes it right again.
`seqlock`: Winter's seqlock in C without its five fences, linearizable for all clients of a size under armv8.
`wrong`: each C example that is one order too weak, under each model that it is wrong under: what its repair
costs, all orders and fences together, beside the right version.
`weaken`: each right C example with every order made seq_cst: what is left of it, beside the version written
by hand. Exits with 1 where ours is dearer.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import membar
from membar.objects.client import Size
from membar.questions import programs
from membar.questions.outcome import HoldsWithin
from membar.questions.repair import Repair
from membar.questions.repair.costs import costs_for
from membar.questions.task import Coherence, Options
from membar.source import SourceFile
from membar.text.edits import EditSite, apply_choice

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DVE = ROOT.parent / "shared" / "corpus" / "dve"
EXAMPLES = ROOT / "examples" / "c"
QUICKLY = Options(coherence=Coherence.OBSERVED)
BARE = ("peterson", "dekker", "fast-mutex", "szymanski", "burns", "bakery")
WEAKENED = ("ttas", "ticket", "mcs", "treiber", "msqueue", "ring", "seqlock")
_COLLISION = "P_0.CS + P_1.CS + P_2.CS > 1"
_GRANTED = "G((P_0.p1 or P_0.p2 or P_0.p3) -> F P_0.CS)"


def main() -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description="Repairs in five tables.")
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help="table1, bare, seqlock, wrong, weaken (default: all)"
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    tables: dict[str, Callable[[float], bool]] = {
        "table1": table1,
        "bare": bare,
        "seqlock": seqlock,
        "wrong": wrong,
        "weaken": weaken,
    }
    results = [tables[name](chosen.seconds) for name in chosen.tables or tables]
    return 0 if all(results) else 1


def table1(seconds: float) -> bool:
    """Barnat's Table I."""
    rows = (
        ("Anderson", DVE / "anderson" / "anderson.2.dve", {"ltl": _GRANTED}, 24),
        ("Lamport", DVE / "lamport" / "lamport.1.dve", {"error": _COLLISION}, 16),
        ("Peterson", HERE / "peterson.dve", {"error": "P_0.CS and P_1.CS"}, 4),
    )
    print("| model | rule | global writes | atomic | at least | --greedy | paper | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    is_good = True
    for name, path, asked, theirs in rows:
        source = SourceFile.read(path)
        places = programs.places(source, membar.parse(source))
        for rule in ("own", "all"):
            question = {"model": "cam", "words": {"atomic-rule": rule}, **asked}
            start = time.process_time()
            found = membar.repair(source, **question, seconds=seconds)
            spent = time.process_time() - start
            greedy = membar.repair(source, **question, greedy=True, seconds=seconds)
            counts = [len(each.changes) if isinstance(each, Repair) else None for each in (found, greedy)]
            least = found.lower_bound // 20 if isinstance(found, Repair) else "?"
            ours = counts[0] if counts[0] is not None else type(found).__name__
            cells = (name, rule, len(places), ours, least, counts[1], theirs, f"{spent:.1f}")
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            is_good &= counts[0] is not None and counts[0] <= theirs
    return is_good


def bare(seconds: float) -> bool:
    """Mutual exclusion without any order."""
    print("\n| example | model | repair | cost | at least | CPU s |")
    print("| --- | --- | --- | --- | --- | --- |")
    is_good = True
    for name in BARE:
        source = SourceFile.read(EXAMPLES / f"{name}.c")
        places = _places(source)
        weakest = apply_choice(source, places, tuple(0 for _ in places))
        for model in ("x86-tso", "armv8"):
            start = time.process_time()
            found = membar.repair(weakest, model=model, options=QUICKLY, seconds=seconds)
            spent = time.process_time() - start
            if isinstance(found, Repair):
                what = "; ".join(f"{change.name}, {change.place.title}" for change in found.changes)
                cells = (f"{name}.c", model, what, found.cost, found.lower_bound, f"{spent:.1f}")
            else:
                reason = f"{type(found).__name__} {getattr(found, 'reason', '')}"
                cells, is_good = (f"{name}.c", model, reason, "", 0, f"{spent:.1f}"), False
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return is_good


def seqlock(seconds: float) -> bool:
    """The paper's seqlock without its five fences, for all clients of two sizes, under armv8."""
    print(
        "\n| clients | repair | cost | at least | guarantee | CPU s |\n| --- | --- | --- | --- | --- | --- |"
    )
    source = SourceFile.read(EXAMPLES / "objects/seqlock-bare.c")
    costs = costs_for("armv8")
    # The paper's five are full fences: three in the writer, two in the reader's loop.
    allowed = costs.table["fence seq_cst"] * (3 + 2 * costs.loop)
    is_good = True
    for size in (Size(2, 1), Size(2, 2)):
        start = time.process_time()
        found = membar.repair(source, model="armv8", client=size, options=QUICKLY, seconds=seconds)
        spent = time.process_time() - start
        if isinstance(found, Repair):
            what = "; ".join(f"{change.name}, {change.place.title}" for change in found.changes)
            outcome = found.result.outcome
            told = f"within {outcome.bound}" if isinstance(outcome, HoldsWithin) else outcome.run.guarantee
            print(f"| {size.text} | {what} | {found.cost} | {found.lower_bound} | {told} | {spent:.1f} |")
            is_good &= found.cost <= allowed
        else:
            print(f"| {size.text} | {type(found).__name__} | | | | {spent:.1f} |")
            is_good = False
    return is_good


def wrong(_: float) -> bool:
    """The wrong C examples."""
    print(
        "\n| example | model | repair | cost | right version | CPU s |\n| --- | --- | --- | --- | --- | --- |"
    )
    is_good = True
    for path in sorted(EXAMPLES.glob("*-re*.c")):
        source = SourceFile.read(path)
        right = SourceFile.read(path.with_name(path.name.rpartition("-")[0] + ".c"))
        verdicts = re.findall(r"([\w-]+) VIOLATED", source.text.splitlines()[0])
        for model in (name for name in verdicts if name != "sc"):
            start = time.process_time()
            found = membar.repair(source, model=model, options=QUICKLY)
            spent = time.process_time() - start
            allowed = _cost(right, model)
            if isinstance(found, Repair):
                cost = _cost(found.repaired, model)
                what = "; ".join(f"{change.name}, {change.place.title}" for change in found.changes)
                is_good &= cost <= allowed
            else:
                cost, what, is_good = -1, f"{type(found).__name__}: {getattr(found, 'reason', '')}", False
            print(f"| {path.name} | {model} | {what} | {cost} | {allowed} | {spent:.1f} |", flush=True)
    return is_good


def weaken(_: float) -> bool:
    """The right C examples, all seq_cst."""
    print("\n| example | model | all seq_cst | weakened | by hand | CPU s |")
    print("| --- | --- | --- | --- | --- | --- |")
    is_good = True
    for name in WEAKENED:
        hand = SourceFile.read(EXAMPLES / f"{name}.c")
        strong = _all_strongest(hand)
        start = time.process_time()
        found = membar.repair(strong, model="rc11", options=QUICKLY, weaken=True)
        spent = time.process_time() - start
        allowed, before = _cost(hand, "rc11"), _cost(strong, "rc11")
        cost = _cost(found.repaired, "rc11") if isinstance(found, Repair) else None
        is_good &= cost is not None and cost <= allowed
        print(f"| {name}.c | rc11 | {before} | {cost} | {allowed} | {spent:.1f} |", flush=True)
    return is_good


def _places(source: SourceFile) -> Sequence[EditSite]:
    return programs.places(source, membar.parse(source))


def _cost(source: SourceFile, model: str) -> int:
    """What all fences and orders of a text cost."""
    places = _places(source)
    costs = costs_for(model).all_of(places, (0,) * len(places))
    return sum(costs[number][place.current] for number, place in enumerate(places))


def _all_strongest(source: SourceFile) -> SourceFile:
    """The text with every order and every fence that it has as strong as can be; no new fences."""
    places = _places(source)
    kept = [place.strongest if place.title.startswith("the ") else place.current for place in places]
    return apply_choice(source, places, tuple(kept))


if __name__ == "__main__":
    sys.exit(main())
