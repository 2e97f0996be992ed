# ruff: noqa: E501 - one mistake per line
"""Deliberate mistakes in how memory is laid out; programs of `strategies/c_layout_cases.py` must notice each."""

from __future__ import annotations

from differential.c_mistakes import C, Mistake
from differential.mutation import Rewrite

LAYOUT_MISTAKES = (
    Mistake("a tag is left out of the word", Rewrite(f"{C}.wholes", "        word = binary(B.ADD, word, shifted)", "        word = word if field.first else shifted"), ("an atomic structure is stored and loaded", "exchange gives the old structure")),
    Mistake("members are told from the wrong bits", Rewrite(f"{C}.wholes", "        code = binary(B.SHR, word, Constant(field.first)) if field.first else word\n        found", "        code = word\n        found"), ("an atomic structure is stored and loaded",)),
    Mistake("what does not fit is kept", Rewrite(f"{C}.wholes", "    _cut_unless(m, fits, node)", "    pass"), ("a large number that does not fit is cut",)),
    Mistake("what does not fit is forgotten", Rewrite(f"{C}.wholes", "    m.flow.state = no\n    m.flow.endless(span)", "    pass"), ("a large number that does not fit is cut",)),
    Mistake("addresses are coded as numbers", Rewrite(f"{C}.wholes", "    return select(is_address, address, low)", "    return low"), ("pointers in atomic structures", "a tag cures ABA")),
    Mistake("padding is compared as nothing", Rewrite(f"{C}.wholes", "    return _bits(whole.structure) < 8 * whole.structure.size", "    return False"), ("padding may make a strong compare-exchange fail",)),
    Mistake("members that were never set are stored", Rewrite(f"{C}.wholes", "        m.check(parts.are_all_set(slot), message, node)", "        pass"), ("part of a structure was never set",)),
    Mistake("initial values of atomic structures are lost", Rewrite(f"{C}.wholes", "        found[start + whole.shift] = Slot(", "        _ = Slot("), ("a failed compare-exchange gives what it found",)),
    Mistake("a failed exchange tells nothing", Rewrite(f"{C}.library.atomics", "        e.m.write(holder, result(found), node)\n        return Value(done, t.INT)", "        return Value(done, t.INT)"), ("a failed compare-exchange gives what it found",)),
    Mistake("an atomic structure is as aligned as its members", Rewrite(f"{C}.types", "            return max(alignment_of(target), size if size in _ATOMIC_SIZES else 1)", "            return alignment_of(target)"), ("the alignment of an atomic structure",)),
    Mistake("bit fields keep too much", Rewrite(f"{C}.values", "        held = truth(value) if target.integer.is_bool else narrowed(value.expr, target.width, target.integer)", "        held = value.expr"), ("a bit field is promoted",)),
    Mistake("bit fields have no sign", Rewrite(f"{C}.bitfields", "    return narrowed(binary(B.SHR, word, Constant(first)) if first else word, kind.width, kind.integer)", "    return narrowed(binary(B.SHR, word, Constant(first)) if first else word, kind.width, t.ULONG)"), ("bit fields keep what fits", "bit fields of a local")),
    Mistake("bit fields are not promoted", Rewrite(f"{C}.types", "        if self.width <= limit:\n            return INT", "        if self.width <= 0:\n            return INT"), ("a bit field is promoted",)),
    Mistake("a bit field replaces its neighbours", Rewrite(f"{C}.bitfields", "        before = select(parts.are_all_set(old), old.expr, FALSE)", "        before = FALSE"), ("bit fields keep what fits",)),
    Mistake("a bit field keeps the mark of memory that was never set", Rewrite(f"{C}.bitfields", "        before = select(parts.are_all_set(old), old.expr, FALSE)", "        before = old.expr"), ("bit fields on the heap, all in one word",)),
    Mistake("one bit field sets all", Rewrite(f"{C}.bitfields", "    m.flow.put(item.key(offset), Slot(new, parts.with_bits(slot.defined, _mask(first, kind), around)))", "    m.flow.put(item.key(offset), Slot(new))"), ("a bit field that was never set",)),
    Mistake("a bit field may be set on some ways only", Rewrite(f"{C}.bitfields", '    m.check(parts.are_set(slot, _mask(first, kind)), f"`{item.name}` is read before it was set", node)', "    pass"), ("a bit field that was never set", "a bit field set one way")),
    Mistake("bit fields begin anywhere", Rewrite(f"{C}.layout", "        if item.width == 0 or start // unit != (start + item.width - 1) // unit:", "        if item.width == 0:"), ("bit fields do not cross their units",)),
    Mistake("an empty bit field divides nothing", Rewrite(f"{C}.layout", "        if item.width == 0 or structure.is_union:\n            runs.append([])", "        if structure.is_union:\n            runs.append([])"), ("bit fields behind an empty one do not race",)),
    Mistake("a word takes its neighbour in", Rewrite(f"{C}.layout", "        if end <= at + size and free.issuperset(range(at, at + size)):", "        if end <= at + size:"), ("a bit field and a char beside it do not race",)),
    Mistake("words are bytes", Rewrite(f"{C}.layout", "        unit = max(bits.integer.size for bits in run)", "        unit = 1"), ("bit fields and their word under a lock",)),
    Mistake("initial bit fields overwrite each other", Rewrite(f"{C}.parts", "    whole = put_bits(old.expr, 8 * part.start + bits.first, bits.width, value.expr, part.kind)", "    whole = put_bits(FALSE, 8 * part.start + bits.first, bits.width, value.expr, part.kind)"), ("bit fields of a local",)),
    Mistake("smaller scalars count where places overlap", Rewrite(f"{C}.types", "key=lambda item: (-item[0][1], item[0][0])", "key=lambda item: (item[0][1], item[0][0])"), ("sizes of several kinds swapped through bytes", "several types from a global array of bytes")),
    Mistake("what is carved out is the first of its kind", Rewrite(f"{C}.arenas", "        for turn in range(len(run) // size)", "        for turn in range(1)"), ("nodes from an array of bytes", "nodes from shared bytes")),
    Mistake("pointers that ways meet in come from nowhere", Rewrite(f"{C}.arenas", "            todo += _settings(m, item.name)", "            pass"), ("nodes from an array of bytes",)),
    Mistake("places of several types need not be known", Rewrite(f"{C}.arenas", "        contents.needed(m)  # made of several types: the places must be known", "        pass"), ("several types from a global array of bytes",)),
    Mistake("carved memory has bytes, too", Rewrite(f"{C}.types", "    rest = [part for leaf in found for part in _uncovered(leaf, taken)]", "    rest = list(found)"), ("nodes from allocated bytes", "numbers in an array of bytes", "nodes from an array of bytes")),
    Mistake("more threads than are written out are forgotten", Rewrite(f"{C}.statements", "            self._leave_unless(node.cond)\n        flow.endless(self.m.span(node))", "            self._leave_unless(node.cond)\n        flow.state = None"), ("fewer threads than there may be", "threads as long as somebody wants")),
    Mistake("the last thread is not waited for", Rewrite(f"{C}.statements", "        if isinstance(node, ast.For | ast.While):\n            self._leave_unless(node.cond)\n        flow.endless", "        flow.endless"), ("threads as many as are written out",)),
    Mistake("one thread less is created", Rewrite(f"{C}.statements", "        for _ in range(self._most_threads(node)):", "        for _ in range(self._most_threads(node) - 2):"), ("any number of threads up to three, wrong",)),
    Mistake("zero has one sign", Rewrite(f"{C}.floats", "    return select(is_negative, unary(UnaryOp.NEGATE, magnitude), magnitude)", "    return bits"), ("zero has two signs", "doubles are copied and compared")),
    Mistake("minus zero is true", Rewrite(f"{C}.values", "        return binary(B.NE, binary(B.SHL, value.expr, Constant(65 - 8 * value.type.size)), FALSE)", "        return binary(B.NE, value.expr, FALSE)"), ("zero has two signs",)),
    Mistake("everything is a number", Rewrite(f"{C}.floats", "    are_numbers = conjunction(_is_number(x.expr, kind), _is_number(y.expr, kind))", "    are_numbers = Constant(1)"), ("not a number",)),
    Mistake("floats are as exact as doubles", Rewrite(f"{C}.floats", "        if narrow is None or _number(narrow) != number:", "        if narrow is None:"), ("known numbers are calculated",)),
)  # fmt: skip
"""What is wrong, and who notices."""
