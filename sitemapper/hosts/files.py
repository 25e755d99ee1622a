"""Parts that all hosts share: rules, their effects on a path, and the URL forms of files."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..model import Origin, Reason
from ..syntax.robots import header_forbids
from ..syntax.urls import UrlForms, encode_path

REDIRECTS, HEADERS = "_redirects", "_headers"
SITE = ""  # the key of the site's folder, which is relative to the project file
WILDCARD = r"(\*|:[A-Za-z]\w*)"
_CANONICAL = re.compile(r"""<([^<>]*+)>[^,<>]*?;\s*rel\s*=\s*["']?canonical\b""", re.IGNORECASE)


class HostEffect(NamedTuple):
    """The effect of a rule on an existing page: the reason to leave it out, and the line.

    `target` is the URL of a canonical, or the path to which a rule leads. At that path, the rule
    does nothing.
    """

    reason: Reason
    origin: Origin
    target: str = ""


Matcher = Callable[[str], object]  # returns a true value for a path that matches
Look = Callable[
    [str], str
]  # the type of a path of the site: "f" for a file, "d" for a folder, or ""
Find = Callable[
    [str, Look], Sequence[HostEffect | None]
]  # the effects of all rules that match a URL path
Rule = tuple[str, HostEffect | None]  # a pattern and its effect; None if there is none
Spellings = Callable[[str], Sequence[str]]
ReadPattern = Callable[
    [str], tuple[str, Matcher | None]
]  # the prefix of paths that match, and their matcher


class Header(NamedTuple):
    """A header that a rule sets, with its origin. The value None removes it."""

    name: str
    value: str | None
    origin: Origin


class PathTable:
    """Effects by path, in the order of the file. None for a rule without its own effect.

    Plain paths are looked up. A pattern is tried only if a path begins like it. Any of a path's
    `spellings` may match. Rules for which `read` raises ValueError are skipped.
    """

    def __init__(
        self, rules: Iterable[Rule], read: ReadPattern, spellings: Spellings | None
    ) -> None:
        self.effects: list[HostEffect | None] = []
        self._plain: dict[str, list[int]] = {}
        self._patterns: list[tuple[int, Matcher]] = []
        self._spellings = spellings
        prefixes: set[str] = set()
        for source, effect in rules:
            with suppress(ValueError):
                beginning, matcher = read(source)
                if matcher:
                    self._patterns.append((len(self.effects), matcher))
                    prefixes.add(beginning)
                else:
                    self._plain.setdefault(beginning, []).append(len(self.effects))
                self.effects.append(effect)
        self._prefixes = tuple(sorted(prefixes))

    def matching(self, path: str, _: Look) -> Sequence[HostEffect | None]:
        """The effects of all rules that match."""
        numbers: list[int] = []
        for text in self._spellings(path) if self._spellings else (path,):
            numbers += self._plain.get(text, ())
            if text.startswith(self._prefixes):
                numbers += [n for n, matches in self._patterns if matches(text)]
        return [self.effects[n] for n in sorted(set(numbers))] if numbers else ()


class HostRules(NamedTuple):
    """The rules of one host. The first matching redirect decides; None serves the page.

    Then all matching headers apply, and None cancels those before it. `forms` are the forms of
    URLs, None if they are not known. `skipped` counts rules with unknowable conditions.
    """

    redirects: Find | None
    headers: Find | None
    forms: UrlForms | None = None
    skipped: int = 0

    def effect(self, path: str, look: Look = lambda _: "") -> HostEffect | None:
        """The effect on the page at a URL path, None if the host serves it and it may be indexed."""
        moves = self.redirects(path, look) if self.redirects else ()
        if moved := next((move for move in moves if move is None or move.target != path), None):
            return moved
        exclusion = canonical = None
        for effect in self.headers(path, look) if self.headers else ():
            if effect is None:
                exclusion = None
            elif effect.reason is Reason.CANONICAL:
                canonical = canonical or effect
            else:
                exclusion = exclusion or effect
        return exclusion or canonical


class Hosting(NamedTuple):
    """What a project file publishes: the key of the folder, and the possible folders, in order.

    The folders are relative to that of the file. Empty if the file does not name one.
    """

    key: str = ""
    folders: tuple[str, ...] = ()


