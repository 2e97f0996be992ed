"""Concurrent objects: operations in steps, what they mean as one step each, and why they should."""
