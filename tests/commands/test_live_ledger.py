"""The ledger on the live site: honest dates on a machine that remembers nothing."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support import MTIME, POSIX, Run, write_site
from support.ledger import page, pages
from support.memory import peak
from support.web import Answer, Web, dripping, truncated, web

LIVE = "/sitemapper.ledger"


class Project:
    """A project whose builds are deployed to a server, and whose machine forgets everything in between."""

    def __init__(self, folder: Path, server: Web, run: Run) -> None:
        self.folder, self.server, self.run = folder, server, run
        self.root = folder / "public"
        self.builds = 0
        self.configure()

    def configure(
        self, *more: str, previous: str = "live", date_only: str = "false", drop: str = "[]"
    ) -> None:
        (self.folder / "sitemapper.toml").write_text(
            f'base_url = "{self.server.url}"\nsite = "public"\nlastmod = ["ledger", "mtime"]\n'
            f'previous = "{previous}"\n'
            + "\n".join(
                [
                    *more,
                    f'[ledger]\npath = "public/sitemapper.ledger"\ndrop = {drop}',
                    f"[dates]\ndate_only = {date_only}\n",
                ]
            )
        )

    def clone(self, files: dict[str, str], *, hours: int = 24) -> None:
        """A fresh clone, built by its generator: no ledger, no sitemap, every file's time is now."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        write_site(self.root, files, mtime=MTIME + 3600 * hours * self.builds)
        self.builds += 1

    def build(self, *flags: str) -> int:
        code = self.run("build", *flags)
        self.run.err = re.sub(
            "warning: base_url may be wrong: .*\n.*\n", "", self.run.err
        )  # 127.0.0.1
        return code

    def deploy(self) -> None:
        self.server.pages = {
            f"/{p.name}": p.read_bytes() for p in self.root.iterdir() if p.is_file()
        }

    @property
    def dates(self) -> dict[str, str]:
        """What the sitemap says of each page."""
        entry = rf"<loc>{re.escape(self.server.url)}(.*?)</loc><lastmod>(.*?)</lastmod>"
        return dict(re.findall(entry, (self.root / "sitemap.xml").read_text()))

    @property
    def lines(self) -> list[str]:
        return (self.root / "sitemapper.ledger").read_text().splitlines()


@pytest.fixture
def project(tmp_path: Path, live: Web, run: Run) -> Project:
    """A project of three pages whose first build is live."""
    project = Project(tmp_path, live, run)
    project.clone(pages("a", "b", "c"))
    assert project.build() == 0
    project.deploy()
    live.asked.clear()
    return project


def test_a_fresh_clone_moves_no_date_and_one_after_an_edit(project: Project, live: Web) -> None:
    before = project.dates
    assert len(set(before.values())) == 3
    project.clone(pages("a", "b", "c"))
    assert project.build("--changes", "-") == 0
    assert live.asked == [f"GET {LIVE}", "GET /sitemap.xml"]
    assert project.dates == before
    assert project.run.out.startswith(f"{live.url}sitemap.xml\n")
    project.deploy()
    project.clone(pages("a", "b", "d", b="edited"))
    assert project.build("--changes", "-") == 0
    assert project.run.out.startswith(
        f"changed\t{live.url}b.html\nadded\t{live.url}d.html\nremoved\t{live.url}c.html\n"
    )
    assert project.dates["a.html"] == before["a.html"]
    assert project.dates["b.html"] != before["b.html"]


def test_the_first_build_says_that_there_is_none_yet(tmp_path: Path, live: Web, run: Run) -> None:
    project = Project(tmp_path, live, run)
    for status in (404, 410):
        live.pages[LIVE] = status
        project.clone(pages("a"))
        assert project.build("-v") == 0
        assert run.err.splitlines() == [
            f"note: the live ledger {live.url}sitemapper.ledger does not exist yet, so this counts as a first run",
            f"note: {live.url}sitemap.xml does not exist yet, so there is nothing to compare with",
        ]


def test_what_is_published_is_the_ledger_of_listed_pages(project: Project) -> None:
    assert len(project.lines) == 3
    hidden = page("b").replace("<title>", '<meta name="robots" content="noindex"><title>')
    write_site(project.root, {"b.html": hidden})
    assert project.build() == 0
    assert [line.partition("\t")[0] for line in project.lines] == ["a.html", "c.html"]
    project.configure(previous="output")  # then nobody is to read it
    write_site(project.root, {"b.html": page("b")})
    assert project.build() == 0
    write_site(project.root, {"b.html": hidden})
    assert project.build() == 0
    assert "unlisted" in project.lines[1]


