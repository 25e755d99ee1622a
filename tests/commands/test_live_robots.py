"""In which line the live robots.txt differs from the built one."""

from __future__ import annotations

import pytest

from sitemapper.commands.live_robots import first_difference

OURS = b"User-agent: *\nDisallow: /drafts/\n"
MANAGED = (
    b"# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare\n\n"
)


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
