"""Apache: what is certain in the `.htaccess` files in the folders of a site.

A line is certain if it depends only on the URL, or on whether the URL is that of a file. One in a
section, or with another RewriteCond, is not read. Modules count as present. Patterns match the
whole path of a URL, decoded.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..model import Origin, Reason
from ..syntax.linear import LinearRegex
from ..syntax.robots import header_forbids
from ..syntax.urls import INDEXES, UrlForms, is_page_name
from .host import HostRules, make_rules
from .reader import Manual, Reader
from .rule import Line, Pattern, Rule, checked, error_page

FILE = ".htaccess"
_CLEAN = "MultiViews, or a rule that finds `$1.html`"
FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    _CLEAN: UrlForms(
        ("a/", "a/index.html"),
        ("b.html", "b", "b/"),
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
# The conditions of a rule for pages at the names of their files, such as `b.html`.
_IS_FILE = ("%{REQUEST_FILENAME}", "-f")
_NO_FOLDER = ("%{REQUEST_FILENAME}", "!-d")
_FOLDER_URL = LinearRegex("(?:^|/)$")
# The conditions of a rule for what is not there, such as `RewriteRule . /index.php`.
_NOTHING_THERE = {("%{REQUEST_FILENAME}", "!-f"), ("%{REQUEST_FILENAME}", "!-d")}
_LONG_FLAGS = {
    "REDIRECT": "R", "FORBIDDEN": "F", "GONE": "G", "LAST": "L", "CHAIN": "C", "SKIP": "S",
    "NEXT": "N", "PROXY": "P", "NOCASE": "NC",
}  # fmt: skip
_STEPS = frozenset("CSNP")  # flags that choose the rule that comes next


class _Line(NamedTuple):
    """A directive: its name in lower case, and the words behind it without their quotes."""

    key: str
    words: Sequence[str]
    is_in_section: bool
    origin: Origin

    @property
    def text(self) -> str:
        """The whole line in lower case."""
        return " ".join([self.key, *self.words]).lower()


class _File(NamedTuple):
    """The `.htaccess` of a folder. The path of the folder begins with that of the base URL."""

    folder: str
    lines: Sequence[_Line]

    def has_any(self, keys: Iterable[str]) -> bool:
        """Whether a line begins with one of some words."""
        return any(line.key.startswith(tuple(keys)) for line in self.lines)

    def words(self, key: str) -> list[str]:
        """The words behind a directive, in all lines outside of sections."""
        lines = [line for line in self.lines if line.key == key and not line.is_in_section]
        return [word for line in lines for word in line.words]


# --- The lines of a file


def _read_lines(file: str, text: str) -> Iterator[_Line]:
    """The directives of a file. Those in `<IfModule !x>` do not count."""
    # For each open section: whether one up to it is of an absent module, or has a condition.
    sections = [(False, False)]
    for number, row in _rows(text):
        is_absent, is_in_section = sections[-1]
        if row.startswith("</"):
            if len(sections) > 1:
                sections.pop()
        elif row.startswith("<"):
            is_module = row.lower().startswith("<ifmodule")
            is_absent = is_absent or (is_module and "!" in row)
            sections.append((is_absent, is_in_section or not is_module))
        elif row and not row.startswith("#") and not is_absent:
            key, *words = _words(row)
            origin = Origin(file, number, " ".join(row.split()))
            yield _Line(key.lower(), words, is_in_section, origin)


def _rows(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers. A backslash at the end of a line joins it with the next."""
    joined: list[str] = []
    for number, row in enumerate(text.split("\n"), 1):
        line = row.removesuffix("\r")
        joined.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield number - len(joined) + 1, "".join(joined).strip(_SPACES)
            joined = []


def _words(row: str) -> list[str]:
    """The words of a line. Quotes around them are removed; in them, a backslash escapes a quote."""
    words = []
    for word in _WORD.findall(row):
        quote = word[0]
        if quote in "\"'":
            words.append(word[1:].removesuffix(quote).replace(f"\\{quote}", quote))
        else:
            words.append(word)
    return words


# --- From lines to rules


