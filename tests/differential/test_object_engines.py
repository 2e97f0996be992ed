"""Clients of random objects: execution graphs and states of store-buffer machines agree."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import membar
import tiers
from differential.object_engines import disagreement, random_object
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.objects.client import Size
from membar.objects.orders import Ordering
from membar.questions.outcome import HoldsWithin, Unknown
from membar.questions.task import Limits
from membar.source import SourceFile

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = Size(2, 1)
WAITING = 52  # the seed of an object with a call that never returns
WEAK = 100  # the seed of an object that is right under sc, and wrong under cam


@pytest.mark.parametrize("first", tiers.first(1, range(0, 36, 12)))
def test_engines_agree(first: int) -> None:
    found = [why for seed in range(first, first + 12) if (why := disagreement(seed)) is not None]
    assert not found, found[0]


def test_engines_agree_about_a_call_that_never_returns() -> None:
    assert disagreement(WAITING) is None


@pytest.mark.parametrize("seed", tiers.first(2, range(100, 106)))
def test_cam_lies_between_sc_and_tso(seed: int) -> None:
    source = SourceFile("o.obj", random_object(Random(seed)))
    verdicts = [
        membar.check(source, client=Size(2, 2), model=model).verdict for model in ("sc", "cam", "x86-tso")
    ]
    broken = [verdict == "violated" for verdict in verdicts]
    assert broken == sorted(broken)
    assert "unknown" not in verdicts


@pytest.mark.parametrize(
    ("model", "verdict"),
    [("sc", "holds-within"), ("x86-tso", "holds-within"), ("pso", "violated"), ("cam", "holds-within")],
)
def test_c_objects_have_clients_on_store_buffers(model: str, verdict: str) -> None:
    found = membar.check(
        EXAMPLES / "c/objects/seqlock.c", client=SMALL, model=model, engine="states", defines=["NO_FENCES"]
    )
    assert found.verdict == verdict
    assert found.outcome.run.statistics.states


def test_the_bound_of_the_buffers_is_told() -> None:
    outcome = membar.check(EXAMPLES / "objects/seqlock.obj", client=SMALL, model="cam").outcome
    assert isinstance(outcome, HoldsWithin)
    assert "store buffers of at most 1 entry" in outcome.bound
    assert not outcome.chosen_by_user


def test_a_limit_of_states_gives_no_answer() -> None:
    outcome = membar.check(
        EXAMPLES / "objects/seqlock.obj", client=SMALL, model="cam", limits=Limits(states=5)
    ).outcome
    assert isinstance(outcome, Unknown)


def test_there_is_no_clock_beside_store_buffers() -> None:
    with pytest.raises(InputError) as problem:
        membar.check(
            EXAMPLES / "objects/seqlock.obj",
            client=SMALL,
            model="x86-tso",
            engine="states",
            order=Ordering.REAL_TIME,
        )
    assert problem.value.diagnostics[0].code == "W1352"


def test_runs_of_store_buffers_are_shown_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sb.obj"
    file.write_text(random_object(Random(WEAK)))
    words = ["check", str(file), "--client", "2,2", "--model", "cam"]
    assert cli.main(words) == 1
    assert "flush " in capsys.readouterr().out
    assert cli.main([*words, "--json"]) == 1
    (tmp_path / "w.json").write_text(capsys.readouterr().out)
    assert cli.main(["replay", str(tmp_path / "w.json")]) == 0
    assert cli.main(["check", str(file), "--client", "2,2", "--model", "sc", "--engine", "states"]) == 0
