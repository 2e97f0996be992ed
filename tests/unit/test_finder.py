"""Where the command finds membar's modules is where Python finds them."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from pkgutil import walk_packages

import membar
from membar.finder import Finder, Loader

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
        assert isinstance(found.loader, Loader)
        assert (found.loader.name, found.loader.path) == (item.name, expected.origin)
        assert (found.origin, found.cached) == (expected.origin, expected.cached)
        assert found.submodule_search_locations == expected.submodule_search_locations
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


def _loaded(folder: Path) -> int:
    """The value in the module of a folder, loaded as the command does."""
    spec = Finder.find_spec("membar.probe", [str(folder)])
    assert spec is not None
    module = module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    value: int = module.VALUE
    return value


def test_bytecode_counts_only_if_it_is_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "probe.py"
    source.write_text("VALUE = 1")
    compiled = Path(py_compile.compile(str(source), doraise=True) or "")
    source_state = source.stat()
    source.write_text("VALUE = 2")  # of the same size, at the same time: bytecode is believed
    os.utime(source, ns=(source_state.st_atime_ns, source_state.st_mtime_ns))
    assert _loaded(tmp_path) == 1
    os.utime(source, (0, 0))
    assert _loaded(tmp_path) == 2
    source.write_text("VALUE = 30")
    os.utime(source, ns=(source_state.st_atime_ns, source_state.st_mtime_ns))
    assert _loaded(tmp_path) == 30
    compiled.unlink()
    assert _loaded(tmp_path) == 30
    compiled.write_bytes(b"")
    assert _loaded(tmp_path) == 30
