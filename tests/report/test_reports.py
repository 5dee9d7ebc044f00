"""What people read: ``--report FILE.html`` and ``FILE.md``."""

from __future__ import annotations

import dataclasses
import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.documents.books import markdown_cell, notebook, written
from tests.support.browser import Page, browser, opened
from torchfix_codemods.cli.commands import main
from torchfix_codemods.finding import Reason
from torchfix_codemods.report.run import WHY

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "fixtures" / "programs"

HOSTILE = """\
import torch
import torch.nn as nn
import torch.nn.functional as F

# </td></table><script>document.title = "owned"</script> & ```
loss = nn.MSELoss(size_average=False)  # <img src=x onerror="document.title='owned'">
text = "\u202e reversed"; other = nn.L1Loss(size_average=False)


def f(x):
    return F.softmax(x)
"""

BOOK = written(
    notebook(
        "import torch\nimport torch.nn as nn",
        markdown_cell("# Losses"),
        "%time\nloss = nn.MSELoss(size_average=False)\n",
        "import torch.nn.functional as F\nx = 1",
        'print("<b>", nn.Softmax(), F.softmax(loss(q)))\nother = nn.L1Loss(size_average=False)',
    )
)

NAME = "<b onclick=x>&'\".py"


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / NAME).write_text(HOSTILE, "utf-8")
    (folder / "broken.py").write_text("import torch\nx = (<script>\n")
    (folder / "clean.py").write_text("import torch\n")
    (folder / "mnist.py").write_text((PROGRAMS / "mnist_cnn.py").read_text("utf-8"))
    return folder


