"""Proofs of linearizability: obligations per step of one thread, discharged by z3."""
