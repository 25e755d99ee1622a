"""From pages to verdicts: first by the path, then by the content. `evaluate` handles one page."""

from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple, cast

from ..extract.facts import ReadOptions
from ..hosts.host import HostEffect
from ..model import (
    NO_FACTS,
    Alternates,
    Batch,
    Diagnostic,
    Excluded,
    LinkedPage,
    Listed,
    Origin,
    Page,
    PageFacts,
    Reason,
    WarningKind,
)
from ..protocol import MAX_URL_LENGTH
from ..recent import Recent
from ..site import server
from ..site.walk import SiteRoot
from ..syntax.links import absolute_alternates, choosers, resolve_alternates, resolve_images
from ..syntax.urls import INDEXES, comparison_key, folder_of, is_clash
from . import checks
from .checks import Candidate, Canonical, IndexPolicy
from .overrides import NO_OVERRIDES, first_section, match_overrides
from .reader import PageReader

# The same as Listed(...), without a Python call.
_new_listed = cast(Callable[[tuple[Any, ...]], Listed], partial(tuple.__new__, Listed))


class PageVerdict(NamedTuple):
    """The verdict on a page, the page's facts, warnings, and the rules that match the page."""

    verdict: Listed | Excluded
    facts: PageFacts = NO_FACTS
    diagnostics: Sequence[Diagnostic] = ()
    rules: Sequence[Origin] = ()


class BatchVerdicts(NamedTuple):
    """The verdicts on a batch. So far, only rules have dated pages.

    `facts` are those of the listed pages, `records` the packed records for the cache, `parsed` the
    number of parsed pages, `rules` those that match any page, `versions` the data read of later
    pages.
    """

    listed: Sequence[Listed]
    facts: Sequence[PageFacts]
    excluded: Sequence[Excluded]
    diagnostics: Sequence[Diagnostic]
    records: bytes
    parsed: int
    rules: Set[Origin]
    versions: Mapping[str, bytes]


def evaluate(
    page: Page,
    loc: str,
    twin: str | None,
    policy: IndexPolicy,
    reader: PageReader,
    *,
    has_path_rules: bool,
) -> PageVerdict:
    """The verdict on one page: by its path if the policy has such rules, then by its content.

    `loc` is its URL in the style of the site, `twin` the file that may own that URL.
    """
    if twin and folder_of(page.path) is not None and folder_of(page.path) == folder_of(twin):
        loc = policy.locator.encoded(page.path)  # the server shows the twin at the folder's URL
    overrides = NO_OVERRIDES
    effects: Sequence[HostEffect | None] = ()
    if has_path_rules:
        overrides, look = (
            match_overrides(policy.rules, page.path),
            partial(server.kind_at, reader.root),
        )
        loc, effects = policy.locate(page.path, loc, look, has_twin=is_clash(page.path, twin))
        candidate = Candidate(page.path, loc, twin, overrides, effects)
        if excluded := checks.first_match(checks.PATH_CHECKS, candidate, policy):
            about = list(checks.warnings_for(candidate, excluded, policy))
            if excluded.reason is Reason.ROBOTS and policy.respect.noindex:
                hidden = reader.facts(
                    page
                )  # a crawler cannot read its noindex (docs/protocol.md §4)
                if isinstance(hidden, PageFacts) and hidden.metadata.noindex:
                    about.append(Diagnostic(WarningKind.HIDDEN, page.path))
            return PageVerdict(excluded, NO_FACTS, about, overrides.rules)
    facts = reader.facts(page)
    if isinstance(facts, Excluded):
        return PageVerdict(facts, rules=overrides.rules)
    if overrides is NO_OVERRIDES and not (effects or twin) and checks.says_nothing(facts, loc):
        section = first_section(policy.sections, page.path)
        return PageVerdict(
            _new_listed((page.path, loc, None, None, None, (), (), (), section)), facts
        )
    if (
        effects
        and all(e and e.reason is Reason.CANONICAL for e in effects)
        and not facts.metadata.canonical
    ):
        facts = facts._replace(
            metadata=facts.metadata._replace(canonical=effects[0] and effects[0].target)
        )
    candidate = Candidate(page.path, loc, twin, overrides, effects, facts)
    if facts.kind:
        candidate = candidate._replace(kind=reader.context.settle(page.path, facts.kind))
    canonical = _find_canonical(candidate, policy, reader.root)
    candidate = candidate._replace(canonical=canonical)
    if effects and canonical and canonical.file == page.path:
        look = partial(server.kind_at, reader.root)
        candidate = candidate._replace(
            effects=policy.host_effects(candidate.canonical_loc(policy), look)
        )
    excluded = checks.first_match(checks.CONTENT_CHECKS, candidate, policy)
    warnings = tuple(checks.warnings_for(candidate, excluded, policy))
    if excluded:
        return PageVerdict(excluded, facts, warnings, overrides.rules)
    loc = candidate.canonical_loc(policy)
    alternates, faults = _alternates(page, facts, loc, policy, reader)
    images = resolve_images(facts, loc) if facts.images else ()
    frequency, priority, lastmod, _, origins = overrides
    section = first_section(policy.sections, page.path)
    listed = Listed(
        page.path, loc, lastmod, frequency, priority, alternates, images, origins, section
    )
    return PageVerdict(listed, facts, (*warnings, *faults), overrides.rules)


