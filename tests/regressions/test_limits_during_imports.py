"""A limit that is reached while Python makes a class is a limit, not an internal error."""

from __future__ import annotations

import pytest

from membar.limits import budget


class _Late:
    def __set_name__(self, owner: type, name: str) -> None:
        raise budget.LimitError("the time limit was reached")


def test_a_limit_reached_while_a_class_is_made_is_a_limit() -> None:
    with pytest.raises(budget.LimitError), budget.limit_resources(seconds=60, memory=None):
        type("Made", (), {"part": _Late()})


def test_another_error_while_a_class_is_made_stays_one() -> None:
    class Wrong:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyError(name)

    with pytest.raises((RuntimeError, KeyError)), budget.limit_resources(seconds=60, memory=None):
        type("Made", (), {"part": Wrong()})
