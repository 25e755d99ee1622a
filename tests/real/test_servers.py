"""Apache and nginx themselves are asked for each URL that is listed for their sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import BASE, build, locs, write_site
from support.hosts import forms, page

from real.host_engines import Ask, apache, free_port, readable, running
from real.host_sites import DECODED

pytestmark = pytest.mark.real
PAGES = ("index.html", "b.html", "c.html", "d.html", "h.html", "a/index.html", "a/x.html", "g/index.html", "closed/index.html", "lost.html")  # fmt: skip
CLEAN = """\
Redirect 301 /c.html /moved
ErrorDocument 404 /lost.html
RewriteEngine On
RewriteCond %{THE_REQUEST} \\s/d\\.html[\\s?] [NC]
RewriteRule ^ /d [R=301,L]
RewriteRule ^g/index\\.html$ /moved [R=302,L]
RewriteCond %{REQUEST_FILENAME}.html -f
RewriteRule ^([^.]+)$ $1.html [L]
<Files "h.html">
Header set X-Robots-Tag "noindex"
</Files>
"""
RULES = """\
RedirectMatch 301 ^/a/x /moved
Redirect /g/index.html /moved
Redirect gone /d.html
RewriteEngine On
RewriteCond %{REQUEST_FILENAME} -f
RewriteRule ^b\\.html$ /moved [R=301,L]
RewriteCond %{HTTP_COOKIE} session
RewriteRule ^c /moved [R]
"""


@contextmanager
def nginx(root: Path) -> Iterator[Ask]:
    port = free_port()
    config = root.parent / "nginx.conf"
    config.write_text(
        f"pid {root.parent}/pid;\nerror_log stderr;\ndaemon off;\nevents {{}}\nhttp {{\naccess_log off;\n"
        f"server {{ listen 127.0.0.1:{port}; root {root};\n}}\n}}\n"
    )
    with running(["/usr/sbin/nginx", "-c", config], root.parent, port) as ask:
        yield ask


def compare(ask: Ask, root: Path, names: tuple[str, ...], unread: Sequence[str] = ()) -> None:
    """Each listed URL shows a page of its own, and each page that is shown without noindex is listed.

    The server redirects the listed URLs in `unread`, by lines that are not read.
    """
    contents = {page(name).encode(): name for name in names}
    shown = {}
    for url in (loc.removeprefix(BASE[:-1]) for loc in locs(root)):
        status, body, _ = ask(url)
        if 300 <= int(status) < 400 and url in unread:
            continue
        shown[url] = contents.get(body) if status == 200 else status
    assert sorted(map(str, shown.values())) == sorted(
        {str(name) for name in shown.values() if name in names}
    )
    for name in set(names) - set(shown.values()):
        if not set(unread).isdisjoint(forms(name)):
            continue
        answers = [ask(url) for url in forms(name)]
        pages = [a for a in answers if a[0] == 200 and contents.get(a[1]) == name]
        assert all("x-robots-tag" in headers for *_, headers in pages) or name == "lost.html", name


# Not read: conditions but those on files, and a Redirect of an index page, which Apache asks for at its folder, too.
@pytest.mark.parametrize(("text", "unread"), [(CLEAN, ["/d.html"]), (RULES, ["/g/"]), ("", [])])
def test_apache(tmp_path: Path, text: str, unread: list[str]) -> None:
    files = {name: page(name) for name in PAGES}
    rules = {".htaccess": text, "closed/.htaccess": "Require all denied\n"} if text else {}
    root = readable(write_site(tmp_path / "project/public", files | rules))
    build(root)
    with apache(root) as ask:
        compare(ask, root, PAGES, unread)


@pytest.mark.parametrize("server", [apache, nginx])
def test_names(tmp_path: Path, server: object) -> None:
    root = readable(write_site(tmp_path / "project/public", {name: page(name) for name in DECODED}))
    build(root)
    assert callable(server)
    with server(root) as ask:
        compare(ask, root, DECODED)
