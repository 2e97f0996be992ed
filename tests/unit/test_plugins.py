"""The folder is the registry: what stands in it exports its record and says what it is."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import pytest

from membar import plugins
from membar.languages import ENDINGS


@pytest.mark.parametrize(
    ("package", "names", "attribute"),
    [
        ("membar.languages", sorted(set(ENDINGS.values())), "FRONTEND"),
        ("membar.engines", plugins.names("membar.engines"), "ENGINE"),
    ],
)
def test_every_plugin_exports_its_record_and_says_what_it_is(
    package: str, names: Sequence[str], attribute: str
) -> None:
    for name in names:
        module = import_module(f"{package}.{name}")
        assert hasattr(module, attribute)
        assert module.__doc__
