"""Objects divided into cells, and accesses to whole cells only."""

from __future__ import annotations

import pytest

from membar.code import ir
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import ORDER, load_pass, run_passes
from membar.code.passes.place_locals import place_locals
from membar.code.passes.split_cells import split_cells
from membar.code.validate import validate
from strategies.code_runner import Runner
from strategies.compiled_code import code_of_c, code_of_llvm, compilers, needs_clang

PROGRAMS = {
    "a union that others see": (
        """
        union u { unsigned w; unsigned short h[2]; unsigned char b[4]; };
        static union u x, *p = &x;
        int main(void) { p->w = 0x01020304; p->b[1] = 0x77; return (p->h[0] >> 8) + p->b[3]; }""",
        0x78,
    ),
    "bit fields of a shared structure": (
        """
        static struct { unsigned a : 3; int b : 5; unsigned c : 9; char d; } x = { 5, -3, 300, 7 };
        int main(void) { x.b -= 4; x.c ^= 77; x.d++; return (x.a + x.b + x.c + x.d) & 255; }""",
        (5 - 7 + (300 ^ 77) + 8) & 255,
    ),
    "a local whose address escapes": (
        """
        struct node { struct node *next; int v; } *head;
        static void push(struct node *n, int v) { n->v = v; n->next = head; head = n; }
        int main(void) {
          struct node a[3]; int s = 0;
          for (int i = 0; i < 3; i++) push(&a[i], i + 1);
          for (struct node *n = head; n; n = n->next) s = s * 10 + n->v;
          return s & 255;
        }""",
        321 & 255,
    ),
    "structures copied between shared objects": (
        """
        struct s { char t; long v[2]; struct { short x, y; } p; };
        static struct s a = { 1, { 2, 3 }, { 4, 5 } }, b, *q = &b;
        int main(void) { *q = a; q->p.x += 10; a = *q; return a.t + a.v[1] + a.p.x + b.p.y; }""",
        1 + 3 + 14 + 5,
    ),
    "packed structures": (
        """
        static struct __attribute__((packed)) { char c; int i; short s; } x = { 1, 2, 3 };
        int main(void) { x.i += x.c; x.s += x.i; return x.s; }""",
        6,
    ),
    "bytes of a number": (
        """
        static unsigned long x;
        int main(void) {
          unsigned char *b = (unsigned char *)&x;
          for (int i = 0; i < 8; i++) b[i] = i + 1;
          return (x >> 56) + (x & 255);
        }""",
        9,
    ),
}  # fmt: skip


def all_passes(module: ir.Module) -> ir.Module:
    for name in (*ORDER, "place_locals", "split_cells"):
        module = load_pass(name).run(module)
        validate(module)
    return module


@needs_clang
@pytest.mark.parametrize("name", PROGRAMS)
def test_accesses_to_cells_compute_what_the_program_does(name: str) -> None:
    text, expected = PROGRAMS[name]
    for compiler in compilers():
        module = all_passes(code_of_c(text, compiler))
        assert Runner(module).run("main") == (expected,)
        for access in _accesses(module):
            cells = module.objects[access[0]].cells or ()
            assert any(access[1:] in _each(each) for each in cells), access


def _each(cells: ir.Cells) -> list[tuple[int, int]]:
    return [(cells.offset + number * cells.size, cells.size) for number in range(cells.count)]


def _accesses(module: ir.Module) -> list[tuple[str, int, int]]:
    """Object, offset and size of the accesses at known addresses."""
    found = []
    for block in module.functions["main"].blocks:
        for item in block.instructions:
            match item:
                case ir.Load(address=ir.ObjectAddress(name, offset), result=ir.Value(type=type_)):
                    pass
                case ir.Store(address=ir.ObjectAddress(name, offset), value=value):
                    type_ = value.type
                case _:
                    continue
            found.append((name, offset, 8 if isinstance(type_, ir.Ptr) else (type_.bits + 7) // 8))
    return found


def test_locals_begin_without_a_value_also_in_each_iteration() -> None:
    module = code_of_llvm(
        """
        @p = global ptr null
        define i32 @main() {
        entry:
          %x = alloca i32
          store ptr %x, ptr @p
          br label %loop
        loop:
          %y = alloca i32
          store ptr %y, ptr @p
          %v = load i32, ptr %x
          %c = icmp eq i32 %v, 0
          br i1 %c, label %loop, label %end
        end:
          ret i32 0
        }"""
    )
    module = place_locals(run_passes(module))
    assert module.objects["main.x"].unset == module.objects["main.y"].unset == ((0, 4),)
    items = [item for block in module.functions["main"].blocks for item in block.instructions]
    (fill,) = [item for item in items if isinstance(item, ir.Fill)]
    assert fill.target == ir.ObjectAddress("main.y")
    assert fill.byte == ir.Undefined(ir.Int(8))


def test_an_access_without_cells_is_refused() -> None:
    module = code_of_llvm("define i32 @main(ptr %p) {\n  %v = load i32, ptr %p\n  ret i32 0\n}")
    with pytest.raises(NotSupportedError, match="memory that the program did not make"):
        split_cells(module)


def test_where_memory_is_copied_or_set_that_is_not_known_executions_end_in_a_gap() -> None:
    module = split_cells(
        code_of_llvm(
            """
        @x = global i32 0
        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        define i32 @main(i64 %n, ptr %p) {
          call void @llvm.memset.p0.i64(ptr @x, i8 0, i64 %n, i1 false)
          ret i32 0
        }"""
        )
    )
    (item,) = module.functions["main"].blocks[0].instructions
    assert isinstance(item, ir.Call)
    assert item.callee == ir.FunctionAddress("__membar_cut")
    assert module.gaps == {"a copy or fill of memory that is not known before the program runs"}
