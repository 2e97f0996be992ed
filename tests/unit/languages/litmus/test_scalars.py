"""Type names."""

from __future__ import annotations

import pytest

from membar.languages.litmus.scalars import POINTER, Scalar, scalar_type


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("int", Scalar(4)),
        ("volatile int", Scalar(4)),
        ("unsigned int", Scalar(4, signed=False)),
        ("uint8_t", Scalar(1, signed=False)),
        ("int16_t", Scalar(2)),
        ("const uint64_t", Scalar(8, signed=False)),
        ("long long", Scalar(8)),
        ("_Bool", Scalar(1, signed=False)),
        ("atomic_int", Scalar(4)),
        ("_Atomic int", Scalar(4)),
        ("atomic_uint", Scalar(4, signed=False)),
        ("int*", POINTER),
        ("struct foo*", POINTER),
        ("__int128_t", None),
        ("colour", None),
    ],
)
def test_scalar_types(name: str, expected: Scalar | None) -> None:
    assert scalar_type(name) == expected
