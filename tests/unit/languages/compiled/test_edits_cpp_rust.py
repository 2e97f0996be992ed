"""Where C++ and Rust programs can be changed: what the compiler has at a place must be what the text says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import membar
from membar.diagnostics import InputError
from membar.languages.compiled.edit_sites_in_syntax import edit_sites_in_syntax
from membar.languages.compiled.program import parse_compiled
from membar.languages.compiled.syntax_text import CppText, RustText
from membar.questions.repair.verdicts import Repair
from membar.source import SourceFile
from strategies.compiled_code import needs_clang as needs_compiler

needs_rustc = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")

CPP = """\
#include <atomic>
#include <cassert>
#include <thread>
#define STORE(place, value) place.store(value, std::memory_order_relaxed)
constexpr auto ORDER = std::memory_order_relaxed;
struct Flag {
  std::atomic<int> word{0};
  void raise() { word.store(1, std::memory_order_relaxed); }
  bool is_raised() const { return word.load(std::memory_order::acquire); }
};
Flag flag;
std::atomic<int> other;
int data;
int main() {
  std::thread writer([] { data = 1; flag.raise(); });
  if (flag.is_raised())
    assert(data == 1);
  STORE(other, 1);
  other.store(2, ORDER);
  int expected = other.load();
  other.compare_exchange_strong(expected, 3);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  writer.join();
}
"""
RUST = """\
use std::sync::atomic::{fence, AtomicU32, Ordering, Ordering::Relaxed};
static FLAG: AtomicU32 = AtomicU32::new(0);
static mut DATA: u32 = 0;
const ORDER: Ordering = Ordering::Relaxed;
struct Flag;
impl Flag {
    fn raise(&self) { FLAG.store(1, Relaxed); }
    fn is_raised(&self) -> bool { FLAG.load(Ordering::Acquire) == 1 }
}
fn main() {
    let writer = std::thread::spawn(|| { unsafe { DATA = 1 }; Flag.raise() });
    if Flag.is_raised() {
        assert_eq!(unsafe { DATA }, 1);
    }
    FLAG.store(2, ORDER);
    let _ = FLAG.compare_exchange(2, 3, Ordering::AcqRel, Ordering::Acquire);
    fence(Ordering::SeqCst);
    writer.join().unwrap();
}
"""


def orders(path: str, text: str, language: str) -> list[tuple[str, str, str]]:
    """Title, present order and strongest words of each place that is an order."""
    source = SourceFile(path, text)
    return [
        (place.title, place.alternatives[place.current].name, place.alternatives[-1].edits[0].text)
        for place in edit_sites_in_syntax(source, parse_compiled(source), language)
        if place.title.startswith("the ")
    ]


@pytest.mark.full
@needs_compiler
def test_orders_of_cpp_that_the_compiler_agrees_with() -> None:
    assert orders("a.cpp", CPP, "C++") == [
        ("the store in line 8", "", "std::memory_order_seq_cst"),
        ("the load in line 9", "load acquire", "std::memory_order::seq_cst"),
        ("the load in line 20", "load seq_cst", "std::memory_order_seq_cst"),
        ("the rmw in line 21", "rmw seq_cst", ", std::memory_order_seq_cst"),
        ("the fence in line 22", "fence seq_cst", "std::memory_order_seq_cst"),
    ]


@needs_rustc
def test_orders_of_rust_that_the_compiler_agrees_with() -> None:
    assert orders("a.rs", RUST, "Rust") == [
        ("the store in line 7", "", "std::sync::atomic::Ordering::SeqCst"),
        ("the load in line 8", "load acquire", "Ordering::SeqCst"),
        ("the rmw in line 16", "rmw acq_rel", "Ordering::SeqCst"),
        ("the load in line 16", "load acquire", "Ordering::SeqCst"),
        ("the fence in line 17", "fence seq_cst", "Ordering::SeqCst"),
    ]


COUNTED = """\
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
struct Wrapped(AtomicU32);
static WORD: Wrapped = Wrapped(AtomicU32::new(0));
fn main() {
    let pointer: *const Wrapped = &WORD;
    WORD.0.store(1, Relaxed);
    unsafe { (*pointer).0.store(2, Relaxed) };
    unsafe { &*pointer }.0.store(3, Relaxed);
}
"""


@needs_rustc
def test_orders_behind_numbered_fields_pointers_and_unsafe_blocks_are_found() -> None:
    found = [title for title, _, _ in orders("a.rs", COUNTED, "Rust")]
    assert found == [f"the store in line {line}" for line in (6, 7, 8)]


def test_statements_of_blocks_lambdas_and_branches_are_found() -> None:
    text = "void f() { a(); if (b()) c(); auto g = [] { d(); }; switch (e()) { case 1: h(); } }"
    found = [text[each.start : each.head_end] for each in CppText(SourceFile("a.cpp", text)).statements]
    assert found == ["a();", "if (b()) c();", "c();", "auto g = [] ", "d();", "switch (e()) ", "h();"]
    text = "impl T { fn f(&self) { a(); let g = || { d() }; while b() { c(); } self.x.e() } }"
    rust = RustText(SourceFile("a.rs", text))
    found = [text[each.start : each.head_end] for each in rust.statements]
    assert found == ["a();", "let g = || ", "d()", "while b() ", "c();", "self.x.e()"]
    assert {call.name.text for call in rust.calls} == {"a", "b", "c", "d", "e"}


@pytest.mark.full
@needs_compiler
@needs_rustc
@pytest.mark.parametrize(("name", "text", "word"), [("a.cpp", CPP, "release"), ("a.rs", RUST, "Release")])
def test_a_repair_is_in_words_of_the_language(name: str, text: str, word: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert membar.check(file).verdict == "violated"
    found = membar.repair(file)
    assert isinstance(found, Repair)
    assert [change.own_names[0].endswith(word) for change in found.changes] == [True]
    file.write_text(found.repaired.text)
    assert membar.check(file).verdict == "holds"


@needs_rustc
def test_a_package_is_not_edited(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("")
    with pytest.raises(InputError):
        membar.repair(file)
