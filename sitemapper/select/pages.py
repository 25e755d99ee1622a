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
    """Which pages of a batch are listed. Only `[[rules]]` have dated pages so far.

    `facts` are those of the listed pages, none if no page was read. `records` are packed for the
    cache, and `parsed` counts the pages that it did not know. `rules` are those that match any
    page. `versions` are packed facts of later pages, which were read as language versions. `saved`
    are the pages that somebody saved after the walk, by path.
    """

    listed: Sequence[Listed]
    facts: Sequence[PageFacts] = ()
    excluded: Sequence[Excluded] = ()
    warnings: Sequence[Message] = ()
    records: bytes = b""
    parsed: int = 0
    rules: Set[Origin] = frozenset()
    versions: Mapping[str, bytes] = NO_VERSIONS
    saved: Mapping[str, Page] = NO_PAGES


class Checks(NamedTuple):
    """The checks of a site, in the order in which they decide.

    With `looks_at_paths`, the path of a page may exclude the page, or set its URL or its priority.
    Without it, only the content of a page or another file at its URL may do so.
    """

    of_path: Sequence[Check]  # those that can exclude a page before it is read
    of_content: Sequence[Check]  # those that run after a page was read
    looks_at_paths: bool


def checks_of(policy: IndexPolicy) -> Checks:
    """Chooses the checks that run for each page of this site, before and after it is read.

    | check of      | before, by `decides_by_path`  | after, unless `is_only_of_path` |
    |---------------|-------------------------------|---------------------------------|
    | `[[rules]]`   | if the configuration has some | no                              |
    | robots.txt    | if the site has a robots.txt  | no                              |
    | host's rules  | if the host has rules         | yes, at the URL to list         |
    | noindex       | no                            | yes                             |
    """
    of_path = [signal.check for signal in policy.signals if signal.decides_by_path(policy)]
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
    # without a `CheckedPage`. Making one would take 4 % of the time for a page in the cache.
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
    if other_file and _are_of_one_folder(page.path, other_file):
        # Of `a/index.html` and `a/index.htm`, servers show the first one at /a/. The second can
        # only be listed at /a/index.htm.
        loc = policy.locator.encoded(page.path)
    checked = CheckedPage(page.path, loc, Location(loc), other_file)
    if checks.looks_at_paths:
        location = policy.locate_by_path(checked)
        overrides = match_overrides(policy.rules, page.path)
        checked = checked._replace(loc=location.loc, location=location, overrides=overrides)
        excluded = first_match(checks.of_path, checked, policy)
        if excluded:
            return _excluded_by_path(page, checked, excluded, policy, reader)
    # 2. After it was read.
    facts = reader.facts(page)
    if isinstance(facts, Excluded):  # the file cannot be read
        return SelectedPage(facts, rules=checked.overrides.rules)
    have_hosts_rules = bool(checked.location.rules)
    has_overrides = checked.overrides is not NO_OVERRIDES  # values that `[[rules]]` set
    if have_hosts_rules or has_overrides or other_file or not needs_no_checks(facts, checked.loc):
        return _select_by_content(page, checked, facts, policy, reader, checks)
    return SelectedPage(_list_as_it_is(page.path, checked.loc, policy), facts)


def _are_of_one_folder(page: str, other: str) -> bool:
    """Says whether two files are the index pages of one folder: `a/index.html`, `a/index.htm`."""
    folder = folder_of(page)  # None for a page that is not the index page of a folder
    return folder is not None and folder == folder_of(other)


def _select_by_content(
    page: Page,
    checked: CheckedPage,
    facts: PageFacts,
    policy: IndexPolicy,
    reader: PageReader,
    checks: Checks,
) -> SelectedPage:
    """Decides whether a page is listed by its content, with warnings about what may be wrong.

    `facts` are what was read of the page. The first check that excludes it decides.
    """
    read_page = _with_content(checked, facts, policy, reader)
    excluded = first_match(checks.of_content, read_page, policy)
    warnings = tuple(warnings_for(read_page, excluded, policy))
    if excluded:
        return SelectedPage(excluded, read_page.facts, warnings, read_page.overrides.rules)
    return _listed(page, read_page, policy, reader, warnings)


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
        # Crawlers may not fetch the page, so they never see its noindex (docs/protocol.md §4).
        if isinstance(facts, PageFacts) and "noindex" in facts.metadata.signals:
            warnings.append(Message(Kind.HIDDEN, (page.path,)))
    return SelectedPage(excluded, NO_FACTS, warnings, checked.overrides.rules)


