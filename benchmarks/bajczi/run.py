"""The experiments of Bajczi's thesis (chapter 6), run again.

    python benchmarks/bajczi/run.py [GROUP…] [--seconds 60] [--workers 1,2] [--quick] [--json FILE]

Groups: litmus, readers, loop, coherence, empty, threads, length, variables, peterson, workers; all if none is
named. Every line says its mode: `verify` stops once a violation is shown, `generate` explores everything;
`filtered` drops inconsistent executions on the way (membar's default), `unfiltered` only at the end (what
`--no-prune` stands for). A run that does not end within the limit, which is CPU time, says `not ended`, and
larger sizes of that mode are not tried. The last table sets our numbers beside those of the thesis
(`tables.json`, if it lies beside the repository), which had 600 s of CPU time on 8 cores.
"""

from __future__ import annotations

import argparse
import enum
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

import programs

import membar
from membar.questions.task import Limits, Options, Unrolling
from membar.source import SourceFile

TABLES = Path(__file__).resolve().parents[3] / "shared" / "papers" / "tables.json"
LITERAL = ("bajczi-sc", "bajczi-tso", "bajczi-weak", "bajczi-weak-a9", "bajczi-nofence")
WEAK = "bajczi-fixed-weak"
FIRST_LIMIT = 0.25
_SOLVED = "solved of 180 Readers / 10 Loop / 20 Coherence, 600 s CPU, weak"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run: a program, a model and a mode."""

    group: str
    name: str
    text: str
    model: str = WEAK
    verify: bool = True
    filtered: bool = True
    unroll: int | None = None
    waits: bool = False  # whether waiting loops are recognised, which the thesis does not do

    @property
    def reductions_off(self) -> frozenset[str]:
        """What membar does beyond the thesis and leaves out here."""
        off = {"prune": self.filtered, "await": self.waits}
        return frozenset(name for name, is_on in off.items() if not is_on)

    @property
    def mode(self) -> str:
        """As the thesis names it."""
        return f"{'verify' if self.verify else 'generate'}, {'filtered' if self.filtered else 'unfiltered'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What came of a run."""

    group: str
    name: str
    model: str
    mode: str
    verdict: str
    executions: int
    states: int
    seconds: float
    cpu: float
    algorithm: str

    @property
    def ended(self) -> bool:
        """Whether there is an answer."""
        return self.verdict not in ("unknown", "not ended")


def measure(case: Case, seconds: float) -> Measurement:
    """Runs a case for so many seconds of CPU time.

    A verification is tried with growing limits, since a search goes on after a violation. Limits are of wall
    time: on a busy machine, where they leave less CPU time than that, a run is tried again with a larger one.
    """
    start, busy = time.perf_counter(), time.process_time()
    limit = FIRST_LIMIT if case.verify else seconds
    while True:
        began = time.process_time()
        result = membar.check(
            SourceFile(f"{case.name}.xcfa", case.text),
            model=case.model,
            properties=None if case.verify else (),
            limits=Limits(seconds=limit),
            options=Options(
                reductions_off=case.reductions_off,
                unrolling=Unrolling(exact=case.unroll, chosen_by_user=case.unroll is not None),
            ),
        )
        used = time.process_time() - began
        is_limited = result.outcome.run.guarantee.startswith("only")
        if not is_limited or result.verdict == "violated" or used >= 0.9 * seconds:
            break
        limit *= 4 if case.verify else min(1.2 * seconds / max(used, 0.1), 10)
    spent = time.perf_counter() - start
    run = result.outcome.run
    gave_up = is_limited and result.verdict != "violated"
    return Measurement(
        group=case.group,
        name=case.name,
        model=case.model,
        mode=case.mode,
        verdict="not ended" if gave_up else result.verdict,
        executions=run.statistics.executions or 0,
        states=len(run.outcomes),
        seconds=round(spent, 3),
        cpu=round((time.process_time() - busy) if case.verify else used, 3),
        algorithm=run.algorithm,
    )


