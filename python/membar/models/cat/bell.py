"""Bell files: declarations of tags and of the instructions that carry them, checked against the dialects.

membar's dialects define which tags their instructions carry, so a declaration adds nothing. A tag that no
dialect has would name a set that is always empty, and is an error.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.models.cat import syntax as cat
from membar.models.cat.sets_of_sets import members
from membar.models.cat.values import Group, Listed, TagValue, Value, describe
from membar.source import SourceFile, Span

# What bell calls the kinds of instructions.
_KINDS = ("R", "W", "RMW", "F", "B", "J", "CALL", "SRCU")
_ANNOTATION = re.compile(r"(__[a-z_]+)\{([A-Za-z][\w.,-]*)\}")
_COMMENT = re.compile(r"//[^\n]*")


def event_set(tag: str) -> str:
    """The name of the set of events that carry a tag: `'rcu-lock` makes `Rcu-lock`."""
    return tag[:1].upper() + tag[1:]


def enum_binding(statement: cat.Enum, vocabulary: Collection[str]) -> dict[str, Value]:
    """The binding of `enum`: its name and the set of its tags.

    Raises:
        InputError: a tag that no dialect has.
    """
    missing = [tag for tag in statement.tags if event_set(tag.name) not in vocabulary]
    if missing:
        raise InputError(*(_unknown_tag(tag.name, tag.span) for tag in missing))
    return {statement.name: Listed(tuple(dict.fromkeys(TagValue(tag.name) for tag in statement.tags)))}


def check_instructions(statement: cat.Instructions, tags: Value) -> None:
    """Refuses unknown kinds of instructions, and annotations that are not sets of tags."""
    if statement.name not in _KINDS:
        raise error(
            "W0206",
            f"`{statement.name}` is not a kind of instruction",
            statement.span,
            f"known: {', '.join(_KINDS)}",
        )
    for item in tags.items if isinstance(tags, Group) else (tags,):
        known = members(item)
        if not isinstance(item, TagValue) and not (known and all(isinstance(one, TagValue) for one in known)):
            raise error(
                "W0207", f"annotations are {describe(item)}", statement.tags.span, "expected a set of tags"
            )


def check_macros(source: SourceFile, vocabulary: Collection[str]) -> None:
    """Checks a file of macros (`READ_ONCE(X) __load{once}(X)`) against the dialects' tags.

    Raises:
        InputError: with every annotation that no dialect has.
    """
    text = _COMMENT.sub(lambda match: " " * len(match.group()), source.text)
    problems = [
        _unknown_tag(tag, source.span(found.start(2), found.end(2)))
        for found in _ANNOTATION.finditer(text)
        for tag in found.group(2).split(",")
        if event_set(tag) not in vocabulary
    ]
    if problems:
        raise InputError(*problems)


def _unknown_tag(tag: str, span: Span) -> Diagnostic:
    return Diagnostic(
        code="W0206",
        message=f"no input language has the tag `'{tag}`",
        primary=Label(span, f"events with it would be the set `{event_set(tag)}`"),
        help="`membar models show` and the reference of the dialects list the tags",
    )