def test_a_ledger_outside_of_the_output_is_not_read_from_the_live_site(
    project: Project, live: Web
) -> None:
    toml = project.folder / "sitemapper.toml"
    toml.write_text(toml.read_text().replace("public/sitemapper.ledger", "sitemapper.ledger"))
    project.clone(pages("a", "b", "c"))
    assert project.build("--max-drop", "100") == 0
    assert live.asked == ["GET /sitemap.xml"]


def test_one_that_was_published_as_a_copy_keeps_its_dates(project: Project) -> None:
    """It was `sitemap-ledger.txt`, and began with a comment."""
    before = project.dates
    head = b"# sitemapper wrote this file; its next build will read and replace it; pages: 3\n"
    project.server.pages[LIVE] = head + rows(project)
    project.clone(pages("a", "b", "c"))
    assert project.build() == 0
    assert project.dates == before


def test_it_is_in_no_sitemap_and_no_index(project: Project) -> None:
    project.configure('include = ["*"]', '[sitemap]\nindex = "always"\ntext = true')
    assert project.build() == 0
    files = [
        p for p in project.root.iterdir() if p.name.startswith("sitemap") and "ledger" not in p.name
    ]
    assert len(files) == 3
    assert [p.name for p in files if "ledger" in p.read_text()] == []


def test_a_second_build_touches_nothing_and_check_compares_the_dates(project: Project) -> None:
    assert project.run("check") == 0
    assert project.build() == 0
    assert "kept     public/sitemapper.ledger" in project.run.out
    assert project.run.out.rstrip().rpartition("  ")[2].startswith("nothing to do")
    sitemap = project.root / "sitemap.xml"
    sitemap.write_text(re.sub("<lastmod>....", "<lastmod>1999", sitemap.read_text()))
    assert project.run("check", "--previous", "output") == 1


def test_a_local_ledger_wins_and_says_so_with_verbose(project: Project, live: Web) -> None:
    assert project.build() == 0
    assert project.run.err == ""
    assert project.build("-v") == 0
    assert set(live.asked) == {"GET /sitemap.xml"}
    assert (
        project.run.err
        == f"note: the local ledger public/sitemapper.ledger is read, not the live one at {live.url}sitemapper.ledger\n"
    )


def test_an_empty_local_ledger_is_none(project: Project, live: Web) -> None:
    before = project.dates
    project.clone(pages("a", "b", "c"))
    (project.root / "sitemapper.ledger").touch()
    assert project.build() == 0
    assert project.dates == before


def test_the_base_url_decides_and_not_where_the_build_goes(project: Project, live: Web) -> None:
    with web() as preview:
        preview.pages[LIVE] = 500
        project.clone(pages("a", "b", "c"))
        assert project.build("--base-url", preview.url) == 2
        assert preview.asked == [f"GET {LIVE}"]


@pytest.mark.parametrize("command", [["build", "--dry-run"], ["explain", "a.html"]])
def test_other_commands_read_it_too(project: Project, live: Web, command: list[str]) -> None:
    date = project.dates["a.html"]
    project.clone(pages("a", "b", "c"))
    assert project.run(*command) in (0, 1)
    assert f"GET {LIVE}" in live.asked
    if command[0] == "explain":
        assert f"{date}  (ledger)" in project.run.out
    live.pages[LIVE] = 500
    assert project.run(*command) == 2
    live.asked.clear()
    assert project.run(*command, "--previous", "output") in (0, 1)
    assert live.asked == []


def rows(project: Project) -> bytes:
    answer = project.server.pages[LIVE]
    assert isinstance(answer, bytes)
    return answer


DAMAGE = {
    "a server error": (lambda _: 500, ": answers 500"),
    "a forbidden file": (lambda _: 403, ": answers 403"),
    "no content": (lambda _: 204, ": answers 204"),
    "a page in place of the file": (lambda _: b"<!DOCTYPE html>\n<title>x</title>", ":1: expected “path TAB lastmod TAB digest”"),
    "half of a transfer": (truncated, ": Connection broken: IncompleteRead"),
    "a damaged row": (lambda data: data.replace(b"\t2", b"\tx", 1), ":1: expected “path TAB lastmod TAB digest”"),
    "another host": (lambda _: (302, {"Location": "http://127.0.0.1:1/"}, b""), ": redirects to http://127.0.0.1:1/, another host"),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGE)
