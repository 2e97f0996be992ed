"""The colours of pictures, for light and dark paper.

They are those of the web page: relations stay apart for people who see no difference between red and green,
and lines differ in their dashes too. Contrast with the paper is at least 3.3 for lines and 5.2 for text.
"""

from __future__ import annotations

from typing import Final

from membar.records import record

THEMES: Final = ("light", "dark")
_DEPENDENCIES: Final = ("addr", "data", "ctrl", "pick-addr", "pick-data", "pick-ctrl")


@record(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours by what they mean.

    Attributes:
        paper: the background.
        panel: boxes of fences, and of what is folded.
        strip: the column of a thread.
        ink: text.
        faint: text beside it.
        frame: thin lines around things.
        line: borders of boxes.
        write: boxes of writes.
        bad: what fails, and what races.
        again: what repeats forever.
        po, rf, co, fr, depends: relations.
    """

    paper: str
    panel: str
    strip: str
    ink: str
    faint: str
    frame: str
    line: str
    write: str
    bad: str
    again: str
    po: str
    rf: str
    co: str
    fr: str
    depends: str

    def relation(self, name: str) -> str:
        """The colour of a relation; those that only a model names are as dark as text."""
        match name:
            case "po" | "spawn":
                return self.po
            case "rf" | "rfe" | "rfi":
                return self.rf
            case "co" | "coe" | "coi":
                return self.co
            case "fr" | "fre" | "fri":
                return self.fr
            case "amo" | "lxsx":
                return self.depends
            case _:
                return self.depends if name in _DEPENDENCIES else self.ink


LIGHT: Final = Palette(
    paper="#ffffff",
    panel="#f6f7f9",
    strip="#fafbfc",
    ink="#14181f",
    faint="#5f6875",
    frame="#dde1e7",
    line="#7f8897",
    write="#edf2fb",
    bad="#b3261e",
    again="#8a6400",
    po="#858e9c",
    rf="#00624b",
    co="#1d5fbf",
    fr="#c2410c",
    depends="#7a4f9e",
)
DARK: Final = Palette(
    paper="#14171c",
    panel="#1b1f26",
    strip="#181b21",
    ink="#eceff4",
    faint="#9aa4b2",
    frame="#303640",
    line="#6f7988",
    write="#1e2a3f",
    bad="#ff8a7a",
    again="#f4c93c",
    po="#7d8796",
    rf="#4fe0b8",
    co="#7fb0ff",
    fr="#ff9257",
    depends="#c9a2ee",
)
BY_NAME: Final = {"light": LIGHT, "dark": DARK}


def dash_pattern(relation: str) -> str:
    """How the line of a relation is broken; "": it is not."""
    match relation:
        case "co" | "coe" | "coi":
            return "9 4"
        case "fr" | "fre" | "fri":
            return "3.5 3.5"
        case _:
            return "1.5 3.5" if relation in _DEPENDENCIES else ""