class _Server(NamedTuple):
    """The server of a site: its scheme and host, and its files, the top one first."""

    origin: str
    files: Sequence[_File]

    def paths_of(self, file: _File, keys: Collection[str]) -> Pattern:
        """The paths below a folder, except those below deeper ones whose files have some lines."""
        deeper = [
            re.escape(other.folder.removeprefix(file.folder))
            for other in self.files
            if other is not file and other.folder.startswith(file.folder) and other.has_any(keys)
        ]
        but = LinearRegex(f"^(?:{'|'.join(deeper)})") if deeper else None
        return Pattern(file.folder, LinearRegex(""), but)

    def target(self, text: str, folder: str = "/") -> str:
        r"""A target as a URL, and as a template: `/new/$1` → `https://example.com/new/\g<1>`.

        A relative one is below a folder. A backslash before a sign makes it plain text.
        """
        if not re.match("/|https?://", text, re.IGNORECASE):
            text = folder + text
        if text.startswith("/"):
            text = self.origin + text
        return re.sub(
            r"\\(?P<plain>.)|\$(?P<group>\d)",
            lambda sign: sign["plain"] or rf"\g<{sign['group']}>",
            text,
        )

    def read_redirects(self, file: _File) -> Iterator[Line]:
        """The rules of mod_alias, whose status may stand before the path."""
        for line in file.lines:
            if line.key not in _REDIRECTS:
                continue
            status = "permanent" if line.key == "redirectpermanent" else "temp"
            words = list(line.words)
            if words and (words[0].lower() in _STATUSES or words[0].isdigit()):
                status = words.pop(0).lower()
            source, target = (*words, "", "")[:2]
            action = _action_of(status)
            is_whole = source and (target or action is Reason.CLOSED)
            if line.is_in_section or action is None or not is_whole:
                yield line.origin
                continue
            try:
                pattern = _source(source, file.folder, is_regex=line.key == "redirectmatch")
            except ValueError:
                yield line.origin
                continue
            if line.key != "redirectmatch":
                target = f"{unquote(target)}$1"
            yield Rule(pattern, action, line.origin, self.target(target))

    def read_rewrites(self, file: _File) -> Iterator[Line]:
        """The rules of mod_rewrite.

        Behind a line that is not certain and may show something else, no other line is. Rules in
        sections replace those at the top for some requests, and RewriteOptions may put rules of
        other folders first.
        """
        lines = [line for line in file.lines if line.key.startswith("rewrite")]
        is_certain = not any(line.is_in_section or "inherit" in line.text for line in lines)
        base = [file.folder, *file.words("rewritebase")][-1]
        conditions: list[_Line] = []
        for line in lines:
            if line.key == "rewritecond":
                conditions.append(line)
            if line.key != "rewriterule":
                continue
            rule = self._read_rewrite(line, conditions, file, base)
            if isinstance(rule, Rule) and not is_certain:
                yield line.origin
            elif rule:
                yield rule
            if isinstance(rule, Origin) and _may_keep_page(line):
                is_certain = False
            conditions = []

    def _read_rewrite(
        self, line: _Line, conditions: Sequence[_Line], file: _File, base: str
    ) -> Line | None:
        """A line RewriteRule. None for one that does nothing with a page that is there."""
        pattern, target = (*line.words, "", "")[:2]
        flags = _read_flags(line.words)
        action = _action_of_rewrite(target, flags)
        has_steps = not _STEPS.isdisjoint(flags)
        tests = {tuple(condition.words[:2]) for condition in conditions}
        if action is None and not has_steps:
            is_last = "L" in flags or "END" in flags
            does_nothing = target == "-" and not is_last and "R" not in flags
            if does_nothing or _FOUND_PAGE.fullmatch(target) or tests == _NOTHING_THERE:
                return None
        if not tests <= {_IS_FILE, _NO_FOLDER}:
            return conditions[0].origin
        is_shown = action is None and target != "-"
        has_variable = re.search(r"[%$]\{|%\d", target) is not None
        is_other_status = action is None and "R" in flags
        if not target or is_shown or is_other_status or has_steps or has_variable:
            return line.origin
        try:
            source = self._rewritten_paths(file, pattern, flags, with_folders=not tests)
        except ValueError:
            return line.origin
        target = self.target(target, base)
        return Rule(source, action, line.origin, target, needs_file=_IS_FILE in tests)

    def _rewritten_paths(
        self, file: _File, pattern: str, flags: Mapping[str, str], *, with_folders: bool
    ) -> Pattern:
        """The paths of a RewriteRule: `^b` is for `/a/b.html` and `/a/b/` in the file of `/a/`.

        Without folders, `/a/b/` is excepted. Raises ValueError for an expression that is not
        read, and if more than one kind of path is excepted.
        """
        regex = checked(("(?i)" if "NC" in flags else "") + pattern.removeprefix("!"))
        source = self.paths_of(file, ["rewrite"])
        exceptions = [source.but] if source.but else []
        if not with_folders:
            exceptions.append(_FOLDER_URL)
        if pattern.startswith("!"):
            exceptions.append(regex)
            regex = LinearRegex("")
        if len(exceptions) > 1:
            raise ValueError(f"{pattern!r} is for too few paths")
        return Pattern(file.folder, regex, *exceptions)

    def read_index(self, file: _File) -> Iterator[Line]:
        """The rules for folders that do not show their index page, which keeps its full name.

        DirectoryIndex names other pages only, or a RewriteRule looks for `a/.html` at `a/`. Such a
        rule counts as a redirect to the full name, so that the page is listed there.
        """
        folders = self.paths_of(file, ("directoryindex", "rewrite"))
        target = rf"{self.origin}{file.folder}\g<0>{INDEXES[0]}"
        for line in file.lines:
            if line.key == "directoryindex" and not line.is_in_section:
                pages = list(filter(is_page_name, line.words))
                if line.words == ["disabled"] or (pages and set(pages).isdisjoint(INDEXES)):
                    source = folders._replace(regex=LinearRegex("^(?:.*/)?$"))
                    yield Rule(source, Reason.REDIRECT, line.origin, target)
                elif pages and pages[0] not in INDEXES:  # if it is there
                    yield line.origin
        line_of_rule = _line_without_index(file)
        if line_of_rule:
            source = folders._replace(regex=LinearRegex("^.+/$"))
            yield Rule(source, Reason.REDIRECT, line_of_rule, target)

    def read_access(self, file: _File) -> Iterator[Line]:
        """Who may enter. Only a line that is alone closes a folder: others may open parts of it."""
        lines = [line for line in file.lines if line.key in _ACCESS]
        for line in lines:
            is_certain = len(lines) == 1 and not line.is_in_section
            if is_certain and _CLOSING.fullmatch(line.text):
                yield Rule(self.paths_of(file, (*_ACCESS, "order")), Reason.CLOSED, line.origin)
            elif line.key in ("require", "deny") and line.text != "require all granted":
                yield line.origin

    def read_robots(self, file: _File, now: int, *, is_in_section: bool) -> Iterator[Line]:
        """What the lines Header say about X-Robots-Tag.

        One that is not certain may allow indexing again, so it takes back what is said before it.
        """
        folder = Pattern(file.folder, LinearRegex(""))
        for line in file.lines:
            words = [word for word in line.words if word.lower() not in ("always", "onsuccess")]
            action, name, value, *others = (*words, "", "", "")
            is_robots = line.key == "header" and name.lower() == "x-robots-tag"
            if not is_robots or line.is_in_section is not is_in_section:
                continue
            is_set = action.lower() == "set"
            is_unset = action.lower() == "unset" and not value
            is_certain = (is_set or is_unset) and not any(others) and not is_in_section
            forbids = header_forbids(value, now)
            if not is_certain:
                yield line.origin
            if is_certain and forbids:
                yield Rule(folder, Reason.NOINDEX, line.origin)
            elif not forbids:
                yield Rule(folder, None, line.origin)


