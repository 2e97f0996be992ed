"""Writes `records/templates.py`: methods of records, one for each number of fields.

A test compares the file with this text; `pytest tests/unit/test_records.py --update-golden` writes it.
"""

from __future__ import annotations

from collections.abc import Callable

_HEAD = '''"""Methods of records with so many fields, compiled with this module instead of one by one.

`membar.records.classes` gives them the names of the fields.
Written by `tests/generated/record_templates.py`; not to be edited.
"""

# fmt: off
# mypy: ignore-errors

'''
_MOST_GIVEN, _MOST_COMPARED = 34, 20


def templates_text() -> str:
    """The module, as it must be."""
    families: tuple[tuple[str, Callable[[str, list[str]], str], int], ...] = (
        ("init", _init, _MOST_GIVEN),
        ("init_and_complete", _init_and_complete, _MOST_GIVEN),
        ("equal", _equal, _MOST_COMPARED),
        ("hashed", _hash_method, _MOST_COMPARED),
    )
    parts = [_HEAD]
    for name, write, most in families:
        numbers = range(most + 1)
        parts += [write(f"{name}_{number}", [f"f{i}" for i in range(number)]) + "\n" for number in numbers]
        parts.append(
            f"\n{name.upper()} = ({', '.join(f'{name}_{number}.__code__' for number in numbers)})\n\n"
        )
    return "".join(parts).rstrip("\n") + "\n"


def _init(name: str, fields: list[str]) -> str:
    body = "; ".join(f"self.{one} = {one}" for one in fields) or "pass"
    return f"def {name}({', '.join(['self', *fields])}): {body}"


def _init_and_complete(name: str, fields: list[str]) -> str:
    body = "; ".join([*(f"self.{one} = {one}" for one in fields), "complete(self)"])
    return f"def {name}({', '.join(['self', *fields])}): {body}"


def _equal(name: str, fields: list[str]) -> str:
    ours, theirs = (_tuple(who, fields) for who in ("self", "other"))
    return (
        f"def {name}(self, other):"
        f" return {ours} == {theirs} if other.__class__ is self.__class__ else NotImplemented"
    )


def _hash_method(name: str, fields: list[str]) -> str:
    return f"def {name}(self): return hash({_tuple('self', fields)})"


def _tuple(who: str, fields: list[str]) -> str:
    return "(" + "".join(f"{who}.{one}, " for one in fields).rstrip(" ") + ")"
