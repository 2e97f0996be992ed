"""Guides: the content of an SV-COMP violation witness, independent of its format, mapped to a program.

A guide leads to a violation: waypoints that an execution passes in this order, with anything in between, and
the target, or the two accesses of a race. Thread names are those of the witness.
"""

from __future__ import annotations

import re

from membar.records import record

UNREACHABLE = "CHECK( init(main()), LTL(G ! call(reach_error())) )"
NO_RACE = "CHECK( init(main()), LTL(G ! data-race) )"
VALID_DEREF = "CHECK( init(main()), LTL(G valid-deref) )"
VALID_FREE = "CHECK( init(main()), LTL(G valid-free) )"
PROPERTIES = {UNREACHABLE: "assertions", NO_RACE: "races", VALID_DEREF: "memory", VALID_FREE: "memory"}
# How the message about a call of `reach_error` begins; SV-COMP has no property for an `assert` that fails.
_REACHED = "reach_error is called"
# How messages about memory say what SV-COMP has a property for; about others (never set) it has none.
_MEMORY = (
    (re.compile(r"double free|\bfree of\b"), VALID_FREE),
    (re.compile(r"use after free|dereferenced|outside|access of|end of lifetime|no function"), VALID_DEREF),
)

WEAK = "only weak memory explains it: no interleaving of the threads has these values"
"""How a witness says that its order of steps is not one that sequential consistency allows."""


@record(frozen=True, slots=True, kw_only=True)
class Waypoint:
    """One step that is passed.

    Attributes:
        thread: who passes it.
        line: where it begins; None for a step without a place.
        start: the offset of its first character, where the format has offsets.
        end: the offset of its last character.
        before: values of global variables just before it.
        after: values of global variables just after it.
        enters: a function is entered; at the place of a thread's creation it is that thread's first.
        creates: the name of the thread that it creates; None where the format counts them.
        function: the function that a thread begins with.
    """

    thread: str
    line: int | None = None
    start: int | None = None
    end: int | None = None
    before: tuple[tuple[str, int], ...] = ()
    after: tuple[tuple[str, int], ...] = ()
    enters: bool = False
    creates: str | None = None
    function: str | None = None


@record(frozen=True, slots=True, kw_only=True)
class SvcompWitness:
    """A witness.

    Attributes:
        specification: the property that is violated, in SV-COMP's words: one of `PROPERTIES`.
        hashes: the SHA-256 of the files that it is about.
        main: the thread that the program begins with.
        waypoints: what is passed, in order.
        targets: where the property is violated; both accesses of a race.
        is_weak: it says of itself that its order is no interleaving.
    """

    specification: str
    hashes: tuple[str, ...]
    main: str
    waypoints: tuple[Waypoint, ...]
    targets: tuple[Waypoint, ...]
    is_weak: bool = False


def specification(property_: str, message: str) -> str | None:
    """SV-COMP's name for the violation of a property with this message; None if it has none."""
    if property_ == "assertions" and message.startswith(_REACHED):
        return UNREACHABLE
    if property_ == "races":
        return NO_RACE
    if property_ == "memory":
        return next((found for words, found in _MEMORY if words.search(message)), None)
    return None
