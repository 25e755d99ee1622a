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
from .rule import Pattern, Rule, compile_regex, error_page

FILE = ".htaccess"
_CLEAN = "MultiViews, or a rule that finds `$1.html`"
FORMS = {
    "": UrlForms(folder=("a/", "a/index.html"), page=("b.html",)),
    _CLEAN: UrlForms(
        folder=("a/", "a/index.html"),
        page=("b.html", "b", "b/"),
        clash=UrlForms(folder=("a/", "a/index.html"), page=("b.html",)),
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
_ADDED_HTML = re.compile(r".*(?:\}|[$%]\d)(?:/index)?\\?\.html")
# The conditions of a rule that is not for the URLs of folders, such as `/a/`. No other conditions
# are read.
_IS_FILE = ("%{REQUEST_FILENAME}", "-f")
_NO_FOLDER = ("%{REQUEST_FILENAME}", "!-d")
_READ_CONDITIONS = {_IS_FILE, _NO_FOLDER}
_FOLDER_URL = LinearRegex("/$")
# The conditions of a rule for what is not there, such as `RewriteRule . /index.php`.
_NOTHING_THERE = {("%{REQUEST_FILENAME}", "!-f"), _NO_FOLDER}
# What follows the folder of a `.htaccess` in the URL paths for which a line is. For that of `/a/`,
# these are `/a/` and all below it, the folders `/a/` and `/a/b/`, and only `/a/b/`.
_ALL_PATHS = LinearRegex("")
_FOLDERS = LinearRegex("^(?:.*/)?$")
_DEEPER_FOLDERS = LinearRegex("^.+/$")
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

    def pattern(self, file: _File, rest: LinearRegex, replaced_by: tuple[str, ...]) -> Pattern:
        """Makes the pattern of the URL paths for which a line of a `.htaccess` is.

        A `Require` in the file of `/a/` is for all paths below `/a/`. But if `/a/b/.htaccess` has a
        `Require`, too, paths below `/a/b/` are excepted. There, Apache uses only the deeper line
        (httpd.apache.org, "How sections are merged").

        `rest` matches what follows `/a/` in the path. `replaced_by` are keys of deeper lines, such
        as `require`. Their beginning is enough: `rewrite` for RewriteRule and RewriteEngine.
        """
        excepted_folders = [
            re.escape(other.folder)
            for other in self.files
            if other is not file
            and other.folder.startswith(file.folder)
            and other.has_any(replaced_by)
        ]
        excepted = None
        if excepted_folders:
            excepted = LinearRegex(f"^(?:{'|'.join(excepted_folders)})")
        return Pattern(start=file.folder, regex=rest, excepted=excepted)

    def target(self, text: str, folder: str = "/") -> str:
        r"""Turns the target of a line into a whole URL: `/b` → `https://a.example/b`.

        A target without a slash in front is below the `folder`: `b` → `https://a.example/docs/b`.
        The URL is a template for `re.Match.expand`: `/b/$1` → `https://a.example/b/\g<1>`.
        """
        url = text
        is_relative = not re.match("/|https?://", text, re.IGNORECASE)
        if is_relative:
            url = folder + text
        if url.startswith("/"):
            url = self.origin + url
        return _make_template(url)


def _make_template(target: str) -> str:
    r"""Turns a target into a template for `re.Match.expand`: `/b/$1` → `/b/\g<1>`.

    After a backslash, `$` is plain text: `/b/\$1` → `/b/$1`.
    """
    return re.sub(
        r"\\(?P<plain>.)|\$(?P<number>\d)",
        lambda found: found["plain"] or rf"\g<{found['number']}>",
        target,
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


def _read_redirects(site: _Site, file: _File) -> Iterator[Rule | Origin]:
    """Reads the lines Redirect and RedirectMatch: `Redirect 301 /a /b` → a rule from `/a` to `/b`.

    Of these lines, only the place (`Origin`) is yielded, for a note that they were not read:

    <Files a.html>             a line in a section, which has a condition
    Redirect 500 /a            the status neither redirects nor closes a page
    Redirect /a                the target is missing
    RedirectMatch ^/(?!a) /b   the expression cannot be read
    """
    for line in file.lines:
        if line.key not in _REDIRECTS:
            continue
        words = list(line.words)
        status = "permanent" if line.key == "redirectpermanent" else "temp"  # if none is written
        has_status = bool(words) and (words[0].lower() in _STATUSES or words[0].isdigit())
        if has_status:
            status = words.pop(0).lower()
        source, target = (*words, "", "")[:2]  # "" for a word that is not there
        action = _action_of_status(status)
        is_complete = source and (target or action is Reason.CLOSED)
        if line.is_in_section or action is None or not is_complete:
            yield line.origin
            continue
        is_regex = line.key == "redirectmatch"
        translate = _pattern_of_regex if is_regex else _pattern_of_path
        try:
            pattern = translate(source, file.folder)
        except ValueError:
            yield line.origin
            continue
        if not is_regex:
            # `Redirect /a /b` leads from `/a/c` to `/b/c`: `$1` is what follows the source.
            target = f"{unquote(target)}$1"
        yield Rule(pattern, action, line.origin, site.target(target))


def _pattern_of_path(path: str, folder: str) -> Pattern:
    """Makes the pattern of a line such as `Redirect /a /b`, which is for a path and those below it.

    - `/a` is for `/a` and `/a/b`, but not for `/ab`
    - `/a/` is for `/a/` and `/a/b`, but not for `/a`

    Raises ValueError for a path outside the `folder` of the file, because Apache never asks this
    file about such paths.
    """
    if not path.startswith(folder):
        raise ValueError(path)
    # The group is what follows the path. A redirect adds it to its target.
    rest = "^(.*)$" if path.endswith("/") else "^(|/.*)$"
    return Pattern(start=path, regex=LinearRegex(rest))


def _pattern_of_regex(regex: str, folder: str) -> Pattern:
    """Makes the pattern of a line `RedirectMatch ^/a /b`: paths in which `^/a` has a match.

    In the file of the `folder` `/docs/`, only an expression that begins with `^/docs/` is read:
    `^/docs/a` → paths that begin with `/docs/`, and whose rest has a match for `^a`. Raises
    ValueError for other expressions, and for one that cannot be compiled.
    """
    if folder == "/":  # the top folder has all paths, so any expression is read
        return Pattern(start="", regex=compile_regex(regex))
    beginning = f"^{folder}"
    if not regex.startswith(beginning):
        raise ValueError(regex)
    rest = regex.removeprefix(beginning)
    return Pattern(start=folder, regex=compile_regex(f"^{rest}"))


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
    def adds_html(self) -> bool:
        """Whether the rule only shows `b.html` at `b`: `RewriteRule ^(.*)$ $1.html`."""
        return _ADDED_HTML.fullmatch(self.target) is not None

    @property
    def chooses_next_rule(self) -> bool:
        """Whether a flag decides which rule comes next: `[S=2]` skips two rules, for instance."""
        return not _FLAGS_ON_NEXT_RULE.isdisjoint(self.flags)

    @property
    def action(self) -> Reason | None:
        """What a RewriteRule does with a page that its pattern matches, by its flags and target.

        The flag F forbids the page, G says that it is gone, and R sends a status.

        | rule                         | action                                                 |
        |------------------------------|--------------------------------------------------------|
        | `^a /b [R,S=2]`              | None, because a flag decides which rule comes next     |
        | `^a - [F]`, `^a - [G]`       | CLOSED                                                 |
        | `^a - [R=404]`               | CLOSED                                                 |
        | `^a - [R=301]`               | None, because it leads nowhere                         |
        | `^a /b [R=301]`, `^a /b [R]` | REDIRECT                                               |
        | `^a https://b.example/`      | REDIRECT                                               |
        | `^a /b.html`                 | DUPLICATE, because this page is shown in its place     |
        | `^a /index.php?p=$1`         | None, because it may show the page itself              |
        """
        if self.chooses_next_rule:
            return None
        if "F" in self.flags or "G" in self.flags:
            return Reason.CLOSED
        if "R" in self.flags:
            status = self.flags["R"].lower() or "temp"  # a bare R is a temporary redirect
            action = _action_of_status(status)
            leads_nowhere = self.target == "-" and action is Reason.REDIRECT
            return None if leads_nowhere else action
        if re.match("https?://", self.target, re.IGNORECASE):
            return Reason.REDIRECT
        if is_page_name(self.target) and not re.search("[$%]", self.target):
            return Reason.DUPLICATE
        return None

    @property
    def adds_html_to_folders(self) -> bool:
        """Whether the rule adds `.html` to the path of a folder, too: `a/` → `a/.html`.

        At /a/, Apache then looks for a page `a/.html`, in place of `a/index.html`. An example is
        `RewriteRule ^(.*)$ $1.html`. With one of these conditions, the rule is not for folders:

            RewriteCond %{REQUEST_FILENAME}.html -f    the page with this name exists
            RewriteCond %{REQUEST_FILENAME} !-d        no folder has this name
        """
        if not self.adds_html:
            return False
        if any(condition.text.endswith(("html -f", " !-d")) for condition in self.conditions):
            return False
        try:
            return compile_regex(self.pattern).is_in("a/")  # an example of a folder
        except ValueError:  # the expression cannot be read
            return False

    @property
    def matters_to_pages(self) -> bool:
        """Whether the rule may change what is at the URL of a page, or hide a later rule."""
        # `^a$ - [F]` closes a page, and `^ - [S=2]` skips two rules.
        if self.action or self.chooses_next_rule:
            return True
        # `^(.*)$ $1.html` only shows the page `b.html` also at `b`.
        if self.adds_html:
            return False
        # With the conditions `!-f` and `!-d`, a rule is only for URLs without a file or folder. At
        # the URL of a page, there always is one.
        if self.tests_of_conditions == _NOTHING_THERE:
            return False
        # `^a$ /index.php` may show anything in place of `a`. After `^ - [L]`, no later rule counts.
        # But `^ - [E=A:1]` only sets a variable.
        shows_other_page = self.target != "-"
        ends_rules = not self.flags.keys().isdisjoint(("L", "END", "R"))
        return shows_other_page or ends_rules

    @property
    def is_unclear(self) -> bool:
        """Whether nobody can know what the rule does with a page, as for these rules:

        RewriteRule ^a$                              there is no target
        RewriteRule ^a$ https://%{HTTP_HOST}/b       the target has a variable
        RewriteRule ^a$ /index.php                   the target may show anything
        RewriteRule ^a$ /b [S=2]                     a flag decides which rule comes next
        RewriteRule !^a /b                           negations are not read

        The conditions of the rule do not matter here.
        """
        has_variable = re.search(r"[%$]\{|%\d", self.target) is not None
        # `RewriteRule ^a$ - [L]` is clear: it only hides later rules for `/a`.
        leaves_page_alone = self.target == "-" and "R" not in self.flags
        may_show_anything = self.action is None and not leaves_page_alone
        is_negation = self.pattern.startswith("!")
        return (
            not self.target
            or has_variable
            or may_show_anything
            or self.chooses_next_rule
            or is_negation
        )


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


def _read_rewrites(site: _Site, file: _File) -> Iterator[Rule | Origin]:
    """Yields a Rule for each line RewriteRule that is certain, for others only their place.

    `RewriteRule ^a$ /b [R=301]` → a Rule that redirects `/a` to `/b`. The place of another line,
    its `Origin`, is for a note that it was not read. A line is not certain if nobody can know what
    it does, or if Apache may end before it:

        RewriteCond %{REMOTE_USER} .
        RewriteRule ^ - [L]              not certain: it is only for visitors who have logged in
        RewriteRule ^a$ /b [R=301]       not certain: such visitors may get the page `a`

    A line that changes no page, such as `RewriteRule ^ - [E=A:1]`, gives nothing.
    """
    lines = [line for line in file.lines if line.key.startswith("rewrite")]
    # Lines in a section, such as `<If>`, replace all others for some requests. And RewriteOptions
    # may put the rules of other folders first.
    may_end_before = any(line.is_in_section or "inherit" in line.text for line in lines)
    base = [file.folder, *file.words("rewritebase")][-1]  # the last one decides
    for rewrite in _rewrites_in(file):
        if not rewrite.matters_to_pages:
            continue
        rule = _read_rewrite(site, file, rewrite, base)
        if isinstance(rule, Origin):  # nobody can know what the line does
            yield rule
            # Without an action, such as `^ - [L]`, it may show the page to some visitors, and keep
            # them from all later lines. By a redirect or a denial, nobody gets the page.
            if rewrite.action is None:
                may_end_before = True
        elif may_end_before:
            yield rewrite.origin
        else:
            yield rule


def _read_rewrite(site: _Site, file: _File, rewrite: _Rewrite, base: str) -> Rule | Origin:
    """Reads one RewriteRule: `RewriteRule ^a$ /b [R=301]` → a redirect from `/a` to `/b`.

    If nobody can know what the line does, the result is a place in the file instead, its Origin.
    A note names it as not read. A target such as `b`, without a slash, is below `base`.
    """
    # `RewriteCond %{HTTPS} off`: it depends on the visitor. The note shows this condition.
    tests = rewrite.tests_of_conditions
    has_unread_condition = not tests <= _READ_CONDITIONS
    if has_unread_condition:
        return rewrite.conditions[0].origin
    # `RewriteRule ^a$ /index.php`: the target may show anything.
    if rewrite.is_unclear:
        return rewrite.origin
    # `RewriteRule ^(?!a) /b`: the expression cannot be read.
    try:
        source = _pattern_of_rewrite(site, file, rewrite)
    except ValueError:
        return rewrite.origin
    return Rule(
        source,
        rewrite.action,
        rewrite.origin,
        target=site.target(rewrite.target, base),
        needs_file=_IS_FILE in tests,  # `RewriteCond %{REQUEST_FILENAME} -f`
    )


def _pattern_of_rewrite(site: _Site, file: _File, rewrite: _Rewrite) -> Pattern:
    """Makes the pattern of the URL paths for which a RewriteRule is.

    `RewriteRule ^a$ /b` in the `.htaccess` of `/docs/` is for the path `/docs/a`. Raises ValueError
    for a rule that cannot be read.
    """
    letter_case = "(?i)" if "NC" in rewrite.flags else ""
    # ValueError for an expression that cannot be compiled, such as the look-around `^(?!a)`.
    regex = compile_regex(letter_case + rewrite.pattern)
    # Deeper folders with rules of their own, such as `/docs/new/`, are excepted.
    pattern = site.pattern(file, regex, replaced_by=("rewrite",))
    if not rewrite.conditions:
        return pattern
    # With a condition such as `%{REQUEST_FILENAME} -f`, a rule is not for folders. So URLs such as
    # `/docs/a/` must be excepted. But a pattern has room for only one exception.
    has_excepted_folders = pattern.excepted is not None
    if has_excepted_folders:
        raise ValueError(rewrite.pattern)
    return pattern._replace(excepted=_FOLDER_URL)


# --- what a folder shows, who may enter, what is indexed


def _read_hidden_indexes(site: _Site, file: _File) -> Iterator[Rule | Origin]:
    """Yields rules for index pages that Apache does not show at the URL of their folder.

    With `DirectoryIndex disabled` in a `.htaccess`, Apache shows no page at /a/. Then
    `a/index.html` is listed at /a/index.html (`_redirect_to_indexes`).
    """
    # 1. Of the pages in a line DirectoryIndex, Apache shows the first that exists in the folder.
    for line in file.lines:
        if line.key != "directoryindex" or line.is_in_section:  # sections have conditions
            continue
        pages = list(filter(is_page_name, line.words))
        # `DirectoryIndex disabled`: no page is shown at /a/.
        is_disabled = line.words == ["disabled"]
        # `DirectoryIndex b.html`: `a/b.html` is shown there, or no page.
        names_only_others = bool(pages) and set(pages).isdisjoint(INDEXES)
        if is_disabled or names_only_others:
            yield _redirect_to_indexes(site, file, _FOLDERS, line.origin)
        # `DirectoryIndex b.html index.html`: it depends on the folder which of the two is shown.
        # The place of the line is yielded, for the note that it was not read.
        elif pages and pages[0] not in INDEXES:
            yield line.origin
    # 2. With `RewriteRule ^(.*)$ $1.html`, Apache looks for the page `a/.html` at /a/. It does so
    # only below the folder of the file, whose own path is empty.
    for rewrite in _rewrites_in(file):
        if rewrite.adds_html_to_folders:
            yield _redirect_to_indexes(site, file, _DEEPER_FOLDERS, rewrite.origin)
            return  # one rule is enough


def _redirect_to_indexes(site: _Site, file: _File, folders: LinearRegex, origin: Origin) -> Rule:
    r"""Makes the rule by which `a/index.html` is listed at /a/index.html, and not at /a/.

    The rule is a redirect from /a/ to /a/index.html. Apache does not really redirect: by the line
    at `origin`, it shows no page at /a/, or another one. The sitemap is the same in both cases.

    `folders` matches the folders with hidden pages, as seen from the folder of the file: `a/`.
    """
    # A deeper folder with such lines of its own may show its index pages.
    source = site.pattern(file, folders, replaced_by=("directoryindex", "rewrite"))
    folder_found = r"\g<0>"  # what `folders` matched: `a/`
    target = f"{site.origin}{file.folder}{folder_found}{INDEXES[0]}"
    return Rule(source, Reason.REDIRECT, origin, target)


def _read_access(site: _Site, file: _File) -> Iterator[Rule | Origin]:
    """Yields a rule by which no page of a folder is listed, if its file keeps all visitors out.

    `Require all denied` does so, as the only line on access. If some visitors may enter, only the
    place of each `Require` and `Deny` is yielded, for the note that it was not read.
    """
    lines = [line for line in file.lines if line.key in _ACCESS]
    # A second line may let visitors in: `Allow from example.com`. So may a line in a section, which
    # has a condition.
    has_one_line = len(lines) == 1
    for line in lines:
        # `Require all denied`, `Deny from all`, or `Require valid-user`, which asks for a password.
        is_closing = _CLOSING.fullmatch(line.text) is not None
        if is_closing and has_one_line and not line.is_in_section:
            # Deeper folders with lines on access of their own are excepted. There, even `Order`
            # alone opens a folder. In this file, an `Order` changes nothing beside `Deny from all`.
            paths = site.pattern(file, _ALL_PATHS, replaced_by=(*_ACCESS, "order"))
            yield Rule(paths, Reason.CLOSED, line.origin)
        # `Require ip 10.1`: some visitors may enter. With `Require all granted`, all may.
        elif line.key in ("require", "deny") and line.text != "require all granted":
            yield line.origin


def _read_robots(file: _File, now: int, *, in_sections: bool) -> Iterator[Rule | Origin]:
    """Reads the lines `Header … X-Robots-Tag` of a file, for the pages in its folder.

    A line gives a Rule, an `Origin` for the note that it was not read, or both (`_read_header`).

    Either the lines in sections such as `<Files>` are read (`in_sections`), or those outside of
    them. Apache applies sections last, so the caller asks for them last.
    """
    pages = Pattern(file.folder, _ALL_PATHS)
    for line in file.lines:
        if line.key == "header" and line.is_in_section == in_sections:
            yield from _read_header(line, pages, now)


def _read_header(line: _Line, pages: Pattern, now: int) -> Iterator[Rule | Origin]:
    """Reads a line `Header`: `Header set X-Robots-Tag noindex` → a rule by which no page is listed.

    A later line replaces the header: after `Header set X-Robots-Tag all`, pages are listed again.
    Lines with other headers give nothing.
    """
    words = [word for word in line.words if word.lower() not in ("always", "onsuccess")]
    verb, name, value = (*words, "", "", "")[:3]  # "" for a word that is not there
    if name.lower() != "x-robots-tag":
        return
    is_set = verb.lower() == "set"
    is_unset = verb.lower() == "unset" and not value
    has_condition = any(words[3:]) or line.is_in_section  # `env=X`, or a section such as `<Files>`
    is_certain = (is_set or is_unset) and not has_condition
    # Nobody knows when a line with `env=X` holds. Its place is yielded, for the note that it was
    # not read.
    if not is_certain:
        yield line.origin
    forbids_indexing = header_forbids(value, now)  # False for `all`, and for "" after `unset`
    # A rule without an action cancels the noindex of earlier lines. With `all env=X`, it is not
    # certain that the line cancels it. In this case, pages stay listed.
    if not forbids_indexing:
        yield Rule(pages, None, line.origin)
    elif is_certain:
        yield Rule(pages, Reason.NOINDEX, line.origin)


def _choose_url_forms(files: Sequence[_File]) -> UrlForms:
    """Chooses at which URLs Apache shows pages: `b.html` at `b.html`, or at `b`, too.

    Apache shows it at `b`, too, if a file of any folder has one of these lines:

        Options +MultiViews
        RewriteRule ^(.*)$ $1.html
    """
    for file in files:
        options = {option.lower().removeprefix("+") for option in file.words("options")}
        adds_html = any(rewrite.adds_html for rewrite in _rewrites_in(file))
        if adds_html or "multiviews" in options:
            return FORMS[_CLEAN]
    return FORMS[""]  # `b.html` only at `b.html`


# --- a site


def _spellings_of(base_path: str, path: str) -> Sequence[str]:
    """Gives the path that Apache compares, whole and decoded: `/a%20b` below `/docs` → `/docs/a b`.

    It is the only spelling. Other hosts compare several.
    """
    return (unquote(base_path + path),)


def _read_apache_rules(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """Reads the rules of all `.htaccess` files of a site, in the order in which they apply.

    `texts` has the files by path: `.htaccess`, `docs/.htaccess`. The result has two lists:

    - `moves`: rules that redirect a page or rewrite its URL. The first one for a page decides.
    - `headers`: rules that close a page or forbid indexing. All of them count, and a later
      X-Robots-Tag replaces an earlier one.
    """
    parts = urlsplit(base_url)
    base_path = parts.path.rstrip("/")
    files = _read_files(texts, base_path)
    site = _Site(f"{parts.scheme}://{parts.netloc}", files)
    moves: list[Rule | Origin] = []
    headers: list[Rule | Origin] = []
    # `Redirect`. The line of the deepest folder decides.
    for file in reversed(files):
        moves += _read_redirects(site, file)
    # `RewriteRule`. For each path, the lines of only one folder count, so any order is right.
    for file in files:
        if _is_rewriting_on(file, files):
            moves += _read_rewrites(site, file)
    # `DirectoryIndex`, `Require` and `Header`. Those of deeper folders come later.
    for file in files:
        moves += _read_hidden_indexes(site, file)
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
        # A line in a section, such as `<Files>`, is not for all pages of the folder.
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
        order="The first redirect or RewriteRule that matches is applied. Those of deeper folders "
        "come first. Of several `X-Robots-Tag`, the last is applied. `Require` or `Deny` closes a "
        "folder if no other line of the file is about access. `ErrorDocument`, `DirectoryIndex` "
        "and MultiViews are read, too. All modules are assumed to be loaded.",
        skipped="conditions other than `%{REQUEST_FILENAME} -f` and `!-d`, sections, look-around, "
        "negations, variables, rewrites without a redirect, and rules after one that may show "
        "another file",
    ),
)
