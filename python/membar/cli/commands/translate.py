"""`membar translate FILE --to FORMAT`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from membar.cli import arguments
from membar.cli.command import HOLDS
from membar.diagnostics import Diagnostic, InputError
from membar.languages.registry import is_object, language_of, load_model
from membar.models.mappings import MAPPINGS, CompilerMapping, mapping_named
from membar.program.printer import print_program
from membar.questions import refusals
from membar.questions.answering import default_model
from membar.questions.options import TABLE, compiler_options
from membar.questions.programs import asked, for_model, parse
from membar.reports import streams
from membar.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from membar.code.ir import Module
    from membar.code.passes import Watch

_OF_OBJECTS = ("smv", "dot")
_OF_COMPILED = ("llvm", "code", "program")


def run(chosen: arguments.Chosen) -> int:
    """Prints the file in another form."""
    read = SourceFile.read(chosen.file)
    folders = tuple(str(folder) for folder in chosen.include)
    compiler = compiler_options(vars(chosen))
    source = SourceFile(read.path, read.text, tuple(chosen.define), folders, compiler=compiler)
    _refuse(source, chosen)
    streams.write(_text(source, chosen))
    return HOLDS


# What each form looks at, besides the text and --model; the last ones are for a program with store buffers.
_COMPILING = ("-D", "-I", *(option.name for option in TABLE if option.is_compiler))
_LOOKED_AT = {
    "smv": (),
    "dot": (),
    "mapping": ("--mapping", *_COMPILING),
    **dict.fromkeys(_OF_COMPILED, ("--mapping", *_COMPILING)),
}
_BUFFERED = ("--buffers", "--fair", "--error", "--ltl", "--dve-errors", "--atomic", "--atomic-rule")


def _refuse(source: SourceFile, chosen: arguments.Chosen) -> None:
    """Refuses options that the form, or the language, does not look at."""
    given = arguments.given(chosen)
    looked_at = _LOOKED_AT.get(chosen.to, (*_BUFFERED, "--mapping", *_COMPILING))
    for option in given:
        if option not in looked_at:
            message = f"{option} does not apply to --to {chosen.to}"
            raise InputError(Diagnostic(code="W1101", message=message))
    language = language_of(source).name
    refusals.refuse_for_language(
        language, [option for option in given if option in (*_COMPILING, "--mapping")]
    )
    if chosen.include:
        refusals.refuse_includes(language, chosen.model)


def _text(source: SourceFile, chosen: arguments.Chosen) -> str:
    if chosen.print_after is not None and chosen.to != "code":
        message = f"--print-after does not apply to --to {chosen.to}"
        raise InputError(Diagnostic(code="W1101", message=message, help="it is for --to code"))
    if is_object(source) != (chosen.to in _OF_OBJECTS):
        what = "of objects (.obj) only" if chosen.to in _OF_OBJECTS else "of programs only"
        raise InputError(
            Diagnostic(
                code="W1101",
                message=f"`{source.path}` cannot be written as {chosen.to}: that is made {what}",
                help=f"objects are written as {' and '.join(_OF_OBJECTS)}",
            )
        )
    if chosen.to in _OF_OBJECTS:
        return _object(source, chosen)
    if chosen.to in _OF_COMPILED:
        return _compiled(source, chosen)
    return _mapped(source, chosen) if chosen.to == "mapping" else _buffered(source, chosen)


def _compiled(source: SourceFile, chosen: arguments.Chosen) -> str:
    """A compiled program as LLVM IR, as code IR or as a program; other languages only as a program."""
    if chosen.to == "program" and language_of(source).name != "C":
        return print_program(parse(source))
    if language_of(source).name != "C":
        message = f"`{source.path}` cannot be written as {chosen.to}: that is made of C programs only"
        raise InputError(Diagnostic(code="W1101", message=message))
    from membar.code import printer as code_printer  # noqa: PLC0415 - one form of several
    from membar.languages.compiled import program as compiled_program  # noqa: PLC0415
    from membar.languages.compiled.llvm import printer as llvm_printer  # noqa: PLC0415
    from membar.reports.diagnostic import render_warnings  # noqa: PLC0415

    of_model = "" if chosen.model is None else load_model(chosen.model).claims.mapping
    source = source.compiled_for(chosen.mapping or of_model)
    compiled = compiled_program.compile_source(source)
    streams.write_message(render_warnings(compiled.built.warnings))
    if chosen.to == "llvm":
        return "\n".join(map(llvm_printer.print_module, compiled.built.modules))
    module = compiled_program.link_source(compiled)
    if chosen.to == "program":
        return print_program(compiled_program.program_of(compiled, module))
    if chosen.print_after is None:
        return code_printer.print_module(module)
    return _after_pass(chosen.print_after, partial(compiled_program.program_of, compiled, module))


def _after_pass(name: str, run: Callable[[Watch], object]) -> str:
    """The code after each time that a pass runs; what comes behind it may fail."""
    from membar.code import printer  # noqa: PLC0415 - one form of several
    from membar.code.passes import pass_names  # noqa: PLC0415

    if name not in pass_names():
        message = f"--print-after: no pass is called `{name}`"
        raise InputError(Diagnostic(code="W1101", message=message, help=f"passes: {', '.join(pass_names())}"))
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


def _object(source: SourceFile, chosen: arguments.Chosen) -> str:
    from membar.questions import proof  # noqa: PLC0415 - one form of three
    from membar.questions.translation.object_dot import dot  # noqa: PLC0415
    from membar.questions.translation.object_smv import smv  # noqa: PLC0415

    about = proof.parse_object(source)
    model = load_model(chosen.model or proof.default_model(source))
    system = proof.system_of(about, model)
    return smv(system) if chosen.to == "smv" else dot(about, model.name, proof.rules_of(model))


def _mapped(source: SourceFile, chosen: arguments.Chosen) -> str:
    from membar.reports import mapping  # noqa: PLC0415 - one form of two

    program = parse(source)
    return "".join(mapping.render(program, table) for table in _tables(chosen))


def _tables(chosen: arguments.Chosen) -> list[CompilerMapping]:
    if chosen.mapping is not None:
        return [mapping_named(chosen.mapping)]
    if chosen.model is not None:
        model = load_model(chosen.model)
        if not model.claims.mapping:
            message = f"no compiler's mapping leads to {model.name}"
            raise InputError(
                Diagnostic(
                    code="W1101", message=message, help=f"take one by name: --mapping {', '.join(MAPPINGS)}"
                )
            )
        return [mapping_named(model.claims.mapping)]
    return list(MAPPINGS.values())


def _buffered(source: SourceFile, chosen: arguments.Chosen) -> str:
    from membar.questions.translation import translated  # noqa: PLC0415 - one form of two

    _, program = asked(source, error=chosen.error, ltl=chosen.ltl, words=arguments.words(chosen))
    model = load_model(chosen.model or default_model(program))
    if model.operational is None:
        raise InputError(
            Diagnostic(
                code="W1101",
                message=f"{model.name} has no store buffers that could be written out",
                help="models with store buffers: sc, x86-tso, pso, cam",
            )
        )
    if "processes" in chosen.fair:
        raise InputError(
            Diagnostic(
                code="W1101",
                message="fairness to processes cannot be written into the text",
                help="ask the checker for it: --fair processes, or pan -f",
            )
        )
    return translated(
        for_model(program, model, mapping=chosen.mapping),
        model.operational,
        chosen.buffers or model.default_buffers,
        to=chosen.to,
        fair="buffers" in chosen.fair,
    )
