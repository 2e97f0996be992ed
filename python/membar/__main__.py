"""`python -m membar`: the same as the command `membar`."""

from membar.cli.command import command

command()
