"""One declared option, and the kinds of questions that options apply to."""

from __future__ import annotations

from typing import Any, Final

from membar.records import record

PROGRAM, CONFIRMED, LIFTED, CLIENTS, SYSTEM, PROOF = (
    "programs",
    "confirmed",
    "lifted",
    "clients",
    "systems",
    "objects",
)
# The largest values: no machine needs more, and those that engines calculate with fit into their words.
LARGEST_NUMBER: Final = (1 << 31) - 1
LONGEST_BUFFER: Final = 4096
KINDS: Final = (PROGRAM, CONFIRMED, LIFTED, CLIENTS, SYSTEM, PROOF)


@record(frozen=True, slots=True, kw_only=True)
class Option:
    """One option.

    Attributes:
        name: what the command line calls it.
        help: what it does, for `--help`.
        commands: those that take it.
        kinds: the kinds of questions that it applies to.
        field: the field of questions, or the argument in Python, if that has another name.
        metavar: what stands for its value; "" for a switch.
        letter: its short form, such as `-j`.
        read: the function of `membar.cli.arguments.values` that reads the value; "" takes it as it is.
        choices: the values that there are, if they are few.
        form: `value`, `switch`, `list` (one more each time), `words` (a shell's words).
        default: the value where it is not given.
        by_engines: only engines that say so (`Capabilities.options`) look at it.
        languages: the languages that it is for; empty: all.
        is_common: it stands in the short help.
        is_output: it says what becomes of the answer, not what is asked.
        is_search: it says how engines search (a field of `task.Options`).
        is_compiler: it says how a text is compiled (a field of `CompilerOptions`).
        rival: options of one rival exclude each other.
        short: what it does, for the short help, if `help` is too long there.
        short_of: the same for commands where it does something else: pairs of command and text.
        menu: the menu of the web page that it is in; "": it cannot be given there.
        label: what the web page calls it.
    """

    name: str
    help: str
    commands: tuple[str, ...] = ("check",)
    kinds: tuple[str, ...] = KINDS
    field: str = ""
    metavar: str = ""
    letter: str = ""
    read: str = ""
    choices: tuple[str, ...] = ()
    form: str = "value"
    default: Any = None
    by_engines: bool = False
    languages: tuple[str, ...] = ()
    is_common: bool = False
    is_output: bool = False
    is_search: bool = False
    is_compiler: bool = False
    rival: str = ""
    short: str = ""
    short_of: tuple[tuple[str, str], ...] = ()
    menu: str = ""
    label: str = ""

    @property
    def key(self) -> str:
        """Its name in Python."""
        return self.field or self.attribute

    @property
    def attribute(self) -> str:
        """Its name in a parsed command line: as users write it."""
        name = self.field if self.is_compiler else _LETTERS.get(self.name)
        return name or self.name.lstrip("-").replace("-", "_")


# Options that have no other name than a letter.
_LETTERS: Final = {"-D": "define", "-I": "include"}
