"""Why one page is listed or not. Runs the stages of a build on this page alone."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from ..errors import SiteError
from ..fs import relative
from ..lastmod.ledger import LedgerFile, LedgerState
from ..lastmod.sources import choose
from ..model import (
    Batch,
    Candidate,
    Diagnostic,
    Excluded,
    LedgerEntry,
    Listed,
    Origin,
    Page,
    Reason,
    Shown,
    Value,
)
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
    values: tuple[Value, ...] = ()
    warned: tuple[Diagnostic, ...] = ()


def explain(setup: Setup, target: str, *, now: datetime) -> Explanation:
    """The verdict on a path or URL.

    Raises SiteError, with similar names, if there is no such page.
    """
    site, run = setup.site, setup.run
    plan = make_plan(setup, now, local_ledger(site, run))
    path = _path_of(target, plan, run.cwd)
    if path is None:
        pruned = _pruned(target, plan)
        if pruned:
            return Explanation(pruned.path, pruned)
    url = resolve(target, site.base_url)
    extra = plan.extra.get(comparison_key(url)) if url else None
    if extra and (path is None or "?" in target):
        return _explain_extra(extra, plan)
    if path is None:
        raise SiteError(
            f"{target}: no page of {site.root} has this name or URL", _suggest(target, plan)
        )
    walked = _walk_to(plan.root, path)
    if isinstance(walked, Excluded):
        return Explanation(path, walked)
    beside = extra if "://" in target else None
    return _explain_page(walked, plan, setup, beside)


def _explain_page(walked: Batch, plan: Plan, setup: Setup, beside: Extra | None) -> Explanation:
    """The verdict on a page, by the stages of a build. `walked` holds this page alone.

    `beside` is the entry of the configuration that was asked for, None for none. It is explained if
    the page turns out to have another URL.
    """
    path = walked.pages[0].path
    site = setup.site
    with (
        open_ledger(site, setup.run) as (ledger, _),
        open_evidence(plan._replace(ledger=ledger)) as evidence,
    ):
        batch = evidence.attach(walked)
        verdicts, dates = decide(batch, plan)
        facts = verdicts.facts[0] if verdicts.facts else None
        sources: list[Value] = []
        if evidence.git:
            shown = facts.shown if facts else None
            sources += _sources(path, batch.sources.get(path), shown, evidence.git)
    warned = (*evidence.diagnostics, *dates.diagnostics, *verdicts.diagnostics)
    if verdicts.excluded:
        return Explanation(path, verdicts.excluded[0], warned=warned)
    listed = verdicts.listed[0]._replace(lastmod=dates.lastmods[0])
    if beside and listed.loc != beside.listed.loc:
        return _explain_extra(beside, plan)
    values = [*next(page_values(verdicts, dates, plan)), *_other_urls(listed, plan), *sources]
    if ledger and facts and facts.digest is not None:
        row = batch.ledger.get(path)
        values.append(_content(row, facts.digest, ledger))
    for number, url in enumerate(listed.images, 1):
        values.append((f"image {number}", url, f"{path}: <img>"))
    values += [(setting.key, setting.text, str(setting.origin)) for setting in site.found]
    values.append(_published(listed.loc, site.output))
    return Explanation(path, listed, tuple(values), warned)


def _other_urls(listed: Listed, plan: Plan) -> Iterator[Value]:
    """What a known host does with the other forms of a page's URL."""
    policy = plan.policy
    locator = policy.locator
    if locator.served is None:
        return
    served = locator.served.paths(listed.path, locator.indexes)
    if not served:
        return
    kind_at = partial(server.kind_at, plan.root)
    for path in locator.served_paths(listed.path):
        url = locator.encoded(path)
        if url == listed.loc:
            continue
        effect = next(filter(None, policy.host_effects(url, kind_at)), None)
        if effect:
            yield "not listed", f"{url}: {effect.reason.value}", str(effect.origin)
        else:
            what = "also shows the page" if path in served else "is a redirect or does not exist"
            yield "not listed", f"{url}: {what}", " and ".join(policy.host.names)


def _explain_extra(extra: Extra, plan: Plan) -> Explanation:
    """The verdict on a URL of the configuration."""
    listed = extra.listed
    verdict = pipeline.evaluate_extra(extra, plan)
    if isinstance(verdict, Excluded):
        return Explanation(listed.loc, verdict)
    values = (*extra_values(extra), _published(listed.loc, plan.site.output))
    return Explanation(listed.loc, listed, values)


