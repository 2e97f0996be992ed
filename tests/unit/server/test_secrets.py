"""Programs from the page that try to read a file of the user's find nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tiers
from membar.limits import confinement
from membar.server.jobs import chosen_compilers, worker_environment

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
    "rust-text": ("a.rs", 'fn main() { println!("{}", include_str!("SECRET")); }'),
    "rust-bytes": (
        "a.rs",
        'static S: &[u8] = include_bytes!("SECRET");\nfn main() { assert!(S.len() == 0); }',
    ),
    "rust-code": ("a.rs", 'include!("SECRET");\nfn main() { secret_4711(); }'),
    "rust-concat": ("a.rs", 'fn main() { println!("{}", include_str!(concat!("SECRET", ""))); }'),
    "rust-path": ("a.rs", '#[path = "SECRET"] mod secret;\nfn main() { secret::secret_4711(); }'),
    "rust-up": ("a.rs", '#[path = "../../../../../../../../SECRET"] mod s;\nfn main() { s::secret_4711(); }'),
    "rust-doc": ("a.rs", '#[doc = include_str!("SECRET")]\nfn main() {}'),
    "rust-link": ("a.rs", "extern crate secret;\nfn main() { secret::secret_4711(); }"),
    "rust-feature": ("a.rs", "#![feature(rustc_private)]\nextern crate rustc_driver;\nfn main() {}"),
    "rust-env": ("a.rs", 'fn main() { println!("{}", env!("USERS_VARIABLE")); }'),
    "rust-path-variable": ("a.rs", 'fn main() { println!("{}", env!("PATH")); }'),
    "rust-home": ("a.rs", 'fn main() { println!("{}", env!("HOME")); }'),
    "rust-proc": ("a.rs", 'fn main() { println!("{}", include_str!("/proc/self/environ")); }'),
    "rust-system": ("a.rs", 'fn main() { println!("{}", include_str!("/etc/ld.so.cache")); }'),
    "rust-header": ("a.rs", 'fn main() { println!("{}", include_str!("/usr/include/stdio.h").len()); }'),
    "promela": ("a.pml", '#include "SECRET"\nactive proctype p() { skip }\n'),
    "cat": ("a.litmus", LITMUS),
}


NEEDS_RUSTC = "rust-"
QUICK = ("plain", "cpp", "rust-text", "promela", "cat", "environment")


def ask(folder: Path, requests: list[dict[str, object]]) -> list[str]:
    """What one confined process answers, with the environment that the server gives it."""
    scratch, cache = folder / "scratch", folder / "cache"
    scratch.mkdir()
    cache.mkdir()
    environment = worker_environment(scratch, cache, chosen_compilers())
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=True,
        cwd=scratch,
        env=environment | {"USERS_VARIABLE": SECRET},
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(not confinement.version(), reason="this system has no Landlock")
def test_nothing_of_the_users_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text(SECRET, encoding="utf-8")
    has_rust = shutil.which("rustc") is not None
    asked = []
    for name, (file, text) in ATTEMPTS.items():
        if (name not in QUICK and not tiers.IS_FULL) or (name.startswith(NEEDS_RUSTC) and not has_rust):
            continue
        request: dict[str, object] = {
            "kind": "check",
            "name": file,
            "text": text.replace("SECRET", str(secret)),
        }
        if name == "cat":
            request["model_text"] = f'include "{secret}"\n{CAT}'
        asked.append(request)
    answers = ask(tmp_path, asked)
    assert len(answers) == len(asked)
    for question, answer in zip(asked, answers, strict=True):
        assert "errors" in json.loads(answer), (question, answer)
        assert SECRET not in answer.replace("sizeof secret_4711;", ""), question
