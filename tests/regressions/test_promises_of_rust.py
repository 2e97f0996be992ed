"""Code of Rust that must be unreachable: rustc leaves only an assumption of the branch that leads there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import membar
from tiers import first

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
CASES = {
    "unreachable": "if X.load(Relaxed) == 0 { unsafe { std::hint::unreachable_unchecked() } }",
    "unwrap": "let v = X.load(Relaxed); unsafe { (if v == 0 { None } else { Some(v) }).unwrap_unchecked() };",
    "promise": "unsafe { std::hint::assert_unchecked(X.load(Relaxed) != 0) };",
}


@pytest.mark.parametrize("name", first(1, CASES))
def test_what_must_be_impossible_is_checked(name: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    head = "use std::sync::atomic::{AtomicU32, Ordering::Relaxed}; static X: AtomicU32 = AtomicU32::new(0);"
    start = "let t = std::thread::spawn(|| X.store(1, Relaxed));"
    path.write_text(f"{head} fn main() {{ {start} {CASES[name]} t.join().unwrap(); }}")
    assert membar.check(path).verdict == "violated"
    path.write_text(path.read_text().replace("AtomicU32::new(0)", "AtomicU32::new(2)"))
    assert membar.check(path).verdict == "holds"
