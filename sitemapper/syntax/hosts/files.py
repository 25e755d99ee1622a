"""`_redirects` and `_headers`: their lines, their patterns, and what compiled rules do to a path."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from ...errors import with_help
from ...model import Origin, Reason
from .. import toml
from ..urls import encode_path

REDIRECTS, HEADERS = "_redirects", "_headers"
SITE = ""  # the name under which a host finds the site's folder, relative to its project file
_WILDCARD = r"(\*|:[A-Za-z]\w*)"
# A text, which stays, or what JSON does not have: a comment, a final comma.
_COMMENT = re.compile(r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|//[^\n]*+|/\*[\s\S]*?(?:\*/|\Z)')
_FINAL_COMMA = re.compile(r'("(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z))|,(?=\s*+[\]}])')

Matcher = Callable[[str], object]  # gives something true for a path that matches


class HostEffect(NamedTuple):
    """What a rule does to an existing page: why the page is left out, and the line that says so."""

    reason: Reason
    origin: Origin


class HeaderBlock(NamedTuple):
    """A pattern of `_headers`, whether a header stands below it, and its X-Robots-Tags.

    A tag is its value and what it does to a page; the value None takes the header back.
    """

    pattern: str
    has_headers: bool
    tags: Sequence[tuple[str | None, HostEffect]]


class PathTable(NamedTuple):
    """Effects by path, in the order of the file; None for a rule that has no effect of its own.

    Plain paths are looked up. Patterns are tried only where a path begins like one of them. `is_loose`
    ignores case and a final slash.
    """

    effects: tuple[HostEffect | None, ...]
    plain: Mapping[str, Sequence[int]]
    patterns: Sequence[tuple[int, Matcher]]
    prefixes: tuple[str, ...]
    is_loose: bool

    def matching(self, path: str) -> list[HostEffect | None]:
        """The effects of all rules that match."""
        path = path.lower() if self.is_loose else path
        numbers = [*self.plain.get(path.removesuffix("/") if self.is_loose else path, ())]
        if path.startswith(self.prefixes):
            numbers += [n for n, matches in self.patterns if matches(path)]
        return [self.effects[n] for n in sorted(numbers)]


class HostRules(NamedTuple):
    """The rules of one host. The first redirect that matches decides; None lets the page be served.

    After it, all headers that match apply; None takes those before it back. `style` is the URL style that
    the host prescribes, and the evidence for it.
    """

    redirects: PathTable
    headers: PathTable
    style: tuple[str, str] | None = None

    def effect(self, path: str) -> HostEffect | None:
        """What happens to the page at a URL path; None if it is served and may be indexed."""
        moved = next(iter(self.redirects.matching(path)), None)
        if moved:
            return moved
        applied = None
        for effect in self.headers.matching(path):
            applied = effect and (applied or effect)
        return applied


class Hosting(NamedTuple):
    """What a project file publishes: the key that names the folder, and where that may be, in order.

    The folders are relative to that of the file. There is none where the file leaves it open.
    """

    key: str = ""
    folders: tuple[str, ...] = ()


def any_hosting(_: Mapping[str, Any]) -> tuple[Hosting, ...]:
    """That of a file which always describes hosting, and names no folder."""
    return (Hosting(),)


class Provider(NamedTuple):
    """A host: its name, the project files that identify it, the files of the site with its rules.

    `read` takes the texts of both by name, the host name at which the site is served, and the time of the
    run in seconds. It raises ValueError for a text that the host refuses. `variables` are those of the
    environment on the host's builder. `hosting` takes a project file, and gives what it publishes:
    nothing if it does not describe hosting, more than one if it has several targets.
    """

    name: str
    markers: tuple[str, ...]
    files: tuple[str, ...]
    read: Callable[[Mapping[str, str], str, int], HostRules]
    variables: tuple[str, ...] = ()
    hosting: Callable[[Mapping[str, Any]], tuple[Hosting, ...]] = any_hosting


def read_table(name: str, text: str) -> dict[str, Any]:
    """A project file in TOML or JSON, with comments and final commas; {} for an empty one.

    Raises ValueError with a message for the user.
    """
    try:
        if name.endswith(".toml"):
            return toml.loads(text)
        for pattern in (_COMMENT, _FINAL_COMMA):
            text = pattern.sub(lambda match: match[1] or "", text)
        table = json.loads(text or "{}")
        return table if isinstance(table, dict) else {}
    except (ValueError, RecursionError) as error:
        problem = f"{name}: is not {'TOML' if name.endswith('.toml') else 'JSON'}: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None


def dicts(value: Any) -> list[dict[str, Any]]:
    """The tables of a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def linear_matcher(regex: str) -> Matcher:
    """What finds the texts in which an expression matches, in linear time whatever the expression.

    Raises ValueError for what pydantic's engine, Rust's `regex`, cannot do, such as look-arounds.
    """
    # Imported here: few sites need it.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=regex)).isinstance_python
    except SchemaError as error:
        raise ValueError(str(error)) from None


