"""Every literal of every cube of the corpus's proofs: without it, the certifier rejects or it was redundant.

    python tests/conformance/dropped_literals.py [NAME…] [--seconds 60] [--most 400]

Reads ../shared/corpus/cub. A cube that lacks a literal has more states, so the other cubes stay covered and
closed: what must be asked again is whether the weaker cube excludes the initial states, and whether all steps
into it start in a cube. If z3 says yes, the literal is claimed to be redundant, and a second check must say
the same: a search of the Rust core from the weaker cube, with its own pre-image, its own cover and its own
test for initial states, which shares no code with the certifier; the proof's cubes, which z3 has certified,
count as unreachable in it. Exit code 1 if the checks differ about a literal or the second one does not end.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from membar import load_model
from membar._core import CubeFindings, CubeSystem
from membar.engines.cubes import closed_search
from membar.engines.cubes.proof import event_cube
from membar.evidence.certificates.check import certify, is_initial, steps_into
from membar.evidence.certificates.cover import Cover
from membar.evidence.certificates.preimage import Backward
from membar.evidence.certificates.smt import Logic
from membar.evidence.certificates.step_processes import instances
from membar.questions import system as systems
from membar.questions.task import Limits, Options, SystemTask
from membar.source import SourceFile
from membar.systems.events import EventCube
from membar.systems.mapping import sequential
from membar.systems.system import ParameterizedSystem

FATES = ("rejected", "redundant", "open", "reachable")
CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "cub"


@dataclass(frozen=True, slots=True)
class Dropped:
    """What became of a literal: `rejected`, `redundant`, or `open` if the second check did not end."""

    cube: int
    literal: int
    fate: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A certified proof, as the certifier reads it and as the core found it."""

    system: ParameterizedSystem
    cubes: Sequence[EventCube]
    core: CubeSystem
    found: CubeFindings


def weakened(cubes: Sequence[EventCube]) -> Iterator[tuple[int, int, EventCube]]:
    """Each cube without each of its literals."""
    for number, cube in enumerate(cubes):
        for position in range(len(cube.literals)):
            kept = cube.literals[:position] + cube.literals[position + 1 :]
            yield number, position, replace(cube, literals=kept)


def dropped(proof: Proof, *, most: int | None = None, seconds: float = 20) -> Iterator[Dropped]:
    """The fate of every literal, or of `most` of them spread over the proof."""
    cover = Cover(proof.system, Logic(proof.system))
    for cube in proof.cubes:
        for one in instances(proof.system, cube):
            cover.add(one)
    ways = list(weakened(proof.cubes))
    stride = 1 if most is None else max(1, len(ways) // most)
    for number, position, weaker in ways[::stride]:
        fate = "rejected"
        if is_accepted(proof.system, cover, weaker):
            fate = second_opinion(proof, number, position, seconds)
        yield Dropped(number, position, fate)


def is_accepted(system: ParameterizedSystem, cover: Cover, weaker: EventCube) -> bool:
    """Whether a proof remains one when `weaker` takes the place of a cube that it contains."""
    parts = list(instances(system, weaker))
    if any(is_initial(system, one, cover.logic) for one in parts):
        return False
    for one in parts:
        cover.add(one)
    backward = Backward(system)
    try:
        return all(
            cover.is_covered(before, after=one) for one in parts for _, before in steps_into(backward, one)
        )
    finally:
        for one in parts:
            cover.remove(one)


def second_opinion(proof: Proof, cube: int, literal: int, seconds: float) -> str:
    """`redundant` if the states of the weaker cube are unreachable, `reachable` if not, `open` if unknown."""
    found = proof.core.search_without(proof.found, cube=cube, literal=literal, seconds=seconds)
    if found.stopped is not None:
        return "open"
    return "redundant" if found.trace is None else "reachable"


def proof_of(name: str, *, brab: int | None, seconds: float) -> Proof | None:
    """The certified proof of a model of the corpus, if there is one."""
    text = SourceFile.read(CORPUS / name)
    system = systems.parse_system(text)
    model = load_model("x86-tso" if system.is_weak else "sc")
    task = SystemTask(system=system, model=model, limits=Limits(seconds=seconds), options=Options(brab=brab))
    searched = closed_search(task)
    if searched is None:
        return None
    core, found = searched
    proved = system if system.is_weak else sequential(system)
    cubes = tuple(event_cube(proved, cube, fixed=core.fixed) for cube in found.cubes)
    if certify(proved, cubes).problem is not None:
        return None
    return Proof(proved, cubes, core, found)


def main() -> int:
    """Goes through the models that hold and prints a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only models whose name has this in it")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit per proof (default: 60)")
    parser.add_argument("--most", type=int, help="literals per model, spread over its proof (default: all)")
    chosen = parser.parse_args()
    if not CORPUS.exists():
        sys.stdout.write("no ../shared/corpus/cub beside the project: nothing to run\n")
        return 1
    known = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
    total: Counter[str] = Counter()
    for name in sorted(known):
        wanted = not chosen.names or any(part in name for part in chosen.names)
        if known[name]["verdict"] != "safe" or not wanted:
            continue
        brab = 2 if "plain" in known[name] else None
        proof = proof_of(name, brab=brab, seconds=chosen.seconds)
        if proof is None:
            sys.stdout.write(f"{name:<32} no proof\n")
            total["without a proof"] += 1
            continue
        counts = Counter(one.fate for one in dropped(proof, most=chosen.most))
        total += counts
        shown = ", ".join(f"{counts[fate]} {fate}" for fate in FATES)
        spent = f"at {time.process_time():.0f} s CPU"
        sys.stdout.write(f"{name:<32} {len(proof.cubes):>4} cubes, literals: {shown} ({spent})\n")
        sys.stdout.flush()
    shown = ", ".join(f"{total[fate]} {fate}" for fate in (*FATES, "without a proof"))
    sys.stdout.write(f"together: {shown}\n")
    return 1 if total["reachable"] or total["open"] or total["without a proof"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
