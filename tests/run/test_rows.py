"""What git and the ledger know about pages: what is asked, and what is said if they know nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Run, Site, asking, notes_of, settings, write_site
from support.git import Repo, load
from support.ledger import WITH, pages

from sitemapper.lastmod import source_files, source_search
from sitemapper.lastmod.git import History
from sitemapper.lastmod.live_ledger import open_ledger
from sitemapper.lastmod.source_paths import Source
from sitemapper.messages import Kind, Message

LIVE = {"lastmod": WITH, "ledger": {"live": True}}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


def test_a_ledger_of_this_machine_is_read_instead_of_the_live_one(site: Site) -> None:
    root = site(pages("a"))
    setup = settings(root, **LIVE)
    row = "a.html\t2026-01-01\t-\n"
    (root.parent / "sitemapper.ledger").write_text(row)
    with open_ledger(setup.site, setup.run) as (file, notes):
        assert file is not None
        assert (file.path, file.is_live) == (str(root.parent / "sitemapper.ledger"), False)
    url = "https://example.com/sitemap-ledger.txt"
    assert notes == (Message(Kind.LEDGER_IS_LOCAL, (file.label, url)),)


def test_without_the_live_ledger_nothing_is_asked(site: Site) -> None:
    setup = asking(settings(site(pages("a")), **LIVE), no_live=True)
    with open_ledger(setup.site, setup.run) as (file, notes):
        assert file is not None
        assert not file.is_live
    assert notes == ()


def test_without_the_source_there_is_no_ledger(site: Site) -> None:
    setup = settings(site(pages("a")), lastmod=["mtime"])
    with open_ledger(setup.site, setup.run) as found:
        assert found == (None, ())


def test_git_that_somebody_chose_is_missed_and_git_of_auto_is_not(site: Site) -> None:
    root = site(pages("a")).parent
    chosen = load(root, lastmod=["git", "mtime"], git={})
    [(kind, about, _, _)] = chosen.warnings
    assert (kind.name, about) == (
        "GIT",
        ("this is not a git repository; run the build in a git repository",),
    )
    assert load(root, lastmod="auto", git={}).warnings == ()


def test_of_too_many_possible_sources_those_whose_names_fit_are_compared(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    titled = {f"text/{name}.md": f"---\ntitle: {name}\n---\n" for name in ("a", "b", "c")}
    repo.commit(1, {".gitignore": "public/", **titled, "text/d.md": "d"})
    built = {
        f"{name}.html": f"<title>{name}</title><main><h1>{name}</h1></main>"
        for name in ("a", "b", "c")
    }
    write_site(repo.root / "public", built)
    monkeypatch.setattr(source_files, "MAX_SOURCES", 3)
    summary = load(repo.root, git={})
    assert summary.dated == {"git": 3}
    assert not [note for note in notes_of(summary) if "may be sources" in note]


def test_files_outside_the_generators_folders_are_opened_only_if_their_names_fit(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("apple", "banana", "cherry")
    sources_of = {f"blog/content/{name}.md": f"---\ntitle: {name}\n---\n" for name in names}
    others = {f"packages/{number}/other-{number}.md": "# Other" for number in range(3)}
    others |= {f"blog/notes/other-{number}.md": "# Other" for number in range(3)}
    ours = {
        "blog/hugo.toml": "baseURL = 'https://example.com/'",
        "blog/.gitignore": "public/",
        "shared/fig.md": "# Fig",
    }
    repo.commit(1, sources_of | others | ours)
    shown = (*names, "fig")
    built = {
        f"{name}/index.html": f"<title>{name}</title><main><h1>{name}</h1></main>" for name in shown
    }
    write_site(repo.root / "blog/public", built | {"index.html": "<title>Blog</title>"})
    opened: list[str] = []
    read = source_search._read_source

    def noting(history: History, name: str) -> Source | None:
        opened.append(name)
        return read(history, name)

    monkeypatch.setattr(source_search, "_read_source", noting)
    monkeypatch.chdir(repo.root / "blog")
    assert run("build", "public", "--base-url", "https://example.com") == 0
    assert sorted(opened) == [*sorted(sources_of), "shared/fig.md"]
