"""Programs that cannot buffer loads: the exactly-once search is right for them, whatever the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from differential.comparisons import shipped
from differential.searches import BOUND, difference, features_of, general
from membar import api
from membar.diagnostics import EngineLimitError
from membar.engines import _exploration
from membar.frontends.program import FRONTEND
from membar.models import buffering, load
from membar.models.buffering import keeps_loads_before_stores
from membar.models.model import EXACTLY_ONCE, GENERAL, Model
from membar.program import paths
from membar.program.atomicity import require_single_accesses
from membar.program.expand import expand
from membar.program.printer import print_program
from membar.program.program import Program
from membar.source import SourceFile
from membar.task import Task
from strategies.programs import sample
from strategies.selects import select_program_of_seed
from strategies.wider import wide_sample

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

MODELS = tuple(name for name in load.names() if api.load_model(name).load_buffering)


def mixed(count: int, model: str) -> Iterator[Program]:
    features = features_of(model)
    yield from sample(count, features)
    yield from sample(count, replace(features, exclusives=True))
    yield from wide_sample(count, features, first=count)
    yield from (select_program_of_seed(seed, features) for seed in range(count))


def judged(program: Program, model: Model) -> tuple[bool, str]:
    """Whether the program is said not to buffer loads, and what is wrong with the exactly-once search."""
    try:
        expanded = expand(program)
        require_single_accesses(expanded)
        expected = general(program, model)
    except (EngineLimitError, OverflowError):
        return False, ""
    is_kept = keeps_loads_before_stores(expanded, model, bound=BOUND)
    wrong = difference(program, model, expected, None)
    return is_kept, "" if "started more than once" in wrong else wrong


def test_these_models_say_what_they_keep() -> None:
    assert set(MODELS) >= {"imm", "armv8", "riscv", "power", "armv7", "lkmm"}


@pytest.mark.parametrize("name", MODELS)
def test_the_exactly_once_search_is_right_for_programs_that_cannot_buffer_loads(name: str) -> None:
    accepted = refused = buffered = 0
    for program in mixed(60, name):
        is_kept, wrong = judged(program, shipped(name))
        assert not (is_kept and wrong), f"{name}: {wrong}\n{print_program(program)}"
        accepted += is_kept
        refused += not is_kept
        buffered += bool(wrong)
    # Both answers occur, and some of the refused programs have executions that the search cannot build.
    assert accepted > 20
    assert refused >= buffered > 0


Paths = Callable[..., Iterator[paths.Path]]


def _first_path_only(original: Paths) -> Paths:
    def wrong(*args: object, **options: object) -> Iterator[paths.Path]:
        return iter(list(original(*args, **options))[:1])

    return wrong


def _all_depends_by_data(original: Paths) -> Paths:
    def wrong(*args: object, **options: object) -> Iterator[paths.Path]:
        for path in original(*args, **options):
            yield replace(path, data=frozenset(path.execution.po))

    return wrong


def _all_depends_by_control(original: Paths) -> Paths:
    def wrong(*args: object, **options: object) -> Iterator[paths.Path]:
        for path in original(*args, **options):
            yield replace(path, ctrl=frozenset(path.execution.po))

    return wrong


def _up_to(last: int, pairs: paths.Pairs) -> paths.Pairs:
    return frozenset(pair for pair in pairs if pair[1] <= last)


def _without_writes_behind(original: Paths) -> Paths:
    """Leaves out what comes behind the first write."""

    def wrong(*args: object, **options: object) -> Iterator[paths.Path]:
        for path in original(*args, **options):
            first = next((e.id for e in path.events if e.kind.value == "W"), len(path.events))
            yield replace(
                path,
                events=path.events[: first + 1],
                addr=_up_to(first, path.addr),
                data=_up_to(first, path.data),
                ctrl=_up_to(first, path.ctrl),
                amo=_up_to(first, path.amo),
                lxsx=_up_to(first, path.lxsx),
            )

    return wrong


def _one_location(original: Paths) -> Paths:
    def wrong(*args: object, **options: object) -> Iterator[paths.Path]:
        for path in original(*args, **options):
            events = (replace(e, cell=None if e.cell is None else 0) for e in path.events)
            yield replace(path, events=tuple(events))

    return wrong


MISTAKES = {
    "only the first path": _first_path_only,
    "everything depends by data": _all_depends_by_data,
    "everything depends by control": _all_depends_by_control,
    "only up to the first write": _without_writes_behind,
    "all addresses are one": _one_location,
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_seeded_mistake_is_seen(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffering, "paths", MISTAKES[mistake](paths.paths))
    model = shipped("armv8")
    assert any(is_kept and wrong for is_kept, wrong in (judged(p, model) for p in mixed(400, "armv8")))


LOCKED = """program p
memory l : i32
memory x : i32
{threads}
"""
TAKES = """thread {name} {{
  0 -> 1: r := rmw [&l] := 1 if r == 0 read {{A, X}} write {{X}}
  1 -> 2: assume r == 0
  2 -> 3: a := load [&x]
  3 -> 4: store [&x] := 1
  4 -> 5: store [&l] := 0{release}
}}
"""


@pytest.mark.parametrize(("release", "search"), [(" {L}", EXACTLY_ONCE), ("", GENERAL)])
def test_the_engine_chooses_by_program(release: str, search: str) -> None:
    threads = "".join(TAKES.format(name=name, release=release) for name in ("P", "Q"))
    program = FRONTEND.parse(SourceFile("p.mbp", LOCKED.format(threads=threads)))
    task = Task(program=program, model=shipped("armv8"), properties=("assertions",))
    assert _exploration.careful_exploration(task, program) == search
