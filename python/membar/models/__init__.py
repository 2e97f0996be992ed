"""Memory models: one `.cat` or `.rules` file each, compiled to a plan; `model.py` has `Model` itself."""
