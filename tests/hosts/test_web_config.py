"""web.config as IIS reads it: rules for URLs, redirects, headers, and locations."""

from __future__ import annotations

import pickle

import pytest

from sitemapper.hosts.host import HostRules
from sitemapper.hosts.web_config import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
BASE = "https://example.com/"
NOINDEX = '<httpProtocol><customHeaders><add name="X-Robots-Tag" value="noindex"/></customHeaders></httpProtocol>'


def rules_of(server: str, locations: str = "") -> HostRules:
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n<system.webServer>\n{server}\n</system.webServer>\n{locations}\n</configuration>'
    return pickle.loads(pickle.dumps(READER.read({"web.config": text}, BASE, NOW)))


def rule(match: str, action: str, inside: str = "", attributes: str = "") -> str:
    return f"<rewrite><rules><rule {attributes}><match {match}/>{inside}<action {action}/></rule></rules></rewrite>"


def at(path: str, server: str) -> str:
    return f'<location path="{path}"><system.webServer>{server}</system.webServer></location>'


@pytest.mark.parametrize(
    ("match", "attributes", "yes", "no"),
    [
        ('url="^old$"', "", "/old /OLD", "/a/old /older"),
        ('url="^old$" ignoreCase="false"', "", "/old", "/OLD"),
        ('url="^keep" negate="true"', "", "/a /b", "/keep/a"),
        ('url="a/*"', 'patternSyntax="Wildcard"', "/a/b /a/b/c", "/a /b/a/c"),
        ('url="a.b"', 'patternSyntax="ExactMatch"', "/a.b", "/axb /a.b/c"),
        ('url="^old$"', 'enabled="false"', "", "/old"),
        ('url="(?=a)"', "", "", "/a"),  # not read
    ],
)
def test_the_paths_of_a_rule(match: str, attributes: str, yes: str, no: str) -> None:
    rules = rules_of(rule(match, 'type="Redirect" url="/z"', attributes=attributes))
    assert [path for path in yes.split() if not rules.effect(path)] == []
    assert [path for path in no.split() if rules.effect(path)] == []


def test_a_redirect_says_where_it_stands_and_leads() -> None:
    effect = rules_of(rule('url="^old/(.*)$"', 'type="Redirect" url="new/{R:1}"')).effect("/old/a")
    assert effect
    assert str(effect.origin) == "web.config:4: ^old/(.*)$ -> new/$1"
    assert effect.leads_to("/old/a", "/new/a", BASE)
    assert not effect.leads_to("/old/a", "/b", BASE)


@pytest.mark.parametrize(
    ("action", "inside", "notes"),
    [
        ('type="Rewrite" url="/index.html"', "", 1),
        ('type="Redirect" url="{ToLower:{URL}}"', "", 1),
        ('type="Redirect" url="/z"', '<conditions><add input="{QUERY_STRING}" pattern="a"/></conditions>', 1),
        ('type="Redirect" url="/z"', '<conditions><add input="{HTTPS}" pattern="^OFF$"/></conditions>', 0),
        ('type="CustomResponse" statusCode="200"', "", 1),
        ('type="None"', "", 0),
    ],
)  # fmt: skip
def test_what_is_not_known_takes_no_page_away(action: str, inside: str, notes: int) -> None:
    rules = rules_of(rule('url=".*"', action, inside))
    assert rules.effect("/a") is None
    assert len(rules.skipped) == notes


@pytest.mark.parametrize(
    "action", ['type="AbortRequest"', 'type="CustomResponse" statusCode="403"']
)
def test_a_refused_page_is_closed(action: str) -> None:
    effect = rules_of(rule('url="^a"', action)).effect("/a")
    assert effect
    assert effect.reason is Reason.CLOSED


def test_a_location_is_a_file_or_a_folder() -> None:
    redirect = '<httpRedirect enabled="true" destination="https://new.example/"/>'
    off = '<httpRedirect enabled="false"/>'
    rules = rules_of("", at("old", redirect) + at("old/kept.html", off) + at("drafts", NOINDEX))
    effect = rules.effect("/old/a")
    assert effect
    assert effect.leads_to("/old/a", "https://new.example/a", BASE)
    assert rules.effect("/drafts/")
    assert [rules.effect(path) for path in ("/old/kept.html", "/older", "/a")] == [None] * 3


def test_a_header_holds_until_a_location_removes_it() -> None:
    removed = NOINDEX.replace(
        'add name="X-Robots-Tag" value="noindex"', 'remove name="x-robots-tag"'
    )
    rules = rules_of(NOINDEX, at("shown", removed))
    assert rules.effect("/a")
    assert rules.effect("/shown/a") is None


@pytest.mark.parametrize(
    "server",
    [
        '<httpRedirect enabled="true" destination="/z" childOnly="true"/>',
        f'<httpRedirect enabled="true" destination="{BASE}"/>',
        '<staticContent><remove fileExtension=".html"/></staticContent>',
        "<security><authorization/></security>",
    ],
)
def test_elements_that_are_not_read_are_noted(server: str) -> None:
    rules = rules_of(server)
    assert rules.effect("/a") is None
    assert [unknown.origin.line for unknown in rules.skipped] == [4]


@pytest.mark.parametrize(
    "text",
    ["<a", "<a>" * 40, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
)
def test_a_file_that_is_no_plain_xml_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"web\.config: is not read"):
        READER.read({"web.config": text}, BASE, NOW)
