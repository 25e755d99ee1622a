"""Apache: what is certain in the `.htaccess` files in the folders of a site.

A line is certain if its effect depends only on the URL, or on whether a file has this URL. A line
with another condition, or in a section such as `<Files>`, is not read, and takes no page away.
Then a function yields the `Origin` of the line in place of a `Rule`, for a note to the user.
Patterns match the whole path of a URL, decoded.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..model import Origin, Reason
from ..syntax.linear import LinearRegex
from ..syntax.robots import header_forbids
from ..syntax.settings_files import lines_of
from ..syntax.urls import INDEXES, UrlForms, is_page_name
from .host import HostRules, Manual, Reader, make_rules
from .rule import Line, Pattern, Rule, checked, error_page

FILE = ".htaccess"
_CLEAN = "MultiViews, or a rule that finds `$1.html`"
FORMS = {
    "": UrlForms(folder=("a/", "a/index.html"), page=("b.html",)),
    _CLEAN: UrlForms(
        folder=("a/", "a/index.html"),
        page=("b.html", "b", "b/"),
        clash=("b.html", "a/ a/index.html"),
        by_links=True,
    ),
}
_SPACES = " \t\r\f\v"
_WORD = re.compile(
    r"""
      "(?:[^"\\]|\\.)*"?
    | '(?:[^'\\]|\\.)*'?
    | (?:\\\s|\S)+        # a backslash before a space continues a word of mod_rewrite
    """,
    re.VERBOSE | re.ASCII,
)
_STATUSES = {"permanent": "301", "temp": "302", "seeother": "303", "gone": "410"}
_CLOSED = ("403", "404", "410")
_REDIRECTS = ("redirect", "redirectmatch", "redirectpermanent", "redirecttemp")
_ACCESS = ("require", "allow", "deny", "satisfy", "authmerging")
_CLOSING = re.compile(r"require (?:all denied|valid-user|(?:user|group) .*)|deny from all")
# What a rule that shows b.html at `b` shows: `$1.html`, `%{REQUEST_FILENAME}.html`.
_FOUND_PAGE = re.compile(r".*(?:\}|[$%]\d)(?:/index)?\\?\.html")
# The conditions of a rule that is only for files, such as `b.html`, and the URLs of folders, for
# which such a rule is not.
_IS_FILE = ("%{REQUEST_FILENAME}", "-f")
_NO_FOLDER = ("%{REQUEST_FILENAME}", "!-d")
_FOLDER_URL = LinearRegex("(?:^|/)$")
# The conditions of a rule for what is not there, such as `RewriteRule . /index.php`.
_NOTHING_THERE = {("%{REQUEST_FILENAME}", "!-f"), _NO_FOLDER}
_LONG_FLAGS = {
    "REDIRECT": "R", "FORBIDDEN": "F", "GONE": "G", "LAST": "L", "CHAIN": "C", "SKIP": "S",
    "NEXT": "N", "PROXY": "P", "NOCASE": "NC",
}  # fmt: skip
# Flags that choose which rule comes next: chain, skip, next round. A proxy ends the search.
_FLAGS_ON_NEXT_RULE = frozenset("CSNP")


class _Line(NamedTuple):
    """A directive: `ErrorDocument 404 "/a b.html"` has the key `errordocument` and two words.

    `is_in_section` is for a section with a condition, such as `<Files>`. `<IfModule x>` is none,
    because modules count as present.
    """

    key: str
    words: Sequence[str]
    is_in_section: bool
    origin: Origin

    @property
    def text(self) -> str:
        """The whole line in lower case."""
        return " ".join([self.key, *self.words]).lower()


class _File(NamedTuple):
    """The `.htaccess` of a folder, such as `/docs/a/` for a base URL with the path `/docs/`."""

    folder: str
    lines: Sequence[_Line]

    def has_any(self, beginnings: tuple[str, ...]) -> bool:
        """Says whether any line has a key that begins with one of some texts, such as `rewrite`."""
        return any(line.key.startswith(beginnings) for line in self.lines)

    def words(self, key: str) -> list[str]:
        """Collects the words after a key, in all lines outside of sections."""
        lines = [line for line in self.lines if line.key == key and not line.is_in_section]
        return [word for line in lines for word in line.words]


# --- The lines of a file


class _Section(NamedTuple):
    """A section such as `<Files a.html>`, with what the sections around it add.

    We take every module to be present. So the lines in `<IfModule !x>` do not apply (`is_absent`),
    and those in `<IfModule x>` do. All other sections depend on a condition (`has_condition`).
    """

    is_absent: bool = False
    has_condition: bool = False


def _read_lines(file: str, text: str) -> Iterator[_Line]:
    """Reads the directives of a file: `Redirect /a /b` → its key and two words.

    Comments are left out, and so are the lines in `<IfModule !x>`, which do not apply.
    """
    open_sections = [_Section()]  # the first one stands for the top of the file
    for number, row in _join_lines(text):
        section = open_sections[-1]
        if row.startswith("</"):  # the end of a section, perhaps of one that never began
            if len(open_sections) > 1:
                open_sections.pop()
        elif row.startswith("<"):  # the beginning of a section
            is_module = row.lower().startswith("<ifmodule")
            is_absent = section.is_absent or (is_module and "!" in row)
            has_condition = section.has_condition or not is_module
            open_sections.append(_Section(is_absent=is_absent, has_condition=has_condition))
        elif row and not row.startswith("#") and not section.is_absent:
            key, *words = _split_words(row)
            origin = Origin(file, number, " ".join(row.split()))
            yield _Line(key.lower(), words, section.has_condition, origin)


def _join_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a file with their numbers. A backslash joins a line with the next.

    `Redirect \\` in line 1 and `/a /b` in line 2 → `Redirect /a /b` with the number 1.
    """
    first_number = 1
    joined = ""
    for number, line in enumerate(lines_of(text), start=1):
        if line.endswith("\\"):
            joined += line.removesuffix("\\")
            continue
        yield first_number, (joined + line).strip(_SPACES)
        joined = ""
        first_number = number + 1
    if joined:  # the last line of the file ends with a backslash
        yield first_number, joined.strip(_SPACES)


