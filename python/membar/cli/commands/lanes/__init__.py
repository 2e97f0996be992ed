"""The kinds of questions that `membar check` answers, a module each: `answer` and `show`."""
