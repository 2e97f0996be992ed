"""What membar's `std` lets happen: no more order than the documentation promises, and no less."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import membar
from membar.cli.command import main
from membar.diagnostics import InputError
from membar.languages.compiled.build import BuildOptions
from membar.languages.compiled.driver import CompileOptions
from membar.languages.compiled.rust.compiler import SHIM
from membar.languages.compiled.rust.driver import build_rust
from membar.languages.compiled.rust.names import demangle
from strategies.rust_library import CASES, HEAD, all_programs, program
from tiers import first

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
QUICK = {"a mutex is no fence", "park may end without cause", "a mutex protects a sorted map"}
QUICK |= {"iterating over a vector depends on no address", "a read whose value goes nowhere is a read"}


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in CASES]
)
def test_the_library_promises_what_is_documented(name: str, tmp_path: Path) -> None:
    *parts, verdict = CASES[name]
    path = tmp_path / "case.rs"
    path.write_text(program(*parts))
    assert membar.check(path).verdict == verdict


@pytest.mark.full
def test_every_function_of_the_library_has_a_case(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(all_programs())
    # Unoptimised, LLVM IR names every function that is called.
    options = CompileOptions(others=("-Copt-level=0", "-Zinline-mir=no"))
    built = build_rust([str(path)], BuildOptions(options=options))
    called = {_short_name(symbol) for symbol in re.findall(r'@"?([\w.$]+)', built.files[0].module.text)}
    promised = set(_promised_functions())
    assert len(promised) > 90
    assert promised - called == set()


def _promised_functions() -> Iterator[str]:
    """The public functions of membar's crates, with the type or module they belong to."""
    inside = {"primitives.rs", "runtime.rs"}
    containers = "collections"  # test_rust_containers.py compares them with those of `std`
    for path in (*Path(SHIM, "std").rglob("*.rs"), Path(SHIM, "membar", "lib.rs")):
        if containers in path.parts:
            continue
        owner = module = path.parent.name if path.stem == "lib" else path.stem
        for line in path.read_text().splitlines() if path.name not in inside else ():
            of_type = re.fullmatch(r"impl (\w+) \{", _without_types(line))
            if of_type or line == "}":
                owner = of_type[1] if of_type else module
            found = re.match(r"\s*pub fn (\w+)", line)
            if found:
                yield f"{owner}::{found[1]}"


def _short_name(symbol: str) -> str:
    """A function with its type or module."""
    return "::".join(_without_types(demangle(symbol)).strip("<>").replace(">::", "::").split("::")[-2:])


def _without_types(text: str) -> str:
    """The text without arguments of types."""
    rest, before = text.replace("->", ""), ""
    while rest != before:
        rest, before = re.sub(r"(?<=\w)(::)?<[^<>]*>|<[^<>]* as [^<>]*>", "", rest), rest
    return rest


PANICS = {
    "index out of bounds": "let a = [1, 2]; let i = X.load(Relaxed) as usize + 2; let _ = a[i];",
    "attempt to add with overflow": "let n = u32::MAX - X.load(Relaxed); let _ = n + 1;",
    "has no value": "let n: Option<u32> = if X.load(Relaxed) == 0 { None } else { Some(1) }; n.unwrap();",
    "the program panics": 'if X.load(Relaxed) == 0 { panic!("no") }',
    "attempt to divide by zero": "let _ = 1 / X.load(Relaxed);",
}


