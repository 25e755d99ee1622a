"""When pages last changed by git: their sources, the commits that count, and what is no edit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.rooms import BASE, DAY, START, Repo, date_site, day, noon, write

NAMES = ("apple", "banana", "cherry")
OF_GIT = ["published", "front_matter", "git"]  # without the times of the files


def titled(title: str, text: str = "Text.", **front: str) -> str:
    """A source with front matter."""
    rows = "".join(f"{key}: {value}\n" for key, value in front.items())
    return f"---\ntitle: {title}\n{rows}---\n{text}\n"


def shown(title: str, text: str = "") -> str:
    """A page that shows a title."""
    return f"<title>{title} | Fruit</title><main><h1>{title}</h1>{text}</main>"


def sources(template: str, *names: str) -> dict[str, str]:
    return {template.format(name): titled(name.title()) for name in names}


def pages(template: str, *names: str) -> dict[str, str]:
    return {f"public/{template.format(name)}": shown(name.title()) for name in names}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository in which the built site is ignored."""
    repo = Repo(tmp_path / "project")
    write(repo.root, {".gitignore": "public/\n"})
    return repo


def built(repo: Repo, files: dict[str, str], built_pages: dict[str, str], **values: Any) -> str:
    """The days of pages whose sources are committed on the first day."""
    repo.commit(1, files)
    write(repo.root, built_pages)
    return date_site(repo.root, lastmod=OF_GIT, **values).days


# --- From a page to its source


@pytest.mark.parametrize(
    ("source", "page"),
    [
        ("content/{}.md", "{}/index.html"),
        ("content/{}/index.md", "blog/{}/index.html"),
        ("docs/{}/README.md", "{}/index.html"),
        ("_posts/2026-01-02-{}.md", "2026/01/02/{}.html"),
        ("_posts/2026-01-02-{}.md", "2026/1/2/{}.html"),
        ("_posts/2026-01-02-{}.md", "fruit/2026/01/02/{}/index.html"),
        ("_posts/2026-01-02-{}.md", "2026/01/01/{}.html"),  # Jekyll in another time zone
        ("docs/03-{}.md", "docs/{}.html"),
        ("posts/4-{}.md", "posts/4-{}.html"),
        ("posts/10-{}.md", "posts/10-{}/index.html"),
        ("docs/01-guide/03-{}.md", "docs/guide/{}.html"),
        ("_articles/{}.md", "{}/index.html"),
        ("source/{}.html.md", "{}.html"),
        ("docs/modules/ROOT/pages/{}.adoc", "tool/2.0/{}.html"),
        ("docs/modules/guide/pages/{}.adoc", "guide/{}.html"),
        ("en/{}.md", "{}.html"),
        ("content/{}.en.md", "en/{}/index.html"),
        ("content/blog/{0}/{0}.mdx", "{0}/index.html"),
        ("docs/{0}/{0}.md", "docs/{0}/{0}/index.html"),
        ("news/2026/05/{}.md", "news/{}/index.html"),
        ("i18n/zh-CN/docusaurus-plugin-content-docs/current/{}.md", "zh-CN/docs/{}/index.html"),
    ],
)
def test_paths_that_end_alike(repo: Repo, source: str, page: str) -> None:
    """Three pages that show the titles of their sources show that the folders belong together."""
    assert built(repo, sources(source, *NAMES), pages(page, *NAMES)).count(":1") == 3


