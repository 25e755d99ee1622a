"""The recipes of docs/contributing.md: a toy of each kind is added where its recipe says, and works."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import make_dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, get_args
from xml.etree import ElementTree

import pytest
from support import (
    BASE,
    Run,
    Site,
    build,
    lastmods,
    paths,
    write_site,
)
from support.heads import NOINDEX
from support.sitemaps import LOC, urlset

from sitemapper import Reason
from sitemapper.cli import app, render
from sitemapper.cli.console import emit
from sitemapper.cli.findings import Findings
from sitemapper.cli.options import LISTED, MAIN, FindingsFormat, SiteOptions, flag
from sitemapper.cli.parameters import SITE, command
from sitemapper.cli.request import load_setup
from sitemapper.cli.run import ObservedRun
from sitemapper.cli.text import plural
from sitemapper.commands.build import build as dry_build
from sitemapper.config import choices, filenames, messages
from sitemapper.config.settings import Settings
from sitemapper.hosts import choose
from sitemapper.lastmod.sources import SOURCES
from sitemapper.linter.model import Rule
from sitemapper.linter.rules import documents, entries, live, locs
from sitemapper.model import Listed
from sitemapper.publish import formats
from sitemapper.publish.formats import Extension
from sitemapper.select import signals

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


# --- a signal that leaves pages out


SIGNAL_FILE = '''
"""A meta asks tools for sitemaps to leave the page out."""

from ...model import Reason
from .signal import Signal


def read(tags):
    for meta in tags.metas:
        if (meta.get("name") or "").lower() == "sitemap":
            return meta.get("content")
    return None


def check(page, policy):
    text = page.text_of("sitemap_meta")
    if text != "exclude":
        return None
    return page.exclude(Reason.SITEMAP_META, f'<meta name="sitemap" content="{text}">')


SIGNAL = Signal("sitemap_meta", check, words=(b"sitemap",), read=read)
'''
SITEMAP_META = '<meta name="sitemap" content="exclude">'
MARKED_PAGES = {
    "quick.html": f"<html><head><title>a</title>{SITEMAP_META}</head><body><p>text</body></html>",
    "parsed.html": f"<html><head><title>a<b></title>{SITEMAP_META}</head><body><p>text</body></html>",
    "encoded.html": f"<head>{SITEMAP_META.replace('site', 's&#105;te')}</head><body><p>text</body>",
    "body.html": f"<html><head><title>a</title></head><body><p>text{SITEMAP_META}</body></html>",
}


def replace_once(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, file
    file.write_text(text.replace(old, new))


def copy_package(folder: Path) -> Path:
    """A copy of the package in a folder, for a recipe to change."""
    return Path(shutil.copytree(ROOT / "sitemapper", folder / "sitemapper"))


def run_in(folder: Path, *words: object, status: int = 0) -> str:
    """What the package in a folder prints."""
    command = [sys.executable, "-m", "sitemapper", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == status, result.stderr
    return result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_signal_is_a_file_a_line_and_a_reason(site: Site, tmp_path: Path, jobs: int) -> None:
    root = site({**MARKED_PAGES, "plain.html": "<title>b</title>"})
    build = ("build", root, "--base-url", BASE, "--jobs", jobs)
    assert "5 pages listed" in run_in(ROOT, *build)
    changed = tmp_path / "changed"
    package = copy_package(changed)
    # A file, its line in `ALL` (and its import), a member of `Reason`.
    folder = package / "select/signals"
    (folder / "sitemap_meta.py").write_text(SIGNAL_FILE)
    replace_once(folder / "__init__.py", "    rule,\n", "    rule,\n    sitemap_meta,\n")
    replace_once(
        folder / "__init__.py",
        "    canonical.SIGNAL,\n",
        "    sitemap_meta.SIGNAL,\n    canonical.SIGNAL,\n",
    )
    replace_once(
        package / "model.py",
        '    CANONICAL = "canonical elsewhere"\n',
        '    SITEMAP_META = "sitemap meta"\n    CANONICAL = "canonical elsewhere"\n',
    )
    summary = run_in(changed, *build, "--max-drop", 100)
    assert "1 page listed" in summary
    assert "4 excluded (4 sitemap meta)" in summary
    assert paths(root) == ["plain.html"]
    explained = run_in(changed, "explain", "quick.html", "--site", root, "--base-url", BASE)
    assert f"quick.html: {SITEMAP_META}" in explained


def test_each_signal_has_its_own_name_and_words_in_lower_case() -> None:
    names = [signal.name for signal in signals.ALL]
    assert len(set(names)) == len(names)
    for signal in signals.ALL:
        assert (ROOT / f"sitemapper/select/signals/{signal.name}.py").is_file()
        assert bool(signal.words) is (signal.read is not None)
        assert all(word == word.lower() for word in signal.words)


def test_every_reason_has_a_colour_in_the_report() -> None:
    assert len(Reason) == len(Reason.__members__)  # two members of one value would be one
    style = (ROOT / "sitemapper/cli/report/style.css").read_text()
    colours = re.findall(r"--k(\d+): (#\w+)", style)
    assert [int(number) for number, _ in colours] == list(range(len(Reason) + 1))  # 0: listed
    assert len({colour for _, colour in colours}) == len(colours)


# --- a host


TOY_HOST = '''
"""Toy: each line of ROUTER moves a path."""

from collections.abc import Mapping

from ..model import Origin, Reason
from ..syntax.urls import STYLES
from .host import HostRules, Reader, make_rules
from .rule import read_rule, wildcards


def _read(texts: Mapping[str, str], _netloc: str, _now: int) -> HostRules:
    rules = []
    for number, line in enumerate(texts.get("ROUTER", "").splitlines(), 1):
        source, _, target = line.partition(" to ")
        origin = Origin("ROUTER", number, line)
        rules.append(read_rule(wildcards, source, Reason.REDIRECT, origin, target))
    return make_rules(STYLES["directory"], rules)


READER = Reader(read=_read)
'''


@pytest.mark.slow
def test_a_host_is_a_file_and_three_lines(site: Site, tmp_path: Path) -> None:
    pages = ["a.html", "c.html", "d.html", "docs/b.html"]
    root = site({**dict.fromkeys(pages, "<p>"), "ROUTER": "/a.html to /new\n/docs/* to /new\n"})
    changed = tmp_path / "changed"
    package = copy_package(changed)
    # A file, its two places in choose.py, and its name in `HostName`.
    (package / "hosts/toy.py").write_text(TOY_HOST)
    file = package / "hosts/choose.py"
    replace_once(
        file,
        '    Provider("firebase", ',
        '    Provider("toy", markers=("toy.toml",), files=("ROUTER",)),\n    Provider("firebase", ',
    )
    replace_once(file, "        vercel,\n", "        vercel,\n        toy,\n")
    replace_once(
        file,
        '        "vercel": vercel.READER,\n',
        '        "vercel": vercel.READER,\n        "toy": toy.READER,\n',
    )
    replace_once(package / "config/choices.py", '    "none",\n', '    "none",\n    "toy",\n')
    build = ("build", root, "--base-url", BASE, "--max-drop", 100)
    run_in(changed, *build)
    assert paths(root) == pages  # a site that the host does not serve
    config = tmp_path / "sitemapper.toml"
    config.write_text('host = "toy"\n')
    run_in(changed, *build, "--config", config)
    assert paths(root) == ["c.html", "d.html"]
    run_in(changed, *build)
    assert paths(root) == pages
    (root.parent / "toy.toml").write_text("")
    run_in(changed, *build)
    assert paths(root) == ["c.html", "d.html"]
    explained = run_in(changed, "explain", "docs/b.html", "--site", root, "--base-url", BASE)
    assert "ROUTER:2: /docs/* to /new" in explained


def test_every_host_can_be_configured_and_is_documented() -> None:
    names = [host.name for host in choose.ALL]
    assert sorted(get_args(choices.HostName)) == sorted(["auto", "none", *names])
    page = (DOCS / "hosts.md").read_text().lower()
    assert [name for name in names if name not in page] == []


# --- a generator


TOY_GENERATOR = """
    Generator(
        "Toy",
        files=("toy.yml: publish",),
        output=("public",),
        address=("publish.address",),
        path=("publish.below",),
        folder=("publish.to",),
        run="toy build",
        clean=CleanSetting("publish.pretty", "true"),
        ignore=("draft-*",),
    ),
