"""Library functions that are written in C (`library/written.c`): their heads and syntax trees."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pycparser import c_ast as ast
from pycparser.c_parser import CParser

_TEXT: Final = Path(__file__).parent / "library" / "written.c"
_HEAD: Final = re.compile(r"^(\w[\w *]*?\**(\w+)\(.*\))(?= \{|$)", re.MULTILINE)
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


@cache
def heads() -> Mapping[str, str]:
    """The declaration of each of them, by its name."""
    return {match[2]: f"{match[1]};" for match in _HEAD.finditer(_TEXT.read_text(encoding="utf-8"))}


@cache
def _definitions() -> Mapping[str, ast.FuncDef]:
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), _TEXT.read_text(encoding="utf-8"))
    return {node.decl.name: node for node in CParser().parse(text, "library").ext}


def definition(name: str) -> ast.FuncDef:
    """A copy of the definition of one of them, for one call."""
    return copy.deepcopy(_definitions()[name])
