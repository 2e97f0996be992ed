"""The searches that `run.py` measures: a case prepares a program and returns a function that searches it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from body import C11, X86
from linden.programs import table_two
from parametric import PROGRAMS

import membar
from membar import _core
from membar.engines import graphs
from membar.engines.buffers.question import encode_task
from membar.engines.cubes.encoding import form_of
from membar.engines.states import explore
from membar.engines.states.encoding import Kept
from membar.languages.cubicle.elaborate import parse
from membar.models.monotone import watches_under
from membar.program.awaits import NO_WATCHES
from membar.program.encoding import encode_program
from membar.program.expand import expand
from membar.questions.programs import parse as parse_program
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile

BENCHMARKS = Path(__file__).resolve().parents[1]
Search = Callable[[], list[int]]
BOUND = 20
OF_C11 = {"rc11", "ra"}


def states(file: str, model: str, *, reduced: bool = False) -> Search:
    """The first states of a program, with buffers of two entries."""
    program = parse_program(SourceFile.read(BENCHMARKS / "states" / file))
    options = Options(buffers=2, buffers_chosen_by_user=True, stops_early=False)
    task = Task(
        program=program,
        model=membar.load_model(model),
        properties=("deadlock",),
        options=options,
        limits=Limits(states=200_000),
    )

    def search() -> list[int]:
        found = explore(task, kept=Kept.DECLARED, reduced=reduced).statistics
        return [found.states or 0, found.transitions or 0]

    return search


def graph(program: str, size: int, model: str, method: str) -> Search:
    """The executions of a parametric program."""
    loaded = membar.load_model(model)
    if loaded.plan is None:
        raise ValueError(f"{model} has no axioms")
    plan, compiled = graphs.compile_for_core(loaded.plan)
    built = expand(PROGRAMS[program](size, C11 if model in OF_C11 else X86))
    watched = watches_under(loaded, built, (), bound=BOUND) if method != "classes" else NO_WATCHES
    form = encode_program(built, plan.tags, (), watched).form

    def search() -> list[int]:
        match method:
            case "once":
                found = compiled.search_exactly_once(form, bound=BOUND, in_place=True)
            case "classes":
                found = compiled.search_classes(form, bound=BOUND)
            case _:
                found = compiled.search(form, bound=BOUND)
        return [found.executions, found.blocked, found.explored]

    return search


def buffers(procedure: str) -> Search:
    """Unbounded store buffers: the second table of Linden and Wolper."""
    questions = [
        encode_task(Task(program=program, model=membar.load_model("x86-tso"), properties=("errors",))).core
        for program in table_two()
    ]

    def search() -> list[int]:
        match procedure:
            case "forward":
                found = [question.forward() for question in questions]
            case "backward":
                found = [question.backward() for question in questions[::4]]
            case _:
                found = [question.bounded(bound=10) for question in questions]
        return [number for item in found for number in (item.stored, item.visited, item.transitions)]

    return search


def cubes(name: str) -> Search:
    """A parameterized system, backwards from its bad states."""
    system = _core.CubeSystem(form_of(parse(SourceFile.read(BENCHMARKS / "core" / name))))

    def search() -> list[int]:
        found = system.search(nodes=300)
        return [found.nodes, found.made, found.covered]

    return search


CASES: dict[str, Callable[[], Search]] = {
    "states/ring.dve.sc": lambda: states("ring.dve", "sc"),
    "states/ring.pml.sc": lambda: states("ring.pml", "sc"),
    "states/peterson.dve.tso": lambda: states("peterson.dve", "x86-tso"),
    "states/lamport.pml.tso": lambda: states("lamport.pml", "x86-tso"),
    "states/philosophers.dve.pso": lambda: states("philosophers.dve", "pso"),
    "states/peterson.dve.reduced": lambda: states("peterson.dve", "x86-tso", reduced=True),
    "graphs/big0.rc11": lambda: graph("big0", 3, "rc11", "once"),
    "graphs/fib.tso": lambda: graph("fib", 4, "x86-tso", "once"),
    "graphs/msqueue.rc11": lambda: graph("msqueue", 3, "rc11", "once"),
    "graphs/szymanski.rc11": lambda: graph("szymanski", 2, "rc11", "once"),
    "graphs/storeload.rc11.classes": lambda: graph("storeload", 6, "rc11", "classes"),
    "graphs/ainc.tso.general": lambda: graph("ainc", 6, "x86-tso", "general"),
    "graphs/lastzero.sc.general": lambda: graph("lastzero", 7, "sc", "general"),
    "graphs/ttas.rc11.general": lambda: graph("ttas", 3, "rc11", "general"),
    "buffers/linden.forward": lambda: buffers("forward"),
    "buffers/linden.backward": lambda: buffers("backward"),
    "buffers/linden.bounded": lambda: buffers("bounded"),
    "cubes/directory": lambda: cubes("directory.cub"),
}
