"""Keys that cannot hold together: the first one is an error that names key and line."""

from pathlib import Path

import pytest
from support import BASE

import sitemapper

CASES = {
    "two sections of one name": (
        '[[sitemaps]]\nname = "a"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a"\nmatch = ["b/"]\n',
        "sitemapper.toml:6: name of the second [[sitemaps]]: another sitemap would also be named 'a'",
    ),
    "a section with the name of an overflow": (
        '[[sitemaps]]\nname = "a-2"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a"\nmatch = ["b/"]\n',
        "sitemapper.toml:3: name of the first [[sitemaps]]: another sitemap would also be named 'a-2'",
    ),
    "a ledger with the name of a sitemap": (
        '[ledger]\npath = "sitemap-1.xml"\n',
        "ledger.path: sitemap-1.xml is also the name of another file that is written there",
    ),
    "a live ledger without a ledger": (
        'lastmod = ["mtime"]\n[ledger]\nlive = true\n',
        "sitemapper.toml:4: ledger.live: the ledger is not a source of dates",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_conflict_is_an_error_with_its_line(tmp_path: Path, name: str) -> None:
    text, expected = CASES[name]
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\n{text}')
    with pytest.raises(sitemapper.SitemapperError) as caught:
        sitemapper.load(cwd=str(tmp_path))
    assert expected in str(caught.value)


def test_names_that_do_not_meet_are_fine(tmp_path: Path) -> None:
    sections = (
        '[[sitemaps]]\nname = "a"\nmatch = ["a/"]\n[[sitemaps]]\nname = "b-2"\nmatch = ["b/"]\n'
    )
    (tmp_path / "sitemapper.toml").write_text(f'base_url = "{BASE}"\n{sections}')
    assert sitemapper.load(cwd=str(tmp_path)).site.output.sections == ("a", "b-2")