"""
TOY_PROJECT = """publish:
  address: https://tea.dev
  below: /tea/
  to: made
  pretty: true
"""


@pytest.mark.slow
def test_a_generator_is_a_row_of_a_table(tmp_path: Path, run: Run) -> None:
    pages = dict.fromkeys(["index.html", "a.html", "draft-b.html"], "<p>")
    write_site(tmp_path, {"toy.yml": TOY_PROJECT})
    assert run("build") == 2
    table = copy_package(tmp_path) / "find/generators.py"
    replace_once(table, "\nALL = (\n", f"\nALL = ({TOY_GENERATOR}")
    with pytest.raises(AssertionError, match=r"made, which Toy \(toy.yml\) writes.*run toy build"):
        run_in(tmp_path, "build")
    write_site(tmp_path / "made", pages)
    assert "base_url https://tea.dev/tea/ (toy.yml:2)" in run_in(tmp_path, "build")
    sitemap = (tmp_path / "made/sitemap.xml").read_text()
    assert re.findall("<loc>(.*)</loc>", sitemap) == [
        "https://tea.dev/tea/",
        "https://tea.dev/tea/a",
    ]


# --- a source of dates


TOY_SOURCE = """
def _date_by_size(page: PageToDate, policy: DatePolicy) -> LastMod | None:
    if page.page.size > 3:
        return None
    return policy.writer.lastmod(1_700_000_000 + page.page.size)


