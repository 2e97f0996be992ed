"""SV-COMP task descriptions: a `.yml` that names input files, a data model, properties and expected verdicts.

Each property of a task is a question of its own, about the input files and with the expected verdict.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from membar.diagnostics import InputError, error, refusal
from membar.properties import PROPERTIES
from membar.questions.outcome import WORDS, Violated
from membar.records import record
from membar.source import SourceFile, Span
from membar.text.file_paths import folder_of

if TYPE_CHECKING:
    from membar.questions.outcome import Outcome

Node: TypeAlias = Any
"""What YAML is made of, with its place."""

_FORM = "an SV-COMP task description names `input_files` and `properties`, with `format_version: '2.0'`"
_VERSIONS = ("1.0", "2.0")
_DATA_MODELS = ("ILP32", "LP64")
# What SV-COMP calls the parts of memory safety → the property of membar that they are violations of.
_SUBPROPERTIES: Mapping[str, str] = {
    "valid-free": "memory",
    "valid-deref": "memory",
    "valid-memtrack": "leaks",
    "valid-memcleanup": "leaks",
}


@record(frozen=True, slots=True, kw_only=True)
class TaskProperty:
    """One property of a task.

    Attributes:
        description: the `.yml` that describes the task.
        property_file: the property file, as the description names it.
        expected: `holds` or `violated`; "" where the description does not say.
        subproperty: which part of the property is violated, in SV-COMP's words; "" where it does not say.
    """

    description: str
    property_file: str
    expected: str = ""
    subproperty: str = ""

    def contradicts(self, outcome: Outcome) -> bool | None:
        """Whether an answer is not the expected one; None where it settles nothing or nothing is expected."""
        verdict = WORDS[type(outcome)]
        if not self.expected or verdict not in ("holds", "violated"):
            return None
        if verdict != self.expected:
            return True
        part = _SUBPROPERTIES.get(self.subproperty)
        return isinstance(outcome, Violated) and part is not None and outcome.property != part


@record(frozen=True, slots=True, kw_only=True)
class TaskQuestion:
    """What is asked about one property of a task.

    Attributes:
        file: the first input file.
        further_files: the others.
        data_model: `ILP32` or `LP64`; None where the description does not say.
        property_file: the property file, from the working directory.
        task: what the answer is compared with.
    """

    file: str
    further_files: tuple[str, ...]
    data_model: str | None
    property_file: str
    task: TaskProperty

    def fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options that the description decides, beside those that were given.

        Raises:
            InputError: one that was given says something else.
        """
        for name, option in (
            ("property_file", "--property-file"),
            ("threads", "--threads"),
            ("client", "--client"),
        ):
            if given.get(name) is not None:
                message = f"{option} does not apply to `{self.task.description}`: it names what to check"
                raise refusal("W1450", message, help=f"check the program itself: {self.file}")
        stated, asked = self.data_model, given.get("data_model")
        if None not in (stated, asked) and stated != asked:
            message = f"--data-model {asked}, but `{self.task.description}` says {stated}"
            raise refusal("W1450", message, help="leave the option out")
        from pathlib import Path  # noqa: PLC0415 - on demand

        # A witness that is to be confirmed names its property itself.
        is_confirmed = given.get("confirm") is not None
        return {
            "properties": None,
            "property": None,
            "property_file": None if is_confirmed else Path(self.property_file),
            "data_model": stated or asked,
            "further_files": (*(given.get("further_files") or ()), *self.further_files),
            "task": self.task,
        }


def task_questions(path: str, properties: Collection[str] | None) -> tuple[TaskQuestion, ...]:
    """A question for each property of a task; where some were named, only for those that check one of them.

    Raises:
        InputError: the description is wrong, or checks none of them.
        OSError: it cannot be read.
    """
    description = _Description(SourceFile.read(path))
    found = tuple(description.questions())
    if properties is None:
        return found
    kinds = [(one, _names_in(one.property_file)) for one in found]
    chosen = tuple(one for one, names in kinds if names & {*properties})
    if not chosen:
        known = [name for name in PROPERTIES if any(name in names for _, names in kinds)]
        raise refusal(
            "W1450",
            f"`{path}` does not ask about {', '.join(properties) or 'none'}",
            help=f"properties that it asks about: {', '.join(known)}" if known else "leave --property out",
        )
    return chosen


def single_question(path: str, properties: Collection[str] | None) -> TaskQuestion:
    """The question of a task with one property.

    Raises:
        InputError: the description is wrong, or has several properties.
        OSError: it cannot be read.
    """
    first, *others = task_questions(path, properties)
    if others:
        files = ", ".join(one.task.property_file for one in (first, *others))
        message = (
            f"`{path}` asks about {1 + len(others)} properties ({files}), each with an answer of its own"
        )
        raise refusal("W1450", message, help="select one by its name in membar, such as `assertions`")
    return first


def _names_in(property_file: str) -> frozenset[str]:
    """The properties that a property file selects; none if membar does not know them."""
    from pathlib import Path  # noqa: PLC0415 - only where asked for

    from membar.properties.svcomp_properties import read_specification  # noqa: PLC0415

    try:
        return frozenset(read_specification(Path(property_file)).names)
    except InputError:
        return frozenset()


