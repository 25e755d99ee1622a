"""Why one page is listed or not. Runs the stages of a build on this page alone."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from difflib import get_close_matches
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ..errors import SiteError, SitemapperError
from ..find.plan import make_plan
from ..find.settle import Setup
from ..fs import files_below, relative
from ..lastmod.ledger import LedgerFile, LedgerState
from ..lastmod.live_ledger import local_ledger, open_ledger
from ..lastmod.resolve import BatchDates, date_batch
from ..lastmod.source_choice import Choice
from ..messages import Message
from ..model import (
    NO_FACTS,
    Batch,
    Excluded,
    Fate,
    GoneUrl,
    LedgerEntry,
    Listed,
    NoDate,
    Origin,
    Page,
    PageRow,
    Reason,
    Value,
)
from ..plan import Plan, with_ledger
from ..publish import published
from ..read import server, walk
from ..run import stream
from ..run.details import extra_values, page_values
from ..run.process import date_if_all_changed, decide
from ..run.rows import Rows, open_rows
from ..select.alone import select_extra
from ..select.extra import Extra
from ..select.pages import BatchSelection
from ..site import Output
from ..syntax.urls import INDEXES, comparison_key, folder_of, is_page_name, resolve
from .gone import find_gone

if TYPE_CHECKING:
    from ..lastmod.git import History

_MAX_SUGGESTED_FROM = 20_000  # pages to compare with a mistyped name


class Explanation(NamedTuple):
    """The verdict on one page. For a listed page, also each value with its text and origin.

    The verdict on a URL that was published and has no page any more is its fate.
    """

    path: str
    verdict: Listed | Excluded | GoneUrl
    values: tuple[Value, ...] = ()
    warned: tuple[Message, ...] = ()


def explain(setup: Setup, target: str, *, now: datetime) -> Explanation:
    """Why a path or URL, as a person types it, is listed or not.

    Of a URL that was published before and has no page now, what became of it. Raises SiteError,
    with similar names, if there is no such page, and there was none.
    """
    try:
        explanation = explain_page(setup, target, now=now)
    except SiteError as error:
        return _explain_gone(setup, target, now, error)
    if isinstance(explanation.verdict, Listed) or "://" not in target:
        return explanation
    try:
        gone = find_gone(setup, target, now)
    except SitemapperError as error:
        values = [("published", f"not known: {_first_line(error)}", "")]
    else:
        values = [_published_before(gone)] if gone else []
    return explanation._replace(values=tuple(values))


def _published_before(gone: GoneUrl) -> Value:
    """`published   before, and redirected now  (to https://a.example/new)`."""
    is_redirected = gone.fate is Fate.REDIRECTED and gone.target
    where = f"to {gone.target}" if is_redirected else ""
    return "published", f"before, and {gone.fate.value} now", where


def _explain_gone(setup: Setup, target: str, now: datetime, error: SiteError) -> Explanation:
    """What became of a URL without a page. Raises the error, which says so, if it never had one."""
    try:
        gone = find_gone(setup, target, now)
    except SitemapperError as failure:
        raise SiteError(f"{_first_line(error)}; its fate is not known: {failure}") from None
    if gone is None:
        raise error
    return Explanation(gone.url, gone)


def list_missing(setup: Setup, now: datetime) -> Iterator[str]:
    """A sentence for each URL of `[check] required` that is not listed."""
    # Dates do not decide whether a page is listed, and git's history takes long to read.
    site = setup.site._replace(date_sources=(), ledger=None)
    undated = setup._replace(site=site)
    for required in setup.settings.check.required:
        url = resolve(required.lstrip("/"), site.base_url) or required
        try:
            verdict = explain_page(undated, url, now=now).verdict
        except SiteError:
            yield f"{url}: there is no such page"
            continue
        if isinstance(verdict, Excluded):
            yield f"{url}: {verdict.reason.value} ({verdict.origin})"
        elif isinstance(verdict, Listed) and verdict.loc != url:
            yield f"{url}: is listed as {verdict.loc}"


def _first_line(error: SitemapperError) -> str:
    """What an error says is wrong, without its help."""
    return str(error).partition("\n")[0]


def explain_page(setup: Setup, target: str, *, now: datetime) -> Explanation:
    """The verdict on a path or URL of the site.

    It may mean a page, a folder that a build does not enter, or a URL that only the configuration
    names. Raises SiteError, with similar names, if there is no such page.
    """
    site, run = setup.site, setup.run
    plan = make_plan(setup, now, local_ledger(site, run))
    path = _path_of(target, plan, run.cwd)  # None if the site has no such file
    if path is None:
        pruned = _pruned(target, plan)
        if pruned:
            return Explanation(pruned.path, pruned)
    url = resolve(target, site.base_url)
    extra = plan.extra.get(comparison_key(url)) if url else None
    has_query = "?" in target  # which a file cannot have
    if extra and (path is None or has_query):
        return _explain_extra(extra, plan)
    if path is None:
        help = _suggest(target, plan)
        if "://" in target and url and url.startswith(site.base_url):
            how_to_know = "to explain an old URL, name a sitemap that has it: --previous FILE"
            help = f"{help} Or, {how_to_know}" if help else how_to_know
        raise SiteError(f"{target}: no page of {site.root} has this name or URL", help)
    walked = _walk_to(plan.root, path)
    if isinstance(walked, Excluded):
        return Explanation(path, walked)
    asked_extra = extra if "://" in target else None
    return _explain_page(walked, plan, setup, asked_extra)


def _explain_page(
    walked: Batch, plan: Plan, setup: Setup, asked_extra: Extra | None
) -> Explanation:
    """Runs the stages of a build on one page, and tells its verdict with all its values.

    `walked` is a batch with this page alone. `asked_extra` is the entry of the configuration with
    the URL that the person typed, None for none. If the page turns out to have another URL, this
    entry is explained instead.
    """
    path = walked.pages[0].path
    site = setup.site
    with ExitStack() as stack:
        ledger, _ = stack.enter_context(open_ledger(site, setup.run))
        plan = with_ledger(plan, ledger)
        rows = stack.enter_context(open_rows(plan))
        batch = rows.attach(walked)
        selection, dates = _decide_page(batch, plan, rows)
        warned = (*rows.diagnostics, *dates.warnings, *selection.warnings)
        if selection.excluded:
            return Explanation(path, selection.excluded[0], warned=warned)
        [listed] = selection.listed
        if asked_extra and listed.loc != asked_extra.listed.loc:
            return _explain_extra(asked_extra, plan)
        listed = listed._replace(lastmod=dates.lastmods[0])
        source_values: list[Value] = []
        [(_, row)] = batch.page_rows()
        if rows.git:
            is_list = not row.sources and _has_pages_below(path, plan.root)
            choice = dates.pages[0].choice if dates.pages else None
            source_values += _sources(path, row, choice, rows.git, is_list=is_list)
            if is_list and dates.causes == [NoDate.UNKNOWN]:
                # In a build, the next pages tell this. Here, the batch has no other page.
                dates = dates._replace(causes=[NoDate.LIST])
        if dates.sources == ["front_matter"]:
            dates = dates._replace(sources=[_where_stated(dates)])
        if dates.sources == ["published"]:
            dates = dates._replace(sources=[rows.describe_published()])
    values = list(next(page_values(selection, dates, plan)))  # of the only page
    values += _other_urls(listed, plan)
    values += source_values
    [facts] = selection.facts or [NO_FACTS]
    if ledger and facts.digest is not None:
        values.append(_content(row.ledger, facts.digest, ledger))
    for number, url in enumerate(listed.images, 1):
        values.append((f"image {number}", url, f"{path}: <img>"))
    # The settings that nobody wrote for sitemapper, such as the base URL of the generator.
    values += [(setting.key, setting.text, str(setting.origin)) for setting in site.found]
    values.append(_published(listed.loc, site.output))
    return Explanation(path, listed, tuple(values), warned)


def _decide_page(batch: Batch, plan: Plan, rows: Rows) -> tuple[BatchSelection, BatchDates]:
    """The verdict on the page of a batch, and its date, as in a build of the whole site.

    Other pages are looked at only if they matter: their times, if its own file time may date it,
    and their content, if it changed since the last build.
    """
    selection, dates = decide(batch, plan)
    [(page, row)] = batch.page_rows()
    may_have_file_time = None in dates.lastmods or "mtime" in dates.sources
    may_be_copy = rows.needs_bursts and may_have_file_time and not row.is_committed
    if may_be_copy and rows.is_copy(page.path, plan.root):
        batch = batch._replace(rows=[row._replace(is_copy=True)])
        dates = date_batch(batch, selection.listed, selection.facts, plan.date_policy)
    if plan.date_policy.trusts_changes:
        others = date_if_all_changed(batch, selection, dates, plan)
        if others and stream.has_new_theme(plan):
            return selection, others
    return selection, dates


def _other_urls(listed: Listed, plan: Plan) -> Iterator[Value]:
    """What a known host does with the other forms of a page's URL."""
    policy = plan.policy
    locator = policy.locator
    if locator.served is None:
        return
    served = locator.served.paths(listed.path, locator.indexes)
    if not served:
        return
    for path in locator.served_paths(listed.path):
        url = locator.encoded(path)
        if url == listed.loc:
            continue
        rule = next(filter(None, policy.rules_at(url, listed.path)), None)
        if rule and rule.action:
            yield "not listed", f"{url}: {rule.action.value}", str(rule.origin)
        else:
            what = "is a redirect or does not exist"
            if path in served:
                what = "also shows the page"
            yield "not listed", f"{url}: {what}", " and ".join(policy.host.names)


