"""Code of compiled languages: basic blocks over byte-addressed memory, before it becomes a Program."""
