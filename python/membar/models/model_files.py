"""The files of a model: named in a configuration, or beside the model under its name.

    bell linux-kernel.bell        declares tags; read before the model
    macros linux-kernel.def       says which instructions carry them
    model linux-kernel.cat

A configuration has such lines; all others (drawing options and so on) do not concern the model. Claims
(`models/claims.py`) are always beside the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from membar.diagnostics import error, refusal
from membar.records import record, replace
from membar.source import SourceFile

CONFIGURATION = ".cfg"
CLAIMS = ".claims"


@record(frozen=True, slots=True, kw_only=True)
class Files:
    """A model with the files that belong to it."""

    model: SourceFile
    claims: SourceFile | None = None
    bell: SourceFile | None = None
    macros: SourceFile | None = None


def files_of(path: Path, include_dirs: Sequence[Path] = ()) -> Files:
    """The files of a model or of a configuration; messages may also show those in `include_dirs`.

    Raises:
        InputError: a file that cannot be read, or a configuration without a model.
    """
    named = replace(readable(path), include_dirs=tuple(map(str, include_dirs)))
    return _files_from(named, path.parent) if path.suffix == CONFIGURATION else _beside(named)


def files_of_saved(model: SourceFile) -> Files:
    """A model as it was saved; with what lies beside its file, if that is here and has the same text.

    Raises:
        InputError: a file beside it cannot be read.
    """
    try:
        is_here = SourceFile.read(model.path).text == model.text
    except OSError:
        is_here = False
    return _beside(model) if is_here else Files(model=model)


def _beside(model: SourceFile) -> Files:
    path = Path(model.path)
    bell, macros = path.with_suffix(".bell"), path.with_suffix(".def")
    has_bell = path.suffix == ".cat" and bell.is_file()
    return Files(
        model=model,
        claims=_claims_beside(path, model),
        bell=readable(bell, model) if has_bell else None,
        macros=readable(macros, model) if has_bell and macros.is_file() else None,
    )


def _claims_beside(path: Path, named_by: SourceFile) -> SourceFile | None:
    place = path.with_suffix(CLAIMS)
    return readable(place, named_by) if place.is_file() else None


def readable(path: Path, named_by: SourceFile | None = None) -> SourceFile:
    """The text of a file, which another file or the user names.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return SourceFile.read(path) if named_by is None else named_by.including(path)
    except OSError as problem:
        reason = problem.strerror or "unreadable"
        raise refusal("W0217", f"cannot read model `{path}`: {reason.lower()}") from None


def _files_from(configuration: SourceFile, folder: Path) -> Files:
    named: dict[str, Path] = {}
    for line in configuration.text.splitlines():
        key, _, value = line.partition("#")[0].strip().partition(" ")
        if key in ("model", "bell", "macros") and value.strip():
            named[key] = folder / value.strip()
    if "model" not in named:
        span = configuration.span(0, len(configuration.text))
        raise error(
            "W0217", "this configuration does not name a model", span, "expected a line `model FILE.cat`"
        )
    return Files(
        model=readable(named["model"], configuration),
        claims=_claims_beside(named["model"], configuration),
        bell=readable(named["bell"], configuration) if "bell" in named else None,
        macros=readable(named["macros"], configuration) if "macros" in named else None,
    )
