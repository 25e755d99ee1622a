"""Which pages are listed, at which URLs: `select_page` for one page, `select_batch` for many.

What the path decides is asked before a page is read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple, cast

from ..hosts.rule import Rule
from ..messages import Kind, Message
from ..model import (
    NO_FACTS,
    Batch,
    Excluded,
    Listed,
    Origin,
    Page,
    PageFacts,
    Reason,
)
from ..protocol import MAX_URL_LENGTH
from ..read import server
from ..read.facts import ReadOptions
from ..read.kind import GENERATED_INDEX
from ..read.page import PageReader
from ..read.walk import SiteRoot
from ..syntax.links import resolve_images
from ..syntax.urls import INDEXES, Locator, folder_of
from .checked_page import CheckedPage
from .hreflang import find_alternates
from .overrides import NO_OVERRIDES, first_section, match_overrides
from .policy import IndexPolicy, Location
from .signals.canonical import find_canonical
from .signals.signal import Check
from .warnings import warnings_for

NO_VERSIONS: Mapping[str, bytes] = {}
NO_PAGES: Mapping[str, Page] = {}
# The same as Listed(...), without a Python call: it is used for most pages.
_new_listed = cast(Callable[[tuple[Any, ...]], Listed], partial(tuple.__new__, Listed))


class SelectedPage(NamedTuple):
    """Whether a page is listed: as `Listed`, or as `Excluded` with the reason.

    `facts` are what was read of the page, and `rules` those of `[[rules]]` that match it.
    """

    result: Listed | Excluded
    facts: PageFacts = NO_FACTS
    warnings: Sequence[Message] = ()
    rules: Sequence[Origin] = ()


class BatchSelection(NamedTuple):
    """Which pages of a batch are listed, and what was read of them."""

    listed: Sequence[Listed]  # so far, with a date only if one of `[[rules]]` sets it
    facts: Sequence[PageFacts] = ()  # of the listed pages, none if no page was read
    excluded: Sequence[Excluded] = ()
    warnings: Sequence[Message] = ()
    parsed: int = 0  # how many pages were parsed
    rules: Set[Origin] = frozenset()  # those of `[[rules]]` that match any page
    # What was read of pages in later batches, because pages of this batch link to them as their
    # language versions. It is packed, by path, and the later batches do not read them again.
    versions: Mapping[str, bytes] = NO_VERSIONS
    saved: Mapping[str, Page] = NO_PAGES  # by path, those whose files were saved after the walk


class Checks(NamedTuple):
    """The checks of a site, in the order in which they decide.

    With `looks_at_paths`, the path of a page may exclude the page, or set its URL or its priority.
    Without it, only the content of a page or another file at its URL may do so.
    """

    of_path: Sequence[Check]  # those that can exclude a page before it is read
    of_content: Sequence[Check]  # those that run after a page was read
    looks_at_paths: bool


def checks_of(policy: IndexPolicy) -> Checks:
    """Chooses the checks that run for each page of this site: before it is read, and after it.

    The check of robots.txt runs before a page is read, if the site has a robots.txt. Most others,
    such as that of a noindex in the page, run after it was read.
    """
    # Before: the checks of `[[rules]]`, of robots.txt and of the host's rules, if there are any.
    of_path = [signal.check for signal in policy.signals if signal.decides_by_path(policy)]
    # After: all but those of `[[rules]]` and robots.txt. That of the host's rules runs again,
    # because the canonical in the page may choose a URL for which the host has other rules.
    of_content = [signal.check for signal in policy.signals if not signal.is_only_of_path]
    looks_at_paths = bool(of_path) or _may_share_url(policy.locator)
    return Checks(of_path=of_path, of_content=of_content, looks_at_paths=looks_at_paths)


def _may_share_url(locator: Locator) -> bool:
    """Says whether `b.html` and `b/index.html` may have one URL, or other URLs than usual.

    In the style `bare`, both are at /b. Some hosts show the two at URLs of their own.
    """
    return locator.style == "bare" or _has_urls_for_clash(locator)


def _has_urls_for_clash(locator: Locator) -> bool:
    """Says whether the host has URLs of its own for `b.html` and `b/index.html` in one site.

    Netlify usually shows `b/index.html` at /b/. If the site also has `b.html`, it shows
    `b/index.html` only at /b/index.html. False if the host is not known.
    """
    forms_of_host = locator.served
    return forms_of_host is not None and forms_of_host.clash is not None


def select_page(
    page: Page,
    loc: str,
    other_file: str | None,
    policy: IndexPolicy,
    reader: PageReader,
    checks: Checks,
) -> SelectedPage:
    """Decides whether a page is listed: by its path first, and if that allows it, by its content.

    `loc` is the URL of the page in the style of the site. `other_file` is another file that the
    server may show at this URL, such as `b/index.html` for `b.html`, None without one.
    """
    if other_file or checks.looks_at_paths:
        return _select_by_path(page, loc, other_file, policy, reader, checks)
    # On most sites, no path can exclude a page, so its content decides. Most pages are then listed
    # without a `CheckedPage`. Making one for each page would cost time.
    facts = reader.facts(page)
    if isinstance(facts, Excluded):  # it cannot be read
        return SelectedPage(facts)
    if needs_no_checks(facts, loc):  # nothing in it, such as noindex, could exclude it
        return SelectedPage(_list_as_it_is(page.path, loc, policy), facts)
    checked = CheckedPage(page.path, loc, Location(loc))
    return _select_by_content(page, checked, facts, policy, reader, checks)


def _select_by_path(
    page: Page,
    loc: str,
    other_file: str | None,
    policy: IndexPolicy,
    reader: PageReader,
    checks: Checks,
) -> SelectedPage:
    """Decides whether a page is listed: by its path first, and if that allows it, by its content.

    The line `Disallow: /drafts/` in robots.txt excludes `drafts/a.html` by its path. `[[rules]]`
    and the rules of the host can do so, too. Such a page need not be read.

    `loc` is the URL of the page, and `other_file` another file that a server may show there.
    """
    # 1. Before the page is read.
    checked = _with_path(page.path, loc, other_file, policy, checks)
    excluded = first_match(checks.of_path, checked, policy)
    if excluded:
        return _excluded_by_path(page, checked, excluded, policy, reader)
    # 2. After it was read.
    facts = reader.facts(page)
    if isinstance(facts, Excluded):  # the file cannot be read
        return SelectedPage(facts, rules=checked.overrides.rules)
    # The usual page is listed at once: the checks below could find no reason against it. They look
    # at rules of hosts, at another file with its URL, and at what is in the page.
    have_hosts_rules = bool(checked.location.rules)
    has_overrides = checked.overrides is not NO_OVERRIDES  # such as a priority, to list with it
    has_only_url = not have_hosts_rules and not has_overrides and other_file is None
    if has_only_url and needs_no_checks(facts, checked.loc):
        return SelectedPage(_list_as_it_is(page.path, checked.loc, policy), facts)
    return _select_by_content(page, checked, facts, policy, reader, checks)


def _with_path(
    path: str, loc: str, other_file: str | None, policy: IndexPolicy, checks: Checks
) -> CheckedPage:
    """Makes the page that is checked, with what its path decides, before the page is read.

    The path decides the URL of the page, the rules that hosts have for this URL, and the values
    that `[[rules]]` set. `loc` is the URL in the style of the site, and `other_file` another file
    that a server may show there.
    """
    if other_file and _are_of_one_folder(path, other_file):
        # Of `a/index.html` and `a/index.htm`, servers show the first one at /a/. The second can
        # only be listed at /a/index.htm.
        loc = policy.locator.encoded(path)
    page = CheckedPage(path, loc, Location(loc), other_file)
    if not checks.looks_at_paths:
        return page
    location = policy.locate_by_path(page)
    overrides = match_overrides(policy.rules, path)
    return page._replace(loc=location.loc, location=location, overrides=overrides)


def _are_of_one_folder(page: str, other: str) -> bool:
    """Says whether two files are the index pages of one folder: `a/index.html`, `a/index.htm`."""
    folder = folder_of(page)  # None for a page that is not the index page of a folder
    return folder is not None and folder == folder_of(other)


def _select_by_content(
    page: Page,
    checked_by_path: CheckedPage,
    facts: PageFacts,
    policy: IndexPolicy,
    reader: PageReader,
    checks: Checks,
) -> SelectedPage:
    """Decides whether a page is listed by its content, with warnings about what may be wrong.

    For example, a noindex in `a.html` excludes it. `facts` are what was read of the page, and
    `checked_by_path` has what its path decided before.
    """
    read_page = _with_content(checked_by_path, facts, policy, reader)
    excluded = first_match(checks.of_content, read_page, policy)
    warnings = tuple(warnings_for(read_page, excluded, policy))
    if excluded is None:
        return _listed(page, read_page, policy, reader, warnings)
    return SelectedPage(excluded, read_page.facts, warnings, rules=read_page.overrides.rules)


def _list_as_it_is(path: str, loc: str, policy: IndexPolicy) -> Listed:
    """Lists a page with its URL and its section, without a date or any other value."""
    section = first_section(policy.sections, path)
    # Faster than `Listed(…)`. Most pages of a site are listed here. The fields without a value are
    # the lastmod, changefreq and priority, and the alternates, images and origins.
    return _new_listed((path, loc, None, None, None, (), (), (), section))


def first_match(checks: Sequence[Check], page: CheckedPage, policy: IndexPolicy) -> Excluded | None:
    """Runs the checks in their order until one excludes the page, and returns the exclusion.

    None if no check excludes the page. It then stays listed.
    """
    for check in checks:
        excluded = check(page, policy)
        if excluded:
            return excluded
    return None


def needs_no_checks(facts: PageFacts, loc: str) -> bool:
    """Says whether the caller can list a page at `loc` at once, because no check could exclude it.

    False, so that all checks run, for:

    - an app shell or another file that is no page (`kind`)
    - a page with images or language versions, which are listed with it
    - a URL that may be too long
    - a page with a signal in its head, such as noindex, unless the only one is a canonical that
      names just `loc`
    """
    if facts.kind or facts.images or facts.metadata.alternates:
        return False
    if len(loc) >= MAX_URL_LENGTH:
        return False
    signals = facts.metadata.signals
    has_only_own_canonical = len(signals) == 1 and signals.get("canonical") == loc
    return has_only_own_canonical or not signals


def _excluded_by_path(
    page: Page,
    checked: CheckedPage,
    excluded: Excluded,
    policy: IndexPolicy,
    reader: PageReader,
) -> SelectedPage:
    """Makes the result for a page that its path excludes, with warnings.

    A page that robots.txt closes is read all the same, to warn if it has a noindex.
    """
    warnings = list(warnings_for(checked, excluded, policy))
    if excluded.reason is Reason.ROBOTS and policy.respect.noindex:
        facts = reader.facts(page)
        # Crawlers may not fetch the page, so they never see its noindex (Google, "Block Search
        # indexing with noindex").
        if isinstance(facts, PageFacts) and "noindex" in facts.metadata.signals:
            warnings.append(Message(Kind.HIDDEN, (page.path,)))
    return SelectedPage(excluded, NO_FACTS, warnings, checked.overrides.rules)


def _with_content(
    page: CheckedPage, facts: PageFacts, policy: IndexPolicy, reader: PageReader
) -> CheckedPage:
    """Adds to a page what was read of it, and the URL at which it is to be listed by its canonical.

    By its path, `b.html` has the URL /b.html. If its canonical is /b, and the host shows the page
    there, it is listed at /b.
    """
    # 1. The facts. A canonical that hosts send in a header counts as one in the page.
    all_facts = _with_canonical_of_hosts(facts, page.location.rules)
    # 2. The kind: why the file is no page, such as "an app shell". None for a page.
    kind = facts.kind
    is_index = kind == GENERATED_INDEX  # a list of pages that a tool wrote, such as genindex.html
    if kind and reader.root.is_asked_for(page.path, is_index=is_index):
        kind = None  # the user has included the file by its name, so it counts as a page
    read_page = page._replace(is_read=True, facts=all_facts, kind=kind)
    # 3. The canonical. None if it is just /b.html, so that nothing changes.
    canonical = find_canonical(read_page, policy, reader.root)
    if canonical is None:
        return read_page
    read_page = read_page._replace(canonical=canonical)
    # A canonical that names another page, such as /c, does not choose the URL of this one.
    if not read_page.names_itself:
        return read_page
    # 4. The location: the URL to list, and the rules that hosts have for it.
    location = policy.locate_by_canonical(read_page, canonical)
    is_listed_at_canonical = location.loc == canonical.loc(policy.locator.base)
    if is_listed_at_canonical:  # /b; relative links are still resolved against /b.html
        return read_page._replace(location=location)
    # The host does not show the page at /b, or redirects from there: links follow the location.
    return read_page._replace(location=location, loc=location.loc)


def _with_canonical_of_hosts(facts: PageFacts, rules: Sequence[Rule | None]) -> PageFacts:
    """Adds the canonical that hosts send in a header to the facts of a page, as if the head had it.

    The header is `Link: </a>; rel="canonical"`. Nothing is added if the head of the page has a
    canonical, or if one of the possible hosts sends none. `rules` has an item for each possible
    host: the rule that it applies to the page, None without one.
    """
    signals = facts.metadata.signals
    sent = [rule.target for rule in rules if rule and rule.action is Reason.CANONICAL]
    do_all_hosts_send_one = len(sent) == len(rules)
    if not sent or not do_all_hosts_send_one or "canonical" in signals:
        return facts
    # If hosts send different ones, that of the first host counts.
    all_signals = {**signals, "canonical": sent[0]}
    return facts._replace(metadata=facts.metadata._replace(signals=all_signals))


def _listed(
    page: Page,
    checked: CheckedPage,
    policy: IndexPolicy,
    reader: PageReader,
    warnings: Sequence[Message],
) -> SelectedPage:
    """Makes the result for a page that nothing excludes.

    The URL is that of its location. The date, the priority and the change frequency are those that
    `[[rules]]` set. A later stage finds all other dates. The language versions and the images are
    those that the page names.
    """
    facts = checked.facts
    overrides = checked.overrides
    loc = checked.location.loc
    alternates, hreflang_warnings = find_alternates(page, facts, loc, policy, reader)
    listed = Listed(
        path=page.path,
        loc=loc,
        lastmod=overrides.lastmod,
        changefreq=overrides.changefreq,
        priority=overrides.priority,
        alternates=alternates,
        images=resolve_images(facts, loc) if facts.images else (),
        origins=overrides.origins,
        section=first_section(policy.sections, page.path),
    )
    all_warnings = (*warnings, *hreflang_warnings)
    return SelectedPage(listed, facts, all_warnings, rules=overrides.rules)


def select_batch(
    batch: Batch, locs: Sequence[str], policy: IndexPolicy, options: ReadOptions, root: SiteRoot
) -> BatchSelection:
    """Decides which pages of a batch are listed, in walk order, and reads them if necessary.

    `locs` are the URLs of the pages in the style of the site, in the same order. The result also
    has what was read of their language versions, for later batches.
    """
    checks = checks_of(policy)
    # Pages are read for the `options`, such as signals in the head. A page is also read if its
    # title has to decide which of its possible source files counts.
    has_to_read_pages = options.reads or batch.sources
    if not has_to_read_pages and _are_all_listed(batch, locs, checks):
        return BatchSelection(listed=list(_list_all(batch.pages, locs, policy)))
    # At least one page may be excluded, or has to be read, so each is decided for itself.
    reader = PageReader(root, options, batch)
    listed: list[Listed] = []
    facts: list[PageFacts] = []  # of the listed pages
    excluded: list[Excluded] = []
    warnings: list[Message] = []
    rules: set[Origin] = set()
    for page, loc in zip(batch.pages, locs, strict=True):
        other_file = find_other_file(page, batch, policy, root)  # that may have the same URL
        selected = select_page(page, loc, other_file, policy, reader, checks)
        warnings += selected.warnings
        rules.update(selected.rules)
        if isinstance(selected.result, Excluded):
            excluded.append(selected.result)
        else:
            listed.append(selected.result)
            facts.append(selected.facts)
    return BatchSelection(
        listed=listed,
        facts=facts,
        excluded=excluded,
        warnings=warnings,
        parsed=reader.parsed,
        rules=rules,
        versions=reader.pack_versions_after(batch.pages[-1]) if batch.pages else NO_VERSIONS,
        saved=reader.saved,
    )


def _are_all_listed(batch: Batch, locs: Sequence[str], checks: Checks) -> bool:
    """Says whether all pages of a batch are listed at their URLs, if their content does not matter.

    `locs` are these URLs. A single page that may be excluded makes the result False.
    """
    # A rule, such as a line in robots.txt, may exclude a page by its path.
    if checks.looks_at_paths:
        return False
    # Two files may have one URL, such as `b.html` and `b/index.html`.
    if batch.other_files:
        return False
    # A URL may be too long for a sitemap.
    longest = max(map(len, locs), default=0)
    return longest < MAX_URL_LENGTH


def select_file(
    path: str, policy: IndexPolicy, options: ReadOptions, root: SiteRoot
) -> SelectedPage | None:
    """Decides whether one file of the site is listed, and at which URL, as a build decides it.

    The result has no date, no images and no language versions, because only the signals of the file
    are read, such as noindex. None if there is no file. The settings `ignore` and `include` do not
    matter here.
    """
    page = server.find_page(root, path)
    if page is None:
        return None
    without_versions = policy._replace(versions=None)  # of other pages, none is read
    batch = Batch(pages=[page], excluded=(), other_files={})
    signals_only = ReadOptions(options.signals, dates=False, digest=None, images=False)
    return select_page(
        page,
        loc=policy.locator.loc(path),
        other_file=find_other_file(page, batch, without_versions, root),
        policy=without_versions,
        reader=PageReader(root, signals_only, batch),
        checks=checks_of(without_versions),
    )


def _list_all(pages: Iterable[Page], locs: Iterable[str], policy: IndexPolicy) -> Iterator[Listed]:
    """Lists all the pages, at the URLs `locs`, with their sections and without other values.

    The same as `_list_as_it_is` for each page. Sites may have a million such pages, so all work is
    done by `zip` and `map`, without a Python call for each page, except for sections.
    """
    paths = [page.path for page in pages]
    sections: Iterable[str] = repeat("")
    if policy.sections:
        sections = map(partial(first_section, policy.sections), paths)
    # One stream for each field of `Listed`, in the order of the fields.
    fields = (
        paths,
        locs,
        repeat(None),  # lastmod
        repeat(None),  # changefreq
        repeat(None),  # priority
        repeat(()),  # alternates
        repeat(()),  # images
        repeat(()),  # origins
        sections,
    )
    rows = zip(*fields, strict=False)  # ends with the paths, as `repeat` has no end
    return map(_new_listed, rows)


def find_other_file(page: Page, batch: Batch, policy: IndexPolicy, root: SiteRoot) -> str | None:
    """Finds another file of the site that a server may show at the URL of a page.

    For `b.html`, this is `b/index.html`, if the site has both. None without such a file. A check
    then compares the two, because a sitemap lists each URL once.
    """
    locator = policy.locator
    # Some hosts, such as Netlify, show `b/index.html` at another URL if the site has `b.html`, too.
    # The other file of `b/index.html` is then `b.html`.
    folder = folder_of(page.path, INDEXES[:1])  # `b/` for `b/index.html`, None for other names
    if folder is not None and _has_urls_for_clash(locator):
        return _page_beside(folder, root)
    # The style `bare`: `b`, `b.html` and `b/index.html` all have the URL /b. Most servers show the
    # first of them that exists, so a check has to compare the other two with this one.
    is_host_known = locator.served is not None
    if locator.style == "bare" and not is_host_known:
        shown_file = server.file_for_url_path(root, locator.served_path(page.path))
        is_page_itself = shown_file == page.path
        return None if is_page_itself else shown_file
    # Any other case: the walk has looked for `b/index.html` beside `b.html`, and the like.
    return batch.other_files.get(page.path)


def _page_beside(folder: str, root: SiteRoot) -> str | None:
    """Finds the page with the name of a folder: `b/` → `b.html`, None if there is no such file."""
    if folder == "":  # the site itself, which has no name
        return None
    page = f"{folder[:-1]}.html"
    return page if server.has_file(root, page) else None
