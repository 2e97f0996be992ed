"""z3 as a process that reads SMT-LIB would be, without the process: texts in, answers out.

Its Python package takes longer to load than most proofs take to check, and builds each formula call by call.
Only its library is used here, by one function: `Z3_eval_smtlib2_string`.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_NAMES = {"win32": "libz3.dll", "darwin": "libz3.dylib"}
_NOTED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


def _note(context: int | None, code: int) -> None:
    """An error: it is in the answer too. Without anybody to tell, z3 would end the process."""


_HANDLER = _NOTED(_note)


class Session:
    """A conversation with z3, which remembers what it was told."""

    def __init__(self) -> None:
        self._library = _library()
        settings = self._library.Z3_mk_config()
        self._context = self._library.Z3_mk_context(settings)
        self._library.Z3_del_config(settings)
        self._library.Z3_set_error_handler(self._context, _HANDLER)

    def answers(self, text: str) -> list[str]:
        """What z3 answers to a text: a word for each `(check-sat)`.

        Raises:
            RuntimeError: z3 does not understand the text.
        """
        found: bytes = self._library.Z3_eval_smtlib2_string(self._context, text.encode())
        words = found.decode(errors="replace").split()
        if not set(words) <= {"sat", "unsat", "unknown"}:
            raise RuntimeError(f"z3 does not understand a formula: {' '.join(words)}")
        return words

    def __del__(self) -> None:
        """Gives its memory back."""
        context = getattr(self, "_context", None)
        if context is not None:
            self._library.Z3_del_context(context)


@cache
def _library() -> ctypes.CDLL:
    """The library inside z3's package; where it is elsewhere, the package knows."""
    place = _place()
    if place.exists():
        library = ctypes.CDLL(str(place))
    else:
        from z3 import z3core  # noqa: PLC0415 - slow, and rarely needed

        library = z3core.lib()
    handle, text = ctypes.c_void_p, ctypes.c_char_p
    signatures: dict[str, tuple[type | None, list[type]]] = {
        "Z3_mk_config": (handle, []),
        "Z3_del_config": (None, [handle]),
        "Z3_mk_context": (handle, [handle]),
        "Z3_del_context": (None, [handle]),
        "Z3_set_error_handler": (None, [handle, _NOTED]),
        "Z3_eval_smtlib2_string": (text, [handle, text]),
    }
    for name, (result, arguments) in signatures.items():
        function = library[name]  # a function of our own: the package's have other types
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


def _place() -> Path:
    package = find_spec("z3")
    folder = Path(package.origin).parent if package is not None and package.origin else Path()
    return folder / "lib" / _NAMES.get(sys.platform, "libz3.so")