def _split_words(row: str) -> list[str]:
    r"""Splits a line into words: `ErrorDocument 404 "/a b"` → `ErrorDocument`, `404`, `/a b`.

    Quotes around a word are removed. In them, `\"` stands for a quote.
    """
    words = []
    for word in _WORD.findall(row):
        quote = word[0]
        if quote in "\"'":
            words.append(word[1:].removesuffix(quote).replace(f"\\{quote}", quote))
        else:
            words.append(word)
    return words


# --- From lines to rules


class _Site(NamedTuple):
    """A site on Apache: its scheme and host, and its files, the top one first."""

    origin: str
    files: Sequence[_File]

    def paths_of(self, file: _File, keys: tuple[str, ...]) -> Pattern:
        """Makes a pattern of the URL paths to which some lines of a `.htaccess` file apply.

        `keys` say which lines, by the beginnings of their keys: `rewrite` for RewriteRule and
        RewriteEngine. They apply to all paths below the folder of the file. A deeper folder is
        excepted if its own `.htaccess` has lines with such keys, because Apache then uses only
        the deeper lines there (httpd.apache.org, "How sections are merged").

        If the files of `/a/` and `/a/b/` both have `Require`, the pattern for the file of `/a/` has
        the start `/a/`. What follows this start must not match `^(?:b/)`.
        """
        deeper = [
            re.escape(other.folder.removeprefix(file.folder))
            for other in self.files
            if other is not file and other.folder.startswith(file.folder) and other.has_any(keys)
        ]
        excepted = LinearRegex(f"^(?:{'|'.join(deeper)})") if deeper else None
        # The empty expression has a match in whatever follows the folder.
        return Pattern(start=file.folder, regex=LinearRegex(""), excepted=excepted)

    def target(self, text: str, folder: str = "/") -> str:
        r"""Turns the target of a line into a whole URL, as a template for `re.Match.expand`.

        For a site at `https://a.example`:

            /b/$1    → `https://a.example/b/\g<1>`
            b/$1     → `https://a.example/a/b/\g<1>` with the folder `/a/`: it is relative
            /b/\$1   → `https://a.example/b/$1`: after a backslash, a character is plain text
        """
        url = text
        if not re.match("/|https?://", text, re.IGNORECASE):  # relative
            url = folder + text
        if url.startswith("/"):
            url = self.origin + url
        return re.sub(
            r"\\(?P<plain>.)|\$(?P<group>\d)",
            lambda found: found["plain"] or rf"\g<{found['group']}>",
            url,
        )