"""


@pytest.mark.slow
def test_a_source_of_dates_is_a_function_a_line_and_a_name(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "<p>", "b.html": "<p>b"})
    changed = tmp_path / "changed"
    package = copy_package(changed)
    # A function, its line in `SOURCES`, and its name in `Source`.
    file = package / "lastmod/sources.py"
    replace_once(file, "\nclass DateSource(", f"{TOY_SOURCE}class DateSource(")
    line = '    DateSource("size", _date_by_size),\n'
    replace_once(file, "\nSOURCES = (\n", f"\nSOURCES = (\n{line}")
    replace_once(package / "config/choices.py", '"ledger", "mtime"]', '"ledger", "mtime", "size"]')
    common = ("--base-url", BASE, "--lastmod", "size", "--lastmod", "mtime")
    run_in(changed, "build", root, *common)
    assert lastmods(root) == ["2023-11-14T22:13:23+00:00", "2026-01-02T04:04:05+00:00"]
    explained = run_in(changed, "explain", "a.html", "--site", root, *common)
    assert "lastmod     2023-11-14T22:13:23+00:00  (size)" in explained


def test_every_source_can_be_configured_and_is_documented() -> None:
    names = [source.name for source in SOURCES]
    assert list(get_args(choices.Source)) == ["auto", *names]
    dates, json = (DOCS / "dates.md").read_text(), (DOCS / "api.md").read_text()
    for name in names:
        assert f"\n| `{name}` |" in dates
        assert f"`{name}`" in json


# --- an output format


TOY_FORMAT = """
def _render_tsv(entries: Sequence[Listed], dates: Sequence[LastMod | None]) -> list[str]:
    rows = []
    for entry, date in zip(entries, dates, strict=True):
        rows.append(f"{entry.loc}\\t{date.text if date else ''}\\n")
    return rows


def _tsv_head(_output: Output) -> bytes:
    return b"# sitemapper\\n"


