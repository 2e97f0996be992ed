"""rustc merged two reads through one reference: a race or a use after free between them was HOLDS."""

from __future__ import annotations

import shutil

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.source import SourceFile

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")

RACE = """use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::*};
struct Shared(UnsafeCell<u32>);
unsafe impl Sync for Shared {}
static X: Shared = Shared(UnsafeCell::new(0));
static FLAG: AtomicBool = AtomicBool::new(false);
fn main() {
    let thread = std::thread::spawn(|| if FLAG.load(Acquire) { unsafe { *X.0.get() = 1 } });
    let shared: &u32 = unsafe { &*X.0.get() };
    assert_eq!(*shared, 0);
    FLAG.store(true, Release);
    assert!(*shared < 2);
    thread.join().unwrap();
}
"""
FREED = """fn check(shared: &u32, owner: Box<u32>) {
    assert!(*shared == 1);
    drop(owner);
    assert!(*shared == 1);
}
fn main() {
    let owner = Box::new(1);
    let shared = unsafe { &*(&*owner as *const u32) };
    check(shared, owner);
}
"""
ENDED = """fn dangling() -> &'static u32 {
    let local = std::hint::black_box(4);
    unsafe { std::mem::transmute(&local) }
}
fn main() { let shared = dangling(); assert_eq!(*shared, 4); }
"""
GROWN = """fn main() {
    let mut list = Vec::<u32>::with_capacity(1);
    list.push(1);
    let first: &u32 = unsafe { &*(&list[0] as *const u32) };
    assert_eq!(*first, 1);
    list.push(2);
    assert_eq!(*first, 1);
}
"""


@pytest.mark.parametrize("text", tiers.first(2, [RACE, FREED, ENDED, GROWN]))
def test_both_reads_are_there(text: str) -> None:
    answer = membar.check(SourceFile("reads.rs", text))
    violated = {item.property for item in answer.findings if item.verdict == "violated"}
    assert violated == {"races" if text is RACE else "memory"}


def test_a_stable_compiler_refuses_unstable_features() -> None:
    text = "#![feature(box_patterns)]\nfn main() {}\n"
    with pytest.raises(InputError, match="feature"):
        membar.check(SourceFile("unstable.rs", text))
