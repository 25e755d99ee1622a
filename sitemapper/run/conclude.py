"""What is said after the last page: about dates, and about what a person wrote in vain."""

from collections.abc import Iterator, Set

from ..lastmod.undated import note_undated
from ..messages import Kind, Message
from ..model import Origin
from ..plan import Plan
from ..site import Site
from ..syntax.gitignore import BUILT_IN, Line
from ..tally import Tally


def conclude(tally: Tally, plan: Plan) -> None:
    """Adds the notes and warnings to `tally` that need all pages of a run.

    These are: why pages have no date, dates that are those of a build, pages that are too large for
    Googlebot, and patterns of the user that had no effect.
    """
    site = plan.site
    # Notes do not change the exit code. Warnings do with `--strict`.
    # `omitted` has the numbers of pages without a date, by the cause, as far as there is one.
    if tally.omitted:
        tally.notes += note_undated(tally.omitted, tally.undated, site, tally.no_git)
    # The first run with a ledger has nothing to compare with, so no page has a date yet.
    has_only_ledger = site.date_sources == ("ledger",)
    if has_only_ledger and tally.listed and not tally.dated:
        tally.notes.append(Message(Kind.LEDGER_OF_FIRST_RUN))
    tally.warn(_dates_of_builds(tally, site))
    if tally.largest:
        subjects = (tally.largest.path, f"{tally.largest.size:,}")
        tally.notes.append(Message(Kind.LARGE_PAGES, subjects, tally.large_pages))
    _add_unused_patterns(tally, plan)


def _dates_of_builds(tally: Tally, site: Site) -> Iterator[Message]:
    """Yields a warning for each source whose dates are probably not those of edits:

    - `git: 97% of 800 dates are within one minute`, if one commit imported the site
    - `mtime: 500 of 800 pages share the time of a copy or a build`
    """
    for source in tally.dated:
        dates = tally.histogram(source)
        # After an import of the site, all dates of git are the same. A user who did not choose git
        # (`lastmod = "auto"`) can do nothing about it, so there is no warning.
        is_git_by_default = source == "git" and site.is_auto_dated
        if dates.is_uniform() and not is_git_by_default:
            share = f"{source}: {dates.share():.0%} of {dates.total:,} dates are within one minute"
            yield Message(Kind.UNIFORM, (share,))
    # The pages whose date is the time of a copy or a build, which writes many files within seconds.
    dated_by_build = tally.times_of_builds
    dated_by_file = tally.dated.get("mtime", 0)
    # A script such as `sed -i` also writes many pages at once, and its edits are real. But it
    # seldom edits half of a site, so the warning is only given for half of the pages or more.
    if dated_by_build and 2 * dated_by_build >= dated_by_file:
        pages = f"{dated_by_build:,} of {dated_by_file:,} pages"
        yield Message(Kind.UNIFORM, (f"mtime: {pages} share the time of a copy or a build",))


def _add_unused_patterns(tally: Tally, plan: Plan) -> None:
    """Adds to `tally` the messages about the user's patterns and selectors that matched nothing.

    A pattern that can never match gets a warning, and one that may be misspelt gets a note. A
    selector, such as `.sidebar` in `[ledger] drop`, gets a warning.
    """
    sections_with_pages = {shard.series.section for shard in tally.shards}
    unused = tally.unused(_list_patterns(plan, sections_with_pages))
    if unused:
        # Imported here: in most runs, each pattern matches.
        from .unmatched import describe_unmatched

        unmatched = describe_unmatched(unused, plan.site.root, plan.root)
        tally.warn(unmatched.warnings)
        tally.notes += unmatched.notes
        tally.unmatched = unmatched.places
    if plan.read_options.digest:  # otherwise, this run has tried no selector
        drop = [Line(origin.text, origin) for origin in plan.origins.drop]
        for selector in tally.unused(filter(_is_of_user, drop)):
            tally.warn([Message(Kind.SELECTOR, (str(selector.origin),))])


def _is_of_user(line: Line) -> bool:
    """Whether a person wrote a line, and not sitemapper or a plugin."""
    return not line.origin.source.startswith(BUILT_IN)


def _list_patterns(plan: Plan, sections_with_pages: Set[str]) -> list[Line]:
    """Lists the patterns of the user that should match something: the run reports if they do not.

    `ignore = ["blog/", "!blog/a.html"]` → only `blog/`. The other one is an exception, which need
    not match anything.
    """
    lines: list[Line] = []
    # If `include` has an exception, it may take back all that another pattern adds. That pattern
    # then matches nothing, but is no mistake.
    include = plan.site.include
    has_exception = any(text.startswith("!") for text in include)
    if not has_exception:
        lines += [Line(text, Origin("include", None, text)) for text in include]
    # The patterns of `ignore` and of ignore files, which may also have comments and empty lines.
    for line in filter(_is_of_user, plan.site.ignore):
        if line.text.strip() and not line.text.startswith("#"):
            lines.append(line)
    for rule in plan.policy.rules:
        lines += [Line(text, rule.origin) for text in rule.patterns.texts]
    # If no page is in the section `blog` of `[[sitemaps]]`, none of its patterns matches anything.
    # If one is, the run does not know by which pattern.
    sections = plan.policy.sections.items()
    for (name, patterns), origin in zip(sections, plan.origins.sections, strict=True):
        if name not in sections_with_pages:
            lines += [Line(text, origin) for text in patterns.texts]
    return [line for line in lines if not line.text.startswith("!")]
