"""Shapes of variables from the debug information."""

from __future__ import annotations

from itertools import pairwise

from membar.code.subobjects import Shape
from membar.languages.compiled.llvm.metadata import Metadata, Node, Ref, Value

_WRAPPERS = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type")
_STRUCTURES = ("DW_TAG_structure_type", "DW_TAG_union_type", "DW_TAG_class_type")
_BIT_FIELD = "DIFlagBitField"
# A static member is elsewhere; where the object of a virtual base is, only the virtual table says.
_ELSEWHERE = ("DIFlagStaticMember", "DIFlagVirtual")
_CRATES_OF_RUST = ("core", "alloc", "std")


def _number(node: Node, name: str) -> int:
    found = node.fields.get(name)
    return found if isinstance(found, int) else 0


def _is_bit_field(node: Node) -> bool:
    return _BIT_FIELD in str(node.fields.get("flags", ""))


class Shapes:
    """Reads types; each is read once."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        self._known: dict[int, Shape | None] = {}

    def of_variable(self, number: int | None) -> Shape | None:
        """The shape of the variable that a node describes; None if its type says nothing."""
        node = None if number is None else self._metadata.node(number)
        if node is not None and node.kind == "DIGlobalVariableExpression":
            node = self._metadata.resolve(node.fields.get("var"))
        return None if node is None else self._of(node.fields.get("type"))

    def of_target(self, number: int | None) -> tuple[str, Shape] | None:
        """Name and shape of what the pointer in a variable points to; None if it is none, or to anything."""
        node = None if number is None else self._metadata.node(number)
        if node is not None and node.kind == "DIGlobalVariableExpression":
            node = self._metadata.resolve(node.fields.get("var"))
        node = None if node is None else self._metadata.resolve(node.fields.get("type"))
        while node is not None and node.fields.get("tag") in _WRAPPERS:
            node = self._metadata.resolve(node.fields.get("baseType"))
        if node is None or node.fields.get("tag") != "DW_TAG_pointer_type":
            return None
        base = node.fields.get("baseType")
        target, shape = self._metadata.resolve(base), self._of(base)
        while target is not None and "name" not in target.fields and target.fields.get("tag") in _WRAPPERS:
            target = self._metadata.resolve(target.fields.get("baseType"))
        name = None if target is None else target.fields.get("name")
        return (name, shape) if isinstance(name, str) and shape is not None else None

    def lines_of_divided_bit_fields(self) -> list[int]:
        """The lines of bit fields beside each other that lie in different units.

        C calls them one memory location, and the compiler may access them together; that it does not do so
        here says nothing about races. One that begins a unit although it would fit into the one before it
        has a field of no width in front of it: that divides locations in C, too.
        """
        scopes = {node.fields.get("scope") for node in self._metadata.nodes_with(_BIT_FIELD)}
        found: set[int] = set()
        for scope in scopes:
            structure = self._metadata.resolve(scope)
            for one, other in pairwise([] if structure is None else self._elements(structure)):
                if _is_bit_field(one) and _is_bit_field(other) and self._are_divided(one, other):
                    found.add(_number(other, "line"))
        return sorted(found)

    def _are_divided(self, one: Node, other: Node) -> bool:
        end, start = _number(one, "offset") + _number(one, "size"), _number(other, "offset")
        unit = self._of(other.fields.get("baseType"))
        bits = 8 * unit.size if unit is not None else 32
        is_cut = start != end and 0 < end % bits <= bits - _number(other, "size")
        return one.fields.get("extraData") != other.fields.get("extraData") and not is_cut

    def _of(self, value: Value) -> Shape | None:
        if not isinstance(value, Ref):
            return None
        if value.number not in self._known:
            self._known[value.number] = None  # ends a cycle in broken metadata
            self._known[value.number] = self._read(self._metadata.node(value.number))
        return self._known[value.number]

    def _read(self, node: Node) -> Shape | None:
        tag, bits = node.fields.get("tag"), node.fields.get("size")
        size = (bits + 7) // 8 if isinstance(bits, int) else 0
        if tag in _WRAPPERS:
            return self._of(node.fields.get("baseType"))
        if tag == "DW_TAG_array_type":
            return self._array(node)
        if tag in _STRUCTURES:
            members = [each for item in self._elements(node) if (each := self._member(item)) is not None]
            sized = [(offset, shape) for offset, _, shape in members if shape.size]
            if len(sized) == 1 and self._is_of_rust(node):
                # Of an `AtomicBool` or `UnsafeCell` the user knows only the whole.
                members = [(offset, "", shape) for offset, shape in sized]
            return Shape(size=size, members=tuple(members))
        return Shape(size=size) if size else None

    def _is_of_rust(self, node: Node) -> bool:
        """Whether a type is one of Rust's library."""
        name = None
        scope = self._metadata.resolve(node.fields.get("scope"))
        while scope is not None and scope.kind == "DINamespace":
            name, scope = scope.fields.get("name"), self._metadata.resolve(scope.fields.get("scope"))
        return name in _CRATES_OF_RUST

    def _elements(self, node: Node) -> list[Node]:
        found = self._metadata.resolve(node.fields.get("elements"))
        items = () if found is None else found.elements
        return [item for each in items if (item := self._metadata.resolve(each)) is not None]

    def _array(self, node: Node) -> Shape | None:
        shape = self._of(node.fields.get("baseType"))
        for each in reversed(self._elements(node)):
            count = each.fields.get("count")
            if shape is None:
                return None
            number = count if isinstance(count, int) and count > 0 else 0
            shape = Shape(size=number * shape.size, element=shape)
        return shape

    def _member(self, node: Node) -> tuple[int, str, Shape] | None:
        """A member of a structure, or its base class; a bit field stands for the bytes that it is in."""
        name, offset = node.fields.get("name"), node.fields.get("offset")
        shape, tag = self._of(node.fields.get("baseType")), node.fields.get("tag")
        if shape is None or any(flag in str(node.fields.get("flags", "")) for flag in _ELSEWHERE):
            return None
        if tag != "DW_TAG_member" and not (tag == "DW_TAG_inheritance" and shape.members):
            return None
        start = offset if isinstance(offset, int) else 0
        if _is_bit_field(node):
            bits = node.fields.get("size")
            width = bits if isinstance(bits, int) else 8
            shape = Shape(size=(start % 8 + width + 7) // 8, is_bit_field=True)
        return start // 8, name if isinstance(name, str) else "", shape