def _explain_extra(extra: Extra, plan: Plan) -> Explanation:
    """The verdict on a URL of the configuration."""
    listed = extra.listed
    verdict = select_extra(extra, plan.policy, plan.read_options, plan.root)
    if isinstance(verdict, Excluded):
        return Explanation(listed.loc, verdict)
    values = (*extra_values(extra), _published(listed.loc, plan.site.output))
    return Explanation(listed.loc, listed, values)


def _sources(
    path: str, row: PageRow, choice: Choice | None, git: History, *, is_list: bool
) -> Iterator[Value]:
    """The `source` lines of a page: the file that dates it, with its commit, or why there is none.

    `choice` is the choice among the files that may be its source, None if there are none. Then the
    files count that the configuration names for the page, or the committed page itself.
    """
    if choice is None:
        if row.git.has_date or git.named_paths(path):
            yield from _named_sources(path, git)
        else:
            yield "source", "none", _why_no_source(path, git, is_list=is_list)
        return
    source = choice.source
    if source is None:
        yield "source", "none", choice.reason
    elif source.is_recorded:
        yield from _named_sources(path, git)
    else:
        yield "source", source.name, f"{choice.reason}; {git.describe_commit(source.name)}"
        for part in source.parts:
            yield "source", part, f"included; {git.describe_commit(part)}"


