"""The intermediate representation between input languages and engines."""
