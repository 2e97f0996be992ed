"""Properties: one file each; what counts as a violation."""
