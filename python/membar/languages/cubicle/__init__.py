"""Cubicle's language (`.cub`), with its extension to weak memory: systems of any number of processes."""

from __future__ import annotations

from membar.languages import SystemFrontend
from membar.plugins import lazy

FRONTEND = SystemFrontend(
    name="Cubicle",
    parse=lazy(f"{__name__}.elaborate:parse"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
    default_model=lambda system: "x86-tso" if system.is_weak else "sc",
)
