"""C11 with threads: <stdatomic.h>, pthreads, <threads.h>, GCC's atomics. docs/reference/c.md."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from membar.languages import Frontend

if TYPE_CHECKING:
    from membar.edits import Place
    from membar.program.program import Program
    from membar.program.template import Template
    from membar.source import SourceFile


def _parse(source: SourceFile) -> Program:
    from membar.languages.c.translate import parse_c  # noqa: PLC0415 - the parsers are heavy

    return parse_c(source)


def _places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    from membar.languages.c.places import places  # noqa: PLC0415 - on demand

    return places(source, program)


def _configurations(source: SourceFile) -> tuple[tuple[str, ...], ...]:
    from membar.languages.c.configurations import configurations  # noqa: PLC0415 - on demand

    return configurations(source)


def _copies(source: SourceFile, macro: str) -> Template:
    from membar.languages.c.translate import parse_copies  # noqa: PLC0415 - the parsers are heavy

    return parse_copies(source, macro)


FRONTEND = Frontend(
    name="C",
    suffixes=(".c",),
    parse=_parse,
    places=_places,
    configurations=_configurations,
    template=_copies,
    default_models=MappingProxyType({"C": "rc11"}),
    tags=MappingProxyType(
        {
            "NA": "(no order) A plain access: two unordered ones, one of them a write, are a data race.",
            "RLX": "(no order) memory_order_relaxed: atomic, orders nothing else.",
            "CON": "memory_order_consume: a load that orders what depends on it.",
            "ACQ": "memory_order_acquire: what follows sees what came before the release it reads from.",
            "REL": "memory_order_release: publishes what came before.",
            "ACQ_REL": "memory_order_acq_rel: acquire and release at once.",
            "SC": "memory_order_seq_cst: acquire, release, and one total order of all such operations.",
            "CLOCK": "A message beside the memory, seen by all at once: between calls of an object's client.",
            "ALLOC": "(no order) Allocated memory begins: a plain write before every access.",
            "LF": "(no order) The look at a mutex that is taken.",
            "RMW": "(no order) Marks the read and the write of one atomic read-modify-write.",
        }
    ),
)
