"""Which source made a page: paths that end alike, proved folders, and what the page shows."""

from __future__ import annotations

import pytest

from sitemapper.lastmod.source_choice import Choice, choose
from sitemapper.lastmod.source_files import Matching
from sitemapper.lastmod.source_paths import make_source
from sitemapper.model import NoDate, PossibleSource, ShownBy
from sitemapper.syntax.source_text import SourceFacts, read_source, words


def file_of(name: str, facts: SourceFacts) -> PossibleSource:
    """A file of 100 bytes."""
    return PossibleSource(name, 100, facts.title, facts.has_own_title)


def titled(title: str) -> str:
    return f"---\ntitle: {title}\n---\nText.\n"


def matched(
    files: dict[str, str], shown: dict[str, str], *folders: str, size: int = 10
) -> dict[str, Choice]:
    """The choice for each page that has candidates; `shown` holds the title of each page."""
    read = ((name, read_source(text.encode())) for name, text in files.items())
    matching = Matching(make_source(file_of(name, facts), facts) for name, facts in read if facts)
    for page in shown:
        matching.add(page)
    titles = {page: {words(title)} for page, title in shown.items()}
    of = matching.files_by_page(titles.__getitem__, folders, lambda _: True)
    return {
        page: choose(found, titles[page], size)
        for page, found in of.items()
        if any(file.shown_by is not ShownBy.NOTHING for file in found)
    }


def sources(files: dict[str, str], shown: dict[str, str], *folders: str) -> dict[str, str]:
    """The source of each page that has one."""
    return {
        page: choice.source.name
        for page, choice in matched(files, shown, *folders).items()
        if choice.source
    }


def folder(template: str, *names: str) -> dict[str, str]:
    """Files or pages by a template, each with its own title."""
    return {template.format(name): name.title() for name in names}


def files(template: str, *names: str) -> dict[str, str]:
    return {path: titled(title) for path, title in folder(template, *names).items()}


ABC = ("apple", "banana", "cherry")


@pytest.mark.parametrize(
    ("source", "page"),
    [
        ("content/{}.md", "{}/index.html"),
        ("content/{}/index.md", "blog/{}/index.html"),
        ("docs/{}/README.md", "{}/index.html"),
        ("_posts/2026-01-02-{}.md", "2026/01/02/{}.html"),
        ("_posts/2026-01-02-{}.md", "fruit/2026/01/02/{}/index.html"),
        ("docs/03-{}.md", "docs/{}.html"),
        ("posts/4-{}.md", "posts/4-{}.html"),
        ("posts/10-{}.md", "posts/10-{}/index.html"),
        ("_articles/{}.md", "{}/index.html"),
        ("source/{}.html.md", "{}.html"),
        ("docs/modules/ROOT/pages/{}.adoc", "tool/2.0/{}.html"),
        ("en/{}.md", "{}.html"),
        ("content/blog/{0}/{0}.mdx", "{0}/index.html"),
        ("docs/{0}/{0}.md", "docs/{0}/{0}/index.html"),
    ],
)
def test_paths_that_end_alike(source: str, page: str) -> None:
    names = sources(files(source, *ABC), folder(page, *ABC))
    assert names == {page.format(name): source.format(name) for name in ABC}


def test_three_pages_that_show_their_sources_titles_prove_a_folder() -> None:
    assert sources(files("content/{}.md", *ABC[:2]), folder("{}.html", *ABC[:2])) == {}
    shown = folder("{}.html", *ABC)
    assert len(sources(files("content/{}.md", *ABC), shown)) == 3
    assert sources(files("content/{}.md", *ABC), shown | {"cherry.html": "Plum"}) == {}


def test_one_folder_proves_no_other() -> None:
    there = files("blog/{}.md", *ABC) | files("docs/{}.md", "plum")
    shown = folder("blog/{}.html", *ABC) | folder("docs/{}.html", "plum")
    assert set(sources(there, shown)) == set(folder("blog/{}.html", *ABC))