def _where_stated(dates: BatchDates) -> str:
    """The file and line in which the source of the only page states its last change."""
    choice = dates.pages[0].choice
    assert choice and choice.source and choice.source.change
    change = choice.source.change
    return f"front_matter: {Origin(change.file, change.line)}"


def _has_pages_below(path: str, root: walk.SiteRoot) -> bool:
    """Whether a page is that of a folder with other pages in it or below it."""
    folder = folder_of(path)
    if folder is None:
        return False
    own_file = root.file(path)
    files = files_below(os.path.dirname(own_file))
    return any(is_page_name(file) and file != own_file for file in files)


def _named_sources(path: str, git: History) -> Iterator[Value]:
    """The files that the configuration names for a page, or the page itself, with their commits."""
    names, exist = git.files_for_message(path)
    for name in names:
        about = git.describe_commit(name) if exist else "no such file"
        yield "source", name, about


def _why_no_source(path: str, git: History, *, is_list: bool) -> str:
    """Why git has no file that dates a page, in words."""
    if is_list:
        return "a list of other pages has no source by design"
    names, _ = git.files_for_message(path)
    own_file = names[0]  # in the repository, as nothing else is named
    why_undated = git.why_undated(own_file)
    nearest = git.nearest.get(path)
    if nearest:
        return (
            f"{nearest[0].name} is nearest, but outside of the generator's folders, and fewer than "
            f"three pages show the titles of the files beside it; {why_undated}"
        )
    return f"no source fits, and {why_undated}"


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
    """The path in the site of the file that a person means, None if there is no such file.

    They may type a URL in any scheme, or a path that begins in the site or in the shell's folder.
    """
    is_url = "://" in target
    if not is_url and not target.endswith("/"):
        for path in map(posixpath.normpath, (target, _from_shell(target, plan, cwd))):
            if _is_file(path, plan.root):
                return path
    for served in _served_paths(target.partition("?")[0] if is_url else target, plan):
        file = server.file_for_url_path(plan.root, served)
        if file is not None:
            return file
    if is_url:
        return None
    return _index_of_folder(_from_shell(target, plan, cwd), plan)


