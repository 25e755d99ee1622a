"""The settings of a run: their layers, what holds, what is missing, and the patterns that add up."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site, build, settings, write_site
from support.faults import faults

from sitemapper import SitemapperError, load


def test_an_ignore_file_is_to_be_moved_to_the_configuration(tmp_path: Path, run: Run) -> None:
    """It was read once, so without an error its pages would be listed."""
    write_site(tmp_path, {"sitemapper.toml": 'site = "out"\n', "out/index.html": "<p>"})
    for name in (".sitemapignore", "out/.sitemapignore"):
        (tmp_path / name).write_text("a/\n")
        assert run("build", "--base-url", BASE) == 2
        assert run.err == (
            f"error: {name}: is not read\n"
            "  help: move its patterns to `ignore` in sitemapper.toml, and delete it\n"
        )
        (tmp_path / name).unlink()


def test_file_then_environment_then_flags(tmp_path: Path) -> None:
    toml = 'base_url = "https://a.example"\nsite = "a"\n[sitemap]\nmax_urls = 7\n'
    write_site(tmp_path, {"sitemapper.toml": toml})
    env = {
        "SITEMAPPER_BASE_URL": "https://b.example",
        "SITEMAPPER_SITEMAP_MAX_URLS": "8",
        "SITEMAPPER_LASTMOD": "",
    }
    setup = load({"base_url": "https://c.example"}, env=env, cwd=str(tmp_path))
    assert setup.settings.base_url == "https://c.example/"
    assert setup.settings.sitemap.max_urls == 8
    assert setup.settings.lastmod == ()
    assert setup.site.root == str(tmp_path / "a")


def test_a_host_has_defaults_of_its_own(tmp_path: Path) -> None:
    toml = 'lastmod = ["page"]\nignore = ["a"]\nurl_style = "clean"\n'
    write_site(tmp_path, {"sitemapper.toml": toml})
    defaults = {"base_url": BASE, "lastmod": ["git"], "ignore": ["own"], "hreflang": True}
    values = {"ignore": ["b"], "url_style": "file"}
    setup = load(values, defaults=defaults, config="sitemapper.toml", cwd=str(tmp_path))
    settings = setup.settings
    assert (settings.base_url, settings.lastmod, settings.hreflang) == (BASE, ("page",), True)
    assert settings.url_style == "file"
    patterns = {line.text: line.origin.source for line in setup.site.ignore}
    expected = {"own": "built-in default", "a": "sitemapper.toml", "b": "settings"}
    assert expected.items() <= patterns.items()


def test_paths_are_relative_to_what_names_them(tmp_path: Path) -> None:
    write_site(tmp_path, {"sitemapper.toml": 'base_url = "https://a.example"\nsite = "public"\n'})
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    inside = str(tmp_path / "sub")
    assert load(cwd=inside).site.root == str(tmp_path / "public")
    assert load({"site": "public"}, cwd=inside).site.root == str(tmp_path / "sub" / "public")


def test_a_byte_order_mark_before_the_configuration(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_bytes(b"\xef\xbb\xbfstrict = true\n")
    assert settings(site({"a.html": ""})).settings.strict is True


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / "sitemapper.toml").write_text('base_url = "https://a.example"\n')
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert faults(tmp_path / "repo") == [
        "no base URL: the address of the site is not known",
        "help: pass --base-url https://example.com/, or set base_url in sitemapper.toml",
    ]


def test_robots_txt_of_the_site_is_followed_into_another_output(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "robots.txt": "User-agent: *\n"})
    build(root, output=str(tmp_path / "out"))
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    build(root, output=str(tmp_path / "out"))
    assert "Disallow: /private/" in (tmp_path / "out" / "robots.txt").read_text()


def test_a_bad_ignore_value_is_told_though_flags_add_to_it(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    (tmp_path / "sitemapper.toml").write_text("ignore = true")
    with pytest.raises(SitemapperError, match=r"sitemapper\.toml:1: ignore: must be a list"):
        build(root, ignore=["x"])


def test_ignore_patterns_add_up_in_order_with_their_origins(tmp_path: Path) -> None:
    toml = 'base_url = "https://a.example"\nsite = "out"\nignore = [\n  "b/",\n  \'c/\',\n]\n'
    write_site(tmp_path, {"sitemapper.toml": toml})
    lines = load({"ignore": ["d/"]}, cwd=str(tmp_path), label="command line").site.ignore
    texts = ("/404.html", "b/", "c/", "d/")
    assert [str(line.origin) for line in lines if line.text in texts] == [
        "built-in default: 404.html",
        "sitemapper.toml:4: b/",
        "sitemapper.toml:5: c/",
        "--ignore: d/",
    ]
