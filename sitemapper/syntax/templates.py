"""Templates such as `{path}/index.html`: from the path of a page to its source files."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_NAME = r"\{([A-Za-z_]\w*)\}"


class Map(NamedTuple):
    """A compiled template of page paths, and the templates of the source files.

    `{slug}/index.html` with the source `content/{slug}.md` leads from `a/b/index.html` to
    `content/a/b.md`. With `from_end`, `regex` matches a path that is written backwards.
    """

    regex: re.Pattern[str]
    from_end: bool
    sources: tuple[str, ...]

    def matches(self, path: str) -> bool:
        """Whether the template matches a page."""
        return self._match(path) is not None

    def names(self, path: str) -> list[str]:
        """The paths of the source files that a page may have; none if the template does not match.

        With the template `{slug}/index.html` and the source `{slug}.md`: `a/index.html` → `a.md`.
        """
        match = self._match(path)
        if match is None:
            return []
        texts = match.groupdict()
        if self.from_end:
            texts = {name: text[::-1] for name, text in texts.items()}
        return [re.sub(_NAME, lambda found: texts[found[1]], source) for source in self.sources]

    def _match(self, path: str) -> re.Match[str] | None:
        return self.regex.fullmatch(path[::-1] if self.from_end else path)


def compile_map(page: str, sources: Sequence[str]) -> Map:
    """Compiles the template of a page, such as `blog/{slug}/index.html`, and those of its sources.

    Each `{name}` stands for one character or more. A path is matched from its end, so the last name
    takes the shortest text: `{folder}/{name}.html` splits `a/b/c.html` into `a/b` and `c`. A
    template that repeats a name is matched from the start, where the text is known the second time:
    `{year}/{year}-{slug}.html`.

    Raises ValueError if a source uses a name that the template of the page does not have.
    """
    names = re.findall(_NAME, page)
    for source in sources:
        undefined = set(re.findall(_NAME, source)).difference(names)
        if undefined:
            name = undefined.pop()
            raise ValueError(f"{source!r} uses {{{name}}}, which {page!r} does not have")
    # `re.split` gives texts and names in turn: `["blog/", "slug", "/index.html"]`.
    texts = re.split(_NAME, page)[::2]
    from_end = len(set(names)) == len(names)
    if from_end:
        names.reverse()
        texts = [text[::-1] for text in reversed(texts)]
    regex = re.compile(_expression(names, texts), re.DOTALL)
    return Map(regex=regex, from_end=from_end, sources=tuple(sources))


def _expression(names: Sequence[str], texts: Sequence[str]) -> str:
    """A regular expression for names with fixed texts before, between and after them.

    Each name takes the text up to the next place of the text after it. The expression never tries
    another one (`(?>…)`), so it takes linear time on any path.
    """
    expression = re.escape(texts[0])
    for number, name in enumerate(names, 1):
        text_after = re.escape(texts[number])
        if name in names[: number - 1]:
            expression += f"(?P={name}){text_after}"
        elif number == len(names):
            expression += f"(?P<{name}>.+){text_after}"  # up to the end
        else:
            expression += f"(?>(?P<{name}>.+?){text_after})"
    return expression
