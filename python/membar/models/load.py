"""Models by name or file: a shipped model is a `.cat` or `.rules` file in this folder."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from membar.diagnostics import Diagnostic, InputError, error
from membar.models.cat.bell import check_macros
from membar.models.cat.elaborate import Compiled, compile_model
from membar.models.cat.lexer import comment_end
from membar.models.companions import CONFIGURATION, Files, files_of
from membar.models.model import GENERAL, Model
from membar.models.operational import CAM, OPERATIONAL
from membar.models.rules import parser as rules
from membar.models.rules.compile import compile_rules
from membar.source import SourceFile

FOLDER = Path(__file__).parent
SUFFIXES = (".cat", ".rules")
# The shipped models of processors and languages forbid values that justify themselves.
THIN_AIR = "values that justify themselves (out of thin air) are considered only if the program stores them"
NO_CHECKS = "the model has no check: it allows every execution"
ALIASES: Mapping[str, str] = MappingProxyType({"tso": "x86-tso"})


def names() -> tuple[str, ...]:
    """The shipped models, sorted; aliases are not among them."""
    return tuple(sorted([CAM.name, *_shipped()]))


@cache
def _shipped() -> Mapping[str, Path]:
    """The models of this folder that have axioms."""
    return {path.stem: path for ending in SUFFIXES for path in FOLDER.glob(f"*{ending}")}


def load(
    name_or_path: str | Path, *, vocabulary: Collection[str], include_dirs: Sequence[Path] = ()
) -> Model:
    """The model that `--model` names.

    Args:
        name_or_path: a shipped model, or a user's file (ends in `.cat`, `.rules` or `.cfg`, or has a path
            separator).
        vocabulary: the tags of all languages.
        include_dirs: where includes of a user's file are looked for, after the file's own folder.

    Raises:
        InputError: no such model, no such file, or a wrong one.
    """
    text = str(name_or_path)
    if text.endswith((*SUFFIXES, CONFIGURATION)) or "/" in text or "\\" in text:
        return _from_file(Path(text), Path(text).stem, vocabulary, include_dirs)
    name = ALIASES.get(text, text)
    if name == CAM.name:
        return CAM
    if name not in names():
        raise InputError(_unknown_model(text))
    return _from_file(_shipped()[name], name, vocabulary, ())


def _from_file(path: Path, name: str, vocabulary: Collection[str], include_dirs: Sequence[Path]) -> Model:
    files = files_of(path)
    compiled, documentation = _compiled(files, vocabulary, include_dirs)
    if not compiled.plan.checks and not compiled.plan.names:
        raise _empty_model(files.model)
    notes = compiled.notes if compiled.plan.checks else (*compiled.notes, NO_CHECKS)
    facts = _facts(documentation)
    is_shipped = path.parent == FOLDER
    return Model(
        name=name,
        title=_first_sentence(documentation),
        documentation=documentation,
        plan=compiled.plan,
        operational=OPERATIONAL.get(name) if is_shipped else None,
        tags=compiled.tags,
        any_tags=facts.get("tags") == "any",
        # A header that says C belongs to a model of the language.
        language_model=facts.get("language model") == "yes" or compiled.language == "C",
        # A claim that tests check for the shipped models; nobody has checked a user's.
        exploration=facts.get("exploration", GENERAL) if is_shipped else GENERAL,
        load_buffering=facts.get("load buffering", "") if is_shipped else "",
        foreshadows=facts.get("buffered loads", "").startswith("foreshadowed") and is_shipped,
        keeps_atomics_apart=facts.get("buffered loads") == "foreshadowed-atomics-apart" and is_shipped,
        ignores_write_backs=facts.get("write-backs") == "invisible" and is_shipped,
        fair=is_shipped and path.suffix == ".cat",
        thread_order=dict(compiled.plan.names).get(facts.get("thread order", "")),
        may_guess=not is_shipped,
        mapping=facts.get("mapping", ""),
        global_order=facts.get("order") == "global" and is_shipped,
        notes=notes if is_shipped else (*notes, THIN_AIR),
        source=files.model,
    )


def _compiled(
    files: Files, vocabulary: Collection[str], include_dirs: Sequence[Path]
) -> tuple[Compiled, str]:
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


def _facts(documentation: str) -> dict[str, str]:
    """Lines such as `Tags: any`, `Exploration: exactly-once` or `Load buffering: NAME`."""
    names = (
        "Tags|Language model|Exploration|Order|Load buffering|Buffered loads|Write-backs|Thread order|Mapping"
    )
    fact = rf"^({names}):\s*([\w-]+)\s*\.?$"
    lines = re.findall(fact, documentation, re.MULTILINE | re.IGNORECASE)
    return {key.lower(): value.lower() for key, value in lines}


def _empty_model(source: SourceFile) -> InputError:
    return error(
        "W0218",
        f"the model `{source.path}` is empty",
        source.span(0, min(1, len(source.text))),
        "expected a check such as `acyclic po | rf | co | fr`",
    )


def _unknown_model(text: str) -> Diagnostic:
    known = [*names(), *ALIASES]
    similar = difflib.get_close_matches(text.lower(), known, n=1)
    return Diagnostic(
        code="W0216",
        message=f"unknown model `{text}`; known: {', '.join(sorted(known))}",
        help=f"did you mean `{similar[0]}`?"
        if similar
        else "a model of your own is given as a file: `./my.cat`",
    )
