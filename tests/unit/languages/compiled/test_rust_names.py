"""Symbols of Rust, as people write them."""

from __future__ import annotations

import shutil

import pytest

import membar
from membar.languages.compiled.rust.names import demangle, shorten
from membar.source import SourceFile


@pytest.mark.parametrize(
    ("symbol", "path", "short"),
    [
        ("_ZN4spin4Spin4with17h38bbb1f981fcba5aE", "spin::Spin::with", "Spin::with"),
        (
            "_ZN71_$LT$alloc..sync..Arc$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h94757ed52bc65c53E",
            "<alloc::sync::Arc<T,A> as core::ops::drop::Drop>::drop",
            "<Arc<T,A> as Drop>::drop",
        ),
        (
            "_ZN4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
            "main::{{closure}}",
            "main::{{closure}}",
        ),
        ("_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt", "core::panicking::panic_fmt", "panic_fmt"),
        (
            "_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedmmECsjrHSEGnQ3l9_3std",
            "core::panicking::assert_failed::<u32, u32>",
            "assert_failed::<u32, u32>",
        ),
        (
            "_RNvXs0_NtCsgEmfK2I1SDS_4core3anyDNtB5_3AnyNtNtB7_6marker4SendEL_NtNtB7_3fmt5Debug3fmt",
            "<dyn core::any::Any + core::marker::Send as core::fmt::Debug>::fmt",
            "<dyn Any + Send as Debug>::fmt",
        ),
        ("_RNCNvC1a4main0", "a::main::{closure#0}", "main::{closure#0}"),
        ("malloc", "malloc", "malloc"),
        ("_R", "_R", "_R"),
        ("_RNvC1a", "_RNvC1a", "_RNvC1a"),
        ("_ZN9", "_ZN9", "_ZN9"),
    ],
)
def test_symbols_are_paths(symbol: str, path: str, short: str) -> None:
    assert demangle(symbol) == path
    assert shorten(demangle(symbol)) == short


@pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
def test_memory_is_named_as_in_the_program() -> None:
    text = (
        "use std::sync::atomic::{AtomicBool, Ordering};\nuse std::{cell::UnsafeCell, thread};\n"
        "struct Lock { held: AtomicBool, data: UnsafeCell<u32> }\nunsafe impl Sync for Lock {}\n"
        "fn main() {\n  let lock = Lock { held: AtomicBool::new(false), data: UnsafeCell::new(0) };\n"
        "  thread::scope(|s| {\n    s.spawn(|| lock.held.store(true, Ordering::Relaxed));\n"
        "    unsafe { *lock.data.get() = 1 };\n  });\n  assert!(!lock.held.load(Ordering::Relaxed));\n}\n"
    )
    found = membar.check(SourceFile("lock.rs", text), properties=["assertions"])
    said = found.render("terminal")
    assert "state reached: [lock.data]=1; [lock.held]=1;" in said  # nothing of the standard library
    assert "thread::scope(" in said
