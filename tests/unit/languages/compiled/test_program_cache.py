"""A program that is kept is the one that translating would give, and never an old one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import membar
from membar.languages.compiled import program_cache
from membar.languages.compiled.cache import Cache
from membar.limits import process
from membar.records import replace
from membar.source import CompilerOptions, SourceFile

EXAMPLES = Path(__file__).parents[4] / "examples" / "c"
PROGRAM = '#include <assert.h>\n#include "b.h"\nint main(void) { assert(B == 1); return 0; }\n'


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, used as the command uses it, beside the sources of a program."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(process._this, "is_command", True)
    monkeypatch.chdir(tmp_path)
    Path("first").mkdir()
    Path("second").mkdir()
    Path("a.c").write_text(PROGRAM, encoding="utf-8")
    Path("second/b.h").write_text("#define B 1\n", encoding="utf-8")
    return tmp_path / "cache" / "membar" / "compiled"


def source() -> SourceFile:
    return replace(SourceFile.read("a.c"), include_dirs=("first", "second"))


def is_kept(asked: SourceFile | None = None) -> bool:
    return program_cache.find(asked or source()) is not None


@pytest.mark.parametrize("name", ["peterson.c", "heap/treiber-early-free.c", "ring.c", "seqlock.c"])
def test_what_is_kept_is_what_was_translated(name: str) -> None:
    asked = SourceFile.read(EXAMPLES / name)
    program = membar.parse(asked)
    found = program_cache.find(asked)
    assert found == program
    assert found is not program
    pairs = [
        (old.span, new.span)
        for before, after in zip(program.threads, found.threads, strict=True)
        for old, new in zip(before.edges, after.edges, strict=True)
    ]
    assert all((old is None) == (new is None) for old, new in pairs)
    shown = [(old, new) for old, new in pairs if old is not None and new is not None]
    assert [(old.path, old.start, old.end, old.place) for old, _ in shown] == [
        (new.path, new.start, new.end, new.place) for _, new in shown
    ]
    assert all((old.source is asked) == (new.source is asked) for old, new in shown)


def test_another_text_header_option_or_code_is_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    membar.parse(source())
    assert is_kept()
    assert not is_kept(replace(source(), defines=("N=3",)))
    assert not is_kept(replace(source(), include_dirs=("second",)))
    assert not is_kept(replace(source(), arguments=("1",)))
    assert not is_kept(source().compiled_for("armv8"))
    assert not is_kept(replace(source(), text=PROGRAM + "\n"))
    assert not is_kept(replace(source(), compiler=CompilerOptions(uses_cache=False)))
    with monkeypatch.context() as patch:
        patch.setattr(program_cache, "state_of_code", lambda: ("other code",))
        assert not is_kept()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"first{os.pathsep}{os.environ['PATH']}")
        assert not is_kept()
    assert is_kept()
    Path("a.c").write_text(PROGRAM.replace("B == 1", "B == 2"), encoding="utf-8")
    assert not is_kept()


def test_a_header_that_changes_or_is_found_first_is_seen() -> None:
    membar.parse(source())
    Path("second/b.h").write_text("#define B 2\n", encoding="utf-8")
    assert not is_kept()
    membar.parse(source())
    assert is_kept()
    Path("first/b.h").write_text("#define B 1\n", encoding="utf-8")
    assert not is_kept()


def test_a_text_that_is_not_on_the_disk_is_not_kept() -> None:
    asked = replace(source(), text=PROGRAM.replace("B == 1", "B == 3"))
    membar.parse(asked)
    assert not is_kept(asked)


@pytest.mark.parametrize("macro", ["__DATE__", "__TIME__", "__TIMESTAMP__"])
def test_a_text_that_asks_for_the_time_is_not_kept(macro: str) -> None:
    Path("a.c").write_text(f"const char *s = {macro};\n{PROGRAM}", encoding="utf-8")
    membar.parse(source())
    assert not is_kept()


def test_a_file_that_changed_in_the_meantime_may_have_been_read_before() -> None:
    ahead = Path("second/b.h").stat().st_mtime + 60
    os.utime("second/b.h", (ahead, ahead))
    membar.parse(source())
    assert not is_kept()


def test_only_the_command_keeps_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(process._this, "is_command", False)
    membar.parse(source())
    monkeypatch.setitem(process._this, "is_command", True)
    assert not is_kept()


def test_code_of_the_library_that_is_kept_is_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (EXAMPLES / "heap" / "treiber.c").read_text(encoding="utf-8")
    programs = []
    for number, is_command in enumerate((True, True, False)):
        Path("t.c").write_text(f"{text}// {number}\n", encoding="utf-8")
        monkeypatch.setitem(process._this, "is_command", is_command)
        programs.append(membar.parse(SourceFile.read("t.c")))
    assert programs[0] == programs[1] == programs[2]


def test_a_broken_entry_is_none(cache: Path) -> None:
    membar.parse(source())
    for entry in cache.iterdir():
        content = entry.read_bytes()
        entry.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
    assert not is_kept()


def test_an_entry_makes_parts_of_programs_only(cache: Path) -> None:
    Cache(cache).put(program_cache._key(source()), subprocess.Popen)
    assert not is_kept()
    Cache(cache).put(program_cache._key(source()), Path("a.c"))
    assert not is_kept()


def test_all_code_that_translates_a_program_is_looked_at() -> None:
    code = (
        "import sys\nfrom membar.source import SourceFile\nfrom membar.languages import compiled\n"
        "compiled.FRONTEND.parse(SourceFile.read(sys.argv[1]))\n"
        "print(*(module.__file__ for name, module in sys.modules.items() if name.startswith('membar')))"
    )
    example = str(EXAMPLES / "heap" / "treiber.c")
    done = subprocess.run([sys.executable, "-c", code, example], capture_output=True, text=True, check=True)
    loaded = [Path(name).relative_to(program_cache.PACKAGE).as_posix() for name in done.stdout.split()]
    assert len(loaded) > 50
    folders = tuple(f"{name}/" for name in program_cache.FOLDERS)
    assert [name for name in loaded if not name.startswith(folders) and name not in program_cache.FILES] == []


def test_a_second_check_translates_nothing() -> None:
    code = (
        "import sys\nfrom membar.limits import process\nprocess.begin_command()\n"
        "from membar.cli import command\ncode = command.main(['check', 'a.c', '-I', 'second'])\n"
        "print(code, *sys.modules)"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    first, second = (set(text.splitlines()[-1].split()) for text in outputs)
    assert "0" in first & second
    translating = {"membar.code", "membar.languages.compiled.program", "subprocess"}
    assert translating <= first
    assert second & translating == set()
    assert all("HOLDS" in text.splitlines()[0] for text in outputs)
