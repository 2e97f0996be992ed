"""The commands, one file each: `run` takes parsed arguments, prints a report and returns an exit code.

A command is imported when it is given, and imports what it needs: no command pays for what it does not use.
"""
