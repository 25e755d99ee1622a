"""The dates of pages whose sources nobody names: found by path and title, dated by their commits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import BASE, Run, notes_of, write_site
from support.git import Repo, day
from support.git import load as build
from support.ledger import dates as written

from sitemapper.lastmod import source_files, source_search
from sitemapper.lastmod.git import History
from sitemapper.lastmod.source_paths import Source
from sitemapper.model import NoDate

NAMES = ("apple", "banana", "cherry")
TITLED = "---\ntitle: {}\n---\n{}\n"
PAGE = "<title>{0} | Fruit</title><main><h1>{0}</h1>{1}</main>"


def pages(*names: str, text: str = "") -> dict[str, str]:
    return {f"{name}/index.html": PAGE.format(name.title(), text) for name in names}


@pytest.fixture
def fruit(repo: Repo) -> Repo:
    """Three sources, one of them edited, and the site that is built from them."""
    repo.commit(
        1,
        {".gitignore": "public/"}
        | {f"text/{name}.md": TITLED.format(name.title(), "") for name in NAMES},
    )
    repo.commit(2, {"text/banana.md": TITLED.format("Banana", "More.")})
    write_site(repo.root / "public", pages(*NAMES) | {"index.html": PAGE.format("Fruit", "")})
    return repo


def dates(root: Path, **values: object) -> dict[str, str]:
    """The day of each page, empty for a page without a date."""
    build(root, **{"git": {}, **values})
    found = written(root / "public")
    return {page.rstrip("/"): (date or "").partition("T")[0] for page, date in found.items()}


def test_a_page_has_the_date_of_its_source(fruit: Repo) -> None:
    assert dates(fruit.root) == {
        "": "",
        "apple": "2026-01-01",
        "banana": "2026-01-02",
        "cherry": "2026-01-01",
    }


def test_a_title_between_other_words_is_shown(fruit: Repo) -> None:
    pages = {
        f"{name}/index.html": f"<title>Fruit: {name} | The Shop</title><h1>Fruit: {name}</h1>"
        for name in NAMES
    }
    write_site(fruit.root / "public", pages)
    assert dates(fruit.root)["banana"] == "2026-01-02"


def test_a_source_beside_its_translations_makes_no_page_of_their_languages(repo: Repo) -> None:
    """As with Hugo, if the default language has a folder of its own."""
    sources = {f"content/{name}/index.md": TITLED.format(name.title(), "") for name in NAMES}
    translated = {f"content/{name}/index.de.md": TITLED.format("Obst", "") for name in NAMES}
    repo.commit(1, {"hugo.toml": "", ".gitignore": "public/", **sources, **translated})
    repo.commit(2, {"content/apple/index.de.md": TITLED.format("Obst", "Mehr.")})
    for name, page in pages(*NAMES).items():
        german = PAGE.format("Obst", "")
        write_site(repo.root / "public", {f"en/{name}": page, f"de/{name}": german})
    found = dates(repo.root)
    assert found.pop("de/apple") == "2026-01-02"
    assert set(found.values()) == {"2026-01-01"}


def test_a_folder_of_sources_that_the_settings_name(repo: Repo, run: Run) -> None:
    """Two pages are too few to show that the folder of their sources is one."""
    repo.commit(
        1,
        {
            "hugo.yaml": "languages:\n  en:\n    contentDir: content/en\n",
            ".gitignore": "public/",
            "content/en/fig.md": TITLED.format("Fig", ""),
            "content/en/kiwi.md": TITLED.format("Kiwi", ""),
        },
    )
    write_site(repo.root / "public", {"index.html": ""} | pages("fig", "kiwi"))
    assert run("explain", "fig/index.html", "--base-url", BASE) == 0
    assert "content/en/fig.md  (path and title in the generator's folder; commit " in run.out


def test_explain_names_the_nearest_file_and_what_is_missing(fruit: Repo, run: Run) -> None:
    fruit.commit(3, {"notes/fig.md": TITLED.format("Fig", "")})
    write_site(fruit.root / "public", pages("fig"))
    assert run("explain", "fig/index.html", "--site", "public", "--base-url", BASE) == 0
    assert (
        "source      none  (notes/fig.md has a similar path, but the generator is not known to "
        "read its folder; public/fig/index.html is "
        "not committed)"
    ) in run.out


def test_a_page_that_shows_much_more_than_its_source_has_none(fruit: Repo) -> None:
    write_site(fruit.root / "public", pages("cherry", text="Untranslated. " * 100))
    assert dates(fruit.root)["cherry"] == ""


def test_redirects_and_excluded_pages_are_dated_by_no_source(fruit: Repo) -> None:
    redirect = '<meta http-equiv="refresh" content="0; url=/{0}/"><title>{0}</title>'
    excluded = '<meta name="robots" content="noindex"><title>{0}</title>'
    pages = {f"text/{name}/index.html": redirect.format(name) for name in NAMES[:2]}
    pages["text/cherry/index.html"] = excluded.format("cherry")
    write_site(fruit.root / "public", pages)
    assert dates(fruit.root)["banana"] == "2026-01-02"
    assert dates(fruit.root)["cherry"] == "2026-01-01"


def test_an_included_file_counts_as_a_source_and_generated_text_has_none(
    fruit: Repo, run: Run
) -> None:
    fruit.commit(
        3,
        {
            "text/fig.md": '# Fig\n\n--8<-- "docs/NEWS.md"\n',
            "text/kiwi.md": "# Kiwi\n\n::: fruit.kiwi\n",
            "text/lime.md": '# Lime\n\n--8<-- "unknown.md"\n',
            "docs/NEWS.md": "News. " * 500,
        },
    )
    fruit.commit(4, {"docs/NEWS.md": "News. " * 600})
    write_site(fruit.root / "public", pages("fig", text="News. " * 600) | pages("kiwi", "lime"))
    found = dates(fruit.root)
    assert [found[name] for name in ("fig", "kiwi", "lime")] == ["2026-01-04", "", ""]
    assert run("explain", "fig/index.html", "--site", "public", "--base-url", BASE) == 0
    assert re.findall(r"  source +(\S+)  \((\w+)", run.out) == [
        ("text/fig.md", "path"),
        ("docs/NEWS.md", "included"),
    ]


def test_templates_of_the_user_win_and_can_forbid(fruit: Repo) -> None:
    fruit.commit(5, {"more/of-apple.txt": "x"})
    maps = [
        {"page": "{name}/index.html", "source": ["more/of-{name}.txt"]},
        {"page": "cherry/index.html", "source": []},
    ]
    found = dates(fruit.root, git={"map": maps})
    assert found == {"": "", "apple": "2026-01-05", "banana": "2026-01-02", "cherry": ""}


def test_of_too_many_sources_only_those_whose_names_fit_are_compared(
    fruit: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    fruit.commit(3, {"text/fig.md": TITLED.format("Fig", "")})  # there is no page of its name
    monkeypatch.setattr(source_files, "MAX_SOURCES", 3)
    summary = build(fruit.root, git={})
    assert summary.dated == {"git": 3}
    assert not any("may be sources" in note for note in notes_of(summary))
    monkeypatch.setattr(source_files, "MAX_SOURCES", 2)
    summary = build(fruit.root, git={}, max_drop=100)
    assert summary.dated == {"git": 0}
    assert (
        "3 files may be sources of pages, too many to compare with the pages\n"
        "help: name the sources with [[git.map]]"
    ) in notes_of(summary)


def test_the_versions_of_mike_are_not_made_of_the_sources_of_today(fruit: Repo) -> None:
    """mike publishes each version of a documentation, and lists them in versions.json."""
    write_site(fruit.root / "public", {"versions.json": "[]"})
    assert set(dates(fruit.root).values()) == {""}


def test_a_source_that_is_a_link_is_not_read(fruit: Repo) -> None:
    (fruit.root / "text/apple.md").unlink()
    (fruit.root / "text/apple.md").symlink_to("banana.md")
    fruit.commit(6, {})
    assert dates(fruit.root)["apple"] == ""


def test_explain_says_why_a_source_counts_or_none_does(fruit: Repo, run: Run) -> None:
    fruit.commit(
        3, {"text/fig.md": TITLED.format("Fig", ""), "text/fig.rst": TITLED.format("Fig", "")}
    )
    write_site(fruit.root / "public", pages("fig") | pages("cherry", text="Much. " * 500))
    said = {}
    for name in ("banana", "cherry", "fig", ""):
        assert (
            run("explain", f"{name}/index.html".lstrip("/"), "--site", "public", "--base-url", BASE)
            == 0
        )
        said[name] = re.findall(r"  source +(.*)", run.out)
    commit = fruit("rev-parse", "HEAD~1")[:12]
    assert said == {
        "banana": [
            f"text/banana.md  (path and title; at least 3 pages show the titles of files in its folder; commit {commit})"
        ],
        "cherry": ["none  (the page shows 3 KB, its source text/cherry.md has 23 bytes)"],
        "fig": ["none  (fits text/fig.md and text/fig.rst)"],
        "": ["none  (a home page or a list of pages, which shows more than one source file)"],
    }


def test_a_note_says_that_no_source_is_known(
    fruit: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = write_site(fruit.root / "public", pages(*"abcdefghijkl"))
    for file in site.rglob("*.html"):
        file.touch()
    assert run("build", "public", "--base-url", BASE) == 0
    assert "12 pages have no date (such as a/index.html): no source is known\n" in run.err
    assert "as is usual" not in run.err  # the list of other pages
    assert "; name the sources of the pages with [[git.map]]\n" in run.err
    monkeypatch.setenv("PATH", str(fruit.root))
    assert run("build", "public", "--base-url", BASE) == 2
    assert ": git is not installed\n  help: install it; if the loss is intended" in run.err
    assert run("build", "public", "--base-url", BASE, "--max-drop", "100") == 0
    assert "; git is not installed; install it\n" in run.err


def test_a_page_with_only_redirects_below_it_is_a_list_too(fruit: Repo, run: Run) -> None:
    """Hugo writes `tags/red/page/1/`, which leads to `tags/red/`."""
    redirect = {"tags/red/page/1/index.html": '<meta http-equiv="refresh" content="0; url=../../">'}
    site = write_site(fruit.root / "public", pages("tags/red") | redirect)
    for file in site.rglob("*.html"):
        file.touch()
    assert run("build", "public", "--base-url", BASE, "--verbose") == 0
    assert "note: 2 home or list pages have no date, as is usual\n" in run.err
    assert "no source is known" not in run.err


def test_a_note_groups_pages_by_their_own_causes(fruit: Repo, run: Run) -> None:
    title = TITLED.format("Fig", "")
    fruit.commit(3, {"text/fig.md": title, "text/fig.rst": title})
    site = write_site(
        fruit.root / "public", pages("fig", "x", "y") | pages("cherry", text="Much. " * 500)
    )
    for file in site.rglob("*.html"):
        file.touch()
    assert run("build", "public", "--base-url", BASE) == 0
    note = run.err.partition("note: ")[2].splitlines()[0]
    assert note == (
        "4 pages have no date (such as cherry/index.html): 2: no source is known; 1: two sources "
        "fit; 1: the page shows more than its source"
    )


def test_pages_behind_the_edge_of_a_shallow_clone_are_not_said_to_have_no_source(
    fruit: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = fruit.clone("--depth=1").root
    write_site(clone / "public", pages(*NAMES))
    monkeypatch.chdir(clone)
    assert run("build", "public", "--base-url", BASE) == 0
    assert "this is a shallow clone" in run.err
    assert NoDate.UNKNOWN.value not in run.err


def test_pages_of_pkgdown_have_the_dates_of_the_files_in_man_and_vignettes(
    repo: Repo, run: Run
) -> None:
    text = "text " * 99
    manual = {f"man/{name}.Rd": f"\\title{{Makes {name}}}\n{text}" for name in NAMES}
    articles = {f"vignettes/on-{name}.Rmd": f"---\ntitle: On {name}\n---\n{text}" for name in NAMES}
    repo.commit(1, {"_pkgdown.yml": f"url: {BASE}", ".gitignore": "docs", **manual})
    repo.commit(2, articles)
    site = {f"reference/{name}.html": f"<h1>Makes {name}</h1>" for name in NAMES}
    site |= {f"articles/on-{name}.html": f"<h1>On {name}</h1>" for name in NAMES}
    write_site(repo.root / "docs", {"index.html": "<title>Home</title>", **site})
    assert run("build", "--base-url", BASE) == 0
    found = written(repo.root / "docs")
    assert {found[path] for path in site if path.startswith("reference/")} == {day(1)}
    assert {found[path] for path in site if path.startswith("articles/")} == {day(2)}


def test_files_outside_the_generators_folders_are_opened_only_if_their_names_fit(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {f"content/{name}.md": TITLED.format(name.title(), "") for name in NAMES}
    others = dict.fromkeys(("notes/other.md", "packages/1/other.md"), "# Other")
    ours = {"hugo.toml": "", ".gitignore": "public/", "shared/fig.md": "# Fig"}
    repo.commit(1, sources | others | ours)
    write_site(repo.root / "public", pages(*NAMES, "fig") | {"index.html": ""})
    opened: list[str] = []
    read = source_search._read_source

    def noting(history: History, name: str) -> Source | None:
        opened.append(name)
        return read(history, name)

    monkeypatch.setattr(source_search, "_read_source", noting)
    assert run("build", "--base-url", BASE) == 0
    assert sorted(opened) == [*sources, "shared/fig.md"]
