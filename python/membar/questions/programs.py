"""Programs: parses them, with the text that options add, and adapts them to a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from membar.diagnostics import Diagnostic, InputError, Label, refusal
from membar.languages import BY_STATES, DEFAULT_MODELS
from membar.languages.registry import every_frontend, frontend_for, frontends
from membar.models.c_orders import uses_c_orders
from membar.models.model import Model, Operational
from membar.program.access import KERNEL
from membar.program.allocations import without_allocations
from membar.program.program import Program
from membar.program.validate import validate
from membar.properties.labels import BEGINNINGS, LABELS
from membar.properties.undefined import orders_allocations
from membar.questions.default_engines import FOR_BUFFERS
from membar.questions.task import Options
from membar.records import replace
from membar.source import FileText, SourceFile

if TYPE_CHECKING:
    from pathlib import Path

    from membar.properties.ltl.claim_file import NamedFormula
    from membar.questions.option_text import Insertion
    from membar.text.edits import EditSite


def parse(source: SourceFile) -> Program:
    """The program in a file, whose suffix determines the language.

    Raises:
        InputError: with every problem found in the text.
    """
    program = frontend_for(source).parse(source)
    validate(program)
    return program


def nothing_read(source: SourceFile, language: str) -> Program:
    """The program of an input that was not parsed."""
    return Program(name=source.stem, language=language, objects=(), threads=())


def edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:
    """Where a program can be made stronger or weaker.

    Raises:
        InputError: its language has no such places.
    """
    frontend = frontend_for(source)
    if frontend.edit_sites is None:
        can = [each for each in every_frontend() if getattr(each, "edit_sites", None) is not None]
        knowing = ", ".join(each.name for each in can)
        raise refusal(
            "W0421", f"{frontend.name} files cannot be repaired", help=f"languages that can: {knowing}"
        )
    return frontend.edit_sites(source, program)


_C11_SEQUENCES = (
    "release sequences are those of C11, which are stronger than C++20's: rc20 has those of C++ and Rust"
)


def for_model(program: Program, model: Model, *, mapping: str | None = None) -> Program:
    """The program as the model sees it: C under a processor's model is what a compiler makes of it.

    Raises:
        InputError: only sc gives it a meaning, and the model is another one.
    """
    if model.name == "rc11" and DEFAULT_MODELS.get(program.language) == "rc20":
        program = replace(program, notes=(*program.notes, _C11_SEQUENCES))
    if program.is_joint and model.operational is not Operational.SC:
        raise _joint_steps(program, model)
    if not orders_allocations(model):
        program = without_allocations(program)
    if model.language_model and program.mixed_atomics:
        from membar.program.mixed_atomics import without_mixed_atomics  # noqa: PLC0415 - on demand

        program = without_mixed_atomics(program)
    name = mapping or model.claims.mapping
    if not name or not (program.language == KERNEL or uses_c_orders(program)):
        return program
    from membar.models import mappings  # noqa: PLC0415 - most programs are not C

    if program.language == KERNEL:
        from membar.models import kernel_mappings  # noqa: PLC0415 - few programs

        if mapping is None and name not in kernel_mappings.KERNEL_MAPPINGS:
            return program
        return mappings.apply_mapping(program, kernel_mappings.kernel_mapping_named(name))
    return mappings.apply_mapping(program, mappings.mapping_named(name))


def _joint_steps(program: Program, model: Model) -> InputError:
    """The error that processes which step together have no store buffers of their own."""
    message = f"`system sync` is not defined under {model.name}"
    said = "its processes step together and would share one store buffer"
    label = Label(program.span, said) if program.span else None
    return InputError(Diagnostic(code="W1011", message=message, primary=label, help="use --model sc"))


def parse_with_options(
    text: SourceFile,
    *,
    error: str | None,
    ltl: str | None,
    words: Mapping[str, str],
    labels: Sequence[str] = (),
) -> tuple[SourceFile, Program]:
    """The text with what options add to it, where its language can express that, and its program.

    Raises:
        InputError: the text or an option is wrong.
    """
    written = text
    inserted: list[Insertion] = []

    def add(option: str, value: str, after: SourceFile) -> SourceFile:
        from membar.questions.option_text import insertion  # noqa: PLC0415 - on demand

        found = insertion(option, value, before=text.text, after=after.text)
        inserted.extend([] if found is None else [found])
        return after

    for option, value in words.items():
        text = add(option, value, _with_option(text, option, value))
    if error is not None:
        text = add("error", error, _with_error(text, error))
    claims = () if ltl is None else _claims_of(ltl)
    for claim in claims:
        text = add("ltl", claim.text, _with_claim(text, claim))
    try:
        program = parse(text)
    except InputError as problem:
        if not inserted:
            raise
        from membar.questions.option_text import relocate  # noqa: PLC0415 - on demand

        parse(written)  # what is wrong with the text itself is shown there
        raise relocate(problem, text, len(written.text.rstrip()), inserted) from None
    if ltl is not None and frontend_for(text).with_claim is None:
        program = with_claims(program, ltl, text)
    return text, with_labels(program, labels)


def asked_labels(properties: Collection[str] | None) -> tuple[str, ...]:
    """The properties among these that are about labels."""
    return tuple(name for name in LABELS if name in (properties or ()))


def with_labels(program: Program, names: Sequence[str]) -> Program:
    """The program with its labels as claims about runs.

    Raises:
        InputError: it has no such labels, or what they say cannot be followed.
    """
    if not names:
        return program
    known = {item.claim.name: item for item in program.label_claims}
    for name in names:
        if name not in known:
            message = f"{name} is about labels `{BEGINNINGS[name]}…`, and {program.name} has none"
            help_ = "processes of Promela can have such labels"
            raise refusal("W0437", message, help=help_)
        if known[name].unseen:
            raise refusal("W0438", known[name].unseen)
    return replace(program, claims=(*program.claims, *(known[name].claim for name in names)))


def with_claims(program: Program, text: str, source: SourceFile) -> Program:
    """The program with one or several LTL formulas; `source` is the program's text.

    Raises:
        InputError: some are no formulas about this program.
    """
    from membar.program.temporal import Claim  # noqa: PLC0415 - on demand
    from membar.properties.ltl.parser import formula_of  # noqa: PLC0415 - on demand

    read = frontend_for(source).predicates
    own = None if read is None else partial(read, source)
    found = []
    for claim in _claims_of(text):
        place = claim.text.path if isinstance(claim.text, FileText) else "--ltl"
        formula = formula_of(claim.text, program, name=place, own=own)
        words = " ".join(claim.text.split())
        found.append(Claim(claim.name or words, formula, words))
    return replace(program, claims=(*program.claims, *found))


def claimed_program(source: SourceFile, ltl: str | None, labels: Sequence[str]) -> Program:
    """The program of a text that contains what options added, with all its claims."""
    program = parse(source)
    return with_labels(program if ltl is None else with_claims(program, ltl, source), labels)


def _claims_of(text: str) -> tuple[NamedFormula, ...]:
    from membar.properties.ltl.claim_file import read_claims  # noqa: PLC0415 - on demand

    return read_claims(text, path=text.path if isinstance(text, FileText) else "--ltl")


def text_of_claims(ltl: str | None, ltl_file: str | Path | None) -> str | None:
    """What `--ltl` and the file of `--ltl-file` claim together, as text.

    Raises:
        InputError: the file is wrong.
        OSError: it cannot be read.
    """
    if ltl_file is None:
        return ltl
    from membar.properties.ltl.claim_file import claims_text, read_claims  # noqa: PLC0415 - on demand

    found = ltl_file if isinstance(ltl_file, FileText) else FileText.read(ltl_file)
    if ltl is None:
        read_claims(found, path=found.path)
        return found
    return claims_text(read_claims(found, path=found.path, formula=ltl))


def options_for(options: Options, program: Program, model: Model, engine: str | None) -> Options:
    """The options, with the model's own store-buffer bound if the question is about states."""
    is_about_states = program.language in BY_STATES or program.asks_about_states
    if not is_about_states or options.unbounded_buffers or options.buffers is not None:
        return options
    if model.operational is None or engine not in (None, *FOR_BUFFERS):
        return options
    return replace(options, buffers=model.default_buffers)


