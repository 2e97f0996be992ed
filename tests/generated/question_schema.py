"""The JSON schema of what a question is asked with: docs/reference/question.schema.json.

It is made from the table of options. A test compares;
`pytest tests/unit/reports/test_schema.py --update-golden` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from generated.entry_module import python_type
from membar.questions.option import Option
from membar.questions.options import TABLE

_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_NUMBERS: Final = {"type": "array", "items": {"type": "integer"}}
# The type in Python, without `| None`, and the same in JSON; all others are texts.
_TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "int | str": {"type": ["integer", "string"]},
    "Sequence[int]": _NUMBERS,
    "Size | tuple[int, int]": _NUMBERS | {"minItems": 2, "maxItems": 2},
    "Sequence[str]": _TEXTS,
    "Sequence[Path]": _TEXTS,
    "Collection[str]": _TEXTS,
}


def schema() -> str:
    """The schema, as text."""
    found = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A question, with the options of `membar check`",
        "type": "object",
        "required": ["source"],
        "additionalProperties": False,
        "properties": {
            "source": {"type": "string", "description": "the name of a file"},
            **{option.key: _schema_of(option) for option in TABLE if not option.is_output},
        },
    }
    return json.dumps(found, indent=1) + "\n"


def _schema_of(option: Option) -> dict[str, Any]:
    if option.choices:
        return {"description": option.help, "enum": list(option.choices)}
    return {
        "description": option.help,
        **_TYPES.get(python_type(option).removesuffix(" | None"), {"type": "string"}),
    }
