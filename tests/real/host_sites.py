"""Small sites with their rules, for each engine: names that are hard, and rules as people write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple


class Case(NamedTuple):
    """A site in `public/` with its project files, the engine that serves it, and the host's name here."""

    name: str
    engine: str
    host: str
    project: Mapping[str, str]
    pages: tuple[str, ...]
    files: Mapping[str, str] = {}
    generator: str = ""  # of GENERATORS, whose real output gives the pages


GENERATORS = {"Hugo": "hugo", "Hugo, ugly URLs": "hugo-ugly", "Next": "next", "MkDocs": "mkdocs-directory", "MkDocs, file URLs": "mkdocs-file", "VitePress": "vitepress"}  # fmt: skip
NAMES = (
    "index.html", "about.html", "docs/index.html", "docs/guide.html", "docs/deep/er/x.html",
    # a folder and a page of one name; a folder without a page of its own; one with the same name below
    "both.html", "both/index.html", "both/inner.html", "half.html", "half/inner.html", "same/same.html",
    "v1.0/index.html", "v1.0/x.html", "a.b.html", "release-1.2.3.html", "x.html.html", "html.html",
    "index/index.html", "reindex.html", "docs/index-2.html",
    "über uns.html", "é/index.html", "sp ace/index.html", "c++.html", "a&b.html", "50%.html", "q?.html", "h#.html",
    "(x).html", "it's.html", "a~b_c-d.html", "semi;colon.html", "at@sign.html", "Upper/Case.html", "日本/index.html",
    "old/index.htm", "older/index.xhtml", "two/index.html", "two/index.htm", "page.htm", "page.xhtml",
)  # fmt: skip
# Names that some engines on this machine cannot serve, whatever the URL; production decodes URLs once.
DECODED = tuple(name for name in NAMES if name not in ("50%.html", "q?.html", "h#.html"))
FEW = ("index.html", "a.html", "b.html", "c.html", "d/index.html", "e/index.html", "e/f.html", "g/index.html", "h.html", "both.html", "both/index.html")  # fmt: skip
MORE = (
    "index.html", "index.htm", "blog.html", "blog/index.html", "blog/2024/01/post.html", "a/index.html", "a/deep/index.html",
    "d/index.html", "d/index/index.html", "e/f.html", "e/f/index.html", "e/f.htm", "v1.2.html", "v1.2/index.html",
    "docs/myindex.html", "_under.html", "$x.html", "[br].html", "x.html/index.html", "ü.html", "ü/index.html",
    "UP/index.html", "up.html", "lost.html", "sub/404.html",
)  # fmt: skip
CHAINS = """\
/a/ /blog 301
/blog /blog/ 302
/blog/ /d/ 301
/blog/:year/* /blog/:splat 301
/d/index/ /d/ 200
/e/f /nowhere 200
/e/* /e/f.html 301
/v1.2 /v1.2 200
/x.html/* https://example.org/:splat 308
/lost /index.html 200
/UP/index.html /up 301
/_under.html /_under 301
/* /moved 404
"""
_FORM_HEADERS = """\
/a/deep/
  X-Robots-Tag: noindex
/docs/*
  X-Robots-Tag: none
/v1.2.html
  X-Robots-Tag: noindex
/v1.2/*
  X-Robots-Tag: googlebot: noindex
/up
  Link: <https://example.com/blog/>; rel="canonical"
https://example.com/sub/*
  X-Robots-Tag: noindex
"""
_NETLIFY_CHAINS = (
    CHAINS.replace(" 301", " 301!").replace(" 200", " 200!").replace("/blog/:splat", "/news/:splat")
    + "/docs/* /docs/new/:splat 301!\n/* /index.html 200\n"
)


def _wrangler(mode: str = "") -> str:
    handling = f'html_handling = "{mode}"\n' if mode else ""
    return (
        f'name = "x"\ncompatibility_date = "2026-05-01"\n[assets]\ndirectory = "public"\n{handling}'
    )


PAGES = 'name = "x"\ncompatibility_date = "2026-05-01"\npages_build_output_dir = "public"\n'
_MOVED = """\
# comments
/a /moved
/b.html /moved 301
/c /b 302 # behind a rule
/d/ /e/ 301
/e /moved 301
/g/* /e/:splat 302
/h /a 200
/none /b 200
/:x/f /moved 301
"""
_HEADERS = """\
/a
  X-Robots-Tag: noindex
/b.html
  X-Robots-Tag: noindex
/d/*
  X-Robots-Tag: noindex
/e/*
  x-robots-tag: NoIndex, nofollow
/e/f
  ! X-Robots-Tag
/c
  Link: </h>; rel="canonical"
"""
_NETLIFY = """\
/a /moved
/b /moved 301!
/b.html /b 301!
/c.html /c 301!
/d/ /e/ 301!
/h.html /moved 301! Country=de
/g/* /e/:splat 302!
/* /h.html 404
"""
_NETLIFY_HEADERS = """\
/a
  X-Robots-Tag: noindex
/b.html
  X-Robots-Tag: noindex
/d/*
  X-Robots-Tag: noindex
/e/
  Basic-Auth: me:secret
"""
_NETLIFY_TOML = """\
[[redirects]]
from = "/a.html"
to = "/moved"
force = true
[[redirects]]
from = "/b.html"
to = "/moved"
[[redirects]]
from = "/c.html"
to = "/moved"
force = true
conditions = {Country = ["de"]}
[[headers]]
for = "/h.html"
[headers.values]
X-Robots-Tag = "noindex"
"""


def _rule(source: str, target: str, **more: object) -> dict[str, object]:
    return {"source": source, "destination": target, **more}


