"""What a version decides about the pages of a site: the base URL, and for each page its fate.

`decide` asks the older version. The newer one has a function of the same form, which
`compare_builds.py --half MODULE:FUNCTION` names. It gets the words of a command line, or the values
for `sitemapper.load`, and the working directory, in a process of its own whose environment is that
of the case. It returns what JSON can hold:

    {
        "code": 0,                                   2 for an error, whose text it prints to stderr
        "base_url": "https://a.example/",            "" if nothing is published, as at a preview
        "forms": ["a/", "b.html"],                   of a/index.html and b.html
        "listed": {"a/index.html": "https://a.example/a/"},
        "excluded": {"b.html": ["noindex", "b.html: <meta name=robots>"], "drafts/": […]}
    }

A folder that was not entered ends with a slash, and an entry of `[[urls]]` has its URL as the path.
More keys are kept, and not compared.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from compare_differences import Difference, blank, common


class _DecidedError(BaseException):
    """Ends a command when its pages are decided."""


def _module(name: str) -> Any:
    """A module of the package, which the newer version may not have."""
    return importlib.import_module(f"sitemapper{name}")


def decide(call: list[str] | dict[str, Any], cwd: str) -> dict[str, Any]:
    """Decides by the version with `sitemapper.commands.build`."""
    sitemapper, build, check = (
        _module(name) for name in ("", ".commands.build", ".commands.check")
    )
    decided: dict[str, Any] = {"base_url": "", "forms": [], "listed": {}, "excluded": {}}
    real_build = build.build

    def decide_instead(setup: Any, *, now: datetime, **_: Any) -> None:
        decided.update(_decide(setup, now, real_build))
        raise _DecidedError

    # The commands import these when they run.
    build.build = check.check = decide_instead
    try:
        if isinstance(call, list):
            return decided | {"code": _module(".__main__").main(call)}
        setup = sitemapper.load(call, cwd=cwd)
        decide_instead(setup, now=datetime(2026, 6, 1, tzinfo=UTC))
    except _DecidedError:
        return decided | {"code": 0}
    except sitemapper.SitemapperError as error:
        print(error, file=sys.stderr)
        return decided | {"code": 2}
    return decided


def _decide(setup: Any, now: datetime, real_build: Any) -> dict[str, Any]:
    """Runs a build up to the point where it would publish, with no earlier sitemap."""
    sitemapper: Any = _module("")
    build = _module(".commands.build")
    listed: dict[str, str] = {}
    excluded: dict[str, list[str]] = {}
    plans = []

    class Watching(sitemapper.Observer):  # type: ignore[misc]
        wants_changes = False
        wants_details = True
        has_all = False

        def excluded(self, page: Any) -> None:
            excluded[page.path] = [page.reason.value, str(page.origin)]

        def details(self, details: Any) -> None:
            for path, _loc, url, *_ in details.listed:
                listed[path] = url

        def phase(self, name: str) -> None:
            self.has_all = self.has_all or name == "writing"

    make_plan = build.make_plan

    def make_and_keep(*args: Any, **more: Any) -> Any:
        plans.append(make_plan(*args, **more))
        return plans[-1]

    build.make_plan = make_and_keep
    settings = setup.settings
    required = settings.check.model_copy(update={"required": ()})
    settings = settings.model_copy(
        update={"previous": "none", "max_drop": 100.0, "check": required}
    )
    run = setup.run._replace(replace=True, allow_empty=True)
    watching = Watching()
    warnings = []
    try:
        summary = real_build(
            setup._replace(settings=settings, run=run), now=now, dry_run=True, observer=watching
        )
        warnings = [one.kind.name for one in summary.warnings]
    except sitemapper.SitemapperError:
        if not watching.has_all:  # what only publishing refuses is no decision
            raise
    site, policy = plans[0].site, plans[0].policy
    locator = policy.locator
    return {
        "base_url": site.base_url,
        "forms": [locator.served_path("a/index.html"), locator.served_path("b.html")],
        "listed": listed,
        "excluded": excluded,
        "site": os.path.relpath(site.root),
        "generator": site.generator,
        "host": list(policy.host.names),
        "origins": {one.key: str(one) for one in site.found},
        "warnings": warnings,
    }


def differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Difference]:
    """All differences of two decisions."""
    if before["code"] != after["code"]:
        codes = f"{before['code']} → {after['code']}"
        error = after.get("error") or before.get("error") or ""
        yield Difference("exit code", codes + blank(error[:200]), f"{codes}\n{error[:600]}")
        return
    if before["code"]:
        old, new = before.get("error", ""), after.get("error", "")
        if old != new:
            yield Difference("error text", blank(old + new), f"-{old[:500]}\n+{new[:500]}")
        return
    if before["base_url"] != after["base_url"]:
        text = f"{before['base_url']} → {after['base_url']}"
        yield Difference("base URL", str(before.get("origins", {}).get("base_url")), text)
        return
    if before["forms"] != after["forms"]:
        text = f"{before['forms']} → {after['forms']}"
        yield Difference("URL forms", text, text)
    yield from _of_pages(before, after)


def _of_pages(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Difference]:
    """The differences of each page and folder. A page that neither knows has none."""

    def fate(decided: dict[str, Any], path: str) -> str:
        reason, origin = [*decided["excluded"].get(path, ()), "not seen", ""][:2]
        return f"{reason} ({origin})" if origin else reason

    old, new = before["listed"], after["listed"]
    for path in sorted({*old, *new, *before["excluded"], *after["excluded"]}):
        was, now = fate(before, path), fate(after, path)
        if path in old and path in new:
            if old[path] != new[path]:
                start = common(old[path], new[path])
                start = old[path].rfind("/", 0, start) + 1
                sign = " → ".join(blank(url[start:]) for url in (old[path], new[path]))
                yield Difference("url differs", sign, f"{path}: {old[path]} → {new[path]}")
        elif path in old:
            yield Difference("listed only before", blank(now), f"{path}: {now}")
        elif path in new:
            yield Difference("listed only now", blank(was), f"{path}: {was}")
        elif was.partition(" (")[0] != now.partition(" (")[0]:
            kind = "folder differs" if path.endswith("/") else "reason differs"
            sign = " → ".join(text.partition(" (")[0] for text in (was, now))
            yield Difference(kind, sign, f"{path}: {was} → {now}")
        elif was != now:
            yield Difference("origin differs", blank(f"{was} → {now}"), f"{path}: {was} → {now}")
