"""Who may enter, for a visitor without a name and with an unknown address."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.access import HostRule, HostRules, read_requirement, refusal
from sitemapper.hosts.apache.lines import read_directives
from sitemapper.hosts.apache.request import Context, Files, Request, read_base
from sitemapper.model import Origin

REQUEST = Request("/a", "/a", env={"SET": "1", "UNSET": "", "UNKNOWN": None})
CONTEXT = Context(read_base("https://example.com/"), REQUEST, "/a")
FILES = Files("/", lambda _: "")
LINE = Origin(".htaccess", 1, "")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Require all denied", 403),
        ("Require valid-user", 401),
        ("Require user x\nRequire all granted", 0),
        ("Require ip 10.0.0.1", 0),
        ("Require not ip 10.0.0.1", 0),
        ("Require env SET", 0),
        ("Require env UNSET", 403),
        ("Require env UNKNOWN", 0),
        ("Require method POST", 403),
        ("Require expr \"%{REQUEST_URI} == '/b'\"", 403),
        ("<RequireAll>\nRequire all granted\nRequire not env SET\n</RequireAll>", 403),
        ("<RequireAny>\nRequire all denied\nRequire local\n</RequireAny>", 0),
        ("<RequireAll>\nWhat is this\nRequire all granted\n</RequireAll>", 0),
        ("<RequireAll>\nRequire all denied\n", 0),  # without an end
    ],
)
def test_lines_require(text: str, status: int) -> None:
    read = [read_requirement(directive)[0] for directive in read_directives("", text)]
    refused = refusal(read, HostRules(), CONTEXT, FILES)
    assert (refused.status if refused else 0) == status


@pytest.mark.parametrize(
    ("order", "rules", "is_refused"),
    [
        ("", ["deny all"], True),
        ("deny,allow", ["deny all", "allow env=SET"], False),
        ("Deny,Allow", ["deny all", "allow 10.0.0.1"], False),
        ("allow,deny", [], True),
        ("allow,deny", ["allow all"], False),
        ("allow,deny", ["allow all", "deny env=!UNSET"], True),
        ("allow,deny", ["allow all", "deny 10.0.0.1"], False),
    ],
)
def test_order_allow_and_deny(order: str, rules: list[str], is_refused: bool) -> None:
    read = [HostRule(rule.split()[0], rule.split()[1:], LINE) for rule in rules]
    refused = refusal([], HostRules(read, order, LINE), CONTEXT, FILES)
    assert (refused is not None) is is_refused


def test_either_is_enough_if_satisfy_says_so() -> None:
    (line,) = read_directives("", "Require valid-user")
    requirement, _ = read_requirement(line)
    rules = HostRules([HostRule("allow", ["all"], LINE)], "", LINE, satisfies_any=True)
    assert refusal([requirement], rules, CONTEXT, FILES) is None
    assert refusal([requirement], rules._replace(satisfies_any=False), CONTEXT, FILES)
