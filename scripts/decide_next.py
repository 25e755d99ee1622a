"""What the new core decides about the pages of a site, for `make compare HALF=decide_next:decide`.

It goes when the new core has replaced the old one.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from typing import Any

from sitemapper_next import config
from sitemapper_next.errors import PreviewError, SitemapperError
from sitemapper_next.find import find
from sitemapper_next.model import Listed, Run
from sitemapper_next.observer import QUIET
from sitemapper_next.read import read
from sitemapper_next.scan import scan
from sitemapper_next.select import select
from sitemapper_next.settle import settle
from sitemapper_next.syntax.urls import in_form

KEYS = ("base_url", "output", "url_style", "lastmod", "ledger", "gzip", "previous", "max_drop")
DOTTED = {"ledger": "ledger.path", "gzip": "sitemap.gzip", "robots": "robots.write"}
WITH_VALUE = [
    "--format",
    "--jobs",
    "--scheduler",
    "--excluded",
    "--changes",
    "--report",
    "--header",
    "--cache",
    "--redirects",
    "--color",
    "--text-file",
]


def parse(argv: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The flags that set keys, and the values of --config."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-o", "--output")
    for name in ("base-url", "url-style", "ledger", "gzip", "previous", "max-drop", "site"):
        parser.add_argument(f"--{name}")
    for name in ("ignore", "include", "lastmod", "config", "no-respect"):
        parser.add_argument(f"--{name}", action="append")
    for name in ("strict", "robots", "no-robots", "no-lastmod", "hreflang", "images"):
        parser.add_argument(f"--{name}", action="store_true")
    for name in WITH_VALUE:
        parser.add_argument(name)
    parser.add_argument("places", nargs="*")
    command, *rest = argv
    options, _ = parser.parse_known_args(rest)
    values = vars(options)
    flags = {DOTTED.get(key, key): values[key] for key in KEYS if values[key] is not None}
    for key in ("ignore", "include"):
        if values[key]:
            flags[key] = tuple(values[key])
    if "lastmod" in flags:
        flags["lastmod"] = tuple(flags["lastmod"])
    if "max_drop" in flags:
        flags["max_drop"] = float(flags["max_drop"])
    if options.no_lastmod:
        flags["lastmod"] = ()
    if options.no_robots:
        flags["robots.write"] = False
    files = list(options.config or [])
    files += [f"respect.{name} = false" for name in options.no_respect or ()]
    if options.strict:
        flags["strict"] = True
    if command == "explain":
        if options.site:
            flags["site"] = options.site
    elif options.places:
        flags["site"] = options.places[0]
    return flags, files


def decide(call: list[str] | dict[str, Any], cwd: str) -> dict[str, Any]:
    """Decides up to the point where pages are dated, and returns what can be compared."""
    decided: dict[str, Any] = {"base_url": "", "forms": [], "listed": {}, "excluded": {}}
    environment = dict(os.environ)
    try:
        if isinstance(call, list):
            flags, files = parse(call)
            loaded = config.load(flags, cwd, environment, files)
        else:
            loaded = config.load({}, cwd, environment, (), call)
        run = Run(cwd, environment, jobs=1)
        found = find(loaded, run)
        scanned = scan(found)
        facts = read(scanned.pages, found, run, QUIET)
        site = settle(found, scanned, facts.facts, run)
        now = datetime(2026, 6, 1, tzinfo=UTC)
        selected = select(site, scanned, facts.facts, now)
    except PreviewError:
        return decided | {"code": 0}
    except SitemapperError as error:
        print(error, file=sys.stderr)
        return decided | {"code": 2}
    forms = site.forms
    return {
        "code": 0,
        "base_url": site.base_url,
        "forms": [in_form("a/index.html", forms.folder), in_form("b.html", forms.page)],
        "listed": {_path(one): one.url for one in selected.listed},
        "excluded": {one.path: [one.reason.value, str(one.origin)] for one in selected.excluded},
        "site": os.path.relpath(found.folder, cwd),
        "generator": found.project.name if found.project else "",
        "host": [site.host.name],
        "origins": {"base_url": str(site.base_url_origin)},
        "messages": [message.text for message in (*site.messages, *selected.messages)],
    }


def _path(one: Listed) -> str:
    return one.page.path if one.page else one.url
