"""C files as LLVM IR, as code IR and as a `Program`: compiler, reader, passes and lowering in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from membar.code import ir as code
from membar.code.analyses.divided_accesses import lines_that_divide
from membar.code.analyses.evaluation_order import EvaluationOrder
from membar.code.analyses.shared_locks import may_be_stuck_while_reading
from membar.code.analyses.thread_identifiers import compares_identifiers, may_repeat_identifiers
from membar.code.lowering.program import lower_module
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import SHORTER, prepare
from membar.code.passes.start_program import ENTRY, uses_arguments
from membar.code.primitives import PREFIX
from membar.diagnostics import Diagnostic, EngineLimitError, InputError
from membar.languages.compiled import program_cache
from membar.languages.compiled.build import (
    RUST,
    Build,
    BuildOptions,
    build,
    file_of_first_choice,
    require_main,
    with_inline_bodies,
)
from membar.languages.compiled.cache import now
from membar.languages.compiled.call_chains import Spans
from membar.languages.compiled.driver import (
    BITCODE,
    COMPILED_OUT,
    CONSTANT_OVERFLOW,
    TEXT,
    UNSEQUENCED,
    CompileOptions,
    ReadableFiles,
    depends_on_time,
)
from membar.languages.compiled.library_bodies import FOLDER, Library
from membar.languages.compiled.linking import link_program
from membar.languages.compiled.llvm.metadata import Place
from membar.languages.compiled.located_errors import Refusal
from membar.languages.compiled.settings import HEAP, RANGE, THREADS, bound_of, settings_of
from membar.languages.compiled.source_language import C
from membar.languages.compiled.thread_names import name_threads
from membar.limits.budget import stage
from membar.program.program import Program
from membar.records import record, replace
from membar.source import COMMAND_NOTE, CompilerOptions, SourceFile
from membar.text.file_paths import folder_of, is_below, name_of, suffix

_INPUTS = "__VERIFIER_nondet_"
_SHARED_LOCKS = frozenset({"pthread_rwlock_rdlock", "pthread_rwlock_wrlock"})
_TRIES_TO_READ = frozenset(f"pthread_rwlock_{name}rdlock" for name in ("try", "timed", "clock"))
_WAITS_TO_WRITE = frozenset(f"pthread_rwlock_{name}wrlock" for name in ("", "timed", "clock"))

EVERY_PROPERTY = ""


@record(frozen=True, slots=True, kw_only=True)
class CompiledProgram:
    """A program as its compiler left it.

    Attributes:
        source: the text of its first file.
        chosen: how it was compiled.
        built: what the compiler made of all its files.
        spans: the user's text at places of the debug information.
        ignored: words of recorded commands that were not taken over.
    """

    source: SourceFile
    chosen: BuildOptions
    built: Build
    spans: Spans
    ignored: tuple[str, ...] = ()


def parse_compiled(source: SourceFile) -> Program:
    """The program of a C file, and of the further files that it is compiled with.

    Raises:
        InputError: the compiler refuses it, or something reachable is not supported.
        EngineLimitError: nothing can be said about the processor of the memory model.
    """
    since = now()
    with stage("while compiling the program"):
        compiled = compile_source(source)
    with stage("while linking the program"):
        linked = link_source(compiled)
    with stage(f"while translating the program: {SHORTER}"):
        program = program_of(compiled, linked)
    compiler = file_of_first_choice(compiled.built, compiled.chosen)
    is_lasting = not any(depends_on_time(item.files) for item in compiled.built.files)
    if compiler is not None and is_lasting and not compiled.chosen.options.replaced:
        built, shown = compiled.built.files, compiled.spans.files_read
        files = dict.fromkeys([*(path for item in built for path in item.files), *shown])
        places = [compiler, *(path for item in built for path in item.folders)]
        program_cache.put(source, program, files=files, places=places, since=since)
    return program


def compile_source(source: SourceFile) -> CompiledProgram:
    """All files of a program, compiled as `SourceFile.compiler` says.

    Raises:
        InputError: no compiler can be used, or it refuses the program.
    """
    given = source.compiler or CompilerOptions()
    paths = (source.path, *given.further_files)
    chosen, ignored = _build_options(source, given, paths)
    built = build(paths, chosen)
    folders = [*source.include_dirs, *(folder_of(file) for file in given.further_files)]
    replaced = chosen.options.replaced
    beside = ReadableFiles(source.path, folders, None, replaced)
    shown = ReadableFiles(source.path, folders, source.project, replaced)

    def read(name: str) -> SourceFile | None:
        """A file of the program: what it does has places there, even if messages may not show its text."""
        found = shown(name) or beside(name)
        return (
            found
            if found is None or source.project is None
            else replace(found, is_shown=shown(name) is not None)
        )

    return CompiledProgram(
        source=source, chosen=chosen, built=built, spans=Spans(read, source), ignored=ignored
    )


def options_of(source: SourceFile, path: str | None = None) -> CompileOptions:
    """How a file of a program is compiled; its first one, if none is named."""
    given, path = source.compiler or CompilerOptions(), path or source.path
    return _build_options(source, given, (path,))[0].options_of(path)


def link_source(compiled: CompiledProgram) -> code.Module:
    """The code IR of what `main` can reach, the library included.

    Raises:
        InputError: there is no `main`, or something reachable is not supported.
        EngineLimitError: the same, where nothing can be said about the processor of the memory model.
    """
    built, chosen = compiled.built, compiled.chosen
    require_main([file.files[0] for file in built.files], built.modules)
    settings = _settings(compiled)
    defines = tuple(f"{name}={settings[name]}" for name in RANGE if name in settings)
    library = Library(
        None if suffix(compiled.source.path) in RUST else built.compiler,
        built.target,
        defines,
        chosen.options.uses_cache,
    )
    try:
        linked = link_program(
            built.modules,
            library,
            compiled.spans.file,
            modelled=built.processor,
            mapping=chosen.mapping,
            inline_bodies=partial(with_inline_bodies, built, chosen),
        )
    except InputError:
        if built.reason is not None:  # such as assembly of the processor that the program is not compiled for
            raise EngineLimitError(built.reason) from None
        raise
    return replace(
        linked,
        most_spawned=settings.get(THREADS, linked.most_spawned),
        most_allocated=settings.get(HEAP, linked.most_allocated),
    )


def _settings(compiled: CompiledProgram) -> Mapping[str, int]:
    texts = (file.module.text for file in compiled.built.files)
    return settings_of(texts, compiled.chosen.options.defines)


def program_of(
    compiled: CompiledProgram,
    module: code.Module,
    watch: Callable[[str, code.Module], None] | None = None,
) -> Program:
    """The program that linked code means.

    Args:
        compiled: where it comes from.
        module: the code.
        watch: is shown the code after each pass, with the name of the pass.

    Raises:
        InputError: something is not supported.
        EngineLimitError: nothing can be said about the processor of the memory model.
    """
    source, built, spans = compiled.source, compiled.built, compiled.spans
    if built.reason is not None:
        raise EngineLimitError(built.reason)
    name = source.stem
    if source.arguments is not None and not uses_arguments(module.functions[ENTRY]):
        message = "--args has no effect: `main` does not use its arguments"
        raise InputError(Diagnostic(code="W0413", message=message, help="leave it out"))
    evaluation_order = _evaluation_order(compiled, module)

    def watch_all(name: str, module: code.Module) -> None:
        evaluation_order.watch(name, module)
        if watch is not None:
            watch(name, module)

    try:
        ready = prepare(module, words=source.arguments, name=name, watch=watch_all)
        program = lower_module(name_threads(ready, spans), name=name, span=spans)
    except NotSupportedError as problem:
        place = spans.in_program(problem.place)
        shown = None if place is None else Place(place.file, place.line, place.column, place.function)
        raise Refusal(spans.file).at(str(problem), shown) from None
    parts, chosen_parts = not_covered(built), built.chosen_caveats
    is_given = all(suffix(file.files[0]) in {TEXT, BITCODE} for file in built.files)
    by = "" if is_given else f" by {built.compiler.title}"
    notes = (f"compiled for {built.target.processor}{by}", *_notes(built))
    bound = bound_of(_settings(compiled))
    if bound is not None and any(function.startswith(_INPUTS) for function in module.functions):
        parts, chosen_parts = (*parts, (EVERY_PROPERTY, bound)), (*chosen_parts, bound)
    if (
        not module.is_rust
        and compares_identifiers(module, built.target.pointer_bits)
        and may_repeat_identifiers(ready)
    ):
        parts = (*parts, (EVERY_PROPERTY, "identifiers of threads that are not given to later threads"))
    order = evaluation_order.places(ready)
    if order:
        what = f"with the operands in {_lines(order, compiled)} evaluated in clang's order"
        parts = (*parts, (EVERY_PROPERTY, what))
    divided = [] if built.processor is None or module.is_rust else lines_that_divide(ready)
    if divided:
        where = f"line{'s' * (len(divided) > 1)} {', '.join(map(str, divided))}"
        parts = (*parts, (EVERY_PROPERTY, f"as if {where} accessed memory by single instructions"))
    if not (_TRIES_TO_READ.isdisjoint(module.functions) or _WAITS_TO_WRITE.isdisjoint(module.functions)):
        what = "without attempts to lock for reading that fail because a thread waits to write"
        parts = (*parts, (EVERY_PROPERTY, what))
    if module.functions.keys() >= _SHARED_LOCKS and may_be_stuck_while_reading(ready):
        parts = (*parts, ("deadlock", "without threads that wait to read while another only waits to write"))
    if _calls_primitive(module, "allocate", "allocate_aligned"):
        notes = (*notes, "memory can always be allocated: `malloc` never fails")
    if _calls_primitive(module, "block_size", within="realloc"):
        notes = (*notes, "`realloc` always moves memory")
    if source.compiler is not None and source.compiler.verbose:
        notes = (*notes, *_commands(compiled))
    return replace(
        program,
        language=built.language if program.language == C.name else program.language,
        partly_checked=(*program.partly_checked, *parts),
        chosen_parts=chosen_parts,
        notes=(*program.notes, *notes),
    )


def _evaluation_order(compiled: CompiledProgram, module: code.Module) -> EvaluationOrder:
    """What depends on the order of evaluation that the compiler chose, in C that it did not optimise."""
    is_c = compiled.built.language == C.name and not any(item.is_given for item in compiled.built.modules)
    return EvaluationOrder(module, is_of_program=lambda file: is_c and not is_below(file, FOLDER))


def _lines(places: Iterable[code.Place], compiled: CompiledProgram) -> str:
    """`line 3`, or `line 3, queue.h:7`."""
    source = compiled.source
    return ", ".join(
        dict.fromkeys(
            f"line {place.line}"
            if compiled.spans.file(place.file) is source
            else f"{name_of(place.file)}:{place.line}"
            for place in places
        )
    )


def _build_options(
    source: SourceFile, given: CompilerOptions, paths: tuple[str, ...]
) -> tuple[BuildOptions, tuple[str, ...]]:
    """How the files are compiled, and the words of recorded commands that are not taken over."""
    plain = CompileOptions(
        include_dirs=source.include_dirs,
        defines=source.defines,
        undefines=given.undefines,
        standard=given.standard,
        includes=given.includes,
        others=given.others,
        edition=given.edition,
        features=given.features,
        configurations=given.configurations,
        test=given.test,
        program=given.program,
        allow_build=given.allow_build,
        replaced=(*source.replaced, *_changed_text(source)),
        project=source.project,
        uses_cache=given.uses_cache,
    )
    of_file: list[tuple[str, CompileOptions]] = []
    data_model, ignored = given.data_model, list[str]()
    for path in paths if given.commands is not None else ():
        from membar.languages.compiled.compile_commands import recorded_options  # noqa: PLC0415 - rare

        assert given.commands is not None
        recorded = recorded_options(given.commands, path)
        of_file.append((path, _merged_options(recorded.options, plain)))
        data_model = data_model or recorded.data_model
        ignored += recorded.ignored
    chosen = BuildOptions(
        mapping=given.mapping,
        clang=given.clang,
        rustc=given.rustc,
        target=given.target,
        data_model=data_model,
        options=plain,
        of_file=tuple(of_file),
    )
    return chosen, tuple(ignored)


def _changed_text(source: SourceFile) -> tuple[tuple[str, str], ...]:
    """The text, where it is not what is on the disk."""
    with suppress(OSError):
        if SourceFile.read(source.path).text == source.text:
            return ()
    return ((source.path, source.text),)


def _merged_options(recorded: CompileOptions, given: CompileOptions) -> CompileOptions:
    """What a build recorded, and what the user adds to it."""
    return replace(
        recorded,
        include_dirs=(*given.include_dirs, *recorded.include_dirs),
        defines=(*recorded.defines, *given.defines),
        undefines=(*recorded.undefines, *given.undefines),
        standard=given.standard or recorded.standard,
        includes=(*recorded.includes, *given.includes),
        others=(*recorded.others, *given.others),
        replaced=given.replaced,
        project=given.project,
        uses_cache=given.uses_cache,
    )


def not_covered(built: Build) -> tuple[tuple[str, str], ...]:
    """What no answer covers because of how a program was compiled: a property, or all, and the reason."""
    return (*((EVERY_PROPERTY, caveat) for caveat in built.caveats), *_not_checked(built))


def _not_checked(built: Build) -> Iterator[tuple[str, str]]:
    """What the compiler decided itself, so that the code does not show it."""
    for item in built.warnings:
        if item.code == CONSTANT_OVERFLOW:
            yield EVERY_PROPERTY, f"the compiler chose a value where constants overflow ({_where(item)[:-2]})"
        elif item.code == UNSEQUENCED:
            yield EVERY_PROPERTY, f"the compiler chose an order where C has none ({_where(item)[:-2]})"
        elif item.code == COMPILED_OUT:
            yield "assertions", f"assertions that are not compiled out ({_where(item)[:-2]})"


def _commands(compiled: CompiledProgram) -> Iterator[str]:
    """Commands that make the same LLVM IR again, and words of recorded ones that were not taken over."""
    import shlex  # noqa: PLC0415 - only here

    for file in compiled.built.files:
        if suffix(file.files[0]) != TEXT:
            yield f"{COMMAND_NOTE}{shlex.join(file.command)}"
    if compiled.ignored:
        yield f"not taken from compile_commands.json: {shlex.join(compiled.ignored)}"


def _calls_primitive(module: code.Module, *names: str, within: str | None = None) -> bool:
    """Whether some function, or the one named, calls one of these primitives."""
    callees = {code.FunctionAddress(f"{PREFIX}{name}") for name in names}
    return any(
        isinstance(item, code.Call) and item.callee in callees
        for function in module.functions.values()
        if within in (None, function.name)
        for block in function.blocks
        for item in block.instructions
    )


def _notes(built: Build) -> list[str]:
    """What the compiler had to say, each with its line."""
    return list(dict.fromkeys(f"{_where(item)}{item.message}" for item in built.warnings))


def _where(item: Diagnostic) -> str:
    return "" if item.primary is None else f"{item.primary.span.path}:{item.primary.span.line}: "
