"""The module `signal`, by its part in C: the whole makes enumerations of all names, which takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["signal"]

if TYPE_CHECKING:
    import signal
else:
    try:
        import _signal as signal
    except ImportError:
        import signal