HUGO = {"hugo.toml": "baseURL = 'https://tea.example/'"}
ROWS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "two pages are too few to show that two folders belong together": (
        sources("text/{}.md", "apple", "banana"),
        pages("{}.html", "apple", "banana"),
        "apple.html:- banana.html:-",
    ),
    "in the folder of the generator the exact path is enough": (
        HUGO | {"content/fig.md": "Text.", "content/kiwi/index.md": "Text."},
        pages("{}/index.html", "fig", "kiwi"),
        "fig:1 kiwi:1",
    ),
    "there a title may stand for the name": (
        HUGO | {"content/2020-fig.md": titled("Green Fig")},
        pages("{}/index.html", "green-fig") | {"public/green-fig/index.html": shown("Green Fig")},
        "green-fig:1",
    ),
    "numbers of a name stay where the whole name fits": (
        HUGO | sources("content/{}-recap.md", "2018", "2023"),
        pages("{}-recap/index.html", "2018", "2023"),
        "2018-recap:1 2023-recap:1",
    ),
    "the settings name the folder, and another one has files of the same paths": (
        {"mkdocs.yml": "site_name: x\ndocs_dir: guide\nsite_dir: public\n"}
        | sources("guide/{}.md", *NAMES)
        | sources("other/{}.md", *NAMES),
        pages("{}/index.html", *NAMES),
        "apple:1 banana:1 cherry:1",
    ),
    "two packages with the same paths: the one of the project": (
        {".vitepress/config.js": "export default {outDir: 'public'}"}
        | sources("src/{}.md", *NAMES)
        | sources("a.md", "x"),
        pages("{}.html", *NAMES),
        "apple.html:1 banana.html:1 cherry.html:1",
    ),
    "docs beside the website, named by their id": (
        {f"docs/{number}-x.md": titled(name.title(), id=name) for number, name in enumerate(NAMES)}
        | {"docs/apple.md": "# Other"},
        pages("docs/{}/index.html", *NAMES),
        "docs/apple:1 docs/banana:1 docs/cherry:1",
    ),
    "slugs and dates of the front matter": (
        {
            "posts/1.md": titled("One", slug="first"),
            "posts/2.md": "+++\ntitle = 'Two'\nid = 'second'\n+++\nText.\n",
            "posts/3.md": "Title: The Third\nDate: 2026-01-02\n\nText.\n",
            "posts/4.rst": "Four\n####\n\n:slug: fourth\n\nText.\n",
            "posts/first.md": "x",  # so that the folder is read
        },
        {
            "public/blog/2026/01/02/the-third/index.html": shown("The Third"),
            "public/blog/first/index.html": shown("One"),
            "public/blog/fourth/index.html": shown("Four"),
            "public/blog/second/index.html": shown("Two"),
        },
        "blog/2026/01/02/the-third:1 blog/first:1 blog/fourth:1 blog/second:1",
    ),
    "a literal permalink needs no proof, but is the whole path": (
        {
            "us.md": "---\npermalink: /about/us/\n---\nText.\n",
            "b.md": "---\npermalink: /:title/b/\n---\nText.\n",
        },
        pages("{}/index.html", "about/us", "us", "x/b"),
        "about/us:1 us:- x/b:-",
    ),
    "a source belongs to the page that is nearest": (
        sources("content/en/{}.md", *NAMES) | sources("content/de/{}.md", *NAMES),
        pages("{}/index.html", *NAMES)
        | pages("de/{}/index.html", *NAMES)
        | pages("fr/{}/index.html", *NAMES),
        "apple:1 banana:1 cherry:1 de/apple:1 de/banana:1 de/cherry:1 "
        "fr/apple:- fr/banana:- fr/cherry:-",
    ),
    "a translation beside a source has the pages of its language": (
        HUGO
        | sources("content/{}.md", *NAMES)
        | {f"content/{name}.de.md": titled("Obst") for name in NAMES},
        pages("en/{}/index.html", *NAMES)
        | {f"public/de/{name}/index.html": shown("Obst") for name in NAMES},
        "de/apple:1 de/banana:1 de/cherry:1 en/apple:1 en/banana:1 en/cherry:1",
    ),
    "a source that fits two pages makes neither": (
        sources("content/{}.md", *NAMES, "plum"),
        pages("a/{}.html", *NAMES, "plum") | pages("b/{}.html", "plum"),
        "a/apple.html:1 a/banana.html:1 a/cherry.html:1 a/plum.html:- b/plum.html:-",
    ),
    "the title decides between two sources, and nothing if both have it": (
        HUGO
        | {"content/plum.md": titled("Plum"), "content/plum/index.md": titled("Old")}
        | {"content/fig.md": titled("Fig"), "content/fig.rst": titled("Fig")},
        pages("{}/index.html", "fig", "plum"),
        "fig:- plum:1",
    ),
    "a page that shows much more than its source": (
        HUGO | sources("content/{}.md", "fig"),
        {"public/fig/index.html": shown("Fig", "More. " * 200)},
        "fig:-",
    ),
    "a template that loops over other pages, and one that shows how to": (
        HUGO
        | {"content/list.md": titled("List", "{% for post in site.posts %}{{ post }}{% endfor %}")}
        | {"content/post.md": titled("Post", "```\n{% for post in site.posts %}\n```")}
        | {"content/team.md": titled("Team", "{% for one in page.team %}{{ one }}{% endfor %}")}
        | {"content/layout.md": titled("Layout", "")},
        pages("{}/index.html", "layout", "list", "post", "team"),
        "layout:1 list:- post:1 team:1",
    ),
    "a section of Hugo without children is a page, and one with children a list": (
        HUGO
        | sources("content/{}/_index.md", "empty", "full")
        | sources("content/full/{}.md", "a"),
        pages("{}/index.html", "empty", "full", "full/a")
        | {"public/full/a/index.html": shown("A")},
        "empty:1 full:- full/a:1",
    ),
    "the day that Hugo writes for none": (
        HUGO | {"content/fig.md": titled("Fig", date="0001-01-01T00:00:00Z")},
        pages("{}/index.html", "fig"),
        "fig:1",
    ),
    "the home page by its exact path": (
        {"mkdocs.yml": "site_name: x\nsite_dir: public\n", "docs/index.md": "# Fruit\n\nText."},
        {"public/index.html": shown("Fruit")},
        ".:1",
    ),
    "drafts, hidden files and templates make no page": (
        HUGO
        | {"content/a.md": titled("A", draft="true"), "content/_b.md": titled("B")}
        | {"layouts/c.html": titled("C"), "content/[d].md": titled("D")},
        pages("{}/index.html", *"abcd"),
        "a:- b:- c:- d:-",
    ),
    "one version of a documentation is not the source of another": (
        sources("docs/{}.md", *NAMES) | sources("versioned_docs/version-1.0/{}.md", *NAMES),
        pages("docs/{}/index.html", *NAMES),
        "docs/apple:- docs/banana:- docs/cherry:-",
    ),
    "redirects and excluded pages take no source": (
        sources("text/{}.md", *NAMES),
        pages("{}/index.html", *NAMES)
        | {
            f"public/text/{name}/index.html": '<meta name="robots" content="noindex">'
            for name in NAMES
        },
        "apple:1 banana:1 cherry:1",
    ),
    "a committed copy of the site dates no page that has a source": (
        sources("text/{}.md", *NAMES)
        | {f"copy/{name}/index.html": shown(name.title()) for name in NAMES},
        pages("{}/index.html", *NAMES),
        "apple:1 banana:1 cherry:1",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_the_source_of_a_page(repo: Repo, row: str) -> None:
    files, built_pages, expected = ROWS[row]
    assert built(repo, files, built_pages) == expected


def test_a_weekly_post_of_one_name_for_years(repo: Repo) -> None:
    dates = [f"{year}-{month:02}-{date:02}" for year in range(2016, 2026) for month in (1, 12) for date in (1, 8, 15, 22, 29, 30)]  # fmt: skip
    posts = {f"_posts/{date}-this-week.md": titled("This week") for date in dates}
    built_pages = {
        f"public/{date.replace('-', '/')}/this-week.html": shown("This week") for date in dates
    }
    assert built(repo, posts, built_pages).count(":1") == len(dates)


def test_a_source_that_is_a_link_is_not_read(repo: Repo) -> None:
    write(repo.root, HUGO | sources("content/{}.md", "apple"))
    (repo.root / "content/fig.md").symlink_to("apple.md")
    assert built(repo, {}, pages("{}/index.html", "apple", "fig")) == "apple:1 fig:-"


def test_files_outside_the_folders_are_opened_only_beside_names_that_fit(repo: Repo) -> None:
    files = HUGO | sources("content/{}.md", *NAMES) | {"notes/other.md": titled("Fig", slug="fig")}
    assert "fig:-" in built(repo, files, pages("{}/index.html", *NAMES, "fig"))


def test_two_repositories_the_sources_and_the_site(tmp_path: Path) -> None:
    """The output folder is a clone of the branch that is published."""
    repo = Repo(tmp_path / "project")
    repo.commit(1, HUGO | sources("content/{}.md", "apple") | {".gitignore": "/public/"})
    site = Repo(repo.root / "public")
    site.commit(3, {"apple/index.html": shown("Apple"), "fig/index.html": shown("Fig")})
    site.commit(4, {"fig/index.html": shown("Fig", "More.")})
    assert date_site(repo.root).days == "apple:1 fig:4"


def test_sources_in_a_submodule(tmp_path: Path) -> None:
    texts = Repo(tmp_path / "texts")
    texts.commit(2, sources("{}.md", "apple"))
    repo = Repo(tmp_path / "project")
    repo.commit(1, HUGO | {".gitignore": "/public/"})
    repo("submodule", "--quiet", "add", texts.root.as_uri(), "content")
    repo.commit(5)
    write(repo.root, pages("{}/index.html", "apple"))
    assert date_site(repo.root).days == "apple:2"


def test_pages_in_a_submodule_have_no_time_of_the_checkout(committed: Repo, tmp_path: Path) -> None:
    below = Repo(tmp_path / "below")
    below.commit(2, {"a.html": shown("A"), "b/index.html": shown("B")})
    committed.commit(1, {"public/c.html": shown("C")})
    committed("submodule", "--quiet", "add", below.root.as_uri(), "public/below")
    committed.commit(5)
    root = committed.clone("--recurse-submodules").root
    for number, name in enumerate(("below/a.html", "below/b/index.html", "d.html")):
        edit(root, f"public/{name}", shown(name), number + 7)
    site = date_site(root)
    assert site.days == "below/a.html:- below/b:- c.html:1 d.html:9"
    assert site.sources == "file_time file_time git mtime"


# --- [[git.map]]

MAP = {"page": "{path}/index.html", "source": ["content/{path}.md", "layouts/page.html"]}


@pytest.mark.parametrize(
    ("maps", "expected"),
    [
        ([], "apple:- fig:-"),
        ([MAP], "apple:4 fig:4"),  # the newest of the files that exist
        ([MAP, {"page": "fig/index.html", "source": []}], "apple:4 fig:-"),
        ([{"page": "{1}/index.html", "source": ["{1}"]}], "apple:- fig:-"),
    ],
)
def test_named_sources(repo: Repo, maps: list[dict[str, Any]], expected: str) -> None:
    repo.commit(1, {"content/apple.md": "1", "layouts/page.html": "1"})
    repo.commit(4, {"layouts/page.html": "2"})
    write(repo.root, pages("{}/index.html", "apple", "fig"))
    assert date_site(repo.root, lastmod=OF_GIT, git={"map": maps}).days == expected


def test_placeholders_split_paths_at_their_ends(repo: Repo) -> None:
    files = {"src/a/b-c.md": "1", "_posts/2026-01-05-hello-world.md": "1", "x-x.md": "1"}
    maps = [
        {"page": "{folder}/{name}.html", "source": ["src/{folder}-{name}.md"]},
        {"page": "{y}/{m}/{d}/{slug}.html", "source": ["_posts/{y}-{m}-{d}-{slug}.md"]},
        {"page": "{x}/{x}.htm", "source": ["{x}-{x}.md"]},
    ]
    built_pages = dict.fromkeys(
        ("public/a/b/c.html", "public/2026/01/05/hello-world.html", "public/x/x.htm"), "<p>"
    )
    found = built(repo, files, built_pages, git={"map": maps})
    assert found == "2026/01/05/hello-world.html:1 a/b/c.html:1 x/x.htm:1"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {"page": "{path}/index.html", "source": ["contnet/{path}.md"]},
            "git tracks no contnet/apple.md",
        ),
        (
            {"page": "{path}/index.html", "source": ["content/{slug}.md"]},
            "git tracks no content/{slug}.md",
        ),
        (
            {"page": "{path}.htm", "source": ["content/{path}.md"]},
            "no listed page is named like {path}.htm",
        ),
    ],
)
def test_a_map_that_finds_nothing_is_a_warning(
    repo: Repo, entry: dict[str, Any], said: str
) -> None:
    repo.commit(1, {"content/apple.md": "1"})
    write(repo.root, pages("{}/index.html", "apple"))
    site = date_site(repo.root, git={"map": [entry]})
    assert site.notes[0] == f"git-map: options: {said}"