def series(cases: Iterable[Case], seconds: float) -> Iterator[Measurement]:
    """The measurements of a group. Where one size did not end, larger ones of that mode are not tried."""
    beyond: set[tuple[str, str, str]] = set()
    for case in cases:
        kind = (case.group, case.model, case.mode)
        if kind in beyond:
            yield Measurement(
                group=case.group,
                name=case.name,
                model=case.model,
                mode=case.mode,
                verdict="not ended",
                executions=0,
                states=0,
                seconds=0.0,
                cpu=0.0,
                algorithm="not tried: a smaller one did not end",
            )
            continue
        found = measure(case, seconds)
        if not found.ended:
            beyond.add(kind)
        yield found


class Sizes(enum.Enum):
    """How many sizes of each program are run."""

    ALL = "all"
    FEW = "few"


# The groups


def litmus(_: Sizes) -> Iterator[Case]:
    """Section 6.1.3 under the five literal models, and under the mended ones."""
    for name, text in programs.litmus().items():
        for model in LITERAL:
            yield Case(group="litmus", name=name, text=text, model=model, verify=False)
        for model in LITERAL:
            fixed = model.replace("bajczi-", "bajczi-fixed-")
            yield Case(group="litmus", name=name, text=text, model=fixed, verify=False)


def readers(sizes: Sizes) -> Iterator[Case]:
    """180 variants, each verified; those of the relaxed pair generated too."""
    for count in range(1, 21, 5) if sizes is Sizes.FEW else range(1, 21):
        for read in programs.READ_ORDERINGS:
            for write in programs.WRITE_ORDERINGS:
                text = programs.readers(count, read, write, asserting=True)
                for filtered in (True, False):
                    name = f"readers({count}) {read}/{write}"
                    yield Case(group="readers", name=name, text=text, filtered=filtered)
        text = programs.readers(count, "relaxed", "relaxed", asserting=False)
        yield Case(group="readers", name=f"readers({count})", text=text, verify=False)


def loop(sizes: Sizes) -> Iterator[Case]:
    """Loops without end; the thesis's bound is on nodes, ours on turns of each loop."""
    for count in range(1, 11, 3) if sizes is Sizes.FEW else range(1, 11):
        for filtered in (True, False):
            text = programs.loop(count)
            yield Case(group="loop", name=f"loop({count})", text=text, unroll=2, filtered=filtered)


def coherence(sizes: Sizes) -> Iterator[Case]:
    """Generation up to 11, verification up to 20, with and without filtering."""
    for count in range(1, 21, 4) if sizes is Sizes.FEW else range(1, 21):
        for filtered in (True, False):
            text = programs.coherence(count, asserting=True)
            yield Case(group="coherence", name=f"coherence({count})", text=text, filtered=filtered)
            if count <= 11:
                text = programs.coherence(count, asserting=False)
                yield Case(
                    group="coherence", name=f"coherence({count})", text=text, verify=False, filtered=filtered
                )


def threads(sizes: Sizes) -> Iterator[Case]:
    """Horizontal scaling {M = 1}."""
    for count in (1, 8, 16, 24, 32) if sizes is Sizes.FEW else (*range(1, 21), 24, 28, 31, 32, 36, 40):
        text = programs.same_variable(count, writes=1, reads=1, asserting=True)
        yield Case(group="threads", name=f"T={count} M=1", text=text)
        if count <= 20:
            text = programs.same_variable(count, writes=1, reads=1, asserting=False)
            yield Case(group="threads", name=f"T={count} M=1", text=text, verify=False)


def length(_: Sizes) -> Iterator[Case]:
    """Vertical scaling {T = 7}: M writes, M reads, or both; see `same_variable` for the figure."""
    for group, writes_grow, reads_grow in (
        ("writes", True, False),
        ("reads", False, True),
        ("length", True, True),
    ):
        for count in range(1, 8):
            sizes = {"writes": count if writes_grow else 1, "reads": count if reads_grow else 1}
            for verify in (True, False):
                # Three writes and three reads have 20 ** 7 executions.
                if verify or group != "length" or count <= 2:
                    text = programs.same_variable(7, **sizes, asserting=verify)
                    yield Case(group=group, name=f"T=7 M={count}", text=text, verify=verify)


