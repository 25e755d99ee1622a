"""Which files and rules `validate` takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Run, write_site
from support.sitemaps import LOC, urlset

from sitemapper import SitemapperError
from sitemapper.linter import chosen


@pytest.mark.parametrize(
    ("config", "code"),
    [("", 1), ("[respect]\nrobots = false\n", 0)],
)
def test_validate_reads_robots_txt_as_the_build_does(
    tmp_path: Path, run: Run, config: str, code: int
) -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /\n"
    site = write_site(tmp_path / "public", {"robots.txt": text, "sitemap.xml": urlset(LOC)})
    (tmp_path / "sitemapper.toml").write_text(config)
    assert run("validate", site) == code, run.out
    assert ("SM406" in run.out) == bool(code)


def test_select_and_disable_take_families() -> None:
    stops = {"SM101", "SM102", "SM103", "SM105", "SM107", "SM108", "SM109"}
    assert chosen(["SM2"], ["SM20"]) == {"SM212", *stops}
    assert chosen(["SM203,SM30"], []) == {"SM203", *(f"SM30{n}" for n in range(1, 9)), *stops}
    for select, disable in ((["SM601"], []), (["SM2"], ["SM2"])):
        with pytest.raises(SitemapperError):
            chosen(select, disable)
    assert len(chosen([], [])) == 30
    with pytest.raises(SitemapperError):
        chosen(["SM"], [])
