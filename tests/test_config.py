"""Configuration: precedence, discovery, and faults told all at once with their places."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from pydantic import BaseModel

from sitemapper import SitemapperError, load
from sitemapper.config.settings import Config


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def faults(tmp_path: Path, **kwargs: Any) -> list[str]:
    with pytest.raises(SitemapperError) as caught:
        load(cwd=str(tmp_path), **kwargs)
    return str(caught.value).splitlines()


def test_file_then_environment_then_flags(tmp_path: Path) -> None:
    write(
        tmp_path / "sitemapper.toml", 'base_url = "https://a.example"\nsite = "a"\n[sitemap]\nmax_urls = 7\n'
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


def test_paths_are_relative_to_what_names_them(tmp_path: Path) -> None:
    write(tmp_path / "sitemapper.toml", 'base_url = "https://a.example"\nsite = "public"\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    inside = str(tmp_path / "sub")
    assert load(cwd=inside).site == str(tmp_path / "public")
    assert load({"site": "public"}, cwd=inside).site == str(tmp_path / "sub" / "public")


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    write(tmp_path / "sitemapper.toml", 'base_url = "https://a.example"\n')
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert faults(tmp_path / "repo") == [
        "settings: base_url: is missing; pass --base-url https://example.com/ or set it in sitemapper.toml "
        f"(none was found from {tmp_path / 'repo'} upwards)"
    ]
    (tmp_path / "elsewhere").mkdir()
    assert "outside a git repository no folder above is searched" in faults(tmp_path / "elsewhere")[0]


def test_faults_of_the_environment_name_the_variable(tmp_path: Path) -> None:
    env = {"SITEMAPPER_BASE_URL": "https://a.example", "SITEMAPPER_SITEMAP_MAX_URLS": "ten"}
    assert faults(tmp_path, env=env)[0].startswith("environment: SITEMAPPER_SITEMAP_MAX_URLS: ")


def test_pyproject_is_read_where_it_has_the_table(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml",
        '[tool.sitemapper]\nbase_url = "https://a.example"\nurl_stile = "clean"\n',
    )
    assert faults(tmp_path) == ["pyproject.toml:3: url_stile: unknown key; did you mean 'url_style'?"]
    write(tmp_path / "pyproject.toml", '[project]\nname = "x"\n')
    assert len(faults(tmp_path)) == 1


def test_all_faults_at_once_each_with_its_line(tmp_path: Path) -> None:
    write(
        tmp_path / "sitemapper.toml",
        """\
base_url = "example.com"
lastmod = ["mtimes"]

[sitemap]
max_urls = 60000
nam = "x"

[[rules]]
match = ["a/"]

[[rules]]
match = "blog/"
priority = 1.5
changefreq = "sometimes"
lastmod = "03/04/2024"

