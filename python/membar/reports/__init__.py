"""Reports: one file per output format. A report knows nothing of how a verdict was found."""
