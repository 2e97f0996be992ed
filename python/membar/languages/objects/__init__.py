"""Concurrent objects (`.obj`): operations as code, what each means in one step, and annotations."""

from __future__ import annotations

from membar.languages import ObjectFrontend
from membar.plugins import lazy

FRONTEND = ObjectFrontend(name="object", parse=lazy(f"{__name__}.parser:parse_text"), default_model="x86-tso")
