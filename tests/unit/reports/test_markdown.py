"""Summaries in Markdown: what is in the table, what is told below, and that no text breaks the page."""

from __future__ import annotations

import re
from typing import Any

from markdown_it import MarkdownIt

from membar.questions import campaign
from membar.reports import markdown


def answer(path: str, verdict: str, *, model: str = "sc", **others: Any) -> campaign.TestAnswer:
    return campaign.TestAnswer(path=path, verdict=verdict, name="t", model=model, **others)


TESTS = [
    answer("a.litmus", "holds", seconds=0.5),
    answer("b.c", "violated", model="rc11", report="b.c: VIOLATED\n  1: x <- 1\n", seconds=2.0),
    answer("c.litmus", "unknown", reason="time limit"),
    answer("d.litmus", "error", model="", reason="error[W0101]: bad\n --> d.litmus:1:1\n"),
    answer("e.c", "holds-within", reason="loops unrolled 4 times"),
]


def test_the_page() -> None:
    assert markdown.render(TESTS) == (
        "## membar\n\n"
        "**5 answers**: 1 HOLDS, 1 HOLDS WITHIN, 1 VIOLATED, 1 UNKNOWN, 1 BAD INPUT (2.5 s)\n\n"
        "| | file | verdict | model | time |\n"
        "| --- | --- | --- | --- | ---: |\n"
        "| ✅ | `a.litmus` | HOLDS | sc | 0.50 s |\n"
        "| ❌ | `b.c` | VIOLATED | rc11 | 2.00 s |\n"
        "| ❔ | `c.litmus` | UNKNOWN: time limit | sc | 0.00 s |\n"
        "| 🚫 | `d.litmus` | BAD INPUT: error\\[W0101\\]: bad |  | 0.00 s |\n"
        "| ☑️ | `e.c` | HOLDS WITHIN: loops unrolled 4 times | sc | 0.00 s |\n\n"
        "<details><summary>b.c: VIOLATED under rc11</summary>\n\n"
        "```text\nb.c: VIOLATED\n  1: x &lt;- 1\n```\n\n</details>\n\n".replace("&lt;", "<")
        + "<details><summary>d.litmus: BAD INPUT</summary>\n\n"
        "```text\nerror[W0101]: bad\n --> d.litmus:1:1\n```\n\n</details>\n"
    )


def test_disagreements_are_listed() -> None:
    page = markdown.render(TESTS, {"b.c": "the condition holds there"})
    assert "1 unexpected" in page
    assert "### Unexpected answers\n\n- `b.c`: the condition holds there\n" in page
    assert "0 unexpected" in markdown.render(TESTS, {})


def test_no_answer_is_a_page_too() -> None:
    assert markdown.render([]) == "## membar\n\n**0 answers**.\n"


def test_no_text_breaks_the_page() -> None:
    odd = "a|b`c\n</details><b>*x*\x1b"
    tests = [
        answer(odd, "violated", model="m|<i>`", report="```\n````text\n</details>\n"),
        answer(odd, "unknown", reason="1 | 2 `x` <script>"),
    ]
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown.render(tests))
    kinds = [token.type for token in tokens]
    assert kinds.count("tr_open") == 3
    assert kinds.count("td_open") == 2 * 5
    assert kinds.count("fence") == 1
    assert [t.content for t in tokens if t.type == "fence"] == ["```\n````text\n</details>\n"]
    blocks = [token.content for token in tokens if token.type == "html_block"]
    assert len(blocks) == 2
    assert blocks[0].startswith("<details><summary>a|b`c")
    assert "<b>" not in blocks[0]
    inline = [c.type for t in tokens if t.type == "inline" for c in t.children or []]
    assert "html_inline" not in inline
    assert "em_open" not in inline


def test_names_with_backslashes_before_pipes_stay_in_their_cell() -> None:
    names = ["a\\|b.c", "a|b.c", "`a`.c", "a\\b.c", "a``|`b.c", "*a*_b_<b>.c"]
    page = markdown.render([answer(name, "holds") for name in names])
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    assert [token.type for token in tokens].count("td_open") == 5 * len(names)
    shown = [
        "".join(child.content for child in token.children or [] if child.type != "html_inline")
        for token in tokens
        if token.type == "inline"
    ]
    assert [name for name in names if name in shown] == names


def test_very_many_answers_are_cut() -> None:
    tests = [answer(f"{n}.litmus", "holds") for n in range(2 * markdown.MOST_ROWS)]
    tests.append(answer("z.litmus", "violated", report="x" * markdown.MOST_TOLD))
    tests.append(answer("y.litmus", "violated", report="too much"))
    page = markdown.render(tests)
    assert len(re.findall(r"^\| .* s \|$", page, re.MULTILINE)) == markdown.MOST_ROWS
    assert f"And {markdown.MOST_ROWS + 2} more." in page
    assert "`z.litmus`" in page
    assert "1 more report" in page
    assert len(page) < 2**20
