"""Robots directives of metas and X-Robots-Tag headers: whether they forbid indexing, and from when.

docs/protocol.md §4 has the rules.
"""

from __future__ import annotations

AGENTS = ("robots", "googlebot")  # the names of metas, and the agents of headers, that count
_FORBIDDING = ("noindex", "none")
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


def meta_forbids(content: str) -> bool:
    """Whether the content of a meta, a comma list of whole tokens, forbids indexing."""
    return any(token.strip() in _FORBIDDING for token in content.lower().split(","))


def header_forbids(value: str) -> bool:
    """Whether an X-Robots-Tag forbids indexing, to all crawlers or to Googlebot.

    `googlebot: noindex, nofollow` names an agent; `unavailable_after: 25 Jun …` does not.
    """
    counts = True
    for token in value.lower().split(","):
        name, colon, rest = token.partition(":")
        if colon and name.strip() not in _WITH_VALUE:
            counts, token = name.strip() in ("", "*", *AGENTS), rest
        if counts and token.strip() in _FORBIDDING:
            return True
    return False


def unavailable_after(content: str) -> str | None:
    """The date of an `unavailable_after` directive, commas and colons and all."""
    before, directive, rest = content.lower().partition("unavailable_after")
    if not directive or not rest.lstrip().startswith(":"):
        return None
    text = content[len(before) + len(directive) :].lstrip()[1:]
    pieces = text.split(",")
    # A date may hold a comma ("Wed, 01 May 2024"); a directive behind it holds no digit.
    kept = [p for n, p in enumerate(pieces) if n == 0 or any(c.isdigit() for c in p.partition(":")[0])]
    return ",".join(kept).strip() or None
