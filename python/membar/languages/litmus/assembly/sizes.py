"""How large each location is: as declared, or as it is accessed; mixed sizes are refused."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from membar.diagnostics import Diagnostic, InputError, Label
from membar.languages.litmus import codes
from membar.languages.litmus.assembly.reach import ANY, Access, accesses
from membar.program.expr import Address
from membar.program.operations import Load, Rmw, Store, StoreConditional
from membar.program.program import MemoryObject, Program
from membar.records import replace

_DEFAULT_SIZE = 4


def with_sizes(program: Program, untyped: AbstractSet[str]) -> Program:
    """`program` with the sizes of the locations named in `untyped` taken from their accesses.

    Raises:
        InputError: an access is wider or narrower than the location it can reach, or an initial value does
            not fit into a location without a type.
    """
    found = () if _is_uniform(program, untyped) else accesses(program)
    problems: dict[str, Diagnostic] = {}
    objects: list[MemoryObject] = []
    for item in program.objects:
        reaching = [access for access in found if _reaches(program, access, item)]
        size = item.size
        if item.name in untyped:
            size = reaching[0].size if reaching else _unused_size(item)
        for access in reaching:
            if access.size != size and access.span is not None:
                first = None if item.name not in untyped else reaching[0]
                problems.setdefault(item.name, _mixed_size_error(item, size, access, first))
        # A declared type converts the value, as C does; a size that only accesses tell must not change it.
        for value in item.initial if item.name in untyped else ():
            if isinstance(value, int) and not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
                problems.setdefault(item.name, _too_wide(item, size, value))
        objects.append(item if item.size == size else replace(item, size=size))
    if problems:
        raise InputError(*problems.values())
    return replace(program, objects=tuple(objects))


def _is_uniform(program: Program, untyped: AbstractSet[str]) -> bool:
    """Whether all accesses and locations have one size, whatever reaches what: so do those of most tests."""
    sizes = {
        operation.size
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
        if isinstance(operation, Load | Store | StoreConditional | Rmw)
    }
    sizes |= {_unused_size(item) if item.name in untyped else item.size for item in program.objects}
    return len(sizes) == 1


def _reaches(program: Program, access: Access, item: MemoryObject) -> bool:
    if access.addresses is ANY:
        return False
    base = program.bases[item.name]
    return any(base <= address < base + item.size * item.count for address in access.addresses)


def _unused_size(item: MemoryObject) -> int:
    """A location that no instruction can reach is an int, or an address if it holds one."""
    return 8 if any(isinstance(value, Address) for value in item.initial) else _DEFAULT_SIZE


def _too_wide(item: MemoryObject, size: int, value: int) -> Diagnostic:
    return Diagnostic(
        code=codes.TYPE,
        message=f"{value} does not fit into the {8 * size} bits of `{item.name}`",
        primary=None if item.span is None else Label(item.span, f"expected a number of {8 * size} bits"),
        help=f"declare a wider type, `int64_t {item.name}={value};`, and access it as such",
    )


def _mixed_size_error(item: MemoryObject, size: int, access: Access, first: Access | None) -> Diagnostic:
    others: list[Label] = []
    if first is not None and first.span is not None:
        others.append(Label(first.span, f"{size} bytes here"))
    elif item.span is not None:
        others.append(Label(item.span, f"declared with {size} bytes here"))
    if access.span is None:
        raise AssertionError
    return Diagnostic(
        code=codes.MIXED_SIZE,
        message=f"mixed-size accesses are not supported: {access.size} bytes of the {size} of `{item.name}`",
        primary=Label(access.span, f"accesses {access.size} bytes"),
        others=tuple(others),
        help="always access a location with the same size",
    )