class _Description:
    """A description, as nodes of YAML that know their places."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._folder = folder_of(source.path)
        root = _composed(source)
        top = self._mapping(root, "a task description has keys such as `format_version`")
        version = self._text(self._required(top, "format_version", root))
        if version not in _VERSIONS:
            known = " and ".join(_VERSIONS)
            raise self._wrong(
                top["format_version"], f"unknown format `{version}` of task descriptions", f"known: {known}"
            )
        self._top, self._root = top, root

    def questions(self) -> Iterator[TaskQuestion]:
        """What is asked about each property."""
        first, *others = self._input_files()
        data_model = self._data_model()
        listed = self._required(self._top, "properties", self._root)
        for node in self._items(listed):
            keys = self._mapping(node, "a property has the key `property_file`")
            at = self._required(keys, "property_file", node)
            property_file, *others_matched = self._files(at)
            if others_matched:
                raise self._wrong(at, "several files match", "expected one property file")
            task = TaskProperty(
                description=self._source.path,
                property_file=self._text(at),
                expected=self._verdict(keys.get("expected_verdict")),
                subproperty=self._text(keys["subproperty"]) if "subproperty" in keys else "",
            )
            yield TaskQuestion(
                file=first,
                further_files=tuple(others),
                data_model=data_model,
                property_file=property_file,
                task=task,
            )

    def _input_files(self) -> list[str]:
        node = self._required(self._top, "input_files", self._root)
        named = self._items(node) if node.id == "sequence" else [node]
        return [file for item in named for file in self._files(item)]

    def _data_model(self) -> str | None:
        if "options" not in self._top:
            return None
        options = self._mapping(self._top["options"], "`options` has keys such as `data_model`")
        if "language" in options and (language := self._text(options["language"])) != "C":
            raise self._wrong(options["language"], f"tasks in `{language}` are not read", "expected C")
        if "data_model" not in options:
            return None
        found = self._text(options["data_model"])
        if found not in _DATA_MODELS:
            raise self._wrong(
                options["data_model"], f"unknown data model `{found}`", "expected ILP32 or LP64"
            )
        return found

    def _verdict(self, node: Node | None) -> str:
        if node is None:
            return ""
        words = {"true": "holds", "false": "violated"}
        found = words.get(self._text(node).lower())
        if found is None:
            raise self._wrong(node, f"`{self._text(node)}` is no verdict", "expected true or false")
        return found

    def _files(self, node: Node) -> list[str]:
        """The files with a name, from the folder of the description, or those that a pattern matches."""
        name = self._text(node)
        path = os.path.normpath(os.path.join(self._folder, name))  # noqa: PTH118 - as it will be shown
        found = [path]
        if any(sign in name for sign in "*?[") and not os.path.isfile(path):  # noqa: PTH113
            from glob import escape, glob  # noqa: PLC0415 - few descriptions have patterns

            pattern = os.path.join(escape(self._folder), name)  # noqa: PTH118
            found = [os.path.normpath(each) for each in sorted(glob(pattern))]  # noqa: PTH207 - as above
        if not found or not all(map(os.path.isfile, found)):
            label = "named from the folder of this description"
            raise error("W1450", f"there is no file `{path}`", self._place(node), label)
        return found

    def _required(self, keys: Mapping[str, Node], name: str, node: Node) -> Node:
        if name not in keys:
            raise self._wrong(node, f"the key `{name}` is missing", "in this description")
        return keys[name]

    def _mapping(self, node: Node, expected: str) -> dict[str, Node]:
        if node.id != "mapping":
            raise self._wrong(node, "this is no list of keys with values", expected)
        found: dict[str, Node] = {}
        for key, value in node.value:
            if key.id == "scalar" and key.value in found:
                raise self._wrong(key, f"the key `{key.value}` is there twice", "expected once")
            if key.id == "scalar":
                found[key.value] = value
        return found

    def _items(self, node: Node) -> Sequence[Node]:
        if node.id != "sequence" or not node.value:
            raise self._wrong(node, "this is no list", "expected a list with at least one item")
        found: Sequence[Node] = node.value
        return found

    def _text(self, node: Node) -> str:
        if node.id != "scalar" or not node.value:
            raise self._wrong(node, "this is no word", "expected a word")
        return str(node.value)

    def _wrong(self, node: Node, message: str, expected: str) -> InputError:
        return error("W1450", message, self._place(node), expected, help=_FORM)

    def _place(self, node: Node) -> Span:
        """The first line of a node."""
        start, end = node.start_mark.index, node.end_mark.index
        return self._source.span(start, start + len(self._source.text[start:end].split("\n", 1)[0]))


def _composed(source: SourceFile) -> Node:
    """The text as nodes of YAML; an alias is not copied."""
    import yaml  # noqa: PLC0415 - only where asked for

    try:
        found = yaml.compose(source.text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as wrong:
        mark = getattr(wrong, "problem_mark", None)
        at = min(getattr(mark, "index", 0), len(source.text))
        what = getattr(wrong, "problem", None) or "it cannot be read"
        raise error("W1450", f"this is not YAML: {what}", source.span(at, at), "here", help=_FORM) from None
    if found is None:
        raise refusal("W1450", f"`{source.path}` is empty", help=_FORM)
    return found
