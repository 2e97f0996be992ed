"""Certificates: z3 checks from scratch whether a set of cubes proves a system safe.

Shares with the search that found the cubes only the system and the cubes themselves.
"""
