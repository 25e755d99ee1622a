"""From a page to its sources: the templates of [[git.map]]."""

from __future__ import annotations

import pytest
from support import write_site
from support.git import Repo, dates, day, load

from sitemapper.syntax.templates import compile_map


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


def test_a_template_name_that_is_none() -> None:
    assert compile_map("{1}/index.html", ["{1}.md"]).names("{1}/index.html") == ["{1}.md"]


@pytest.mark.parametrize(
    ("maps", "said"),
    [
        (
            [{"page": "{path}/index.html", "source": ["contnet/{path}.md"]}],
            "the source files of the pages are not in git, such as contnet/a.md",
        ),
        (
            [{"page": "{path}.htm", "source": ["content/{path}.md"]}],
            "no page of the site is in git, and no [[git.map]] names the source of one",
        ),
    ],
)
def test_templates_that_find_nothing_are_told(
    repo: Repo, maps: list[dict[str, object]], said: str
) -> None:
    repo.commit(1, {"content/a.md": "one"})
    write_site(repo.root / "public", {"a/index.html": "<p>"})
    (warning,) = load(repo.root, git={"map": maps}).warnings
    assert said in warning.subjects[0]
