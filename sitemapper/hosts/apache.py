"""Apache: the `.htaccess` of a folder applies to everything below it.

Files in deeper folders come later.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .headers import Header, header_effects
from .host import HostEffect, HostRules, Look, Unknown
from .matchers import Matcher, linear_matcher
from .moves import Move
from .reader import Manual, Reader
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
# A word ends at a space or, if it begins with a quote, at the next (Apache: `ap_getword_conf`).
_WORD = re.compile(
    r"""
      " (?P<double> (?: [^"\\]++ | \\(?:.|\Z) )*+ ) "?
    | ' (?P<single> (?: [^'\\]++ | \\(?:.|\Z) )*+ ) '?
    | (?P<plain> \S++ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED_QUOTE = re.compile(r"""\\([\\"'])""")
_WILDCARD = re.compile(
    r"""
      \[ (?P<negation> [!^]? ) (?P<members> \]? [^\]]*+ ) \]
    | (?P<text> \[.*+ | [^\[] )  # a bracket without an end takes all, so the time stays linear
    """,
    re.VERBOSE | re.DOTALL,
)


class Condition(NamedTuple):
    """A RewriteCond, or the pattern of a RewriteRule, which tests the path and has no subject.

    The test is an expression, or checks whether the subject is a file ("f") or a folder ("d").
    """

    subject: str
    test: Matcher | str
    is_not: bool
    is_or: bool = False


class _Section(NamedTuple):
    """What a section, with those around it, says about the directives in it.

    `applies` is false if they never hold for pages. `is_read` is false if a request decides this.
    `names` finds the files for which they hold, None for all.
    """

    applies: bool = True
    is_read: bool = True
    names: Matcher | None = None


class Folder:
    """The effects of one folder's file on the URLs at or below its path.

    `access` is an effect, or None if everyone may enter. It and `headers` are by name of file if
    they only apply to some. `rewrites` count if `engine` is "on", and replace those above if it is
    "off". The first one with all conditions true decides, without an effect if it only ends the
    rules. `indexes` are the files that the folder may show, None if the file does not set them.
    """

    def __init__(self, name: str, text: str, now: int) -> None:
        self.path, self.now = "/" + name.removesuffix(FILE), now
        self.engine, self.is_clean = "", False
        self.skipped: list[Origin] = []
        self.indexes: list[str] | None = None
        self.moves: list[tuple[Matcher, HostEffect]] = []
        self.rewrites: list[tuple[Sequence[Condition], HostEffect | None]] = []
        self.access: list[tuple[Matcher | None, HostEffect | None]] = []
        self.headers: list[tuple[Matcher | None, HostEffect | None]] = []
        self.errors: list[Rule] = []
        self._conditions: list[Condition | None] = []
        self._passed_over = 0  # rewrite rules that a rule may skip
        sections = [_Section()]
        for number, words in _lines(text):
            key = words[0].lower()
            origin = Origin(name, number, " ".join(words))
            section = sections[-1]
            if key.startswith("</"):
                if len(sections) > 1:
                    sections.pop()
            elif key.startswith("<"):
                sections.append(_section(key.strip("<>"), words[1:], section))
            elif not section.applies:
                continue
            elif section.is_read:
                try:
                    self._directive(key, words[1:], section.names, origin)
                except ValueError:  # an invalid expression
                    self.skipped.append(origin)
            elif key in ("redirect", "redirectmatch", "rewriterule", "require", "deny"):
                self.skipped.append(origin)

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
            if "inherit" in line:
                self.skipped.append(origin)
        elif key == "directoryindex":
            if self.indexes is None or words[:1] == ["disabled"]:
                self.indexes = []
            if words[:1] != ["disabled"]:
                self.indexes += words
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
            target = words[1] if len(words) > 1 else ""
            move = Move(path, target)
            if key != "redirectmatch":  # the rest of the path follows the target
                move = Move(f"{words[0].rstrip('/')}/*", f"{target.rstrip('/')}/:rest")
            self.moves.append((linear_matcher(path), HostEffect(reason, origin, move=move)))

    def _rewrite(self, words: list[str], origin: Origin) -> None:
        conditions, self._conditions = self._conditions, []
        pattern, target, *more = (*words, "", "")[:3]
        flags = [flag.strip().upper() for flag in "".join(more).strip("[]").split(",")]
        effect = _rewriting(flags, target, self.path, origin)
        if effect and effect.reason is Reason.REDIRECT and "%{" not in target:
            is_complete = target.startswith("/") or "://" in target
            move = Move(pattern, target if is_complete else self.path + target)
            effect = effect._replace(move=move)
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
            if effect:
                self.skipped.append(origin)
        elif effect or (target == "-" and {"L", "LAST", "END"} & set(flags)):
            find = linear_matcher(("(?i)" if "NC" in flags else "") + pattern.removeprefix("!"))
            self.rewrites.append(((Condition("", find, pattern.startswith("!")), *known), effect))

    def _header(self, words: list[str], names: Matcher | None, origin: Origin) -> None:
        action, name, value = (*words, "", "", "")[:3]
        if len(words) > 3:  # `env=…` or `expr=…`
            if name.lower() == "x-robots-tag":
                self.skipped.append(origin)
            return
        header = Header(name.lower(), None if action.lower() == "unset" else value, origin)
        replaces = action.lower() in ("set", "unset")
        self.headers += ((names, e) for e in header_effects([header], self.now, replaces=replaces))


class _Folders(NamedTuple):
    """The folders with a file by their paths, and the error pages that any of them names."""

    by_path: dict[str, Folder]
    errors: dict[str, HostEffect | None]


def _folders_above(folders: _Folders, path: str) -> list[Folder]:
    """The folders with a file that a URL path is in, the deepest last."""
    ends = [at + 1 for at, character in enumerate(path) if character == "/"]
    paths = [path[:end] for end in ends]
    return [folders.by_path[above] for above in paths if above in folders.by_path]


def _moves(folders: _Folders, path: str, look: Look) -> Sequence[HostEffect | None]:
    """The first redirect or refusal by folders for a URL path, or none."""
    above = _folders_above(folders, path)
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


def _tags(folders: _Folders, path: str, _: Look) -> Sequence[HostEffect | None]:
    """The headers that folders add.

    Deeper folders come later, and headers for some files come last.
    """
    name = _name(path)
    tags = [pair for folder in _folders_above(folders, path) for pair in folder.headers]
    found = [effect for find, effect in tags if find is None]
    found += [effect for find, effect in tags if find and find(name)]
    return [*found, *filter(None, [folders.errors.get(unquote(path))])]


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
    by_path = {folder.path: folder for folder in folders}
    errors = dict(chain.from_iterable(folder.errors for folder in folders))
    all_folders = _Folders(by_path, errors)
    moves, tags = (partial(find, all_folders) if folders else None for find in (_moves, _tags))
    origins = chain.from_iterable(folder.skipped for folder in folders)
    skipped = tuple(Unknown(origin, "depends on the request") for origin in origins)
    return HostRules(moves, tags, forms, skipped)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each line that is not a comment. A backslash joins a line with the next."""
    for number, row in enumerate(re.sub(r"\\\r?\n", " ", text).splitlines(), 1):
        words = [_word(found) for found in _WORD.finditer(row)]
        if words and not words[0].startswith("#"):
            yield number, words


def _word(found: re.Match[str]) -> str:
    """A word of a line, without its quotes. In them, a backslash escapes a quote."""
    quoted = found["double"] if found["double"] is not None else found["single"]
    if quoted is None:
        return found[0]
    return _ESCAPED_QUOTE.sub(r"\1", quoted)


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


def _section(name: str, words: Sequence[str], around: _Section) -> _Section:
    """A section in another one.

    It does not apply for other methods than GET, or without a module that is always loaded.
    """
    text = " ".join(words).removesuffix(">").strip("\"' ")
    is_for_get = {"limit": "GET" in text.upper(), "limitexcept": "GET" not in text.upper()}
    if not is_for_get.get(name, True) or (name == "ifmodule" and text.startswith("!")):
        return around._replace(applies=False)
    if name not in _PLAIN:
        return around._replace(is_read=False)
    if name not in ("files", "filesmatch"):
        return around
    if name == "filesmatch" or text.startswith("~"):
        expression = text.removeprefix("~").strip("\"' ")
    else:
        expression = _wildcard_expression(text)
    with suppress(ValueError):
        return around._replace(names=linear_matcher(expression))
    return around._replace(is_read=False)


def _wildcard_expression(text: str) -> str:
    """The expression for the names that a text with `*`, `?` and `[a-z]` matches."""
    return rf"(?s)\A{_WILDCARD.sub(_part_of_expression, text)}\z"


def _part_of_expression(part: re.Match[str]) -> str:
    members = part["members"]
    if members is not None:
        negation = "^" if part["negation"] else ""
        escaped = re.sub(r"([\[\]\\&~^])", r"\\\1", members)
        return f"[{negation}{escaped}]"
    wildcards = {"*": ".*", "?": "."}
    return wildcards.get(part["text"], re.escape(part["text"]))


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


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`.htaccess` of every folder",
        order="A redirect wins over a file, and a deeper folder over one above it.",
        skipped="conditions that depend on more than path and folder, `<If>`",
    ),
)
