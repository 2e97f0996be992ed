"""`membar translate FILE --to FORMAT`."""

from __future__ import annotations

from membar.cli import arguments
from membar.cli.command import HOLDS
from membar.questions.given_options import compiler_options
from membar.questions.translate import translate
from membar.reports import streams


def run(chosen: arguments.Chosen) -> int:
    """Prints the file in another form."""
    text = translate(
        chosen.file,
        to=chosen.to,
        model=chosen.model,
        buffers=chosen.buffers,
        fair=chosen.fair,
        error=chosen.error,
        ltl=chosen.ltl,
        mapping=chosen.mapping,
        include_dirs=chosen.include,
        defines=chosen.define,
        compiler=compiler_options(vars(chosen)),
        words=arguments.words(chosen),
        print_after=chosen.print_after,
        on_warning=streams.write_message,
    )
    streams.write(text)
    return HOLDS