def variables(sizes: Sizes) -> Iterator[Case]:
    """Variable-based scaling."""
    for count in (1, 8, 16, 24, 34) if sizes is Sizes.FEW else (*range(1, 21), 24, 28, 34):
        text = programs.many_variables(count, asserting=True)
        yield Case(group="variables", name=f"N={count}", text=text)
        if count <= 20:
            text = programs.many_variables(count, asserting=False)
            yield Case(group="variables", name=f"N={count}", text=text, verify=False)


GROUPS: dict[str, Callable[[Sizes], Iterator[Case]]] = {
    "litmus": litmus,
    "readers": readers,
    "loop": loop,
    "coherence": coherence,
    "threads": threads,
    "length": length,
    "variables": variables,
}


def peterson(seconds: float) -> Iterator[Measurement]:
    """Section 6.4: deepening from 5 by 2 until a violation is found or the time is over."""
    for fences in (False, True):
        for model in ("sc", "bajczi-fixed-sc", "x86-tso", WEAK, "bajczi-sc", "bajczi-weak"):
            whole = Case(
                group="peterson",
                name=f"peterson{' with fences' if fences else ''}, waiting recognised",
                text=programs.peterson(fences=fences),
                model=model,
                waits=True,
            )
            yield measure(whole, seconds)
            left, bound = seconds, 5
            while left > 0:
                case = Case(
                    group="peterson",
                    name=f"peterson{' with fences' if fences else ''}, bound {bound}",
                    text=programs.peterson(fences=fences),
                    model=model,
                    unroll=bound,
                )
                found = measure(case, left)
                yield found
                left -= found.seconds
                bound += 2
                if found.verdict in ("violated", "not ended"):
                    break


