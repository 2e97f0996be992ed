"""Broken files of every kind: no traceback, no hang, no lost line, and an error that says something.

    python tests/differential/mutations.py [--files N] [--commands N] [--seed N] [--kinds LIST] [--keep DIR]

Takes examples of everything that membar reads, breaks each in one or several places, and gives it to a
command with a small limit: `--files` in one process (one that hangs is killed, and the rest goes on in
another), `--commands` as commands of their own, in turn with each kind of standard output: pipe, file,
closed, full, ASCII. A file is made from the seed and its number alone; LLVM IR also depends on the compilers
that are found. The last line counts what became of the files; any defect makes the exit code 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.watched import Died, Killed, judged
from membar.cli import command as cli
from strategies.broken_inputs import LLVM, WITNESSES, Compiled, Input, inputs, witnesses
from strategies.commands import CLOSED, FULL, Ended, run_membar

LIMIT = "time=1s,memory=1G"
# With a limit of memory, membar would answer in another process; the address space of this one is limited.
LIMIT_HERE = "time=1s"
MOST_SECONDS = 10.0  # of the clock, for one file with that limit: what is over it hangs
MOST_SECONDS_WAITED = 60.0
MOST_MEMORY = 6 << 30
STREAMS = ("pipe", "file", "closed", "full", "ascii")
TRACEBACK, HANG, SILENT, LOST, WRONG_CODE = "traceback", "hang", "silent", "lost line", "exit code"
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
# A part of a report that is there only if something took long.
_SLOWEST = re.compile(r"^slowest\n(.+\n)+\n?", re.MULTILINE)
_TELL_EVERY = 500
_STRANGE = (
    "\x00", "é", "²", "٣", "\ufeff", "\u2028", "\r", "😀", '"', "'", "/*", "(*", "*/", "//", "#", "\\",
    "\x1b[31m", "%n", "{}", "9" * 30, "9" * 5000, "-1", "0x", "0xg", "1e999", "00", "-" * 300, "(" * 3000,
    "[" * 3000, "a" * 3000, "!" * 2000, "", " ", "../../etc/passwd", "true", "null", "NaN",
)  # fmt: skip


def mutate(text: str, random: Random) -> str:
    """The text, broken in one to three places."""
    if random.random() < 0.03:
        return text[: random.randrange(len(text) + 1)]
    words = _WORD.findall(text)
    for _ in range(random.choice((1, 1, 2, 3))):
        at = random.randrange(len(words)) if words else 0
        match random.randrange(8):
            case 0:
                del words[at : at + random.randint(1, 5)]
            case 1:
                words[at:at] = words[at : at + random.randint(1, 8)]
            case 2 if words:
                other = random.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 3 if words:
                words[at] = random.choice(_STRANGE)
            case 4 if words:
                words[at] = random.choice(words)
            case 5 if words:
                words[at] = str(random.choice((0, 1, 2, 3, 7, 63, 64, 1 << 31, (1 << 63) - 1, 1 << 64)))
            case 6:
                begin, end = sorted((at, random.randrange(len(words) + 1)))
                del words[begin : min(end, begin + 40)]
            case _:
                words[at:at] = [random.choice(_STRANGE)]
    return "".join(words)


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken file with the command that reads it."""

    kind: str
    name: str
    content: bytes
    words: tuple[str, ...]
    others: tuple[tuple[str, str], ...]

    def write(self, folder: Path) -> list[str]:
        """Writes the files; returns the arguments of the command."""
        for name, text in self.others:
            folder.joinpath(name).write_text(text, encoding="utf-8")
        folder.joinpath(self.name).write_bytes(self.content)
        formula = self.content.decode(errors="replace").replace("\x00", "")
        named = {"FILE": str(folder / self.name), "FORMULA": formula}
        found = [named.get(word, word) for word in self.words]
        return [str(folder / word[1:]) if word.startswith("@") else word for word in found]


def broken(seed: int, number: int, kinds: Sequence[str]) -> Broken:
    """One broken file."""
    random = Random(f"{seed}/{number}")
    kind = kinds[number % len(kinds)]
    original: Input = random.choice(originals(kind))
    text = mutate(original.text, random)
    content = text.encode("utf-8", errors="replace")
    if random.random() < 0.03 and content:
        at = random.randrange(len(content))
        content = content[:at] + bytes([random.randrange(128, 256)]) + content[at:]
    return Broken(kind, original.name, content, original.words, original.others)


def kinds_of_files() -> list[str]:
    """Every kind of file that is broken."""
    return [*inputs(), *WITNESSES, LLVM]


@cache
def originals(kind: str) -> Sequence[Input]:
    """What is broken, of one kind."""
    if kind == LLVM:
        return Compiled()
    return witnesses()[kind] if kind in WITNESSES else inputs()[kind]


def limited(words: Sequence[str], limit: str) -> list[str]:
    """The command with a small limit, where it takes one."""
    has_limit = words[0] in ("check", "litmus", "compare", "repair")
    return [*words, "--limit", limit] if has_limit else list(words)


def run_here(words: Sequence[str]) -> Ended:
    """The command in this process."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = cli.main(limited(words, LIMIT_HERE))
    return Ended(code, output.getvalue(), errors.getvalue())


def defects_of(ended: Ended, seconds: float) -> Iterator[tuple[str, str]]:
    """What is wrong with how a command ended whose streams were read."""
    if "Traceback" in ended.errors or "W0499" in ended.errors:
        yield TRACEBACK, ended.errors
    if ended.code not in (0, 1, 2, 3, 4):
        yield WRONG_CODE, str(ended.code)
    if not ended.output and not ended.errors:
        yield SILENT, f"exit code {ended.code} and nothing said"
    if ended.code == 2 and "error[W" not in ended.errors:
        yield SILENT, f"bad input, but no error: {ended.errors!r}"
    if seconds > MOST_SECONDS:
        yield HANG, f"{seconds:.1f} s"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a file, and what is wrong."""

    count: str
    wrong: tuple[tuple[str, str], ...]