def _action_of_status(status: str) -> Reason | None:
    """Says what a status does with a page: `301` or `permanent` → REDIRECT, `gone` → CLOSED.

    None for any other status, such as 200 or 500.
    """
    number = _STATUSES.get(status, status)
    if re.fullmatch(r"3\d\d", number, re.ASCII):
        return Reason.REDIRECT
    if number in _CLOSED:
        return Reason.CLOSED
    return None


# --- mod_alias


def _read_redirects(site: _Site, file: _File) -> Iterator[Line]:
    """Reads the lines of mod_alias: `Redirect 301 /a /b` → a rule that redirects `/a` to `/b`.

    `Redirect /a /b` has no status, which means 302, so its action is REDIRECT. With the status
    `gone`, the action is CLOSED, and the line needs no target: `RedirectMatch gone ^/a`.

    For these lines, only the `Origin` is yielded, which is reported as not read:

    - a line in a section with a condition, such as `<Files>`
    - a line with a status that neither redirects nor closes a page, such as `Redirect 500 /a`
    - an incomplete line, such as `Redirect /a`, which has no target
    - a line whose source cannot be read, such as `RedirectMatch ^/(?!a) /b`
    """
    for line in file.lines:
        if line.key not in _REDIRECTS:
            continue
        status = "permanent" if line.key == "redirectpermanent" else "temp"
        words = list(line.words)
        if words and (words[0].lower() in _STATUSES or words[0].isdigit()):
            status = words.pop(0).lower()
        source, target = (*words, "", "")[:2]  # "" for a word that is not there
        action = _action_of_status(status)
        is_complete = source and (target or action is Reason.CLOSED)
        if line.is_in_section or action is None or not is_complete:
            yield line.origin
            continue
        try:
            pattern = _read_source(source, file.folder, is_regex=line.key == "redirectmatch")
        except ValueError:
            yield line.origin
            continue
        if line.key != "redirectmatch":
            target = f"{unquote(target)}$1"  # what is below the source is added to the target
        yield Rule(pattern, action, line.origin, site.target(target))


def _read_source(source: str, folder: str, *, is_regex: bool) -> Pattern:
    """Translates the source of a line of mod_alias, a path or an expression, to a pattern.

    - `Redirect /a …` is for `/a` and `/a/b`, but not for `/ab`
    - `Redirect /a/ …` is for `/a/` and `/a/b`, but not for `/a`
    - `RedirectMatch ^/a …` is for each path in which the expression has a match

    Raises ValueError for a source outside the folder of the file, because Apache never asks this
    file about such paths. Also raises ValueError for an expression that cannot be compiled.
    """
    if not is_regex:
        if not source.startswith(folder):
            raise ValueError(f"{source!r} is not below {folder}")
        # The group is what a redirect adds to its target.
        below = "^(.*)$" if source.endswith("/") else "^(|/.*)$"
        return Pattern(source, LinearRegex(below))
    if folder == "/":
        return Pattern("", checked(source))
    if not source.startswith(f"^{folder}"):
        raise ValueError(f"{source!r} is not below {folder}")
    return Pattern(folder, checked("^" + source.removeprefix(f"^{folder}")))


# --- mod_rewrite


