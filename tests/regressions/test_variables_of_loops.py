"""C++ and Rust: a pointer to the variable of an earlier iteration is not one to the variable of this one.

The cases in C are in `strategies/c_lifetime_cases.py`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import membar
from strategies.compiled_code import needs_clang

CPP = """
int main() {
  const int *kept = nullptr;
  for (int i = 0; i < 3; i++) {
    int x[2] = {i, i};
    if (USED) return *kept;
    kept = &x[1];
  }
}
"""
RUST = """
fn main() {
    let mut kept: *const i32 = std::ptr::null();
    for i in 0..3 {
        let x = i;
        if USED { unsafe { assert!(*kept >= 0); } }
        kept = &x;
        unsafe { assert!(*kept == i); }
    }
}
"""


@needs_clang
@pytest.mark.parametrize(("used", "verdict"), [("i == 2", "violated"), ("i == 3", "holds")])
def test_a_variable_of_cpp(used: str, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "case.cpp"
    path.write_text(CPP.replace("USED", used), encoding="utf-8")
    assert membar.check(path).verdict == verdict


@pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
@pytest.mark.parametrize(("used", "verdict"), [("i == 2", "violated"), ("i == 3", "holds")])
def test_a_variable_of_rust(used: str, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(RUST.replace("USED", used), encoding="utf-8")
    assert membar.check(path).verdict == verdict
