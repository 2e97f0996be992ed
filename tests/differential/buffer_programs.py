"""Programs for the searches with store buffers, each by the mistake that would change what is found."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Store buffering; what stands between the store and the load decides.
_DUEL = """program duel
memory x : i32  memory y : i32  memory w : i32  memory s : i32
thread P0 {{
  0 -> 1: store [&x] := 1
  1 -> 2: {between}
  2 -> 3: t := load [&y]; wait t == 0
  3 -> 4: t := load [&w]; wait t == 1
  4 -> 5: assert 0 }}
thread P1 {{
  0 -> 1: store [&y] := 1
  1 -> 2: {other}
  2 -> 3: t := load [&x]; wait t == 0
  3 -> 4: store [&w] := 1 }}
"""
_EXCHANGE = "t := rmw [&s] := 1 read {X} write {X} failed {X}"

FENCED = _DUEL.format(between="fence {MFENCE}", other="fence {MFENCE}")
ONE_SYNC = _DUEL.format(between="t := 0", other='fence {"FLUSH-ALL"}')
LOCKED = _DUEL.format(between=_EXCHANGE, other=_EXCHANGE)

OWN_STORE = """program own
memory x : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: t := load [&x]; wait t == 0
  2 -> 3: assert 0 }
thread P1 { 0 -> 1: t := load [&x] }
"""
TWO_STORES = """program two
memory x : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: store [&x] := 2
  2 -> 3: t := load [&x]; wait t == 1
  3 -> 4: assert 0 }
"""
# Behind the loop the newest store is 1 or 0, and stays what it is.
LOAD_TWICE = """program twice
memory x : i32
thread P0 {
  0 -> 0: store [&x] := 1
  0 -> 0: store [&x] := 0
  0 -> 1: store [&y] := 1
  1 -> 2: t := load [&x]; wait t == 1
  2 -> 3: t := load [&x]; wait t == 0
  3 -> 4: assert 0 }
memory y : i32
"""
# Behind the loop there may be nothing of x in the buffer; P1 sees that z still was.
MAYBE_EMPTY = """program empty
memory x : i32  memory z : i32  memory v : i32  memory h : i32
thread P0 {
  0 -> 0: store [&x] := 1
  0 -> 1: store [&z] := 1
  1 -> 2: t := load [&x]; wait t == 0
  2 -> 3: t := load [&v]; wait t == 0
  3 -> 4: t := load [&h]; wait t == 1
  4 -> 5: assert 0 }
thread P1 {
  0 -> 1: store [&v] := 1
  1 -> 2: fence {MFENCE}
  2 -> 3: t := load [&z]; wait t == 0
  3 -> 4: store [&h] := 1 }
"""
# P1 sees x = 1 twice after P0 has left its loop: two stores waited in the buffer.
TWICE_BEHIND = """program behind
memory x : i32  memory g : i32  memory h : i32
thread P0 {
  0 -> 0: store [&x] := 1
  0 -> 1: t := load [&g]; wait t == 0
  1 -> 2: t := load [&h]; wait t == 1
  2 -> 3: assert 0 }
thread P1 {
  0 -> 1: store [&g] := 1
  1 -> 2: fence {MFENCE}
  2 -> 3: t := load [&x]; wait t == 0
  3 -> 4: t := load [&x]; wait t == 1
  4 -> 5: store [&x] := 0
  5 -> 6: fence {MFENCE}
  6 -> 7: t := load [&x]; wait t == 1
  7 -> 8: store [&h] := 1 }
"""
# The loop can be taken once only: its own store of x stops it.
ONCE = """program once
memory x : i32  memory y : i32
thread P0 {
  0 -> 1: t := load [&x]; wait t == 0
  1 -> 2: store [&y] := 1
  2 -> 3: store [&x] := 1
  3 -> 0: store [&y] := 0 }
