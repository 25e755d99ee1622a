"""What is said after the last page: about dates, and about what a person wrote in vain."""

from collections.abc import Iterable, Iterator

from ..lastmod.undated import note_undated
from ..messages import Kind, Message
from ..model import Origin, Shard
from ..plan import Plan
from ..site import Site
from ..syntax.gitignore import BUILT_IN, Line
from ..tally import Tally


def conclude(tally: Tally, plan: Plan) -> None:
    """Adds the notes and warnings to `tally` that need all pages of a run.

    These are: why pages have no date, dates that are those of a build, pages that are too large for
    Googlebot, and patterns of the user that had no effect.
    """
    tally.notes += _notes_on_missing_dates(tally, plan.site)
    tally.warn(_dates_of_builds(tally, plan.site))
    if tally.largest:
        subjects = (tally.largest.path, f"{tally.largest.size:,}")
        tally.notes.append(Message(Kind.LARGE_PAGES, subjects, tally.large_pages))
    _add_unused_patterns(tally, plan)


def _notes_on_missing_dates(tally: Tally, site: Site) -> Iterator[Message]:
    """Yields notes on why pages have no date, and on how to date them.

    One kind is about sources that gave no date, such as file times that do not count. The other is
    about the first run with a ledger: it has nothing to compare with, so no page has a date yet.
    """
    if tally.omitted:
        yield from note_undated(tally.omitted, tally.undated, site, tally.no_git)
    if site.date_sources == ("ledger",) and tally.listed and not tally.dated:
        yield Message(Kind.LEDGER_OF_FIRST_RUN)


def _dates_of_builds(tally: Tally, site: Site) -> Iterator[Message]:
    """Yields warnings about sources whose dates are not those of edits.

        git: 97% of 800 dates are within one minute             one commit imported the site
        mtime: 500 of 800 pages share the time of a copy …      a copy or a build wrote the files

    With `lastmod = "auto"`, the user did not choose git, so an import needs no warning.
    """
    for source in tally.dated:
        dates = tally.histogram(source)
        is_unchosen_git = source == "git" and site.is_auto_dated
        if dates.is_uniform() and not is_unchosen_git:
            share = f"{source}: {dates.share():.0%} of {dates.total:,} dates are within one minute"
            yield Message(Kind.UNIFORM, (share,))
    pages_of_bursts = tally.times_of_bursts
    dated_by_file = tally.dated.get("mtime", 0)
    # Less than half of the pages may have been edited by a script, such as `sed -i`.
    if pages_of_bursts and 2 * pages_of_bursts >= dated_by_file:
        pages = f"{pages_of_bursts:,} of {dated_by_file:,} pages"
        yield Message(Kind.UNIFORM, (f"mtime: {pages} share the time of a copy or a build",))


def _add_unused_patterns(tally: Tally, plan: Plan) -> None:
    """Adds the user's patterns and selectors that matched nothing in the run to `tally`.

    A pattern may match one day, so it is only named, unless it is certain that it never can. A
    selector of `[ledger] drop` without a match is always a warning.
    """
    unused_includes = tally.unused(_include_patterns(plan))
    other_unused = tally.unused(_patterns_of_pages(plan, tally.shards))
    if unused_includes or other_unused:
        # Imported here: in most runs, each pattern matches.
        from .unmatched import describe_unmatched

        unmatched = describe_unmatched(unused_includes, other_unused, plan.site.root, plan.root)
        tally.warn(unmatched.warnings)
        tally.notes += unmatched.notes
        tally.unmatched = unmatched.places
    for selector in tally.unused(_drop_selectors(plan)):
        tally.warn([Message(Kind.SELECTOR, (str(selector.origin),))])


def _include_patterns(plan: Plan) -> list[Line]:
    """The user's patterns in `include`, each of which should add a file.

    Empty if one begins with `!`. A file that another pattern adds may be excluded again by it, so
    it is not certain which of the patterns should have an effect.
    """
    include = plan.site.include
    if any(text.startswith("!") for text in include):
        return []
    return [Line(text, Origin("include", None, text)) for text in include]


def _patterns_of_pages(plan: Plan, shards: Iterable[Shard]) -> Iterator[Line]:
    """Yields the user's patterns that should match a page: of `ignore`, rules and sections.

    A section that has a shard has a page, so its patterns are left out.
    """
    yield from _ignoring_lines(plan.site.ignore)
    rules = plan.policy.rules
    for number, rule in enumerate(rules.values):
        yield from _matching_patterns(rules.texts(number), rule.origin)
    sections_with_pages = {shard.series.section for shard in shards}
    sections = plan.policy.sections
    for number, origin in enumerate(plan.origins.sections):
        if sections.values[number] not in sections_with_pages:
            yield from _matching_patterns(sections.texts(number), origin)


def _matching_patterns(texts: Iterable[str], origin: Origin) -> Iterator[Line]:
    """Yields the patterns of a rule or a section without its exceptions: `blog/`, not `!blog/a`.

    `origin` is where the rule or the section is written.
    """
    return (Line(text, origin) for text in texts if not text.startswith("!"))


def _ignoring_lines(lines: Iterable[Line]) -> Iterator[Line]:
    """Yields the user's lines that ignore something: `drafts/`.

    Left out are our own lines, blank ones, comments (`# …`), and exceptions (`!drafts/a.html`).
    """
    for line in lines:
        is_own = not line.origin.source.startswith(BUILT_IN)
        is_blank = not line.text.strip()
        if is_own and not is_blank and not line.text.startswith(("#", "!")):
            yield line


def _drop_selectors(plan: Plan) -> Iterator[Line]:
    """Yields the user's selectors of `[ledger] drop`, such as `.sidebar`.

    None if no page is read for the ledger, because no selector can match then.
    """
    if not plan.read_options.digest:
        return
    for origin in plan.origins.drop:
        if not origin.source.startswith(BUILT_IN):
            yield Line(origin.text, origin)