class Provider(NamedTuple):
    """A host: its project files, and the files of the site with its rules, which may identify it
    too.

    `read` takes the texts of both by name, the site's host name, and the time of the run in
    seconds. It raises ValueError for a text that the host rejects. `variables` are in the
    environment of the host's builder, `production` has the site's own URL, `previews` are values
    that show the build of a preview, and `addresses` have its URLs. `hosting` takes a project file
    and returns what it publishes: nothing if it does not describe hosting, more than one item if it
    has several targets. `unread` are files that may decide about URLs but are not read. `answers`
    are the name of a header in all its answers, and its content. The docs show FORMS of the host's
    file: the forms of URLs by the settings that choose them.
    """

    name: str
    markers: tuple[str, ...]
    files: tuple[str, ...]
    read: Callable[[Mapping[str, str], str, int], HostRules]
    variables: tuple[str, ...] = ()
    production: str = ""
    previews: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()
    hosting: Callable[[Mapping[str, Any]], tuple[Hosting, ...]] = lambda _: (Hosting(),)
    unread: tuple[str, ...] = ()
    answers: tuple[str, str] = ("", "")


def value_at(table: Mapping[str, Any], key: str) -> str:
    """The text at a dotted key; "" if there is none."""
    value: Any = table
    for step in key.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def forms_of(table: Mapping[str, Any], forms: Mapping[str, UrlForms]) -> UrlForms:
    """The URL forms for the values of `cleanUrls` and `trailingSlash`."""
    slash = table.get("trailingSlash")
    settings = ["cleanUrls = true"] if table.get("cleanUrls") is True else []
    settings += [f"trailingSlash = {str(slash).lower()}"] if isinstance(slash, bool) else []
    return forms[", ".join(settings)]


def dicts(value: Any) -> list[dict[str, Any]]:
    """The tables of a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def entries(
    table: Mapping[str, Any], text: str, key: str, kinds: Sequence[str] = ("source",)
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The tables of a list that have a pattern under one of some keys: the pattern, its line, the
    table.

    The pattern is behind `regex:` if the key is `regex`.
    """
    at = max(text.find(key), 0)
    for entry in dicts(table.get(key)):
        for kind in [kind for kind in kinds if isinstance(entry.get(kind), str)][:1]:
            value = json.dumps(entry[kind], ensure_ascii=False)
            start = max(text.find(kind, at), at)
            places = (text.find(written, start) for written in (value, f"'{value[1:-1]}'"))
            at = min((place for place in places if place >= 0), default=at)
            line = text.count("\n", 0, at) + 1
            yield f"regex:{entry[kind]}" if kind == "regex" else entry[kind], line, entry


def headers_of(values: object, file: str, line: int) -> list[Header]:
    """The headers of a rule: a list of `key` and `value`, or a table, whose lists are joined."""
    listed = [(header.get("key"), header.get("value")) for header in dicts(values)]
    pairs = values.items() if isinstance(values, dict) else listed
    texts = [(str(k), ", ".join(map(str, v)) if isinstance(v, list) else str(v)) for k, v in pairs]
    return [
        Header(name.lower(), text, Origin(file, line, f"{name}: {text}")) for name, text in texts
    ]


def redirect_lines(text: str) -> Iterator[tuple[HostEffect, list[str]]]:
    """The words of each possible rule in `_redirects`, without comments."""
    for number, row in enumerate(text.splitlines(), 1):
        words = row.split()
        end = next((n for n, word in enumerate(words) if word.startswith("#")), len(words))
        if end > 1:
            yield (
                HostEffect(Reason.REDIRECT, Origin(REDIRECTS, number, " ".join(words[:end]))),
                words[:end],
            )


def header_blocks(text: str, begins: str) -> Sequence[tuple[str, Sequence[Header]]]:
    """The patterns of `_headers`, which `begins`, a regular expression, matches, with the headers
    below each.

    Both hosts trim the lines. A header has a name without spaces, a colon and a value.
    """
    blocks: list[tuple[str, list[Header]]] = []
    for number, row in enumerate(text.splitlines(), 1):
        line = row.strip()
        header = re.fullmatch(r"! ([^:]*)|([^ :]+) *:\s*(.+)", line)
        if line.startswith("#"):
            continue
        if re.match(begins, line):
            blocks.append((line, []))
        elif header and blocks:
            name = (header[1] or header[2]).strip().lower()
            blocks[-1][1].append(Header(name, header[3], Origin(HEADERS, number, line)))
    return blocks


