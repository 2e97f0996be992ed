"""Text below the languages: tokens and a cursor over them, edits that `repair` may try, paths as strings."""
