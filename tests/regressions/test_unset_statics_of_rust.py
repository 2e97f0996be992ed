"""What `MaybeUninit` leaves unset in statics, and in constants that rustc copies, is not 0."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import membar

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")

RING = """
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering::*};
struct Ring { slots: [UnsafeCell<MaybeUninit<u32>>; 2], end: AtomicUsize }
unsafe impl Sync for Ring {}
static RING: Ring =
    Ring { slots: [const { UnsafeCell::new(MaybeUninit::uninit()) }; 2], end: AtomicUsize::new(0) };
fn main() {
    let writer = std::thread::spawn(|| unsafe {
        (*RING.slots[0].get()).write(5);
        RING.end.store(1, Release);
    });
    if RING.end.load(Acquire) == 1 {
        let number = unsafe { (*RING.slots[SLOT].get()).assume_init_read() };
        assert!(number != 8);
    }
    writer.join().unwrap();
}
"""
BOX = """
use std::mem::MaybeUninit;
fn main() {
    let mut place: Box<MaybeUninit<u32>> = Box::new(MaybeUninit::uninit());
    std::thread::scope(|s| { s.spawn(|| if SLOT == 0 { place.write(5); }); });
    assert!(unsafe { *place.assume_init_ref() } != 8);
}
"""


@pytest.mark.parametrize("text", [RING, BOX], ids=["a static", "a constant"])
def test_a_slot_that_was_never_written_is_not_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(text.replace("SLOT", "0"))
    assert membar.check(path).verdict == "holds"
    path.write_text(text.replace("SLOT", "1"))
    answer = membar.check(path)
    assert answer.verdict == "violated"
    assert "read before it was set" in answer.render("terminal").replace("\n", " ")
