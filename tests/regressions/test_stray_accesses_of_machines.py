"""An access of C that goes astray is no bad input, though machines with store buffers go no further there."""

from __future__ import annotations

import membar
from membar.questions.outcome import Unknown
from membar.source import SourceFile

_OBJECT = """#include <stdlib.h>
// membar: object Register
static int *volatile x;
// membar: operation write(fresh)
static void write(int v) { x = malloc(4); x[1] = v; }
// membar: operation read()
static int read(void) { return 0; }
"""


def test_a_stray_access_of_a_client_ends_the_search_without_an_answer() -> None:
    answer = membar.check(SourceFile("box.c", _OBJECT), engine="states", model="sc", client=(2, 1))
    assert isinstance(answer.outcome, Unknown)
    assert answer.outcome.reason.startswith("the engine states stopped: access of 4 bytes")
