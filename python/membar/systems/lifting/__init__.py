"""Lifting: turns programs with N identical threads into parameterized systems.

    Template ─ steps ─▶ one access per step ─ paths ─▶ transitions ─ system ─▶ ParameterizedSystem

Control points become an array over the processes, and so do registers and per-thread arrays; shared
variables become weak memory, and thread numbers become processes. Every run of the program with any number
of threads is a run of the system; docs/decisions/0033-programs-for-any-number-of-threads.md says why.
"""
