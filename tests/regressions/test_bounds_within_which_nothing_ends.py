"""A bound that membar chose and within which no execution terminates says next to nothing: it is enlarged."""

import pytest

import membar
from membar.source import SourceFile

BOX = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct message { int length; char text[8]; };
static _Atomic(struct message *) box;
static struct message message;
static void *produce(void *unused) {
  strcpy(message.text, "hello");
  message.length = (int)strlen(message.text);
  atomic_store_explicit(&box, &message, memory_order_ORDER);
  return NULL;
}
static void *consume(void *unused) {
  struct message *got = atomic_load_explicit(&box, memory_order_acquire);
  if (got)
    assert(got->length == 5 && got->text[4] == 'o');
  return NULL;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, produce, NULL);
  pthread_create(&two, NULL, consume, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
"""


@pytest.mark.parametrize(("order", "verdict"), [("release", "holds"), ("relaxed", "violated")])
def test_the_length_of_a_text_in_memory_needs_no_larger_bound_from_the_user(order: str, verdict: str) -> None:
    answer = membar.check(SourceFile("box.c", BOX.replace("ORDER", order)), model="rc11")
    assert answer.verdict == verdict


def test_a_bound_of_the_user_is_kept() -> None:
    answer = membar.check(SourceFile("box.c", BOX.replace("ORDER", "release")), model="rc11", max_unroll=2)
    assert answer.verdict == "holds-within"


COUNTS = """
#include <string.h>
int main(void) {
  char text[16];
  strcpy(text, "eleven more");
  return strcmp(text, "eleven more");
}
"""


def test_known_texts_are_copied_and_compared_exactly() -> None:
    assert membar.check(SourceFile("known.c", COUNTS), model="sc").verdict == "holds"
