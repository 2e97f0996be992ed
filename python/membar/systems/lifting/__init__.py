"""Programs whose threads are copies of one, as systems for any number of processes.

    Template ─ steps ─▶ one access per step ─ paths ─▶ transitions ─ system ─▶ ParameterizedSystem

Control points become an array over the processes, registers and per-thread arrays too; shared variables
become weak memory, numbers of threads become processes. Every run of the program with any number of threads
is a run of the system; docs/decisions/0033-from-code-to-any-number.md says why.
"""
