"""Built pages that are committed beside their sources, in another folder than the site."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from support import Run, write_site
from support.cost import assert_linear
from support.git import Repo

from sitemapper.lastmod.copies import copied_folders, is_below
from sitemapper.model import SourceCandidate

NAMES = ("apple", "banana", "cherry")
TAGS = ("blue", "green", "red")
TITLED = "---\ntitle: {}\n---\nText.\n"
PAGE = "<!doctype html><title>{0}</title><h1>{0}</h1><main>Text.</main>"


def site_of(names: tuple[str, ...]) -> dict[str, str]:
    """The pages of fruits, and those of tags."""
    paths = {f"fruit/{name}/index.html": name.title() for name in names}
    paths |= {f"tags/{tag}/index.html": tag.title() for tag in TAGS}
    pages = {path: PAGE.format(title) for path, title in paths.items()}
    return pages | {"index.html": '<meta name="generator" content="Hugo 0.111.3">Home'}


def dates(repo: Repo, run: Run) -> dict[str, str]:
    assert run("build", "public", "--base-url", "https://example.com", "--lastmod", "git") == 0
    text = (repo.root / "public/sitemap.xml").read_text()
    return dict(re.findall(r"<loc>https://example.com/(.*?)/?</loc>(?:<lastmod>(.*?)T)?", text))


@pytest.mark.parametrize("copy", ["docs", "public-old", "archive/2025/site"])
@pytest.mark.parametrize("names", [NAMES, NAMES[:1]])
def test_a_committed_copy_of_the_site_is_no_source(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, copy: str, names: tuple[str, ...]
) -> None:
    monkeypatch.chdir(repo.root)
    settings = {"hugo.toml": 'baseURL = "https://example.com"', ".gitignore": "/public/"}
    repo.commit(1, settings | {f"content/fruit/{n}.md": TITLED.format(n.title()) for n in names})
    repo.commit(2, {f"{copy}/{path}": text for path, text in site_of(names).items()})
    write_site(repo.root / "public", site_of(names))
    expected = {f"fruit/{name}": "2026-01-01" for name in names}
    assert dates(repo, run) == expected | {"": ""} | {f"tags/{tag}": "" for tag in TAGS}


def test_a_copy_with_other_forms_of_urls_and_several_copies(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.root)
    texts = {f"text/{name}.md": TITLED.format(name.title()) for name in NAMES}
    repo.commit(1, texts | {".gitignore": "/public/"})
    flat = {path.replace("/index.html", ".html"): text for path, text in site_of(NAMES).items()}
    repo.commit(2, {f"v1/{path}": text for path, text in site_of(NAMES).items()})
    repo.commit(3, {f"v2/{path}": text for path, text in flat.items()})
    repo.commit(4, {f"v2/_sources/fruit/{name}.rst.txt": "x" for name in NAMES})
    write_site(repo.root / "public", site_of(NAMES))
    assert {dates(repo, run)[f"fruit/{name}"] for name in NAMES} == {"2026-01-01"}


def test_nothing_in_the_output_folder_of_the_generator_is_a_source(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.root)
    repo.commit(1, {"hugo.toml": 'baseURL = "https://example.com"'})
    repo.commit(2, {f"public/{path}": text for path, text in site_of(NAMES).items()})
    write_site(repo.root / "dist", site_of(NAMES))
    command = ("build", "dist", "--base-url", "https://example.com", "--lastmod", "git")
    assert run(*command) == 0
    assert "<lastmod>" not in (repo.root / "dist/sitemap.xml").read_text()


def test_html_that_a_tool_copies_to_the_site_is_a_source(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.root)
    repo.commit(1, {f"src/{path}": text for path, text in site_of(NAMES).items()})
    repo.commit(2, {"src/fruit/apple/README.md": "# Apple\n", "docs/banana.md": "# Banana\n"})
    repo.commit(3, {".gitignore": "/public/"})
    write_site(repo.root / "public", site_of(NAMES))
    found = dates(repo, run)
    assert {found[path] for path in ("fruit/cherry", "fruit/banana", "tags/red")} == {"2026-01-01"}


def candidate(name: str, title: str = "", *, is_trusted: bool = False) -> SourceCandidate:
    return SourceCandidate(name, 100, title, is_named=bool(title), is_trusted=is_trusted)


def test_how_many_pages_show_that_a_folder_is_a_copy() -> None:
    pages = {f"{name}.html": [candidate(f"docs/{name}.html")] for name in NAMES}
    assert copied_folders(pages) == set()
    for name in NAMES[:2]:
        pages[f"{name}.html"].append(candidate(f"text/{name}.md"))
    assert copied_folders(pages) == set()
    pages["cherry.html"].append(candidate("text/cherry.html", "Cherry"))
    assert copied_folders(pages) == {"docs"}


def test_one_source_in_the_folder_of_the_generator_suffices() -> None:
    copy = candidate("docs/a/index.html")
    assert copied_folders({"a/index.html": [copy, candidate("content/a.md")]}) == set()
    trusted = candidate("content/a.md", is_trusted=True)
    assert copied_folders({"a/index.html": [copy, trusted]}) == {"docs"}
    inside = candidate("docs/a/README.md", is_trusted=True)
    assert copied_folders({"a/index.html": [copy, inside]}) == set()


def test_looking_for_files_in_many_folders_takes_linear_time() -> None:
    def prepare(count: int) -> Callable[[], object]:
        folders = {f"copies/{number}" for number in range(count)}
        names = [f"text/{number}/apple.html" for number in range(count)]
        return lambda: [name for name in names if is_below(name, folders)]

    assert_linear(prepare, 8_000)
    assert is_below("a/b/c.html", {"a"}) and not is_below("ab/c.html", {"a"})
