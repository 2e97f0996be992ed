"""Inline assembly: what idioms of each processor mean, one table per processor."""
