"""Finds the modules of membar where they must be, beside each other, and loads their bytecode in few steps.

Python asks several finders about each module, they look for every ending that a module may have, and the
loader looks twice more at files that were found. A small check loads 150 modules, and that took a sixth of
its time. Whatever is not found here, or has no bytecode of its own, is left to Python.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from marshal import loads
from struct import Struct
from types import CodeType, ModuleType

_OURS = f"{__package__}."
_BYTECODE = f".{sys.implementation.cache_tag}.pyc"
_HEAD = Struct("<4sIII")  # of bytecode: 0 says that time and size of its source follow
_MASK = 0xFFFFFFFF
_LARGEST = 1 << 20  # bytes; larger bytecode is left to Python


class Loader(SourceFileLoader):
    """Loads a module for whose source the state of the file is known."""

    def __init__(self, name: str, path: str, compiled: str, state: os.stat_result) -> None:
        self.name, self.path, self._compiled, self._state = name, path, compiled, state

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module."""
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, fullname: str) -> CodeType:
        """The bytecode beside the source, if it is of that source."""
        try:
            file = os.open(self._compiled, os.O_RDONLY)
        except OSError:
            return self._compile(fullname)
        try:
            data = os.read(file, _LARGEST)
        finally:
            os.close(file)
        changed, size = int(self._state.st_mtime) & _MASK, self._state.st_size & _MASK
        if len(data) == _LARGEST or not data.startswith(_HEAD.pack(MAGIC_NUMBER, 0, changed, size)):
            return self._compile(fullname)
        code: CodeType = loads(memoryview(data)[_HEAD.size :])
        return code

    def _compile(self, fullname: str) -> CodeType:
        code = super().get_code(fullname)
        assert code is not None  # there is a source
        return code


class Finder:
    """Has the one method that `sys.meta_path` asks for."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:  # noqa: ARG004 - as all finders
        """Where a module of membar is; None if it is none, or is not a file in Python."""
        if path is None or not name.startswith(_OURS):
            return None
        last = name.rpartition(".")[2]
        for folder in path:
            place = f"{folder}/{last}"
            for location, compiled in (
                (f"{place}.py", f"{folder}/__pycache__/{last}{_BYTECODE}"),
                (f"{place}/__init__.py", f"{place}/__pycache__/__init__{_BYTECODE}"),
            ):
                try:
                    state = os.stat(location)  # noqa: PTH116 - at every start, without pathlib
                except OSError:
                    continue
                found = ModuleSpec(name, Loader(name, location, compiled, state), origin=location)
                found.has_location = True
                found.cached = compiled
                if location.endswith("/__init__.py"):
                    found.submodule_search_locations = [place]
                return found
        return None


def install() -> None:
    """From now on modules of membar are found so, unless bytecode is elsewhere."""
    if sys.pycache_prefix is None and not sys.flags.optimize:
        sys.meta_path.insert(len(sys.meta_path) - 1, Finder)  # before the one that searches the path
