"""The table of defaults: which engines answer a question when the user names none, best first.

No other module outside an engine's own folder names an engine; they ask what it declares to be able to do.
"""

from __future__ import annotations

from typing import Final

# Programs: under axioms, on store buffers of a bounded length, on store buffers of any length.
FOR_AXIOMS: Final = ("graphs", "reference")
FOR_BUFFERS: Final = ("states", "reference")
FOR_UNBOUNDED_BUFFERS: Final = ("buffers",)
# Systems: for any number of processes, for a few.
FOR_SYSTEMS: Final = ("cubes", "instances")
FOR_INSTANCES: Final = ("instances",)
# Executions that follow a witness.
FOR_WITNESSES: Final = ("reference",)
# Proofs and clients of objects, which the questions about objects answer themselves.
FOR_OBJECTS: Final = ("objects",)
