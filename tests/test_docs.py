"""The documentation says what the code does."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.support.browser import browser, opened
from tests.support.scripts import script
from torchfix_codemods.catalogue import rows_in, subjects
from torchfix_codemods.cli import run as cli_run
from torchfix_codemods.cli.commands import main
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.remarks import REMARKS
from torchfix_codemods.report.manual.catalogue import catalogue_table, row_cells
from torchfix_codemods.report.manual.markdown import example_lines, rule_pages
from torchfix_codemods.report.manual.seeds import ARTICLES, seed_table
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules

ROOT = Path(__file__).parents[1]
build, pictures = script("docs/build.py"), script("docs/pictures.py")
README = (ROOT / "README.md").read_text("utf-8")


def stem(rule: Rule) -> str:
    return rule.name.replace("-", "_")


SECTIONS = (
    "What it does",
    "Why",
    "Example",
    "Numbers",
    "When it stays its hand",
    "References",
)


@pytest.mark.parametrize("rule", [pytest.param(r, id=r.name) for r in all_rules()])
def test_a_rule_is_complete(rule: Rule) -> None:
    headings = re.findall(r"^## (.+)$", rule.documentation(), re.MULTILINE)
    assert tuple(headings) == SECTIONS
    assert re.fullmatch(r"TP[1-9]\d\d", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert type(rule).__module__.endswith("." + stem(rule))
    assert isinstance(rule.numerics, Numerics)
    assert rule.words
    assert rule.message
    assert rule.summary().endswith(".")
    assert "https://" in rule.documentation()
    paths = [f"tests/rules/test_{stem(rule)}.py", f"fixtures/rules/{stem(rule)}.py"]
    # What follows the rows of the catalogue is proved by the catalogue's fixtures.
    for path in paths[:1] if ".renames." in type(rule).__module__ else paths:
        assert (ROOT / path).is_file(), f"{rule.code} needs {path}"


def test_the_table_of_the_catalogue_is_current() -> None:
    table = (ROOT / "docs" / "catalogue.md").read_text("utf-8")
    assert table == catalogue_table(), "see `torchfix rules --rows`"


def test_codes_and_names_are_unique() -> None:
    rules = all_rules()
    assert len({rule.code for rule in rules}) == len({rule.name for rule in rules}) == len(rules)


def test_the_pages_of_the_rules_are_current() -> None:
    pages = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert pages == rule_pages(all_rules()), "see `torchfix rules --output-format docs`"


def test_the_table_of_the_rules_leads_to_their_pages() -> None:
    pages = (ROOT / "docs" / "rules.md").read_text("utf-8")
    headings = re.findall(r"^## (TP\d+ .+)$", pages, re.MULTILINE)
    places = re.findall(r"^\| \[(TP.+?)\]\(#(.+?)\) \|", pages, re.MULTILINE)
    # As GitHub names the places of headings.
    assert places == [(name, name.lower().replace(" ", "-")) for name in headings]
    assert len(places) == len(all_rules())


@pytest.mark.parametrize("rule", [pytest.param(r, id=r.name) for r in all_rules()])
def test_the_table_shows_what_a_rule_does(rule: Rule) -> None:
    before, after = example_lines(rule)
    assert before or after
    assert before != after


def test_every_documented_pitfall_has_a_rule_with_a_fixture_and_a_test() -> None:
    rows = [line for line in seed_table(all_rules()).splitlines() if line.startswith("| ")][1:]
    assert {row.split("|")[1].strip() for row in rows} == set(ARTICLES)
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert len(cells) == 6
        assert all(cells), row
        assert all((ROOT / path).is_file() for path in cells[4:]), row


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len(README.split()) < 1000


def test_links_of_the_readme_lead_to_files() -> None:
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", README) if "://" not in link]
    assert links and all((ROOT / link).is_file() for link in links)


def test_the_changelog_counts_the_rules() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"- {len(all_rules())} rules:" in changelog


@pytest.mark.parametrize("command", ["migrate", "check"])
def test_the_pages_of_options_and_of_verify_name_every_option(command: str) -> None:
    help_text = CliRunner().invoke(main, [command, "--help"]).output
    options = set(re.findall(r"--[a-z-]+", help_text)) - {"--help", "--stdin-filename", "--verbose"}
    pages = [ROOT / "docs" / name for name in ("command.md", "verify.md")]
    said = "".join(page.read_text("utf-8") for page in pages)
    missing = {option for option in options if option not in said}
    assert not missing


def test_the_page_of_settings_names_what_is_said_under_no_rules_code() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert all(f"| `{each.code}` | `{each.name}` |" in settings for each in REMARKS)


def test_the_page_of_reports_says_from_where_on_there_is_progress() -> None:
    reports = (ROOT / "docs" / "reports.md").read_text("utf-8")
    assert f"Runs over {cli_run._PROGRESS_FROM} files and more show" in reports


def test_links_between_the_pages_lead_to_pages_of_the_site() -> None:
    folder = ROOT / "docs"
    links = [
        (page.name, target)
        for page in sorted(folder.glob("*.md"))
        if page.name != "rules.md"
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
        if "://" not in target
    ]
    # The pages below rules/ are made when the site is built.
    lost = [
        (page, target)
        for page, target in links
        if not target.startswith("rules/") and (".." in target or not (folder / target).is_file())
    ]
    assert links and not lost


def test_the_picture_of_a_terminal_shows_what_the_command_prints(tmp_path: Path) -> None:
    drawn = (ROOT / "docs" / "pictures" / "terminal.svg").read_text("utf-8")
    rows = re.findall(r'<text class="terminal-r\d+"[^>]* y="([\d.]+)"[^>]*>(.*?)</text>', drawn)
    lines: dict[str, str] = {}
    for height, part in rows:
        lines[height] = lines.get(height, "") + html.unescape(part).replace("\xa0", " ")
    project = tmp_path / "digits"
    shutil.copytree(ROOT / "fixtures" / "tutorial", project)
    said = pictures.printed(project, "never")
    shown = " ".join(" ".join(lines.values()).split())
    assert said.count("\n") > 20
    assert shown == " ".join(f"$ {pictures.COMMAND} {said}".split())


def test_the_repository_has_one_address() -> None:
    address = "https://github.com/torchfix-codemods/torchfix-codemods"
    for name, count in (
        ("README.md", 1),
        ("mkdocs.yml", 1),
        ("pyproject.toml", 4),
        ("docs/ci.md", 1),
        ("docs/tutorial.md", 1),
        ("docs/compared.md", 1),
    ):
        text = (ROOT / name).read_text("utf-8")
        assert text.count(address) == count, name
        assert len(re.findall(r"github\.com/[\w-]+/torchfix-codemods", text)) == count, name


# The site


def test_each_rule_has_a_page_and_stands_in_the_index(tmp_path: Path) -> None:
    config = yaml.safe_load(build.write_site(tmp_path / "site").read_text("utf-8"))
    pages = tmp_path / "site" / "docs"
    index = (pages / "rules" / "index.md").read_text("utf-8")
    for rule in all_rules():
        assert index.count(f"[{rule.code} **{rule.name}**]({rule.code}.md)") == 1
        page = (pages / "rules" / f"{rule.code}.md").read_text("utf-8")
        source = re.search(r"edit_url: (\S+)/edit/main/(\S+)\n", page)
        assert source is not None and source[1] == config["repo_url"]
        assert f'code = "{rule.code}"' in (ROOT / source[2]).read_text("utf-8")
    named = re.findall(r"[\w/-]+\.md", str(config["nav"]))
    assert len(named) == len(set(named))
    assert set(named) == {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")}


def test_the_index_says_what_a_rule_does_and_why() -> None:
    index = build.index(all_rules())
    for mark in (*Numerics, *Reason):
        assert f'<span class="mark {mark.value}">{mark.value}</span>' in index
    card = index.partition("[TP103 ")[2].partition("</div>")[0]
    assert "- running_loss += loss.data[0]\n+ running_loss += loss.item()\n" in card
    card = index.partition("[TP102 ")[2].partition("</div>")[0]
    assert "- data, target = Variable(data, volatile=True)" in card
    assert "\n+ with torch.no_grad():\n" in card
    card = index.partition("[TP202 ")[2].partition("</div>")[0]
    assert "```{ .diff .no-copy }\n- if use_cuda:\n```" in card


def test_each_subject_stands_in_the_index_once() -> None:
    subjects = re.findall(r"^## (.+)$", build.index(all_rules()), re.MULTILINE)
    assert subjects == list(build.SUBJECTS.values())


def test_the_catalogue_of_the_site_has_each_form_once() -> None:
    page = build.catalogue((ROOT / "docs" / "catalogue.md").read_text("utf-8"))
    cells = [
        cells for subject in subjects() for row in rows_in(subject) for cells in row_cells(row)
    ]
    assert page.count('<div class="card"') == len(cells) > 600
    assert page.startswith("# The catalogue\n") and "| old |" not in page
    card = page.partition("`torch.ger`{ .old }")[2].partition("</div>")[0]
    assert "→ `torch.outer`" in card and "](rules/TP901.md)" in card


def test_cards_are_found_by_words_and_by_what_they_are(tmp_path: Path) -> None:
    if browser() is None:
        pytest.skip("there is no Chromium or Chrome to look at the page with")
    card = '<div class="card" data-family="{}" data-numerics="{}" data-why="{}">{}</div>'
    page = tmp_path / "page.html"
    page.write_text(
        '<div class="md-content"><div id="filters" data-noun="rules"></div><h2>A</h2>'
        + card.format("A & a", "identical", "warns modern", "TP101 Variable")
        + card.format("A & a", "advice", "", "TP404 squeeze")
        + "<h2>B</h2>"
        + card.format("B", "identical", "fails", "TP103 data of a Variable")
        + f"</div><script>{(ROOT / 'docs/assets/cards.js').read_text('utf-8')}</script>",
        "utf-8",
    )
    shown = (
        "[...document.querySelectorAll('.card, h2')].filter(e => !e.hidden)"
        ".map(e => e.textContent.slice(0, 5)).join(' ')"
    )
    with opened(page, tmp_path / "profile") as seen:

        def given(**fields: str) -> str:
            names = ("search", "family", "numerics", "why")
            values = [fields.get(name, "" if name == "search" else "all") for name in names]
            seen.value(
                f"[...document.forms[0].elements].forEach((e, i) => e.value = {values}[i]);"
                "document.forms[0].dispatchEvent(new Event('input'))"
            )
            return str(seen.value(shown))

        assert given() == "A TP101 TP404 B TP103"
        assert seen.value("document.querySelector('output').textContent") == "3 of 3 rules"
        assert given(search="variable") == "A TP101 B TP103"
        assert given(search="variable data") == "B TP103"
        assert given(family="A & a") == "A TP101 TP404"
        assert given(numerics="identical", why="modern") == "A TP101"
        assert given(numerics="advice", why="fails") == ""
        assert seen.value("document.querySelector('output').textContent") == "0 of 3 rules"
        assert seen.messages == []