class _Rewrite(NamedTuple):
    """A RewriteRule: `RewriteRule ^a$ /b [R=301,L]`, with the lines RewriteCond before it."""

    pattern: str
    target: str
    flags: Mapping[str, str]
    conditions: Sequence[_Line]
    origin: Origin

    @property
    def tests_of_conditions(self) -> set[tuple[str, ...]]:
        """The tests of the conditions, without flags such as `[NC]`.

        `RewriteCond %{REQUEST_FILENAME} -f [NC]` → `{("%{REQUEST_FILENAME}", "-f")}`
        """
        return {tuple(condition.words[:2]) for condition in self.conditions}

    @property
    def finds_page(self) -> bool:
        """Whether the rule shows `b.html` at `b`: `RewriteRule ^(.*)$ $1.html`."""
        return _FOUND_PAGE.fullmatch(self.target) is not None

    @property
    def chooses_next_rule(self) -> bool:
        """Whether a flag decides which rule comes next: `[S=2]` skips two rules, for instance."""
        return not _FLAGS_ON_NEXT_RULE.isdisjoint(self.flags)

    @property
    def action(self) -> Reason | None:
        """What the rule does with a page that its pattern matches, by its flags and its target.

        | rule                         | action                                                 |
        |------------------------------|--------------------------------------------------------|
        | `^a - [F]`, `^a - [G]`       | CLOSED                                                 |
        | `^a - [R=301]`               | None, because it leads nowhere                         |
        | `^a - [R=404]`               | CLOSED                                                 |
        | `^a /b [R=301]`              | REDIRECT                                               |
        | `^a https://b.example/`      | REDIRECT                                               |
        | `^a /b.html`                 | DUPLICATE, because this page is shown in its place     |
        | `^a /index.php?p=$1`         | None, because it may show the page itself              |
        """
        if "F" in self.flags or "G" in self.flags:
            return Reason.CLOSED
        if "R" in self.flags:
            action = _action_of_status(self.flags["R"].lower() or "temp")
            leads_nowhere = self.target == "-" and action is Reason.REDIRECT
            return None if leads_nowhere else action
        if re.match("https?://", self.target, re.IGNORECASE):
            return Reason.REDIRECT
        if is_page_name(self.target) and not re.search("[$%]", self.target):
            return Reason.DUPLICATE
        return None

    @property
    def has_no_effect_on_pages(self) -> bool:
        """Whether the rule changes nothing for existing pages, so that the caller leaves it out.

        | rule                                  | result                                          |
        |---------------------------------------|-------------------------------------------------|
        | `RewriteRule ^a$ - [F]`               | False: its action closes a page                 |
        | `RewriteRule ^ - [S=2]`               | False: it may skip a redirect                   |
        | `RewriteRule ^(.*)$ $1.html`          | True: it only shows `b.html` at `b`             |
        | with the conditions `!-f` and `!-d`   | True: it is only for what is not there          |
        | `RewriteRule ^ - [L]`                 | False: no later rule counts for the page        |
        | `RewriteRule ^ - [E=A:1]`             | True: it only sets a variable                   |
        | `RewriteRule ^a$ /index.php`          | False: it may show anything in place of a page  |
        """
        if self.action or self.chooses_next_rule:
            return False
        if self.finds_page:
            return True
        is_for_missing_files = self.tests_of_conditions == _NOTHING_THERE  # `!-f` and `!-d`
        if is_for_missing_files:
            return True
        # With the flag L or END, later rules do not count for the page. With R, Apache answers.
        hides_later_rules = not self.flags.keys().isdisjoint(("L", "END", "R"))
        return self.target == "-" and not hides_later_rules


def _rewrites_in(file: _File) -> list[_Rewrite]:
    """Collects the lines RewriteRule of a file, each with its conditions.

    The conditions of a rule are the lines RewriteCond between the rule before and this rule.
    """
    rewrites = []
    conditions: list[_Line] = []
    for line in file.lines:
        if line.key == "rewritecond":
            conditions.append(line)
        elif line.key == "rewriterule":
            pattern, target, flags = (*line.words, "", "", "")[:3]  # "" for a missing word
            rewrites.append(
                _Rewrite(
                    pattern=pattern,
                    target=target,
                    flags=_read_flags(flags),
                    conditions=conditions,
                    origin=line.origin,
                )
            )
            conditions = []
    return rewrites


