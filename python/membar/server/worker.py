"""One check for the page, in a process of its own: a request comes in as JSON, lines of JSON go out.

The process confines itself before it reads the request, so that whatever a program makes membar or a compiler
do, it finds nothing here but membar, Python and the system's own files. It ends with its answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from membar.diagnostics import UNFIT, EngineLimitError, InputError, refusal, unfit_input
from membar.limits import budget, confinement
from membar.questions.outcome import InterruptedAnswerError
from membar.server.requests import COMPILED, Request, given_options, model_of, read_request, source_of

if TYPE_CHECKING:
    from membar.questions.answer import Answer

NO_COMPILER: Final = (
    "C, C++ and Rust are off in `membar serve` here: this system cannot keep a compiler from reading other"
    " files (it needs Linux with Landlock); `membar check FILE` works"
)
_SYSTEM: Final = (
    "/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib",
    "/usr/share/misc", "/usr/bin", "/usr/local/bin", "/bin", "/lib", "/lib32", "/lib64",
    "/etc/ld.so.cache", "/etc/alternatives",
)  # fmt: skip
_NOTHING: Final[Mapping[str, object]] = {}
# Loads everything that a small check needs while nobody waits for it.
_FIRST: Final = "X86 W\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\n MOV EAX,[x] ;\nexists (0:EAX=1)\n"


def main() -> None:
    """Gets ready, answers one request and ends."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # a cancelled request still gets an answer
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape")
    os.dup2(2, 1)  # whatever prints something does not disturb the answer

    def send(event: str, data: Mapping[str, object] = _NOTHING) -> None:
        answers.write(json.dumps({"event": event, "data": data}) + "\n")
        answers.flush()

    is_confined = confine_worker()
    budget.tell_stages_to(lambda _doing: None)  # the server supervises this process
    with suppress(Exception):
        warm_up()
    send("ready")
    body = sys.stdin.buffer.readline()
    if not body.strip():
        return
    send("started")
    try:
        request = read_request(body)
    except ValueError as problem:  # the server has read it before
        send("refused", {"message": str(problem)})
        return

    def tell(text: str) -> None:
        send("progress", {"text": text})

    send("answer", answer_request(request, is_confined=is_confined, tell=tell))


def confine_worker() -> bool:
    """Leaves this process Python, membar and the system's programs; whether the system can do that."""
    if not confinement.version():
        return False
    import membar  # noqa: PLC0415 - to find its folder

    own = os.path.dirname(membar.__file__)  # noqa: PTH120
    python = {sys.prefix, sys.base_prefix, *(path for path in sys.path if path.endswith("-packages"))}
    cache = os.environ.get("XDG_CACHE_HOME", "")
    scratch = [folder for folder in (os.environ["TMPDIR"], cache) if folder]
    compilers = _compiler_folders()
    confinement.confine(readable=(*_SYSTEM, *compilers, *python, own, "/proc/self"), writable=scratch)
    confinement.confine_compilers((*_SYSTEM, *compilers, f"{own}/languages/compiled"))
    return True


def _compiler_folders() -> list[str]:
    """Where compilers are that do not come with the system: in the package ziglang, elsewhere on the path."""
    from membar.languages.compiled.compiler import find_compilers  # noqa: PLC0415 - of C only
    from membar.text.file_paths import folder_of  # noqa: PLC0415

    programs = [os.environ["MEMBAR_RUSTC"]] if "MEMBAR_RUSTC" in os.environ else []
    with suppress(InputError, OSError):
        programs += [compiler.command[0] for compiler in find_compilers(None, os.environ)]
    folders = []
    for program in programs:
        inside = folder_of(os.path.realpath(program))
        beside = folder_of(inside)  # which may be somebody's home
        folders += [inside]
        folders += [f"{beside}/lib", f"{beside}/include"] if inside.endswith("/bin") else []
    return folders


def warm_up() -> None:
    """Asks a small question and draws its answer."""
    from membar.questions.python_api import check  # noqa: PLC0415
    from membar.source import SourceFile  # noqa: PLC0415

    for report in ("json", "terminal", "svg"):
        check(SourceFile("first.litmus", _FIRST)).render(report)


