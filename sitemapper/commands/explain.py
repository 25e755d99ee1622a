"""Why one page is listed or not. Runs the stages of a build on this page alone."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from ..errors import SiteError
from ..fs import relative
from ..lastmod.ledger import LedgerFile, LedgerState
from ..lastmod.sources import choose
from ..model import Batch, Diagnostic, Excluded, Listed, Origin, Page, Reason, Shown, Value
from ..output import published
from ..pages.extra import Extra
from ..pipeline import run as pipeline
from ..pipeline.details import extra_values, page_values
from ..pipeline.evidence import local_ledger, open_evidence, open_ledger
from ..pipeline.plan import Plan, make_plan
from ..pipeline.process import decide
from ..settled import Output
from ..setup.settle import Setup
from ..site import server, walk
from ..syntax.urls import comparison_key, resolve

if TYPE_CHECKING:
    from ..lastmod.git import History

_MAX_SUGGESTED_FROM = 20_000  # pages to compare with a mistyped name


class Explanation(NamedTuple):
    """The verdict on one page. For a listed page, also each value with its text and origin."""

    path: str
    verdict: Listed | Excluded
    values: tuple[Value, ...]
    warned: tuple[Diagnostic, ...]


def explain(setup: Setup, target: str, *, now: datetime) -> Explanation:
    """The verdict on a path or URL.

    Raises SiteError, with similar names, if there is no such page.
    """
    site, run = setup.site, setup.run
    plan = make_plan(setup, now, local_ledger(site, run))
    path = _path_of(target, plan, run.cwd)
    url = resolve(target, site.base_url)
    extra = plan.extra.get(comparison_key(url)) if url else None
    if path is None and (pruned := _pruned(target, plan)):
        return Explanation(pruned.path, pruned, (), ())
    if extra and (path is None or "?" in target):
        return _explain_extra(extra, plan)
    if path is None:
        raise SiteError(
            f"{target}: no page of {site.root} has this name or URL", _suggest(target, plan)
        )
    walked = _walk_to(plan.root, path)
    if isinstance(walked, Excluded):
        return Explanation(path, walked, (), ())
    with (
        open_ledger(site, run) as (ledger, _),
        open_evidence(plan._replace(ledger=ledger)) as evidence,
    ):
        batch = evidence.attach(walked)
        verdicts, dates = decide(batch, plan)
        shown = verdicts.facts[0].shown if verdicts.facts else None
        sources = list(_sources(path, batch, shown, evidence.git)) if evidence.git else []
    warned = (*evidence.diagnostics, *dates.diagnostics, *verdicts.diagnostics)
    if verdicts.excluded:
        return Explanation(path, verdicts.excluded[0], (), warned)
    listed = verdicts.listed[0]._replace(lastmod=dates.lastmods[0])
    if (
        extra and "://" in target and listed.loc != extra.listed.loc
    ):  # the page beside it has its own entry
        return _explain_extra(extra, plan)
    values = (
        *next(page_values(verdicts, dates, plan)),
        *_other_urls(listed, plan),
        *sources,
        *_content(batch, verdicts.facts[0].digest if verdicts.facts else None, ledger),
        *((f"image {n}", url, f"{path}: <img>") for n, url in enumerate(listed.images, 1)),
        *((setting.key, setting.text, str(setting.origin)) for setting in site.found),
        _shard(listed.loc, site.output),
    )
    return Explanation(path, listed, values, warned)


def _other_urls(listed: Listed, plan: Plan) -> Iterator[Value]:
    """What a known host does with the other forms of a page's URL."""
    locator, look = plan.policy.locator, partial(server.kind_at, plan.root)
    served = locator.served.paths(listed.path, locator.indexes) if locator.served else ()
    for path in locator.served_paths(listed.path) if served else ():
        url = locator.encoded(path)
        rule = next(filter(None, plan.policy.host_effects(url, look)), None)
        if url == listed.loc:
            continue
        if rule:
            yield "not listed", f"{url}: {rule.reason.value}", str(rule.origin)
        else:
            what = "also shows the page" if path in served else "is a redirect or does not exist"
            yield "not listed", f"{url}: {what}", " and ".join(plan.policy.host.names)


def _explain_extra(extra: Extra, plan: Plan) -> Explanation:
    listed = extra.listed
    verdict = pipeline.evaluate_extra(extra, plan)
    if isinstance(verdict, Excluded):
        return Explanation(listed.loc, verdict, (), ())
    return Explanation(
        listed.loc, listed, (*extra_values(extra), _shard(listed.loc, plan.site.output)), ()
    )


