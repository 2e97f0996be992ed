"""What texts mean: numbers of states and transitions derived by hand, mostly where BEEM says nothing."""

from __future__ import annotations

import pytest

from membar.program.predicate import AtPoint
from membar.program.temporal import ForbiddenRuns
from membar.questions.outcome import Unknown, Violated
from unit.languages.dve.texts import check, process, program, size, whole

STEPS = "process {name} {{ state a, b, c; init a; {head} trans a -> b {{}}, b -> c {{}}; }}\n"


def reaches(text: str, asked: str, *, model: str = "sc", buffers: int = 1) -> bool:
    """Whether some state satisfies `asked`; nothing else may go wrong."""
    outcome = check(text, "errors", model=model, buffers=buffers, error=asked).outcome
    assert not isinstance(outcome, Unknown)
    return isinstance(outcome, Violated)


def test_processes_interleave() -> None:
    assert size(whole(STEPS.format(name="P", head=""), process(name="Q"))) == (6, 7)


def test_a_committed_process_goes_first() -> None:
    committed = STEPS.format(name="P", head="commit b;")
    # as above, but Q cannot move while P is in b
    assert size(whole(committed, process(name="Q"))) == (6, 6)
    # Q leaves a before P may move at all: aa, ab, bb, cb
    assert size(whole(committed, process(name="Q", head="commit a;"))) == (4, 3)
    # in ab, Q can never leave b, and P may not move: aa, ba, ca, cb, ab
    assert size(whole(committed, process(name="Q", head="commit b;"))) == (5, 4)


def test_committed_processes_that_are_both_committed_interleave() -> None:
    both = [STEPS.format(name=name, head="commit a, b;") for name in "PQ"]
    assert size(whole(*both)) == (9, 12)


def test_a_rendezvous_is_one_step() -> None:
    text = "channel c;" + whole(
        process("sync c!;"), process("sync c?;", name="Q"), process("sync c?;", name="R")
    )
    assert size(text) == (3, 2)


def test_a_rendezvous_needs_both_partners_committed_or_neither() -> None:
    sender = process("sync c!;", head="commit a;")
    assert size("channel c;" + whole(sender, process("sync c?;", name="Q"))) == (1, 0)
    assert size("channel c;" + whole(sender, process("sync c?;", name="Q", head="commit a;"))) == (2, 1)


def test_the_receiver_acts_before_the_sender() -> None:
    sender = process("sync c!g; effect g = g * 10;")
    receiver = process("sync c?g; effect g = g + 1;", name="Q")
    text = "byte g = 1; channel c;" + whole(sender, receiver)
    assert reaches(text, "P.b and g == 20")
    assert not reaches(text, "P.b and g != 20")


def test_both_guards_of_a_rendezvous_count() -> None:
    for left, right, states in ((1, 1, 2), (0, 1, 1), (1, 0, 1)):
        sender = process(f"guard {left}; sync c!;")
        receiver = process(f"guard {right} == g; sync c?;", name="Q")
        assert size("byte g = 1; channel c;" + whole(sender, receiver))[0] == states


CASTS = [
    ("channel c;", "300", "300"),
    ("channel {byte} c[0];", "300", "44"),
    ("channel {byte} c[0];", "-1", "255"),
    ("channel {int} c[0];", "40000", "-25536"),
    ("channel {byte} c[1];", "300", "44"),
    ("channel {int} c[2];", "40000", "-25536"),
]


@pytest.mark.parametrize(("channel", "sent", "received"), CASTS)
def test_typed_channels_cast(channel: str, sent: str, received: str) -> None:
    text = channel + whole(process(f"sync c!{sent};"), process("sync c?x;", name="Q", local="int x;"))
    assert reaches(text, f"Q->x == {received}")
    assert not reaches(text, f"Q.b and Q->x != {received}")


def test_what_an_untyped_channel_brings_must_fit() -> None:
    text = "channel c;" + whole(process("sync c!300;"), process("sync c?x;", name="Q", local="byte x;"))
    outcome = check(text, "assertions").outcome
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    assert outcome.witness.message == "out of range: `x` is a byte, from 0 to 255"


