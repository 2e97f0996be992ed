"""Limits of time and memory, child processes, z3 within limits, and progress."""
