"""The values of given options, as fields of questions, of searches and of compilers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from membar.diagnostics import Diagnostic, InputError
from membar.limits.budget import limit_resources
from membar.questions.option import LARGEST_NUMBER, LONGEST_BUFFER, Option
from membar.questions.options import REDUCTIONS, TABLE
from membar.questions.task import FAIRNESS, Coherence, Limits, Options, Unrolling
from membar.records import replace
from membar.source import CompilerOptions, FileText

if TYPE_CHECKING:
    from pathlib import Path


def search_options(given: Mapping[str, Any], options: Options) -> Options:
    """The options of a search, from those given by name."""
    found = dict[str, Any]()
    if (buffers := given.get("buffers")) is not None:
        is_unbounded = buffers in (0, "unbounded")
        found |= {
            "buffers": None if is_unbounded else buffers,
            "buffers_chosen_by_user": not is_unbounded,
            "unbounded_buffers": is_unbounded,
        }
    exact, deepest = given.get("unroll"), given.get("max_unroll")
    if exact is not None or deepest is not None:
        found["unrolling"] = Unrolling(
            exact=exact, deepest=deepest or Unrolling().deepest, chosen_by_user=True
        )
    if (coherence := given.get("coherence")) is not None:
        found |= {"coherence": Coherence(coherence), "coherence_chosen_by_user": True}
    if given.get("fair") is not None:
        found["fair"] = _fairness(given["fair"])
    for name in ("algorithm", "jobs", "shortest", "bitstate", "brab"):
        if given.get(name):
            found[name] = given[name]
    if (symmetric := given.get("symmetric")) is not None:
        names = symmetric.split(",") if isinstance(symmetric, str) else symmetric
        found["symmetric"] = tuple(name.strip() for name in names)
    if given.get("instances"):
        found["instances"] = tuple(given["instances"])
    off = frozenset(name for name in REDUCTIONS if given.get(f"no_{name}"))
    if off:
        found["reductions_off"] = options.reductions_off | off
    return replace(options, **found) if found else options


def compiler_options(given: Mapping[str, Any]) -> CompilerOptions | None:
    """How a program is compiled, from the options given by name; None: by default."""
    found = dict[str, Any]()
    for option in TABLE:
        value = given.get(option.key) if option.is_compiler else None
        if value is None or value is False or value == option.default:
            continue
        if option.name == "--no-cache":
            found["uses_cache"] = False
        else:
            is_list = option.form == "list"
            found[option.key] = tuple(map(str, value)) if is_list else value if value is True else str(value)
    return CompilerOptions(**found) if found else None


def compiler_options_in(options: CompilerOptions | None) -> list[str]:
    """The options of the command line that affect compilation."""
    plain = CompilerOptions()
    return [
        option.name
        for option in TABLE
        if option.is_compiler
        and options is not None
        and getattr(options, _FIELD_OF.get(option.key, option.key))
        != getattr(plain, _FIELD_OF.get(option.key, option.key))
    ]


_FIELD_OF: Final = {"no_cache": "uses_cache"}


def question_fields(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Options given by name as fields of questions, and which were given; None means the default.

    Raises:
        TypeError: there is no such option.
        InputError: a value that the option does not take.
    """
    known = {option.key: option for option in TABLE if not option.is_output}
    fields, names, search = dict[str, Any](), list[str](), dict[str, Any]()
    for name, value in given.items():
        option = known.get(name)
        if value is None or (option is not None and value == option.default):
            continue
        if option is None:
            if name not in _MORE_FIELDS:
                raise TypeError(f"there is no option {name!r}; see help(membar.check)")
            fields[name] = value
            continue
        if option.form == "switch" and not value:
            continue
        names.append(option.name)
        _check_value(option, name, value)
        if name in _OF_LANGUAGES:
            text = _text_within(given.get("limits"), value) if name == "atomic" else str(value)
            fields["words"] = {**fields.get("words", {}), name.replace("_", "-"): text}
        elif option.is_compiler:
            fields["compiler"] = compiler_options(given)
        elif name == "threads":
            fields[name] = value.partition(":")[2] or "N" if value.partition(":")[0] == "any" else value
        elif name == "order":
            fields[name] = getattr(value, "value", value)
        else:
            (search if option.is_search else fields)[name] = value
    if search:
        fields["options"] = search_options(search, fields.get("options") or Options())
    return fields, names


def _check_value(option: Option, name: str, value: object) -> None:
    """Refuses values that the command line refuses too."""
    if option.choices and getattr(value, "value", value) not in option.choices:
        raise _no_such_value(name, value, f"one of {', '.join(option.choices)}")
    if isinstance(value, Limits):
        check_limits(value)
    if option.read in _NUMBERS and not (option.read == "buffers" and value in (0, "unbounded")):
        most = LONGEST_BUFFER if option.read == "buffers" else LARGEST_NUMBER
        for number in value if isinstance(value, tuple | list) else (value,):
            if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= most:
                raise _no_such_value(name, number, f"a whole number from 1 to {most}")


def check_limits(limits: Limits) -> None:
    """Refuses limits that are not numbers from 0.

    Raises:
        InputError: one of them is none.
    """
    for name in ("seconds", "memory", "executions", "states", "disk"):
        number = getattr(limits, name)
        is_number = isinstance(number, int | float if name == "seconds" else int)
        if number is not None and (not is_number or isinstance(number, bool) or number < 0):
            raise _no_such_value(name, number, "a number from 0")


def _fairness(given: str | Collection[str]) -> frozenset[str]:
    words = frozenset({given} if isinstance(given, str) else given)
    if words == {"none"}:
        return frozenset()
    if not words <= FAIRNESS:
        raise _no_such_value("fair", given, "`none`, or some of `buffers` and `processes`")
    return words


def _no_such_value(name: str, value: object, expected: str) -> InputError:
    return InputError(Diagnostic(code="W0400", message=f"{name}={value!r}: expected {expected}"))


def _text_within(limits: Limits | None, path: Path) -> FileText:
    """The content of a file, read within the time limit: it may be a pipe."""
    with limit_resources(seconds=None if limits is None else limits.seconds, memory=None):
        return FileText.read(path)


_NUMBERS: Final = ("positive", "buffers", "sizes")
_OF_LANGUAGES: Final = ("dve_errors", "atomic", "atomic_rule", "ghost")
# Fields that have no option of their own: how engines search, options of single languages by name, a task.
_MORE_FIELDS: Final[Collection[str]] = ("options", "words", "given_options", "task")
