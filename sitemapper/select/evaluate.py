"""From pages to verdicts: first by the path, then by the content. `evaluate` handles one page."""

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
from ..syntax.urls import INDEXES, folder_of, is_clash
from .candidate import Candidate, Canonical
from .hreflang import find_alternates
from .overrides import first_section, match_overrides
from .policy import IndexPolicy
from .signals.canonical import find_canonical
from .signals.signal import Check
from .warnings import warnings_for

# The same as Listed(...), without a Python call.
_new_listed = cast(Callable[[tuple[Any, ...]], Listed], partial(tuple.__new__, Listed))


class PageVerdict(NamedTuple):
    """The verdict on a page, the page's facts, warnings, and the rules that match the page."""

    verdict: Listed | Excluded
    facts: PageFacts = NO_FACTS
    diagnostics: Sequence[Message] = ()
    rules: Sequence[Origin] = ()


class BatchVerdicts(NamedTuple):
    """The verdicts on a batch. So far, only rules have dated pages.

    `facts` are those of the listed pages, `records` the packed records for the cache, `parsed` the
    number of parsed pages, `rules` those that match any page, `versions` the data read of later
    pages, `saved` the pages that were saved between the walk and the read, by path.
    """

    listed: Sequence[Listed]
    facts: Sequence[PageFacts]
    excluded: Sequence[Excluded]
    diagnostics: Sequence[Message]
    records: bytes
    parsed: int
    rules: Set[Origin]
    versions: Mapping[str, bytes]
    saved: Mapping[str, Page]


class Checks(NamedTuple):
    """The checks of a run, in order.

    With `looks_at_paths`, a path alone may decide, or set a value.
    """

    of_path: Sequence[Check]
    of_content: Sequence[Check]
    looks_at_paths: bool


def checks_of(policy: IndexPolicy) -> Checks:
    """The checks of a policy, chosen once for many pages."""
    of_path = []
    of_content = []
    for signal in policy.signals:
        if signal.decides_by_path and signal.decides_by_path(policy):
            of_path.append(signal.check)
        if signal.decides_by_content:
            of_content.append(signal.check)
    served = policy.locator.served
    # Another file may change the URL of a page.
    needs_twins = policy.locator.style == "bare" or (served is not None and served.clash)
    looks_at_paths = bool(of_path or policy.rules.values or needs_twins)
    return Checks(of_path, of_content, looks_at_paths)


def evaluate(
    page: Page, loc: str, twin: str | None, policy: IndexPolicy, reader: PageReader, checks: Checks
) -> PageVerdict:
    """The verdict on one page: by its path if the policy has such rules, then by its content.

    `loc` is its URL in the style of the site, `twin` the file that may own that URL.
    """
    if twin or checks.looks_at_paths:
        return _evaluate_by_path(page, loc, twin, policy, reader, checks)
    # The way of most pages. A candidate would cost 4 % of a page that the cache knows.
    facts = reader.facts(page)
    if isinstance(facts, Excluded):
        return PageVerdict(facts)
    if says_nothing(facts, loc):
        return PageVerdict(_list_as_it_is(page.path, loc, policy), facts)
    return _evaluate_content(page, Candidate(page.path, loc), facts, policy, reader, checks)


def _evaluate_by_path(
    page: Page,
    loc: str,
    twin: str | None,
    policy: IndexPolicy,
    reader: PageReader,
    checks: Checks,
) -> PageVerdict:
    """The verdict on a page about which its path or another file has something to say."""
    # Both may be index pages of one folder, such as `index.htm` and `index.html`.
    folder = folder_of(page.path)
    if twin and folder is not None and folder == folder_of(twin):
        loc = policy.locator.encoded(page.path)  # the server shows the twin at the folder's URL
    candidate = Candidate(page.path, loc, twin)
    if checks.looks_at_paths:
        candidate = _with_path_rules(candidate, policy)
        excluded = first_match(checks.of_path, candidate, policy)
        if excluded:
            return _excluded_by_path(page, candidate, excluded, policy, reader)
    facts = reader.facts(page)
    if isinstance(facts, Excluded):
        return PageVerdict(facts, rules=candidate.overrides.rules)
    if candidate.has_one_plain_url and says_nothing(facts, candidate.loc):
        return PageVerdict(_list_as_it_is(page.path, candidate.loc, policy), facts)
    return _evaluate_content(page, candidate, facts, policy, reader, checks)