# --- Which commit counts


def edited(repo: Repo) -> str:
    write(repo.root, HUGO | pages("{}/index.html", "a", "b"))
    return date_site(repo.root).days


def test_the_last_commit_of_the_source_by_its_committer(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "1", "content/b.md": "1", "theme.css": "1"})
    repo.commit(2, {"content/a.md": "2"})
    repo.commit(3, {"theme.css": "2"})
    assert edited(repo) == "a:2 b:1"
    repo("commit", "-q", "--amend", "--no-edit", on=9)
    repo.commit(4, {"content/b.md": "2"})
    repo("commit", "-q", "--amend", "--no-edit", on=8)  # what a rebase does
    assert edited(repo) == "a:2 b:8"


def test_pure_renames_changes_of_the_mode_and_names_that_were_used_twice(repo: Repo) -> None:
    repo.commit(1, {"docs/a.md": "some text\n" * 9, "content/b.md": "first\n" * 9})
    (repo.root / "docs/a.md").rename(repo.root / "content/a.md")
    repo.commit(2)
    (repo.root / "content/a.md").chmod(0o755)
    repo.commit(3)
    assert edited(repo) == "a:1 b:1"
    (repo.root / "content/b.md").rename(repo.root / "content/c.md")
    repo.commit(4)
    repo.commit(5, {"content/b.md": "second\n" * 9})
    write(repo.root, pages("{}/index.html", "c"))
    assert edited(repo) == "a:1 b:5 c:1"


