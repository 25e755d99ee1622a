"""`[sitemap] view`: browsers show a table, and for all others nothing changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Site, build, changed, locs

STYLE = '<?xml-stylesheet type="text/css" href="data:text/css,'


def has_view(root: Path, name: str) -> bool:
    text = (root / name).read_text()
    assert text.index("<!-- sitemapper wrote") < 512
    return STYLE in text


@pytest.mark.parametrize("more", [{}, {"text": True, "index": "always", "schema_location": True}])
def test_each_file_has_one_line_more(more: dict[str, object], site: Site) -> None:
    root = site({"index.html": "", "a.html": ""})
    build(root, sitemap=more)
    names = sorted(path.name for path in root.glob("*.xml"))
    before = {name: (root / name).read_text().splitlines() for name in names}
    assert not any(has_view(root, name) for name in names)
    build(root, sitemap={**more, "view": True})
    for name in names:
        lines = (root / name).read_text().splitlines()
        (style,) = set(lines) - set(before[name])
        assert style.startswith(STYLE) and '"' not in style.removeprefix(STYLE).removesuffix('"?>')
        assert [line for line in lines if line != style] == before[name]
        locs(root, name)  # is XML
    assert set(changed(build(root, sitemap={**more, "view": True})).values()) == {"kept"}
    assert "removed" not in changed(build(root, sitemap=more)).values()


def test_an_index_with_a_view_is_still_read(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(4)})
    chosen = {"view": True, "text": True, "max_urls": 1, "schema_location": True}
    build(root, sitemap=chosen)
    summary = build(root, sitemap={**chosen, "max_urls": 2})
    assert summary.previous == 4
    assert changed(summary)["sitemap-4.xml"] == "removed"


def test_large_files_have_no_view(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapper.publish.formats.MOST_VIEWED", 3)
    root = site({f"{n}.html": "" for n in range(4)})
    build(root, sitemap={"view": True})
    assert not has_view(root, "sitemap.xml")
    build(root, sitemap={"view": True, "max_urls": 3})
    assert has_view(root, "sitemap.xml") and has_view(root, "sitemap-1.xml")
