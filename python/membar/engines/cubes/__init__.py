"""Backward reachability for any number of processes."""
