"""What a `Program` cannot say: an error that a caller who knows the source turns into a located one."""

from __future__ import annotations

from membar.code import ir


class NotSupportedError(Exception):
    """Something in the code is not supported; `place` says where it stands."""

    def __init__(self, message: str, place: ir.Place | None) -> None:
        super().__init__(message)
        self.place = place
