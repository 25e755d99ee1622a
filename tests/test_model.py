"""The values that rooms exchange: how they read, and what may not be doubled."""

from __future__ import annotations

import pytest

from sitemapper.model import Detected, Excluded, Origin, Reason


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (Origin("robots.txt", 3, "Disallow: /p"), "robots.txt:3: Disallow: /p"),
        (Origin("a.html", None, "canonical"), "a.html: canonical"),
        (Origin("--ignore"), "--ignore"),
    ],
)
def test_an_origin_says_where_a_person_can_look(origin: Origin, text: str) -> None:
    assert str(origin) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("public", "site public (hugo.toml:1)"),
        (("git", "ledger"), "site git, ledger (hugo.toml:1)"),
        ([{"page": "{p}.html", "source": "{p}.md"}], "site {p}.html (hugo.toml:1)"),
    ],
)
def test_what_is_detected_reads_as_a_setting(value: object, text: str) -> None:
    assert str(Detected("site", value, Origin("hugo.toml", 1, 'publishDir = "public"'))) == text


@pytest.mark.parametrize(
    ("path", "reason", "is_folder"),
    [
        ("drafts/", Reason.IGNORED, True),
        ("drafts/a.html", Reason.IGNORED, False),
        ("https://example.com/a/", Reason.ROBOTS, False),  # a URL of the configuration
    ],
)
def test_a_folder_is_told_from_a_url_that_ends_alike(
    path: str, reason: Reason, is_folder: bool
) -> None:
    assert Excluded(path, reason, Origin("x")).is_folder is is_folder


def test_each_reason_has_its_own_sentence() -> None:
    """Two members of one value would be one."""
    assert len(Reason) == len(Reason.__members__)
