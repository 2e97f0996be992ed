"""The help texts, generated from the commands and their options."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from membar.cli.arguments.commands import COMMANDS, Command, Operand
from membar.cli.terminal import columns
from membar.questions.option import CLIENTS, CONFIRMED, LIFTED, PROOF, SYSTEM, Option

# The exit codes of each command, besides those of all: 130 (interrupted), 141 (output closed early).
_EXIT_CODES = {
    "check": "0 holds, or within a bound that you gave or accepted; 1 violated; 2 bad input or usage;"
    " 3 unknown; 4 holds within a bound that membar chose",
    "litmus": "0 every test is answered, 1 an expectation disagrees, 2 bad usage, 3 a test is unanswered",
    "compare": "0 every column has an answer and engines agree (whatever the verdicts), 2 bad input or"
    " usage, 3 otherwise; with --store: 0 no difference, 1 a difference, 2 bad usage, 3 no difference, but"
    " one side lacks an answer",
    "repair": "0 correct or repaired, 1 not repairable, 2 bad input or usage, 3 unknown, 4 correct within a"
    " bound that membar chose",
    "models": "0 done (test: no claim was refuted), 1 test: a claim was refuted, 2 invalid model or bad"
    " usage, 3 test: out of time",
    "translate": "0 translated, 2 bad input or usage",
    "replay": "0 every witness is confirmed, 1 some witness is not, 2 bad input or usage",
    "serve": "0 stopped with Ctrl-C; 2 bad usage, port taken, store missing, or `membar[serve]` not"
    " installed",
}
_ABOUT = {
    "check": "Check C, C++, Rust, LLVM IR, Promela, DVE, XCFA, .litmus, .mbp, .cub, .obj.",
    "litmus": "Run many litmus tests. PATH is a file, or a folder that is searched for .litmus files; a file"
    " may also be a program in another language, such as C. `membar serve FILE` shows the answers that"
    " --store wrote.",
    "compare": "Compare one file under several models or with several engines; or, with --store, two models,"
    " two runs (by number) or two folders of stored results: membar compare A B --store FILE.",
    "models": "List the memory models; `show` prints one, `test` searches for programs that refute its"
    " claims.",
    "replay": "Run saved witnesses again, without a search. WITNESS is what `membar check --json` printed: a"
    " file, or - for standard input.",
    "serve": "Open membar in the browser. RESULTS.db is a store that `membar litmus --store` wrote; its"
    " results are shown, too.",
}
_ABOUT_AT_LENGTH = {
    "check": "Check programs in C, C++, Rust, LLVM IR, Promela, DVE, XCFA or membar's program text (.mbp),"
    " litmus tests (.litmus), parameterized systems (.cub) and concurrent objects (.obj).",
}
_TITLES = {
    (LIFTED,): "for programs with any number of threads",
    (CLIENTS,): "for objects (.obj, annotated C)",
    (CLIENTS, PROOF): "for objects (.obj, annotated C)",
    (PROOF,): "for objects (.obj, annotated C)",
    (SYSTEM, LIFTED): "for any number of processes (.cub) or threads",
    (CONFIRMED,): "for SV-COMP witnesses",
}
_NAME_WIDTH = 25
# A command with more options than this has a short help that shows the most common ones.
_FEW = 12


def about(words: Sequence[str], *, is_whole: bool) -> str:
    """The help that a command line requests: that of its command, or the overview."""
    command = COMMANDS.get(words[0]) if words else None
    if command is None:
        return overview()
    return whole_help(command) if is_whole else short_help(command)


def overview() -> str:
    """The commands."""
    lines = [
        "usage: membar COMMAND ...\n\nCheck whether concurrent programs are correct under a memory model.\n\n"
    ]
    lines += [f"  {command.name:<10} {command.title}\n" for command in COMMANDS.values()]
    lines.append("\n  -h, --help  show this help; `membar COMMAND --help` describes a command\n")
    lines.append("  --version   print the version and exit\n\n")
    return "".join([*lines, _exit_codes("check", " of `membar check`")])


def short_help(command: Command) -> str:
    """The most common options of a command, on one screen."""
    shown = [*command.own, *(one for one in command.options if one.is_common and one not in command.own)]
    if len(command.options) <= _FEW:
        shown = list(command.options)
    room = max(columns() - 2, 60) - _NAME_WIDTH - 4
    lines = [_head(command)]
    for option in shown:
        text = (
            dict(option.short_of).get(command.name) or option.short or option.help.split(";", maxsplit=1)[0]
        )
        text = text if len(text) <= room else f"{text[: room - 1].rsplit(' ', 1)[0]}…"
        lines += _entry(_option_names(option), [text])
    more = f"every option: membar {command.name} --help-all\n"
    return "".join([*lines, "\n", _exit_codes(command.name), more])


def whole_help(command: Command) -> str:
    """Every option of a command, grouped by the kinds of questions that it is for."""
    groups: dict[str, list[Option]] = {"": list(command.own)} if command.own else {}
    for option in command.options:
        if option not in command.own:
            groups.setdefault(_title(option), []).append(option)
    room = max(columns() - 2, 60) - _NAME_WIDTH - 4
    lines = [_head(command, is_whole=True)]
    for title, options in groups.items():
        lines.append(f"{title}:\n" if title else "")
        for option in options:
            lines += _entry(_option_names(option), textwrap.wrap(option.help, room))
        lines.append("\n")
    lines += _entry("-h, --help", ["show the most common options"])
    lines += _entry("--help-all", ["show every option"])
    return "".join(
        [*lines, "\n", _exit_codes(command.name, more="; 130 interrupted; 141 output closed early")]
    )


def _exit_codes(command: str, of: str = "", more: str = "") -> str:
    text = f"exit codes{of}: {_EXIT_CODES[command]}{more}"
    return f"{textwrap.fill(text, max(columns() - 2, 60))}\n"


def _head(command: Command, *, is_whole: bool = False) -> str:
    usage = " ".join([*map(_usage, command.operands), *_required_options(command), "[options]"])
    known = {**_ABOUT, **(_ABOUT_AT_LENGTH if is_whole else {})}
    about = known.get(command.name) or f"{command.title[0].upper()}{command.title[1:]}."
    about = textwrap.fill(about, max(columns() - 2, 60))
    return f"usage: membar {command.name} {usage}\n\n{about}\n\n"


def _usage(operand: Operand) -> str:
    shown = f"{operand.metavar}..." if operand.form == "several" else operand.metavar
    return f"[{shown}]" if operand.form == "optional" else shown


def _required_options(command: Command) -> Iterator[str]:
    for option in command.options:
        if option.name in command.required:
            yield _option_names(option)


def _option_names(option: Option) -> str:
    """The names of an option, and the placeholder for its value."""
    value = option.metavar or "|".join(option.choices)
    return " ".join(filter(None, [", ".join(filter(None, [option.letter, option.name])), value]))


def _entry(name: str, text: Iterable[str]) -> list[str]:
    """The lines about one option."""
    gap = "\n" + " " * (_NAME_WIDTH + 4)
    begin = f"  {name:<{_NAME_WIDTH}}  " if len(name) <= _NAME_WIDTH else f"  {name}{gap}"
    return [begin, gap.join(text), "\n"]


def _title(option: Option) -> str:
    if option.is_output:
        return "output"
    return _TITLES.get(option.kinds, "for every question" if len(option.kinds) > 3 else "for programs")
