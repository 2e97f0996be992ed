"""What `#embed` reads is part of the program: another file there is another program, also for the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.diagnostics import InputError
from strategies.compiled_code import skip_without_embed

PROGRAM = """\
#include <assert.h>
const char data[] = {
#embed "data $1#.bin"
};
int main(void) { assert(data[0] == 65); return 0; }
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    skip_without_embed()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "a.c"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_a_changed_embedded_file_is_read_again(program: Path) -> None:
    data = program.with_name("data $1#.bin")
    for text, verdict in (("A", "holds"), ("B", "violated"), ("A", "holds")):
        data.write_text(text, encoding="utf-8")
        assert membar.check(program).verdict == verdict


def test_an_embedded_file_that_is_missing_is_told_at_its_line_and_may_come_later(program: Path) -> None:
    program.write_text(PROGRAM.replace("data $1#", "below/data"), encoding="utf-8")
    with pytest.raises(InputError, match=r"embed|file not found") as refused:
        membar.check(program)
    primary = refused.value.diagnostics[0].primary
    assert primary is not None
    assert primary.span.line == 3
    (program.parent / "below").mkdir()
    (program.parent / "below" / "data.bin").write_text("A", encoding="utf-8")
    assert membar.check(program).verdict == "holds"
