"""Linear temporal logic: formulas in normal form, their automata, and what they say of a single run.

    text ─ text ─▶ Formula ─ normal ─▶ negation normal form ─ translation ─▶ Automaton ─ reduction ─▶ smaller

`lasso` says directly whether a formula holds of a run that repeats forever; the tests compare the two.
"""
