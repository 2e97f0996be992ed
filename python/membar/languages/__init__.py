"""Languages: one folder per input language, exporting `FRONTEND`.

A `Frontend` gives a program, a `SystemFrontend` a parameterized system, an `ObjectFrontend` a
concurrent object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from membar.records import field, record

if TYPE_CHECKING:
    from membar.objects.syntax import ConcurrentObject
    from membar.program.predicate import StatePredicate
    from membar.program.program import Program
    from membar.program.template import Template
    from membar.source import SourceFile
    from membar.systems.system import ParameterizedSystem
    from membar.text.edits import EditSite

TASK_ENDINGS = (".yml", ".yaml")
"""Of descriptions of SV-COMP tasks, which name programs: `questions/svcomp_tasks.py` reads them."""
# Ending → folder, so that a file's front end is loaded and no other.
ENDINGS: Mapping[str, str] = MappingProxyType(
    {
        ".bc": "compiled",
        ".c": "compiled",
        **dict.fromkeys((".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx", ".ii"), "compiled.cpp"),
        ".cub": "cubicle",
        ".dve": "dve",
        ".i": "compiled",
        ".litmus": "litmus",
        ".ll": "compiled",
        ".mbp": "mbp",
        ".obj": "objects",
        ".pml": "promela",
        ".prom": "promela",
        ".spin": "promela",
        ".prm": "promela",
        ".promela": "promela",
        ".rs": "compiled.rust",
        ".toml": "compiled.rust",
        ".xcfa": "xcfa",
    }
)
# `Program.language` → the model checked when the user names none.
DEFAULT_MODELS: Mapping[str, str] = MappingProxyType(
    {
        "AArch64": "armv8",
        "C": "rc11",
        "C++": "rc20",
        "DVE": "x86-tso",
        "LKMM": "lkmm",
        "PPC": "power",
        "Promela": "x86-tso",
        "RISCV": "riscv",
        "Rust": "rc20",
        "X86": "x86-tso",
        "X86_64": "x86-tso",
        "XCFA": "sc",
    }
)
# `Program.language` → folder, of the languages that have ordering words of their own (C's: `_c_tags.py`).
FOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "AArch64": "litmus",
        "DVE": "dve",
        "LKMM": "litmus",
        "PPC": "litmus",
        "Promela": "promela",
        "RISCV": "litmus",
        "X86": "litmus",
        "X86_64": "litmus",
        "XCFA": "xcfa",
    }
)
# `Program.language` of those whose programs an engine with states runs on store buffers, unless the user
# names another engine.
BY_STATES = frozenset({"DVE", "Promela"})


def default_models(*languages: str) -> Mapping[str, str]:
    """The part of the table of default models for these languages."""
    return MappingProxyType({language: DEFAULT_MODELS[language] for language in languages})


@record(frozen=True, slots=True, kw_only=True)
class Frontend:
    """Turns the text of one language into a Program.

    Attributes:
        name: what users call the language.
        parse: text → Program; raises `InputError` with every diagnostic found.
        default_models: `Program.language` → the model checked when the user names none.
        tags: the ordering words its operations may carry, each with one sentence of meaning. A word whose
            sentence starts with "(no order)" needs no meaning in a model.
        dialects: `Program.language` → the words of that dialect, where a word means different things in two.
        with_error: a text and what `--error` says → a text that also asks this; None: it cannot be asked.
        with_option: option of the command line → how a text says what its value says.
        template: a text, and the name of the number of its threads → the program for any such number; None:
            it has no such programs.
        with_claim: a text, an LTL formula and its name → a text that also claims this of all runs; None: it
            cannot.
        predicates: a text and expressions of its language → what these say of a state of its program; None:
            formulas about its programs can only have names.
        edit_sites: a text and its program → where the text can be made stronger or weaker; None: nowhere.
        configurations: a text → the definitions (`SourceFile.defines`) of its other configurations; None: the
            language has no such definitions.
    """

    name: str
    parse: Callable[[SourceFile], Program]
    default_models: Mapping[str, str]
    tags: Mapping[str, str]
    dialects: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    with_error: Callable[[str, str], str] | None = None
    with_claim: Callable[[str, str, str], str] | None = None
    predicates: Callable[[SourceFile, Sequence[str]], Sequence[StatePredicate]] | None = None
    with_option: Mapping[str, Callable[[str, str], str]] = field(default_factory=dict)
    edit_sites: Callable[[SourceFile, Program], tuple[EditSite, ...]] | None = None
    configurations: Callable[[SourceFile], tuple[tuple[str, ...], ...]] | None = None
    template: Callable[[SourceFile, str], Template] | None = None


@record(frozen=True, slots=True, kw_only=True)
class SystemFrontend:
    """Turns the text of one language into a ParameterizedSystem.

    Attributes:
        name: what users call the language.
        parse: text → ParameterizedSystem; raises `InputError` with every diagnostic found.
        default_model: the model checked when the user names none.
        edit_sites: where a text can be made stronger.
    """

    name: str
    parse: Callable[[SourceFile], ParameterizedSystem]
    default_model: Callable[[ParameterizedSystem], str]
    edit_sites: Callable[[SourceFile], tuple[EditSite, ...]]


@record(frozen=True, slots=True, kw_only=True)
class ObjectFrontend:
    """Turns the text of one language into a ConcurrentObject.

    Attributes:
        name: what users call the language.
        parse: text → ConcurrentObject; raises `InputError` with every diagnostic found.
        default_model: the model checked when the user names none.
    """

    name: str
    parse: Callable[[SourceFile], ConcurrentObject]
    default_model: str
