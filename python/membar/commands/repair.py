"""`membar repair FILE`: the cheapest change that makes it right."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from json import dumps
from pathlib import Path

from membar import arguments, proving, repair
from membar.cli import HOLDS, UNKNOWN, VIOLATED
from membar.commands.window import color, columns, progress_line
from membar.reports import processes, terminal
from membar.reports import repair as report
from membar.source import SourceFile


def run(chosen: argparse.Namespace) -> int:
    """Finds a repair, shows it, and writes it where that was asked for."""
    source = _source(chosen)
    if proving.is_system(source):
        asked = {"--error": chosen.error, "--ltl": chosen.ltl, "--property": chosen.property}
        proving.refuse(chosen.file, asked | {"--weaken": chosen.weaken})
    with progress_line(sys.stderr) as progress:
        found = repair.repair(
            source,
            _question(chosen),
            weaken=chosen.weaken,
            first=chosen.first,
            all_cheapest=chosen.all,
            costs=chosen.costs,
            seconds=chosen.limit.seconds,
            progress=progress,
        )
    match found:
        case repair.Repair():
            return _show(found, chosen)
        case repair.NothingToRepair(result=result):
            sys.stdout.write(f"NOTHING TO REPAIR {source.path}: it is right under {result.model.name}\n")
            return HOLDS
        case repair.NotRepairable(reason=reason, result=result):
            sys.stdout.write(f"NOT REPAIRED {source.path}: {reason}\n")
            if result is not None:
                sys.stdout.write(f"\n{_shown(result)}")
            return VIOLATED
        case repair.Undecided(reason=reason):
            sys.stdout.write(f"UNKNOWN {source.path}: {reason}\n")
            return UNKNOWN


def _shown(result: repair.Answer) -> str:
    if isinstance(result, proving.SystemResult):
        return processes.render(result, columns=columns(), color=color(sys.stdout))
    return terminal.render(result, columns=columns(), color=color(sys.stdout))


def _source(chosen: argparse.Namespace) -> SourceFile:
    read = SourceFile.read(chosen.file)
    folders = tuple(str(folder) for folder in chosen.include)
    return SourceFile(read.path, read.text, tuple(chosen.define), folders)


def _question(chosen: argparse.Namespace) -> repair.Question:
    return repair.Question(
        model=chosen.model,
        engine=chosen.engine,
        properties=arguments.properties(chosen),
        error=chosen.error,
        ltl=chosen.ltl,
        words=arguments.words(chosen),
        options=arguments.options(chosen),
        include_dirs=chosen.include,
        mapping=chosen.mapping,
    )


def _show(found: repair.Repair, chosen: argparse.Namespace) -> int:
    if chosen.json:
        sys.stdout.write(dumps(report.as_data(found), ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(report.render(found, columns=columns(), color=color(sys.stdout)))
    if chosen.apply:
        for path, text in [(found.source.path, found.repaired.text), *found.repaired.replaced]:
            _write(Path(path), text)
    return HOLDS


def _write(path: Path, text: str) -> None:
    """Puts a text in place of a file at once, keeping what was there as `FILE.orig`."""
    before = path.read_bytes()
    if before.decode("utf-8", errors="replace") == text:
        return
    shutil.copy2(path, path.with_name(path.name + ".orig"))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    shutil.copymode(path, name)
    Path(name).replace(path)
    sys.stderr.write(f"wrote {path}; what was there is in {path.name}.orig\n")
