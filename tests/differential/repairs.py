"""Repairs against brute force: the cheapest of all choices of changes, tried from the cheapest on.

    python tests/differential/repairs.py [--programs N] [--first SEED] [--most TRIES]

Each program is a random litmus test (x86, AArch64, C11) that is right under sc and wrong under its own model,
with random costs. Brute force tries every choice in the order of its cost; where it has not found one that
passes after TRIES choices the program is left out and counted. The exit code is 0 if nothing differs.
"""

from __future__ import annotations

import argparse
import heapq
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import membar
from membar.questions import engine_answer, programs

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.questions.repair import Repair
from membar.questions.repair.costs import costs_for
from membar.source import SourceFile
from membar.text.edits import Choice, EditSite, apply_choice
from strategies.repairable import repairable

_NAMES = (
    "MFENCE", "DMB ISHLD", "DMB ISHST", "DMB ISH", "LDAPR", "LDAR", "STLR", "load acquire", "load seq_cst",
    "store release", "store seq_cst", "fence acquire", "fence release", "fence acq_rel", "fence seq_cst",
)  # fmt: skip


def random_costs(seed: int, folder: Path) -> Path:
    """A table of costs in which stronger changes are not always dearer."""
    random = Random(seed)
    path = folder / f"costs-{seed}.toml"
    lines = "".join(f'"{name}" = {random.randint(1, 9)}\n' for name in _NAMES)
    path.write_text(f"[any]\n{lines}", encoding="utf-8")
    return path


def cheapest(source: SourceFile, costs: Path, most: int) -> int | None:
    """The least cost of a choice that passes; None if none was found among the `most` cheapest ones."""
    program = membar.parse(source)
    model = engine_answer.default_model(program)
    places = programs.edit_sites(source, program)
    base = tuple(place.current for place in places)
    table = costs_for(model, costs).all_of(places, base)
    for count, (cost, choice) in enumerate(_by_cost(places, table, base)):
        if count >= most:
            return None
        if membar.check(apply_choice(source, places, choice)).verdict == "holds":
            return cost
    return None


def _by_cost(
    places: Sequence[EditSite], costs: Sequence[Sequence[int]], base: Choice
) -> Iterator[tuple[int, Choice]]:
    """Every choice that is nowhere weaker than `base`, from the cheapest on."""
    waiting: list[tuple[int, int, Choice]] = [(0, 0, base)]
    while waiting:
        cost, first, choice = heapq.heappop(waiting)
        yield cost, choice
        for number in range(first, len(places)):
            for index, alternative in enumerate(places[number].alternatives):
                if index != base[number] and base[number] in alternative.includes:
                    changed = (*choice[:number], index, *choice[number + 1 :])
                    heapq.heappush(waiting, (cost + costs[number][index], number + 1, changed))


def difference(seed: int, folder: Path, most: int) -> str | None:
    """How repair and brute force differ: empty if they do not, None if the program shows nothing."""
    source = repairable(seed)
    if source is None:
        return None
    costs = random_costs(seed, folder)
    best = cheapest(source, costs, most)
    if best is None:
        return None
    found = membar.repair(source, costs=costs)
    if isinstance(found, Repair) and found.is_minimal and found.cost == best:
        return ""
    shown = found.cost if isinstance(found, Repair) else type(found).__name__
    return f"{seed}: repair says {shown}, the least is {best}\n{source.text}"


def main() -> int:
    """Compares many programs and tells how it went."""
    parser = argparse.ArgumentParser(description="Repairs against brute force.")
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most", type=int, default=3000)
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    seed = chosen.first
    with tempfile.TemporaryDirectory() as folder:
        while counts["same"] + counts["different"] < chosen.programs:
            found = difference(seed, Path(folder), chosen.most)
            counts["left out" if found is None else "different" if found else "same"] += 1
            if found:
                sys.stdout.write(found + "\n")
            seed += 1
    sys.stdout.write(f"{counts['same']} the same, {counts['different']} different, ")
    sys.stdout.write(f"{counts['left out']} of {seed - chosen.first} left out\n")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
