"""Property files of SV-COMP."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from membar.diagnostics import Diagnostic, InputError, Label, refusal
from membar.properties.selection import Asked
from membar.source import SourceFile, pattern

if TYPE_CHECKING:
    from pathlib import Path

_CHECK = pattern(r"CHECK\s*\(\s*init\s*\(\s*main\s*\(\s*\)\s*\)\s*,\s*LTL\s*\(\s*(.*?)\s*\)\s*\)\s*$")
_CALL = pattern(r"G\s*!\s*call\s*\(\s*(\w+)\s*\(\s*\)\s*\)")
# What SV-COMP calls the function that must not be reached, and called it before 2021.
_ERRORS = ("reach_error", "__VERIFIER_error")
_MEMORY = ("G valid-free", "G valid-deref")
_FORMULAS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "G ! data-race": ("races",),
        "G valid-free": ("memory",),
        "G valid-deref": ("memory",),
        "G valid-memtrack": ("leaks",),
        "G valid-memcleanup": ("leaks",),
        "G ! overflow": ("overflow",),
        "F end": ("termination", "deadlock"),
    }
)


def read_specification(path: Path) -> Asked:
    """The properties that a property file selects.

    Raises:
        InputError: a line of it is not understood, or it has none.
        OSError: it cannot be read.
    """
    source = SourceFile.read(path)
    names, functions = dict[str, None](), list[str]()
    formulas = set[str]()
    start = 0
    for line in source.text.splitlines(keepends=True):
        text = line.strip()
        if text and not text.startswith("//"):
            found = _CHECK.match(text)
            formula = " ".join(found[1].split()) if found else ""
            call = _CALL.fullmatch(formula)
            if call is not None and call[1] in _ERRORS:
                functions.append(call[1])
                names["assertions"] = None
            elif formula in _FORMULAS:
                names.update(dict.fromkeys(_FORMULAS[formula]))
                formulas.add(formula)
            else:
                raise InputError(_unknown(source, start + line.index(text), text))
        start += len(line)
    if not names:
        raise refusal("W1449", f"the property file `{path}` contains no property")
    return Asked(
        names=tuple(names),
        by_name=True,
        functions=tuple(functions),
        memory_parts=tuple(formula for formula in _MEMORY if formula in formulas) or _MEMORY,
        allows_tracked="G valid-memtrack" in formulas and "G valid-memcleanup" not in formulas,
    )


def _unknown(source: SourceFile, start: int, text: str) -> Diagnostic:
    known = ", ".join(f"`{formula}`" for formula in ("G ! call(reach_error())", *_FORMULAS))
    return Diagnostic(
        code="W1449",
        message="unknown SV-COMP property",
        primary=Label(source.span(start, start + len(text)), "expected CHECK( init(main()), LTL(…) )"),
        help=f"known formulas: {known}",
    )