def _noindex(source: str, value: str = "noindex") -> dict[str, object]:
    return {"source": source, "headers": [{"key": "X-Robots-Tag", "value": value}]}


_VERCEL = {
    "redirects": [
        _rule("/a", "/moved"), _rule("/b.html", "/moved"), _rule("/d/", "/e/"), _rule("/g", "/e"),
        _rule("/H.html", "/moved"), _rule("/c.html", "/x", has=[{"type": "cookie", "key": "x"}]),
        _rule("/e/(.*)", "/moved"),
    ],
    "headers": [_noindex("/h"), _noindex("/h.html"), _noindex("/both(.*)"), _noindex("/both", "all")],
    "rewrites": [_rule("/c.html", "/a.html"), _rule("/(.*)", "/index.html")],
}  # fmt: skip


_JSON_CHAINS = [
    _rule("/a/:path*", "/blog"), _rule("/blog", "/blog/"), _rule("/e/f", "/e/f.html"), _rule("/d/index", "/d/"),
    _rule("/up", "/moved"), _rule("/v1.2/", "/v1.2"), _rule("/x.html/:rest*", "/x/:rest*"),
]  # fmt: skip
_JSON_HEADERS = [
    _noindex("/a/deep/"), _noindex("/docs/:path*", "none"), _noindex("/v1.2.html"), _noindex("/sub/(.*)"),
    _noindex("/blog/2024/:rest*", "googlebot: noindex"), _noindex("/blog/2024/01/post", "all"),
    {"source": "/_under", "headers": [{"key": "Link", "value": '<https://example.com/up>; rel="canonical"'}]},
]  # fmt: skip


def _firebase(**hosting: object) -> dict[str, str]:
    site = {"public": "public", **hosting}
    return {"firebase.json": json.dumps({"hosting": site}), "superstatic.json": json.dumps(hosting)}


def _cases() -> list[Case]:
    cases = [Case("names", "pages", "cloudflare", {"wrangler.toml": PAGES}, (*NAMES, "404.html"))]
    rules = {"_redirects": _MOVED, "_headers": _HEADERS}
    cases += [Case("no error page", "pages", "cloudflare", {"wrangler.toml": PAGES}, FEW)]
    cases += [
        Case("rules", "pages", "cloudflare", {"wrangler.toml": PAGES}, (*FEW, "404.html"), rules)
    ]
    for mode in ("", "auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"):
        project = {"wrangler.toml": _wrangler(mode)}
        cases += [Case(f"names, {mode or 'default'}", "workers", "cloudflare", project, NAMES)] if mode != "auto-trailing-slash" else []  # fmt: skip
        cases += [Case(f"rules, {mode or 'default'}", "workers", "cloudflare", project, FEW, rules)]
    for name, config in {
        "plain": {}, "cleanUrls": {"cleanUrls": True},
        "cleanUrls, no slash": {"cleanUrls": True, "trailingSlash": False},
        "cleanUrls, slash": {"cleanUrls": True, "trailingSlash": True},
        "no slash": {"trailingSlash": False}, "slash": {"trailingSlash": True},
    }.items():  # fmt: skip
        project = {"vercel.json": json.dumps(config)}
        cases += [Case(f"names, {name}", "vercel", "vercel", project, NAMES)]
        with_rules = {"vercel.json": json.dumps(config | _VERCEL)}
        cases += [Case(f"rules, {name}", "vercel", "vercel", with_rules, FEW)]
        cases += [Case(f"names, {name}", "superstatic", "firebase", _firebase(**config), DECODED)]
    files = {"_redirects": _NETLIFY, "_headers": _NETLIFY_HEADERS}
    toml = '[build]\npublish = "public"\n'
    cases += [Case("names", "netlify", "netlify", {"netlify.toml": toml}, (*DECODED, "404.html"))]
    cases += [Case("rules", "netlify", "netlify", {"netlify.toml": toml}, FEW[:-2], files)]
    more = {"netlify.toml": toml + _NETLIFY_TOML}
    cases += [Case("rules of netlify.toml", "netlify", "netlify", more, FEW)]
    project = {"wrangler.toml": PAGES}
    rules = {"_redirects": CHAINS, "_headers": _FORM_HEADERS}
    cases += [Case("chains", "pages", "cloudflare", project, (*MORE, "404.html"), rules)]
    for mode in ("auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"):
        project = {"wrangler.toml": _wrangler(mode)}
        cases += [Case(f"chains, {mode}", "workers", "cloudflare", project, MORE, rules)]
    for name, config in {"plain": {}, "cleanUrls": {"cleanUrls": True}, "slash": {"trailingSlash": True}, "no slash": {"cleanUrls": True, "trailingSlash": False}}.items():  # fmt: skip
        rules = config | {"redirects": _JSON_CHAINS, "headers": _JSON_HEADERS}
        project = {"vercel.json": json.dumps(rules)}
        cases += [Case(f"chains, {name}", "vercel", "vercel", project, MORE)]
    files = {"_redirects": _NETLIFY_CHAINS, "_headers": _FORM_HEADERS.partition("https:")[0]}
    cases += [Case("chains", "netlify", "netlify", {"netlify.toml": toml}, MORE, files)]
    return cases + [
        Case(generator, engine, host, project, (), generator=generator)
        for generator in GENERATORS
        for engine, host, project in (
            ("pages", "cloudflare", {"wrangler.toml": PAGES}), ("workers", "cloudflare", {"wrangler.toml": _wrangler()}),
            ("vercel", "vercel", {"vercel.json": "{}"}), ("superstatic", "firebase", _firebase(cleanUrls=True)),
            ("netlify", "netlify", {"netlify.toml": toml}),
        )
    ]  # fmt: skip


CASES = _cases()