def judge_here(item: Broken) -> Judgement:
    """Runs the command in this process."""
    with tempfile.TemporaryDirectory() as folder:
        words = item.write(Path(folder))
        start = time.monotonic()
        try:
            ended = run_here(words)
        except BaseException:
            return Judgement("exception", ((TRACEBACK, traceback.format_exc()),))
        return Judgement(
            f"{item.kind}: exit code {ended.code}", tuple(defects_of(ended, time.monotonic() - start))
        )


def judge_command(item: Broken, stream: str) -> Judgement:
    """Runs the command by itself, and compares what comes out with what comes out here."""
    with tempfile.TemporaryDirectory() as folder:
        words = limited(item.write(Path(folder)), LIMIT)
        start = time.monotonic()
        try:
            ended = _run(words, stream, Path(folder))
        except subprocess.TimeoutExpired as late:
            return Judgement(f"{stream}: killed", ((HANG, f"killed after {late.timeout:.0f} s"),))
        wrong = list(defects_of(ended, time.monotonic() - start - 5)) if stream not in (CLOSED, FULL) else []
        if "Traceback" in ended.errors or "W0499" in ended.errors:
            wrong.append((TRACEBACK, ended.errors))
        # An error is all on standard error: only a result can be lost.
        if stream in (CLOSED, FULL):
            if ended.code not in (2, 3) or not ended.errors:
                wrong.append((LOST, f"exit code {ended.code}: {ended.errors!r}"))
        elif ended.code in (0, 1, 2, 4):
            here = run_here(item.write(Path(folder)))
            ours, theirs = (len(_SLOWEST.sub("", text).split("\n")) for text in (here.output, ended.output))
            if here.code == ended.code and ours != theirs:
                wrong.append((LOST, f"{theirs} lines of {ours}"))
        return Judgement(f"{stream}: exit code {ended.code}", tuple(wrong))


def _run(words: Sequence[str], stream: str, folder: Path) -> Ended:
    given = [word.replace("\x00", "").encode("utf-8", errors="surrogateescape") for word in words]
    if stream == "file":
        target = folder / "output"
        ended = run_membar(*given, output=str(target))
        return Ended(ended.code, target.read_text(encoding="utf-8"), ended.errors)
    if stream == "ascii":
        return run_membar(*given, environment={"PYTHONIOENCODING": "ascii"})
    return run_membar(*given, output=stream if stream in (CLOSED, FULL) else "")


Defect = tuple[int, str, str]


def campaign(files: int, seed: int, kinds: Sequence[str]) -> tuple[Counter[str], list[Defect]]:
    """How many files came to what, and the number, kind and report of each defect."""
    counts: Counter[str] = Counter()
    wrong: list[Defect] = []
    judge = lambda number: judge_here(broken(seed, number, kinds))  # noqa: E731 - a closure for the worker
    for number, answer in judged(
        judge, range(files), jobs=1, most_seconds=MOST_SECONDS_WAITED, memory=MOST_MEMORY
    ):
        match answer:
            case Killed(seconds):
                wrong.append((number, HANG, f"killed after {seconds:.0f} s"))
            case Died(code):
                wrong.append((number, TRACEBACK, f"its process died: {code}"))
            case Judgement(count, defects):
                counts[count] += 1
                wrong += [(number, kind, report) for kind, report in defects]
        _tell(number, files, wrong)
    return counts, wrong


def _tell(number: int, most: int, wrong: Sequence[Defect]) -> None:
    """Says now and then how far a campaign is, which takes long."""
    if number % _TELL_EVERY == 0:
        sys.stderr.write(f"{number} of {most}, {len(wrong)} defects\n")


def command_campaign(commands: int, seed: int, kinds: Sequence[str]) -> tuple[Counter[str], list[Defect]]:
    """The same for commands of their own, with every kind of standard output in turn."""
    counts: Counter[str] = Counter()
    wrong: list[Defect] = []
    for number in range(commands):
        answer = judge_command(broken(seed, number // len(STREAMS), kinds), STREAMS[number % len(STREAMS)])
        counts[answer.count] += 1
        wrong += [(number // len(STREAMS), kind, report) for kind, report in answer.wrong]
        _tell(number, commands, wrong)
    return counts, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--commands", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", help="some kinds of files only, separated by commas")
    parser.add_argument("--keep", type=Path, help="a folder for the files that went wrong")
    chosen = parser.parse_args()
    kinds = chosen.kinds.split(",") if chosen.kinds else kinds_of_files()
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    counts, wrong = campaign(chosen.files, chosen.seed, kinds)
    more, others = command_campaign(chosen.commands, chosen.seed + 1, kinds)
    for outcome, count in sorted((counts + more).items()):
        sys.stdout.write(f"{count:6} {outcome}\n")
    for seed, found in ((chosen.seed, wrong), (chosen.seed + 1, others)):
        for number, kind, report in found:
            item = broken(seed, number, kinds)
            words = json.dumps(item.words)
            sys.stdout.write(f"\nseed {seed}, file {number} ({item.kind}) {words}: {kind}\n{report[-700:]}\n")
            if chosen.keep is not None:
                chosen.keep.joinpath(f"{seed}-{number}-{item.name}").write_bytes(item.content)
    defects = Counter(kind for _, kind, _ in [*wrong, *others])
    sys.stdout.write(
        f"{chosen.files} files of {len(kinds)} kinds in one process, {chosen.commands} commands, "
        f"seed {chosen.seed}: {dict(defects) or 'nothing went wrong'}\n"
    )
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
