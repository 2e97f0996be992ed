"""The reader of LLVM IR: what it reads, what it prints again, and what it refuses."""

from __future__ import annotations

import contextlib

import pytest

from membar.diagnostics import InputError
from membar.languages.compiled.llvm import module as ir
from membar.languages.compiled.llvm.metadata import Place
from membar.languages.compiled.llvm.printer import print_instruction, print_module
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.llvm.types import Array, DataLayout, Integer, Named, Pointer, Struct
from membar.source import SourceFile

LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"

WHOLE = f"""; ModuleID = 'a.c'
source_filename = "a.c"
target datalayout = "{LAYOUT}"
target triple = "x86_64-pc-linux-gnu"

%struct.node = type {{ i32, ptr }}

@head = dso_local global ptr null, align 8, !dbg !0
@text = private unnamed_addr constant [3 x i8] c"a\\22\\00", align 1
@"odd name" = internal thread_local global i32 7, align 4
@outside = external global i32, align 4

; Function Attrs: noinline
define internal i32 @push(ptr noundef %item, i1 zeroext %flag) #0 personality ptr @stop !dbg !5 {{
entry:
  %old = alloca ptr, align 8
    #dbg_declare(ptr %item, !7, !DIExpression(), !8)
  %0 = load atomic ptr, ptr @head monotonic, align 8, !dbg !8
  store ptr %0, ptr %old, align 8
  %next = getelementptr inbounds nuw %struct.node, ptr %item, i32 0, i32 1, !dbg !8
  %pair = cmpxchg weak ptr @head, ptr %0, ptr %item release monotonic, align 8
  %done = extractvalue {{ ptr, i1 }} %pair, 1
  switch i32 3, label %end [
    i32 1, label %again
    i32 -2, label %end
  ]

again:                                            ; preds = %entry
  fence syncscope("singlethread") seq_cst
  %1 = atomicrmw add ptr @"odd name", i32 1 acq_rel, align 4
  %2 = call i32 (ptr, ...) @printf(ptr noundef @text, i32 noundef %1) #2
  br label %end

end:
  %value = phi i32 [ 0, %entry ], [ 0, %entry ], [ %2, %again ]
  ret i32 %value
}}

declare i32 @printf(ptr noundef, ...) #1
declare void @stop() noreturn

attributes #0 = {{ noinline "frame-pointer"="all" }}
attributes #1 = {{ nounwind noreturn }}

!llvm.dbg.cu = !{{!2}}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "head", scope: !2, file: !3, line: 4)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, isOptimized: false)
!3 = !DIFile(filename: "a.c", directory: "/src")
!5 = distinct !DISubprogram(name: "push", scope: !3, file: !3, line: 9, unit: !2)
!6 = distinct !DILexicalBlock(scope: !5, file: !3, line: 10, column: 3)
!7 = !DILocalVariable(name: "item", arg: 1, scope: !5, file: !3, line: 9)
!8 = !DILocation(line: 11, column: 5, scope: !6, inlinedAt: !9)
!9 = distinct !DILocation(line: 20, column: 2, scope: !5)
"""


def function(body: str) -> str:
    return f'target triple = "x"\ndefine void @f(ptr %p, i32 %x) {{\n{body}\n}}\n'


def instruction(line: str) -> ir.Instruction:
    module = read_module(SourceFile("a.ll", function(f"  {line}\n  ret void")))
    return module.functions["f"].blocks[0].instructions[0]


def test_a_module_is_read_whole() -> None:
    module = read_module(SourceFile("a.ll", WHOLE))
    assert module.triple == "x86_64-pc-linux-gnu"
    assert module.types["struct.node"] == Struct((Integer(32), Pointer()))
    assert module.variables["text"].initialiser == ir.Bytes(b'a"\0')
    assert module.variables["odd name"].is_thread_local
    assert module.variables["outside"].initialiser is None
    assert module.functions["stop"].is_noreturn
    assert module.functions["printf"].is_noreturn
    push = module.functions["push"]
    assert push.personality == ir.Typed(Pointer(), ir.Global("stop"))
    assert [block.name for block in push.blocks] == ["entry", "again", "end"]
    switch = push.blocks[0].instructions[-1]
    assert isinstance(switch, ir.Switch)
    assert [block for _, block in switch.cases] == ["again", "end"]
    declare = push.blocks[0].instructions[1]
    assert isinstance(declare, ir.DebugDeclare)
    assert declare.variable == 7


def test_places_lead_through_inlined_calls_to_the_source() -> None:
    module = read_module(SourceFile("a.ll", WHOLE))
    load = module.functions["push"].blocks[0].instructions[2]
    outer = Place(file="/src/a.c", line=20, column=2, function="push")
    assert module.metadata.place(load.location) == Place("/src/a.c", 11, 5, "push", outer)


def test_what_is_printed_reads_as_the_same_module() -> None:
    module = read_module(SourceFile("a.ll", WHOLE))
    again = read_module(SourceFile("again.ll", print_module(module)))
    assert dict(again.variables) == dict(module.variables)
    assert dict(again.types) == dict(module.types)
    for name, item in module.functions.items():
        assert again.functions[name].personality == item.personality
        kept = [
            (block.name, [each for each in block.instructions if not isinstance(each, ir.DebugDeclare)])
            for block in item.blocks
        ]
        assert [(block.name, list(block.instructions)) for block in again.functions[name].blocks] == kept


