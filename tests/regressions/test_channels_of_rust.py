"""Channels of Rust: senders found a channel full, or a receiver gone, as `std` does not allow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import membar
from tiers import first

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
CASES = {
    "there is room for two": """
        let (sender, receiver) = sync_channel(2);
        let other = sender.clone();
        let thread = spawn(move || assert!(other.try_send(1).is_ok()));
        assert!(sender.try_send(2).is_ok());
        thread.join().unwrap();
        drop(receiver);
    """,
    "a sender that waits for room learns that the receiver is gone": """
        let (sender, receiver) = sync_channel(1);
        let thread = spawn(move || drop(receiver));
        let _ = sender.send(1);
        assert!(sender.send(2).is_err());
        thread.join().unwrap();
    """,
    "a sender that waits for the receiver gets its message back": """
        let (sender, receiver) = sync_channel(0);
        let thread = spawn(move || drop(receiver));
        assert_eq!(sender.send(2), Err(SendError(2)));
        thread.join().unwrap();
    """,
    "what nobody takes is dropped": """
        let message = std::sync::Arc::new(1);
        let copy = std::sync::Arc::downgrade(&message);
        let (sender, receiver) = channel();
        let thread = spawn(move || drop(sender.send(message)));
        drop(receiver);
        thread.join().unwrap();
        assert!(copy.upgrade().is_none());
    """,
}


@pytest.mark.parametrize("name", first(1, CASES))
def test_senders_see_the_channel_as_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(f"use std::sync::mpsc::*; use std::thread::spawn; fn main() {{ {CASES[name]} }}")
    assert membar.check(path).verdict in ("holds", "holds-within")