def _source(source: str, folder: str, *, is_regex: bool) -> Pattern:
    """The paths of a line of mod_alias in the file of a folder, as an expression or as text.

    `Redirect /a` is for `/a` and what is below it. Raises ValueError for one that may be for other
    folders, where the file does not count.
    """
    if not is_regex:
        if not source.startswith(folder):
            raise ValueError(f"{source!r} is not below {folder}")
        return Pattern(source, LinearRegex("^(.*)$" if source.endswith("/") else "^(|/.*)$"))
    if folder == "/":
        return Pattern("", checked(source))
    if not source.startswith(f"^{folder}"):
        raise ValueError(f"{source!r} is not below {folder}")
    return Pattern(folder, checked("^" + source.removeprefix(f"^{folder}")))


def _read_flags(words: Sequence[str]) -> dict[str, str]:
    """The flags of a line by their short names: `[R=301,Last]` → `{"R": "301", "L": ""}`."""
    flags = {}
    for flag in "".join(words[2:3]).strip("[]").split(","):
        name, _, value = flag.strip().partition("=")
        key = name.upper()
        flags[_LONG_FLAGS.get(key, key)] = value
    return flags


def _action_of(status: str) -> Reason | None:
    """What a status does with a page: `301` or `permanent` redirects it. None for others."""
    number = _STATUSES.get(status, status)
    if re.fullmatch(r"3\d\d", number, re.ASCII):
        return Reason.REDIRECT
    return Reason.CLOSED if number in _CLOSED else None


