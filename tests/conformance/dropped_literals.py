"""Every literal of every cube of the corpus's proofs: without it, the certifier rejects or it was redundant.

    python tests/conformance/dropped_literals.py [NAME…] [--seconds 60] [--most 400]

Reads ../shared/corpus/cub. A cube that lacks a literal has more states, so the other cubes stay covered and
closed: what must be asked again is whether the weaker cube excludes the initial states, and whether all steps
into it start in a cube. If z3 says yes, the literal is claimed to be redundant, and a second check must say
the same: a search from the weaker cube that shares nothing with the certifier (the engine's, without its
certificate) or a naive one (for cubes of events). Exit code 1 if the checks differ.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from membar import load_model, proving
from membar.certificates.check import before_step, is_initial
from membar.certificates.cover import Cover
from membar.certificates.smt import Logic
from membar.outcome import Holds, Violated
from membar.systems.events import EventCube
from membar.systems.mapping import sequential
from membar.systems.system import Cube, ParameterizedSystem
from membar.task import Limits, Options, SystemTask
from strategies.naive_cubes import search

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "cub"


@dataclass(frozen=True, slots=True)
class Dropped:
    """What became of a literal: `rejected`, `redundant`, or `open` if the second check did not end."""

    cube: int
    literal: int
    fate: str


def weakened(cubes: Sequence[EventCube]) -> Iterator[tuple[int, int, EventCube]]:
    """Each cube without each of its literals."""
    for number, cube in enumerate(cubes):
        for position in range(len(cube.literals)):
            kept = cube.literals[:position] + cube.literals[position + 1 :]
            yield number, position, replace(cube, literals=kept)


def dropped(
    system: ParameterizedSystem, cubes: Sequence[EventCube], *, most: int | None = None, seconds: float = 20
) -> Iterator[Dropped]:
    """The fate of every literal, or of `most` of them spread over the proof."""
    cover = Cover(system, Logic(system))
    for cube in cubes:
        cover.add(cube)
    ways = list(weakened(cubes))
    stride = 1 if most is None else max(1, len(ways) // most)
    for number, position, weaker in ways[::stride]:
        fate = "rejected"
        if is_accepted(system, cover, weaker):
            fate = second_opinion(system, weaker, seconds)
        yield Dropped(number, position, fate)


def is_accepted(system: ParameterizedSystem, cover: Cover, weaker: EventCube) -> bool:
    """Whether a proof remains one when `weaker` takes the place of a cube that it contains."""
    if is_initial(system, weaker, cover.logic):
        return False
    cover.add(weaker)
    try:
        return all(
            cover.is_covered(before, after=weaker)
            for transition in system.transitions
            for before in before_step(system, weaker, transition)
        )
    finally:
        cover.remove(weaker)


def second_opinion(system: ParameterizedSystem, weaker: EventCube, seconds: float) -> str:
    """`redundant` if the states of the weaker cube are unreachable, `reachable` if not, `open` if unknown."""
    if weaker.events or system.size is not None:
        verdict = search(system, nodes=150, extra=(weaker,))[0]
        return {"safe": "redundant", "unsafe": "reachable"}.get(verdict, "open")
    bad = (*system.unsafe, Cube(parameters=weaker.parameters, literals=weaker.literals))
    model = load_model("x86-tso" if system.is_weak else "sc")
    for brab in (None, 2):
        task = SystemTask(
            system=replace(system, unsafe=bad),
            model=model,
            limits=Limits(seconds=seconds),
            options=Options(brab=brab),
        )
        outcome = proving.load_system_engine("cubes").run(task)
        if isinstance(outcome, Holds | Violated):
            return "redundant" if isinstance(outcome, Holds) else "reachable"
    return "open"


def proof_of(
    name: str, *, brab: int | None, seconds: float
) -> tuple[ParameterizedSystem, Sequence[EventCube]]:
    """The system of a model of the corpus, as it was proved, and its proof; no cubes if there is none."""
    options = Options(brab=brab)
    result = proving.prove(CORPUS / name, limits=Limits(seconds=seconds), options=options)
    system = result.system if result.system.is_weak else sequential(result.system)
    return system, result.outcome.proof if isinstance(result.outcome, Holds) else ()


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
    wrong = 0
    for name in sorted(known):
        wanted = not chosen.names or any(part in name for part in chosen.names)
        if known[name]["verdict"] != "safe" or not wanted:
            continue
        brab = 2 if "plain" in known[name] else None
        system, cubes = proof_of(name, brab=brab, seconds=chosen.seconds)
        fates = [one.fate for one in dropped(system, cubes, most=chosen.most)]
        counts = {fate: fates.count(fate) for fate in ("rejected", "redundant", "open", "reachable")}
        wrong += counts["reachable"]
        shown = ", ".join(f"{number} {fate}" for fate, number in counts.items())
        sys.stdout.write(f"{name:<32} {len(cubes):>4} cubes, literals: {shown}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{wrong} literals that the checks differ about\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
