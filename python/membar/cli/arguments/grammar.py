"""The commands, and which options each of them takes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from membar.cli.arguments import values
from membar.cli.commands.window import columns
from membar.questions.options import CLIENTS, CONFIRMED, LIFTED, PROOF, SYSTEM, TABLE, Option
from membar.questions.task import Limits, Options
from membar.reports import streams

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_EPILOG = """\
exit codes: 0 holds, or holds within a bound you gave or accepted; 1 violated; 2 bad input or usage;
3 unknown; 4 holds within a bound that membar chose; 130 interrupted; 141 nobody read the answer.
`membar litmus`: 0 every test answered, 1 an expectation disagrees, 3 a test is unanswered."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, in the form of every other error."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error[W0400]: {message}\n  = help: {self.prog} --help\n")

    def format_help(self) -> str:
        """The short help, where there is one: the options that most people need."""
        shown = super().format_help
        return short_help(self.prog) if self.prog in _WITH_SHORT_HELP else shown()

    def format_whole_help(self) -> str:
        """Every option, grouped."""
        return super().format_help()

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Prints help and errors as all else is printed: argparse itself ignores what is lost."""
        (streams.write if file is sys.stdout else streams.write_message)(message)


class _WholeHelp(argparse.Action):
    """`--help-all`."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        """Prints every option, and ends."""
        assert isinstance(parser, _Parser)
        streams.write(parser.format_whole_help())
        parser.exit()


_WITH_SHORT_HELP = ("membar check",)
_CHECKED = """\
usage: membar check FILE... [options]

Check concurrent programs under a memory model. FILE is C, a litmus test, Promela, DVE, XCFA, Cubicle or .obj.

