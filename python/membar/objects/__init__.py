"""Concurrent objects: operations as code, their specification, and annotations for proofs."""