def empty() -> Measurement:
    """Starting, reading an empty file, and ending: the whole command."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.xcfa"
        path.write_text("", encoding="utf-8")
        command = [str(Path(sys.executable).parent / "membar"), "check", str(path), "--json"]
        times: list[float] = []
        answer = ""
        for _ in range(5):
            start = time.perf_counter()
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            times.append(time.perf_counter() - start)
    data = json.loads(answer)
    return Measurement(
        group="empty",
        name="empty",
        model=data["model"],
        mode="verify, filtered",
        verdict=data["verdict"],
        executions=1,
        states=1,
        seconds=round(sorted(times)[2], 3),
        cpu=0.0,
        algorithm=data["algorithm"],
    )


def workers(numbers: Sequence[int], seconds: float) -> Iterator[str]:
    """Figure 6.10: one suite of small cases by several worker processes."""
    cases = [case for group in (litmus, loop) for case in group(Sizes.ALL)]
    cases += [case for group in (readers, coherence) for case in group(Sizes.FEW)]
    for number in numbers:
        start = time.perf_counter()
        with ProcessPoolExecutor(number, mp_context=get_context("spawn")) as pool:
            found = list(pool.map(measure, cases, [seconds] * len(cases)))
        spent = time.perf_counter() - start
        ended = sum(item.ended for item in found)
        yield f"workers {number}: {ended} of {len(cases)} runs ended, {spent:.1f} s in all"


# Output


def line(item: Measurement) -> str:
    """One measurement, one line."""
    return (
        f"{item.group:10} {item.name:34} {item.model:22} {item.mode:22} {item.verdict:13} "
        f"{item.executions:9} executions {item.states:7} states {item.seconds:9.3f} s, "
        f"{item.cpu:8.3f} s of CPU time; {item.algorithm}"
    )


def summary(found: Sequence[Measurement], seconds: float) -> Iterator[str]:
    """Our numbers beside the thesis's."""
    paper = _paper()

    def solved(group: str, mode: str) -> str:
        rows = [item for item in found if item.group == group and item.mode == mode]
        return f"{sum(item.ended for item in rows)} of {len(rows)}" if rows else "not run"

    def largest(group: str, mode: str) -> str:
        rows = [item for item in found if item.group == group and item.mode == mode and item.ended]
        return rows[-1].name if rows else "none"

    yield f"{'experiment':52} {'membar, ' + format(seconds, 'g') + ' s':>22}   thesis, 600 s"
    for group, index in (("readers", 0), ("loop", 1), ("coherence", 2)):
        for mode, key in (("verify, filtered", "tool_insitu"), ("verify, unfiltered", "tool")):
            numbers = paper.get(_SOLVED, {}).get(key)
            theirs = numbers[index] if isinstance(numbers, list) else "?"
            yield f"{group + ' solved (' + mode + ')':52} {solved(group, mode):>22}   {theirs}"
    for group, what in (
        ("threads", "horizontal scaling {M=1}: threads handled within 600 s"),
        ("variables", "variable scaling: N handled within 600 s"),
        ("writes", "vertical scaling {T=7}: instructions per thread before time-out"),
        ("reads", "vertical scaling {T=7}: instructions per thread before time-out"),
        ("length", "vertical scaling {T=7}: instructions per thread before time-out"),
    ):
        for mode in ("verify, filtered", "generate, filtered"):
            theirs = paper.get(what, {}).get("tool", "?")
            yield f"{group + ', largest (' + mode + ')':52} {largest(group, mode):>22}   {theirs}"
    times = [item.seconds for item in found if item.group == "empty"]
    if times:
        what = "empty input, seconds"
        yield f"{what:52} {times[0]:>22}   {paper.get(what, {}).get('tool', '?')}"
    alone = [item for item in found if item.group == "peterson" and "fences" not in item.name and item.ended]
    for model, what in (
        ("sc", "Peterson, sc: holds up to bound within 600 s"),
        (WEAK, "Peterson, weak: violated from bound"),
    ):
        rows = [item for item in alone if item.model == model]
        if rows:
            ours = f"{rows[-1].verdict} at {rows[-1].name.split('bound ')[1]}"
            yield f"{what:52} {ours:>22}   {paper.get(what, {}).get('tool', '?')}"


def _paper() -> dict[str, dict[str, object]]:
    if not TABLES.is_file():
        return {}
    tables = json.loads(TABLES.read_text(encoding="utf-8"))["tables"]
    (table,) = [item for item in tables if item["source"] == "bajczi-stateless-mcm.txt"]
    return {row["what"]: row for row in table["rows"]}


def main() -> int:
    """Runs the groups that were named."""
    known = [*GROUPS, "empty", "peterson", "workers"]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(known))
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU time of each run (default: 60)")
    parser.add_argument("--workers", default="1,2", help="worker processes to compare (default: 1,2)")
    parser.add_argument("--quick", action="store_true", help="fewer sizes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements")
    chosen = parser.parse_args()
    groups = chosen.groups or known
    unknown = [name for name in groups if name not in known]
    if unknown:
        parser.error(f"unknown group {unknown[0]}; known: {', '.join(known)}")
    found: list[Measurement] = []

    def take(item: Measurement) -> None:
        found.append(item)
        print(line(item), flush=True)

    for name in groups:
        if name in GROUPS:
            for item in series(GROUPS[name](Sizes.FEW if chosen.quick else Sizes.ALL), chosen.seconds):
                take(item)
    if "empty" in groups:
        take(empty())
    if "peterson" in groups:
        for item in peterson(chosen.seconds):
            take(item)
    print()
    print("\n".join(summary(found, chosen.seconds)))
    if "workers" in groups:
        for text in workers([int(number) for number in chosen.workers.split(",")], min(chosen.seconds, 5.0)):
            print(text, flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(item) for item in found], indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
