"""Templates such as `{path}/index.html`: from the path of a page to its source files."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_NAME = r"\{([A-Za-z_]\w*)\}"
# Texts that are tried for the names of one page. Paths that people choose need a few hundred.
MOST_ATTEMPTS = 10_000


class Part(NamedTuple):
    """A placeholder of a template, and the fixed text before it, reversed.

    In `blog/{slug}.html`: the name `slug`, and the text `/golb`, which follows it in a reversed
    path.
    """

    name: str
    text: str


class Attempt(NamedTuple):
    """The placeholders of a template that were matched so far, from the end of a path.

    `parts` is their number, `length` how many characters of the reversed path they take, and
    `texts` what each of them stands for. The text of the next placeholder ends at `next_end` or
    later: after a failure, the next attempt gives it one more character.
    """

    parts: int
    length: int
    next_end: int
    texts: Mapping[str, str]


class Map(NamedTuple):
    """A template of page paths, and the templates of the source files.

    `{slug}/index.html` with the source `content/{slug}.md` leads from `a/b/index.html` to
    `content/a/b.md`.

    A path is matched from its end, so it and all texts here are reversed. `ending` is the text
    after the last placeholder, here `lmth.xedni/`, and `parts` are the placeholders from the last
    to the first. So the last placeholder takes the shortest text and the first one the longest:
    `{folder}/{name}.html` splits `a/b/c.html` into `a/b` and `c`. Other texts are tried only if a
    placeholder `is_repeated`, as in `{year}/{year}-{slug}.html`.
    """

    ending: str
    parts: tuple[Part, ...]
    is_repeated: bool
    sources: tuple[str, ...]

    def matches(self, path: str) -> bool:
        """Whether the template matches a page."""
        return self._texts(path[::-1]) is not None

    def names(self, path: str) -> list[str]:
        """The paths of the source files that a page may have; none if the template does not match.

        With the template `{slug}/index.html` and the source `{slug}.md`: `a/index.html` → `a.md`.
        """
        texts = self._texts(path[::-1])
        if texts is None:
            return []
        return [
            re.sub(_NAME, lambda found: texts[found[1]][::-1], source) for source in self.sources
        ]

    def _texts(self, path: str) -> Mapping[str, str] | None:
        """What each placeholder stands for in a path; None if the template does not match.

        The path is reversed, and so are the texts. With `{slug}/index.html`: `lmth.xedni/b/a` →
        `{"slug": "b/a"}`, for the page `a/b/index.html`.

        A repeated placeholder is searched by trial. The number of trials can grow exponentially, so
        None after `MOST_ATTEMPTS`.
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
                continue  # the template ends before the path
            end = self._end_of_next(attempt, path)
            if end is None:
                continue
            part = self.parts[attempt.parts]
            if self.is_repeated and part.name not in attempt.texts:
                # Tried if this text fails: a longer one.
                attempts.append(attempt._replace(next_end=end + 1))
            texts = {**attempt.texts, part.name: path[attempt.length : end]}
            length = end + len(part.text)
            # A placeholder stands for one character at least.
            attempts.append(Attempt(attempt.parts + 1, length, next_end=length + 1, texts=texts))
        return None

    def _end_of_next(self, attempt: Attempt, path: str) -> int | None:
        """Where the text of the next placeholder ends in a reversed path; None if it cannot.

        A placeholder that was already matched must have the same text again. One that comes first
        in the template takes the whole rest of the path. Any other ends before the next place of
        the fixed text.
        """
        part = self.parts[attempt.parts]
        earlier_text = attempt.texts.get(part.name)
        if earlier_text is not None:
            is_same = path.startswith(earlier_text + part.text, attempt.length)
            return attempt.length + len(earlier_text) if is_same else None
        is_first_of_template = attempt.parts + 1 == len(self.parts)
        if is_first_of_template:
            end = len(path) - len(part.text)
            return end if end >= attempt.next_end and path.endswith(part.text) else None
        end = path.find(part.text, attempt.next_end)
        return end if end >= 0 else None


def compile_map(page: str, sources: Sequence[str]) -> Map:
    """Compiles the template of a page, such as `blog/{slug}/index.html`, and those of its sources.

    Each `{name}` stands for one character or more. Raises ValueError if a source uses a name that
    the template of the page does not have.
    """
    names = re.findall(_NAME, page)
    # `re.split` gives texts and names in turn: `["blog/", "slug", "/index.html"]`.
    *texts_before_names, text_after_last = re.split(_NAME, page)[::2]
    for source in sources:
        undefined = set(re.findall(_NAME, source)).difference(names)
        if undefined:
            name = undefined.pop()
            raise ValueError(f"{source!r} uses {{{name}}}, which {page!r} does not have")
    parts = [Part(name, text[::-1]) for name, text in zip(names, texts_before_names, strict=True)]
    is_repeated = len(set(names)) < len(names)
    return Map(
        ending=text_after_last[::-1],
        parts=tuple(reversed(parts)),
        is_repeated=is_repeated,
        sources=tuple(sources),
    )
