"""What the C++ library lets happen: no more order than the standard promises, and no less."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest

import membar
from membar.code.passes.resolve_library import library_name
from membar.diagnostics import InputError
from membar.languages.compiled.compiler import Compiler, find_compilers
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.library_bodies import library_functions
from membar.languages.compiled.target import X86_64
from strategies.cpp_library import CASES, REFUSED, SLOW, all_programs
from tiers import only_full

QUICK = {"int: notifying is no fence (notify_one)"}
LIBRARIES = ("libc++", "libstdc++")
# Only headers of other versions of the libraries call these, or code with exceptions or checks enabled.
NOT_CALLED = frozenset(
    {
        "_ZN10__cxxabiv112__unexpectedEPFvvE",
        "_ZNSt13exception_ptrC1Ev",
        "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE",
        "_ZNSt3__114__shared_count12__add_sharedEv",
        "_ZNSt3__114__shared_count16__release_sharedEv",
        "_ZNSt3__117__assoc_sub_state12__make_readyEv",
        "_ZNSt3__117__assoc_sub_state16__on_zero_sharedEv",
        "_ZNSt3__117__assoc_sub_state4copyEv",
        "_ZNSt3__117__assoc_sub_state9set_valueEv",
        "_ZNSt3__118condition_variableD2Ev",
        "_ZNSt3__119__shared_weak_count10__add_weakEv",
        "_ZNSt3__119__shared_weak_count12__add_sharedEv",
        "_ZNSt3__119__shared_weak_count16__release_sharedEv",
        "_ZNSt3__133__atomic_wait_native_with_timeoutILm1EEEvPKvS2_m",
        "_ZNSt3__133__atomic_wait_native_with_timeoutILm2EEEvPKvS2_m",
        "_ZNSt3__133__atomic_wait_native_with_timeoutILm4EEEvPKvS2_m",
        "_ZNSt3__15mutexD1Ev",
        "_ZNSt3__15mutexD2Ev",
        "_ZNSt3__16threadD2Ev",
        "_ZSt18uncaught_exceptionv",
        "_ZSt21__glibcxx_assert_failPKciS0_S0_",
        "__cxa_guard_abort",
    }
)


@cache
def compiler_with(library: str) -> Compiler | None:
    """A compiler at hand that brings the library: zig for libc++, on most systems another for libstdc++."""
    for named in (None, "clang++", "clang++-16", "zig"):
        try:
            found = [*find_compilers(named, os.environ)]
        except InputError:
            continue
        for compiler in found:
            if compiler.is_zig == (library == "libc++"):
                return compiler
    return None


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", [name if name in QUICK else only_full(name) for name in CASES])
def test_the_library_promises_what_the_standard_does(name: str, library: str, tmp_path: Path) -> None:
    compiler = compiler_with(library)
    if compiler is None:
        pytest.skip(f"no compiler at hand has {library}")
    text, verdicts = CASES[name]
    expected = verdicts[0 if library == "libc++" else -1]
    if expected == SLOW:
        pytest.skip(f"with {library} this takes too long")
    path = tmp_path / "case.cpp"
    path.write_text(text)
    clang = "zig" if compiler.is_zig else compiler.command[0]
    if expected == REFUSED:
        with pytest.raises(
            membar.InputError, match=r"has no body|defined nowhere|never defined|did not allocate"
        ):
            membar.check(path, clang=clang)
    else:
        assert membar.check(path, clang=clang).verdict == expected


@pytest.mark.full
def test_every_function_of_the_library_has_a_case(tmp_path: Path) -> None:
    path = tmp_path / "cases.cpp"
    path.write_text(all_programs())
    called: set[str] = set()
    for library in LIBRARIES:
        compiler = compiler_with(library)
        if compiler is None:
            pytest.skip(f"no compiler at hand has {library}")
        done = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
        called |= {library_name(name) for name in re.findall(r'@"?([\w.$]+)', done.module.text)}
    promised = {name for name, entry in library_functions().items() if entry.file.startswith("cpp_")}
    assert len(promised) > 150
    assert sorted(promised - called - NOT_CALLED) == []
