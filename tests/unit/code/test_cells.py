"""The cells that accesses divide objects into."""

from __future__ import annotations

from membar.code.analyses.cells import Layouts
from membar.code.analyses.points_to import points_to
from membar.code.passes import run_passes
from strategies.compiled_code import code_of_c, code_of_llvm, needs_clang


def cells(text: str, site: str) -> list[tuple[int, int]]:
    module = code_of_llvm(text)
    return Layouts(module, points_to(module)).cells(site)


def test_members_are_cells_of_their_own_size_and_padding_is_none() -> None:
    text = """
        %s = type { i8, i32, i16, ptr }
        @x = global %s zeroinitializer
        define i32 @main() {
          store i8 1, ptr @x
          %b = getelementptr %s, ptr @x, i64 0, i32 1
          store i32 1, ptr %b
          %d = getelementptr %s, ptr @x, i64 0, i32 3
          %v = load atomic ptr, ptr %d acquire, align 8
          ret i32 0
        }"""
    assert cells(text, "@x") == [(0, 1), (4, 4), (16, 8)]


def test_a_bounded_index_makes_cells_of_its_elements_only() -> None:
    text = """
        %s = type { i32, [3 x i32], i64 }
        @x = global [2 x %s] zeroinitializer
        define i32 @main(i64 %i, i64 %j) {
          %a = getelementptr [2 x %s], ptr @x, i64 0, i64 %i, i32 1, i64 %j
          store i32 1, ptr %a
          %b = getelementptr [2 x %s], ptr @x, i64 0, i64 %i, i32 2
          store i64 1, ptr %b
          ret i32 0
        }"""
    assert cells(text, "@x") == [(4, 4), (8, 4), (12, 4), (16, 8), (28, 4), (32, 4), (36, 4), (40, 8)]


def test_a_pointer_that_may_be_anywhere_divides_only_what_nothing_else_accesses() -> None:
    text = """
        @x = global [16 x i8] zeroinitializer
        define i32 @main(i64 %i) {
          %a = getelementptr i32, ptr @x, i64 %i
          store i32 1, ptr %a
          %b = getelementptr i8, ptr @x, i64 8
          store i64 1, ptr %b
          ret i32 0
        }"""
    assert cells(text, "@x") == [(0, 4), (4, 4), (8, 8)]


def test_where_sizes_mix_the_pieces_are_cells() -> None:
    text = """
        @x = global [16 x i8] zeroinitializer
        define i32 @main() {
          store i64 1, ptr @x
          %a = getelementptr i8, ptr @x, i64 3
          store i8 1, ptr %a
          %b = getelementptr i8, ptr @x, i64 8
          store i64 1, ptr %b
          ret i32 0
        }"""
    assert cells(text, "@x") == [(0, 2), (2, 1), (3, 1), (4, 4), (8, 8)]


def test_numbers_wider_than_a_cell_are_several() -> None:
    text = """
        @x = global i96 0
        @y = global [3 x i8] zeroinitializer
        define i32 @main() {
          store i96 1, ptr @x
          store i24 1, ptr @y
          ret i32 0
        }"""
    assert cells(text, "@x") == [(0, 8), (8, 4)]
    assert cells(text, "@y") == [(0, 2), (2, 1)]


def test_objects_that_one_access_may_reach_are_divided_alike() -> None:
    text = """
        @x = global i64 0
        @y = global i64 0
        define i32 @main(i1 %c) {
          store i16 1, ptr @x
          %p = select i1 %c, ptr @x, ptr @y
          store i64 1, ptr %p
          ret i32 0
        }"""
    assert cells(text, "@x") == cells(text, "@y") == [(0, 2), (2, 2), (4, 4)]


def test_both_sides_of_a_copy_are_divided_alike() -> None:
    text = """
        @x = global [12 x i8] zeroinitializer
        @y = global [16 x i8] zeroinitializer
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define i32 @main() {
          store i64 1, ptr @x
          %to = getelementptr i8, ptr @y, i64 4
          call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr @x, i64 12, i1 false)
          store i32 1, ptr %to
          ret i32 0
        }"""
    assert cells(text, "@x") == [(0, 4), (4, 4)]
    assert cells(text, "@y") == [(4, 4), (8, 4)]


@needs_clang
def test_nodes_on_the_heap_are_divided_by_their_members() -> None:
    module = code_of_c(
        """
        extern void *__membar_allocate(unsigned long, _Bool);
        struct node { char tag; int value; struct node *next; };
        static struct node *head; static int sum;
        int main(void) {
          for (int i = 0; i < 3; i++) {
            struct node *n = __membar_allocate(sizeof *n, 0);
            n->tag = 'a'; n->value = i; n->next = head; head = n;
          }
          for (struct node *n = head; n; n = n->next) sum += n->value;
          return sum;
        }"""
    )
    module = run_passes(module, until="fold_constants")
    found = Layouts(module, points_to(module))
    (heap,) = [site for site in found.found if site.startswith("allocated")]
    assert found.cells(heap) == [(0, 1), (4, 4), (8, 8)]
    assert found.cells("@sum") == [(0, 4)]


def test_a_structure_that_is_copied_to_any_element_has_the_cells_of_an_element() -> None:
    text = """
        %s = type { i64, i32 }
        declare ptr @__membar_allocate(i64, i1)
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define i32 @main(i64 %n, i64 %i, i64 %j) {
          %t = alloca %s, align 8
          store i64 7, ptr %t
          %x = call ptr @__membar_allocate(i64 %n, i1 false)
          %a = getelementptr %s, ptr %x, i64 %i
          call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %t, i64 16, i1 false)
          %b = getelementptr %s, ptr %x, i64 %j, i32 1
          %v = load i32, ptr %b
          ret i32 %v
        }"""
    assert cells(text, "main%t") == [(0, 8), (8, 4)]