def _sources(
    path: str, candidates: Sequence[Candidate] | None, shown: Shown | None, git: History
) -> Iterator[Value]:
    """The files that date a page, existing ones first, with the reason and the newest commit.

    `candidates` are those that may be its source, `shown` what the page shows of its source.
    """
    if candidates:
        titles, size = shown or ((), 0)
        source, reason = choose(candidates, titles, size)
        if source:
            yield "source", source.name, f"{reason}{git.commit(source.name)}"
            return
        yield "source", "none", reason
        if not _has_source(path, git):
            return
    names, exist = git.named_files(path)
    if not git.named_paths(path) and not _has_source(path, git):
        commit = _commit(names[0], git)
        is_committed = commit.startswith("commit ")
        own = f"part of a built site that was committed ({commit})" if is_committed else commit
        yield "source", "none", f"no source fits, and {names[0]} is {own}"
        return
    for name in names:
        yield "source", name, _commit(name, git) if exist else "no such file"


def _has_source(path: str, git: History) -> bool:
    """Whether git knows a source of a page, or dates the page itself."""
    return bool(git.sources_of([path])[path])


def _commit(name: str, git: History) -> str:
    """The last commit of a file."""
    return git.commit(name).removeprefix("; ")


def _content(row: LedgerEntry | None, digest: str, ledger: LedgerFile) -> Value:
    """Whether the content of a page changed since its row was written."""
    short = _short(digest)
    if row is None:
        state = f"new: not in {ledger.label}"
    elif not LedgerState(row, digest).is_unchanged:
        return "content", f"changed: the digest was {_short(row.digest)}, and is {short}", ""
    elif row.lastmod:
        state = f"unchanged since {row.lastmod.text}"
    elif row.after:
        last = row.after.text
        state = f"unchanged since its last change, which has no date but is later than {last}"
    else:
        state = "unchanged since the last build, and without a date"
    return "content", state, f"digest {short}"


def _short(digest: str) -> str:
    """The beginning of a digest, after the mark of its rule."""
    return f"{digest[5:13]}…"


def _path_of(target: str, plan: Plan, cwd: str) -> str | None:
    """The site path for a URL in any scheme, or a path in the site or in the shell's folder."""
    is_url = "://" in target
    if not is_url and not target.endswith("/"):
        in_shell = relative(os.path.join(cwd, target), plan.site.root).replace(os.sep, "/")
        for path in map(posixpath.normpath, (target, in_shell)):
            if _is_file(path, plan.root):
                return path
    typed = target.partition("?")[0] if is_url else target.lstrip("/")
    url = resolve(typed, plan.site.base_url)
    served = plan.policy.locator.path_of(url or "")
    return None if served is None else server.file_for_url_path(plan.root, served)


def _is_file(path: str, root: walk.SiteRoot) -> bool:
    """Whether a path is in the site, and not a folder."""
    if path.startswith(("..", "/")):
        return False
    file = root.file(path)
    return os.path.lexists(file) and not os.path.isdir(file)


def _pruned(target: str, plan: Plan) -> Excluded | None:
    """The verdict on a folder that was not entered, for its path or URL."""
    url = resolve(target if "://" in target else target.lstrip("/"), plan.site.base_url) or ""
    path = (plan.policy.locator.path_of(url) or "").rstrip("/")
    if not path or ".." in path.split("/") or not os.path.isdir(plan.root.file(path)):
        return None
    walked = _walk_to(plan.root, f"{path}/{walk.INDEX}")
    return walked if isinstance(walked, Excluded) and walked.is_folder else None


def _suggest(target: str, plan: Plan) -> str:
    """What a mistyped URL or path may mean, "" if nothing is similar."""
    host = _host(target.lower())
    own = _host(plan.site.base_url)
    if host and own and host != own:
        return f"{host} is not the host of base_url, {own}"
    runs = walk.walk(plan.root)
    files: Iterator[Page | Excluded] = chain.from_iterable(
        (*run.pages, *run.excluded) for run in runs
    )
    names = {file.path.lower(): file.path for file in islice(files, _MAX_SUGGESTED_FROM)}
    # A folder is named by its index.
    names |= {name.removesuffix(f"/{walk.INDEX}"): path for name, path in names.items()}
    path = (plan.policy.locator.path_of(target) or target).strip("/")
    similar = get_close_matches(path.lower(), names, 3, 0.5)
    if not similar:
        return ""
    paths = dict.fromkeys(names[name] for name in similar)
    return f"did you mean {', '.join(paths)}?"


def _host(url: str) -> str:
    """The host of a URL with or without a scheme, "" for a path."""
    match = re.match(r"(?:[a-z][a-z0-9+.-]*:)?//([^/?#]+)", url)
    return match[1] if match else ""


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


def _published(loc: str, output: Output) -> Value:
    """The published file that lists a URL."""
    name = published.find_file_with(loc, output)
    return "published", "not yet" if name is None else f"in {name}", ""
