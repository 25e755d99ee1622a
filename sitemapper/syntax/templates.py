"""Templates such as `{path}/index.html`: from the path of a page to its source files."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_NAME = r"\{([A-Za-z_]\w*)\}"


class Map(NamedTuple):
    """A compiled template of page paths, and the templates of the source files.

    `{slug}/index.html` with the source `content/{slug}.md` leads from `a/b/index.html` to
    `content/a/b.md`. `page` matches reversed paths. So the last of several names takes the shortest
    text, the first takes the longest, and there is no backtracking.
    """

    page: re.Pattern[str]
    sources: tuple[str, ...]

    def matches(self, path: str) -> bool:
        """Whether the template matches a page."""
        return self.page.fullmatch(path[::-1]) is not None

    def names(self, path: str) -> list[str]:
        """The possible source files of a page. Empty if the template does not match."""
        match = self.page.fullmatch(path[::-1])
        if match is None:
            return []
        texts = {name: text[::-1] for name, text in match.groupdict().items()}
        return [re.sub(_NAME, lambda found: texts[found[1]], source) for source in self.sources]


def compile_map(page: str, sources: Sequence[str]) -> Map:
    """Compiles `{name}` placeholders, which stand for any text.

    For reversed paths, `{lang}/{slug}.html` becomes `lmth\\.(?>(?P<slug>.+?)/)(?:(?P<lang>.+?))`.
    Raises ValueError for unknown names.
    """
    names = re.findall(_NAME, page)
    # `re.split` gives texts and names in turn.
    *texts_before_names, text_after_last = re.split(_NAME, page)[::2]
    for source in sources:
        unknown = set(re.findall(_NAME, source)).difference(names)
        if unknown:
            raise ValueError(f"{source!r} uses {{{unknown.pop()}}}, which {page!r} does not have")
    # A name that appears twice has to be tried with texts of every length.
    has_repeated_name = len(set(names)) < len(names)
    group = "(?:" if has_repeated_name else "(?>"
    regex = re.escape(text_after_last[::-1])
    for n in reversed(range(len(names))):
        name = names[n]
        is_seen = name in names[n + 1 :]
        placeholder = f"(?P={name})" if is_seen else f"(?P<{name}>.+?)"
        # The last group matches the beginning of the path, up to which its name has to reach.
        opening = group if n > 0 else "(?:"
        reversed_text = re.escape(texts_before_names[n][::-1])
        regex += f"{opening}{placeholder}{reversed_text})"
    return Map(re.compile(regex, re.DOTALL), tuple(sources))