class Parsed(HTMLParser):
    """The elements of a page, their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "col", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def page(project: Path) -> str:
    result = run("migrate", ".", "--diff", "--report", "report.html")
    assert result.exit_code == 2
    return (project / "report.html").read_text("utf-8")


def test_the_page_counts_what_the_run_found(page: str, project: Path) -> None:
    data = json.loads(run("migrate", ".", "--check", "--output-format", "json").stdout)
    tiles = dict(re.findall(r"<dt>([^<]+)</dt><dd>([\d,]+)</dd>", re.sub("</?a[^>]*>", "", page)))
    assert tiles == {
        "files read": "4",
        "files to rewrite": "2",
        "rewrites": str(sum(data["summary"]["rewrites"].values())),
        "left for a person": str(sum(data["summary"]["left"].values())),
        "not processed": "1",
    }
    findings = [(path["path"], f) for path in data["files"] for f in path["findings"]]
    places = Counter(
        pair
        for tag, attributes in Parsed(page).elements
        if "data-rules" in attributes and tag in ("article", "li")
        for pair in (attributes["data-rules"] or "").split()
    )
    tags = ([f["code"], f["numerics"], f["reason"]] for _, f in findings)
    assert set(places) == {"/".join(filter(None, parts)) for parts in tags}
    reasons = data["summary"]["reasons"]
    assert sum(reasons.values()) == sum(data["summary"]["rewrites"].values())
    shown = Parsed(page).text
    for reason, count in reasons.items():
        assert re.search(rf"{reason}\s*{re.escape(WHY[Reason(reason)])}\s*{count}\b", shown)


def test_the_page_holds_every_changed_line_and_reason(page: str, project: Path) -> None:
    diff = run("migrate", ".", "--diff").stdout.splitlines()
    text = Parsed(page).text
    for line in diff:
        if line[:1] in "+-" and not line.startswith(("+++", "---")) and "\u202e" not in line:
            assert line[1:] in text, line
    data = json.loads(run("migrate", ".", "--check", "--output-format", "json").stdout)
    for file in data["files"]:
        for finding in file["findings"]:
            assert finding["message"] in text
        for error in file.get("errors", ()):
            assert error["message"] in text


def test_a_notebook_is_shown_by_cells(project: Path) -> None:
    (project / "book.ipynb").write_text(BOOK, "utf-8")
    (project / "cut.ipynb").write_text(BOOK.replace("x = 1", "x = ("), "utf-8")
    run("migrate", ".", "--diff", "--report", "report.html")
    page = (project / "report.html").read_text("utf-8")
    text = Parsed(page).text
    for line in run("migrate", "book.ipynb", "--diff").stdout.splitlines():
        assert line[:1] not in "+-" or line[1:] in text or line.startswith(("+++", "---"))
    assert re.findall("<h4>(.*?)</h4>", page) == ["cell 3", "cell 5"] * 2
    assert '"cell_type"' not in text and "\\n" not in text and '"print(' not in text
    cells = page.partition("<h4>cell 3</h4>")[2].partition("</details>")[0]
    assert re.findall(">lines? ([0-9, ]+)<", cells) == ["2", "1", "2"]
    assert "book.ipynb:cell 5:1:14" in text
    assert "cut.ipynb:cell 4:2" in text
    run("migrate", ".", "--diff", "--report", "report.md")
    comment = (project / "report.md").read_text("utf-8")
    assert "- cell 3:2, cell 5:2: TP301 size-average" in comment
    assert re.search(r"\| TP302 implicit-dim \| .+`book.ipynb:cell 5:1`", comment)
    assert "| `cut.ipynb:cell 4:2` |" in comment


def test_what_comes_from_the_files_is_escaped(page: str) -> None:
    parsed = Parsed(page)
    assert not {"img", "b", "iframe", "link"} & {tag for tag, _ in parsed.elements}
    assert sum(tag == "script" for tag, _ in parsed.elements) == 1
    assert NAME in parsed.text
    assert "\u202e" not in page and "[U+202E]" in parsed.text
    assert not any(name.startswith("on") for _, given in parsed.elements for name in given)


def test_the_page_needs_nothing_else(page: str) -> None:
    shown = html.unescape(
        re.sub(r"<td.*?</td>|<li.*?</li>|<article.*?</article>", "", page, flags=re.S)
    )
    shown = shown.replace('href="#', "")
    assert not re.search(r"(src|href)=|url\(|@import|https?:", shown)
    assert "default-src 'none'" in page


def test_the_same_run_gives_the_same_page(page: str, project: Path) -> None:
    run("migrate", ".", "--diff", "--report", "again.html", "--jobs", "2")
    assert (project / "again.html").read_text("utf-8") == page


def test_a_page_about_files_that_were_rewritten(project: Path) -> None:
    run("migrate", ".", "--report", "report.html")
    page = (project / "report.html").read_text("utf-8")
    assert "files rewritten" in page and "The files were rewritten." in page
    assert "reduction" in page
    assert "size_average" not in (project / NAME).read_text("utf-8")


def test_a_page_about_nothing(project: Path) -> None:
    result = run("check", "clean.py", "--report", "report.html")
    assert result.exit_code == 0
    Parsed((project / "report.html").read_text("utf-8"))
    assert "Nothing was found." in (project / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("report", "said"), [("report.txt", "has to end in"), ("no/report.html", "there is no folder")]
)
def test_a_report_that_cannot_be_written_stops_the_run(
    project: Path, report: str, said: str
) -> None:
    result = run("migrate", ".", "--report", report)
    assert result.exit_code == 2
    assert said in result.output
    assert (project / NAME).read_text("utf-8") == HOSTILE


# Markdown


def test_markdown(project: Path) -> None:
    run("migrate", ".", "--diff", "--report", "report.md")
    text = (project / "report.md").read_text("utf-8")
    assert text == run("migrate", ".", "--diff", "--output-format", "markdown").stdout
    assert "2 to rewrite" in text
    assert "| TP301 size-average | 3 | 0 | 2 |" in text
    assert "broken.py:2" in text
    assert "&lt;b onclick=x>" in text
    outside, inside = [], []
    fence = None
    for line in text.splitlines():
        opened_by = re.match(r"(`{3,})diff$", line)
        if fence is None and opened_by:
            fence = opened_by[1]
        elif fence is not None and line == fence:
            fence = None
        else:
            (outside if fence is None else inside).append(line)
    assert fence is None
    assert any("onerror" in line for line in inside)
    assert not any("<script>" in line for line in outside if "`" not in line)


def test_a_comment_does_not_grow_too_long(project: Path) -> None:
    old = "".join(f"x{n} = nn.MSELoss(size_average=False)\n" for n in range(200))
    for number in range(20):
        (project / f"long{number}.py").write_text(f"import torch.nn as nn\n{old}")
    text = run("migrate", ".", "--diff", "--output-format", "markdown").stdout
    assert len(text) < 65_536
    assert "has no room here" in text
    assert "`long19.py`" in text


def test_a_comment_has_room_where_much_is_left_and_much_cannot_be_read(project: Path) -> None:
    for number in range(20):
        losses = [f"loss{number}_{n}" for n in range(40)]
        left = "".join(f"    print({loss}.data.cpu()[0])\n" for loss in losses)
        head = f"import torch\n\ndef f({', '.join(losses)}):\n"
        (project / f"left{number}.py").write_text(head + left)
        for copy in range(20):
            (project / f"python2_{number}_{copy}.py").write_text("import torch\nx = = 1\n")
    result = run("migrate", ".", "--check", "--output-format", "markdown")
    assert len(result.stdout) < 65_536
    left_for_a_person, _, unread = result.stdout.partition("### Not processed")
    more = re.search(r"\| \| (\d+) more: `torchfix check` lists them \| \|", left_for_a_person)
    assert re.search(r"\| \| \d+ more: `torchfix check` lists them \|", unread)
    shown = len(re.findall(r"\| TP(?:103|302) [a-z-]+ \| ", left_for_a_person))
    # Three are said of the files that are there besides.
    assert more is not None and shown + int(more[1]) == 803


def many_places(project: Path) -> None:
    for name, count, sizes, others in (
        ("few", 11, "2, 3", "2, 3, 4"),
        ("many", 12, "2", "2, 3, 4, 5"),
    ):
        calls = "".join(f"    y = F.softmax({name})\n" for _ in range(count))
        (project / f"{name}.py").write_text(
            f"import torch, torch.nn.functional as F\ndef f(k):\n    {name} = torch.zeros({sizes})\n"
            f"    if k: {name} = torch.zeros({others})\n{calls}"
        )


def test_what_is_said_of_many_places_is_said_once(project: Path) -> None:
    many_places(project)
    run("migrate", ".", "--diff", "--report", "report.html")
    page = (project / "report.html").read_text("utf-8")
    text = run("migrate", ".", "--diff", "--output-format", "markdown").stdout
    for name in ("few", "many"):
        said = f"torch takes dim=1 if {name} has"
        assert page.count(said) == text.count(said) == 1
    assert "`few.py:15` |" in text and "more places" not in page.partition("few.py:15:9")[0][-500:]
    assert "`many.py:14`<br>and 2 more |" in text
    folded = page.partition("<summary>2 more places</summary>")[2].partition("</details>")[0]
    assert re.findall(r"many\.py:(\d+)", folded) == ["15", "16"]


def test_what_differs_in_what_it_does_to_the_numbers_is_not_one_cause() -> None:
    from torchfix_codemods.finding import FileResult, Finding, Numerics
    from torchfix_codemods.report.causes import grouped

    same = [
        Finding(line, 1, "TP999", "name", "message", claim, fixed=True)
        for line, claim in enumerate((Numerics.IDENTICAL, Numerics.CHANGED, Numerics.IDENTICAL), 1)
    ]
    result = FileResult("a.py", findings=tuple(same))
    found = grouped((result, each) for each in same)
    assert [cause.places for cause in found] == [("a.py:1:1", "a.py:3:1"), ("a.py:2:1",)]


# In a browser


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if browser() is None:
        pytest.skip("there is no Chromium or Chrome to look at the page with")
    folder = tmp_path_factory.mktemp("shown")
    (folder / NAME).write_text(HOSTILE, "utf-8")
    (folder / "broken.py").write_text("import torch\nx = (<script>\n")
    for program in PROGRAMS.glob("*.py"):
        (folder / program.name).write_text(program.read_text("utf-8"))
    (folder / "long.py").write_text(
        "import torch\n\nwarm = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts\n"
        "scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 3, verbose=True)\n"
    )
    many_places(folder)
    book = BOOK.replace("nn.Softmax(), F.softmax", "F.relu")
    book = book.replace("nn.L1Loss(size_average=False)", "F.tanh(q)")
    (folder / "book.ipynb").write_text(book, "utf-8")
    report = folder / "report.html"
    assert run("migrate", str(folder), "--diff", "--report", str(report)).exit_code == 2
    with opened(report, tmp_path_factory.mktemp("profile")) as page:
        yield page


def visible(page: Page, selector: str) -> int:
    count = page.value(
        f"[...document.querySelectorAll({json.dumps(selector)})]"
        ".filter(e => e.checkVisibility({visibilityProperty: true})).length"
    )
    assert isinstance(count, int)
    return count


def choose(page: Page, kind: str, value: str) -> None:
    page.value(f"document.querySelector('input[data-filter={kind}][value={value}]').click()")


def reset(page: Page) -> None:
    page.value("document.getElementById('reset').click()")


def test_a_browser_shows_the_page_without_a_complaint(shown: Page) -> None:
    shown.look()
    assert shown.value("document.title") == "torchfix report"
    assert visible(shown, "article") > 50
    assert visible(shown, ".filters") == 1
    assert shown.messages == []
    assert all(url.startswith(("file:", "about:")) for url in shown.requests)
    assert len(set(shown.requests)) == 1


def test_filters_by_rule_and_claim(shown: Page) -> None:
    reset(shown)
    everything = visible(shown, "[data-rules]")
    choose(shown, "rule", "TP301")
    only = visible(shown, "[data-rules]")
    assert 0 < only < everything
    assert visible(shown, "[data-rules*=TP301]") == only
    choose(shown, "rule", "TP302")
    assert visible(shown, "[data-rules]") > only
    choose(shown, "claim", "advice")
    assert visible(shown, "[data-rules]") == visible(shown, "[data-rules='TP302/advice']") > 0
    assert visible(shown, "#changes") == 0
    assert shown.value("document.getElementById('shown').textContent").startswith("27 of ")
    reset(shown)
    assert visible(shown, "[data-rules]") == everything
    assert shown.value("document.querySelectorAll('input:checked').length") == 0


def test_filters_by_path(shown: Page) -> None:
    reset(shown)
    shown.value(
        "(() => { const path = document.getElementById('path'); path.value = 'MNIST';"
        " path.dispatchEvent(new Event('input')); })()"
    )
    assert visible(shown, "details.file") == 1
    assert visible(shown, "article") == visible(shown, "article[data-path*=mnist]") > 0
    reset(shown)


def test_places_that_are_folded_away_are_found(shown: Page) -> None:
    reset(shown)
    assert visible(shown, "[data-path$='many.py']") == 10
    choose(shown, "claim", "advice")
    assert visible(shown, "[data-path$='many.py']") == 12
    choose(shown, "rule", "TP301")
    assert visible(shown, ".causes > li") == 0
    reset(shown)
    assert visible(shown, "[data-path$='many.py']") == 10


def test_filters_leave_out_cells_of_notebooks(shown: Page) -> None:
    reset(shown)
    assert visible(shown, "h4") == 2
    choose(shown, "rule", "TP301")
    assert visible(shown, "h4") == 1
    reset(shown)
    choose(shown, "rule", "TP302")
    assert visible(shown, "h4") == 0
    reset(shown)


def test_files_can_be_folded(shown: Page) -> None:
    reset(shown)
    shown.value("document.getElementById('fold').click()")
    assert visible(shown, "article") == 0
    shown.value("document.getElementById('fold').click()")
    assert visible(shown, "article") > 50


def test_light_dark_and_paper(shown: Page) -> None:
    reset(shown)
    ground = "getComputedStyle(document.body).backgroundColor"
    shown.look("light")
    light = shown.value(ground)
    shown.look("dark")
    assert shown.value(ground) != light
    shown.look("dark", media="print")
    assert shown.value(ground) == light
    assert visible(shown, ".filters") == 0
    shown.look()


def test_every_text_can_be_read(shown: Page) -> None:
    """Contrast of at least 4.5 to 1, as WCAG AA asks, in both schemes."""
    script = """(() => {
      const channels = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
      const light = c => c.slice(0, 3).map(v => v / 255)
        .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
      const ground = e => { for (; e; e = e.parentElement) {
        const c = channels(getComputedStyle(e).backgroundColor);
        if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
      const bad = new Set();
      for (const e of document.querySelectorAll('body *')) {
        if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
        if (!e.checkVisibility()) continue;
        const [a, b] = [light(channels(getComputedStyle(e).color)), light(ground(e))];
        const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
        if (ratio < 4.5) bad.add(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2));
      }
      return [...bad];
    })()"""
    reset(shown)
    for scheme in ("light", "dark"):
        shown.look(scheme)
        assert shown.value(script) == [], scheme
    shown.look()


def test_controls_have_names_and_take_the_keyboard(shown: Page) -> None:
    reset(shown)
    shown.send("Accessibility.enable")
    nodes = shown.send("Accessibility.getFullAXTree")["nodes"]
    roles = ("checkbox", "button", "searchbox")
    controls = [n for n in nodes if n.get("role", {}).get("value") in roles and not n["ignored"]]
    assert len(controls) > 20
    assert all(control["name"]["value"].strip() for control in controls)
    shown.value("document.querySelector('input[data-filter]').focus()")
    for kind in ("keyDown", "keyUp"):
        key = {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "}
        shown.send("Input.dispatchKeyEvent", type=kind, **key)
    assert shown.value("document.querySelectorAll('input:checked').length") == 1
    reset(shown)


def test_a_narrow_window_does_not_scroll_sideways(shown: Page) -> None:
    shown.send(
        "Emulation.setDeviceMetricsOverride",
        width=390,
        height=800,
        deviceScaleFactor=1,
        mobile=False,
    )
    assert shown.value("document.documentElement.scrollWidth") <= 390
    shown.send("Emulation.clearDeviceMetricsOverride")


# With verdicts


def test_verdicts_stand_at_their_rewrites(project: Path) -> None:
    from torchfix_codemods.cli.report import document
    from torchfix_codemods.report.run import RunReport, hunks
    from torchfix_codemods.runs.runner import migrate_file
    from torchfix_codemods.settings.config import Settings
    from torchfix_codemods.verify.verdicts import Judgement, Outcome, Verdict, Verification

    result = migrate_file(project / "mnist.py", Settings(), write=False)
    parts = [part for part in hunks(result) if part.findings]
    judgements = [
        Judgement(
            dataclasses.replace(part, path="mnist.py"),
            part.findings[0],
            verdict,
            {"cpu": Outcome(verdict, "<b>why</b>")},
        )
        for part, verdict in zip(parts, (Verdict.EQUIVALENT, Verdict.DIFFERENT), strict=False)
    ]
    verification = Verification("python <x>.py", judgements, ["a <note>"])
    report = RunReport([result], False, verification, project)
    page = document("html", report, True)
    assert '<span class="pill good">equivalent</span>' in page
    assert '<span class="pill bad">different</span>' in page
    assert "&lt;b&gt;why&lt;/b&gt;" in page and "python &lt;x&gt;.py" in page
    Parsed(page)
    text = document("markdown", report, True)
    assert "identical, equivalent)" in text and "identical, different)" in text
    assert "torchfix verify" in text
    many = [judgements[0]] * 3_000 + [judgements[1]]
    crowded = RunReport([result], False, Verification("python x.py", many), project)
    long = document("markdown", crowded, True)
    assert len(long) < 65_536
    assert "| different |" in long and "| 2901 more |" in long
    data = json.loads(document("json", report, True))
    assert [r["verdict"] for r in data["verification"]["rewrites"]] == ["equivalent", "different"]
    assert "verification" not in json.loads(document("json", RunReport([result]), True))