thread P1 {
  0 -> 1: t := load [&y]; wait t == 1
  1 -> 2: t := load [&y]; wait t == 0
  2 -> 3: t := load [&y]; wait t == 1
  3 -> 4: assert 0 }
"""
# x* y*, not (x | y)*: the first loop was left.
LEFT_LOOP = """program left
memory x : i32  memory y : i32
thread P0 {
  0 -> 0: store [&x] := 1
  0 -> 1
  1 -> 1: store [&y] := 1 }
thread P1 {
  0 -> 1: t := load [&y]; wait t == 1
  1 -> 2: t := load [&x]; wait t == 0
  2 -> 3: t := load [&x]; wait t == 1
  3 -> 4: assert 0 }
"""
# The loop needs memory to change in the middle, which happens once.
CHANGED = """program changed
memory g : i32  memory y : i32
thread P0 {
  0 -> 1: t := load [&g]; wait t == 0
  1 -> 2: store [&y] := 1
  2 -> 0: t := load [&g]; wait t == 1 }
thread P1 {
  0 -> 1: store [&g] := 1
  1 -> 2: t := load [&y]; wait t == 1
  2 -> 3: store [&y] := 0
  3 -> 4: fence {MFENCE}
  4 -> 5: t := load [&y]; wait t == 1
  5 -> 6: assert 0 }
"""
# With the empty content P1 is stuck; with others there is still something to commit.
STUCK_WHEN_EMPTY = """program stuck
memory x : i32
thread P0 {
  0 -> 0: store [&x] := 1
  0 -> 1 }
thread P1 { 0 -> 1: t := load [&x]; wait t == 2 }
"""
ENDS = """program finished
memory x : i32
thread P0 { 0 -> 1: store [&x] := 1 }
exists x = 0
"""
# Backwards, y = 0 must have been on its way to P0 before both stores of x.
OLDER_OWN = """program older
memory x : i32  memory y : i32  memory w : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: store [&x] := 2
  2 -> 3: t := load [&y]; wait t == 0
  3 -> 4: t := load [&w]; wait t == 1
  4 -> 5: assert 0 }
thread P1 {
  0 -> 1: store [&y] := 1
  1 -> 2: fence {MFENCE}
  2 -> 3: t := load [&x]; wait t == 0
  3 -> 4: store [&w] := 1 }
"""
# P0 sees its own x behind another store; P1 sees that both wait.
FORWARDED = """program forwarded
memory x : i32  memory y : i32  memory z : i32  memory w : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: store [&y] := 1
  2 -> 3: t := load [&x]; wait t == 1
  3 -> 4: t := load [&z]; wait t == 0
  4 -> 5: t := load [&w]; wait t == 1
  5 -> 6: assert 0 }
thread P1 {
  0 -> 1: store [&z] := 1
  1 -> 2: fence {MFENCE}
  2 -> 3: t := load [&x]; wait t == 0
  3 -> 4: store [&w] := 1 }
"""

# Each mistake by the beginning of what it is called, with a text that shows it …
BY_TEXT: Mapping[str, str] = MappingProxyType(
    {
        "a fence does nothing": FENCED,
        "a fence of all buffers": ONE_SYNC,
        "a locked instruction": LOCKED,
        "a load looks at memory only": OWN_STORE,
        "a load does not restrict": LOAD_TWICE,
        "a load with something": MAYBE_EMPTY,
        "a load looks for its location at the very end": FORWARDED,
        "a commit forgets": TWICE_BEHIND,
        "a state is covered by smaller ones": TWICE_BEHIND,
        "a cycle is accelerated whatever": ONCE,
        "a cycle is joined": LEFT_LOOP,
        "a cycle is accelerated although memory": CHANGED,
        "a deadlock is not seen": STUCK_WHEN_EMPTY,
        "a final state is seen": ENDS,
        "backwards, a write never stands": OLDER_OWN,
        "backwards, a read takes the newest": FORWARDED,
        "backwards, a fence": FENCED,
        "backwards, a read does not": OWN_STORE,
    }
)
# … or the seed of a random program that does.
BY_SEED: Mapping[str, int] = MappingProxyType(
    {
        "a commit leaves its entry": 7001,
        "only one of several": 7016,
        "a store overtakes": 7015,
        "a state is covered if its first": 7001,
        "a cycle is accelerated although a thread": 7006,
        "a transition sleeps on": 7001,
        "independence asks": 7001,
        "a deadlock is seen although": 7001,
        "backwards, own messages": 7001,
        "backwards, no own message": 7001,
        "backwards, a message may carry": 7008,
        "backwards, a write leaves": 7003,
    }
)

# Store buffering with atomic writes, which wait for the own buffer, or for all.
_ATOMIC = """program writes
memory x : i32  memory y : i32
thread P0 {{
  0 -> 1: store [&x] := 1 {own}
  1 -> 2: a := load [&y] }}
