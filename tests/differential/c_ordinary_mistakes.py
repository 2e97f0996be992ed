# ruff: noqa: E501 - one mistake per line
"""Deliberate mistakes in what ordinary C programs use; those of `strategies/c_ordinary_cases.py` must notice each."""

from __future__ import annotations

from differential.c_mistakes import C, Mistake
from differential.mutation import Rewrite

ORDINARY_MISTAKES = (
    Mistake("parts are counted from the highest byte", Rewrite(f"{C}.parts", "            return Part(binary(B.SUB, place.address, Constant(offset - first)), kind, offset - first, size)", "            return Part(binary(B.SUB, place.address, Constant(offset - first)), kind, width - size - offset + first, size)"), ("a word and its bytes",)),
    Mistake("a part replaces the word", Rewrite(f"{C}.parts", "binary(B.AND, word, Constant(MASK & ~bits)), new)", "binary(B.AND, word, Constant(0)), new)"), ("bytes make a word", "a sign")),
    Mistake("one byte sets the word", Rewrite(f"{C}.parts", "    after = binary(B.OR, before, Constant(2 * bits))", "    after = binary(B.OR, before, Constant(2 * every))"), ("a byte is missing", "a byte that is missing")),
    Mistake("a way on which a byte is missing is forgotten", Rewrite(f"{C}.parts", "    is_here = binary(B.EQ, here, Constant(2 * bits))", "    is_here = binary(B.NE, slot.defined, FALSE)"), ("a byte that is missing one way", "a byte that is missing")),
    Mistake("parts have no sign", Rewrite(f"{C}.parts", "    number = kind if isinstance(kind, t.Integer) else _WORDS[size]", "    number = _WORDS[size]"), ("a sign",)),
    Mistake("a later member initialises nothing", Rewrite(f"{C}.parts", "        found[part.address.offset] = Slot(word, _now_set(old, part, TRUE))", "        pass"), ("initialised by a later member",)),
    Mistake("bytes behind a smaller member are kept in silence", Rewrite(f"{C}.parts", "        yield binary(B.NE, binary(B.SHR, word, Constant(32)), Constant(_UNSET_BEHIND))", "        yield TRUE"), ("a pointer of which half was set", "the wrong value is taken from memory")),
    Mistake("copies of half a value are whole", Rewrite(f"{C}.parts", "    return select(defined, select(is_first, Constant(_FIRST_HALF), TRUE), FALSE)", "    return defined"), ("half a value is copied with its structure",)),
    Mistake("threads may be joined twice", Rewrite(f"{C}.library.endings", "    m.flow.put(_over(number), Slot(Constant(m.span(node).line)))", "    pass"), ("joined twice", "joined after it was detached")),
    Mistake("a lock may be destroyed any time", Rewrite(f"{C}.library.endings", "    m.check(binary(B.EQ, held, FALSE), message, node, kind=ASSERTIONS)", "    pass"), ("a locked mutex is destroyed", "a lock destroyed by a reader")),
    Mistake("every writer is the same", Rewrite(f"{C}.library.sync", "    return binary(B.OR, Constant(_WRITER), threads.number_of(m))", "    return Constant(_WRITER)"), ("a lock of another writer",)),
    Mistake("readings are not counted", Rewrite(f"{C}.library.sync", "        is_mine = binary(B.OR, binary(B.EQ, reads, FALSE), binary(B.NE, count, FALSE))", "        is_mine = TRUE"), ("a lock of another reader",)),
    Mistake("readings are never given back", Rewrite(f"{C}.library.sync", "select(reads, FALSE, count) if known(count) == 1 else _less(m, count, reads, node)", "count"), ("read twice and given back three times",)),
    Mistake("functions of keys are called once", Rewrite(f"{C}.library.keys", "    for _ in range(_ROUNDS):", "    for _ in range(1):"), ("a key that its function sets again",)),
    Mistake("expected contents are believed", Rewrite(f"{C}.contents", "    m.flow.state = no\n    m.flow.endless(span)\n    m.flow.state = yes", "    m.flow.state = yes"), ("a thread changes the number of threads behind a pointer",)),
    Mistake("what other threads write is expected to be as before", Rewrite(f"{C}.contents", "        return None  # whoever reads it asks for what the other threads did", "        pass"), ("main reads what threads wrote",)),
    Mistake("other threads' pointers lead elsewhere", Rewrite(f"{C}.contents", "set() if before.trusts_memory else before.reached", "set()"), ("a size in memory, and a thread that writes behind a pointer",)),
    Mistake("own pointers lead elsewhere", Rewrite(f"{C}.contents", "    m.flow.forget(key for key in held if any(_may_be(m, str(key[1]), label) for label in labels))", "    assert held is not None"), ("a size in memory, and main writes behind a pointer",)),
    Mistake("own pointers do not lead to what was never set", Rewrite(f"{C}.contents", "    m.world.after.reached.update((m.number, label, size) for label in labels)", "    pass"), ("a size in memory that a pointer changes first",)),
    Mistake("atomic operations change nothing that is known", Rewrite(f"{C}.contents", "        m.flow.forget([(CONTENT, *place, size)])", "        pass"), ("a size in memory that an atomic operation changes",)),
    Mistake("what a turn no longer knows is as before", Rewrite(f"{C}.flow", "else key[0] == CONTENT)", "else False)"), ("a size in memory, and a loop that changes what was set",)),
    Mistake("there are never arguments", Rewrite(f"{C}.invocation", "        _one_way(machine, function.node.decl)\n", ""), ("the number of arguments",)),
    Mistake("arguments always matter", Rewrite(f"{C}.invocation", "        case ast.Cast(to_type=ast.Typename(type=ast.TypeDecl(type=ast.IdentifierType(names=[\"void\"])))):\n            return\n", ""), ("arguments that nobody looks at",)),
    Mistake("text ends one character too late", Rewrite(f"{C}.library.text", "        yield _is_end(_character(e, text, index, node)), Constant(index)", "        yield _is_end(_character(e, text, index, node)), Constant(index + 1)"), ("lengths",)),
    Mistake("the larger text is the smaller one", Rewrite(f"{C}.library.text", "        sign = select(binary(B.LT, a, b), ", "        sign = select(binary(B.LT, b, a), "), ("comparisons",)),
    Mistake("no zeros behind shorter text", Rewrite(f"{C}.library.text", "            e.m.write(_place(target, index), zero, node)", "            pass"), ("text is copied",)),
    Mistake("branches on the time do not count", Rewrite(f"{C}.library.outside", "    guards = (edge.guard for edge in edges)", "    guards = (FALSE for edge in edges)"), ("random numbers that matter, wrong",)),
    Mistake("random numbers in memory do not count", Rewrite(f"{C}.library.outside", "        if not isinstance(operation, Set)\n", "        if isinstance(operation, Assert)\n"), ("a random number is stored",)),
    Mistake("copies of a random number are known", Rewrite(f"{C}.library.outside", "                    given.add(operation.register)", "                    pass"), ("a number that one way is random",)),
    Mistake("errno is set by success, too", Rewrite(f"{C}.library.sync", "        is_wrong = binary(B.NE, result.expr, FALSE)", "        is_wrong = TRUE"), ("a semaphore says why",)),
    Mistake("a recursive mutex is free after one unlock", Rewrite(f"{C}.library.mutexes", "    is_last = binary(B.EQ, binary(B.AND, word, Constant(_COUNT)), FALSE)", "    is_last = Constant(1)"), ("a recursive mutex", "a recursive mutex is kept")),
    Mistake("a mutex that checks waits for itself", Rewrite(f"{C}.library.mutexes", "    refused = binary(B.AND, _is(word, CHECKED), _is_mine(word, me))", "    refused: Expr = FALSE"), ("a mutex that checks",)),
    Mistake("what does not fit is copied too", Rewrite(f"{C}.library.allocating", "binary(B.LE, Constant(offset + width), move.size)", "binary(B.LE, Constant(0), move.size)"), ("memory is allocated again",)),
    Mistake("memory of a size that is not known has one element", Rewrite(f"{C}.library.allocating", "        this = first + count * each", "        this = first + count * each if count != 2 else each"), ("a vector that grows",)),
    Mistake("sizes that are too large are forgotten", Rewrite(f"{C}.library.allocating", "    flow.endless(span)\n    flow.arrive(end)\n    pointer", "    flow.state = None\n    flow.arrive(end)\n    pointer"), ("a size that is too large",)),
    Mistake("only known memory is kept", Rewrite(f"{C}.library.allocating", "        _keep_any(m, move, node)", "        pass"), ("memory that only the execution knows", "a vector that grows")),
    Mistake("members are aligned as their types", Rewrite(f"{C}.layout", "            alignment = max(t.alignment_of(item.type), item.least)", "            alignment = t.alignment_of(item.type)"), ("an array at the end of a structure",)),
    Mistake("the end of a structure is one element longer", Rewrite(f"{C}.types", "    count = (size - last.offset) // (size_of(tail.element) or 1)", "    count = 1 + (size - last.offset) // (size_of(tail.element) or 1)"), ("behind the end of a structure",)),
    Mistake("no memory is one byte", Rewrite(f"{C}.translate", "            if leaf.count == 0 and start is not None:", "            if leaf.count is not None and leaf.count < 0:"), ("no memory at all is accessed",)),
)  # fmt: skip
"""What is wrong, and who notices."""
