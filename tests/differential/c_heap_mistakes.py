# ruff: noqa: E501 - one mistake per line
"""Deliberate mistakes in what C programs allocate and wait for; the programs of `strategies` must notice each."""

from __future__ import annotations

from differential.c_mistakes import C, Mistake
from differential.mutation import Rewrite

HEAP, LIVE, SYNC, COND, KEYS, STRINGS = (
    f"{C}.library.heap",
    f"{C}.liveness",
    f"{C}.library.sync",
    f"{C}.library.conditions",
    f"{C}.library.keys",
    f"{C}.library.strings",
)
ALLOCATING = f"{C}.library.allocating"
MARKS = f"{C}.marks"

HEAP_MISTAKES = (
    Mistake(
        "reads are not told of free",
        Rewrite(
            LIVE,
            "    check_none_of(m, found, node, first=freed, places=places, kind=kind, message=message)\n",
            "",
        ),
        ("read after free through memory", "freed while it is read"),
    ),
    Mistake(
        "reads are not told of what was never set",
        Rewrite(
            LIVE,
            "    if not may_be_unset:\n        message",
            "    if may_be_unset is None:\n        message",
        ),
        ("never set", "handed over too early on a machine"),
    ),
    Mistake(
        "writes do not look whether memory lives",
        Rewrite(
            LIVE,
            "    if m.flow.is_dead or not may_be_allocated(m, address) or is_own(m, address):",
            "    if m.world.before.free_places:",
        ),
        ("write after free through memory", "freed while it is written"),
    ),
    Mistake(
        "memory stays a thread's own",
        Rewrite(f"{C}.flow", "        if self._owns:\n            self.disown(_values_of(operation))\n", ""),
        ("written after it was given away",),
    ),
    Mistake(
        "freed memory stays a thread's own",
        Rewrite(HEAP, "    flow.disown([pointer])\n", ""),
        ("write after free",),
    ),
    Mistake(
        "free does not say so in memory",
        Rewrite(
            HEAP,
            "        value = heap.freed(size, place.number)\n        if value is not None:",
            "        value = None\n        if value is not None:",
        ),
        ("read after free", "freed while it is read"),
    ),
    Mistake(
        "free does not end the life",
        Rewrite(
            HEAP,
            "    flow.emit(Store(address=state, value=Constant(place.number), size=heap.STATE_SIZE, tags=tags), span)\n",
            "",
        ),
        ("double free", "write after free through memory"),
    ),
    Mistake(
        "double free is not noticed",
        Rewrite(
            HEAP,
            '        places=m.world.before.free_places,\n        kind=t.UINT,\n        message="double free: freed before at {}",',
            '        places={},\n        kind=t.UINT,\n        message="double free: freed before at {}",',
        ),
        ("double free", "freed twice"),
    ),
    Mistake(
        "anything known can be freed",
        Rewrite(HEAP, "        m.check(Constant(int(is_whole)), _FREE_OF_ANYTHING, node)\n", ""),
        ("free of a variable", "free of the middle"),
    ),
    Mistake(
        "the middle of memory can be freed",
        Rewrite(
            HEAP,
            "        m.check(binary(B.EQ, inside, Constant(heap.HEADER)), _FREE_OF_ANYTHING, node)\n",
            "",
        ),
        ("free of the middle through memory",),
    ),
    Mistake(
        "a null pointer cannot be freed",
        Rewrite(
            HEAP,
            "    flow.state = null\n    flow.jump(end)\n",
            "    flow.state = null\n    m.check(FALSE, _FREE_OF_ANYTHING, node)\n    flow.jump(end)\n",
        ),
        ("free of nothing",),
    ),
    Mistake(
        "memory never comes again",
        Rewrite(
            HEAP,
            "    if freed:\n        m.world.after.is_reused = True",
            "    if not freed:\n        return Value(pointer, t.VOID_POINTER)\n    if False:\n        m.world.after.is_reused = True",
        ),
        ("memory may come again",),
    ),
    Mistake(
        "memory always comes again",
        Rewrite(
            HEAP,
            "    flow.emit(Choose(choice.name, FALSE, Constant(len(freed))), span)",
            "    flow.emit(Choose(choice.name, Constant(1), Constant(len(freed))), span)",
        ),
        ("memory need not come again",),
    ),
    Mistake(
        "memory that lives comes again",
        Rewrite(HEAP, "    flow.emit(Assume(is_freed), span)\n", ""),
        ("memory that lives is not given again",),
    ),
    Mistake(
        "memory that comes again stays dead",
        Rewrite(
            HEAP,
            "            value=FALSE,\n            size=heap.STATE_SIZE,\n            condition=is_freed,",
            "            value=old,\n            size=heap.STATE_SIZE,\n            condition=is_freed,",
        ),
        ("memory that comes again lives",),
    ),
    Mistake(
        "memory that comes again keeps what it held",
        Rewrite(
            HEAP,
            "        m.flow.emit(Store(address=address, value=Constant(value), size=size, tags=_plain(m)), m.span(node))\n    marks.unset(",
            "        del address, value, size\n    marks.unset(",
        ),
        ("memory that comes again was never set", "memory that comes again from calloc"),
    ),
    Mistake(
        "free does not release",
        Rewrite(
            HEAP,
            '    tags = frozenset({"REL"}) if m.world.before.is_reused and not m.world.is_kernel else _plain(m)\n',
            "    tags = _plain(m)\n",
        ),
        ("who gets memory again sees no old writes",),
    ),
    Mistake(
        "calloc does not set",
        Rewrite(HEAP, "    if not is_zero:\n        item.initial", "    if True:\n        item.initial"),
        ("calloc sets to zero",),
    ),
    Mistake(
        "zeros are there before calloc",
        Rewrite(HEAP, "    is_written = is_zero and _is_seen_beside(m, node)", "    is_written = False"),
        ("zeros that nobody handed over",),
    ),
    Mistake(
        "zeros are written without marks",
        Rewrite(HEAP, "    marks.unset(m, pointer, shape, node, is_zero=is_zero)\n\n\n", "\n\n"),
        ("zero bytes that are counted up",),
    ),
    Mistake(
        "zeros in fresh memory are forgotten where some was freed",
        Rewrite(
            HEAP,
            "    if fresh.is_written:\n        _begin(m, node, fresh.pointer, shape, place, is_zero=True)\n",
            "",
        ),
        ("zeros that were handed over, and memory that comes again",),
    ),
    Mistake(
        "main shows its zeros to nobody",
        Rewrite(
            HEAP,
            "    return any(plan.number not in joined for plan in m.world.plans)\n\n\ndef shown",
            "    return m.number > 1\n\n\ndef shown",
        ),
        ("zeros of main that nobody handed over",),
    ),
    Mistake(
        "tags are no mistake",
        Rewrite("membar.program.access", "size and word % size and", "False and"),
        ("a tag that is not taken off",),
    ),
    Mistake(
        "loops give the same memory again",
        Rewrite(
            HEAP,
            "    m.flow.put(key, Slot(m.flow.named(binary(B.ADD, count, Constant(1)), m.span(node))))\n",
            "",
        ),
        ("objects of a loop are different", "memory from a loop"),
    ),
    Mistake(
        "more memory from a loop is forgotten",
        Rewrite(
            HEAP,
            "    m.flow.state = no\n    m.flow.endless(m.span(node))\n    m.flow.state = yes\n    pointer: Expr",
            "    m.flow.state = yes\n    pointer: Expr",
        ),
        ("more memory from a loop than there is",),
    ),
    Mistake(
        "no bounds of allocated memory",
        Rewrite(
            LIVE, '    m.check(is_inside, f"an access outside', '    m.check(Constant(1), f"an access outside'
        ),
        ("behind an array, index from memory", "before an array, index from memory"),
    ),
    Mistake(
        "the state of the first object for all of its shape",
        Rewrite(
            LIVE,
            "        chosen = select(inside, state, chosen)\n",
            "        chosen = select(inside, start, chosen)\n",
        ),
        ("the right one of two",),
    ),
    Mistake(
        "realloc loses what was there",
        Rewrite(
            ALLOCATING,
            "            m.write(Place(binary(B.ADD, move.new, Constant(offset)), kind), Value(part.expr, kind), node)\n",
            "            del part\n",
        ),
        ("realloc keeps what was there",),
    ),
    Mistake(
        "realloc does not free",
        Rewrite(ALLOCATING, "    freed(m, old.expr, node)\n    return new", "    return new"),
        ("realloc frees",),
    ),
    Mistake(
        "a copy counts as set",
        Rewrite(
            LIVE,
            "        kinds.append((heap.unset(size), len(m.world.before.malloc_places)))",
            "        pass",
        ),
        ("a part of a copied structure was never set",),
    ),
    Mistake(
        "memmove copies while it writes",
        Rewrite(
            STRINGS,
            "    for at, kind, slot in found:\n        address = _moved(target, at)",
            "    for at, kind, slot in found[::-1][:1]:\n        address = _moved(target, at)",
        ),
        ("overlapping bytes", "copied as a whole"),
    ),
    Mistake(
        "memset sets one byte",
        Rewrite(STRINGS, "    word = binary(B.MUL, byte, Constant(_BYTES))\n", "    word = byte\n"),
        ("bytes set as a whole", "set as a whole"),
    ),
    Mistake(
        "memcmp looks at the highest byte first",
        Rewrite(STRINGS, "    for index in reversed(range(size)):", "    for index in range(size):"),
        ("compared as a whole",),
    ),
    Mistake(
        "a timed function never gives up",
        Rewrite(
            SYNC,
            "    flow.emit(Choose(choice.name, FALSE, TRUE, retries=True), span)\n    gone",
            "    flow.emit(Choose(choice.name, FALSE, FALSE, retries=True), span)\n    gone",
        ),
        ("a writer whose time is over", "a semaphore whose time is over"),
    ),
    Mistake(
        "a barrier lets everybody through",
        Rewrite(
            SYNC,
            "    until(m, node, lambda: binary(B.NE, _round(",
            "    (lambda *_: None)(m, node, lambda: binary(B.NE, _round(",
        ),
        ("barrier", "barrier twice"),
    ),
    Mistake(
        "a barrier does not count rounds",
        Rewrite(
            SYNC,
            "        return binary(B.OR, count, binary(B.SHL, number, Constant(_ROUND)))",
            "        return binary(B.OR, count, binary(B.SHL, FALSE, Constant(_ROUND)))",
        ),
        ("barrier", "barrier twice", "one of them is told"),
    ),
    Mistake(
        "who comes second does not wait for once",
        Rewrite(
            SYNC,
            "    until(m, node, lambda: binary(B.EQ, look(m, place, node, acquires), Constant(_DONE)))\n",
            "",
        ),
        ("once",),
    ),
    Mistake(
        "a signal wakes all",
        Rewrite(COND, "        lambda old: binary(B.XOR, old, bit),", "        lambda _: FALSE,"),
        ("one signal wakes only one",),
    ),
    Mistake(
        "keys of all threads are one",
        Rewrite(
            KEYS,
            "        new = select(binary(B.EQ, number, Constant(index)), value.expr, old.expr)",
            "        new = value.expr if old is not None and number is not None else old.expr",
        ),
        ("two keys",),
    ),
    Mistake(
        "nobody gets what a thread leaves behind",
        Rewrite(KEYS, "        if not name or slot is None", "        if name or slot is None"),
        ("what a thread leaves behind", "what a thread leaves behind is freed"),
    ),
    Mistake(
        "threads share thread-local variables",
        Rewrite(
            f"{C}.machine",
            '        label = f"{self.name}/{item.label}"\n',
            '        label = f"main/{item.label}"\n',
        ),
        ("a variable per thread", "a static variable per thread"),
    ),
    Mistake(
        "small scalars are never marked",
        Rewrite(
            MARKS,
            "        m.flow.emit(Store(address=address, value=FALSE, size=size, tags=_TAGS), m.span(node))\n",
            "        return\n",
        ),
        ("a byte that looks as if it was never set",),
    ),
    Mistake(
        "marks are not looked at",
        Rewrite(
            MARKS,
            "    return binary(B.OR, is_other, binary(B.EQ, Register(register), FALSE))",
            "    return TRUE",
        ),
        ("a byte that was never set",),
    ),
    Mistake(
        "all small values count as set",
        Rewrite(
            MARKS,
            "    if _is_bool(place.type):\n        return is_other",
            "    if _is_bool(place.type):\n        return TRUE",
        ),
        ("an atomic flag that was never set",),
    ),
    Mistake(
        "small variables begin set",
        Rewrite(
            f"{C}.lifetimes",
            "    is_marked = not is_set and not m.world.is_kernel and _has_few_small(item)",
            "    is_marked = False",
        ),
        ("a shared byte that was never set",),
    ),
    Mistake(
        "small variables in loops stay set",
        Rewrite(MARKS, "value=TRUE, size=size, tags=_TAGS", "value=FALSE, size=size, tags=_TAGS"),
        ("a byte of a loop that was never set",),
    ),
    Mistake(
        "marks of memory that comes again stay",
        Rewrite(MARKS, "            value = Constant(int(not is_zero))", "            value = FALSE"),
        ("bytes of memory that comes again",),
    ),
    Mistake(
        "calloc does not mark",
        Rewrite(f"{C}.translate", "initial=(int(not slot.is_zeroed),) * count,", "initial=(1,) * count,"),
        ("a byte of calloc that is counted up",),
    ),
    Mistake(
        "bytes outside of the heap share a mark with those in it",
        Rewrite(
            MARKS,
            "        inside = binary(B.LT, distance, Constant(count * heap.stride_of(shape)))",
            "        inside = TRUE",
        ),
        ("a static byte is set", "bytes outside of the heap are set"),
    ),
    Mistake(
        "shared locals are set from the beginning",
        Rewrite(LIVE, "        item.initial = dict(held)\n", ""),
        ("a local that was never set",),
    ),
    Mistake(
        "locals in loops keep what they held",
        Rewrite(LIVE, "        m.flow.emit(store, m.span(node))\n", "        store.size\n"),
        ("set in an earlier turn",),
    ),
    Mistake(
        "copies of locals count as set",
        Rewrite(
            LIVE,
            "        kinds.append((heap.unset_local(size), len(m.world.before.local_places)))",
            "        pass",
        ),
        ("a copy of what was never set",),
    ),
    Mistake(
        "allocated memory is aligned to pages",
        Rewrite(f"{C}.translate", "                alignment=alignment,", "                alignment=_PAGE,"),
        ("malloc aligns no better",),
    ),
    Mistake(
        "aligned_alloc is malloc",
        Rewrite(ALLOCATING, "    e.m.world.alignments[id(node)] = max(alignment, heap.ALIGNMENT)\n", ""),
        ("aligned_alloc aligns",),
    ),
    Mistake(
        "variables are aligned to pages",
        Rewrite(
            f"{C}.translate",
            "alignment=_PAGE if self._is_aligned else t.alignment_of(item.type),",
            "alignment=_PAGE,",
        ),
        ("a byte is aligned to nothing", "a word is aligned no better"),
    ),
    Mistake(
        "memcpy to what overlaps behind is fine",
        Rewrite(
            STRINGS,
            "        e.m.check(binary(B.AND, here, there), message, node)",
            "        e.m.check(there, message, node)",
        ),
        ("memcpy to itself, through memory",),
    ),
    Mistake(
        "memcpy inside one object is wrong",
        Rewrite(STRINGS, "abs(first.offset - second.offset) >= size", "False"),
        ("memcpy to what comes next",),
    ),
)
