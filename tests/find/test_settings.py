"""The layers of a run: defaults, project, file, environment, flags."""

from __future__ import annotations

from pathlib import Path

from support import write_site

from sitemapper import load


def test_file_then_environment_then_flags(tmp_path: Path) -> None:
    write_site(
        tmp_path,
        {
            "sitemapper.toml": 'base_url = "https://a.example"\nsite = "a"\n[sitemap]\nmax_urls = 7\n'
        },
    )
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
    write_site(
        tmp_path, {"sitemapper.toml": 'lastmod = ["page"]\nignore = ["a"]\nurl_style = "clean"\n'}
    )
    defaults = {
        "base_url": "https://a.example",
        "lastmod": ["git"],
        "ignore": ["own"],
        "hreflang": True,
    }
    setup = load(
        {"ignore": ["b"], "url_style": "file"},
        defaults=defaults,
        config="sitemapper.toml",
        cwd=str(tmp_path),
    )
    assert (setup.settings.base_url, setup.settings.lastmod, setup.settings.hreflang) == (
        "https://a.example/",
        ("page",),
        True,
    )
    assert setup.settings.url_style == "file"
    patterns = {
        line.text: line.origin.source
        for line in setup.site.ignore
        if line.text in ("own", "a", "b")
    }
    assert patterns == {"own": "built-in default", "a": "sitemapper.toml", "b": "settings"}


def test_paths_are_relative_to_what_names_them(tmp_path: Path) -> None:
    write_site(tmp_path, {"sitemapper.toml": 'base_url = "https://a.example"\nsite = "public"\n'})
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    inside = str(tmp_path / "sub")
    assert load(cwd=inside).site.root == str(tmp_path / "public")
    assert load({"site": "public"}, cwd=inside).site.root == str(tmp_path / "sub" / "public")
