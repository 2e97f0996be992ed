"""Facts about code IR that several passes need: each is computed by one function, and never stored."""