def _action_of_rewrite(target: str, flags: Mapping[str, str]) -> Reason | None:
    """What a RewriteRule does with a page. `DUPLICATE` shows another page in its place.

    None if it leaves the page alone, or shows something that may depend on it.
    """
    if "F" in flags or "G" in flags:
        return Reason.CLOSED
    is_page = is_page_name(target) and not re.search("[$%]", target)
    action = Reason.DUPLICATE if is_page else None
    if "R" in flags:
        action = _action_of(flags["R"].lower() or "temp")
    elif re.match("https?://", target, re.IGNORECASE):
        action = Reason.REDIRECT
    return None if target == "-" and action is Reason.REDIRECT else action


def _may_keep_page(line: _Line) -> bool:
    """Whether a RewriteRule may keep later rules from a page, and still show a page.

    One that redirects or closes its paths does not: where it is not for a page, the next rules are.
    """
    target = "".join(line.words[1:2])
    flags = _read_flags(line.words)
    return _action_of_rewrite(target, flags) is None or not _STEPS.isdisjoint(flags)


def _has_views(options: Iterable[str]) -> bool:
    """Whether Options turn MultiViews on: `a` shows a.html. A name without a sign turns all off."""
    has_views = False
    for option in options:
        sign = option[:1]
        is_views = option.lower().removeprefix("+") == "multiviews"
        if is_views or sign not in "+-" or option.lower() == "-multiviews":
            has_views = is_views
    return has_views


def _forms(files: Sequence[_File]) -> UrlForms:
    """The forms of URLs by the lines of all folders."""
    forms = FORMS[""]
    for file in files:
        rules = [line.words for line in file.lines if line.key == "rewriterule"]
        finds_page = any(_FOUND_PAGE.fullmatch("".join(words[1:2])) for words in rules)
        if finds_page or _has_views(file.words("options")):
            forms = FORMS[_CLEAN]
    return forms


def _line_without_index(file: _File) -> Origin | None:
    """The RewriteRule that looks for a page `a/.html` at `a/`, None if there is none."""
    tests: list[str] = []
    for line in file.lines:
        if line.key == "rewritecond":
            tests.append(line.text)
        if line.key == "rewriterule":
            is_for_files = any(test.endswith((" !-d", "html -f")) for test in tests)
            pattern, target = (*line.words, "", "")[:2]
            finds_page = _FOUND_PAGE.fullmatch(target) is not None
            with suppress(ValueError):
                if finds_page and not is_for_files and checked(pattern).is_in("a/"):
                    return line.origin
            tests = []
    return None


def _texts_of(base_path: str, path: str) -> Sequence[str]:
    """The whole path of a URL, decoded, for a path below the base URL."""
    return (unquote(base_path + path),)


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of a site, in the texts of its files by their paths."""
    parts = urlsplit(base_url)
    base_path = parts.path.rstrip("/")
    files = []
    for name, text in texts.items():
        folder, _, file_name = f"/{name}".rpartition("/")
        if file_name == FILE:
            files.append(_File(f"{base_path}{folder}/", list(_read_lines(name, text))))
    files.sort()
    server = _Server(f"{parts.scheme}://{parts.netloc}", files)
    moves: list[Line] = []
    headers: list[Line] = []
    for file in reversed(files):  # those of deeper folders come first
        moves += server.read_redirects(file)
    is_on = {file.folder: file.words("rewriteengine")[-1:] for file in files}
    for file in files:
        engines = [is_on[folder] for folder in is_on if file.folder.startswith(folder)]
        engine = [words[0] for words in engines if words][-1:]
        if engine and engine[0].lower() == "on":
            moves += server.read_rewrites(file)
        headers += server.read_access(file)
        headers += server.read_robots(file, now, is_in_section=False)
    for file in files:
        moves += server.read_index(file)
    for file in files:  # sections come after all others
        headers += server.read_robots(file, now, is_in_section=True)
        for line in file.lines:
            if line.key == "errordocument" and not line.is_in_section:
                headers += error_page("".join(line.words[1:2]), line.origin)
    return make_rules(_forms(files), moves, headers, texts_of=partial(_texts_of, base_path))


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`.htaccess` of every folder",
        order="The first redirect or RewriteRule that matches decides, those of deeper folders "
        "first. The last `X-Robots-Tag` counts. `Require` or `Deny` closes a folder if it is alone "
        "in its file. `ErrorDocument`, `DirectoryIndex` and MultiViews are read, too, and modules "
        "count as present.",
        skipped="conditions other than `%{REQUEST_FILENAME} -f` and `!-d`, sections, look-around, "
        "variables, rewrites without a redirect, and rules behind one that may show another file",
    ),
)
