"""Dates from git: of the commit that changed a page's source, or none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import NOW, Run, build, write_site

import sitemapper
from sitemapper import Summary
from sitemapper.lastmod.git import compile_map

DAY = 86_400
START = 1_767_225_600  # 2026-01-01


def day(number: int) -> str:
    return f"2026-01-{number:02}T00:00:00+00:00"


class Repo:
    """A repository in which each commit happens on a day of January 2026."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self("init", "-q", "-b", "main")

    def __call__(self, *command: str, number: int = 1) -> str:
        when = f"{START + (number - 1) * DAY} +0000"
        who = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", "x"), ("EMAIL", "x@y"), ("DATE", when))
        }
        quiet = ("-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always")
        done = subprocess.run(
            ("git", *quiet, *command), cwd=self.root, env=os.environ | who, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, number: int, files: dict[str, str]) -> None:
        write_site(self.root, files)
        self("add", "--all")
        self("commit", "-q", "-m", "x", number=number)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


MAPS = [
    {"page": "{path}/index.html", "source": ["content/{path}.md", "content/{path}/index.md"]},
    {"page": "index.html", "source": ["content/index.md"]},
]


def site_of(root: Path, *pages: str) -> Path:
    """The built site; `public` is not in git, as usual."""
    return write_site(root / "public", dict.fromkeys(pages, "<p>"))


def dates(root: Path, *pages: str, **values: object) -> dict[str, str | None]:
    """The date of each page; a project with maps has a configuration, whose folder they start from."""
    site_of(root, *pages)
    summary = load(root, **values)
    assert summary.listed == len(pages)
    text = (root / "public/sitemap.xml").read_text()
    rows = [row for row in text.splitlines() if row.startswith("<url>")]
    found = {}
    for row in rows:
        loc = row.partition("<loc>https://example.com/")[2].partition("</loc>")[0]
        found[loc] = row.partition("<lastmod>")[2].partition("</lastmod>")[0] or None
    return found


def load(root: Path, **values: object) -> Summary:
    given = {
        "base_url": "https://example.com",
        "site": str(root / "public"),
        "lastmod": ["git"],
        "git": {"map": MAPS},
    }
    return sitemapper.build(sitemapper.load({**given, **values}, cwd=str(root)), now=NOW)


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


