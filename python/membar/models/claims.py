"""The claims of a model: read from the file beside it, and rejected if they cannot be true.

    # what x86-tso says about itself
    kind: processor
    search: exactly-once

One line per claim. Claims decide which search is complete for the model, so a wrong one causes wrong answers:
keys, values and names are checked here, and claims against each other, against the plan, and against a few
small executions (`models/probes.py`). `membar models test` refutes others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from membar.diagnostics import Diagnostic, InputError, Label, close_matches
from membar.models import probes
from membar.models.mappings import MAPPINGS, CompilerMapping
from membar.models.model import (
    ANY_TAGS,
    ATOMICS_APART,
    DEPENDENCY_AWARE,
    EXACTLY_ONCE,
    FENCES_ALIKE,
    FORESHADOWED,
    GENERAL,
    HIDDEN,
    LANGUAGE,
    OWN_TAGS,
    PROCESSOR,
    Claims,
    Operational,
)
from membar.models.model_files import CLAIMS
from membar.models.plan import CheckMode, Plan, Sort, Stage
from membar.records import record
from membar.source import SourceFile, Span


@record(frozen=True, slots=True, kw_only=True)
class _Key:
    """The possible values of one key.

    Attributes:
        field: the field of `Claims` that it fills.
        values: what each word means; None if it is the name of a relation of the model.
        several: whether there may be several words.
        trusted: engines rely on it, so only shipped models, whose claims are tested, may make it.
    """

    field: str
    values: Mapping[str, Any] | None = None
    several: bool = False
    trusted: bool = True


def _words(*words: str) -> Mapping[str, str]:
    return {word: word for word in words}


KEYS: Final[Mapping[str, _Key]] = MappingProxyType(
    {
        "kind": _Key(field="kind", values=_words(PROCESSOR, LANGUAGE), trusted=False),
        "tags": _Key(field="tags", values=_words(OWN_TAGS, ANY_TAGS, FENCES_ALIKE), trusted=False),
        "mapping": _Key(field="mapping", values=_words(*MAPPINGS), trusted=False),
        "right-mappings": _Key(field="right_mappings", values=_words(*MAPPINGS), several=True),
        "search": _Key(field="search", values=_words(GENERAL, EXACTLY_ONCE, DEPENDENCY_AWARE)),
        "thread-order": _Key(field="thread_order"),
        "load-buffering": _Key(field="load_buffering"),
        "settled-order": _Key(field="settled_order"),
        "buffered-loads": _Key(field="buffered_loads", values=_words(HIDDEN, FORESHADOWED, ATOMICS_APART)),
        "write-backs": _Key(field="ignores_write_backs", values={"visible": False, "invisible": True}),
        "order": _Key(field="global_order", values={"local": False, "global": True}),
        "fair": _Key(field="fair", values={"no": False, "yes": True}),
        "self-justifying-values": _Key(field="may_guess", values={"possible": True, "impossible": False}),
        "store-buffers": _Key(
            field="store_buffers",
            values={word.value: word for word in Operational if word is not Operational.CAM},
        ),
        "sc-executions": _Key(
            field="allows_sc", values={"allowed": True, "restricted": False}, trusted=False
        ),
        "coherence": _Key(field="is_coherent", values={"kept": True, "broken": False}, trusted=False),
        "atomicity": _Key(field="is_atomic", values={"kept": True, "broken": False}, trusted=False),
    }
)

_LINE = re.compile(r"[ \t]*(?P<key>[^:#\s][^:#\n]*?)[ \t]*:[ \t]*(?P<value>[^#\n]*?)[ \t\r]*(?:#.*)?$")
_OLD = re.compile(
    r"^(?P<key>Tags|Language model|Exploration|Order|Load buffering|Buffered loads|Write-backs|Thread order"
    r"|Mapping):\s*(?P<value>[\w-]+)\s*\.?$",
    re.MULTILINE | re.IGNORECASE,
)


@record(frozen=True, slots=True)
class _Claim:
    """One line of the file."""

    key: str
    words: tuple[str, ...]
    at_key: Span
    at_value: Span


def read_claims(source: SourceFile) -> tuple[_Claim, ...]:
    """The claims in a file, with known keys and values.

    Raises:
        InputError: every line that is no claim, or an unknown or repeated one.
    """
    found: dict[str, _Claim] = {}
    problems: list[Diagnostic] = []
    for claim in _lines(source, problems):
        if claim.key in found:
            problems.append(_problem(f"`{claim.key}` is claimed twice", claim.at_key, "the second time"))
            continue
        found[claim.key] = claim
        problems += _about_words(claim)
    if problems:
        raise InputError(*problems)
    return tuple(found.values())


def _lines(source: SourceFile, problems: list[Diagnostic]) -> Iterator[_Claim]:
    start = 0
    for text in source.text.splitlines(keepends=True):
        line = text.rstrip("\r\n")
        matched = _LINE.match(line)
        if matched is not None:
            spans = [
                source.span(start + matched.start(group), start + matched.end(group))
                for group in ("key", "value")
            ]
            yield _Claim(matched["key"], tuple(matched["value"].split()), *spans)
        elif line.strip() and not line.lstrip().startswith("#"):
            here = source.span(start + len(line) - len(line.lstrip()), start + len(line))
            problems.append(_problem("this line is not a claim", here, "expected `key: value`"))
        start += len(text)


def _about_words(claim: _Claim) -> Iterator[Diagnostic]:
    """The error in one line by itself."""
    key = KEYS.get(claim.key)
    if key is None:
        similar = close_matches(claim.key.lower().replace(" ", "-"), KEYS, n=1)
        known = f"did you mean `{similar[0]}`?" if similar else f"known: {', '.join(KEYS)}"
        yield _problem(f"unknown claim `{claim.key}`", claim.at_key, "not a claim", known)
        return
    if not claim.words or (len(claim.words) > 1 and not key.several):
        yield _problem(f"`{claim.key}` takes one value", claim.at_value, _expected_value(key))
        return
    for word in claim.words:
        if key.values is not None and word not in key.values:
            similar = close_matches(word, key.values, n=1)
            advice = f"did you mean `{similar[0]}`?" if similar else None
            yield _problem(f"`{claim.key}` cannot be `{word}`", claim.at_value, _expected_value(key), advice)


def _expected_value(key: _Key) -> str:
    if key.values is None:
        return "expected the name of a relation of the model"
    return f"expected {' or '.join(f'`{word}`' for word in key.values)}"


def _problem(message: str, span: Span, expected: str, advice: str | None = None) -> Diagnostic:
    return Diagnostic(code="W0219", message=message, primary=Label(span, expected), help=advice)


def claims_of(
    source: SourceFile | None, plan: Plan, *, tags: Collection[str], language: str, is_trusted: bool
) -> Claims:
    """The claims of a model with this plan.

    Args:
        source: the file beside the model; None if there is none.
        plan: its axioms.
        tags: the tags that it gives a meaning to.
        language: what the header of its file begins with.
        is_trusted: whether it may make claims that engines believe.

    Raises:
        InputError: claims that it may not make, or that cannot be true.
    """
    if source is None:
        return Claims()
    lines = {claim.key: claim for claim in read_claims(source)}
    problems = (
        []
        if is_trusted
        else [_reserved_claim_error(claim) for claim in lines.values() if KEYS[claim.key].trusted]
    )
    if problems:
        raise InputError(*problems)
    claims = Claims(**{KEYS[key].field: _value(claim) for key, claim in lines.items()})
    refuted: dict[str, str] = {}
    for key, reason in _refutations(claims, plan, tags=tags, language=language):
        refuted.setdefault(key, reason)
    if refuted:
        whole = source.span(0, min(1, len(source.text)))
        raise InputError(
            *(
                Diagnostic(
                    code="W0221",
                    message=f"a false claim: {text}",
                    primary=Label(lines[key].at_value if key in lines else whole, "refuted"),
                )
                for key, text in refuted.items()
            )
        )
    return claims


def _value(claim: _Claim) -> Any:  # noqa: ANN401 - as many types as claims
    key = KEYS[claim.key]
    values = tuple(word if key.values is None else key.values[word] for word in claim.words)
    return values if key.several else values[0]


def _reserved_claim_error(claim: _Claim) -> Diagnostic:
    return Diagnostic(
        code="W0220",
        message=f"your own model may not claim `{claim.key}`: engines would rely on it untested",
        primary=Label(claim.at_key, "only shipped models, whose claims are tested, may claim this"),
        help="remove the line: membar makes the safest assumption. `membar models test FILE.cat` tests such"
        " claims before a model is added to membar",
    )


def _refutations(
    claims: Claims, plan: Plan, *, tags: Collection[str], language: str
) -> Iterator[tuple[str, str]]:
    """Keys of claims that cannot be true, each with the reason."""
    yield from _contradictions(claims)
    yield from _against_plan(claims, plan, tags=tags, language=language)
    yield from probes.refutations(claims, plan, tags=tags)


def _contradictions(claims: Claims) -> Iterator[tuple[str, str]]:
    """Claims that do not go together."""
    is_aware = claims.search == DEPENDENCY_AWARE
    if is_aware and not claims.thread_order:
        yield "search", "the dependency-aware search needs a `thread-order`"
    if claims.thread_order and not is_aware:
        yield "thread-order", "only `search: dependency-aware` uses it"
    if claims.load_buffering and claims.search == EXACTLY_ONCE:
        yield "load-buffering", "under `search: exactly-once` no loads are buffered"
    if claims.buffered_loads != HIDDEN and not claims.load_buffering:
        yield "buffered-loads", "needs a relation `load-buffering`"
    if claims.global_order and claims.search != EXACTLY_ONCE:
        yield "order", "a global order has no cycles of po and rf: claim `search: exactly-once` too"
    if claims.kind == LANGUAGE and claims.mapping:
        yield "mapping", "a language model needs no compiler mapping"
    if claims.right_mappings and claims.mapping not in claims.right_mappings:
        yield "right-mappings", "they must include the `mapping` itself"
    if claims.store_buffers is not None and claims.search != EXACTLY_ONCE:
        yield (
            "store-buffers",
            "machines with store buffers do not buffer loads: claim `search: exactly-once` too",
        )


def _against_plan(
    claims: Claims, plan: Plan, *, tags: Collection[str], language: str
) -> Iterator[tuple[str, str]]:
    """Claims that the text of the model refutes."""
    names = dict(plan.names)
    local = (("thread-order", claims.thread_order), ("load-buffering", claims.load_buffering))
    for key, name in (*local, ("settled-order", claims.settled_order)):
        if not name:
            continue
        slot = plan.instructions[names[name]] if name in names else None
        if slot is None:
            similar = close_matches(name, names, n=1)
            yield (
                key,
                f"the model defines no `{name}`" + (f"; did you mean `{similar[0]}`?" if similar else ""),
            )
        elif slot.sort is not Sort.RELATION:
            yield key, f"`{name}` is a set, and a relation is needed"
        elif slot.stage is Stage.COHERENCE and (key, name) in local:
            yield key, f"`{name}` depends on coherence, which is not local to a thread"
    if claims.kind == PROCESSOR and _says_language(plan, language):
        yield "kind", "its header says C, or it has `undefined_unless`: this is a language model"
    for key, tables in (("mapping", (claims.mapping,)), ("right-mappings", claims.right_mappings)):
        for table in filter(None, tables):
            unknown = sorted(_fences_of(MAPPINGS[table]) - set(tags))
            if unknown and not claims.any_tags:
                yield key, f"`{table}` generates {', '.join(unknown)}, which the model does not define"


def _says_language(plan: Plan, language: str) -> bool:
    return language == "C" or any(check.mode is CheckMode.UNDEFINED_UNLESS for check in plan.checks)


def is_language(claims: Claims, plan: Plan, language: str) -> bool:
    """Whether plain accesses can race under a model: it says so, or its header or a check does."""
    return claims.kind == LANGUAGE or _says_language(plan, language)


def _fences_of(mapping: CompilerMapping) -> set[str]:
    """The words of the fences that a mapping makes."""
    tables = (mapping.loads, mapping.stores, mapping.rmws, mapping.fences)
    return {tag for table in tables for code in table.values() for tag in (*code.before, *code.after)}


def claims_in_comment(documentation: str) -> tuple[str, ...]:
    """Notes about lines of a head comment that look like claims: they are text, and have no effect."""
    return tuple(
        f"`{matched.group()}` in the head comment has no effect: claims belong in a file `{CLAIMS}` beside"
        " the model"
        for matched in _OLD.finditer(documentation)
    )
