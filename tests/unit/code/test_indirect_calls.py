"""Calls through pointers."""

from __future__ import annotations

from membar.code import ir
from membar.code.passes import run_passes
from membar.code.passes.resolve_indirect_calls import resolve_indirect_calls
from membar.code.validate import validate
from strategies.code_runner import Runner
from strategies.compiled_code import code_of_c, code_of_llvm, needs_clang


def calls(module: ir.Module, function: str = "main") -> list[str]:
    blocks = module.functions[function].blocks
    items = [item for block in blocks for item in block.instructions if isinstance(item, ir.Call)]
    return [item.callee.name if isinstance(item.callee, ir.FunctionAddress) else "?" for item in items]


TABLE = """
    define internal i32 @f(i32 %a) {
      ret i32 1
    }
    define internal i32 @g(i32 %a) {
      ret i32 2
    }
    define internal i64 @h(i64 %a) {
      ret i64 3
    }
    @table = global [3 x ptr] [ptr @f, ptr @g, ptr @h]
"""


def test_all_functions_of_the_type_are_called_and_anything_else_is_a_violation() -> None:
    module = code_of_llvm(
        TABLE
        + """
    define i32 @main(i64 %i) {
      %e = getelementptr [3 x ptr], ptr @table, i64 0, i64 %i
      %p = load ptr, ptr %e
      %r = call i32 %p(i32 7)
      ret i32 %r
    }"""
    )
    resolved = resolve_indirect_calls(module)
    validate(resolved)
    assert calls(resolved) == ["f", "g", "__membar_check"]
    assert [Runner(resolved).run("main", number) for number in (0, 1)] == [(1,), (2,)]


def test_what_is_not_known_is_cut() -> None:
    module = code_of_llvm(
        TABLE
        + """
    define i32 @main(i32 %n, ptr %arguments) {
      %p = load ptr, ptr %arguments
      %q = load ptr, ptr @table
      %c = icmp eq i32 %n, 1
      %s = select i1 %c, ptr %p, ptr %q
      %r = call i32 %s(i32 7)
      ret i32 %r
    }"""
    )
    assert calls(resolve_indirect_calls(module)) == ["f", "__membar_cut"]


@needs_clang
def test_a_pointer_that_is_known_after_inlining_leaves_no_choice() -> None:
    module = code_of_c(
        """
        struct ops { int (*get)(int), (*put)(int); };
        static int one(int x) { return x + 1; }
        static int two(int x) { return x * 2; }
        static int both(const struct ops *o, int x) { return o->get(o->put(x)); }
        static const struct ops a = { one, two }, b = { two, one };
        int main(void) { return both(&a, 5) * 16 + both(&b, 5); }"""
    )
    done = run_passes(module)
    assert Runner(done).run("main") == (11 * 16 + 12,)
    assert calls(done) == []


VIRTUAL = """
    define internal i32 @f(ptr %a) {
      ret i32 1
    }
    define internal i32 @g(ptr %a) {
      ret i32 2
    }
    @_ZTV1A = constant [4 x ptr] [ptr null, ptr null, ptr @f, ptr @g]
    define i32 @main(i64 %i) {
      %object = alloca [2 x ptr]
      %e = getelementptr i8, ptr %object, i64 %i
      store ptr getelementptr ([4 x ptr], ptr @_ZTV1A, i64 0, i64 2), ptr %object
      %kept = load ptr, ptr %e
      %moved = getelementptr i8, ptr %kept, i64 %i
      store ptr %moved, ptr %e
      %table = load ptr, ptr %e
      %at = getelementptr ptr, ptr %table, i64 1
      %p = load ptr, ptr %at
      %r = call i32 %p(ptr %object)
      ret i32 %r
    }
"""


def test_a_virtual_call_reaches_what_lies_at_its_place_in_a_table() -> None:
    module = code_of_llvm(VIRTUAL)
    resolved = resolve_indirect_calls(module)
    validate(resolved)
    assert calls(resolved) == ["g", "__membar_cut"]
    assert Runner(resolved).run("main", 0) == (2,)


def test_a_function_whose_address_the_program_takes_is_called_from_anywhere() -> None:
    module = code_of_llvm(
        VIRTUAL.replace(
            "%object = alloca [2 x ptr]",
            "%object = alloca [2 x ptr]\n      store volatile ptr @f, ptr %object",
        )
    )
    assert calls(resolve_indirect_calls(module)) == ["f", "g", "__membar_check"]
