"""membar's own program text (`.mbp`): the intermediate form as people read and write it.

docs/reference/program-text.md describes it; `membar.program.printer` writes it.
"""

from __future__ import annotations

from membar.languages import Frontend
from membar.plugins import lazy


def _with_error(text: str, asked: str) -> str:
    return f"{text.rstrip()}\nerror {asked}\n"


def _with_claim(text: str, formula: str, name: str) -> str:
    return f"{text.rstrip()}\nclaim {name or 'ltl'} : {formula}\n"


FRONTEND = Frontend(
    name="program text",
    parse=lazy(f"{__name__}.parser:parse_program"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
    default_models={},
    tags={},
    with_error=_with_error,
    with_claim=_with_claim,
)
