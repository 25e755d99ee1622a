"""The rules of a host, looked up by the path of a page."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .host import NOT_UNDERSTOOD, FindKind, HostEffect, HostRules, Unknown
from .matchers import Matcher, PathPattern, whole_matcher, wildcards
from .uploads import ALL_FILES, Upload

# A pattern, and the effect of its rule; None if the rule only ends the search, or cancels others.
Rule = tuple[str, HostEffect | None]
ReadPattern = Callable[[str], PathPattern]  # raises ValueError for a pattern that the host rejects
Spellings = Callable[[str], Sequence[str]]


class _Pattern(NamedTuple):
    """The pattern of a rule, given by its place in the order."""

    number: int
    compile: Callable[[], Matcher]


class _Compiled(NamedTuple):
    number: int
    matches: Matcher


class PathTable:
    """Effects by path, in the order of the file. None for a rule without its own effect.

    Plain paths are looked up. A pattern is compiled and tried only if a path begins like it. Any
    of a path's `spellings` may match. A rule is `unknown` if `read` rejects its pattern: it is left
    out, or keeps all pages for which it may be, if it has no effect.
    """

    def __init__(
        self, rules: Iterable[Rule], read: ReadPattern, spellings: Spellings | None
    ) -> None:
        self.effects: list[HostEffect | None] = []
        self.unknown: list[Unknown] = []
        self._spellings = spellings
        self._plain: dict[str, list[int]] = {}
        self._patterns: dict[str, list[_Pattern]] = {}  # by the text with which paths begin
        self._compiled: dict[str, list[_Compiled]] = {}
        for source, effect in rules:
            try:
                pattern = read(source)
            except ValueError:
                if effect is not None:
                    self.unknown.append(Unknown(effect.origin, NOT_UNDERSTOOD))
                    continue
                pattern = _possible_paths(source)
            self._add(pattern, effect)
        self._starts = tuple(self._patterns)

    def _add(self, pattern: PathPattern, effect: HostEffect | None) -> None:
        """Adds the next rule."""
        number = len(self.effects)
        self.effects.append(effect)
        if pattern.compile is None:
            self._plain.setdefault(pattern.start, []).append(number)
        else:
            numbered = _Pattern(number, pattern.compile)
            self._patterns.setdefault(pattern.start, []).append(numbered)

    def __getstate__(self) -> dict[str, object]:
        # A compiled expression is pickled as its text, and compiled again when it is loaded.
        return {**self.__dict__, "_compiled": {}}

    def find(self, path: str, _: FindKind) -> Sequence[HostEffect | None]:
        """The effects of all rules that match a URL path, in the order of the rules."""
        numbers: set[int] = set()  # of the rules
        texts = self._spellings(path) if self._spellings else (path,)
        for text in texts:
            numbers.update(self._plain.get(text, ()))
            if text.startswith(self._starts):
                numbers.update(self._numbers_of_patterns(text))
        if not numbers:
            return ()
        return [self.effects[number] for number in sorted(numbers)]

    def _numbers_of_patterns(self, path: str) -> Iterator[int]:
        """The numbers of the rules whose patterns match a path."""
        for start in self._starts:
            if not path.startswith(start):
                continue
            if start not in self._compiled:
                self._compiled[start] = [
                    _Compiled(pattern.number, pattern.compile())
                    for pattern in self._patterns[start]
                ]
            for number, matches in self._compiled[start]:
                if matches(path):
                    yield number


def _possible_paths(source: str) -> PathPattern:
    """All paths for which a pattern that cannot be read may be, by the folder it begins with."""
    plain = re.match(r"(?:/[\w.~-]*)*/", source, re.ASCII)
    start = plain[0] if plain else ""
    return PathPattern(start, partial(whole_matcher, ".*"))


def make_rules(
    moves: Iterable[Rule],
    tags: Iterable[Rule],
    forms: UrlForms,
    *,
    read: ReadPattern = wildcards,
    spellings: Spellings | None = None,
    skipped: Iterable[Unknown] = (),
    upload: Upload = ALL_FILES,
    fallbacks: Iterable[Rule] = (),
) -> HostRules:
    """The rules of a host: `moves` are its redirects, `tags` what its headers say about pages.

    `read` reads their patterns, and `spellings` gives the texts to look up for a path. `skipped`
    are rules with conditions that nobody knows, which were left out. `upload` says which files the
    host has. `fallbacks` are the redirects for paths without a file, if they are not `moves`.
    """
    redirects = PathTable(moves, read, spellings)
    headers = PathTable(tags, read, spellings)
    of_missing = PathTable(fallbacks, read, spellings)
    return HostRules(
        redirects.find if redirects.effects else None,
        headers.find if headers.effects else None,
        forms,
        tuple(dict.fromkeys((*skipped, *redirects.unknown, *headers.unknown, *upload.unknown))),
        upload.withhold,
        fallbacks=of_missing.find if of_missing.effects else None,
    )


def error_page(target: str, origin: Origin) -> list[Rule]:
    """The rules for the page that a host shows for missing pages: `/404.html` → it and `/404`.

    An empty list for a folder's page.
    """
    if not target.startswith("/") or target.endswith(("/", "/index.html")):
        return []
    effect = HostEffect(Reason.NOT_A_PAGE, origin)
    paths = dict.fromkeys((target, target.removesuffix(".html")))
    return [(path, effect) for path in paths]
