"""Where a value comes from: the file, then the environment, then flags."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, paths, write_site

from sitemapper import SitemapperError, load
from sitemapper.config.layers import Generator


@pytest.mark.parametrize("text", ['ignore = "*.html"', "ignore = 3"])
def test_a_bad_ignore_value_is_told_though_flags_add_to_it(
    site: Site, tmp_path: Path, text: str
) -> None:
    root = site({"a.html": ""})
    (tmp_path / "sitemapper.toml").write_text(text)
    with pytest.raises(SitemapperError, match=r"sitemapper\.toml:1: ignore: must be a list"):
        build(root, ignore=["x"])


def test_include_adds_to_html_wherever_it_is_written(
    site: Site, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": "", "b.png": "", "c.pdf": "", "d.svg": ""})
    assert run("build", root, "--base-url", BASE, "--include", "*.pdf") == 0
    assert paths(root) == ["a.html", "c.pdf"]
    monkeypatch.setenv("SITEMAPPER_INCLUDE", "*.svg")
    assert run("build", root, "--base-url", BASE) == 0
    assert paths(root) == ["a.html", "d.svg"]
    (tmp_path / "sitemapper.toml").write_text('include = ["*.png"]')
    assert run("build", root, "--base-url", BASE, "--include", "*.pdf") == 0
    assert paths(root) == ["a.html", "b.png", "c.pdf", "d.svg"]
    assert run("build", root, "--base-url", BASE, "--include", "!*.html") == 0
    assert paths(root) == ["b.png", "d.svg"]


@pytest.mark.parametrize(
    ("include", "said"),
    [
        (["docs/*.html"], "docs/*.html"),
        (["*.pdf", "*.html"], "*.html"),
        (["*.epub"], "*.epub"),
        (["*.pdf"], None),
        (["!*.html", "docs/*.html"], None),
    ],
)
def test_a_pattern_of_include_that_adds_nothing_is_a_warning(
    site: Site, run: Run, include: list[str], said: str | None
) -> None:
    root = site({"docs/a.html": "", "b.html": "", "c.pdf": ""})
    flags = [word for pattern in include for word in ("--include", pattern)]
    assert run("build", root, "--base-url", BASE, "--strict", "--no-lastmod", *flags) == (
        1 if said else 0
    )
    warning = f"warning: this pattern adds no file: include: {said}\n"
    assert warning in run.err if said else not run.err


def test_an_empty_variable_is_not_set(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": ""})
    monkeypatch.setenv("SITEMAPPER_OUTPUT", "")
    assert run("build", root, "--base-url", BASE) == 0
    assert (root / "sitemap.xml").exists()


@pytest.mark.parametrize("text", ["050", "٣", "1e5", "-1", "nan"])
def test_a_variable_that_is_no_number_of_toml_is_an_error(tmp_path: Path, text: str) -> None:
    env = {"SITEMAPPER_BASE_URL": BASE, "SITEMAPPER_MAX_DROP": text}
    with pytest.raises(
        SitemapperError, match=r"^environment: SITEMAPPER_MAX_DROP: max_drop: must be .*, not "
    ):
        load(env=env, cwd=str(tmp_path))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", True),
        ("on", True),
        ("1", True),
        ("True", True),
        ("no", False),
        ("OFF", False),
        ("0", False),
    ],
)
def test_a_variable_of_true_or_false_is_written_as_people_do(
    tmp_path: Path, text: str, expected: bool
) -> None:
    env = {"SITEMAPPER_BASE_URL": BASE, "SITEMAPPER_STRICT": text, "SITEMAPPER_ROBOTS_WRITE": text}
    settings = load(env=env, cwd=str(tmp_path))
    assert (settings.strict, settings.robots.write) == (expected, expected)


def test_another_word_in_such_a_variable_is_an_error(tmp_path: Path) -> None:
    env = {"SITEMAPPER_BASE_URL": BASE, "SITEMAPPER_STRICT": "ja"}
    with pytest.raises(SitemapperError) as caught:
        load(env=env, cwd=str(tmp_path))
    assert (
        str(caught.value)
        == "environment: SITEMAPPER_STRICT: strict: must be true or false, not 'ja'"
    )


def test_an_item_of_a_list_in_a_variable_is_an_error_of_the_variable(tmp_path: Path) -> None:
    env = {
        "SITEMAPPER_BASE_URL": BASE,
        "SITEMAPPER_LASTMOD": "git,mtimes",
        "SITEMAPPER_IGNORE": "a/,b\\",
    }
    with pytest.raises(SitemapperError) as caught:
        load(env=env, cwd=str(tmp_path))
    assert str(caught.value).splitlines()[::2] == [
        "environment: SITEMAPPER_IGNORE: ignore: 'b\\\\' is not a gitignore pattern",
        "environment: SITEMAPPER_LASTMOD: lastmod[1]: must be one of auto, page, git, ledger, mtime, not 'mtimes'",
    ]


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
    settings = load({"base_url": "https://c.example"}, env=env, cwd=str(tmp_path))
    assert settings.base_url == "https://c.example/"
    assert settings.sitemap.max_urls == 8
    assert settings.lastmod == ()
    assert settings.site == str(tmp_path / "a")


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
    settings = load(
        {"ignore": ["b"], "url_style": "file"},
        defaults=defaults,
        config="sitemapper.toml",
        cwd=str(tmp_path),
    )
    assert (settings.base_url, settings.lastmod, settings.hreflang) == (
        "https://a.example/",
        ("page",),
        True,
    )
    assert settings.url_style == "file"
    patterns = {
        line.text: line.origin.source
        for line in settings.ignore_lines
        if line.text in ("own", "a", "b")
    }
    assert patterns == {"own": "built-in default", "a": "sitemapper.toml", "b": "settings"}


def test_paths_are_relative_to_what_names_them(tmp_path: Path) -> None:
    write_site(tmp_path, {"sitemapper.toml": 'base_url = "https://a.example"\nsite = "public"\n'})
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    inside = str(tmp_path / "sub")
    assert load(cwd=inside).site == str(tmp_path / "public")
    assert load({"site": "public"}, cwd=inside).site == str(tmp_path / "sub" / "public")


def test_ignore_patterns_add_up_in_order_with_their_origins(tmp_path: Path) -> None:
    write_site(
        tmp_path,
        {
            "sitemapper.toml": 'base_url = "https://a.example"\nsite = "out"\nignore = [\n  "b/",\n  \'c/\',\n]\n',
        },
    )
    write_site(tmp_path, {".sitemapignore": "# beside the configuration\nx/\n"})
    write_site(tmp_path, {"out/.sitemapignore": "w/\n"})
    lines = load({"ignore": ["d/"]}, cwd=str(tmp_path), label="command line").ignore_lines
    assert [
        str(line.origin)
        for line in lines
        if line.text in ("404.html", "w/", "x/", "b/", "c/", "d/")
    ] == [
        "built-in default: 404.html",
        f"out{os.sep}.sitemapignore:1: w/",
        ".sitemapignore:2: x/",
        "sitemapper.toml:4: b/",
        "sitemapper.toml:5: c/",
        "--ignore: d/",
    ]


@pytest.mark.parametrize(
    ("mark", "sign", "signs"),
    [
        ("", "Hugo 0.111.3", True),
        ("", "made with HUGO", True),
        ("", "Chugo 1", False),
        ("sphinx|docutils", "Docutils 0.20: https://docutils.sourceforge.io/", True),
    ],
)
def test_the_tag_of_a_page_names_its_generator(mark: str, sign: str, signs: bool) -> None:
    assert Generator("Hugo", mark=mark).signs(sign) is signs
    assert not Generator("Hugo", mark=mark, is_weak=True).signs(sign)


def test_the_files_that_hold_settings_are_named_once() -> None:
    assert Generator("x", "a.yml:word b.toml", more="b.toml c.js").settings == [
        "a.yml",
        "b.toml",
        "c.js",
    ]
