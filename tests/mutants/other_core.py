"""A pytest plug-in that loads the compiled core from the file that MEMBAR_TEST_CORE names."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location

_NAME = "membar._core"


def _load(path: str) -> None:
    spec = spec_from_file_location(_NAME, path, loader=ExtensionFileLoader(_NAME, path))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)


_load(os.environ["MEMBAR_TEST_CORE"])