"""


@pytest.mark.slow
def test_an_output_format_is_a_line_in_a_tuple_and_a_key(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "b.html": ""})
    changed = tmp_path / "changed"
    package = copy_package(changed)
    # Functions, a line in `ALL`, an extension, and a key.
    file = package / "publish/formats.py"
    mark = 'b"# sitemapper\\n"'
    line = (
        f'    Format("tsv", {mark}, "tsv", _tsv_head, b"# end\\n", _render_tsv, indexed=False),\n'
    )
    replace_once(file, "def marked_endings(", f"{TOY_FORMAT.lstrip()}def marked_endings(")
    replace_once(file, "\nALL = (\n", f"\nALL = (\n{line}")
    replace_once(package / "config/filenames.py", '("xml", "txt")', '("xml", "txt", "tsv")')
    field = "    text: bool = setting("
    key = '    tsv: bool = setting(False, "Write a table too.")\n'
    replace_once(package / "config/settings.py", field, key + field)
    config = tmp_path / "sitemapper.toml"
    build = ("build", root, "--base-url", BASE, "--config", config)
    config.write_text("[sitemap]\nmax_urls = 1\ntsv = true\n")
    run_in(changed, *build)
    assert (root / "sitemap-1.tsv").read_text() == (
        f"# sitemapper\n{BASE}a.html\t2026-01-02T03:04:05+00:00\n# end\n"
    )
    assert "kept     sitemap-2.tsv" in run_in(changed, "check", *build[1:])
    config.write_text("[sitemap]\nmax_urls = 1\n")
    run_in(changed, *build)
    assert list(root.glob("*.tsv")) == []


def test_the_names_of_our_files_have_the_extensions_of_the_formats() -> None:
    assert tuple(each.extension for each in formats.ALL) == filenames.EXTENSIONS


# --- an extension


def test_an_extension_is_a_line_in_a_tuple(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def render(entry: Listed) -> str:
        return f"<toy:count>{len(entry.images)}</toy:count>"

    toy = Extension("images", ' xmlns:toy="https://example.com/toy"', render)
    monkeypatch.setattr(formats, "EXTENSIONS", (*formats.EXTENSIONS, toy))
    root = site({"a.html": "<main><img src=a.png><img src=b.png></main>", "b.html": ""})
    build(root, images=True)
    tree = ElementTree.parse(root / "sitemap.xml")
    assert [count.text for count in tree.iter("{https://example.com/toy}count")] == ["2"]
    build(root)
    assert "toy" not in (root / "sitemap.xml").read_text()


def test_every_extension_is_switched_on_by_a_key() -> None:
    assert [
        one.setting for one in formats.EXTENSIONS if one.setting not in Settings.model_fields
    ] == []


# --- a key of the configuration


EARLY_DAYS = """
    early_days: int = setting(
        0, "Leave out pages so many days before their `unavailable_after`.", ge=0
    )
