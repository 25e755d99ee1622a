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


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        ("/seo/robots.txt", [ROBOTS, f"{BASE}seo/robots.txt"]),
        (ROBOTS, [ROBOTS] * 6),  # five redirects and no more
        ("https://www.example.com/robots.txt", [ROBOTS]),
        ("mailto:me", [ROBOTS]),
    ],
)
def test_redirects_on_the_host_are_followed(target: str, asked: list[str]) -> None:
    redirect = Answer(301, (("location", target),))
    host = answers({ROBOTS: redirect, f"{BASE}seo/robots.txt": Answer(200)})
    url, answer = robots_answer(host, ROBOTS)
    assert (url, host.asked) == (asked[-1], asked)
    assert answer.status == (200 if "seo" in target else 301)


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
