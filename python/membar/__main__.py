"""`python -m membar`, and the command `membar`.

Until the command line is ready for it, Ctrl-C ends the process at once: there is nothing to say yet.
"""

import gc

from membar import finder, lazy_typing

finder.install()
lazy_typing.install()

from membar.limits.signals import signal  # noqa: E402 - found so

# How many objects are made before garbage is looked for: modules, programs and proofs make hardly any.
gc.set_threshold(100_000)

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from membar.cli.command import command  # noqa: E402 - garbage is looked for less often meanwhile

if __name__ == "__main__":
    command()
