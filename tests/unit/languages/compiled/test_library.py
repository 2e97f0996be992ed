"""The library: what is documented has a body, programs link against it, errors name what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import membar
from generated.library_page import cpp_library_table, library_table
from membar.code import ir
from membar.code.primitives import PRIMITIVES
from membar.code.validate import validate
from membar.languages.compiled.compiler import Compiler
from membar.languages.compiled.library_bodies import FOLDER, Library, library_functions, names_in
from membar.languages.compiled.lower import lower_module
from membar.languages.compiled.target import TARGETS, X86_64, Target
from membar.source import SourceFile
from strategies.compiled_code import needs_clang as needs_compiler
from strategies.linked import COMPILERS, link_texts, refusal
from tiers import first

FILES = sorted(path.name for path in Path(FOLDER).glob("*.c"))


def calls(module: ir.Module, function: str) -> Iterator[str]:
    for block in module.functions[function].blocks:
        for item in block.instructions:
            if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress):
                yield item.callee.name


@pytest.mark.parametrize(("name", "text"), [("c", library_table()), ("cpp", cpp_library_table())])
def test_the_reference_is_what_the_bodies_say(name: str, text: str, request: pytest.FixtureRequest) -> None:
    page = Path(__file__).parents[4] / "docs" / "reference" / f"{name}-library.md"
    if request.config.getoption("--update-golden"):
        page.write_text(text, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == text


@needs_compiler
@pytest.mark.parametrize("target", first(2, TARGETS.values()), ids=list(TARGETS))
def test_what_is_documented_is_what_has_a_body(target: Target) -> None:
    library = Library(COMPILERS[0], target)
    defined = {
        item.name
        for file in FILES
        for item in library.module(file).functions.values()
        if item.is_defined and item.linkage == "external"
    }
    missing = names_in("wide_division.c") if target.pointer_bits == 32 else []  # no integers of 128 bits
    assert defined == set(library_functions()) - set(missing)


@needs_compiler
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda item: str(item.major))
@pytest.mark.parametrize("file", FILES)
def test_bodies_need_nothing_but_primitives_and_one_another(file: str, compiler: Compiler) -> None:
    module = Library(compiler, X86_64).module(file)
    names = [
        item.name for item in module.functions.values() if item.is_defined and item.linkage == "external"
    ]
    code = lower_module(module, names, lambda _: None)
    validate(code)
    for name, function in code.functions.items():
        if function.blocks:
            continue
        assert name in PRIMITIVES or name in library_functions(), name
        if name in PRIMITIVES:
            primitive = PRIMITIVES[name]
            assert tuple(item.type for item in function.parameters) == primitive.parameters, name
            assert function.results == primitive.results, name


@needs_compiler
def test_library_functions_get_their_bodies(tmp_path: Path) -> None:
    text = """
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return a; }
    int main(void) {
      pthread_t t;
      pthread_create(&t, 0, f, 0);
      pthread_join(t, 0);
      fprintf(stderr, "%d %s\\n", 1, "x");
      free(malloc(4));
    }"""
    module = link_texts(tmp_path, text)
    outside = {name for name, item in module.functions.items() if not item.blocks}
    assert outside <= set(PRIMITIVES)
    assert "__membar_add_within" in outside
    assert module.objects["stderr"].content is not None
    assert not module.functions["fprintf"].is_variadic


@needs_compiler
def test_the_programs_own_definitions_win_and_the_library_keeps_its_own(tmp_path: Path) -> None:
    text = """
    #include <strings.h>
    int tolower(int c) { return 7; }
    void *malloc(unsigned long n) { return 0; }
    int main(void) { return strcasecmp("a", "A") + tolower(1) + (malloc(3) != 0); }"""
    module = link_texts(tmp_path, text)
    assert not any(name.startswith("__membar_allocate") for name in module.functions)
    assert list(calls(module, "strcasecmp")) == ["tolower@library", "tolower@library"]
    assert "tolower" in list(calls(module, "main"))


@needs_compiler
def test_a_function_without_a_body_is_a_gap_that_names_it_and_the_way_out(tmp_path: Path) -> None:
    (gap,) = link_texts(tmp_path, "void there(int);\nint main(void) {\n  there(1);\n}").gaps
    assert "what `there` does" in gap
    assert "stubs.c" in gap


@needs_compiler
def test_a_variable_without_a_definition_is_an_error(tmp_path: Path) -> None:
    (diagnostic,) = refusal(tmp_path, "extern int there;\nint main(void) {\n  return there;\n}").diagnostics
    assert "`there` is declared but never defined" in diagnostic.message
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.line == 3


@needs_compiler
def test_several_files_are_one_program(tmp_path: Path) -> None:
    first = (
        "int f(void); extern int shared; static int own = 1; int main(void) { return f() + shared + own; }"
    )
    second = (
        "int shared = 5; static int own = 2; int f(void) { return own; } int unused(void) { return gone(); }"
    )
    module = link_texts(tmp_path, first, second.replace("gone()", "0"))
    assert module.objects["shared"].content == b"\x05\0\0\0"
    assert {item.content for name, item in module.objects.items() if name.startswith("own")} == {
        b"\x01\0\0\0",
        b"\x02\0\0\0",
    }
    assert "unused" not in module.functions


@needs_compiler
@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (
            "int f(void) { return 1; } int main(void) { return f(); }",
            "int f(void) { return 1; }",
            "defined twice",
        ),
        ("int x = 1; int main(void) { return x; }", "int x = 2; int y(void) { return x; }", "defined twice"),
        (
            "long f(void); int main(void) { return f(); }",
            "int f(void) { return 1; }",
            "contradicts its definition",
        ),
        (
            "int f(int); int main(void) { return f(1); }",
            "int f(void) { return 1; }",
            "contradicts its definition",
        ),
        ("extern long x; int main(void) { return x; }", "int x = 1;", "declared with 8 bytes"),
        (
            "extern char x; int main(void) { return x; }",
            "int x = 1;",
            "declared with 1 byte in another file, and defined with 4",
        ),
        ("int main(void) { return 0; }", "int main(void) { return 1; }", "defined twice"),
    ],
)
def test_files_that_contradict_one_another_are_refused_with_a_place(
    tmp_path: Path, first: str, second: str, words: str
) -> None:
    (diagnostic,) = refusal(tmp_path, first, second).diagnostics
    assert words in diagnostic.message
    assert diagnostic.primary is not None


@needs_compiler
def test_inline_definitions_may_be_repeated_if_they_are_the_same(tmp_path: Path) -> None:
    inline = "__attribute__((weak)) int f(void) { return %d; }"
    one = inline % 1 + " int g(void); int main(void) { return f() + g(); }"
    other = " int g(void) { return f(); }"
    module = link_texts(tmp_path, one, inline % 1 + other)
    assert module.functions["f"].blocks
    (diagnostic,) = refusal(tmp_path, one, inline % 2 + other).diagnostics
    assert "different definitions" in diagnostic.message


@needs_compiler
def test_functions_of_verifiers_count_whatever_their_bodies_do(tmp_path: Path) -> None:
    text = """
    void reach_error(void) {}
    int x;
    void __VERIFIER_atomic_inc(void) { x++; }
    extern void __VERIFIER_assume(_Bool);
    int main(void) { __VERIFIER_assume(x == 0); __VERIFIER_atomic_inc(); reach_error(); }"""
    module = link_texts(tmp_path, text)
    assert "__membar_check" in list(calls(module, "reach_error"))
    step = list(calls(module, "__VERIFIER_atomic_inc"))
    assert (step[0], step[-1]) == ("__membar_atomic_begin", "__membar_atomic_end")


@needs_compiler
def test_what_runs_at_the_end_is_there_only_if_the_program_has_it(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    #include <pthread.h>
    %s int main(int n, char **a) { %s if (n > 1) pthread_exit(0); return 0; }"""
    plain = link_texts(tmp_path, text % ("", ""))
    assert "__mb_end_of_thread" not in plain.functions
    keys = text % ("pthread_key_t k; void f(void) {}", "pthread_key_create(&k, 0); atexit(f);")
    module = link_texts(tmp_path, keys)
    assert "__mb_end_of_thread" in list(calls(module, "end_thread"))
    assert list(calls(module, "main"))[-1] == "__mb_end_of_process"


