"""Which properties of a program are checked, and whether they apply."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from membar import plugins
from membar.diagnostics import refusal
from membar.languages.registry import load_model
from membar.models.model import Model
from membar.program.access import COMPILED
from membar.program.program import Program
from membar.properties import EVERY, PROPERTIES
from membar.properties.errors import has_errors
from membar.properties.labels import LABELS
from membar.properties.linearizability import PROPERTY as LINEARIZABILITY
from membar.properties.property import has_assertion_of, has_error_state_of, is_asked_as
from membar.properties.races import defines_races
from membar.properties.selection import Asked
from membar.questions.engine_answer import default_model
from membar.records import replace
from membar.source import SourceFile, pattern

if TYPE_CHECKING:
    from pathlib import Path

# Names that only verification tasks for SV-COMP have: there `abort` ends executions that do not count.
_TASK_NAMES = ("__VERIFIER_", "reach_error")
_TASK = pattern(r"\b(__VERIFIER_\w+|reach_error)\b")
_OF_C = frozenset({"locks", "exits", "overflow", "leaks"})
_WAYS_OUT = {
    "condition": "litmus tests and program text have such conditions",
    "errors": "--error EXPR names a state or location",
    "claims": "--ltl FORMULA makes a claim about all runs",
}


def asked_properties(
    properties: Collection[str] | None, property_file: Path | None, source: SourceFile
) -> Asked:
    """The selected properties: by name, by a file of SV-COMP, or by default all that apply.

    Raises:
        InputError: a property or the file is unknown.
        OSError: the file cannot be read.
    """
    if property_file is not None:
        from membar.properties.svcomp_properties import read_specification  # noqa: PLC0415 - C only

        return read_specification(property_file)
    if properties is None:
        text = source.text
        is_task = any(name in text for name in _TASK_NAMES) and _TASK.search(text) is not None
        return Asked(names=tuple(name for name in PROPERTIES if not (is_task and name == "exits")))
    if isinstance(properties, str):
        properties = properties.split(",")
    properties = () if [*properties] == ["none"] else properties
    for name in properties:
        if name == "none":
            message = "--property none only explores: it cannot be combined with other properties"
            raise refusal("W0401", message, help="leave `none` out, or the others")
        if name == LINEARIZABILITY.name:
            message = f"{name} applies to objects only"
            help_ = "--client THREADS,CALLS checks their clients; `.obj` files are objects"
            raise refusal("W0445", message, help=help_)
        if name not in EVERY:
            raise plugins.unknown("property", name, (*EVERY, "none"))
    return Asked(
        names=tuple(dict.fromkeys(name for name in properties if name in PROPERTIES)),
        labels=tuple(name for name in LABELS if name in properties),
        by_name=bool(properties),
    )


def applicable(program: Program, model: Model, asked: Asked) -> Asked:
    """The selected properties, without those that do not apply to the language.

    Raises:
        InputError: nothing that was asked for by name applies.
    """
    if not asked.by_name:
        return asked
    names = tuple(name for name in asked.names if _can_apply(name, program, model))
    others = tuple(name for name in asked.names if name not in names)
    if names or asked.labels or not others:
        return replace(asked, names=names, inapplicable=others)
    known = [name for name in PROPERTIES if _can_apply(name, program, model)]
    help_ = _WAYS_OUT.get(others[0], f"properties that do: {', '.join(known)}")
    message = f"the property {others[0]} does not apply to `{program.name}` ({program.language})"
    raise refusal("W0445", message, help=help_)


def _can_apply(name: str, program: Program, model: Model) -> bool:
    match name:
        case "condition":
            return is_asked_as(program, name)
        case "errors":
            return has_errors(program)
        case "claims":
            return bool(program.claims) or has_error_state_of(program, name)
        case "races":
            return defines_races(model) or defines_races(load_model(default_model(program)))
        case "memory" | "assertions" if is_asked_as(program, "condition"):
            return has_assertion_of(program, name)
        case _ if name in _OF_C:
            return program.language in COMPILED or has_assertion_of(program, name)
        case _:
            return True
