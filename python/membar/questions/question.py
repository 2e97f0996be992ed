"""A question: a subject, a memory model, and what is asked. Each kind has a module in this folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from membar.questions.task import Limits, Options
from membar.records import field, record, replace
from membar.source import CompilerOptions, SourceFile

if TYPE_CHECKING:
    from pathlib import Path

    from membar.models.model import Model
    from membar.questions.answer import Answer
    from membar.questions.svcomp_tasks import TaskProperty


@record(frozen=True, slots=True, kw_only=True)
class Question:
    """The fields that every kind of question has.

    Attributes:
        source: the text.
        model: a shipped model's name, a `.cat` file, or a loaded model; by default the language's own.
        limits: resources for all that is done; hitting one gives UNKNOWN.
        options: loop bounds, buffers, reductions.
        include_dirs: where includes of the text, and of cat files, are searched.
        compiler: how the text is compiled, in languages that a compiler reads.
        task: the property of an SV-COMP task that it asks about, if it does.
    """

    # Whether the limits count for each question that this one asks, not for all together.
    LIMITS_EACH: ClassVar[bool] = False

    source: SourceFile
    model: Model | str | None = None
    limits: Limits = field(default_factory=Limits)
    options: Options = field(default_factory=Options)
    include_dirs: Sequence[Path] = ()
    compiler: CompilerOptions | None = None
    task: TaskProperty | None = None

    @abstractmethod
    def answer(self) -> Answer:
        """The answer; `membar.ask` calls this within the limits.

        Raises:
            InputError: the text, the model or an option is wrong.
            OSError: a file cannot be read.
            InterruptedAnswerError: Ctrl-C, with the answer as far as it was found.
        """

    @property
    def default_model(self) -> str | None:
        """The model if none is named, if that does not depend on the text."""
        return None

    @property
    def asked_by_name(self) -> tuple[str, ...]:
        """The properties that were selected by name."""
        return ()

    def programs_of(self, source: SourceFile) -> tuple[SourceFile, ...]:
        """Another text of the question as programs, for a repair."""
        return (source,)

    def source_with(self, *, defines: Sequence[str] = ()) -> SourceFile:
        """The text, with its include folders, macros and compiler options."""
        if not defines and not self.include_dirs and self.compiler is None:
            return self.source
        folders = tuple(str(folder) for folder in self.include_dirs)
        source = self.source
        return replace(
            source,
            defines=(*source.defines, *defines),
            include_dirs=(*source.include_dirs, *folders),
            compiler=self.compiler or source.compiler,
        )
