"""Apache: what is certain of the `.htaccess` files in the folders of a site.

Each line becomes a rule with its origin, in the order in which Apache applies them: mod_rewrite,
then mod_alias, then the page that is there, with what lines about its folders and its name say. A
line that depends on more than the URL, the base URL and the files of the site is not read. It takes
no page away, and neither does a RewriteRule behind it that it may keep from a page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..model import Origin, Reason
from ..syntax.linear import linear_matcher
from ..syntax.robots import header_forbids
from ..syntax.urls import INDEXES, UrlForms, is_page_name, quoted
from .host import FindKind, HostEffect, HostRules
from .matchers import Matcher
from .moves import Move
from .reader import Manual, Reader
from .rules import error_page

FILE = ".htaccess"
_CLEAN = "MultiViews, or a rule that finds `$1.html`"
FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    _CLEAN: UrlForms(("a/", "a/index.html", "a"), ("b.html", "b", "b/"), by_links=True),
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
_SETTINGS = ("rewriteengine", "rewritebase", "options", "directoryindex", "directoryslash")
_ACCESS = ("require", "allow", "deny", "satisfy", "authmerging")
_CLOSING = re.compile(r"require (?:all denied|valid-user|(?:user|group) .*)|deny from all")
# What REQUEST_FILENAME names: a file, a folder, or nothing.
_ALL_KINDS = frozenset({"f", "d", ""})
_FILE_TESTS = {"-f": frozenset({"f"}), "-d": frozenset({"d"})}
_FILE_NAMES = ("%{REQUEST_FILENAME}", "%{SCRIPT_FILENAME}")
_OWN_PATH = re.compile(r"/?%\{REQUEST_(?:URI|FILENAME)\}")
# The page that a rule finds: `%{REQUEST_FILENAME}.html`, `%{DOCUMENT_ROOT}/$1.html`.
_FOUND_PAGE = re.compile(r".*(?:\}|[$%]\d)(?:/index)?\\?\.html")
_LONG_FLAGS = {
    "REDIRECT": "R", "FORBIDDEN": "F", "GONE": "G", "LAST": "L", "CHAIN": "C", "SKIP": "S",
    "NEXT": "N", "PROXY": "P", "NOCASE": "NC", "ORNEXT": "OR",
}  # fmt: skip


class _Section(NamedTuple):
    """The sections around a line. `number` is the line at which the innermost begins.

    `names` matches the names of the files that they are for, None for all.
    """

    number: int = 0
    names: Matcher | None = None
    is_read: bool = True
    is_absent: bool = False  # in `<IfModule !x>`


class _Line(NamedTuple):
    """A directive: its name in lower case, and the words behind it without their quotes."""

    key: str
    words: Sequence[str]
    section: _Section
    origin: Origin

    @property
    def text(self) -> str:
        """The whole line in lower case."""
        return " ".join([self.key, *self.words]).lower()


class _Request(NamedTuple):
    """A URL path below the base, and the first line of the visitor's request.

    `is_index` if Apache itself asks, for the index page of the visitor's folder.
    """

    path: str
    line: str
    look: FindKind
    is_index: bool = False

    @property
    def kind(self) -> str:
        """What the path names: "f" for a file, "d" for a folder, "" for nothing."""
        name = self.path.strip("/")
        return self.look(name) if name else "d"


class _Condition(NamedTuple):
    """A line RewriteCond: for which `kinds` of paths it may hold.

    `request` matches the first line of the visitor's request. With `needs_page`, the page must be
    there that the rule finds.
    """

    line: Origin
    kinds: frozenset[str] = _ALL_KINDS
    request: Matcher | None = None
    needs_page: bool = False
    is_read: bool = True


class _Rule(NamedTuple):
    """A line Redirect or RewriteRule. `DUPLICATE` is the action of one that shows another page.

    `action` is None if it leaves the page alone, `matches` for a pattern that is not read. `ends`
    if it may keep later rules from a page.
    """

    origin: Origin
    action: Reason | None
    move: Move
    matches: Matcher | None
    is_negated: bool = False
    conditions: Sequence[_Condition] = ()
    is_understood: bool = True
    ends: bool = True
    is_forced: bool = False  # by the flag R, which is not for requests of Apache itself

    @property
    def is_read(self) -> bool:
        """Whether it is certain what it does with a page."""
        return self.is_understood and self.matches is not None

    @property
    def finds_page(self) -> bool:
        """Whether it shows a page without its ending: `^(.*)$ $1.html`, whatever its conditions."""
        is_shown = self.action is Reason.DUPLICATE and self.matches is not None
        return is_shown and _FOUND_PAGE.fullmatch(self.move.target) is not None

    @property
    def unread(self) -> Origin | None:
        """The line that is not read, None if the rule is read or can take no page away."""
        is_harmless = self.action is None and not self.ends and not self.is_forced
        is_for_files = all("f" in condition.kinds for condition in self.conditions)
        if self.is_read or is_harmless or self.finds_page or not is_for_files:
            return None
        lines = [condition.line for condition in self.conditions if not condition.is_read]
        return lines[0] if lines else self.origin

    def is_for(self, subject: str, request: _Request) -> bool:
        """Whether it may apply to a request, of whose path it sees `subject`."""
        if self.matches and bool(self.matches(subject)) is self.is_negated:
            return False
        if request.is_index and self.is_forced:
            return False
        for condition in self.conditions:
            if condition.kinds != _ALL_KINDS and request.kind not in condition.kinds:
                return False
            if condition.request and not condition.request(request.line):
                return False
            is_about_page = condition.needs_page and self.finds_page
            if is_about_page and not self.page_at(request):
                return False
        return True

    def target_at(self, path: str) -> str:
        """Where it leads from a path: `^/(.*)$ /$1.html` at `/a` leads to `/a.html`.

        "" if it is not known what `$1` stands for.
        """
        ending = "/$" if path.endswith("/") else "$"
        source = self.move.source.replace("/?$", ending)
        target = _OWN_PATH.sub(lambda _: path, self.move.target)
        return self.move._replace(source=source, target=target).target_at(path) or ""

    def page_at(self, request: _Request) -> str:
        """The page of the site that it shows, "" if there is none."""
        page = self.target_at(request.path)
        return page if request.look(page.strip("/")) == "f" else ""

    def effect_at(self, path: str) -> HostEffect:
        """What it does with the page at a path, if it redirects or closes it."""
        if self.action is Reason.CLOSED:
            return HostEffect(Reason.CLOSED, self.origin)
        known, mark, query = self.target_at(path).partition("?")
        if not known:
            return HostEffect(Reason.REDIRECT, self.origin, self.move.target, self.move)
        target = quoted([known])[0] + mark + query
        move = Move(self.move.source, target, is_literal=True)
        return HostEffect(Reason.REDIRECT, self.origin, target, move)


class _Tag(NamedTuple):
    """What a line says about the files of its section. None takes back what lines before it say."""

    names: Matcher | None
    effect: HostEffect | None
    unread: Origin | None = None


class _File(NamedTuple):
    """What the `.htaccess` of a folder says, in the order of Apache.

    `settings` are the words behind a directive in all lines, `errors` the pages that no URL lists.
    """

    folder: str
    settings: Mapping[str, Sequence[str]]
    rewrites: Sequence[_Rule] | None  # None for those of the folder above
    redirects: Sequence[_Rule]
    access: Sequence[_Tag]
    robots: Sequence[_Tag]
    errors: Mapping[str, HostEffect | None]

    @property
    def unread(self) -> list[Origin]:
        """The lines that could take a page away and are not read, in their order."""
        lines = [rule.unread for rule in (*(self.rewrites or ()), *self.redirects)]
        lines += [tag.unread for tag in (*self.access, *self.robots)]
        return sorted(filter(None, lines), key=lambda line: line.line or 0)


# --- The lines of a file


def _read_lines(file: str, text: str) -> Iterator[_Line]:
    """The directives of a file, each with the sections around it."""
    sections = [_Section()]
    for number, row in _rows(text):
        is_section = row.startswith("<")
        words = _words(row.rstrip(f">{_SPACES}") if is_section else row)
        if row.startswith("</"):
            if len(sections) > 1:
                sections.pop()
        elif is_section:
            sections.append(_enter(sections[-1], words, number))
        elif words and not row.startswith("#") and not sections[-1].is_absent:
            origin = Origin(file, number, " ".join(row.split()))
            yield _Line(words[0].lower(), words[1:], sections[-1], origin)


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


def _enter(outer: _Section, words: Sequence[str], number: int) -> _Section:
    """The section that begins with some words. All modules are taken to be present."""
    if words[0].lower() == "<ifmodule":
        is_absent = outer.is_absent or "".join(words[1:]).startswith("!")
        return outer._replace(is_absent=is_absent)
    names = _names_of(words)
    if names is None or not outer.is_read:
        return outer._replace(number=number, names=_any_name, is_read=False)
    return outer._replace(number=number, names=names)


def _names_of(words: Sequence[str]) -> Matcher | None:
    """Matches the names of the files of a section. None for a section that is not read."""
    key = words[0].lower()
    pattern = words[-1]
    if key == "<filesmatch" or words[1:2] == ["~"]:
        return _matcher(pattern)
    if key != "<files" or "[" in pattern:
        return None
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return _matcher(f"(?s)^{expression}$")


def _any_name(_: str) -> bool:
    """Matches the name of any file."""
    return True


def _no_name(_: str) -> bool:
    """Matches the name of no file."""
    return False


def _matcher(pattern: str, *, ignores_case: bool = False) -> Matcher | None:
    """A matcher for an expression, None if the linear engine refuses it, as for a look-around."""
    flags = "(?i)" if ignores_case else ""
    try:
        return linear_matcher(flags + _in_bytes(pattern))
    except ValueError:
        return None


def _in_bytes(text: str) -> str:
    r"""A text in which all bytes but ASCII are private characters: in Apache, `\w` is no `é`."""
    data = text.encode("utf-8", "surrogateescape")
    return "".join(chr(byte if byte < 0x80 else 0xE000 + byte) for byte in data)


# --- From lines to rules


class _FileReader:
    """Reads the `.htaccess` of a folder, as for a site at a base URL."""

    def __init__(self, base_url: str, now: int) -> None:
        parts = urlsplit(base_url)
        self.base_path = parts.path.rstrip("/")
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._now = now
        is_secure = parts.scheme == "https"
        self._values = {
            "%{HTTPS}": "on" if is_secure else "off",
            "%{SERVER_PORT}": str(parts.port or (443 if is_secure else 80)),
            "%{REQUEST_SCHEME}": parts.scheme,
            "%{HTTP:X-FORWARDED-PROTO}": parts.scheme,
            "%{HTTP_HOST}": parts.netloc.lower(),
            "%{SERVER_NAME}": parts.hostname or "",
        }

    def read(self, file: str, text: str) -> _File:
        """The rules of a file, whose name is its path in the site."""
        lines = list(_read_lines(file, text))
        settings: dict[str, list[str]] = {}
        for line in lines:
            if line.key in _SETTINGS and line.section.names is None:
                settings.setdefault(line.key, []).extend(line.words)
        folder = "/" + file.removesuffix(FILE)
        bases = [self.base_path + folder, *settings.get("rewritebase", ())]
        has_rewrites = any(line.key.startswith("rewrite") for line in lines)
        return _File(
            folder=folder,
            settings=settings,
            rewrites=list(self._read_rewrites(lines, folder, bases[-1])) if has_rewrites else None,
            redirects=[self._read_redirect(line) for line in lines if line.key in _REDIRECTS],
            access=list(_read_access(lines)),
            robots=list(_read_robots(lines, self._now)),
            errors=dict(self._read_errors(lines)),
        )

    def _below_base(self, path: str) -> str:
        """A URL path below the base: `/docs/a` → `/a` below /docs/. One outside becomes a URL."""
        if path.startswith(f"{self.base_path}/"):
            return path.removeprefix(self.base_path)
        return self._origin + path if path.startswith("/") else path

    def _move(self, source: str, target: str) -> Move:
        """Where a rule leads. A backslash before a sign of the target makes it plain text."""
        is_literal = re.search(r"(?<!\\)\$\d", target) is None
        plain = re.sub(r"\\(.)", r"\1", target)
        return Move(source, self._below_base(plain), is_literal)

    def _source(self, pattern: str, folder: str) -> str:
        """The expression of a rule for whole paths below the base: `^a$` → `^/docs/a$` in /docs/.

        "" for an expression that may begin in the middle of a path.
        """
        is_at_start = pattern.startswith(("^", "(.*", "(.+", ".*"))
        if not is_at_start:
            return ""
        path = re.sub(r"\\([./~ -])", r"\1", pattern.removeprefix("^"))
        return "^" + self._below_base(folder + path)

    def _read_redirect(self, line: _Line) -> _Rule:
        """A line of mod_alias, whose status may stand before the path.

        `Redirect /a /b` is `RedirectMatch ^/a(|/.*)$ /b$1`.
        """
        status = "permanent" if line.key == "redirectpermanent" else "temp"
        words = list(line.words)
        if words and (words[0].lower() in _STATUSES or words[0].isdigit()):
            status = words.pop(0).lower()
        source, target = (*words, "", "")[:2]
        action = _action_of(status)
        is_whole = source != "" and (target != "" or action is Reason.CLOSED)
        if line.key != "redirectmatch":
            rest = "(.*)" if source.endswith("/") else "(|/.*)"
            source = f"^{re.escape(source)}{rest}$"
            target = f"{unquote(target)}$1"
        is_at_top = line.section.names is None
        return _Rule(
            origin=line.origin,
            action=action,
            move=self._move(self._source(source, ""), target),
            matches=_matcher(source),
            is_understood=is_whole and is_at_top and action is not None,
        )

    def _read_rewrites(self, lines: Sequence[_Line], folder: str, base: str) -> Iterator[_Rule]:
        """The rules of mod_rewrite. Their relative targets are below `base`.

        Those in a section replace those at the top for some requests, and RewriteOptions may put
        rules of other folders first. So no rule of the file is certain then.
        """
        conditions: list[_Condition] = []
        rules: list[_Rule] = []
        is_or = False
        for line in lines:
            if line.section.names or (line.key == "rewriteoptions" and "inherit" in line.text):
                if line.key.startswith("rewrite"):
                    yield _unread_rule(line)
            elif line.key == "rewritecond":
                condition = self._read_condition(line)
                conditions.append(_either(conditions.pop(), condition) if is_or else condition)
                is_or = "OR" in _read_flags(line.words)
            elif line.key == "rewriterule":
                rules.append(self._read_rewrite(line, conditions, folder, base))
                conditions = []
                is_or = False
        yield from rules

    def _read_rewrite(
        self, line: _Line, conditions: Sequence[_Condition], folder: str, base: str
    ) -> _Rule:
        """A line RewriteRule."""
        pattern, target = (*line.words, "", "")[:2]
        flags = _read_flags(line.words)
        if "C" in flags or not target:  # with C, the next rule is skipped where this one is not for
            return _unread_rule(line)
        action = _action_of_rewrite(target, flags)
        finds_page = action is Reason.DUPLICATE and _FOUND_PAGE.fullmatch(target) is not None
        are_conditions_read = all(
            condition.is_read and (finds_page or not condition.needs_page)
            for condition in conditions
        )
        is_action_read = action is not None or "R" not in flags
        has_steps = not flags.keys().isdisjoint(("S", "N", "P"))
        is_target_read = is_action_read and _is_target_read(target, action)
        stops = has_steps or "L" in flags or "END" in flags
        return _Rule(
            origin=line.origin,
            action=action,
            move=self._read_move(pattern, target, folder, base),
            matches=_matcher(pattern.removeprefix("!"), ignores_case="NC" in flags),
            is_negated=pattern.startswith("!"),
            conditions=conditions,
            is_understood=are_conditions_read and is_target_read and not has_steps,
            ends=action is not Reason.CLOSED and (target != "-" or stops),
            is_forced="R" in flags,
        )

    def _read_move(self, pattern: str, target: str, folder: str, base: str) -> Move:
        """Where a RewriteRule leads. What `%1` stands for is not known."""
        if _OWN_PATH.match(target):
            return Move("", target)
        is_known = re.search(r"%\d|\$0", target) is None
        source = self._source(pattern, self.base_path + folder) if is_known else ""
        is_absolute = re.match("/|https?://", target, re.IGNORECASE)
        absolute = target if is_absolute else base + target
        return self._move(source, re.sub(r"%(?=\d)", "$", absolute))

    def _read_condition(self, line: _Line) -> _Condition:
        """A line RewriteCond.

        One on HTTPS, the port, the protocol or the host that does not hold at the base URL is for
        no path. One that holds is not read: if the base URL is wrong, it would take all pages away.
        """
        subject, test = (*line.words, "", "")[:2]
        plain = test.removeprefix("!")
        is_negated = plain != test
        name = subject.upper()
        if name in _FILE_NAMES and plain in _FILE_TESTS:
            kinds = _FILE_TESTS[plain]
            return _Condition(line.origin, kinds=_ALL_KINDS - kinds if is_negated else kinds)
        if test == "-f" and _FOUND_PAGE.fullmatch(subject):
            return _Condition(line.origin, needs_page=True)
        # This variable is set in requests of Apache to itself only.
        if name == "%{ENV:REDIRECT_STATUS}" and test == "^$":
            return _Condition(line.origin)
        matches = _matcher(plain, ignores_case="NC" in _read_flags(line.words))
        if name == "%{THE_REQUEST}" and matches and not is_negated:
            return _Condition(line.origin, request=matches)
        value = self._values.get(name)
        if value is not None and _holds(plain, value, matches) is is_negated:
            return _Condition(line.origin, kinds=frozenset())
        return _Condition(line.origin, is_read=False)

    def _read_errors(self, lines: Iterable[_Line]) -> Iterator[tuple[str, HostEffect | None]]:
        """The pages that ErrorDocument names."""
        for line in lines:
            if line.key == "errordocument" and line.section.is_read:
                target = "".join(line.words[1:2])
                yield from error_page(self._below_base(target), line.origin)


def _unread_rule(line: _Line) -> _Rule:
    """A line of mod_rewrite that is not read, and may be for any request."""
    return _Rule(line.origin, action=None, move=Move("", ""), matches=None)


def _either(first: _Condition, second: _Condition) -> _Condition:
    """Two conditions with `[OR]` between them, read if both are about kinds of paths only."""
    kinds = first.kinds | second.kinds
    for condition in (first, second):
        if not condition.is_read or condition.request or condition.needs_page:
            return _Condition(first.line, is_read=False)
    return _Condition(first.line, kinds=kinds)


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
    """What a RewriteRule does with a page, None if nothing, or if its status is not read."""
    if "F" in flags or "G" in flags:
        return Reason.CLOSED
    action: Reason | None = Reason.DUPLICATE
    if "R" in flags:
        action = _action_of(flags["R"].lower() or "temp")
    elif re.match("https?://", target, re.IGNORECASE):
        action = Reason.REDIRECT
    if target == "-" and action is not Reason.CLOSED:
        return None
    return action


def _is_target_read(target: str, action: Reason | None) -> bool:
    """Whether a target has no variables and, if it is shown, may be a page: not `/index.php`."""
    path = target.partition("?")[0]
    if action is Reason.DUPLICATE:
        path = _OWN_PATH.sub("", path)
        if re.search(r"\.\w+$", path, re.ASCII) and not is_page_name(path):
            return False
    return action is Reason.CLOSED or ("%{" not in path and "${" not in path)


def _holds(test: str, value: str, matches: Matcher | None) -> bool | None:
    """Whether the test of a condition holds for a value: an expression, or `=text`.

    None for a test that is not read.
    """
    if test.startswith("="):
        return value == test.removeprefix("=").strip('"').lower()
    if matches is None or test.startswith(("-", "<", ">")):
        return None
    return bool(matches(value))


def _read_access(lines: Iterable[_Line]) -> Iterator[_Tag]:
    """Who may enter. A line that is alone in its section closes its files.

    Other lines let everybody in, and take back what lines for more files say.
    """
    counts = Counter(line.section.number for line in lines if line.key in _ACCESS)
    for line in lines:
        count = counts[line.section.number]
        is_default = line.key == "order" and count == 0
        if line.key not in _ACCESS and not is_default:
            continue
        may_close = line.key in ("require", "deny") and line.text != "require all granted"
        closes = _CLOSING.fullmatch(line.text) and count == 1 and line.section.is_read
        effect = HostEffect(Reason.CLOSED, line.origin) if closes else None
        unread = line.origin if may_close and not closes else None
        yield _Tag(line.section.names, effect, unread)


def _read_robots(lines: Iterable[_Line], now: int) -> Iterator[_Tag]:
    """What the lines Header say about X-Robots-Tag. One that is not read may allow indexing."""
    for line in lines:
        words = [word for word in line.words if word.lower() not in ("always", "onsuccess")]
        action, name, value, *others = (*words, "", "", "")
        if line.key != "header" or name.lower() != "x-robots-tag":
            continue
        is_set = action.lower() == "set"
        is_unset = action.lower() == "unset" and not value
        is_read = line.section.is_read and (is_set or is_unset) and not any(others)
        noindex = HostEffect(Reason.NOINDEX, line.origin) if header_forbids(value, now) else None
        if is_read:
            yield _Tag(line.section.names, noindex)
        else:
            # With noindex, an earlier one stays whether the line applies or not.
            names = _no_name if noindex else line.section.names
            yield _Tag(names, None, line.origin)


# --- What happens at a URL


class _Site(NamedTuple):
    """The rules of a site by folder, and its error pages. `base_path` has no slash at its end."""

    files: Mapping[str, _File]
    errors: Mapping[str, HostEffect | None]
    base_path: str

    def find(self, path: str, look: FindKind) -> Sequence[HostEffect]:
        """The effects on the page at an encoded path below the base, in the order of Apache."""
        asked = unquote(path, errors="surrogateescape")
        request = _Request(asked, f"GET {self.base_path}{path} HTTP/1.1", look)
        effect = self._effect_of_rules(request)
        if effect is None or effect.reason is Reason.DUPLICATE:
            effect = self._add_slash(request) or effect or self._show_file(request)
        if effect is None:
            return []
        if effect.reason is not Reason.DUPLICATE or not effect.target:
            return [effect]
        shown = unquote(effect.target, errors="surrogateescape")
        inner = request._replace(path=shown, is_index=asked.endswith("/"))
        effects = [
            self._effect_of_rules(inner) if shown != asked else None,
            effect,
            *self._effects_of_file(shown),
            self.errors.get(shown) or self.errors.get(asked),
        ]
        return [one for one in effects if one is not None]

    def _files_above(self, path: str) -> list[_File]:
        """The files of the folders on the way to a path, the site's first."""
        found = []
        folder = ""
        for name in path.split("/")[:-1]:
            folder += f"{name}/"
            if folder in self.files:
                found.append(self.files[folder])
        return found

    def _setting(self, path: str, key: str) -> Sequence[str] | None:
        """The words of a directive in the deepest folder that has it, None if none has."""
        found = [file.settings[key] for file in self._files_above(path) if key in file.settings]
        return found[-1] if found else None

    def _effect_of_rules(self, request: _Request) -> HostEffect | None:
        """What mod_rewrite or else mod_alias does with a request. `DUPLICATE` shows a page.

        mod_alias comes before the page that mod_rewrite shows.
        """
        rewritten = self._rewrite(request)
        if rewritten and rewritten.reason is not Reason.DUPLICATE:
            return rewritten
        subject = _in_bytes(self.base_path + request.path)
        for file in reversed(self._files_above(request.path)):
            for rule in file.redirects:
                if rule.is_read and rule.is_for(subject, request):
                    return rule.effect_at(request.path)
        return rewritten

    def _rewrite(self, request: _Request) -> HostEffect | None:
        """What the first RewriteRule does that is for a request and is read.

        The rules of the deepest folder with any count. Behind one that is not read and may keep a
        later one from the page, only those apply that show a page where nothing else is.
        """
        files = [file for file in self._files_above(request.path) if file.rewrites is not None]
        engine = self._setting(request.path, "rewriteengine")
        if not files or not engine or engine[-1].lower() != "on":
            return None
        subject = _in_bytes(request.path.removeprefix(files[-1].folder))
        is_certain = True
        for rule in files[-1].rewrites or ():
            if not rule.is_for(subject, request):
                continue
            is_read = is_certain and rule.is_read
            may_show = is_read or (rule.finds_page and request.kind == "")
            page = rule.page_at(request) if rule.action is Reason.DUPLICATE and may_show else ""
            if page:
                return HostEffect(Reason.DUPLICATE, rule.origin, quoted([page])[0])
            if is_read and rule.action in (Reason.REDIRECT, Reason.CLOSED):
                return rule.effect_at(request.path)
            is_known = is_read and rule.finds_page and rule.target_at(request.path) != ""
            if is_known and request.kind != "f":
                return HostEffect(Reason.DUPLICATE, rule.origin)  # the page is not there
            if is_read and rule.action is None and rule.ends:
                return None
            if rule.ends:
                is_certain = False
        return None

    def _add_slash(self, request: _Request) -> HostEffect | None:
        """The redirect from a folder without a slash at its end, before any page is shown."""
        path = request.path
        setting = self._setting(f"{path}/", "directoryslash")
        is_off = setting is not None and "off" in " ".join(setting).lower()
        if path.endswith("/") or is_off or request.kind != "d":
            return None
        line = Origin(FILE, None, "DirectorySlash")
        return HostEffect(Reason.REDIRECT, line, quoted([f"{path}/"])[0])

    def _show_file(self, request: _Request) -> HostEffect | None:
        """The page that is shown without a rule. None at a URL that is none of a page."""
        path = request.path
        look = request.look
        stem = path.strip("/")
        pages = [path]
        if path.endswith("/"):
            indexes = self._setting(path, "directoryindex")
            pages = [path + name for name in (indexes or INDEXES)]
        elif request.kind == "" and self._has_views(path):
            pages = [f"{path}.html"]
        for page in pages:
            if look(page.strip("/")) == "f":
                line = Origin(FILE, None, f"{path} shows {page}")
                return HostEffect(Reason.DUPLICATE, line, quoted([page])[0])
        own_pages = (f"{stem}.html", f"{stem}/{INDEXES[0]}".strip("/"))
        if all(look(page) != "f" for page in own_pages):
            return None
        return HostEffect(Reason.DUPLICATE, Origin(FILE, None, f"nothing shows a page at {path}"))

    def _has_views(self, path: str) -> bool:
        """Whether MultiViews is on: `a` shows a.html. Options without a sign replace all others."""
        return _has_views(self._setting(path, "options") or ())

    def _effects_of_file(self, path: str) -> list[HostEffect | None]:
        """What the last lines about a file say: who may enter, and whether it may be indexed."""
        files = self._files_above(path)
        name = _in_bytes(path.rpartition("/")[2])
        access = [tag for file in files for tag in file.access]
        robots = [tag for file in files for tag in file.robots]
        return [_last_effect(access, name), _last_effect(robots, name)]


