"""membar's own program text (`.mbp`): the intermediate form as people read and write it.

docs/reference/program-text.md describes it; `membar.program.printer` writes it.
"""

from membar.frontends import Frontend
from membar.frontends.program.parser import parse_program

FRONTEND = Frontend(
    name="program text",
    suffixes=(".mbp",),
    parse=parse_program,
    default_models={},
    tags={},
)
