"""Dates from git: of the commit that changed a page's source, or none."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import NOW, POSIX, Run, build, with_site, write_site
from support.git import Repo, dates, day, load, site_of
from support.ledger import dates as written

import sitemapper
from sitemapper.lastmod.tracked_files import TrackedFiles
from sitemapper.model import SourceFiles


def test_a_page_has_the_date_of_its_source(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1", "content/index.md": "1", "theme.css": "1"})
    repo.commit(2, {"content/a.md": "two"})
    repo.commit(3, {"theme.css": "two", "content/b/index.md": "1"})
    assert dates(repo.root, "index.html", "a/index.html", "b/index.html", "tags/index.html") == {
        "": day(1),
        "a/": day(2),
        "b/": day(3),
        "tags/": None,
    }


def test_a_commit_has_the_date_of_its_committer(repo: Repo) -> None:
    """What was written in July and rebased in November is new to crawlers in November."""
    repo.commit(1, {"content/a.md": "1"})
    repo("commit", "-q", "--amend", "--no-edit", number=9)  # what a rebase does
    assert dates(repo.root, "a/index.html") == {"a/": day(9)}


@POSIX
def test_pages_behind_the_link_of_the_home_page_have_the_dates_of_their_files(repo: Repo) -> None:
    """As mike commits them: the home page leads to `latest`, a link to `2.0`."""
    refresh = '<meta http-equiv="refresh" content="0; url=latest/">'
    old = {"public/1.0/a.html": "<p>1", "public/1.0/b.html": "<p>1"}
    repo.commit(1, {"public/index.html": refresh, **old})
    (repo.root / "public/latest").symlink_to("2.0")
    repo.commit(3, {f"public/2.0/{name}.html": "<p>2" for name in ("index", "a", "b")})
    repo.commit(4, {"public/2.0/a.html": "<p>2 more"})
    load(repo.root, git={})
    assert written(repo.root / "public") == {
        "1.0/a.html": day(1),
        "1.0/b.html": day(1),
        "latest/": day(3),
        "latest/a.html": day(4),
        "latest/b.html": day(3),
    }


def test_a_pure_rename_is_no_change(repo: Repo) -> None:
    repo.commit(1, {"docs/a.md": "some text\n" * 9, "docs/b.md": "other text\n" * 9})
    repo("mv", "docs", "content")
    repo.commit(2, {"content/b.md": "other text\n" * 9 + "and more"})
    assert dates(repo.root, "a/index.html", "b/index.html") == {"a/": day(1), "b/": day(2)}


def test_a_name_that_was_used_twice(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "first\n" * 9})
    repo("mv", "content/a.md", "content/b.md")
    repo.commit(2, {"x": "x"})
    repo.commit(3, {"content/a.md": "second\n" * 9})
    assert dates(repo.root, "a/index.html", "b/index.html") == {"a/": day(3), "b/": day(1)}


def test_merges_count_only_where_they_change_something_themselves(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1", "content/b.md": "1"})
    repo("checkout", "-q", "-b", "side")
    repo.commit(2, {"content/a.md": "side", "content/b.md": "side"})
    repo("checkout", "-q", "main")
    repo.commit(3, {"content/b.md": "main"})
    with pytest.raises(AssertionError):
        repo("merge", "-q", "side", number=4)  # b.md conflicts
    repo.commit(4, {"content/b.md": "both"})
    assert dates(repo.root, "a/index.html", "b/index.html") == {"a/": day(2), "b/": day(4)}


@pytest.fixture
def shallow(repo: Repo) -> Path:
    repo.commit(1, {"content/a.md": "1", "content/b.md": "1"})
    repo.commit(2, {"content/b.md": "two"})
    repo.commit(3, {"content/c.md": "3"})
    return repo.clone("--depth=2").root


def test_a_shallow_clone_gives_no_false_date(shallow: Path) -> None:
    pages = ("a/index.html", "b/index.html", "c/index.html")
    assert dates(shallow, *pages) == {"a/": None, "b/": None, "c/": day(3)}
    (warning,) = load(shallow).warnings
    assert warning.kind.name == "SHALLOW"
    assert (warning.cases, warning.subjects) == (2, ("a/index.html", "b/index.html"))


def test_the_next_source_is_asked_where_history_is_cut_off(shallow: Path) -> None:
    """Also in a worktree of the clone, whose own folder does not say where that is."""
    Repo(shallow)("worktree", "add", "-q", "../tree")
    for root in (shallow, shallow.with_name("tree")):
        found = dates(root, "a/index.html", "c/index.html", lastmod=["git", "mtime"])
        assert found == {"a/": "2026-01-02T03:04:05+00:00", "c/": day(3)}


def test_one_sure_source_newer_than_the_boundary_is_enough(shallow: Path) -> None:
    maps = [{"page": "x/index.html", "source": ["content/a.md", "content/c.md"]}]
    assert dates(shallow, "x/index.html", git={"map": maps}) == {"x/": day(3)}


def test_names_outside_ascii_and_with_odd_characters(repo: Repo) -> None:
    name = 'über "uns"\n\x01[1]'
    repo.commit(6, {f"content/{name}.md": "1"})
    assert list(dates(repo.root, f"{name}/index.html").values()) == [day(6)]


def test_without_a_repository_a_warning_and_the_next_source(tmp_path: Path) -> None:
    root = write_site(tmp_path / "public", {"a.html": "<p>"})
    summary = build(root, lastmod=["git", "mtime"])
    assert summary.warnings[0].kind.name == "GIT"
    assert "not a git repository" in summary.warnings[0].subjects[0]
    assert "2026-01-02T03:04:05+00:00" in (root / "sitemap.xml").read_text()


def test_what_git_says_is_told_without_its_mark(repo: Repo) -> None:
    site_of(repo.root, "a/index.html")
    (warning,) = load(repo.root).warnings
    assert warning.subjects == ("the repository has no commit yet",)
    (repo.root / ".git/config").write_text("[")
    (warning,) = load(repo.root).warnings
    assert warning.subjects[0].startswith("bad config line ")


def test_settings_of_the_user_do_not_disturb(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1", "order": "zzz"})
    for key, value in (
        ("log.showRoot", "false"),
        ("log.showSignature", "true"),
        ("log.date", "iso"),
        ("diff.renames", "copies"),
        ("diff.orderFile", "order"),
        ("diff.algorithm", "patience"),
        ("core.quotePath", "true"),
        ("color.ui", "always"),
        ("log.diffMerges", "off"),
        ("i18n.logOutputEncoding", "UTF-16"),
    ):
        repo("config", key, value)
    assert dates(repo.root, "a/index.html") == {"a/": day(1)}


CONFIG = """\
base_url = "https://example.com"
site = "public"
lastmod = ["git"]
[[git.map]]
page = "{p}/index.html"
source = ["content/{p}.md", "content/{p}.html", "content/{p}/index.md", "content/{p}/README.md"]
"""


@pytest.fixture
def configured(repo: Repo) -> Repo:
    """A project with templates in its configuration."""
    repo.commit(1, {"content/a/index.md": "1", "sitemapper.toml": CONFIG})
    site_of(repo.root, "a/index.html", "b/index.html")
    return repo


def test_a_generator_that_empties_its_folder_gets_no_advice_that_git_makes_needless(
    configured: Repo, run: Run
) -> None:
    """Each of its builds is without an earlier sitemap, and git keeps the dates all the same."""
    (configured.root / "public/b/index.html").unlink()
    assert run("build") == 0
    assert run.err == ""
    for flags in ((), ("--changes", "-")):  # there is one the second time
        assert run("build", "--lastmod", "mtime", "--output", configured.root.parent, *flags) == 0
        assert "earlier sitemap" not in run.err


def test_explain_names_the_candidate_that_exists(configured: Repo, run: Run) -> None:
    """Of the many places where a page's source may be, the user wants to see the one where it is."""
    assert run("explain", "a/index.html") == 0
    assert f"  lastmod     {day(1)}  (git)\n" in run.out
    commit = configured("rev-parse", "HEAD")[:12]
    assert f"  source      content/a/index.md  (commit {commit})\n" in run.out
    assert run("explain", "b/index.html") == 0
    for name in ("b.md", "b.html", "b/index.md", "b/README.md"):
        assert f"  source      content/{name}  (no such file)\n" in run.out
    (configured.root / "content/b.md").write_text("1")
    assert run("explain", "b/index.html") == 0
    assert "  source      content/b.md  (not committed)\n" in run.out


