"""Passes over code IR: one file each, in the order in which they run.

A pass takes a module and gives a module. It says in one sentence what it does, and which passes it needs. No
pass removes, merges or adds an access to memory that may be shared, nor a dependency that the code shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from membar.code import ir
from membar.code.validate import validate
from membar.limits.budget import stage
from membar.records import field_names, record, replace

if TYPE_CHECKING:
    from membar.code.linear import AnyNumber


@record(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass.

    Attributes:
        name: what `--print-after` calls it.
        purpose: one sentence.
        needs: the passes that must have run before.
        run: the pass itself.
    """

    name: str
    purpose: str
    needs: tuple[str, ...] = ()
    run: Callable[[ir.Module], ir.Module]


ORDER = (
    "divide_wide_integers",
    "resolve_indirect_calls",
    "pass_unnamed_arguments",
    "end_array_lifetimes",
    "inline_calls",
    "promote_locals",
    "fold_constants",
    "expand_copies",
    "split_locals",
    "promote_locals",
    "join_pieces",
    "fold_constants",
    "notice_panics",
    "limit_spurious_wakeups",
    "fold_constants",
    "unroll_counted_loops",
)
_DIVIDE = ("split_locals", "promote_locals", "join_pieces", "fold_constants")
"""What makes values of further variables each time: a pointer to one may have been kept in another."""
_MOST_ROUNDS = 4
_WRITE_OUT = ("unroll_counted_loops", "forward_stores")
_OF_A_THREAD = ("promote_locals", "join_pieces", "fold_constants", "forward_stores", *_WRITE_OUT)
"""What simplifies the function of a thread once its argument is known: what is known after loops have been
written out divides further variables, and the other way round. Copies are expanded before, where all accesses
to memory are seen."""
_OF_MEMORY = (
    "resolve_panics",
    "allow_missing_arguments",
    "drop_atomic_blocks",
    "enumerate_sizes",
    "place_locals",
    "model_printed_text",
    "check_writes_to_constants",
    "place_heap",
    "forward_constants",
    "note_address_dependence",
    "promote_locals",
    "fold_constants",
    "bound_copies",
    "split_cells",
    "join_pieces",
    "set_initial_values",
    "check_uninitialised_values",
)
"""What gives every object its cells."""


Watch: TypeAlias = Callable[[str, ir.Module], None]
"""Is shown the code after each pass, with the name of the pass."""
AROUND = ("start_program", "spawn_threads")
"""Passes that take more than a module."""


def _has_copies(module: ir.Module) -> bool:
    return any(
        isinstance(item, ir.Copy | ir.Fill)
        for function in module.functions.values()
        for block in function.blocks
        for item in block.instructions
    )


SHORTER = "shorter loops, smaller arrays and fewer threads take less"
"""What helps where a limit ends this."""

_ONLY_WHERE: Mapping[str, Callable[[ir.Module], bool]] = {
    "bound_copies": _has_copies,
    "allow_missing_arguments": lambda module: module.lacks_arguments,
    "notice_panics": lambda module: module.is_rust,
    "resolve_panics": lambda module: module.is_rust,
}
"""Where some passes have nothing to do, and are not even loaded: for most programs."""


def pass_names() -> tuple[str, ...]:
    """The names of all passes, in the order in which they run first."""
    start, spawn = AROUND
    return tuple(dict.fromkeys((start, *ORDER, spawn, *_OF_A_THREAD, *_OF_MEMORY)))


def load_pass(name: str) -> Pass:
    """The pass with this name."""
    found = import_module(f"membar.code.passes.{name}").PASS
    if not isinstance(found, Pass):
        raise TypeError(name)
    return found


def run_passes(module: ir.Module, *, until: str = ORDER[-1], is_validated: bool = True) -> ir.Module:
    """The module after all passes up to one of them."""
    last = len(ORDER) - ORDER[::-1].index(until)  # some run more than once
    return _run(module, ORDER[:last], is_validated=is_validated)


