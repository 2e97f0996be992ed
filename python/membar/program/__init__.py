"""The one intermediate form between front ends and engines."""