def told(repo: Repo, **pages: tuple[str, ...]) -> sitemapper.Setup:
    """Settings of a generator that tells what it made its pages from."""
    site_of(repo.root, *(f"{name}.html" for name in pages))
    values = {
        "base_url": "https://example.com",
        "site": str(repo.root / "public"),
        "lastmod": ["git"],
        "git": {"map": [{"page": "f.html", "source": ("data/f.yml",)}]},
    }
    files = SourceFiles(
        str(repo.root / "docs"), {f"{name}.html": files for name, files in pages.items()}
    )
    return with_site(sitemapper.load(values, cwd=str(repo.root)), source_files=files)


def test_a_generator_may_tell_what_it_made_a_page_from(repo: Repo) -> None:
    """A template adds to it, as for `f`."""
    repo.commit(1, {f"docs/{name}.md": "1" for name in "abf"})
    repo.commit(2, {"data/f.yml": "1"})
    repo.commit(3, {"news.txt": "1"})
    repo.commit(4, {"docs/c.md": "1"})
    absolute = str(repo.root / "docs/c.md")
    setup = told(
        repo, a=("a.md",), b=("b.md", "../news.txt"), c=(absolute,), d=(), e=("e.md", "/no/file"), f=("f.md",)
    )  # fmt: skip
    assert sitemapper.build(setup, now=NOW).dated == {"git": 4}
    found = written(repo.root / "public")
    assert list(found.values()) == [day(1), day(3), day(4), None, None, day(2)]
    first, second = (
        row for row in sitemapper.explain(setup, "b.html", now=NOW).values if row[0] == "source"
    )
    assert first == ("source", "docs/b.md", f"commit {repo('rev-parse', 'HEAD~3')[:12]}")
    assert second == ("source", "news.txt", f"commit {repo('rev-parse', 'HEAD~1')[:12]}")


