"""Functions that print text read it: after a `free`, and while another thread writes it, that is wrong."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEAD = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
ALONE = "int main(void) { char *p = malloc(4); p[0] = 0; %s return 0; }"
WHOLE = "int k; int main(void) { char b[4]; %s return 0; }"
BESIDE = """char x[8] = {65, 66, 67};
void *other(void *a) { x[0] = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); %s pthread_join(t, 0); return 0; }
"""


@needs_clang
@pytest.mark.parametrize(
    ("text", "verdict", "violated"),
    [
        (ALONE % "free(p); puts(p);", "violated", "memory"),
        (ALONE % 'free(p); printf("%d %*d %s", 1, 2, 3, p);', "violated", "memory"),
        (ALONE % 'free(p); char b[9]; snprintf(b, 9, "%s", p);', "violated", "memory"),
        (ALONE % "free(p); printf(p);", "violated", "memory"),
        (ALONE % 'printf("%s", (char *)0); free(p);', "violated", "memory"),
        (ALONE % 'printf("%p %.0s %% %s", p, p, "text"); free(p); puts("end");', "holds", None),
        (ALONE % 'snprintf(p, 4, "%d", 1); puts(p); printf("%s", p); free(p);', "holds", None),
        (BESIDE % "fputs(x, stdout);", "violated", "races"),
        (BESIDE % 'printf("%s", x);', "violated", "races"),
        (ALONE % "free(p); getenv(p);", "violated", "memory"),
        (ALONE % 'free(p); perror(0); perror("text");', "holds", None),
        (WHOLE % "puts(b);", "violated", "memory"),
        (WHOLE % "memset(b, 65, 4); puts(b);", "violated", "memory"),
        (WHOLE % "memset(b, 65, 3); b[3] = 0; puts(b);", "holds", None),
        (WHOLE % 'sprintf(b, "%s", "abc");', "holds", None),
        (WHOLE % 'sprintf(b, "%s", "abcd");', "violated", "memory"),
        (WHOLE % 'sprintf(b, "%4d", k);', "violated", "memory"),
        (WHOLE % 'sprintf(b, "%hhu", k);', "holds", None),
        (WHOLE % 'sprintf(b, "%d", k);', "holds-within", None),
        (WHOLE % 'snprintf(b, 4, "%d", k);', "holds", None),
        (WHOLE % 'snprintf(b, 5, "%d", k);', "holds-within", None),
        (WHOLE % "char x[70]; memset(x, 65, 69); x[69] = 0; puts(x);", "unknown", None),
        (WHOLE % 'printf("%n", &k);', "holds-within", None),
        (WHOLE % "static const char x[2] = {65, 66}; puts(x);", "violated", "memory"),
        (BESIDE.replace("x[0]", "x[2]") % "puts(x);", "violated", "races"),
        (BESIDE.replace("x[0]", "x[5]") % "puts(x);", "holds", None),
        (BESIDE % "fwrite(x, 1, 8, stdout);", "holds-within", None),
        (BESIDE % 'fwrite("text", 1, 4, stdout);', "holds", None),
        (BESIDE.replace("x[0]", "x[4]") % 'snprintf(x, 8, "a%d", 12345);', "holds-within", None),
        (BESIDE.replace("x[0]", "x[4]") % 'snprintf(x, 8, "abcdef");', "violated", "races"),
        (WHOLE % 'sprintf(b, "%hhu", k); return b[0] == 1;', "unknown", None),
        (WHOLE % 'if (k) { sprintf(b, "%hhu", k); return strlen(b) > 9; }', "holds", None),
        (WHOLE % 'return snprintf(b, 4, "%d", k) < 0;', "unknown", None),
        (WHOLE % 'if (k) return snprintf(b, 4, "%d", k) < 0;', "holds", None),
    ],
)
def test_it_is_read(text: str, verdict: str, violated: str | None) -> None:
    found = membar.check(SourceFile("printed.c", HEAD + text), model="rc11")
    assert (found.verdict, getattr(found.outcome, "property", None)) == (verdict, violated)
