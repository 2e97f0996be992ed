"""What the menus and the gallery of the page show: models, properties, options and examples as declared."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from membar import __version__
from membar.languages import ENDINGS
from membar.languages.registry import load_model
from membar.limits import confinement
from membar.models.load import names
from membar.properties import PROPERTIES
from membar.questions.option import Option
from membar.questions.options import TABLE
from membar.server.requests import COMPILED, DEFAULT_SECONDS, LONGEST_TEXT, MOST_MODELS, PAGE_ENDINGS
from membar.server.worker import NO_COMPILER

EXAMPLES: Final = Path(__file__).parent / "static" / "examples.json"
# Models by what they describe; those that are not named here stand under `Others`.
GROUPS: Final = (
    ("Processors", ("x86-tso", "armv8", "power", "riscv")),
    ("Languages", ("rc11", "rc20", "lkmm", "imm")),
    ("For comparison", ("sc", "pso")),
)


@cache
def page_contents() -> dict[str, Any]:
    """Everything that the page needs to know before anything is asked."""
    compiled = {} if confinement.version() else dict.fromkeys(COMPILED, NO_COMPILER)
    return {
        "version": __version__,
        "models": _models(),
        "properties": [{"name": name, "title": item.title} for name, item in PROPERTIES.items()],
        "options": [_option(option) for option in TABLE if option.menu],
        "languages": [{"ending": ending, "name": _language(ending)} for ending in PAGE_ENDINGS],
        "off": compiled,
        "examples": json.loads(EXAMPLES.read_text(encoding="utf-8")),
        "seconds": DEFAULT_SECONDS,
        "longest": LONGEST_TEXT,
        "most_models": MOST_MODELS,
    }


def _option(option: Option) -> dict[str, object]:
    return {
        "name": option.name,
        "menu": option.menu,
        "label": option.label,
        "help": option.help,
        "placeholder": option.metavar,
        "choices": list(option.choices),
    }


def _models() -> list[dict[str, str]]:
    shipped = names()
    grouped = [(name, group) for group, members in GROUPS for name in members if name in shipped]
    known = {name for name, _ in grouped}
    grouped += [(name, "Others") for name in shipped if name not in known]
    return [{"name": name, "group": group, "title": load_model(name).title} for name, group in grouped]


def _language(ending: str) -> str:
    folder = ENDINGS[ending]
    found: str = import_module(f"membar.languages.{folder}").FRONTEND.name
    return found
