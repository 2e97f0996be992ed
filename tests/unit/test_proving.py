"""What is said about systems for any number of processes was confirmed by somebody else first."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import z3

import membar
from differential.test_known_systems import system_of
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.engines import SystemEngine
from membar.engines.instances.search import explore, machine
from membar.questions import engine_answer
from membar.questions import system as systems
from membar.questions.outcome import Holds, HoldsWithin, Outcome, Run, Unknown, Violated
from membar.questions.task import Limits, Options, SystemTask
from membar.systems.run import ProcessRun
from strategies.known_systems import SYSTEMS
from strategies.naive_cubes import search

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TEXTS = {known.name: known for known in SYSTEMS}


def task(name: str, *, instances: tuple[int, ...] = (), limits: Limits | None = None) -> SystemTask:
    system = system_of(TEXTS[name])
    model = membar.load_model("x86-tso" if system.is_weak else "sc")
    options = Options(instances=instances)
    return SystemTask(system=system, model=model, limits=limits or Limits(), options=options)


def saying(outcome: Callable[[SystemTask], Outcome]) -> SystemEngine:
    can = systems.load_system_engine("cubes").can
    return SystemEngine(name="says", title="says what it is told to", can=can, run=outcome)


def run_of(question: SystemTask) -> Run:
    return Run(
        model=question.model.name, engine="says", algorithm="none", guarantee="any number of processes"
    )


def proved(question: SystemTask) -> Outcome:
    return Holds(run_of(question), proof=tuple(search(question.system)[1]))


def broken(question: SystemTask, change: Callable[[ProcessRun], ProcessRun] = lambda run: run) -> Outcome:
    found = explore(machine(question.system, 2, buffered=question.system.is_weak)).run
    assert found is not None
    return Violated(run_of(question), "unsafe", processes=change(found))


def test_a_proof_is_confirmed() -> None:
    outcome = systems.confirmed_outcome(task("lock"), saying(proved))
    assert isinstance(outcome, Holds)
    assert "confirmed by z3" in outcome.run.notes[0]


def test_a_proof_that_is_none_is_unknown() -> None:
    outcome = systems.confirmed_outcome(task("lock"), saying(lambda question: Holds(run_of(question))))
    assert isinstance(outcome, Unknown)
    assert "not confirmed" in outcome.reason
    assert outcome.run.guarantee == "none"


def test_a_proof_that_cannot_be_checked_in_time_is_unknown() -> None:
    outcome = systems.confirmed_outcome(task("lock", limits=Limits(seconds=0.0)), saying(proved))
    assert isinstance(outcome, Unknown)
    assert "time" in outcome.reason
    assert outcome.run.guarantee == "none"


def test_a_run_is_replayed() -> None:
    assert isinstance(systems.confirmed_outcome(task("flags"), saying(broken)), Violated)


def test_a_run_that_does_not_replay_is_unknown() -> None:
    def shorter(question: SystemTask) -> Outcome:
        return broken(question, lambda run: replace(run, steps=run.steps[1:]))

    outcome = systems.confirmed_outcome(task("flags"), saying(shorter))
    assert isinstance(outcome, Unknown)
    assert "does not replay" in outcome.reason
    assert outcome.run.guarantee == "none"


def test_an_instance_that_disagrees_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "_certify", lambda outcome, *_: outcome)
    outcome = systems.confirmed_outcome(
        task("flags", instances=(2,)), saying(lambda question: Holds(run_of(question)))
    )
    assert isinstance(outcome, Unknown)
    assert "internal error" in outcome.reason
    assert outcome.run.guarantee == "none"


def test_instances_that_agree_are_noted() -> None:
    outcome = systems.confirmed_outcome(task("lock", instances=(2, 3)), saying(proved))
    assert isinstance(outcome, Holds)
    assert [note[:18] for note in outcome.run.notes[1:]] == ["2 processes: safe,", "3 processes: safe,"]
    other = systems.confirmed_outcome(task("flags", instances=(2,)), saying(broken))
    assert isinstance(other, Violated)
    assert "an unsafe state is reached" in other.run.notes[0]


def test_instances_are_compared_only_up_to_a_number_of_states_and_say_so() -> None:
    outcome = systems.confirmed_outcome(task("lock", instances=(3,)), saying(proved), most_states=3)
    assert isinstance(outcome, Holds)
    assert "3 processes: not answered, more than 3 states" in outcome.run.notes[-1]


def test_instances_alone_hold_within() -> None:
    result = membar.prove(
        EXAMPLES / "cubicle/spinlock.cub", engine="instances", options=Options(instances=(2,))
    )
    assert isinstance(result.outcome, HoldsWithin)
    assert result.outcome.bound == "all runs of 2 processes"


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda: membar.prove(EXAMPLES / "litmus/store-buffering.litmus"), "W0431"),
        (lambda: engine_answer.load_engine("instances"), "W0407"),
        (lambda: systems.load_system_engine("graphs"), "W0407"),
        (lambda: systems.load_system_engine("cubs"), "W0401"),
        (
            lambda: systems.certificate_text(
                membar.prove(EXAMPLES / "cubicle/flags.cub", engine="instances")
            ),
            "W0409",
        ),
    ],
)
def test_programs_are_no_systems(ask: Callable[[], object], code: str) -> None:
    with pytest.raises(InputError) as caught:
        ask()
    assert caught.value.diagnostics[0].code == code


def test_check_answers_about_every_language() -> None:
    found = membar.check(EXAMPLES / "cubicle/flags.cub", engine="instances")
    assert found.verdict == "violated"
    assert found.evidence is found.processes is not None
    assert found._repr_svg_() is None
    assert "unsafe" in found._repr_html_()
    assert len(repr(found)) < 200


def test_a_saved_run_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(EXAMPLES / "cubicle/flags.cub"), "--engine", "instances", "--json"]) == 1
    text = capsys.readouterr().out
    saved = tmp_path / "run.json"
    saved.write_text(text, encoding="utf-8")
    assert cli.main(["replay", str(saved)]) == 0
    assert "replays under x86-tso: VIOLATED" in capsys.readouterr().out
    answer = json.loads(text)
    answer["witness"]["steps"][2]["reads"] = [["Flag[2]", "True"]]
    saved.write_text(json.dumps(answer), encoding="utf-8")
    assert cli.main(["replay", str(saved)]) == 1
    assert "does not replay" in capsys.readouterr().out
    answer["witness"]["processes"] = "two"
    saved.write_text(json.dumps(answer), encoding="utf-8")
    assert cli.main(["replay", str(saved)]) == 2


def test_a_certificate_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = TEXTS["lock"]
    monkeypatch.setattr(systems, "confirmed_outcome", lambda *_, **__: proved(task("lock")))
    target = tmp_path / "proof.smt2"
    file = tmp_path / "lock.cub"
    file.write_text(known.text, encoding="utf-8")
    assert cli.main(["check", str(file), "--certificate", str(target)]) == 0
    context = z3.Context()
    answers = z3.Z3_eval_smtlib2_string(context.ref(), target.read_text(encoding="utf-8"))
    assert set(answers.split()) == {"unsat"}