def test_messages_of_several_values() -> None:
    sender = process("sync c!{3, 4};")
    receiver = process("sync c?{x, v[x - 2]};", name="Q", local="byte x; byte v[2];")
    for channel in ("channel c;", "channel {byte, byte} c[0];", "channel {byte, int} c[1];"):
        assert reaches(channel + whole(sender, receiver), "Q->x == 3 and Q->v[1] == 4")


def test_a_receiver_may_ignore_the_value() -> None:
    assert size("channel c;" + whole(process("sync c!1;"), process("sync c?;", name="Q"))) == (2, 1)


LOOPS = "process P { state a; init a; trans a -> a { sync c!1; }; }\n"
TAKES = "process Q { byte x; state a; init a; trans a -> a { sync c?x; }; }\n"


def test_a_channel_with_room() -> None:
    # 0 to 2 messages, x still 0 or already 1; sends where there is room, receives where there is a message
    assert size("channel {byte} c[2];" + whole(LOOPS, TAKES)) == (6, 8)
    assert size("channel {byte} c[0];" + whole(LOOPS, TAKES)) == (2, 2)


def test_messages_keep_their_order() -> None:
    sender = "process P { state a, b, d; init a; trans a -> b { sync c!1; }, b -> d { sync c!2; }; }\n"
    receiver = (
        "process Q { byte x, y; state a, b, d; init a; trans a -> b { sync c?x; }, b -> d { sync c?y; }; }\n"
    )
    text = "channel {byte} c[2];" + whole(sender, receiver)
    assert reaches(text, "Q->x == 1 and Q->y == 2")
    assert not reaches(text, "Q.d and not (Q->x == 1 and Q->y == 2)")


def test_a_channel_with_room_comes_after_the_effects() -> None:
    sender = process("sync c!x; effect x = x + 1;", local="byte x;")
    receiver = process("sync c?y; effect z = y + 5;", name="Q", local="byte y, z;")
    text = "channel {byte} c[1];" + whole(sender, receiver)
    assert reaches(text, "Q.b and Q->y == 1 and Q->z == 5")
    assert not reaches(text, "Q.b and not (Q->y == 1 and Q->z == 5)")


def test_a_run_time_error_before_a_full_channel_does_not_happen() -> None:
    sender = (
        "process P { byte x = 255; state a, b, d; init a; "
        "trans a -> b { sync c!1; }, b -> d { sync c!1; effect x = x + 1; }; }\n"
    )
    text = "channel {byte} c[1];" + whole(sender)
    assert check(text, "assertions").verdict == "holds"
    text = "channel {byte} c[1];" + whole(sender, process("sync c?x;", name="Q", local="byte x;"))
    assert check(text, "assertions").verdict == "violated"


def test_a_synchronous_system_steps_together() -> None:
    first = "process P { state a; init a; trans a -> a { effect x = 1 - x; }; }\n"
    second = "process Q { state a; init a; trans a -> a { effect y = x; }; }\n"
    text = "byte x, y;" + whole(first, second, system="system sync;")
    assert size(text) == (2, 2)  # (0, 0) and (1, 1): Q sees what P did
    assert size(text.replace("system sync", "system async")) == (4, 8)


def test_guards_of_a_synchronous_system_see_the_state_before() -> None:
    first = process("guard x == 0; effect x = 1;")
    second = process("guard x == 0; effect y = 1;", name="Q")
    assert size("byte x, y;" + whole(first, second, system="system sync;")) == (2, 1)


def test_a_synchronous_system_waits_for_all() -> None:
    longer = STEPS.format(name="P", head="")
    assert size(whole(longer, process(name="Q"), system="system sync;")) == (2, 1)
    assert size(whole(longer, process("guard 0;", name="Q"), system="system sync;")) == (1, 0)


def test_a_synchronous_system_takes_every_combination() -> None:
    first = "process P { state a, b, c; init a; trans a -> b {}, -> c {}; }\n"
    second = (
        "process Q { byte x; state a; init a; trans a -> a { effect x = 1; }, -> a { effect x = 2; }; }\n"
    )
    text = whole(first, second, system="system sync;")
    assert size(text) == (1 + 2 * 2, 4)
    assert reaches(text, "P.b and Q->x == 2")
    assert not reaches(text, "P.a and Q->x == 2")


