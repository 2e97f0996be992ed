"""`membar replay WITNESS`: runs saved witnesses again, without a search."""

from __future__ import annotations

from pathlib import Path

from membar.cli.arguments import Chosen
from membar.cli.command import HOLDS, VIOLATED
from membar.questions.replay import replay
from membar.reports import streams
from membar.source import SourceFile


def run(chosen: Chosen) -> int:
    """Reports whether each witness is an execution of its program, and shows what its answer claims."""
    is_stream = chosen.witness == "-"
    found = replay(SourceFile("-", streams.read_input()) if is_stream else Path(chosen.witness))
    for item in found:
        streams.write(f"{item}\n")
    if chosen.html is not None:
        from membar.cli.commands import output_files  # noqa: PLC0415 - only where asked for

        output_files.write_page(chosen.html, [item.page() for item in found])
    return HOLDS if all(item.is_confirmed for item in found) else VIOLATED
