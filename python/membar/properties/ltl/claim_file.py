"""Files of claims: named propositions and formulas over them, in the notation of SPIN or of NuSMV.

    #define waiting (P.wait && x == 0)          DEFINE waiting := P.wait & x = 0;
    ltl answered { [] (waiting -> <> P.cs) }    LTLSPEC NAME answered := G (waiting -> F P.cs);

A file without any of these keywords is a single formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from membar.diagnostics import error
from membar.records import record
from membar.source import FileText, SourceFile

_CODE = "W0410"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|--[^\n]*|^[ \t]*#(?!define\b)[^\n]*", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"\b(?:ltl|DEFINE|LTLSPEC)\b|#define\b")
_MACRO = re.compile(r"#define[ \t]+(?P<name>\w+)(?P<call>\()?(?P<body>(?:\\\n|[^\n])*)")
_BLOCK = re.compile(r"ltl\s*(?P<name>\w*)\s*\{")
_DEFINED = re.compile(r"\s*(?P<name>\w+)\s*:=(?P<body>[^;]*);")
_SPECIFIED = re.compile(r"LTLSPEC\b(?:\s+NAME\s+(?P<name>\w+)\s*:=)?")
# A name, unless it is one inside a thread: `P.p`, `P@p`, `P:p`.
_NAME = re.compile(r"(?<![\w.@:])[A-Za-z_]\w*")


@record(frozen=True, slots=True)
class NamedFormula:
    """A formula as text; without a name of its own `name` is empty."""

    name: str
    text: str


def read_claims(text: str, *, path: str = "--ltl", formula: str | None = None) -> tuple[NamedFormula, ...]:
    """The claims of a text, with named propositions replaced by what they stand for.

    Args:
        text: what the file says.
        path: where it is from.
        formula: one more formula, which may use the propositions of the file.

    Raises:
        InputError: a part of the text is not one of the forms above.
    """
    plain = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    source = SourceFile(path, plain)
    if _WORD.search(plain) is None:
        found = [NamedFormula("", FileText.of(path, plain) if isinstance(text, FileText) else text)]
        return (*found, *([] if formula is None else [NamedFormula("", formula)]))
    propositions: dict[str, str] = {}
    claims = list(_items(source, propositions))
    if formula is not None:
        claims.append(NamedFormula("", formula))
    elif not claims:
        raise error(_CODE, "the file has no claim", source.span(0, 0), "expected `ltl name { … }`")
    return tuple(_expanded(claim, propositions, path) for claim in claims)


def claims_text(claims: tuple[NamedFormula, ...]) -> str:
    """Claims as text that `read_claims` reads; a single formula without a name is that formula."""
    if len(claims) == 1 and not claims[0].name:
        return claims[0].text
    return "\n".join(f"ltl {claim.name} {{ {' '.join(claim.text.split())} }}" for claim in claims)


def _items(source: SourceFile, propositions: dict[str, str]) -> Iterator[NamedFormula]:
    """The formulas of a file; its definitions go to `propositions`."""
    text, at = source.text, 0
    while at < len(text):
        if text[at].isspace() or text[at] == ";":
            at += 1
        elif (found := _MACRO.match(text, at)) is not None:
            if found["call"]:
                message = f"`{found['name']}` has parameters"
                raise error(_CODE, message, source.span(at, found.end()), "expected a name and a formula")
            propositions[found["name"]] = found["body"].replace("\\\n", " ").strip()
            at = found.end()
        elif (found := _BLOCK.match(text, at)) is not None:
            end = text.find("}", found.end())
            if end < 0:
                raise error(_CODE, "`ltl` without `}`", source.span(at, found.end()), "opened here")
            yield NamedFormula(found["name"], _part(source, found.end(), end))
            at = end + 1
        elif text.startswith("DEFINE", at):
            at += len("DEFINE")
            while (found := _DEFINED.match(text, at)) is not None:
                propositions[found["name"]] = " ".join(found["body"].split())
                at = found.end()
        elif (found := _SPECIFIED.match(text, at)) is not None:
            following = _WORD.search(text, found.end())
            semicolon = text.find(";", found.end())
            ends = (len(text) if following is None else following.start(), semicolon)
            end = min(place for place in ends if place >= 0)
            yield NamedFormula(found["name"] or "", _part(source, found.end(), end))
            at = end
        else:
            end = min(place for place in (text.find("\n", at), len(text)) if place >= 0)
            expected = "expected `#define`, `ltl`, `DEFINE` or `LTLSPEC`"
            raise error(_CODE, "neither a definition nor a claim", source.span(at, end), expected)


def _part(source: SourceFile, start: int, end: int) -> FileText:
    """A part of a file, padded with blanks, so that errors in it are located correctly."""
    before = re.sub(r"[^\n]", " ", source.text[:start])
    return FileText.of(source.path, before + source.text[start:end])


def _expanded(claim: NamedFormula, propositions: Mapping[str, str], path: str) -> NamedFormula:
    def expand(text: str, inside: frozenset[str]) -> str:
        def value(found: re.Match[str]) -> str:
            name = found.group()
            if name not in propositions or name in inside:
                return name
            return f"({expand(propositions[name], inside | {name})})"

        return _NAME.sub(value, text)

    whole = expand(claim.text, frozenset())
    if whole == claim.text:
        return claim
    return NamedFormula(claim.name, FileText.of(f"{path}: {claim.name or '--ltl'}", " ".join(whole.split())))