def test_in_the_folder_of_its_generator_a_title_is_proof_enough() -> None:
    there = files("docs/{}.md", "plum") | {"docs/quince.md": titled("Other")}
    shown = folder("{}/index.html", "plum", "quince")
    assert (
        matched(there, shown, "docs")["plum/index.html"].reason
        == "path and title in the generator's folder"
    )
    assert set(sources(there, shown, "docs")) == {"plum/index.html"}
    bare = {"docs/plum.md": "Text.", "docs/fig/date.md": "Text."}
    found = matched(bare, shown | {"fig/date/index.html": "Fig"}, "docs")
    assert {choice.reason for choice in found.values()} == {"path in the generator's folder"}
    assert matched(bare, shown) == {}
    assert sources(there, shown) == {}


def test_a_source_belongs_to_the_page_that_it_fits_best() -> None:
    there = files("content/en/{}.md", *ABC) | files("content/de/{}.md", *ABC)
    shown = (
        folder("{}/index.html", *ABC)
        | folder("de/{}/index.html", *ABC)
        | folder("fr/{}/index.html", *ABC)
    )
    found = sources(there, shown)
    assert found == {f"{name}/index.html": f"content/en/{name}.md" for name in ABC} | {
        f"de/{name}/index.html": f"content/de/{name}.md" for name in ABC
    }


def test_a_language_behind_the_name() -> None:
    there = files("content/{}.md", *ABC) | files("content/{}.de.md", *ABC)
    found = sources(there, folder("{}/index.html", *ABC) | folder("de/{}/index.html", *ABC))
    assert found["apple/index.html"] == "content/apple.md"
    assert found["de/apple/index.html"] == "content/apple.de.md"


def test_a_source_that_fits_two_pages_makes_none() -> None:
    there, shown = files("content/{}.md", *ABC, "plum"), folder("a/{}.html", *ABC, "plum")
    assert "a/plum.html" in sources(there, shown)
    assert set(sources(there, shown | {"b/plum.html": "Plum"})) == set(folder("a/{}.html", *ABC))


def test_the_years_and_months_of_posts_are_one_folder() -> None:
    """A blog with a folder a month had dates in the months with three posts only."""
    fruit = dict(zip((*ABC, "date"), ("2024/11", "2024/12", "2025/01/02", "2026"), strict=True))
    there = {f"blog/{month}/{name}.md": titled(name) for name, month in fruit.items()}
    for page in ("{}/index.html", "blog/{}.html", "blog/{1}/{0}/index.html"):
        assert len(sources(there, {page.format(*item): item[0] for item in fruit.items()})) == 4
    again = there | {"blog/2025/11/apple.md": titled("apple")}
    assert set(sources(again, folder("{}.html", *fruit))) == set(folder("{}.html", *fruit)) - {
        "apple.html"
    }
    years = files("docs/{}/setup.md", "2024", "2025", "2026")
    assert len(sources(years, folder("docs/{}/setup.html", "2024", "2025", "2026"))) == 3


def test_a_weekly_post_of_one_name_for_years() -> None:
    """Above a hundred sources of one name, only the folder above told them apart, and these have none."""
    days = [f"{year}-{month:02}-{day:02}" for year in range(2016, 2026) for month in (1, 12) for day in (1, 8, 15, 22, 29, 30)]  # fmt: skip
    there = {f"_posts/{day}-this-week.md": titled("This week") for day in days}
    pages = {
        f"{day.replace('-0', '-').replace('-', '/')}/this-week.html": "This week" for day in days
    }
    assert sources(there, pages) == dict(zip(pages, there, strict=True))


def test_slugs_ids_titles_and_dates_of_the_metadata() -> None:
    there = {
        "posts/1.md": "---\ntitle: One\nslug: first\n---\n",
        "posts/2.md": "+++\ntitle = 'Two'\nid = 'second'\n+++\n",
        "posts/3.md": "Title: The Third One\nDate: 2026-01-02\n\nText.\n",
        "posts/4.rst": "Four\n####\n\n:slug: fourth\n\nText.\n",
    }
    shown = {
        "blog/first/index.html": "One",
        "blog/second/index.html": "Two",
        "blog/2026/01/02/the-third-one/index.html": "The Third One",
        "blog/fourth/index.html": "Four",
    }
    assert list(sources(there, shown).values()) == list(there)


