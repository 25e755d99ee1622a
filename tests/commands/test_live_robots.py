"""The live robots.txt: where it is found, and in which line it differs from the built one."""

from __future__ import annotations

import pytest
from support import BASE
from support.answers import answers

from sitemapper.commands.live_robots import first_difference, robots_answer
from sitemapper.net.client import Answer

ROBOTS = f"{BASE}robots.txt"
OURS = b"User-agent: *\nDisallow: /drafts/\n"
MANAGED = (
    b"# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare\n\n"
)


def leading_to(target: str) -> Answer:
    return Answer(301, (("location", target),))


def test_a_redirect_on_the_host_is_followed() -> None:
    host = answers({ROBOTS: leading_to("/seo/robots.txt"), f"{BASE}seo/robots.txt": Answer(200)})
    assert robots_answer(host, ROBOTS) == (f"{BASE}seo/robots.txt", Answer(200))


@pytest.mark.parametrize("target", ["https://www.example.com/robots.txt", "mailto:me"])
def test_a_redirect_to_another_host_or_no_page_is_not_followed(target: str) -> None:
    host = answers({ROBOTS: leading_to(target)})
    assert robots_answer(host, ROBOTS) == (ROBOTS, leading_to(target))
    assert host.asked == [ROBOTS]


def test_five_redirects_are_followed_and_no_more() -> None:
    host = answers({ROBOTS: leading_to(ROBOTS)})
    assert robots_answer(host, ROBOTS)[1].status == 301
    assert len(host.asked) == 1 + 5


@pytest.mark.parametrize(
    ("live", "difference"),
    [
        (OURS, ""),
        (b"\r\n" + OURS.replace(b"\n", b" \r\n"), ""),
        (MANAGED + OURS, ""),
        (
            b"# begin by hand\nDisallow: /\n" + OURS,
            "line 1 is '# begin by hand', not 'User-agent: *'",
        ),
        (b"User-agent: *", "line 2 is '', not 'Disallow: /drafts/'"),
        (OURS + b"Disallow: /old/", "line 3 is 'Disallow: /old/', not ''"),
        (b"User-agent: x\nDisallow: /\n" + OURS, "line 1 is 'User-agent: x', not 'User-agent: *'"),
        (b"x" * 99, f"line 1 is '{'x' * 80}', not 'User-agent: *'"),
    ],
)
def test_the_first_line_that_differs_from_the_built_file(live: bytes, difference: str) -> None:
    assert first_difference(OURS, live) == difference