def _with_content(
    page: CheckedPage, facts: PageFacts, policy: IndexPolicy, reader: PageReader
) -> CheckedPage:
    """Adds to a page what was read of it: its facts, its kind, its canonical and its location.

    By its path, `b.html` has the URL /b.html. If its canonical names it by another URL, such as /b,
    it is located at /b, with the rules that hosts have for /b.
    """
    # 1. The facts. A canonical that hosts send in a header counts as one in the page.
    all_facts = _with_canonical_of_hosts(facts, page.location.rules)
    # 2. The kind: why the file is no page, such as "an app shell". None for a page.
    kind = facts.kind
    is_index = kind == GENERATED_INDEX  # a list of pages that a tool wrote, such as genindex.html
    if kind and reader.root.is_asked_for(page.path, is_index=is_index):
        kind = None  # the user has included the file by its name, so it counts as a page
    read_page = page._replace(is_read=True, facts=all_facts, kind=kind)
    # 3. The canonical, None if it is just the URL that the page has by its path.
    canonical = find_canonical(read_page, policy, reader.root)
    if canonical is None:
        return read_page
    read_page = read_page._replace(canonical=canonical)
    # 4. The location, if the canonical is another URL of the page itself.
    if not read_page.names_itself:
        return read_page
    location = policy.locate_by_canonical(read_page, canonical)
    # A host may redirect the canonical to a third URL of the page, which is then its `loc`, too.
    is_at_canonical = location.loc == canonical.loc(policy.locator.base)
    loc = page.loc if is_at_canonical else location.loc
    return read_page._replace(loc=loc, location=location)


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
    """Decides which pages of a batch are listed, in walk order.

    `locs` are the URLs of the pages in the style of the site, in the same order. The result also
    has which `[[rules]]` match any page, because the run reports all others.
    """
    checks = checks_of(policy)
    # A page is also read if its title has to decide which of its possible sources counts.
    needs_pages = options.reads or batch.sources
    if not needs_pages and _are_all_listed(batch, locs, checks):
        return BatchSelection(listed=list(_list_all(batch.pages, locs, policy)))
    # At least one page may be excluded, or needs to be read, so each is decided for itself.
    reader = PageReader(root, options, batch)
    listed: list[Listed] = []
    facts: list[PageFacts] = []  # of the listed pages
    excluded: list[Excluded] = []
    warnings: list[Message] = []
    rules: set[Origin] = set()
    for page, loc in zip(batch.pages, locs, strict=True):
        other_file = find_other_file(page, batch, policy, root)
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
        records=reader.packed,
        parsed=reader.parsed,
        rules=rules,
        # A page such as en/a.html may link to fr/a.html, which is in a later batch. What was read
        # of it is kept, so that the later batch does not read it again.
        versions=reader.pack_versions_after(batch.pages[-1]) if batch.pages else NO_VERSIONS,
        saved=reader.saved,
    )


def _are_all_listed(batch: Batch, locs: Sequence[str], checks: Checks) -> bool:
    """Says whether all pages of a batch, if none is read, are certainly listed at their URLs.

    Not if the site has rules or checks for paths, if another file may have the URL of a page, or if
    a URL is too long. `locs` are the URLs.
    """
    if checks.looks_at_paths or batch.other_files:
        return False
    return max(map(len, locs), default=0) < MAX_URL_LENGTH


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
    """Finds another file that may have the URL of a page, None if there is none.

    A sitemap lists each URL once, so the caller must know about such a file.

    | page           | other file          | it is found                                           |
    |----------------|---------------------|-------------------------------------------------------|
    | `b/index.html` | `b.html`            | here, if the host has URLs of its own for both        |
    | any at /b      | what is shown at /b | here, in the style `bare`, if the host is not known   |
    | `b.html`       | `b/index.html`      | by the walk, in all other cases                       |
    | `b/index.htm`  | `b/index.html`      | by the walk, in all other cases                       |

    In the second row, servers may show `b/index.html`, `b.html` or a file `b` at /b. The walk does
    not know the style, so it cannot tell which one.
    """
    locator = policy.locator
    folder = folder_of(page.path, INDEXES[:1])  # `b/` for `b/index.html`, None for other names
    if folder is not None and _has_urls_for_clash(locator):
        return _page_beside(folder, root)
    if locator.style == "bare" and not locator.served:
        file_at_url = server.file_for_url_path(root, locator.served_path(page.path))
        return file_at_url if file_at_url != page.path else None
    return batch.other_files.get(page.path)


def _page_beside(folder: str, root: SiteRoot) -> str | None:
    """Finds the page with the name of a folder: `b/` → `b.html`, None if there is no such file."""
    if folder == "":  # the site itself, which has no name
        return None
    page = f"{folder[:-1]}.html"
    return page if server.has_file(root, page) else None
