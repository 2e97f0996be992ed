"""Inline assembly by the tables of the processors: what it becomes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.code import ir
from membar.code.assembly.template import Statement, read_statements
from membar.code.printer import print_instruction
from membar.languages.compiled.target import AARCH64, POWERPC64LE, RISCV64, X86_64, Target
from strategies.compiled_code import needs_clang
from strategies.linked import link_texts, refusal

HEAD = """typedef unsigned u32; typedef unsigned long u64;
int x; u32 z; u64 y, *p = &y; char b; __int128 big;
int main(void) { u32 w = 1, e = 2, t; u64 r = 0, v = 3; _Bool f; char c;
"""
# The operands of a loop of exclusive accesses: what was read, the status; the address, a value.
LOOP = ('"=&r"(w), "=&r"(t)', '"r"(&z), "r"(e)')


def assembly(template: str, outputs: str = "", inputs: str = "", clobbers: str = '"memory"') -> str:
    return f'{HEAD}__asm__ __volatile__("{template}" : {outputs} : {inputs} : {clobbers});\nreturn 0; }}'


def effects(module: ir.Module) -> list[str]:
    """The accesses that are no plain ones, and fences."""
    return [
        print_instruction(item).split(" = ")[-1]
        for block in module.functions["main"].blocks
        for item in block.instructions
        if isinstance(item, ir.Update | ir.CompareExchange | ir.Fence)
        or (isinstance(item, ir.Load | ir.Store) and item.ordering is not None)
        or (isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress))
    ]


@needs_clang
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (assembly(""), []),
        (assembly("pause"), []),
        (assembly("rep; nop"), []),
        (assembly("lfence"), []),
        (assembly("mfence"), ["fence seq_cst"]),
        (assembly("pause; nop"), []),
        (assembly("movq %1, %0; xor %2, %0; xor %2, %0", '"=&r"(r)', '"r"(p), "r"(v)', ""), []),
        (assembly("lock notl %0", '"+m"(z)'), ["update xor seq_cst i32 @z, 4294967295"]),
        (
            assembly(
                "lock cmpxchg16b %0; setz %1",
                '"+m"(big), "=q"(c), "+a"(r), "+d"(v)',
                '"b"(5UL), "c"(6UL)',
                '"memory", "cc"',
            ),
            ["cas seq_cst seq_cst i128 @big, %"],
        ),
        (
            assembly(
                "movq 0(%4), %%rax; movq 8(%4), %%rdx; lock cmpxchg16b %0; setz %1",
                '"+m"(big), "=q"(c)',
                '"b"(5UL), "c"(6UL), "q"(p)',
                '"memory", "cc", "rax", "rdx"',
            ),
            ["cas seq_cst seq_cst i128 @big, %"],
        ),
        (
            assembly(
                "movq %%rdx, %%rcx; movq %%rax, %%rbx; lock cmpxchg16b %2",
                '"=a"(r), "=d"(v)',
                '"m"(big)',
                '"memory", "cc", "rbx", "rcx"',
            ),
            ["update or seq_cst i128 @big, %"],
        ),
        (assembly("lock; addl $0,0(%%rsp)"), ["fence seq_cst"]),
        (
            assembly("mov %1, %0 ; lock ; orl $0,(%%rsp)", '"=m"(z)', '"r"(1u)'),
            ["store release", "fence seq_cst"],
        ),
        (assembly("lock not qword ptr [%0]", "", '"r"(&z)'), ["update xor seq_cst i64 @z"]),
        (assembly("lock orl $0, (%%rsp)"), ["fence seq_cst"]),
        (assembly("movl %1, %0", '"=q"(w)', '"m"(z)'), ["load acquire i32 @z"]),
        (assembly("movq %1, %0", '"=m"(y)', '"Zq"(5UL)'), ["store release i64 5, @y"]),
        (assembly("xchgq %0, %1", '"+m"(y), "+q"(v)'), ["update xchg seq_cst i64 @y, %"]),
        (assembly("lock xaddl %1, %0", '"+m"(z), "+q"(w)'), ["update add seq_cst i32 @z, %"]),
        (
            assembly("lock; cmpxchgl %2,%1", '"=a"(w), "+m"(z)', '"q"(7u), "0"(2u)'),
            ["cas seq_cst seq_cst i32 @z, 2, 7"],
        ),
        (
            assembly("lock cmpxchgl %3, %0; setz %1", '"+m"(z), "=q"(c), "+a"(e)', '"q"(9u)'),
            ["cas seq_cst seq_cst i32 @z, %"],
        ),
        (
            assembly("lock cmpxchgl %3, %0", '"+m"(z), "=@ccz"(f), "+a"(e)', '"q"(9u)'),
            ["cas seq_cst seq_cst i32 @z, %"],
        ),
        (assembly("lock; incl %0", '"+m"(z)'), ["update add seq_cst i32 @z, 1"]),
        (assembly("lock btsl $5, %0; setc %1", '"+m"(z), "=q"(c)'), ["update or seq_cst i32 @z, 32"]),
        (
            assembly("lock btrl %2, %0", '"+m"(z), "=@ccc"(f)', '"Ir"(3)'),
            ["update and seq_cst i32 @z, 4294967287"],
        ),
        (assembly("lock btcq $63, %0", '"+m"(y)'), ["update xor seq_cst i64 @y, 9223372036854775808"]),
        (assembly("lock; decl %0; sete %1", '"+m"(z), "=qm"(b)'), ["update sub seq_cst i32 @z, 1"]),
        (assembly("lock; subl %1,%0", '"+m"(z)', '"ir"(3)'), ["update sub seq_cst i32 @z, 3"]),
    ],
)  # fmt: skip
def test_x86(tmp_path: Path, text: str, expected: list[str]) -> None:
    found = effects(link_texts(tmp_path, text))
    assert [line[: len(want)] for line, want in zip(found, expected, strict=True)] == expected


@needs_clang
@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        (AARCH64, assembly("dmb ish"), ["fence seq_cst"]),
        (AARCH64, assembly("dmb ishld"), ["fence acquire"]),
        (AARCH64, assembly("dmb ishst"), ["call &__membar_fence(@tag.DMB.ISHST)"]),
        (AARCH64, assembly("yield"), []),
        (AARCH64, assembly("ldar %w0, %1", '"=r"(w)', '"Q"(z)'), ["load acquire i32 @z"]),
        (AARCH64, assembly("stlr %0, [%1]", "", '"r"(v), "r"(p)'), ["store release i64"]),
        (
            AARCH64,
            assembly("ldaddal %w2, %w0, %1", '"=r"(w), "+Q"(z)', '"r"(e)'),
            ["update add acq_rel i32 @z"],
        ),
        (AARCH64, assembly("swpa %2, %0, %1", '"=r"(r), "+Q"(y)', '"r"(v)'), ["update xchg acquire i64 @y"]),
        (
            AARCH64,
            assembly("casl %w0, %w2, %1", '"+r"(e), "+Q"(z)', '"r"(w)'),
            ["cas release monotonic i32 @z"],
        ),
        (
            AARCH64,
            assembly("caspal %0, %1, %3, %4, %2", '"+r"(r), "+r"(v), "+Q"(big)', '"r"(5UL), "r"(6UL)'),
            ["cas acq_rel acquire i128 @big, %"],
        ),
        (
            AARCH64,
            assembly(
                "caspl %0, %1, %3, %4, %2", '"+r"(x0), "+r"(x1), "+Q"(big)', '"r"(5UL), "r"(6UL)'
            ).replace("__asm__", 'register u64 x0 __asm__("x0") = r, x1 __asm__("x1") = v; __asm__'),
            ["cas release monotonic i128 @big, %"],
        ),
        (
            AARCH64,
            assembly("1: ldxr %w0, [%2]; stlxr %w1, %w3, [%2]; cbnz %w1, 1b", *LOOP),
            ["update xchg release i32"],
        ),
        (
            AARCH64,
            assembly("1: ldaxr %w0, [%2]; add %w0, %w0, %w3; stxr %w1, %w0, [%2]; cbnz %w1, 1b", *LOOP),
            ["update add acquire i32"],
        ),
        (
            AARCH64,
            assembly("1: ldxr %w0, [%2]; sub %w0, %w0, #1; stxr %w1, %w0, [%2]; cbnz %w1, 1b", *LOOP),
            ["update sub monotonic i32"],
        ),
        (
            AARCH64,
            assembly("1: ldxrb %w0, [%2]; mvn %w0, %w0; stxrb %w1, %w0, [%2]; cbnz %w1, 1b", *LOOP),
            ["update xor monotonic i8"],
        ),
        (
            AARCH64,
            assembly(
                "1: ldxr %w0, [%2]; cmp %w0, %w3; b.ne 2f; stxr %w1, %w4, [%2]; cbnz %w1, 1b; 2:",
                '"=&r"(w), "=&r"(t)',
                '"r"(&z), "r"(e), "r"(7)',
            ),
            ["cas monotonic monotonic i32"],
        ),
        (
            AARCH64,
            assembly("prfm pstl1strm, [%2]; 1: ldaxr %w0, [%2]; stlxr %w1, %w3, [%2]; cbnz %w1, 1b", *LOOP),
            ["update xchg acq_rel i32"],
        ),
        (
            AARCH64,
            assembly(
                "1: ldxr %w0, [%2]; add %w0, %w0, %w3; stlxr %w1, %w0, [%2]; cbnz %w1, 1b; dmb ish", *LOOP
            ),
            ["update add release i32", "fence seq_cst"],
        ),
        (
            AARCH64,
            assembly(
                "1: ldaxr %w0, [%2]; eor %w1, %w0, %w3; cbnz %w1, 2f; stlxr %w1, %w4, [%2]; cbnz %w1, 1b; 2:",
                '"=&r"(w), "=&r"(t)',
                '"r"(&z), "r"(e), "r"(7)',
            ),
            ["cas acq_rel acquire i32"],
        ),
        (
            AARCH64,
            assembly(
                "1: ldxp %0, %1, [%2]; eor %0, %0, %3; eor %1, %1, %3; orr %1, %0, %1; mov %w0, #0; "
                "cbnz %1, 2f; stxp %w0, %4, %4, [%2]; cbnz %w0, 1b; mov %w0, #1; 2:",
                '"=&r"(r), "=&r"(v)',
                '"r"(&big), "r"(0UL), "r"(1UL)',
            ),
            ["cas monotonic monotonic i128"],
        ),
        (
            AARCH64,
            assembly(
                "ldar %w0, %2; cmp %w0, %w1; b.eq 2f; sevl; .align 5; 1: wfe; ldaxr %w0, %2; "
                "cmp %w0, %w1; b.ne 1b; 2:",
                '"=&r"(w)',
                '"r"(e), "Q"(z)',
            ),
            ["load acquire i32 @z"],
        ),
        (
            RISCV64,
            assembly(
                "1: li %1, 1; lr.w.aq %0, %2; bne %0, %4, 2f; sc.w.rl %1, %3, %2; bnez %1, 1b; 2:",
                '"=&r"(w), "=&r"(t), "+A"(z)',
                '"r"(e), "r"(7)',
            ),
            ["cas acq_rel acquire i32"],
        ),
        (
            RISCV64,
            assembly(
                "0: lr.d %0, %2; add %1, %0, %3; sc.d %1, %1, %2; bnez %1, 0b; fence rw, rw",
                '"=&r"(r), "=&r"(v), "+A"(y)',
                '"r"(5UL)',
            ),
            ["update add monotonic i64", "fence seq_cst"],
        ),
        (
            POWERPC64LE,
            assembly(
                "lwsync; 1: lwarx %0, 0, %1; cmpw 0, %0, %3; bne- 2f; stwcx. %2, 0, %1; bne- 1b; isync; 2:",
                '"=&r"(w)',
                '"r"(&z), "r"(e), "r"(7)',
                '"memory", "cc"',
            ),
            ["fence acq_rel", "cas acquire monotonic i32"],
        ),
        (
            POWERPC64LE,
            assembly(
                "1: ldarx %0, 0, %1; subf %0, %2, %0; stdcx. %0, 0, %1; bne- 1b",
                '"=&r"(r)',
                '"r"(&y), "r"(v)',
            ),
            ["update sub monotonic i64"],
        ),
        (AARCH64, assembly("eor %0, %1, %1", '"=r"(r)', '"r"(v)', ""), []),
        (RISCV64, assembly("xor %0, %1, %1", '"=r"(r)', '"r"(v)', ""), []),
        (POWERPC64LE, assembly("xor %0, %1, %1", '"=r"(r)', '"r"(v)', ""), []),
        (RISCV64, assembly("fence rw,rw"), ["fence seq_cst"]),
        (RISCV64, assembly("fence w,w"), ["call &__membar_fence(@tag.Fence.w.w)"]),
        (RISCV64, assembly("fence.tso"), ["fence acq_rel"]),
        (
            RISCV64,
            assembly("amoadd.w.aqrl %0, %2, %1", '"=r"(w), "+A"(z)', '"r"(e)'),
            ["update add seq_cst i32"],
        ),
        (RISCV64, assembly("amoswap.d.rl zero, %1, %0", '"+A"(y)', '"r"(v)'), ["update xchg release i64"]),
        (RISCV64, assembly("lw %0, %1", '"=r"(w)', '"m"(z)'), ["load monotonic i32 @z"]),
        (POWERPC64LE, assembly("sync"), ["fence seq_cst"]),
        (POWERPC64LE, assembly("lwsync"), ["fence acq_rel"]),
        (POWERPC64LE, assembly("isync"), ["call &__membar_fence(@tag.ISYNC)"]),
    ],
)
def test_other_processors(tmp_path: Path, target: Target, text: str, expected: list[str]) -> None:
    found = effects(link_texts(tmp_path, text, target=target, modelled=target.processor))
    assert [line[: len(want)] for line, want in zip(found, expected, strict=True)] == expected


@needs_clang
def test_results_go_where_the_assembly_puts_them(tmp_path: Path) -> None:
    text = HEAD + '__asm__("" : "+r"(r)); __asm__("" : "=r"(v) : "0"(r)); return v; }'
    module = link_texts(tmp_path, text)
    instructions = [item for block in module.functions["main"].blocks for item in block.instructions]
    assert not any(isinstance(item, ir.Assembly) for item in instructions)
    copies = [item for item in instructions if isinstance(item, ir.Compute) and item.operation == "bitcast"]
    assert len(copies) == 2
    assert not any(isinstance(operand, ir.Undefined) for item in copies for operand in item.operands)


COMPARE = "lock; cmpxchgl %2, %1; sete %0"
COMPARED = ('"=q"(c), "=m"(z)', '"r"(w), "m"(z), "a"(e)')


@needs_clang
@pytest.mark.parametrize(
    ("text", "expected", "missing"),
    [
        (assembly("movl %1, %0", '"=q"(w)', '"m"(z)', '"cc"'), "load acquire i32 @z", '"memory"'),
        (assembly(COMPARE, *COMPARED), "cas seq_cst seq_cst i32 @z, %1, %0", "the register that it changes"),
        (assembly("pause", "", "", '"cc"'), None, None),
    ],
)
def test_an_answer_assumes_that_assembly_hides_nothing_from_the_compiler(
    tmp_path: Path, text: str, expected: str | None, missing: str | None
) -> None:
    module = link_texts(tmp_path, text)
    assert effects(module) == ([] if expected is None else [expected])
    said = f"as if the assembly in line 4 of a.c named {missing} in its clobbers"
    assert module.partly_checked == (() if missing is None else (("", said),))


@needs_clang
@pytest.mark.parametrize(
    ("text", "target"),
    [
        (assembly("cpuid", "", "", '"memory", "eax", "ebx", "ecx", "edx"'), X86_64),
        (assembly("cmpxchgl %2,%1", '"=a"(w), "+m"(z)', '"q"(7u), "0"(2u)'), X86_64),
        (assembly("lock btsl %1, %0", '"+m"(z)', '"r"(z)'), X86_64),
        (assembly("lock btsl $40, %0", '"+m"(z)'), X86_64),
        (assembly("lock btsl $4, %0; setz %1", '"+m"(z), "=q"(c)'), X86_64),
        (assembly("dmb st; dmb ld"), AARCH64),
        (
            assembly("1: ldxr %w0, [%2]; sub %w0, %w3, %w0; stxr %w1, %w0, [%2]; cbnz %w1, 1b", *LOOP),
            AARCH64,
        ),
        (assembly("rdtsc; movl %%eax, (%1)", '"=a"(w)', '"r"(&z)'), X86_64),
    ],
)
def test_executions_are_not_followed_where_assembly_is_not_known(
    tmp_path: Path, text: str, target: Target
) -> None:
    module = link_texts(tmp_path, text, target=target)
    (gap,) = module.gaps
    assert gap.startswith("what the assembly `")
    assert effects(module) == [f"call &__membar_cut(@.text {gap})"]


@needs_clang
@pytest.mark.parametrize(
    ("text", "target", "count"),
    [
        (assembly("rdtsc", '"=a"(w), "=d"(e)', "", ""), X86_64, 2),
        (assembly("lfence; rdtsc; shl $32, %%rdx; or %%rdx, %0", '"=a"(r)', "", '"rdx"'), X86_64, 1),
        (assembly("mrs %0, cntvct_el0", '"=r"(r)', "", ""), AARCH64, 1),
    ],
)
def test_assembly_that_reads_the_time_gets_numbers_from_outside(
    tmp_path: Path, text: str, target: Target, count: int
) -> None:
    module = link_texts(tmp_path, text, target=target)
    assert effects(module) == ["call &__membar_input(0, 1)"] * count
    assert not module.gaps


@needs_clang
@pytest.mark.parametrize(
    ("text", "target", "modelled", "words"),
    [
        (assembly("mfence", "", "", '"cc"'), X86_64, None, "clobber"),
        (assembly("movl (%1), %0", '"=r"(w)', '"r"(&z)', '"cc"'), X86_64, None, "clobber"),
        (assembly("mfence"), X86_64, "aarch64", "--target aarch64"),
        (assembly("dmb ishst"), AARCH64, None, "no meaning under a model of a language"),
    ],
)
def test_what_is_refused_is_named_with_its_place(
    tmp_path: Path, text: str, target: Target, modelled: str | None, words: str
) -> None:
    (diagnostic,) = refusal(tmp_path, text, target=target, modelled=modelled).diagnostics
    assert words in diagnostic.message
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.line == 4


@needs_clang
def test_a_compiler_barrier_is_none_between_threads_under_any_model(tmp_path: Path) -> None:
    assert effects(link_texts(tmp_path, assembly(""), modelled="aarch64")) == []


def test_templates_are_read_by_statements() -> None:
    assert read_statements("1:\tldxr %0, %1\n\tlock; xaddl $1, 8($0)") == (
        Statement("1:"),
        Statement("ldxr", ("%0", "%1")),
        Statement("lock"),
        Statement("xaddl", ("$1", "8($0)")),
    )
