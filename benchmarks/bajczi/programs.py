"""The programs of the thesis's chapter 6 as XCFA texts, with their parameters.

Figures 6.2, 6.11, 6.12 and 6.14 are pictures that the text of the thesis lacks; what they show is taken from
the words around them, and said here.
"""

from __future__ import annotations

READ_ORDERINGS = ("relaxed", "acquire", "seq_cst")
WRITE_ORDERINGS = ("relaxed", "release", "seq_cst")


def _straight(name: str, variables: str, statements: str, ending: str = "") -> str:
    """A process that does its statements and ends; `ending` may add locations and edges after `done`."""
    last = "final loc done" if not ending else "loc done"
    return (
        f"process {name} {{\n  main procedure run() {{\n    {variables}\n    init loc start\n    {last}\n"
        f"    start -> done {{ {statements} }}\n    {ending}\n  }}\n}}\n"
    )


def _forbid(condition: str) -> str:
    """Leads to an error location where the condition holds."""
    return (
        f"error loc wrong\n    final loc right\n    done -> wrong {{ assume {condition} }}\n"
        f"    done -> right {{ assume not ({condition}) }}"
    )


# Keeps nothing of the final states: else every execution would be kept as a state of its own.
COUNT_ONLY = "error final false\n"


def litmus() -> dict[str, str]:
    """Section 6.1.3, and store buffering; the registers a, b, … are read in this order."""

    def test(*threads: str) -> str:
        """`x=1` writes, `x` reads, `F` is a fence."""
        shared = sorted({word[0] for thread in threads for word in thread.split() if word != "F"})
        parts = [f"var {name} : int\n" for name in shared]
        letters = iter("abcdefgh")
        for index, thread in enumerate(threads):
            variables, statements = [], []
            for word in thread.split():
                if word == "F":
                    statements.append("fence")
                elif "=" in word:
                    statements.append(f"{word[2:]} -> {word[0]}")
                else:
                    letter = next(letters)
                    variables.append(f"var {letter} : int")
                    statements.append(f"{letter} <- {word}")
            parts.append(_straight(f"P{index}", " ".join(variables), " ".join(statements)))
        return "".join(parts)

    return {
        "2w2r": test("x=1 y=1", "y x"),
        "2w2r+fences": test("x=1 F y=1", "y F x"),
        "mp": test("x=1 F y=1", "y F x"),
        "cow2r": test("x=1", "x x"),
        "cow2r+fence": test("x=1", "x F x"),
        "coww2r2r": test("x=1", "x=2", "x x", "x x"),
        "coww2r2r+fences": test("x=1", "x=2", "x F x", "x F x"),
        "sb": test("x=1 y", "y=1 x"),
        "sb+fences": test("x=1 F y", "y=1 F x"),
        "unrelated": test("x=1", "x y"),
        "own write": test("x=1 x"),
    }


def readers(count: int, read: str, write: str, *, asserting: bool) -> str:
    """One thread writes 1, `count` others read it. Asserting: each reads what was written."""
    ending = _forbid("l /= 1") if asserting else ""
    return (
        f"var x : int\n{COUNT_ONLY}"
        + _straight("writer", "", f"1 -> x {write}")
        + "".join(_straight(f"r{i}", "var l : int", f"l <- x {read}", ending) for i in range(count))
    )


def loop(count: int) -> str:
    """One thread writes 1, 2, 3, … in a loop, `count` others read in loops and must not skip a value."""
    writer = (
        "process writer {\n  main procedure run() {\n    var n : int\n    init loc start\n"
        "    start -> start { n := n + 1 n -> x }\n  }\n}\n"
    )
    reader = (
        "process {} {{\n  main procedure run() {{\n    var last : int\n    var l : int\n    init loc start\n"
        "    loc seen\n    error loc skipped\n    start -> seen {{ l <- x }}\n"
        "    seen -> skipped {{ assume l > last + 1 }}\n"
        "    seen -> start {{ assume not (l > last + 1) last := l }}\n  }}\n}}\n"
    )
    return "var x : int\n" + writer + "".join(reader.format(f"r{i}") for i in range(count))


def coherence(count: int, *, asserting: bool) -> str:
    """One thread writes 2, …, count + 1, another reads as often. Asserting: never the highest value."""
    reads = " ".join(f"l{i} <- x" for i in range(count))
    variables = " ".join(f"var l{i} : int" for i in range(count))
    highest = " or ".join(f"l{i} = {count + 1}" for i in range(count))
    return (
        f"var x : int\n{COUNT_ONLY}"
        + _straight("writer", "", " ".join(f"{i + 2} -> x" for i in range(count)))
        + _straight("reader", variables, reads, _forbid(highest) if asserting else "")
    )


def same_variable(threads: int, *, writes: int, reads: int, asserting: bool) -> str:
    """Figure 6.11: one thread writes so often, `threads` others read so often, all one variable.

    There are C(reads + writes, reads) ** threads executions. The thesis reports fewer than 10 ** 5 graphs for
    7 threads and 4 instructions, and blames modification orders: that fits several writes and one read.
    """
    loads = " ".join(f"l{i} <- x" for i in range(reads))
    variables = " ".join(f"var l{i} : int" for i in range(reads))
    ending = _forbid(" or ".join(f"l{i} = 0" for i in range(reads))) if asserting else ""
    return (
        f"var x : int\n{COUNT_ONLY}"
        + _straight("writer", "", " ".join(f"{i + 1} -> x" for i in range(writes)))
        + "".join(_straight(f"r{t}", variables, loads, ending) for t in range(threads))
    )


def many_variables(count: int, *, asserting: bool) -> str:
    """Figure 6.12: one thread writes `count` variables, another reads them."""
    names = [f"x{i}" for i in range(count)]
    variables = " ".join(f"var l{i} : int" for i in range(count))
    ending = _forbid(" or ".join(f"l{i} = 0" for i in range(count))) if asserting else ""
    return (
        "".join(f"var {name} : int\n" for name in names)
        + COUNT_ONLY
        + _straight("writer", "", " ".join(f"1 -> {name}" for name in names))
        + _straight("reader", variables, " ".join(f"l{i} <- x{i}" for i in range(count)), ending)
    )


def peterson(*, fences: bool) -> str:
    """Section 6.4: Peterson's algorithm with loops; the critical sections set and look at one variable."""
    word = "seq_cst" if fences else "relaxed"

    def side(me: int) -> str:
        other = 1 - me
        return (
            f"process p{me} {{\n  main procedure run() {{\n    var f : int var t : int var c : int\n"
            "    init loc start loc wait_ loc look loc inside error loc both final loc done\n"
            f"    start -> wait_ {{ 1 -> flag{me} {word} {other} -> turn {word} }}\n"
            f"    wait_ -> look {{ f <- flag{other} {word} t <- turn {word} }}\n"
            f"    look -> wait_ {{ assume f = 1 and t = {other} }}\n"
            f"    look -> inside {{ assume not (f = 1 and t = {other}) {me} -> x {word} c <- x {word} }}\n"
            f"    inside -> both {{ assume c /= {me} }}\n"
            f"    inside -> done {{ assume c = {me} 0 -> flag{me} {word} }}\n  }}\n}}\n"
        )

    return "var flag0 : int\nvar flag1 : int\nvar turn : int\nvar x : int\n" + side(0) + side(1)
