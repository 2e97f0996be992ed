"""What assembly dialects share: operands, labels and branches, sizes of locations, names of registers.

A dialect describes its processor by a `Machine`; `translate` does the rest.
"""
