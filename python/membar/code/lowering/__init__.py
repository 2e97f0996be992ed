"""The last step: from code IR, after all passes, to a `Program`."""
