"""Parts that several reports share: words, lines, orders, tables. Not formats of their own."""
