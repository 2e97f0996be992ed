"""Transition systems of one thread that runs an object's operations, one per memory model.

One description serves all: states are explored, obligations proved and texts printed from the same moves.
"""
