"""Compiles all files of a program by one compiler for one target, and says what the answer cannot cover.

The target follows the model. Where no compiler has its headers, the files are compiled for x86-64; if their
text looks at the processor then, nothing can be said about the model's. Nothing stands for a target that the
user names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.compiler import Compiler, find_compilers, is_script
from membar.languages.compiled.driver import (
    BITCODE,
    TEXT,
    Compilation,
    CompileOptions,
    MissingHeaderError,
    compile_file,
    texts_of_program,
)
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.source_language import CPP, C, source_language
from membar.languages.compiled.target import (
    OTHER_SIZES,
    TARGETS,
    UNSIGNED_CHARACTERS,
    X86_64,
    Target,
    choose_target,
    is_of_processor,
    processor_of,
    target_of_triple,
)
from membar.records import record, replace
from membar.source import pattern
from membar.text.file_paths import suffix

_LOOKS_AT_PROCESSOR = pattern(
    r"\b(?:__x86_64\w*|__amd64\w*|__i386\w*|__aarch64__|__arm__|__ARM_\w+|__riscv\w*|__powerpc\w*|__PPC\w*|__ppc\w*)\b"
    r"|\b(?:asm|__asm__|__asm)\b"
)
_HAS_HEADERS = "the package ziglang has them: pip install membar[clang]"
_ENTRY = "main"
# How LLVM IR names the languages that it was made from, except for C.
_IN_DEBUG_INFORMATION = {"language: DW_LANG_C_plus_plus": CPP.name, "language: DW_LANG_Rust": "Rust"}
RUST = (".rs", ".toml")


@record(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """What the user says about compiling a program.

    Attributes:
        mapping: the compiler mapping of the memory model that is asked about; "" for models of languages.
        clang: `--clang`.
        rustc: `--rustc`.
        target: `--target`.
        data_model: `--data-model`, or what the description of a verification task says.
        options: of every file.
        of_file: options of single files instead, by path, as `compile_commands.json` gives them.
        seconds: for each run of a compiler.
    """

    mapping: str = ""
    clang: str | None = None
    rustc: str | None = None
    target: str | None = None
    data_model: str | None = None
    options: CompileOptions = CompileOptions()
    of_file: tuple[tuple[str, CompileOptions], ...] = ()
    seconds: float | None = None

    def options_of(self, path: str) -> CompileOptions:
        """The options of one file."""
        return next((options for name, options in self.of_file if name == path), self.options)


@record(frozen=True, slots=True, kw_only=True)
class Build:
    """A compiled program.

    Attributes:
        files: what the compiler made of each file.
        modules: the LLVM IR of each.
        compiler: the one that compiled them, and compiles the library.
        target: for which processor.
        caveats: what the answer does not cover; with any, it is not a plain HOLDS.
        chosen_caveats: those of them that the user chose.
        reason: why nothing can be said about the model's processor; None if something can.
        processor: of the memory model; None for models of languages.
        language: whose memory model the program relies on, as in `Program.language`.
    """

    files: tuple[Compilation, ...]
    modules: tuple[llvm.Module, ...]
    compiler: Compiler
    target: Target
    caveats: tuple[str, ...] = ()
    chosen_caveats: tuple[str, ...] = ()
    reason: str | None = None
    processor: str | None = None
    language: str = C.name

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the compiler had to say about all files."""
        return tuple(item for file in self.files for item in file.warnings)


def build(paths: Sequence[str], chosen: BuildOptions) -> Build:
    """The files of a program, compiled.

    Raises:
        InputError: no compiler can be used, or the program is wrong.
    """
    if any(suffix(path) in RUST for path in paths):
        from membar.languages.compiled.rust.driver import build_rust  # noqa: PLC0415 - only for Rust

        return build_rust(paths, chosen)
    target = choose_target(chosen.mapping, named=chosen.target, data_model=chosen.data_model)
    processor = processor_of(chosen.mapping)
    done = _compiled_by_first(paths, chosen, target)
    reason, replaced = None, chosen.options.replaced
    if isinstance(done, MissingHeaderError):
        found = None if target is X86_64 else _compiled_by_first(paths, chosen, X86_64)
        if found is None or isinstance(found, MissingHeaderError):
            raise done
        lack = f"no compiler has the headers of {target.processor}"
        if chosen.target is not None or chosen.data_model is not None:
            option = (
                f"--data-model {chosen.data_model}" if chosen.target is None else f"--target {chosen.target}"
            )
            raise InputError(Diagnostic(code="W1522", message=f"{option}: {lack}", help=_HAS_HEADERS))
        reason = _why_not(found, lack, replaced)
        target, done = X86_64, found
    elif processor is not None and processor not in TARGETS:
        reason = _why_not(done, f"membar cannot compile for {processor}", replaced)
    modules = tuple(read_module(item.module) for item in done)
    for item, module in zip(done, modules, strict=True):
        module.is_given = suffix(item.files[0]) == TEXT
    _check_triples(done, modules, target)
    chosen_caveats: tuple[str, ...] = ()
    if chosen.target is not None and not is_of_processor(target, processor):
        chosen_caveats = (f"compiled for {target.processor}, which is not the processor of the memory model",)
    return Build(
        files=tuple(done),
        modules=modules,
        compiler=done[0].compiler,
        target=target,
        caveats=(*_caveats(done, target, processor), *chosen_caveats),
        chosen_caveats=chosen_caveats,
        reason=reason,
        processor=processor,
        language=_language(done),
    )


