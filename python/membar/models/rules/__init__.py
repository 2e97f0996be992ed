"""Bajczi's rule language for memory models: a second front end to the plan. docs/reference/rules.md."""
