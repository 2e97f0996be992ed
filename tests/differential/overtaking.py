"""Whether signs of load buffering are complete: the exactly-once search without any, against the general one.

    python tests/differential/load_buffering_signs.py [--programs N] [--first SEED] [MODEL …]

Says each program without signs whose executions the exactly-once search does not all find, and per model how
many programs showed none, how many of these have accesses that may change places, and how many programs
buffer loads; the exit code is 0 if nothing was missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.comparisons import shipped
from differential.searches import BOUND, answer, features_of, general
from membar.diagnostics import EngineLimitError
from membar.engines import graphs
from membar.models import load_buffering_signs
from membar.models.load_buffering import keeps_loads_before_stores
from membar.models.model import Model
from membar.models.monotone import watches_under
from membar.program.atomicity import require_single_accesses
from membar.program.encoding import encode_program
from membar.program.expand import expand
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties.final_state import Observer
from membar.records import record
from strategies.buffering import buffering_program_of_seed
from strategies.pointers import pointer_program_of_seed
from strategies.programs import program_of_seed
from strategies.selects import depending_program_of_seed, joining_program, select_program_of_seed
from strategies.wider import wide_program_of_seed

if TYPE_CHECKING:
    from membar import _core


@record(frozen=True, slots=True)
class Verdict:
    """One program.

    Attributes:
        is_trusted: the search showed no sign, so that its answer would be taken.
        is_right: its answer is that of the general search.
    """

    is_trusted: bool
    is_right: bool


def programs(count: int, model: str, *, first: int = 0) -> Iterator[Program]:
    """`count` random programs of each kind."""
    features = features_of(model)
    others = replace(features, exclusives=False)
    for seed in range(first, first + count):
        yield buffering_program_of_seed(seed, others)
        yield pointer_program_of_seed(seed, features)
        yield program_of_seed(seed, features)
        yield wide_program_of_seed(seed, features)
        yield select_program_of_seed(seed, others)
        yield depending_program_of_seed(seed, others)
        yield joining_program(buffering_program_of_seed(seed, others), seed)


def gathered(program: Program, model: Model) -> _core.Findings:
    """The exactly-once search, with what it gathers."""
    signs = load_buffering_signs.signs_under(model)
    plan, compiled = graphs.compile_for_core(signs.plan)
    terms = Observer(program).terms
    watched = watches_under(model, program, terms, bound=BOUND)
    form = encode_program(load_buffering_signs.mark_reads(program, watched), plan.tags, terms, watched).form
    return compiled.search_exactly_once(form, bound=BOUND, relation_ends=signs.slots, seconds=10.0)


def judged(program: Program, model: Model) -> Verdict | None:
    """Whether the answer of the exactly-once search is trusted, and right; None if nobody would ask it."""
    expanded = expand(program)
    try:
        require_single_accesses(expanded)
        if not load_buffering_signs.shows_overtaking(expanded, model):
            return None
        expected = general(program, model)
        found = gathered(expanded, model)
    except (EngineLimitError, OverflowError):
        return None
    if found.stopped is not None:  # on a busy machine; what is not done is not trusted
        return None
    is_trusted = not (found.failures or found.faults or load_buffering_signs.is_doubtful(found.relation_ends))
    return Verdict(is_trusted, answer(found) == answer(expected) and found.cut <= expected.cut)


def campaign(name: str, count: int, first: int) -> int:
    """Looks for programs without signs that buffer loads; how many there are."""
    model = shipped(name)
    trusted = unexpected = buffered = wrong = asked = 0
    for program in programs(count, name, first=first):
        verdict = judged(program, model)
        if verdict is None:
            continue
        asked += 1
        trusted += verdict.is_trusted
        buffered += not verdict.is_right
        if verdict.is_trusted:
            unexpected += not keeps_loads_before_stores(expand(program), model, bound=BOUND)
            if not verdict.is_right:
                wrong += 1
                sys.stdout.write(f"{name}: missed\n{print_program(program)}\n")
    sys.stdout.write(
        f"{name}: {asked} programs, {buffered} buffer loads; {trusted} show no sign, of which {unexpected} "
        f"have accesses that may change places; {wrong} missed\n"
    )
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all that claim it if none is named")
    parser.add_argument("--programs", type=int, default=1000, metavar="N", help="of each of seven kinds")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    chosen = parser.parse_args(arguments)
    names = chosen.models or ["armv8", "riscv", "power"]
    return int(sum(campaign(name, chosen.programs, chosen.first) for name in names) > 0)


if __name__ == "__main__":
    sys.exit(main())