"""


@pytest.mark.slow
def test_a_key_is_a_field_and_the_place_where_it_counts(site: Site, tmp_path: Path) -> None:
    next_week = (datetime.now(UTC) + timedelta(days=7)).date()
    meta = f'<meta name="robots" content="unavailable_after: {next_week}">'
    root = site({"a.html": f"<title>a</title>{meta}<p>a", "b.html": "b"})
    changed = tmp_path / "changed"
    package = copy_package(changed)
    # A field of `Settings`, and the place in the plan where it counts.
    field = '    strict: bool = setting(False, "Exit with 1 if there are warnings.")\n'
    replace_once(package / "config/settings.py", field, field + EARLY_DAYS)
    replace_once(
        package / "find/plan.py",
        "        host=site_urls.host,\n        now=now,\n",
        "        host=site_urls.host,\n        now=now + settings.early_days * 86_400,\n",
    )
    config = tmp_path / "sitemapper.toml"
    build = ("build", root, "--base-url", BASE, "--config", config, "--max-drop", 100)
    for days, listed in ((1, ["a.html", "b.html"]), (30, ["b.html"])):
        config.write_text(f"early_days = {days}\n")
        run_in(changed, *build)
        assert paths(root) == listed
    assert '"early_days"' in run_in(changed, "schema")


# --- a flag


def give_options(patch: pytest.MonkeyPatch, name: str, *more: tuple[str, Any, Any]) -> None:
    """Gives a command of the program more options, as fields in its file would."""
    module = import_module(f"sitemapper.cli.{name}")
    function = inspect.unwrap(getattr(module, name).callback)
    options = function.__annotations__["options"]
    kind = make_dataclass("Options", more, bases=(options,), frozen=True, kw_only=True)
    patch.setitem(function.__annotations__, "options", kind)
    patch.setattr(module, name, command()(function))


def test_a_flag_with_a_key_changes_what_is_listed_and_has_the_help_of_its_key(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": "a", "noindex.html": NOINDEX})
    assert run("build", root, "--base-url", BASE) == 0
    assert paths(root) == ["a.html"]
    name = "--noindex/--all-files"
    field = flag(None, LISTED, "Said again.", key="respect.noindex", name=name)
    give_options(monkeypatch, "build", ("noindex", bool | None, field))
    assert run("build", root, "--base-url", BASE, "--all-files") == 0
    assert paths(root) == ["a.html", "noindex.html"]
    assert run("build", "--help") == 0
    help = " ".join(run.out.split())
    key_help = " ".join(messages.key_help("respect.noindex").split())
    assert f"--noindex / --all-files {key_help} Said again." in help


# --- a command, and a flag without a key


ListedOnOptions = make_dataclass(
    "ListedOnOptions",
    [("on", str, flag("2026-06-01", MAIN, "Count on this day.", "DATE"))],
    bases=(SiteOptions,),
    frozen=True,
    kw_only=True,
)


def listed_on(site: str | None = SITE, *, options: Any) -> None:
    """Count the listed pages."""
    day = datetime.fromisoformat(options.on).replace(tzinfo=UTC)
    summary = dry_build(load_setup(site, options), now=day, dry_run=True)
    emit([plural(summary.listed, "page")])


listed_on.__annotations__ = {"site": str | None, "options": ListedOnOptions}


def test_a_command_prints_a_fact_of_a_build_and_its_flag_changes_that(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.COMMANDS, "listed_on", "Count the listed pages.")
    file = SimpleNamespace(listed_on=command("listed_on public")(listed_on))
    monkeypatch.setitem(sys.modules, "sitemapper.cli.listed_on", file)
    until = '<meta name="robots" content="unavailable_after: 2026-07-01">'
    root = site({"a.html": "a", "b.html": f"<title>b</title>{until}<p>b"})
    assert run("--help") == 0
    assert re.search(r"^  listed_on +Count the listed pages\.$", run.out, re.MULTILINE)
    assert run("listed_on", root, "--base-url", BASE) == 0
    assert run.out == "2 pages\n"
    assert run("listed_on", root, "--base-url", BASE, "--on", "2026-08-01") == 0
    assert run.out == "1 page\n"
    assert run("listed_on", root, "--base-url", BASE, "--no") == 2
    assert run.err.startswith("error: No such option: --no")
    assert "help: see sitemapper listed_on --help\n" in run.err
    assert sorted(path.name for path in root.iterdir()) == ["a.html", "b.html"]


# --- a format


def test_a_format_shows_the_result_of_a_run_and_its_findings(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def result_lines(result: ObservedRun, color: bool) -> list[str]:
        return [f"{file.name}\t{file.change.value}" for file in result.summary.files]

    def finding_lines(findings: Findings, color: bool) -> list[str]:
        return [f"{finding.code}\t{finding.line}" for finding in findings.shown]

    file = SimpleNamespace(run=result_lines, findings=finding_lines)
    monkeypatch.setitem(sys.modules, "sitemapper.cli.render.tsv", file)
    option = ("format", Literal["text", "tsv"], flag("text", MAIN, "Format of the summary."))
    for name in ("build", "check", "validate"):
        give_options(monkeypatch, name, option)
    root = site({"a.html": "a"})
    flags = ("--base-url", BASE, "--format", "tsv")
    assert run("check", root, *flags) == 1
    assert run.out == "sitemap.xml\tcreated\nrobots.txt\tcreated\n"
    assert run("build", root, *flags) == 0
    assert run.out == "sitemap.xml\tcreated\nrobots.txt\tcreated\n"
    assert run("check", root, *flags) == 0
    assert run.out == "sitemap.xml\tkept\nrobots.txt\tkept\n"
    (root / "sitemap.xml").write_text(urlset(LOC, "<loc>no URL</loc>"))
    assert run("validate", root / "sitemap.xml", "--format", "tsv") == 1
    assert run.out == "SM301\t4\n"


@pytest.mark.parametrize("format", get_args(FindingsFormat))
def test_every_format_shows_runs_and_findings(format: str) -> None:
    assert callable(render.renderer("run", format))
    assert callable(render.renderer("findings", format))


# --- a rule of validate


TOY_RULE = """LOCALHOST = Rule(
    "SM399",
    Severity.ERROR,
    "A URL is on this machine.",
    reason="Crawlers cannot reach localhost, the host of a preview.",
    fix="build the site with its public URL.",
)
"""
FINDS_LOCALHOST = """    if "://localhost" in entry.loc:
        yield LOCALHOST, entry.line, f"{entry.loc} is on this machine"
