"""Compiled languages: a compiler reads the source text, membar reads the LLVM IR that it writes."""
