"""The block of a Caddyfile that is for a site."""

from __future__ import annotations

import pytest

from sitemapper.hosts.caddy.sites import choose_site


def site(addresses: str, text: str = "root /srv\nfile_server") -> str:
    return f"{addresses} {{\n{text}\n}}\n"


APP = "reverse_proxy app:3000"


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (site("example.com"), True),
        (site("www.example.com, https://example.com:443"), True),
        (site("{$DOMAIN:example.com}"), True),
        (site("a.example") + site("example.com"), True),
        (site("a.example"), True),  # alone
        (site("{$DOMAIN}"), True),
        (site("a.example") + site("b.example"), False),
        (site("example.com", APP) + site("b.example"), True),
        (site("http://example.com") + site("example.com"), False),
        (site("example.com", APP), False),
        (site(":80", "file_server"), True),
        (site(":8080", "file_server"), False),
        (site(":8080", "handle {\nroot /srv\nfile_server\n}"), True),
        (site("(shared)") + site("example.com", "import shared"), True),
        (site("(shared)"), False),
        ("", False),
    ],
)
def test_which_site_counts(text: str, is_found: bool) -> None:
    assert (choose_site(text, "example.com") is not None) is is_found
