"""Every option of a question, declared once.

The command line, its help, the errors for options that do not apply, and the signatures of `membar.check` and
its siblings are made from this table. It is one table, and not spread over the kinds of questions, so that a
command line can be read without loading any of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from membar.limits.budget import limit_resources
from membar.questions.task import Coherence, Limits, Options, Unrolling
from membar.records import record, replace
from membar.source import CompilerOptions, FileText

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM, CONFIRMED, LIFTED, CLIENTS, SYSTEM, PROOF = (
    "programs",
    "confirmed",
    "lifted",
    "clients",
    "systems",
    "objects",
)
KINDS: Final = (PROGRAM, CONFIRMED, LIFTED, CLIENTS, SYSTEM, PROOF)


@record(frozen=True, slots=True, kw_only=True)
class Option:
    """One option.

    Attributes:
        name: what the command line calls it.
        help: what it does, for `--help`.
        commands: those that take it.
        kinds: the kinds of questions that it applies to.
        field: the field of questions, or the argument in Python, if that has another name.
        metavar: what stands for its value; "" for a switch.
        letter: its short form, such as `-j`.
        read: the function of `membar.cli.arguments.values` that reads the value; "" takes it as it is.
        choices: the values that there are, if they are few.
        form: `value`, `switch`, `list` (one more each time), `words` (a shell's words).
        default: the value where it is not given.
        by_engines: only engines that say so (`Capabilities.options`) look at it.
        languages: the languages that it is for; empty: all.
        is_common: it stands in the short help.
        is_output: it says what becomes of the answer, not what is asked.
        is_search: it says how engines search (a field of `task.Options`).
        is_compiler: it says how a text is compiled (a field of `CompilerOptions`).
        rival: options of one rival exclude each other.
        short: what it does, for the short help, if `help` is too long there.
        python: its type, for the signature.
    """

    name: str
    help: str
    commands: tuple[str, ...] = ("check",)
    kinds: tuple[str, ...] = KINDS
    field: str = ""
    metavar: str = ""
    letter: str = ""
    read: str = ""
    choices: tuple[str, ...] = ()
    form: str = "value"
    default: Any = None
    by_engines: bool = False
    languages: tuple[str, ...] = ()
    is_common: bool = False
    is_output: bool = False
    is_search: bool = False
    is_compiler: bool = False
    rival: str = ""
    short: str = ""
    python: str = "str | None"

    @property
    def key(self) -> str:
        """Its name in Python."""
        return self.field or self.attribute

    @property
    def attribute(self) -> str:
        """Its name in what a command line chooses: there it is called as users call it."""
        name = self.field if self.is_compiler else _LETTERS.get(self.name)
        return name or self.name.lstrip("-").replace("-", "_")


# Options that have no other name than a letter.
_LETTERS: Final = {"-D": "define", "-I": "include"}


_ASKING: Final = ("check", "repair")
_CHECKING: Final = ("check", "litmus", "repair")
_SEARCHING: Final = ("check", "litmus", "compare", "repair")
_PROVING: Final = (SYSTEM, LIFTED)
_OF_PROGRAMS: Final = (PROGRAM, CONFIRMED, LIFTED, CLIENTS)
_SHORT: Final = ("check", "litmus")

TABLE: Final = (
    Option(
        name="--model",
        letter="-m",
        metavar="NAME|FILE.cat",
        commands=_CHECKING,
        help="memory model: a name, or a .cat, .rules or .cfg file (default: by language)",
        short="memory model: a name or a file",
        is_common=True,
        python="Model | str | None",
    ),
    Option(
        name="--engine",
        metavar="NAME",
        commands=_CHECKING,
        kinds=(PROGRAM, CLIENTS, SYSTEM, PROOF),
        help="engine (default: by language)",
        is_common=True,
    ),
    Option(
        name="--property",
        field="properties",
        metavar="LIST",
        commands=_ASKING,
        kinds=(PROGRAM, LIFTED),
        rival="property",
        help="what to check, separated by commas (docs/reference/properties.md lists all); `none` only"
        " explores (default: all that apply)",
        short="properties to check, separated by commas",
        is_common=True,
        python="Collection[str] | None",
    ),
    Option(
        name="--property-file",
        metavar="FILE.prp",
        read="path",
        commands=_ASKING,
        kinds=(PROGRAM,),
        languages=("C",),
        rival="property",
        help="check only the properties in an SV-COMP property file (default model: sc)",
        python="Path | None",
    ),
    Option(
        name="--error",
        metavar="EXPR|LABEL",
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="error state: an expression or location that must be unreachable;"
        " `final EXPR`: in final states (XCFA)",
    ),
    Option(
        name="--ltl",
        metavar="FORMULA|@FILE",
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="LTL formula that every run must satisfy, such as `G(P.wait -> F P.cs)`: G F X U R W, [] <>,"
        " && || -> !; or the file that contains it",
        short="an LTL formula that every run must satisfy",
        is_common=True,
    ),
    Option(
        name="--dve-errors",
        choices=("terminal", "legacy"),
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="DVE: a run-time error ends the run (default), or the run continues as in DiVinE 2 (sc only)",
    ),
    Option(
        name="--atomic",
        metavar="FILE",
        read="path",
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="DVE: writes that do not go through store buffers, `variable, transition` per line; `*` is any",
        python="Path | None",
    ),
    Option(
        name="--atomic-rule",
        choices=("own", "all"),
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="what an atomic write waits for: its own store buffer (default), or all",
    ),
    Option(
        name="--threads",
        metavar="any[:NAME]",
        read="threads",
        commands=_ASKING,
        kinds=(LIFTED,),
        help="C: prove the properties for any number of threads, sc and x86-tso; NAME is the macro for their"
        " number (default: N)",
        short="prove the properties for any number of threads",
        is_common=True,
    ),
    Option(
        name="--client",
        metavar="T,N",
        read="client",
        commands=_ASKING,
        kinds=(CLIENTS,),
        help="objects: check linearizability for all clients of T threads with N operations each",
        short="check linearizability: T threads, N calls each",
        is_common=True,
        python="Size | tuple[int, int] | None",
    ),
    Option(
        name="--order",
        choices=("causal", "flush", "real-time"),
        commands=_ASKING,
        kinds=(CLIENTS, PROOF),
        help="objects: when one call precedes another (default: causal; the others under sc and x86-tso)",
        python="Ordering | str | None",
    ),
    Option(
        name="--spec",
        metavar="NAME|FILE.py:CLASS",
        commands=_ASKING,
        kinds=(CLIENTS,),
        help="objects: the sequential specification (default: the one in the file)",
    ),
    Option(
        name="--allow-python-spec",
        form="switch",
        commands=_ASKING,
        kinds=(CLIENTS,),
        help="objects: allow running the Python specification that the file names",
        python="bool",
    ),
    Option(
        name="--infer",
        form="switch",
        kinds=(PROOF,),
        help=".obj: infer the invariants of the proof, and print them",
        python="bool",
    ),
    Option(
        name="--confirm",
        metavar="WITNESS",
        read="path",
        kinds=(CONFIRMED,),
        help="C: validate an SV-COMP violation witness: VIOLATED if an execution follows it to its violation,"
        " UNKNOWN if none was found",
        short="validate this SV-COMP violation witness",
        python="Path | None",
    ),
    Option(
        name="--buffers",
        metavar="N|unbounded",
        read="buffers",
        commands=_SEARCHING,
        kinds=(PROGRAM, CLIENTS),
        by_engines=True,
        is_search=True,
        help="run with store buffers of at most N entries, or of any length",
        short="bound of the store buffers",
        is_common=True,
        python="int | str | None",
    ),
    Option(
        name="--unroll",
        metavar="N",
        read="positive",
        commands=_SEARCHING,
        kinds=(PROGRAM, CLIENTS),
        by_engines=True,
        is_search=True,
        rival="loops",
        help="unroll loops N times",
        is_common=True,
        python="int | None",
    ),
    Option(
        name="--max-unroll",
        metavar="N",
        read="positive",
        commands=_SEARCHING,
        kinds=(PROGRAM, CLIENTS),
        by_engines=True,
        is_search=True,
        rival="loops",
        help="largest loop bound to try (default: 4)",
        is_common=True,
        python="int | None",
    ),
    Option(
        name="--fair",
        metavar="LIST",
        read="fair",
        default=Options().fair,
        commands=_SEARCHING,
        kinds=(PROGRAM,),
        is_search=True,
        help="fairness assumptions for LTL: buffers, processes, none (default: buffers)",
        python="Collection[str] | None",
    ),
    Option(
        name="--algorithm",
        choices=("forward", "backward", "generic"),
        commands=_SEARCHING,
        kinds=(PROGRAM, *_PROVING),
        by_engines=True,
        is_search=True,
        help="procedure of the engine buffers: forward or backward (default: short buffers, then both in"
        " turn); or of cubes: backward, or generic (every order of writes, for comparison)",
        short="the procedure of the engine: forward, backward or generic",
    ),
    Option(
        name="--coherence",
        choices=tuple(choice.value for choice in Coherence),
        commands=_SEARCHING,
        kinds=(PROGRAM,),
        by_engines=True,
        is_search=True,
        help="`observed`: merge executions that differ only in unobserved coherence order"
        " (default of check, but not with --all or --herd); `all`: every execution on its own",
        short="merge executions that differ only in unobserved coherence order",
        python="Coherence | str | None",
    ),
    *(
        Option(
            name=f"--no-{name}",
            form="switch",
            commands=_SEARCHING,
            kinds=kinds,
            by_engines=True,
            is_search=True,
            help=help_,
            python="bool",
        )
        for name, kinds, help_ in (
            (
                "prune",
                (PROGRAM, CLIENTS),
                "test executions only when they are complete (slower)",
            ),
            (
                "symmetry",
                (PROGRAM,),
                "do not merge executions of identical threads by symmetry (implied by --all)",
            ),
            (
                "await",
                (PROGRAM, CLIENTS),
                "unroll waiting loops as other loops (termination unchecked)",
            ),
            (
                "inplace",
                (PROGRAM,),
                "let waiting threads read any value, not only the latest write (disables `in place`)",
            ),
            ("sleep", (PROGRAM,), "buffers: disable sleep sets"),
            ("acceleration", (PROGRAM,), "buffers: disable acceleration of cycles"),
            ("por", (PROGRAM, CLIENTS), "states: disable partial-order reduction and keep dead registers"),
        )
    ),
    Option(
        name="--shortest",
        form="switch",
        kinds=(PROGRAM,),
        by_engines=True,
        is_search=True,
        help="states: find a shortest run or lasso, without reduction",
        python="bool",
    ),
    Option(
        name="--brab",
        metavar="N",
        read="positive",
        kinds=_PROVING,
        by_engines=True,
        is_search=True,
        help=".cub: guess invariants that hold with N processes, and prove them (default: off)",
        python="int | None",
    ),
    Option(
        name="--instances",
        metavar="LIST",
        read="sizes",
        default=(),
        kinds=_PROVING,
        is_search=True,
        help=".cub: compare the answer with systems of this many processes, such as 2,3",
        python="Sequence[int]",
    ),
    Option(
        name="--jobs",
        letter="-j",
        metavar="N",
        read="positive",
        default=1,
        commands=_SEARCHING,
        kinds=(PROGRAM, CLIENTS),
        by_engines=True,
        is_search=True,
        help="use N threads; litmus: N processes (default: 1)",
        short="use N threads (litmus: N processes)",
        is_common=True,
        python="int",
    ),
    Option(
        name="--limit",
        field="limits",
        metavar="KIND=N,…",
        read="limits",
        default=Limits(),
        commands=_SEARCHING,
        help="time=10s, memory=2G, executions=N, states=N, separated by commas",
        short="time=10s, memory=2G, executions=N, states=N",
        is_common=True,
        python="Limits | None",
    ),
    Option(
        name="--mapping",
        metavar="NAME",
        commands=_SEARCHING,
        kinds=_OF_PROGRAMS,
        languages=("C",),
        help="compiler mapping of C for a processor (default: the model's)",
    ),
    Option(
        name="-I",
        field="include_dirs",
        metavar="DIR",
        read="path",
        form="list",
        default=(),
        commands=(*_SEARCHING, "translate"),
        kinds=(*_OF_PROGRAMS, SYSTEM),
        help="search DIR for files that C and cat files include",
        python="Sequence[Path]",
    ),
    Option(
        name="-D",
        field="defines",
        metavar="NAME[=V]",
        form="list",
        default=(),
        commands=(*_SEARCHING, "translate"),
        kinds=_OF_PROGRAMS,
        languages=("C",),
        help="define a macro for C",
        python="Sequence[str]",
    ),
    *(
        Option(
            name=name,
            field=field,
            metavar=metavar,
            choices=("ILP32", "LP64") if name == "--data-model" else (),
            form=form,
            default=() if form == "list" else None,
            commands=(*_SEARCHING, "translate"),
            kinds=_OF_PROGRAMS,
            languages=("C",),
            is_compiler=True,
            help=help_,
            python={"list": "Sequence[str]", "switch": "bool"}.get(form, "str | None"),
        )
        for name, field, metavar, form, help_ in (
            ("--with", "further_files", "FILE", "list", "C: link FILE into the program"),
            ("-U", "undefines", "NAME", "list", "undefine a macro for C"),
            ("-include", "includes", "FILE", "list", "C: include FILE before the program"),
            ("--std", "standard", "NAME", "value", "C: the version of the language, such as gnu17"),
            ("--clang", "", "PATH", "value", "C: the compiler (default: the newest clang on the path)"),
            ("--target", "", "NAME", "value", "C: the processor to compile for (default: the model's)"),
            ("--data-model", "", "", "value", "C: compile for 32 or 64 bits (default: LP64)"),
            (
                "--compile-commands",
                "commands",
                "DIR",
                "value",
                "C: take -I, -D, -U, -std and -include from DIR/compile_commands.json",
            ),
            (
                "--compiler-option",
                "others",
                "WORD",
                "list",
                "C: another option for the compiler; or after `--`",
            ),
            ("--no-cache", "", "", "switch", "C: do not use the cache of compiled files"),
            ("-v", "verbose", "", "switch", "C: print the command that compiles the program"),
        )
    ),
    Option(
        name="--args",
        field="arguments",
        metavar="WORDS",
        read="words",
        form="words",
        kinds=(PROGRAM,),
        languages=("C",),
        help="C: arguments of the program, as in a shell; may be repeated (default: none)",
        python="Sequence[str] | None",
    ),
    Option(
        name="--json",
        form="switch",
        commands=_SHORT,
        is_output=True,
        rival="form",
        help="one JSON object per line",
        is_common=True,
    ),
    Option(
        name="--herd",
        form="switch",
        commands=_SHORT,
        kinds=(PROGRAM,),
        languages=("litmus", "program text"),
        is_output=True,
        rival="form",
        help="herd's text blocks",
    ),
    Option(
        name="--dot",
        metavar="DIR",
        read="path",
        commands=_SHORT,
        kinds=_OF_PROGRAMS,
        is_output=True,
        help="write a Graphviz file for each execution to DIR",
    ),
    Option(
        name="--svg",
        metavar="DIR",
        read="path",
        commands=_SHORT,
        kinds=_OF_PROGRAMS,
        is_output=True,
        help="write an SVG drawing of each execution to DIR",
        is_common=True,
    ),
    Option(
        name="--all",
        form="switch",
        commands=_SHORT,
        kinds=(PROGRAM,),
        is_output=True,
        is_search=True,
        help="show every execution, not only the witness",
        is_common=True,
    ),
    Option(
        name="--explain",
        form="switch",
        kinds=(PROGRAM, CONFIRMED),
        is_output=True,
        help="show which axiom forbids the outcome, with the cycle",
        short="show which axiom forbids the outcome",
        is_common=True,
    ),
    Option(
        name="--certificate",
        metavar="FILE",
        read="path",
        kinds=_PROVING,
        by_engines=True,
        is_output=True,
        help=".cub: write the proof's obligations as SMT-LIB",
    ),
    Option(
        name="--accept-bounded",
        form="switch",
        commands=_ASKING,
        is_output=True,
        help="exit with 0 for HOLDS WITHIN too",
    ),
    Option(
        name="--junit",
        metavar="FILE",
        read="path",
        commands=_SHORT,
        is_output=True,
        help="write a JUnit report (- for standard output)",
    ),
    Option(
        name="--sarif",
        metavar="FILE",
        read="path",
        commands=_SHORT,
        is_output=True,
        help="write a SARIF 2.1.0 log",
        is_common=True,
    ),
    Option(
        name="--summary",
        metavar="FILE",
        read="path",
        commands=(*_SHORT, "compare"),
        is_output=True,
        help="write a summary in GitHub's Markdown",
    ),
    Option(
        name="--witness",
        metavar="FILE",
        read="path",
        is_output=True,
        help="C: write the violation as a witness for SV-COMP: .graphml (1.0), or .yml (2.2)",
    ),
)
BY_NAME: Final[Mapping[str, Option]] = {option.name: option for option in TABLE}
REDUCTIONS: Final = tuple(
    option.name.removeprefix("--no-")
    for option in TABLE
    if option.name.startswith("--no-") and option.is_search
)


def search_options(given: Mapping[str, Any], options: Options) -> Options:
    """The options of a search, with what is given by the names of the command line."""
    found = dict[str, Any]()
    if (buffers := given.get("buffers")) is not None:
        is_unbounded = buffers in (0, "unbounded")
        found |= {
            "buffers": None if is_unbounded else buffers,
            "buffers_chosen_by_user": not is_unbounded,
            "unbounded_buffers": is_unbounded,
        }
    exact, deepest = given.get("unroll"), given.get("max_unroll")
    if exact is not None or deepest is not None:
        found["unrolling"] = Unrolling(
            exact=exact, deepest=deepest or Unrolling().deepest, chosen_by_user=True
        )
    if (coherence := given.get("coherence")) is not None:
        found |= {"coherence": Coherence(coherence), "coherence_chosen_by_user": True}
    if given.get("fair") is not None:
        found["fair"] = frozenset(given["fair"])
    for name in ("algorithm", "jobs", "shortest", "brab"):
        if given.get(name):
            found[name] = given[name]
    if given.get("instances"):
        found["instances"] = tuple(given["instances"])
    off = frozenset(name for name in REDUCTIONS if given.get(f"no_{name}"))
    if off:
        found["reductions_off"] = options.reductions_off | off
    return replace(options, **found) if found else options


def compiler_options(given: Mapping[str, Any]) -> CompilerOptions | None:
    """How a text is compiled, with what is given by name; None: as usual."""
    found = dict[str, Any]()
    for option in TABLE:
        value = given.get(option.key) if option.is_compiler else None
        if value is None or value is False or value == option.default:
            continue
        if option.name == "--no-cache":
            found["uses_cache"] = False
        else:
            is_list = option.form == "list"
            found[option.key] = tuple(map(str, value)) if is_list else value if value is True else str(value)
    return CompilerOptions(**found) if found else None


def compiler_options_in(options: CompilerOptions | None) -> list[str]:
    """The options of the command line that say how a text is compiled."""
    plain = CompilerOptions()
    return [
        option.name
        for option in TABLE
        if option.is_compiler
        and options is not None
        and getattr(options, _FIELD_OF.get(option.key, option.key))
        != getattr(plain, _FIELD_OF.get(option.key, option.key))
    ]


_FIELD_OF: Final = {"no_cache": "uses_cache"}


def question_fields(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What is given by name, as fields of questions, and the options that were given; None means the default.

    Raises:
        TypeError: there is no such option.
    """
    known = {option.key: option for option in TABLE if not option.is_output}
    fields, names, search = dict[str, Any](), list[str](), dict[str, Any]()
    for name, value in given.items():
        option = known.get(name)
        if value is None or (option is not None and value == option.default):
            continue
        if option is None:
            if name not in _MORE_FIELDS:
                raise TypeError(f"there is no option {name!r}; see help(membar.check)")
            fields[name] = value
            continue
        if option.form == "switch" and not value:
            continue
        names.append(option.name)
        if name in _OF_LANGUAGES:
            text = _text_within(given.get("limits"), value) if name == "atomic" else str(value)
            fields["words"] = {**fields.get("words", {}), name.replace("_", "-"): text}
        elif option.is_compiler:
            fields["compiler"] = compiler_options(given)
        elif name == "threads":
            fields[name] = value.partition(":")[2] or "N" if value.partition(":")[0] == "any" else value
        elif name == "order":
            fields[name] = getattr(value, "value", value)
        else:
            (search if option.is_search else fields)[name] = value
    if search:
        fields["options"] = search_options(search, fields.get("options") or Options())
    return fields, names


def _text_within(limits: Limits | None, path: Path) -> FileText:
    """What a file holds; reading it may take as long as the question: it may be a pipe."""
    with limit_resources(seconds=None if limits is None else limits.seconds, memory=None):
        return FileText.read(path)


_OF_LANGUAGES: Final = ("dve_errors", "atomic", "atomic_rule")
# Fields that have no option of their own: how engines search, options of single languages by name.
_MORE_FIELDS: Final[Collection[str]] = ("options", "words", "given_options")
