"""The commands, with their operands and the options that are not part of a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from membar.questions.option import Option
from membar.questions.options import TABLE
from membar.questions.task import Limits, Options
from membar.records import record


@record(frozen=True, slots=True)
class Operand:
    """A word of a command that is not an option.

    Attributes:
        name: the attribute of what is chosen.
        metavar: what stands for it in help and messages.
        form: `one`, `several` (one or more), or `optional`.
        choices: the words that there are, if they are few.
    """

    name: str
    metavar: str
    form: str = "one"
    choices: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Command:
    """A command.

    Attributes:
        name: as users type it.
        title: what it does, in one line.
        operands: its words that are not options, in order.
        own: options that are not part of a question, or mean something else here.
        required: options that must be given.
    """

    name: str
    title: str
    operands: tuple[Operand, ...]
    own: tuple[Option, ...] = ()
    required: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[Option, ...]:
        """Every option that the command accepts."""
        return (*(option for option in TABLE if self.name in option.commands), *self.own)


_FILE: Final = Operand("file", "FILE")
_TIME_AND_MEMORY: Final = Option(
    name="--limit",
    metavar="KIND=N,…",
    read="limits_without_counts",
    default=Limits(),
    help="limits, separated by commas: time=10s, memory=2G",
)
_FORMATS: Final = ("dve", "promela", "mapping", "smv", "dot", "llvm", "code", "program")
_ALL: Final = (
    Command(
        name="check",
        title="check programs and litmus tests",
        operands=(Operand("files", "FILE", "several"),),
    ),
    Command(
        name="litmus",
        title="run many litmus tests: files and folders",
        operands=(Operand("paths", "PATH", "several"),),
        own=(
            Option(
                name="--models",
                metavar="LIST",
                rival="model",
                help="check each test under several models, separated by commas: names or files",
                short="models to check under, separated by commas",
            ),
            Option(
                name="--expect",
                metavar="FILE",
                read="path",
                help="compare with known answers: herd's as JSON, or a CSV with the columns test,holds",
                short="compare with known answers (JSON or CSV)",
            ),
        ),
    ),
    Command(
        name="compare",
        title="compare one file under several models or with several engines, or stored results",
        operands=(_FILE, Operand("other", "B", "optional")),
        own=(
            Option(
                name="--models",
                metavar="LIST",
                help="models, separated by commas (default: sc and the language's own)",
                short="models, separated by commas",
            ),
            Option(name="--engines", metavar="LIST", help="engines, separated by commas; they must agree"),
            Option(name="--json", form="switch", is_output=True, help="one JSON object per line"),
        ),
    ),
    Command(
        name="repair",
        title="find the cheapest change that makes a program correct",
        operands=(_FILE,),
        own=(
            Option(
                name="--weaken",
                form="switch",
                help="remove or weaken unnecessary ordering instead of adding it",
                short="remove or weaken unnecessary ordering",
            ),
            Option(
                name="--greedy",
                form="switch",
                help="DVE: repair the most overtaken write first (fast, but may miss the cheapest repair)",
                short="DVE: fast, but may miss the cheapest repair",
            ),
            Option(name="--all", form="switch", help="show every repair of least cost"),
            Option(
                name="--costs",
                metavar="FILE",
                read="path",
                help="costs of changes (default: built in)",
            ),
            Option(
                name="--explain",
                form="switch",
                is_output=True,
                help="show the execution that each change prevents",
            ),
            Option(
                name="--apply",
                form="switch",
                is_output=True,
                help="write the repair, keeping FILE.orig (FILE.orig.1, …)",
                short="write the repair, keeping FILE.orig",
            ),
            Option(
                name="--atomic-out",
                metavar="FILE",
                read="path",
                is_output=True,
                help="DVE: save the list of writes to make atomic in FILE, for --atomic",
                short="DVE: save the writes to make atomic in FILE",
            ),
            Option(name="--json", form="switch", is_output=True, help="one JSON object"),
        ),
    ),
    Command(
        name="models",
        title="list the memory models, or show or test one",
        operands=(
            Operand("action", "show|test", "optional", ("show", "test")),
            Operand("name", "NAME|FILE.cat", "optional"),
        ),
        own=(
            Option(name="--count", metavar="N", read="positive", help="test: try N programs (default: 300)"),
            Option(
                name="--seed",
                metavar="N",
                read="number",
                help="test: seed of the first random program (default: 0)",
                short="test: seed (default: 0)",
            ),
            Option(
                name="--limit",
                metavar="time=N",
                read="limits",
                help="test: stop after this time, such as time=1min",
            ),
            Option(
                name="-I",
                metavar="DIR",
                read="path",
                form="list",
                default=(),
                help="search DIR for included cat files",
            ),
        ),
    ),
    Command(
        name="translate",
        title="print a program in another form",
        operands=(_FILE,),
        required=("--to",),
        own=(
            Option(
                name="--to",
                metavar="FORMAT",
                choices=_FORMATS,
                help="dve, promela: the program with explicit store buffers, for model checkers that assume"
                " sequential consistency; mapping: the instructions that atomic operations become, for a C"
                " program; smv, dot: the transition system of an object (.obj) for NuSMV, its flow graph for"
                " Graphviz; llvm, code: the LLVM IR that clang produces for a C program, and the code IR"
                " that membar derives from it; program: the threads that engines run",
                short=" ".join(_FORMATS),
            ),
            Option(
                name="--model",
                letter="-m",
                metavar="NAME",
                help="memory model: one with store buffers (default: by language); mapping: any with a"
                " compiler mapping",
                short="memory model",
            ),
            Option(
                name="--buffers",
                metavar="N",
                read="bound",
                help="store buffers of at most N entries (default: the model's)",
                short="bound of the store buffers",
            ),
            Option(
                name="--fair",
                metavar="LIST",
                read="fair",
                default=Options().fair,
                help="fairness that translated formulas assume: buffers (default) or none",
                short="fairness assumptions for LTL",
            ),
            Option(name="--mapping", metavar="NAME", help="compiler mapping (default: the model's)"),
            Option(
                name="--print-after",
                metavar="PASS",
                help="code: print after this pass, each time it runs (default: before all passes)",
                short="code: print after this pass",
            ),
            _TIME_AND_MEMORY,
        ),
    ),
    Command(
        name="replay",
        title="run saved witnesses again, without a search",
        operands=(Operand("witness", "WITNESS"),),
        own=(
            _TIME_AND_MEMORY,
            Option(
                name="--html",
                metavar="FILE",
                read="path",
                is_output=True,
                help="write the executions as an HTML page",
            ),
        ),
    ),
    Command(
        name="serve",
        title="open membar in the browser",
        operands=(Operand("store", "RESULTS.db", "optional"),),
        own=(
            Option(
                name="--port",
                metavar="N",
                read="positive",
                help="port of the page (default: 8642, or a free one if that is taken)",
                short="port (default: 8642, or a free one)",
            ),
            Option(
                name="--host",
                metavar="ADDRESS",
                default="127.0.0.1",
                help="address to listen on (default: 127.0.0.1); any other may be reachable from the network",
            ),
            Option(name="--open", form="switch", help="open the page in the browser"),
        ),
    ),
)
COMMANDS: Final[Mapping[str, Command]] = {command.name: command for command in _ALL}