"""


@pytest.mark.slow
def test_a_rule_is_a_value_in_a_tuple_and_a_line_of_a_check(tmp_path: Path) -> None:
    sitemap = tmp_path / "sitemap.xml"
    sitemap.write_text(urlset(LOC.replace(BASE, "http://localhost:1313/")))
    run_in(ROOT, "validate", sitemap)  # a plain entry, in which no rule finds anything
    changed = tmp_path / "changed"
    package = copy_package(changed)
    # A rule, its name in `ALL`, a `yield`, and the condition of `is_plain`.
    family = package / "linter/rules/locs.py"
    replace_once(family, "\nALL = (\n", f"\n{TOY_RULE}ALL = (\n    LOCALHOST,\n")
    guard = "    if is_plain(entry):\n        return\n"
    replace_once(family, guard, guard + FINDS_LOCALHOST)
    condition = "        entry.first_line is None\n"
    replace_once(family, condition, f'{condition}        and "://localhost" not in loc\n')
    found = run_in(changed, "validate", sitemap, status=1)
    assert "SM399 error: http://localhost:1313/ is on this machine" in found


def test_every_rule_of_a_family_is_in_its_tuple() -> None:
    families = (documents, entries, live, locs)
    for family in families:
        defined = [value for value in vars(family).values() if isinstance(value, Rule)]
        assert defined == list(family.ALL)


# --- a message


@pytest.mark.slow
def test_a_message_is_a_kind_a_sentence_and_the_place_that_finds_it(tmp_path: Path) -> None:
    root = write_site(tmp_path / "public", {"a.html": ""})
    changed = tmp_path / "changed"
    package = copy_package(changed)
    # A kind, its sentence and help, and the place that finds it.
    last_kind = "    STALE_ROBOTS = auto()\n"
    replace_once(package / "messages.py", last_kind, f"{last_kind}    FEW_PAGES = auto()\n")
    words = package / "cli/words.py"
    sentence = '    Kind.FEW_PAGES: ("the site is small", "write more"),\n'
    replace_once(words, "SENTENCES = {\n    Kind", f"SENTENCES = {{\n{sentence}    Kind")
    start = "    tally.warn(_dates_of_builds(tally, site))\n"
    found = '    tally.warn([Message(Kind.FEW_PAGES, (f"{tally.listed} page",))])\n'
    replace_once(package / "run/conclude.py", start, start + found)
    command = ("build", root, "--base-url", BASE, "--format", "json")
    [warning] = json.loads(run_in(changed, *command))["warnings"]
    assert warning == {"kind": "few_pages", "count": 1, "examples": ["1 page"]}
