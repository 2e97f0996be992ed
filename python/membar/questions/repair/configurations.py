"""Other configurations of a program (`-D NAME`): a repair must not break those that are correct."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from membar.diagnostics import InputError
from membar.languages.registry import frontend_for
from membar.questions.answer import Answer
from membar.questions.repair.correctness import UndecidedError, guarantee_of, is_right
from membar.questions.system import is_system
from membar.records import field, record, replace
from membar.source import SourceFile

Ask: TypeAlias = Callable[[SourceFile], Answer]


@record(frozen=True, slots=True)
class Configuration:
    """Another configuration, and what is known about the program in it.

    Attributes:
        defines: what is defined.
        name: how it differs from the one that is repaired: `-D NAME`, or `without -D NAME`.
        before: the answer about the text as it is.
        is_right: whether that says that it is right; None if nobody knows.
    """

    defines: tuple[str, ...]
    name: str
    before: Answer
    is_right: bool | None

    def of(self, source: SourceFile) -> SourceFile:
        """A text in this configuration."""
        return replace(source, defines=self.defines)

    def passes(self, text: SourceFile, ask: Ask, *, weaken: bool) -> bool | None:
        """Whether a changed program is correct in it, in the same sense; None if that is unknown."""
        try:
            answer = ask(self.of(text))
            if not is_right(answer):
                return False
            return guarantee_of(self.before).is_kept_by(guarantee_of(answer)) if weaken else True
        except UndecidedError:
            return None
        except InputError:
            return False


@record(frozen=True, slots=True)
class Recheck:
    """The result in another configuration. `after` is None if the changed program is invalid there."""

    configuration: Configuration
    after: Answer | None

    @property
    def name(self) -> str:
        """How it differs from the one that is repaired."""
        return self.configuration.name

    @property
    def before(self) -> Answer:
        """The answer about the original program."""
        return self.configuration.before


@record()
class Configurations:
    """The other configurations of a program; those that a change broke are required of every later one."""

    source: SourceFile
    ask: Ask
    weaken: bool
    threads: str | None = None
    required: list[Configuration] = field(default_factory=list)
    _known: tuple[Configuration, ...] | None = None
    _answers: dict[object, Answer] = field(default_factory=dict)

    @property
    def readable(self) -> tuple[Configuration, ...]:
        """Those in which the program can be parsed, checked when they are first needed."""
        if self._known is None:
            found = (self._configuration(defines) for defines in _others(self.source, self.threads))
            self._known = tuple(each for each in found if each is not None)
        return self._known

    def require_those_broken_by(self, texts: Sequence[SourceFile]) -> bool:
        """Whether one of the programs is wrong in a configuration that was correct and not required yet."""
        broken = [
            each
            for each in self.readable
            if each.is_right
            and each not in self.required
            and any(each.passes(text, self._ask_once, weaken=self.weaken) is False for text in texts)
        ]
        self.required += broken
        return bool(broken)

    def pass_with(self, text: SourceFile) -> bool | None:
        """Whether a program is correct in each required configuration; None if that is unknown."""
        answers = [each.passes(text, self._ask_once, weaken=self.weaken) for each in self.required]
        return False if False in answers else None if None in answers else True

    def rechecks(self, text: SourceFile) -> tuple[Recheck, ...]:
        """The answers about a changed program, one for each configuration."""
        return tuple(Recheck(each, self._answer(each.of(text))) for each in self.readable)

    def _ask_once(self, text: SourceFile) -> Answer:
        key = (text.text, text.defines, text.replaced)
        if key not in self._answers:
            self._answers[key] = self.ask(text)
        return self._answers[key]

    def _answer(self, text: SourceFile) -> Answer | None:
        try:
            return self._ask_once(text)
        except InputError:
            return None

    def _configuration(self, defines: tuple[str, ...]) -> Configuration | None:
        source = self.source
        text = replace(source, defines=defines)
        before = self._answer(text)
        if before is None:
            return None
        try:
            right: bool | None = is_right(before)
        except UndecidedError:
            right = None
        return Configuration(defines, _name(source.defines, defines), before, right)


def _others(source: SourceFile, threads: str | None) -> tuple[tuple[str, ...], ...]:
    """The definitions of the other configurations, except that of the number of threads."""
    if is_system(source) or (find := frontend_for(source).configurations) is None:
        return ()
    given = set(source.defines)
    return tuple(
        defines
        for defines in find(source)
        if threads not in {each.partition("=")[0] for each in given.symmetric_difference(defines)}
    )


def _name(given: Sequence[str], defines: Sequence[str]) -> str:
    added = [f"-D {each}" for each in defines if each not in given]
    names = {each.partition("=")[0] for each in defines}
    gone = [f"without -D {each}" for each in given if each.partition("=")[0] not in names]
    return " ".join(added + gone)
