"""Judgements in processes of their own: one that hangs or dies is reported, and the others continue."""

from __future__ import annotations

import os
import time

from differential.watched import Died, Killed, judged


def test_what_hangs_or_dies_is_told_and_the_rest_goes_on() -> None:
    def judge(item: int) -> int:
        if item == 2:
            time.sleep(60)
        if item == 4:
            os._exit(7)
        return item * item

    found = dict(judged(judge, range(7), jobs=2, most_seconds=1.0, memory=4 << 30))
    assert isinstance(found.pop(2), Killed)
    assert found.pop(4) == Died(7)
    assert found == {0: 0, 1: 1, 3: 9, 5: 25, 6: 36}
