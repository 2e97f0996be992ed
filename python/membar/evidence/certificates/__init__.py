"""Certificates: whether a set of cubes proves a system safe, checked from scratch with z3.

Shares nothing with the search that found the cubes but the system and the cubes themselves.
"""
