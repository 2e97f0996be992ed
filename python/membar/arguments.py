"""The command line's grammar: commands, options, and what their words mean."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from membar.commands.window import columns
from membar.source import FileText
from membar.task import Coherence, Limits, Options, Unrolling

_TIME_UNITS = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0}
_REDUCTIONS = (
    "prune",
    "symmetry",
    "await",
    "inplace",
    "sleep",
    "acceleration",
    "por",
)  # each switched off by `--no-…`
# Options of `check` whose values are written as they were given.
_VALUED = (
    "engine",
    "property",
    "error",
    "ltl",
    "dve-errors",
    "atomic",
    "atomic-rule",
    "algorithm",
    "unroll",
    "max-unroll",
    "mapping",
    "coherence",
    "order",
    "spec",
)
_SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

# The largest numbers: no machine has more, and those that engines calculate with fit into their words.
_MOST = (1 << 31) - 1
_LONGEST_BUFFER = 4096
_LONGEST_TIME = 10**9  # seconds: thirty years
_MOST_COUNTED = 10**18

_EPILOG = """\
exit codes: 0 holds, or holds within a bound you gave or accepted; 1 violated; 2 bad input or usage;
3 unknown; 4 holds within a bound that membar chose; 130 interrupted.
`membar litmus`: 0 every test answered, 1 an expectation disagrees, 3 a test is unanswered."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, in the form of every other error."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error[W0400]: {message}\n  = help: {self.prog} --help\n")


def _formatter(prog: str) -> argparse.HelpFormatter:
    """As wide as the window; argparse, which makes one for each option, would look that up each time."""
    return argparse.RawDescriptionHelpFormatter(prog, width=columns() - 2)


def parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The grammar of the command that the words begin with; of all commands, if they begin with none."""
    command = words[0] if words else ""
    if command in _COMMANDS:
        title, add = _COMMANDS[command]
        found = _Parser(prog=f"membar {command}", **_described(title))
        found.set_defaults(version=False, command=command)
        add(found)
        return found
    top = _Parser(
        prog="membar",
        description="Is this concurrent program still right on x86, ARM or in C11?",
        epilog=_EPILOG,
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="store_true", help="print the version and stop")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, (title, add) in _COMMANDS.items():
        add(commands.add_parser(name, help=title, **_described(title)))
    return top


def _described(title: str) -> dict[str, Any]:
    return {
        "description": title[0].upper() + title[1:] + ".",
        "epilog": _EPILOG,
        "formatter_class": _formatter,
        "allow_abbrev": False,
    }


def _check(check: argparse.ArgumentParser) -> None:
    """What `check` is told."""
    check.add_argument("files", nargs="+", metavar="FILE", type=Path)
    _question(check)
    _output(check)
    _asked(check)
    check.add_argument(
        "--explain", action="store_true", help="which axiom forbids the outcome, with the cycle"
    )
    check.add_argument(
        "--shortest",
        action="store_true",
        help="states: a shortest run, or a shortest way into a shortest cycle, without reduction",
    )
    check.add_argument(
        "--brab",
        metavar="N",
        type=_positive,
        help=".cub: guess invariants that hold with N processes, and prove them (default: off)",
    )
    check.add_argument(
        "--instances",
        metavar="LIST",
        type=_sizes,
        default=(),
        help=".cub: compare the answer with systems of this many processes, such as 2,3",
    )
    check.add_argument(
        "--certificate", metavar="FILE", type=Path, help=".cub: write the proof's obligations as SMT-LIB"
    )
    _any_number(check)
    _clients(check)
    check.add_argument(
        "--infer",
        action="store_true",
        help=".obj: look for the invariants of the proof, and print them",
    )
    check.add_argument("--accept-bounded", action="store_true", help="exit with 0 for HOLDS WITHIN too")
    _files(check)
    check.add_argument(
        "--witness",
        metavar="FILE",
        type=Path,
        help="C: write the violation as a witness for SV-COMP: .graphml (1.0), or .yml (2.2)",
    )


def _litmus(litmus: argparse.ArgumentParser) -> None:
    """What `litmus` is told."""
    litmus.add_argument("paths", nargs="+", metavar="PATH", type=Path)
    _question(litmus)
    _output(litmus)
    _files(litmus)
    litmus.add_argument(
        "--expect",
        metavar="FILE",
        type=Path,
        help="compare with known answers: herd's as JSON, or a CSV with the columns test,holds",
    )


def _compare(compare: argparse.ArgumentParser) -> None:
    """What `compare` is told."""
    compare.add_argument("file", metavar="FILE", type=Path)
    compare.add_argument(
        "--models", metavar="LIST", help="models, separated by commas (default: sc and the language's own)"
    )
    compare.add_argument("--engines", metavar="LIST", help="engines, separated by commas; they must agree")
    _bounds(compare)
    compare.add_argument("--json", action="store_true", help="one JSON object per line")
    _summary(compare)


def _models(models: argparse.ArgumentParser) -> None:
    """What `models` is told."""
    models.add_argument("action", nargs="?", choices=["show"])
    models.add_argument("name", nargs="?", metavar="NAME")
    models.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", type=Path)


def _translate(translate: argparse.ArgumentParser) -> None:
    """What `translate` is told."""
    translate.add_argument("file", metavar="FILE", type=Path)
    translate.add_argument(
        "--to", required=True, choices=["dve", "promela", "mapping", "smv", "dot"], metavar="FORMAT",
        help="dve, promela: the program with its store buffers written out, for checkers that know only "
        "sequential consistency; mapping: what a compiler makes of each atomic operation of a C program; "
        "smv, dot: the transition system of an object (.obj) for NuSMV, its flow graph for Graphviz",
    )  # fmt: skip
    translate.add_argument(
        "--model", metavar="NAME",
        help="memory model: one with store buffers (default: by language); mapping: every one with a mapping",
    )  # fmt: skip
    translate.add_argument(
        "--buffers",
        metavar="N",
        type=_bound,
        help="store buffers of at most N entries (default: the model's)",
    )
    translate.add_argument(
        "--fair", metavar="LIST", type=_fair, default=Options().fair,
        help="what formulas in the text assume: buffers (default) or none",
    )  # fmt: skip
    _told(translate)
    translate.add_argument("--mapping", metavar="NAME", help="compiler mapping (default: the model's)")
    translate.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", type=Path)
    translate.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=V]")


def _replay(replay: argparse.ArgumentParser) -> None:
    """What `replay` is told."""
    replay.add_argument(
        "witness", metavar="WITNESS", help="lines printed by check --json; - for standard input"
    )


def _repair(repair: argparse.ArgumentParser) -> None:
    """What `repair` is told."""
    repair.add_argument("file", metavar="FILE", type=Path)
    _question(repair)
    _asked(repair)
    _any_number(repair)
    _clients(repair)
    repair.add_argument(
        "--weaken", action="store_true", help="let go what is stronger than needed, instead of adding"
    )
    repair.add_argument(
        "--first", action="store_true", help="DVE: Barnat's procedure, quick and not the cheapest"
    )
    repair.add_argument("--all", action="store_true", help="every repair of the least cost")
    repair.add_argument(
        "--costs", metavar="FILE", type=Path, help="what changes cost (default: our own table)"
    )
    repair.add_argument("--explain", action="store_true", help="show the execution that each change prevents")
    repair.add_argument(
        "--apply", action="store_true", help="write the repair, keeping FILE.orig (FILE.orig.1, …)"
    )
    repair.add_argument(
        "--atomic-out", metavar="FILE", type=Path,
        help="DVE: write the writes to make atomic, as --atomic takes them",
    )  # fmt: skip
    repair.add_argument("--json", action="store_true", help="one JSON object")
    repair.add_argument("--accept-bounded", action="store_true", help="exit with 0 for HOLDS WITHIN too")


def _clients(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--client",
        metavar="T,N",
        type=_client,
        help="objects: is it linearizable for all clients of T threads with N operations each?",
    )
    command.add_argument(
        "--order",
        choices=("causal", "flush", "real-time"),
        help="objects: when a call is before another (default: causal; the others under sc and x86-tso)",
    )
    command.add_argument(
        "--spec",
        metavar="NAME|FILE.py:CLASS",
        help="objects: the sequential specification (default: the text's)",
    )


def _any_number(command: argparse.ArgumentParser) -> None:
    """For how many threads it must be true."""
    command.add_argument(
        "--threads",
        metavar="any[:NAME]",
        type=_threads,
        help="C: prove it for any number of threads, sc and x86-tso; NAME is the macro for their number"
        " (default: N)",
    )


def _asked(command: argparse.ArgumentParser) -> None:
    """What must be true."""
    command.add_argument(
        "--property",
        metavar="LIST",
        help="what to check, separated by commas; `none` only explores (default: all that apply);"
        " `acceptance`, `progress`: cycles through, or without, Promela's labels of these names",
    )
    _told(command)


def _told(command: argparse.ArgumentParser) -> None:
    """What is asked of a text, and what some languages can be told about it."""
    command.add_argument(
        "--error",
        metavar="EXPR|LABEL",
        help="a state or location that must not be reached; `final EXPR`: no final state (XCFA)",
    )
    command.add_argument(
        "--ltl",
        metavar="FORMULA|@FILE",
        type=_formula,
        help="what must be true of all runs, such as `G(P.wait -> F P.cs)`: G F X U R W, [] <>, && || -> !;"
        " or the file that says it",
    )
    command.add_argument(
        "--dve-errors",
        choices=("terminal", "legacy"),
        help="DVE: what follows a run-time error: nothing (default), or what DiVinE 2 did (sc only)",
    )
    command.add_argument(
        "--atomic",
        metavar="FILE",
        type=Path,
        help="DVE: writes that do not go through store buffers, `variable, transition` per line; `*` is any",
    )
    command.add_argument(
        "--atomic-rule",
        choices=("own", "all"),
        help="what an atomic write waits for: its own store buffer (default), or all",
    )


def _question(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("the question")
    group.add_argument(
        "--model",
        metavar="NAME|FILE.cat",
        help="memory model: a name, or a .cat, .rules or .cfg file (default: by language)",
    )
    group.add_argument("--engine", metavar="NAME", help="engine (default: by language)")
    _bounds(group)


def _bounds(group: argparse._ActionsContainer) -> None:  # argparse has no public name for it
    group.add_argument(
        "--buffers",
        metavar="N|unbounded",
        type=_buffers,
        help="run with store buffers of at most N entries, or of any length",
    )
    group.add_argument(
        "--algorithm",
        choices=("forward", "backward", "generic"),
        help="the one procedure of the engine buffers to use: forward or backward (default: short buffers and"
        " both, in turn); or of cubes: backward, or generic (every order of writes, for comparison)",
    )
    group.add_argument(
        "--fair",
        metavar="LIST",
        type=_fair,
        default=Options().fair,
        help="what runs treat fairly, for claims about runs: buffers, processes, none (default: buffers)",
    )
    group.add_argument(
        "--no-por", action="store_true", help="states: keep every state and all declared registers"
    )
    loops = group.add_mutually_exclusive_group()
    loops.add_argument("--unroll", metavar="N", type=_positive, help="take each loop at most N times")
    loops.add_argument("--max-unroll", metavar="N", type=_positive, help="deepen up to N (default: 4)")
    group.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", type=Path,
                       help="search DIR for includes, of cat files and of C")  # fmt: skip
    group.add_argument("--mapping", metavar="NAME",
                       help="compiler mapping of C for a processor (default: the model's)")  # fmt: skip
    group.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=V]",
                       help="define a macro for C")  # fmt: skip
    group.add_argument(
        "--no-prune", action="store_true", help="test executions only when they are complete (slower)"
    )
    group.add_argument("--no-sleep", action="store_true", help="buffers: without sleep sets")
    group.add_argument(
        "--no-acceleration", action="store_true", help="buffers: without acceleration of cycles"
    )
    group.add_argument(
        "--no-await", action="store_true", help="unroll waiting loops as other loops (termination unchecked)"
    )
    group.add_argument(
        "--no-inplace",
        action="store_true",
        help="let waiting threads look at every value, not only at what is last",
    )
    group.add_argument(
        "--coherence",
        choices=[choice.value for choice in Coherence],
        help="`observed`: executions that differ only in an order of writes that nothing observes are one "
        "(default of check, but not with --all or --herd); `all`: every execution on its own",
    )
    group.add_argument(
        "--no-symmetry",
        action="store_true",
        help="explore what identical threads do in every order, not only up to symmetry (--all implies it)",
    )
    group.add_argument(
        "--jobs",
        metavar="N",
        type=_positive,
        default=1,
        help="use N threads; litmus: N processes (default: 1)",
    )
    group.add_argument(
        "--limit",
        metavar="KIND=N,…",
        type=limits,
        default=Limits(),
        help="time=10s, memory=2G, executions=N, states=N, separated by commas",
    )


def _output(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("output")
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object per line")
    form.add_argument("--herd", action="store_true", help="herd's text blocks")
    group.add_argument("--dot", metavar="DIR", type=Path, help="draw executions for Graphviz, a file each")
    group.add_argument("--svg", metavar="DIR", type=Path, help="draw executions, a file each")
    group.add_argument("--all", action="store_true", help="every execution, not only the witness")


_LARGEST_CLIENT = 1000


def _client(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2:
        raise argparse.ArgumentTypeError(f"`{_short(text)}` is not two numbers from 1, such as 2,3")
    threads, calls = (_positive(part.strip(), most=_LARGEST_CLIENT) for part in parts)
    return threads, calls


def _files(command: argparse.ArgumentParser) -> None:
    """Files for other tools, about all answers together."""
    group = command.add_argument_group("files for other tools (- for standard output)")
    group.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit report")
    group.add_argument("--sarif", metavar="FILE", type=Path, help="write a SARIF 2.1.0 log")
    _summary(group)


def _summary(group: argparse._ActionsContainer) -> None:  # argparse has no public name for it
    group.add_argument("--summary", metavar="FILE", type=Path, help="write a summary in GitHub's Markdown")


def _positive(text: str, *, most: int = _MOST) -> int:
    if not text.isdecimal() or not text.isascii() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"`{_short(text)}` is not a whole number from 1")
    if len(text.lstrip("0")) > len(str(most)) or int(text) > most:
        raise argparse.ArgumentTypeError(f"`{_short(text)}` is too large: at most {most}")
    return int(text)


def _short(text: str) -> str:
    """What was given, if that is not too long to be shown."""
    return text if len(text) <= 40 else f"{text[:37]}…"


def _bound(text: str) -> int:
    return _positive(text, most=_LONGEST_BUFFER)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(_positive(part.strip()) for part in text.split(","))


def _threads(text: str) -> str:
    """What the program calls the number of its threads."""
    found = re.fullmatch(r"any(?::([A-Za-z_]\w*))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"`{text}` is not `any` or `any:NAME`")
    return found.group(1) or "N"


def _buffers(text: str) -> int:
    """The bound; 0 stands for none."""
    return 0 if text == "unbounded" else _bound(text)


def _formula(text: str) -> str:
    """A formula, or what is in the file behind `@`, its comments (lines that begin with `#`) as blanks."""
    if not text.startswith("@"):
        return text
    path = Path(text[1:])
    try:
        found = FileText.read(path)
    except OSError as problem:
        raise argparse.ArgumentTypeError(f"`{_short(str(path))}`: {problem.strerror}") from None
    said = re.sub(r"^[ \t]*#[^\n]*", lambda comment: " " * len(comment.group()), found, flags=re.MULTILINE)
    return FileText.of(str(path), said)


def _fair(text: str) -> frozenset[str]:
    words = frozenset(word.strip() for word in text.split(",") if word.strip())
    if words == {"none"}:
        return frozenset()
    if not words or not words <= {"buffers", "processes"}:
        raise argparse.ArgumentTypeError(f"`{text}` is not `none` or a list of `buffers` and `processes`")
    return words


def limits(text: str) -> Limits:
    """What `--limit` says.

    Raises:
        argparse.ArgumentTypeError: nothing that makes sense.
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        match = re.fullmatch(r"(time|memory|executions|states)=(\d+(?:\.\d+)?)([A-Za-z]*)", part.strip())
        if match is None:
            raise argparse.ArgumentTypeError(f"`{_short(part)}` is not a limit such as time=10s or memory=2G")
        kind, number, unit = match.groups()
        units = _TIME_UNITS if kind == "time" else _SIZE_UNITS
        factor = units.get(unit if kind == "time" else unit.upper().removesuffix("B"))
        if factor is None:
            raise argparse.ArgumentTypeError(
                f"`{_short(unit)}` is no unit of {kind}: {', '.join(filter(None, units))}"
            )
        found[kind] = float(number) * factor
        most = _LONGEST_TIME if kind == "time" else _MOST_COUNTED
        if found[kind] > most:
            raise argparse.ArgumentTypeError(f"`{_short(part.strip())}` is too large: at most {most}")
    return Limits(
        seconds=found.get("time"),
        memory=int(found["memory"]) if "memory" in found else None,
        executions=int(found["executions"]) if "executions" in found else None,
        states=int(found["states"]) if "states" in found else None,
    )


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
        reductions_off=frozenset(name for name in _REDUCTIONS if getattr(arguments, f"no_{name}")),
    )


