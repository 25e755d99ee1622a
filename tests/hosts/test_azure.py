"""staticwebapp.config.json as Azure Static Web Apps reads it: the first route that matches decides."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.hosts import origin_at, reason_at, unread_of

from sitemapper.hosts.azure import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
NOINDEX = {"X-Robots-Tag": "noindex"}


def reason(path: str, *routes: dict[str, Any], **config: Any) -> Reason | None:
    text = json.dumps({"routes": routes, **config})
    return reason_at(READER.read({"staticwebapp.config.json": text}, "example.com", NOW), path)


@pytest.mark.parametrize(
    ("route", "yes", "no"),
    [
        ("/a", "/a", "/a/ /a.html /b"),
        ("/a/*", "/a /a/ /a/b /a/b.html", "/ab /b"),
        ("/a/*.html", "/a/b.html", "/a/b.htm /b.html"),
        ("/a/*.{htm,html}", "/a/b.html /a/c/b.htm", "/a/b.txt"),
        ("/a/*/b", "", "/a/x/b"),  # a star stands at the end only
        ("/a.{htm,html}", "", "/a.html"),
        ("*", "/a /b/c.html", ""),
        ("/a/index.html", "/a /a/ /a/index.html", "/a/b"),
    ],
)
def test_routes(route: str, yes: str, no: str) -> None:
    rule = {"route": route, "redirect": "/new"}
    assert [path for path in yes.split() if reason(path, rule) is not Reason.REDIRECT] == []
    assert [path for path in no.split() if reason(path, rule)] == []


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"redirect": "/new"}, Reason.REDIRECT),
        ({"statusCode": 401}, Reason.CLOSED),
        ({"statusCode": 404}, Reason.CLOSED),
        ({"statusCode": 200}, None),
        ({"allowedRoles": ["authenticated"]}, Reason.CLOSED),
        ({"allowedRoles": ["anonymous", "admin"]}, None),
        ({"methods": ["POST"], "redirect": "/new"}, None),
        ({"headers": NOINDEX}, Reason.NOINDEX),
        ({"headers": {"X-Robots-Tag": "all"}}, None),
        ({"rewrite": "/b.html"}, Reason.DUPLICATE),  # another page, or none
    ],
)
def test_what_a_route_does(rule: dict[str, Any], expected: Reason | None) -> None:
    assert reason("/a", {"route": "/a", **rule}) is expected


def test_the_first_route_decides_and_its_headers_replace_those_of_all() -> None:
    moved = {"route": "/a", "redirect": "/new"}
    assert reason("/a", {"route": "/a"}, moved) is None
    assert reason("/b", globalHeaders=NOINDEX) is Reason.NOINDEX
    assert (
        reason("/a", {"route": "/a", "headers": {"X-Robots-Tag": "all"}}, globalHeaders=NOINDEX)
        is None
    )


def test_the_page_for_404_is_no_page_of_the_site() -> None:
    overrides = {"404": {"rewrite": "/lost.html"}}
    assert reason("/lost.html", responseOverrides=overrides) is Reason.NOT_A_PAGE


def test_a_route_that_is_not_known_is_named() -> None:
    text = json.dumps({"routes": [{"route": "/a/*/b", "redirect": "/new"}]})
    rules = READER.read({"staticwebapp.config.json": text}, "example.com", NOW)
    assert unread_of(rules) == ["staticwebapp.config.json:1: /a/*/b"]


def test_the_origin_is_the_line_of_the_route() -> None:
    text = '{"routes": [\n{"route": "/a", "redirect": "/b"},\n{"route": "/c", "statusCode": 403}]}'
    rules = READER.read({"staticwebapp.config.json": text}, "example.com", NOW)
    assert origin_at(rules, "/c") == "staticwebapp.config.json:3: /c 403"