def test_processes_of_a_synchronous_system_have_their_own_variables() -> None:
    text = whole(
        process("effect x = x + 1;", local="byte x = 1;"),
        process("effect x = x + 1;", name="Q", local="byte x = 5;"),
        system="system sync;",
    )
    assert reaches(text, "P->x == 2 and Q->x == 6")


def test_assertions_hold_in_their_state_only() -> None:
    text = whole(process("effect x = 1;", local="byte x;", head="assert b: x == 0;"))
    assert check(text, "assertions").verdict == "violated"
    assert check(text.replace("assert b", "assert a"), "assertions").verdict == "holds"


def test_run_time_errors_end_the_run() -> None:
    text = whole(process("effect x = x + 1;", local="byte x = 255;"), process(name="Q"))
    assert size(text) == (2, 3)
    outcome = check(text, "assertions").outcome
    assert isinstance(outcome, Violated)


def test_legacy_run_time_errors_reset_everything_and_go_on() -> None:
    text = whole(process("effect x = x + 1;", local="byte x = 255;"), process(name="Q", local="byte y = 7;"))
    legacy = text + " errors legacy;"
    assert size(legacy) == (4, 4)
    assert reaches(legacy, "P->x == 0 and Q->y == 0 and not P.a and not P.b and Q.b")
    assert not reaches(legacy, "P.b")
    guarded = "byte v[2];" + whole(process("guard v[x] == 1;", local="byte x = 5;")) + " errors legacy;"
    assert size(guarded) == (2, 1)
    outcome = check(legacy, model="x86-tso").outcome
    assert isinstance(outcome, Unknown)
    assert "under sc only" in outcome.reason


WRONG = [
    ("effect g = 256;", "out of range"),
    ("effect g = 0 - 1;", "out of range"),
    ("effect h = 32768;", "out of range"),
    ("effect h = -32768 - 1;", "out of range"),
    ("effect v[2] = 0;", "out of bounds"),
    ("effect g = v[g + 2];", "out of bounds"),
    ("effect g = l[g - 1];", "out of bounds"),
    ("guard v[2] == 0;", "out of bounds"),
    ("effect g = 1 / g;", "division by zero"),
    ("effect g = 1 % g;", "division by zero"),
    ("guard 1 / g == 0 or true;", "division by zero"),
    ("effect v[0] = 200, g = v[0] + v[0];", "out of range"),
]


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_kinds_of_run_time_errors(body: str, message: str) -> None:
    text = "byte g, v[2]; int h;" + whole(process(body, local="byte l[2];"))
    outcome = check(text, "assertions" if message == "out of range" else "memory").outcome
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    assert message in outcome.witness.message


FINE = [
    "guard g > 0 and 1 / g == 1;",
    "guard g == 0 or v[g + 5] == 0;",
    "guard not (g imply v[9]);",
    "guard (g > 0 and v[g + 5]) or g == 0;",
    "effect g = 255;",
    "effect v[0] = 200, g = v[0] + 55;",
    "effect h = -32768;",
    "effect v[1] = 0, g = v[v[1]];",
    "effect l[1] = 1, g = l[l[l[1]]];",
]


@pytest.mark.parametrize("body", FINE)
def test_what_is_not_looked_at_does_not_go_wrong(body: str) -> None:
    text = "byte g, v[2]; int h;" + whole(process(body, local="byte l[2];"))
    assert check(text, "assertions").verdict == "holds"


def test_guards_are_looked_at_from_left_to_right() -> None:
    wrong = "byte v[2];" + whole(process("guard v[x + 2] == 0 and x > 0;", local="byte x;"))
    assert check(wrong, "memory").verdict == "violated"
    fine = "byte v[2];" + whole(process("guard x > 0 and v[x + 2] == 0;", local="byte x;"))
    assert check(fine, "memory").verdict == "holds"


def test_elements_that_do_not_exist_read_as_0_in_predicates() -> None:
    text = "byte g = 2, v[2] = {1, 1};" + whole(process())
    assert reaches(text, "v[g] == 0")
    assert not reaches(text, "v[g] == 1")


