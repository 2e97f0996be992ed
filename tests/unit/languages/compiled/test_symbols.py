"""Names and addresses that a linker or an extension of C gives a meaning: weak, alias, labels; settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar
from membar import HoldsWithin
from membar.diagnostics import InputError
from membar.source import SourceFile
from strategies.c_heap_cases import said
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

WEAK = """
    #include <assert.h>
    __attribute__((weak)) int maybe(void);
    extern int variable __attribute__((weak));
    int *pointer = &variable;
    int (*function)(void) = maybe;
    int main(void) {
      assert(&variable == 0 && pointer == 0 && function == 0);
      if (maybe) maybe();
      CALL
      return 0;
    }"""


def test_a_weak_name_that_nobody_defines_is_a_null_pointer() -> None:
    assert said(WEAK.replace("CALL", "")) == "holds"


def test_to_call_a_weak_function_that_nobody_defines_is_an_error() -> None:
    found = said(WEAK.replace("CALL", "maybe();"))
    assert found.startswith("memory: `maybe` is called, a weak function without a definition")


ALIASES = """
    int object = 3;
    extern int other_object __attribute__((alias("object")));
    static int get(void) { return object; }
    int other_get(void) __attribute__((alias("get")));
    static int one(void) { return 1; }
    int one_or_two(void) __attribute__((weak, alias("one")));
    int in_this_file(void) { return one_or_two(); }
    """
USES = """
    #include <assert.h>
    extern int other_object, object;
    int other_get(void), one_or_two(void), in_this_file(void);
    int main(void) {
      other_object = 4;
      assert(object == 4 && other_get() == 4);
      assert(one_or_two() == NUMBER && in_this_file() == NUMBER);
      return 0;
    }"""


@pytest.mark.parametrize(("number", "files"), [(1, ()), (2, ("two.c",))])
def test_an_alias_is_another_name_unless_a_weak_one_is_defined_elsewhere(
    tmp_path: Path, number: int, files: tuple[str, ...]
) -> None:
    texts = {
        "main.c": USES.replace("NUMBER", str(number)),
        "aliases.c": ALIASES,
        "two.c": "int one_or_two(void) { return 2; }\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    further = tuple(str(tmp_path / name) for name in ("aliases.c", *files))
    assert membar.check(tmp_path / "main.c", further_files=further).verdict == "holds"


LABELS = """
    #include <assert.h>
    #include <pthread.h>
    #include <stdatomic.h>
    atomic_int x;
    void *set(void *unused) { x = 1; return 0; }
    int main(void) {
      static void *table[] = { &&zero, &&one };
      pthread_t t;
      pthread_create(&t, 0, set, 0);
      void *to = table[x];
      goto *to;
    zero:
      assert(to == &&zero && to != &&one);
      return 0;
    one:
      assert(LAST);
      return 0;
    }"""


@pytest.mark.parametrize(("last", "verdict"), [("x == 1", "holds"), ("x == 0", "assertions")])
def test_jumps_to_computed_labels(last: str, verdict: str) -> None:
    assert said(LABELS.replace("LAST", last)).split(":")[0] == verdict


def test_a_jump_to_no_label_is_an_error() -> None:
    text = "int n; int main(void) { void *p = &&end; p = n ? p : (void *)8; goto *p; end: return 0; }"
    assert said(text).startswith("memory: ")


LOOP = """
    #include <assert.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    int __VERIFIER_nondet_int(void);
    SETTINGS
    atomic_int n, count;
    void *add(void *unused) { count++; return 0; }
    int main(void) {
      n = __VERIFIER_nondet_int();
      for (int i = 0; i < n; i++) { BODY }
      return 0;
    }"""
RANGE = "#define MEMBAR_NONDET_MIN 0\n#define MEMBAR_NONDET_MAX 5\n"
UP_TO_5 = (
    "int __VERIFIER_nondet_range(int, int);\n#define __VERIFIER_nondet_int() __VERIFIER_nondet_range(0, 5)\n"
)


@pytest.mark.parametrize(
    ("body", "settings", "verdict"),
    [
        ("free(malloc(4));", "", "holds-within"),
        ("free(malloc(4));", UP_TO_5, "holds-within"),
        ("free(malloc(4));", UP_TO_5 + "#define MEMBAR_HEAP 5\n", "holds"),
        ("free(malloc(4));", UP_TO_5 + "#if 0\n#define MEMBAR_HEAP 5\n#endif\n", "holds-within"),
        ("pthread_t t; pthread_create(&t, 0, add, 0); pthread_join(t, 0);", UP_TO_5, "holds-within"),
        (
            "pthread_t t; pthread_create(&t, 0, add, 0); pthread_join(t, 0);",
            UP_TO_5 + "#define MEMBAR_THREADS 5\n",
            "holds",
        ),
        ("assert(n < 5);", RANGE, "violated"),
        ("assert(n < 5);", "", "holds-within"),
    ],
)
def test_macros_say_how_far_a_program_is_followed(body: str, settings: str, verdict: str) -> None:
    text = LOOP.replace("SETTINGS", settings).replace("BODY", body)
    assert membar.check(SourceFile("case.c", text), model="sc").verdict == verdict


def test_an_answer_about_bounded_inputs_names_the_bounds() -> None:
    text = LOOP.replace("SETTINGS", RANGE).replace("BODY", "")
    outcome = membar.check(SourceFile("case.c", text), model="sc").outcome
    assert isinstance(outcome, HoldsWithin)
    assert "inputs from 0 to 5 (MEMBAR_NONDET_MIN and MEMBAR_NONDET_MAX)" in outcome.bound


@pytest.mark.parametrize(("low", "expected"), [(2, "holds-within"), (-1, "unknown")])
def test_bounds_that_no_input_satisfies_make_nothing_hold(low: int, expected: str) -> None:
    text = f"#define MEMBAR_NONDET_MIN -3\n#define MEMBAR_NONDET_MAX {low}\n"
    text += "unsigned __VERIFIER_nondet_uint(void);\nint main(void) { __VERIFIER_nondet_uint(); return 0; }"
    verdict = membar.check(SourceFile("case.c", text), model="sc").verdict
    assert verdict == expected


@pytest.mark.parametrize("bounds", ["#define MEMBAR_NONDET_MIN 1", RANGE.replace("MIN 0", "MIN 6")])
def test_bounds_of_inputs_come_in_pairs_and_in_order(bounds: str) -> None:
    with pytest.raises(InputError, match="MEMBAR_NONDET_MIN is"):
        membar.check(SourceFile("case.c", LOOP.replace("SETTINGS", bounds).replace("BODY", "")), model="sc")


def _with_assembly(directives: str) -> SourceFile:
    return SourceFile("case.c", f"__asm__({json.dumps(directives)});\nint main(void) {{ return 0; }}")


@pytest.mark.parametrize(
    "directives",
    [".section .init_array\n.quad main", '.incbin "/etc/hostname"', ".pushsection .init_array\nf: nop"],
)
def test_assembly_outside_of_functions_is_refused(directives: str) -> None:
    with pytest.raises(InputError, match="outside functions"):
        membar.check(_with_assembly(directives), model="sc")


def test_assembly_outside_of_functions_may_name_symbols() -> None:
    assert membar.check(_with_assembly(".globl main\n.hidden main"), model="sc").verdict == "holds"


@pytest.mark.parametrize(("condition", "verdict"), [("n", "holds"), ("!n", "unknown")])
def test_functions_in_assembly_are_not_followed(condition: str, verdict: str) -> None:
    code = ".text\n.globl Swap\n.type Swap,@function\nSwap:\n  ret\n.size Swap,.-Swap"
    text = f"__asm__({json.dumps(code)});\nvoid Swap(int);\nint n;\n"
    text += f"int main(void) {{ if ({condition}) Swap(1); return 0; }}"
    assert membar.check(SourceFile("case.c", text), model="sc").verdict == verdict


@pytest.mark.parametrize("value", ["many", "17"])
def test_a_setting_must_be_a_number_that_can_be_followed(value: str) -> None:
    text = LOOP.replace("SETTINGS", f"#define MEMBAR_THREADS {value}\n").replace("BODY", "")
    with pytest.raises(InputError, match="MEMBAR_THREADS is"):
        membar.check(SourceFile("case.c", text), model="sc")
