"""Executions of C programs: pointers as C writes them, races once, and the race behind an error."""

from __future__ import annotations

import json

import membar
from membar.reports import terminal
from membar.reports.answer_keys import DrawingPart
from membar.reports.json import drawn_line, render
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

MAIN = """
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
"""
ARRAY = """#include <pthread.h>
int a[6];
struct { int x, *p; } s[2];
void *first(void *q) { for (int i = 0; i < 6; i++) a[i] = i; s[1].p = &a[2]; s[0].p = &s[1].x; return q; }
void *second(void *q) { for (int i = 0; i < 6; i++) a[i] = 2; return q; }
"""
LIST = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *_Atomic head;
void *first(void *q) {
  struct node *n = malloc(sizeof *n);
  n->value = 1;
  atomic_store_explicit(&head, n, memory_order_relaxed);
  return q;
}
void *second(void *q) {
  struct node *n = atomic_load_explicit(&head, memory_order_relaxed);
  if (n && n->value == 2) return 0;
  return q;
}
"""


def check(text: str) -> membar.Answer:
    return membar.check(SourceFile("shown.c", text + MAIN), model="rc11")


def shown(answer: membar.Answer) -> str:
    return " ".join(terminal.render(answer).split())


def test_a_race_between_two_places_is_told_once() -> None:
    text = shown(check(ARRAY))
    race = "first's write of a[0] at line 4 and second's write of a[0] at line 5 race, because nothing orders"
    assert text.count("race, because nothing orders them") == 1
    assert race in text
    assert "so do those of a[1], a[2], a[3], a[4] and 1 more" in text


def test_pointers_are_written_as_in_c() -> None:
    found = check(ARRAY)
    assert "s[1].p <- &a[2]" in shown(found)
    assert "s[0].p <- &s[1]" in shown(found)
    line = json.loads(render(found))
    events = {item["location"]: item for item in line["witness"]["events"] if item["thread"] == 1}
    assert events["s[1].p"]["pointer"] == "&a[2]"
    assert "pointer" not in events["a[1]"]
    assert {item["s[0].p"] for item in line["outcomes"]} == {"&s[1]"}


def test_the_race_stands_before_the_error_that_comes_of_it() -> None:
    text = shown(check(LIST))
    race = (
        "Data race between first's write of node@7.value at line 8 and second's read of node@7.value at"
        " line 14, because nothing orders them."
    )
    assert race in text
    assert text.index(race) < text.index("memory allocated at line 7 is read before it was set (line 14)")
    assert "head -> &node@7 (from first:9)" in text
    assert "node@7.value -> uninitialised" in text


def test_what_was_never_set_is_said_in_words() -> None:
    text = (
        "#include <pthread.h>\n#include <stdlib.h>\nstruct pair { int a, b; };\n"
        "void *other(void *given) { ((struct pair *)given)->a = 1; return 0; }\n"
        "int main(void) { struct pair *p = malloc(sizeof *p), copy; pthread_t t;\n"
        "pthread_create(&t, 0, other, p); copy = *p; pthread_join(t, 0); free(p); return 0; }\n"
    )
    found = membar.check(SourceFile("unset.c", text), model="rc11")
    line = json.loads(render(found))
    words = {item.get("meaning") for item in line["witness"]["events"]}
    assert words == {None, "uninitialised", "alive", "ended"}


def test_freed_memory_has_a_name_and_its_use_is_marked() -> None:
    text = (
        "#include <pthread.h>\n#include <stdlib.h>\nstruct node { int value; } *top;\n"
        "void *reader(void *given) { return top->value ? given : 0; }\n"
        "int main(void) { pthread_t t;\ntop = malloc(sizeof *top);\ntop->value = 1;\n"
        "pthread_create(&t, 0, reader, 0);\nfree(top); pthread_join(t, 0); return 0; }\n"
    )
    found = membar.check(SourceFile("freed.c", text), model="x86-tso", properties=["memory"])
    said = " ".join(found.render("terminal").split())
    assert "lifetime(node@6) <- ended" in said
    assert "lifetime(node@6) -> ended" in said
    drawn = found.render("svg")
    assert "lifetime(node@6) → ended" in drawn
    assert "this fails" in drawn
    drawing = drawn_line(found).drawing
    assert isinstance(drawing, DrawingPart)
    assert [drawing.events[event].location for event in drawing.failing] == ["lifetime(node@6)"]
    assert drawing.failing_line == 4


def test_of_a_large_program_only_the_values_that_the_execution_accesses_are_shown() -> None:
    table = (
        "#include <pthread.h>\nchar table[40];\nint n, x;\nvoid swap(int i) { table[i] = table[39 - i]; }\n"
    )
    text = table + "int main(void) { if (n) for (int i = 0; i < 40; i++) swap(i); x = 3; return x; }\n"
    found = shown(membar.check(SourceFile("table.c", text), model="rc11"))
    assert "state reached: [n]=0; [x]=3;" in found


def test_what_a_library_function_does_is_one_row() -> None:
    text = (
        "#include <assert.h>\n#include <pthread.h>\n"
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\npthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
        "int ready, data;\n"
        "void *first(void *q) { pthread_mutex_lock(&m); ready = data = 1;\n"
        "  pthread_cond_signal(&c); pthread_mutex_unlock(&m); return q; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, first, 0); pthread_mutex_lock(&m);\n"
        "  while (!ready) pthread_cond_wait(&c, &m);\n"
        "  assert(data == 2); }\n"
    )
    found = membar.check(SourceFile("wait.c", text), model="rc11", properties=["assertions"])
    said = " ".join(found.render("terminal").split())
    assert "waits_at" not in said  # only the library names it
    assert said.count("pthread_mutex_lock(&m)") == 2
    assert said.count("pthread_cond_wait(&c, &m)") <= 2  # before it sleeps, and after it wakes
    assert "main's read of data at line 10 finds 1, which first wrote at line 6" in said
    assert "read of c " not in said
