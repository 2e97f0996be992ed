"""Runs mutants of some modules against some tests, in one pytest session, and reports who survives.

    python -m mutants.session MODULE… [--tests PATH…] [--sample N] [--seed N] [--seconds N]

The tests run once without a change, which tells how long each takes and which functions it calls. Then each
mutant gets a forked process, in which the tests that call its function run, the quickest first, until one
fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FrameType, ModuleType

import pytest

from mutants.mutator import Mutant, function_at, install, mutants

KILLED, SURVIVED, UNCALLED, ENDLESS = "killed", "survived", "not called", "out of time"
_FAILED, _PASSED = 1, 0


@dataclass(slots=True)
class Results:
    """What became of each mutant."""

    fates: dict[Mutant, str] = field(default_factory=dict)
    problem: str | None = None

    def lines(self) -> Iterator[str]:
        """The survivors, one a line, and the counts."""
        for mutant, fate in self.fates.items():
            if fate in {SURVIVED, UNCALLED}:
                yield f"{fate}: {mutant.name}"
        counts = Counter(self.fates.values())
        yield ", ".join(f"{counts[fate]} {fate}" for fate in (KILLED, ENDLESS, SURVIVED, UNCALLED))


@dataclass(frozen=True, slots=True)
class _Call:
    """A test that calls a function, and how long it takes."""

    seconds: float
    test: int


class Campaign:
    """A pytest plug-in that runs the collected tests once per mutant."""

    def __init__(self, modules: Sequence[str], *, sample: int, seed: int, seconds: float) -> None:
        self.modules = modules
        self.results = Results()
        self._sample, self._seed, self._seconds = sample, seed, seconds

    @pytest.hookimpl
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Takes the place of pytest's own loop."""
        if session.testsfailed:
            self.results.problem = "the tests cannot be collected"
            return True
        modules = {module.__name__: module for name in self.modules for module in modules_in(name)}
        calls = _calls(session, modules.values())
        if calls is None:
            self.results.problem = "a test fails without any change"
            return True
        for mutant in self._chosen(modules):
            called = sorted(calls.get((mutant.module, mutant.function), ()), key=lambda one: one.seconds)
            tests = [session.items[one.test] for one in called]
            usual = sum(one.seconds for one in called)
            self.results.fates[mutant] = (
                _fate(session, tests, modules[mutant.module], mutant, self._seconds + 5 * usual)
                if tests
                else UNCALLED
            )
        return True

    def _chosen(self, modules: dict[str, ModuleType]) -> list[Mutant]:
        """A sample of the mutants that can be put in, in the order of the text."""
        found = [
            mutant
            for name, module in modules.items()
            for mutant in mutants(name, Path(str(module.__file__)).read_text(encoding="utf-8"))
            if function_at(module, mutant.function) is not None
        ]
        if not self._sample or len(found) <= self._sample:
            return found
        dice = random.Random(self._seed)
        return sorted(dice.sample(found, self._sample), key=found.index)


def modules_in(name: str) -> list[ModuleType]:
    """A module, or all modules of a package."""
    found = [import_module(name)]
    if hasattr(found[0], "__path__"):
        names = sorted(item.name for item in walk_packages(found[0].__path__, f"{name}."))
        found += [import_module(inner) for inner in names if not inner.endswith("._core")]
    return [module for module in found if str(module.__file__).endswith(".py")]


def _calls(
    session: pytest.Session, modules: Iterable[ModuleType]
) -> dict[tuple[str, str], list[_Call]] | None:
    """Which tests call which functions, found by running all once; None if one fails."""
    files = {str(module.__file__): module.__name__ for module in modules}
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        found, failed = _run_profiled(session, files)
        with os.fdopen(write, "w", encoding="utf-8") as out:
            json.dump({"failed": failed, "calls": found}, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as told:
        answer = json.loads(told.read() or '{"failed": true, "calls": []}')
    os.waitpid(child, 0)
    if answer["failed"]:
        return None
    calls: dict[tuple[str, str], list[_Call]] = {}
    for test, seconds, called in answer["calls"]:
        for module, function in called:
            calls.setdefault((module, function), []).append(_Call(seconds, test))
    return calls


def _run_profiled(
    session: pytest.Session, files: dict[str, str]
) -> tuple[list[tuple[int, float, list[tuple[str, str]]]], bool]:
    """Each test with its time and the functions of `files` that it calls; whether one failed."""
    found = []
    for number, item in enumerate(session.items):
        codes: set[CodeType] = set()

        def note(frame: FrameType, event: str, _: object, codes: set[CodeType] = codes) -> None:
            if event == "call":
                codes.add(frame.f_code)

        begin = time.perf_counter()
        sys.setprofile(note)
        _run(item)
        sys.setprofile(None)
        called = sorted(
            {(files[code.co_filename], _outer(code)) for code in codes if code.co_filename in files}
        )
        found.append((number, time.perf_counter() - begin, called))
        if session.testsfailed:
            return found, True
    return found, False


def _outer(code: CodeType) -> str:
    """The function of a module or method of a class in which code stands."""
    return code.co_qualname.split(".<locals>")[0]


def _run(item: pytest.Item) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def _fate(
    session: pytest.Session, tests: Sequence[pytest.Item], module: ModuleType, mutant: Mutant, seconds: float
) -> str:
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        _run_mutant(session, tests, module, mutant)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return SURVIVED if os.waitstatus_to_exitcode(status) == _PASSED else KILLED
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ENDLESS


def _run_mutant(
    session: pytest.Session, tests: Sequence[pytest.Item], module: ModuleType, mutant: Mutant
) -> None:
    """Ends the process: with 0 if all tests pass."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    try:
        install(module, mutant)
        for test in tests:
            _run(test)
            if session.testsfailed:
                os._exit(_FAILED)
    except BaseException:
        os._exit(_FAILED)
    os._exit(_PASSED)


def run(
    modules: Sequence[str], tests: Sequence[str], *, sample: int = 0, seed: int = 0, seconds: float = 20
) -> Results:
    """Runs mutants of modules against tests."""
    campaign = Campaign(modules, sample=sample, seed=seed, seconds=seconds)
    options = [
        "-q",
        "--no-header",
        "--no-summary",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:timeout",
    ]
    pytest.main([*options, *tests], plugins=[campaign])
    if not campaign.results.fates and campaign.results.problem is None:
        campaign.results.problem = "there is nothing to change, or no test"
    return campaign.results


def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="mutation testing of membar's Python")
    parser.add_argument("modules", nargs="+", help="modules or packages to change")
    parser.add_argument("--tests", nargs="+", required=True, help="tests that should notice")
    parser.add_argument("--sample", type=int, default=0, help="how many mutants; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seconds", type=float, default=20, help="for a mutant, beside five times the usual time"
    )
    chosen = parser.parse_args(words)
    results = run(
        chosen.modules, chosen.tests, sample=chosen.sample, seed=chosen.seed, seconds=chosen.seconds
    )
    if results.problem is not None:
        print(f"no mutants were run: {results.problem}")  # noqa: T201 - a command
        return 2
    print("\n".join(results.lines()))  # noqa: T201 - a command
    return 0


if __name__ == "__main__":
    sys.exit(main())
