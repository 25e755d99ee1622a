"""Patterns in gitignore syntax, decided as git decides: level by level, the last match wins.

git is the judge: `git check-ignore` agrees with every verdict (see tests). A pattern speaks about one
entry of one directory, never about what lies below it; bracket expressions are read as git's
wildmatch reads them, on bytes.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from typing import NamedTuple

from sitemapper.model import Origin

_CLASSES = {
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, range(32))) + "\x7f",
    b"digit": string.digits,
    b"graph": string.ascii_letters + string.digits + string.punctuation,
    b"lower": string.ascii_lowercase,
    b"print": string.ascii_letters + string.digits + string.punctuation + " ",
    b"punct": string.punctuation,
    b"space": " \t\n\r\v\f",
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}
_KEPT = 4_096  # folders whose verdicts are remembered
BUILT_IN = "built-in default"
_LEVELS = rb"(?:[^/]+/)*"
_UNBRACKETED = re.compile(rb"(?:[^\[\\]|\\.?)+", re.DOTALL)
# In brackets: a named class, or a byte and perhaps the last one of a range.
_MEMBER = re.compile(rb"\[:([^\]]*):\]|\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)
_BRACKET = b"\0"  # stands for a bracket expression while a segment is translated; no name holds it


class Line(NamedTuple):
    """A pattern as it was written, and where."""

    text: str
    origin: Origin


class Pattern(NamedTuple):
    """One compiled line: which directories it speaks about, and which names in them."""

    origin: Origin
    negated: bool
    dirs_only: bool
    directory: re.Pattern[bytes] | None
    name: bytes

    def speaks_about(self, directory: bytes) -> bool:
        """Whether entries of the directory can match."""
        return self.directory is None or self.directory.fullmatch(directory) is not None


def compile_line(line: Line, *, any_case: bool = False) -> Pattern | None:
    """The pattern of one line; None for blanks, comments and what git discards.

    Raises ValueError where the line cannot be a pattern.
    """
    text = line.text.encode("utf-8", "surrogateescape")
    text = re.sub(rb"(?<!\\)[ ]+$", b"", text.rstrip(b"\r\n"))
    if _BRACKET in text:
        raise ValueError("a pattern holds a NUL, as no name does")
    if not text or text.startswith(b"#"):
        return None
    text = re.sub(rb"\*{3,}", b"**", text)
    negated = text.startswith(b"!")
    text = text[negated:]
    dirs_only = text.endswith(b"/")
    try:
        plain, classes = _without_brackets(text.removesuffix(b"/"))
    except _Discarded:
        return None
    segments = plain.split(b"/")
    if segments == [b""]:
        return None
    if b"/" not in text[:-1]:
        segments = [b"**", *segments]
    if segments[0] == b"":
        segments = segments[1:]
    if segments[-1] == b"**":
        segments = [*segments, b"*"]
    parts = [_LEVELS if s == b"**" else _translate(s, classes) + b"/" for s in segments[:-1]]
    name = _translate(segments[-1], classes)
    flags = re.DOTALL | (re.IGNORECASE if any_case else 0)
    directory = None if parts == [_LEVELS] else re.compile(b"".join(parts), flags)
    return Pattern(line.origin, negated, dirs_only, directory, name)


class _Discarded(Exception):
    """git drops a pattern whose bracket expression is not closed or names an unknown class."""


def _without_brackets(text: bytes) -> tuple[bytes, list[bytes]]:
    """The pattern with a NUL for each bracket expression, and their regular expressions in order.

    An expression may hold a slash, which it then does not match; so it is read before segments are.
    """
    classes: list[bytes] = []
    plain = b""
    i = 0
    while i < len(text):
        if found := _UNBRACKETED.match(text, i):
            plain += found[0]
            i = found.end()
        else:
            members, i = _bracket(text, i + 1)
            classes.append(_class(members))
            plain += _BRACKET
    return plain, classes


def _translate(segment: bytes, classes: list[bytes]) -> bytes:
    """The regular expression of one path segment; takes the bracket expressions it needs."""
    pieces = re.findall(rb"\\?.", re.sub(rb"(?<!\\)\*+", b"*", segment), re.DOTALL)
    if pieces and pieces[-1] == b"\\":
        raise ValueError("a pattern ends with a backslash")
    wild = {b"*": b"[^/]*", b"?": b"[^/]"}
    return b"".join(
        classes.pop(0) if piece == _BRACKET else wild.get(piece) or re.escape(piece[-1:]) for piece in pieces
    )


def _class(members: frozenset[int]) -> bytes:
    return b"[" + b"".join(b"\\x%02x" % m for m in sorted(members)) + b"]" if members else b"(?!)"


def _bracket(text: bytes, i: int) -> tuple[frozenset[int], int]:
    """The bytes that a bracket expression matches and the place behind it (git's wildmatch.c)."""
    negated = text[i : i + 1] in (b"!", b"^")
    start = i = i + negated
    members: set[int] = set()
    while i == start or text[i : i + 1] != b"]":
        found = _MEMBER.match(text, i)
        if found is None:
            raise _Discarded
        members |= _members(found)
        i = found.end()
    everything = frozenset(range(1, 256)) - {ord("/")}
    return (everything - members if negated else everything & members), i + 1


def _members(found: re.Match[bytes]) -> set[int]:
    """The bytes of a named class, of a range, or the one byte."""
    name, first, last = found.groups()
    if name is None:
        return {first[0], *range(first[0], last[0] + 1 if last else 0)}
    if name not in _CLASSES:
        raise _Discarded
    return set(_CLASSES[name].encode())


def _starts(patterns: Iterable[Pattern]) -> frozenset[str] | None:
    """The letters with which the names of patterns begin; None if one begins with a wildcard."""
    literal = rb"\\([!-/:-@\[-`{-~])|([A-Za-z0-9_!#%&',:;<=>@~\"-])"
    found = [re.match(literal, pattern.name) for pattern in patterns]
    if None in found:
        return None
    return frozenset((m[1] or m[2]).decode() for m in found if m)


class Level:
    """The patterns that can match an entry of one directory."""

    def __init__(self, patterns: tuple[Pattern, ...], flags: re.RegexFlag) -> None:
        union = b"|".join(b"(?:" + p.name + b")" for p in patterns)
        # No name holds a slash, so one search over the joined names clears a whole listing.
        self._any = re.compile(b"/(?:" + union + b")(?=/)", flags)
        self._starts = _starts(patterns) if not flags & re.IGNORECASE else None
        self._last_first = [(p, re.compile(p.name, flags)) for p in reversed(patterns)]
        self._for_files = [(p, regex) for p, regex in self._last_first if not p.dirs_only]

    def none_match(self, names: Iterable[str]) -> bool:
        """True if no pattern matches any of the names, as file or as folder."""
        if self._starts is not None:
            # Most names begin like no pattern; to look at one letter costs a fifth of a search.
            names = [name for name in names if name[0] in self._starts]
            if not names:
                return True
        listing = "/" + "/".join(names) + "/"
        return self._any.search(listing.encode("utf-8", "surrogateescape")) is None

    def decide(self, name: str, *, is_dir: bool) -> Pattern | None:
        """The last pattern that matches the entry."""
        asked = self._last_first if is_dir else self._for_files
        raw = name.encode("utf-8", "surrogateescape") if asked else b""
        return next((pattern for pattern, regex in asked if regex.fullmatch(raw)), None)

    def accepts(self, name: str) -> bool:
        """Whether a file's last match is no negation."""
        decided = self.decide(name, is_dir=False)
        return decided is not None and not decided.negated


class Patterns:
    """Compiled lines, asked level by level. Raises ValueError for a line that is no pattern."""

    def __init__(self, lines: Iterable[Line], *, any_case: bool = False) -> None:
        compiled = (compile_line(line, any_case=any_case) for line in lines)
        self.patterns = tuple(p for p in compiled if p is not None)
        anchored = any(p.directory is not None for p in self.patterns)
        # What speaks about a directory, where that is the same for all.
        self._everywhere = None if anchored else (True,) * len(self.patterns)
        self._flags = re.DOTALL | (re.IGNORECASE if any_case else re.RegexFlag(0))
        self._levels: dict[tuple[bool, ...], Level] = {}
        self._folders: dict[str, tuple[Pattern | None, Level]] = {}

    def level(self, directory: str) -> Level:
        """What the patterns say about the entries of `directory` ("" or with a final slash)."""
        active = self._everywhere
        if active is None:
            raw = directory.encode("utf-8", "surrogateescape")
            active = tuple(p.speaks_about(raw) for p in self.patterns)
        level = self._levels.get(active)
        if level is None:
            chosen = tuple(p for p, on in zip(self.patterns, active, strict=True) if on)
            level = self._levels[active] = Level(chosen, self._flags)
        return level

    def verdict(self, path: str) -> Pattern | None:
        """The pattern that decides a file's path, or the one that prunes a folder above it."""
        folder, _, name = path.rpartition("/")
        pruning, level = self._folder(folder + "/" if folder else "")
        return pruning if pruning is not None else level.decide(name, is_dir=False)

    def _folder(self, directory: str) -> tuple[Pattern | None, Level]:
        """The pattern that prunes a folder or one above it, and what speaks about its entries.

        Pages come folder by folder, so what was found is kept for the next ones.
        """
        known = self._folders.get(directory)
        if known is None:
            pruning = None
            if directory:
                above, _, name = directory[:-1].rpartition("/")
                pruning, level = self._folder(above + "/" if above else "")
                decided = None if pruning else level.decide(name, is_dir=True)
                pruning = decided if decided is not None and not decided.negated else pruning
            if len(self._folders) >= _KEPT:
                self._folders.clear()
            known = self._folders[directory] = pruning, self.level(directory)
        return known

    def matches(self, path: str) -> bool:
        """Whether the file, or a folder above it, is matched."""
        decided = self.verdict(path)
        return decided is not None and not decided.negated
