"""C litmus tests in a few words, run by the reference engine under one of our C models."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from membar.engines.reference import ENGINE
from membar.languages.litmus import FRONTEND
from membar.languages.registry import vocabulary
from membar.models.load import load
from membar.models.model import Model
from membar.questions.outcome import FinalState, Run
from membar.questions.task import Task
from membar.source import SourceFile

ORDERS = {
    "rlx": "memory_order_relaxed",
    "con": "memory_order_consume",
    "acq": "memory_order_acquire",
    "rel": "memory_order_release",
    "ar": "memory_order_acq_rel",
    "sc": "memory_order_seq_cst",
}


@cache
def model(name: str) -> Model:
    """One of our models, with the words of all litmus dialects."""
    return load(name, vocabulary=vocabulary())


def without(name: str, axiom: str) -> Model:
    """The model without one of its checks."""
    whole = model(name)
    assert whole.plan is not None
    checks = tuple(check for check in whole.plan.checks if check.name != axiom)
    assert len(checks) == len(whole.plan.checks) - 1
    return replace(whole, plan=replace(whole.plan, checks=checks))


def statement(words: str, register: int) -> str:
    """`w.rel x 1`, `r.acq y`, `x.ar y 2` (exchange), `a.rlx y` (fetch-add 1), `f.sc`, `w x 1`, `r x` (plain).

    Also `cas.ar.rlx x 0 1`: a compare-exchange, and any `{ … }` for literal C.
    """
    if words.startswith("{"):
        return words[1:-1].replace("#", f"r{register}")
    head, *rest = words.split()
    kind, *orders = head.split(".")
    order = ", ".join(ORDERS[word] for word in orders)
    target = f"int r{register} ="
    match kind:
        case "w":
            return (
                f"atomic_store_explicit({rest[0]}, {rest[1]}, {order});"
                if orders
                else f"*{rest[0]} = {rest[1]};"
            )
        case "r":
            return (
                f"{target} atomic_load_explicit({rest[0]}, {order});" if orders else f"{target} *{rest[0]};"
            )
        case "x":
            return f"{target} atomic_exchange_explicit({rest[0]}, {rest[1]}, {order});"
        case "a":
            return f"{target} atomic_fetch_add_explicit({rest[0]}, 1, {order});"
        case "f":
            return f"atomic_thread_fence({order});"
        case "cas":
            exchange = f"atomic_compare_exchange_strong_explicit({rest[0]}, &e{register}, {rest[2]}, {order})"
            return f"int e{register} = {rest[1]}; {target} {exchange};"
        case _:
            raise AssertionError(words)


def litmus(threads: str, condition: str) -> str:
    """A test: threads separated by `|`, statements by `;`. The n-th statement of a thread sets `rn`."""
    lines = ["C shape", "{}"]
    for number, thread in enumerate(threads.split("|")):
        parts = re.findall(r"\s*(\{.*\}|[^;{]+)", thread.strip())
        code = [statement(part.strip(), position) for position, part in enumerate(parts)]
        lines.append(f"P{number} (atomic_int* x, atomic_int* y, atomic_int* z) {{ {' '.join(code)} }}")
    return "\n".join([*lines, f"exists ({condition})", ""])


def explored(threads: str, condition: str, under: Model) -> Run:
    """What the engine found about a shape."""
    program = FRONTEND.parse(SourceFile("shape.litmus", litmus(threads, condition)))
    return ENGINE.run(Task(program=program, model=under, properties=("condition", "races"))).run


def allows(threads: str, condition: str, under: Model) -> bool:
    """Whether some execution ends as `condition` says."""
    return explored(threads, condition, under).positive > 0


def outcomes(threads: str, observed: str, under: Model) -> frozenset[FinalState]:
    """All final states, of the places in `observed`."""
    return frozenset(explored(threads, observed, under).outcomes)
