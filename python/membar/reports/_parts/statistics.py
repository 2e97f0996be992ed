"""The counters of a run in words."""

from __future__ import annotations

from membar.questions.outcome import Statistics


def statistics_text(item: Statistics) -> str:
    """`4 executions, 12 candidates, 0.01 s`."""
    counts = [
        (item.executions, "execution"),
        (item.classes, "reads-from class"),
        (item.failed, "failed"),
        (item.truncated, "truncated"),
        (item.blocked, "blocked"),
        (item.candidates, "candidate"),
        (item.duplicates, "duplicate"),
        (item.states, "state"),
        (item.transitions, "transition"),
        (item.nodes, "node"),
    ]
    parts = [f"{count} {word}{_plural(count, word)}" for count, word in counts if count is not None]
    if item.symmetric is not None:
        groups = "; ".join(", ".join(group) for group in item.symmetric)
        parts[0] += f" ({item.explored} up to symmetry of {groups})"
    parts.append(f"{item.seconds:.2f} s")
    if item.peak_bytes is not None:
        parts.append(f"{item.peak_bytes / 2**20:.1f} MiB")
    return ", ".join(parts)


def _plural(count: int, word: str) -> str:
    if count == 1 or word in ("failed", "truncated", "blocked"):
        return ""
    return "es" if word.endswith("s") else "s"