"""
_MORE = """\
exit codes: 0 holds, 1 violated, 2 bad input, 3 unknown, 4 holds within a bound that membar chose
every option: membar check --help-all
"""
_NAME_WIDTH = 24


def short_help(prog: str) -> str:
    """The options that most people need, on one screen."""
    command, width = prog.rsplit(maxsplit=1)[-1], max(columns() - 2, 60)
    lines = [_CHECKED]
    for option in TABLE:
        if not option.is_common or command not in option.commands:
            continue
        name = " ".join(filter(None, [option.name, option.metavar]))
        text = option.short or option.help.split(";", maxsplit=1)[0]
        gap = "  " if len(name) <= _NAME_WIDTH else "\n" + " " * (_NAME_WIDTH + 4)
        room = width - _NAME_WIDTH - 4
        text = text if len(text) <= room else f"{text[: room - 1].rsplit(' ', 1)[0]}…"
        lines.append(f"  {name:<{_NAME_WIDTH if gap == '  ' else 0}}{gap}{text}\n")
    return "".join([*lines, "\n", _MORE])


def joined(words: Sequence[str]) -> list[str]:
    """The words, with what is behind `--client` as a part of it even where it looks like an option.

    What is behind `--` is for the compiler.
    """
    found: list[str] = []
    for number, word in enumerate(words):
        if word == "--":
            return [*found, *(f"--compiler-option={item}" for item in words[number + 1 :])]
        if found and found[-1] == "--client" and word[:1] == "-" and word[1:2].isdecimal():
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


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
        if found.prog in _WITH_SHORT_HELP:
            found.add_argument("--help-all", nargs=0, action=_WholeHelp, help="show every option and exit")
        return found
    top = _Parser(
        prog="membar",
        description="Is this concurrent program still correct on x86, ARM or in C11?",
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


def _add_declared(command: argparse.ArgumentParser, name: str) -> None:
    """The options that a command takes, grouped by the kinds of questions that they are for."""
    groups: dict[str, argparse._ArgumentGroup] = {}
    rivals: dict[str, argparse._MutuallyExclusiveGroup] = {}
    for option in TABLE:
        if name not in option.commands:
            continue
        title = _title(option)
        if title not in groups:
            groups[title] = command.add_argument_group(title)
        place: argparse._ActionsContainer = groups[title]
        if option.rival:
            if option.rival not in rivals:
                rivals[option.rival] = groups[title].add_mutually_exclusive_group()
            place = rivals[option.rival]
        _add_option(place, option)


def _title(option: Option) -> str:
    if option.is_output:
        return "what becomes of the answer"
    return _TITLES.get(option.kinds, "for every question" if len(option.kinds) > 3 else "for programs")


_TITLES = {
    (LIFTED,): "for programs with any number of threads",
    (CLIENTS,): "for objects (.obj, C with notes)",
    (CLIENTS, PROOF): "for objects (.obj, C with notes)",
    (PROOF,): "for objects (.obj, C with notes)",
    (SYSTEM, LIFTED): "for any number of processes (.cub) or threads",
    (CONFIRMED,): "for witnesses of SV-COMP",
}


def _add_option(place: argparse._ActionsContainer, option: Option) -> None:
    asked: dict[str, Any] = {"help": option.help.replace("%", "%%"), "dest": _destination(option)}
    if option.form == "switch":
        place.add_argument(option.name, action="store_true", **asked)
        return
    if option.read:
        asked["type"] = Path if option.read == "path" else getattr(values, option.read)
    if option.choices:
        asked["choices"] = option.choices
    else:
        asked["metavar"] = option.metavar
    if option.form in ("list", "words"):
        asked["action"] = "append" if option.form == "list" else "extend"
    default = list(option.default) if option.form == "list" else option.default
    place.add_argument(option.name, default=Limits() if option.read == "limits" else default, **asked)


def _destination(option: Option) -> str:
    """The attribute of what is chosen: commands call it as users do."""
    if option.is_compiler:
        return option.key
    return {"-I": "include", "-D": "define"}.get(option.name) or option.name.lstrip("-").replace("-", "_")


def _check(check: argparse.ArgumentParser) -> None:
    """What `check` is told."""
    check.add_argument("files", nargs="+", metavar="FILE", type=Path)
    _add_declared(check, "check")


def _litmus(litmus: argparse.ArgumentParser) -> None:
    """What `litmus` is told."""
    litmus.add_argument("paths", nargs="+", metavar="PATH", type=Path)
    _add_declared(litmus, "litmus")
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
    _add_declared(compare, "compare")
    compare.add_argument("--json", action="store_true", help="one JSON object per line")


def _models(models: argparse.ArgumentParser) -> None:
    """What `models` is told."""
    models.add_argument(
        "action",
        nargs="?",
        choices=["show", "test"],
        help="show: its documentation, claims and text; test: look for programs that refute its claims",
    )
    models.add_argument("name", nargs="?", metavar="NAME|FILE.cat")
    models.add_argument(
        "--count", type=values.positive, metavar="N", help="test: on N programs (default: 300)"
    )
    models.add_argument(
        "--seed", type=values.number, metavar="N", help="test: number of the first program (default: 0)"
    )
    models.add_argument(
        "--limit", type=values.limits, metavar="time=N", help="test: stop after this time, such as time=1min"
    )
    models.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", type=Path)


def _translate(translate: argparse.ArgumentParser) -> None:
    """What `translate` is told."""
    _add_time_and_memory(translate)
    translate.add_argument("file", metavar="FILE", type=Path)
    translate.add_argument(
        "--to", required=True, choices=["dve", "promela", "mapping", "smv", "dot", "llvm", "code", "program"],
        metavar="FORMAT",
        help="dve, promela: the program with its store buffers written out, for checkers that know only "
        "sequential consistency; mapping: what a compiler makes of each atomic operation of a C program; "
        "smv, dot: the transition system of an object (.obj) for NuSMV, its flow graph for Graphviz; "
        "llvm, code: the LLVM IR that clang makes of a C program, and the code IR that membar reads from it; "
        "program: the threads that engines run",
    )  # fmt: skip
    translate.add_argument(
        "--model", metavar="NAME",
        help="memory model: one with store buffers (default: by language); mapping: every one with a mapping",
    )  # fmt: skip
    translate.add_argument(
        "--buffers",
        metavar="N",
        type=values.bound,
        help="store buffers of at most N entries (default: the model's)",
    )
    translate.add_argument(
        "--fair", metavar="LIST", type=values.fair, default=Options().fair,
        help="what formulas in the text assume: buffers (default) or none",
    )  # fmt: skip
    _add_declared(translate, "translate")
    translate.add_argument("--mapping", metavar="NAME", help="compiler mapping (default: the model's)")
    translate.add_argument(
        "--print-after", metavar="PASS", help="code: after this pass, each time it runs (default: before all)"
    )


def _add_time_and_memory(command: argparse.ArgumentParser) -> None:
    """With which resources something is done that searches nothing."""
    command.add_argument(
        "--limit",
        metavar="KIND=N,…",
        type=values.limits_without_counts,
        default=Limits(),
        help="time=10s, memory=2G, separated by commas",
    )


def _replay(replay: argparse.ArgumentParser) -> None:
    """What `replay` is told."""
    replay.add_argument(
        "witness", metavar="WITNESS", help="lines printed by check --json; - for standard input"
    )
    _add_time_and_memory(replay)


def _repair(repair: argparse.ArgumentParser) -> None:
    """What `repair` is told."""
    repair.add_argument("file", metavar="FILE", type=Path)
    _add_declared(repair, "repair")
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


_COMMANDS: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "check": ("answer one question per file", _check),
    "litmus": ("answer many litmus tests: files and folders", _litmus),
    "compare": ("ask about one file under several models, or by several engines", _compare),
    "repair": ("find the cheapest change that makes a program right", _repair),
    "models": ("list the memory models, show or test one", _models),
    "translate": ("print a program in another form", _translate),
    "replay": ("run saved witnesses again, without a search", _replay),
}
