"""Distinguishes the Linux kernel's C from C11 by names that only one of them has."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from membar.diagnostics import InputError
from membar.languages.litmus.dialects.c.tokens import KEPT, plain_functions, tokens_of
from membar.languages.litmus.test import LitmusTest
from membar.source import Span, pattern

# `atomic_fetch_add(…)` and similar functions are in both, with their arguments the other way round.
_KERNEL: Final = pattern(
    r"""READ_ONCE|WRITE_ONCE|barrier|smp_\w+|s?rcu_\w+|synchronize_s?rcu\w*|(?:raw_)?spin_\w+
    |(?:raw_)?spinlock_t|srcu_struct|atomic_t|atomic64_\w+|atomic_long_\w+
    |(?:atomic_)?(?:(?:try_)?cmp)?xchg(?:_relaxed|_acquire|_release)?
    |atomic_(?:read|set|add|sub|inc|dec|and|or|xor|andnot)(?!\w*_explicit)\w*
    |atomic_fetch_(?:inc|dec|andnot)(?:_relaxed|_acquire|_release)?
    |atomic_fetch_(?:add|sub|and|or|xor)_(?:relaxed|acquire|release)""",
    re.VERBOSE,
)
_C11: Final = pattern(
    r"""memory_order\w*|atomic_\w+_explicit|atomic_(?:load|store|exchange|init|thread_fence|signal_fence)
    |atomic_compare_exchange_\w+|atomic_flag\w*|_Atomic|kill_dependency
    |atomic_(?:bool|char|[su]char|u?short|u?int|u?long|u?llong|size_t|ptrdiff_t|u?int\w*_t)""",
    re.VERBOSE,
)
_WORD: Final = pattern(r"\b[A-Za-z_]\w*")


def is_kernel_word(word: str) -> bool:
    """Whether only the kernel has this function or type."""
    return _KERNEL.fullmatch(word) is not None


def header_word(test: LitmusTest) -> str:
    """`LKMM` for the kernel's code under the header word `C`, else the word that the test has."""
    return "LKMM" if test.dialect == "C" and is_kernel_code(test.body) else test.dialect


def is_kernel_code(body: Span) -> bool:
    """Whether the code has a word that only the kernel has, and none that only C11 has."""
    functions = plain_functions(body)
    if functions is None:
        try:
            owners = {_owner(token.text) for token in tokens_of(body) if token.kind == "name"}
        except InputError:
            return False
        return "kernel" in owners and "C11" not in owners
    is_kernel = False
    for function in functions:
        found = _owners(function.text)
        if "C11" in found:
            return False
        is_kernel = is_kernel or "kernel" in found
    return is_kernel


@lru_cache(maxsize=KEPT)
def _owners(text: str) -> frozenset[str]:
    """Whose words stand in a function without comments; if some are C11's, perhaps only these."""
    words = set(_WORD.findall(text))
    if any(word.startswith("memory_order") for word in words):
        return frozenset({"C11"})  # which settles it: the other words need not be compared
    return frozenset(map(_owner, words))


@lru_cache(maxsize=KEPT)
def _owner(word: str) -> str:
    """Who alone has this word: the kernel, C11, or nobody."""
    if is_kernel_word(word):
        return "kernel"
    return "C11" if _C11.fullmatch(word) else ""
