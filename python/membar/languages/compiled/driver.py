"""Compiles C and C++ to LLVM IR: which options the compiler gets, and what its messages mean.

The text is compiled strictly first. If that fails only because of habits that gcc allows, it is compiled
again with these allowed, and each of them is reported. Some are never allowed, because the result would not
be the program that was written: calls of undeclared functions, and implicit conversions between pointers and
narrower integers. A memory ordering that is invalid for its operation is an error too: clang drops such an
access.

C++ is compiled without exceptions, which the code of most programs then does not show, unless the text of the
program throws, catches or asks whether there are any.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from membar.diagnostics import Diagnostic, InputError, Label, reason_of
from membar.languages.compiled.cache import (
    Cache,
    Cached,
    Dependencies,
    default_folder,
    folders_searched,
    key_of,
    now,
)
from membar.languages.compiled.compiler import Compiler, words_of_zig
from membar.languages.compiled.compiler_diagnostics import Message, diagnose, read_messages
from membar.languages.compiled.line_markers import lines_by_directive, original_files
from membar.languages.compiled.process import (
    CompilerFailureError,
    run_compiler,
    scratch_base,
    scratch_folder,
    write_text,
)
from membar.languages.compiled.settings import IN_DEBUG_INFORMATION, names_settings
from membar.languages.compiled.source_language import C, SourceLanguage, source_language
from membar.languages.compiled.target import I686, Target
from membar.limits import confinement
from membar.records import record
from membar.source import SourceFile, is_header_of_compiler, pattern
from membar.text.file_paths import absolute, folder_of, is_below, resolve, stem, suffix

HEADERS = f"{folder_of(__file__)}/headers"
CONSTANT_OVERFLOW, COMPILED_OUT, UNSEQUENCED = "W1523", "W1524", "W1528"
PREPROCESSED, BITCODE, TEXT = frozenset({".i", ".ii"}), ".bc", ".ll"
FOREIGN = "the program includes another file; programs in the web page cannot include your files"

_PREPROCESSED = ("-E", "-dD")
_OF_OTHER_OUTPUT = frozenset({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"})
_UNOPTIMISED = ("-S", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-llvm-passes")
# No sanitizer is run: their flags make clang mark where the lifetime of each variable begins and ends, and
# which left shifts are of signed numbers.
_LIFETIMES = (
    "-Xclang", "-fsanitize=address", "-Xclang", "-fsanitize-address-use-after-scope",
    "-Xclang", "-fsanitize=shift-base",
)  # fmt: skip
_OVERFLOW, _UNSEQUENCED = "integer-overflow", "unsequenced"
_FINDINGS = (_OVERFLOW, _UNSEQUENCED, "shift-count-overflow", "shift-count-negative", "division-by-zero")
_CASTS = ("int-to-pointer-cast", "pointer-to-int-cast")
_INVALID_ORDER = "atomic-memory-ordering"
_WARNINGS = (_INVALID_ORDER, "user-defined-warnings", *_FINDINGS, *_CASTS)
# What gcc lets pass. In a strict compilation these are errors.
_HABITS = (
    "incompatible-pointer-types", "pointer-type-mismatch", "duplicate-decl-specifier", "int-conversion",
    "implicit-int", "incompatible-function-pointer-types", "return-mismatch", "return-type",
    "deprecated-non-prototype", "implicit-function-declaration",
    "incompatible-pointer-types-discards-qualifiers",
)  # fmt: skip
_INCLUDED = pattern(r"^\.+ (.+)$", re.MULTILINE)
# A file in a list of dependencies, as make reads it.
_DEPENDENCY = pattern(r"(?:[^\s\\]|\\.)+")
_ESCAPED = pattern(r"\\([ #\\])|\$(?=\$)")
_WIDE = pattern(r"\b(?:unsigned )?long\b|\bu?intptr_t\b|\bs?size_t\b|\bu?int64_t\b|\bptrdiff_t\b")
# Functions whose types the compiler itself knows.
_KNOWN_FUNCTION = pattern("undeclared library function|implicitly declaring library function")
_LITERAL = pattern(r"(?:\w*\s*=\s*)?(?:(?:0x)?\d\w*|NULL)\s*[,;)}]")
_MISSING_HEADER = "file not found"
# How zig says that `#embed` names a file that is not there, or cannot be read.
_MISSING_EMBED = pattern(r"^.*: error: failed to read '[^'\n]*\.d': FileNotFound$", re.MULTILINE)
_EMBED = pattern(r"^[ \t]*(?:#|%:)[ \t]*embed\b", re.MULTILINE)
_SYSTEM_HEADERS = "/usr/include/"
_COMPILED_OUT = "assertions are compiled out (NDEBUG): not checked"  # as membar_assert.h says it
_INVALID = "the memory ordering is invalid for this operation"  # as membar_orders.h says it
_NEEDS_EXCEPTIONS = pattern("with exceptions disabled")  # how clang refuses `throw` and `try`
# How clang says that a program has a name which the system's headers declare, maybe only as an extension.
_CLASHES = pattern(
    "error: (?:static declaration of|conflicting types for|redefinition of|typedef redefinition)"
)
_SEES_EXCEPTIONS = pattern(r"\b(?:__cpp_exceptions|__EXCEPTIONS|_CPPUNWIND)\b")
_INVALID_IN_LIBRARY = "memory order argument to atomic operation is invalid"  # as libc++ says it
_SEES_SANITIZER = pattern(r"(?:address|undefined_behavior)_sanitizer|__SANITIZE_ADDRESS__")
_TIME = pattern("__(?:DATE|TIME|TIMESTAMP)__")
_SIZE_TYPE = pattern(r"typedef\s+(?P<words>[a-z ]*?)\s*\bsize_t\s*;")


@record(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """What the user says about a compilation.

    Attributes:
        include_dirs: `-I`.
        quote_dirs: `-iquote`.
        system_dirs: `-isystem`.
        defines: `-D`, each `NAME` or `NAME=VALUE`.
        undefines: `-U`.
        standard: `--std`, such as `gnu17`.
        includes: `-include`.
        others: further options, as they are.
        edition: `--edition` of Rust.
        features: `--features` of Rust.
        configurations: `--cfg` of Rust.
        test: `--test` of Rust.
        program: `--bin` of Rust.
        allow_build: `--allow-build` of Rust.
        replaced: path and text of files that are to be taken instead of what is on the disk.
        project: the folders whose files messages may show; None: that of the file, and `include_dirs`.
        uses_cache: whether results may come from the cache and go there.
    """

    include_dirs: tuple[str, ...] = ()
    quote_dirs: tuple[str, ...] = ()
    system_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    standard: str | None = None
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    edition: str | None = None
    features: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    test: str | None = None
    program: str | None = None
    allow_build: bool = False
    replaced: tuple[tuple[str, str], ...] = ()
    project: tuple[str, ...] | None = None
    uses_cache: bool = True


@record(frozen=True, slots=True, kw_only=True)
class Compilation:
    """What a compiler made of a file.

    Attributes:
        module: the LLVM IR.
        compiler: which one.
        target: for which processor.
        command: a command that makes the same text again.
        warnings: what the user should know: habits that were allowed, and findings of the compiler.
        files: the files that were read, the user's first.
        folders: those in which a new file could be found instead of one of them.
        caveats: what the answer does not cover because of how the file was read.
    """

    module: SourceFile
    compiler: Compiler
    target: Target
    command: tuple[str, ...]
    warnings: tuple[Diagnostic, ...] = ()
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()


class MissingHeaderError(InputError):
    """A header was not found: another compiler may have it."""


class ReadableFiles:
    """The files whose text messages may show: of the project, and what a preprocessed one is made from."""

    def __init__(
        self,
        path: str,
        folders: Iterable[str],
        project: tuple[str, ...] | None = None,
        replaced: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._source = SourceFile(path, "", include_dirs=tuple(folders), project=project)
        self._texts = {absolute(name): text for name, text in replaced}
        self._originals: Mapping[str, SourceFile] | None = None if suffix(path) in PREPROCESSED else {}
        self._lines: Mapping[tuple[str, int], int] | None = None

    def __call__(self, file: str) -> SourceFile | None:
        """The file with this name; None if its text may not be shown, or cannot be read."""
        original = self._original(file)
        if original is not None:
            return original
        if is_header_of_compiler(file):  # which may be installed inside the project
            return None
        with suppress(OSError):
            found = self._source.including(file, self._texts.get(absolute(file)))
            return found if found.is_shown else None
        return None

    def own_line(self, file: str, line: int) -> tuple[str, int] | None:
        """The program's own file and the line of it that `#line` gives this name.

        None if it has no such directive, or there is another file of that name.
        """
        path = self._source.path
        if self._lines is None:
            own = self._texts.get(absolute(path))
            with suppress(OSError):
                source = SourceFile.read(path) if own is None else SourceFile(path, own)
                self._lines = lines_by_directive(source)
        at = (self._lines or {}).get((absolute(file), line))
        return None if at is None or (absolute(file) != absolute(path) and _can_read(file)) else (path, at)

    def _original(self, file: str) -> SourceFile | None:
        """A file that a preprocessed text was made from, with the lines that are in it."""
        if self._originals is None:
            path = self._source.path
            text = self._texts.get(absolute(path))
            self._originals = {}
            with suppress(OSError):
                self._originals = original_files(SourceFile.read(path).text if text is None else text)
        return self._originals.get(absolute(file)) if self._originals else None


def _can_read(file: str) -> bool:
    """Whether there is such a file, which the compiler may have read."""
    with suppress(OSError):
        SourceFile.read(file)
        return True
    return False


def texts_of_program(files: Iterable[str], replaced: Iterable[tuple[str, str]]) -> Iterator[SourceFile]:
    """Files that were read, without the headers of the system, of compilers and of membar: to be searched."""
    texts = {absolute(name): text for name, text in replaced}
    for file in files:
        if is_below(file, _SYSTEM_HEADERS) or is_header_of_compiler(file):
            continue
        path = absolute(file)
        if any(is_below(path, each) for each in (HEADERS, _SYSTEM_HEADERS)):
            continue
        with suppress(OSError):
            yield SourceFile(file, texts[path]) if path in texts else SourceFile.read(file)


def depends_on_time(files: Iterable[str], replaced: Iterable[tuple[str, str]] = ()) -> bool:
    """Whether the text of a program may ask when it is compiled, or when a file was changed."""
    return any(_TIME.search(source.text) for source in texts_of_program(files, replaced))


def compile_file(
    path: str, *, compiler: Compiler, target: Target, options: CompileOptions, seconds: float | None = None
) -> Compilation:
    """The LLVM IR of a file: C or C++ (`.i` or `.ii` if preprocessed), bitcode (`.bc`), or LLVM IR (`.ll`).

    Raises:
        InputError: the compiler refuses the file, cannot be run, or takes too long.
    """
    _refuse_other_output(options.others)
    return _Job(path, compiler, target, options, seconds).compile()


def _refuse_other_output(words: Sequence[str]) -> None:
    """Checks that no option asks for something else than LLVM IR, or for options that are not shown."""
    for word in words:
        if word in _OF_OTHER_OUTPUT or word.startswith("@"):
            message = f"`{word}` cannot be passed to the compiler: membar chooses what it reads and writes"
            raise InputError(Diagnostic(code="W1527", message=message, help="leave it out"))


def preprocess_file(path: str, *, compiler: Compiler, target: Target, options: CompileOptions) -> str:
    """The text of a file as the compiler sees it, with line markers and the definitions of macros.

    Raises:
        InputError: the compiler refuses the file, cannot be run, or takes too long.
    """
    return _Job(path, compiler, target, options, None).preprocess()


@record(eq=False)
class _Job:
    path: str
    compiler: Compiler
    target: Target
    options: CompileOptions
    seconds: float | None
    has_lifetimes: bool = True
    has_exceptions: bool = False
    has_extensions: bool = True

    @property
    def language(self) -> SourceLanguage:
        return source_language(self.path)

    @property
    def suffix(self) -> str:
        return suffix(self.path)

    @property
    def readable(self) -> ReadableFiles:
        options = self.options
        return ReadableFiles(self.path, options.include_dirs, options.project, options.replaced)

    def compile(self) -> Compilation:
        """The file as LLVM IR."""
        if self.suffix == TEXT:
            return self._compilation(self._own_text(), (), (), (self.path,))
        if self.suffix in PREPROCESSED:
            self._check_size_type()
        cache, key = self._cache()
        found = None if cache is None else cache.find(key)
        if not isinstance(found, Cached):
            since = now()
            found = self._run()
            # Another file may be there later, or another time.
            is_lasting = bool(found.text) or not self._embeds(found.files)
            is_lasting &= not depends_on_time(found.files, self.options.replaced)
            if cache is not None and is_lasting:
                cache.put(key, found, Dependencies(found.files, self._folders(found.files), since))
        self._refuse_foreign(found.files)
        if self._reads_headers_of_host(found.files):
            message = f"the headers of {self.target.processor} are missing"
            raise MissingHeaderError(Diagnostic(code="W1522", message=f"{self.path}: {message}"))
        if self.has_lifetimes and self._sees_sanitizer(found.files):
            self.has_lifetimes = False
            return self.compile()
        if self.language.has_exceptions and not self.has_exceptions and self._needs_exceptions(found):
            self.has_exceptions = True
            return self.compile()
        if self.has_extensions and not found.text and _CLASHES.search(found.messages[-1]):
            plain = _Job(
                self.path, self.compiler, self.target, self.options, self.seconds, has_extensions=False
            )
            with suppress(InputError):
                return plain.compile()
        return self._read(found)

    def _refuse_foreign(self, files: Iterable[str]) -> None:
        """Refuses files that a confined compiler should not have been able to read: the system let it."""
        readable = confinement.readable_by_compilers()
        if readable is None:
            return
        allowed = [resolve(folder) for folder in (*readable, folder_of(self.path), scratch_base())]
        for file in files:
            if not any(is_below(resolve(file), folder) for folder in allowed):
                raise InputError(Diagnostic(code="W1526", message=FOREIGN))

    def preprocess(self) -> str:
        """The file after preprocessing."""
        found = self._run_once(strict=False, emits=_PREPROCESSED)
        self._refuse_errors(read_messages(found.messages[0]))
        return found.text

    def _read(self, found: Cached) -> Compilation:
        """What the messages of the runs mean."""
        *strict, last = (read_messages(text) for text in found.messages)
        allowed = [item for messages in strict for item in messages if item.kind == "error"]
        self._refuse_errors(last)
        warnings = [diagnose(item, "W1514", self.readable) for item in allowed]
        warnings += [
            diagnose(item, _code_of(item), self.readable) for item in last if not _is_invalid_order(item)
        ]
        return self._compilation(found.text, tuple(warnings), tuple(strict), found.files)

    def _compilation(
        self, text: str, warnings: tuple[Diagnostic, ...], strict: Sequence[object], files: tuple[str, ...]
    ) -> Compilation:
        output = stem(self.path) + TEXT
        return Compilation(
            module=SourceFile(self.path if self.suffix == TEXT else output, text),
            compiler=self.compiler,
            target=self.target,
            command=self.command(strict=not strict, output=output),
            warnings=warnings,
            files=files,
            folders=self._folders(files),
            caveats=self._caveats(text),
        )

    def _caveats(self, text: str) -> tuple[str, ...]:
        found = []
        if not self.has_lifetimes:
            found.append("use after scope and left shifts: not checked, as the text asks for a sanitizer")
        if self.suffix in {TEXT, BITCODE}:
            if "isOptimized: true" in text:
                found.append(f"about the optimised code in {self.path}, not about its source")
            elif "isOptimized: false" not in text:
                found.append(f"about the code in {self.path}, whose origin is not known")
        return tuple(found)

    # ------------------------------------------------------------------------------------------- the command

    def command(
        self, *, strict: bool, output: str, copy: str | None = None, emits: Sequence[str] = _UNOPTIMISED
    ) -> tuple[str, ...]:
        """The command line of the compiler; `copy` has the text where the file itself has another."""
        words = [*self.compiler.command]
        if self.compiler.is_zig:
            words[-1] = "clang"
        words += [*self._target_words(), *emits]
        if self.suffix != BITCODE:
            words += [*(_LIFETIMES if self.has_lifetimes else ()), *self.target.flags]
            words += self._language()
            words += [IN_DEBUG_INFORMATION] if names_settings(self._own_text()) else []
            words += ["-Wno-everything", *(f"-W{name}" for name in _WARNINGS)]
            words += [f"-Werror={name}" for name in (_HABITS if strict and self.language is C else ())]
        words += ["-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=200"]
        words += self.options.others
        if copy is not None:
            return (*words, "-iquote", folder_of(self.path), "-o", output, copy)
        path = f"./{self.path}" if self.path.startswith("-") else self.path
        return (*words, "-o", output, path)

    def _target_words(self) -> tuple[str, ...]:
        """What names the target and, if zig brings its headers, these."""
        if not self.compiler.is_zig or self.suffix in {*PREPROCESSED, BITCODE}:
            return (f"--target={self.target.triple}",)
        return ("-nostdinc", *words_of_zig(self.compiler, self.language.zig, self.target.zig))

    def _language(self) -> list[str]:
        """What says how the text is to be read."""
        options, language = self.options, self.language
        standard = options.standard or language.standard
        words = [] if standard is None else [f"-std={standard}"]
        if language.has_exceptions and not self.has_exceptions:
            words.append("-fno-exceptions")
        if self.suffix in PREPROCESSED:
            return [*words, "-x", language.preprocessed]
        words += ["-x", language.clang, *language.flags]
        for flag, folders in (
            ("-iquote", options.quote_dirs),
            ("-I", (*options.include_dirs, HEADERS)),  # the program's own headers win
            ("-isystem", options.system_dirs),
        ):
            words += [word for folder in folders for word in (flag, folder)]
        words += ["-include", f"{HEADERS}/membar_builtins.h"] if language is C else []
        words += ["-D_GNU_SOURCE"] if self.has_extensions else []
        words += [f"-D{item}" for item in options.defines] + [f"-U{item}" for item in options.undefines]
        return words + [word for file in options.includes for word in ("-include", file)]

    # --------------------------------------------------------------------------------------------- its runs

    def _run(self) -> Cached:
        """A strict run and, if that shows only habits, a relaxed one."""
        first = self._run_once(strict=True)
        errors = [item for item in read_messages(first.messages[0]) if item.kind == "error"]
        if not errors or not all(map(self._is_tolerated_by_gcc, errors)):
            return first
        second = self._run_once(strict=False)
        return Cached(second.text, (*first.messages, *second.messages), second.files)

    def _run_once(self, *, strict: bool, emits: Sequence[str] = _UNOPTIMISED) -> Cached:
        with scratch_folder() as folder:
            output = f"{folder}/module.ll"
            copy = self._copy(folder)
            command = self.command(strict=strict, output=output, copy=copy, emits=emits)
            words = [*command, *self._overlay(folder)]
            try:
                done = run_compiler([*words, "-H"], seconds=self.seconds)
                text = SourceFile.read(output).text if not done.status else ""
                files = dict.fromkeys((self.path, *_INCLUDED.findall(done.messages)))
                if self._embeds(files):  # which `-H` does not list
                    files.update(dict.fromkeys(self._dependencies(words, folder)))
            except FileNotFoundError:
                raise self._failure("wrote no LLVM IR") from None
            except (CompilerFailureError, OSError) as problem:
                raise self._failure(reason_of(problem)) from None
        messages = _MISSING_EMBED.sub(lambda _: self._missing_embed(), done.messages)
        if done.status and not any(item.kind == "error" for item in read_messages(messages)):
            raise self._failure(_last_words(messages) or f"failed with exit status {done.status}", help_=None)
        return Cached(text, (messages,), tuple(files))

    def _missing_embed(self) -> str:
        """What a compiler should say of `#embed` with a file that it cannot read."""
        text = self._own_text()
        at = _EMBED.search(text)
        line = 1 if at is None else text.count("\n", 0, at.end()) + 1
        return f"{self.path}:{line}:1: error: `#embed` names a file that cannot be read"

    def _embeds(self, files: Iterable[str]) -> bool:
        """Whether the program's text may contain `#embed`."""
        sources = texts_of_program(files, self.options.replaced)
        return any("embed" in source.text.replace("\\\n", "") for source in sources)

    def _dependencies(self, words: Sequence[str], folder: str) -> Iterator[str]:
        """All files that the compiler reads; none if there are mistakes in the program."""
        path = f"{folder}/dependencies"
        run_compiler([*words, "-MD", "-MF", path], seconds=self.seconds)  # zig then writes nothing else
        with suppress(OSError):
            for name in _DEPENDENCY.findall(SourceFile.read(path).text.replace("\\\n", " ")):
                file = _ESCAPED.sub(r"\1", name)
                if not file.endswith(":") and not is_below(absolute(file), folder):
                    yield file

    def _copy(self, folder: str) -> str | None:
        """A file with the text that is to be compiled, where that is not what is on the disk."""
        text = dict(self.options.replaced).get(self.path)
        if text is None:
            return None
        copy = f"{folder}/{stem(self.path)}{self.suffix}"
        name = self.path.replace("\\", "\\\\").replace('"', '\\"')
        try:
            write_text(copy, f'# 1 "{name}"\n{text}')
        except (OSError, ValueError) as problem:
            raise InputError(Diagnostic(code="W0404", message=f"{self.path}: {reason_of(problem)}")) from None
        return copy

    def _overlay(self, folder: str) -> list[str]:
        """Options with which the compiler sees other texts in place of some headers."""
        replaced = [item for item in self.options.replaced if item[0] != self.path]
        if not replaced:
            return []
        import json  # noqa: PLC0415 - only here

        roots = []
        for number, (path, text) in enumerate(replaced):
            copy = f"{folder}/{number}.c"
            write_text(copy, text)
            roots.append({"type": "file", "name": absolute(path), "external-contents": copy})
        overlay = f"{folder}/overlay.json"
        head = {"version": 0, "case-sensitive": "true", "use-external-names": "false"}
        write_text(overlay, json.dumps({**head, "roots": roots}))
        return ["-ivfsoverlay", overlay]

    def _cache(self) -> tuple[Cache | None, str]:
        folder = default_folder(os.environ)
        if not self.options.uses_cache or folder is None:
            return None, ""
        replaced = [text for pair in self.options.replaced for text in pair]
        words = self.command(strict=True, output="")
        return Cache(folder), key_of(self.compiler.title, os.getcwd(), words, replaced)  # noqa: PTH109

    def _folders(self, files: Sequence[str]) -> tuple[str, ...]:
        """The folders in which a new file could be found instead of one of these."""
        options = self.options
        named = [word.removeprefix("-I") for word in options.others]
        search = [folder_of(self.path), *options.include_dirs, *options.quote_dirs, *options.system_dirs]
        search += [word for word in named if os.path.isdir(word)]  # noqa: PTH112
        return tuple(folders_searched(search, files))

    # ----------------------------------------------------------------------------------------------- errors

    def _refuse_errors(self, messages: Sequence[Message]) -> None:
        """Raises what the compiler, or the loss of an access, makes impossible to go on with."""
        errors = [item for item in messages if item.kind == "error"]
        # What is allowed is no reason, unless the compiler does not allow it even if it is asked to.
        errors = [item for item in errors if not self._is_tolerated_by_gcc(item)] or errors
        lost = [item for item in messages if _is_invalid_order(item) and item.kind == "warning"]
        told = {(item.file, item.line) for item in errors}
        lost = [item for item in lost if (item.file, item.line) not in told]
        found = [
            diagnose(item, "W1513" if item.text == _INVALID else "W1512", self.readable) for item in errors
        ]
        found += [diagnose(item, "W1513", self.readable) for item in lost]
        found = list(dict.fromkeys(found))  # several mistakes in a line that is not shown are told once
        if any(_MISSING_HEADER in item.text for item in errors):
            raise MissingHeaderError(*found)
        if found:
            raise InputError(*found)

    def _is_tolerated_by_gcc(self, message: Message) -> bool:
        """Whether gcc lets this pass, and the program that comes out is the one that was meant."""
        if message.flag == "int-conversion":
            return _WIDE.search(message.text) is not None or self._is_literal(message)
        if message.flag == "implicit-function-declaration":
            return _KNOWN_FUNCTION.search(message.text) is not None
        return message.flag in _HABITS

    def _is_literal(self, message: Message) -> bool:
        """Whether a number or `NULL` stands there, which is the same whatever its type."""
        source = self.readable(message.file)
        if source is None or message.line > len(source.line_starts):
            return False
        line = source.line(message.line).encode()[message.column - 1 :].decode(errors="replace")
        return _LITERAL.match(line) is not None

    def _check_size_type(self) -> None:
        """Preprocessed text was written for one data model: its `size_t` shows for which."""
        source = SourceFile(self.path, self._own_text())
        match = _SIZE_TYPE.search(source.text)
        if match is None:
            return
        is_wide = "long" in match["words"].split()
        if is_wide != (self.target.pointer_bits == 64):
            needed = "LP64" if is_wide else "ILP32"
            message = (
                f"`size_t` is `{match['words']}` here, but the target has {self.target.pointer_bits} bits"
            )
            way_out = f"--data-model {needed}"
            raise InputError(
                Diagnostic(code="W1518", message=message, primary=_at(source, match.span()), help=way_out)
            )

    def _own_text(self) -> str:
        for path, text in self.options.replaced:
            if path == self.path:
                return text
        try:
            return SourceFile.read(self.path).text
        except OSError as problem:
            message = f"{self.path}: {reason_of(problem)}"
            raise InputError(Diagnostic(code="W0404", message=message)) from None

    def _reads_headers_of_host(self, files: Sequence[str]) -> bool:
        """Whether system headers were read that are for the processor of this machine, not for the target."""
        host = os.uname().machine
        if (
            self.compiler.is_zig
            or self.target.processor == host
            or (self.target is I686 and host == "x86_64")
        ):
            return False
        has_system = any(file.startswith(_SYSTEM_HEADERS) for file in files)
        return has_system and not any(f"/{self.target.zig}/" in file for file in files)

    def _sees_sanitizer(self, files: Sequence[str]) -> bool:
        """Whether the program's text could tell that the flags for lifetimes are there."""
        if self.suffix in {BITCODE, *PREPROCESSED}:
            return False
        sources = texts_of_program(files, self.options.replaced)
        return any(_SEES_SANITIZER.search(source.text) for source in sources)

    def _needs_exceptions(self, found: Cached) -> bool:
        """Whether the program's text throws, catches, or could tell that exceptions are switched off."""
        if any(_NEEDS_EXCEPTIONS.search(text) for text in found.messages):
            return True
        sources = texts_of_program(found.files, self.options.replaced)
        return any(_SEES_EXCEPTIONS.search(source.text) for source in sources)

    def _failure(self, what: str, help_: str | None = "--clang PATH names another one") -> InputError:
        message = f"{self.path}: the compiler ({self.compiler.title}) {what}"
        return InputError(Diagnostic(code="W1516", message=message, help=help_))


def _at(source: SourceFile, place: tuple[int, int]) -> Label:
    return Label(source.span(*place), "")


def _is_invalid_order(message: Message) -> bool:
    return message.flag == _INVALID_ORDER or message.text == _INVALID_IN_LIBRARY


def _code_of(message: Message) -> str:
    """The code of a warning that is not about what gcc allows."""
    if message.flag == _OVERFLOW:
        return CONSTANT_OVERFLOW
    if message.flag == _UNSEQUENCED:
        return UNSEQUENCED
    return COMPILED_OUT if message.text == _COMPILED_OUT else "W1515"


def _last_words(text: str) -> str:
    """The line in which a compiler that has no place to point at says what is wrong."""
    for line in text.splitlines():
        found = re.search(r"error: (?P<text>.+)", line)
        if found is not None:
            return f"says: {found['text']}"
    return ""
