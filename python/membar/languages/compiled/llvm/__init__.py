"""LLVM IR as text: types, instructions, a reader, a printer and the debug information."""
