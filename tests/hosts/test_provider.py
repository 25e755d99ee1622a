"""A host is recognised by the files of its project. Only if it has none, by those of the site."""

from __future__ import annotations

import pytest

from sitemapper.hosts import choose
from sitemapper.hosts.provider import Provider

BY_PROJECT = Provider("toy", markers=("toy.toml", "toy.json"), files=("_moves",))
BY_SITE = Provider("toy", files=("_moves",), files_in_folders=("_moves",))


@pytest.mark.parametrize(
    ("provider", "names", "expected"),
    [
        (BY_PROJECT, {"toy.json", "README.md"}, True),
        (BY_PROJECT, {"_moves"}, False),
        (BY_SITE, {"_moves"}, True),
        (BY_SITE, {"toy.toml"}, False),
        (BY_PROJECT, set(), False),
    ],
    ids=["a project file", "a file of the site", "its own mark", "no mark of it", "no files"],
)
def test_what_recognises_a_host(provider: Provider, names: set[str], expected: bool) -> None:
    assert provider.is_recognised(frozenset(names)) is expected


@pytest.mark.parametrize("provider", choose.ALL, ids=lambda provider: provider.name)
def test_every_host_can_be_recognised(provider: Provider) -> None:
    assert provider.markers or provider.files or provider.clues
    assert provider.name == provider.name.lower()
    assert all(name and value for name, value in provider.previews)


@pytest.mark.parametrize(
    ("netloc", "expected"),
    [("you.github.io", "github"), ("YOU.GitHub.io", "github"), ("group.gitlab.io", "gitlab"), ("github.io", ""), ("agithub.io", "")],
)  # fmt: skip
def test_the_domain_of_a_host(netloc: str, expected: str) -> None:
    assert [provider.name for provider in choose.ALL if provider.is_at(netloc)] == (
        [expected] if expected else []
    )
