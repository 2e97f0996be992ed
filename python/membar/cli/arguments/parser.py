"""Reads a command line: which command, which of its options, which files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NoReturn

from membar.cli.arguments.commands import COMMANDS, Command, Operand
from membar.diagnostics import close_matches, refusal
from membar.questions.option import Option

# Options of every command, which are answered before a command line is read.
_HELP = ("-h", "--help", "--help-all")


class Chosen(SimpleNamespace):
    """The result of parsing a command line: `command`, and the value of each of its operands and options."""


def parse(words: Sequence[str]) -> Chosen:
    """What a command line chooses.

    Options and files come in any order. The value of an option is the next word, or stands behind `=`. Words
    behind `--` are for the compiler, or files of a command that compiles nothing.

    Raises:
        InputError: it makes no sense.
    """
    name = words[0]
    if name not in COMMANDS:
        what = "option" if name.startswith("-") else "command"
        _refuse(f"unknown {what} `{name}`", _suggestion(name, COMMANDS) or "membar --help")
    command = COMMANDS[name]
    reader = _Reader(command, words[1:])
    reader.read_all()
    return Chosen(command=name, **reader.values, **_operands(command, reader.operands))


class _Reader:
    """The words of a command that are still to be parsed, and what the earlier ones chose."""

    def __init__(self, command: Command, words: Sequence[str]) -> None:
        self.command = command
        self.options = {option.name: option for option in command.options}
        self.options |= {option.letter: option for option in command.options if option.letter}
        self.values: dict[str, Any] = {one.attribute: _default(one) for one in self.options.values()}
        self.operands: list[str] = []
        self._words = list(reversed(words))
        self._given: dict[str, Option] = {}  # by name, and by what excludes others

    def read_all(self) -> None:
        """Parses every word."""
        while self._words:
            word = self._words.pop()
            if word == "--":
                self._take_rest()
                break
            if self._is_option(word):
                self._read_option(word)
            else:
                self.operands.append(word)
        for name in self.command.required:
            if name not in self._given:
                _refuse(f"missing {name}", f"membar {self.command.name} --help")

    def _take_rest(self) -> None:
        compiler = self.options.get("--compiler-option")
        if compiler is None:
            self.operands += reversed(self._words)
        else:
            self.values[compiler.attribute] = (*self.values[compiler.attribute], *reversed(self._words))

    def _is_option(self, word: str) -> bool:
        """Whether a word looks like an option, and not like a formula (`-x == 1`) or a number (`-1`)."""
        if word[:2] in self.options:
            return True
        return (
            word[:1] == "-"
            and not word[1:2].isdigit()
            and len(word) > 1
            and " " not in word.split("=", maxsplit=1)[0]
        )

    def _read_option(self, word: str) -> None:
        option, value = self._split(word)
        name = option.name
        if name in self._given and option.form == "value":
            self._refuse(f"argument {name}: given twice")
        rival = self._given.setdefault(option.rival or name, option)
        if rival is not option:
            self._refuse(f"argument {name}: not allowed with {rival.name}")
        self._given[name] = option
        if option.form == "switch":
            if value is not None:
                self._refuse(f"argument {name}: takes no value")
            self.values[option.attribute] = True
            return
        if value is None:
            if not self._words or self._is_option(self._words[-1]):
                example = f"{name}={self._words[-1]}" if self._words else f"{name} {_metavar(option)}"
                self._refuse(f"argument {name}: needs a value, as in `{example}`")
            value = self._words.pop()
        try:
            found = _read(option, value)
        except ValueError as problem:
            self._refuse(f"argument {name}: {problem}")
        if option.form != "value":  # one more each time
            found = (*(self.values[option.attribute] or ()), *(found if option.form == "words" else [found]))
        self.values[option.attribute] = found

    def _split(self, word: str) -> tuple[Option, str | None]:
        """The option that a word names, and the value that follows in the same word."""
        name, has_value, value = word.partition("=")
        if name in self.options and len(name) > 2:
            return self.options[name], value if has_value else None
        letter = self.options.get(word[:2])
        if letter is None or f"-{name}" in self.options:  # `-model` is not `-m odel`
            self._refuse_unknown(name)
        return letter, word[2:].removeprefix("=") or None

    def _refuse_unknown(self, name: str) -> NoReturn:
        others = [command.name for command in COMMANDS.values() if _has(command.options, name)]
        if others:
            self._refuse(
                f"{name} is an option of {_command_list(others)}, not of `membar {self.command.name}`"
            )
        known = [*self.options, *_HELP]
        _refuse(
            f"unknown option `{name}`",
            _suggestion(name, known) or f"membar {self.command.name} --help",
        )

    def _refuse(self, message: str) -> NoReturn:
        _refuse(message, f"membar {self.command.name} --help")


def _default(option: Option) -> object:
    return False if option.form == "switch" else option.default


def _read(option: Option, text: str) -> Any:  # noqa: ANN401 - whatever options have
    """The value that a word denotes.

    Raises:
        ValueError: it means none.
    """
    if option.choices and text not in option.choices:
        raise ValueError(f"`{text}` is not one of {', '.join(option.choices)}")
    if not option.read:
        return text
    return getattr(import_module("membar.cli.arguments.values"), option.read)(text)


def _operands(command: Command, words: list[str]) -> dict[str, Any]:
    """The values of the operands."""
    left, found = list(words), dict[str, Any]()
    for operand in command.operands:
        if operand.form == "several":
            found[operand.name], left = left, []
        else:
            found[operand.name] = left.pop(0) if left else None
        _check_operand(command, operand, found[operand.name])
    if left:
        _refuse(f"unexpected argument `{left[0]}`", f"membar {command.name} --help")
    return found


def _check_operand(command: Command, operand: Operand, value: object) -> None:
    advice = f"membar {command.name} --help"
    if not value and operand.form != "optional" and value != "":
        _refuse(f"missing {operand.metavar}", advice)
    if value is not None and operand.choices and value not in operand.choices:
        _refuse(f"`{value}` is not one of {', '.join(operand.choices)}", advice)


def _metavar(option: Option) -> str:
    return option.metavar or "|".join(option.choices)


def _has(options: Iterable[Option], name: str) -> bool:
    return any(name in (option.name, option.letter) for option in options)


def _command_list(commands: Sequence[str]) -> str:
    quoted = [f"`membar {name}`" for name in commands]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _suggestion(name: str, known: Collection[str] | Mapping[str, object]) -> str:
    close = close_matches(name, known, n=1)
    return f"did you mean `{close[0]}`?" if close else ""


def _refuse(message: str, advice: str) -> NoReturn:
    raise refusal("W0400", message, help=advice)
