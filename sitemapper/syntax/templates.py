"""Templates of paths, such as `{path}/index.html`: from pages to their source files. Pure."""

import re
from collections.abc import Iterable, Sequence

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


def map_sources(page: str, sources: Sequence[str], paths: Iterable[str]) -> dict[str, list[str]]:
    """Leads from the paths of pages to those of their sources, as an entry of `[[git.map]]` says.

    `{folder}/{name}.html` splits `a/b/c.html` into `a/b` and `c`. A name that stands twice in it
    stands for the same text. A placeholder that `page` lacks stays as it is. Paths that `page` does
    not match are left out.
    """
    expression = ""
    seen: set[str] = set()
    for index, part in enumerate(_PLACEHOLDER.split(page)):
        if index % 2 == 0:
            expression += re.escape(part)
        else:
            expression += f"(?P={part})" if part in seen else f"(?P<{part}>.+)"
            seen.add(part)
    found: dict[str, list[str]] = {}
    for path in paths:
        match = re.fullmatch(expression, path, re.DOTALL)
        if match is None:
            continue
        found[path] = list(sources)
        for name, text in match.groupdict().items():
            found[path] = [source.replace(f"{{{name}}}", text) for source in found[path]]
    return found