@pytest.mark.parametrize(
    ("name", "front", "expected"),
    [
        ("2026-01-05-a", {}, "2026-01-05"),
        ("a", {"date": "2026-01-06"}, "2026-01-06"),
        ("2025-12-05-a", {}, day(1)),  # it was edited later
        ("2027-01-05-a", {}, None),  # no date lies in the future
    ],
)
def test_a_draft_that_is_published_is_not_older_than_its_day(
    repo: Repo, name: str, front: dict[str, str], expected: str | None
) -> None:
    repo.commit(1, HUGO | {"drafts/a.md": titled("A", **front)})
    (repo.root / "content").mkdir()
    (repo.root / "drafts/a.md").rename(repo.root / f"content/{name}.md")
    repo.commit(5)
    write(repo.root, pages("{}/index.html", "a"))
    assert date_site(repo.root, lastmod=["git"]).dates == {"a/": expected}


def test_a_branch_counts_as_its_merge(repo: Repo) -> None:
    """It changed the published site on that day; a discarded or reverted one did not."""
    repo.commit(1, {"content/a.md": "1", "content/b.md": "1"})
    repo("checkout", "-q", "-b", "side")
    repo.commit(2, {"content/a.md": "2"})
    repo("checkout", "-q", "main")
    repo.commit(3, {"content/b.md": "2"})
    repo("merge", "-q", "--no-edit", "side", on=7)
    assert edited(repo) == "a:7 b:3"
    repo("checkout", "-q", "-b", "discarded")
    repo.commit(8, {"content/a.md": "3"})
    repo("checkout", "-q", "main")
    repo.commit(9, {"content/b.md": "3"})
    repo("merge", "-q", "-s", "ours", "--no-edit", "discarded", on=10)
    assert edited(repo) == "a:7 b:9"


