"""Transition systems of one thread that runs an object's operations, one per memory model.

One description serves all uses: exploring states, proving obligations and printing.
"""
