"""What Python users call: each builds a question about a file or a text, and asks it.

Written by `tests/generated/entry_module.py` from the table of options; not to be edited.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membar.questions.python_questions import answer, question, with_options_of
from membar.questions.task import Limits
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.models.model import Model
    from membar.objects.client import Size
    from membar.objects.orders import Ordering
    from membar.questions.answer import Answer
    from membar.questions.repair import Verdict
    from membar.questions.task import Coherence, Options


def check(
    source: SourceFile | str | Path,
    *,
    model: Model | str | None = None,
    engine: str | None = None,
    properties: Collection[str] | None = None,
    property_file: Path | None = None,
    error: str | None = None,
    ltl: str | None = None,
    ltl_file: Path | None = None,
    dve_errors: str | None = None,
    atomic: Path | None = None,
    atomic_rule: str | None = None,
    ghost: str | None = None,
    threads: str | None = None,
    client: Size | tuple[int, int] | None = None,
    order: Ordering | str | None = None,
    spec: str | None = None,
    allow_python_spec: bool = False,
    infer: bool = False,
    confirm: Path | None = None,
    buffers: int | str | None = None,
    unroll: int | None = None,
    max_unroll: int | None = None,
    fair: Collection[str] | None = None,
    algorithm: str | None = None,
    coherence: Coherence | str | None = None,
    no_prune: bool = False,
    no_symmetry: bool = False,
    no_await: bool = False,
    no_latest: bool = False,
    no_sleep: bool = False,
    no_acceleration: bool = False,
    no_por: bool = False,
    symmetric: str | None = None,
    shortest: bool = False,
    bitstate: bool = False,
    brab: int | None = None,
    instances: Sequence[int] = (),
    jobs: int = 1,
    limits: Limits | None = None,
    mapping: str | None = None,
    strict_dependencies: bool = False,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    further_files: Sequence[str] = (),
    undefines: Sequence[str] = (),
    includes: Sequence[str] = (),
    standard: str | None = None,
    clang: str | None = None,
    rustc: str | None = None,
    edition: str | None = None,
    features: Sequence[str] = (),
    configurations: Sequence[str] = (),
    program: str | None = None,
    allow_build: bool = False,
    test: str | None = None,
    target: str | None = None,
    data_model: str | None = None,
    commands: str | None = None,
    others: Sequence[str] = (),
    no_cache: bool = False,
    verbose: bool = False,
    arguments: Sequence[str] | None = None,
    options: Options | None = None,
    words: Mapping[str, str] | None = None,
) -> Answer:
    """The answer about a file or a text: of a program under a memory model, of a system, of an object.

    Args:
        source: a file name, or a text with a name.
        model: memory model: a name or a file.
        engine: engine (default: by model and question).
        properties: properties to check, separated by commas.
        property_file: check only the properties in an SV-COMP property file.
        error: a state that must not be reached: EXPR is true, or a thread is at LABEL.
        ltl: an LTL formula that every run must satisfy.
        ltl_file: file of named propositions and LTL claims, as SPIN or NuSMV write them.
        dve_errors: DVE: a run-time error ends the run.
        atomic: DVE: file of writes that bypass store buffers, one `variable, transition` per line.
        atomic_rule: DVE: an atomic write waits for the store buffer of its own process.
        ghost: Promela, DVE: variables whose stores bypass store buffers, separated by commas.
        threads: assertions and memory for any number of threads.
        client: check linearizability for clients of this size.
        order: objects: when one call precedes another.
        spec: objects: the sequential specification.
        allow_python_spec: objects: allow running the Python specification that the file names.
        infer: .obj: infer the invariants of the proof, and print them.
        confirm: validate this SV-COMP violation witness.
        buffers: bound of the store buffers.
        unroll: unroll loops N times.
        max_unroll: largest loop bound (default: 4, if needed 64).
        fair: fairness assumptions for LTL: buffers, processes, none.
        algorithm: the procedure of the engine: forward, backward or generic.
        coherence: merge executions that differ only in unobserved coherence order.
        no_prune: check the consistency of complete executions only (slower).
        no_symmetry: do not merge executions or states of identical threads (implied by --all).
        no_await: unroll waiting loops like other loops (termination holds within the bound at best).
        no_latest: let waiting threads read from any write, not only from the latest.
        no_sleep: buffers: disable sleep sets.
        no_acceleration: buffers: disable acceleration of cycles.
        no_por: states: disable partial-order reduction and keep dead registers.
        symmetric: threads that are identical.
        shortest: states: find a shortest run or lasso, without reduction.
        bitstate: states: bit-state search, which finds violations in larger programs but proves nothing.
        brab: guess invariants that hold with N processes, and prove them.
        instances: compare the answer with systems of this many processes or threads, such as 2,3.
        jobs: search with N threads.
        limits: limits, such as time=10s, memory=2G, states=N.
        mapping: compiler mapping of C11, or of the kernel's primitives, to a processor.
        strict_dependencies: VIOLATED if the program relies on a dependency that a compiler may remove.
        include_dirs: search DIR for files that C, C++, Promela and cat files include.
        defines: C, C++: define a macro.
        further_files: C, C++: link FILE into the program.
        undefines: C, C++: undefine a macro.
        includes: C, C++: include FILE before the program.
        standard: C, C++: the version of the language, such as gnu17 or c++20.
        clang: C, C++: the compiler.
        rustc: Rust: the compiler.
        edition: Rust: the edition.
        features: Rust: enable a feature of the crate.
        configurations: Rust: set a `cfg` option, such as `loom` or `key="value"`.
        program: Cargo.toml: the program to check.
        allow_build: Cargo.toml: let build scripts and procedural macros run.
        test: Rust: check the `#[test]` function NAME instead of `main`.
        target: C, C++: the processor to compile for.
        data_model: C, C++: compile for 32 or 64 bits.
        commands: C, C++: take -I, -D, -U, -std and -include from DIR/compile_commands.json.
        others: C, C++, Rust: pass WORD to the compiler.
        no_cache: do not use the cache of compiled files.
        verbose: print the command that compiles the program.
        arguments: C, C++: arguments of the program, as in a shell.
        options: how engines search, as a record; the single names above count more.
        words: options of single languages by name, such as `atomic-rule`.

    Raises:
        InputError: the text, the model or an option is wrong.
        OSError: a file cannot be read.
        InterruptedAnswerError: Ctrl-C; a `KeyboardInterrupt` that has the answer as far as it was found.
    """
    given = dict(locals())
    return answer(given.pop("source"), given)


@with_options_of(check)
def prove(source: SourceFile | str | Path, **given: Any) -> Answer:  # noqa: ANN401 - options of `check`
    """The answer for any number of threads or processes; the options are those of `check`.

    Raises:
        InputError: the text, the model or an option is wrong.
        OSError: a file cannot be read.
    """
    return answer(source, given, is_proof=True)


def repair(  # noqa: D417 - the other options are those of `check`
    source: SourceFile | str | Path,
    *,
    weaken: bool = False,
    greedy: bool = False,
    all_cheapest: bool = False,
    costs: Path | None = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
    model: Model | str | None = None,
    engine: str | None = None,
    properties: Collection[str] | None = None,
    property_file: Path | None = None,
    error: str | None = None,
    ltl: str | None = None,
    ltl_file: Path | None = None,
    dve_errors: str | None = None,
    atomic: Path | None = None,
    atomic_rule: str | None = None,
    ghost: str | None = None,
    threads: str | None = None,
    client: Size | tuple[int, int] | None = None,
    order: Ordering | str | None = None,
    spec: str | None = None,
    allow_python_spec: bool = False,
    infer: bool = False,
    confirm: Path | None = None,
    buffers: int | str | None = None,
    unroll: int | None = None,
    max_unroll: int | None = None,
    fair: Collection[str] | None = None,
    algorithm: str | None = None,
    coherence: Coherence | str | None = None,
    no_prune: bool = False,
    no_symmetry: bool = False,
    no_await: bool = False,
    no_latest: bool = False,
    no_sleep: bool = False,
    no_acceleration: bool = False,
    no_por: bool = False,
    symmetric: str | None = None,
    shortest: bool = False,
    bitstate: bool = False,
    brab: int | None = None,
    instances: Sequence[int] = (),
    jobs: int = 1,
    limits: Limits | None = None,
    mapping: str | None = None,
    strict_dependencies: bool = False,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    further_files: Sequence[str] = (),
    undefines: Sequence[str] = (),
    includes: Sequence[str] = (),
    standard: str | None = None,
    clang: str | None = None,
    rustc: str | None = None,
    edition: str | None = None,
    features: Sequence[str] = (),
    configurations: Sequence[str] = (),
    program: str | None = None,
    allow_build: bool = False,
    test: str | None = None,
    target: str | None = None,
    data_model: str | None = None,
    commands: str | None = None,
    others: Sequence[str] = (),
    no_cache: bool = False,
    verbose: bool = False,
    arguments: Sequence[str] | None = None,
    options: Options | None = None,
    words: Mapping[str, str] | None = None,
) -> Verdict:
    """The cheapest change that makes a text right; the other options are those of `check`.

    Args:
        source: a file name, or a text with a name.
        weaken: remove or weaken unnecessary ordering instead of adding it.
        greedy: take what Barnat's procedure ends with, cheapest or not.
        all_cheapest: find all repairs of the least cost.
        costs: the user's table of costs.
        seconds: afterwards the best repair so far is given, with a lower bound.
        progress: called now and then with a short text.

    Raises:
        InputError: the text, the model or an option is wrong, or the language cannot be repaired.
        OSError: a file cannot be read.
    """
    given = dict(locals())
    own = ("weaken", "greedy", "all_cheapest", "costs", "seconds", "progress")
    asked = {name: given.pop(name) for name in own}
    from membar.questions.repair import find_repair  # noqa: PLC0415 - on demand

    return find_repair(question(given.pop("source"), **given), **asked)
