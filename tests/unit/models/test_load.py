"""Models by name and by file."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.diagnostics import InputError
from membar.models.load import NO_CHECKS, load, names
from membar.models.model import Operational
from unit.models.compiled import VOCABULARY


def test_names_are_the_files() -> None:
    assert {"sc", "x86-tso", "pso", "cam"} <= set(names())
    assert list(names()) == sorted(names())
    assert "stdlib" not in names()


@pytest.mark.parametrize(
    ("name", "operational", "default_buffers"),
    [
        ("sc", Operational.SC, 2),
        ("x86-tso", Operational.TSO, 2),
        ("pso", Operational.PSO, 2),
        ("cam", Operational.CAM, 1),
    ],
)
def test_operational_readings(name: str, operational: Operational, default_buffers: int) -> None:
    model = load(name, vocabulary=VOCABULARY)
    assert (model.name, model.operational, model.default_buffers) == (name, operational, default_buffers)


def test_an_alias_is_the_model_itself() -> None:
    assert load("tso", vocabulary=VOCABULARY) == load("x86-tso", vocabulary=VOCABULARY)


def test_cam_has_no_axioms() -> None:
    assert load("cam", vocabulary=VOCABULARY).plan is None


def test_documentation_comes_from_the_head_comment() -> None:
    model = load("x86-tso", vocabulary=VOCABULARY)
    assert model.title.startswith("Total store order")
    assert model.title.endswith(".")
    assert "Reference:" in model.documentation
    assert model.tags == {"MFENCE", "SFENCE", "LFENCE", "X"}
    assert not model.claims.any_tags
    assert load("sc", vocabulary=VOCABULARY).claims.any_tags


def test_shipped_axioms_have_names() -> None:
    for name in ("sc", "x86-tso", "pso"):
        plan = load(name, vocabulary=VOCABULARY).plan
        assert plan is not None
        assert [check.name for check in plan.checks] == ["coherence", "atomicity", "global-order"]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        load("x86tso", vocabulary=VOCABULARY)
    (found,) = caught.value.diagnostics
    assert found.code == "W0216"
    assert all(name in found.message for name in names())
    assert found.help == "did you mean `x86-tso`?"


def test_a_missing_file() -> None:
    with pytest.raises(InputError) as caught:
        load("./nowhere.cat", vocabulary=VOCABULARY)
    assert caught.value.diagnostics[0].code == "W0217"
    assert "nowhere.cat" in caught.value.diagnostics[0].message


@pytest.mark.parametrize("text", ["", "\n", "(* Only words. *)\n", '"a title"\n'])
def test_an_empty_model_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.cat"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load(path, vocabulary=VOCABULARY)
    assert [found.code for found in caught.value.diagnostics] == ["W0218"]


def test_a_model_without_checks_says_so(tmp_path: Path) -> None:
    path = tmp_path / "names.cat"
    path.write_text("let mine = po | rf\n")
    assert NO_CHECKS in load(path, vocabulary=VOCABULARY).notes


def test_a_user_file(tmp_path: Path) -> None:
    path = tmp_path / "my-model.cat"
    path.write_text("C\n(* Mine: as weak as can be. And more. *)\nacyclic po-loc | com as it\n")
    path.with_suffix(".claims").write_text("kind: language\ntags: any\n")
    model = load(path, vocabulary=VOCABULARY)
    assert (model.name, model.title) == ("my-model", "Mine: as weak as can be.")
    assert model.language_model
    assert model.claims.any_tags
    assert model.operational is None


def test_a_user_file_named_like_a_shipped_model_has_no_operational_reading(tmp_path: Path) -> None:
    path = tmp_path / "sc.cat"
    path.write_text("acyclic po as it")
    assert load(path, vocabulary=VOCABULARY).operational is None


def test_a_comment_that_is_not_at_the_head_is_no_documentation(tmp_path: Path) -> None:
    path = tmp_path / "plain.cat"
    path.write_text("acyclic po as it (* later *)")
    assert load(path, vocabulary=VOCABULARY).documentation == ""
