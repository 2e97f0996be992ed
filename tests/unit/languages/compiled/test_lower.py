"""From LLVM IR to code IR."""

from __future__ import annotations

from textwrap import dedent

import pytest

from membar.code import ir as code
from membar.code.printer import print_module
from membar.code.validate import MalformedCodeError, validate
from membar.diagnostics import InputError
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.lower import lower_module
from membar.records import replace
from membar.source import SourceFile

HEAD = 'target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"\ntarget triple = "x86_64-pc-linux-gnu"\n'


def lower(text: str) -> code.Module:
    module = lower_module(read_module(SourceFile("a.ll", HEAD + dedent(text))), ("main",), lambda _: None)
    validate(module)
    return module


def body(text: str) -> list[str]:
    """The lines of `main`, without places."""
    printed = print_module(lower(text)).split("func &main", 1)[1].splitlines()[1:]
    return [line.split(" ; ")[0].rstrip() for line in printed if line]


def test_members_and_elements_become_arithmetic() -> None:
    lines = body(
        """
        %node = type { i32, [4 x i16], ptr }
        @x = global %node zeroinitializer
        define i16 @main(i64 %i, ptr %p) {
          %1 = getelementptr inbounds %node, ptr @x, i64 0, i32 1, i64 %i
          %2 = load i16, ptr %1
          %3 = getelementptr inbounds %node, ptr %p, i64 1, i32 2
          store ptr null, ptr %3
          %4 = getelementptr inbounds [4 x i16], ptr %p, i64 0, i64 4
          ret i16 %2
        }"""
    )
    assert lines == [
        "0:",
        "  %membar.1 = index @x + 4 + 2 * %i of 4",
        "  %2 = load i16 %membar.1",
        "  %membar.2 = index %p + 1 * 40",
        "  store ptr null, %membar.2",
        "  %membar.3 = index %p + 1 * 8",
        "  return %2",
    ]


def test_a_phi_becomes_a_parameter_of_its_block() -> None:
    lines = body(
        """
        define i32 @main(i1 %c) {
        entry:
          br i1 %c, label %a, label %end
        a:
          br label %end
        end:
          %x = phi i32 [ 1, %entry ], [ 2, %a ]
          ret i32 %x
        }"""
    )
    assert lines == [
        "entry:",
        "  branch %c, a, end(1)",
        "a:",
        "  jump end(2)",
        "end(%x: i32):",
        "  return %x",
    ]


def test_aggregates_are_taken_apart() -> None:
    lines = body(
        """
        @x = global i32 0
        define { i32, i1 } @main(i32 %v) {
          %1 = cmpxchg weak ptr @x, i32 0, i32 %v acq_rel monotonic
          %2 = extractvalue { i32, i1 } %1, 1
          %3 = insertvalue { i32, i1 } poison, i32 %v, 0
          %4 = insertvalue { i32, i1 } %3, i1 %2, 1
          ret { i32, i1 } %4
        }"""
    )
    assert lines == [
        "0:",
        "  %1.0, %1.1 = cas weak acq_rel monotonic i32 @x, 0, %v",
        "  return %v, %1.1",
    ]


def test_only_reachable_functions_and_objects_are_kept() -> None:
    module = lower(
        """
        @table = global [2 x ptr] [ptr @f, ptr @x]
        @x = global i32 7
        @unused = global i32 7
        define void @f() {
          ret void
        }
        define void @g() {
          frobnicate
        }
        define i32 @main() {
          %1 = load ptr, ptr @table
          call void %1()
          ret i32 0
        }"""
    )
    assert set(module.functions) == {"f", "main"}
    assert set(module.objects) == {"table", "x"}
    assert module.objects["table"].addresses == (
        (0, code.FunctionAddress("f")),
        (8, code.ObjectAddress("x")),
    )
    assert module.objects["x"].content == b"\x07\0\0\0"


def test_bytes_that_nobody_set_are_not_zero() -> None:
    text = "@x = global { i8, i32, i32 } { i8 1, i32 undef, i32 2 }\ndefine ptr @main() {\n  ret ptr @x\n}"
    item = lower(text).objects["x"]
    assert item.content == bytes([1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0])
    assert item.unset == ((1, 4), (4, 8))


def test_constructors_run_by_their_priority() -> None:
    module = lower(
        """
        %c = type { i32, ptr }
        @llvm.global_ctors = appending global [2 x %c] [%c { i32 9, ptr @late }, %c { i32 1, ptr @early }]
        define void @late() {
          ret void
        }
        define void @early() {
          ret void
        }
        define i32 @main() {
          ret i32 0
        }"""
    )
    assert module.constructors == ("early", "late")
    assert {"early", "late"} <= set(module.functions)


def test_intrinsic_functions_become_instructions() -> None:
    lines = body(
        """
        define i32 @main(ptr %p, ptr %q, i32 %x) {
          call void @llvm.experimental.noalias.scope.decl(metadata !0)
          call void @llvm.lifetime.start.p0(i64 4, ptr %p)
          call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 4, i1 false)
          call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4, i1 true)
          %1 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 1)
          %2 = extractvalue { i32, i1 } %1, 0
          %3 = call i64 @llvm.expect.i64(i64 1, i64 0)
          call void @llvm.trap()
          ret i32 %2
        }"""
    )
    assert lines == [
        "0:",
        "  begin %p",
        "  copy %p, %q, 4",
        "  fill volatile %p, 0, 4",
        "  %1.0 = add i32 %x, 1",
        "  %1.1 = sadd.overflows i1 %x, 1",
        "  call &llvm.trap()",
        "  return %1.0",
    ]


def test_a_compiler_barrier_is_no_fence_between_threads() -> None:
    lines = body('define void @main() {\n  fence syncscope("singlethread") seq_cst\n  ret void\n}')
    assert lines[1] == "  fence signal seq_cst"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%1 = add <2 x i32> %v, %v", "`add` of vectors is not supported"),
        ("load i32, ptr %p", "a `load` whose result has no name is not supported"),
        ("%1 = va_arg ptr %p, i32", "reading a variadic argument (`va_arg`) is not supported"),
        ("call void @llvm.curious.i32(i32 1)", "the intrinsic function `llvm.curious.i32` is not supported"),
        ("store atomic { i32, i32 } zeroinitializer, ptr %p seq_cst, align 8",
         "an atomic access to an aggregate is not supported"),
        ("store ptr blockaddress(@main, %no), ptr %p",
         "the address of a label of `main`, which has none or too many"),
    ],
)  # fmt: skip
def test_what_code_ir_cannot_say_is_refused(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        lower(f"define void @main(ptr %p, i32 %v) {{\n  {line}\n  ret void\nend:\n  ret void\n}}")
    assert caught.value.diagnostics[0].message == message


def test_validation_notices_a_value_that_is_not_defined_on_every_way() -> None:
    module = lower(
        """
        define i32 @main(i1 %c, i32 %v) {
        entry:
          br i1 %c, label %a, label %end
        a:
          %x = add nsw i32 %v, 1
          br label %end
        end:
          ret i32 %v
        }"""
    )
    function = module.functions["main"]
    *blocks, end = function.blocks
    wrong = replace(end, end=code.Return(values=(code.Value("x", code.Int(32)),)))
    broken = replace(module, functions={"main": replace(function, blocks=(*blocks, wrong))})
    with pytest.raises(MalformedCodeError, match="%x is used in end before it is defined"):
        validate(broken)