def _evaluate_content(
    page: Page,
    candidate: Candidate,
    facts: PageFacts,
    policy: IndexPolicy,
    reader: PageReader,
    checks: Checks,
) -> PageVerdict:
    """The verdict on a page by its content, which was read: `facts`."""
    candidate = _with_content(candidate, facts, policy, reader)
    excluded = first_match(checks.of_content, candidate, policy)
    warnings = tuple(warnings_for(candidate, excluded, policy))
    if excluded:
        return PageVerdict(excluded, candidate.facts, warnings, candidate.overrides.rules)
    return _listed(page, candidate, policy, reader, warnings)


def _list_as_it_is(path: str, loc: str, policy: IndexPolicy) -> Listed:
    """Lists a page with its URL and section only."""
    section = first_section(policy.sections, path)
    # In the order of the fields: lastmod, changefreq, priority; alternates, images, origins.
    return _new_listed((path, loc, None, None, None, (), (), (), section))


def first_match(checks: Sequence[Check], page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """The verdict of the first check that excludes the page, None if no check does."""
    for check in checks:
        excluded = check(page, policy)
        if excluded:
            return excluded
    return None


def says_nothing(facts: PageFacts, loc: str) -> bool:
    """Whether a page has nothing that matters for its verdict, so that it is listed at `loc`.

    A canonical that names just this URL does not matter. A shortcut for most pages.
    """
    if facts.kind or facts.images or facts.metadata.alternates:
        return False
    if len(loc) >= MAX_URL_LENGTH:
        return False
    signals = facts.metadata.signals
    names_itself = len(signals) == 1 and signals.get("canonical") == loc
    return names_itself or not signals


def _with_path_rules(page: Candidate, policy: IndexPolicy) -> Candidate:
    """The page with the values that rules set, and with its URL and the rules of possible hosts.

    The canonical of a page may name another URL of it, for which other rules count.
    """
    has_twin = is_clash(page.path, page.twin)
    location = policy.locate(page.path, page.loc, has_twin=has_twin)
    has_forms = policy.locator.served is not None and policy.respect.canonical
    return page._replace(
        loc=location.loc,
        overrides=match_overrides(policy.rules, page.path),
        rules=location.rules,
        is_in_circle=location.is_in_circle,
        awaits_canonical=has_forms and location.is_taken_away,
    )


def _excluded_by_path(
    page: Page,
    candidate: Candidate,
    excluded: Excluded,
    policy: IndexPolicy,
    reader: PageReader,
) -> PageVerdict:
    """The verdict on a page that its path excludes."""
    warnings = list(warnings_for(candidate, excluded, policy))
    if excluded.reason is Reason.ROBOTS and policy.respect.noindex:
        facts = reader.facts(page)
        # A crawler cannot read this noindex (docs/protocol.md §4).
        if isinstance(facts, PageFacts) and "noindex" in facts.metadata.signals:
            warnings.append(Message(Kind.HIDDEN, (page.path,)))
    return PageVerdict(excluded, NO_FACTS, warnings, candidate.overrides.rules)


def _with_content(
    page: Candidate, facts: PageFacts, policy: IndexPolicy, reader: PageReader
) -> Candidate:
    """The page with its facts, and with what these mean in this site: whether it is a page at all,
    and which page its canonical names.
    """
    facts = _with_header_canonical(facts, page.rules)
    kind = facts.kind
    if kind and reader.root.lists_any_kind(page.path, is_index=kind == GENERATED_INDEX):
        kind = None
    page = page._replace(facts=facts, kind=kind)
    canonical = find_canonical(page, policy, reader.root)
    page = page._replace(canonical=canonical, awaits_canonical=False)
    if page.rules and canonical and canonical.file == page.path:
        return _at_canonical(page, canonical, policy)
    return page


def _at_canonical(page: Candidate, canonical: Canonical, policy: IndexPolicy) -> Candidate:
    """The page at the URL that its own canonical names, for which the rules of hosts count.

    If the host shows the page elsewhere, that URL stays, unless a rule takes this one away.
    """
    url = canonical.loc(policy.locator.base)
    has_twin = is_clash(page.path, page.twin)
    location = policy.settle(page.path, url, has_twin=has_twin)
    at_url = page._replace(rules=location.rules, is_in_circle=location.is_in_circle)
    if location.loc != url:  # a rule leads there
        return at_url._replace(loc=location.loc, canonical=canonical._replace(is_shown=False))
    if canonical.is_shown or location.is_taken_away:
        return at_url
    return page


def _with_header_canonical(facts: PageFacts, rules: Sequence[Rule | None]) -> PageFacts:
    """The facts with the canonical that hosts send in a header.

    It counts only if all possible hosts send one, and if there is none in the page's head.
    """
    signals = facts.metadata.signals
    if "canonical" in signals:
        return facts
    headers = [rule for rule in rules if rule and rule.action is Reason.CANONICAL]
    if not headers or len(headers) < len(rules):
        return facts
    signals = {**signals, "canonical": headers[0].target}
    return facts._replace(metadata=facts.metadata._replace(signals=signals))


def _listed(
    page: Page,
    candidate: Candidate,
    policy: IndexPolicy,
    reader: PageReader,
    warnings: Sequence[Message],
) -> PageVerdict:
    """The verdict on a page that nothing excludes."""
    facts = candidate.facts
    overrides = candidate.overrides
    loc = candidate.canonical_loc(policy)
    alternates, faults = find_alternates(page, facts, loc, policy, reader)
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
    return PageVerdict(listed, facts, (*warnings, *faults), overrides.rules)


def evaluate_batch(
    batch: Batch, locs: Sequence[str], policy: IndexPolicy, options: ReadOptions, root: SiteRoot
) -> BatchVerdicts:
    """The verdict on each page, in order."""
    checks = checks_of(policy)
    has_evidence = options.reads or batch.twins or batch.sources
    is_short = max(map(len, locs), default=0) < MAX_URL_LENGTH
    if is_short and not (checks.looks_at_paths or has_evidence):
        # Nothing can exclude these pages or set their values: a shortcut for plain sites.
        listed_pages = list(_list_all(batch.pages, locs, policy))
        return BatchVerdicts(listed_pages, (), (), (), b"", 0, frozenset(), {}, {})
    reader = PageReader(root, options, batch)
    listed: list[Listed] = []
    facts: list[PageFacts] = []  # of the listed pages
    excluded: list[Excluded] = []
    diagnostics: list[Message] = []
    rules: set[Origin] = set()
    for page, loc in zip(batch.pages, locs, strict=True):
        twin = find_twin(page, batch, policy, root)
        verdict, page_facts, warnings, matched = evaluate(page, loc, twin, policy, reader, checks)
        diagnostics += warnings
        rules.update(matched)
        if isinstance(verdict, Excluded):
            excluded.append(verdict)
        else:
            listed.append(verdict)
            facts.append(page_facts)
    versions: Mapping[str, bytes] = {}
    if policy.versions and batch.pages:
        versions = reader.versions_after(batch.pages[-1])
    return BatchVerdicts(
        listed,
        facts,
        excluded,
        diagnostics,
        reader.packed,
        reader.parsed,
        rules,
        versions,
        reader.saved,
    )


def _list_all(pages: Iterable[Page], locs: Iterable[str], policy: IndexPolicy) -> Iterator[Listed]:
    """Lists pages with their URLs and sections only. A hot loop: no Python call a page."""
    paths = [page.path for page in pages]
    none = repeat(None)
    empty = repeat(())
    sections: Iterable[str] = repeat("")
    if policy.sections.values:
        sections = map(partial(first_section, policy.sections), paths)
    # In the order of the fields: lastmod, changefreq, priority; alternates, images, origins.
    rows = zip(paths, locs, none, none, none, empty, empty, empty, sections, strict=False)
    return map(_new_listed, rows)


def find_twin(page: Page, batch: Batch, policy: IndexPolicy, root: SiteRoot) -> str | None:
    """The other file that the server may show at the URL of a page, None if there is none."""
    locator = policy.locator
    if locator.served and locator.served.clash:
        folder = folder_of(page.path, INDEXES[:1])
        if folder == "":  # the site's own page
            return None
        if folder is not None:
            page_beside = f"{folder[:-1]}.html"  # such as `a.html` beside `a/`
            return page_beside if server.kind_at(root, page_beside) == "f" else None
    if locator.style != "bare" or locator.served:
        return batch.twins.get(page.path)
    # Without endings, the owner may be in another folder.
    owner = server.file_for_url_path(root, locator.served_path(page.path))
    return owner if owner != page.path else None