def test_the_newest_of_several_sources_counts_a_template_too(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1", "layouts/page.html": "1"})
    repo.commit(4, {"layouts/page.html": "two"})
    maps = [
        {
            "page": "{path}/index.html",
            "source": ["content/{path}.md", "layouts/page.html", "content/{path}.txt"],
        }
    ]
    assert dates(repo.root, "a/index.html", git={"map": maps}) == {"a/": day(4)}


def test_named_parts_of_a_template(repo: Repo) -> None:
    repo.commit(5, {"_posts/2026-01-05-hello-world.md": "1"})
    maps = [{"page": "{y}/{m}/{d}/{slug}.html", "source": ["_posts/{y}-{m}-{d}-{slug}.md"]}]
    assert dates(repo.root, "2026/01/05/hello-world.html", git={"map": maps}) == {
        "2026/01/05/hello-world.html": day(5)
    }


def test_author_and_committer_dates(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1"})
    repo("commit", "-q", "--amend", "--no-edit", number=9)  # what a rebase does
    assert dates(repo.root, "a/index.html") == {"a/": day(1)}
    assert dates(repo.root, "a/index.html", git={"date": "committer", "map": MAPS}) == {"a/": day(9)}


def test_a_site_that_is_in_git_itself(repo: Repo) -> None:
    repo.commit(1, {"public/a.html": "<p>", "public/b.html": "<p>"})
    repo.commit(2, {"public/a.html": "<p>2"})
    write_site(repo.root / "public", {"c.html": "<p>"})
    load(repo.root, git={})
    text = (repo.root / "public/sitemap.xml").read_text()
    assert day(2) in text
    assert day(1) in text
    assert "c.html</loc></url>" in text


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


def test_submodules_have_their_own_history(repo: Repo, tmp_path: Path) -> None:
    texts = Repo(tmp_path / "texts")
    texts.commit(2, {"a.md": "1"})
    repo("submodule", "--quiet", "add", str(texts.root), "content")
    repo.commit(7, {"content/../x": "x"})
    assert dates(repo.root, "a/index.html") == {"a/": day(2)}


def test_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.commit(1, {"content/a.md": "1"})
    repo("worktree", "add", "-q", str(tmp_path / "tree"))
    assert dates(tmp_path / "tree", "a/index.html") == {"a/": day(1)}


@pytest.fixture
def shallow(repo: Repo, tmp_path: Path) -> Path:
    repo.commit(1, {"content/a.md": "1", "content/b.md": "1"})
    repo.commit(2, {"content/b.md": "two"})
    repo.commit(3, {"content/c.md": "3"})
    repo("clone", "-q", "--depth=2", f"file://{repo.root}", str(tmp_path / "clone"))
    return tmp_path / "clone"


def test_a_shallow_clone_gives_no_false_date(shallow: Path) -> None:
    pages = ("a/index.html", "b/index.html", "c/index.html")
    assert dates(shallow, *pages) == {"a/": None, "b/": None, "c/": day(3)}
    (warning,) = load(shallow).warnings
    assert warning[0].name == "SHALLOW"
    assert warning[1:] == (2, ("a/index.html", "b/index.html"))


def test_the_next_source_is_asked_where_history_is_cut_off(shallow: Path) -> None:
    found = dates(shallow, "a/index.html", "c/index.html", lastmod=["git", "mtime"])
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
    assert summary.warnings[0][0].name == "GIT"
    assert "not a git repository" in summary.warnings[0][2][0]
    assert "2026-01-02T03:04:05+00:00" in (root / "sitemap.xml").read_text()


def test_a_repository_without_commits(repo: Repo) -> None:
    site_of(repo.root, "a/index.html")
    (warning,) = load(repo.root).warnings
    assert warning[2] == ("the repository has no commit yet",)


def test_without_git(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    site_of(repo.root, "a/index.html")
    monkeypatch.setenv("PATH", str(repo.root))
    (warning,) = load(repo.root).warnings
    assert warning[2] == ("git cannot be run (No such file or directory); install it",)


def test_settings_of_the_user_do_not_disturb(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1"})
    for key, value in (
        ("log.showRoot", "false"),
        ("log.showSignature", "true"),
        ("diff.renames", "copies"),
        ("core.quotePath", "true"),
        ("color.ui", "always"),
        ("log.diffMerges", "off"),
    ):
        repo("config", key, value)
    assert dates(repo.root, "a/index.html") == {"a/": day(1)}


def test_explain_names_git(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit(1, {"content/a.md": "1"})
    site_of(repo.root, "a/index.html")
    (repo.root / "sitemapper.toml").write_text(
        'base_url = "https://example.com"\nsite = "public"\nlastmod = ["git"]\n[[git.map]]\npage = "{p}/index.html"\nsource = ["content/{p}.md"]\n'
    )
    monkeypatch.chdir(repo.root)
    assert run("explain", "a/index.html") == 0
    assert f"lastmod     {day(1)}  (git)" in run.out


def test_a_template_that_uses_an_unknown_name(tmp_path: Path, run: Run) -> None:
    (tmp_path / "sitemapper.toml").write_text(
        'base_url = "https://example.com"\n[[git.map]]\npage = "{path}.html"\nsource = ["{paht}.md"]\n'
    )
    assert run("build") == 2
    assert (
        run.err
        == "error: sitemapper.toml:2: git.map[0]: '{paht}.md' uses {paht}, which is not in '{path}.html'\n"
    )


def test_a_name_twice_in_a_template_means_the_same_text() -> None:
    templates = compile_map("{a}/{a}.html", ["{a}.md"])
    assert templates.names("x/x.html") == ["x.md"]
    assert templates.names("x/y.html") == []