def evaluate_batch(
    batch: Batch, locs: Sequence[str], policy: IndexPolicy, options: ReadOptions, root: SiteRoot
) -> BatchVerdicts:
    """The verdict on each page, in order."""
    is_short = max(map(len, locs), default=0) < MAX_URL_LENGTH
    has_path_rules = policy.has_path_rules
    if is_short and not (has_path_rules or options.reads or batch.twins or batch.sources):
        # Nothing can exclude these pages or set their values: a shortcut for plain sites.
        none, empty, paths = repeat(None), repeat(()), [page.path for page in batch.pages]
        named = policy.sections.values
        sections = map(partial(first_section, policy.sections), paths) if named else repeat("")
        rows = zip(paths, locs, none, none, none, empty, empty, empty, sections, strict=False)
        return BatchVerdicts(list(map(_new_listed, rows)), (), (), (), b"", 0, frozenset(), {})
    reader = PageReader(root, options, batch)
    listed: list[Listed] = []
    facts: list[PageFacts] = []
    excluded: list[Excluded] = []
    diagnostics: list[Diagnostic] = []
    rules: set[Origin] = set()
    for page, loc in zip(batch.pages, locs, strict=True):
        twin = _twin(page, batch, policy, root)
        verdict, page_facts, warnings, matched = evaluate(
            page, loc, twin, policy, reader, has_path_rules=has_path_rules
        )
        diagnostics += warnings
        rules.update(matched)
        if isinstance(verdict, Excluded):
            excluded.append(verdict)
        else:
            listed.append(verdict)
            facts.append(page_facts)
    versions = reader.versions_after(batch.pages[-1]) if policy.versions and batch.pages else {}
    return BatchVerdicts(
        listed, facts, excluded, diagnostics, reader.packed, reader.parsed, rules, versions
    )


def _twin(page: Page, batch: Batch, policy: IndexPolicy, root: SiteRoot) -> str | None:
    """The file that may own the URL of a page."""
    locator = policy.locator
    if (
        locator.served
        and locator.served.clash
        and (folder := folder_of(page.path, INDEXES[:1])) is not None
    ):
        name = folder[:-1] + ".html"
        return name if folder and server.kind_at(root, name) == "f" else None
    if locator.style != "bare" or locator.served:
        return batch.twins.get(page.path)
    owner = server.file_for_url_path(root, locator.served_path(page.path))  # in another folder
    return owner if owner != page.path else None


def _find_canonical(page: Candidate, policy: IndexPolicy, root: SiteRoot) -> Canonical | None:
    """The page that the canonical names, and the file that the server shows there."""
    target = checks.canonical_target(page, policy)
    if target is None:
        return None
    url, path = target
    file = None if path is None else server.file_for_url_path(root, path, policy.locator.served)
    if file is not None and file != page.path and server.is_same_file(root, file, page.path):
        file = page.path  # a link leads there
    is_own = path is not None and file == page.path
    is_shown = not is_own or policy.is_shown_at(
        page, url, path or "", partial(server.kind_at, root)
    )
    return Canonical(url, page.facts.metadata.canonical or "", path, file, is_shown)


def _alternates(
    page: Page, facts: PageFacts, loc: str, policy: IndexPolicy, reader: PageReader
) -> tuple[Alternates, Sequence[Diagnostic]]:
    """The language versions of a page, and the reasons why crawlers ignore them."""
    if policy.versions is None or not facts.metadata.alternates:
        return (), ()
    links = reader.agreed(page)
    if loc in (url for _, url in links):
        return links, ()
    links = absolute_alternates(facts.metadata, loc)
    is_own = loc in (url for _, url in links)
    policy.versions.put(loc, LinkedPage(loc, links, page))
    others = (
        (url, _find_page(policy, policy.versions, reader, url)) for _, url in links if url != loc
    )
    found = {url: other for url, other in others if other}
    alike = {url for url, other in found.items() if {*other.alternates} == {*links}}
    are_listed_so = is_own and all(other.loc == url for url, other in found.items())
    if are_listed_so and found.keys() <= alike | choosers(links):
        reader.agree(found[url] for url in alike)
        return links, ()
    forms = map(policy.locator.encoded, policy.locator.served_paths(page.path))
    return resolve_alternates(links, loc, {*map(comparison_key, (loc, *forms))}, found)


def _find_page(
    policy: IndexPolicy, pages: Recent[str, LinkedPage], reader: PageReader, url: str
) -> LinkedPage | None:
    if linked := pages.get(url):
        return linked
    path = policy.locator.path_of(url)
    file = None if path is None else server.file_for_url_path(reader.root, path)
    page = None if file is None else server.find_page(reader.root, file)
    facts = None if page is None else reader.facts(page, is_version=True)
    if page is None or not isinstance(facts, PageFacts):
        return None
    loc = policy.locator.loc(page.path)
    if facts.metadata.canonical not in (None, loc):
        candidate = Candidate(page.path, loc, facts=facts)
        canonical = _find_canonical(candidate, policy, reader.root)
        own = canonical if canonical and canonical.file == page.path else None
        loc = candidate._replace(canonical=own).canonical_loc(policy)
    linked = LinkedPage(loc, absolute_alternates(facts.metadata, url), page)
    pages.put(url, linked)
    return linked
