"""Claims of models: read, and refused where they cannot be true."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.diagnostics import Diagnostic, InputError
from membar.languages import registry
from membar.models.load import load, names
from membar.models.model import EXACTLY_ONCE, GENERAL, Claims, Model

VOCABULARY = registry.vocabulary()

COHERENT = """acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre ; coe) as atomicity
"""
SC = f"{COHERENT}acyclic po | rf | co | fr | spawn-join as global-order\n"
# Writes are seen by all at once, but not in order.
RELAXED = f"""let kept = addr | data | ctrl ; [W]
let later = po & loc
let found = po & (co | rf)
let accesses = R | W
{COHERENT}acyclic kept | rfe | coe | fre as order
"""
RACES = f"{SC}undefined_unless empty 0 as data-race\n"


def loaded(folder: Path, text: str, claims: str | None, *, is_trial: bool = True) -> Model:
    path = folder / "mine.cat"
    path.write_text(text, encoding="utf-8")
    if claims is not None:
        path.with_suffix(".claims").write_text(claims, encoding="utf-8")
    return load(path, vocabulary=VOCABULARY, is_trial=is_trial)


def refused(folder: Path, text: str, claims: str, *, is_trial: bool = True) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        loaded(folder, text, claims, is_trial=is_trial)
    return caught.value.diagnostics


def place(found: Diagnostic) -> tuple[int, int, str]:
    assert found.primary is not None
    span = found.primary.span
    return span.line, span.source.position(span.start)[1], span.source.text[span.start : span.end]


def test_without_claims_the_safest_is_assumed(tmp_path: Path) -> None:
    model = loaded(tmp_path, SC, None, is_trial=False)
    assert model.claims == Claims()
    assert (model.claims.search, model.claims.fair, model.claims.may_guess) == (GENERAL, False, True)


def test_claims_are_read_with_comments_and_blank_lines(tmp_path: Path) -> None:
    text = "# mine\n\n  search :exactly-once   # as sc\r\nfair: yes\n"
    claims = loaded(tmp_path, SC, text).claims
    assert (claims.search, claims.fair) == (EXACTLY_ONCE, True)


@pytest.mark.parametrize(
    ("text", "message", "where", "advice"),
    [
        ("serach: general", "unknown claim `serach`", (1, 1, "serach"), "did you mean `search`?"),
        ("\nsearch: exactly once", "takes one value", (2, 9, "exactly once"), None),
        (
            "search: exactly-onec",
            "cannot be `exactly-onec`",
            (1, 9, "exactly-onec"),
            "did you mean `exactly-once`?",
        ),
        ("search:", "takes one value", (1, 8, ""), None),
        ("fair: yes\nfair: no", "claimed twice", (2, 1, "fair"), None),
        ("  all is well", "not a claim", (1, 3, "all is well"), None),
        ("mapping: vax", "cannot be `vax`", (1, 10, "vax"), None),
        ("right-mappings: x86 vax", "cannot be `vax`", (1, 17, "x86 vax"), None),
    ],
)
def test_a_misspelt_claim_is_a_located_error(
    tmp_path: Path, text: str, message: str, where: tuple[int, int, str], advice: str | None
) -> None:
    (found,) = refused(tmp_path, SC, text)
    assert found.code == "W0219"
    assert message in found.message
    assert place(found) == where
    assert found.help == advice


def test_all_misspelt_claims_are_reported_at_once(tmp_path: Path) -> None:
    assert len(refused(tmp_path, SC, "serach: general\nfair: perhaps\nnothing\n")) == 3


@pytest.mark.parametrize(
    ("model", "claims", "message"),
    [
        (RELAXED, "search: dependency-aware", "needs a `thread-order`"),
        (RELAXED, "thread-order: kept", "only `search: dependency-aware`"),
        (SC, "search: exactly-once\nload-buffering: global-order", "no loads are buffered"),
        (RELAXED, "buffered-loads: foreshadowed", "needs a relation `load-buffering`"),
        (RELAXED, "order: global", "claim `search: exactly-once` too"),
        (RELAXED, "store-buffers: tso", "claim `search: exactly-once` too"),
        (SC, "kind: language\nmapping: x86", "needs no compiler mapping"),
        (SC, "tags: any\nmapping: x86\nright-mappings: armv8", "must include"),
        (RELAXED, "search: dependency-aware\nthread-order: keept", "did you mean `kept`?"),
        (RELAXED, "search: dependency-aware\nthread-order: accesses", "is a set"),
        (RELAXED, "search: dependency-aware\nthread-order: found", "depends on coherence"),
        (RELAXED, "load-buffering: nothing", "defines no `nothing`"),
        (RACES, "kind: processor", "a language model"),
        (SC, "mapping: x86", "`x86` generates MFENCE"),
        (COHERENT, "search: exactly-once", "allows load buffering"),
        (
            f"{COHERENT}acyclic [R] ; po ; [W] | rfe as causality",
            "search: exactly-once\norder: global",
            "different orders",
        ),
        ("empty 0 as nothing", "search: exactly-once", "a cycle of po and rf"),
        (
            f"{COHERENT}acyclic po | rf \\ (ACQ * _) as it",
            "search: exactly-once",
            "accesses with the tag ACQ",
        ),
    ],
)
def test_claims_that_cannot_be_true_are_refused(
    tmp_path: Path, model: str, claims: str, message: str
) -> None:
    found = refused(tmp_path, model, claims)
    assert {one.code for one in found} == {"W0221"}
    assert any(message in one.message for one in found), found
    assert all(one.primary is not None for one in found)


@pytest.mark.parametrize(
    "claim",
    [
        "search: exactly-once",
        "search: general",
        "thread-order: po",
        "load-buffering: po",
        "buffered-loads: foreshadowed",
        "write-backs: invisible",
        "order: global",
        "fair: yes",
        "self-justifying-values: impossible",
        "store-buffers: sc",
        "right-mappings: x86",
    ],
)
def test_what_engines_believe_a_users_model_may_not_claim(tmp_path: Path, claim: str) -> None:
    (found,) = refused(tmp_path, SC, claim, is_trial=False)
    assert found.code == "W0220"
    assert claim.partition(":")[0] in found.message
    assert "models test" in (found.help or "")


def test_what_a_model_is_its_user_may_say(tmp_path: Path) -> None:
    text = "kind: language\ntags: any\nsc-executions: restricted\ncoherence: broken\natomicity: broken\n"
    model = loaded(tmp_path, SC, text, is_trial=False)
    assert model.language_model
    assert model.claims.any_tags
    claims = model.claims
    assert (claims.allows_sc, claims.is_coherent, claims.is_atomic) == (False, False, False)


@pytest.mark.parametrize("text", [f"C\n{SC}", RACES])
def test_a_model_that_is_one_of_a_language_need_not_say_so(tmp_path: Path, text: str) -> None:
    assert loaded(tmp_path, text, None, is_trial=False).language_model


def test_claims_in_a_comment_are_text(tmp_path: Path) -> None:
    comment = "(* Mine.\n\n   Exploration: exactly-once\n   Order: global *)\n"
    model = loaded(tmp_path, f"{comment}{COHERENT}", None, is_trial=False)
    assert model.claims == Claims()
    assert any("Exploration: exactly-once" in note and ".claims" in note for note in model.notes)


def test_claims_of_a_configured_model_lie_beside_it(tmp_path: Path) -> None:
    loaded(tmp_path, SC, "tags: any")
    configuration = tmp_path / "other.cfg"
    configuration.write_text("model mine.cat\n", encoding="utf-8")
    assert load(configuration, vocabulary=VOCABULARY).claims.any_tags


@pytest.mark.parametrize("name", names())
def test_shipped_models_make_claims_of_their_own(name: str) -> None:
    model = load(name, vocabulary=VOCABULARY)
    assert (model.claims_source is None) is (name == "cam")
