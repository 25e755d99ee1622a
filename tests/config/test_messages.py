"""What is said about wrong values, and what help says of a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import BASE, Run

from sitemapper import SitemapperError, load
from sitemapper.config.messages import KEYS_THAT_LEFT, format_number, key_help


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"host": "netlfy"},
            "settings: host: must be one of auto, none, cloudflare, netlify, vercel, firebase, github, gitlab, not 'netlfy'\n"
            "help: did you mean 'netlify'?",
        ),
        (
            {"host": "apache"},
            "settings: host: must be one of auto, none, cloudflare, netlify, vercel, firebase, github, gitlab, not 'apache'\n"
            'help: write host = "none"; set url_style and ignore to what the server does, and check the live site with `sitemapper verify`',
        ),
        (
            {"sitemap": {"gzip": True}},
            "settings: sitemap.gzip: must be one of no, also, only, not true\n"
            'help: write "also", with the quotes',
        ),
        (
            {"sitemap": {"gzip": False}},
            "settings: sitemap.gzip: must be one of no, also, only, not false\n"
            'help: write "no", with the quotes',
        ),
        ({"site": 3}, "settings: site: must be a string, not 3\nhelp: put it in quotes"),
        (
            {"sitemap": {"name": ("a.xml",)}},
            "settings: sitemap.name: must be a string, not a list\nhelp: leave out the brackets",
        ),
        (
            {"rules": [{"match": "a", "lastmod": 2026}]},
            "settings: lastmod of the first [[rules]]: must be a date, not 2026\n"
            "help: write it as 2026-03-01",
        ),
        ({"rules": "a/"}, "settings: rules: must be a list of tables\nhelp: write [[rules]]"),
    ],
)
def test_what_is_wrong_with_a_value_and_what_to_do(values: dict[str, object], message: str) -> None:
    with pytest.raises(SitemapperError) as caught:
        load({"base_url": "https://example.com/", **values})
    assert str(caught.value) == message


def test_a_number_that_python_does_not_print() -> None:
    with pytest.raises(SitemapperError, match="not a number of thousands of digits"):
        load({"base_url": "https://example.com/", "sitemap": {"max_urls": 10**5000}})


def test_a_key_that_is_no_text_is_unknown() -> None:
    values: Any = {"base_url": "https://example.com/", 1: 2}
    with pytest.raises(SitemapperError, match=r"^settings: 1: unknown key\nhelp: valid keys are "):
        load(values)


@pytest.mark.parametrize("key", KEYS_THAT_LEFT)
def test_of_a_key_that_left_one_sentence_says_what_stands_in(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    table, _, name = key.rpartition(".")
    file = tmp_path / "sitemapper.toml"
    file.write_text((f"[{table}]\n" if table else "\n") + f'{name} = "x"\n')
    (tmp_path / "index.html").write_text("<p>")
    fault = f"unknown key\n  help: {KEYS_THAT_LEFT[key]}\n"
    assert run("build", ".", "--base-url", BASE) == 2
    assert run.err == f"error: sitemapper.toml:2: {key}: {fault}"
    file.unlink()
    variable = f"SITEMAPPER_{key.upper().replace('.', '_')}"
    monkeypatch.setenv(variable, "x")
    assert run("build", ".", "--base-url", BASE) == 2
    assert run.err == f"error: environment: {variable}: {fault.replace('key', 'setting', 1)}"


@pytest.mark.parametrize(
    ("key", "note"),
    [
        ("max_drop", "[0 to 100]"),
        ("sitemap.max_urls", "[1 to 50,000]"),
        ("lastmod", "[page, published, front_matter, git, ledger, mtime; repeatable]"),
        ("ignore", "[adds to the configuration; repeatable]"),
    ],
)
def test_help_names_limits_and_choices(key: str, note: str) -> None:
    assert key_help(key).endswith(note)


def test_help_is_the_description_where_there_is_nothing_to_add() -> None:
    assert key_help("sitemap.text") == "Also write `sitemap.txt`, with one URL per line."


def test_a_number_has_one_form() -> None:
    assert [format_number(value) for value in (50_000, 100.0, 0.5)] == ["50,000", "100", "0.5"]
