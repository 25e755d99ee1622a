"""All rules of the linter, by their codes, and the choice by `--select` and `--disable`.

A new rule is a row here, and a fault in `checks.py`; in `engine.py` if it takes several files; or,
for SM6, in `verify.py`, `judge.py` or `live_pages.py` of the commands.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..messages import SitemapperError

# An error breaks the protocol, or is false for the site. A warning is allowed, but does harm.
Severity = Literal["error", "warning"]


class Rule(NamedTuple):
    """What is wrong, in one sentence; why that matters, and how to mend it."""

    severity: Severity
    title: str
    advice: str


class Finding(NamedTuple):
    """A fault that a rule found: in which file and line (from 1), and what it is, in words."""

    file: str
    line: int
    code: str
    message: str

    @property
    def severity(self) -> Severity:
        """Whether it is an error or a warning."""
        return RULES[self.code].severity


RULES = {
    "SM101": Rule(
        "error",
        "The file is not well-formed XML.",
        "Crawlers read sitemaps with an XML parser, which stops at the first error. Everything "
        "after it is lost. Escape & < > \" ' as entities, close every element, and put nothing "
        "before the XML declaration.",
    ),
    "SM102": Rule(
        "error",
        "The file is not UTF-8.",
        "The protocol allows no other encoding. Crawlers may read wrong characters, or none. Save "
        "the file as UTF-8, and declare no other encoding.",
    ),
    "SM103": Rule(
        "error",
        "The root element is not that of a sitemap, in its namespace.",
        "Crawlers read urlset and sitemapindex in the namespace of the protocol. They do not read "
        "HTML pages or a misspelled namespace. Write "
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">, or <sitemapindex> with the '
        "same xmlns.",
    ),
    "SM104": Rule(
        "error",
        "A file has more than 50,000 entries.",
        "This is the limit of the protocol, for an index too. Search engines reject the file or "
        "ignore the rest. Split the sitemap, and list its parts in an index.",
    ),
    "SM105": Rule(
        "error",
        "A file is larger than 52,428,800 bytes uncompressed.",
        "This is the limit of the protocol, even if the compressed file is small. Nothing else in "
        "the file was checked. Split the sitemap, and list its parts in an index.",
    ),
    "SM106": Rule(
        "error",
        "The sitemap is empty.",
        "The schema requires at least one entry. An empty sitemap is usually the result of a "
        "failed build. Find out why the generator listed nothing, or delete the file.",
    ),
    "SM107": Rule(
        "error",
        "The file has a DOCTYPE, or more than 20,000 elements in one entry.",
        "The protocol allows no DOCTYPE, because entities can expand to gigabytes or load other "
        "files. The rest of the file was not checked. Remove the DOCTYPE, or look for a missing "
        "end tag in what writes the file.",
    ),
    "SM109": Rule(
        "error",
        "A compressed file cannot be decompressed.",
        "Crawlers accept only gzip, and only complete files. Zip archives are not allowed. "
        "Compress the file again with gzip, and make sure that no server compresses it twice.",
    ),
    "SM201": Rule(
        "error",
        "An entry has no URL.",
        "loc is the only required field. Crawlers skip the entry or the whole file. Give each "
        "<url> and <sitemap> one <loc> with a URL.",
    ),
    "SM203": Rule(
        "error",
        "lastmod is not a W3C Datetime.",
        "Search engines ignore dates that they cannot read. A time needs a time zone. Write "
        "2026-03-01 or 2026-03-01T12:00:00+00:00.",
    ),
    "SM204": Rule(
        "warning",
        "lastmod is in the future.",
        "No page has changed tomorrow. Search engines reject such dates and trust the others less. "
        "Write the date of the last change of the content, not of a planned event.",
    ),
    "SM205": Rule(
        "error",
        "changefreq is not one of the seven allowed words.",
        "The schema allows always, hourly, daily, weekly, monthly, yearly and never, in lower "
        "case. Write one of them, or remove the field. Google ignores it.",
    ),
    "SM206": Rule(
        "error",
        "priority is not a number from 0.0 to 1.0.",
        "The schema allows nothing else. Write a decimal number such as 0.8, or remove the field. "
        "Google ignores it.",
    ),
    "SM207": Rule(
        "warning",
        "Nearly all dates lie within one minute.",
        "They are the time of a build, not of changes. Search engines notice, and trust no date of "
        "the site. Date pages by the commits of their sources or by their content, or write no "
        "dates.",
    ),
    "SM209": Rule(
        "error",
        "An alternate is incomplete, so search engines ignore it.",
        'Each xhtml:link needs rel="alternate", a language such as de, pt-BR or x-default, and an '
        "absolute URL. List all versions of the page with their languages and absolute URLs.",
    ),
    "SM212": Rule(
        "warning",
        "The alternates do not include the page itself.",
        "Search engines expect each version to list all versions, itself included. They may ignore "
        "other lists. Add the language and URL of the page itself to its alternates.",
    ),
    "SM301": Rule(
        "error",
        "loc is not an absolute http or https URL.",
        "A sitemap has no base for relative URLs, and a URL must not contain a password. Write "
        "scheme, host and path, such as https://tea.example/a/.",
    ),
    "SM302": Rule(
        "error",
        "A URL has 2,048 characters or more.",
        "The protocol requires fewer. Shorten the URL, or remove it.",
    ),
    "SM303": Rule(
        "error",
        "A character is not percent-encoded.",
        "Spaces, quotes, characters outside ASCII and the like must be written as %XX for each "
        "UTF-8 byte (RFC 3986), a % as %25, and a host name as xn--.... Encode the URL before you "
        "escape it for XML.",
    ),
    "SM304": Rule(
        "error",
        "A URL has a fragment.",
        "Crawlers ignore everything from # on, so the entry repeats another page. List the page "
        "once, without #.",
    ),
    "SM305": Rule(
        "error",
        "One file has URLs with different hosts or schemes.",
        "A sitemap may only list URLs on its own host, and only with http or only with https. "
        "Write one sitemap for each host, and list each in its host's robots.txt.",
    ),
    "SM306": Rule(
        "warning",
        "A URL is outside the folder of its sitemap.",
        "A sitemap may only list URLs at or below its own folder (sitemaps.org, “Sitemap file "
        "location”). Not every crawler checks this, and a robots.txt that lists the sitemap lifts "
        "the limit. Publish the sitemap in the root, or list it in robots.txt itself, not only in "
        "an index.",
    ),
    "SM307": Rule(
        "warning",
        "A URL appears twice in one file.",
        "The second entry adds nothing, and it is unclear whose date counts. List each URL once.",
    ),
    "SM308": Rule(
        "warning",
        "A URL contains a session ID.",
        "Each visit would make another URL of the same page. The protocol asks you to leave "
        "session IDs out. List the URL without it.",
    ),
    "SM401": Rule(
        "error",
        "An index or robots.txt lists a sitemap that does not exist.",
        "Crawlers get an error, and do not find the pages of that sitemap. Publish the file, or "
        "remove its entry. If another server has it, disable this rule.",
    ),
    "SM402": Rule(
        "error",
        "An index lists another index.",
        "The protocol allows one level only, and crawlers do not read further. List its sitemaps "
        "directly, or remove its entry and list it in robots.txt instead.",
    ),
    "SM404": Rule(
        "error",
        "A Sitemap line of robots.txt has no absolute URL.",
        "Crawlers need the whole URL, and ignore a path. Write Sitemap: "
        "https://tea.example/sitemap.xml.",
    ),
    "SM406": Rule(
        "error",
        "robots.txt disallows a URL that the sitemap lists.",
        "The two contradict each other. Search engines report the page as submitted but blocked. "
        "Allow it in robots.txt, or remove it from the sitemap.",
    ),
    "SM407": Rule(
        "warning",
        "A Sitemap line of robots.txt is at a preview, at localhost or at a placeholder.",
        "robots.txt was written for another address, and no crawler finds a sitemap of this site "
        "there. Build the site with its own address, or correct the line.",
    ),
    "SM601": Rule(
        "error",
        "The host does not answer.",
        "Crawlers get nothing from it either: the name, the certificate or the server is at fault. "
        "Check the DNS records, the certificate and the firewall of the host.",
    ),
    "SM602": Rule(
        "error",
        "robots.txt fails, or is an HTML page.",
        "While it answers 5xx, or nothing, crawlers treat every URL as disallowed. In an HTML page "
        "they find no rule and no sitemap. Serve robots.txt with 200, or 404 if there is none.",
    ),
    "SM603": Rule(
        "warning",
        "The host refuses this program, but may let crawlers in.",
        "A bot check, a login or a rate limit answers instead of the page, so sitemapper cannot "
        "check it. If the host still shows another page, one with 401 or 403 is reported as SM621. "
        "Let the user agent sitemapper in, pass a token with --header, or inspect the URL in "
        "Search Console.",
    ),
    "SM605": Rule(
        "warning",
        "The live robots.txt is not the built one.",
        "The deployment is not complete, a CDN still has the old file, or another program serves "
        "it. Deploy again, purge the CDN, or look for a host rule that serves its own robots.txt.",
    ),
    "SM606": Rule(
        "warning",
        "A path that does not exist answers 200.",
        "Search engines cannot tell missing pages from real ones, and index or report them as soft "
        "404. Publish a 404.html, or remove the rule that answers every path with one page.",
    ),
    "SM611": Rule(
        "error",
        "The live sitemap cannot be fetched.",
        "Crawlers need a complete answer with 200. A redirect is not followed by all of them, an "
        "HTML page is a login, a bot check or the “not found” page, and a compression that the "
        "name or Content-Encoding does not tell gives bytes that are not XML. Upload the file to "
        "this URL, exempt it from logins and redirects, or correct base_url and `[sitemap] name`.",
    ),
    "SM616": Rule(
        "error",
        "The live sitemap is not the built one.",
        "Search engines read an old list: the deployment is not complete, or a CDN still has the "
        "old file. Deploy, wait with --wait, or purge the CDN.",
    ),
    "SM621": Rule(
        "error",
        "A listed URL answers 4xx, or shows the “not found” page with status 200.",
        "Search engines do not index it, and trust the sitemap less. For 404 or 410, deploy the "
        "page, or build the sitemap again from what is deployed. For 401 or 403, open the page to "
        "crawlers, or exclude it. For 200, publish a 404.html, too.",
    ),
    "SM622": Rule(
        "error",
        "A listed URL answers 5xx or nothing three times, or cannot be decompressed.",
        "Search engines report a server error, and crawl the host more slowly. Read the logs of "
        "the host, compress files once, and send Content-Encoding only for compressed files.",
    ),
    "SM623": Rule(
        "error",
        "A listed URL redirects.",
        "Search Console reports it as a page with redirect, and does not index it under the listed "
        "URL. Set url_style or base_url to the form that the host serves, or list the target.",
    ),
    "SM624": Rule(
        "error",
        "A listed URL is noindex.",
        "The sitemap lists a page that a tag or a header of the live host excludes from search. "
        "Remove the X-Robots-Tag header or the robots meta, or remove the URL.",
    ),
    "SM625": Rule(
        "error",
        "A listed URL names another URL as its canonical.",
        "Search engines index the other URL, and report this one as an alternate page. Correct the "
        "canonical in the template, or list the canonical URL.",
    ),
    "SM627": Rule(
        "error",
        "The live robots.txt disallows the sitemap or a listed URL.",
        "Crawlers do not fetch it. Search Console reports it as blocked by robots.txt. Remove the "
        "rule from robots.txt, or the URL from the sitemap.",
    ),
    "SM629": Rule(
        "warning",
        "A removed URL still answers 200, without noindex or another canonical.",
        "Search engines keep a page that the site no longer has. Delete it at the host, purge the "
        "CDN, or redirect it.",
    ),
    "SM630": Rule(
        "error",
        "A listed page has the content type of a download or of plain text.",
        "Search engines do not render it, and browsers show its source or save it. Upload it as "
        "text/html. Many object stores need the type with each file.",
    ),
    "SM633": Rule(
        "error",
        "A listed URL does not show the built page.",
        "Search engines index another page, a list of files, a login form or nothing instead. "
        "Deploy the page, and look for a host rule that answers in its place.",
    ),
    "SM635": Rule(
        "warning",
        "A live page is not the built one.",
        "The deployment is old or not complete, or the host changes the text of pages. Deploy "
        "again, purge the CDN, and verify the files that were deployed.",
    ),
}  # fmt: skip
_UNREADABLE = ("SM101", "SM102", "SM103", "SM105", "SM107", "SM109")
_LIVE = "SM6"  # the family that only `verify` checks


def chosen(
    select: Sequence[str] | None, disable: Sequence[str] | None, *, is_live: bool = False
) -> frozenset[str]:
    """The codes of the rules to check, by the values of `--select` and `--disable`.

    Both take codes and prefixes, with commas between: SM2 stands for SM201 to SM212. None stands
    for a flag that is not given. `--select` never leaves out the rules about files that cannot be
    read: such a file would hide the findings of the others. `is_live` is True for `verify`, which
    also has the rules of a live host. Raises SitemapperError for a code that no rule of the command
    has, and if no rule is left.
    """
    known = [code for code in RULES if is_live or not code.startswith(_LIVE)]
    selected = _prefixes(select, known)
    disabled = _prefixes(disable, known)
    if selected:
        known = [code for code in known if code.startswith(selected + _UNREADABLE)]
    codes = [code for code in known if not code.startswith(disabled)]
    if not codes:
        raise SitemapperError("--disable leaves no rule", "disable fewer rules")
    return frozenset(codes)


def _prefixes(values: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Splits the values of a flag into codes and prefixes: ["sm2,SM301,"] → ("SM2", "SM301").

    Raises SitemapperError for one with which none of the `known` codes begins.
    """
    prefixes = re.findall(r"[^\s,]+", ",".join(values or ()).upper())
    for prefix in prefixes:
        if not any(code.startswith(prefix) for code in known):
            text = f"{prefix}: this command has no such rule"
            raise SitemapperError(text, "docs/checks.md lists the rules of validate and verify")
    return tuple(prefixes)
