"""The functions that membar knows, by library."""