def test_a_permalink_needs_no_proof_but_stands_for_the_whole_path() -> None:
    there = {
        "a.md": "---\npermalink: /about/us/\n---\n",
        "b.md": "---\npermalink: /{{ page.x }}/b/\n---\n",
    }
    found = matched(there, {"about/us/index.html": "", "x/b/index.html": "", "us/index.html": ""})
    assert {page: choice.reason for page, choice in found.items()} == {
        "about/us/index.html": "path; it sets this path itself"
    }
    assert matched({"a.md": "---\nurl: https://example.com/x/\n---\n"}, {"x/index.html": ""}) == {}


def test_the_title_of_a_bundle_may_stand_for_its_folder() -> None:
    """Hugo with `posts = "/:section/:title"`."""
    there = {
        f"content/posts/2020010{number}-x/index.md": titled(title.title())
        for number, title in enumerate(ABC)
    }
    shown = folder("posts/{}/index.html", *ABC)
    assert sources(there, shown, "content") == dict(zip(shown, there, strict=True))


def test_an_example_in_the_text_of_a_source_does_not_set_its_title() -> None:
    facts = read_source(b"---\ntitle: Tea\n---\nText:\n\n```org\n#+TITLE: Example\n```\n")
    assert facts and facts.title == "tea"


def test_a_path_that_is_known_fits_no_page_without_one_of_its_folders() -> None:
    permalink = "---\npermalink: /docs/next/boil/\n---\n"
    shown = {"docs/boil/index.html": "Boil"}
    assert matched({"a.md": permalink}, shown) == {}


def test_the_path_of_zola_stands_for_the_whole_path() -> None:
    there = {
        "content/Rust-1.0.md": '+++\npath = "2015/05/15/Rust-1.0"\ntitle = "Rust"\n+++\n',
        "content/first.md": '+++\npath = "/1-first/"\n+++\n',
        "content/us.md": '+++\npath = "about"\n+++\n',
        "content/other.md": "---\npath: about/other\n---\n",
    }
    pages = ("2015/05/15/Rust-1.0", "1-first", "about", "x/about", "about/other")
    shown = {f"{page}/index.html": "Rust" for page in pages}
    assert sources(there, shown) == dict(zip(shown, list(there)[:3], strict=False))


def test_the_translations_of_docusaurus_are_of_pages_in_their_language() -> None:
    translated = "website/i18n/zh-CN/docusaurus-plugin-content-docs/current/{}.md"
    there = files("website/docs/{}.md", *ABC) | files(translated, *ABC, "plum")
    names = (*ABC, "current")
    there |= files("website/docs/{}.md", *names) | files(translated, *names)
    shown = folder("docs/{}/index.html", *names, "plum") | folder(
        "zh-CN/docs/{}/index.html", *names
    )
    assert sources(there, shown) == {
        f"{folder}docs/{name}/index.html": source.format(name)
        for folder, source in (("", "website/docs/{}.md"), ("zh-CN/", translated))
        for name in names
    }


def test_two_candidates() -> None:
    there = files("content/{}.md", *ABC) | {
        "content/plum.md": titled("Plum"),
        "content/plum/index.md": titled("Old"),
        "content/quince.md": "# Quince",
        "notes/quince.md": "# Quince",
    }
    found = sources(there, folder("{}/index.html", *ABC, "plum", "quince"))
    assert found["plum/index.html"] == "content/plum.md"
    assert found["quince/index.html"] == "content/quince.md"


def test_a_title_that_the_page_does_not_show() -> None:
    there = files("content/{}.md", *ABC) | {
        "content/plum.md": titled("Plum"),
        "content/fig.md": "# Figs",
    }
    found = matched(there, folder("{}.html", *ABC) | {"plum.html": "Prune", "fig.html": "Fig"})
    why = "the page does not show the title of content/plum.md"
    assert found["plum.html"] == (None, why, NoDate.UNKNOWN)
    assert (
        found["fig.html"].reason == "path; at least 3 pages show the titles of files in its folder"
    )
