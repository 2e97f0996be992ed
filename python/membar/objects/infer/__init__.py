"""Invariant inference: candidates from templates and small instances, filtered until inductive."""
