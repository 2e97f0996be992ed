"""`python -m membar`, and the command `membar`.

Until the command line is ready for it, Ctrl-C ends the process at once: there is nothing to say yet.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from membar.cli.command import command

if __name__ == "__main__":
    command()
