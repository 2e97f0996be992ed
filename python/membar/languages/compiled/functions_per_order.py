"""Functions of which a library has one for each memory order, told by the ends of their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from membar.records import record

_STYLES: tuple[Mapping[str, str], ...] = (
    {"relaxed": "_rlx", "acquire": "_acq", "release": "_rel", "seq_cst": ""},
    {
        "relaxed": "_relaxed",
        "acquire": "_acquire",
        "release": "_release",
        "acq_rel": "_acq_rel",
        "seq_cst": "",
    },
)


@record(frozen=True, slots=True)
class Member:
    """A function of a family: its order, and the names of all by their orders."""

    order: str
    names: Mapping[str, str]


class Families:
    """The families among functions."""

    def __init__(self, functions: Collection[str]) -> None:
        self._members: dict[str, Member] = {}
        for style in _STYLES:
            stems = {
                name.removesuffix(style["relaxed"]) for name in functions if name.endswith(style["relaxed"])
            }
            for stem in sorted(stems):
                names = {order: stem + end for order, end in style.items() if stem + end in functions}
                if len(names.keys() - {"seq_cst"}) > 1:  # else a name without an order may mean anything
                    self._members.update((name, Member(order, names)) for order, name in names.items())

    def has(self, name: str) -> bool:
        """Whether a function's name says its order."""
        return name in self._members

    def member(self, name: str) -> Member | None:
        """A function of a family; None if it is none."""
        return self._members.get(name)
