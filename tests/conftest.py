"""What all tests share: reproducible random tests, and the corpus beside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples every time, on every machine: a red test stays red until somebody mends it.
settings.register_profile(
    "membar",
    derandomize=True,
    deadline=None,
    print_blob=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("membar")

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes the transcripts of `tests/golden` anew."""
    parser.addoption("--update-golden", action="store_true", default=False)


def corpus_path() -> Path:
    """The folder of other tools' answers; skips the test where it is not beside the repository."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus ../shared/corpus is not beside the repository: nothing to compare with")
    return CORPUS


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of other tools' answers, or a skip that says so."""
    return corpus_path()
