"""Is an object linearizable for every client of a size?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from membar.diagnostics import refusal
from membar.languages.registry import language_of, load_model
from membar.models.model import Model
from membar.objects.client import Size, number_of_clients
from membar.objects.orders import (
    Ordering,
    require_meaning,
)
from membar.questions import refusals
from membar.questions.answer import Answer
from membar.questions.client_search import CLOCKED, ENGINE, GRAPHS, STATES, ClientSearch
from membar.questions.object_under_test import (
    client_sources,
    object_of,
    python_specification,
)
from membar.questions.question import Question
from membar.questions.task import Coherence, Options
from membar.records import record, replace
from membar.source import SourceFile

_COMPILED_AS: Final = "x86"  # what C becomes under a model that has no axioms and no table of its own
_MOST_CLIENTS: Final = 20_000
_MANY: Final = 10**9


@record(frozen=True, slots=True, kw_only=True)
class Clients(Question):
    """Whether an object is linearizable for all clients of a given size.

    The text is a C file with notes (`objects/annotations.py`) or an `.obj` file.

    Attributes:
        client: how many threads make how many calls each.
        order: when a call is before another.
        spec: `NAME` or `FILE.py:CLASS`, instead of the specification that the text names.
        allow_python_spec: run the Python file that the text names as its specification.
        engine: `objects`, or where its executions come from: `graphs` or `states`; by default `graphs`, where
            the model has axioms.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        mapping: the compiler's table; by default the model's own.
    """

    client: Size | tuple[int, int] | None = None
    order: str = Ordering.CAUSAL.value
    spec: str | None = None
    allow_python_spec: bool = False
    engine: str | None = None
    defines: Sequence[str] = ()
    mapping: str | None = None

    @property
    def ordering(self) -> Ordering:
        """When one call precedes another."""
        return Ordering(self.order)

    @property
    def size(self) -> Size:
        """The size of the clients.

        Raises:
            InputError: nobody says so.
        """
        if self.client is None:
            raise refusal(
                "W1354",
                "missing --client THREADS,CALLS",
                help="--client 2,3 checks all clients with 2 threads and at most 3 calls each",
            )
        return self.client if isinstance(self.client, Size) else Size(*self.client)

    @property
    def specification(self) -> str | None:
        """The specification that the user names, or allows the text to name although it is Python code."""
        if self.spec is None and self.allow_python_spec:
            return python_specification(self.source)
        return self.spec

    def programs_of(self, source: SourceFile) -> tuple[SourceFile, ...]:
        """Another text of the question, followed by its clients."""
        return client_sources(source, self.size, self.specification)

    def answer(self) -> Answer:
        """The refutation of the object, or HOLDS WITHIN the size of the clients."""
        if self.engine not in (None, ENGINE, GRAPHS, STATES):
            raise refusal(
                "W1353",
                f"the engine {self.engine} cannot check clients",
                help="--engine objects; its executions come from graphs (default) or from states",
            )
        size = self.size
        text = self.source_with(defines=self.defines)
        given = {"-D": bool(self.defines), "--mapping": self.mapping is not None}
        refusals.refuse_for_language(
            language_of(text).name, [option for option, is_given in given.items() if is_given]
        )
        about = object_of(text, self.specification)
        model = load_model(self.model or about.default_model, include_dirs=self.include_dirs)
        about = replace(about, source=about.source.compiled_for(self.mapping or model.claims.mapping))
        if (number := number_of_clients(about.notes_for(size), size)) > _MOST_CLIENTS:
            raise refusal(
                "W1357",
                f"there are {_rounded_text(number)} clients of {size.text}",
                help=f"use fewer threads or operations: membar checks at most {_MOST_CLIENTS:,}",
            )
        named = self.engine if self.engine in (GRAPHS, STATES) else None
        by = named or (STATES if model.plan is None else GRAPHS)
        refusals.refuse_for_engine(by, self.options)
        refusals.refuse_limits(by, self.limits)
        search = ClientSearch(
            question=self,
            about=about,
            by=by,
            model=_with_carrier(model, self.ordering, by),
            shown=model,
            ordering=self.ordering,
            limits=self.limits,
            options=_options(self.options),
            mapping=self.mapping or (_COMPILED_AS if model.plan is None else None),
        )
        return search.answer(size)


def _rounded_text(number: int) -> str:
    """A large number in readable form."""
    return str(number) if number < _MANY else f"about 10^{int(number.bit_length() * math.log10(2))}"


def _options(options: Options) -> Options:
    return replace(options, coherence=Coherence.OBSERVED, stops_early=False)


def _with_carrier(model: Model, ordering: Ordering, engine: str) -> Model:
    """The model extended by the carrier of messages."""
    require_meaning(ordering, model.name)
    if ordering is Ordering.REAL_TIME and model.name == "x86-tso":
        if engine == STATES:
            message = f"the engine {STATES} has no clock beside the store buffers of {model.name}"
            raise refusal("W1352", message, help=f"--engine {GRAPHS}")
        return load_model(CLOCKED)
    return model
