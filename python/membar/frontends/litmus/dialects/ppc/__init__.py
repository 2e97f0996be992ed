"""The PPC dialect of litmus tests: 64-bit Power code without floating point, vectors and devices."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from membar.frontends.litmus.assembly.translate import translate
from membar.frontends.litmus.dialect import Dialect
from membar.frontends.litmus.dialects.ppc.machine import MACHINE
from membar.frontends.litmus.dialects.ppc.tags import TAGS

DIALECT = Dialect(
    default_models=MappingProxyType({"PPC": "power"}),
    tags=TAGS,
    translate=partial(translate, machine=MACHINE),
)
