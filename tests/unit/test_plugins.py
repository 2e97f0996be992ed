"""The folder is the registry: what stands in it exports its record and says what it is."""

from __future__ import annotations

from importlib import import_module

import pytest

from membar import plugins


@pytest.mark.parametrize(
    ("package", "attribute"), [("membar.frontends", "FRONTEND"), ("membar.engines", "ENGINE")]
)
def test_every_plugin_exports_its_record_and_says_what_it_is(package: str, attribute: str) -> None:
    for name in plugins.names(package):
        module = import_module(f"{package}.{name}")
        assert hasattr(module, attribute)
        assert module.__doc__