def _run(
    module: ir.Module,
    names: tuple[str, ...],
    *,
    is_validated: bool,
    watch: Watch | None = None,
    settled: dict[str, ir.Module] | None = None,
) -> ir.Module:
    """The module after these passes; `settled` are modules that passes left as they were."""
    settled = {} if settled is None else settled
    for name in names:
        is_settled = name in settled and _is_same(module, settled[name])
        if not is_settled and (name not in _ONLY_WHERE or _ONLY_WHERE[name](module)):
            before = module
            with stage(f"while translating the program (pass {name}): {SHORTER}"):
                module = load_pass(name).run(module)
            if is_validated:
                validate(module)
            if _is_same(module, before):
                settled[name] = module
        if watch is not None:
            watch(name, module)
    return module


def _is_same(one: ir.Module, other: ir.Module) -> bool:
    """Whether two modules have the same functions, one by one, and all else in common."""
    ours, theirs = one.functions, other.functions
    if ours.keys() != theirs.keys() or any(ours[name] is not theirs[name] for name in ours):
        return False
    return all(getattr(one, name) == getattr(other, name) for name in field_names(one))


def prepare(
    module: ir.Module,
    *,
    words: tuple[str, ...] | None = None,
    name: str = "a",
    is_validated: bool = False,
    any_number: AnyNumber | None = None,
    watch: Watch | None = None,
) -> ir.Module:
    """The module as `lowering` takes it: calls inlined, one simplified function for each thread.

    Args:
        module: linked, and with bodies for all that it calls.
        words: what the program is run with; None if that is not said.
        name: what it is called, its first argument.
        is_validated: for tests; to check the code after every pass takes longer than the passes.
        any_number: `main` starts as many threads as `__membar_number` says; what depends on that.
        watch: is shown the code after each pass; passes over single threads show one thread.
    """
    from membar.code.loops import some_count  # noqa: PLC0415 - on demand
    from membar.code.passes.bound_recursion import bound_recursion  # noqa: PLC0415 - on demand
    from membar.code.passes.resolve_indirect_calls import resolve_thread_functions  # noqa: PLC0415 - on demand
    from membar.code.passes.spawn_threads import spawn_threads, with_own_number  # noqa: PLC0415 - it needs this module
    from membar.code.passes.start_program import start_program  # noqa: PLC0415 - on demand

    settled: dict[str, ir.Module] = {}

    def run(module: ir.Module, names: tuple[str, ...]) -> ir.Module:
        return _run(module, names, is_validated=is_validated, watch=watch, settled=settled)

    def divide_again(module: ir.Module) -> ir.Module:
        for _ in range(_MOST_ROUNDS):
            divided = run(module, _DIVIDE)
            if divided.functions == module.functions:
                break
            module = divided
        return module

    def simplify(whole: ir.Module, name: str) -> ir.Module:
        def simplify_once(module: ir.Module) -> ir.Module:
            module = with_own_number(module, name)
            alone = replace(module, functions={name: module.functions[name]})
            alone = run(alone, _OF_A_THREAD)
            for _ in range(_MOST_ROUNDS):
                alone, last = divide_again(alone), alone
                if alone.functions == last.functions or not some_count(alone.functions[name].blocks):
                    break
                alone = run(alone, _WRITE_OUT)
            functions = {**module.functions, name: alone.functions[name]}
            return replace(module, functions=functions, objects=alone.objects)

        return bound_recursion(simplify_once(whole), name, simplify_once)

    start, spawn = AROUND
    module = start_program(module, words, name)
    if watch is not None:
        watch(start, module)
    last = len(ORDER) - ORDER[::-1].index("fold_constants")  # loops are written out thread by thread
    module = divide_again(run(module, ORDER[:last]))
    module = spawn_threads(resolve_thread_functions(module), simplify, any_number)
    if any_number is not None:
        from membar.code.passes.replicate_threads import check_copies  # noqa: PLC0415 - few programs

        check_copies(module, any_number)
    module = replace(module, functions={name: module.functions[name] for name in module.threads})
    if watch is not None:
        watch(spawn, module)
    return run(module, _OF_MEMORY)
