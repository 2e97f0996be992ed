"""Loads models by name or file: a shipped model is a `.cat` or `.rules` file in this folder."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from membar.diagnostics import Diagnostic, InputError, close_matches, error
from membar.models.cat.bell import check_macros
from membar.models.cat.elaborate import Compiled, compile_model
from membar.models.cat.lexer import comment_end
from membar.models.claims import claims_in_comment, claims_of, is_language
from membar.models.model import Model, Operational
from membar.models.model_files import CONFIGURATION, Files, files_of, files_of_saved
from membar.models.rules import parser as rules
from membar.models.rules.compile import compile_rules
from membar.source import SourceFile

FOLDER = Path(__file__).parent
SUFFIXES = (".cat", ".rules")
NO_CHECKS = "the model has no axiom: it allows every execution"
ALIASES: Mapping[str, str] = MappingProxyType({"tso": "x86-tso"})


def names() -> tuple[str, ...]:
    """The shipped models, sorted; aliases are not among them."""
    return tuple(sorted([CAM.name, *_shipped_models()]))


@cache
def _shipped_models() -> Mapping[str, Path]:
    """The models of this folder that have axioms."""
    return {path.stem: path for ending in SUFFIXES for path in FOLDER.glob(f"*{ending}")}


def load(
    name_or_path: str | Path | SourceFile,
    *,
    vocabulary: Collection[str],
    include_dirs: Sequence[Path] = (),
    is_trial: bool = False,
) -> Model:
    """The model that `--model` names.

    Args:
        name_or_path: a shipped model, or a user's file (ends in `.cat`, `.rules` or `.cfg`, or has a path
            separator), or the text of one as it was saved.
        vocabulary: the tags of all languages.
        include_dirs: where includes of a user's file are looked for, after the file's own folder.
        is_trial: its claims are to be tested, so that a user's file may make all that a shipped one may.

    Raises:
        InputError: no such model, no such file, or a wrong one.
    """
    if isinstance(name_or_path, SourceFile):
        return _model(files_of_saved(name_or_path), Path(name_or_path.path).stem, vocabulary, include_dirs)
    text = str(name_or_path)
    if text.endswith((*SUFFIXES, CONFIGURATION)) or "/" in text or "\\" in text:
        files = files_of(Path(text), include_dirs)
        is_trusted = is_trial or Path(text).parent == FOLDER
        return _model(files, Path(text).stem, vocabulary, include_dirs, is_trusted=is_trusted)
    name = ALIASES.get(text, text)
    if name == CAM.name:
        return CAM
    if name not in names():
        raise InputError(_unknown_model(text))
    return _model(files_of(_shipped_models()[name]), name, vocabulary, (), is_trusted=True)


def _model(
    files: Files,
    name: str,
    vocabulary: Collection[str],
    include_dirs: Sequence[Path],
    *,
    is_trusted: bool = False,
) -> Model:
    compiled, documentation = _compile(files, vocabulary, include_dirs)
    if not compiled.plan.checks and not compiled.plan.names:
        raise _empty_model(files.model)
    notes = compiled.notes if compiled.plan.checks else (*compiled.notes, NO_CHECKS)
    claims = claims_of(
        files.claims,
        compiled.plan,
        tags=compiled.tags,
        language=compiled.language,
        is_trusted=is_trusted,
    )
    notes = (*notes, *claims_in_comment(documentation))
    return Model(
        name=name,
        title=_first_sentence(documentation),
        documentation=documentation,
        plan=compiled.plan,
        operational=claims.store_buffers,
        tags=compiled.tags,
        language_model=is_language(claims, compiled.plan, compiled.language),
        notes=notes,
        claims=claims,
        source=files.model,
        claims_source=files.claims,
    )


def _compile(files: Files, vocabulary: Collection[str], include_dirs: Sequence[Path]) -> tuple[Compiled, str]:
    """The plan and the documentation, by the language of the file."""
    source = files.model
    if source.path.endswith(".rules"):
        return compile_rules(source, vocabulary=vocabulary), rules.head_comment(source)
    if files.macros is not None:
        check_macros(files.macros, vocabulary)
    compiled = compile_model(source, vocabulary=vocabulary, include_dirs=include_dirs, bell=files.bell)
    return compiled, head_comment(source)


def head_comment(source: SourceFile) -> str:
    """The text of the first comment if nothing but a header stands before it, without its indentation."""
    start = source.text.find("(*")
    if start < 0 or re.search(r"\b(let|acyclic|irreflexive|empty|include)\b", source.text[:start]):
        return ""
    inner = source.text[start + 2 : comment_end(source, start) - 2]
    return "\n".join(line.strip() for line in inner.strip().splitlines())


def _first_sentence(documentation: str) -> str:
    paragraph = " ".join(documentation.split("\n\n", maxsplit=1)[0].split())
    sentence = re.match(r".*?[.!?](?=\s|$)", paragraph)
    return sentence.group() if sentence else paragraph


def _empty_model(source: SourceFile) -> InputError:
    return error(
        "W0218",
        f"the model `{source.path}` is empty",
        source.span(0, min(1, len(source.text))),
        "expected an axiom such as `acyclic po | rf | co | fr`",
    )


def _unknown_model(text: str) -> Diagnostic:
    known = names()
    similar = close_matches(text.lower(), [*known, *ALIASES], n=1)
    return Diagnostic(
        code="W0216",
        message=f"unknown model `{text}`; known: {', '.join(sorted(known))}",
        help=f"did you mean `{similar[0]}`?" if similar else "give your own model as a file: `./my.cat`",
    )


# The model that is defined by store buffers only (`cam`). The others claim theirs (`store-buffers`).


CAM = Model(
    name="cam",
    title="Total store order with few slots: a thread buffers its newest stores, k for each location.",
    documentation="""\
Total store order with few slots: a thread buffers its newest stores, k for each location.

The buffer of a thread has k slots for each location (`--buffers k`, 1 unless given) and is first in, first
out across locations: the oldest store of the thread reaches memory first, as under x86-tso. A store to a
location whose slots are all taken waits until one of them has been flushed. A load takes the newest buffered
store of its own thread to the location, and memory if there is none. MFENCE and locked instructions wait
until the thread's buffer is empty; a locked instruction then acts on memory at once.

It has no axiomatic reading: the bound is part of its meaning. Every behaviour under cam is one under x86-tso.

Reference: Barnat, Brim, Havel, "LTL model checking of parallel programs with under-approximated TSO memory
model", ACSD 2013.""",
    operational=Operational.CAM,
    default_buffers=1,
    tags=frozenset({"MFENCE", "LFENCE", "SFENCE", "X"}),
)
