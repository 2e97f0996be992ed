"""What all tests share: reproducible random tests, and the corpus beside the repository."""

from __future__ import annotations

import gc
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import tiers

# The same examples every time, on every machine: a red test stays red until somebody mends it. A test without
# a number of its own gets fewer of them in `make test` than in `make test-all`.
for profile, examples in (("quick", 6), ("full", 150)):
    settings.register_profile(
        profile,
        max_examples=examples,
        derandomize=True,
        deadline=None,
        print_blob=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )

# Some tests interrupt what they have started, also where the tests themselves ignore interrupts (`nohup make
# test &`): a signal that is ignored here would be ignored by every command that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes the transcripts of `tests/golden` anew; `--full` runs everything."""
    parser.addoption("--update-golden", action="store_true", default=False)
    parser.addoption("--full", action="store_true", default=False, help="also run tests marked `full`")


def pytest_configure(config: pytest.Config) -> None:
    """How many random examples a test gets."""
    tiers.IS_FULL = config.getoption("--full")
    settings.load_profile("full" if tiers.IS_FULL else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is marked `full`, unless `--full` is given."""
    if config.getoption("--full"):
        return
    left_out = {item for item in items if item.get_closest_marker("full")}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Looks for garbage as rarely as the command line does, and never among ten thousand tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)


def corpus_path() -> Path:
    """The folder of other tools' answers; skips the test where it is not beside the repository."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not beside the repository: nothing to compare with")
    return CORPUS


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of other tools' answers, or a skip that says so."""
    return corpus_path()
