"""What was chosen on the command line, as the rest of membar takes it, and as words again."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from membar.cli.arguments.groups import REDUCTIONS
from membar.languages.registry import language_of
from membar.limits.budget import limited
from membar.questions.ask import class_of, kind_of, question_about
from membar.questions.option_scopes import SCOPES, refuse_includes, refuse_outside
from membar.questions.question import Question
from membar.questions.task import Coherence, Limits, Options, Unrolling
from membar.records import field_names, replace
from membar.source import FileText, SourceFile

_FIELDS = {"-D": "define", "-I": "include"}  # where the name of an option is not that of its field
# Options of `check` whose values are written as they were given.
_VALUED = (
    "engine",
    "property",
    "property-file",
    "error",
    "ltl",
    "dve-errors",
    "atomic",
    "atomic-rule",
    "algorithm",
    "unroll",
    "max-unroll",
    "mapping",
    "confirm",
    "coherence",
    "order",
    "spec",
)
# Fields of questions that are called as on the command line.
_SAME_NAMES = (
    "model",
    "engine",
    "property_file",
    "error",
    "ltl",
    "mapping",
    "threads",
    "client",
    "order",
    "spec",
    "allow_python_spec",
    "infer",
    "confirm",
)
_FLAGS = ("all", "shortest", "allow-python-spec")


def options(arguments: argparse.Namespace) -> Options:
    """The options of one question."""
    unrolling = Unrolling(
        exact=arguments.unroll,
        deepest=arguments.max_unroll or Unrolling().deepest,
        chosen_by_user=arguments.unroll is not None or arguments.max_unroll is not None,
    )
    return Options(
        coherence=_coherence(arguments),
        coherence_chosen_by_user=arguments.coherence is not None,
        unrolling=unrolling,
        buffers=arguments.buffers or None,
        buffers_chosen_by_user=bool(arguments.buffers),
        unbounded_buffers=arguments.buffers == 0,
        algorithm=arguments.algorithm,
        jobs=arguments.jobs,
        fair=arguments.fair,
        all_executions=arguments.command != "repair" and getattr(arguments, "all", False),
        shortest=getattr(arguments, "shortest", False),
        brab=getattr(arguments, "brab", None),
        instances=getattr(arguments, "instances", ()),
        reductions_off=frozenset(name for name in REDUCTIONS if getattr(arguments, f"no_{name}")),
    )


def question(
    source: SourceFile, chosen: argparse.Namespace, *, progress: Callable[[str], None] | None = None
) -> Question:
    """The question about a file.

    Raises:
        InputError: the file is in no language, or an option does not apply to it.
        OSError: a file that an option names cannot be read.
    """
    kind = kind_of(source, vars(chosen))
    # `--all` and `--explain` of a repair mean something else: every repair, and what each change prevents.
    ignored = ("--all", "--explain") if chosen.command == "repair" else ()
    asked = tuple(option for option in given(chosen) if option not in ignored)
    refuse_outside(kind, asked)
    if chosen.include:
        refuse_includes(language_of(source).name, chosen.model)
    named = vars(chosen)
    values = {name: named.get(name) for name in _SAME_NAMES} | {
        "limits": chosen.limit,
        "options": replace(options(chosen), progress=progress),
        "include_dirs": tuple(chosen.include),
        "defines": tuple(chosen.define),
        "arguments": named.get("args"),
        "properties": properties(chosen),
        "words": words(chosen),
        "given_options": asked if chosen.command == "check" else None,
    }
    return question_about(source, kind, {name: values.get(name) for name in field_names(class_of(kind))})


def given(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The options of the table of scopes that were given, as the command line calls them."""
    found = []
    for option in SCOPES:
        value = getattr(arguments, _FIELDS.get(option, option.removeprefix("--").replace("-", "_")), None)
        if option == "--fair":
            is_given = value is not None and value != Options().fair
        elif option == "--jobs":
            is_given = value is not None and value > 1
        else:
            is_given = value is not None and value is not False and value not in ([], ())
        if is_given:
            found.append(option)
    return tuple(found)


