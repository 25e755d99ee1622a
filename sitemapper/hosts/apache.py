"""Apache: the `.htaccess` of a folder applies to everything below it.

Files in deeper folders come later.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import translate
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .headers import Header, header_effects
from .host import HostEffect, HostRules, Look
from .matchers import Matcher, linear_matcher
from .provider import AnswerSign, Manual, Provider
from .rules import Rule, error_page

FILE = ".htaccess"
_STATUS = {"permanent": "301", "temp": "302", "seeother": "303", "gone": "410"}
_CLEAN = "MultiViews, or a RewriteRule to `$1.html`"
FORMS = {
    "": UrlForms(("a/", "a/index.html"), ("b.html",)),
    _CLEAN: UrlForms(("a/", "a/index.html"), ("b.html", "b")),
}
_ACCESS = r"require (?!not |local|ip |host )|(?:deny|allow) from all$|authtype(?: |$)"
_OPEN = r"require all granted|allow from all"
# The flag of a rule that skips the rules after it.
_SKIPPING = re.compile(r"(?:S|SKIP)(?:=|\Z)")
# Sections that apply: a module is loaded, or the section covers all GET requests.
_PLAIN = (
    "ifmodule",
    "ifdefine",
    "limit",
    "limitexcept",
    "requireall",
    "requireany",
    "files",
    "filesmatch",
)
# Variables of a RewriteCond that only depend on the folder and the path.
_KNOWN = {
    "REQUEST_FILENAME", "REQUEST_URI", "THE_REQUEST", "REQUEST_METHOD", "QUERY_STRING",
    "DOCUMENT_ROOT",
    "ENV:REDIRECT_STATUS",
}  # fmt: skip
_VARIABLE = r"%\{([^{}]*)\}"


class Condition(NamedTuple):
    """A RewriteCond, or the pattern of a RewriteRule, which tests the path and has no subject.

    The test is an expression, or checks whether the subject is a file ("f") or a folder ("d").
    """

    subject: str
    test: Matcher | str
    is_not: bool
    is_or: bool = False


class Folder:
    """The effects of one folder's file on the URLs at or below its path.

    `access` is an effect, or None if everyone may enter. It and `headers` are by name of file if
    they only apply to some. `rewrites` count if `engine` is "on", and replace those above if it is
    "off". The first one with all conditions true decides, without an effect if it only ends the
    rules. `indexes` are the files that the folder may show, None if the file does not set them.
    """

    def __init__(self, name: str, text: str, now: int) -> None:
        self.path, self.now = "/" + name.removesuffix(FILE), now
        self.engine, self.is_clean, self.skipped = "", False, 0
        self.indexes: Sequence[str] | None = None
        self.moves: list[tuple[Matcher, HostEffect]] = []
        self.rewrites: list[tuple[Sequence[Condition], HostEffect | None]] = []
        self.access: list[tuple[Matcher | None, HostEffect | None]] = []
        self.headers: list[tuple[Matcher | None, HostEffect | None]] = []
        self.errors: list[Rule] = []
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
                except ValueError:  # an invalid expression
                    self.skipped += 1
            else:
                self.skipped += key in (
                    "redirect",
                    "redirectmatch",
                    "rewriterule",
                    "require",
                    "deny",
                )

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
                [w for w in words if w.lower() not in ("always", "onsuccess")], names, origin
            )
        elif re.match(_ACCESS, line):
            self.access.append(
                (names, None if re.match(_OPEN, line) else HostEffect(Reason.CLOSED, origin))
            )
        elif key == "errordocument" and words[:1] == ["404"]:
            self.errors += error_page("".join(words[1:2]), origin)
        self.is_clean |= key == "options" and "multiviews" in line.replace("-multiviews", "")

    def _redirect(self, key: str, words: list[str], origin: Origin) -> None:
        status = {"redirectpermanent": "301"}.get(key, "302")
        if (
            words
            and not words[0].startswith(("/", "^"))
            and (words[0] in _STATUS or words[0].isdigit())
        ):
            status, words = _STATUS.get(words[0], words[0]), words[1:]
        if words:
            path = (
                words[0] if key == "redirectmatch" else f"^{re.escape(words[0].rstrip('/'))}(/|$)"
            )
            reason = Reason.REDIRECT if status.startswith("3") else Reason.CLOSED
            self.moves.append((linear_matcher(path), HostEffect(reason, origin)))

    def _rewrite(self, words: list[str], origin: Origin) -> None:
        conditions, self._conditions = self._conditions, []
        pattern, target, *more = (*words, "", "")[:3]
        flags = [flag.strip().upper() for flag in "".join(more).strip("[]").split(",")]
        effect = _rewriting(flags, target, self.path, origin)
        is_shown = not effect or effect.reason is Reason.DUPLICATE
        is_variable = "$" in target or target.startswith("%{REQUEST_FILENAME}")
        self.is_clean |= (
            is_shown and is_variable and target[0] in "$%/" and target.endswith(".html")
        )
        known = [condition for condition in conditions if condition]
        is_certain = len(known) == len(conditions) and not self._passed_over
        self._passed_over = max(self._passed_over - 1, 0)
        for skipping in filter(_SKIPPING.match, flags):
            self._passed_over += int(_SKIPPING.sub("", skipping) or 1)
        if not is_certain or {"C", "CHAIN"} & set(flags):
            self.skipped += bool(effect)
        elif effect or (target == "-" and {"L", "LAST", "END"} & set(flags)):
            find = linear_matcher(("(?i)" if "NC" in flags else "") + pattern.removeprefix("!"))
            self.rewrites.append(((Condition("", find, pattern.startswith("!")), *known), effect))

    def _header(self, words: list[str], names: Matcher | None, origin: Origin) -> None:
        action, name, value = (*words, "", "", "")[:3]
        if len(words) > 3:  # `env=…` or `expr=…`
            self.skipped += name.lower() == "x-robots-tag"
            return
        header = Header(name.lower(), None if action.lower() == "unset" else value, origin)
        replaces = action.lower() in ("set", "unset")
        self.headers += ((names, e) for e in header_effects([header], self.now, replaces=replaces))


def _moves(folders: Sequence[Folder], path: str, look: Look) -> Sequence[HostEffect | None]:
    """The first redirect or refusal by folders for a URL path, or none."""
    above = [folder for folder in folders if path.startswith(folder.path)]
    name, plain = _name(path), unquote(path)
    # For a folder and for a name without an ending, the server makes an internal request for the
    # file. Redirect applies to it too, and RewriteRule only for the name.
    file = f"{plain}index.html" if plain.endswith("/") else f"{plain}.html"
    forms = [plain, file] if plain.endswith("/") or "." not in plain.rpartition("/")[2] else [plain]
    access = [
        effect for folder in above for find, effect in folder.access if not find or find(name)
    ]
    found: list[HostEffect | None] = access[-1:]
    found += [effect for folder in above for find, effect in folder.moves if any(map(find, forms))]
    for folder in [folder for folder in above if folder.engine in ("on", "off")][-1:]:
        rules = folder.rewrites if folder.engine == "on" else []
        for form in [plain] if plain.endswith("/") else forms:
            values = {"": form[len(folder.path) :], "REQUEST_URI": form, "REQUEST_FILENAME": form}
            values |= {"THE_REQUEST": f"GET {plain} HTTP/1.1", "REQUEST_METHOD": "GET"}
            found.append(
                next((effect for tests, effect in rules if _all_hold(tests, values, look)), None)
            )
    found.append(_folder_effect(above, plain, look))
    return [*filter(None, found)][:1]


def _tags(folders: Sequence[Folder], path: str, _: Look) -> Sequence[HostEffect | None]:
    """The headers that folders add.

    Deeper folders come later, and headers for some files come last.
    """
    name = _name(path)
    tags = [pair for folder in folders if path.startswith(folder.path) for pair in folder.headers]
    found = [effect for find, effect in tags if find is None]
    found += [effect for find, effect in tags if find and find(name)]
    errors = dict(pair for folder in folders for pair in folder.errors)
    return [*found, *filter(None, [errors.get(unquote(path))])]


def _name(path: str) -> str:
    name = unquote(path).rpartition("/")[2]
    return name if "." in name else f"{name or 'index'}.html"


def _folder_effect(above: Sequence[Folder], path: str, look: Look) -> HostEffect | None:
    """What the server does at the path of a folder whose `index.html` it does not show."""
    if not path.endswith("/"):
        line = Origin(FILE, None, "DirectorySlash")
        return (
            HostEffect(Reason.REDIRECT, line, path + "/") if look(path.strip("/")) == "d" else None
        )
    folder = next((folder for folder in above[::-1] if folder.indexes is not None), None)
    indexes = folder.indexes or () if folder else ()
    names = (name if name[0] == "/" else path + name for name in indexes)
    shown = next((name for name in names if look(name.lstrip("/")) == "f"), "")
    if folder is None or shown == f"{path}index.html":
        return None
    line = Origin(
        folder.path[1:] + FILE, None, " ".join(("DirectoryIndex", *(indexes or ("disabled",))))
    )
    return HostEffect(Reason.DUPLICATE, line, shown)


def _all_hold(conditions: Iterable[Condition], values: Mapping[str, str], look: Look) -> bool:
    """Whether all conditions are true. Conditions joined by OR count as one."""
    held = False
    for subject, test, is_not, is_or in conditions:
        text = (
            re.sub(_VARIABLE, lambda name: values.get(name[1], ""), subject)
            if subject
            else values[""]
        )
        is_match = look(text.strip("/")) == test if isinstance(test, str) else bool(test(text))
        held = held or is_match != is_not
        if not is_or:
            if not held:
                return False
            held = False
    return True


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    own = (pair for pair in texts.items() if pair[0].rpartition("/")[2] == FILE)
    folders = [Folder(name, text, now) for name, text in sorted(own)]
    forms = FORMS[_CLEAN if any(folder.is_clean for folder in folders) else ""]
    moves, tags = (partial(find, folders) if folders else None for find in (_moves, _tags))
    return HostRules(moves, tags, forms, sum(folder.skipped for folder in folders))


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each line that is not a comment. A backslash joins a line with the next."""
    for number, row in enumerate(re.sub(r"\\\r?\n", " ", text).splitlines(), 1):
        lexer = shlex.shlex(row.strip(), posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
        try:
            words = list(lexer)
        except ValueError:  # an unclosed quote
            words = row.split()
        if words and not words[0].startswith("#"):
            yield number, words


def _rewriting(flags: Sequence[str], target: str, folder: str, origin: Origin) -> HostEffect | None:
    """The effect of a RewriteRule on a page.

    None if it shows the page, or if that depends on the path.
    """
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
    """The name of a section, and the names of files that it covers, None for all.

    The name is "" if it does not cover pages: for other methods, or a module that is not loaded.
    """
    text = " ".join(words).removesuffix(">").strip("\"' ")
    is_for_get = {"limit": "GET" in text.upper(), "limitexcept": "GET" not in text.upper()}
    if not is_for_get.get(name, True) or (name == "ifmodule" and text.startswith("!")):
        return "", None
    if name == "filesmatch" or (name == "files" and text.startswith("~")):
        with suppress(ValueError):
            return name, linear_matcher(text.removeprefix("~").strip("\"' "))
        return "unread", None
    return name, re.compile(translate(text)).match if name == "files" else None


def _condition(words: Sequence[str]) -> Condition | None:
    """A RewriteCond, None if it does not only depend on the folder and the path."""
    subject, pattern, *flags = (*words, "", "")[:3]
    is_not, pattern = pattern.startswith("!"), pattern.removeprefix("!")
    names, flag = set(re.findall(_VARIABLE, subject)), "".join(flags).upper()
    is_test = pattern in ("-f", "-d")
    is_known = names and names <= _KNOWN and not re.search(r"[$%]\d", subject)
    if not is_known or (pattern.startswith(("-", "<", ">", "=")) and not is_test):
        return None
    test = pattern[1:] if is_test else linear_matcher(("(?i)" if "NC" in flag else "") + pattern)
    return Condition(subject, test, is_not, "OR" in flag)


HOST = Provider(
    name="apache",
    markers=(),
    files=(FILE,),
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`.htaccess` of every folder",
        order="A redirect wins over a file, and a deeper folder over one above it.",
        skipped="conditions that depend on more than path and folder, `<If>`",
    ),
    answer=AnswerSign("server", "Apache"),
)
