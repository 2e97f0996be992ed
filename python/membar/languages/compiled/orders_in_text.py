"""How C++ and Rust say memory orders: the functions that take one, the words for it, and fences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from membar.languages._c_edit_sites import Form, Spell, Spelling
from membar.source import pattern

_FETCHES: Final = ("add", "sub", "or", "xor", "and", "nand", "max", "min")
_FENCES: Final = ("acquire", "release", "acq_rel", "seq_cst")
_CPP_ORDER: Final = pattern(
    r"(?P<before>(?:(?:::)?std::)?memory_order(?:_|::))(?P<name>relaxed|consume|acquire|release|acq_rel|seq_cst)"
)
_RUST_ORDER: Final = pattern(r"(?P<before>(?:::)?(?:\w+::)*)(?P<name>Relaxed|Acquire|Release|AcqRel|SeqCst)")
_RUST_NAMES: Final = {
    "relaxed": "Relaxed",
    "acquire": "Acquire",
    "release": "Release",
    "acq_rel": "AcqRel",
    "seq_cst": "SeqCst",
}
_RUST_PATH: Final = "std::sync::atomic::Ordering::"


def _read_cpp(argument: str, _: Mapping[str, str]) -> tuple[str, Spell]:
    found = _CPP_ORDER.fullmatch(argument)
    return ("?", _spell_cpp) if found is None else (found["name"], lambda order: found["before"] + order)


def _spell_cpp(order: str) -> str:
    return f"std::memory_order_{order}"


def _read_rust(argument: str, _: Mapping[str, str]) -> tuple[str, Spell]:
    found = _RUST_ORDER.fullmatch(argument)
    if found is None:
        return "?", _spell_rust
    order = next(order for order, name in _RUST_NAMES.items() if name == found["name"])
    # A word that stands alone is imported; others need not be.
    before = found["before"] or _RUST_PATH
    return order, lambda wanted: before + _RUST_NAMES[wanted]


def _spell_rust(order: str) -> str:
    return _RUST_PATH + _RUST_NAMES[order]


def _cpp_forms() -> dict[str, Form]:
    found = {
        "load": Form("load", 0, is_optional=True),
        "store": Form("store", 1, is_optional=True),
        "exchange": Form("rmw", 1, is_optional=True),
        "test": Form("load", 0, is_optional=True),
        "test_and_set": Form("rmw", 0, is_optional=True),
        "clear": Form("store", 0, is_optional=True),
        "compare_exchange_weak": Form("rmw", 2, is_optional=True),
        "compare_exchange_strong": Form("rmw", 2, is_optional=True),
        "atomic_thread_fence": Form("fence", 0),
        "atomic_load_explicit": Form("load", 1),
        "atomic_store_explicit": Form("store", 2),
        "atomic_exchange_explicit": Form("rmw", 2),
    }
    for name in _FETCHES:
        found[f"fetch_{name}"] = Form("rmw", 1, is_optional=True)
        found[f"atomic_fetch_{name}_explicit"] = Form("rmw", 2)
    return found


def _rust_forms() -> dict[str, Form]:
    found = {
        "load": Form("load", 0),
        "store": Form("store", 1),
        "swap": Form("rmw", 1),
        "compare_exchange": Form("rmw", 2),
        "compare_exchange_weak": Form("rmw", 2),
        "fetch_update": Form("rmw", 0),
        "fence": Form("fence", 0),
    }
    return found | {f"fetch_{name}": Form("rmw", 1) for name in _FETCHES}


SPELLINGS: Final[Mapping[str, Spelling]] = {
    "C++": Spelling(
        _cpp_forms(),
        dict.fromkeys(("compare_exchange_weak", "compare_exchange_strong"), Form("load", 3)),
        _read_cpp,
        _spell_cpp,
    ),
    "Rust": Spelling(
        _rust_forms(),
        dict.fromkeys(("compare_exchange", "compare_exchange_weak"), Form("load", 3)),
        _read_rust,
        _spell_rust,
        nothing="()",
    ),
}
FENCES: Final[Mapping[str, Mapping[str, str]]] = {
    "C++": {order: f"std::atomic_thread_fence({_spell_cpp(order)});" for order in _FENCES},
    "Rust": {order: f"std::sync::atomic::fence({_spell_rust(order)});" for order in _FENCES},
}
"""The statement that is a fence, by language and order."""