def _last_effect(tags: Sequence[_Tag], name: str) -> HostEffect | None:
    """What lines say last about a file. Those in sections come after all others."""
    effects = [tag.effect for tag in tags if tag.names is None]
    effects += [tag.effect for tag in tags if tag.names is not None and tag.names(name)]
    return effects[-1] if effects else None


def _has_views(options: Iterable[str]) -> bool:
    """Whether Options turn MultiViews on. A name without a sign turns the others off."""
    has_views = False
    for option in options:
        sign = option[:1]
        is_views = option.lower().removeprefix("+") == "multiviews"
        if is_views or sign not in "+-" or option.lower() == "-multiviews":
            has_views = is_views
    return has_views


def _read(texts: Mapping[str, str], base_url: str, now: int) -> HostRules:
    """The rules of a site, in the texts of its files by their paths."""
    own = {name: text for name, text in texts.items() if name.rpartition("/")[2] == FILE}
    if not own:
        return HostRules(None, None, FORMS[""])
    reader = _FileReader(base_url, now)
    files = [reader.read(name, text) for name, text in sorted(own.items())]
    errors: dict[str, HostEffect | None] = {}
    is_clean = False
    for file in files:
        errors |= file.errors
        is_clean |= _has_views(file.settings.get("options", ()))
        is_clean |= any(rule.finds_page for rule in file.rewrites or ())
    site = _Site({file.folder: file for file in files}, errors, reader.base_path)
    return HostRules(
        redirects=site.find,
        headers=None,
        forms=FORMS[_CLEAN if is_clean else ""],
        unread=tuple(line for file in files for line in file.unread),
    )


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`.htaccess` of every folder",
        order="Rules apply in Apache's order, those of deeper folders below the upper ones. These "
        "are redirects, rewrites, `X-Robots-Tag`, `Require`, `Deny`, `ErrorDocument`, "
        "`DirectoryIndex`, `DirectorySlash` and MultiViews. Conditions may be about files (`-f`, "
        "`-d`). A rule for another protocol, port or host than those of `base_url` does nothing. "
        "Headers and access count in `<Files>`, too, and modules as present.",
        skipped="all other conditions and sections, look-around, rules behind a RewriteRule that "
        "is skipped",
    ),
)