def test_effects_see_what_was_done_before_them() -> None:
    body = "effect g = g + 1, x = g * 2, g = x + g, l[x - 2] = g, x = l[0];"
    text = "byte g = 0;" + whole(process(body, local="byte x, l[2];"))
    assert reaches(text, "g == 3 and P->x == 3")
    text = "byte v[2] = {5, 7};" + whole(process("effect x = v[i], i = 1, x = v[i];", local="byte i, x;"))
    assert reaches(text, "P->x == 7")
    text = whole(process("effect l[l[0]] = 1;", local="byte l[2];"))
    assert reaches(text, "P->l[0] == 1 and P->l[1] == 0 and P.b")


def test_own_variables_hide_global_ones() -> None:
    text = "byte x = 1;" + whole(process("effect x = 2;", local="byte x = 7;"))
    assert reaches(text, "P.b and P->x == 2 and x == 1")


def test_lists_of_initial_values_may_be_too_long() -> None:
    text = "const byte K = 2; byte v[2] = {K, 1 + K, 9};" + whole(process())
    assert reaches(text, "v[0] == 2 and v[1] == 3")


def test_a_process_can_look_where_another_is() -> None:
    text = whole(process(), process("guard P.b;", name="Q"))
    assert size(text) == (3, 2)
    assert not reaches(text, "Q.b and P.a")


def test_a_property_is_an_automaton_of_forbidden_runs() -> None:
    automaton = (
        "process never { state q, r; init q; accept r; "
        "trans q -> q {}, q -> r { guard not P.b and g == 0; }, r -> r { guard P->x != 1; }; }\n"
    )
    text = "byte g;" + whole(process(local="byte x;"), automaton, system="system async property never;")
    subject = program(text)
    assert [thread.name for thread in subject.threads] == ["P"]
    (claim,) = subject.claims
    assert claim.name == "never"
    body = claim.body
    assert isinstance(body, ForbiddenRuns)
    assert (body.states, body.initial, body.accepting) == (("q", "r"), 0, (frozenset({1}),))
    assert [(edge.source, edge.target) for edge in body.edges] == [(0, 0), (0, 1), (1, 1)]
    assert AtPoint(0, frozenset({1})) in dict(body.edges[1].guard.reads).values()
    assert not body.ends_are_errors


def test_generalised_acceptance_and_none() -> None:
    automaton = "process N { state q, r; init q; accept genbuchi (q), (), (q, r); trans q -> q {}; }\n"
    text = whole(process(), automaton, system="system async property N;")
    body = program(text).claims[0].body
    assert isinstance(body, ForbiddenRuns)
    assert body.accepting == (frozenset({0}), frozenset(), frozenset({0, 1}))
    body = program(text.replace("accept genbuchi (q), (), (q, r);", "")).claims[0].body
    assert isinstance(body, ForbiddenRuns)
    assert body.accepting == (frozenset(),)  # no run is accepted


LOOKS = (
    "process {name} {{ byte r = 9; state a, b, c; init a; "
    "trans a -> b {{ effect {mine} = 1; }}, b -> c {{ effect r = {other}; }}; }}\n"
)
BUFFERING = "byte x, y;" + whole(
    LOOKS.format(name="P", mine="x", other="y"), LOOKS.format(name="Q", mine="y", other="x")
)
BOTH_MISS = "P->r == 0 and Q->r == 0"


@pytest.mark.parametrize("model", ["x86-tso", "pso", "cam"])
def test_stores_wait_in_buffers(model: str) -> None:
    assert not reaches(BUFFERING, BOTH_MISS)
    assert reaches(BUFFERING, BOTH_MISS, model=model)


def test_a_transition_reads_its_own_writes() -> None:
    text = "byte x;" + whole(process("effect x = 1, r = x;", local="byte r = 9;"))
    assert reaches(text, "P->r == 1 and x == 0", model="x86-tso")
    assert not reaches(text, "P->r == 0", model="x86-tso")


@pytest.mark.parametrize(
    ("words", "missed"),
    [
        ("", True),
        ("atomic x, P.1;", True),
        ("atomic x, P.1; atomic y, Q.1;", False),
        ("atomic *, *;", False),
        ("atomic x, *; atomic *, Q;", False),
        ("atomic x, P.2; atomic y, Q.2;", True),
        ("atomic *, *; atomic rule all;", False),
    ],
)
def test_atomic_writes_do_not_wait(words: str, *, missed: bool) -> None:
    assert reaches(BUFFERING + words, BOTH_MISS, model="x86-tso") is missed
