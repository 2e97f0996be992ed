"""Programs from the page that try to read a file of the user's find nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tiers
from membar.limits import confinement

SECRET = "int secret_4711;"
# Asks one confined process one request after the other.
PROBE = """
import json, sys
from membar.server.requests import read_request
from membar.server.worker import answer_request, confine_worker
assert confine_worker()
for line in sys.stdin.buffer:
    print(json.dumps(answer_request(read_request(line), is_confined=True)))
"""
MAIN = "\nint main(void) { return sizeof secret_4711; }\n"
CAT = "acyclic po | rf | co | fr as sc\n"
LITMUS = "X86 a\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n"
ATTEMPTS = {
    "plain": ("a.c", '#include "SECRET"' + MAIN),
    "macro": ("a.c", '#define FILE "SECRET"\n#include FILE' + MAIN),
    "digraph": ("a.c", '%:include "SECRET"' + MAIN),
    "angles": ("a.c", "#include <../../../../../../../../../../SECRET>" + MAIN),
    "embed": ("a.c", 'const char secret_4711[] = {\n#embed "SECRET"\n};' + MAIN),
    "exists": ("a.c", '#if __has_include("SECRET")\nint secret_4711;\n#endif' + MAIN),
    "incbin": ("a.c", '__asm__(".incbin \\"SECRET\\"");\nint main(void) { return 0; }\n'),
    "line": ("a.c", '#line 1 "SECRET"\nint main(void) { wrong; }\n'),
    "environment": ("a.c", '#include "/proc/self/environ"\nint main(void) { return 0; }\n'),
    "cpp": ("a.cpp", '#include "SECRET"' + MAIN),
    "cpp-exists": ("a.cc", '#if __has_include("SECRET")\nint secret_4711;\n#endif' + MAIN),
    "cpp-macro": ("a.C", '#define FILE "SECRET"\n#include FILE' + MAIN),
    "promela": ("a.pml", '#include "SECRET"\nactive proctype p() { skip }\n'),
    "cat": ("a.litmus", LITMUS),
}


@pytest.mark.skipif(not confinement.version(), reason="this system has no Landlock")
def test_nothing_of_the_users_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text(SECRET, encoding="utf-8")
    scratch, cache = tmp_path / "scratch", tmp_path / "cache"
    scratch.mkdir()
    cache.mkdir()
    names = ["plain", "cpp", "promela", "cat", "environment"]
    asked = []
    for name, (file, text) in ATTEMPTS.items():
        if name not in names and not tiers.IS_FULL:
            continue
        request = {"kind": "check", "name": file, "text": text.replace("SECRET", str(secret))}
        if name == "cat":
            request["model_text"] = f'include "{secret}"\n{CAT}'
        asked.append(json.dumps(request))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "XDG_CACHE_HOME": str(cache),
        "SECRET_OF_THE_USER": SECRET,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        input="\n".join(asked) + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=scratch,
        env=environment,
    )
    answers = done.stdout.splitlines()
    assert len(answers) == len(asked)
    for question, answer in zip(asked, answers, strict=True):
        assert "errors" in json.loads(answer), (question, answer)
        assert SECRET not in answer.replace("sizeof secret_4711;", ""), question
