"""Ordinary C that was refused, or answered wrongly, because of the front end itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli.command import main
from membar.diagnostics import InputError
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

_INPUTS = Path(__file__).parent / "inputs" / "c"


def _refused(name: str, verdict: str, reason: str, *, model: str = "rc11") -> object:
    mark = pytest.mark.xfail(reason=reason, strict=True, raises=InputError)
    return pytest.param(name, model, verdict, marks=mark, id=f"{name}-{model}")


@pytest.mark.parametrize(
    ("name", "model", "verdict"),
    [
        ("small_member.c", "rc11", "holds"),
        ("zero_length_array.c", "rc11", "holds"),
        _refused("gnuc.c", "holds", "gcc's predefined macros are not defined", model="x86-tso"),
        _refused("gnuc.c", "holds", "gcc's predefined macros are not defined", model="armv8"),
        _refused("aligned.c", "holds", "`aligned` and `packed` on types and members are refused"),
        _refused("spinlock_name.c", "holds", "kernel names win over the program's own `spinlock_t`"),
        _refused("user_spin_lock.c", "violated", "kernel names win over the program's own `spin_lock`"),
        _refused("linux_include.c", "holds", "`<linux/futex.h>` switches to kernel mode: no `__atomic_*`"),
        _refused("cas_failure_order.c", "holds", "an acq_rel failure order is refused; should be a warning"),
        _refused(
            "cas_failure_order_builtin.c", "holds", "an acq_rel failure order is refused; should be a warning"
        ),
        pytest.param("line_marker.i", "rc11", "holds", marks=needs_clang),
        _refused("memcpy_n.c", "holds", "memcpy of a number of bytes that the text does not tell"),
        _refused("dead_size_cond.c", "holds", "a branch that sizeof rules out is type-checked as an access"),
        _refused("sync_ptr.c", "holds", "`__sync_fetch_and_add` on a pointer with a pointer"),
        _refused("static_assert_lock_free.c", "holds", "`__atomic_always_lock_free` is not a constant"),
        _refused("types_compatible.c", "holds", "`__builtin_types_compatible_p` is not read"),
        _refused("join_retval.c", "holds", "`pthread_join(t, (void *)&word)` is refused"),
        _refused("W0911_atomic_block.c", "holds", "an atomic block with a loop of known length is refused"),
    ],
)
def test_ordinary_c_is_accepted(name: str, model: str, verdict: str) -> None:
    assert membar.check(_INPUTS / name, model=model).verdict == verdict


def test_a_zero_length_array_has_a_bound_all_the_same() -> None:
    text = (_INPUTS / "zero_length_array.c").read_text(encoding="utf-8").replace("slot[1]", "slot[2]")
    assert membar.check(SourceFile("beyond.c", text)).verdict == "violated"


@needs_clang
def test_several_files_are_one_program(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", str(_INPUTS / "multi_a.c"), str(_INPUTS / "multi_b.c")])
    assert (code, capsys.readouterr().err) == (0, "")


@needs_clang
@pytest.mark.xfail(reason="the line is named, but not the column and the mistake", strict=True)
def test_lines_of_a_preprocessed_file_refer_to_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "made.i"
    file.write_text('# 41 "a.c"\nint main(void) { return unknown_name; }\n', encoding="utf-8")
    main(["check", str(file)])
    assert "a.c:41:" in capsys.readouterr().err
