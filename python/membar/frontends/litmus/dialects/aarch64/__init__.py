"""The AArch64 dialect of litmus tests: 64-bit Arm code without vectors, page tables and exceptions."""

from __future__ import annotations

from types import MappingProxyType

from membar.frontends.litmus.dialect import Dialect
from membar.frontends.litmus.dialects.aarch64.tags import TAGS
from membar.frontends.litmus.test import LitmusTest
from membar.program.program import Program


def _translate(test: LitmusTest) -> Program:
    from membar.frontends.litmus.dialects.aarch64.translate import translate  # noqa: PLC0415 - on demand

    return translate(test)


DIALECT = Dialect(default_models=MappingProxyType({"AArch64": "armv8"}), tags=TAGS, translate=_translate)
