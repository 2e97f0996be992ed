"""Random DVE texts: the front end, with the Python machine and with `states`, against an interpreter."""

from __future__ import annotations

import pytest

import membar
import tiers
from differential.dve import Counted, Interpreter
from membar.languages.dve.translate import with_legacy_errors
from membar.questions.outcome import Explored, Violated
from membar.questions.task import Options
from membar.records import replace
from membar.source import SourceFile
from strategies.dve import DveTexts

SMALL = 400  # states that the Python machine still visits quickly
OPTIONS = Options(
    buffers=1, buffers_chosen_by_user=True, stops_early=False, reductions_off=frozenset({"por"})
)


def counted(text: str, engine: str) -> Counted:
    """What an engine finds; whether it is an assertion or an error state that fails is one question here."""
    source = SourceFile("test.dve", text)
    options = OPTIONS if engine == "states" else replace(OPTIONS, reductions_off=frozenset())
    whole = membar.check(source, model="sc", engine=engine, properties=(), options=options).outcome
    assert isinstance(whole, Explored)
    statistics = whole.run.statistics
    names = ("assertions", "memory", *(("errors",) if "\nerror " in text else ()))
    answer = membar.check(source, model="sc", engine=engine, properties=names, options=options).outcome
    fails = isinstance(answer, Violated) and answer.property in names
    return Counted(statistics.states or 0, statistics.transitions or 0, int(fails), 0)


def expected(text: str, *, legacy: bool = False) -> Counted | None:
    known = Interpreter(text).count(legacy=legacy, limit=4000)
    if known is None:
        return None
    fails = known.errors > 0 or (known.failures > 0 and not legacy)
    return Counted(known.states, known.edges, int(fails), 0)


def agree(seed: int, *, engines: tuple[str, ...] = ("states", "reference")) -> Counted | None:
    """What both sides say of the text of a seed; None where it is too large."""
    text = DveTexts(seed).text()
    known = expected(text)
    if known is None:
        return None
    for engine in engines:
        if engine == "states" or known.states <= SMALL:
            assert counted(text, engine) == known, f"seed {seed}\n{text}"
    if "channel" not in text and "commit" not in text and "sync" not in text:
        legacy = expected(text, legacy=True)
        assert legacy is None or counted(with_legacy_errors(text), "states") == legacy, f"seed {seed}\n{text}"
    return known


@pytest.mark.parametrize("first", tiers.first(1, range(0, 150, 30)))
def test_random_texts(first: int) -> None:
    found = [known for known in map(agree, range(first, first + 30)) if known is not None]
    assert sum(known.states > 10 for known in found) > 8
    assert any(known.failures for known in found)
    assert not all(known.failures for known in found)
