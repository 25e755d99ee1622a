"""`--excluded`, `--changes` and `--report`: what is in the files, and which files no flag replaces."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.rooms import BASE, Command, page, write

CONFIG = f'base_url = "{BASE}"\nsite = "public"\nlastmod = []\nmax_drop = 100\n'
LIST = f"added\t{BASE}a.html\n"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write(
        tmp_path, {"sitemapper.toml": CONFIG, "public/index.html": page(), "public/a.html": page()}
    )


@pytest.mark.skipif(sys.platform == "win32", reason="names with control characters")
def test_a_list_has_a_row_for_each_page_whatever_its_name(site: Path, run: Command) -> None:
    write(site, {f"public/{name}": page() for name in ("404.html", "drafts/x.html", "evil\x1b[2J\u202e.htm", "t\tb\n.htm", "##[set-output x]y.htm")})  # fmt: skip
    flags = ("--ignore", "drafts/", "--ignore", "*.htm", "--excluded", "list", "--changes", "-")
    assert run("build", *flags) == 0
    assert (site / "list").read_text() == (
        "#\\x23[set-output x]y.htm\tignored\t--ignore: *.htm\n"
        "404.html\tignored\tbuilt-in default: 404.html\n"
        "drafts/\tignored\t--ignore: drafts/\n"
        "evil\\x1b[2J\\u202e.htm\tignored\t--ignore: *.htm\n"
        "t\\tb\\n.htm\tignored\t--ignore: *.htm\n"
    )
    assert run.out.startswith(
        f"# no baseline\nadded\t{BASE}\nadded\t{BASE}a.html\n{BASE}sitemap.xml\n"
    )
    assert run("build", *flags) == 0  # a list is written again


def rows(text: str) -> list[str]:
    """`+a.html -b.html ~c.html` as the lines of a list; `#` is its first line at a first run."""
    kinds = {"+": "added", "-": "removed", "~": "changed"}
    words = text.split()
    return [
        "# no baseline" if word == "#" else f"{kinds[word[0]]}\t{BASE}{word[1:]}" for word in words
    ]


@pytest.mark.parametrize(
    ("waiting", "new", "after"),
    [
        ("", "+b.html", "+b.html"),
        ("# +index +a.html", "+c.html", "+c.html"),  # the whole site is no list of changes
        ("# +index +a.html", "", "# +index +a.html"),
        ("-old.html", "+b.html", "-old.html +b.html"),
        ("-old.html ~index", "", "-old.html ~index"),
        ("-b.html +c.html", "+b.html", "+c.html +b.html"),  # the newest of a URL counts
        ("+a.html +c.html", "-a.html", "+c.html"),  # nobody has heard of a.html
    ],
)
def test_a_build_adds_to_the_changes_that_nobody_has_taken(
    site: Path, run: Command, waiting: str, new: str, after: str
) -> None:
    assert run("build", "-q") == 0
    (site / "list").symlink_to("target")
    (site / "target").write_text("".join(f"{line}\n" for line in rows(waiting)))
    for word in new.split():
        if word[0] == "-":
            (site / "public" / word[1:]).unlink()
        else:
            write(site, {f"public/{word[1:]}": page()})
    assert run("build", "-q", "--changes", "list") == 0
    assert (site / "target").read_text().splitlines() == rows(after)


def test_a_build_stops_at_a_line_that_is_no_change(site: Path, run: Command) -> None:
    assert run("build", "-q") == 0
    (site / "list").write_text(f"{LIST}moved\tx\n")
    write(site, {"public/b.html": page()})
    before = (site / "public/sitemap.xml").read_bytes()
    assert run("build", "--changes", "list") == 2
    assert run.err.startswith(f"error: {site}/list:2: is not `added`, `changed` or `removed`")
    assert (site / "public/sitemap.xml").read_bytes() == before


def test_a_check_and_a_dry_build_leave_the_list_of_builds_alone(site: Path, run: Command) -> None:
    assert run("build", "-q") == 0
    write(site, {"public/b.html": page()})
    (site / "list").write_text(LIST)
    assert run("build", "--dry-run", "--changes", "list", "--excluded", "left") == 0
    assert ((site / "list").read_text(), (site / "left").read_text()) == (LIST, "")
    assert run("build", "--dry-run", "--changes", "-", "-q") == 0
    assert run.out == f"added\t{BASE}b.html\n"
    assert run("check", "--changes", "list") == 2
    assert "No such option: --changes" in run.err
    assert (site / "list").read_text() == LIST


def test_the_report_is_a_page_that_only_a_report_replaces(site: Path, run: Command) -> None:
    for _ in range(2):
        assert run("build", "--report", "report.html") == 0
    assert "<!doctype html>" in (site / "report.html").read_text()
    assert run("build", "--report", "dry.html", "--dry-run", "-q") == 0
    assert (site / "dry.html").exists()


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ("--changes public/sitemap.xml", "--changes: public/sitemap.xml: was not written by sitemapper, so it is not replaced"),
        ("--excluded sitemapper.toml", "--excluded: sitemapper.toml: was not written by sitemapper, so it is not replaced"),
        ("--changes public/a.html", "--changes: public/a.html: was not written by sitemapper, so it is not replaced"),
        ("--report public/a.html", "--report: public/a.html: was not written by sitemapper, so it is not replaced"),
    ],
)  # fmt: skip
def test_a_list_replaces_no_file_of_another_use(
    site: Path, run: Command, argv: str, said: str
) -> None:
    (site / "public/sitemap.xml").write_text("<urlset>")
    assert run("build", *argv.split()) == 2
    assert run.err == f"error: {said}\n  help: choose another file name\n"
    assert (site / "public/a.html").read_text() == page()
    assert (site / "public/sitemap.xml").read_text() == "<urlset>"


def test_a_file_that_cannot_be_written_is_found_before_the_run(site: Path, run: Command) -> None:
    for argv, said in (
        ("--excluded no/where", f"--excluded: {site}/no: is no folder that can be written"),
        ("--changes public", "public: not a regular file"),
    ):
        assert run("build", *argv.split()) == 2
        assert run.err == f"error: {said}\n"
        assert not (site / "public/sitemap.xml").exists()
