"""Parameterized systems: array-based transition systems for any number of processes."""
