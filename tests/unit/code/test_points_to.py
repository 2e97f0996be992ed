"""Where addresses may point."""

from __future__ import annotations

import pytest

from membar.code import ir
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import UNKNOWN, Target, overlaps
from membar.code.passes import run_passes
from strategies.compiled_code import code_of_c, code_of_llvm, needs_clang


def shown(found: PointsTo, name: str, function: str = "main") -> list[str]:
    def text(target: Target) -> str:
        steps = "".join(f" + {stride}*{'?' if count is None else count}" for stride, count in target.steps)
        return f"{target.site}+{target.start}{steps}"

    return sorted(text(target) for target in found.values.get((function, name), ()))


def test_addresses_go_through_memory_by_offset() -> None:
    module = code_of_llvm(
        """
        %pair = type { ptr, ptr }
        @x = global i32 0
        @y = global i32 0
        @p = global %pair zeroinitializer
        define i32 @main() {
          store ptr @x, ptr @p
          %second = getelementptr %pair, ptr @p, i64 0, i32 1
          store ptr @y, ptr %second
          %a = load ptr, ptr @p
          %b = load ptr, ptr %second
          ret i32 0
        }"""
    )
    found = points_to(module)
    assert shown(found, "a") == ["@x+0"]
    assert shown(found, "b") == ["@y+0"]


def test_initial_values_parameters_results_and_threads_pass_addresses_on() -> None:
    module = code_of_llvm(
        """
        @x = global i32 0
        @p = global ptr @x
        define internal ptr @same(ptr %a) {
          ret ptr %a
        }
        define internal ptr @worker(ptr %a) {
          ret ptr %a
        }
        declare i64 @__membar_spawn(ptr, ptr)
        declare ptr @__membar_join(i64)
        define i32 @main() {
          %l = alloca i32
          %a = load ptr, ptr @p
          %b = call ptr @same(ptr %a)
          %t = call i64 @__membar_spawn(ptr @worker, ptr %l)
          %c = call ptr @__membar_join(i64 %t)
          ret i32 0
        }"""
    )
    found = points_to(module)
    assert shown(found, "b") == ["@x+0"]
    assert shown(found, "a", "worker") == ["main%l+0"]
    assert shown(found, "c") == ["main%l+0"]


def test_an_index_is_a_series_and_a_loop_ends_in_one() -> None:
    module = code_of_llvm(
        """
        @a = global [8 x [4 x i32]] zeroinitializer
        define i32 @main(i64 %i, i64 %j) {
        entry:
          %e = getelementptr [8 x [4 x i32]], ptr @a, i64 0, i64 %i, i64 %j
          br label %loop
        loop:
          %p = phi ptr [ @a, %entry ], [ %q, %loop ]
          %q = getelementptr i32, ptr %p, i64 3
          %c = icmp eq ptr %q, %e
          br i1 %c, label %loop, label %end
        end:
          ret i32 0
        }"""
    )
    found = points_to(module)
    (element,) = {each for key, each in found.values.items() if len(next(iter(each), Target("")).steps) == 2}
    assert element == {Target("@a", 0, ((16, 8), (4, 4)))}
    assert "@a+0 + 12*?" in shown(found, "p")


def test_tags_in_the_low_bits_are_offsets_and_other_arithmetic_loses_the_offset() -> None:
    module = code_of_llvm(
        """
        @x = global i64 0, align 8
        define i32 @main(i64 %i) {
          %a = ptrtoint ptr @x to i64
          %b = or i64 %a, 1
          %c = and i64 %b, -8
          %d = mul i64 %c, %i
          %e = and i64 %b, -4096
          ret i32 0
        }"""
    )
    found = points_to(module)
    assert shown(found, "b") == ["@x+1"]
    assert shown(found, "c") == ["@x+0"]
    assert shown(found, "d") == shown(found, "e") == ["@x+0 + 1*?"]


def test_bytes_of_an_address_carry_it() -> None:
    module = code_of_llvm(
        """
        @x = global i64 0
        @p = global ptr @x
        @q = global ptr null
        @r = global ptr null
        define i32 @main(i64 %i) {
          %from = getelementptr i8, ptr @p, i64 %i
          %to = getelementptr i8, ptr @q, i64 %i
          %b = load i8, ptr %from
          store i8 %b, ptr %to
          %a = load ptr, ptr @q
          call void @llvm.memcpy.p0.p0.i64(ptr @r, ptr @p, i64 8, i1 false)
          %c = load ptr, ptr @r
          ret i32 0
        }
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"""
    )
    found = points_to(module)
    assert shown(found, "a") == ["@x+0 + 1*?"]
    assert shown(found, "c") == ["@x+0"]


def test_what_comes_from_outside_is_unknown() -> None:
    module = code_of_llvm(
        """
        declare ptr @outside(ptr)
        @p = global ptr null
        define i32 @main(i32 %n, ptr %arguments) {
          %a = call ptr @outside(ptr @p)
          %b = load ptr, ptr @p
          %c = load ptr, ptr %arguments
          ret i32 0
        }"""
    )
    found = points_to(module)
    assert all(found.values["main", name] == {UNKNOWN} for name in ("a", "b", "c", "arguments"))