def _read_flags(text: str) -> dict[str, str]:
    """Reads the flags of a rule by their short names: `[R=301,Last]` → `{"R": "301", "L": ""}`."""
    flags = {}
    for flag in text.strip("[]").split(","):
        name, _, value = flag.strip().partition("=")
        key = name.upper()
        flags[_LONG_FLAGS.get(key, key)] = value
    return flags


def _read_rewrites(site: _Site, file: _File) -> Iterator[Line]:
    """Yields a Rule for each line RewriteRule that matters to pages, or only the line's Origin.

    `RewriteRule ^a$ /b [R=301]` → a Rule that redirects `/a` to `/b`. The Origin alone means that
    the line takes no page away, and is reported as not read. It is yielded in two cases:

    1. The effect of the line itself is not certain (`_read_rewrite`).
    2. Apache may not reach the line, because an uncertain line before it may end the search. Here,
       the redirect is only reached if nobody has logged in:

        RewriteCond %{REMOTE_USER} .     case 1: what it tests is not in the files
        RewriteRule ^ - [L]              if somebody has logged in, no later line counts
        RewriteRule ^a$ /b [R=301]       case 2
    """
    lines = [line for line in file.lines if line.key.startswith("rewrite")]
    # All lines are case 2 if some are in sections, which replace the others for some requests, or
    # if RewriteOptions may put rules of other folders first.
    is_surely_reached = not any(line.is_in_section or "inherit" in line.text for line in lines)
    base = [file.folder, *file.words("rewritebase")][-1]  # the last one decides
    for rewrite in _rewrites_in(file):
        if rewrite.has_no_effect_on_pages:
            continue
        rule = _read_rewrite(site, file, rewrite, base)
        if isinstance(rule, Origin):  # case 1
            yield rule
            # A redirect or denial (an action) either takes a page away, or Apache goes on to the
            # next line. Any other uncertain line may be the last, or choose which one is next.
            may_hide_later_lines = rewrite.action is None or rewrite.chooses_next_rule
            is_surely_reached = is_surely_reached and not may_hide_later_lines
        elif is_surely_reached:
            yield rule
        else:  # case 2
            yield rewrite.origin


def _read_rewrite(site: _Site, file: _File, rewrite: _Rewrite, base: str) -> Line:
    """Makes the Rule of a RewriteRule, or returns an Origin if nobody can know what it does.

    `RewriteRule ^a$ /b [R=301]` → a Rule that redirects `/a`. The Origin is that of the line, or of
    its first condition. It is returned for these:

    | not certain                                 | such as                       |
    |---------------------------------------------|-------------------------------|
    | a condition other than for files            | `RewriteCond %{HTTPS} off`    |
    | no target                                   | `RewriteRule ^a$`             |
    | a target with a variable                    | `https://%{HTTP_HOST}/b`      |
    | a target that may show anything             | `/index.php`                  |
    | a flag that decides which rule comes next   | `[C]`, `[S=2]`                |
    | a negation                                  | `!^a`                         |
    | an expression with a look-around            | `^(?!a)`                      |
    | two exceptions for one rule                 | see below                     |

    A rule with the condition `%{REQUEST_FILENAME} -f` or `!-d` is not for the URLs of folders, such
    as `/a/`. This is one exception. A deeper folder with rewrites of its own is another exception.
    A `Pattern` can have only one.

    A relative target is below `base`.
    """
    has_other_condition = not rewrite.tests_of_conditions <= {_IS_FILE, _NO_FOLDER}
    if has_other_condition:
        return rewrite.conditions[0].origin
    has_variable = re.search(r"[%$]\{|%\d", rewrite.target) is not None
    # `RewriteRule ^a$ - [L]` becomes a Rule without an action, which hides later rules for `/a`.
    leaves_page_alone = rewrite.target == "-" and "R" not in rewrite.flags
    may_show_anything = rewrite.action is None and not leaves_page_alone
    if not rewrite.target or has_variable or may_show_anything:
        return rewrite.origin
    is_negation = rewrite.pattern.startswith("!")
    if rewrite.chooses_next_rule or is_negation:
        return rewrite.origin
    letter_case = "(?i)" if "NC" in rewrite.flags else ""
    try:
        regex = checked(letter_case + rewrite.pattern)
    except ValueError:  # such as a look-around
        return rewrite.origin
    # The paths below the folder of the file. Deeper folders with rewrites are excepted.
    source = site.paths_of(file, ("rewrite",))._replace(regex=regex)
    is_not_for_folders = bool(rewrite.conditions)  # `-f` or `!-d`, as there are no others here
    if is_not_for_folders:
        if source.excepted:  # a second exception is not possible
            return rewrite.origin
        source = source._replace(excepted=_FOLDER_URL)
    return Rule(
        source,
        rewrite.action,
        rewrite.origin,
        target=site.target(rewrite.target, base),
        needs_file=_IS_FILE in rewrite.tests_of_conditions,
    )


