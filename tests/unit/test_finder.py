"""Where the command finds membar's modules is where Python finds them."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import PathFinder
from pkgutil import walk_packages

import membar
from membar.finder import Finder

_PROBE = "import sys, membar.__main__; from membar.finder import Finder; print(sys.meta_path[-2] is Finder)"


def test_modules_are_found_where_python_finds_them() -> None:
    folders = {membar.__name__: membar.__path__}
    extensions = set()
    for item in walk_packages(membar.__path__, f"{membar.__name__}."):
        path = folders.get(item.name.rpartition(".")[0])
        expected = PathFinder.find_spec(item.name, path)
        found = Finder.find_spec(item.name, path)
        assert expected is not None
        if found is None:
            extensions.add(item.name)
            continue
        assert found == expected
        assert found.cached == expected.cached
        if found.submodule_search_locations is not None:
            folders[item.name] = found.submodule_search_locations
    assert extensions == {"membar._core"}


def test_other_modules_are_left_to_python() -> None:
    assert Finder.find_spec("json.decoder", ["/nowhere"]) is None
    assert Finder.find_spec("membar", None) is None
    assert Finder.find_spec("membar.no_such_module", membar.__path__) is None


def test_the_command_finds_its_modules_so() -> None:
    done = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
