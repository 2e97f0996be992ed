"""The page docs/reference/matrix.md: which engine answers what, and what its answers may claim.

It is made from what languages, models and engines declare. A test compares;
`pytest tests/unit/test_matrix.py --update-golden` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar import plugins
from membar.engines import Engine, SystemEngine
from membar.languages import Frontend, ObjectFrontend
from membar.languages.registry import every_frontend, load_model
from membar.models.load import names as model_names
from membar.program.operations import ASSERTIONS, ERRORS
from membar.properties import ASSERTED, PROPERTIES


def page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    engines = [_engine(name) for name in plugins.names("membar.engines")]
    models = [load_model(name) for name in model_names()]
    yield "# What each engine answers"
    yield ""
    yield "Generated from what languages, models and engines declare."
    yield ""
    yield (
        "Without `--engine`, membar chooses: `buffers` with `--buffers unbounded`; `states` with"
        " `--buffers N`, for models without axioms (`cam`), and, under models that are also store-buffer"
        " machines (`sc`, `x86-tso`, `pso`), for questions about states on the way (LTL, error states) and"
        " for steps with several accesses; `cubes` for Cubicle and `--threads any`; `objects` for"
        " linearizability; otherwise `graphs`."
    )
    yield ""
    yield "| engine | languages | models | HOLDS means | VIOLATED means |"
    yield "| --- | --- | --- | --- | --- |"
    for engine in engines:
        fitting = [model.name for model in models if engine.can.models(model)]
        shown = "all" if len(fitting) == len(models) else ", ".join(fitting)
        languages = ", ".join(_languages(engine))
        yield f"| `{engine.name}` | {languages} | {shown} | {engine.can.holds} | {engine.can.violated} |"
    yield (
        "| `objects` | objects, annotated C"
        " | proofs: sc, x86-tso, xc, armv8; clients: as `graphs` or `states`"
        " | for proofs: all obligations are discharged; for clients: never, HOLDS WITHIN their size"
        " | the history of a client is not linearizable |"
    )
    yield ""
    yield (
        "Where a bound truncated the search, the answer is HOLDS WITHIN that bound;"
        " where the engine left something out for another reason, UNKNOWN."
    )
    yield ""
    yield f"| property | {' | '.join(f'`{engine.name}`' for engine in engines)} |"
    yield f"| --- |{' --- |' * len(engines)}"
    for name in PROPERTIES:
        cells = [_looks_for(engine, name) for engine in engines]
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""
    yield (
        "If an engine cannot check a property of a program, its answer says so."
        " `graphs` checks error states of one process (XCFA) and of final states;"
        " others are states of the whole program, which executions do not show."
        " An engine that checks `claims` also checks `acceptance` and `progress` (labels of Promela);"
        " `objects` checks `linearizability`."
    )


def _engine(name: str) -> Engine | SystemEngine:
    found = plugins.record("membar.engines", name, attribute="ENGINE")
    assert isinstance(found, Engine | SystemEngine)
    return found


def _languages(engine: Engine | SystemEngine) -> list[str]:
    found = every_frontend()
    if isinstance(engine, Engine):
        return [each.name for each in found if isinstance(each, Frontend)]
    systems = [each.name for each in found if not isinstance(each, Frontend | ObjectFrontend)]
    return [*systems, "C with `--threads any`"] if engine.name == "cubes" else systems


def _looks_for(engine: Engine | SystemEngine, name: str) -> str:
    properties = engine.can.properties
    if name in properties:
        return "yes"
    if name in ASSERTED and ASSERTIONS in properties:
        return "in part" if name == ERRORS else "yes"
    return ""
