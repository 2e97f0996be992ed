"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from membar.cli.arguments import values
from membar.questions.task import Coherence, Limits, Options

REDUCTIONS = (
    "prune",
    "symmetry",
    "await",
    "inplace",
    "sleep",
    "acceleration",
    "por",
)  # each switched off by `--no-…`


def clients(command: argparse.ArgumentParser) -> None:
    """Of what clients of an object are made, and what they are asked."""
    command.add_argument(
        "--client",
        metavar="T,N",
        type=values.client,
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
    command.add_argument(
        "--allow-python-spec",
        action="store_true",
        help="objects: run the Python file that the text names as its specification",
    )


def any_number(command: argparse.ArgumentParser) -> None:
    """For how many threads it must be true."""
    command.add_argument(
        "--threads",
        metavar="any[:NAME]",
        type=values.threads,
        help="C: prove it for any number of threads, sc and x86-tso; NAME is the macro for their number"
        " (default: N)",
    )


def asked(command: argparse.ArgumentParser) -> None:
    """What must be true."""
    choice = command.add_mutually_exclusive_group()
    choice.add_argument(
        "--property",
        metavar="LIST",
        help="what to check, separated by commas (docs/reference/properties.md lists all); `none` only"
        " explores (default: all that apply)",
    )
    choice.add_argument(
        "--property-file",
        metavar="FILE.prp",
        type=Path,
        help="check what a property file of SV-COMP asks, and nothing else (default model: sc)",
    )
    told(command)


def told(command: argparse.ArgumentParser) -> None:
    """What is asked of a text, and what some languages can be told about it."""
    command.add_argument(
        "--error",
        metavar="EXPR|LABEL",
        help="a state or location that must not be reached; `final EXPR`: no final state (XCFA)",
    )
    command.add_argument(
        "--ltl",
        metavar="FORMULA|@FILE",
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


def question(command: argparse.ArgumentParser) -> None:
    """What is asked of a program."""
    group = command.add_argument_group("the question")
    group.add_argument(
        "--model",
        metavar="NAME|FILE.cat",
        help="memory model: a name, or a .cat, .rules or .cfg file (default: by language)",
    )
    group.add_argument("--engine", metavar="NAME", help="engine (default: by language)")
    bounds(group)


def bounds(group: argparse._ActionsContainer) -> None:  # argparse has no public name for it
    """How far, by which means and with which resources it is looked at."""
    group.add_argument(
        "--buffers",
        metavar="N|unbounded",
        type=values.buffers,
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
        type=values.fair,
        default=Options().fair,
        help="what runs treat fairly, for claims about runs: buffers, processes, none (default: buffers)",
    )
    group.add_argument(
        "--no-por", action="store_true", help="states: keep every state and all declared registers"
    )
    loops = group.add_mutually_exclusive_group()
    loops.add_argument("--unroll", metavar="N", type=values.positive, help="take each loop at most N times")
    loops.add_argument("--max-unroll", metavar="N", type=values.positive, help="deepen up to N (default: 4)")
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
        type=values.positive,
        default=1,
        help="use N threads; litmus: N processes (default: 1)",
    )
    group.add_argument(
        "--limit",
        metavar="KIND=N,…",
        type=values.limits,
        default=Limits(),
        help="time=10s, memory=2G, executions=N, states=N, separated by commas",
    )


def time_and_memory(command: argparse.ArgumentParser) -> None:
    """With which resources something is done that searches nothing."""
    command.add_argument(
        "--limit",
        metavar="KIND=N,…",
        type=values.limits_without_counts,
        default=Limits(),
        help="time=10s, memory=2G, separated by commas",
    )


def output(command: argparse.ArgumentParser) -> None:
    """The form of the answer."""
    group = command.add_argument_group("output")
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object per line")
    form.add_argument("--herd", action="store_true", help="herd's text blocks")
    group.add_argument("--dot", metavar="DIR", type=Path, help="draw executions for Graphviz, a file each")
    group.add_argument("--svg", metavar="DIR", type=Path, help="draw executions, a file each")
    group.add_argument("--all", action="store_true", help="every execution, not only the witness")


def files(command: argparse.ArgumentParser) -> None:
    """Files for other tools, about all answers together."""
    group = command.add_argument_group("files for other tools (- for standard output)")
    group.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit report")
    group.add_argument("--sarif", metavar="FILE", type=Path, help="write a SARIF 2.1.0 log")
    summary(group)


def summary(group: argparse._ActionsContainer) -> None:  # argparse has no public name for it
    """A summary of all answers."""
    group.add_argument("--summary", metavar="FILE", type=Path, help="write a summary in GitHub's Markdown")
