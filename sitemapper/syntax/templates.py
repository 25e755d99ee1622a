"""Templates such as `{path}/index.html`: from the path of a page to its source files."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_PLACEHOLDER = r"\{([A-Za-z_]\w*)\}"


class Map(NamedTuple):
    """A rule from the paths of pages to those of their source files.

    The page template `{slug}/index.html` and the source template `content/{slug}.md` lead from
    `a/b/index.html` to `content/a/b.md`. `regex` is the compiled page template. If `from_end` is
    true, it matches a path that is written backwards. `sources` are the source templates.
    """

    regex: re.Pattern[str]
    from_end: bool
    sources: tuple[str, ...]

    def matches(self, path: str) -> bool:
        """Whether the page template matches a path: `{slug}/index.html` and `a/index.html` do."""
        return self._match(path) is not None

    def names(self, path: str) -> list[str]:
        """The paths of the possible source files of a page, one for each source template.

        With the page template `{slug}/index.html` and the source template `{slug}.md`:
        `a/index.html` → `["a.md"]`. Empty if the page template does not match.
        """
        match = self._match(path)
        if match is None:
            return []
        text_by_name = match.groupdict()
        # With `from_end`, the path was written backwards to match its end first. So are the texts
        # that were found in it: `aet` for `{slug}` in `tea/index.html`.
        if self.from_end:
            text_by_name = {name: text[::-1] for name, text in text_by_name.items()}
        return [
            re.sub(_PLACEHOLDER, lambda found: text_by_name[found[1]], source)
            for source in self.sources
        ]

    def _match(self, path: str) -> re.Match[str] | None:
        return self.regex.fullmatch(path[::-1] if self.from_end else path)


def compile_map(page: str, sources: Sequence[str]) -> Map:
    """Compiles a page template and its source templates to a Map, which finds sources of pages.

    `blog/{slug}/index.html` and `content/{slug}.md` → a Map by which the page `blog/tea/index.html`
    has the source `content/tea.md`.

    Each `{name}` stands for one character or more. A path is matched from its end, because a folder
    may contain slashes and the name of a file does not: `{folder}/{name}.html` splits `a/b/c.html`
    into `a/b` and `c`. To match from the end, the path and the template are written backwards.

    A template that repeats a name, such as `{year}/{year}-{slug}.html`, is matched from its start.
    There, the first `{year}` ends at the slash, and the second one must be the same text.

    Raises ValueError if a source uses a name that the template of the page does not have.
    """
    names = re.findall(_PLACEHOLDER, page)
    for source in sources:
        undefined = set(re.findall(_PLACEHOLDER, source)).difference(names)
        if undefined:
            name = undefined.pop()
            raise ValueError(f"{source!r} uses {{{name}}}, which {page!r} does not have")
    # `re.split` gives texts and names in turn: `["blog/", "slug", "/index.html"]`.
    texts = re.split(_PLACEHOLDER, page)[::2]
    from_end = len(set(names)) == len(names)  # no name is repeated
    if from_end:
        # For a path that is written backwards: `{folder}/{name}.html` has `["lmth.", "/", ""]`.
        names.reverse()
        texts = [text[::-1] for text in reversed(texts)]
    regex = re.compile(_build_regex(names, texts), re.DOTALL)
    return Map(regex=regex, from_end=from_end, sources=tuple(sources))


def _build_regex(names: Sequence[str], texts: Sequence[str]) -> str:
    r"""Builds a regular expression from the names of a template and the fixed texts around them.

    `x/{a}/{b}.html` has the names `a` and `b`, and the texts `x/`, `/` and `.html`:

        x/                  the text before the first name
        (?>(?P<a>.+?)/)     `a` ends where the next text is first found, at the first slash
        (?P<b>.+)\.html     the last name is all that is left

    `(?>…)` keeps the expression from trying later slashes, so it takes linear time on any path.
    """
    regex = re.escape(texts[0])
    for number, name in enumerate(names, 1):
        text_after = re.escape(texts[number])
        if name in names[: number - 1]:  # used before: the same text again
            regex += f"(?P={name}){text_after}"
        elif number == len(names):  # the last one: all that is left
            regex += f"(?P<{name}>.+){text_after}"
        else:
            regex += f"(?>(?P<{name}>.+?){text_after})"
    return regex