def _from_shell(target: str, plan: Plan, cwd: str) -> str:
    """The path in the site of a path that begins in the shell's folder."""
    return relative(os.path.join(cwd, target), plan.site.root).replace(os.sep, "/")


def _index_of_folder(folder: str, plan: Plan) -> str | None:
    """The index page of a folder of the site, None if it has none: `api` → `api/index.html`."""
    for name in INDEXES:
        path = posixpath.normpath(posixpath.join(folder, name))
        if _is_file(path, plan.root):
            return path
    return None


def _served_paths(target: str, plan: Plan) -> Iterator[str]:
    """The paths in the site that a URL or path may mean, decoded.

    Below https://example.com/blog/, the path /blog/tea/ means blog/tea/ in the site or, as on the
    host, tea/.
    """
    base_url = plan.site.base_url
    addresses = [target]
    if "://" not in target:
        addresses = [target.lstrip("/")]
        base_path = urlsplit(base_url).path
        if target.startswith(base_path):
            addresses.append(target.removeprefix(base_path))
    for address in addresses:
        served = plan.policy.locator.path_of(resolve(address, base_url) or "")
        if served is not None:
            yield served


def _is_file(path: str, root: walk.SiteRoot) -> bool:
    """Whether a path is in the site, and not a folder."""
    if path.startswith(("..", "/")):
        return False
    file = root.file(path)
    return os.path.lexists(file) and not os.path.isdir(file)


def _pruned(target: str, plan: Plan) -> Excluded | None:
    """The verdict on a folder that a build does not enter, for its path or URL.

    None if the target is no folder of the site, or one that a build enters.
    """
    for served in _served_paths(target, plan):
        path = served.rstrip("/")
        leads_outside = ".." in path.split("/")
        if not path or leads_outside or not os.path.isdir(plan.root.file(path)):
            continue
        # The walk stops at an excluded folder on the way to any page in it.
        verdict = _walk_to(plan.root, f"{path}/{walk.INDEX}")
        if isinstance(verdict, Excluded) and verdict.is_folder:
            return verdict
    return None


def _suggest(target: str, plan: Plan) -> str:
    """What a mistyped URL or path may mean, "" if nothing is similar."""
    host = _host(target.lower())
    own = _host(plan.site.base_url)
    if host and own and host != own:
        return f"{host} is not the host of base_url, {own}"
    path_of_name = _names_of_files(plan.root)
    typed = (plan.policy.locator.path_of(target) or target).strip("/")
    similar_names = get_close_matches(typed.lower(), path_of_name, n=3, cutoff=0.5)
    if not similar_names:
        return ""
    paths = dict.fromkeys(path_of_name[name] for name in similar_names)
    return f"did you mean {', '.join(paths)}?"


def _names_of_files(root: walk.SiteRoot) -> dict[str, str]:
    """The paths of the first files in the site, by their names in lower case.

    An index also has the name of its folder: `guide` stands for `guide/index.html`.
    """
    files: Iterator[Page | Excluded] = chain.from_iterable(
        (*run.pages, *run.excluded) for run in walk.walk(root)
    )
    names = {file.path.lower(): file.path for file in islice(files, _MAX_SUGGESTED_FROM)}
    folders = {name.removesuffix(f"/{walk.INDEX}"): path for name, path in names.items()}
    return names | folders


def _host(url: str) -> str:
    """The host of a URL with or without a scheme, "" for a path."""
    match = re.match(r"(?:[a-z][a-z0-9+.-]*:)?//([^/?#]+)", url)
    return match[1] if match else ""


def _walk_to(folder: walk.SiteRoot, path: str) -> Batch | Excluded:
    """What a build's walk says of one path: a batch with this page alone, or why it is excluded.

    Lists only the folders above it. The exclusion may be that of one of these folders.
    """
    above = ""
    for part in path.split("/"):
        here = above + part
        for run in walk.list_directory(folder, above):
            if isinstance(run, str):  # the name of a folder, not a run of files
                continue
            for excluded in run.excluded:
                if excluded.path in (above, here, f"{here}/"):
                    return excluded
            for page in run.pages:
                if page.path == path:
                    return Batch([page], (), run.twins)
        above = f"{here}/"
    return Excluded(path, Reason.IGNORED, Origin("include", None, "no pattern matches"))


def _published(loc: str, output: Output) -> Value:
    """The published file that lists a URL."""
    name = published.find_file_with(loc, output)
    return "published", "not yet" if name is None else f"in {name}", ""