# --- what a folder shows, who may enter, what is indexed


def _read_index(site: _Site, file: _File) -> Iterator[Line]:
    """Yields a rule for each line that keeps Apache from showing `a/index.html` at /a/.

    The rule is a redirect from /a/ to /a/index.html. Apache sends no such redirect, but the rule
    has the right effect on the sitemap: it lists a page at the URL to which the other one leads.

    | line in the file                    | result                                              |
    |-------------------------------------|-----------------------------------------------------|
    | `DirectoryIndex disabled`           | a redirect: /a/ shows no file                       |
    | `DirectoryIndex b.html`             | a redirect: /a/ shows only `b.html`                 |
    | `DirectoryIndex b.html index.html`  | only the line's Origin, which is reported as unread |
    | `DirectoryIndex index.html b.html`  | nothing: /a/ shows `a/index.html`                   |
    | `RewriteRule ^(.*)$ $1.html`        | a redirect: for /a/, it looks for a page `a/.html`  |

    The third line is not certain, because only a folder that has a `b.html` shows this file.
    """
    paths = site.paths_of(file, ("directoryindex", "rewrite"))
    # `\g<0>` is what the source matches below the folder of the file, such as `a/`.
    target = rf"{site.origin}{file.folder}\g<0>{INDEXES[0]}"
    for line in file.lines:
        if line.key != "directoryindex" or line.is_in_section:
            continue
        pages = list(filter(is_page_name, line.words))
        is_disabled = line.words == ["disabled"]
        names_only_others = bool(pages) and set(pages).isdisjoint(INDEXES)
        if is_disabled or names_only_others:
            source = paths._replace(regex=LinearRegex("^(?:.*/)?$"))  # any folder
            yield Rule(source, Reason.REDIRECT, line.origin, target)
        elif pages and pages[0] not in INDEXES:  # an index page comes later
            yield line.origin
    for rewrite in _rewrites_in(file):
        if _hides_index(rewrite):
            source = paths._replace(regex=LinearRegex("^.+/$"))  # a folder below that of the file
            yield Rule(source, Reason.REDIRECT, rewrite.origin, target)
            return


def _hides_index(rewrite: _Rewrite) -> bool:
    """Says whether a rule looks for a page `a/.html` at `a/`, so that no index page is shown.

    True for `RewriteRule ^(.*)$ $1.html`, because its expression matches `a/`. False with one of
    these conditions before it, because the rule is then not for folders:

        RewriteCond %{REQUEST_FILENAME}.html -f    the page with this name is there
        RewriteCond %{REQUEST_FILENAME} !-d        there is no folder with this name
    """
    if not rewrite.finds_page:
        return False
    if any(condition.text.endswith(("html -f", " !-d")) for condition in rewrite.conditions):
        return False
    try:
        return checked(rewrite.pattern).is_in("a/")  # an example of a folder
    except ValueError:
        return False