def file_of_first_choice(built: Build, chosen: BuildOptions) -> str | None:
    """The program file of the compiler, if it is the first choice, for the target of the model; else None."""
    if suffix(built.files[0].files[0]) in RUST:
        return built.compiler.command[0]
    target = choose_target(chosen.mapping, named=chosen.target, data_model=chosen.data_model)
    first = next(find_compilers(chosen.clang, os.environ))
    is_first = built.target is target and built.reason is None and built.compiler == first
    return first.command[0] if is_first and not is_script(first) else None


def require_main(paths: Sequence[str], modules: Sequence[llvm.Module]) -> None:
    """Checks that the program has a `main`; link finds a second one.

    Raises:
        InputError: it has none.
    """
    functions = (module.functions.get(_ENTRY) for module in modules)
    if not any(function is not None and function.is_defined for function in functions):
        message = f"{', '.join(paths)}: the program has no function `{_ENTRY}`"
        raise InputError(Diagnostic(code="W1521", message=message))


def with_inline_bodies(built: Build, chosen: BuildOptions, number: int) -> llvm.Module | None:
    """A file of the program again, with bodies for functions that are only `inline`; None if it has none."""
    if number >= len(built.files):  # what membar links in
        return None
    path = built.files[number].files[0]
    if suffix(path) in {TEXT, BITCODE, *RUST} or source_language(path) is not C:
        return None
    options = _options_for(path, chosen, built.target)
    with_bodies = replace(options, others=(*options.others, "-fgnu89-inline"))
    done = compile_file(
        path, compiler=built.compiler, target=built.target, options=with_bodies, seconds=chosen.seconds
    )
    return read_module(done.module)


def _compiled_by_first(
    paths: Sequence[str], chosen: BuildOptions, target: Target
) -> list[Compilation] | MissingHeaderError:
    """The files, compiled by the first compiler that has all their headers."""
    missing: MissingHeaderError | None = None
    for compiler in find_compilers(chosen.clang, os.environ):
        try:
            return [
                compile_file(
                    path,
                    compiler=compiler,
                    target=target,
                    options=_options_for(path, chosen, target),
                    seconds=chosen.seconds,
                )
                for path in paths
            ]
        except MissingHeaderError as problem:
            missing = missing or problem
    assert missing is not None
    return missing


def _options_for(path: str, chosen: BuildOptions, target: Target) -> CompileOptions:
    """How a file is compiled; `char` is unsigned where x86-64 stands in for another processor."""
    options = chosen.options_of(path)
    if target is X86_64 and chosen.target is None and processor_of(chosen.mapping) in UNSIGNED_CHARACTERS:
        return replace(options, others=("-funsigned-char", *options.others))
    return options


def _why_not(files: Sequence[Compilation], lack: str, replaced: Sequence[tuple[str, str]]) -> str | None:
    """Why code for x86-64 says nothing about another processor; None if the text does not look at it."""
    for file in files:
        for source in texts_of_program(file.files, replaced):
            found = _LOOKS_AT_PROCESSOR.search(source.text)
            if found is not None:
                line, _ = source.position(found.start())
                place = f"`{found.group()}` at {source.path}:{line}"
                return f"{lack}, and {place} depends on the processor"
    return None


def _check_triples(files: Sequence[Compilation], modules: Sequence[llvm.Module], target: Target) -> None:
    """LLVM IR that the user gives was made for some processor already."""
    for file, module in zip(files, modules, strict=True):
        path = file.files[0]
        if suffix(path) not in {TEXT, BITCODE} or not module.triple:
            continue
        found = target_of_triple(module.triple)
        if found is not target:
            name = found.processor if found is not None else module.triple
            message = f"{path} was compiled for {module.triple}, not for {target.processor}"
            raise InputError(Diagnostic(code="W1519", message=message, help=f"--target {name}"))


def _language(files: Sequence[Compilation]) -> str:
    """The language of the program: that of the files which expect least of the memory model.

    C11 lets a later write of a thread belong to a release sequence, C++20 and Rust do not.
    """
    names = {source_language(file.files[0]).name for file in files}
    names |= {
        name for file in files for word, name in _IN_DEBUG_INFORMATION.items() if word in file.module.text
    }
    return next((name for name in ("Rust", CPP.name) if name in names), C.name)


def _caveats(files: Sequence[Compilation], target: Target, processor: str | None) -> Iterator[str]:
    for file in files:
        yield from file.caveats
    if processor in OTHER_SIZES:
        yield f"compiled for {target.processor}, as membar cannot compile for {processor}"
