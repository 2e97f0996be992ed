"""The random programs of the campaign: for each model, programs that say something about it.

Half of them do without fences and with few ordering words, and go round in a ring by which the model differs
from sc; the others have everything the model has a word for. A share each has loops, assumptions, assertions,
choices, arrays, threads that start others, selections, locks and branches that may close.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from types import MappingProxyType

from membar.program.operations import NO_TAGS, Tags
from membar.program.program import Program
from strategies.control import control_program
from strategies.programs import FEATURES, KERNEL, PLAIN, Features, Size, program_of_seed, shared_accesses
from strategies.selects import select_program_of_seed
from strategies.wider import wide_program_of_seed

LEAST_THREADS = 2
LEAST_ACCESSES = 5
LARGER = Size(threads=(2, 4), accesses=(6, 7))

_MFENCE: Tags = frozenset({"MFENCE"})
_RULES = replace(PLAIN, fences=(_MFENCE,), rmws=((NO_TAGS, NO_TAGS),))
_RCU: tuple[Tags, ...] = tuple(frozenset({word}) for word in ("Rcu-lock", "Rcu-unlock", "Sync-rcu"))
_THESIS = ("sc", "tso", "weak", "weak-a9", "nofence")
_STORE_BUFFERING = (("load", "store"),)


def campaign_program(seed: int, model: str) -> Program:
    """The program number `seed` for a model: at least two threads and five shared accesses."""
    random = Random(f"campaign {model} {seed}")
    while True:
        program = _drawn(random, model)
        if len(program.threads) >= LEAST_THREADS and shared_accesses(program) >= LEAST_ACCESSES:
            return program


def _drawn(random: Random, model: str) -> Program:
    seed = random.randrange(2**32)
    features = _features(random, model)
    match random.randrange(20):
        case 0:
            return control_program(seed)
        case 1 | 2:
            return select_program_of_seed(seed, features)
        case 3 | 4 | 5 | 6:
            return wide_program_of_seed(seed, features)
        case 7:
            return wide_program_of_seed(seed, features, size=LARGER)
        case 8 | 9:
            return program_of_seed(seed, features, size=LARGER)
        case _:
            return program_of_seed(seed, features)


def _features(random: Random, model: str) -> Features:
    features = _OWN.get(model) or FEATURES.get(model, PLAIN)
    if random.randrange(2):
        return features
    calm = replace(
        features,
        fences=(),
        loads=(_weakest(features.loads),),
        stores=(_weakest(features.stores),),
        rmws=features.rmws if random.randrange(4) == 0 else (),
        exclusives=features.exclusives and random.randrange(4) == 0,
        branches=random.randrange(2) == 0,
        dependencies=random.randrange(2) == 0,
        initial=False,
    )
    return replace(calm, ring=_STORE_BUFFERING) if random.randrange(4) < _RINGS.get(model, 1) else calm


def _weakest(tags: tuple[Tags, ...]) -> Tags:
    """The words of the access that orders least: they stand first."""
    return tags[0]


# Words that only some questions about a model are about.
_OWN: Mapping[str, Features] = MappingProxyType(
    {
        "lkmm": replace(KERNEL, fences=(*KERNEL.fences, *_RCU)),
        **{f"bajczi-{name}": _RULES for name in _THESIS},
        **{f"bajczi-fixed-{name}": _RULES for name in _THESIS},
    }
)
# How many in four calm programs are rings of store buffering: the only weakness of some models.
_RINGS: Mapping[str, int] = MappingProxyType({"x86-tso": 4, "bajczi-fixed-tso": 4, "rc11": 3, "ra": 3})
