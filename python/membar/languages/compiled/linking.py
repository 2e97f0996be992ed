"""Links the files of a program with one another and with the library, as far as `main` reaches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from membar.code import ir as code
from membar.code.passes.link import Refuse, link, named_operands, rename
from membar.code.passes.resolve_exceptions import resolve_exceptions
from membar.code.passes.resolve_kernel import resolve_kernel
from membar.code.passes.resolve_library import is_overridden, library_name, resolve_library, without_instances
from membar.code.passes.resolve_weak import resolve_weak, with_addresses
from membar.code.passes.static_destructors import take_static_destructors
from membar.code.primitives import PREFIX
from membar.code.structure import has_assembly
from membar.code.validate import MalformedCodeError, validate
from membar.diagnostics import InputError
from membar.languages.compiled.constants import Constants
from membar.languages.compiled.demangling import demangle
from membar.languages.compiled.library_bodies import Library, file_of, names_in
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.metadata import Place
from membar.languages.compiled.located_errors import Refusal
from membar.languages.compiled.lower import CONSTRUCTORS, lower_module
from membar.records import record, replace
from membar.source import SourceFile

Read = Callable[[str], SourceFile | None]
_OWN = "@library"
# Of assembly outside functions: these name symbols and sections, and put nothing there.
_HARMLESS_DIRECTIVES = {
    *(".symver", ".globl", ".global", ".hidden", ".ident", ".type", ".size", ".file"),
    *(".text", ".data", ".bss", ".section", ".previous", ".pushsection", ".popsection"),
}
_OF_CODE = {
    ".globl",
    ".global",
    ".hidden",
    ".type",
    ".size",
    ".file",
    ".text",
    ".align",
    ".balign",
    ".p2align",
}
ENTRY = "main"


def link_program(
    modules: Sequence[llvm.Module],
    library: Library,
    read: Read,
    *,
    entry: str = ENTRY,
    modelled: str | None = None,
    mapping: str = "",
    inline_bodies: Callable[[int], llvm.Module | None] = lambda _: None,
) -> code.Module:
    """The code IR of a program with everything that it calls.

    Args:
        modules: the files of the program.
        library: bodies of functions that the program does not define.
        read: the text of the files that errors may show.
        entry: the function that is called first.
        modelled: the processor of the memory model; None for models of languages.
        mapping: how C11's operations are compiled for it.
        inline_bodies: a file again, with bodies for functions that are only `inline`; None if it has none.

    Raises:
        InputError: definitions contradict one another, or something is defined nowhere.
    """
    linking = _Linking(modules, library, read, inline_bodies)
    linked = replace(linking.run(entry), processor=modelled)
    if not any(map(has_assembly, linked.functions.values())):
        return linked
    from membar.code.passes.resolve_assembly import resolve_assembly  # noqa: PLC0415 - most code has none

    return resolve_assembly(
        linked, library.target.processor, linking.refuse, modelled=modelled, mapping=mapping
    )


@record(eq=False)
class _Unit:
    """A file of the program: what of it is needed, and the code of that."""

    module: llvm.Module
    roots: set[str]
    code: code.Module | None = None
    has_inline_bodies: bool = False


@record(eq=False)
class _LibraryFile:
    """A file of the library: what of it is needed, and the code of that."""

    name: str
    roots: set[str]
    code: code.Module | None = None


class _Linking:
    def __init__(
        self,
        modules: Sequence[llvm.Module],
        library: Library,
        read: Read,
        inline_bodies: Callable[[int], llvm.Module | None],
    ) -> None:
        self.program = [_Unit(module, set()) for module in modules]
        self.files: dict[str, _LibraryFile] = {}
        self.library, self.read, self.inline_bodies = library, read, inline_bodies
        self.definitions = self._definitions()
        self.aliases = self._aliases()
        self.refuse: Refuse = _refusal(read)
        self.has_rust = any(module.is_rust for module in modules)

    def _definitions(self) -> dict[str, _Unit]:
        """The file of the program that defines each name others can see."""
        found: dict[str, _Unit] = {}
        for unit in self.program:
            for name in _defined_names(unit.module):
                found.setdefault(name, unit)
        return found

    def _aliases(self) -> dict[str, tuple[_Unit, code.ObjectAddress | code.FunctionAddress]]:
        """Other names that files give to what they define, unless somebody defines such a name itself."""
        found: dict[str, tuple[_Unit, code.ObjectAddress | code.FunctionAddress]] = {}
        for unit in self.program:
            for name, alias in unit.module.aliases.items():
                if name not in self.definitions and not alias.is_resolver:
                    found.setdefault(name, (unit, Constants(unit.module).address(name)))
        return found

    def run(self, entry: str) -> code.Module:
        for unit in self.program:
            _refuse_data_in_assembly(unit.module, self.refuse)
            if entry in _defined_names(unit.module):
                unit.roots.add(entry)
            unit.roots |= self._defined_twice(unit)
        while self._lower():
            pass
        units = [self._without_aliases(unit.code) for unit in self.program if unit.code is not None]
        own = [self._rename_apart(unit) for unit in self.files.values()]
        bodies = {
            name
            for module in own
            for name, item in module.functions.items()
            if item.blocks and item.binding != "local"
        }
        linked = without_instances(link([*units, *own], self.refuse, bodies), bodies)
        linked = resolve_exceptions(linked)
        if self.has_rust:
            from membar.languages.compiled.rust.runtime import refuse_missing  # noqa: PLC0415 - only for Rust

            is_given = any(unit.module.is_given for unit in self.program)
            linked = refuse_missing(linked, self.refuse, is_given=is_given)
        return resolve_library(resolve_weak(linked), bodies, self.refuse, self._advise, show=demangle)

    def _advise(self, name: str) -> str:
        """A way out for a function without a body."""
        if self.has_rust:
            return f'define it in the program, `#[no_mangle] extern "C" fn {name}`, under `#[cfg(membar)]`'
        if demangle(name) == name:
            return "give it one in a further file, `membar check main.c stubs.c`"
        return f"give it one in a further file, `membar check main.cpp stubs.cpp`; its symbol is `{name}`"

    def _without_aliases(self, module: code.Module) -> code.Module:
        """A file that names what aliases of other files stand for."""
        known = {
            name: target
            for name, (_, target) in self.aliases.items()
            if name in module.functions or name in module.objects
        }
        if not known:
            return module
        functions = {name: item for name, item in module.functions.items() if name not in known}
        objects = {name: item for name, item in module.objects.items() if name not in known}
        return with_addresses(replace(module, functions=functions, objects=objects), known.get)

    def _defined_twice(self, unit: _Unit) -> set[str]:
        """What another file defines too: link must see both."""
        return {
            name
            for name in _defined_names(unit.module)
            if any(other is not unit and name in _defined_names(other.module) for other in self.program)
        }

    def _lower(self) -> bool:
        """Lowers what changed, and asks for what it needs; whether anything is left to do."""
        units: list[_Unit | _LibraryFile] = [
            *(unit for unit in self.program if unit.roots or CONSTRUCTORS in unit.module.variables),
            *self.files.values(),
        ]
        changed = [unit for unit in units if unit.code is None]
        for unit in changed:
            unit.code = self._code_of(unit)
            for name in _undefined_names(unit.code):
                self._need(name)
        return bool(changed)

    def _code_of(self, unit: _Unit | _LibraryFile) -> code.Module:
        """The code of what is needed of a file."""
        roots = sorted(unit.roots)
        if isinstance(unit, _LibraryFile):
            lowered = self.library.code(unit.name, roots, self.read)
        else:
            lowered = lower_module(unit.module, roots, self.read, self.definitions, is_overridden)
            lowered = take_static_destructors(lowered)
            if unit.module.is_given:
                self._validate(lowered)
            if self.has_rust:
                from membar.languages.compiled.rust.runtime import resolve_runtime, variables_used  # noqa: PLC0415 - only for Rust

                uses = variables_used(each.module for each in self.program)
                lowered = resolve_runtime(lowered, self.definitions, uses)
        return resolve_kernel(lowered, self.refuse)

    def _validate(self, lowered: code.Module) -> None:
        """Passes rely on code that a compiler made; what the user gives may be anything."""
        try:
            validate(lowered)
        except MalformedCodeError as problem:
            raise self.refuse(f"this LLVM IR is malformed: {problem}", None) from None

    def _need(self, name: str) -> None:
        """Asks the file that defines a name for it."""
        unit: _Unit | _LibraryFile | None = self.definitions.get(name)
        if unit is None and name in self.aliases:
            unit, target = self.aliases[name]
            name = target.name
        name = library_name(name)
        if is_overridden(name) or unit is None:
            unit = None if name.startswith(_HOOK) else self._library_unit(name) or self._inline_unit(name)
            if unit is None:
                return
        if name not in unit.roots:
            unit.roots.add(name)
            unit.code = None

    def _library_unit(self, name: str) -> _LibraryFile | None:
        """The file of the library that defines a name."""
        file = file_of(name)
        if file is None:
            return None
        if file not in self.files:
            hooks = {each for each in names_in(file) if each.startswith(_HOOK)}
            self.files[file] = _LibraryFile(file, hooks)
        return self.files[file]

    def _inline_unit(self, name: str) -> _Unit | None:
        """The file of the program that defines a function only as `inline`.

        C says that such a body is for calls that are inlined, and the compiler leaves it out. It is taken if
        nothing else of the file changes.
        """
        for number, unit in enumerate(self.program):
            if name not in unit.module.functions or unit.has_inline_bodies:
                continue
            found = self.inline_bodies(number)
            before = _defined_names(unit.module)
            if found is None or name not in _defined_names(found) or not before <= _defined_names(found):
                continue
            for added in _defined_names(found) - before:
                if added in found.functions:
                    found.functions[added].linkage = "linkonce"  # other files may have it too
                self.definitions.setdefault(added, unit)
            unit.module, unit.code, unit.has_inline_bodies = found, None, True
            return unit
        return None

    def _rename_apart(self, unit: _LibraryFile) -> code.Module:
        """A file of the library, its variables hidden, with other names for what the program defines too."""
        assert unit.code is not None
        functions = {
            name: name + _OWN
            for name, item in unit.code.functions.items()
            if item.blocks and name in self.definitions and not is_overridden(name)
        }
        objects = {
            name: name + _OWN
            for name, item in unit.code.objects.items()
            if item.content is not None and name in self.definitions
        }
        hidden = {name: replace(item, is_hidden=True) for name, item in unit.code.objects.items()}
        return rename(replace(unit.code, objects=hidden), functions, objects)


_HOOK = "__mb_end_of_"


def _defined_names(module: llvm.Module) -> set[str]:
    """What a file defines for others to see."""
    functions = {
        item.name for item in module.functions.values() if item.is_defined and _is_seen(item.linkage)
    }
    variables = {
        item.name
        for item in module.variables.values()
        if item.initialiser is not None and _is_seen(item.linkage)
    }
    return functions | variables


def _is_seen(linkage: str) -> bool:
    return linkage not in {"internal", "private", "appending"}


def _undefined_names(module: code.Module) -> set[str]:
    """What a module names and does not define; and what is taken from the library in any case."""
    found = {name for name, item in module.functions.items() if not item.blocks}
    found |= {name for name, item in module.objects.items() if item.content is None}
    found |= {
        operand.name
        for function in module.functions.values()
        for operand, _ in named_operands(function)
        if isinstance(operand, code.FunctionAddress)
        and (operand.name not in module.functions or is_overridden(operand.name))
    }
    return {name for name in found if not name.startswith(PREFIX)}


def _refusal(read: Read) -> Refuse:
    refusal = Refusal(read)

    def refuse(message: str, place: code.Place | None) -> InputError:
        return refusal.at(message, _in_source(place))

    return refuse


def _refuse_data_in_assembly(module: llvm.Module, refuse: Refuse) -> None:
    """Refuses assembly outside functions that is more than code: it may do anything."""
    if not module.assembly:
        return
    from membar.code.assembly.template import read_statements  # noqa: PLC0415 - few programs have any

    text = "\n".join(module.assembly)
    words = {statement.mnemonic for statement in read_statements(text)}
    if words <= _HARMLESS_DIRECTIVES:
        return
    if any(word.startswith(".") and word not in _OF_CODE for word in words):
        place = f"outside functions in {module.source_name}"
        raise refuse(f"the assembly `{text.strip()}` {place} is not supported", None)


def _in_source(place: code.Place | None) -> Place | None:
    return None if place is None else Place(place.file, place.line, place.column, place.function)
