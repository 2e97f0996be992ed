"""A kept model is the model, and never an old one."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from membar import languages as frontends
from membar.languages import registry
from membar.languages import registry as languages
from membar.models import load, plan_cache
from membar.models.model import Model
from membar.records import stored

VOCABULARY = registry.vocabulary()
WORDS = "the words of today"


@pytest.mark.parametrize("name", ["x86-tso", "armv8", "rc11", "bajczi-tso"])
def test_a_kept_model_is_the_model(name: str, tmp_path: Path) -> None:
    model = load.load(name, vocabulary=VOCABULARY)
    plan_cache.write(model, WORDS, folder=tmp_path)
    again = plan_cache.read(name, WORDS, folder=tmp_path)
    assert again == model
    assert again is not None
    assert again.source is not None
    assert model.source is not None
    assert again.source.text == model.source.text


def test_every_axiom_keeps_its_place_in_the_text(tmp_path: Path) -> None:
    model = load.load("x86-tso", vocabulary=VOCABULARY)
    plan_cache.write(model, WORDS, folder=tmp_path)
    again = plan_cache.read("x86-tso", WORDS, folder=tmp_path)
    assert again is not None
    assert lines(again) == lines(model)


def lines(model: Model) -> list[tuple[str, int | None]]:
    assert model.plan is not None
    return [(check.name, check.span.line if check.span else None) for check in model.plan.checks]


def test_nothing_is_kept_at_first(tmp_path: Path) -> None:
    assert plan_cache.read("sc", WORDS, folder=tmp_path) is None


def test_other_ordering_words_need_another_model(tmp_path: Path) -> None:
    plan_cache.write(load.load("sc", vocabulary=VOCABULARY), WORDS, folder=tmp_path)
    assert plan_cache.read("sc", "other words", folder=tmp_path) is None


def test_a_change_of_the_compiler_or_a_model_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load.load("sc", vocabulary=VOCABULARY)
    plan_cache.write(model, WORDS, folder=tmp_path)
    sources = tmp_path / "models"
    sources.mkdir()
    (sources / "sc.cat").write_text("acyclic po as another", encoding="utf-8")
    monkeypatch.setattr(plan_cache, "FOLDER", sources)
    plan_cache._digest.cache_clear()
    try:
        assert plan_cache.read("sc", WORDS, folder=tmp_path) is None
    finally:
        monkeypatch.undo()
        plan_cache._digest.cache_clear()
    assert plan_cache.read("sc", WORDS, folder=tmp_path) == model


def test_a_broken_file_is_not_believed(tmp_path: Path) -> None:
    plan_cache.write(load.load("sc", vocabulary=VOCABULARY), WORDS, folder=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-10])
    assert plan_cache.read("sc", WORDS, folder=tmp_path) is None


def test_a_changed_claim_is_seen_whatever_its_size_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "models"
    sources.mkdir()
    place = sources / "own.claims"
    monkeypatch.setattr(plan_cache, "FOLDER", sources)
    found = []
    for claim in ("fair: yes\n", "fair: no \n"):
        place.write_text(claim, encoding="utf-8")
        os.utime(place, ns=(1, 1))
        found.append(plan_cache._head("own", WORDS, b""))
    assert found[0] != found[1]


def test_the_file_of_another_model_is_not_believed(tmp_path: Path) -> None:
    plan_cache.write(load.load("sc", vocabulary=VOCABULARY), WORDS, folder=tmp_path)
    (tmp_path / "sc.model").rename(tmp_path / "power.model")
    assert plan_cache.read("power", WORDS, folder=tmp_path) is None


def test_a_file_whose_content_was_changed_is_not_believed(tmp_path: Path) -> None:
    plan_cache.write(load.load("sc", vocabulary=VOCABULARY), WORDS, folder=tmp_path)
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    assert b"exactly-once" in content
    file.write_bytes(content.replace(b"exactly-once", b"exactly-0nce"))
    assert plan_cache.read("sc", WORDS, folder=tmp_path) is None


class Harmful:
    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self.place),))


def test_a_kept_file_runs_no_code(tmp_path: Path) -> None:
    body = pickle.dumps(Harmful(tmp_path / "made"))
    (tmp_path / "sc.model").write_bytes(plan_cache._head("sc", WORDS, body) + body)
    assert plan_cache.read("sc", WORDS, folder=tmp_path) is None
    assert not (tmp_path / "made").exists()


def test_only_the_newest_is_kept(tmp_path: Path) -> None:
    model = load.load("sc", vocabulary=VOCABULARY)
    plan_cache.write(model, "other words", folder=tmp_path)
    plan_cache.write(model, WORDS, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    assert plan_cache.read("sc", WORDS, folder=tmp_path) == model


def test_models_of_users_are_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "own.cat"
    file.write_text("acyclic po | rf as order", encoding="utf-8")
    model = load.load(file, vocabulary=VOCABULARY)
    plan_cache.write(model, WORDS, folder=tmp_path)
    plan_cache.write(replace(model, source=None), WORDS, folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["own.cat"]
    assert plan_cache.read(str(file), WORDS, folder=tmp_path) is None


def test_a_folder_that_cannot_be_written_is_no_problem(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder", encoding="utf-8")
    plan_cache.write(load.load("sc", vocabulary=VOCABULARY), WORDS, folder=place)
    assert plan_cache.read("sc", WORDS, folder=place) is None


def test_a_file_that_changes_in_size_or_time_has_another_fingerprint(tmp_path: Path) -> None:
    place = tmp_path / "folder" / "tags.py"
    place.parent.mkdir()
    place.write_text("TAGS = {}", encoding="utf-8")
    first = stored.state_of(tmp_path, ("tags.py",))
    assert stored.state_of(tmp_path, ("tags.py",)) == first
    os.utime(place, ns=(1, 1))
    second = stored.state_of(tmp_path, ("tags.py",))
    place.write_text("TAGS = {1}", encoding="utf-8")
    os.utime(place, ns=(1, 1))
    third = stored.state_of(tmp_path, ("tags.py",))
    (place.parent / "other.py").write_text("", encoding="utf-8")
    assert len({first, second, third}) == 3
    assert stored.state_of(tmp_path, ("tags.py",)) == third


def test_the_files_whose_fingerprint_is_taken_have_all_ordering_words() -> None:
    folder = Path(frontends.__file__).parent
    texts = [
        path.read_text(encoding="utf-8") for name in languages._WORDS for path in folder.rglob(f"*{name}")
    ]
    assert VOCABULARY
    for word in VOCABULARY:
        assert any(word.partition(".")[0] in text for text in texts), word  # DMB.SY is put together
