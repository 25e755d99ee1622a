"""What the pages show that somebody should mend."""

from collections import defaultdict
from collections.abc import Iterator

from ..messages import Message, count, listing

# What is wrong where, by the code of the warning.
Notes = defaultdict[str, list[str]]
# The noun that is counted, the text of the warning, and its help.
WARNINGS = {
    "canonical-form": (
        "page",
        "the host redirects the URL that the canonical names ({count}: {places})",
        "write canonicals in the form that the host serves",
    ),
    "canonical-missing": (
        "page",
        "not listed, because the canonical names a page that is not there ({count}: {places})",
        "correct the canonical in the template",
    ),
    "canonical-scheme": (
        "page",
        "the canonical differs from the base URL in http or https ({count}: {places})",
        "use one scheme for both",
    ),
    "alternate-unlisted": (
        "alternate",
        "{count} left out, because the pages are not listed: {places}",
        "remove the hreflang links, or list the pages",
    ),
    "alternate-one-sided": (
        "hreflang link",
        "{count} missing, and search engines ignore links that are not mutual: {places}",
        "let every version list all others and itself",
    ),
}


def warnings(notes: Notes) -> Iterator[Message]:
    """Yields a warning for each code that is noted, which names some of the places."""
    for code, (noun, text, help) in WARNINGS.items():
        places = notes[code]
        if places:
            named = text.format(count=count(len(places), noun), places=listing(places))
            yield Message("warning", code, named, help)
