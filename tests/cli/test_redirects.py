"""`--redirects`: the redirects that moved pages need, in a file or on stdout."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support import BASE, Run, Site

CONFIG = 'base_url = "https://example.com/"\nsite = "public"\nmax_drop = 100\nhost = "{host}"\n[ledger]\npath = "sitemapper.ledger"\n'
RULES = "# Redirects of moved pages for _redirects, by sitemapper\n"


def text(name: str) -> str:
    # Enough of it that the page is known by its text.
    told = f"All that there is to tell about {name}, and nothing else. " * 5
    return f"<title>{name}</title><main><h1>{name}</h1><p>{told}</main>"


class Project:
    """A site with a ledger, of which pages move."""

    def __init__(self, site: Site, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.root = site({f"{name}.html": text(name) for name in ("index", "a", "b", "c d")})

    def at(self, host: str) -> None:
        (self.folder / "sitemapper.toml").write_text(CONFIG.format(host=host))

    def move(self, old: str, new: str) -> None:
        target = self.root / new
        target.parent.mkdir(exist_ok=True)
        (self.root / old).rename(target)

    @property
    def file(self) -> Path:
        return self.folder / "moved.txt"


@pytest.fixture
def project(site: Site, tmp_path: Path, run: Run) -> Project:
    project = Project(site, tmp_path)
    project.at("cloudflare")
    assert run("build") == 0
    return project


def test_the_rules_are_written_with_the_sitemap(project: Project, run: Run) -> None:
    project.move("a.html", "new/a.html")
    project.move("c d.html", "new/c.html")
    assert run("build", "--redirects", project.file, "-v") == 0
    rules = ["/a /new/a 301", "/c%20d /new/c 301"]
    assert project.file.read_text() == RULES + "".join(f"{rule}\n" for rule in rules)
    for rule, new in zip(rules, ("a", "c"), strict=True):
        told = f"moved: {BASE}{rule.split()[0][1:]} -> {BASE}new/{new}; redirect it in _redirects: {rule}"
        assert f"{told}\n" in run.out


def test_where_no_page_moved_a_file_is_neither_written_nor_changed(
    project: Project, run: Run
) -> None:
    assert run("build", "--redirects", project.file) == 0
    assert not project.file.exists()
    project.file.write_text(RULES + "/x /y 301\n")
    assert run("build", "--redirects", project.file) == 0
    assert project.file.read_text() == RULES + "/x /y 301\n"


def test_rules_of_earlier_builds_stay_until_they_would_be_wrong(project: Project, run: Run) -> None:
    project.move("a.html", "new/a.html")
    assert run("build", "--redirects", project.file) == 0
    project.move("b.html", "new/b.html")
    assert run("build", "--redirects", project.file) == 0
    assert project.file.read_text() == RULES + "/a /new/a 301\n/b /new/b 301\n"
    project.move("new/a.html", "a.html")  # it is back
    assert run("build", "--redirects", project.file) == 0
    assert project.file.read_text() == RULES + "/b /new/b 301\n/new/a /a 301\n"


@pytest.mark.parametrize("command", ["build --dry-run", "check"])
def test_a_check_writes_the_file_and_a_dry_run_none(
    project: Project, run: Run, command: str
) -> None:
    project.move("a.html", "new/a.html")
    assert run(*command.split(), "--redirects", project.file) == int(command == "check")
    assert project.file.exists() == (command == "check")
    assert "; redirect it in _redirects: /a /new/a 301\n" in run.out


@pytest.mark.parametrize("command", ["build --dry-run", "build", "check"])
def test_stdout_has_only_the_rules(project: Project, run: Run, command: str) -> None:
    project.move("a.html", "new/a.html")
    run(*command.split(), "--redirects", "-")
    assert run.out == RULES + "/a /new/a 301\n"
    assert run.err.startswith(f"{BASE}sitemap.xml\n")


def test_a_guard_that_stops_the_build_does_not_hide_the_rules(project: Project, run: Run) -> None:
    for name in ("a", "b", "c d"):
        project.move(f"{name}.html", f"new/{name}.html")
    assert run("build", "--max-drop", "50", "--redirects", "-") == 2
    assert run.out == RULES + "/a /new/a 301\n/b /new/b 301\n/c%20d /new/c%20d 301\n"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--excluded -", "--excluded - and --redirects - would both write to stdout"),
        ("--format github", "--redirects - and --format github would both write to stdout"),
    ],
)
def test_stdout_takes_one_thing(project: Project, run: Run, flags: str, said: str) -> None:
    assert run("build", "--redirects", "-", *flags.split()) == 2
    assert run.err == f"error: {said}\n  help: pass a file for one of them\n"


def test_rules_of_somebody_else_are_never_replaced(project: Project, run: Run) -> None:
    project.move("a.html", "new/a.html")
    own = "# My rules\n/x /y 301\n"
    project.file.write_text(own)
    before = (project.root / "sitemap.xml").read_bytes()
    assert run("build", "--redirects", project.file) == 2
    assert run.err == (
        f"error: --redirects: {project.file}: was not written by sitemapper, so it is not replaced\n"
        "  help: choose another file name\n"
    )
    assert project.file.read_text() == own
    assert (project.root / "sitemap.xml").read_bytes() == before


def test_rules_for_another_host_are_not_mixed(project: Project, run: Run) -> None:
    project.move("a.html", "new/a.html")
    assert run("build", "--redirects", project.file) == 0
    project.at("firebase")
    assert run("build") == 0
    before = (project.root / "sitemap.xml").read_bytes()
    project.move("b.html", "new/b.html")
    assert run("build", "--redirects", project.file) == 2
    assert "has no redirects for other hosts, so it is not replaced" in run.err
    assert project.file.read_text() == RULES + "/a /new/a 301\n"
    assert (project.root / "sitemap.xml").read_bytes() == before


def test_json_is_written_once(project: Project, run: Run) -> None:
    project.at("vercel")
    assert run("build") == 0
    project.move("a.html", "new/a.html")
    assert run("build", "--redirects", project.file) == 0
    assert json.loads(project.file.read_text()) == {
        "redirects": [{"source": "/a.html", "destination": "/new/a.html", "statusCode": 301}]
    }
    project.move("b.html", "new/b.html")
    assert run("build", "--redirects", project.file) == 2
    assert "was not written by sitemapper, so it is not replaced" in run.err


@pytest.mark.parametrize("host", ["azure", "none"])
def test_for_other_hosts_a_table_is_written_and_pages_are_shown(
    project: Project, run: Run, host: str
) -> None:
    project.at(host)
    assert run("build") == 0
    project.move("a.html", "new/a.html")
    assert run("build", "--redirects", project.file, "-v") == 0
    assert project.file.read_text() == (
        "# Redirects of moved pages for other hosts, by sitemapper\n"
        f"{BASE}a.html\t{BASE}new/a.html\n"
    )
    assert (
        f'; redirect it in a.html: <!doctype html><link rel="canonical" href="{BASE}new/a.html">'
        in (run.out)
    )


def test_a_rule_that_would_match_other_urls_is_told_and_not_written(
    project: Project, run: Run
) -> None:
    (project.root / "e*f.html").write_text(text("star"))
    assert run("build") == 0
    project.move("e*f.html", "new/star.html")
    assert run("build", "--redirects", project.file) == 0
    assert project.file.read_text().strip() == RULES.strip()
    assert f"sitemapper can write no redirect for this moved URL alone: {BASE}e*f" in run.err


# Where each host has its rules.
PLACES = {
    "cloudflare": "public/_redirects",
    "gitlab": "public/_redirects",
    "netlify": "public/_redirects",
    "vercel": "vercel.json",
}


@pytest.mark.parametrize("host", PLACES)
def test_with_the_rules_in_their_place_the_page_is_redirected(
    project: Project, run: Run, host: str
) -> None:
    project.at(host)
    assert run("build") == 0
    old = project.folder / "old.xml"
    old.write_bytes((project.root / "sitemap.xml").read_bytes())
    shutil.copy(project.folder / "sitemapper.ledger", project.folder / "old.ledger")
    project.move("c d.html", "new/é.html")
    assert run("build", "--redirects", project.file) == 0
    shutil.copy(project.file, project.folder / PLACES[host])
    shutil.copy(project.folder / "old.ledger", project.folder / "sitemapper.ledger")
    run("check", "--previous", old, "-v")
    assert "moved: " not in run.out and "lost: " not in run.out
    [led] = [line for line in run.out.splitlines() if line.startswith("redirected: ")]
    assert "c%20d" in led and " -> https://example.com/new/%C3%A9" in led


def test_with_the_page_at_the_old_url_it_is_redirected(project: Project, run: Run) -> None:
    project.at("github")
    assert run("build") == 0
    old = project.folder / "old.xml"
    old.write_bytes((project.root / "sitemap.xml").read_bytes())
    project.move("c d.html", "new/c.html")
    assert run("check", "-v", "--format", "json") == 1
    [gone] = json.loads(run.out)["gone_urls"]
    file, _, page = gone["remedy"].partition(": ")
    (project.root / file).parent.mkdir(exist_ok=True)
    (project.root / file).write_text(page)
    run("check", "--previous", old, "-v")
    assert f"redirected: {gone['url']} -> {gone['target']} ({file}: " in run.out


def test_without_a_ledger_a_note_says_that_it_finds_moved_pages(site: Site, run: Run) -> None:
    command = ("build", site({"a.html": ""}), "--base-url", BASE, "--redirects", "rules")
    assert run(*command) == 0
    assert (
        "note: --redirects finds moved pages only with a ledger\n  help: pass --ledger FILE\n"
        in run.err
    )
    assert run(*command, "--ledger", "l") == 0
    assert "are found with" not in run.err