def ways_of_programs(arguments: argparse.Namespace) -> dict[str, object]:
    """The options given that say how a program is looked at; proofs for any number of threads know none."""
    asked: dict[str, object] = {
        "--buffers": arguments.buffers is not None,
        "--unroll": arguments.unroll,
        "--max-unroll": arguments.max_unroll,
        "--coherence": arguments.coherence,
        "--fair": arguments.fair != Options().fair,
        "--dve-errors": arguments.dve_errors,
        "--atomic": arguments.atomic,
        "--atomic-rule": arguments.atomic_rule,
        "--all": getattr(arguments, "all", False),
    }
    return asked | {f"--no-{name}": getattr(arguments, f"no_{name}") for name in _REDUCTIONS}


def _coherence(arguments: argparse.Namespace) -> Coherence:
    """What is told apart: tables, herd's blocks and lists speak of executions unless told not to."""
    if arguments.coherence is not None:
        return Coherence(arguments.coherence)
    if arguments.command == "repair":
        return Coherence.OBSERVED
    is_verdict = arguments.command == "check" and not (arguments.all or arguments.herd)
    return Coherence.OBSERVED if is_verdict else Coherence.ALL


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
    found += [f"--no-{name}" for name in _REDUCTIONS if getattr(chosen, f"no_{name}")]
    for letter, values in (("-I", chosen.include), ("-D", chosen.define)):
        found += [word for value in values for word in (letter, str(value))]
    found += [f"--{name}" for name in ("all", "shortest") if getattr(chosen, name, False)]
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


_COMMANDS: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "check": ("answer one question per file", _check),
    "litmus": ("answer many litmus tests: files and folders", _litmus),
    "compare": ("ask about one file under several models, or by several engines", _compare),
    "repair": ("find the cheapest change that makes a program right", _repair),
    "models": ("list the memory models, or show one", _models),
    "translate": ("print a program in another form", _translate),
    "replay": ("run saved witnesses again, without a search", _replay),
}
