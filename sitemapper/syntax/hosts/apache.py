"""Apache: the `.htaccess` of each folder applies to all below it, that of a deeper one later."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from typing import NamedTuple
from urllib.parse import unquote

from ...model import Origin, Reason
from ..urls import UrlForms
from . import files
from .files import Header, HostEffect, HostRules, Look, Matcher, Provider

FILE = ".htaccess"
_STATUS = {"permanent": "301", "temp": "302", "seeother": "303", "gone": "410"}
_CLEAN = "MultiViews, or a RewriteRule to `$1.html`"
_FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    _CLEAN: UrlForms(("a/", "a/index.html"), ("b.html", "b")),
}
_ACCESS = r"require (?!not |local|ip |host )|(?:deny|allow) from all$|authtype "
_OPEN = r"require all granted|allow from all"
# The flag of a rule that passes over those behind it.
_SKIPPING = re.compile(r"(?:S|SKIP)(?:=|\Z)")
# Sections whose contents apply: a module is there, or the section is about all requests that read.
_PLAIN = ("ifmodule", "ifdefine", "limit", "limitexcept", "requireall", "requireany", "files", "filesmatch")


class Condition(NamedTuple):
    """A RewriteCond: what is tested, and how; `find` is None for tests of files."""

    subject: str
    kind: str
    find: Matcher | None
    is_not: bool
    is_or: bool


class Rewrite(NamedTuple):
    """A RewriteRule; without an effect, it ends the rules where it matches."""

    find: Matcher
    is_not: bool
    conditions: tuple[Condition, ...]
    effect: HostEffect | None


class Folder(NamedTuple):
    """What one file says of the URLs at or below a path.

    `access` has an effect, or None where all may enter; it and `headers` are by name of file, if only for
    some. `rewrites` and `indexes`, the files that a folder may show, are None if it says nothing of them.
    """

    path: str
    indexes: tuple[str, ...] | None
    moves: tuple[tuple[Matcher, HostEffect], ...]
    rewrites: tuple[Rewrite, ...] | None
    access: tuple[tuple[Matcher | None, HostEffect | None], ...]
    headers: tuple[tuple[Matcher | None, HostEffect | None], ...]


class Moves(NamedTuple):
    """What folders close and redirect."""

    effects: tuple[Folder, ...]

    def matching(self, path: str, look: Look) -> Sequence[HostEffect | None]:
        """The first effect on a URL path, or none."""
        above = [folder for folder in self.effects if path.startswith(folder.path)]
        name, plain = _name(path), unquote(path)
        # For a folder and for a name without an ending, the server makes a second request for the file, to
        # which Redirect applies, too, but RewriteRule only for the name.
        file = f"{plain}index.html" if plain.endswith("/") else f"{plain}.html"
        forms = [plain, file] if plain.endswith("/") or "." not in plain.rpartition("/")[2] else [plain]
        access = [effect for folder in above for find, effect in folder.access if not find or find(name)]
        found: list[HostEffect | None] = access[-1:]
        found += [effect for folder in above for find, effect in folder.moves if any(map(find, forms))]
        rewriting = [folder for folder in above if folder.rewrites is not None][-1:]
        for folder in rewriting:
            asked = [plain] if plain.endswith("/") else forms
            found += (_rewritten(folder, form, plain, look) for form in asked)
        found.append(_folder_effect(above, plain, look))
        return [*filter(None, found)][:1]


class Tags(NamedTuple):
    """The headers that folders add: those of the deepest last, and behind them those for some files."""

    effects: tuple[Folder, ...]
    errors: Mapping[str, HostEffect]

    def matching(self, path: str, _: Look) -> Sequence[HostEffect | None]:
        """The effects on a URL path, in order."""
        name = _name(path)
        tags = [pair for folder in self.effects if path.startswith(folder.path) for pair in folder.headers]
        found = [effect for find, effect in tags if find is None]
        found += [effect for find, effect in tags if find and find(name)]
        return [*found, *filter(None, [self.errors.get(unquote(path))])]


def _name(path: str) -> str:
    name = unquote(path).rpartition("/")[2]
    return name if "." in name else f"{name or 'index'}.html"


def _folder_effect(above: Sequence[Folder], path: str, look: Look) -> HostEffect | None:
    """What the server does at the path of a folder that does not show its `index.html`."""
    if not path.endswith("/"):
        line = Origin(FILE, None, "DirectorySlash")
        return HostEffect(Reason.REDIRECT, line, path + "/") if look(path.strip("/")) == "d" else None
    folder = next((folder for folder in above[::-1] if folder.indexes is not None), None)
    indexes = folder.indexes or () if folder else ()
    names = (name if name[0] == "/" else path + name for name in indexes)
    shown = next((name for name in names if look(name.lstrip("/")) == "f"), "")
    if folder is None or shown == f"{path}index.html":
        return None
    line = Origin(folder.path[1:] + FILE, None, " ".join(("DirectoryIndex", *(indexes or ("disabled",)))))
    return HostEffect(Reason.DUPLICATE, line, shown)


def _rewritten(folder: Folder, path: str, asked: str, look: Look) -> HostEffect | None:
    """What the first rule that matches does to a path."""
    for rule in folder.rewrites or ():
        inside = path[len(folder.path) :]
        if bool(rule.find(inside)) != rule.is_not and _all_hold(rule.conditions, path, asked, look):
            return rule.effect
    return None


def _all_hold(conditions: Iterable[Condition], path: str, asked: str, look: Look) -> bool:
    """Whether conditions hold; those that are joined by OR count as one."""
    held = False
    for subject, kind, find, is_not, is_or in conditions:
        values = {"THE_REQUEST": f"GET {asked} HTTP/1.1", "REQUEST_METHOD": "GET"}
        values |= dict.fromkeys(("REQUEST_URI", "REQUEST_FILENAME"), path)
        pieces = re.split(r"%\{([^{}]*)\}", subject)
        text = "".join(values.get(piece, "") if n % 2 else piece for n, piece in enumerate(pieces))
        held = held or (bool(find(text)) if find else look(text.strip("/")) == kind) != is_not
        if not is_or:
            if not held:
                return False
            held = False
    return True


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    own = (pair for pair in texts.items() if pair[0].rpartition("/")[2] == FILE)
    parsed = [_File(name, text, now) for name, text in sorted(own)]
    folders = tuple(file.folder() for file in parsed)
    errors = {path: effect for file in parsed for path, effect in file.errors}
    forms = _FORMS[_CLEAN if any(file.is_clean for file in parsed) else ""]
    return HostRules(Moves(folders), Tags(folders, errors), forms, sum(file.skipped for file in parsed))


class _File:
    """The lines of one file, read one by one."""

    def __init__(self, name: str, text: str, now: int) -> None:
        self.path, self.name, self.now = "/" + name.removesuffix(FILE), name, now
        self.moves: list[tuple[Matcher, HostEffect]] = []
        self.engine = ""
        self.indexes: tuple[str, ...] | None = None
        self.rewrites: list[Rewrite] = []
        self.access: list[tuple[Matcher | None, HostEffect | None]] = []
        self.headers: list[tuple[Matcher | None, HostEffect | None]] = []
        self.errors: list[tuple[str, HostEffect]] = []
        self.is_clean, self.skipped = False, 0
        self._conditions: list[Condition | None] = []
        self._passed_over = 0  # rewrite rules that a rule may skip
        sections: list[tuple[str, Matcher | None]] = []
        for number, words in _lines(text):
            key = words[0].lower()
            if key.startswith("</"):
                sections = sections[:-1]
            elif key.startswith("<"):
                sections.append(_section(key.strip("<>"), words[1:]))
            elif any(not section for section, _ in sections):
                continue
            elif all(section in _PLAIN for section, _ in sections):
                names = next((find for _, find in reversed(sections) if find), None)
                try:
                    self._directive(key, words[1:], names, Origin(name, number, " ".join(words)))
                except ValueError:  # an expression that is none
                    self.skipped += 1
            else:
                self.skipped += key in ("redirect", "redirectmatch", "rewriterule", "require", "deny")

    def folder(self) -> Folder:
        """What was read."""
        rewrites = {"on": tuple(self.rewrites), "off": ()}.get(self.engine)
        tables = tuple(self.moves), rewrites, tuple(self.access), tuple(self.headers)
        return Folder(self.path, self.indexes, *tables)

    def _directive(self, key: str, words: list[str], names: Matcher | None, origin: Origin) -> None:
        line = " ".join([key, *words]).lower()
        if key.startswith("redirect"):
            self._redirect(key, words, origin)
        elif key == "rewriteengine":
            self.engine = line.rpartition(" ")[2]
        elif key == "rewritecond":
            self._conditions.append(_condition(words))
        elif key == "rewriterule":
            self._rewrite(words, origin)
        elif key == "rewriteoptions":
            self.skipped += "inherit" in line
        elif key == "directoryindex":
            self.indexes = (*(self.indexes or ()), *words) if words[:1] != ["disabled"] else ()
        elif key == "header":
            self._header(
                [word for word in words if word.lower() not in ("always", "onsuccess")], names, origin
            )
        elif re.match(_ACCESS, f"{line} "[: len(line) + (key == "authtype")]):
            self.access.append((names, None if re.match(_OPEN, line) else HostEffect(Reason.CLOSED, origin)))
        elif key == "errordocument" and words[:1] == ["404"]:
            self.errors += files.error_page("".join(words[1:2]), origin)
        self.is_clean |= key == "options" and "multiviews" in line.replace("-multiviews", "")

    def _redirect(self, key: str, words: list[str], origin: Origin) -> None:
        status = {"redirectpermanent": "301"}.get(key, "302")
        if words and not words[0].startswith(("/", "^")) and (words[0] in _STATUS or words[0].isdigit()):
            status, words = _STATUS.get(words[0], words[0]), words[1:]
        if words:
            path = words[0] if key == "redirectmatch" else f"^{re.escape(words[0].rstrip('/'))}(/|$)"
            reason = Reason.REDIRECT if status.startswith("3") else Reason.CLOSED
            self.moves.append((files.linear_matcher(path), HostEffect(reason, origin)))

    def _rewrite(self, words: list[str], origin: Origin) -> None:
        conditions, self._conditions = self._conditions, []
        pattern, target, *more = (*words, "", "")[:3]
        flags = [flag.strip().upper() for flag in "".join(more).strip("[]").split(",")]
        effect = _rewriting(flags, target, self.path, origin)
        is_shown = not effect or effect.reason is Reason.DUPLICATE
        is_variable = "$" in target or target.startswith("%{REQUEST_FILENAME}")
        self.is_clean |= is_shown and is_variable and target[0] in "$%/" and target.endswith(".html")
        known = [condition for condition in conditions if condition]
        is_certain = len(known) == len(conditions) and not self._passed_over
        self._passed_over = max(self._passed_over - 1, 0)
        for flag in flags:
            self._passed_over += int(_SKIPPING.sub("", flag) or 1) if _SKIPPING.match(flag) else 0
        if not is_certain or {"C", "CHAIN"} & set(flags):
            self.skipped += bool(effect)
        elif effect or (target == "-" and {"L", "LAST", "END"} & set(flags)):
            find = files.linear_matcher(("(?i)" if "NC" in flags else "") + pattern.removeprefix("!"))
            self.rewrites.append(Rewrite(find, pattern.startswith("!"), tuple(known), effect))

    def _header(self, words: list[str], names: Matcher | None, origin: Origin) -> None:
        action, name, value = (*words, "", "", "")[:3]
        if len(words) > 3:  # `env=…` or `expr=…`
            self.skipped += name.lower() == "x-robots-tag"
            return
        header = Header(name.lower(), None if action.lower() == "unset" else value, origin)
        replaces = action.lower() in ("set", "unset")
        self.headers += ((names, e) for e in files.header_effects([header], self.now, replaces=replaces))


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each line that is no comment; a backslash joins a line with the next."""
    for number, row in enumerate(re.sub(r"\\\r?\n", " ", text).splitlines(), 1):
        lexer = shlex.shlex(row.strip(), posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
        try:
            words = list(lexer) if row.strip() else []
        except ValueError:  # a quote that does not end
            words = row.split()
        if words and not words[0].startswith("#"):
            yield number, words


def _rewriting(flags: Sequence[str], target: str, folder: str, origin: Origin) -> HostEffect | None:
    """What a RewriteRule does to a page; None if it shows it, or if what it shows depends on the path."""
    status = next((flag for flag in flags if re.fullmatch(r"(R|REDIRECT)(=.*)?", flag)), "")
    if {"F", "FORBIDDEN", "G", "GONE"} & set(flags) or re.search(r"=[^3]\d\d$", status):
        return HostEffect(Reason.CLOSED, origin)
    if status or ("://" in target and not {"P", "PROXY"} & set(flags)):
        return HostEffect(Reason.REDIRECT, origin)
    if target == "-" or re.search(r"[$%]", target):
        return None
    shown = target.partition("?")[0].removesuffix("index.html")
    return HostEffect(Reason.DUPLICATE, origin, shown if shown[:1] == "/" else folder + shown)


def _section(name: str, words: Sequence[str]) -> tuple[str, Matcher | None]:
    """The name of a section, and what finds the names of files that it is for, None for all.

    The name is "" if it is not for pages: other methods, a module that is not there.
    """
    text = " ".join(words).removesuffix(">").strip("\"' ")
    is_for_get = {"limit": "GET" in text.upper(), "limitexcept": "GET" not in text.upper()}
    if not is_for_get.get(name, True) or (name == "ifmodule" and text.startswith("!")):
        return "", None
    if name == "filesmatch" or (name == "files" and text.startswith("~")):
        return name, files.linear_matcher(text.removeprefix("~").strip("\"' "))
    return name, re.compile(translate(text)).match if name == "files" else None


def _condition(words: Sequence[str]) -> Condition | None:
    """A RewriteCond; None for one that the folder and the path do not decide."""
    subject, pattern, *flags = (*words, "", "")[:3]
    known = (
        "REQUEST_FILENAME",
        "REQUEST_URI",
        "THE_REQUEST",
        "REQUEST_METHOD",
        "QUERY_STRING",
        "DOCUMENT_ROOT",
        "ENV:REDIRECT_STATUS",
    )
    names = re.findall(r"%\{([^{}]*)\}", subject)
    is_not, pattern = pattern.startswith("!"), pattern.removeprefix("!")
    if not names or not set(names) <= set(known) or re.search(r"[$%]\d", subject):
        return None
    is_or = "OR" in "".join(flags).upper()
    if pattern in ("-f", "-d"):
        return Condition(subject, pattern[1:], None, is_not, is_or)
    if pattern.startswith(("-", "<", ">", "=")):
        return None
    case = "(?i)" if "NC" in "".join(flags).upper() else ""
    return Condition(subject, "", files.linear_matcher(case + pattern), is_not, is_or)


HOST = Provider(
    "apache",
    (),
    (FILE,),
    _read,
    site_markers=(FILE,),
    forms=_FORMS,
    order="Redirects win over files; a deeper folder wins over one above it.",
    skips="conditions that the path and the folder do not decide, `<If>`",
    answers=("server", "Apache"),
)