def answer_request(
    request: Request, *, is_confined: bool, tell: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """What the page is told: the answer, or the errors in the program."""
    if not is_confined and request.name.endswith(COMPILED):
        return _errors(request, refusal("W0446", NO_COMPILER))
    try:
        with _interruptible():
            return _KINDS[request.kind](request, tell)
    except InputError as problem:
        return _errors(request, problem)
    except UNFIT as problem:
        return _errors(request, unfit_input(problem))
    except (budget.LimitError, EngineLimitError) as limit:
        return {"kind": request.kind, "ended": limit.reason}
    except MemoryError:
        return {"kind": request.kind, "ended": "memory ran out"}
    except KeyboardInterrupt as interrupt:
        if isinstance(interrupt, InterruptedAnswerError):
            return _shown(request, interrupt.answer)
        return {"kind": request.kind, "ended": "cancelled before anything was found"}
    except BaseException as problem:  # a panic of the core is no `Exception`
        reason = f"internal error, please report: {type(problem).__name__}: {problem}"
        return {"kind": request.kind, "ended": reason[:500]}


@contextmanager
def _interruptible() -> Iterator[None]:
    """Lets SIGINT, by which the server cancels a request, interrupt what is done meanwhile."""
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _errors(request: Request, problem: InputError) -> dict[str, Any]:
    from membar.reports import json as report  # noqa: PLC0415 - only if something is wrong

    return {"kind": request.kind, "errors": _data(report.error_line(request.name, problem))}


def _check(request: Request, tell: Callable[[str], None] | None) -> dict[str, Any]:
    from membar.questions.ask import ask  # noqa: PLC0415 - one kind of several
    from membar.questions.python_questions import question  # noqa: PLC0415

    return _shown(request, ask(question(source_of(request), **_options_of(request, tell))))


def _options_of(request: Request, tell: Callable[[str], None] | None) -> dict[str, Any]:
    return {"model": model_of(request), **given_options(request, tell)}


def _shown(request: Request, answer: Answer) -> dict[str, Any]:
    """An answer as JSON, as the terminal shows it, and as a picture."""
    from membar.reports import json as report  # noqa: PLC0415 - not of a syntax check

    return {
        "kind": request.kind,
        "answer": _data(report.drawn_line(answer)),
        "text": answer.render("terminal"),
        "svg": answer.render("svg") if answer.witness is not None else "",
    }


def _compare(request: Request, tell: Callable[[str], None] | None) -> dict[str, Any]:
    from membar.questions.python_questions import compare  # noqa: PLC0415 - one kind of several
    from membar.reports import json as report  # noqa: PLC0415

    given = _options_of(request, tell)
    del given["model"]
    found = compare(source_of(request), models=request.models, **given)
    return {
        "kind": request.kind,
        "columns": [_data(report.line(column)) for column in found.columns],
        "text": found.render("terminal"),
    }


def _explain(request: Request, tell: Callable[[str], None] | None) -> dict[str, Any]:
    from membar.questions.explanation import explain_outcome  # noqa: PLC0415
    from membar.questions.python_questions import question  # noqa: PLC0415 - one kind of several
    from membar.questions.safety import Safety  # noqa: PLC0415

    asked = question(source_of(request), **_options_of(request, tell))
    if not isinstance(asked, Safety):
        raise refusal("W0447", "outcomes can be explained only of programs")
    with budget.limit_resources(seconds=asked.limits.seconds, memory=asked.limits.memory):
        found = explain_outcome(asked, request.outcome)
    return {"kind": request.kind, "model": found.model.name, "explanation": _data(found.as_data())}


def _repair(request: Request, tell: Callable[[str], None] | None) -> dict[str, Any]:
    from membar.questions import repair  # noqa: PLC0415 - one kind of several
    from membar.questions.python_questions import question  # noqa: PLC0415
    from membar.reports import repair as report  # noqa: PLC0415

    source, given = source_of(request), _options_of(request, None)
    asked = question(source, **given)
    with budget.limit_resources(seconds=asked.limits.seconds, memory=asked.limits.memory):
        found = repair.find_repair(asked, weaken=request.weaken, seconds=asked.limits.seconds, progress=tell)
    repaired: str | None = None
    data: object = None
    match found:
        case repair.Repair():
            data, repaired = report.as_data(found), found.repaired.text
        case repair.NothingToRepair(result=result):
            data = report.nothing_as_data(source, result)
        case repair.NotRepairable(reason=reason, result=result):
            data = report.failed_as_data(source, reason, result)
        case repair.Undecided(reason=reason):
            data = report.unknown_as_data(source, reason)
    return {"kind": request.kind, "repair": _data(data), "repaired": repaired}


def _syntax(request: Request, _tell: Callable[[str], None] | None) -> dict[str, Any]:
    """Whether the text can be read; programs that need a compiler are not looked at."""
    from membar.questions.programs import parse  # noqa: PLC0415 - one kind of several
    from membar.questions.system import is_system, parse_system  # noqa: PLC0415

    model_of(request)
    source = source_of(request)
    if not request.name.endswith((*COMPILED, ".obj")):
        _ = parse_system(source) if is_system(source) else parse(source)
    return {"kind": request.kind}


def _data(value: object) -> Any:  # noqa: ANN401 - whatever JSON has
    from msgspec import to_builtins  # noqa: PLC0415

    return to_builtins(value)


_KINDS: Final[Mapping[str, Callable[[Request, Callable[[str], None] | None], dict[str, Any]]]] = {
    "check": _check,
    "compare": _compare,
    "explain": _explain,
    "repair": _repair,
    "syntax": _syntax,
}

if __name__ == "__main__":
    main()
