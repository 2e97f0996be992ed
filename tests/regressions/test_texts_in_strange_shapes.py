"""A witness that declares a strange encoding was a traceback; text of several lines was shown with U+FFFD."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar import InputError, SourceFile
from membar.reports import terminal

_C = "#include <assert.h>\nint main(void) { assert(0); return 0; }\n"
_STEP = """byte x;
active [2] proctype P() {
  atomic {
    x == 0;
    x = 1
  }
  assert(false)
}
"""


@pytest.mark.parametrize("encoding", ["UTF-1", "utf-7", "shift_jis", "idna", "no-such-encoding"])
def test_a_witness_in_a_strange_encoding_is_bad_input(tmp_path: Path, encoding: str) -> None:
    witness = tmp_path / "witness.graphml"
    witness.write_text(f'<?xml version="1.0" encoding="{encoding}"?>\n<graphml/>\n', encoding="ascii")
    with pytest.raises(InputError) as refused:
        membar.check(SourceFile("w.c", _C), confirm=witness)
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "W1446"
    assert encoding in diagnostic.message


def test_a_step_of_several_lines_is_shown_as_text() -> None:
    report = terminal.render(membar.check(SourceFile("step.pml", _STEP), model="sc"))
    assert "x == 0; x = 1" in report
    assert "\ufffd" not in report
