"""The model that is defined by store buffers only (`cam`). The others claim theirs (`store-buffers`)."""

from __future__ import annotations

from membar.models.model import Model, Operational

CAM = Model(
    name="cam",
    title="Total store order with few slots: a thread buffers its newest stores, k for each location.",
    documentation="""\
Total store order with few slots: a thread buffers its newest stores, k for each location.

The buffer of a thread has k slots for each location (`--buffers k`, 1 unless given) and is first in, first
out across locations: the oldest store of the thread reaches memory first, as under x86-tso. A store to a
location whose slots are all taken waits until one of them has been flushed. A load takes the newest buffered
store of its own thread to the location, and memory if there is none. MFENCE and locked instructions wait
until the thread's buffer is empty; a locked instruction then acts on memory at once.

It has no axiomatic reading: the bound is part of its meaning. Every behaviour under cam is one under x86-tso.

Reference: Barnat, Brim, Havel, "LTL model checking of parallel programs with under-approximated TSO memory
model", ACSD 2013.""",
    operational=Operational.CAM,
    default_buffers=1,
    tags=frozenset({"MFENCE", "LFENCE", "SFENCE", "X"}),
)
