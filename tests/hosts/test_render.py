"""render.yaml as Render reads it: headers by path, and no route that takes a file away."""

from __future__ import annotations

import pytest

from sitemapper.hosts.host import nothing_there
from sitemapper.hosts.provider import SITE
from sitemapper.hosts.render import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
CONFIG = """services:
  - type: web
    name: api
    runtime: node
  - type: web
    name: site
    runtime: static
    staticPublishPath: ./dist
    headers:
      - path: {}
        name: X-Robots-Tag
        value: noindex
    routes:
      - type: redirect
        source: /a.html
        destination: /b.html
"""


# The table of render.com/docs/static-site-headers.
@pytest.mark.parametrize(
    ("path", "yes", "no"),
    [
        ("/*", "/ /a /a/b.html", ""),
        ("/blog/*", "/blog/ /blog/post /blog/a/b", "/blog /a/blog/"),
        ("/**/*", "/blog/ /assets/ /a/b", "/a /"),
        ("/*.css", "/tokens.css /mode.css", "/assets/theme.css"),
        ("/**/*.css", "/assets/theme.css", "/tokens.css"),
        ("/ab*ba", "/abba /abcba", "/aba /ab/ba /abb"),
        ("/**/*/x", "/a/b/x", "/a/x"),
        ("/a.html", "/a.html", "/a /b.html"),
        ("/a*b*c", "", "/abc /axbxc"),  # not read
    ],
)
def test_the_paths_of_a_header(path: str, yes: str, no: str) -> None:
    rules = READER.read({"render.yaml": CONFIG.format(path), SITE: "dist"}, "", NOW)
    for found in yes.split():
        effect = rules.effect(found)
        assert effect
        assert effect.reason is Reason.NOINDEX
        assert str(effect.origin) == "render.yaml:12: X-Robots-Tag: noindex"
    assert [found for found in no.split() if rules.effect(found)] == []


# The examples of render.com/docs/redirects-rewrites.
@pytest.mark.parametrize(
    ("source", "destination", "path", "target"),
    [
        ("/start", "/", "/start", "/"),
        ("/web-host", "https://render.com", "/web-host", "https://render.com"),
        ("/*", "/blog/*", "/path1/path2", "/blog/path1/path2"),
        ("/old/:name", "/new/:name", "/old/a", "/new/a"),
        ("/old/:name", "/new/:name", "/old/a/b", None),
        ("/start", "/", "/start/x", None),
    ],
)
def test_a_route_redirects_where_no_file_is(
    source: str, destination: str, path: str, target: str | None
) -> None:
    text = CONFIG.format("/*").replace("/a.html", source).replace("/b.html", destination)
    rules = READER.read({"render.yaml": text, SITE: "dist"}, "", NOW)
    effect = rules.effect_on_missing(path, nothing_there)
    if target is None:
        assert effect is None
        return
    assert effect
    assert str(effect.origin) == f"render.yaml:15: {source} -> {destination}"
    assert effect.target_at(path) == target


def test_the_folder_of_the_static_site_is_published() -> None:
    table = {"services": [{"type": "web"}, {"env": "static", "staticPublishPath": "dist"}]}
    assert [hosting.folders for hosting in READER.hosting(table)] == [("dist",)]
    assert READER.hosting({"services": [{"type": "web"}]}) == ()
