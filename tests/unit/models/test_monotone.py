"""Which models allow reads to be left out."""

from __future__ import annotations

import pytest

from membar.languages import registry
from membar.models.cat.elaborate import compile_model
from membar.models.monotone import is_monotone
from membar.source import SourceFile


def monotone(text: str) -> bool:
    return is_monotone(compile_model(SourceFile("m.cat", text), vocabulary=registry.vocabulary()).plan)


@pytest.mark.parametrize(
    "text",
    [
        "acyclic po | rf | co | fr",
        "acyclic (po \\ (W * R)) | rfe | co | fr",
        "acyclic (po-loc \\ (po-loc ; [W] ; po-loc)) | rf | co | fr",
        "let rec r = po | r ; rf acyclic r | ctrl",
        "acyclic (po-loc \\ (rf^-1 ; rf)) | fr",
        "empty [R \\ range(lxsx)] ; loc ; [domain(amo)] & co",
    ],
)
def test_what_only_shrinks(text: str) -> None:
    assert monotone(text)


@pytest.mark.parametrize(
    "text",
    [
        "acyclic (po \\ (po ; po)) | rf",  # neighbours: fewer events make more of them
        "empty ~ctrl & (R * W) & po",
        "empty [W \\ domain(rf)]",  # every write must be read
        "~empty rf",
        "let rec r = (po \\ (ctrl ; po)) | r ; rf acyclic r",
    ],
)
def test_what_may_grow(text: str) -> None:
    assert not monotone(text)
