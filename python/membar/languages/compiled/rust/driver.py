"""Compiles Rust to LLVM IR: which options rustc gets, and what its messages mean."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from membar.diagnostics import Diagnostic, EngineLimitError, InputError, reason_of
from membar.languages.compiled.build import Build, BuildOptions
from membar.languages.compiled.cache import Cache, Cached, Dependencies, default_folder, key_of, now
from membar.languages.compiled.compiler import Compiler
from membar.languages.compiled.compiler_diagnostics import Message, diagnose
from membar.languages.compiled.driver import FOREIGN, TEXT, Compilation, CompileOptions, ReadableFiles
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.process import CompilerFailureError, run_compiler, scratch_folder, write_text
from membar.languages.compiled.rust.compiler import (
    MODULE,
    Rustc,
    Shim,
    compiled_shim,
    find_rustc,
)
from membar.languages.compiled.rust.harness import is_program, tests_in, with_entry
from membar.languages.compiled.settings import is_setting
from membar.languages.compiled.target import X86_64, is_of_processor, processor_of, target_of_triple
from membar.limits import confinement
from membar.records import record
from membar.source import SourceFile, pattern
from membar.text.file_paths import folder_of, name_of, resolve, stem, suffix

ENDING = ".rs"
EDITION = "2021"
PACKAGE = ".toml"
_MESSAGE = pattern(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): error(?:\[E\d+\])?: (?P<text>.*)$", re.MULTILINE
)
_BARE = pattern(r"^error(?:\[E\d+\])?: (?P<text>.*)$", re.MULTILINE)
_LOOKS_AT_PROCESSOR = pattern(
    r"\btarget_(?:arch|feature|endian|pointer_width|has_atomic)\b|\b(?:global_|naked_)?asm!|\b(?:core|std)::arch\b"
)
_COMMENT = pattern(r"//[^\n]*|/\*[\s\S]*?\*/")
_TEST = pattern(
    r"(?P<before>(?:#\[[^\]]*\]\s*)*)#\[(?:\w+::)*test\](?P<more>\s*(?:#\[[^\]]*\]\s*)*)"
    r"(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+)"
)


def build_rust(paths: Sequence[str], chosen: BuildOptions) -> Build:
    """A program in Rust, compiled, with the crates that take the place of `std`.

    Raises:
        InputError: rustc is missing, or the program is wrong.
    """
    first, *others = paths
    if others:
        message = "a Rust program is one file; others belong to it by `mod`"
        raise InputError(Diagnostic(code="W1534", message=message, help="check the programs one by one"))
    _refuse_options(first, chosen.options)
    rustc = find_rustc(chosen.rustc, os.environ)
    target = target_of_triple(rustc.host)
    if target is None:
        message = f"membar cannot read what {rustc.title} writes for {rustc.host}"
        raise InputError(Diagnostic(code="W1531", message=message, help="use a rustc for x86_64"))
    shim = compiled_shim(rustc, uses_cache=chosen.options.uses_cache)
    job = _Job(first, rustc, shim, chosen)
    done = job.compile_package() if suffix(first) == PACKAGE else [job.compile()]
    sources = [*(item.module for item in done), SourceFile(f"/membar/{MODULE}", shim.module)]
    modules = tuple(map(read_module, sources))
    processor = processor_of(chosen.mapping)
    reason = None
    if processor is not None and not is_of_processor(target, processor):
        reason = _why_not(done[0].files, f"Rust is compiled for {target.processor}")
    return Build(
        files=tuple(done),
        modules=modules,
        compiler=done[0].compiler,
        target=target,
        reason=reason,
        processor=processor,
        language="Rust",
    )


def _refuse_options(path: str, options: CompileOptions) -> None:
    """Refuses options that would have no effect on this file."""
    macros = [item for item in options.defines if not is_setting(item)]
    if macros:
        message = f"-D {macros[0]}: Rust has no macros of this kind"
        help_ = "use --cfg; -D is for membar's own settings, such as MEMBAR_HEAP=8"
        raise InputError(Diagnostic(code="W0413", message=message, help=help_))
    given = (
        (("--edition", options.edition, "its Cargo.toml names the edition"),)
        if suffix(path) == PACKAGE
        else (
            ("--bin", options.program, "it is for packages: membar check Cargo.toml"),
            ("--allow-build", options.allow_build, "it is for packages: membar check Cargo.toml"),
        )
    )
    for name, value, help_ in given:
        if value:
            raise InputError(Diagnostic(code="W0413", message=f"{name} does not apply to {path}", help=help_))


def _why_not(files: Sequence[str], lack: str) -> str | None:
    """Why the code says nothing about another processor; None if the text does not look at it."""
    for file in files:
        with suppress(OSError):
            source = SourceFile.read(file)
            found = _LOOKS_AT_PROCESSOR.search(_COMMENT.sub("", source.text))
            if found is not None:
                return f"{lack}, and `{found.group()}` in {file} depends on the processor"
    return None


@record(eq=False)
class _Job:
    path: str
    rustc: Rustc
    shim: Shim
    chosen: BuildOptions

    @property
    def readable(self) -> ReadableFiles:
        options = self.chosen.options
        return ReadableFiles(self.path, options.include_dirs, options.project, options.replaced)

    def compile(self) -> Compilation:
        """The file as LLVM IR."""
        folder = default_folder(os.environ) if self.chosen.options.uses_cache else None
        options = self.chosen.options
        replaced = [text for pair in options.replaced for text in pair]
        if options.test is not None:
            self._refuse_panicking(options.test, [self.path])
        words = self.command([], "")
        key = key_of("rust", self.rustc, os.getcwd(), words, replaced, options.test, self.shim.module)  # noqa: PTH109
        found = None if folder is None else Cache(folder).find(key)
        if not isinstance(found, Cached):
            since = now()
            found = self._run()
            if folder is not None:
                Cache(folder).put(
                    key, found, Dependencies(found.files, (folder_of(self.path) or ".",), since)
                )
        output = stem(self.path) + TEXT
        return Compilation(
            module=SourceFile(output, self._with_entry([found.text])[0]),
            compiler=Compiler((self.rustc.path,), 0, self.rustc.title),
            target=target_of_triple(self.rustc.host) or X86_64,
            command=self.command(["--extern", "std=libmembar_std.rlib"], output),
            files=found.files,
            folders=(folder_of(self.path) or ".",),
        )

    def compile_package(self) -> list[Compilation]:
        """The crates of a package as LLVM IR."""
        from membar.languages.compiled.rust.cargo import compile_package, source_files  # noqa: PLC0415 - only here

        options = self.chosen.options
        if not options.allow_build:
            message = f"{self.path}: to build a package runs its build scripts and procedural macros"
            raise InputError(
                Diagnostic(code="W1536", message=message, help="if you trust it, add --allow-build")
            )
        if options.test is not None:
            self._refuse_panicking(options.test, source_files(self.path))
        words = [f"--cfg={each}" for each in options.configurations]
        texts, found = compile_package(
            self.path,
            self.rustc,
            self.shim,
            program=options.program,
            test=options.test,
            features=options.features,
            words=[*words, *options.others],
            seconds=self.chosen.seconds,
        )
        if not texts:
            (messages,) = found.messages
            self._refuse_errors(messages, folder_of(self.path) or ".")
            raise InputError(Diagnostic(code="W1515", message=f"{self.path}: {_last_words(messages)}"))
        return [
            Compilation(
                module=SourceFile(f"{self.path}:{number}", text),
                compiler=Compiler((self.rustc.path,), 0, self.rustc.title),
                target=target_of_triple(self.rustc.host) or X86_64,
                command=(),
                files=(self.path,),
            )
            for number, text in enumerate(self._with_entry(texts))
        ]

    def command(self, crates: Sequence[str], output: str) -> tuple[str, ...]:
        """The command line of rustc."""
        options = self.chosen.options
        words = [
            self.rustc.path,
            *self.rustc.flags,
            f"--edition={options.edition or EDITION}",
            "--error-format=short",
        ]
        words += ["--crate-name", _crate_name(self.path), "--cfg=membar"]
        words += [f"--cfg={each}" for each in options.configurations]
        words += [f'--cfg=feature="{each}"' for each in options.features]
        words += ["--test" if options.test else "--crate-type=bin"]
        return (*words, *crates, *options.others, f"--emit=llvm-ir={output},dep-info={output}.d", self.path)

    def _run(self) -> Cached:
        with scratch_folder() as folder:
            output = f"{folder}/module.ll"
            # Otherwise rustc writes temporary files, named after the crate, to the current folder.
            crates = [*self.shim.written_to(folder), f"--out-dir={folder}"]
            words = list(self.command(crates, output))
            text = dict(self.chosen.options.replaced).get(self.path)
            if text is not None:  # `mod` finds files beside the text, which is elsewhere then
                write_text(f"{folder}/{name_of(self.path)}", text)
                words[-1:] = [
                    f"--remap-path-prefix={folder}/={folder_of(self.path) or '.'}/",
                    f"{folder}/{name_of(self.path)}",
                ]
            messages = None
            try:
                messages = run_compiler(words, seconds=self.chosen.seconds).messages
                self._refuse_errors(messages, folder)
                found = SourceFile.read(output).text
                read = _files_read(SourceFile.read(f"{output}.d").text)
            except (CompilerFailureError, OSError) as problem:
                reason = reason_of(problem) if messages is None else _last_words(messages)
                message = f"{self.path}: {self.rustc.title} {reason or 'fails'}"
                raise InputError(Diagnostic(code="W1515", message=message)) from None
        if confinement.readable_by_compilers() is not None:
            _refuse_other_files(read, words[-1])
        files = (self.path, *(name for name in read if not name.startswith(folder)))
        return Cached(found, (), tuple(dict.fromkeys(files)))

    def _refuse_errors(self, messages: str, folder: str) -> None:
        found = [
            Message(
                kind="error",
                file=self._file_called(match["file"], folder),
                line=int(match["line"]),
                column=int(match["column"]),
                text=match["text"],
            )
            for match in _MESSAGE.finditer(messages)
        ]
        diagnostics = [diagnose(item, "W1512", self.readable) for item in found]
        if not found:
            bare = [match["text"] for match in _BARE.finditer(messages)]
            if any("main" in text and "not found" in text for text in bare):
                raise self._without_main()
            diagnostics = [Diagnostic(code="W1512", message=f"{self.path}: {text}") for text in bare[:1]]
        if any("`main` function not found" in item.message for item in diagnostics):
            raise self._without_main()
        if diagnostics:
            raise InputError(*dict.fromkeys(diagnostics))

    def _file_called(self, name: str, folder: str) -> str:
        """The file that a message means: cargo names those of a package from its folder."""
        if suffix(self.path) != PACKAGE:
            return self.path if name.startswith(folder) else name
        inside = f"{folder}/{name}"
        return inside if not name.startswith("/") and os.access(inside, os.R_OK) else name

    def _without_main(self) -> InputError:
        tests = [match["name"] for match in _TEST.finditer(self._text(self.path))]
        help_ = f"check one of its tests: --test {tests[0]}" if tests else "add `fn main()`, or a `#[test]`"
        message = f"{self.path}: the program has no function `main`"
        return InputError(Diagnostic(code="W1521", message=message, help=help_))

    def _text(self, path: str) -> str:
        text = dict(self.chosen.options.replaced).get(path)
        if text is None:
            with suppress(OSError):
                text = SourceFile.read(path).text
        return text or ""

    def _refuse_panicking(self, test: str, files: Sequence[str]) -> None:
        """Refuses a test that should panic: what follows a panic is not explored."""
        for match in (match for file in files for match in _TEST.finditer(self._text(file))):
            if (
                match["name"] == test.rpartition("::")[2]
                and "should_panic" in match["more"] + match["before"]
            ):
                raise EngineLimitError(
                    f"the test `{test}` should panic, and what follows a panic is not explored"
                )

    def _with_entry(self, texts: Sequence[str]) -> list[str]:
        """LLVM IR whose `main` calls the test that is asked about, if one is."""
        test = self.chosen.options.test
        if test is None:
            return list(texts)
        tests = [(number, each) for number, text in enumerate(texts) for each in tests_in(text)]
        found = [(number, each) for number, each in tests if each.is_called(test)]
        if len(found) != 1:
            several = "several tests are" if found else "no test is"
            names = ", ".join(f"{each.crate}::{each.path}" for _, each in found or tests)
            raise InputError(
                Diagnostic(
                    code="W1535",
                    message=f"{self.path}: {several} called `{test}`",
                    help=f"its tests: {names}" if names else "it has no `#[test]`",
                )
            )
        ((number, chosen),) = found
        others = [text for at, text in enumerate(texts) if at != number and not is_program(text)]
        return [with_entry(texts[number], chosen), *others]


def _crate_name(path: str) -> str:
    return re.sub(r"\W", "_", stem(name_of(path))) or "program"


def _files_read(rules: str) -> list[str]:
    """The files that rustc read, as its rules for `make` name them."""
    return [line[:-1].replace("\\ ", " ") for line in rules.splitlines() if line.endswith(":")]


def _refuse_other_files(files: Sequence[str], program: str) -> None:
    """Refuses what a confined rustc read beside the program, even if the system let it."""
    if any(resolve(file) != resolve(program) for file in files):
        raise InputError(Diagnostic(code="W1526", message=FOREIGN))


def _last_words(messages: str) -> str:
    lines = [line for line in messages.splitlines() if line.strip()]
    return lines[-1] if lines else ""
