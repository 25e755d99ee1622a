"""The keys of the configuration: the values that each of them may have, and its defaults."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from sitemapper.config import settings
from sitemapper.config.settings import PATTERNS, Settings

TABLES = [table for table in vars(settings).values() if isinstance(table, type)]
TABLES = [table for table in TABLES if issubclass(table, BaseModel) and table is not BaseModel]
LONGEST_KEY = "a" * 128


@pytest.mark.parametrize(
    "values",
    [
        {"base_url": "https://example.com"},
        {"max_drop": 100},
        {"sitemap": {"max_urls": 1, "max_bytes": 1_000}},
        {"sitemap": {"max_urls": 50_000, "max_bytes": 52_428_800}},
        {"sitemap": {"name": "Map_1.v2.xml"}},
        {"lastmod": ("git", "mtime")},
        {"dates": {"timezone": "Europe/Berlin"}},
        {"rules": ({"match": ("*.html",), "priority": 1.0, "lastmod": "2026-05"},)},
        {"sitemaps": ({"name": "blog-2", "match": ("/blog/",)},)},
        {"submit": {"key": LONGEST_KEY}},
        {"ledger": {"drop": (".date",)}},
        {"ignore": ("!drafts/", "\\!kept.html", "", "[a-z]*")},
    ],
    ids=str,
)
def test_values_that_are_allowed(values: dict[str, Any]) -> None:
    Settings(**values)


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"site": "a\0b"}, "site"),
        ({"ignore": ("a\0b",)}, "ignore.0"),
        ({"max_drop": 101}, "max_drop"),
        ({"sitemap": {"max_urls": 50_001}}, "sitemap.max_urls"),
        ({"sitemap": {"max_bytes": 999}}, "sitemap.max_bytes"),
        ({"sitemap": {"name": "../sitemap.xml"}}, "sitemap.name"),
        ({"lastmod": ("auto", "git")}, "lastmod"),
        ({"dates": {"timezone": "../UTC"}}, "dates.timezone"),
        ({"rules": ({"match": ("*",), "lastmod": "soon"},)}, "rules.0.lastmod"),
        ({"sitemaps": ({"name": "Blog", "match": ("*",)},)}, "sitemaps.0.name"),
        ({"submit": {"key": "a" * 129}}, "submit.key"),
        ({"submit": {"key": "short"}}, "submit.key"),
        ({"submit": {"endpoint": ("https://a.example/", "b.example")}}, "submit.endpoint.1"),
    ],
    ids=str,
)
def test_values_that_are_refused(values: dict[str, Any], key: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(**values)
    assert [".".join(map(str, error["loc"])) for error in caught.value.errors()] == [key]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_key_is_described_in_sentences(table: type[BaseModel]) -> None:
    for name, field in table.model_fields.items():
        if not isinstance(field.default, BaseModel):
            assert (field.description or "").endswith("."), name


def test_nothing_changes_settings() -> None:
    found = Settings()
    with pytest.raises(ValidationError):
        found.site = "public"
    assert (found.site, found.base_url, found.respect.noindex) == (".", None, True)


@pytest.mark.parametrize(("name", "stem"), [("sitemap.xml", "sitemap"), ("a.xml.xml", "a.xml")])
def test_file_names_begin_with_the_stem(name: str, stem: str) -> None:
    assert Settings.model_validate({"sitemap": {"name": name}}).sitemap.stem == stem


def test_every_form_of_a_text_has_an_example_that_is_allowed() -> None:
    for pattern, (description, example) in PATTERNS.items():
        assert re.fullmatch(pattern, example), description


def test_the_schema_requires_the_base_url_which_may_be_found_elsewhere() -> None:
    schema = Settings.model_json_schema()
    assert schema["required"] == ["base_url"]
    assert schema["properties"]["base_url"]["type"] == "string"
    assert Settings().base_url is None