def folder_at(table: Mapping[str, Any], key: str) -> str:
    """The folder at a dotted key; "" if there is none."""
    value: Any = table
    for step in key.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def redirect_lines(text: str) -> Iterator[tuple[HostEffect, list[str]]]:
    """The words of each line of `_redirects` that may be a rule, without its comment."""
    for number, row in enumerate(text.splitlines(), 1):
        words = row.split()
        end = next((n for n, word in enumerate(words) if word.startswith("#")), len(words))
        if end > 1:
            yield HostEffect(Reason.REDIRECT, Origin(REDIRECTS, number, " ".join(words[:end]))), words[:end]


def header_blocks(text: str, begins: str) -> Iterator[HeaderBlock]:
    """The blocks of `_headers`; a line that `begins`, a regular expression, matches is a pattern.

    Both hosts trim the lines. A header has a name without spaces, a colon and a value.
    """
    pattern, has_headers = "", False
    tags: list[tuple[str | None, HostEffect]] = []
    for number, row in enumerate(text.splitlines(), 1):
        line = row.strip()
        if not line or line.startswith("#"):
            continue
        if re.match(begins, line):
            if pattern:
                yield HeaderBlock(pattern, has_headers, tags)
            pattern, has_headers, tags = line, False, []
            continue
        name, colon, value = (part.strip() for part in line.partition(":"))
        is_detached = not colon and name.startswith("! ")
        if is_detached:
            name = name[2:].strip()
        if is_detached or (value and name and " " not in name):
            has_headers = True
            if name.lower() == "x-robots-tag":
                effect = HostEffect(Reason.NOINDEX, Origin(HEADERS, number, f"X-Robots-Tag: {value}"))
                tags.append((None if is_detached else value, effect))
    if pattern:
        yield HeaderBlock(pattern, has_headers, tags)


def table(
    rules: Iterable[tuple[str, HostEffect | None]],
    *,
    is_loose: bool,
    read: Callable[[str], tuple[str, Matcher | None]] | None = None,
) -> PathTable:
    """Compiles pairs of a pattern and its effect; skips those for which `read` raises ValueError."""
    read = read or partial(_wildcards, is_loose=is_loose)
    effects: list[HostEffect | None] = []
    plain: dict[str, list[int]] = {}
    patterns: list[tuple[int, Matcher]] = []
    prefixes: set[str] = set()
    for source, effect in rules:
        with suppress(ValueError):
            beginning, matcher = read(source)
            if matcher:
                patterns.append((len(effects), matcher))
                prefixes.add(beginning)
            else:
                plain.setdefault(beginning, []).append(len(effects))
            effects.append(effect)
    return PathTable(tuple(effects), plain, patterns, tuple(sorted(prefixes)), is_loose)


def _wildcards(source: str, *, is_loose: bool) -> tuple[str, Matcher | None]:
    """How the paths begin that match a pattern, and what finds them; None for one path."""
    pattern = encode_path(source).lower() if is_loose else encode_path(source)
    beginning, *more = re.split(_WILDCARD, pattern, maxsplit=1)
    if more and is_loose and "/*" in pattern:  # the star stands for no folder, too
        both = (expression(text, is_loose=True).pattern for text in (pattern, pattern.replace("/*", "")))
        return beginning.removesuffix("/"), re.compile("|".join(both)).fullmatch
    if more:
        return beginning, expression(pattern, is_loose=is_loose).fullmatch
    return pattern.removesuffix("/") if is_loose else pattern, None


def expression(pattern: str, *, is_loose: bool = False) -> re.Pattern[str]:
    """The regular expression of a pattern: `*` matches any text, `:name` a part of one segment.

    Each wildcard but the last star and what ends the path takes the shortest text, for good (`(?>…)`):
    if that does not lead to a match, a longer text does not either. So time does not explode.
    """
    literal, *rest = re.split(_WILDCARD, pattern)
    wildcards, literals = rest[::2], [re.escape(text) for text in rest[1::2]]
    stars = [n for n, wildcard in enumerate(wildcards) if wildcard == "*"]
    regex = re.escape(literal)
    for n, (wildcard, after) in enumerate(zip(wildcards, literals, strict=True)):
        if wildcard != "*":
            regex += f"[^/]+?{after}" if n == len(wildcards) - 1 else f"(?>[^/]+?{after})"
        else:
            regex += (")" if n != stars[0] else "") + (".*" if n == stars[-1] else "(?>.*?") + after
    return re.compile(regex.removesuffix("/") + "/?" if is_loose else regex)
