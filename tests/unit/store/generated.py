"""Stores of any size, without an answer being looked for: for the page."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

from membar.questions import store
from membar.questions.store_keys import text_digest

FAMILIES = ("MP", "SB", "LB", "S", "R", "2+2W", "WRC", "RWC", "W+RWC", "IRIW", "ISA2", "3.LB", "3.SB")
ORDERS = ("po", "addr", "data", "ctrl", "dmb.sy", "dmb.st", "dmb.ld", "rel", "acq", "ctrlisb", "addr-rfi")
LANGUAGES = ("AArch64", "PPC", "RISCV", "X86")
REASONS = tuple(f"the model does not define the ordering annotation `{order}` (line 4)" for order in ORDERS)


def write_store(path: Path, tests: int, models: int, *, seed: int = 1, is_ended: bool = True) -> None:
    """Writes a store with one run, whose cells look like those of a real campaign."""
    chance = random.Random(seed)
    with store.open_to_write(path) as connection:
        connection.execute("BEGIN")
        connection.execute(
            "INSERT INTO run VALUES (1, x'00', '0', 'build', '', '2026-01-01T00:00:00+00:00', ?, ?)",
            ("2026-01-01T01:00:00+00:00", "complete") if is_ended else (None, "running"),
        )
        for model in range(models):
            column = (1, model, f"model-{model}", f"The model number {model}.", "", "")
            connection.execute("INSERT INTO run_model VALUES (?, ?, ?, ?, ?, ?)", column)
        connection.execute("INSERT INTO text VALUES (1, ?, 'X86 t')", (text_digest("X86 t"),))
        for test in range(tests):
            name = "+".join([chance.choice(FAMILIES), *chance.choices(ORDERS, k=chance.randint(1, 3))])
            row = (1, test, f"{name}-{test}.litmus", f"{name}-{test}", chance.choice(LANGUAGES), 1)
            connection.execute("INSERT INTO run_test VALUES (?, ?, ?, ?, ?, ?)", row)
            strength = chance.uniform(0, models)  # the models from here on allow it
            for model in range(models):
                _cell(connection, chance, test, model, is_allowed=model > strength)
        connection.execute("COMMIT")


def _cell(
    connection: sqlite3.Connection, chance: random.Random, test: int, model: int, *, is_allowed: bool
) -> None:
    is_unknown = chance.random() < 0.15
    verdict = "unknown" if is_unknown else "holds" if is_allowed else "violated"
    reason = chance.choice(REASONS) if is_unknown else ""
    (row,) = connection.execute(
        "INSERT INTO answer (name, model, verdict, allowed, holds, undefined, final_states, states, reason,"
        " texts, seconds, answered) VALUES ('t', ?, ?, ?, NULL, 0, 3, '[]', ?, '{}', ?, '') RETURNING id",
        (f"model-{model}", verdict, None if is_unknown else is_allowed, reason, chance.expovariate(20)),
    ).fetchone()
    differs = "the condition holds there" if not is_unknown and chance.random() < 0.001 else None
    connection.execute(
        "INSERT INTO cell (run, test, model, answer, differs) VALUES (1, ?, ?, ?, ?)",
        (test, model, row, differs),
    )