def _with_error(source: SourceFile, error: str) -> SourceFile:
    """The text with the value of `--error`, so that a witness saved with it can be replayed."""
    frontend = frontend_for(source)
    if frontend.with_error is None:
        can = ", ".join(sorted(each.name for each in frontends() if each.with_error is not None))
        raise refusal(
            "W0405", f"--error does not apply to {frontend.name} files", help=f"languages that have it: {can}"
        )
    return replace(source, text=frontend.with_error(source.text, error))


def _with_claim(source: SourceFile, claim: NamedFormula) -> SourceFile:
    """The text with the value of `--ltl`, so that a witness saved with it can be replayed.

    Where the language has no words for claims the text stays as it is.
    """
    with_claim = frontend_for(source).with_claim
    if with_claim is None:
        return source
    return replace(source, text=with_claim(source.text, claim.text.strip(), claim.name))


def _with_option(source: SourceFile, option: str, value: str) -> SourceFile:
    """The text with an option of its language, so that a witness saved with it can be replayed."""
    frontend = frontend_for(source)
    if option not in frontend.with_option:
        knowing = [item.name for item in frontends() if option in item.with_option]
        raise refusal(
            "W0413",
            f"--{option} does not apply to {frontend.name} files",
            help=f"it is for {', '.join(knowing) or 'no language'}",
        )
    return replace(source, text=frontend.with_option[option](source.text, value))
