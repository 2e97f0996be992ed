"""What the page may ask, and the question that it means.

The page names no file, no folder and no compiler option: it sends texts, shipped models by name, and the
options that are declared for its menus (`Option.menu`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from msgspec.json import Decoder

from membar.diagnostics import InputError, refusal
from membar.languages import ENDINGS
from membar.models.load import names
from membar.properties import EVERY
from membar.questions.options import TABLE
from membar.questions.task import Limits, Options
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.models.model import Model

LARGEST: Final = 512 * 1024  # bytes of a request
LONGEST_TEXT: Final = 200_000  # characters of a program or a model
MOST_SECONDS: Final = 600.0
DEFAULT_SECONDS: Final = 60.0
MOST_MEMORY: Final = 2 << 30
MOST_MODELS: Final = 12
# Files that a compiler made, and packages, are not programs that people type.
_NOT_TYPED: Final = (".bc", ".i", ".ii", ".ll", ".toml")
PAGE_ENDINGS: Final = tuple(ending for ending in ENDINGS if ending not in _NOT_TYPED)
COMPILED: Final = tuple(ending for ending in PAGE_ENDINGS if ENDINGS[ending].startswith("compiled"))
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,79}")
_MACRO: Final = re.compile(r"[A-Za-z_]\w{0,60}(=[\w+-]{0,60})?", re.ASCII)
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Word = Annotated[str, Meta(max_length=500)]


class Request(Struct, kw_only=True, forbid_unknown_fields=True):
    """One request: a program, the model, what is asked, and how far to look.

    Attributes:
        kind: what is wanted. `syntax` only reads the text; `explain` asks whether `outcome` is possible.
        name: what the program is called; its ending says the language.
        text: the program.
        model: a shipped model; absent: the language's own.
        model_text: a cat model of the user's own, instead.
        models: for `compare`.
        options: options of the page's menus, as the command line has them.
        outcome: for `explain`: values by name, as answers list them.
        weaken: for `repair`: remove what is not needed, instead of adding.
    """

    kind: Literal["check", "compare", "explain", "repair", "syntax"]
    name: Annotated[str, Meta(max_length=80)]
    text: Text
    model: Annotated[str, Meta(max_length=80)] | None = None
    model_text: Text | None = None
    models: Annotated[list[Annotated[str, Meta(max_length=80)]], Meta(max_length=MOST_MODELS)] = []
    options: Annotated[dict[Annotated[str, Meta(max_length=40)], Word], Meta(max_length=20)] = {}
    outcome: Annotated[dict[Annotated[str, Meta(max_length=200)], int | Word], Meta(max_length=200)] = {}
    weaken: bool = False


_DECODER: Final = Decoder(Request)


def read_request(body: bytes) -> Request:
    """A request as the page sends it.

    Raises:
        ValueError: it is none.
    """
    found = _DECODER.decode(body)
    if not _NAME.fullmatch(found.name) or not found.name.endswith(PAGE_ENDINGS):
        raise ValueError(f"name: a file name with one of the endings {' '.join(PAGE_ENDINGS)}")
    shipped = names()
    for name in (*found.models, *([found.model] if found.model is not None else [])):
        if name not in shipped:
            raise ValueError(f"model: there is no shipped model `{name[:40]}`")
    unknown = found.options.keys() - OPTIONS.keys()
    if unknown:
        raise ValueError(f"options: the page has no option `{min(unknown)}`")
    return found


OPTIONS: Final = {option.name: option for option in TABLE if option.menu}


def source_of(request: Request) -> SourceFile:
    """The program, which may include nothing but what membar ships."""
    return SourceFile(request.name, request.text, is_strangers=True)


def model_of(request: Request) -> Model | str | None:
    """The model that is asked about.

    Raises:
        InputError: the user's own is wrong.
    """
    if request.model_text is None:
        return request.model
    from membar.languages.registry import load_model  # noqa: PLC0415 - most ask about a shipped one

    return load_model(SourceFile("own.cat", request.model_text, is_strangers=True))


def given_options(request: Request, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """The options of a request by their names in Python.

    Raises:
        InputError: a value that an option does not take.
    """
    from membar.cli.arguments import values  # noqa: PLC0415 - in workers only

    given: dict[str, Any] = {}
    for name, text in request.options.items():
        option = OPTIONS[name]
        if not text.strip():
            continue
        if name == "-D":
            given[option.key] = _macros(text)
        elif name == "--property":
            given[option.key] = [] if text.strip() == "none" else _properties(text)
        elif option.read:
            given[option.key] = _value(name, text.strip(), getattr(values, option.read))
        else:
            given[option.key] = text
    given["limits"] = _limits(given.get("limits") or Limits())
    given["options"] = Options(progress=progress)
    return given


def _properties(text: str) -> list[str]:
    found = [word.strip() for word in text.split(",")]
    wrong = next((name for name in found if name not in EVERY), None)
    if wrong is not None:
        raise refusal("W0401", f"unknown property `{wrong[:40]}`")
    return found


def _value(name: str, text: str, read: Callable[[str], object]) -> object:
    try:
        return read(text)
    except InputError:
        raise
    except ValueError as problem:
        raise refusal("W0400", f"{name} {text}: {problem}") from None


def _limits(given: Limits) -> Limits:
    """What is asked for, up to what the server grants.

    Raises:
        InputError: the disk of the server is asked for.
    """
    if given.disk is not None:
        raise refusal("W0400", "limits disk: the server keeps everything in memory")
    return Limits(
        seconds=min(DEFAULT_SECONDS if given.seconds is None else given.seconds, MOST_SECONDS),
        memory=min(MOST_MEMORY if given.memory is None else given.memory, MOST_MEMORY),
        executions=given.executions,
        states=given.states,
    )


def _macros(text: str) -> list[str]:
    """Macros for C: `N=3 FAST`. They are numbers and names, nothing that could name a file."""
    found = text.replace(",", " ").split()
    wrong = next((macro for macro in found if not _MACRO.fullmatch(macro)), None)
    if wrong is not None:
        raise refusal("W0400", f"`{wrong}` is not a macro", help="write NAME or NAME=NUMBER")
    return found
