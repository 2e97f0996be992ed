"""The commands, and which options each of them takes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from membar.cli.arguments import groups, values
from membar.cli.commands.window import columns
from membar.questions.task import Options
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

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Prints help and errors as all else is printed: argparse itself ignores what is lost."""
        (streams.write if file is sys.stdout else streams.write_message)(message)


def joined(words: Sequence[str]) -> list[str]:
    """The words, with what is behind `--client` as a part of it even where it looks like an option."""
    found: list[str] = []
    for word in words:
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


def _check(check: argparse.ArgumentParser) -> None:
    """What `check` is told."""
    check.add_argument("files", nargs="+", metavar="FILE", type=Path)
    groups.question(check)
    groups.output(check)
    groups.asked(check)
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
        type=values.positive,
        help=".cub: guess invariants that hold with N processes, and prove them (default: off)",
    )
    check.add_argument(
        "--instances",
        metavar="LIST",
        type=values.sizes,
        default=(),
        help=".cub: compare the answer with systems of this many processes, such as 2,3",
    )
    check.add_argument(
        "--certificate", metavar="FILE", type=Path, help=".cub: write the proof's obligations as SMT-LIB"
    )
    groups.any_number(check)
    groups.clients(check)
    check.add_argument(
        "--infer",
        action="store_true",
        help=".obj: look for the invariants of the proof, and print them",
    )
    check.add_argument("--accept-bounded", action="store_true", help="exit with 0 for HOLDS WITHIN too")
    groups.files(check)
    check.add_argument(
        "--args",
        action="extend",
        metavar="WORDS",
        type=values.words,
        help="C: what the program is run with, as a shell reads it; may be repeated (default: nothing)",
    )
    check.add_argument(
        "--witness",
        metavar="FILE",
        type=Path,
        help="C: write the violation as a witness for SV-COMP: .graphml (1.0), or .yml (2.2)",
    )
    check.add_argument(
        "--confirm",
        metavar="WITNESS",
        type=Path,
        help="C: look only for an execution that follows this witness of SV-COMP to its violation: VIOLATED, "
        "or UNKNOWN if the witness is not confirmed",
    )


def _litmus(litmus: argparse.ArgumentParser) -> None:
    """What `litmus` is told."""
    litmus.add_argument("paths", nargs="+", metavar="PATH", type=Path)
    groups.question(litmus)
    groups.output(litmus)
    groups.files(litmus)
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
    groups.bounds(compare)
    compare.add_argument("--json", action="store_true", help="one JSON object per line")
    groups.summary(compare)


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
    groups.time_and_memory(translate)
    translate.add_argument("file", metavar="FILE", type=Path)
    translate.add_argument(
        "--to", required=True, choices=["dve", "promela", "mapping", "smv", "dot", "llvm", "code"],
        metavar="FORMAT",
        help="dve, promela: the program with its store buffers written out, for checkers that know only "
        "sequential consistency; mapping: what a compiler makes of each atomic operation of a C program; "
        "smv, dot: the transition system of an object (.obj) for NuSMV, its flow graph for Graphviz; "
        "llvm, code: the LLVM IR that clang makes of a C program, and the code IR that membar reads from it",
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
    groups.told(translate)
    translate.add_argument("--mapping", metavar="NAME", help="compiler mapping (default: the model's)")
    translate.add_argument(
        "--clang", metavar="PATH", help="llvm, code: the compiler (default: the newest clang on the path)"
    )
    translate.add_argument(
        "--print-after", metavar="PASS", help="code: after the passes up to this one (default: before all)"
    )
    translate.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", type=Path,
                           help="search DIR for includes, of cat files and of C")  # fmt: skip
    translate.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=V]",
                           help="define a macro for C")  # fmt: skip


def _replay(replay: argparse.ArgumentParser) -> None:
    """What `replay` is told."""
    replay.add_argument(
        "witness", metavar="WITNESS", help="lines printed by check --json; - for standard input"
    )
    groups.time_and_memory(replay)


def _repair(repair: argparse.ArgumentParser) -> None:
    """What `repair` is told."""
    repair.add_argument("file", metavar="FILE", type=Path)
    groups.question(repair)
    groups.asked(repair)
    groups.any_number(repair)
    groups.clients(repair)
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


_COMMANDS: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "check": ("answer one question per file", _check),
    "litmus": ("answer many litmus tests: files and folders", _litmus),
    "compare": ("ask about one file under several models, or by several engines", _compare),
    "repair": ("find the cheapest change that makes a program right", _repair),
    "models": ("list the memory models, show or test one", _models),
    "translate": ("print a program in another form", _translate),
    "replay": ("run saved witnesses again, without a search", _replay),
}