def _read_access(site: _Site, file: _File) -> Iterator[Line]:
    """Yields a rule that closes all pages of a folder, if a line of its file keeps visitors out.

    | lines in the file                              | result                                    |
    |------------------------------------------------|-------------------------------------------|
    | `Require all denied`                           | CLOSED: nobody may see the folder         |
    | `Require valid-user`                           | CLOSED: visitors need a password          |
    | `Deny from all` and `Allow from example.com`   | only the Origin of `Deny`                 |
    | `Require ip 10.1`                              | only its Origin                           |
    | `Require all granted`                          | nothing, because it closes no page        |
    | `Allow from all`                               | nothing, because it closes no page        |

    The Origin alone means that nobody knows for which visitors the folder is closed. The line then
    takes no page away, and is reported as not read.
    """
    lines = [line for line in file.lines if line.key in _ACCESS]
    for line in lines:
        # A second line may open the folder to some visitors.
        is_alone = len(lines) == 1 and not line.is_in_section
        if is_alone and _CLOSING.fullmatch(line.text):
            # The rule is not for a deeper folder that has its own lines on access. An `Order` alone
            # opens a deeper folder, too, though beside the line in this file it changes nothing.
            paths = site.paths_of(file, (*_ACCESS, "order"))
            yield Rule(paths, Reason.CLOSED, line.origin)
        elif line.key in ("require", "deny") and line.text != "require all granted":
            yield line.origin


def _read_robots(file: _File, now: int, *, in_sections: bool) -> Iterator[Line]:
    """Yields rules for the pages of a folder by the lines `Header … X-Robots-Tag` of its file.

    With `in_sections`, only lines in sections such as `<Files>` are read, otherwise only lines
    outside of sections.

    | line                                     | result                                           |
    |------------------------------------------|--------------------------------------------------|
    | `Header set X-Robots-Tag noindex env=X`  | only the Origin of the line                      |
    | `Header set X-Robots-Tag all env=X`      | the Origin, and a rule without an action         |
    | `Header set X-Robots-Tag all`            | a rule without an action                         |
    | `Header unset X-Robots-Tag`              | a rule without an action                         |
    | `Header set X-Robots-Tag noindex`        | a rule with the action NOINDEX                   |

    The Origin means that the line depends on a condition (`env=X`), and is reported as not read.

    A rule without an action cancels the noindex of an earlier line, so that pages are listed. A
    line with a condition has such a rule, too: a page is left out only if its noindex is certain.
    """
    paths = Pattern(file.folder, LinearRegex(""))
    for line in file.lines:
        if line.key != "header" or line.is_in_section != in_sections:
            continue
        words = [word for word in line.words if word.lower() not in ("always", "onsuccess")]
        verb, name, value = (*words, "", "", "")[:3]  # "" for a word that is not there
        if name.lower() != "x-robots-tag":
            continue
        is_set = verb.lower() == "set"
        is_unset = verb.lower() == "unset" and not value
        has_condition = any(words[3:]) or line.is_in_section
        is_certain = (is_set or is_unset) and not has_condition
        if not is_certain:
            yield line.origin
        if not header_forbids(value, now):  # `all`, or "" after `unset`
            yield Rule(paths, None, line.origin)
        elif is_certain:
            yield Rule(paths, Reason.NOINDEX, line.origin)


def _choose_url_forms(files: Sequence[_File]) -> UrlForms:
    """Chooses the URL forms in which Apache shows pages: `b.html` also at `b` if a line says so.

    Such a line is `Options +MultiViews`, or `RewriteRule ^(.*)$ $1.html`, in whatever folder.
    """
    for file in files:
        options = {option.lower().removeprefix("+") for option in file.words("options")}
        finds_pages = any(rewrite.finds_page for rewrite in _rewrites_in(file))
        if finds_pages or "multiviews" in options:
            return FORMS[_CLEAN]
    return FORMS[""]


# --- a site


