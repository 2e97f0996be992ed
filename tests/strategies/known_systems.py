"""Small systems whose answers are known by hand, each the witness of some construct.

Each has the smallest number of processes that reaches the unsafe states, or None if it is safe.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """A text and its answer."""

    name: str
    breaks_with: int | None
    text: str


_POINTS = "type loc = A | B | C\narray P[proc] : loc\n"
_BOTH = "unsafe (p q) { P[p] = C && P[q] = C }\n"

_LOCK = f"""{_POINTS}var L : bool
init (p) {{ P[p] = A && L = False }}
{_BOTH}transition take (p) requires {{ P[p] = A && L = False }} {{ P[p] := C; L := True }}
transition give (p) requires {{ P[p] = C }} {{ P[p] := A; L := False }}
"""
_FLAGS = f"""{_POINTS}weak array F[proc] : bool
init (p) {{ P[p] = A && F[p] = False }}
{_BOTH}transition ask ([p]) requires {{ P[p] = A }} {{ P[p] := B; F[p] := True }}
transition enter ([p]) requires {{ P[p] = B && GUARD && forall_other q. F[q] = False }} {{ P[p] := C }}
transition leave ([p]) requires {{ P[p] = C }} {{ P[p] := A; F[p] := False }}
"""
_PASSING = """type loc = A | B | C | D
array P[proc] : loc
weak var X : bool
weak var Y : bool
init (p) { P[p] = A && X = False && Y = False }
unsafe (p q) { P[p] = D }
transition first ([p]) requires { P[p] = A } { P[p] := B; X := True }
transition second ([p]) requires { P[p] = B } { P[p] := C; Y := True }
transition look ([p]) requires { P[p] = A && Y = True } { P[p] := C }
transition again ([p]) requires { P[p] = C && X = False } { P[p] := D }
"""
_COHERENCE = """type loc = A | B | C
array P[proc] : loc
weak var X : bool
init (p) { P[p] = A && X = False }
unsafe (p) { P[p] = C }
transition write ([p]) requires { P[p] = A } { P[p] := B; X := True }
transition read ([p]) requires { P[p] = B && X = False } { P[p] := C }
"""
_ATOMIC = f"""{_POINTS}weak var L : bool
init (p) {{ P[p] = A && L = False }}
{_BOTH}transition take ([p]) requires {{ P[p] = A && L = False }} {{ P[p] := C; L := True }}
transition give ([p]) requires {{ P[p] = C }} {{ P[p] := A; L := False }}
"""
_SPLIT = f"""{_POINTS}weak var L : bool
init (p) {{ P[p] = A && L = False }}
{_BOTH}transition look ([p]) requires {{ P[p] = A && L = False }} {{ P[p] := B }}
transition take ([p]) requires {{ P[p] = B }} {{ P[p] := C; L := True }}
"""
_VIEWS = """array R[proc] : bool
weak var X : bool
init (p) { R[p] = False && X = False }
unsafe (p q) { p@X = True && q@X = False && DONE }
transition write ([p]) requires { R[p] = False } { R[p] := True; X := True }
"""
_THIRD = """array R[proc] : bool
weak var X : bool
init (p) { R[p] = False && X = False }
unsafe (p q r) { R[p] = False && R[q] = False && p@X = True && q@X = True }
transition write ([p]) requires { R[p] = False } { R[p] := True; X := True }
"""
_TURN = f"""{_POINTS}var T : proc
init (p) {{ P[p] = A }}
{_BOTH}transition enter (p) requires {{ P[p] = A && T = p }} {{ P[p] := C }}
transition leave (p) requires {{ P[p] = C }} {{ P[p] := A; T := ? }}
"""
_ORDER = f"""{_POINTS}init (p) {{ P[p] = A }}
{_BOTH}transition try (p) requires {{ P[p] = A && forall_other q. (p < q || P[q] = A) }} {{ P[p] := C }}
"""
_THREE = f"""{_POINTS}init (p) {{ P[p] = A }}
unsafe (p q r) {{ P[p] = B && P[q] = B && P[r] = B }}
transition t (p) requires {{ P[p] = A }} {{ P[p] := B }}
"""
_OTHERS = f"""{_POINTS}init (p) {{ P[p] = A }}
unsafe (p) {{ P[p] = C }}
transition t (p) requires {{ P[p] = A && exists_other q. P[q] <> C }} {{ P[p] := B }}
transition u (p) requires {{ P[p] = B && (exists q. P[q] = B) && forall_other q. P[q] = B }} {{ P[p] := C }}
"""
_CASES = f"""{_POINTS}init (p) {{ P[p] = A }}
{_BOTH}transition t (p) requires {{ P[p] = A }}
{{ P[k] := case | k = p : C | P[k] = C : A | P[k] = C || P[k] = B : C | _ : P[k] }}
"""
_COUNT = """var X : int
var Y : int
init () { X = 0 && Y = 0 }
unsafe () { X > Y }
unsafe () { 3 <= X && X + 1 < Y }
transition up () requires { X < 3 } { X := X + 1; Y := X + 1 }
"""
_PICK = f"""{_POINTS}const Boss[proc] : bool
init (p) {{ P[p] = A }}
invariant (p q) {{ Boss[p] = True && Boss[q] = True }}
{_BOTH}transition t (p) requires {{ P[p] = A && Boss[p] = True }} {{ P[p] := C }}
"""
_FIXED = """number_procs 2
array P[proc] : bool
var T : proc
init () { P[#1] = False && P[#2] = False && T = #1 }
unsafe () { P[#1] = True && P[#2] = True && T = #1 }
transition t (p) requires { T = p } { P[p] := True; T := #2 }
transition u (p q) requires { p = #2 && T = p && P[q] = True } { T := BACK }
"""
_ERRATUM = """type loc = A | B | C | D | E
array P[proc] : loc
weak var X : bool
weak var Y : bool
init (p) { P[p] = A && X = False && Y = False }
unsafe (p) { P[p] = D }
transition x ([p]) requires { P[p] = A } { P[p] := B; X := True }
transition y ([p]) requires { P[p] = B } { P[p] := E; Y := True }
transition look ([p]) requires { P[p] = A && Y = True } { P[p] := C }
transition seen ([p]) requires { P[p] = C && X = True } { P[p] := D }
"""

_EVERYBODY = f"""{_POINTS}init (p) {{ P[p] = A }}
unsafe (p) {{ P[p] = C }}
transition t (p) requires {{ P[p] = A && forall q. P[q] = B }} {{ P[p] := C }}
"""
_DOWN = """var X : int
init () { X = 0 }
unsafe () { 0 < X }
transition down () { X := X - 1 }
"""
_NEWEST = """type loc = A | B | C | D
array P[proc] : loc
weak array F[proc] : bool
init (p) { P[p] = A && F[p] = False }
unsafe (p) { P[p] = D }
transition first ([p]) requires { P[p] = A } { P[p] := B; F[p] := True }
transition second ([p]) requires { P[p] = B } { P[p] := C; F[p] := False }
transition read ([p]) requires { P[p] = C && F[p] = True } { P[p] := D }
"""
_INSTANT = _THIRD.replace("q@X = True", "q@X = False")
_STAYS = """array P[proc] : bool
weak array F[proc] : bool
init (p) { P[p] = False && F[p] = True }
unsafe (p) { P[p] = True }
transition t ([p]) { P[p] := True; F[k] := case | k = p && F[k] = False : True }
"""

_NUMBERS = """array N[proc] : int
init (p) { N[p] = 1 }
unsafe (p q) { N[p] = 1 && N[q] = 0 }
transition again (p) requires { N[p] <= 0 } { N[p] := 1 }
"""

SYSTEMS = (
    Known("lock", None, _LOCK),
    Known("lock that is not taken", 2, _LOCK.replace("C; L := True", "C; L := False")),
    Known("flags", 2, _FLAGS.replace("GUARD", "true")),
    Known("flags with a fence", None, _FLAGS.replace("GUARD", "fence()")),
    Known("message passing", None, _PASSING),
    Known("message passing the other way", 2, _PASSING.replace("B; X :=", "B; Y :=").replace("C; Y", "C; X")),
    Known("own writes are seen", None, _COHERENCE),
    Known("test and set", None, _ATOMIC),
    Known("test, then set", 2, _SPLIT),
    Known("views differ", 2, _VIEWS.replace("DONE", "true")),
    Known("views of a third", 3, _THIRD),
    Known("turn", None, _TURN),
    Known("turn without its owner", 2, _TURN.replace("&& T = p ", "")),
    Known("order", 2, _ORDER),
    Known("order of all", None, _ORDER.replace("p < q || ", "")),
    Known("three", 3, _THREE),
    Known("others", 2, _OTHERS),
    Known("cases", None, _CASES),
    Known("cases in another order", 2, _CASES.replace("| P[k] = C : A ", "")),
    Known("counting", None, _COUNT),
    Known("counting too far", 1, _COUNT.replace("Y := X + 1", "Y := X")),
    Known("one boss", None, _PICK),
    Known("two bosses", 2, _PICK.replace("invariant (p q) { Boss[p] = True && Boss[q] = True }\n", "")),
    Known("fixed", None, _FIXED.replace("BACK", "#2")),
    Known("fixed, and back", 2, _FIXED.replace("BACK }", "#1; P[p] := True }")),
    Known("everybody", None, _EVERYBODY),
    Known("counting down", None, _DOWN),
    Known("the newest own write", None, _NEWEST),
    Known("views at one instant", None, _INSTANT),
    Known("a cell that stays", 1, _STAYS),
    Known("a number each", None, _NUMBERS),
    Known("erratum: pending reads of another location", 2, _ERRATUM),
)  # fmt: skip
