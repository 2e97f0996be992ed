"""Linear temporal logic: formulas in normal form, their automata, and their evaluation on a single run.

    text ─ parser ─▶ Formula ─ normal ─▶ negation normal form ─ translation ─▶ Automaton ─ reduction ─▶ …

`lasso` evaluates a formula directly on a run that repeats forever; the tests compare the two.
"""
