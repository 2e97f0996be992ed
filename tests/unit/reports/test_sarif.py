"""SARIF logs: valid by the schema, and the places in them are those of the violation."""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from sarif_pydantic import Sarif

import membar
from membar.cli import command as cli
from membar.diagnostics import Diagnostic, InputError
from membar.reports import sarif

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

RACE = """\
#include <pthread.h>
int shared;
static void *worker(void *unused) {
  shared = 1;
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  int seen = shared;
  pthread_join(thread, 0);
  (void)seen;
  return 0;
}
"""
FREED = """\
#include <stdlib.h>
int main(void) {
  int *cell = malloc(sizeof *cell);
  *cell = 1;
  free(cell);
  return *cell;
}
"""
RELAXED = "PUSH=memory_order_relaxed"
BAD = "X86 bad\n{ x=0; }\n P0 ;\n MOW [x],$1 ;\nexists (x=1)\n"
# Fields of SARIF that the Pydantic model does not know: it keeps them aside, and jsonschema checks them.
UNKNOWN_TO_PYDANTIC = {"columnKind", "toolExecutionNotifications", "exitCode"}


def log_of(folder: Path, *words: str, texts: dict[str, str] | None = None) -> Any:
    """The log that `membar check` writes about files with these texts (and `words`)."""
    for name, text in (texts or {}).items():
        (folder / name).write_text(text, encoding="utf-8")
    cli.main(["check", *(texts or {}), *words, "--sarif", "log.sarif"])
    return json.loads((folder / "log.sarif").read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def result_of(log: Any) -> Any:
    (run,) = log["runs"]
    (result,) = run["results"]
    return result


def line_of(location: Any) -> int:
    return int(location["physicalLocation"]["region"]["startLine"])


def extras(value: Any) -> Iterator[str]:
    """What a Pydantic model was given and does not know, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from extras(item)
    elif hasattr(value, "model_extra"):
        yield from value.model_extra or {}
        for name in type(value).model_fields:
            yield from extras(getattr(value, name))


def schema() -> Any:
    """The standard's own schema, which cargo's cache has in a crate; skips where it is not."""
    home = Path(os.environ.get("CARGO_HOME", str(Path.home() / ".cargo")))
    for crate in sorted(home.glob("registry/cache/*/serde-sarif-*.crate")):
        with tarfile.open(crate) as archive:
            name = next(name for name in archive.getnames() if name.endswith("/src/schema.json"))
            file = archive.extractfile(name)
            assert file is not None
            return json.load(io.TextIOWrapper(file, encoding="utf-8"))
    pytest.skip("the SARIF schema is not in cargo's cache: `cargo info serde-sarif` brings it")


def check_by_hand(log: Any) -> None:
    """What the standard demands beyond types: levels, indices, orders, URIs, lists that are not empty."""
    (run,) = log["runs"]
    driver, artifacts = run["tool"]["driver"], run["artifacts"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules)
    texts = [rule["shortDescription"]["text"] for rule in driver["rules"] if not rule["id"].startswith("W")]
    assert all(" " in text and "Invalid" not in text for text in texts)
    assert all(
        rule["shortDescription"]["text"].endswith(".") and rule["help"]["text"] for rule in driver["rules"]
    )
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["kind"] in {"pass", "fail", "open", "informational"}
        assert (result["kind"] == "fail") == (result["level"] == "error")
        assert result["level"] in {"none", "error"}
        assert result["message"]["text"]
        assert result["locations"]
        for flow in result.get("codeFlows", []):
            assert flow["threadFlows"]
            names = [thread["id"] for thread in flow["threadFlows"]]
            assert len(set(names)) == len(names)
            orders = [
                place["executionOrder"] for thread in flow["threadFlows"] for place in thread["locations"]
            ]
            assert sorted(orders) == list(range(len(orders)))
            for thread in flow["threadFlows"]:
                own = [place["executionOrder"] for place in thread["locations"]]
                assert own
                assert own == sorted(own)
    for place in sarif._artifact_locations(run["results"]):
        assert artifacts[place["index"]]["location"]["uri"] == place["uri"]
        assert re.fullmatch(r"(?:file://)?(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", place["uri"])
    for region in regions(run["results"]):
        start, end = ((region[f"{e}Line"], region[f"{e}Column"]) for e in ("start", "end"))
        assert (1, 1) <= start <= end


def regions(value: object) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key == "region":
                yield part
            yield from regions(part)
    elif isinstance(value, list):
        for part in value:
            yield from regions(part)


def logs(folder: Path) -> list[Any]:
    """Logs with everything that can be in one."""
    named = ["c/tas-relaxed.c", "cubicle/flags.cub", "litmus/store-buffering.litmus", "dve/peterson.dve"]
    named += [
        "program/wait-forever.mbp",
        "c/publication.c",
        "promela/peterson-repeated.pml",
        "litmus/coherence.litmus",
    ]
    texts = {"race.c": RACE, "bad.litmus": BAD, "a b#1.c": FREED}
    return [
        log_of(folder, *(str(EXAMPLES / name) for name in named), texts=texts),
        log_of(folder, "--property", "none", str(EXAMPLES / "litmus/store-buffering.litmus")),
        log_of(
            folder,
            "--limit",
            "executions=1",
            "--model",
            "sc",
            str(EXAMPLES / "litmus/store-buffering.litmus"),
        ),
        log_of(folder, "--unroll", "1", "--no-await", str(EXAMPLES / "litmus/wait-for-flag.litmus")),
        log_of(folder, "--model", "nonsense", str(EXAMPLES / "litmus/store-buffering.litmus")),
        log_of(folder, "--client", "2,1", "-D", RELAXED, str(EXAMPLES / "c/objects/treiber.c")),
    ]


def test_logs_keep_to_the_standard(folder: Path) -> None:
    found = logs(folder)
    verdicts = {r["properties"]["verdict"] for log in found for r in log["runs"][0]["results"]}
    assert verdicts == {"holds", "holds-within", "violated", "unknown", "explored", "error"}
    for log in found:
        check_by_hand(log)
        model = Sarif.model_validate(log)
        assert set(extras(model)) == UNKNOWN_TO_PYDANTIC
        again = json.loads(model.model_dump_json(by_alias=True, exclude_unset=True))
        assert again == log


def test_logs_are_valid_by_the_schema(folder: Path) -> None:
    validator = jsonschema.Draft7Validator(schema())
    for log in logs(folder):
        assert not list(validator.iter_errors(log))
    broken = json.loads(json.dumps(log))
    broken["runs"][0]["results"][0]["kind"] = "failed"
    assert list(validator.iter_errors(broken))


def test_an_assertion_is_found_where_it_is_written(folder: Path) -> None:
    result = result_of(log_of(folder, str(EXAMPLES / "c/publication-relaxed.c")))
    assert (result["ruleId"], result["kind"], result["level"]) == ("assertions", "fail", "error")
    assert result["message"]["text"].startswith("VIOLATED under rc11: assert(")
    text = (EXAMPLES / "c/publication.c").read_text(encoding="utf-8").splitlines()
    (place,) = result["locations"]
    assert "assert(" in text[line_of(place) - 1]
    assert place["physicalLocation"]["region"]["snippet"]["text"].startswith("assert(")
    flows = {flow["id"]: flow["locations"] for flow in result["codeFlows"][0]["threadFlows"]}
    assert set(flows) == {"sender", "receiver"}
    assert [place["importance"] for place in flows["receiver"]][-1] == "essential"
    stored = [place["location"]["message"]["text"] for place in flows["sender"]]
    assert stored[0] == "letter.length = 1: W letter.length=1"


def test_what_weak_memory_does_has_both_places(folder: Path) -> None:
    result = result_of(log_of(folder, str(EXAMPLES / "c/publication-relaxed.c")))
    read, write = result["relatedLocations"]
    assert read["message"]["text"] == (
        "receiver's read of letter.body at publication.c:35 does not see sender's write of letter.body at "
        "publication.c:26"
    )
    assert (line_of(read), line_of(write)) == (35, 26)
    litmus = result_of(log_of(folder, str(EXAMPLES / "litmus/store-buffering.litmus")))
    assert [line_of(place) for place in litmus["relatedLocations"]] == [8, 7]


def test_who_waits_for_ever_is_the_place(folder: Path) -> None:
    result = result_of(log_of(folder, str(EXAMPLES / "program/wait-forever.mbp")))
    assert (result["ruleId"], line_of(result["locations"][0])) == ("termination", 17)


def test_a_race_has_both_places(folder: Path) -> None:
    result = result_of(log_of(folder, texts={"race.c": RACE}))
    assert result["ruleId"] == "races"
    (place,), (other,) = result["locations"], result["relatedLocations"]
    assert (line_of(place), line_of(other)) == (4, 10)
    assert other["message"]["text"] == "main's read of shared at line 10"


def test_the_free_is_the_other_place_of_a_use_after_it(folder: Path) -> None:
    result = result_of(log_of(folder, texts={"a.c": FREED}))
    assert result["ruleId"] == "memory"
    assert [line_of(place) for place in result["locations"]] == [6]
    assert [line_of(place) for place in result["relatedLocations"]] == [5]


HELD = """\
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused) {
  pthread_mutex_lock(&m);
  return 0;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, worker, 0);
  pthread_join(other, 0);
  pthread_mutex_destroy(&m);
  return 0;
}
"""


def test_who_holds_a_lock_is_the_other_place_of_its_end(folder: Path) -> None:
    result = result_of(log_of(folder, texts={"a.c": HELD}))
    assert [line_of(place) for place in result["locations"]] == [11]
    assert [line_of(place) for place in result["relatedLocations"]] == [4]
    written = HELD.replace("mutex", "rwlock").replace("MUTEX", "RWLOCK")
    written = written.replace("rwlock_lock", "rwlock_wrlock").replace("rwlock_destroy", "rwlock_unlock")
    result = result_of(log_of(folder, texts={"b.c": written}))
    assert [line_of(place) for place in result["locations"]] == [11]
    assert [line_of(place) for place in result["relatedLocations"]] == [4]


LEAK = "#include <stdlib.h>\nint main(void) {\n  int *cell = malloc(sizeof *cell);\n  *cell = 1;\n}\n"
DEADLOCK = """\
#include <pthread.h>
pthread_mutex_t a, b;
int x;
static void *worker(void *unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  x++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
static void *other(void *unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
int main(void) {
  pthread_t first, second;
  x = 5;
  pthread_create(&first, 0, worker, 0);
  pthread_create(&second, 0, other, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return 0;
}
"""


def test_a_leak_is_a_warning_where_the_memory_is_allocated(folder: Path) -> None:
    results = log_of(folder, texts={"leak.c": LEAK})["runs"][0]["results"]
    warnings = [result for result in results if result["level"] == "warning"]
    assert [result["ruleId"] for result in warnings] == ["leaks"]
    assert line_of(warnings[0]["locations"][0]) == 3
    assert {result["level"] for result in results} == {"none", "warning"}


def test_a_deadlock_names_the_lines_where_threads_wait_and_no_others(folder: Path) -> None:
    result = result_of(log_of(folder, texts={"deadlock.c": DEADLOCK}))
    lines = [line_of(item) for item in (*result["locations"], *result["relatedLocations"])]
    assert sorted(lines) == [6, 14, 22]  # two at locks, and `main`, which joins one of them
    assert "(lines " in result["message"]["text"]


def test_a_condition_is_the_place_of_a_litmus_test(folder: Path) -> None:
    result = result_of(log_of(folder, str(EXAMPLES / "litmus/store-buffering.litmus")))
    snippet = result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"]
    assert snippet == "~exists (0:EAX=0 /\\ 1:EAX=0)"


def test_an_unsafe_state_is_the_place_of_a_system(folder: Path) -> None:
    result = result_of(log_of(folder, str(EXAMPLES / "cubicle/flags.cub")))
    assert line_of(result["locations"][0]) == 11
    flows = result["codeFlows"][0]["threadFlows"]
    assert [flow["id"] for flow in flows] == ["#1", "#2"]


def test_bad_input_is_an_error_with_its_code_and_place(folder: Path) -> None:
    log = log_of(folder, texts={"bad.litmus": BAD})
    result = result_of(log)
    assert re.fullmatch(r"W\d{4}", result["ruleId"])
    assert line_of(result["locations"][0]) == 4
    (invocation,) = log["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["exitCode"] == 2
    (told,) = invocation["toolExecutionNotifications"]
    assert told["descriptor"]["id"] == result["ruleId"]
    assert told["locations"] == result["locations"]


def test_what_holds_passes_and_what_is_unknown_is_open(folder: Path) -> None:
    log = log_of(folder, str(EXAMPLES / "litmus/coherence.litmus"))
    assert (result_of(log)["kind"], result_of(log)["level"]) == ("pass", "none")
    assert log["runs"][0]["invocations"] == [
        {"executionSuccessful": True, "toolExecutionNotifications": [], "exitCode": 0}
    ]
    words = ("--unroll", "1", "--no-await", str(EXAMPLES / "litmus/wait-for-flag.litmus"))
    bounded = log_of(folder, *words)["runs"][0]["results"]
    assert [(result["ruleId"], result["kind"]) for result in bounded] == [
        ("condition", "pass"),
        ("races", "pass"),
        ("termination", "pass"),
    ]
    assert all("no violation with loops unrolled once" in result["message"]["text"] for result in bounded)
    limited = result_of(
        log_of(
            folder,
            "--limit",
            "executions=1",
            "--model",
            "sc",
            str(EXAMPLES / "litmus/store-buffering.litmus"),
        )
    )
    assert (limited["ruleId"], limited["kind"], limited["level"]) == ("unanswered", "open", "none")


def test_paths_are_relative_and_encoded(folder: Path) -> None:
    (folder / "sub dir").mkdir()
    log = log_of(folder, texts={"sub dir/ä#1.c": RACE})
    assert [a["location"]["uri"] for a in log["runs"][0]["artifacts"]] == ["sub%20dir/%C3%A4%231.c"]
    absolute = log_of(folder, str(folder / "sub dir" / "ä#1.c"))
    assert absolute["runs"][0]["artifacts"] == log["runs"][0]["artifacts"]


def test_a_place_in_an_included_file_is_there_and_the_file_asked_about_is_named(folder: Path) -> None:
    (folder / "race.h").write_text(RACE, encoding="utf-8")
    log = log_of(folder, texts={"main.c": '#include "race.h"\n'})
    result = result_of(log)
    assert result["analysisTarget"]["uri"] == "main.c"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "race.h"
    roles = {a["location"]["uri"]: a["roles"] for a in log["runs"][0]["artifacts"]}
    assert roles == {"main.c": ["analysisTarget"], "race.h": ["resultFile"]}


def test_nothing_in_a_message_is_a_placeholder_or_a_link() -> None:
    item = Diagnostic(code="W0100", message="a{0}b f[1](x)\x1b \udc80")
    (result,) = sarif.refusal_results("x.c", InputError(item))
    assert result["message"]["text"] == "a{{0}}b f[1] (x)\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}"


def test_a_campaign_writes_one_log(folder: Path) -> None:
    (folder / "bad.litmus").write_text(BAD, encoding="utf-8")
    named = [str(EXAMPLES / name) for name in ("litmus/store-buffering.litmus", "litmus/coherence.litmus")]
    assert cli.main(["litmus", "bad.litmus", *named, "--jobs", "2", "--sarif", "log.sarif"]) == 3
    log = json.loads((folder / "log.sarif").read_text(encoding="utf-8"))
    check_by_hand(log)
    assert [r["kind"] for r in log["runs"][0]["results"]] == ["fail", "fail", "pass"]


def test_the_same_answers_give_the_same_bytes() -> None:
    first = sarif.render(sarif.results(membar.check(EXAMPLES / "c/tas-relaxed.c")), exit_code=1)
    assert sarif.render(sarif.results(membar.check(EXAMPLES / "c/tas-relaxed.c")), exit_code=1) == first


ODD = """\
#include <assert.h>
#include <pthread.h>
/* 𝛼é */ int shared;
static void *worker(void *unused) {
	/* 𝛼𝛽 */	shared = 1;
	return unused;
}
int main(void) {
	pthread_t thread;
	pthread_create(&thread, 0, worker, 0);
	/* ünïcödé 🙂 */ int seen = shared;	/* tab */
	return seen;
}
"""


def test_columns_count_code_points_whatever_stands_before(folder: Path) -> None:
    log = log_of(folder, texts={"odd.c": ODD})
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    found = set()
    for region in regions(run["results"]):
        lines = ODD.split("\n")
        text = lines[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1]
        assert region["startLine"] == region["endLine"]
        assert region["snippet"]["text"] == text
        found.add(text)
    assert "shared" in found
    assert any(text.startswith("shared = 1") for text in found)


def test_relative_uris_have_a_base_and_name_no_machine(folder: Path) -> None:
    log = log_of(folder, str(EXAMPLES / "litmus/store-buffering.litmus"), texts={"race.c": RACE})
    (run,) = log["runs"]
    (base,) = run["originalUriBaseIds"]
    assert "uri" not in run["originalUriBaseIds"][base]
    places = [*sarif._artifact_locations(run["results"]), *(item["location"] for item in run["artifacts"])]
    assert {place["uri"].startswith("file:") for place in places} == {True, False}
    assert all(("uriBaseId" in place) != place["uri"].startswith("file:") for place in places)
    assert all(place.get("uriBaseId", base) == base for place in places)


def test_fingerprints_stay_when_lines_move_and_differ_among_results(folder: Path) -> None:
    def prints(log: Any) -> list[str]:
        return [r["partialFingerprints"]["primaryLocationLineHash"] for r in log["runs"][0]["results"]]

    (first,) = prints(log_of(folder, texts={"race.c": RACE}))
    (moved,) = prints(log_of(folder, texts={"race.c": "\n\n/* new */\n" + RACE}))
    assert first == moved
    (other,) = prints(log_of(folder, texts={"race.c": RACE.replace("shared", "common")}))
    assert other != first
    (folder / "sub").mkdir()
    two = prints(log_of(folder, texts={"race.c": RACE, "sub/race.c": RACE}))
    assert len(set(two)) == 2
    assert two[0] == first
    assert all(re.fullmatch(r"[0-9a-f]{16}:\d+", value) for value in two)


def test_rules_say_what_is_wrong_and_what_to_do(folder: Path) -> None:
    log = log_of(folder, texts={"race.c": RACE, "bad.litmus": BAD})
    rules = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert rules["races"]["help"]["text"].startswith(rules["races"]["fullDescription"]["text"])
    assert "Make one of the two accesses atomic" in rules["races"]["help"]["text"]
    assert all(
        rule["shortDescription"]["text"] and rule["fullDescription"]["text"] for rule in rules.values()
    )
    assert all(rule["properties"]["tags"] for rule in rules.values())


def test_a_race_is_told_in_the_flows_of_both_threads(folder: Path) -> None:
    result = result_of(log_of(folder, texts={"race.c": RACE}))
    (flow,) = result["codeFlows"]
    places = {
        thread["id"]: [line_of(step["location"]) for step in thread["locations"]]
        for thread in flow["threadFlows"]
    }
    assert places["worker"] == [4]
    assert 10 in places["main"]
    both = {line_of(result["locations"][0]), *map(line_of, result["relatedLocations"])}
    assert both == {4, 10}