@pytest.mark.full
@pytest.mark.parametrize("message", PANICS)
def test_a_panic_is_a_failed_assertion(message: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(program("", PANICS[message], ""))
    answer = membar.check(path)
    assert answer.verdict == "violated"
    assert message in answer.render("terminal")


@pytest.mark.full
def test_a_closure_is_called_after_the_function_it_is_in(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(program("fn look() { assert!(X.load(Relaxed) == 1) } look();", "", ""))
    assert "in look ← closure in main case.rs:" in membar.check(path).render("terminal").replace("\n", " ")


@pytest.mark.full
def test_a_panic_that_is_caught_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    own = "let _ = std::panic::catch_unwind(|| if X.load(Relaxed) == 0 { panic!() });"
    path.write_text(program("", own, ""))
    answer = membar.check(path)
    assert answer.verdict == "unknown"
    assert "catch_unwind" in answer.render("terminal")


# What `main` does after it started a thread `t` that panics while it holds the mutex, and the verdict.
AFTER_PANICS = {
    "ignored": ("let _ = t.join(); X.store(2, Relaxed);", "violated"),
    "unwrapped": ("t.join().unwrap(); *M.lock().unwrap() += 1;", "violated"),
    "poisoned": ('*M.lock().unwrap() += 1; t.join().expect("ended");', "violated"),
    "asserted": ("assert!(t.join().is_ok());", "violated"),
    "passed on": ("if let Err(e) = t.join() { std::panic::resume_unwind(e) }", "violated"),
    "detached": ("drop(t); X.store(2, Relaxed);", "violated"),
    "several": ("for t in [t, thread::spawn(|| 6)] { t.join().unwrap(); }", "violated"),
    "noticed": ("if t.join().is_err() { X.store(2, Relaxed); }", "unknown"),
    "replaced": ("let n = t.join().unwrap_or(7); X.store(n, Relaxed);", "unknown"),
    "looked into": ("let n = M.lock().unwrap_or_else(|e| e.into_inner()); X.store(*n, Relaxed);", "unknown"),
    "not locked": ("if let Ok(n) = M.lock() { X.store(*n, Relaxed); } t.join().unwrap();", "unknown"),
    "asked": ("let _ = t.join(); X.store(M.is_poisoned() as u32, Relaxed);", "unknown"),
    "once more": ("let _ = t.join(); ONCE.call_once_force(|_| X.store(2, Relaxed));", "unknown"),
}


@pytest.mark.parametrize("name", first(1, AFTER_PANICS))
def test_the_panic_of_a_thread_fails_unless_the_program_goes_on(name: str, tmp_path: Path) -> None:
    after, verdict = AFTER_PANICS[name]
    path = tmp_path / "case.rs"
    path.write_text(
        f"{HEAD}\nfn fail() -> u32 {{ let n = M.lock().unwrap(); assert!(*n == 9); 5 }}\n"
        f"fn main() {{\n    let t = thread::spawn(fail);\n    {after}\n}}\n"
    )
    answer = membar.check(path)
    assert answer.verdict == verdict
    text = path.read_text().splitlines()
    lines = [number for number, line in enumerate(text, 1) if "assert!(*n" in line or line == f"    {after}"]
    shown = answer.render("terminal").replace("\n", " ")
    assert f"(line {lines[0]}" in shown
    assert verdict == "violated" or f"case.rs:{lines[1]}" in shown


def test_the_mapping_lists_no_operations_of_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "case.rs"
    path.write_text(program("X.swap(1, AcqRel);", "X.load(Acquire);", ""))
    assert main(["translate", str(path), "--to", "mapping", "--model", "armv8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("X.swap(1, AcqRel)" in line for line in lines)
    assert not any(line.lstrip().startswith("0:") for line in lines)


def test_llvm_ir_that_calls_std_is_better_checked_as_source(tmp_path: Path) -> None:
    path = tmp_path / "given.ll"
    path.write_text(
        """declare void @_ZN3std6thread4park17h0123456789abcdefE()
define i32 @main() {
  call void @_ZN3std6thread4park17h0123456789abcdefE()
  ret i32 0
}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, producer: "rustc", emissionKind: FullDebug)
!1 = !DIFile(filename: "park.rs", directory: "")
"""
    )
    with pytest.raises(InputError, match="`std::thread::park` is not modelled: check the source file"):
        membar.check(path)


def test_a_test_that_should_panic_has_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text("#[test]\n#[should_panic]\nfn fails() { panic!() }\n")
    answer = membar.check(path, test="fails")
    assert answer.verdict == "unknown"


@pytest.mark.full
def test_a_loom_test_runs_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(
        """
        use loom::sync::{atomic::{AtomicUsize, Ordering}, Arc};
        #[test]
        fn loses() {
            loom::model(|| {
                let n = Arc::new(AtomicUsize::new(0));
                let m = n.clone();
                let t = loom::thread::spawn(move || {
                    let v = m.load(Ordering::Relaxed);
                    m.store(v + 1, Ordering::Relaxed);
                });
                let v = n.load(Ordering::Relaxed);
                n.store(v + 1, Ordering::Relaxed);
                t.join().unwrap();
                assert_eq!(n.load(Ordering::Relaxed), 2);
            });
        }
        """
    )
    assert membar.check(path, test="loses").verdict == "violated"


@pytest.mark.parametrize(
    ("waits", "notifies", "verdict"),
    [
        ("while !G.load(Relaxed) { n.wait(); }", "m.notify();", "holds"),
        ("n.wait(); if !G.load(Relaxed) { n.wait(); }", "", "violated"),
        ("n.wait(); assert!(G.load(Relaxed));", "m.notify();", "violated"),
    ],
)
def test_notify_of_loom_waits_for_its_token(waits: str, notifies: str, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(
        "use loom::sync::{atomic::{AtomicBool, Ordering::*}, Arc, Notify};\n"
        "static G: AtomicBool = AtomicBool::new(false);\n#[test]\nfn waits() { loom::model(|| {\n"
        "    let n = Arc::new(Notify::new());\n    let m = n.clone();\n"
        f"    let t = loom::thread::spawn(move || {{ G.store(true, Relaxed); {notifies} drop(m); }});\n"
        f"    {waits}\n    t.join().unwrap();\n}}); }}\n"
    )
    assert membar.check(path, test="waits").verdict == verdict


PACKAGE = {
    "Cargo.toml": '[package]\nname = "lock"\nversion = "0.1.0"\nedition = "2021"\n[features]\nweak = []\n',
    "src/main.rs": "fn main() {}",
    "src/lib.rs": """
        use std::sync::atomic::{AtomicBool, Ordering};
        pub struct Lock(AtomicBool);
        const TAKE: Ordering = if cfg!(feature = "weak") { Ordering::Relaxed } else { Ordering::Acquire };
        impl Lock {
            pub const fn new() -> Lock { Lock(AtomicBool::new(false)) }
            pub fn lock(&self) { while self.0.swap(true, TAKE) {} }
            pub fn unlock(&self) { self.0.store(false, Ordering::Release); }
        }
        #[cfg(test)]
        mod tests {
            static L: super::Lock = super::Lock::new();
            static mut N: u32 = 0;
            fn add() { L.lock(); unsafe { N += 1 }; L.unlock(); }
            #[test]
            fn excludes() { let t = std::thread::spawn(add); add(); t.join().unwrap(); }
            #[test]
            fn counts() { add(); assert_eq!(unsafe { N }, 2); }
        }
    """,
    "tests/outside.rs": """
        static L: lock::Lock = lock::Lock::new();
        #[test]
        fn excludes() {
            loom::model(|| { let t = loom::thread::spawn(|| L.lock()); L.lock(); t.join().unwrap(); });
        }
    """,
}


@pytest.mark.parametrize(
    ("test", "features", "verdict"),
    [
        ("tests::excludes", [], "holds"),
        pytest.param("tests::excludes", ["weak"], "violated", marks=pytest.mark.full),
        pytest.param("counts", [], "violated", marks=pytest.mark.full),
        pytest.param("outside::excludes", [], "violated", marks=pytest.mark.full),
    ],
)
def test_a_test_of_a_package_is_checked(test: str, features: list[str], verdict: str, tmp_path: Path) -> None:
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    answer = membar.check(tmp_path / "Cargo.toml", test=test, features=features, allow_build=True)
    assert answer.verdict == verdict


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("fn main() { let x: u32 = true; }", {}, "mismatched types"),
        ("#[test] fn a() {}", {}, "no function `main`"),
        ("#[test] fn a() {}", {"test": "b"}, "no test is called `b`"),
        ("#[test] fn a() {} mod m { #[test] fn a() {} }", {"test": "a"}, "several tests are called `a`"),
        ("#[test] fn a() -> Result<(), u8> { Ok(()) }", {"test": "a"}, "returns a value"),
        ("fn main() {}", {"rustc": "/nowhere/rustc"}, "not a program that can be run"),
        ('fn main() { std::fs::remove_file("x").ok(); }', {}, "is not modelled"),
        ('fn main() { drop(format!("{}", std::process::id())); }', {}, "macro `format!` is not modelled"),
    ],
)
def test_what_is_wrong_is_said(text: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(text)
    with pytest.raises(membar.InputError, match=message):
        membar.check(path, **options)


def test_a_condition_variable_in_a_local_variable_is_answered_under_armv8(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(
        "use std::sync::{Condvar, Mutex};\nfn main() {\n    let (m, c) = (Mutex::new(0), Condvar::new());\n"
        "    std::thread::scope(|s| {\n"
        "        s.spawn(|| { *m.lock().unwrap() = 1; c.notify_one(); });\n"
        "        let mut n = m.lock().unwrap();\n"
        "        while *n == 0 { n = c.wait(n).unwrap(); }\n"
        "        assert!(*n == 1);\n    });\n}\n"
    )
    answer = membar.check(path, model="armv8", limits=membar.Limits(seconds=60))
    assert answer.verdict == "holds-within"
    assert answer.statistics.executions == 5


def test_the_loop_that_was_truncated_is_named(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(
        "use std::sync::atomic::{AtomicBool, Ordering::*};\nuse std::thread;\n"
        "static F: AtomicBool = AtomicBool::new(false);\nfn main() {\n    let m = thread::current();\n"
        "    let t = thread::spawn(move || { F.store(true, Release); m.unpark(); });\n"
        "    while !F.load(Acquire) { thread::park(); }\n    t.join().unwrap();\n}\n"
    )
    answer = membar.check(path, model="armv8")
    assert answer.verdict == "holds-within"
    assert "truncated after 4 iterations: the loop at line 7" in answer.outcome.run.notes


def test_who_uses_ended_memory_has_a_data_race_in_rust(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(
        "use std::sync::atomic::{AtomicBool, Ordering::*};\n"
        "static DONE: AtomicBool = AtomicBool::new(false);\n"
        "fn main() {\n    let p = Box::into_raw(Box::new(1));\n    let a = p as usize;\n"
        "    let t = std::thread::spawn(move || {\n        unsafe { *(a as *mut i32) = 2 };\n"
        "        DONE.store(true, Relaxed);\n    });\n    while !DONE.load(Relaxed) {}\n"
        "    drop(unsafe { Box::from_raw(p) });\n    t.join().unwrap();\n}\n"
    )
    answer = membar.check(path, model="riscv")
    assert answer.verdict == "unknown"
    assert (
        "lines 7 and 11 access memory whose lifetime ends, unordered (a data race in Rust)" in answer.reason
    )


@pytest.mark.parametrize("model", ["rc20", "x86-tso"])
def test_a_loop_that_compares_and_retries_needs_no_bound(model: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    add = "X.fetch_update(AcqRel, Acquire, |n| Some(n + 1)).unwrap()"
    path.write_text(program(f"{add};", f"{add};", "assert!(X.load(Relaxed) == 2);"))
    answer = membar.check(path, model=model)
    assert answer.verdict == "holds"
    assert (answer.statistics.executions or 0) in range(1, 10)


def test_a_package_is_built_only_if_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "Cargo.toml"
    path.write_text('[package]\nname = "p"\nversion = "0.1.0"\n')
    with pytest.raises(membar.InputError, match="build scripts and procedural macros"):
        membar.check(path)


def test_a_package_with_several_programs_names_them(tmp_path: Path) -> None:
    path = tmp_path / "Cargo.toml"
    path.write_text('[package]\nname = "p"\nversion = "0.1.0"\n')
    (tmp_path / "src" / "bin").mkdir(parents=True)
    for name in ("one", "number-two"):
        (tmp_path / "src" / "bin" / f"{name}.rs").write_text("fn main() {}\n")
    with pytest.raises(membar.InputError, match="has several programs: number-two, one") as caught:
        membar.check(path, allow_build=True)
    assert "--bin NAME" in (caught.value.diagnostics[0].help or "")
    assert membar.check(path, allow_build=True, program="number-two").verdict == "holds"


def test_a_file_of_c_is_no_part_of_a_rust_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rust, c = tmp_path / "tests.rs", tmp_path / "case.c"
    rust.write_text("#[test] fn a() {}\n")
    c.write_text("int main(void) { return 0; }\n")
    assert main(["check", str(rust), str(c)]) == 2
    shown = capsys.readouterr()
    assert "check one of its tests: --test a" in shown.err
    assert "case.c: HOLDS" in shown.out


def test_a_function_of_c_can_be_defined_in_rust(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    calls = 'extern "C" { fn foo(x: i32) -> i32; }\nfn main() { assert!(unsafe { foo(1) } == 1); }\n'
    path.write_text(calls)
    answer = membar.check(path)
    assert answer.verdict == "unknown"
    definition = '#[no_mangle] extern "C" fn foo'
    assert definition in answer.reason
    path.write_text(f"{calls}mod stubs {{ {definition}(x: i32) -> i32 {{ x }} }}\n")
    assert membar.check(path).verdict == "holds"


def test_an_error_in_a_package_is_shown_from_every_folder(tmp_path: Path) -> None:
    path = tmp_path / "Cargo.toml"
    path.write_text('[package]\nname = "p"\nversion = "0.1.0"\n')
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text("fn main() { let x: u32 = true; }\n")
    with pytest.raises(membar.InputError, match="mismatched types"):
        membar.check(path, allow_build=True)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("case.rs", {"standard": "c17"}, "--std does not apply to Rust files"),
        ("case.rs", {"undefines": ["X"]}, "-U does not apply to Rust files"),
        ("case.rs", {"clang": "clang"}, "--clang does not apply to Rust files"),
        ("case.rs", {"arguments": ["a"]}, "--args does not apply to Rust files"),
        ("case.rs", {"defines": ["X=1"]}, "-D X=1: Rust has no macros of this kind"),
        ("case.rs", {"program": "a"}, "--bin does not apply to"),
        ("Cargo.toml", {"edition": "2018", "allow_build": True}, "--edition does not apply to"),
    ],
)
def test_options_without_effect_are_refused(
    name: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text("fn main() {}")
    with pytest.raises(membar.InputError, match=message):
        membar.check(path, **options)


def test_threads_that_run_a_closure_have_names_that_people_know() -> None:
    found = membar.check(Path(__file__).parents[4] / "examples/rust/spin-relaxed.rs")
    assert [thread.name for thread in found.program.threads] == ["main", "thread", "thread#2"]


def test_a_thread_has_the_name_that_the_program_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(
        "use std::thread;\nfn main() {\n"
        '    let one = thread::Builder::new().name("one".into()).spawn(|| {}).unwrap();\n'
        '    let two = thread::Builder::new().name(String::from("two"));\n'
        "    let two = two.spawn(|| {}).unwrap();\n"
        '    let main = thread::Builder::new()\n        .name("main".to_string())\n        .spawn(|| {});\n'
        "    one.join().unwrap();\n    two.join().unwrap();\n    main.unwrap().join().unwrap();\n}\n"
    )
    assert [each.name for each in membar.check(path).program.threads] == ["main", "one", "thread", "main#2"]
