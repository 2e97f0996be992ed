"""Invariants without pain: candidates of templates and small instances, filtered until inductive."""
