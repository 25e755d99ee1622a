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
    """Adds what only all pages together show to the notes and warnings of a run.

    These are: why pages have no date, dates that are those of a build, large pages, and patterns of
    the user that had no effect.
    """
    tally.notes += _note_dates(tally, plan.site)
    tally.warn(_dates_of_builds(tally, plan.site))
    if tally.largest:
        subjects = (tally.largest.path, f"{tally.largest.size:,}")
        tally.notes.append(Message(Kind.LARGE_PAGES, subjects, tally.large_pages))
    _name_unused(tally, plan)


def _note_dates(tally: Tally, site: Site) -> Iterator[Message]:
    """Notes on why pages have no date, and on how to date them.

    Either their file times do not count, or the ledger is the only source, and this is its first
    run.
    """
    if tally.omitted:
        yield from note_undated(tally.omitted, tally.undated, site, tally.no_git)
    if site.date_sources == ("ledger",) and tally.listed and not tally.dated:
        yield Message(Kind.LEDGER_OF_FIRST_RUN)


def _dates_of_builds(tally: Tally, site: Site) -> Iterator[Message]:
    """Warnings about sources whose dates are those of one import, or of copies and builds.

    In `auto`, nobody chose git, so commits of an import need no warning.
    """
    for source in tally.dated:
        dates = tally.histogram(source)
        is_import = source == "git" and site.is_auto_dated
        if dates.is_uniform() and not is_import:
            share = f"{source}: {dates.share():.0%} of {dates.total:,} dates are within one minute"
            yield Message(Kind.UNIFORM, (share,))
    shared = tally.times_of_bursts
    dated = tally.dated.get("mtime", 0)
    if shared and 2 * shared >= dated:  # fewer may be edits by a script, such as `sed -i`
        pages = f"{shared:,} of {dated:,} pages share the time of a copy or a build"
        yield Message(Kind.UNIFORM, (f"mtime: {pages}",))


def _name_unused(tally: Tally, plan: Plan) -> None:
    """Names the user's entries that had no effect, and warns of those that never have one."""
    included = tally.unused(_include_lines(plan))
    others = tally.unused(_lines_to_match(plan, tally.shards))
    if included or others:
        # Imported here: in most runs, each pattern matches.
        from .unmatched import describe_unmatched

        found = describe_unmatched(included, others, plan.site.root, plan.root)
        tally.warn(found.warnings)
        tally.notes += found.notes
        tally.unmatched = found.places
    for line in tally.unused(_selectors(plan)):
        tally.warn([Message(Kind.SELECTOR, (str(line.origin),))])


def _include_lines(plan: Plan) -> list[Line]:
    """The user's patterns in `include` that should add files. None if some only remove them."""
    include = plan.site.include
    if any(text.startswith("!") for text in include):
        return []
    return [Line(text, Origin("include", None, text)) for text in include]


def _lines_to_match(plan: Plan, shards: Iterable[Shard]) -> Iterator[Line]:
    """The user's patterns that should match a page: of `ignore`, rules and sections.

    Sections that have shards had an effect.
    """
    yield from _ignoring_lines(plan.site.ignore)
    rules = plan.policy.rules
    for number, rule in enumerate(rules.values):
        yield from _at(rule.origin, rules.texts(number))
    filled = {shard.series.section for shard in shards}
    sections = plan.policy.sections
    for number, origin in enumerate(plan.origins.sections):
        if sections.values[number] not in filled:
            yield from _at(origin, sections.texts(number))


def _at(origin: Origin, texts: Iterable[str]) -> Iterator[Line]:
    """The patterns of a rule or a section that match something, with the origin of that."""
    return (Line(text, origin) for text in texts if not text.startswith("!"))


def _ignoring_lines(lines: Iterable[Line]) -> Iterator[Line]:
    """The user's lines that ignore something. Comments do not, nor do lines that include it."""
    for line in lines:
        is_own = not line.origin.source.startswith(BUILT_IN)
        is_blank = not line.text.strip()
        if is_own and not is_blank and not line.text.startswith(("#", "!")):
            yield line


def _selectors(plan: Plan) -> Iterator[Line]:
    """The user's selectors of `[ledger] drop`, if pages are read for the ledger."""
    if not plan.read_options.digest:
        return
    for origin in plan.origins.drop:
        if not origin.source.startswith(BUILT_IN):
            yield Line(origin.text, origin)
