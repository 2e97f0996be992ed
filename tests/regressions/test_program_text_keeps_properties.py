"""Program text printed assertions about locks, exits, overflow, leaks and errors as plain assertions."""

from __future__ import annotations

import pytest

import membar
from membar import SourceFile
from membar.properties import ASSERTED
from membar.questions.outcome import Verdict
from membar.questions.translate import translate

_TEXTS = {
    "locks.c": "#include <pthread.h>\npthread_mutex_t m;\nint main(void) { pthread_mutex_unlock(&m); }\n",
    "exits.c": "#include <stdlib.h>\nint main(void) { abort(); }\n",
    "status.c": "_Atomic int k;\nint main(void) { return k + 1; }\n",
    "overflow.c": "_Atomic int k = 2147483647;\nint main(void) { int n = k + 1; return n * 0; }\n",
    "leaks.c": "#include <stdlib.h>\nint main(void) { malloc(4); return 0; }\n",
    "memory.c": "int *p;\nint main(void) { return *p; }\n",
    "assertions.c": "#include <assert.h>\nint main(void) { assert(0); return 0; }\n",
    "errors.xcfa": (
        "var x : int\nprocess p {\n  main procedure run() {\n    init loc a\n    error loc b\n"
        "    final loc c\n    a -> b { assume x = 0 }\n    a -> c { assume x = 1 }\n  }\n}\n"
    ),
    "memory.pml": "byte a[2];\nactive proctype p() { byte i = 2; a[i] = 1 }\n",
}


@pytest.mark.parametrize("name", _TEXTS)
def test_a_program_reads_back_with_the_same_findings(name: str) -> None:
    source = SourceFile(name, _TEXTS[name])
    answer = membar.check(source, model="sc", engine="graphs")
    text = translate(source, to="program", model="sc")
    again = membar.check(SourceFile("again.mbp", text), model="sc", engine="graphs")
    violated = {
        (item.property, item.is_warning) for item in answer.findings if item.verdict is Verdict.VIOLATED
    }
    assert violated
    assert violated == {
        (item.property, item.is_warning) for item in again.findings if item.verdict is Verdict.VIOLATED
    }
    assert again.verdict == answer.verdict


def test_every_property_of_an_assertion_can_be_written() -> None:
    for name in sorted(ASSERTED):
        source = SourceFile("a.mbp", f'program a\nthread P0 {{\n  0 -> 1: assert 0, {name}, "why"\n}}\n')
        answer = membar.check(source, model="sc", properties=(name,))
        violated = [item.property for item in answer.findings if item.verdict is Verdict.VIOLATED]
        assert violated == [name]
