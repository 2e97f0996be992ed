"""What the answer around a witness says of it, read back from JSON."""

from __future__ import annotations

from collections import Counter

from membar.properties import EVERY
from membar.questions.outcome import WORDS, Verdict
from membar.records import record
from membar.reports._parts.fields import Field


@record(frozen=True, slots=True)
class SavedFinding:
    """What an answer says about one property."""

    property: str
    verdict: Verdict
    is_warning: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Claim:
    """What an answer says.

    Attributes:
        file: the file that was asked about.
        verdict: one of the outcome words; `explored` where nothing was asked.
        property: the violated property, or those that hold.
        model: under which model.
        outcomes: the final states found, if the answer lists them.
        findings: the verdict of each property.
        unchecked: the properties without an answer.
        counts: how many executions satisfy the condition, and how many do not, if the answer says so.
    """

    file: str
    verdict: str
    property: str = ""
    model: str = ""
    outcomes: frozenset[frozenset[tuple[str, int | str]]] | None = None
    findings: tuple[SavedFinding, ...] = ()
    unchecked: tuple[str, ...] = ()
    counts: tuple[int, int] | None = None

    def inconsistency(self) -> str | None:
        """Where the findings contradict the rest of the answer, in words; None if they do not."""
        violated = [item.property for item in self.findings if item.verdict == "violated"]
        counted = [item for item in self.findings if not item.is_warning]
        if self.verdict == "violated":
            verdicts = {item.property: item.verdict.value for item in counted}
            if verdicts.get(self.property) != "violated":
                found = verdicts.get(self.property, "missing")
                return f"findings: {self.property} is {found}, but the answer says violated"
        else:
            wrong = next((item.property for item in counted if item.property in violated), None)
            if wrong is not None:
                return f"findings: {wrong} is violated, but the answer says {self.verdict}"
            answered = [item.property for item in counted if item.verdict.is_answer]
            answered = answered or [i.property for i in self.findings if i.verdict is Verdict.UNKNOWN]
            if self.property != ",".join(answered):
                return f"property: it is `{self.property}`, but the findings say `{','.join(answered)}`"
        unchecked = tuple(item.property for item in self.findings if not item.verdict.is_answer)
        if self.unchecked != unchecked:
            return f"unchecked: the findings say {', '.join(unchecked) or 'nothing'}"
        return None


_VERDICTS = tuple(WORDS.values())
# What an answer says of its search, which one execution cannot show: it is not checked again.
_OF_THE_SEARCH = frozenset(
    {"guarantee", "engine", "algorithm", "flags", "notes", "statistics", "counted", "executions"}
    | {"bound", "chosen_by_user", "reason", "order", "history", "obligation", "invariants"}
)
_OF_THE_WITNESS = frozenset(
    {"file", "verdict", "property", "model", "outcomes", "findings", "unchecked"}
    | {"positive", "negative", "witness"}
)


def check_keys(document: Field) -> None:
    """Makes sure that an answer has no fields that nobody would look at.

    Raises:
        InputError: it has one.
    """
    for name, field in document.entries():
        if name not in _OF_THE_SEARCH | _OF_THE_WITNESS:
            field.refuse_as_unknown()


def claim_of(document: Field) -> Claim:
    """What an answer says of its witness.

    Raises:
        InputError: a field is missing, or malformed.
    """
    verdict, outcomes = document.optional("verdict"), document.optional("outcomes")
    is_counted = document.optional("positive") or document.optional("negative")
    return Claim(
        file=document.key("file").text(),
        verdict=verdict.one_of(_VERDICTS, f"one of {', '.join(_VERDICTS)}") if verdict else "explored",
        property=document.key("property").text(),
        model=document.key("model").text(),
        outcomes=None if outcomes is None else _outcomes(outcomes),
        findings=_findings(document.key("findings")),
        unchecked=document.key("unchecked").tuple_of(Field.text),
        counts=(_count(document.key("positive")), _count(document.key("negative"))) if is_counted else None,
    )


def _findings(field: Field) -> tuple[SavedFinding, ...]:
    found = field.tuple_of(_finding)
    names = Counter(item.property for item in found)
    if names and max(names.values()) > 1:
        field.fail("one finding for each property")
    return found


def _finding(field: Field) -> SavedFinding:
    for name, part in field.entries():
        if name not in ("property", "verdict", "reason", "warning"):
            part.refuse_as_unknown()
    field.key("reason").text()
    warning = field.optional("warning")
    if warning is not None and warning.value is not True:
        warning.fail("true")
    verdict = field.key("verdict").one_of(list(Verdict), f"one of {', '.join(Verdict)}")
    name = field.key("property").one_of(EVERY, "a property of membar")
    return SavedFinding(name, Verdict(verdict), warning is not None)


def _count(field: Field) -> int:
    return field.integer() if field.integer() >= 0 else field.fail("a number of executions")


def _outcomes(field: Field) -> frozenset[frozenset[tuple[str, int | str]]]:
    found = field.tuple_of(_outcome)
    return frozenset(found) if len(set(found)) == len(found) else field.fail("final states that differ")


def _outcome(field: Field) -> frozenset[tuple[str, int | str]]:
    return frozenset((name, value.shown()) for name, value in field.entries())