[dates]
timezone = "Mars/Base"
""",
    )
    assert faults(tmp_path) == [
        "sitemapper.toml:1: base_url: 'example.com' must be an absolute http or https URL, such as "
        "https://example.com/",
        "sitemapper.toml:2: lastmod[0]: must be one of page, git, ledger, mtime, not 'mtimes'; did you mean 'mtime'?",
        "sitemapper.toml:5: sitemap.max_urls: must be less than or equal to 50000, not 60000",
        "sitemapper.toml:6: sitemap.nam: unknown key; did you mean 'name'?",
        'sitemapper.toml:12: rules[1].match: must be a list, such as ["blog/"]',
        "sitemapper.toml:13: rules[1].priority: must be less than or equal to 1, not 1.5",
        "sitemapper.toml:14: rules[1].changefreq: must be one of always, hourly, daily, weekly, monthly, yearly, "
        "never, not 'sometimes'",
        "sitemapper.toml:15: rules[1].lastmod: '03/04/2024' can be read as more than one date; write it as 2026-03-01",
        "sitemapper.toml:18: dates.timezone: 'Mars/Base' is no time zone; write a name such as UTC or Europe/Berlin",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("base_url = \n", "sitemapper.toml:1: this is not TOML: Invalid value"),
        ('base_url = "https://a.example"\nignore = ["a\\\\"]\n', "sitemapper.toml:2: ignore: 'a\\\\' is no gitignore pattern (does it end with a backslash?)"),
        ('base_url = "https://a.example"\n[[sitemaps]]\nname = "a"\nmatch = ["a/"]\n[[sitemaps]]\nname = "a-2"\nmatch = ["b/"]\n',
         "sitemapper.toml:6: sitemaps[1].name: two files would be called 'a-2'; choose another"),
        ('base_url = "https://a.example"\nsitemap = 3\n', "sitemapper.toml:2: sitemap: must be a table"),
        ('base-url = "https://a.example"\n', "sitemapper.toml:1: base-url: unknown key; did you mean 'base_url'?"),
        ('base_url = "https://a.example"\n[[sitemap]]\nname = "a"\n', "sitemapper.toml:2: sitemap: must be a table: write [sitemap] and its keys on lines of their own; several are written [[sitemaps]]"),
        ('base_url = "https://a.example"\n[rules]\nmatch = ["a"]\n', "sitemapper.toml:2: rules: must be a list of tables: write [[rules]]"),
        ('base_url = "https://a.example"\nlastmod = false\n', "sitemapper.toml:2: lastmod: must be a list; [] is an empty one"),
        ('base_url = "https://a.example"\ngzip = "also"\n', "sitemapper.toml:2: gzip: unknown key; it belongs under [sitemap]"),
        ('base_url = "https://a.example"\n[sitemap]\nname = "map"\n', "sitemapper.toml:3: sitemap.name: must be a file name that ends in .xml, such as sitemap.xml, not 'map'"),
        ('base_url = "https://a.example"\nlastmod = ["mtime", "mtime"]\n', "sitemapper.toml:2: lastmod: names one thing twice"),
    ],
)  # fmt: skip
def test_faults(tmp_path: Path, text: str, expected: str) -> None:
    write(tmp_path / "sitemapper.toml", text)
    assert faults(tmp_path)[0].startswith(expected)


def test_faults_of_flags_and_environment_name_them(tmp_path: Path) -> None:
    env = {"SITEMAPPER_BASE_ULR": "x", "SOURCE_DATE_EPOCH": "soon"}
    assert faults(tmp_path, values={"base_url": "ftp://x"}, env=env, label="command line") == [
        "environment: SITEMAPPER_BASE_ULR: unknown setting; did you mean 'SITEMAPPER_BASE_URL'?",
        "environment: SOURCE_DATE_EPOCH: 'soon' must be whole seconds since 1970",
        "command line: base_url: 'ftp://x' must be an absolute http or https URL, such as https://example.com/",
    ]


def test_a_missing_configuration_is_said(tmp_path: Path) -> None:
    assert faults(tmp_path, config="gone.toml") == ["gone.toml: does not exist; check --config"]


def test_ignore_patterns_add_up_in_order_with_their_origins(tmp_path: Path) -> None:
    write(
        tmp_path / "sitemapper.toml",
        'base_url = "https://a.example"\nsite = "out"\nignore = [\n  "b/",\n  \'c/\',\n]\n',
    )
    write(tmp_path / ".sitemapignore", "# beside the configuration\nx/\n")
    write(tmp_path / "out" / ".sitemapignore", "w/\n")
    lines = load({"ignore": ["d/"]}, cwd=str(tmp_path), label="command line").lines
    assert [
        str(line.origin) for line in lines if line.text in ("404.html", "w/", "x/", "b/", "c/", "d/")
    ] == [
        "built-in default: 404.html",
        f"out{os.sep}.sitemapignore:1: w/",
        ".sitemapignore:2: x/",
        "sitemapper.toml:4: b/",
        "sitemapper.toml:5: c/",
        "--ignore: d/",
    ]


def test_the_example_is_complete_and_loads(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "sitemapper.toml.example").read_text()
    uncommented = "\n".join(line.removeprefix("#: ") for line in text.splitlines())
    write(tmp_path / "sitemapper.toml", uncommented)
    write(tmp_path / "urls.txt", "")
    load(cwd=str(tmp_path))
    named = tomllib.loads(uncommented)
    for key, field in Config.model_fields.items():
        assert key in named, f"{key} is not in sitemapper.toml.example"
        if isinstance(field.default, BaseModel):
            assert set(type(field.default).model_fields) == set(named[key])


def test_schema_describes_every_key(run: Run) -> None:
    assert run("schema") == 0
    schema = json.loads(run.out)
    assert set(schema["properties"]) == set(Config.model_fields)
    assert schema["required"] == ["base_url"]
