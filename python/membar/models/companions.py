"""The files that belong to a model: a configuration names them, or they lie beside it under its name.

    bell linux-kernel.bell        declares tags; read before the model
    macros linux-kernel.def       says which instructions carry them
    model linux-kernel.cat

A configuration has such lines; all others (how to draw, and so on) say nothing about the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError, error
from membar.source import SourceFile

CONFIGURATION = ".cfg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """A model with what belongs to it."""

    model: SourceFile
    bell: SourceFile | None = None
    macros: SourceFile | None = None


def files_of(path: Path) -> Files:
    """The files of a model or of a configuration.

    Raises:
        InputError: a file that cannot be read, or a configuration without a model.
    """
    if path.suffix == CONFIGURATION:
        return _configured(readable(path), path.parent)
    bell, macros = path.with_suffix(".bell"), path.with_suffix(".def")
    has_bell = path.suffix == ".cat" and bell.is_file()
    return Files(
        model=readable(path),
        bell=readable(bell) if has_bell else None,
        macros=readable(macros) if has_bell and macros.is_file() else None,
    )


def readable(path: Path) -> SourceFile:
    """A file as text.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return SourceFile.read(path)
    except OSError as problem:
        reason = problem.strerror or "unreadable"
        raise InputError(
            Diagnostic(code="W0217", message=f"cannot read model `{path}`: {reason.lower()}")
        ) from None


def _configured(configuration: SourceFile, folder: Path) -> Files:
    named: dict[str, Path] = {}
    for line in configuration.text.splitlines():
        key, _, value = line.partition("#")[0].strip().partition(" ")
        if key in ("model", "bell", "macros") and value.strip():
            named[key] = folder / value.strip()
    if "model" not in named:
        span = configuration.span(0, len(configuration.text))
        raise error("W0217", "this configuration names no model", span, "expected a line `model FILE.cat`")
    return Files(
        model=readable(named["model"]),
        bell=readable(named["bell"]) if "bell" in named else None,
        macros=readable(named["macros"]) if "macros" in named else None,
    )