@POSIX
def test_a_link_among_the_sources_is_followed(repo: Repo) -> None:
    repo.commit(1, {"README.md": "1", "docs/b.md": "1"})
    (repo.root / "docs/index.md").symlink_to("../README.md")
    repo.commit(2, {})
    repo.commit(3, {"README.md": "two"})
    sitemapper.build(told(repo, index=("index.md",)), now=NOW)
    assert written(repo.root / "public") == {"": day(3)}


def test_a_branch_that_a_merge_discarded_dates_nothing(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    repo("checkout", "-q", "-b", "side")
    repo.commit(5, {"content/a.md": "discarded"})
    repo("checkout", "-q", "main")
    repo.commit(3, {"content/a.md": "three"})
    repo("merge", "-q", "-s", "ours", "--no-edit", "side", number=6)
    assert dates(repo.root, "a/index.html") == {"a/": day(3)}


def merged(repo: Repo, edits: Sequence[str], *, number: int, on_main: str = "") -> None:
    """Commits texts of content/a.md on a branch, a day each, and merges it."""
    branch = f"from-{number}"
    repo("checkout", "-q", "-b", branch)
    for place, text in enumerate(edits):
        repo.commit(number + place, {"content/a.md": text})
    repo("checkout", "-q", "main")
    if on_main:
        repo.commit(number + 5, {"content/a.md": on_main})
    repo("merge", "-q", "--no-ff", "--no-edit", branch, number=number + 8)


@pytest.mark.parametrize(
    ("edits", "on_main", "expected"),
    [
        pytest.param(["edited"], "", day(3), id="an edit"),
        pytest.param(["edited", "one"], "", day(1), id="an edit and its revert"),
        pytest.param(["edited"], "edited", day(8), id="the same edit on both"),
        pytest.param(["edited", "again", "edited"], "edited", day(8), id="an edit that came back"),
    ],
)
def test_a_merged_file_has_the_date_that_git_log_has(
    repo: Repo, edits: Sequence[str], on_main: str, expected: str
) -> None:
    """`git log -- FILE` follows the first parent that has the file as the merge has it."""
    repo.commit(1, {"content/a.md": "one", "content/b.md": "b"})
    merged(repo, edits, number=3, on_main=on_main)
    assert dates(repo.root, "a/index.html", "b/index.html") == {"a/": expected, "b/": day(1)}


def test_a_merge_of_three_branches(repo: Repo) -> None:
    repo.commit(1, {f"content/{name}.md": "one" for name in "abc"})
    for number, name in enumerate("abc", 2):
        repo("checkout", "-q", "-b", name, "main")
        repo.commit(number, {f"content/{name}.md": "edited"})
    repo("checkout", "-q", "main")
    repo("merge", "-q", "--no-edit", "a", "b", "c", number=9)
    pages = [f"{name}/index.html" for name in "abc"]
    assert dates(repo.root, *pages) == {"a/": day(2), "b/": day(3), "c/": day(4)}


def test_a_change_of_mode_is_no_change(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    repo("update-index", "--chmod=+x", "content/a.md")
    repo("commit", "-q", "-m", "x", number=9)
    assert dates(repo.root, "a/index.html") == {"a/": day(1)}


def test_a_rename_on_one_branch_and_an_edit_on_the_other(repo: Repo) -> None:
    text = "some text\n" * 20
    repo.commit(1, {"old/a.md": text})
    repo("checkout", "-q", "-b", "side")
    repo.commit(2, {"old/a.md": text + "edited"})
    repo("checkout", "-q", "main")
    (repo.root / "content").mkdir()
    repo("mv", "old/a.md", "content/a.md")
    repo("commit", "-q", "-m", "x", number=3)
    repo("merge", "-q", "--no-edit", "side", number=7)
    assert dates(repo.root, "a/index.html") == {"a/": day(2)}


def test_a_parent_whose_clock_was_ahead(repo: Repo) -> None:
    repo.commit(20, {"content/a.md": "one", "content/b.md": "b"})
    repo.commit(10, {"content/a.md": "second"})
    assert dates(repo.root, "a/index.html", "b/index.html") == {"a/": day(10), "b/": day(20)}


def test_a_commit_without_a_date(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "one"})
    commit = repo("cat-file", "commit", "HEAD").replace("x <x@y> 1767225600 +0000", "x <x@y> ")
    (repo.root / "raw").write_text(commit)
    made = repo("hash-object", "-t", "commit", "-w", "--literally", "raw").strip()
    repo("reset", "-q", "--hard", made)
    assert dates(repo.root, "a/index.html") == {"a/": None}


@pytest.mark.parametrize("sources", [["ledger", "git"], ["ledger", "git", "mtime"]])
def test_an_edit_has_no_old_date_however_often_it_is_built_before_the_commit(
    repo: Repo, sources: list[str]
) -> None:
    repo.commit(1, {"content/a.md": "1", "content/b.md": "1"})
    root = site_of(repo.root, "a/index.html", "b/index.html")

    def built() -> dict[str, str | None]:
        load(repo.root, lastmod=sources)
        return written(root)

    assert built() == {"a/": day(1), "b/": day(1)}
    write_site(repo.root, {"public/a/index.html": "<p>edited", "content/a.md": "two"}, mtime=0)
    for _ in range(3):
        assert built() == {"a/": None, "b/": day(1)}
    repo.commit(5, {})
    for _ in range(2):
        assert built() == {"a/": day(5), "b/": day(1)}


def test_an_edit_that_is_taken_back_before_the_commit_gets_no_other_date(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1"})
    root = site_of(repo.root, "a/index.html")
    load(repo.root, lastmod=["ledger", "git"])
    for text in ("<p>edited", "<p>edited again", "<p>"):
        write_site(repo.root, {"public/a/index.html": text}, mtime=0)
        load(repo.root, lastmod=["ledger", "git"], max_drop=100)
        assert written(root) == {"a/": None}
    assert (repo.root / "sitemapper.ledger").read_text().split("\t")[1] == f">{day(1)}"


@pytest.mark.parametrize("path", ["{top}/other", "../other", "linked"])
def test_a_submodule_that_leads_out_of_the_repository_is_not_entered(
    repo: Repo, tmp_path: Path, path: str
) -> None:
    other = Repo(tmp_path / "other")
    other.commit(2, {"a.md": "1"})
    repo.commit(1, {"content/b.md": "1"})
    os.symlink(other.root, repo.root / "linked")
    head = other("rev-parse", "HEAD").strip()
    name = path.format(top=tmp_path)
    tree = tree_of(
        repo,
        ("160000", head, name.encode()),
        ("040000", repo("rev-parse", "HEAD:content").strip(), b"content"),
    )
    commit = repo("commit-tree", tree, "-m", "x", number=3).strip()
    repo("update-ref", "refs/heads/main", commit)
    assert list(TrackedFiles(str(repo.root)).names()) == ["content/b.md"]


def tree_of(repo: Repo, *entries: tuple[str, str, bytes]) -> str:
    """A tree that git itself would not write, because of its names."""
    data = b"".join(
        b"%s %s\0%s" % (mode.lstrip("0").encode(), name, bytes.fromhex(sha))
        for mode, sha, name in sorted(entries, key=lambda entry: entry[2])
    )
    done = subprocess.run(
        ("git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"),
        input=data,
        cwd=repo.root,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def test_a_broken_submodule_loses_no_other_date(repo: Repo) -> None:
    broken = Repo(repo.root / "broken")
    broken.commit(1, {"c.md": "1"})
    repo.commit(2, {"content/a.md": "1"})
    (broken.root / ".git/refs/heads/main").unlink()
    assert dates(repo.root, "a/index.html") == {"a/": day(2)}
    assert [
        examples for kind, examples, _, _ in load(repo.root).warnings if kind.name == "GIT"
    ] == [("submodule broken: the repository has no commit yet",)]


@POSIX
def test_the_mailmap_is_not_read(repo: Repo) -> None:
    repo.commit(4, {"content/a.md": "1"})
    os.mkfifo(repo.root / ".mailmap")  # whoever reads it waits for ever
    assert dates(repo.root, "a/index.html") == {"a/": day(4)}


def test_the_environment_of_a_git_hook_does_not_matter(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(4, {"content/a.md": "1"})
    other = Repo(tmp_path / "other")
    for name in ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(other.root / ".git"))
    assert dates(repo.root, "a/index.html") == {"a/": day(4)}