def _coherence(arguments: argparse.Namespace) -> Coherence:
    """What is told apart: tables, herd's blocks and lists speak of executions unless told not to."""
    if arguments.coherence is not None:
        return Coherence(arguments.coherence)
    if arguments.command == "repair":
        return Coherence.OBSERVED
    is_verdict = arguments.command == "check" and not (arguments.all or arguments.herd)
    return Coherence.OBSERVED if is_verdict else Coherence.ALL


def read_formula(arguments: argparse.Namespace) -> None:
    """Puts what is in a file in the place of `@FILE`, its comments (lines that begin with `#`) as blanks.

    Raises:
        OSError: it cannot be read.
        LimitError: not in time.
    """
    given = getattr(arguments, "ltl", None)
    if given is None or not given.startswith("@"):
        return
    with limited(seconds=arguments.limit.seconds, memory=None):
        found = FileText.read(Path(given[1:]))
    said = re.sub(r"^[ \t]*#[^\n]*", lambda comment: " " * len(comment.group()), found, flags=re.MULTILINE)
    arguments.ltl = FileText.of(found.path, said)


def properties(arguments: argparse.Namespace) -> Sequence[str] | None:
    """The properties named by `--property`; None where it was not given."""
    if arguments.property is None:
        return None
    names = [name.strip() for name in arguments.property.split(",") if name.strip()]
    return [] if names == ["none"] else names


def words(arguments: argparse.Namespace) -> Mapping[str, str]:
    """Options that only some languages know, with their values; of a file, what is in it.

    Raises:
        OSError: it cannot be read.
    """
    found: dict[str, str] = {}
    if arguments.dve_errors is not None:
        found["dve-errors"] = arguments.dve_errors
    if arguments.atomic is not None:
        found["atomic"] = FileText.read(arguments.atomic)
    if arguments.atomic_rule is not None:
        found["atomic-rule"] = arguments.atomic_rule
    return found


def repeated(chosen: argparse.Namespace) -> tuple[str, ...]:
    """The words that ask the same question again, of one file under a model that is named apart.

    What only concerns the form of the answer is left out.
    """
    found: list[str] = []
    for name in _VALUED:
        value = getattr(chosen, name.replace("-", "_"), None)
        if value is not None:
            found += [f"--{name}", " ".join(str(value).split()) if name == "ltl" else str(value)]
    if chosen.buffers is not None:
        found += ["--buffers", str(chosen.buffers or "unbounded")]
    if getattr(chosen, "client", None) is not None:
        found += ["--client", ",".join(map(str, chosen.client))]
    if chosen.fair != Options().fair:
        found += ["--fair", ",".join(sorted(chosen.fair)) or "none"]
    found += [f"--no-{name}" for name in REDUCTIONS if getattr(chosen, f"no_{name}")]
    for letter, values in (("-I", chosen.include), ("-D", chosen.define)):
        found += [word for value in values for word in (letter, str(value))]
    if (given := getattr(chosen, "args", None)) is not None:
        found += ["--args", shlex.join(given)]
    found += [f"--{name}" for name in _FLAGS if getattr(chosen, name.replace("-", "_"), False)]
    if limits := _spelled(chosen.limit):
        found += ["--limit", limits]
    return tuple(found)


def _spelled(limits: Limits) -> str:
    """Limits as `--limit` takes them."""
    seconds = None if limits.seconds is None else f"{limits.seconds:g}s"
    parts = (
        ("time", seconds),
        ("memory", limits.memory),
        ("executions", limits.executions),
        ("states", limits.states),
    )
    return ",".join(f"{kind}={value}" for kind, value in parts if value is not None)


def folders(chosen: argparse.Namespace) -> tuple[tuple[str, Path], ...]:
    """Where pictures go, by format."""
    wanted = (("dot", chosen.dot), ("svg", chosen.svg))
    return tuple((kind, folder) for kind, folder in wanted if folder is not None)
