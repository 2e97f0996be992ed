"""A program or an object in another form: `membar translate`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from membar.diagnostics import InputError, refusal
from membar.languages.registry import is_object, language_of, load_model
from membar.models.mappings import MAPPINGS, CompilerMapping, mapping_named
from membar.program.access import COMPILED, KERNEL
from membar.program.printer import print_program
from membar.questions import refusals
from membar.questions.engine_answer import default_model
from membar.questions.given_options import compiler_options_in
from membar.questions.options import TABLE
from membar.questions.programs import for_model, parse, parse_with_options
from membar.questions.task import Options
from membar.records import field, record, replace
from membar.source import CompilerOptions, SourceFile

if TYPE_CHECKING:
    from membar.code.ir import Module
    from membar.code.passes import Watch

_OF_OBJECTS = ("smv", "dot")
_OF_COMPILED = ("llvm", "code", "program")
_OF_BUFFERS = ("dve", "promela")
FORMS = (*_OF_BUFFERS, *_OF_OBJECTS, *_OF_COMPILED, "mapping")

# What each form looks at, besides the text and the model; the last ones are for a program with store buffers.
_COMPILING = ("-D", "-I", *(option.name for option in TABLE if option.is_compiler))
_LOOKED_AT = {
    "smv": (),
    "dot": (),
    "mapping": ("--mapping", *_COMPILING),
    **dict.fromkeys(_OF_COMPILED, ("--mapping", *_COMPILING)),
}
_BUFFERED = ("--buffers", "--fair", "--error", "--ltl", "--dve-errors", "--atomic", "--atomic-rule")
_FAIR = Options().fair


@record(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """The arguments of `translate`; see there."""

    to: str
    model: str | None = None
    mapping: str | None = None
    buffers: int | None = None
    fair: Collection[str] = _FAIR
    error: str | None = None
    ltl: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    print_after: str | None = None
    on_warning: Callable[[str], None] | None = None


def translate(
    source: SourceFile | str | Path,
    *,
    to: str,
    model: str | None = None,
    buffers: int | None = None,
    fair: Collection[str] = _FAIR,
    error: str | None = None,
    ltl: str | None = None,
    mapping: str | None = None,
    include_dirs: Sequence[str | Path] = (),
    defines: Sequence[str] = (),
    compiler: CompilerOptions | None = None,
    words: Mapping[str, str] | None = None,
    print_after: str | None = None,
    on_warning: Callable[[str], None] | None = None,
) -> str:
    """A text in another form.

    Args:
        source: a file name, or a text with a name.
        to: `dve` or `promela` (a program with its store buffers written out), `smv` or `dot` (an object),
            `llvm` or `code` (a C program compiled), `program` (any program as membar runs it), `mapping` (the
            instructions of each atomic operation).
        model: memory model; by default the language's own.
        buffers: bound of the store buffers; by default the model's own.
        fair: fairness assumptions for LTL.
        error: error state: an expression or location that must be unreachable.
        ltl: an LTL formula that the translated program claims.
        mapping: compiler mapping of C for a processor; by default the model's own.
        include_dirs: where includes are searched.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        compiler: how C is compiled.
        words: options of single languages by name, such as `atomic-rule`.
        print_after: the pass after which the code is shown; for `code`.
        on_warning: called with the rendered warnings of the compiler.

    Raises:
        InputError: the text or an option is wrong, or the text cannot be written in that form.
        OSError: a file cannot be read.
    """
    read = source if isinstance(source, SourceFile) else SourceFile.read(source)
    folders = tuple(map(str, include_dirs))
    text = replace(read, defines=tuple(defines), include_dirs=folders, compiler=compiler)
    words = words or {}
    if to not in FORMS:
        message = f"membar cannot write `{to}`"
        raise refusal("W1101", message, help=f"known: {', '.join(FORMS)}")
    is_given = {
        "--buffers": buffers is not None,
        "--fair": set(fair) != _FAIR,
        "--error": error is not None,
        "--ltl": ltl is not None,
        "--mapping": mapping is not None,
        "-D": bool(defines),
        "-I": bool(folders),
        **{f"--{name}": True for name in words},
        **dict.fromkeys(compiler_options_in(compiler), True),
    }
    _refuse(text, to, model, [option for option, given in is_given.items() if given])
    wanted = _Wanted(
        to=to,
        model=model,
        mapping=mapping,
        buffers=buffers,
        fair=fair,
        error=error,
        ltl=ltl,
        words=words,
        print_after=print_after,
        on_warning=on_warning,
    )
    return _text(text, wanted)


def _refuse(source: SourceFile, to: str, model: str | None, given: Sequence[str]) -> None:
    """Refuses options that the output form, or the language, does not use."""
    looked_at = _LOOKED_AT.get(to, (*_BUFFERED, "--mapping", *_COMPILING))
    for option in given:
        if option not in looked_at:
            message = f"{option} does not apply to --to {to}"
            raise refusal("W1101", message)
    language = language_of(source).name
    refusals.refuse_for_language(
        language, [option for option in given if option in (*_COMPILING, "--mapping")]
    )
    if source.include_dirs:
        refusals.refuse_includes(language, model)


def _text(source: SourceFile, wanted: _Wanted) -> str:
    if wanted.print_after is not None and wanted.to != "code":
        message = f"--print-after does not apply to --to {wanted.to}"
        raise refusal("W1101", message, help="it is for --to code")
    if is_object(source) != (wanted.to in _OF_OBJECTS):
        what = "objects (.obj)" if wanted.to in _OF_OBJECTS else "programs"
        raise refusal(
            "W1101",
            f"`{source.path}` cannot be translated to {wanted.to}, which is for {what} only",
            help=f"for objects: --to {' or '.join(_OF_OBJECTS)}",
        )
    if wanted.to in _OF_OBJECTS:
        return _object(source, wanted)
    if wanted.to in _OF_COMPILED:
        return _compiled_form(source, wanted)
    return _mapping_table(source, wanted) if wanted.to == "mapping" else _with_buffers(source, wanted)


def _compiled_form(source: SourceFile, wanted: _Wanted) -> str:
    """A compiled program as LLVM IR, as code IR or as a program; other languages only as a program."""
    is_compiled = language_of(source).name in COMPILED
    if wanted.to == "program" and not is_compiled:
        return print_program(parse(source))
    if not is_compiled:
        message = f"`{source.path}` cannot be translated to {wanted.to}, which is for compiled programs only"
        raise refusal("W1101", message)
    from membar.code import printer as code_printer  # noqa: PLC0415 - one form of several
    from membar.languages.compiled import program as compiled_program  # noqa: PLC0415
    from membar.languages.compiled.llvm import printer as llvm_printer  # noqa: PLC0415
    from membar.reports.diagnostic import render_warnings  # noqa: PLC0415

    of_model = "" if wanted.model is None else load_model(wanted.model).claims.mapping
    source = source.compiled_for(wanted.mapping or of_model)
    compiled = compiled_program.compile_source(source)
    if wanted.on_warning is not None:
        wanted.on_warning(render_warnings(compiled.built.warnings))
    if wanted.to == "llvm":
        return "\n".join(map(llvm_printer.print_module, compiled.built.modules))
    module = compiled_program.link_source(compiled)
    if wanted.to == "program":
        return print_program(compiled_program.program_of(compiled, module))
    if wanted.print_after is None:
        return code_printer.print_module(module)
    return _after_pass(wanted.print_after, partial(compiled_program.program_of, compiled, module))


def _after_pass(name: str, run: Callable[[Watch], object]) -> str:
    """The code after each run of a pass; later passes may fail."""
    from membar.code import printer  # noqa: PLC0415 - one form of several
    from membar.code.passes import pass_names  # noqa: PLC0415

    if name not in pass_names():
        message = f"--print-after: no pass is called `{name}`"
        raise refusal("W1101", message, help=f"passes: {', '.join(pass_names())}")
    shown: list[str] = []

    def watch(done: str, module: Module) -> None:
        if done == name:
            shown.append(printer.print_module(module))

    try:
        run(watch)
    except InputError:
        if not shown:
            raise
    return "\n".join(shown)


def _object(source: SourceFile, wanted: _Wanted) -> str:
    from membar.questions import proof  # noqa: PLC0415 - one form of three
    from membar.questions.export.object_dot import dot  # noqa: PLC0415
    from membar.questions.export.object_smv import smv  # noqa: PLC0415

    about = proof.parse_object(source)
    model = load_model(wanted.model or proof.default_model(source))
    system = proof.system_of(about, model)
    return smv(system) if wanted.to == "smv" else dot(about, model.name, proof.rules_of(model))


def _mapping_table(source: SourceFile, wanted: _Wanted) -> str:
    from membar.reports import mapping  # noqa: PLC0415 - one form of two

    program = parse(source)
    return "".join(mapping.render(program, table) for table in _tables(wanted, program.language))


def _tables(wanted: _Wanted, language: str) -> list[CompilerMapping]:
    tables, named = MAPPINGS, mapping_named
    if language == KERNEL:
        from membar.models import kernel_mappings  # noqa: PLC0415 - few programs

        tables, named = kernel_mappings.KERNEL_MAPPINGS, kernel_mappings.kernel_mapping_named
    if wanted.mapping is not None:
        return [named(wanted.mapping)]
    if wanted.model is not None:
        model = load_model(wanted.model)
        if not model.claims.mapping:
            message = f"there is no compiler mapping to {model.name}"
            raise refusal("W1101", message, help=f"choose one: --mapping {', '.join(tables)}")
        return [named(model.claims.mapping)]
    return list(tables.values())


def _with_buffers(source: SourceFile, wanted: _Wanted) -> str:
    from membar.questions.export import write_buffers  # noqa: PLC0415 - one form of two

    _, program = parse_with_options(source, error=wanted.error, ltl=wanted.ltl, words=wanted.words)
    model = load_model(wanted.model or default_model(program))
    if model.operational is None:
        raise refusal(
            "W1101",
            f"{model.name} has no store buffers to translate",
            help="models with store buffers: sc, x86-tso, pso, cam",
        )
    if "processes" in wanted.fair:
        raise refusal(
            "W1101",
            "the translation cannot express process fairness",
            help="use an option of the checker: --fair processes, or pan -f",
        )
    return write_buffers(
        for_model(program, model, mapping=wanted.mapping),
        model.operational,
        wanted.buffers or model.default_buffers,
        to=wanted.to,
        fair="buffers" in wanted.fair,
    )
