"""`python -m membar`: the same as the command `membar`."""

from membar.cli import command

command()
