"""Puts the messages of a run, and what became of published URLs, into words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..errors import with_help
from ..lastmod.undated import FETCH_HISTORY
from ..messages import Kind, Message
from ..model import Fate, GoneUrl, Summary
from .text import plural, shown

FORM = "in another form"  # the name for URLs such as `/a/`, of a page that is `/a` now
# The names of what became of URLs. What a person has to mend comes first: a lost URL is an error
# for visitors.
_FATES_WORST_FIRST = (
    Fate.LOST.value,
    Fate.MOVED.value,
    Fate.WITHDRAWN.value,
    Fate.REDIRECTED.value,
    FORM,
)
_BASE_OR_HOST = "correct base_url or the host's settings"
# Notes that ask for nothing, or that `init` has given. A build prints them with --verbose only.
DETAILS = frozenset(
    {
        Kind.GENERATED_SITEMAP,
        Kind.LARGE_PAGES,
        Kind.LEDGER_IS_LOCAL,
        Kind.LEDGER_IS_NEW,
        Kind.ROBOTS_LINE,
        Kind.SPLIT,
        Kind.UNDATED_LISTS,
        Kind.URL_STYLE,
    }
)
# What each kind of message says, and what to do.
SENTENCES = {
    Kind.OTHER_ORIGIN: (
        "the canonicals of {cases:,} page{s} name another site, such as {0}",
        "correct base_url, or build the site for production if it was built for a preview",
    ),
    Kind.BASE_URL: (
        "base_url may be wrong",
        "set it to the URL at which visitors see the site",
    ),
    Kind.PROJECT: (
        "this looks like a project, not like a built site",
        "pass the folder that the generator writes, or ignore the files that are not pages",
    ),
    Kind.IDLE: (
        "this pattern cannot match",
        "write it relative to the site's folder",
    ),
    Kind.SELECTOR: (
        "no page has an element for this selector of [ledger] drop",
        "correct it, or remove it",
    ),
    Kind.INCLUDE: (
        "this pattern adds no file",
        'HTML is always included. To list only some of it, begin with "!*.html".',
    ),
    Kind.UNREADABLE: (
        "not listed: the file cannot be read",
        "check its permissions",
    ),
    Kind.TOO_LONG: (
        "not listed: the URL has 2,048 characters or more",
        "shorten the path",
    ),
    Kind.MISSING: (
        "not listed: the canonical names a page that does not exist",
        "correct the canonical in the page's template",
    ),
    Kind.FORM: (
        "the host redirects the URL that the canonical names",
        "write canonicals in the form that the host serves, or change its settings",
    ),
    Kind.SCHEME: (
        "the canonical differs from base_url in http or https",
        "use one scheme for both",
    ),
    Kind.HIDDEN: (
        "crawlers cannot see this noindex, because robots.txt disallows the page",
        "allow the page in robots.txt until it has left the index",
    ),
    Kind.HOSTS: (
        "the project has settings of several hosts, so sitemapper uses only URL forms that they "
        "share",
        "set `host` in the configuration, or delete the unused settings",
    ),
    Kind.HOST: (
        "a rule for some host would redirect or hide the page, but the host is not known",
        "set `host` in the configuration",
    ),
    Kind.CIRCLE: (
        "the host's rules redirect in a loop between URLs of this page",
        "remove one of these rules",
    ),
    Kind.CATCH_ALL: (
        "a rule for all paths hides pages that exist",
        "let the host serve files first, or exempt these pages from the rule",
    ),
    Kind.OLDER: (
        "published dates would become older",
        "check the sources in `lastmod`; an older date is right if the published one was that of "
        "a copy, a checkout or a commit without edits",
    ),
    Kind.HREFLANG: (
        "search engines ignore hreflang links that are not mutual",
        "let every version list all others and itself",
    ),
    Kind.HREFLANG_MISSING: (
        "hreflang links lead to pages that are not there, and are left out",
        "build the missing versions, or remove the links",
    ),
    Kind.TWO_FILES: (
        "sitemapper.toml and [tool.sitemapper] in pyproject.toml both have settings",
        "move all settings to one of them",
    ),
    Kind.IMPLAUSIBLE: (
        "listed without its date, which is in the future or before 1991",
        "check the clock and the date in the source",
    ),
    Kind.GIT: (
        "git has no dates",
        "build where git has the history of the sources, or remove git from `lastmod`",
    ),
    Kind.SHALLOW: (
        "this is a shallow clone, without the commits that changed these pages",
        FETCH_HISTORY,
    ),
    Kind.UNCHECKED: (
        "this is a shallow clone, so the dates in the committed sitemap cannot be checked",
        FETCH_HISTORY,
    ),
    Kind.UNIFORM: (
        "dates show when the site was built, not when pages changed",
        'set lastmod = ["ledger", "mtime"], or lastmod = [] to omit dates',
    ),
    Kind.REPLACED: (
        "none of the URLs in the earlier sitemap is in the new one",
        "check base_url and url_style",
    ),
    Kind.FORMS: (
        "published URLs have another form now, and the host may not redirect the old one",
        "let the host redirect them, or set url_style to the form that was published",
    ),
    Kind.FOREIGN: (
        "this file was not written by sitemapper, so a build neither replaces nor removes it",
        "pass --replace and turn off the tool that writes it, or choose another name: [sitemap] "
        'name = "sitemap-pages.xml"',
    ),
    Kind.LEFT: (
        "an earlier run with other settings wrote this sitemap, and this one does not update it",
        "delete it, unless another configuration writes it",
    ),
    Kind.UNLOCKED: (
        "the file system does not support locks, so two builds at the same time may conflict",
        "run one build at a time",
    ),
    Kind.STALE_ROBOTS: (
        "robots.txt lists a sitemap that does not exist",
        "remove the line from robots.txt",
    ),
    Kind.CHANGES_OF_FIRST_RUN: (
        "there is no earlier sitemap, so every page counts as added",
        "if your generator empties its folder, compare with the live sitemap: --previous live",
    ),
    Kind.DATES_LOST: (
        "{cases:,} page{s} had a date in {0}'s sitemap and {have} none now",
        "state their dates in front matter, or add a source of dates to `lastmod`",
    ),
    Kind.GENERATED_SITEMAP: (
        "the sitemap in the output folder was written by {0}, so lost URLs cannot be counted",
        "compare with the live sitemap: --previous live",
    ),
    Kind.HOST_RULES_UNREAD: (
        "{cases:,} rule{s} of the host {are} not read, such as {0}",
        "pages that such a rule redirects or hides are listed; check with `sitemapper verify`",
    ),
    Kind.LARGE_PAGES: (
        "{cases:,} page{s} {are} larger than 2 MB, and Googlebot reads only the first 2 MB; the "
        "largest is {0} with {1} bytes",
        "",
    ),
    Kind.LEDGER_IS_LOCAL: ("the local ledger {0} is read, not the live one at {1}", ""),
    Kind.LEDGER_IS_NEW: (
        "the live ledger {0} does not exist yet, so this counts as a first run",
        "",
    ),
    Kind.LEDGER_NEEDED: (
        "the next build needs {0} to keep the dates",
        "commit it, keep it in CI's cache, or put it into the output folder and set "
        'previous = "live"',
    ),
    Kind.LEDGER_OF_FIRST_RUN: (
        "the ledger only keeps dates, so new and changed pages need another source",
        'set lastmod = ["ledger", "git"], or ["ledger", "mtime"] without git',
    ),
    Kind.LINKED_SITEMAP: (
        "{0} links to {1} as the sitemap, but {2} is written",
        "link to {2}, or set the name of the sitemap: [sitemap] name",
    ),
    Kind.LOST: (
        "{cases:,} published URL{s} {have} neither a page nor a redirect now",
        "redirect each to another page, unless it is gone on purpose",
    ),
    Kind.MANY_SOURCES: (
        "{0} files may be sources of pages, too many to compare with the pages",
        "name the sources with [[git.map]]",
    ),
    Kind.MOVED: (
        "{cases:,} published URL{s} {have} moved without a redirect",
        "redirect each to its new URL",
    ),
    Kind.OLD_COPIES: (
        "this compressed copy is out of date, and some servers send it in place of the plain file",
        "run your compressor after sitemapper, or delete the copy",
    ),
    Kind.PATTERN_TYPO: ("{0} matches nothing; did you mean {1}?", ""),
    Kind.PREVIOUS_EMPTY: ("{0}: lists no URL, so there is nothing to compare with", ""),
    Kind.PREVIOUS_MISSING: ("{0} does not exist yet, so there is nothing to compare with", ""),
    Kind.PREVIOUS_OUTSIDE: ("{0}: skipped {cases:,} URL{s} not below {1}, such as {2}", ""),
    Kind.PROJECT_FILE: (
        "{0} may not be the built site: it contains {1}",
        "if it is not, pass the folder that your generator writes",
    ),
    Kind.REPLACED_SITEMAP: ("replaces {0}'s sitemap: {1}", ""),
    Kind.ROBOTS_LINE: (
        "add this line to {0}: {1}",
        "or submit the sitemap in Search Console; robots.write = false ends this note",
    ),
    Kind.SPLIT: (
        "a limit split {cases:,} sitemap{s}, so a new page in one also changes the next",
        "",
    ),
    Kind.UNDATED: ("{cases:,} page{s} {have} no date (such as {0}): {1}", ""),
    Kind.UNDATED_LISTS: ("{cases:,} home or list page{s} {have} no date, as is usual", ""),
    Kind.URL_STYLE: ("url_style auto: {0}, because {1}", ""),
    Kind.VERSIONS: (
        "{cases:,} versions of the site are listed ({0}), so search engines may show an old one",
        "",
    ),
    Kind.ANSWERS_MISSING: (
        "an `ignore` pattern for a folder is proposed only if all its pages were requested",
        "pass --all to request every page",
    ),
    Kind.MANY_CLOSED: (
        "{0} requested pages are blocked: this looks like a login or a preview",
        _BASE_OR_HOST,
    ),
    Kind.MANY_NOINDEX: (
        "{0} requested pages are noindex: this looks like a preview",
        _BASE_OR_HOST,
    ),
    Kind.MANY_PATTERNS: (
        "the {0} proposed `ignore` patterns match {1} faulty pages",
        "set them, build, deploy and verify again to see patterns for the others",
    ),
    Kind.MANY_REDIRECTED: (
        "{0} requested pages redirect elsewhere: this looks like another address or a login",
        _BASE_OR_HOST,
    ),
    Kind.NONE_REQUESTED: ("no URL was requested: all {0} are on {1}, not on {2}", ""),
    Kind.PENDING: (
        "Search Console may report “Couldn't fetch” for days while a sitemap is pending",
        "",
    ),
    Kind.PREVIEW: ("{0} is a preview, so its robots.txt and noindex headers do not count", ""),
    Kind.REQUESTED: ("{0} of {1} URLs requested", ""),
    Kind.REQUESTED_UNTIL_LIMIT: (
        "{0} of {1} URLs requested before the run's limit of time or bytes was reached",
        "",
    ),
}


def in_words(message: Message) -> tuple[str, str]:
    """Turns a message into a sentence and a help, which says what to do. The help may be "".

    A sentence has a place for each subject, such as `{0}`, and for the number of cases: with
    `{cases:,} page{s} {have} no date`, 1 gives "1 page has no date". Subjects without a place in
    the sentence follow it as a list: "the file cannot be read: a.html; b.html; and 7 more".
    """
    sentence, help = SENTENCES[message.kind]
    is_one = message.cases == 1
    number = {
        "cases": message.cases,
        "s": "" if is_one else "s",
        "have": "has" if is_one else "have",
        "are": "is" if is_one else "are",
    }
    subjects = list(map(shown, message.subjects))
    text = sentence.format(*subjects, **number)
    help = message.help or help.format(*subjects)  # a message may have a help of its own
    if subjects and "{0}" not in sentence:
        text = f"{text}: {'; '.join(subjects)}"
        others = message.cases - len(subjects)
        if others > 0:
            text = f"{text}; and {others:,} more"
    return text, help


def message_text(message: Message) -> str:
    """Turns a message into a sentence, with its help on a line of its own."""
    return with_help(*in_words(message))


def listed_and_excluded(summary: Summary) -> str:
    """Writes how many pages are listed and excluded: `12 pages listed, 5 excluded`."""
    listed = f"{plural(summary.listed, 'page')} listed"
    excluded = sum(summary.excluded.values())
    return f"{listed}, {excluded:,} excluded" if excluded else listed


def count_by_fate(gone: Iterable[GoneUrl]) -> Mapping[str, int]:
    """Counts the URLs of each fate, the worst first, without zeros: `{"lost": 2, "moved": 1}`.

    URLs whose page has another URL form now are counted as "in another form".
    """
    counts = Counter(map(_fate_name, gone))
    return {name: counts[name] for name in _FATES_WORST_FIRST if counts[name]}


def of_fate(gone: Iterable[GoneUrl], name: str) -> Iterator[GoneUrl]:
    """Yields those of the URLs that have a fate such as "lost".

    They are not kept in memory, because there may be a million.
    """
    return (url for url in gone if _fate_name(url) == name)


def _fate_name(gone: GoneUrl) -> str:
    """Names what became of a URL: "lost", "moved" … or "in another form"."""
    return FORM if gone.is_same_page else gone.fate.value


def describe(gone: GoneUrl) -> str:
    """Says where a published URL that is not listed any more leads, and which line decided.

    `https://a.example/b -> https://a.example/c (_redirects:1: /b /c)`
    """
    if not gone.target:  # it leads nowhere, as with a noindex
        return f"{gone.url} ({gone.origin})" if gone.origin else gone.url
    if gone.fate is Fate.LOST:
        return f"{gone.url} (redirected to {gone.target}, where nothing is: {gone.origin})"
    text = f"{gone.url} -> {gone.target}"
    # The page, or one with its content, is listed at the target. No line decided that.
    if gone.is_same_page or gone.fate is Fate.MOVED:
        return text
    return f"{text} ({gone.origin})"
