"""`#include`: another file's words in place."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.diagnostics import InputError
from membar.questions import programs
from membar.questions.outcome import Violated
from membar.source import SourceFile

MAIN = '#include "inner/types.h"\nactive proctype A() { SET(x, LIMIT); assert(x == 3) }\n'
TYPES = '#include "limit.h"\n#define SET(a, b) a = b\nbyte x;'
LIMIT = "/* how far */\n#define LIMIT 3"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    (tmp_path / "main.pml").write_text(MAIN, encoding="utf-8")
    (tmp_path / "inner" / "types.h").write_text(TYPES, encoding="utf-8")
    (tmp_path / "inner" / "limit.h").write_text(LIMIT, encoding="utf-8")
    return tmp_path / "main.pml"


def test_files_are_found_beside_the_one_that_names_them(main: Path) -> None:
    assert membar.check(main, model="sc").verdict == "holds"


def test_files_are_found_in_folders(main: Path) -> None:
    folder = main.parent / "inner"
    main.write_text(MAIN.replace('"inner/types.h"', "<types.h>"), encoding="utf-8")
    with pytest.raises(InputError, match="was not found"):
        membar.check(main)
    assert membar.check(main, model="sc", include_dirs=[folder]).verdict == "holds"


def test_a_mistake_in_an_included_file_is_shown_there(main: Path) -> None:
    (main.parent / "inner" / "types.h").write_text("#define SET(a, b) a = b\nbyte x = ;\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        membar.check(main)
    label = caught.value.diagnostics[0].primary
    assert label is not None
    assert (Path(label.span.path).name, label.span.line) == ("types.h", 2)


def test_a_process_from_another_file_shows_its_lines(tmp_path: Path) -> None:
    (tmp_path / "p.h").write_text("\n\nactive proctype P() { x = 1; x == 2; skip }\n", encoding="utf-8")
    (tmp_path / "m.pml").write_text('byte x;\n#include "p.h"\n', encoding="utf-8")
    result = membar.check(tmp_path / "m.pml")
    assert isinstance(result.outcome, Violated)
    assert result.outcome.property == "deadlock"
    assert programs.edit_sites(result.source, result.program) == ()


def test_a_file_that_includes_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text('byte x;\n#include "m.pml"\n', encoding="utf-8")
    with pytest.raises(InputError, match="too many files"):
        membar.check(tmp_path / "m.pml")


def test_what_is_not_read_is_not_included(tmp_path: Path) -> None:
    text = '#if 0\n#include "nowhere.h"\n#endif\nactive proctype P() { skip }\n'
    assert membar.check(SourceFile(str(tmp_path / "m.pml"), text), model="sc").verdict == "holds"