def test_an_edit_that_is_not_committed_has_the_time_of_its_file(repo: Repo) -> None:
    repo.commit(1, HUGO | sources("content/{}.md", *"abcd"))
    write(repo.root, pages("{}/index.html", *"abcd"))
    write(repo.root, {"content/a.md": titled("A", "More.")})
    (repo.root / "content/c.md").unlink()
    (repo.root / "content/d.md").touch()
    assert date_site(repo.root, lastmod=["git"]).days == "a:- b:1 c:- d:1"
    assert date_site(repo.root).dates["a/"] == "2026-01-02T03:04:05+00:00"
    repo("add", "--all")
    assert date_site(repo.root).dates["a/"] == "2026-01-02T03:04:05+00:00"


@pytest.mark.parametrize(
    ("edited", "seconds", "dated"), [(2, 0, 2), (3, 0, 0), (4, 9, 4), (5, 9, 0)]
)
def test_many_sources_that_are_written_at_once_are_not_edited(
    repo: Repo, edited: int, seconds: int, dated: int
) -> None:
    repo.commit(1, HUGO | sources("content/{}.md", *"abcdefgh"))
    write(repo.root, pages("{}/index.html", *"abcdefgh"))
    for number, name in enumerate("abcdefgh"[:edited]):
        write(repo.root, {f"content/{name}.md": f"{titled(name.upper())}\r\n"})
        os.utime(repo.root / f"content/{name}.md", (START + DAY + seconds * number,) * 2)
    assert date_site(repo.root).sources.split().count("mtime") == dated


def test_without_git_in_the_list_a_committed_source_is_not_called_uncommitted(repo: Repo) -> None:
    repo.commit(1, HUGO | sources("content/{}.md", "a", "b"))
    write(repo.root, pages("{}/index.html", "a", "b"))
    write(repo.root, {"content/b.md": titled("B", "More.")})
    site = date_site(repo.root, lastmod=["front_matter", "mtime"])
    assert site.sources == "git_left_out mtime"
    assert site.notes == [
        "no-date: 1 page has no date: only git dates it, and `lastmod` lacks git (a/index.html)"
    ]
    assert date_site(repo.root, lastmod=["front_matter", "git"]).sources == "git not_committed"