thread P1 {{
  0 -> 1: store [&y] := 1 {{{other}}}
  1 -> 2: b := load [&x] }}
~exists 0:a = 0 /\\ 1:b = 0
"""
# P1 leaves y alone as long as P0 is at its committed point.
_HELD_UP = """program up
memory y : i32
thread P0 {
  committed 1
  0 -> 1: a := load [&y]
  1 -> 2: b := load [&y] }
thread P1 { 0 -> 1: t := rmw [&y] := 1 read {X} write {X} failed {X} }
~exists 0:a = 0 /\\ 0:b = 1
"""
_MAY_WAIT = """program wait_for_ever
memory y : i32
thread P0 {
  ends 0
  0 -> 1: t := load [&y]; wait t == 1 }
"""
_MEETING = """program meeting
channel c : 0 of 1
thread P0 { 0 -> 1: send c(1) }
thread P1 {
  0 -> 1: receive c(t)
  1 -> 2: assert t == 0 }
"""
_MESSAGE = """program message
memory x : i32  memory y : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: fence {SFENCE}
  2 -> 3: store [&y] := 1 }
thread P1 {
  0 -> 1: t := load [&y]; wait t == 1
  1 -> 2: t := load [&x]
  2 -> 3: assert t == 1 }
"""
_BIRTH = """program birth
memory x : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: spawn P1 }
thread P1 spawned {
  0 -> 1: t := load [&x]
  1 -> 2: assert t == 1 }
"""
# Four stores in one step do not fit into a buffer of three.
LARGE_STEP = """program large
memory x : i32
thread P0 {
  0 -> 1: store [&x] := 1; store [&x] := 2; store [&x] := 3; store [&x] := 4
  1 -> 2: wait 1 }
"""
# x and y are never 1 together, but one after the other.
TWO_LOADS = """program loads
memory x : i32  memory y : i32
thread P0 {
  0 -> 1: store [&x] := 1 {ATOMIC}
  1 -> 2: store [&x] := 0 {ATOMIC}
  2 -> 3: store [&y] := 1 {ATOMIC} }
thread P1 {
  0 -> 1: a := load [&x]; b := load [&y]; assert (a & b) == 0 }
"""

# Mistakes that show otherwise than in all searches under x86-tso: the model and the program.
BY_MODEL: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "an atomic write waits in the buffer": ("x86-tso", _ATOMIC.format(own="{ATOMIC}", other="ATOMIC")),
        "an atomic write that waits for all": ("x86-tso", _ATOMIC.format(own="", other='"ATOMIC-ALL"')),
        "a committed control point": ("x86-tso", _HELD_UP),
        "a deadlock is seen where threads may": ("x86-tso", _MAY_WAIT),
        "backwards, a rendezvous": ("x86-tso", _MEETING),
        "backwards, steps of several": ("x86-tso", TWO_LOADS),
        "a fence of stores does nothing": ("pso", _MESSAGE),
        "stores pass the mark": ("pso", _MESSAGE),
        "a thread begins before": ("pso", _BIRTH),
    }
)