@needs_compiler
def test_functions_that_are_only_inline_get_their_bodies_and_nothing_else_changes(tmp_path: Path) -> None:
    inline = "int n = 4; inline int f(int x) { return x + n; }"
    module = link_texts(tmp_path, f"{inline} int main(void) {{ return f(1); }}")
    assert module.functions["f"].blocks
    assert module.objects["n"].content == b"\x04\0\0\0"
    shared = "inline int f(int x) { return x; }"
    first = f"{shared} int g(void); int main(void) {{ return f(1) + g(); }}"
    second = f"{shared} int g(void) {{ return f(2); }}"
    assert link_texts(tmp_path, first, second).functions["f"].blocks


NUMBERS = """#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
int main(void) {
  assert(strtol("7fffffffffffffff", 0, 16) == LONG_MAX && strtol("-8000000000000000", 0, 16) == LONG_MIN);
  assert(errno == 0);
  assert(strtol("8000000000000000", 0, 16) == LONG_MAX && errno == ERANGE);
  errno = 0;
  assert(strtol("-8000000000000001", 0, 16) == LONG_MIN && errno == ERANGE);
  errno = 0;
  assert(strtoul("-1", 0, 10) == ULONG_MAX && strtoull("ffffffffffffffff", 0, 16) == ULLONG_MAX);
  assert(errno == 0);
  assert(strtoul("10000000000000000", 0, 16) == ULONG_MAX && errno == ERANGE);
}
"""
TIMES = """#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void) {
  struct timespec t; %s
  pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m);
}
"""


@needs_compiler
def test_numbers_that_do_not_fit_are_limits() -> None:
    assert membar.check(SourceFile("a.c", NUMBERS), model="sc", unroll=20).verdict == "holds"


@needs_compiler
@pytest.mark.parametrize(
    ("before", "verdict"), [("", "violated"), ("clock_gettime(CLOCK_REALTIME, &t);", "holds")]
)
def test_times_must_be_set_and_do_not_matter(before: str, verdict: str) -> None:
    assert membar.check(SourceFile("a.c", TIMES % before), model="sc").verdict == verdict