def test_names_of_any_kind_and_settings_of_the_user(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = 'über "uns"\n\x01'
    repo.commit(6, HUGO | {f"content/{name}.md": "1", "order": "zzz"})
    for key, value in (
        ("log.showRoot", "false"), ("log.showSignature", "true"), ("diff.renames", "copies"),
        ("diff.orderFile", "order"), ("core.quotePath", "true"), ("color.ui", "always"),
        ("log.diffMerges", "off"), ("status.relativePaths", "true"),
    ):  # fmt: skip
        repo("config", key, value)
    write(repo.root, {f"public/{name}/index.html": "<p>"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path))  # as in a hook of another repository
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert list(date_site(repo.root).dates.values()) == [day(6)]


def test_a_shallow_clone_gives_no_false_date(repo: Repo) -> None:
    repo.commit(1, HUGO | sources("content/{}.md", "a", "b"))
    repo.commit(2, {"content/b.md": titled("B", "More.")})
    repo.commit(3, sources("content/{}.md", "c"))
    clone = repo.clone("--depth=2")
    write(clone.root, pages("{}/index.html", *"abc"))
    clone("worktree", "add", "-q", "../tree")
    write(clone.root.with_name("tree"), pages("{}/index.html", *"abc"))
    for root in (clone.root, clone.root.with_name("tree")):
        site = date_site(root)
        assert (site.days, site.sources) == ("a:- b:- c:3", "shallow_clone shallow_clone git")
        [note] = site.dated.messages
        assert note.code == "no-date"
        assert note.help.startswith("fetch the history: git fetch --unshallow (in GitHub Actions, ")
    maps = [{"page": "{p}/index.html", "source": ["content/a.md", "content/c.md"]}]
    assert date_site(clone.root, git={"map": maps}).days == "a:3 b:3 c:3"  # newer than the boundary
    clone("fetch", "-q", "--unshallow")
    assert date_site(clone.root).days == "a:1 b:2 c:3"


# --- Commits that are no edits

MANY = [f"{number:02}" for number in range(25)]


def formatted(names: list[str], text: str = "formatted") -> dict[str, str]:
    return {f"content/{name}.md": f"{name} {text}" for name in names}


@pytest.mark.parametrize(
    ("sources", "edited", "expected"),
    [(25, 25, 1), (25, 23, 1), (25, 22, 5), (20, 20, 1), (19, 19, 5)],
)
def test_a_commit_over_nine_of_ten_sources_is_no_edit_of_them(
    repo: Repo, sources: int, edited: int, expected: int
) -> None:
    repo.commit(1, HUGO | formatted(MANY[:sources], "first"))
    repo.commit(2, {"content/03.md": "edited"})
    repo.commit(5, formatted(MANY[:edited]) | {"content/new.md": "new"})
    write(repo.root, {f"public/{name}/index.html": "<p>" for name in [*MANY[:sources], "new"]})
    site = date_site(repo.root)
    assert (site.dates["04/"], site.dates["new/"]) == (day(expected), day(5))
    assert date_site(repo.root, lastmod=["git"]).dates["04/"] == day(5)
    assert date_site(repo.root, lastmod=["git", "mtime"]).dates["04/"] == day(expected)


def test_the_share_counts_the_sources_of_the_day_through_moves(repo: Repo) -> None:
    repo.commit(1, HUGO | {f"old/{name}.md": name for name in MANY})
    repo.commit(2, {"old/03.md": "edited"})
    repo.commit(3, {f"old/{name}.md": f"{name} formatted" for name in MANY})
    (repo.root / "old").rename(repo.root / "content")
    repo.commit(4)
    repo.commit(5, {"content/05.md": "edited after the move"})
    repo.commit(6, formatted(MANY, "formatted again"))
    repo.commit(7, formatted([f"new{number}" for number in range(40)]))
    write(repo.root, {f"public/{name}/index.html": "<p>" for name in (*MANY, "new1")})
    found = date_site(repo.root).dates
    assert [found[f"{name}/"] for name in ("03", "04", "05")] == [day(2), day(1), day(5)]


@pytest.fixture
def committed(tmp_path: Path) -> Repo:
    """A repository in which the built site is committed."""
    return Repo(tmp_path / "project")


def of_clone(repo: Repo, **values: Any) -> str:
    return date_site(repo.clone().root, **values).days


def test_a_deploy_dates_none_of_its_pages(committed: Repo) -> None:
    for number, name in enumerate("abc", 1):
        committed.commit(number, {f"public/{name}.html": f"<p>{name}"})
    committed.commit(5, {f"public/{name}.html": f"<p>{name} built" for name in "abc"})
    assert of_clone(committed) == "a.html:1 b.html:2 c.html:3"
    committed.commit(6, {"public/d.html": "<p>d"})
    committed.commit(7, {f"public/{name}.html": f"<p>{name} again" for name in "abcde"})
    assert of_clone(committed) == "a.html:1 b.html:2 c.html:3 d.html:6 e.html:-"
    assert of_clone(committed, lastmod=["git"]).count(":7") == 5


def test_what_is_not_listed_does_not_count_in_a_deploy(committed: Repo) -> None:
    """Twelve pages and twelve stubs of redirects; a commit rewrites the footer of the pages."""
    stub = '<meta http-equiv="refresh" content="0; url=/{0:02}.html">'
    for number in range(12):
        write(committed.root, {f"public/{number:02}.html": f"<p>{number}"})
        committed.commit(number + 1, {f"public/old/{number:02}.html": stub.format(number)})
    committed.commit(20, {f"public/{number:02}.html": f"<p>{number} new" for number in range(12)})
    assert of_clone(committed) == " ".join(f"{n:02}.html:{n + 1}" for n in range(12))


def test_a_commit_of_half_of_the_pages_is_no_deploy(committed: Repo) -> None:
    names = [f"{number:02}.html" for number in range(20)]
    committed.commit(1, {f"public/{name}": "<p>1" for name in names[:5]})
    committed.commit(2, {f"public/{name}": "<p>2" for name in names[5:]})
    committed.commit(3, {f"public/{name}": "<p>three" for name in names[:16]})
    committed.commit(4, {f"public/{name}": "<p>four" for name in names[:9]})
    found = date_site(committed.clone().root).dates
    assert [found[names[place]] for place in (0, 10, 19)] == [day(4), day(3), day(2)]


def test_pages_behind_a_link_are_dated_by_their_files(committed: Repo) -> None:
    """As mike commits them: `latest` leads to `2.0`, and canonicals name it."""

    def of(name: str) -> str:
        return f'<link rel="canonical" href="{BASE}latest/{name}">{name}'

    committed.commit(1, {"public/index.html": "<p>", "public/1.0/a.html": "<p>1"})
    (committed.root / "public/latest").symlink_to("2.0")
    committed.commit(3, {f"public/2.0/{name}": of(name) for name in ("a.html", "b.html")})
    committed.commit(4, {"public/2.0/a.html": of("a.html") + "more"})
    found = date_site(committed.root).dates
    assert (found["latest/a.html"], found["latest/b.html"]) == (day(4), day(3))


# --- The dates of the committed sitemap


def edit(root: Path, name: str, text: str, on: int) -> None:
    """Edits a file at noon of a day of January 2026."""
    write(root, {name: text})
    os.utime(root / name, (START + on * DAY - DAY // 2,) * 2)


@pytest.fixture
def hooked(committed: Repo) -> Repo:
    """A site that was committed with its sitemap, each page edited on another day."""
    for number, name in enumerate("abcdefgh", 1):
        edit(committed.root, f"public/{name}.html", f"<p>{name}", number)
    date_site(committed.root).publish()
    committed.commit(10)
    return committed


NOONS = {f"{name}.html": noon(number) for number, name in enumerate("abcdefgh", 1)}


def test_published_dates_stand_in_every_clone(hooked: Repo) -> None:
    site = date_site(hooked.clone().root)
    assert (site.dates, {*site.sources.split()}) == (NOONS, {"published"})
    shallow = date_site(hooked.clone("--depth=1").root)
    assert shallow.dates == NOONS
    assert [one.code for one in shallow.dated.messages] == ["shallow"]


def test_an_edit_has_the_time_of_its_file_before_and_after_its_commit(hooked: Repo) -> None:
    other = hooked.clone()
    edit(other.root, "public/c.html", "<p>edited", 12)
    site = date_site(other.root)
    assert site.dates == NOONS | {"c.html": noon(12)}
    assert site.sources.split()[2] == "mtime"
    site.publish()
    other.commit(13)
    assert date_site(other.clone().root).dates == NOONS | {"c.html": noon(12)}


def test_a_later_commit_of_the_sitemap_alone(hooked: Repo) -> None:
    edit(hooked.root, "public/c.html", "<p>edited", 12)
    hooked.commit(13)
    bot = hooked.clone()
    site = date_site(bot.root)
    assert site.dates == NOONS | {"c.html": day(13)}
    site.publish()
    bot.commit(14)
    assert date_site(bot.clone().root).dates == NOONS | {"c.html": day(13)}


def test_a_date_that_the_last_edit_cannot_have_is_left_out(hooked: Repo) -> None:
    """Edited between the build and the commit, or dated after the commit."""
    edit(hooked.root, "public/c.html", "<p>edited", 12)
    date_site(hooked.root).publish()
    edit(hooked.root, "public/d.html", "<p>edited after the build", 13)
    hooked.commit(15)
    found = date_site(hooked.clone().root)
    assert found.dates == NOONS | {"c.html": noon(12), "d.html": day(15)}
    sitemap = hooked.root / "public/sitemap.xml"
    sitemap.write_text(sitemap.read_text().replace(noon(12), noon(30)))
    hooked.commit(16)
    assert date_site(hooked.clone().root).dates["c.html"] == day(15)


def test_a_page_of_a_merged_branch_has_changed(hooked: Repo) -> None:
    hooked("checkout", "-q", "-b", "side")
    hooked.commit(11, {"public/c.html": "<p>on a branch"})
    hooked("checkout", "-q", "main")
    edit(hooked.root, "public/a.html", "<p>edited", 14)
    date_site(hooked.root).publish()
    hooked.commit(15)
    hooked("merge", "-q", "--no-edit", "side", on=20)
    assert date_site(hooked.clone().root).dates["c.html"] == day(20)


def test_a_revert_is_an_edit_and_a_deploy_is_none(hooked: Repo) -> None:
    hooked.commit(12, {f"public/{name}.html": f"<p>{name} <!-- new -->" for name in "abcdefgh"})
    assert date_site(hooked.clone().root).dates == NOONS
    edit(hooked.root, "public/c.html", "<p>edited", 13)
    hooked.commit(13)
    hooked("revert", "--no-edit", "HEAD", on=14)
    assert date_site(hooked.clone().root).dates == NOONS | {"c.html": day(14)}


def test_pages_that_a_generator_writes_anew_have_no_new_dates(hooked: Repo) -> None:
    """Nearly all pages differ from the last commit, so their file times prove nothing."""
    other = hooked.clone()
    for name in "abcdefgh":
        edit(other.root, f"public/{name}.html", f"<p>{name}<!-- 8c1f -->", 12)
    assert {*date_site(other.root, max_drop=100).dates.values()} == {None}


# --- The front matter


@pytest.fixture
def fruit(repo: Repo) -> Repo:
    repo.commit(1, HUGO | sources("content/{}.md", *"abcdef"))
    write(repo.root, pages("{}/index.html", *"abcdef"))
    return repo


def state(repo: Repo, changes: dict[str, str]) -> None:
    repo.commit(3, {f"content/{n}.md": titled(n.upper(), lastmod=d) for n, d in changes.items()})


def test_what_the_author_states_stands(fruit: Repo) -> None:
    state(fruit, {"a": "2025-12-24", "b": "soon", "c": "2099-01-01", "d": "2025-12"})
    site = date_site(fruit.root)
    assert site.days == "a:2025-12-24 b:3 c:3 d:3 e:1 f:1"
    assert site.notes == []
    assert date_site(fruit.root, lastmod=["git", "front_matter"]).days == "a:3 b:3 c:3 d:3 e:1 f:1"
    clone = fruit.clone("--depth=1")
    (fruit.root / "public").rename(clone.root / "public")
    assert date_site(clone.root).dates["a/"] == "2025-12-24"


@pytest.mark.parametrize(("sharing", "others", "dated"), [(5, 1, 1), (4, 0, 4), (3, 3, 6)])
def test_a_day_that_most_sources_state_is_an_import(
    fruit: Repo, sharing: int, others: int, dated: int
) -> None:
    days = ["2025-12-24"] * sharing + [f"2025-12-{number:02}" for number in range(1, others + 1)]
    state(fruit, dict(zip("abcdef", days, strict=False)))
    assert date_site(fruit.root).sources.count("front_matter") == dated


# --- Explain


def test_explain_names_source_and_commits(repo: Repo) -> None:
    repo.commit(1, HUGO | formatted(MANY, "first"))
    repo.commit(2, {"content/03.md": "edited"})
    (repo.root / "content/03.md").rename(repo.root / "content/3.md")
    repo.commit(4)
    (repo.root / "content/3.md").rename(repo.root / "content/03.md")
    repo.commit(5)
    repo.commit(6, formatted(MANY))
    write(repo.root, {f"public/{name}/index.html": "<p>" for name in MANY})
    commits = repo("log", "--format=%h", "--abbrev=12").split()
    assert date_site(repo.root).explain("03/index.html") == [
        (
            "source",
            f"content/03.md: its path fits; commit {commits[3]} of 2026-01-02",
        ),
        ("skipped", f"commit {commits[0]} of 2026-01-06 edited nine of ten of the sources"),
        ("skipped", f"commit {commits[1]} of 2026-01-05 only renamed it"),
        ("skipped", f"commit {commits[2]} of 2026-01-04 only renamed it"),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("long", [("source", "none: the page shows 1,803 bytes, its source content/long.md has 26")]),
        ("two", [("source", "none: fits content/two.md and content/two.rst")]),
        ("other", [("source", "none: no source fits")]),
        ("title", [("source", "none: notes/title.md has a similar path, but the generator is not known to read its folder")]),
    ],
)  # fmt: skip
def test_explain_says_why_there_is_no_source(
    repo: Repo, name: str, expected: list[tuple[str, str]]
) -> None:
    files = sources("content/{}.md", "long", "two") | sources("notes/{}.md", "title")
    generator = {} if name == "title" else HUGO
    repo.commit(1, generator | files | sources("content/{}.rst", "two"))
    write(repo.root, pages("{}/index.html", "two", "other", "title"))
    write(repo.root, {"public/long/index.html": shown("Long", "More. " * 300)})
    assert date_site(repo.root).explain(f"{name}/index.html")[:1] == expected


def test_explain_tells_of_a_later_commit_a_deploy_and_an_edit(fruit: Repo, tmp_path: Path) -> None:
    state(fruit, {"a": "2025-12-24"})
    commit = fruit("log", "-1", "--format=%h", "--abbrev=12").strip()
    edit(fruit.root, "content/b.md", titled("B", "Edited."), 12)
    site = date_site(fruit.root)
    assert site.explain("a/index.html")[1] == (
        "stated",
        "2025-12-24 in the front matter; a later commit edited the file: to use its date, put "
        "`git` before `front_matter` in `lastmod`",
    )
    assert "; edited after commit " in site.explain("b/index.html")[0][1]
    deployed = Repo(tmp_path / "deployed")
    deployed.commit(1, {"public/a.html": "<p>a", "public/b.html": "<p>b"})
    commit = deployed("log", "-1", "--format=%h", "--abbrev=12").strip()
    assert date_site(deployed.root).explain("a.html") == [
        ("source", "none: no source fits"),
        ("source", "public/a.html: the built page itself; no commit edited it"),
        ("skipped", f"commit {commit} of 2026-01-01 wrote nine of ten of the built pages"),
        ("no date", "only commits over nearly all pages wrote the file"),
    ]
