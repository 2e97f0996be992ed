"""The tree is the architecture: imports point one way, and the folder is the registry."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import membar
from membar import plugins

PACKAGE = Path(membar.__file__).parent

# Station → how far to the right it stands. A module imports only from its own station or a higher number.
ORDER = {
    "cli": 0,
    "commands": 1,
    "arguments": 1,
    "pytest_plugin": 1,
    "campaign": 2,
    "compare": 2,
    "repair": 2,
    "confirmation": 2,
    "explanation": 2,
    "pictures": 2,
    "expectations": 2,
    "lift": 2,
    "linearizability": 2,
    "asked_objects": 2,
    "api": 3,
    "languages": 3,
    "proving": 3,
    "object_proofs": 3,
    "delays": 4,
    "silence": 4,
    "frontends": 4,
    "engines": 4,
    "reports": 4,
    "translation": 4,
    "certificates": 5,
    "lifting": 5,
    "properties": 5,
    "models": 5,
    "plugins": 5,
    "task": 6,
    "outcome": 6,
    "guides": 6,
    "progress": 6,
    "program": 7,
    "systems": 7,
    "objects": 7,
    "diagnostics": 8,
    "changes": 8,
    "insertions": 8,
    "source": 9,
    "effort": 9,
    "records": 10,
    "similar": 10,
    "record_classes": 11,
}
# Never import one another, although they stand side by side.
APART = {"frontends", "engines", "reports"}
# The entry points hand over to the commands after the quick exit for `--version`.
EXCEPTIONS = {("cli", "commands"), ("commands", "cli"), ("engines", "task"), ("models", "properties")}


def modules() -> list[tuple[str, Path]]:
    return [
        (path.relative_to(PACKAGE).with_suffix("").parts[0], path)
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "__init__.py" or path.parent != PACKAGE
    ]


def imported_stations(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            parts = node.module.split(".")
            if parts[0] == "membar":
                found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
    return found & set(ORDER)


def is_type_only(path: Path, station: str) -> bool:
    """Whether `path` imports `station` only for annotations."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = [
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for child in node.body
    ]
    everywhere = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    real = [node for node in everywhere if node not in guarded]
    return not any((node.module or "").startswith(f"membar.{station}") for node in real)


@pytest.mark.parametrize(("station", "path"), modules(), ids=str)
def test_imports_point_one_way(station: str, path: Path) -> None:
    assert station in ORDER, f"{path}: say in ORDER where {station} stands"
    for other in imported_stations(path):
        if (station, other) in EXCEPTIONS or is_type_only(path, other):
            continue
        assert ORDER[other] >= ORDER[station], f"{path} imports {other}, which stands to its left"
        assert other == station or not {station, other} <= APART, f"{path} imports {other}"


@pytest.mark.parametrize(
    ("package", "attribute"),
    [("membar.frontends", "FRONTEND"), ("membar.engines", "ENGINE")],
)
def test_every_plugin_exports_its_record_and_says_what_it_is(package: str, attribute: str) -> None:
    for name in plugins.names(package):
        module = import_module(f"{package}.{name}")
        assert hasattr(module, attribute)
        assert module.__doc__


def test_only_reports_and_commands_print() -> None:
    for station, path in modules():
        if station not in {"cli", "commands", "arguments"}:
            text = path.read_text(encoding="utf-8")
            assert "print(" not in text.replace("pretty_print(", ""), path
            assert "sys.stdout" not in text, path