def _spellings_of(base_path: str, path: str) -> Sequence[str]:
    """Gives the path that Apache compares, whole and decoded: `/a%20b` below `/docs` → `/docs/a b`.

    The result has this one path, in a tuple, because other hosts compare several spellings.
    """
    return (unquote(base_path + path),)


def _read_apache_rules(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """Reads the rules of all `.htaccess` files of a site, in the order in which they apply.

    `texts` has the files by path: `.htaccess`, `docs/.htaccess`. There are two lists of rules:

    - `moves` redirect a page or rewrite its URL. The first one for a page decides: the lines of
      mod_alias, beginning with the deepest folder, then those of mod_rewrite, then what folders
      show.
    - `headers` close a page or forbid indexing. All of them count. An X-Robots-Tag of a deeper
      folder replaces one of an upper folder, so deeper folders come later.
    """
    parts = urlsplit(base_url)
    base_path = parts.path.rstrip("/")
    files = _read_files(texts, base_path)
    site = _Site(f"{parts.scheme}://{parts.netloc}", files)
    moves: list[Line] = []
    headers: list[Line] = []
    for file in reversed(files):  # the deepest first
        moves += _read_redirects(site, file)
    for file in files:
        # Each path has the rewrites of only one folder, so the order of folders does not matter.
        if _is_rewriting_on(file, files):
            moves += _read_rewrites(site, file)
    for file in files:
        moves += _read_index(site, file)
        headers += _read_access(site, file)
        headers += _read_robots(file, now, in_sections=False)
    # Apache merges the sections of all folders after all other lines, so that `<Files>` in `/`
    # comes after a line in `/a/` (httpd.apache.org, "How sections are merged").
    for file in files:
        headers += _read_robots(file, now, in_sections=True)
        # An error page may also be redirected. It is not listed in any case, so its rule is here,
        # where all rules count, and not among the moves.
        headers += _read_error_pages(file)
    return make_rules(
        _choose_url_forms(files), moves, headers, spellings_of=partial(_spellings_of, base_path)
    )


def _read_files(texts: Mapping[str, str], base_path: str) -> list[_File]:
    """Reads the lines of each `.htaccess` among the texts, that of the uppermost folder first."""
    files = []
    for name, text in texts.items():
        folder, _, file_name = f"/{name}".rpartition("/")
        if file_name == FILE:
            files.append(_File(f"{base_path}{folder}/", list(_read_lines(name, text))))
    return sorted(files)


def _read_error_pages(file: _File) -> Iterator[Rule]:
    """Yields rules that leave out error pages: `ErrorDocument 404 /404.html` → `/404.html`."""
    for line in file.lines:
        if line.key != "errordocument" or line.is_in_section or len(line.words) < 2:
            continue
        _status, page, *_ = line.words
        yield from error_page(page, line.origin)


def _is_rewriting_on(file: _File, files: Sequence[_File]) -> bool:
    """Says whether RewriteEngine is on in a folder, so that its lines RewriteRule count.

    The last line RewriteEngine in the file of the folder decides. If the file has no such line, the
    nearest folder above decides that has one. Without any, the engine is off.
    """
    engine = ""
    for other in files:  # the file of the top folder comes first
        is_same_or_above = file.folder.startswith(other.folder)
        if is_same_or_above:
            for word in other.words("rewriteengine"):
                engine = word  # the last one decides
    return engine.lower() == "on"


READER = Reader(
    read=_read_apache_rules,
    forms=FORMS,
    manual=Manual(
        meaning="`.htaccess` of every folder",
        order="The first redirect or RewriteRule that matches decides, those of deeper folders "
        "first. The last `X-Robots-Tag` counts. `Require` or `Deny` closes a folder if it is alone "
        "in its file. `ErrorDocument`, `DirectoryIndex` and MultiViews are read, too, and modules "
        "count as present.",
        skipped="conditions other than `%{REQUEST_FILENAME} -f` and `!-d`, sections, look-around, "
        "negations, variables, rewrites without a redirect, and rules after one that may show "
        "another file",
    ),
)