def _sources(path: str, batch: Batch, shown: Shown | None, git: History) -> Iterator[Value]:
    """The files that date a page, existing ones first, with the reason and the newest commit."""
    if candidates := batch.sources.get(path):
        titles, size = shown or ((), 0)
        source, reason = choose(candidates, titles, size)
        if source:
            yield "source", source.name, f"{reason}{git.commit(source.name)}"
        else:
            yield "source", "none", reason
        if source or not git.sources_of([path])[path]:
            return
    names, exist = git.named_files(path)
    if not (git.named_paths(path) or git.sources_of([path])[path]):
        commit = git.commit(names[0]).removeprefix("; ")
        own = (
            f"part of a built site that was committed ({commit})"
            if commit[:7] == "commit "
            else commit
        )
        yield "source", "none", f"no source fits, and {names[0]} is {own}"
        return
    for name in names:
        yield "source", name, git.commit(name).removeprefix("; ") if exist else "no such file"


def _content(batch: Batch, digest: str | None, ledger: LedgerFile | None) -> Iterator[Value]:
    if digest is None or ledger is None:
        return
    row, short = batch.ledger.get(batch.pages[0].path), f"{digest[5:13]}…"
    if row and not LedgerState(row, digest).is_unchanged:
        yield "content", f"changed: the digest was {row.digest[5:13]}…, and is {short}", ""
        return
    state = f"new: not in {ledger.label}"
    if row and row.lastmod:
        state = f"unchanged since {row.lastmod.text}"
    elif row and row.after:
        state = (
            f"unchanged since its last change, which has no date but is later than {row.after.text}"
        )
    elif row:
        state = "unchanged since the last build, and without a date"
    yield "content", state, f"digest {short}"


def _path_of(target: str, plan: Plan, cwd: str) -> str | None:
    """The site path for a URL in any scheme, or a path in the site or in the shell's folder."""
    is_url, typed = (
        "://" in target,
        relative(os.path.join(cwd, target), plan.site.root),
    )
    names = [] if is_url or target.endswith("/") else [target, typed.replace(os.sep, "/")]
    for path in map(posixpath.normpath, names):
        file = plan.root.file(path)
        if not path.startswith(("..", "/")) and os.path.lexists(file) and not os.path.isdir(file):
            return path
    url = resolve(target.partition("?")[0] if is_url else target.lstrip("/"), plan.site.base_url)
    served = plan.policy.locator.path_of(url or "")
    return None if served is None else server.file_for_url_path(plan.root, served)


def _pruned(target: str, plan: Plan) -> Excluded | None:
    """The verdict on a folder that was not entered, for its path or URL."""
    url = resolve(target if "://" in target else target.lstrip("/"), plan.site.base_url) or ""
    path = (plan.policy.locator.path_of(url) or "").rstrip("/")
    if not path or ".." in path.split("/") or not os.path.isdir(plan.root.file(path)):
        return None
    walked = _walk_to(plan.root, f"{path}/{walk.INDEX}")
    return walked if isinstance(walked, Excluded) and walked.is_folder else None


def _suggest(target: str, plan: Plan) -> str:
    urls = (target.lower(), plan.site.base_url)
    host, own = (re.match(r"(?:[a-z][a-z0-9+.-]*:)?//([^/?#]+)", url) for url in urls)
    if host and own and host[1] != own[1]:
        return f"{host[1]} is not the host of base_url, {own[1]}"
    files: Iterator[Page | Excluded] = chain.from_iterable(
        (*run.pages, *run.excluded) for run in walk.walk(plan.root)
    )
    names = {file.path.lower(): file.path for file in islice(files, _MAX_SUGGESTED_FROM)}
    names |= {name.removesuffix(f"/{walk.INDEX}"): path for name, path in names.items()}
    path = (plan.policy.locator.path_of(target) or target).strip("/")
    close = dict.fromkeys(names[name] for name in get_close_matches(path.lower(), names, 3, 0.5))
    return f"did you mean {', '.join(close)}?" if close else ""


def _walk_to(folder: walk.SiteRoot, path: str) -> Batch | Excluded:
    """The result of the walk for one path. Lists only the folders above it."""
    above = ""
    for part in path.split("/"):
        for run in walk.list_directory(folder, above):
            if not isinstance(run, str):  # a folder
                for excluded in run.excluded:
                    if excluded.path in (above, above + part, above + part + "/"):
                        return excluded
                for page in run.pages:
                    if page.path == path:
                        return Batch([page], (), run.twins)
        above += part + "/"
    return Excluded(path, Reason.IGNORED, Origin("include", None, "no pattern matches"))


def _shard(loc: str, output: Output) -> Value:
    name = published.find_file_with(loc, output)
    return "published", "not yet" if name is None else f"in {name}", ""
