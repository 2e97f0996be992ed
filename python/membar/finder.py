"""Finds the modules of membar where they must be: beside each other.

Python asks several finders about each module, and they look for every ending that a module may have. A small
check loads 150 modules, and that took a sixteenth of its time. Whatever is not found here Python finds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader

_OURS = f"{__package__}."


class Finder:
    """Has the one method that `sys.meta_path` asks for."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:  # noqa: ARG004 - as all finders
        """Where a module of membar is; None if it is none, or is not a file in Python."""
        if path is None or not name.startswith(_OURS):
            return None
        for folder in path:
            place = f"{folder}/{name.rpartition('.')[2]}"
            for location, is_package in ((f"{place}.py", False), (f"{place}/__init__.py", True)):
                if os.path.isfile(location):  # noqa: PTH113 - at every start, without pathlib
                    loader = SourceFileLoader(name, location)
                    found = ModuleSpec(name, loader, origin=location, is_package=is_package)
                    found.has_location = True
                    if is_package:
                        found.submodule_search_locations = [place]
                    return found
        return None


def install() -> None:
    """From now on modules of membar are found so."""
    sys.meta_path.insert(len(sys.meta_path) - 1, Finder)  # before the one that searches the path
