"""`membar serve`: the web page, and the server behind it. Nothing else of membar loads this folder."""