def test_what_is_no_ledger_is_an_error_and_never_a_first_run(project: Project, kind: str) -> None:
    change, said = DAMAGE[kind]
    good = rows(project)
    project.server.pages[LIVE] = change(good)
    before = project.dates
    project.clone(pages("a", "b", "c"))
    assert project.build() == 2
    assert f"error: {project.server.url}sitemapper.ledger{said}" in project.run.err
    assert ", so nothing was published\n  help: use --ledger FILE with a copy" in project.run.err
    assert [p.name for p in project.root.iterdir() if p.suffix != ".html"] == []
    assert project.build("--previous", "none") == 0
    assert len(project.lines) == 3, "this one is published, for the next build"
    project.clone(pages("a", "b", "c"))
    project.server.pages[LIVE] = good
    assert project.build() == 0
    assert project.dates == before


def test_a_ledger_that_was_kept_is_another_way_out(project: Project) -> None:
    shutil.copy(project.root / "sitemapper.ledger", project.folder / "kept.ledger")
    before = project.dates
    project.server.pages[LIVE] = 500
    project.clone(pages("a", "b", "c"))
    assert project.build("--ledger", "kept.ledger") == 0
    assert project.dates == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "value", "answer", "said"),
    [
        ("_LARGEST_LIVE", 100, b"x" * 101, "is larger than 100 bytes"),
        ("_DEADLINE", 0.3, dripping, "took longer than 0.3 seconds"),
    ],
    ids=["bytes", "time"],
)
def test_the_limits_of_a_download(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: float,
    answer: Answer,
    said: str,
) -> None:
    monkeypatch.setattr(f"sitemapper.lastmod.ledger.{limit}", value)
    project.server.pages[LIVE] = answer
    project.clone(pages("a"))
    assert project.build() == 2
    assert f"{project.server.url}sitemapper.ledger: {said}, so nothing was" in project.run.err


def test_a_first_run_with_a_ledger_names_the_ways_to_keep_it(project: Project) -> None:
    project.configure(previous="output")
    project.clone(pages("a"))
    assert project.build() == 0
    assert project.run.err == (
        "note: the next build needs public/sitemapper.ledger to keep the dates\n"
        '  help: commit it, keep it in CI\'s cache, or put it into the output folder and set previous = "live"\n'
    )


# A second edit on one day.


def test_a_second_edit_on_one_day_is_a_change_where_the_folder_was_emptied(
    project: Project,
) -> None:
    project.configure(previous="output", date_only="true")
    project.clone(pages("a", "b"), hours=1)
    assert project.build() == 0
    for text in ("once", "twice"):
        write_site(project.root, pages("b", b=text), mtime=MTIME + 7200)
        (project.root / "sitemap.xml").unlink()
        assert project.build("--changes", "-") == 0
        assert project.run.out.startswith(
            f"changed\t{project.server.url}b.html\n{project.server.url}sitemap.xml"
        )
        assert ", 1 changed\n" in project.run.out
    assert set(project.dates.values()) == {"2026-01-02"}
    assert project.build("--changes", "-") == 0
    assert project.run.out.startswith(f"{project.server.url}sitemap.xml")


def test_another_rule_for_digests_changes_no_page(project: Project) -> None:
    project.configure(previous="output", date_only="true")
    assert project.build() == 0
    project.configure(previous="output", date_only="true", drop='["footer"]')
    (project.root / "sitemap.xml").unlink()
    assert project.build("--changes", "-", "--dry-run") == 0
    assert "changed" not in project.run.out


@POSIX
@pytest.mark.slow
def test_many_rows_are_read_in_flat_memory(project: Project) -> None:
    """The peak of reading 200,000 rows is that of reading 20,000, but for a few MiB."""
    own = rows(project)
    project.clone(pages("a", "b", "c"))
    peaks = []
    for count in (20_000, 200_000):
        more = b"".join(
            b"d/%07d.html\t2026-01-02\t0000-0000000000000000\n" % n for n in range(count)
        )
        project.server.pages[LIVE] = own + more
        peaks.append(peak("build", "--dry-run", "--max-drop", "100"))
    assert peaks[1] - peaks[0] < 8_000, peaks


def test_check_of_a_deployment_knows_what_moved_and_compares_the_dates(
    project: Project, live: Web
) -> None:
    long = "Nobody else has written about these pots of tea so far. " * 5
    project.clone(pages("a", "b", "c", c=long))
    assert project.build() == 0
    project.deploy()
    project.clone(pages("a", "b") | {"new.html": page("c", long)})
    live.asked.clear()
    assert project.run("check", "--previous", "live") == 1
    assert live.asked == [f"GET {LIVE}", "GET /sitemap.xml"]
    assert f"moved: {live.url}c.html -> {live.url}new.html\n" in project.run.out
    assert "1 added, 1 removed since" in project.run.out
