"""firebase.json as Firebase reads it: one or several sites, each with its URL forms. Its rules are not read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitemapper.hosts.firebase import FORMS, READER

NOW = 1_780_272_000  # 2026-06-01
RULES = {
    "redirects": [{"source": "/a", "destination": "/b"}],
    "headers": [{"source": "**", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]}],
    "rewrites": [{"source": "**", "destination": "/index.html"}],
    "ignore": ["a.html"],
}


@pytest.mark.parametrize(
    ("sites", "folder", "forms"),
    [
        ({}, "public", ""),
        ({"cleanUrls": True}, "public", "cleanUrls"),
        ({"cleanUrls": True, "trailingSlash": False}, "public", "cleanUrls, trailingSlash: false"),
        ([{"public": "app"}, {"public": "./public/", "cleanUrls": True}], "public", "cleanUrls"),
        ([{"public": "app"}, {"public": "./public/", "cleanUrls": True}], "app", ""),
        ([{"public": "app"}, {"public": "./public/", "cleanUrls": True}], "elsewhere", ""),
        (RULES, "public", ""),
    ],
)
def test_the_site_that_publishes_the_folder_has_its_forms(
    sites: Any, folder: str, forms: str
) -> None:
    texts = {"firebase.json": json.dumps({"hosting": sites}), "": folder}
    rules = READER.read(texts, "example.com", NOW)
    assert rules.forms == FORMS[forms]
    assert rules.move_at("/a") is rules.header_at("/a") is None
