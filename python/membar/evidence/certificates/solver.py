"""z3 as a solver of SMT-LIB scripts, without a child process: text in, answers out.

Its Python package takes longer to load than most proofs take to check, and builds each formula call by call.
Only one function of its library is used here: `Z3_eval_smtlib2_string`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from functools import cache, partial
from importlib.util import find_spec

from membar.limits.solver import SOFT_LIMIT, ask_within_limits

_NAMES = {"win32": "libz3.dll", "darwin": "libz3.dylib"}
_WORDS = {"sat", "unsat", "unknown"}
_REASON = "(:reason-unknown "
# Between so many questions Python listens to Ctrl-C and looks at the clock.
_AT_ONCE = 500
_NOTED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


def _note(context: int | None, code: int) -> None:
    """Handles an error, which is in the answer too. Without a handler z3 would end the process."""


_HANDLER = _NOTED(_note)


class Session:
    """A session with z3, which keeps its declarations."""

    def __init__(self) -> None:
        self._library = _library()
        settings = self._library.Z3_mk_config()
        self._context = self._library.Z3_mk_context(settings)
        self._library.Z3_del_config(settings)
        self._library.Z3_set_error_handler(self._context, _HANDLER)

    def tell(self, declarations: str) -> None:
        """Sends z3 the declarations that later queries use.

        Raises:
            RuntimeError: z3 does not understand it.
        """
        problem = self._evaluate(declarations)
        if problem:
            raise RuntimeError(f"z3 does not understand a declaration: {problem}")

    def answers(self, questions: Sequence[str]) -> list[str]:
        """The answers of z3 to queries, which it forgets: `sat`, `unsat` or `unknown` for each.

        Raises:
            RuntimeError: z3 does not understand a question.
            LimitError: a limit was reached.
            KeyboardInterrupt: Ctrl-C.
        """
        return [
            answer
            for first in range(0, len(questions), _AT_ONCE)
            for answer in ask_within_limits(
                partial(self._ask, questions[first : first + _AT_ONCE]),
                settings=self,
                set_timeout=lambda limit: self.tell(f"(set-option :timeout {limit})"),
            )
        ]

    def _ask(self, questions: Sequence[str]) -> tuple[list[str], str]:
        """The answers, and why some are missing."""
        text = "".join(
            f"(push){question}(check-sat)(get-info :reason-unknown)(pop)" for question in questions
        )
        lines = self._evaluate(text).splitlines()
        words, reasons = lines[::2], lines[1::2]
        is_understood = set(words) <= _WORDS and all(reason.startswith(_REASON) for reason in reasons)
        if not is_understood or len(words) != len(reasons):
            raise RuntimeError(f"z3 does not understand a formula: {' '.join(lines)}")
        unknown = (reason for word, reason in zip(words, reasons, strict=True) if word == "unknown")
        return words, " ".join(unknown)

    def _evaluate(self, text: str) -> str:
        found: bytes = self._library.Z3_eval_smtlib2_string(self._context, text.encode())
        return found.decode(errors="replace")

    memory_limits = SOFT_LIMIT

    def set(self, name: str, value: int) -> None:
        """Sets one of z3's global parameters."""
        self._library.Z3_global_param_set(name.encode(), str(value).encode())

    def allocated_bytes(self) -> int:
        """Bytes that z3 has allocated, as it counts them itself."""
        return int(self._library.Z3_get_estimated_alloc_size())

    def __del__(self) -> None:
        """Frees its memory."""
        context = getattr(self, "_context", None)
        if context is not None:
            self._library.Z3_del_context(context)


@cache
def _library() -> ctypes.CDLL:
    """The library inside z3's package; if it is elsewhere, the package knows its path."""
    place = _place()
    if os.path.exists(place):  # noqa: PTH110 - without pathlib
        library = ctypes.CDLL(place)
    else:
        from z3 import z3core  # slow, and rarely needed

        library = z3core.lib()
    handle, text = ctypes.c_void_p, ctypes.c_char_p
    signatures: dict[str, tuple[type | None, list[type]]] = {
        "Z3_mk_config": (handle, []),
        "Z3_del_config": (None, [handle]),
        "Z3_mk_context": (handle, [handle]),
        "Z3_del_context": (None, [handle]),
        "Z3_global_param_set": (None, [text, text]),
        "Z3_get_estimated_alloc_size": (ctypes.c_uint64, []),
        "Z3_set_error_handler": (None, [handle, _NOTED]),
        "Z3_eval_smtlib2_string": (text, [handle, text]),
    }
    for name, (result, arguments) in signatures.items():
        function = library[name]  # a function of our own: the package's have other types
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


def _place() -> str:
    package = find_spec("z3")
    folder = os.path.dirname(package.origin) if package is not None and package.origin else ""  # noqa: PTH120
    return os.path.join(folder, "lib", _NAMES.get(sys.platform, "libz3.so"))  # noqa: PTH118 - without pathlib
