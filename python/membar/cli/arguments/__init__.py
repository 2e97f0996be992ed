"""The grammar of the command line; options as values for the rest of membar, and as text for `replay:`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from membar.cli.arguments.parser import Chosen, parse
from membar.diagnostics import refusal
from membar.languages.registry import language_of
from membar.limits.budget import limit_resources
from membar.questions.ask import class_of, kind_of, question_about
from membar.questions.given_options import compiler_options, search_options
from membar.questions.option import KINDS, Option
from membar.questions.options import BY_NAME, TABLE
from membar.questions.question import Question
from membar.questions.refusals import refuse_includes, refuse_outside
from membar.questions.task import Coherence, Limits, Options
from membar.records import field_names, replace
from membar.source import FileText, SourceFile

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Chosen", "parse"]  # of `parser`, beside what is below


def options(arguments: Chosen) -> Options:
    """The options of one question."""
    plain = Options(
        coherence=_coherence(arguments),
        all_executions=arguments.command != "repair" and getattr(arguments, "all", False),
    )
    return search_options(vars(arguments), plain)


def question(
    source: SourceFile, chosen: Chosen, *, progress: Callable[[str], None] | None = None
) -> Question:
    """The question about a file.

    Raises:
        InputError: the file is in no language, or an option does not apply to it.
        OSError: a file that an option names cannot be read.
    """
    kind = kind_of(source, vars(chosen))
    # `--all` and `--explain` of a repair mean something else: every repair, and what each change prevents.
    ignored = ("--all", "--explain") if chosen.command == "repair" else ()
    asked = tuple(option for option in given_options(chosen) if option not in ignored)
    refuse_outside(kind, asked)
    if chosen.include:
        refuse_includes(language_of(source).name, chosen.model)
    asked_for = vars(chosen)
    values = {
        option.key: asked_for.get(option.attribute)
        for option in TABLE
        if not option.is_output and not option.is_search
    }
    values |= {
        "options": replace(options(chosen), progress=progress),
        "include_dirs": tuple(chosen.include),
        "defines": tuple(chosen.define),
        "properties": properties(chosen),
        "words": words(chosen),
        "compiler": compiler_options(vars(chosen)),
        "given_options": asked if chosen.command == "check" else None,
        "task": getattr(chosen, "task", None),
    }
    return question_about(source, kind, {name: values.get(name) for name in field_names(class_of(kind))})


def given_options(arguments: Chosen) -> tuple[str, ...]:
    """The given options that do not apply everywhere, as they are named on the command line."""
    found = []
    for option, declared in BY_NAME.items():
        if declared.kinds == KINDS:
            continue  # it applies everywhere
        value = getattr(arguments, declared.attribute, None)
        if option == "--fair":
            is_given = value is not None and value != Options().fair
        elif option == "--jobs":
            is_given = value is not None and value > 1
        else:
            is_given = value is not None and value is not False and value not in ([], ())
        if is_given:
            found.append(option)
    return tuple(found)


def _coherence(arguments: Chosen) -> Coherence:
    """Which executions are distinguished: by default tables, herd's blocks and lists count every one."""
    if arguments.coherence is not None:
        return Coherence(arguments.coherence)
    if arguments.command == "repair":
        return Coherence.OBSERVED
    is_verdict = arguments.command == "check" and not (arguments.all or arguments.herd)
    return Coherence.OBSERVED if is_verdict else Coherence.ALL


def read_formula(arguments: Chosen) -> None:
    """Replaces `@FILE`, and the name of a file of claims, by the content of the file.

    Raises:
        OSError: it cannot be read.
        LimitError: not in time.
    """
    given = getattr(arguments, "ltl", None)
    if given is not None and given.startswith("@"):
        arguments.ltl = _read_within_limit(arguments, given[1:])
    if getattr(arguments, "ltl_file", None) is not None:
        arguments.ltl_file = _read_within_limit(arguments, arguments.ltl_file)


def _read_within_limit(arguments: Chosen, path: str | Path) -> FileText:
    """The content of a file; it may be a pipe, so reading it counts against the time limit."""
    with limit_resources(seconds=arguments.limit.seconds, memory=None):
        return FileText.read(path)


def properties(arguments: Chosen) -> Sequence[str] | None:
    """The properties named by `--property`; None where it was not given.

    Raises:
        InputError: it names none.
    """
    if arguments.property is None:
        return None
    names = [name.strip() for name in arguments.property.split(",") if name.strip()]
    if not names:
        raise refusal(
            "W0401",
            "--property names no property",
            help="leave it out to check all that apply; `none` checks nothing",
        )
    return [] if names == ["none"] else names


def words(arguments: Chosen) -> Mapping[str, str]:
    """Options that only some languages have, with their values; for a file, its content.

    Raises:
        OSError: it cannot be read.
    """
    found: dict[str, str] = {}
    if arguments.dve_errors is not None:
        found["dve-errors"] = arguments.dve_errors
    if arguments.atomic is not None:
        found["atomic"] = _read_within_limit(arguments, arguments.atomic)
    if arguments.atomic_rule is not None:
        found["atomic-rule"] = arguments.atomic_rule
    if getattr(arguments, "ghost", None) is not None:
        found["ghost"] = arguments.ghost
    return found


def words_to_repeat(chosen: Chosen) -> tuple[str, ...]:
    """The words that ask the same question again, about one file; the model is given separately.

    What only concerns the form of the answer is left out.
    """
    found: list[str] = []
    for option in TABLE:
        value = getattr(chosen, option.attribute, None)
        if (option.is_output and option.name != "--all") or option.name in _NAMED_APART:
            continue
        if value is None or value is False or value in (option.default, [], Limits()):
            continue
        if option.form == "switch":
            found.append(option.name)
        else:
            found += [word for text in _texts(option, value) for word in (option.name, text)]
    return tuple(found)


# The model has an argument of its own; the others say how fast, or for how many threads.
_NAMED_APART = ("--model", "--jobs", "--threads", "--infer", "--brab", "--instances")


def _texts(option: Option, value: Any) -> list[str]:  # noqa: ANN401 - whatever options have
    """The value of an option in the form that the command line accepts."""
    match option.name:
        case _ if option.form == "list":
            return [str(item) for item in value]
        case "--limit":
            return [_limits_text(value)]
        case "--args":
            import shlex  # noqa: PLC0415 - only where asked for

            return [shlex.join(value)]
        case "--client":
            return [",".join(map(str, value))]
        case "--fair":
            return [",".join(sorted(value)) or "none"]
        case "--buffers":
            return [str(value or "unbounded")]
        case "--ltl":
            return [f"@{value.path}" if isinstance(value, FileText) else " ".join(value.split())]
        case "--ltl-file":
            return [value.path]
        case _:
            return [str(value)]


def _limits_text(limits: Limits) -> str:
    """Limits in the form that `--limit` accepts."""
    seconds = None if limits.seconds is None else f"{limits.seconds:g}s"
    parts = (
        ("time", seconds),
        ("memory", limits.memory),
        ("disk", limits.disk),
        ("executions", limits.executions),
        ("states", limits.states),
    )
    return ",".join(f"{kind}={value}" for kind, value in parts if value is not None)


def folders(chosen: Chosen) -> tuple[tuple[str, Path], ...]:
    """Where pictures go, by format."""
    wanted = (("dot", chosen.dot), ("svg", chosen.svg), ("png", chosen.png))
    return tuple((kind, folder) for kind, folder in wanted if folder is not None)