def header_effects(
    headers: Sequence[Header], now: int, *, replaces: bool = False
) -> Iterator[HostEffect | None]:
    """The effects of one rule's headers on a page: noindex, a canonical, a password.

    None cancels the noindex of earlier rules. With `replaces`, every robots header does.
    """
    robots = [header for header in headers if header.name == "x-robots-tag"]
    forbidding = [one for one in robots if one.value is not None and header_forbids(one.value, now)]
    if forbidding:
        yield HostEffect(Reason.NOINDEX, forbidding[0].origin)
    elif any(one.value is None or replaces for one in robots):
        yield None
    for name, value, origin in headers:
        link = _CANONICAL.search(value or "") if name == "link" else None
        if link and not re.search(WILDCARD, link[1]):
            yield HostEffect(Reason.CANONICAL, origin, link[1])
        elif name == "basic-auth":
            yield HostEffect(Reason.CLOSED, origin)


def is_conditional(rule: Mapping[str, Any]) -> bool:
    """Whether a rule in JSON depends on more of the request than its path."""
    return bool(rule.get("has") or rule.get("missing"))


def json_headers(
    table: Mapping[str, Any], text: str, file: str, now: int, kinds: Sequence[str] = ("source",)
) -> Iterator[Rule]:
    """Header rules in JSON.

    A later header replaces an earlier one. Conditional rules never exclude pages.
    """
    for pattern, line, rule in entries(table, text, "headers", kinds):
        for effect in header_effects(
            headers_of(rule.get("headers"), file, line), now, replaces=True
        ):
            if effect is None or not is_conditional(rule):
                yield pattern, effect


def error_page(target: str, origin: Origin) -> Iterator[Rule]:
    """The paths of the page that a host shows for missing pages. Not for a folder's page."""
    if target.startswith("/") and not target.endswith(("/", "/index.html")):
        effect = HostEffect(Reason.NOT_A_PAGE, origin)
        yield from (
            (path, effect) for path in dict.fromkeys((target, target.removesuffix(".html")))
        )


def linear_matcher(regex: str) -> Matcher:
    """A matcher for an expression that takes linear time, whatever the expression.

    Raises ValueError for what pydantic's engine, Rust's `regex`, does not support, such as
    look-arounds.
    """
    # Imported here: few sites need it.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=regex)).isinstance_python
    except SchemaError as error:
        raise ValueError(str(error)) from None


def wildcards(source: str) -> tuple[str, Matcher | None]:
    """The prefix of paths that match a pattern, and their matcher. None for a plain path."""
    pattern = encode_path(source)
    beginning, *more = re.split(WILDCARD, pattern, maxsplit=1)
    return beginning, re.compile(expression(pattern)).fullmatch if more else None


def compiled(
    moves: Iterable[Rule],
    tags: Iterable[Rule],
    forms: UrlForms | None,
    read: ReadPattern = wildcards,
    spellings: Spellings | None = None,
    skipped: int = 0,
) -> HostRules:
    """The rules of a host, with compiled patterns of redirects and headers."""
    redirects, headers = PathTable(moves, read, spellings), PathTable(tags, read, spellings)
    find_redirects = redirects.matching if redirects.effects else None
    find_headers = headers.matching if headers.effects else None
    return HostRules(find_redirects, find_headers, forms, skipped)


def expression(pattern: str, *, is_loose: bool = False) -> str:
    """The regular expression for a pattern: `*` matches any text, `:name` a part of one segment.

    Each wildcard but the last star and the end of the path takes the shortest text without
    backtracking (`(?>…)`). A longer text would not match either, so the time stays linear.
    """
    literal, *rest = re.split(WILDCARD, pattern)
    signs, literals = rest[::2], [re.escape(text) for text in rest[1::2]]
    stars = [n for n, sign in enumerate(signs) if sign == "*"]
    regex = re.escape(literal)
    for n, (sign, after) in enumerate(zip(signs, literals, strict=True)):
        if sign == "*":
            regex += "" if n == stars[0] else ")"  # of the star before
            regex += f".*{after}" if n == stars[-1] else f"(?>.*?{after}"
        else:
            regex += f"[^/]+?{after}" if n == len(signs) - 1 else f"(?>[^/]+?{after})"
    return regex.removesuffix("/") + "/?" if is_loose else regex
