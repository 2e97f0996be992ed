"""From LLVM IR to code IR: aggregates taken apart, `phi` as block parameters, addresses as arithmetic.

Only functions that the roots can reach are translated. What code IR cannot say is refused, with its place in
the source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from membar.code import ir as code
from membar.code.subobjects import Shape, has_bit_fields
from membar.diagnostics import InputError
from membar.languages.compiled.bypassed_declarations import silently_misused_variables
from membar.languages.compiled.constants import Constants, UnsupportedError, flatten, scalar_type
from membar.languages.compiled.exceptions import handlers
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.metadata import Place
from membar.languages.compiled.llvm.shapes import Shapes
from membar.languages.compiled.llvm.types import UnsizedTypeError
from membar.languages.compiled.located_errors import Refusal
from membar.languages.compiled.lower_function import FunctionBody, place_in_code, values_of
from membar.languages.compiled.unmarked_lifetimes import has_markers, may_outlive_its_block, not_checked
from membar.records import replace
from membar.source import SourceFile

CONSTRUCTORS, DESTRUCTORS = "llvm.global_ctors", "llvm.global_dtors"
# Where the compiled libraries of Rust say that their sources are.
_LIBRARIES_OF_RUST = ("/rustc/", "/rust/deps/")
# Variables that tell the linker something, and nothing else.
_FOR_THE_LINKER = frozenset({"llvm.used", "llvm.compiler.used", CONSTRUCTORS, DESTRUCTORS})


def lower_module(
    module: llvm.Module,
    roots: Iterable[str],
    read: Callable[[str], SourceFile | None],
    elsewhere: Collection[str] = (),
    is_replaced: Callable[[str], bool] = lambda _: False,
) -> code.Module:
    """The code IR of what the roots can reach.

    Args:
        module: the LLVM IR.
        roots: what is used from outside: `main`, operations of an object, what other files need.
        read: the text of the files that errors may show.
        elsewhere: names that other files define, whatever weak alias this one has for them.
        is_replaced: whether a function's body here does not count.

    Raises:
        InputError: something reachable cannot be said in code IR.
    """
    return ModuleLowering(module, Refusal(read), elsewhere, is_replaced).run(tuple(roots))


class ModuleLowering:
    """The functions and variables of one module, as far as they are reached."""

    def __init__(
        self,
        module: llvm.Module,
        refusal: Refusal,
        elsewhere: Collection[str],
        is_replaced: Callable[[str], bool],
    ) -> None:
        self.module = module
        self.layout = module.layout
        self.is_rust = module.is_rust
        self.constants = Constants(module, elsewhere)
        self.shapes = Shapes(module.metadata)
        self.refusal = refusal
        self.elsewhere, self.is_replaced = elsewhere, is_replaced
        self.objects: dict[str, code.Object] = {}
        self.functions: dict[str, code.Function] = {}
        self.allocated: dict[tuple[str, int, int], tuple[str, Shape]] = {}
        self.handlers: list[code.Place] = []
        self.is_marked, self.has_unmarked = has_markers(module), False
        self.silently_misused_variables: list[str] = []
        self.lines_of_less_alignment: set[int] = set()
        self._reached: list[str] = []

    def run(self, roots: tuple[str, ...]) -> code.Module:
        constructors, destructors = (
            tuple(self._constructors_in(CONSTRUCTORS)),
            tuple(self._constructors_in(DESTRUCTORS)),
        )
        for name in (*roots, *constructors, *destructors):
            is_variable = name in self.module.variables
            self.reach(code.ObjectAddress(name) if is_variable else code.FunctionAddress(name))
        while self._reached:
            name = self._reached.pop()
            if name in self.module.functions:
                self.functions[name] = self._function_or_name(self.module.functions[name])
        return code.Module(
            functions=dict(sorted(self.functions.items())),
            objects=dict(sorted(self.objects.items())),
            constructors=constructors,
            destructors=tuple((code.FunctionAddress(name), None, None) for name in destructors),
            handlers=tuple(self.handlers),
            allocated=self.allocated,
            partly_checked=self._partly_checked(),
            pointer_bits=self.layout.pointer_bits(),
            is_little_endian=self.layout.is_little_endian,
        )

    def _partly_checked(self) -> tuple[tuple[str, str], ...]:
        """What the compiler's choices hide."""
        found = self.shapes.lines_of_divided_bit_fields()
        where = f"line{'s' * (len(found) > 1)} {', '.join(map(str, found))}"
        divided = f"without races between the bit fields of {where} and adjacent ones"
        unmarked = (("memory", not_checked(is_marked=self.is_marked)),) if self.has_unmarked else ()
        less = sorted(self.lines_of_less_alignment)
        where = f"line{'s' * (len(less) > 1)} {', '.join(map(str, less))}"
        aligned = (("memory", f"without the alignment of what {where} access{'es' * (len(less) == 1)}"),)
        names = " and ".join(self.silently_misused_variables)
        part = f"without checking that {names}, whose declaration a jump skips, is used only inside its block"
        passed = (("memory", part),) if self.silently_misused_variables else ()
        return (*((("races", divided),) if found else ()), *unmarked, *passed, *(aligned if less else ()))

    def _constructors_in(self, name: str) -> Iterator[str]:
        """The functions that a list of constructors or destructors names, by their priority."""
        variable = self.module.variables.get(name)
        if variable is None or not isinstance(variable.initialiser, llvm.Aggregate):
            return
        found: list[tuple[int, int, str]] = []
        for number, entry in enumerate(variable.initialiser.elements):
            priority, function, *_ = self.constants.scalars(entry.type, entry.value)
            if isinstance(priority, code.Constant) and isinstance(function, code.FunctionAddress):
                found.append((priority.value, number, function.name))
        yield from (name for _, _, name in sorted(found))

    def reach(self, operand: code.Operand) -> None:
        """Notes that a function or variable is used."""
        if isinstance(operand, code.FunctionAddress):
            if operand.name not in self.functions and operand.name not in self._reached:
                self._reached.append(operand.name)
        elif isinstance(operand, code.ObjectAddress) and operand.name not in self.objects:
            variable = self.module.variables.get(operand.name)
            if variable is None or operand.name in _FOR_THE_LINKER:
                return
            try:
                found = self.constants.initial(variable)
            except UnsupportedError as problem:
                place = self._place_of_variable(variable)
                raise self.refusal.at(f"{variable.name}: {problem}", place, variable.span) from None
            shape = self.shapes.of_variable(variable.debug)
            if has_bit_fields(shape):
                # Beside bit fields the bytes of static variables are 0, and are read with them.
                found = replace(found, unset=())
            self.objects[operand.name] = replace(
                found,
                binding=_binding(variable.linkage),
                shape=shape,
                place=place_in_code(self._place_of_variable(variable)),
            )
            for _, target in found.addresses:
                self.reach(target)

    def _place_of_variable(self, variable: llvm.Variable) -> Place | None:
        metadata = self.module.metadata
        if variable.debug is None:
            return None
        node = metadata.resolve(metadata.node(variable.debug).fields.get("var"))
        if node is None:
            return None
        line = node.fields.get("line")
        return Place(metadata.file(node), line if isinstance(line, int) else 0, 0, "")

    def _place_of_function(self, function: llvm.Function) -> Place | None:
        if function.debug is None:
            return None
        node = self.module.metadata.node(function.debug)
        line = node.fields.get("line")
        return Place(self.module.metadata.file(node), line if isinstance(line, int) else 0, 0, "")

    def _function_or_name(self, function: llvm.Function) -> code.Function:
        """A function; without its body if it is one of Rust's libraries that membar cannot read.

        So it is refused where the program calls it, if it does.
        """
        reached = list(self._reached)
        try:
            return self._function(function)
        except InputError:
            place = self._place_of_function(function)
            if not self.is_rust or place is None or not place.file.startswith(_LIBRARIES_OF_RUST):
                raise
        self._reached = reached
        never_returns = function.is_noreturn
        return code.Function(name=function.name, parameters=(), results=(), never_returns=never_returns)

    def _function(self, function: llvm.Function) -> code.Function:
        try:
            parameters = [
                value
                for item in function.parameters
                for value in values_of(item.name, item.type, self.layout)
            ]
            results = [scalar_type(type_, self.layout) for _, type_ in flatten(function.result, self.layout)]
        except (UnsupportedError, UnsizedTypeError) as problem:
            raise self.refusal.at(f"{function.name}: {problem}", None, function.span) from None
        by_value = [
            (number, self.layout.size(item.by_value))
            for number, item in enumerate(function.parameters)
            if item.by_value is not None
        ]
        is_defined = function.is_defined and not self.is_replaced(function.name)
        body = FunctionBody(self, function) if is_defined else None
        blocks = () if body is None else body.blocks()
        if is_defined:
            found = (self.module.metadata.beginning_of_block(at) for at in handlers(function.blocks))
            self.handlers += [place for at in found if (place := place_in_code(at)) is not None]
            self.has_unmarked |= may_outlive_its_block(
                function, self.module.metadata, is_marked=self.is_marked
            )
        done = code.Function(
            name=function.name,
            parameters=tuple(parameters),
            results=tuple(results),
            blocks=blocks,
            is_variadic=function.is_variadic,
            never_returns=function.is_noreturn,
            by_value=tuple(by_value),
            binding=_binding(function.linkage),
            place=place_in_code(self._place_of_function(function)),
        )
        if body is not None and not self.is_rust and not self.module.is_given:
            inner = self._inner_variables(body.variables)
            self.silently_misused_variables += silently_misused_variables(
                done, inner, body.variables.keys() - inner.keys()
            )
        return done

    def _inner_variables(
        self, variables: Mapping[str, tuple[str, int | None, code.Place | None]]
    ) -> dict[str, str]:
        """How messages name the variables of inner blocks, by the name of their memory."""
        metadata = self.module.metadata
        found: dict[str, str] = {}
        for memory, (name, number, _) in variables.items():
            node = metadata.node(number) if number is not None else None
            scope = None if node is None else metadata.resolve(node.fields.get("scope"))
            if node is not None and scope is not None and scope.kind.startswith("DILexicalBlock"):
                found[memory] = f"`{name}` (line {node.fields.get('line', 0)})"
        return found


def _binding(linkage: str) -> str:
    """Whether other files can see a definition, and whether they may have one too."""
    if linkage in {"internal", "private"}:
        return "local"
    return "strong" if linkage in {"external", ""} else "weak"