@pytest.mark.parametrize(
    "line",
    [
        "%r = load volatile i32, ptr %p, align 4",
        '%r = load atomic volatile i64, ptr %p syncscope("singlethread") acquire, align 8',
        "store atomic i32 %x, ptr %p release, align 4",
        "%r = alloca [4 x i8], i64 3, align 16",
        "%r = add nuw nsw i32 %x, -1",
        "%r = icmp samesign ult i32 %x, 5",
        "%r = zext nneg i32 %x to i64",
        "%r = select i1 true, i32 %x, i32 undef",
        "%r = freeze i32 %x",
        "%r = getelementptr inbounds { i32, [2 x i8] }, ptr %p, i64 0, i32 1, i64 1",
        "%r = call ptr @llvm.ptr(ptr byval({ i32 }) %p, i32 7)",
        '%r = call i32 asm sideeffect "lock; xaddl $0, $1", "=r,*m,0,~{memory}"(ptr %p, i32 %x)',
        "%r = insertvalue { i32, i1 } poison, i32 %x, 0",
        "store ptr getelementptr inbounds ([2 x i32], ptr @a, i64 0, i64 1), ptr %p, align 8",
        "store ptr inttoptr (i64 8 to ptr), ptr %p",
        "store double 0x3FF0000000000000, ptr %p",
        "br i1 false, label %a, label %b",
        "fence acq_rel",
        "unreachable",
    ],
)
def test_an_instruction_is_printed_as_it_was_read(line: str) -> None:
    assert print_instruction(instruction(line)) == line


def test_typed_pointers_of_llvm_14_are_read() -> None:
    load = instruction("%r = load i32*, i32** %p, align 8")
    assert isinstance(load, ir.Load)
    assert load.type == Pointer(Integer(32))
    call = instruction("call void (i8*, ...) bitcast (void ()* @g to void (i8*, ...)*)(i8* null)")
    assert isinstance(call, ir.Call)
    assert call.signature is not None
    assert call.signature.is_variadic


def test_unknown_attributes_are_passed_over_by_their_shape() -> None:
    line = 'call void @g(ptr new_word captures(none) other(i32 7, ptr) align 8 %p) "k"="v" newer #3, !dbg !4'
    call = instruction(line)
    assert isinstance(call, ir.Call)
    assert call.arguments == (ir.Typed(Pointer(), ir.Local("p")),)
    assert call.location == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%r = frobnicate i32 %x", "the instruction `frobnicate` of LLVM IR is not supported"),
        ("%r = load atomic i32, ptr %p stronger, align 4", "the memory ordering `stronger` is not supported"),
        ('fence syncscope("agent") seq_cst', "the synchronization scope `agent` is not supported"),
        ("fence monotonic", "a fence cannot have the ordering `monotonic`"),
        ("%r = atomicrmw frob ptr %p, i32 1 seq_cst", "the atomic operation `frob` is not supported"),
        ("call swiftcc void @g()", "the calling convention `swiftcc` is not supported"),
        ('call void @g() [ "deopt"(i32 7) ]', "operand bundles of calls are not supported"),
        ("%r = icmp almost i32 %x, 1", "the comparison `almost` is not supported"),
        ("%r = add i32 %x", "this line of LLVM IR ends too early"),
        ("%r = add i32 %x, 1 2", "unexpected `2` in LLVM IR"),
        ("%r = load i32 ptr %p", "unexpected `ptr` in LLVM IR"),
        ("%r = add i32 %x, \x01", "`\x01` cannot begin a word of LLVM IR"),
    ],
)
def test_what_is_not_known_is_refused_with_its_place(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        instruction(line)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == message
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.line == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not a module of LLVM IR: no function or variable"),
        ("int main() {}", "this is not supported at the top level of LLVM IR"),
        ("define void @f() {\n  ret void\n", "the body of this function has no end"),
        ("@x = addrspace(3) global i32 0", "the address space 3 is not supported"),
        ("@x = curious global i32 0", "`curious` before a global variable is not supported"),
    ],
)
def test_a_text_that_is_no_module_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_module(SourceFile("a.ll", text))
    assert caught.value.diagnostics[0].message == message


def test_only_bodies_that_are_asked_for_are_read() -> None:
    text = function("  ret void") + "define void @other() {\n  frobnicate\n}\n"
    module = read_module(SourceFile("a.ll", text))
    assert module.functions["f"].blocks
    with pytest.raises(InputError):
        _ = module.functions["other"].blocks


def test_layout_follows_the_target() -> None:
    named = {"node": Struct((Integer(8), Integer(64), Array(3, Integer(16))))}
    layout = DataLayout(LAYOUT, named)
    assert layout.size(Named("node")) == 24
    assert [layout.offset(named["node"], index) for index in range(3)] == [0, 8, 16]
    assert layout.size(Struct((Integer(8), Integer(64)), is_packed=True)) == 9
    assert layout.pointer_bits() == 64
    narrow = DataLayout("e-m:e-p:32:32-i64:64", {})
    assert narrow.pointer_bits() == 32
    assert narrow.size(Struct((Integer(8), Pointer()))) == 8
    assert not DataLayout("E-m:e-i64:64", {}).is_little_endian


@pytest.mark.parametrize("number", ["!", "!x", '!"a"', "!²"])
def test_a_wrong_number_of_debug_information_is_no_traceback(number: str) -> None:
    text = f"define i32 @main() !dbg {number} {{\n  ret i32 0\n}}\n"
    with contextlib.suppress(InputError):
        assert "main" in read_module(SourceFile("a.ll", text)).functions
