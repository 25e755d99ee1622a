"""Templates such as `{path}/index.html`: from the path of a page to its source files."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_NAME = r"\{([A-Za-z_]\w*)\}"
# Texts that are tried for the names of one page. Paths that people choose need a few hundred.
MOST_ATTEMPTS = 10_000


class Part(NamedTuple):
    """A name of a template and the text behind it, both as they stand in a reversed path."""

    name: str
    text: str


class Attempt(NamedTuple):
    """A beginning of a reversed path that fits: the parts in it, its length, and their texts.

    The next name ends at `next_end` or behind it.
    """

    parts: int
    length: int
    next_end: int
    texts: Mapping[str, str]


class Map(NamedTuple):
    """A template of page paths, and the templates of the source files.

    `{slug}/index.html` with the source `content/{slug}.md` leads from `a/b/index.html` to
    `content/a/b.md`. Paths are read from their end: `ending` is the reversed text behind the last
    name, and `parts` are the names before it. So the last of several names takes the shortest text,
    and the first takes the longest. Only if a name `is_repeated`, other texts are tried, too.
    """

    ending: str
    parts: tuple[Part, ...]
    is_repeated: bool
    sources: tuple[str, ...]

    def matches(self, path: str) -> bool:
        """Whether the template matches a page."""
        return self._texts(path[::-1]) is not None

    def names(self, path: str) -> list[str]:
        """The possible source files of a page. Empty if the template does not match."""
        texts = self._texts(path[::-1])
        if texts is None:
            return []
        return [
            re.sub(_NAME, lambda found: texts[found[1]][::-1], source) for source in self.sources
        ]

    def _texts(self, path: str) -> Mapping[str, str] | None:
        """The reversed texts of the names in a reversed path, None if the template does not match.

        Also None if `MOST_ATTEMPTS` do not suffice, because no way is known to find a repeated name
        in a time that grows with the path only.
        """
        if not path.startswith(self.ending):
            return None
        start = len(self.ending)
        attempts = [Attempt(0, start, start + 1, {})]
        for _ in range(MOST_ATTEMPTS):
            if not attempts:
                return None
            attempt = attempts.pop()
            if attempt.parts == len(self.parts):
                if attempt.length == len(path):
                    return attempt.texts
                continue
            end = self._end_of_next(attempt, path)
            if end is None:
                continue
            part = self.parts[attempt.parts]
            if self.is_repeated and part.name not in attempt.texts:
                attempts.append(attempt._replace(next_end=end + 1))
            texts = {**attempt.texts, part.name: path[attempt.length : end]}
            length = end + len(part.text)
            attempts.append(Attempt(attempt.parts + 1, length, length + 1, texts))
        return None

    def _end_of_next(self, attempt: Attempt, path: str) -> int | None:
        """Where the next name of an attempt ends in a reversed path, None if it fits nowhere."""
        part = self.parts[attempt.parts]
        known_text = attempt.texts.get(part.name)
        if known_text is not None:
            fits = path.startswith(known_text + part.text, attempt.length)
            return attempt.length + len(known_text) if fits else None
        is_last = attempt.parts + 1 == len(self.parts)
        if is_last:
            # The first name of a template reaches up to the beginning of the path.
            end = len(path) - len(part.text)
            return end if end >= attempt.next_end and path.endswith(part.text) else None
        end = path.find(part.text, attempt.next_end)
        return end if end >= 0 else None


def compile_map(page: str, sources: Sequence[str]) -> Map:
    """Compiles `{name}` placeholders, which stand for any text.

    Raises ValueError for unknown names.
    """
    names = re.findall(_NAME, page)
    # `re.split` gives texts and names in turn.
    *texts_before_names, text_after_last = re.split(_NAME, page)[::2]
    for source in sources:
        unknown = set(re.findall(_NAME, source)).difference(names)
        if unknown:
            raise ValueError(f"{source!r} uses {{{unknown.pop()}}}, which {page!r} does not have")
    parts = [Part(name, text[::-1]) for name, text in zip(names, texts_before_names, strict=True)]
    is_repeated = len(set(names)) < len(names)
    return Map(text_after_last[::-1], tuple(reversed(parts)), is_repeated, tuple(sources))
