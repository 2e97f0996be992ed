"""Every option of a question, declared once.

The command line, its help, the errors for options that do not apply, and the signatures of `membar.check` and
its siblings are generated from this table. It is one table, and not spread over the kinds of questions, so
that a command line can be read without loading any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from membar.questions.option import CLIENTS, CONFIRMED, LIFTED, PROGRAM, PROOF, SYSTEM, Option
from membar.questions.task import Coherence, Limits, Options

_ASKING: Final = ("check", "repair")
_CHECKING: Final = ("check", "litmus", "repair")
_SEARCHING: Final = ("check", "litmus", "compare", "repair")
_PROVING: Final = (SYSTEM, LIFTED)
_OF_PROGRAMS: Final = (PROGRAM, CONFIRMED, LIFTED, CLIENTS)
_SHORT: Final = ("check", "litmus")
_COMPILED: Final = ("C", "C++", "Rust")
_BY_CLANG: Final = ("C", "C++")
_OF_RUST: Final = ("--rustc", "--edition", "--features", "--cfg", "--bin", "--allow-build", "--test")
_OF_ALL_COMPILERS: Final = ("--compiler-option", "--no-cache", "-v")

TABLE: Final = (
    Option(
        name="--model",
        letter="-m",
        rival="model",
        metavar="NAME|FILE.cat",
        commands=_CHECKING,
        help="memory model: a name, or a .cat, .rules or .cfg file (default: by language)",
        short="memory model: a name or a file",
        is_common=True,
    ),
    Option(
        name="--engine",
        metavar="NAME",
        commands=_CHECKING,
        kinds=(PROGRAM, CLIENTS, SYSTEM, PROOF),
        help="engine (default: by model, question and --buffers; see docs/reference/matrix.md)",
        short="engine (default: by model and question)",
        is_common=True,
    ),
    Option(
        name="--property",
        menu="check",
        label="Properties",
        field="properties",
        metavar="LIST",
        commands=_ASKING,
        kinds=(PROGRAM, LIFTED),
        rival="property",
        help="properties to check, separated by commas (docs/reference/properties.md lists all); `none`"
        " only explores (default: all that apply)",
        short="properties to check, separated by commas",
        is_common=True,
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
    ),
    Option(
        name="--error",
        menu="check",
        label="Must never be reached",
        metavar="EXPR|LABEL",
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="a state that must not be reached: EXPR is true, or a thread is at LABEL;"
        " `final EXPR`: only final states (XCFA)",
    ),
    Option(
        name="--ltl",
        menu="check",
        label="True of all runs (LTL)",
        metavar="FORMULA|@FILE",
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="LTL formula that every run must satisfy, such as `G(P.wait -> F P.cs)`, in the syntax of"
        " SPIN or NuSMV: G F X U R W, [] <> always until, && || -> !, past operators Y Z O H S T; or the"
        " file that contains it",
        short="an LTL formula that every run must satisfy",
        is_common=True,
    ),
    Option(
        name="--ltl-file",
        metavar="FILE",
        read="path",
        commands=_ASKING,
        kinds=(PROGRAM,),
        help="file of named propositions and LTL claims, as SPIN or NuSMV write them",
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
        help="DVE: file of writes that bypass store buffers, one `variable, transition` per line; `*` stands"
        " for any",
    ),
    Option(
        name="--atomic-rule",
        choices=("own", "all"),
        commands=(*_ASKING, "translate"),
        kinds=(PROGRAM,),
        help="DVE: an atomic write waits for the store buffer of its own process (default), or for all",
    ),
    Option(
        name="--ghost",
        metavar="LIST",
        commands=_ASKING,
        kinds=(PROGRAM,),
        help="Promela, DVE: variables whose stores bypass store buffers, separated by commas",
    ),
    Option(
        name="--threads",
        menu="check",
        label="Number of threads",
        metavar="any[:NAME]",
        read="threads",
        commands=_ASKING,
        kinds=(LIFTED,),
        help="C: prove assertions and memory safety for any number of threads (sc, x86-tso); NAME is the"
        " macro for their number (default: N)",
        short="assertions and memory for any number of threads",
        is_common=True,
    ),
    Option(
        name="--client",
        menu="check",
        label="Clients of an object",
        metavar="T,N",
        read="client",
        commands=_ASKING,
        kinds=(CLIENTS,),
        help="objects: check linearizability for all clients of T threads with at most N calls each",
        short="check linearizability for clients of this size",
        is_common=True,
    ),
    Option(
        name="--order",
        choices=("causal", "flush", "real-time"),
        commands=_ASKING,
        kinds=(CLIENTS, PROOF),
        help="objects: when one call precedes another (default: causal; flush and"
        " real-time only under sc and x86-tso)",
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
    ),
    Option(
        name="--infer",
        form="switch",
        kinds=(PROOF,),
        help=".obj: infer the invariants of the proof, and print them",
    ),
    Option(
        name="--confirm",
        metavar="WITNESS",
        read="path",
        kinds=(CONFIRMED,),
        help="C: validate an SV-COMP violation witness: VIOLATED if an execution that follows it"
        " violates the property, UNKNOWN if none was found",
        short="validate this SV-COMP violation witness",
    ),
    Option(
        name="--buffers",
        menu="bounds",
        label="Store buffers",
        metavar="N|unbounded",
        read="buffers",
        commands=_SEARCHING,
        kinds=(PROGRAM, CLIENTS),
        by_engines=True,
        is_search=True,
        help="run with store buffers of at most N entries, or of any length (default where states are"
        " searched: 2, under cam 1)",
        short="bound of the store buffers",
        is_common=True,
    ),
    Option(
        name="--unroll",
        menu="bounds",
        label="Loops, exactly",
        metavar="N",
        read="positive",
        commands=_SEARCHING,
        kinds=(PROGRAM, CLIENTS),
        by_engines=True,
        is_search=True,
        rival="loops",
        help="unroll loops N times",
        is_common=True,
    ),
    Option(
        name="--max-unroll",
        menu="bounds",
        label="Loops, at most",
        metavar="N",
        read="positive",
        commands=_SEARCHING,
        kinds=(PROGRAM, CLIENTS),
        by_engines=True,
        is_search=True,
        rival="loops",
        help="largest loop bound to try (default: 4; up to 64 if no execution terminates within 4)",
        short="largest loop bound (default: 4, if needed 64)",
        is_common=True,
    ),
    Option(
        name="--fair",
        menu="check",
        label="Fairness for LTL",
        metavar="LIST",
        read="fair",
        default=Options().fair,
        commands=_SEARCHING,
        kinds=(PROGRAM,),
        is_search=True,
        help="fairness assumptions for LTL: buffers, processes, none (default: buffers)",
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
        )
        for name, kinds, help_ in (
            ("prune", (PROGRAM, CLIENTS), "check the consistency of complete executions only (slower)"),
            (
                "symmetry",
                (PROGRAM,),
                "do not merge executions or states of identical threads (implied by --all)",
            ),
            (
                "await",
                (PROGRAM, CLIENTS),
                "unroll waiting loops like other loops (termination holds within the bound at best)",
            ),
            ("latest", (PROGRAM,), "let waiting threads read from any write, not only from the latest"),
            ("sleep", (PROGRAM,), "buffers: disable sleep sets"),
            ("acceleration", (PROGRAM,), "buffers: disable acceleration of cycles"),
            ("por", (PROGRAM, CLIENTS), "states: disable partial-order reduction and keep dead registers"),
        )
    ),
    Option(
        name="--symmetric",
        metavar="LIST",
        kinds=(PROGRAM,),
        by_engines=True,
        is_search=True,
        help="states: these threads, or the instances of this process, are identical; if they are not, membar"
        " says where (identical ones are also found without this option)",
        short="threads that are identical",
    ),
    Option(
        name="--shortest",
        form="switch",
        kinds=(PROGRAM,),
        by_engines=True,
        is_search=True,
        help="states: find a shortest run or lasso, without reduction",
    ),
    Option(
        name="--bitstate",
        form="switch",
        kinds=(PROGRAM,),
        by_engines=True,
        is_search=True,
        help="states: bit-state search, which finds violations in larger programs but proves nothing",
    ),
    Option(
        name="--brab",
        metavar="N",
        read="positive",
        kinds=_PROVING,
        by_engines=True,
        is_search=True,
        help="guess invariants that hold with N processes, and prove them (default: off)",
    ),
    Option(
        name="--instances",
        metavar="LIST",
        read="sizes",
        default=(),
        kinds=_PROVING,
        is_search=True,
        help="compare the answer with systems of this many processes or threads, such as 2,3",
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
        help="search with N threads; litmus: check N tests at a time (default: 1)",
        short="search with N threads",
        short_of=(("litmus", "check N tests at a time"),),
        is_common=True,
    ),
    Option(
        name="--limit",
        menu="bounds",
        label="Time and memory",
        field="limits",
        metavar="KIND=N,…",
        read="limits",
        default=Limits(),
        commands=_SEARCHING,
        help="limits, separated by commas: time=10s, memory=2G, disk=20G, executions=N, states=N",
        short="limits, such as time=10s, memory=2G, states=N",
        is_common=True,
    ),
    Option(
        name="--mapping",
        metavar="NAME",
        commands=_SEARCHING,
        kinds=_OF_PROGRAMS,
        languages=(*_COMPILED, "LKMM"),
        help="compiler mapping of C11, or of the kernel's primitives, to a processor (default: the model's)",
    ),
    Option(
        name="--strict-dependencies",
        form="switch",
        commands=("check",),
        kinds=(PROGRAM,),
        languages=_COMPILED,
        help="VIOLATED if the program relies on a dependency that a compiler may remove",
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
        help="search DIR for files that C, C++, Promela and cat files include",
    ),
    Option(
        name="-D",
        menu="bounds",
        label="Macros",
        field="defines",
        metavar="NAME[=V]",
        form="list",
        default=(),
        commands=(*_SEARCHING, "translate"),
        kinds=_OF_PROGRAMS,
        languages=_COMPILED,
        help="C, C++: define a macro",
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
            languages=(
                ("Rust",) if name in _OF_RUST else _COMPILED if name in _OF_ALL_COMPILERS else _BY_CLANG
            ),
            is_compiler=True,
            help=help_,
        )
        for name, field, metavar, form, help_ in (
            ("--with", "further_files", "FILE", "list", "C, C++: link FILE into the program"),
            ("-U", "undefines", "NAME", "list", "C, C++: undefine a macro"),
            ("-include", "includes", "FILE", "list", "C, C++: include FILE before the program"),
            (
                "--std",
                "standard",
                "NAME",
                "value",
                "C, C++: the version of the language, such as gnu17 or c++20",
            ),
            (
                "--clang",
                "",
                "PATH",
                "value",
                "C, C++: the compiler (default: MEMBAR_CLANG, the newest clang on the path, or ziglang)",
            ),
            (
                "--rustc",
                "",
                "PATH",
                "value",
                "Rust: the compiler (default: MEMBAR_RUSTC, or rustc on the path)",
            ),
            ("--edition", "", "YEAR", "value", "Rust: the edition (default: 2021)"),
            ("--features", "", "NAME", "list", "Rust: enable a feature of the crate"),
            (
                "--cfg",
                "configurations",
                "SPEC",
                "list",
                'Rust: set a `cfg` option, such as `loom` or `key="value"`',
            ),
            ("--bin", "program", "NAME", "value", "Cargo.toml: the program to check (default: the only one)"),
            ("--allow-build", "", "", "switch", "Cargo.toml: let build scripts and procedural macros run"),
            ("--test", "", "NAME", "value", "Rust: check the `#[test]` function NAME instead of `main`"),
            ("--target", "", "NAME", "value", "C, C++: the processor to compile for (default: the model's)"),
            ("--data-model", "", "", "value", "C, C++: compile for 32 or 64 bits (default: LP64)"),
            (
                "--compile-commands",
                "commands",
                "DIR",
                "value",
                "C, C++: take -I, -D, -U, -std and -include from DIR/compile_commands.json",
            ),
            (
                "--compiler-option",
                "others",
                "WORD",
                "list",
                "C, C++, Rust: pass WORD to the compiler; or give options after `--`",
            ),
            ("--no-cache", "", "", "switch", "do not use the cache of compiled files"),
            ("-v", "verbose", "", "switch", "print the command that compiles the program"),
        )
    ),
    Option(
        name="--args",
        field="arguments",
        metavar="WORDS",
        read="words",
        form="words",
        kinds=(PROGRAM,),
        languages=_BY_CLANG,
        help="C, C++: arguments of the program, as in a shell; may be repeated (default: none)",
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
        help="print what herd7 prints, one block of text per test",
    ),
    *(
        Option(
            name=name,
            metavar="DIR",
            read="folder",
            commands=_SHORT,
            kinds=_OF_PROGRAMS,
            is_output=True,
            help=help_,
            is_common=name == "--svg",
        )
        for name, help_ in (
            ("--dot", "write a Graphviz file for each execution to DIR"),
            ("--svg", "write SVG drawings of executions to DIR"),
            ("--png", "write PNG drawings of executions to DIR (`pip install membar[png]`)"),
        )
    ),
    Option(
        name="--theme",
        choices=("light", "dark"),
        kinds=_OF_PROGRAMS,
        is_output=True,
        help="background of the drawings: light (default) or dark",
    ),
    Option(
        name="--full",
        form="switch",
        kinds=_OF_PROGRAMS,
        is_output=True,
        help="draw every event; otherwise long executions are abbreviated",
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
        name="--store",
        metavar="FILE",
        read="path",
        commands=("litmus", "compare"),
        is_output=True,
        help="litmus: store answers in FILE, and reuse those that it has (docs/reference/store.md);"
        " compare: compare two models, runs or folders in it",
        short="store the answers in FILE",
        short_of=(("compare", "read the answers from this store"),),
        is_common=True,
    ),
    Option(
        name="--lines",
        choices=("answers", "tests", "differing", "none"),
        commands=("litmus",),
        is_output=True,
        help="answers: one line per answer; tests: one line per test, one column per model (default for"
        " several models); differing: only tests on which models disagree or an expectation fails; none:"
        " only the summary",
        short="which lines to print",
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
        name="--outcome",
        metavar="VALUES",
        read="outcome",
        kinds=(PROGRAM,),
        is_output=True,
        help="say whether the program can end with these values, such as `x=0 && y=1`, and if not, which"
        " axiom forbids it",
        short="say whether the program can end with these values",
    ),
    Option(
        name="--show-automaton",
        form="switch",
        kinds=(PROGRAM,),
        is_output=True,
        help="show, for each claim about runs, the Büchi automaton of the runs that violate it; with --svg,"
        " also draw it",
    ),
    Option(
        name="--certificate",
        metavar="FILE",
        read="path",
        kinds=_PROVING,
        by_engines=True,
        is_output=True,
        help="write the proof as SMT-LIB, for another solver",
    ),
    Option(
        name="--accept-bounded",
        form="switch",
        commands=_ASKING,
        is_output=True,
        help="exit with 0 for HOLDS WITHIN too",
    ),
    *(
        Option(
            name=name,
            metavar="FILE",
            read="path",
            commands=commands,
            is_output=True,
            help=help_,
            is_common=name == "--html",
        )
        for name, commands, help_ in (
            ("--junit", _SHORT, "write a JUnit report (- for standard output)"),
            ("--sarif", _SHORT, "write a SARIF 2.1.0 log"),
            ("--summary", (*_SHORT, "compare"), "write a summary in GitHub's Markdown"),
            ("--html", ("check", "litmus", "compare", "repair"), "write the answers as an HTML page"),
            (
                "--witness",
                ("check",),
                "C: write the violation as a witness for SV-COMP: .graphml (1.0), or .yml (2.2)",
            ),
        )
    ),
)
BY_NAME: Final[Mapping[str, Option]] = {option.name: option for option in TABLE}
REDUCTIONS: Final = tuple(
    option.name.removeprefix("--no-")
    for option in TABLE
    if option.name.startswith("--no-") and option.is_search
)
