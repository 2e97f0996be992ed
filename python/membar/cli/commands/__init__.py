"""The commands, one file each: `run` takes parsed arguments, prints a report and returns an exit code.

A command is imported only when it is used, and imports only what it needs, for start-up time.
"""
