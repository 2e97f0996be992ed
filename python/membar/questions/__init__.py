"""Questions: what can be asked of a subject, and how each kind is answered."""
