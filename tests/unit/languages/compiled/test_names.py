"""Parts of objects are called as in the source."""

from __future__ import annotations

import pytest

from membar.code import ir
from membar.code.subobjects import Name, Shape, covered_bytes, name_of
from membar.languages.compiled.program import parse_compiled
from membar.source import SourceFile
from strategies.compiled_code import code_of_llvm, needs_clang

INT, CHAR, PTR = Shape(size=4), Shape(size=1), Shape(size=8)
NODE = Shape(size=16, members=((0, "value", INT), (8, "next", PTR)))


def test_names_follow_the_type() -> None:
    nodes = Shape(size=32, element=NODE)
    assert str(name_of(nodes, "nodes", 24, 8)) == "nodes[1].next"
    matrix = Shape(size=24, element=Shape(size=12, element=INT))
    assert name_of(matrix, "m", 20, 4) == Name("m[1]", 2)
    union = Shape(size=4, members=((0, "b", Shape(size=4, element=CHAR)), (0, "w", INT)))
    assert str(name_of(union, "u", 0, 4)) == "u.w"
    assert str(name_of(union, "u", 2, 1)) == "u.b[2]"
    assert str(name_of(NODE, "n", 4, 4)) == "n+4"
    assert str(name_of(None, "x", 0, 4)) == "x"


@needs_clang
def test_cells_of_a_program_have_the_names_of_its_source() -> None:
    text = """
        struct node { struct node *next; int a[3]; struct { short lo, hi; } pair; };
        static struct node nodes[2];
        static int single, table[3];
        int main(void) {
          struct node local, *volatile p = &local;
          nodes[0].next = &nodes[1]; nodes[1].a[2] = 1; nodes[1].pair.hi = 2; single = table[1] = 3;
          p->pair.lo = 4; table[0] = 5; table[2] = 6;
          return nodes[0].a[0];
        }"""
    program = parse_compiled(SourceFile("case.c", text))
    names = {cell.name for cell in program.cells if not cell.object.is_hidden}
    assert names >= {
        "nodes[0].next", "nodes[1].a[2]", "nodes[1].pair.hi", "nodes[0].a[0]", "single",
        "table[0]", "table[1]", "table[2]", "local.pair.lo",
    }  # fmt: skip


def test_parts_of_what_the_library_defines_have_the_name_of_the_whole() -> None:
    lock = Shape(size=8, members=((0, "__lock", Shape(size=4)), (4, "__kind", Shape(size=4))))
    opaque = Shape(size=8, members=((0, "__data", lock), (0, "__align", Shape(size=8))))
    queue = Shape(size=12, members=((0, "lock", opaque), (8, "_v", Shape(size=4))))
    assert name_of(queue, "q", 0, 4) == Name("q.lock", is_internal=True)
    assert name_of(queue, "q", 4, 4) == Name("q.lock", is_internal=True)
    assert name_of(queue, "q", 8, 4) == Name("q._v")


INHERITING = """
@x = global [8 x i8] zeroinitializer, !dbg !2
define void @main() {
  store i32 1, ptr @x
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!20}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cpp", directory: "/")
!2 = !DIGlobalVariableExpression(var: !3, expr: !DIExpression())
!3 = distinct !DIGlobalVariable(name: "x", scope: !0, file: !1, line: 1, type: !4)
!4 = !DICompositeType(tag: DW_TAG_structure_type, name: "Derived", size: 64, elements: !5)
!5 = !{!6, !7, !8, !9}
!6 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !4, baseType: !10, extraData: i32 0)
!7 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !4, baseType: !13, extraData: i32 0)
!8 = !DIDerivedType(tag: DW_TAG_member, name: "limit", baseType: !14, flags: DIFlagStaticMember)
!9 = !DIDerivedType(tag: DW_TAG_member, name: "own", baseType: !15, size: 16, offset: 32)
!10 = !DICompositeType(tag: DW_TAG_structure_type, name: "Base", size: 32, elements: !11)
!11 = !{!12}
!12 = !DIDerivedType(tag: DW_TAG_member, name: "first", baseType: !14, size: 32)
!13 = !DICompositeType(tag: DW_TAG_structure_type, name: "Empty", size: 8, elements: !19)
!14 = !DIBasicType(name: "int", size: 32)
!15 = !DIBasicType(name: "short", size: 16)
!19 = !{}
!20 = !{i32 2, !"Debug Info Version", i32 3}
"""


def test_members_of_a_base_are_in_the_object_and_static_ones_are_not() -> None:
    shape = code_of_llvm(INHERITING).objects["x"].shape
    assert shape is not None
    assert str(name_of(shape, "x", 0, 4)) == "x.first"
    assert str(name_of(shape, "x", 4, 2)) == "x.own"
    assert sorted(covered_bytes(shape)) == [0, 1, 2, 3, 4, 5]


@needs_clang
def test_of_a_mutex_one_cell_is_shown() -> None:
    text = """\
#include <pthread.h>
pthread_mutex_t m[2];
int main(void) { pthread_mutex_lock(&m[1]); pthread_mutex_unlock(&m[1]); return 0; }
"""
    program = parse_compiled(SourceFile("mutex.c", text))
    assert [item.name for item in program.objects if not item.is_hidden] == ["m[1]"]


@needs_clang
def test_allocated_memory_has_the_names_of_the_type_that_it_is_for() -> None:
    text = """\
#include <stdlib.h>
typedef struct node { int value; struct node *next; } node_t;
node_t *head;
int main(void) {
  head = malloc(sizeof *head);
  int *numbers = calloc(2, sizeof *numbers);
  head->value = numbers[1];
  head->next = 0;
  char *other = malloc(8);
  *(long *)other = 1;
  return 0;
}
"""
    names = [item.name for item in parse_compiled(SourceFile("heap.c", text)).objects]
    assert {"head", "node_t@5.value", "node_t@5.next", "int@6[1]"} <= set(names)


INLINED = """
@shared = global ptr null
define i32 @main() !dbg !5 {
  %slot = alloca i32
  store ptr %slot, ptr @shared
  FIRST
  SECOND
  ret i32 0, !dbg !6
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!9}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.rs", directory: "/")
!2 = distinct !DISubprogram(name: "swap", file: !1, line: 9, unit: !0, spFlags: DISPFlagDefinition)
!3 = !DILocalVariable(name: "counter", scope: !5, file: !1, line: 2)
!4 = !DILocalVariable(name: "self", scope: !2, file: !1, line: 9)
!5 = distinct !DISubprogram(name: "main", file: !1, line: 1, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, column: 1, scope: !5)
!7 = !DILocation(line: 9, column: 1, scope: !2, inlinedAt: !6)
!9 = !{i32 2, !"Debug Info Version", i32 3}
"""


@pytest.mark.parametrize("is_first", [True, False])
def test_a_variable_has_the_name_of_its_own_function(*, is_first: bool) -> None:
    own = "#dbg_declare(ptr %slot, !3, !DIExpression(), !6)"
    inlined = "#dbg_declare(ptr %slot, !4, !DIExpression(DW_OP_deref), !7)"
    first, second = (own, inlined) if is_first else (inlined, own)
    module = code_of_llvm(INLINED.replace("FIRST", first).replace("SECOND", second))
    (slot,) = (
        item
        for block in module.functions["main"].blocks
        for item in block.instructions
        if isinstance(item, ir.Slot)
    )
    assert slot.variable == "counter"
