"""What a run found, in sentences: its messages, and the URLs that are gone."""

from collections.abc import Iterable, Mapping, Sequence

from ..errors import with_help
from ..lastmod.undated import FETCH_HISTORY
from ..messages import Kind, Message
from ..model import Fate, GoneUrl, Summary
from .text import plural, shown

FORM = "in another form"
# The worst first.
_ORDER = (Fate.LOST.value, Fate.MOVED.value, Fate.WITHDRAWN.value, Fate.REDIRECTED.value, FORM)
# What each kind of message says, and what to do.
SENTENCES = {
    Kind.OTHER_ORIGIN: (
        "canonicals name another site",
        "correct base_url, or build again for base_url if this is a preview",
    ),
    Kind.BASE_URL: (
        "base_url may be wrong",
        "set it to the URL at which visitors see the folder",
    ),
    Kind.PROJECT: (
        "this looks like a project, not like a built site",
        "name the folder that the generator writes, or ignore the files that are not pages",
    ),
    Kind.IDLE: (
        "this pattern cannot match",
        "patterns are relative to the site's folder, and upper and lower case differ",
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
    Kind.CATCH_ALL: (
        "a rule for all paths takes pages away that exist",
        "let the host serve files first, or exempt these pages from the rule",
    ),
    Kind.OLDER: (
        "published dates would become older",
        "an older date is right if a copy, a checkout or a commit without changes had moved it; "
        "else check the sources in `lastmod`",
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
        "fix this, or remove git from `lastmod`",
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
        "name better sources in `lastmod`, such as git or ledger; --no-lastmod writes none",
    ),
    Kind.REPLACED: (
        "none of the URLs in the previous sitemap is in the new one",
        "check base_url and url_style",
    ),
    Kind.FORMS: (
        "published URLs have another form now, and the host may not redirect the old one",
        "let it redirect them, or set url_style to the form that was published",
    ),
    Kind.FOREIGN: (
        "sitemapper did not write this file, so a build neither replaces nor removes it",
        "pass --replace and turn off the tool that writes it, or choose another name: [sitemap] "
        'name = "sitemap-pages.xml"',
    ),
    Kind.LEFT: (
        "sitemapper wrote this sitemap, but not with these settings",
        "delete it, unless another configuration writes it",
    ),
    Kind.UNLOCKED: (
        "the file system does not support locks, so two builds at the same time may conflict",
        "run one build at a time",
    ),
    Kind.STALE_ROBOTS: (
        "robots.txt names a sitemap that does not exist",
        "remove the line from robots.txt",
    ),
}


def message_text(message: Message) -> str:
    """A message with the first subjects, and its help on a line of its own."""
    sentence, help = SENTENCES[message.kind]
    text = f"{sentence}: {'; '.join(map(shown, message.subjects))}"
    others = message.cases - len(message.subjects)
    if message.kind is Kind.OTHER_ORIGIN and others > 0:
        # Each of its subjects is a site that several canonicals name.
        text = f"{message.cases:,} {text}"
    elif others > 0:
        text = f"{text}; and {others:,} more"
    return with_help(text, message.help or help)


def listed_and_excluded(summary: Summary) -> str:
    """`12 pages listed, 5 excluded`."""
    listed = f"{plural(summary.listed, 'page')} listed"
    excluded = sum(summary.excluded.values())
    return f"{listed}, {excluded:,} excluded" if excluded else listed


def by_fate(gone: Iterable[GoneUrl]) -> Mapping[str, Sequence[GoneUrl]]:
    """The URLs by fate, the worst first. Those in another form are a group of their own."""
    groups: dict[str, list[GoneUrl]] = {name: [] for name in _ORDER}
    for one in gone:
        name = FORM if one.is_form else one.fate.value
        groups[name].append(one)
    return {name: urls for name, urls in groups.items() if urls}


def describe(gone: GoneUrl) -> str:
    """What became of a URL: `https://a.example/b -> https://a.example/c (_redirects:1: /b /c)`."""
    text = gone.url
    if gone.fate is Fate.LOST and gone.target:
        return f"{text} (redirected to {gone.target}, where nothing is: {gone.origin})"
    if gone.target:
        text = f"{text} -> {gone.target}"
    tells_why = gone.origin is not None and not gone.is_form and gone.fate is not Fate.MOVED
    return f"{text} ({gone.origin})" if tells_why else text


def remedy(gone: GoneUrl) -> str:
    """What redirects a moved URL: `redirect it in _redirects: /a /b 301`. "" for other URLs."""
    return f"redirect it in {gone.remedy}" if gone.remedy else ""


def describe_with_remedy(gone: GoneUrl) -> str:
    """What became of a URL, and what redirects it, in one sentence."""
    return "; ".join(filter(None, (describe(gone), remedy(gone))))
