"""Litmus dialects: one folder per assembly or source language, exporting `DIALECT`."""
