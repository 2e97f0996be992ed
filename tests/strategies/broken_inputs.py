"""An example or more of everything that membar reads, with the command that reads it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import membar
from membar.cli import command as cli
from membar.languages.compiled.compiler import Compiler, find_compilers
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.target import X86_64

ROOT = Path(__file__).resolve().parents[2]
_MODELS = Path(membar.__file__).parent / "models"


@dataclass(frozen=True, slots=True)
class Input:
    """A file and the command that reads it.

    Attributes:
        name: the file's name.
        text: what is in it.
        words: the arguments; `FILE` stands for the file, `FORMULA` for its text, `@name` for another file.
        others: names and texts of other files that the command needs.
    """

    name: str
    text: str
    words: tuple[str, ...]
    others: tuple[tuple[str, str], ...] = ()


_SB = """X86 sb
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
~exists (0:EAX=0 /\\ 1:EAX=0)
"""
_X86_64 = """X86_64 mp
{ uint64_t x=0; 0:rax=x; }
 P0              | P1              ;
 movq $1,(%rax)  | movq (x),%rax   ;
 mfence          | movq %rax,(x)   ;
exists (1:rax=1 /\\ x=0)
"""
_BELL_MODEL = '"bell" include "x.bell"\nacyclic po | rf | co | fr as sc\n'
_BELL = (
    "enum Fences = 'mb || 'rmb\ninstructions F[Fences]\ninstructions R[{'once}]\ninstructions W[{'once}]\n"
)
_DEF = "READ_ONCE(X) __load{once}(X)\nWRITE_ONCE(X,V) { __store{once}(X,V); }\nsmp_mb() { __fence{mb}; }\n"
_CFG = "# a configuration\nmodel m.cat\nbell x.bell\nmacros x.def\n"
_CAT = "let com = rf | co | fr\nacyclic po | com as sc\n"
_CLAIMS = "# about m.cat\nkind: processor\ntags: any\n"
_C = """extern void reach_error(void);
#include <pthread.h>
int x;
void *t(void *a) { x = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); if (x != 0) reach_error(); }
"""
_PML = (
    "byte x, y;\nactive proctype p() { do :: x = 1; x = 0 od }\nactive proctype q() { y = x; seen: skip }\n"
)
_FORMULAS = (
    "G (x == 0)",
    "F G (x == 1 && y == 0)",
    "(x == 1) U (y == 1)",
    "G (x == 1 -> X F (y == 1 || x == 0))",
    "!F q@seen",
)
_ERRORS = ("x == 1 && y == 1", "q@seen", "x + y * 2 > 1", "(x == 0) || !(y == 1)")
_CSV = "test,holds\nsb.litmus,0\nother.litmus,1\n"
_EXPECTED = {"sb": {"file": "sb.litmus", "states": ["0:EAX=0; 1:EAX=0;"], "verdict": "Ok"}}


# Kinds of files that membar itself writes.
WITNESSES = ("witness", "graphml", "yaml")
LLVM = "llvm"


class Compiled(Sequence[Input]):
    """LLVM IR of the C examples, as each compiler that is found writes it, compiled when it is asked for."""

    def __init__(self) -> None:
        self._compilers = tuple(find_compilers(None, os.environ))
        self._paths = tuple(path for path in sorted((ROOT / "examples").glob("c/*.c")) if _is_whole(path))

    def __len__(self) -> int:
        return len(self._compilers) * len(self._paths)

    def __getitem__(self, index: int) -> Input:  # type: ignore[override]  # slices are not needed
        compiler, path = divmod(range(len(self))[index], len(self._paths))
        return _compiled(self._compilers[compiler], self._paths[path])


@cache
def _compiled(compiler: Compiler, path: Path) -> Input:
    found = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
    return Input(f"{path.stem}.ll", found.module.text, ("check", "FILE"))


@cache
def inputs() -> dict[str, list[Input]]:
    """Everything that is written by hand, by kind."""
    found: dict[str, list[Input]] = {}
    for kind, pattern in (
        ("c", "c/*.c"), ("promela", "promela/*.pml"), ("dve", "dve/*.dve"), ("xcfa", "xcfa/*.xcfa"),
        ("cubicle", "cubicle/*.cub"), ("mbp", "program/*.mbp"), ("objects", "objects/*.obj"),
        ("cpp", "cpp/**/*.cpp"), ("rust", "rust/**/*.rs"),
    ):  # fmt: skip
        found[kind] = [
            _example(path) for path in sorted((ROOT / "examples").glob(pattern)) if _is_whole(path)
        ]
    for path in sorted((ROOT / "examples" / "litmus").glob("*.litmus")):
        text = path.read_text(encoding="utf-8")
        found.setdefault(f"litmus {_dialect(text)}", []).append(Input("t.litmus", text, ("check", "FILE")))
    found["litmus X86_64"] = [Input("t.litmus", _X86_64, ("check", "FILE"))]
    found["clients"] = [
        Input(path.name, path.read_text(encoding="utf-8"), ("check", "FILE", "--client", "1,1"))
        for path in sorted((ROOT / "examples" / "c" / "objects").glob("*.c"))
    ]
    return found | _models() | _options()


def _dialect(text: str) -> str:
    return "LKMM" if "smp_" in text or "READ_ONCE" in text else text.split(maxsplit=1)[0]


def _is_whole(path: Path) -> bool:
    """Whether a file includes no other one of its folder."""
    return '#include "' not in path.read_text(encoding="utf-8")


def _example(path: Path) -> Input:
    return Input(path.name, path.read_text(encoding="utf-8"), ("check", "FILE"))


def _models() -> dict[str, list[Input]]:
    test = (("sb.litmus", _SB),)
    asked = ("check", "@sb.litmus", "--model")
    cats = [path.read_text(encoding="utf-8") for path in sorted(_MODELS.glob("*.cat"))]
    rules = [path.read_text(encoding="utf-8") for path in sorted(_MODELS.glob("*.rules"))]
    companions = (("m.cat", _BELL_MODEL), ("x.bell", _BELL), ("x.def", _DEF), ("x.cfg", _CFG), *test)

    def beside(name: str) -> tuple[tuple[str, str], ...]:
        return tuple(pair for pair in companions if pair[0] != name)

    return {
        "cat": [Input("m.cat", text, (*asked, "FILE"), test) for text in (*cats, _CAT)],
        "rules": [Input("m.rules", text, (*asked, "FILE"), test) for text in rules],
        "bell": [Input("x.bell", _BELL, (*asked, "@x.cfg"), beside("x.bell"))],
        "def": [Input("x.def", _DEF, (*asked, "@x.cfg"), beside("x.def"))],
        "cfg": [Input("x.cfg", _CFG, (*asked, "FILE"), beside("x.cfg"))],
        "claims": [Input("m.claims", _CLAIMS, (*asked, "@m.cat"), (("m.cat", _CAT), *test))],
    }


def _options() -> dict[str, list[Input]]:
    program = (("p.pml", _PML),)
    test = (("sb.litmus", _SB),)
    expect = ("litmus", "@sb.litmus", "--expect", "FILE")
    return {
        "ltl": [
            Input("f", text, ("check", "@p.pml", "--model", "sc", "--ltl", "FORMULA"), program)
            for text in _FORMULAS
        ],
        "error": [Input("f", text, ("check", "@p.pml", "--error", "FORMULA"), program) for text in _ERRORS],
        "expected": [
            Input("e.json", json.dumps(_EXPECTED, indent=1), expect, test),
            Input("e.csv", _CSV, expect, test),
        ],
    }


@cache
def witnesses() -> dict[str, list[Input]]:
    """Witnesses as membar itself writes them, by kind."""
    saved, graphs, sequences = list[str](), list[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.joinpath("w.c").write_text(_C)
        folder.joinpath("sb.litmus").write_text(_SB)
        folder.joinpath("p.pml").write_text(_PML)
        questions = [
            ["check", "sb.litmus"],
            ["check", "sb.litmus", "--engine", "states"],
            ["check", "p.pml", "--ltl", "G (x == 0)"],
            ["check", str(ROOT / "examples" / "cubicle/flags.cub")],
        ]
        for words in questions:
            given = [str(folder / word) if word in ("sb.litmus", "p.pml") else word for word in words]
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                cli.main([*given, "--json"])
            saved.append(output.getvalue())
        with contextlib.redirect_stdout(io.StringIO()):
            for ending, texts in (("graphml", graphs), ("yml", sequences)):
                target = folder / f"w.{ending}"
                cli.main(["check", str(folder / "w.c"), "--witness", str(target)])
                texts.append(target.read_text(encoding="utf-8"))
    program = (("w.c", _C),)
    confirm = ("check", "@w.c", "--confirm", "FILE")
    return {
        "witness": [Input("w.json", text, ("replay", "FILE")) for text in saved],
        "graphml": [Input("w.graphml", text, confirm, program) for text in graphs],
        "yaml": [Input("w.yml", text, confirm, program) for text in sequences],
    }
