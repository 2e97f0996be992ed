"""Telling the Linux kernel's C from C11 by the words that only one of the two has."""

from __future__ import annotations

import re
from typing import Final

from membar.diagnostics import InputError
from membar.frontends.litmus.dialects.c.tokens import tokens_of
from membar.source import Span

# `atomic_fetch_add(…)` and its like are in both, with their arguments the other way round.
_BOTH: Final = r"atomic_fetch_(?:add|sub|and|or|xor)"
_KERNEL: Final = re.compile(
    rf"""READ_ONCE|WRITE_ONCE|smp_\w+|barrier|s?rcu_\w+|synchronize_s?rcu\w*|x?chg|cmpxchg|(?:cmp)?xchg_\w+
    |(?:raw_)?spin_\w+|(?:raw_)?spinlock_t|srcu_struct|atomic_t|atomic64_t|atomic_long_t
    |{_BOTH}_(?:relaxed|acquire|release)
    |atomic_(?:read|set|add|sub|inc|dec|and|or|xor|andnot|xchg|cmpxchg|try_cmpxchg)(?!\w*_explicit)\w*
    |atomic_fetch_(?:inc|dec|andnot)\w*""",
    re.VERBOSE,
)
_C11: Final = re.compile(
    r"""memory_order\w*|atomic_\w+_explicit|atomic_(?:load|store|exchange|init|thread_fence|signal_fence)
    |atomic_compare_exchange_\w+|atomic_flag\w*|_Atomic|kill_dependency
    |atomic_(?:bool|char|[su]char|u?short|u?int|u?long|u?llong|size_t|ptrdiff_t|u?int\w*_t)""",
    re.VERBOSE,
)


def is_kernel_word(word: str) -> bool:
    """Whether only the kernel has this function or type."""
    return _KERNEL.fullmatch(word) is not None


def is_kernel_code(body: Span) -> bool:
    """Whether the code has a word that only the kernel has, and none that only C11 has."""
    try:
        words = {token.text for token in tokens_of(body) if token.kind == "name"}
    except InputError:
        return False
    return any(map(is_kernel_word, words)) and not any(_C11.fullmatch(word) for word in words)
