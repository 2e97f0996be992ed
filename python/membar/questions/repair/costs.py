"""The costs of changes: a table that users can edit."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from membar.diagnostics import InputError, close_matches, refusal
from membar.records import record
from membar.text.edits import EditSite

_OURS: Final = Path(__file__).with_name("costs.toml")
_LOOP: Final = "loop"
_ANY: Final = "any"
_UNLISTED: Final = 20


@record(frozen=True, slots=True)
class Costs:
    """The costs of one model, by name; and by how much a loop multiplies them."""

    table: Mapping[str, int]

    @property
    def loop(self) -> int:
        """What a change inside a loop costs, compared with one outside."""
        return self.table[_LOOP]

    def of(self, place: EditSite, base: int) -> tuple[int, ...]:
        """What each alternative of a place costs more than `base` does, 1 at least; nothing for `base`."""
        factor = self.loop**place.loops
        absolute = [
            self.table.get(each.name, _UNLISTED) * factor if each.name else 0 for each in place.alternatives
        ]
        return tuple(
            0 if number == base else max(1, cost - absolute[base]) for number, cost in enumerate(absolute)
        )

    def all_of(self, places: Sequence[EditSite], base: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The costs of all places."""
        return tuple(self.of(place, start) for place, start in zip(places, base, strict=True))


def costs_for(
    model: str, edited: Path | None = None, *, models: Collection[str] = (), names: Collection[str] = ()
) -> Costs:
    """The costs under a model: ours, and the user's before them.

    Args:
        model: its name.
        edited: the user's table.
        models: what other models there are.
        names: changes that there are besides those that our table names.

    Raises:
        InputError: the user's table is malformed, or names what does not exist.
        OSError: it cannot be read.
    """
    ours = _read(_OURS)
    table = ours.get(_ANY, {}) | ours.get(model, {})
    if edited is not None:
        theirs = _read(edited)
        changes = {name for named in ours.values() for name in named}
        _must_be_known(edited, "model", theirs, {_ANY, model, *models, *ours})
        for named in theirs.values():
            _must_be_known(edited, "change", named, {*changes, *names})
        table |= theirs.get(_ANY, {}) | theirs.get(model, {})
    return Costs(table)


def _must_be_known(path: Path, what: str, found: Iterable[str], known: Collection[str]) -> None:
    """Refuses a name that would silently price nothing."""
    for name in found:
        if name not in known:
            close = close_matches(name, list(known), n=1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            raise _malformed_table(path, f"there is no {what} `{name}`{hint}")


def _read(path: Path) -> dict[str, dict[str, int]]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise _malformed_table(path, str(problem)) from None
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise _malformed_table(path, f"`{name}` is outside a table such as [any] or [x86-tso]")
        for key, cost in table.items():
            if not isinstance(cost, int) or isinstance(cost, bool) or cost < 1:
                raise _malformed_table(
                    path, f"the cost of `{key}` in [{name}] is not a positive whole number"
                )
    return tables


def _malformed_table(path: Path, what: str) -> InputError:
    return refusal(
        "W0420",
        f"`{path}` is not a table of costs: {what}",
        help='lines such as `"fence seq_cst" = 20` under [any] or a model\'s name',
    )
