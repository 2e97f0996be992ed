"""Where C programs can be changed: what the compiler has at a place must be what the text says there."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.diagnostics import InputError
from membar.languages.compiled.edit_sites import edit_sites
from membar.languages.compiled.program import parse_compiled
from membar.source import SourceFile
from membar.text.edits import EditSite, apply_choice
from strategies.compiled_code import needs_clang

pytestmark = needs_clang


def orders(text: str, path: str = "a.c") -> list[tuple[str, str]]:
    """Title and present order of each place that is an order."""
    return [(place.title, place.alternatives[place.current].name) for place in found(text, path)]


def found(text: str, path: str = "a.c") -> list[EditSite]:
    source = SourceFile(path, f"#include <stdatomic.h>\natomic_int x;\n{text}")
    return [each for each in edit_sites(source, parse_compiled(source)) if each.title.startswith("the ")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("atomic_store_explicit(&x, 1, memory_order_release);", [("the store in line 3", "store release")]),
        ("atomic_store(&x, 1);", [("the store in line 3", "store seq_cst")]),
        ("__atomic_store_n(&x, 1, __ATOMIC_RELEASE);", [("the store in line 3", "store release")]),
        ("atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);", [("the rmw in line 3", "rmw acq_rel")]),
        ("atomic_thread_fence(memory_order_acquire);", [("the fence in line 3", "fence acquire")]),
        # Not what it seems: the compiler has no operation there.
        ("if (0) atomic_store(&x, 1);", []),
        ("int y; atomic_store(&x, ({ y = 1; y; }));", [("the store in line 3", "store seq_cst")]),
    ],
)
def test_orders_that_the_compiler_agrees_with(text: str, expected: list[tuple[str, str]]) -> None:
    assert orders(f"int main(void) {{ {text} return 0; }}") == expected


def test_a_compare_exchange_has_two_orders() -> None:
    call = "atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_acquire)"
    text = f"int main(void) {{ int e = 0; {call}; return 0; }}"
    assert [order for _, order in orders(text)] == ["rmw acq_rel", "load acquire"]


def test_what_only_looks_like_an_atomic_operation_is_left_alone() -> None:
    text = """\
#undef atomic_store
#define atomic_store(p, v) (*(int *)(p) = (v))
int main(void) { atomic_store(&x, 1); return 0; }
"""
    assert orders(text) == []


def test_branches_that_are_not_compiled_are_no_places() -> None:
    text = """\
int main(void) {
#ifdef A
  if (x) { atomic_store(&x, 1);
#else
  { atomic_store_explicit(&x, 2, memory_order_relaxed);
#endif
  }
  return 0;
}
"""
    assert [title for title, _ in orders(text)] == ["the store in line 7"]


def test_the_order_in_a_macro_is_changed_there() -> None:
    text = """\
#define LOCK(p) take(p)
#define take(p) \\
  atomic_exchange_explicit(p, 1, memory_order_relaxed)
int main(void) { while (LOCK(&x)) ; return 0; }
"""
    [place] = found(text)
    assert (place.title, place.loops) == ("the rmw in line 5", 1)
    source = SourceFile("a.c", f"#include <stdatomic.h>\natomic_int x;\n{text}")
    changed = apply_choice(source, [place], (place.strongest,))
    assert "  atomic_exchange_explicit(p, 1, memory_order_seq_cst)\n" in changed.text


def test_the_order_in_a_header_is_changed_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = "static inline void put(int v) { atomic_store_explicit(&x, v, memory_order_relaxed); }\n"
    (tmp_path / "put.h").write_text(header, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    [place] = found('#include "put.h"\nint main(void) { put(1); return 0; }')
    assert Path(place.span.path).name == "put.h"
    source = SourceFile(
        "a.c", '#include <stdatomic.h>\natomic_int x;\n#include "put.h"\nint main(void) { put(1); }'
    )
    changed = apply_choice(source, [place], (place.strongest,))
    assert [("seq_cst" in text) for _, text in changed.replaced] == [True]
    tags = {
        tag
        for thread in parse_compiled(changed).threads
        for edge in thread.edges
        for item in edge.operations
        for tag in getattr(item, "tags", ())
    }
    assert "SC" in tags


GUARDED = """\
#ifndef PUT_H
#define PUT_H
static inline void unused(void) { atomic_store(&x, 0); unused(); }
static inline void put_rlx(int v) { atomic_store_explicit(&x, v, memory_order_relaxed); }
static inline void put(int v) { atomic_store_explicit(&x, v, memory_order_relaxed); put_rlx(v); }
#endif
"""


def test_functions_of_headers_are_called_where_a_fence_can_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what the program reaches is a place, and a name that says an order keeps it."""
    (tmp_path / "put.h").write_text(GUARDED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    text = '#include <stdatomic.h>\natomic_int x;\n#include "put.h"\nint main(void) {\n  put(1);\n}\n'
    source = SourceFile("a.c", text)
    told = [(Path(each.span.path).name, each.title) for each in edit_sites(source, parse_compiled(source))]
    assert ("a.c", "before line 5") in told
    assert [title for name, title in told if name == "put.h"] == [
        "before line 4",
        "before line 5",
        "before line 5",
        "the store in line 5",
    ]


def test_what_a_compiler_wrote_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "a.i"
    path.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    source = SourceFile.read(path)
    with pytest.raises(InputError) as caught:
        edit_sites(source, parse_compiled(source))
    assert caught.value.diagnostics[0].code == "W0421"


def test_functions_for_each_order_are_renamed_where_they_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("atoms.h").write_text(
        """#include <stdatomic.h>
static inline void put(atomic_int *p, int v) { atomic_store(p, v); }
static inline void put_rel(atomic_int *p, int v) { atomic_store_explicit(p, v, memory_order_release); }
static inline void put_rlx(atomic_int *p, int v) { atomic_store_explicit(p, v, memory_order_relaxed); }
""",
        encoding="utf-8",
    )
    Path("lock.h").write_text(
        '#include "atoms.h"\nstatic inline void unlock(atomic_int *p) { put_rlx(p, 0); }\n', encoding="utf-8"
    )
    Path("a.c").write_text(
        '#include "lock.h"\natomic_int x;\nint main(void) { unlock(&x); return 0; }\n', encoding="utf-8"
    )
    source = SourceFile.read("a.c")
    all_places = edit_sites(source, parse_compiled(source))
    assert {Path(place.span.path).name for place in all_places} == {"lock.h", "a.c"}
    assert Path(all_places[0].span.path).name == "lock.h"
    (place,) = [each for each in all_places if each.title == "the store in line 2"]
    assert [each.name for each in place.alternatives] == ["", "store release", "store seq_cst"]
    edited = [each.edits[0].text for each in place.alternatives]
    assert edited == ["put_rlx", "put_rel", "put"]
    assert place.current == 0