def test_functions_are_found_through_tables() -> None:
    module = code_of_llvm(
        """
        define internal ptr @f(ptr %a) {
          ret ptr %a
        }
        define internal ptr @g(ptr %b) {
          ret ptr null
        }
        @table = constant [2 x ptr] [ptr @f, ptr @g]
        @x = global i32 0
        define i32 @main(i64 %i) {
          %e = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
          %h = load ptr, ptr %e
          %r = call ptr %h(ptr @x)
          ret i32 0
        }"""
    )
    found = points_to(module)
    assert shown(found, "h") == ["&f+0", "&g+0"]
    assert shown(found, "r") == shown(found, "b", "g") == ["@x+0"]


@needs_clang
def test_lists_of_nodes_from_one_site() -> None:
    module = code_of_c(
        """
        extern void *__membar_allocate(unsigned long, _Bool);
        struct node { int value; struct node *next; int *data; };
        static struct node *head; static int shared;
        int main(void) {
          for (int i = 0; i < 3; i++) {
            struct node *n = __membar_allocate(sizeof *n, 0);
            n->value = i; n->next = head; n->data = &shared; head = n;
          }
          int s = 0;
          for (struct node *n = head; n; n = n->next) s += *n->data;
          return s;
        }"""
    )
    module = run_passes(module, until="fold_constants")
    found = points_to(module)
    loaded = [
        found.targets("main", item.result)
        for block in module.functions["main"].blocks
        for item in block.instructions
        if isinstance(item, ir.Load) and isinstance(item.result.type, ir.Ptr)
    ]
    (node,) = next(targets for targets in loaded if targets != {Target("@shared")})
    assert (node.start, node.steps) == (0, ())
    assert set(loaded) == {frozenset({node}), frozenset({Target("@shared")})}


@pytest.mark.parametrize(
    ("one", "size", "other", "other_size", "expected"),
    [
        (Target("x", 0), 4, Target("x", 4), 4, False),
        (Target("x", 0), 8, Target("x", 4), 4, True),
        (Target("x", 0, ((8, None),)), 4, Target("x", 4, ((16, None),)), 4, False),
        (Target("x", 0, ((8, None),)), 5, Target("x", 4, ((16, None),)), 4, True),
        (Target("x", 0, ((4, 3),)), 4, Target("x", 12), 8, False),
        (Target("x", 0, ((4, 4),)), 4, Target("x", 12), 8, True),
        (Target("x", 16, ((-4, 4),)), 4, Target("x", 0), 4, False),
        (Target("x", 16, ((-4, 4),)), 4, Target("x", 4), 4, True),
    ],
)
def test_overlap_is_that_of_all_bytes(
    one: Target, size: int, other: Target, other_size: int, *, expected: bool
) -> None:
    assert overlaps(one, size, other, other_size) is overlaps(other, other_size, one, size) is expected


@pytest.mark.parametrize(
    ("compared", "count"),
    [
        ("%c = icmp ult i64 %i, 2\n          br i1 %c, label %in, label %out", "2"),
        ("%c = icmp ule i64 %i, 2\n          br i1 %c, label %in, label %out", "3"),
        ("%c = icmp uge i64 %i, 2\n          br i1 %c, label %out, label %in", "2"),
        ("%c = icmp ugt i64 2, %i\n          br i1 %c, label %in, label %out", "2"),
        ("%c = icmp ult i64 %i, 2\n          br i1 %c, label %out, label %in", "?"),
        ("%c = icmp slt i64 %i, 2\n          br i1 %c, label %in, label %out", "?"),
        ("%c = icmp ult i64 %i, 2\n          br i1 %c, label %in, label %in", "?"),
    ],
)
def test_an_index_that_was_compared_is_below(compared: str, count: str) -> None:
    module = code_of_llvm(
        f"""
        @a = global [5 x i64] zeroinitializer
        define i32 @main() {{
          %i = load i64, ptr @a
          {compared}
        in:
          br label %then
        then:
          %p = getelementptr i64, ptr @a, i64 %i
          store i64 1, ptr %p
          br label %out
        out:
          ret i32 0
        }}"""
    )
    assert shown(points_to(module), "membar.1") == [f"@a+0 + 8*{count}"]


@pytest.mark.parametrize(
    ("operation", "count"), [("urem i64 %x, 3", "3"), ("and i64 %x, 3", "4"), ("srem i64 %x, 3", "?")]
)
def test_a_remainder_is_below_what_divides(operation: str, count: str) -> None:
    module = code_of_llvm(
        f"""
        @a = global [5 x i64] zeroinitializer
        define i32 @main() {{
          %x = load i64, ptr @a
          %i = {operation}
          %p = getelementptr i64, ptr @a, i64 %i
          store i64 1, ptr %p
          ret i32 0
        }}"""
    )
    assert shown(points_to(module), "membar.1") == [f"@a+0 + 8*{count}"]
