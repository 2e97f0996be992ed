"""Bajczi's rule language for memory models: compiled to the same plan as cat. docs/reference/rules.md."""
