"""The second representation: array-based systems for any number of processes (`ParameterizedSystem`)."""
