"""Memory models: one `.cat` file each, compiled to a plan; `operational.py` has the store-buffer models."""
