"""The cat language: text → syntax → plan."""
